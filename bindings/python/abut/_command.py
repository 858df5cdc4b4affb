"""The command `abut` of an installed package: the same program, which lies beside this file."""

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).parent / "bin" / "abut"


def main() -> NoReturn:
    if not PROGRAM.exists():
        sys.exit(f"abut: {PROGRAM} is missing: this build of the package has no command line")
    os.environ.setdefault("ABUT_PYTHON", sys.executable)  # for `abut reproduce`
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


if __name__ == "__main__":
    main()
