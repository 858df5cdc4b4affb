"""Clutter: iterations, condition and slip over time.

40 bodies, spheres of 10 cm and boxes of 10 cm, fall in four columns into a box of 80 cm. k = 10⁷ N/m, d = 10 s/m,
τ_d = 10⁻⁴ s, v_s = 10⁻⁴ m/s, σ = 10⁻³, μ = 1, steps of 2 ms, 3 s, tolerance 10⁻⁵; the papers' Newton method
(`newton-paper`). How the columns begin is not printed: here they fall by up to 1.3 m and most impacts are over after 1 s, in
the paper after 2 s. Iterations are means of several heaps, of each step's hardest island; the condition number is that of the
Hessian A + Jᵀ G J at the solution, built from the problem's file.

The paper's Lagged takes the normal impulse of its friction from the state at the step's start, and its slip tolerance is
v_s; regularized it is max(v_s, σ w μ γ_n0), as abut's is always. abut's default rule iterates until friction has the normal
impulse that comes out of the step, which the paper's does not.
"""

import numpy as np

import abut
from abut.experiments._clutter import VARIANTS, world
from abut.experiments._hessian import at_last_step
from abut.reproduce.run import Run

SOURCE = "ICFT X-A, figures 13 to 15"

STEP, STEPS, EVERY = 2e-3, 1500, 25


def simulate(variant: str, seed: int, conditions: bool) -> dict[str, np.ndarray]:
    rows, samples = [], []

    def look(w: abut.World) -> None:
        report = w.report
        assert report
        rows.append((report.solve.iterations, report.solve.converged, report.contacts))
        if conditions and w.steps % EVERY == 0:
            at = at_last_step(w)
            closed = np.linalg.norm(at.impulse, axis=1) > 0
            samples.append((at.condition, np.mean(at.slip_tolerance[closed]) if np.any(closed) else 0.0))

    world(variant, seed).step(STEPS, callback=look)
    iterations, converged, contacts = np.array(rows, float).T
    condition, tolerance = np.array(samples).T if samples else (np.zeros(0), np.zeros(0))
    return {"iterations": iterations, "converged": converged, "contacts": contacts, "condition": condition,
            "tolerance": tolerance}


def smooth(values: np.ndarray, width: int = 25) -> np.ndarray:
    return np.convolve(values, np.ones(width) / width, mode="same")


def run(run: Run) -> None:
    seeds, measured = run.pick(12, 48), run.pick(2, 4)  # of the measured ones the condition too
    heaps = {}
    cases = [(v, seed) for v in VARIANTS for seed in range(1, seeds + 1)]
    found: dict[str, list[dict[str, np.ndarray]]] = {variant: [] for variant in VARIANTS}
    for variant, seed in run.cases(cases, cost=lambda case: 10.0 if case[1] <= measured else 1.0):
        found[variant].append(simulate(variant, seed, seed <= measured))
    for variant, runs in found.items():
        heaps[variant] = {
            "iterations": np.mean([r["iterations"] for r in runs], axis=0),
            "heaps": np.array([r["iterations"] for r in runs]),
            "condition": np.exp(np.mean([np.log(r["condition"]) for r in runs if len(r["condition"])], axis=0)),
            "tolerance": np.mean([r["tolerance"] for r in runs if len(r["tolerance"])], axis=0)}
        failed = sum(int(np.sum(r["converged"] == 0)) for r in runs)
        run.at_most(f"{variant}: steps that do not converge, of {STEPS * seeds}", failed, 0, source="ICFT X: all converge")
    check(run, heaps)
    draw(run, heaps)
    run.replay("replay", "SAP", world("sap"), STEPS)


