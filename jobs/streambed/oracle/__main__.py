"""python -m streambed.oracle --bootstrap … --bucket … [--endpoint …] [--job …] [--since …]"""

import sys

from streambed.oracle.cli import main

if __name__ == "__main__":
    sys.exit(main())
