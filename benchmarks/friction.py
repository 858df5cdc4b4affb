#!/usr/bin/env python3
"""Solves friction problems beside Siconos and Pinocchio: `make bench-friction [PROBLEMS=FOLDER]`, those of scenes
(make_friction_problems.py) and a folder of .npz and .hdf5 files.

Least times inside the solvers of interleaved rounds, one thread; all answers are judged by our certificate. Peers
measure their errors in other units, so each of their solvers runs at the loosest tolerance of its own, to a factor of
sqrt(10), at which its answer passes; Siconos with W stored as it is fastest. One that passes at none has no time.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys

import cases

OURS = ("interior-point", "gauss-seidel", "admm", "staggered", "semismooth-newton")
SICONOS, PINOCCHIO = ("nsgs", "nsn_ac"), ("anderson", "pgs")
# how each is called before its tolerance, in the order in which they are tried
CALLS = {name: [("siconos_friction", name, storage) for storage in ("blocks", "dense", "sparse")] for name in SICONOS}
CALLS |= {name: [("pinocchio_friction", name)] for name in PINOCCHIO}
LIMITS = {"nsgs": 10000, "nsn_ac": 1000, "anderson": 10000, "pgs": 10000}  # of iterations, as in those programs
TITLES = {"interior-point": "abut", "gauss-seidel": "sweeps", "admm": "ADMM", "staggered": "staggered", "semismooth-newton": "Newton",
          "nsgs": "NSGS", "nsn_ac": "NSN_AC", "anderson": "Pin. ADMM", "pgs": "Pin. PGS"}
TOLERANCES = (1e-8, 1e-4)
PATIENCE = 10  # seconds that a run may take
COLUMNS = [("problem", "problem", "<46"), ("contacts", "contacts", ">8"), ("tolerance", "tol", ">5")]
COLUMNS += [(f"{solver}_us", f"{title} us", ">12") for solver, title in TITLES.items()]
COLUMNS += [("ratio", "Siconos / abut", ">14"), ("pinocchio_ratio", "Pinocchio / abut", ">16")]


def run(call, problem, tolerance, *options):
    """What a program prints about a problem, or None if it fails or takes too long."""
    program, *arguments = call
    try:
        done = subprocess.run([str(cases.BUILD / "benchmarks" / program), str(problem), *arguments, f"{tolerance:.1e}",
                               *options], text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                              timeout=PATIENCE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except subprocess.SubprocessError:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def passes(result, tolerance):
    return result is not None and result["error"] <= tolerance  # false for NaN


def find_own_tolerance(call, limit, problem, tolerance):
    """The loosest by which a peer passes, or None."""
    for power in range(5, -7, -1):
        own = tolerance * 10.0 ** power
        if own >= 1:
            continue
        found = run(call, problem, own, "once")
        if passes(found, tolerance):
            looser = own * math.sqrt(10)
            return looser if passes(run(call, problem, looser, "once"), tolerance) else own
        if found is None or found["iterations"] >= limit:
            return None  # a tighter one would be the same
    return None


def find_call(solver, problem, tolerance):
    """A peer's fastest call of those that pass, with its own tolerance, or None."""
    own, times = None, {}
    for call in CALLS[solver]:
        if own is None:  # it hardly depends on how W is stored
            own = find_own_tolerance(call, LIMITS[solver], problem, tolerance)
        result = run(call, problem, own) if own else None
        if passes(result, tolerance):
            times[call, own] = result["us"]
    return min(times, key=times.get, default=None)


def solve(problem, tolerance, rounds):
    """Each solver's results of all rounds, and the peers' calls."""
    theirs = {solver: find_call(solver, problem, tolerance) for solver in CALLS}
    calls = {solver: (("friction_bench", solver), tolerance) for solver in OURS}
    calls |= {solver: found for solver, found in theirs.items() if found}
    results = {solver: [] for solver in TITLES}
    for _ in range(rounds):
        for solver, (call, own) in calls.items():
            if results[solver] and not passes(results[solver][0], tolerance):
                continue  # it takes long, and will not do better
            results[solver].append(run(call, problem, own))
    return results, theirs


def compare(problem, tolerance, rounds):
    results, theirs = solve(problem, tolerance, rounds)
    row = {"problem": problem.stem, "contacts": results[OURS[0]][0]["contacts"], "tolerance": f"{tolerance:.0e}"}
    times = dict.fromkeys(TITLES, math.inf)
    for solver, all_of_it in results.items():
        good = [r for r in all_of_it if passes(r, tolerance)]
        best = min(good, key=lambda r: r["us"], default=None)
        if best:
            times[solver] = best["us"]
        row |= {f"{solver}_us": f"{best['us']:.1f}" if best else "fails",
                f"{solver}_iterations": best["iterations"] if best else "",
                f"{solver}_error": f"{best['error']:.0e}" if best else ""}
        if solver in CALLS:
            call, own = theirs[solver] or ((), None)
            row |= {f"{solver}_tolerance": f"{own:.1e}" if own else ""}
            if solver in SICONOS:
                row |= {f"{solver}_storage": call[2] if call else ""}
    mine, peer = times[OURS[0]], min(times[solver] for solver in SICONOS)
    best = min(times[solver] for solver in OURS)
    pinocchio = min(times[solver] for solver in PINOCCHIO)
    for name, time in (("ratio", peer), ("pinocchio_ratio", pinocchio)):
        row[name] = f"{time / mine:.2f}" if max(time, mine) < math.inf else ""
    row |= {"by_default": mine <= peer and mine < math.inf, "by_best": best <= peer and best < math.inf}
    return row


def versions():
    siconos = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "libsiconos-numerics-dev"], text=True,
                             stdout=subprocess.PIPE, check=False).stdout
    pinocchio = subprocess.run([sys.executable, "-m", "pip", "show", "libpinocchio"], text=True,
                               stdout=subprocess.PIPE, check=False).stdout
    return {"siconos_version": siconos or "unknown",
            "pinocchio_version": next((line.split()[1] for line in pinocchio.splitlines()
                                       if line.startswith("Version:")), "unknown")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    problems = []
    for folder in arguments.folders:
        found = sorted(p for p in folder.glob("*") if p.suffix in (".npz", ".hdf5"))
        if not found:
            sys.exit(f"no .npz or .hdf5 files in {folder}")
        problems += found
    rows = cases.print_table(COLUMNS, (compare(problem, tolerance, arguments.rounds)
                                       for tolerance, problem in itertools.product(TOLERANCES, problems)))
    for tolerance in reversed(TOLERANCES):
        of_it = [row for row in rows if row["tolerance"] == f"{tolerance:.0e}"]
        print(f"at {tolerance:.0e} abut is at least as fast as the best of NSGS and NSN_AC on "
              f"{sum(row['by_default'] for row in of_it)} of {len(of_it)} problems by its default, on "
              f"{sum(row['by_best'] for row in of_it)} by the best of its solvers")
    known = versions()
    for row in rows:
        del row["by_default"], row["by_best"]
        row |= known
    cases.write_results("friction", rows)


main()
