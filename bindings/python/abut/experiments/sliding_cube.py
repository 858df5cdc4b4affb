"""A cube that slides to a stop, and one that is dragged: every model on one ruler.

A cube of 1 kg and 20 cm, μ = 0.4, starts at 1 m/s. Coulomb's law and Signorini's condition leave one motion: it decelerates
at μ g, stops after v₀/(μ g) = 0.255 s and v₀²/(2 μ g) = 12.7 cm, and stays on the ground. The LCP has that motion along its
tangent axes, and more friction between them. The CCP lifts the cube off at μ ‖v‖. RaiSim's friction is not quite against the
slip where a corner's W couples it with the normal. The compliant models lie a little in the ground.

Then the cube rests and is dragged by a force that grows from nothing: it slips at the limit of friction, not before.
"""

import math

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import sample

SOURCE = "CB figures 9, 10 and 14"

RIGID = ("ncp", "ccp", "lcp", "raisim")
MODELS = (*RIGID, "sap", "lagged", "similar", "anchored")
GRAVITY, MU, HALF = 9.81, 0.4, 0.1


def cube(model: str, time_step: float, heading: float = 0.0, speed: float = 0.0) -> abut.World:
    """On the ground, at rest or sliding in the direction of `heading` [rad] from x."""
    scene = abut.Scene()
    scene.add_ground()
    inertia = 2 / 3 * HALF**2
    scene.add_body("cube", abut.Shape.box([HALF, HALF, HALF]), position=[0, 0, HALF], mass=1,
                   inertia=[inertia, inertia, inertia])
    world = abut.World(scene, model=model, time_step=time_step, friction=MU, tolerance=1e-9)
    if speed:
        world.set_body_state("cube", linear_velocity=[speed * math.cos(heading), speed * math.sin(heading), 0])
    return world


def _motion(world: abut.World, steps: int) -> dict[str, np.ndarray]:
    return sample(world, steps, x=lambda w: float(w.body_state("cube").position[0]),
                  height=lambda w: float(w.body_state("cube").position[2]) - HALF,
                  speed=lambda w: float(w.body_state("cube").linear_velocity[0]),
                  energy=lambda w: w.kinetic_energy + w.potential_energy - GRAVITY * HALF)


def _stop(motion: dict[str, np.ndarray]) -> float:
    """When it stops [s]."""
    return float(motion["time"][np.argmax(motion["speed"] < 1e-3)])


def run(run: Run) -> None:
    slide(run)
    directions(run)
    drag(run)


def slide(run: Run) -> None:
    h, steps = 1e-3, 400
    motions = {model: _motion(cube(model, h, speed=1.0), steps) for model in MODELS}
    stop, way = 1 / (MU * GRAVITY), 1 / (2 * MU * GRAVITY)
    for model, m in motions.items():
        if model in ("ncp", "lcp"):
            run.near(f"{model}: when it stops", _stop(m), stop, absolute=1.5 * h, unit="s", source="v₀/(μ g)")
            run.near(f"{model}: how far it comes", float(m["x"][-1]), way, absolute=h, unit="m", source="v₀²/(2 μ g)")
        if model in ("ncp", "lcp", "raisim"):
            run.at_most(f"{model}: how far it leaves the ground", float(np.max(np.abs(m["height"]))), 1e-6, unit="m",
                        source="Signorini's condition")
    run.near("raisim: how far it comes", float(motions["raisim"]["x"][-1]), way, relative=0.02, unit="m",
             source="v₀²/(2 μ g), friction not quite against the slip")
    ccp = motions["ccp"]
    run.near("ccp: height after the first step over μ h v", float(ccp["height"][0] / (MU * h * ccp["speed"][0])), 1, relative=1e-6,
             source="CB: what slides lifts off")
    run.table("slide", "the cube that starts at 1 m/s", {
        "model": list(motions),
        "stops at [s]": [_stop(m) for m in motions.values()],
        "comes [m]": [float(m["x"][-1]) for m in motions.values()],
        "highest [m]": [float(np.max(m["height"])) for m in motions.values()]})
    for name, title, unit in (("speed", "Speed", "m/s"), ("height", "Height above rest", "m"), ("energy", "Energy", "J")):
        with run.figure(name, f"{title} of a cube that starts at 1 m/s, steps of 1 ms.",
                        "CB figures 9 and 10: NCP and RaiSim stop at 0.255 s, with ½ m (v₀ − μ g t)²; the CCP bounces.") as axes:
            for model, m in motions.items():
                axes.plot(m["time"], m[name], label=model, linestyle="-" if model in RIGID else ":")
            axes.set_xlabel("time [s]")
            axes.set_ylabel(f"{title.lower()} [{unit}]")
            axes.legend()


