"""Friction that holds: the anchored model beside the models of the papers.

Regularized friction creeps: SAP in proportion to the step, Lagged and Similar by their stiction tolerance, ε s/√(1 − s²)
at the share s of the limit, whatever the step. The papers bound it, (31) and (42). The model `anchored` of abut is
Lagged with a spring along the surface that keeps its force: what is below the limit holds.

A flat box of 1 kg with μ = 1 on the ground is pushed (a cube would tip over); the ramp grows by a tenth of the limit in a second, and Coulomb's box
slides from the limit on. Fingers of two position servos hold a box of 0.2 kg for a minute. A box lies on a
turntable, which straight steps would let drift outwards by ½ h ω² r in a second.
"""

import math

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "SAP (31), ICFT VI-B and VI-C, and beyond them"

GRAVITY = 9.81
MODELS = ("sap", "lagged", "similar", "anchored")

PINCH = """<mujoco><default><geom friction='0.8'/></default><worldbody>
  <body pos='-.06 0 0'><joint name='l' type='slide' axis='1 0 0'/><geom type='box' size='.01 .02 .03' mass='.1'/></body>
  <body pos='.06 0 0'><joint name='r' type='slide' axis='-1 0 0'/><geom type='box' size='.01 .02 .03' mass='.1'/></body>
  <body name='box'><freejoint/><geom type='box' size='.05 .05 .05' mass='.2'/></body></worldbody>
  <actuator><position joint='l' kp='400' kv='20'/><position joint='r' kp='400' kv='20'/></actuator></mujoco>"""

TABLE = """<mujoco><default><geom friction='1'/></default><worldbody>
  <body name='table'><joint name='turn' axis='0 0 1'/>
    <geom type='cylinder' size='1 .05' pos='0 0 -.05' mass='1000'/></body>
  <body name='box' pos='.5 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody></mujoco>"""


def box(model: str, step: float) -> abut.World:
    scene = abut.Scene()
    scene.add_ground()
    scene.add_body("box", abut.Shape.box([0.05, 0.05, 0.02]), position=[0, 0, 0.02], mass=1.0)
    return abut.World(scene, model=model, time_step=step, friction=1.0)


def push(world: abut.World, share: float) -> None:
    world.set_load("box", [share * GRAVITY, 0, 0])


def creep(model: str, step: float, share: float) -> float:
    """Mean speed from 2 s to 6 s of a push [m/s]."""
    world = box(model, step)
    push(world, share)
    world.step(round(2 / step))
    start = world.positions[0].copy()
    world.step(round(4 / step))
    return float(np.linalg.norm((world.positions[0] - start)[:2])) / 4


def run(run: Run) -> None:
    hold(run)
    ramp(run)
    grasp(run)
    turn(run)


def hold(run: Run) -> None:
    shares = [0.1, 0.3, 0.5, 0.7, 0.9, 0.95]
    steps = (1e-3, 2e-3, 1e-2)
    columns: dict[str, list[float]] = {"share of the limit [-]": shares}
    cases = [(model, step) for model in MODELS for step in steps]
    for model, step in run.cases(cases, until=0.6):
        speeds = [creep(model, step, share) for share in shares]
        columns[f"{model}, {1e3 * step:g} ms [m/s]"] = speeds
        if model == "anchored":
            run.at_most(f"anchored, {1e3 * step:g} ms: creep up to 0.95 of the limit", max(speeds), 1e-9, unit="m/s",
                        source="Coulomb: none; a thousandth of 1 µm/s is asked for")
        elif model == "lagged" and step < 5e-3:  # at 10 ms ε is R_t μ γ_n
            soft = max(1e-4 * s / math.sqrt(1 - s * s) for s in shares)
            run.near(f"lagged, {1e3 * step:g} ms: creep at 0.95 of the limit", max(speeds), soft, relative=0.02,
                     unit="m/s", source="closed form: ε s/√(1 − s²)")
    for share, short, long in zip(shares, columns["sap, 1 ms [m/s]"], columns["sap, 10 ms [m/s]"]):
        run.near(f"sap at {share:g} of the limit: creep at 10 ms over that at 1 ms", long / short, 10, relative=0.01,
                 source="SAP 31: in proportion to the step")
    run.table("creep", "mean creep from 2 s to 6 s of the push", columns)
    with run.figure("creep", "Creep of a box over its load, at 2 ms.") as axes:
        for model in MODELS:
            axes.semilogy(shares, np.maximum(columns[f"{model}, 2 ms [m/s]"], 1e-14), marker=".", label=model)
        axes.set_xlabel("share of the friction limit [-]")
        axes.set_ylabel("creep [m/s]")
        axes.legend()


