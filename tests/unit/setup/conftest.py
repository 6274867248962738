import pytest


@pytest.fixture(autouse=True)
def cache_home(tmp_path, monkeypatch):
    """Every test has a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "streambed"
