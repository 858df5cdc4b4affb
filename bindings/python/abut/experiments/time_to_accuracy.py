"""Time to accuracy: what each solver of rigid contact takes on the steps of robots, from nothing and from the step before.

Solo-12 and Talos stand and are pushed by the base for 0.1 s, a ball of 50 g falls into an Allegro hand; steps of 1 ms under the
NCP. The friction problems of these steps are solved again by every solver at tolerances from 10⁻¹ to 10⁻⁹, from nothing (cold)
and from the same solver's answer to the problem before (warm) where that has as many contacts. Errors are the certificate's
natural ones, times the least of three runs, iterations those that a solver counts: sweeps, steps of Newton's method, rounds.

The second-order method of the papers solves the CCP; it is here beside ADMM and sweeps for the same model.

A warm start may be worse than none: where sweeps hardly go on, their answers differ from what a solve from nothing takes for one.
"""

from dataclasses import dataclass

import numpy as np

import abut
from abut.experiments import _robots
from abut.reproduce.run import Run

SOURCE = "CB figures 16 and 17"

SOLVERS = tuple(("ncp", s) for s in abut.solver_names("ncp")) + tuple(
    ("ccp", s) for s in ("projected-gauss-seidel", "admm", "newton-ccp", "conic-interior-point"))
MILD, FINE, FINEST = 1e-3, 1e-6, 1e-9


@dataclass
class Solves:
    """Of all problems by one solver at one tolerance; arrays by problem."""

    solved: np.ndarray
    error: np.ndarray
    iterations: np.ndarray
    seconds: np.ndarray
    velocity: list[np.ndarray]  # sigma [m/s]

    def median(self, what: str) -> float:
        return float(np.median(getattr(self, what)))


def solve(problems: list[abut.FrictionProblem], model: str, solver: str, tolerance: float, warm: bool) -> Solves:
    rows, velocities = [], []
    before: np.ndarray | None = None
    for p in problems:
        guess = before if warm and before is not None and len(before) == p.rows else None
        answers = [p.solve(solver, model=model, tolerance=tolerance, guess=guess) for _ in range(3)]
        a = answers[0]
        before = a.impulse
        rows.append((a.status == "converged", max(a.certificate.natural_error, 1e-16), a.iterations, min(x.seconds for x in answers)))
        velocities.append(p.velocity.ravel() + p.delassus @ a.impulse.ravel())
    solved, error, iterations, seconds = (np.array(column) for column in zip(*rows))
    return Solves(solved, error, iterations, seconds, velocities)


def apart(a: Solves, b: Solves) -> float:
    """Largest difference of the velocities of what both solved [m/s]."""
    return max(float(np.max(np.abs(u - v))) for u, v, both in zip(a.velocity, b.velocity, a.solved & b.solved) if both)


# Where a warm start takes more iterations than none, and why.
WORSE = {("talos", "ncp", "semismooth-newton"):
         "Its proximal term begins small around a guess: Newton's method is stuck more often there than around no impulses, from where "
         "the term falls step by step."}


def run(run: Run) -> None:
    tolerances = sorted({MILD, FINE, FINEST, *run.pick((1e-1,), (1e-1, 1e-2, 1e-4, 1e-5, 1e-7, 1e-8))}, reverse=True)
    columns: dict[str, list] = {name: [] for name in (
        "robot", "model", "solver", "start", "tolerance [-]", "solved [%]", "natural error [-]", "iterations", "time [us]")}
    for robot in run.cases(_robots.ROBOTS):
        problems = [abut.FrictionProblem.of(p) for p in _robots.disturbed(robot, 300)]
        results = {(model, solver, t, warm): solve(problems, model, solver, t, warm)
                   for model, solver in SOLVERS for t in tolerances for warm in (False, True)}
        check(run, robot, results)
        for (model, solver, t, warm), r in results.items():
            row = (robot, model, solver, "warm" if warm else "cold", t, 100 * float(np.mean(r.solved)), r.median("error"),
                   r.median("iterations"), 1e6 * r.median("seconds"))
            for column, value in zip(columns.values(), row):
                column.append(value)
        draw(run, robot, results, tolerances)
    run.table("solves", "medians over the problems", columns)


def check(run: Run, robot: str, results: dict[tuple[str, str, float, bool], Solves]) -> None:
    run.near(f"{robot}, interior-point: share of problems solved to 1e-9", np.mean(results["ncp", "interior-point", FINEST, False].solved), 1,
             absolute=0, source="the default solves all")
    for solver in ("admm", "staggered"):
        run.at_least(f"{robot}, {solver}: share of problems solved to 1e-9", np.mean(results["ncp", solver, FINEST, False].solved), 0.95,
                     source="CB: high accuracy")
    run.at_most(f"{robot}, admm: natural error at 1e-9, of the worst problem", np.max(results["ncp", "admm", FINEST, False].error), 1e-8,
                source="CB: high accuracy")
    for model, solver in SOLVERS:
        cold, warm = (results[model, solver, FINE, w] for w in (False, True))
        run.at_most(f"{robot}, {model}, {solver}: warm over cold, median of the iterations at 1e-6",
                    (1 + warm.median("iterations")) / (1 + cold.median("iterations")), 1, source="CB figure 17: a warm start helps",
                    known=WORSE.get((robot, model, solver), ""))
        run.at_most(f"{robot}, {model}, {solver}: velocities, warm less cold, at 1e-9",
                    apart(*(results[model, solver, FINEST, w] for w in (False, True))), 1e-8, unit="m/s", source="the same answer")
    if robot == "talos":
        for solver in ("gauss-seidel", "projected-gauss-seidel"):
            run.at_most(f"{robot}, {solver}: share of problems solved to 1e-9",
                        np.mean(results["ncp", solver, FINEST, False].solved), 0.99, source="CB figure 16: PGS saturates on Talos")
    if robot == "solo12":
        times = {key: results[(*key, MILD, False)].median("seconds") for key in SOLVERS}
        run.at_least(f"{robot}: time of ADMM over that of projected sweeps, NCP, cold, at 1e-3",
                     times["ncp", "admm"] / times["ncp", "projected-gauss-seidel"], 1, source="CB figure 17: cheap sweeps first")
        run.at_least(f"{robot}: time of Newton's method over that of ADMM, CCP, cold, at 1e-3",
                     times["ccp", "newton-ccp"] / times["ccp", "admm"], 1, source="CB figure 17: second order last")


def draw(run: Run, robot: str, results: dict[tuple[str, str, float, bool], Solves], tolerances: list[float]) -> None:
    paper = ("CB figures 16 and 17: sweeps are fast to mild accuracy and saturate, above all on Talos; ADMM and second-order methods get "
             "further; a warm start brings them closer.")
    with run.figure(robot, f"{robot}: medians of error over iterations (left), and over time (right; dotted: warm).", paper, columns=2
                    ) as (left, right):
        for model, solver in SOLVERS:
            if model == "ccp" and solver != "newton-ccp":
                continue
            cold, warm = ([results[model, solver, t, w] for t in tolerances] for w in (False, True))
            line = left.semilogy([r.median("iterations") for r in cold], [r.median("error") for r in cold], marker="o", markersize=3,
                               label=solver)[0]
            for runs, style in ((cold, "-"), (warm, ":")):
                right.loglog([1e6 * r.median("seconds") for r in runs], [r.median("error") for r in runs], color=line.get_color(),
                             linestyle=style)
        left.set_xlabel("iterations")
        right.set_xlabel("time [µs]")
        left.set_ylabel("natural error")
        left.legend(fontsize=7)
