"""Balls fall on a heap: how deep they are in each other, and where their energy goes.

The 666 test of SimBenchmark (Kang and Hwangbo): 6 × 6 × 6 balls of 10 kg and 0.1 m, 0.21 m apart and each off its place by up
to a millimetre, fall by a metre onto open ground without friction. The heap spreads, until each ball slides on its own: then
each is m g/k = 9.81 µm deep, for k = 10⁷ N/m. Without friction Anchored is Lagged. A quick run has 3 × 3 × 3 balls, and 50 in a
bin.

And 666 of them with friction, in a bin of 1.26 m: they stay a heap. There no contact that is at rest bears more than all their
weight, or is deeper than that over k. What ground and walls have given by impulses is the change of momentum and what gravity
took.

Kinetic and potential energy together with that of the springs, ½ k x² of a depth x, do not rise. In free flight a step of
symplectic Euler loses ½ m g² h² of each ball; in contact the steps take more from the bodies than the springs get; the gap of
two balls is a convex function of where they are, so that a step ends no deeper than it reckoned. Anchored's springs along the
surfaces, no softer than the others, hold up to μ² times as much as those do, and may give it back.

As no energy is made, no depth is beyond √(2 E/k) of the energy E that there was at first.
"""

import math
import time

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "SimBenchmark, the 666 test"

GRAVITY, RADIUS, MASS, STIFFNESS = 9.81, 0.1, 10.0, 1e7
GAP, HEIGHT, SCATTER = 0.21, 1.101, 1e-3  # m
STEP = 2e-3  # s
MODELS = ("sap", "lagged", "similar", "anchored")


def world(model: str, side: int, count: int, friction: float) -> abut.World:
    """Layers of side × side balls, from the bottom up; in a bin if there is friction."""
    random, scene = np.random.default_rng(42), abut.Scene()
    scene.add_ground()
    if friction:
        half, far = math.sqrt(0.5), (side - 0.5) * GAP
        for name, at, turn in (("left", (-GAP / 2, 0), (half, 0, half, 0)), ("right", (far, 0), (half, 0, -half, 0)),
                               ("front", (0, -GAP / 2), (half, -half, 0, 0)), ("back", (0, far), (half, half, 0, 0))):
            scene.add_geom(abut.Shape.plane(), name=name, orientation=turn, position=[*at, 0])
    for i in range(count):
        layer, place = divmod(i, side * side)
        x, y = divmod(place, side)
        scene.add_body(f"ball{i}", abut.Shape.sphere(RADIUS), mass=MASS,
                       position=np.array([GAP * x, GAP * y, GAP * layer + HEIGHT]) + SCATTER * random.random(3))
    return abut.World(scene, model=model, time_step=STEP, stiffness=STIFFNESS, friction=friction)


def fall(w: abut.World, end: float) -> dict[str, np.ndarray]:
    """Of each step: time [s], energy of the bodies at its end, of the springs at its start [J], deepest contact at its start, mean depth [m], force of
    ground and walls upwards [N], whether it converged; and seconds for a step."""
    rows: list[tuple[float, ...]] = []

    def look(w: abut.World) -> None:
        c = w.contacts
        depth = np.maximum(-c["gap"] - c["allowance"], 0)
        fixed = c[c["body_a"] < 0]
        up = fixed["normal_force"] * fixed["normal"][:, 2] + fixed["friction_force"][:, 2]
        assert w.report
        rows.append((w.time, w.kinetic_energy + w.potential_energy, STIFFNESS / 2 * np.sum(depth**2), np.max(depth, initial=0),
                     np.sum(depth) / max(1, np.count_nonzero(depth)), np.sum(up), w.report.solve.converged))

    begin = time.perf_counter()
    w.step(round(end / STEP), callback=look)
    seconds = (time.perf_counter() - begin) / len(rows)
    names = ("time", "bodies", "springs", "deepest", "depth", "up", "converged")
    return dict(zip(names, np.array(rows, float).T)) | {"seconds": np.array(seconds)}


