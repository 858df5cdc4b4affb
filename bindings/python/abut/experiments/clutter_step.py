"""Clutter: iterations and condition over the time step.

The clutter of `clutter`, 3 s, with steps from 0.1 to 10 ms. SAP's friction is as stiff as 1/R_t, whatever the step; that
of Lagged and Similar as μ γ_n/ε, and the impulse goes with the step.

Heaps of one variant differ by a sixth in their iterations. Where two variants are to have the same, 20 heaps of each are
taken: the ratio of their means is then known to 5 %.
"""

import numpy as np

import abut
from abut.experiments import _clutter as clutter
from abut.experiments._hessian import at_last_step
from abut.reproduce.run import Run

SOURCE = "ICFT X-A, figure 16"

DURATION, EVERY = 3.0, 0.1  # s
SAME = ("lagged", "lagged, regularized")  # in their iterations at the smallest step


def simulate(variant: str, seed: int, h: float) -> tuple[float, float, int]:
    """Mean of the iterations, geometric mean of the condition, steps that do not converge."""
    iterations, conditions, failed = [], [], 0
    every = round(EVERY / h)

    def look(w: abut.World) -> None:
        nonlocal failed
        report = w.report
        assert report
        iterations.append(report.solve.iterations)
        failed += not report.solve.converged
        if w.steps % every == 0:
            conditions.append(at_last_step(w).condition)

    clutter.world(variant, seed, time_step=h).step(round(DURATION / h), callback=look)
    return float(np.mean(iterations)), float(np.exp(np.mean(np.log(conditions)))), failed


def run(run: Run) -> None:
    steps = run.pick([1e-2, 2e-3, 5e-4], [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4])
    seeds = run.pick(2, 3)
    iterations: dict[str, list[float]] = {variant: [] for variant in clutter.VARIANTS}
    condition: dict[str, list[float]] = {variant: [] for variant in clutter.VARIANTS}
    failures = 0

    def heaps(variant: str, h: float) -> int:
        return 20 if variant in SAME and h == steps[-1] else seeds

    cases = [(v, h) for v in clutter.VARIANTS for h in steps]
    for variant, h in run.cases(cases, cost=lambda case: heaps(*case) * (1 + 3e-4 / case[1])):
        found = [simulate(variant, seed, h) for seed in range(1, heaps(variant, h) + 1)]
        iterations[variant].append(float(np.mean([f[0] for f in found])))
        condition[variant].append(float(np.exp(np.mean([np.log(f[1]) for f in found]))))
        failures += sum(f[2] for f in found)
    run.at_most("steps that do not converge", failures, 0, source="ICFT X: all converge")
    sap = np.array(condition["sap"])
    middle = np.exp(np.mean(np.log(sap)))
    run.between("sap: condition over its mean, smallest and largest of all steps (worse of both)",
                max(sap.max() / middle, middle / sap.min()), 1, 2, source="ICFT figure 16: independent of the step")
    for variant in ("lagged", "similar"):
        run.at_most(f"{variant}: condition at the smallest step over that at the largest",
                    condition[variant][-1] / condition[variant][0], 0.1, source="ICFT figure 16: falls with the step")
        run.at_most(f"{variant}: iterations at the smallest step over those at the largest",
                    iterations[variant][-1] / iterations[variant][0], 0.7, source="ICFT figure 16: fall with the step")
    run.at_most("lagged: condition regularized over not, largest step",
                condition["lagged, regularized"][0] / condition["lagged"][0], 0.5,
                source="ICFT figure 16: regularization acts at large steps")
    run.near("lagged: iterations regularized over not, smallest step",
             iterations["lagged, regularized"][-1] / iterations["lagged"][-1], 1, relative=0.15,
             source="ICFT figure 16: the same at small steps; three times 5 %")
    run.table("step", "means over 3 s and the heaps", {"step [s]": steps}
              | {f"{v}: iterations [-]": iterations[v] for v in iterations}
              | {f"{v}: condition [-]": condition[v] for v in condition})
    with run.figure("step", "Mean iterations (left) and condition number (right) over the step.",
                    "figure 16. SAP's condition does not depend on the step, nor much its iterations; those of Lagged and "
                    "Similar fall with it. Regularization matters at large steps.", columns=2) as (left, right):
        for variant in iterations:
            left.semilogx(steps, iterations[variant], marker="o", label=variant)
            right.loglog(steps, condition[variant], marker="o", label=variant)
        left.set_ylabel("iterations [-]")
        right.set_ylabel("condition number [-]")
        for axes in (left, right):
            axes.set_xlabel("time step [s]")
        left.legend()
