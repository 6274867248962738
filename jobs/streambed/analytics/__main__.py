import sys

from streambed.analytics.cli import main

sys.exit(main())
