"""Everything a deploy needs on the control machine before it can provision anything."""

import sys

# Here rather than with the other checks, because an older Python could not even import those.
if sys.version_info < (3, 11):  # noqa: UP036
    print(
        "Streambed needs Python 3.11 or newer, and %s is %s: put a newer python3 first on PATH."
        % (sys.executable, sys.version.split()[0]),  # noqa: UP031
        file=sys.stderr,
    )
    sys.exit(2)
