"""Restitution of Hunt & Crossley's law.

For f = k x (1 + d ẋ) the speeds before and after an impact obey d (v_i + v_o) = ln[(1 + d v_i)/(1 − d v_o)],
whatever k and m are: restitution is a function of d v_i alone, 1 − ⅔ d v_i for slow impacts, and nothing rebounds
faster than 1/d. The deepest point is x² = (2 m/k) (v_i/d − ln(1 + d v_i)/d²).
"""

import math

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import sample, slope

SOURCE = "ICFT 13, the law of Hunt & Crossley"

STIFFNESS, MASS, SPEED = 1e5, 1.0, 1.0
EXACT = {0.1: 0.9374756, 0.5: 0.7484349, 1.0: 0.5936243, 2.0: 0.4107197, 10.0: 0.0999816}  # d v_i: v_o/v_i


def restitution(product: float) -> float:
    """v_o/v_i for d v_i, by bisection."""
    lower, upper = 0.0, min(1.0, 1 / product)
    for _ in range(200):
        e = (lower + upper) / 2
        rest = product * (1 + e) - math.log1p(product) + (math.log1p(-product * e) if product * e < 1 else -math.inf)
        lower, upper = (e, upper) if rest > 0 else (lower, e)
    return lower


def bounce(dissipation: float, time_step: float, model: str = "lagged") -> tuple[float, float]:
    """Speed after the impact [m/s] and deepest point [m]."""
    radius = 0.1
    scene = abut.Scene()
    scene.gravity = [0, 0, 0]
    scene.add_ground()
    scene.add_body("ball", abut.Shape.sphere(radius), position=[0, 0, radius], linear_velocity=[0, 0, -SPEED], mass=MASS)
    w = abut.World(scene, model=model, time_step=time_step, stiffness=STIFFNESS, dissipation=dissipation, friction=0,
                   tolerance=1e-12)
    slowest = 0.05 * (1 + 0.1 * dissipation)  # s: when the slowest rebound is over
    motion = sample(w, round(slowest / time_step), depth=lambda w: radius - w.positions[0, 2],
                    speed=lambda w: w.linear_velocities[0, 2])
    return float(motion["speed"][-1]), float(np.max(motion["depth"]))


def run(run: Run) -> None:
    step = run.pick(1e-5, 2e-6)  # s
    products = list(EXACT) + [0.2, 5.0]
    measured = {}
    for product in run.cases(products, cost=lambda d: 1 + 0.1 * d, until=0.6):
        coarse, _ = bounce(product / SPEED, 2 * step)
        fine, _ = bounce(product / SPEED, step)
        measured[product] = fine / SPEED
        if product in EXACT:
            run.near(f"d v = {product:g}: restitution, steps of {step:g} s and twice that extrapolated",
                     (2 * fine - coarse) / SPEED, EXACT[product], absolute=2e-4, source="closed form")
    depth_exact = math.sqrt(2 * MASS / STIFFNESS * (SPEED - math.log(2)))
    run.near("d v = 1: deepest point, extrapolated", 2 * bounce(1.0, step)[1] - bounce(1.0, 2 * step)[1], depth_exact,
             relative=1e-4, unit="m", source="closed form")
    run.at_most("fastest rebound times d, of all", max(d * e for d, e in measured.items()), 1,
                source="closed form: never above 1/d")

    steps = [1e-4, 5e-5, 2.5e-5, 1.25e-5] + run.pick([], [6.25e-6, 3.125e-6])
    errors: dict[str, list[float]] = {model: [] for model in ("lagged", "similar")}
    for model, h in run.cases([(model, h) for model in errors for h in steps], cost=lambda case: 1 / case[1]):
        errors[model].append(abs(bounce(1.0, h, model)[0] / SPEED - restitution(1.0)))
    for model, error in errors.items():
        run.near(f"{model}: order of the error of the restitution", slope(steps, error), 1, absolute=0.1,
                 source="symplectic Euler: first order")
    ordered = sorted(measured)
    run.table("restitution", "restitution by d v", {"d v [-]": ordered, "measured [-]": [measured[d] for d in ordered],
                                                    "closed form [-]": [restitution(d) for d in ordered]})
    run.table("convergence", "error of the restitution at d v = 1",
              {"step [s]": steps} | {f"{model} [-]": error for model, error in errors.items()})
    with run.figure("restitution", "Restitution (left) and how it converges at d v = 1 (right). Dotted: 1 − ⅔ d v; "
                    "first order.", columns=2) as (left, right):
        d = np.geomspace(0.05, 20, 100)
        left.semilogx(d, [restitution(x) for x in d], label="closed form")
        left.semilogx(ordered, [measured[x] for x in ordered], linestyle="none", marker="o", label="lagged")
        left.semilogx(d[d < 0.6], 1 - 2 / 3 * d[d < 0.6], color="0.6", linestyle=":")
        left.set_xlabel("d v [-]")
        left.set_ylabel("restitution [-]")
        for model, error in errors.items():
            right.loglog(steps, error, marker="o", label=model)
        right.loglog(steps, np.array(steps) * errors["lagged"][-1] / steps[-1], color="0.6", linestyle=":")
        right.set_xlabel("time step [s]")
        right.set_ylabel("error of the restitution [-]")
        for axes in (left, right):
            axes.legend()
