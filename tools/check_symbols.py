#!/usr/bin/env python3
"""check_symbols.py BUILD: looks with nm at the objects compiled once per instruction set.

They must define no weak symbol: the linker keeps one copy of each, and it could be the one for a
newer processor. What they define must lie in the namespace of their instruction set.
"""

import re
import subprocess
import sys
from pathlib import Path


def faults_of(path, namespace):
    lines = subprocess.run(["nm", "--defined-only", "--extern-only", "--demangle", path],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        kind, name = re.match(r"[0-9a-f]* *(\S) (.*)", line).groups()
        if kind in "WwVvu":
            yield f"{path}: weak symbol {name}"
        elif f"abut::{namespace}::" not in name:
            yield f"{path}: {name} is not in {namespace}"


def main():
    folders = sorted(f for f in Path(sys.argv[1]).glob("src/abut/CMakeFiles/abut_*.dir")
                     if f.stem.split("_")[-1] in ("baseline", "avx2", "avx512"))
    objects = [(o, f.stem.split("_")[-1]) for f in folders for o in f.rglob("*.o")]
    faults = [fault for path, isa in objects for fault in faults_of(path, f"isa_{isa}")]
    print("\n".join(faults))
    if faults or not objects:
        sys.exit(f"{len(faults)} faults in {len(objects)} kernel objects")
    print(f"{len(objects)} kernel objects in {len(folders)} folders")


if __name__ == "__main__":
    main()
