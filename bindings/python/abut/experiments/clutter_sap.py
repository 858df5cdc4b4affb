"""Clutter with SAP: iterations over time.

40 bodies of the clutter, 10 s, near-rigid (k = 10¹² N/m), τ_d = h, σ = 10⁻³, μ = 1, tolerance 10⁻⁶. The text has lost
the step; 10 ms fits its step 520, which is "past the initial energetic transient". It prints 21 iterations for step 60 and
5 for step 520.

The papers' Newton method (`newton-paper`) is beside abut's default; conic solvers are in `conic`. The history of a step is of
its problem solved from v₀ to ever smaller tolerances, which only stop the same iterations later.
"""

import numpy as np

import abut
from abut.experiments._clutter import clutter
from abut.reproduce.run import Run

SOURCE = "SAP VI-C, figures 8 to 10"

STEP, STEPS, TOLERANCE = 1e-2, 1000, 1e-6


def world(solver: str, seed: int) -> abut.World:
    return abut.World(clutter(4, 10, seed=seed), model="sap", time_step=STEP, stiffness=1e12, relaxation_time=STEP,
                      friction=1.0, tolerance=TOLERANCE, solver=solver)


def history(problem: abut.ContactProblem) -> np.ndarray:
    """Iterations of a step, and the momentum error that they leave."""
    rows: dict[int, float] = {}
    for tolerance in 10.0 ** -np.arange(0.25, 11.1, 0.25):
        report = abut.solve(problem, "newton-paper", tolerance=tolerance).report
        if report.converged:
            rows.setdefault(report.iterations, report.certificate.momentum_error)
    return np.array(sorted(rows.items()))


def run(run: Run) -> None:
    seeds = run.pick(4, 16)
    found: dict[str, np.ndarray] = {}
    worst, failed = 0.0, 0
    steps: dict[int, abut.ContactProblem] = {}
    for solver in ("newton-paper", "newton"):
        rows = []
        for seed in run.cases(range(1, seeds + 1), until=0.5 if solver == "newton-paper" else 1.0):
            iterations = []

            def look(w: abut.World) -> None:
                nonlocal worst, failed
                report = w.report
                assert report
                iterations.append(report.solve.iterations)
                worst = max(worst, report.certificate.momentum_error)
                failed += not report.solve.converged
                if seed == 1 and w.steps in (60, 520):
                    steps.setdefault(w.steps, w.problem)

            world(solver, seed).step(STEPS, callback=look)
            rows.append(iterations)
        found[solver] = np.mean(rows, axis=0)
    for solver, iterations in found.items():
        late = float(np.mean(iterations[STEPS // 2 :]))
        run.at_least(f"{solver}: mean iterations of the first second over those of the last five",
                     np.mean(iterations[:100]) / late, 3, source="SAP figure 9: many in the transient, few later")
    run.at_most("newton: mean iterations of the last five seconds", float(np.mean(found["newton"][STEPS // 2 :])), 2,
                source="SAP VI-C: only about [number lost]; the bar is ours")
    run.between("newton-paper: iterations at step 60, mean of 11 steps about it", np.mean(found["newton-paper"][54:65]), 10, 42,
                source="SAP figure 10: 21; within a factor of two, as heaps differ")
    run.at_most("newton-paper: iterations at step 520, mean of 101 steps about it", np.mean(found["newton-paper"][469:570]), 5,
                source="SAP figure 10: 5")
    run.at_most("largest momentum error e_m of a step", worst, TOLERANCE, source="SAP 26, 32: below the tolerance")
    run.at_most("steps that do not converge", failed, 0, source="SAP VI-C")
    time = STEP * np.arange(1, STEPS + 1)
    run.table("iterations", "iterations over time, mean of the heaps", {"time [s]": time} | {s: i for s, i in found.items()})
    with run.figure("iterations", f"Iterations, mean of {seeds} heaps.",
                    "figure 9. Many iterations in the energetic transient, then few, as warm starts take effect.") as axes:
        for solver, iterations in found.items():
            axes.plot(time, iterations, label=solver, linewidth=0.8, linestyle="-")
        axes.set_xlabel("time [s]")
        axes.set_ylabel("iterations of the hardest island [-]")
        axes.set_yscale("symlog", linthresh=1)
        axes.legend()
    with run.figure("history", "Momentum error of steps 60 and 520 of one heap over iterations.",
                    "figure 10, of the cost above its optimum. Step 60: 21 iterations, quadratic at their end. Step 520: 5, "
                    "linear.") as axes:
        for step, problem in steps.items():
            iterations, error = history(problem).T
            axes.semilogy(iterations, error, marker="o", label=f"step {step}")
            if step == 60:
                run.at_least("step 60: decades that its last two iterations gain", np.log10(error[-3] / error[-1]), 4,
                             source="SAP figure 10: quadratic convergence at the end")
        axes.set_xlabel("iterations [-]")
        axes.set_ylabel("momentum error [-]")
        axes.legend()
    run.replay("replay", "one heap", world("newton", 1), 400)