def ramp(run: Run) -> None:
    """Where slip begins under a growing load."""
    step, rate = 1e-3, 0.1
    curves = {}
    for model in run.cases(MODELS, until=0.75):
        world = box(model, step)
        push(world, 0.9)
        world.step(1000)
        shares, speeds = [], []
        for i in range(1500):
            share = 0.9 + rate * i * step
            push(world, share)
            world.step()
            shares.append(share)
            speeds.append(float(world.linear_velocities[0, 0]))
        curves[model] = (shares, speeds)
    shares, speeds = curves["anchored"]
    first = shares[int(np.argmax(np.array(speeds) > 1e-5))]
    run.near("anchored: load at which it slips by 10 µm/s", first, 1 + math.sqrt(2 * rate * 1e-5 / GRAVITY),
             absolute=1e-3, source="Coulomb: at the limit, with a speed of ½ g rate t² from there on")
    end = 0.5 * rate * GRAVITY * (shares[-1] - 1) ** 2 / rate**2
    run.near("anchored: speed at the end of the ramp", speeds[-1], end, relative=0.02, unit="m/s", source="Coulomb")
    run.table("ramp", "speed under a load that grows by a tenth of the limit in a second",
              {"share of the limit [-]": shares} | {f"{m} [m/s]": v for m, (_, v) in curves.items()})
    with run.figure("ramp", "Speed of a box under a load that grows by a tenth of the limit in a second.") as axes:
        for model, (x, v) in curves.items():
            axes.semilogy(x, np.maximum(np.abs(v), 1e-14), label=model)
        axes.axvline(1, color="0.6", linestyle=":")
        axes.set_xlabel("share of the friction limit [-]")
        axes.set_ylabel("speed [m/s]")
        axes.legend()


def grasp(run: Run) -> None:
    step = 1e-2
    for model in run.cases(("lagged", "anchored"), until=0.9):
        world = abut.World(abut.load_scene_text(PINCH), model=model, time_step=step)
        for finger in range(2):
            world.set_control(finger, 0.01)
        world.step(round(1 / step))
        start = world.body_state("box").position[2]
        world.step(round(59 / step))
        way = float(start - world.body_state("box").position[2])
        if model == "anchored":
            run.at_most("anchored: slip of a pinch grasp in a minute", abs(way), 1e-9, unit="m", source="Coulomb: none")
        else:
            run.at_least("lagged: slip of the same grasp", way, 1e-4, unit="m", source="by ε, it creeps")


def radius(world: abut.World) -> float:
    """Of the box on its circle [m]."""
    return float(np.linalg.norm(world.body_state("box").position[:2]))


def turn(run: Run) -> None:
    for step in run.cases((1e-3, 2e-3)):
        world = abut.World(abut.load_scene_text(TABLE), model="anchored", time_step=step)
        world.set_joint_velocity("turn", 2.0)
        world.set_body_state("box", linear_velocity=[0, 1, 0], angular_velocity=[0, 0, 2])
        world.step(round(1 / step))
        before = radius(world)
        world.step(round(10 / step))
        after = radius(world)
        run.at_most(f"anchored, {1e3 * step:g} ms: drift on a turntable in 10 s", abs(after - before), 2e-6, unit="m",
                    source="a body that turns with the table stays there; without its bias 10 mm at 1 ms")
