#!/usr/bin/env python3
"""Puts one error at a time into a copy of the sources and sees whether the core's tests notice.

    tools/mutate.py [--jobs N] [--only TEXT] [--skip N] [--list] [--certificate]

The errors are those of tools/mutants.py; all of them must still fit their sources. Builds in
build/mutants; the working tree is only read. --certificate: which of the errors in preparation,
laws and solvers raise the certificate of an answer, and no other test is run; errors that leave all
answers as they are cannot. Exit status: 0 if at least 95 % of the mutants are killed, else 1.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

from mutants import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
TESTS = ["core_test", "contact_physics_test"]
TARGET = 0.95
CERTIFICATE = ["--gtest_filter=CertificateSees.NothingWhereThereIsNothing"]
PATIENCE = 8  # a mutant that takes so many times as long as the healthy tests hangs


def copy_sources():
    """Mirrors what git tracks, and new files, into WORK/tree; keeps time stamps for the build."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    tree = WORK / "tree"
    wanted = {n for n in names if n and (ROOT / n).is_file()}
    if tree.exists():
        for old in [p for p in tree.rglob("*") if p.is_file()]:
            if str(old.relative_to(tree)) not in wanted:
                old.unlink()
    for name in wanted:
        source, copy = ROOT / name, tree / name
        if copy.exists() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)
        os.utime(copy)
    return tree


def configure(tree):
    command = ["cmake", "-S", tree, "-B", WORK / "out", "-G", "Ninja", "-DABUT_CORE_ONLY=ON",
               "-DCMAKE_BUILD_TYPE=Debug", "-DABUT_BASELINE_ONLY=ON", f"-DABUT_VENV={ROOT / '.venv'}",
               "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -DNDEBUG"]  # compiling takes most of the time
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(jobs, tests):
    """The compiler's output if it fails, else None."""
    done = subprocess.run(["cmake", "--build", WORK / "out", "-j", str(jobs), "--target", *tests],
                          capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-3000:] + done.stderr


def run_tests(limit, tests, options):
    """The name of the first test that fails, crashes or hangs, else None."""
    for test in tests:
        try:
            done = subprocess.run([WORK / "out" / "tests" / test, "--gtest_fail_fast", *options],
                                  capture_output=True, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired:
            return f"{test} (hangs)"
        if done.returncode == 0:
            continue
        failed = [line for line in done.stdout.splitlines() if line.startswith("[  FAILED  ]")]
        started = [line for line in done.stdout.splitlines() if line.startswith("[ RUN")]
        last = failed[0] if failed else started[-1] if started else "] nothing"
        return last.split("] ")[1].split(",")[0].split(" (")[0].strip()
    return None


def misfits():
    """What each mutant that no longer fits its source is looking for."""
    counts = [((ROOT / file).read_text().count(text), file, text) for file, text, _, _ in MUTANTS]
    return [f"{file} holds {count} times, must hold once: {text!r}"
            for count, file, text in counts if count != 1]


def mutated(tree, file, text, replacement):
    original = (tree / file).read_text()
    return original, original.replace(text, replacement)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="mutants whose file or note contains this")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--certificate", action="store_true",
                        help="let the certificate alone see them")
    args = parser.parse_args()
    tests, options = (TESTS[:1], CERTIFICATE) if args.certificate else (TESTS, [])
    if found := misfits():
        sys.exit("\n".join(f"mutate.py: {line}" for line in found))
    chosen = [m for m in MUTANTS if args.only in m[0] or args.only in m[3]]
    if args.certificate:
        chosen = [m for m in chosen if not m[0].startswith("src/abut/problem/certify")]
    chosen = chosen[args.skip:]
    if args.list:
        for file, _, _, note in chosen:
            print(f"{file}: {note}")
        return 0
    tree = copy_sources()
    configure(tree)
    if (errors := build(args.jobs, tests)) is not None:
        sys.exit(f"mutate.py: the sources do not build\n{errors}")
    start = time.monotonic()
    if (failing := run_tests(600, tests, options)) is not None:
        sys.exit(f"mutate.py: {failing} fails without any mutant")
    limit = PATIENCE * (time.monotonic() - start) + 10

    survivors = []
    for number, (file, text, replacement, note) in enumerate(chosen, 1):
        original, changed = mutated(tree, file, text, replacement)
        try:
            (tree / file).write_text(changed)
            killer = None
            for test in tests:  # most are killed by the first
                if (errors := build(args.jobs, [test])) is not None:
                    sys.exit(f"mutate.py: {file}, {note}: does not compile\n{errors}")
                if (killer := run_tests(limit, [test], options)) is not None:
                    break
        finally:
            (tree / file).write_text(original)
        verdict = f"killed by {killer}" if killer else "SURVIVED"
        print(f"{number:3}/{len(chosen)}  {file}: {note}: {verdict}", flush=True)
        if killer is None:
            survivors.append((file, note))
    killed = len(chosen) - len(survivors)
    print(f"{killed} of {len(chosen)} mutants killed ({100 * killed / max(1, len(chosen)):.1f} %)")
    for file, note in survivors:
        print(f"  survived: {file}: {note}")
    return 0 if killed >= TARGET * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