def judge(run: Run, name: str, w: abut.World, motion: dict[str, np.ndarray], first: float, friction: float) -> None:
    """`first` is the energy at first [J]."""
    energy = motion["bodies"][:-1] + motion["springs"][1:]
    rise = float(np.max(energy - np.minimum.accumulate(energy)))
    held = friction**2 * float(np.max(motion["springs"])) if w.model == "anchored" else 0.0
    run.at_most(f"{name}: rise of the energy", rise, held + 1e-9 * first, unit="J",
                source="none: round-off" + (", and what its springs along the surfaces may hold" if held else ""))
    run.at_least(f"{name}: steps that converge", 100 * float(np.mean(motion["converged"])), 100, unit="%", source="a convex problem")
    weight = len(w.moving) * MASS * GRAVITY
    given, time = STEP * float(np.sum(motion["up"])), float(motion["time"][-1])
    change = MASS * float(np.sum(w.linear_velocities[:, 2]))
    run.near(f"{name}: what ground and walls gave upwards", given, weight * time + change, relative=1e-6, unit="N s",
             source="gravity and the change of momentum; the solver's tolerance")


def run(run: Run) -> None:
    side = run.pick(3, 6)
    heap, end = run.pick(50, 666), run.pick(1.2, 1.5)
    opened = drop(run, "open", side, side**3, 0.0, run.pick(3.0, 5.0), 0.4)
    drop(run, "bin", side, heap, 0.5, end, 0.98)
    with run.figure("energy", "Energy of the balls and of the springs, of the first (left), and the deepest contact (right; dotted: m g/k), "
                    "on open ground without friction.", columns=2) as (left, right):
        for model, motion in opened.items():
            energy = motion["bodies"][:-1] + motion["springs"][1:]
            left.plot(motion["time"][:-1], energy / energy[0], label=model)
            right.semilogy(motion["time"], np.maximum(motion["deepest"], 1e-9), label=model)
        right.axhline(MASS * GRAVITY / STIFFNESS, color="0.6", linestyle=":")
        left.set_ylabel("energy [-]")
        right.set_ylabel("deepest contact [m]")
        right.set_ylim(1e-6, 1e-1)
        for axes in (left, right):
            axes.set_xlabel("time [s]")
            axes.legend()
    run.replay("replay", "Lagged, in the bin", world("lagged", side, heap, 0.5), round(end / STEP))


def drop(run: Run, place: str, side: int, count: int, friction: float, end: float, until: float) -> dict[str, dict[str, np.ndarray]]:
    """By model."""
    weight = count * MASS * GRAVITY
    motions = {}
    for model in run.cases(MODELS if friction else MODELS[:3], until=until):
        w = world(model, side, count, friction)
        first = w.kinetic_energy + w.potential_energy
        motion = motions[model] = fall(w, end)
        name = f"{place}, {count} balls, {model}"
        judge(run, name, w, motion, first, friction)
        if friction:
            run.at_most(f"{name}: deepest contact at the end", 1e3 * motion["deepest"][-1], 1e3 * weight / STIFFNESS, unit="mm",
                        source="all the weight over k")
        else:
            run.at_most(f"{name}: deepest contact of all", 1e3 * np.max(motion["deepest"]), 1e3 * math.sqrt(2 * first / STIFFNESS), unit="mm",
                        source="√(2 E/k)")
            depths = RADIUS - w.positions[:, 2]
            worst = depths[np.argmax(np.abs(depths - MASS * GRAVITY / STIFFNESS))]
            run.near(f"{name}: depth at the end of the ball that errs most", 1e6 * worst, 1e6 * MASS * GRAVITY / STIFFNESS, relative=1e-3,
                     unit="µm", source="closed form m g/k: each lies on its own")
    run.table(place, f"{count} balls", {"model": list(motions)} | {
        "energy at the end, of the first [-]": [m["bodies"][-1] / m["bodies"][0] for m in motions.values()],
        "deepest of all [m]": [float(np.max(m["deepest"])) for m in motions.values()],
        "deepest at the end [m]": [m["deepest"][-1] for m in motions.values()],
        "mean depth at the end [m]": [m["depth"][-1] for m in motions.values()],
        "time of a step [ms]": [1e3 * float(m["seconds"]) for m in motions.values()]})
    return motions
