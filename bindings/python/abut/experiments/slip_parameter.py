"""The slip parameter σ of SAP.

40 bodies of the clutter after 10 s, with walls and without, SAP with σ from 10⁻⁶ to 10⁻¹; near-rigid (k = 10¹² N/m), τ_d
= h = 10 ms, μ = 1. What the paper prints of step, stiffness and μ is lost; these are ours. Its mean slip velocity stays below
the estimate σ μ g h of (31), with walls parallel to it; without walls bodies lie on the ground, and slip by much less.

The mean here is over the contacts that stick. In these heaps some spheres still roll, or spin between others, after 10 s,
and without walls they roll away for good: one sliding contact is a thousand times faster than what sticks. The table has
the mean of all, too.
"""

import numpy as np

import abut
from abut.experiments._clutter import clutter
from abut.experiments._hessian import at_last_step
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "SAP VI-C2, figures 14 and 15"

STEP, STEPS, GRAVITY = 1e-2, 1000, 9.81


def simulate(sigma: float, walls: bool, seed: int) -> dict[str, float]:
    iterations: list[int] = []
    samples: list[tuple[float, float, float, float]] = []

    def look(w: abut.World) -> None:
        assert w.report
        iterations.append(w.report.solve.iterations)
        if w.steps > STEPS - 100 and w.steps % 20 == 0:
            at = at_last_step(w)
            closed = np.linalg.norm(at.impulse, axis=1) > 0
            sticks = closed & (at.slip < 0.999 * at.slip_tolerance)
            samples.append((np.mean(at.slip[sticks]), np.mean(at.slip[closed]), np.sum(sticks) / np.sum(closed),
                            np.log(at.condition)))

    world = abut.World(clutter(4, 10, walls=walls, seed=seed), model="sap", sigma=sigma, time_step=STEP, stiffness=1e12,
                       relaxation_time=STEP, friction=1.0, solver="newton-paper")
    world.step(STEPS, callback=look)
    slip, all_slip, stuck, condition = np.mean(samples, axis=0)
    return {"slip": slip, "all": all_slip, "stuck": stuck, "condition": condition, "iterations": float(np.mean(iterations))}


def run(run: Run) -> None:
    sigmas = np.array([10.0**i for i in range(-6, 0)])
    seeds = run.pick(3, 12)
    found = {}
    for walls, name in ((True, "walls"), (False, "no walls")):
        rows = []
        for sigma in run.cases(list(sigmas), until=0.5 if walls else 1.0):
            runs = [simulate(sigma, walls, seed) for seed in range(1, seeds + 1)]
            rows.append({key: np.mean([r[key] for r in runs]) for key in runs[0]})
        found[name] = {key: np.array([row[key] for row in rows]) for key in rows[0]}
        found[name]["condition"] = np.exp(found[name]["condition"])
    estimate = sigmas * GRAVITY * STEP
    small = sigmas < 0.02
    for name, result in found.items():
        run.at_most(f"{name}: mean slip of what sticks over the estimate, largest of all σ", np.max(result["slip"] / estimate), 1,
                    source="SAP figure 14: below σ μ g h")
        run.at_most(f"{name}: condition, largest rise with σ", np.max(result["condition"][1:] / result["condition"][:-1]), 1.05,
                    source="SAP figure 15: falls with σ")
        run.near(f"{name}: slope of the condition over σ, up to 10⁻³", slope(sigmas[:4], result["condition"][:4]), -1, absolute=0.1,
                 source="1/R_t goes with 1/σ; the exponent in the text is lost")
        run.at_most(f"{name}: iterations at σ = 10⁻² over those at 10⁻⁶", result["iterations"][4] / result["iterations"][0], 0.6,
                    source="SAP figure 15: fall with σ")
    run.near("walls: slope of the slip over σ, up to 10⁻²", slope(sigmas[small], found["walls"]["slip"][small]), 1, absolute=0.2,
             source="SAP figure 14: parallel to the estimate")
    run.at_most("no walls: mean slip over that with walls, mean of all σ",
                np.exp(np.mean(np.log(found["no walls"]["slip"] / found["walls"]["slip"]))), 0.5,
                source="SAP figure 14: significantly smaller")
    run.table("sigma", "means over the heaps", {"σ [-]": sigmas, "estimate [m/s]": estimate}
              | {f"{name}: {title}": result[key] for name, result in found.items() for key, title in
                 (("slip", "slip of what sticks [m/s]"), ("all", "slip of all [m/s]"), ("stuck", "share that sticks [-]"),
                  ("condition", "condition [-]"), ("iterations", "iterations [-]"))})
    with run.figure("slip", "Mean slip of the contacts that stick, 9 to 10 s. Dotted: the estimate σ μ g h.",
                    "figure 14. Below the estimate; with walls parallel to it, without walls much smaller, with a sudden "
                    "drop where boxes come to lie flat.") as axes:
        for name, result in found.items():
            axes.loglog(sigmas, result["slip"], marker="o", label=name)
        axes.loglog(sigmas, estimate, color="0.6", linestyle=":")
        axes.set_xlabel("σ [-]")
        axes.set_ylabel("slip [m/s]")
        axes.legend()
    with run.figure("condition", "Condition number, 9 to 10 s (left), and mean iterations of all steps (right).",
                    "figure 15. The condition falls with σ, and so do the iterations.", columns=2) as (left, right):
        for name, result in found.items():
            left.loglog(sigmas, result["condition"], marker="o", label=name)
            right.semilogx(sigmas, result["iterations"], marker="o", label=name)
        left.set_ylabel("condition number [-]")
        right.set_ylabel("iterations [-]")
        for axes in (left, right):
            axes.set_xlabel("σ [-]")
        left.legend()
