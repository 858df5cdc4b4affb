#!/usr/bin/env python3
"""check_layers.py [--jobs N]: each folder of src/abut includes only itself and folders before it in
LAYERS; the core includes nothing but the standard library; each header compiles alone; no two headers
define a type of the same name.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LAYERS = ["core", "linalg", "laws", "constraints", "problem", "solvers",
          "geometry", "trees", "sim", "control", "io", "view"]
CORE = LAYERS[:6]  # of the library abut_core
ALLOWED = {  # file: what it may include besides
    "core/isa.cpp": {"cpuid.h"},
    "linalg/eigen_map.hpp": {"Eigen/Core"},
    "linalg/simd.hpp": {"immintrin.h"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
TYPE = re.compile(r"^(?:(?:struct|class|union|enum(?: class)?) (?:alignas\(\w+\) )?(\w+)\b(?!::)[^;{]*\{|using (\w+) =)",
                  re.MULTILINE)  # not indented: not inside another type
SOURCES = Path("src/abut")


def faults_of(path):
    """Yields what is wrong with the includes of one file."""
    inside = path.relative_to(SOURCES)
    layer = inside.parts[0]
    if layer not in LAYERS:
        yield f"{path}: folder {layer} is not in the list of layers"
        return
    for bracket, name in INCLUDE.findall(path.read_text()):
        if name.startswith("abut/"):
            other = name.split("/")[1]
            if other not in LAYERS or LAYERS.index(other) > LAYERS.index(layer):
                yield f"{path}: {layer} must not include {name}"
        elif bracket == '"':
            yield f'{path}: include "{name}" by its path from src'
        elif layer in CORE and not is_standard(name) and name not in ALLOWED.get(str(inside), ()):
            yield f"{path}: the core must not include <{name}>"


def is_standard(name):
    return re.fullmatch(r"[a-z_0-9]+", name) is not None


def types_defined_twice(headers):
    """Yields the types of two headers that share a name: one program cannot have both."""
    homes = {}
    for header in headers:
        for name in {a or b for a, b in TYPE.findall(header.read_text())}:
            homes.setdefault(name, []).append(str(header))
    for name, places in sorted(homes.items()):
        if len(places) > 1:
            yield f"type {name} is defined in " + " and in ".join(places)


def compile_alone(header, folder):
    """Compiles a file that includes `header` twice and nothing else; returns the errors."""
    source = Path(folder) / (header.as_posix().replace("/", "_") + ".cpp")
    line = f'#include "{header.relative_to(SOURCES.parent)}"\n'
    source.write_text(line + line)
    mujoco = next(Path(".venv").glob("lib/python3*/site-packages/mujoco/include"), "")
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
               "-DABUT_ISA=isa_baseline", "-Isrc", f"-I{mujoco}", "-I/usr/include/eigen3", source]
    return subprocess.run(command, capture_output=True, text=True).stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    jobs = parser.parse_args().jobs
    files = sorted(p for p in SOURCES.rglob("*") if p.suffix in (".hpp", ".cpp"))
    headers = [p for p in files if p.suffix == ".hpp"]
    faults = [fault for path in files for fault in faults_of(path)]
    faults += types_defined_twice(headers)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        # those with Pinocchio take its definitions, and half a minute; they are of its sources alone
        headers = [p for p in headers if "<pinocchio/" not in p.read_text()]
        errors = pool.map(lambda header: compile_alone(header, folder), headers)
        faults += [f"{h} does not compile alone:\n{e}" for h, e in zip(headers, errors) if e]
    print("\n".join(faults))
    if faults:
        sys.exit(f"{len(faults)} faults")
    print(f"{len(files)} files, {len(headers)} headers compiled alone")


if __name__ == "__main__":
    main()
