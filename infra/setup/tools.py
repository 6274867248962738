"""The Pulumi CLI and the lab's S3 server, built from the Go module proxy where they are missing.

Each has a module in infra/tools whose go.mod and go.sum pin every line of code in it.
Standard library only: the bootstrap asks here whether Go is needed at all.
"""

import json
import platform
import shutil
import subprocess
from pathlib import Path

from infra.setup.cache import Entry, SetupError, cached, is_cached
from infra.setup.versions import at_least, parse

MODULES = Path(__file__).resolve().parents[1] / "tools"

PULUMI_VERSION = "3.259.0"
PULUMI_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
PULUMI_SDK = "github.com/pulumi/pulumi/sdk/v3"
LANGUAGE_HOST_PACKAGE = f"{PULUMI_SDK}/python/cmd/pulumi-language-python"
# Scripts of the SDK that the CLI expects beside the language host, one per Pulumi program
# and one per dynamic provider.
SDK_SCRIPTS = (
    "python/cmd/pulumi-language-python-exec",
    "python/dist/pulumi-resource-pulumi-python",
)

VERSITYGW_VERSION = "1.8.0"
VERSITYGW_PACKAGE = "github.com/versity/versitygw/cmd/versitygw"

PULUMI_LDFLAGS = f"-s -w -X {PULUMI_SDK}/go/common/version.Version=v{PULUMI_VERSION}"
LANGUAGE_HOST_LDFLAGS = "-s -w"
VERSITYGW_LDFLAGS = f"-s -w -X main.Version=v{VERSITYGW_VERSION}"

_PULUMI = (
    *("tools", f"pulumi-{PULUMI_VERSION}"),
    [
        *(MODULES / "pulumi", MODULES / "pulumi-language-python", platform.machine()),
        *(PULUMI_LDFLAGS, LANGUAGE_HOST_LDFLAGS, *SDK_SCRIPTS),
    ],
)
_VERSITYGW = (
    *("tools", f"versitygw-{VERSITYGW_VERSION}"),
    [MODULES / "versitygw", VERSITYGW_LDFLAGS, platform.machine()],
)


def pulumi_bin() -> Path:
    """Return the directory that holds `pulumi` and its Python language host."""
    return installed_pulumi() or cached(*_PULUMI, _build_pulumi) / "bin"


def versitygw() -> Path:
    """Return a directory with `bin/versitygw` in it."""
    return cached(*_VERSITYGW, _build_versitygw)


def go_is_needed() -> bool:
    """Whether anything here is still to be built."""
    return not is_cached(*_VERSITYGW) or not (is_cached(*_PULUMI) or installed_pulumi())


def installed_pulumi() -> Path | None:
    """The directory of a `pulumi` on PATH that can run our programs, if there is one."""
    cli = shutil.which("pulumi")
    if cli is None or shutil.which("pulumi-language-python") is None:
        return None
    answer = subprocess.run([cli, "version"], capture_output=True, text=True, check=False)
    if answer.returncode or not fits(answer.stdout):
        return None
    return Path(cli).resolve().parent


def fits(version: str) -> bool:
    """Whether a Pulumi of this version can stand in for the one that we would build."""
    return parse(version)[:1] == (3,) and at_least(version, PULUMI_VERSION)


def _build_pulumi(entry: Entry) -> None:
    bin_dir = entry.path / "bin"
    bin_dir.mkdir()
    host = MODULES / "pulumi-language-python"
    _go_build(entry, host, LANGUAGE_HOST_PACKAGE, LANGUAGE_HOST_LDFLAGS)
    _go_build(entry, MODULES / "pulumi", PULUMI_PACKAGE, PULUMI_LDFLAGS)
    sdk = _module_directory(MODULES / "pulumi", PULUMI_SDK)
    for script in SDK_SCRIPTS:
        copy = bin_dir / Path(script).name
        shutil.copyfile(sdk / script, copy)
        copy.chmod(0o755)  # the module cache keeps no execute bits


def _build_versitygw(entry: Entry) -> None:
    _go_build(entry, MODULES / "versitygw", VERSITYGW_PACKAGE, VERSITYGW_LDFLAGS)


def _go_build(entry: Entry, module: Path, package: str, ldflags: str) -> None:
    output = entry.path / "bin" / package.rpartition("/")[2]
    entry.run(
        ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", output, package],
        what=f"Building {output.name} with Go",
        cwd=module,
        # No C compiler, and the Go that was checked rather than one fetched for the occasion.
        env={"CGO_ENABLED": "0", "GOTOOLCHAIN": "local"},
    )


def _module_directory(module: Path, path: str) -> Path:
    answer = subprocess.run(
        ["go", "mod", "download", "-json", path],
        cwd=module,
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode:
        raise SetupError(
            f"Go cannot find the source of {path}, which {module}/go.mod pins:"
            f" try `go mod download {path}` there, and run again when it succeeds."
        )
    return Path(json.loads(answer.stdout)["Dir"])