def directions(run: Run) -> None:
    """Deceleration by the direction of the motion: of cones the same, of pyramids up to √2 times."""
    headings = np.linspace(0, math.pi / 2, 13)
    found: dict[str, list[float]] = {}
    for model in ("ncp", "lcp", "raisim"):
        found[model] = []
        for heading in headings:
            w = cube(model, 1e-3, float(heading), 1.0)
            w.step(100)
            found[model].append(float((1 - np.linalg.norm(w.body_state("cube").linear_velocity)) / (0.1 * MU * GRAVITY)))
    run.at_most("ncp: spread of the deceleration over directions", float(np.ptp(found["ncp"])), 1e-6,
                source="Coulomb's cone has no axes")
    run.near("lcp: deceleration at 45° over μ g", max(found["lcp"]), math.sqrt(2), relative=1e-6,
             source="the corner of the pyramid")
    run.table("directions", "deceleration over μ g", {"heading [rad]": list(headings)} | found)
    with run.figure("directions", "Deceleration by the direction of the motion.",
                    "CB: the LCP's friction is biased towards the edges of its pyramid.") as axes:
        for model, values in found.items():
            axes.plot(np.degrees(headings), values, marker="o", label=model)
        axes.set_xlabel("heading [°]")
        axes.set_ylabel("deceleration over μ g [-]")
        axes.legend()


def drag(run: Run) -> None:
    """F = 4 g t: slips at 0.1 s; then v = F' (t − t_s)²/2."""
    h, rate = 1e-3, 4 * GRAVITY
    speeds = {}
    for model in MODELS:
        w = cube(model, h)
        values = []
        for i in range(200):
            w.set_load("cube", [rate * h * (i + 1), 0, 0])
            w.step()
            values.append(float(w.body_state("cube").linear_velocity[0]))
        speeds[model] = np.array(values)
    t = h * np.arange(1, 201)
    before, after = t < 0.0995, t > 0.15
    exact = rate * np.maximum(t - MU * GRAVITY / rate, 0)**2 / 2
    for model in ("ncp", "lcp"):
        run.at_most(f"{model}: speed before the limit of friction", float(np.max(np.abs(speeds[model][before]))), 1e-9,
                    unit="m/s", source="Coulomb's law")
        run.at_most(f"{model}: error of the speed after it, relative", float(np.max(np.abs(speeds[model] / np.maximum(exact, 1e-9) - 1)[after])),
                    0.03, source="F' (t − t_s)²/2, first order in the step")
    run.table("drag", "speed of the cube that is dragged", {"time [s]": list(t)} | {f"{m} [m/s]": list(v) for m, v in speeds.items()})
    with run.figure("drag", "Speed of a cube dragged by 4 g t.", "CB figure 14: it slips at 0.1 s.") as axes:
        axes.plot(t, exact, color="0.6", label="closed form")
        for model, v in speeds.items():
            axes.plot(t, v, label=model, linestyle="-" if model in RIGID else ":")
        axes.set_xlabel("time [s]")
        axes.set_ylabel("speed [m/s]")
        axes.legend()
