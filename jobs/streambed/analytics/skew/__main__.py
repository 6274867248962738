"""python -m streambed.analytics.skew {--topic NAME --bootstrap HOST:PORT,… | --file RECORDING}"""

import sys

from streambed.analytics.skew.cli import main

if __name__ == "__main__":
    sys.exit(main())
