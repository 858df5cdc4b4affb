"""Hertz's contact at rest and in impact.

The papers take their stiffness from Hertz: a steel sphere (E = 2·10¹¹ Pa) under its own weight goes in by
x = (3 m g/(4 E √R))^⅔, which makes a spring of m g/x. They print orders of magnitude; the closed forms are exact.

An impact at the speed v ends at the depth (15 m v²/(16 E √R))^⅖ and lasts 2.9432752 x/v. The law of the library is
`hertz` with the stiffness 4/3 E √R in N/m^(3/2).
"""

import math

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import sample, slope

SOURCE = "ICFT IX, the estimate of the stiffness"

MODULUS = 2e11  # Pa
SPHERES = {"sphere of IX-B": (0.5, 0.025, 2.38305e-7), "rod end of IX-C": (0.3, 0.005, 2.89884e-7)}  # kg, m, m


def world(model: str, mass: float, radius: float, gap: float, time_step: float, gravity: float = 9.81) -> abut.World:
    scene = abut.Scene()
    scene.gravity = [0, 0, -gravity]
    scene.add_ground()
    scene.add_body("ball", abut.Shape.sphere(radius), position=[0, 0, radius + gap], mass=mass)
    return abut.World(scene, model=model, law="hertz", time_step=time_step, dissipation=0, friction=0,
                      stiffness=4 / 3 * MODULUS * math.sqrt(radius), tolerance=1e-12)


def impact(time_step: float, speed: float, mass: float, radius: float) -> tuple[dict[str, np.ndarray], float]:
    """Motion over twice the contact, which begins at the step's end; and how long it lasts [s]."""
    depth = (15 * mass * speed**2 / (16 * MODULUS * math.sqrt(radius))) ** 0.4
    lasts = 2.9432752 * depth / speed
    w = world("lagged", mass, radius, 0.0, time_step, gravity=0)
    w.set_body_state("ball", linear_velocity=[0, 0, -speed])
    motion = sample(w, round(1.6 * lasts / time_step), depth=lambda w: radius - w.positions[0, 2],
                    force=lambda w: w.pair_force("world", "ball").normal_force[2])
    touching = motion["force"] > 0
    return motion, time_step * int(np.sum(touching))


def run(run: Run) -> None:
    for name, (mass, radius, depth) in SPHERES.items():
        for model in ("lagged", "similar"):
            w = world(model, mass, radius, 0.0, 1e-3)
            w.step(200)
            x = radius - w.positions[0, 2]
            run.near(f"{name}: depth at rest, {model}", x, depth, relative=3e-6, unit="m",
                     source="closed form of Hertz; six digits")
        run.near(f"{name}: depth beside the text's", x, 2.5e-7, relative=0.2, unit="m", source="ICFT IX: order 2.5·10⁻⁷")
        run.between(f"{name}: m g over the depth", mass * 9.81 / x, 1e7, 2.1e7, unit="N/m",
                    source="ICFT IX: order 1·10⁷ to 2·10⁷")

    mass, radius, speed = 0.5, 0.025, 1.0
    deepest = (15 * mass * speed**2 / (16 * MODULUS * math.sqrt(radius))) ** 0.4
    lasts = 2.9432752 * deepest / speed
    parts = [50, 100, 200, 400] + run.pick([], [800, 1600, 3200])
    errors: dict[str, list[float]] = {"depth": [], "duration": []}
    depths = []
    for part in run.cases(parts, cost=float):
        motion, duration = impact(lasts / part, speed, mass, radius)
        depths.append(float(np.max(motion["depth"])))
        errors["depth"].append(abs(depths[-1] / deepest - 1))
        errors["duration"].append(abs(duration / lasts - 1))
    run.near("impact: order of the error of the depth", -slope(parts, errors["depth"]), 1, absolute=0.15,
             source="symplectic Euler: first order")
    run.near("impact: deepest point, two finest steps extrapolated", 2 * depths[-1] - depths[-2], deepest,
             relative=1e-3, unit="m", source="closed form")
    run.at_most("impact: error of the duration, finest step", errors["duration"][-1], 4 / parts[-1],
                source="closed form; it is counted in whole steps, four of them")
    run.table("impact", "errors of the deepest point and of the duration, relative",
              {"steps in contact [-]": parts, "depth [-]": errors["depth"], "duration [-]": errors["duration"]})
    motion, _ = impact(lasts / parts[-1], speed, mass, radius)
    with run.figure("impact", "Depth and force of an impact of the sphere of IX-B at 1 m/s (left); how its deepest "
                    "point and duration converge (right). Dotted: closed form; first order.", columns=2) as axes:
        left, right = axes
        left.plot(1e6 * motion["time"], 1e6 * motion["depth"], label="depth")
        left.axhline(1e6 * deepest, color="0.6", linestyle=":")
        left.axvline(1e6 * lasts, color="0.6", linestyle=":")
        left.set_xlabel("time [µs]")
        left.set_ylabel("depth [µm]")
        for name, error in errors.items():
            right.loglog(1 / np.array(parts), error, marker="o", label=name)
        right.loglog(1 / np.array(parts), 1 / np.array(parts), color="0.6", linestyle=":")
        right.set_xlabel("time step over the contact's duration [-]")
        right.set_ylabel("relative error [-]")
        right.legend()
