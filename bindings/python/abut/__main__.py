"""python -m abut: the command `abut`."""

from abut._command import main

main()