def check(run: Run, heaps: dict[str, dict[str, np.ndarray]]) -> None:
    early, late = slice(0, round(1 / STEP)), slice(round(2 / STEP), None)

    def ratio(variant: str, other: str, part: slice) -> tuple[float, float]:
        """Of the mean iterations of two, and twice its standard error over the heaps."""
        means = [np.mean(heaps[v]["heaps"][:, part], axis=1) for v in (variant, other)]
        spread = np.sqrt(sum(np.var(m, ddof=1) / len(m) / np.mean(m) ** 2 for m in means))
        value = float(np.mean(means[0]) / np.mean(means[1]))
        return value, float(2 * value * spread)

    def condition(variant: str, start: float, end: float) -> float:
        values = heaps[variant]["condition"]
        time = STEP * EVERY * np.arange(1, len(values) + 1)
        return float(np.exp(np.mean(np.log(values[(time > start) & (time <= end)]))))

    for variant in ("lagged", "similar"):
        run.at_least(f"{variant}: condition over SAP's, first second", condition(variant, 0.2, 1) / condition("sap", 0.2, 1), 1,
                     source="ICFT figure 14: higher in the transient")
        run.at_most(f"{variant}: condition over SAP's, after 2 s", condition(variant, 2, 3) / condition("sap", 2, 3), 1,
                    source="ICFT figure 14: lower past the transient")
        more, spread = ratio(variant, "sap", early)
        run.at_least(f"{variant}: iterations over SAP's, first second", more, 1 - spread,
                     source="ICFT figure 14: more in the transient; 1 less two standard errors of the heaps")
        fewer, spread = ratio(variant, "sap", late)
        run.at_most(f"{variant}: iterations over SAP's, after 2 s", fewer, 1 + spread,
                    source="ICFT figure 14: fewer past the transient; 1 and two standard errors of the heaps")
    run.at_most("lagged: condition when regularized over not, first second",
                condition("lagged, regularized", 0.2, 1) / condition("lagged", 0.2, 1), 0.5,
                source="ICFT figure 14: regularization conditions it better")
    fewer, spread = ratio("lagged, regularized", "lagged", early)
    run.at_most("lagged: iterations when regularized over not, first second", fewer, 1 + spread,
                source="ICFT figure 14: and takes fewer iterations; 1 and two standard errors")
    for variant, bound in (("lagged", 1e-4), ("similar", 1e-4)):
        run.near(f"{variant}: slip tolerance", np.max(heaps[variant]["tolerance"]), bound, relative=1e-6, unit="m/s",
                 source="ICFT figure 15: v_s")
    sap, time = heaps["sap"]["tolerance"], STEP * EVERY * np.arange(1, len(heaps["sap"]["tolerance"]) + 1)
    run.at_least("sap: largest slip tolerance in the first second, over v_s", np.max(sap[time < 1]) / 1e-4, 1,
                 source="ICFT figure 15: above in the transient")
    run.at_most("sap: mean slip tolerance after 2 s, over v_s", np.mean(sap[time > 2]) / 1e-4, 1,
                source="ICFT figure 15: far below past it")


def draw(run: Run, heaps: dict[str, dict[str, np.ndarray]]) -> None:
    steps = STEP * np.arange(1, STEPS + 1)
    samples = STEP * EVERY * np.arange(1, STEPS // EVERY + 1)
    run.table("iterations", "iterations over time, mean of the heaps", {"time [s]": steps}
              | {v: heap["iterations"] for v, heap in heaps.items()})
    run.table("condition", "condition number and mean slip tolerance of closed contacts over time", {"time [s]": samples}
              | {f"{v}: condition [-]": heap["condition"] for v, heap in heaps.items()}
              | {f"{v}: slip tolerance [m/s]": heap["tolerance"] for v, heap in heaps.items()})
    with run.figure("iterations", "Iterations, smoothed over 50 ms (left), and condition number (right).",
                    "figure 14. Lagged and Similar take more iterations and are worse conditioned while bodies fall; SAP is "
                    "afterwards. Regularized, Lagged is better in both.", columns=2) as (left, right):
        for variant, heap in heaps.items():
            left.plot(steps, smooth(heap["iterations"]), label=variant)
            right.semilogy(samples, heap["condition"], label=variant)
        left.set_ylabel("iterations [-]")
        right.set_ylabel("condition number [-]")
        for axes in (left, right):
            axes.set_xlabel("time [s]")
        left.legend()
    with run.figure("slip", "Slip at which friction saturates, mean of the closed contacts. Lagged and Similar without "
                    "regularization have v_s.",
                    "figure 15. SAP's and regularized Lagged's tolerance follows the normal impulses: above v_s in the "
                    "transient, SAP's below it afterwards.") as axes:
        for variant in ("sap", "lagged, regularized"):
            tolerance = heaps[variant]["tolerance"]
            axes.semilogy(samples, np.where(tolerance > 0, tolerance, np.nan), label=variant)
        axes.axhline(1e-4, color="0.4", linestyle="--", label="v_s")
        axes.set_xlabel("time [s]")
        axes.set_ylabel("slip tolerance [m/s]")
        axes.legend()
