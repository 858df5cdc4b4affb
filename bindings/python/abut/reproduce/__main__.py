"""python -m abut.reproduce: the command `abut reproduce`."""

import sys

from abut.reproduce.command import main

sys.exit(main())
