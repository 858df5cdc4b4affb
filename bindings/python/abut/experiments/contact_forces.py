"""Contact forces by pivoting: how many pivots and drives, and how long beside one dense solve.

Random problems of n normal forces: contacts of random directions at random points of bodies, A of full rank and of rank about n/2
(bodies of six degrees of freedom each). Baraff expects about n pivots, and two to three times the time of a Gaussian elimination.

Times are of this machine: each one is measured right after the other and told only as the median of their ratios. The dense solve
is numpy's LU, of a regular matrix of the same size, in a process whose BLAS has one thread, as pivoting has.
The time of forces includes their certificate, in extended precision, and such an LU is faster than the paper's elimination: the table of
times has no verdict. `make bench-direct` has the algorithm alone beside Eigen's LU and an elimination as in a textbook.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "BARAFF 7"

RANKS = {"full rank": 1.0, "rank n/2": 0.5}
TIMED = (50, 100, 150)
RESTARTS = "two of 420 problems begin again in another order, where nearly as many contacts bear as A has rank (docs/solvers/baraff.md)"


def random_system(n: int, rank: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A (n, n) [1/kg] and b (n,) [m/s²] of contacts between bodies with rank · n velocities in all."""
    bodies = max(1, round(rank * n / 6) + (rank == 1.0))
    j = np.zeros((n, bodies, 6))
    for row in j:
        a, b = random.integers(bodies, size=2)
        row[b] += random.normal(size=6)
        if a != b:
            row[a] -= random.normal(size=6)
    flat = j.reshape(n, -1)
    return flat @ flat.T, flat @ random.normal(size=flat.shape[1])


def of_contacts(a: np.ndarray, b: np.ndarray) -> abut.ForceProblem:
    problem = abut.ForceProblem(a, b)
    for row in range(len(b)):
        problem.add_contact(row)
    return problem


def duration(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def time_ratio(a: np.ndarray, b: np.ndarray, repeats: int) -> float:
    """Median of times of forces over times of a dense solve, one after the other."""
    problem, regular = of_contacts(a, b), a + np.eye(len(b))
    return float(np.median([duration(problem.solve) / duration(lambda: np.linalg.solve(regular, b)) for _ in range(repeats)]))


def print_time_ratio(n: int, rank: float, problems: int, repeats: int) -> None:
    """Of the median problem."""
    random = np.random.default_rng(n)
    print(json.dumps(float(np.median([time_ratio(*random_system(n, rank, random), repeats) for _ in range(problems)]))))


def single_threaded_ratio(n: int, rank: float, problems: int, repeats: int) -> float:
    """The same in a process of its own: threads of BLAS are settled when numpy is imported."""
    code = f"import runpy; runpy.run_path({__file__!r})['print_time_ratio']({n}, {rank}, {problems}, {repeats})"
    one = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    answer = subprocess.run([sys.executable, "-c", code], env=os.environ | one, capture_output=True, text=True, check=True)
    return float(json.loads(answer.stdout))


def run(run: Run) -> None:
    sizes = run.pick([20, 50, 100], list(range(20, 151, 10)))
    samples = run.pick(5, 30)
    columns: dict[str, list] = {"A": [], "n": [], "pivots, mean": [], "pivots, most": [], "drives, most": [], "error, most [-]": []}
    for kind, n in run.cases([(kind, n) for kind in RANKS for n in sizes], until=0.7):
        random = np.random.default_rng(n)
        solutions = [of_contacts(*random_system(n, RANKS[kind], random)).solve() for _ in range(samples)]
        pivots = [s.pivots for s in solutions]
        for column, value in zip(columns.values(), (
                kind, n, float(np.mean(pivots)), max(pivots), max(s.drives for s in solutions),
                max(s.certificate.error for s in solutions)), strict=True):
            column.append(value)
    size, ranks = np.array(columns["n"]), np.array(columns["A"])
    for kind in RANKS:
        rows = ranks == kind
        restarts = "" if run.quick or kind == "full rank" else RESTARTS
        run.at_most(f"{kind}: pivots over n, most", np.max(np.array(columns["pivots, most"])[rows] / size[rows]), 4, known=restarts,
                    source="BARAFF 7: about n")
        run.at_most(f"{kind}: drives over n, most", np.max(np.array(columns["drives, most"])[rows] / size[rows]), 1, known=restarts,
                    source="BARAFF 4: a row is driven once")
        run.at_most(f"{kind}: pivots over n, mean", np.max(np.array(columns["pivots, mean"])[rows] / size[rows]), 2,
                    source="BARAFF 7: about n")
    run.at_most("error of the conditions, most", max(columns["error, most [-]"]), 1e-9, source="BARAFF 15, recomputed")
    run.table("pivots", "pivots and drives of random problems", columns)
    ratios: dict[str, list] = {"A": [], "n": [], "time over a dense solve [-]": []}
    for kind, n in run.cases([(kind, n) for kind in RANKS for n in TIMED]):
        ratio = single_threaded_ratio(n, RANKS[kind], run.pick(3, 10), run.pick(15, 60))
        for column, value in zip(ratios.values(), (kind, n, ratio), strict=True):
            column.append(value)
    run.table("times", "time of forces over that of one dense solve", ratios)
    with run.figure("pivots", "Pivots over the number of contacts: the mean of random problems.", "BARAFF 7: about O(n).") as axes:
        for kind in RANKS:
            rows = ranks == kind
            axes.plot(size[rows], np.array(columns["pivots, mean"])[rows], marker="o", label=kind)
        axes.set_xlabel("contacts n")
        axes.set_ylabel("pivots")
        axes.legend()
