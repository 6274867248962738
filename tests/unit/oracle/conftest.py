import pytest
from oracle_stage import Stage


@pytest.fixture
def stage():
    return Stage()
