"""python -m streambed.ingest {run,check,record,simulate,bench}"""

import sys

from streambed.ingest.cli import main

if __name__ == "__main__":
    sys.exit(main())
