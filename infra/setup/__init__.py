"""Everything a deploy needs on the control machine before it can provision anything."""

import sys

# Here rather than with the other checks, because an older Python could not even import those.
if sys.version_info < (3, 11):  # noqa: UP036
    print(
        f"Streambed needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}:"
        " put a newer python3 first on PATH.",
        file=sys.stderr,
    )
    sys.exit(2)
