"""Near-rigid contact: how deep, and how fast it creeps.

SAP softens what a step cannot resolve. Of a body at rest nothing but the step then decides how deep it is:
β²/(4π²) (1 + τ_d/h) g h² w m, whatever its mass; the text after (29) says "well within" what counts as rigid, for 1 ms
and 10 ms. Held by friction it creeps at no more than σ μ g h, (31); the bodies here are pushed with half of what
friction can hold.

What w is matters: a sphere has the cap w m = 1 for its depth. A point mass on three slides has w m = 1/√3 for depth
and creep, since w is the Frobenius norm of its Delassus block over 3; (31) assumes 1.

The paper ties τ_d to the step, τ_d = h/π, where a contact is near-rigid. abut keeps the user's τ_d, so h/π is given here.
"""

import math

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "SAP V-B, (29) to (31)"

GRAVITY = 9.81


def sphere(mass: float, time_step: float, stiffness: float, beta: float = 1.0) -> abut.World:
    scene = abut.Scene()
    scene.add_ground()
    scene.add_body("body", abut.Shape.sphere(0.1), position=[0, 0, 0.1], mass=mass)
    return abut.World(scene, model="sap", time_step=time_step, stiffness=stiffness, beta=beta,
                      relaxation_time=time_step / math.pi, friction=0.5, tolerance=1e-13)


def point(mass: float, time_step: float, stiffness: float, friction: float = 1.0) -> abut.World:
    """A ball that cannot turn, on slides along x, y and z."""
    scene = abut.Scene()
    scene.add_ground()
    slides = [abut.SceneJoint("slide", axis, axis=direction)
              for axis, direction in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)))]
    scene.add_body("body", abut.Shape.sphere(0.1), position=[0, 0, 0.1], mass=mass, joints=slides)
    return abut.World(scene, model="sap", time_step=time_step, stiffness=stiffness, friction=friction,
                      relaxation_time=time_step / math.pi, tolerance=1e-13)


def depth(world: abut.World) -> float:
    """At rest [m]."""
    world.step(400)
    return 0.1 - float(world.positions[0, 2])


def run(run: Run) -> None:
    for step in (1e-3, 1e-2):
        rigid = (1 + 1 / math.pi) / (4 * math.pi**2) * GRAVITY * step**2
        for mass in (1e-6, 1e-3, 1.0, 1e3, 1e6):
            run.near(f"sphere of {mass:g} kg, {1e3 * step:g} ms: depth at rest", depth(sphere(mass, step, 1e18)), rigid,
                     relative=1e-6, unit="m", source="closed form of SAP 29")
        run.near(f"point mass of 1 kg, {1e3 * step:g} ms: depth at rest", depth(point(1.0, step, 1e18)),
                 rigid / math.sqrt(3), relative=1e-6, unit="m", source="closed form of SAP 29, w = 1/(√3 m)")
    for step in (1e-3, 1e-2):
        w = point(1.0, step, 1e18)
        w.set_load("body", [0.5 * GRAVITY, 0, 0])
        w.step(400)
        creep = float(w.linear_velocities[0, 0])
        run.near(f"point mass at half the friction limit, {1e3 * step:g} ms: creep", creep,
                 0.5e-3 * GRAVITY * step / math.sqrt(3), relative=1e-6, unit="m/s", source="closed form of SAP 30")
        run.at_most(f"the same, {1e3 * step:g} ms: bound", creep, 1e-3 * GRAVITY * step, unit="m/s", source="SAP 31")
    sweep(run)


def sweep(run: Run) -> None:
    """Depth at rest over the stiffness, through the switch."""
    step, mass = 1e-2, 1.0
    softest = 4 * math.pi**2 * mass / (step * step * (1 + 1 / math.pi))  # N/m: where (29) changes sides
    stiffness = sorted([*np.geomspace(1e2, 1e14, run.pick(49, 121)), 0.999999 * softest, softest, 1.000001 * softest])
    depths, errors = [], []
    for k in run.cases(stiffness):
        w = sphere(mass, step, k)
        w.set_body_state("body", position=[0, 0, 0.1 - mass * GRAVITY / min(k, softest)])
        depths.append(depth(w))
        errors.append(abs(depths[-1] / (mass * GRAVITY / min(k, softest)) - 1))
    run.at_most("depth over stiffness 10² to 10¹⁴ N/m: worst error", max(errors), 1e-6,
                source="closed form: m g/min(k, 4π² m/(h (h + τ_d)))")
    i = int(np.argmin(np.abs(np.array(stiffness) / softest - 1)))
    run.at_most("jump at the switch, relative", abs(depths[i + 1] / depths[i] - 1) + abs(depths[i - 1] / depths[i] - 1),
                1.1e-6, source="SAP 29: continuous; stiffness 10⁻⁶ beside the switch")
    run.at_most("largest rise of the depth with stiffness", max(np.diff(depths)), 1e-12, unit="m",
                source="SAP 29: monotone")
    run.table("sweep", "depth at rest over stiffness, steps of 10 ms",
              {"stiffness [N/m]": stiffness, "depth [m]": depths})
    with run.figure("sweep", "Depth of 1 kg at rest, steps of 10 ms. Dotted: m g/k, and the depth of near-rigid "
                    "contact.") as axes:
        axes.loglog(stiffness, depths, marker=".", label="sap")
        axes.loglog(stiffness, mass * GRAVITY / np.array(stiffness), color="0.6", linestyle=":")
        axes.axhline(mass * GRAVITY / softest, color="0.6", linestyle=":")
        axes.set_ylim(1e-6, 1)
        axes.set_xlabel("stiffness [N/m]")
        axes.set_ylabel("depth [m]")
