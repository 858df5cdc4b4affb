"""A ball hits a robot, and momentum stays.

The momentum test of SimBenchmark (Kang and Hwangbo): a ball of 10 kg at 5 m/s hits a quadruped that floats without gravity,
limits and damping of its joints. The momentum of both is 50 N s before and ever after. Here the robot has a trunk of 16 kg and
four legs of 2.5 kg with three hinges each, which meet nothing; the ball hits its trunk from behind off the middle, so that all
of it turns. The impact is inelastic: d = 10 s/m, and τ_d = 10 ms for SAP, whose contact would bounce the more the shorter the
step is.

An impulse of contact gives the ball what it takes from the robot, exactly. Of the robot's tree it is M(q) (v − v₀) = Jᵀ γ, and
momentum is a linear function of v at one q: what changes it is that q goes on within the step. Each scheme errs there in its
order in flight, 1 or 2, and in the first order under impulses, which Coriolis forces do not know of (docs/stepping.md). With an
accuracy the step of symplectic Euler goes with its root, that of midpoint in impacts with its cube root.

The same robot as nine free bodies with ball joints in place of hinges, held together by constraints, has no such error: each
impulse acts on two bodies, and the momentum of a free body is m v. What is left of 50 N s is round-off.

Kinetic energy is at most that of the ball, 125 J, and at least what the momentum leaves, p²/(2 (m + M)) = 35 J.
"""

from typing import Any

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "SimBenchmark, the momentum test"

BALL, SPEED, END = 10.0, 5.0, 2.0  # kg, m/s, s
MODELS = ("sap", "lagged", "similar", "anchored", "ncp", "ccp", "raisim")
SCHEMES = ("symplectic-euler", "midpoint")

CORNERS = {"left_fore": (0.35, 0.25), "right_fore": (0.35, -0.25), "left_hind": (-0.35, 0.25), "right_hind": (-0.35, -0.25)}
LINK = "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='{0}' mass='{1}' contype='0' conaffinity='0'/>"
THIGH, SHANK = LINK.format(0.03, 2), LINK.format(0.02, 0.5)
TRUNK = "<geom type='box' size='.3 .2 .1' mass='16'/>"
HITTER = f"<body name='ball' pos='-5 .1 2.05'><freejoint/><geom size='.2' mass='{BALL}'/></body>"
SCENE = "<mujoco><option gravity='0 0 0'/><worldbody>{0}" + HITTER + "</worldbody><equality>{1}</equality></mujoco>"


def tree() -> str:
    """MJCF of the robot by its joints."""
    legs = "".join(f"""<body pos='{x} {y} 0'><joint axis='1 0 0'/><joint axis='0 1 0'/>{THIGH}
        <body pos='0 0 -.25'><joint axis='0 1 0'/>{SHANK}</body></body>""" for x, y in CORNERS.values())
    return SCENE.format(f"<body name='trunk' pos='0 0 2'><freejoint/>{TRUNK}{legs}</body>", "")


def parts() -> str:
    """MJCF of the robot by free bodies."""
    bodies, links = f"<body name='trunk' pos='0 0 2'><freejoint/>{TRUNK}</body>", ""
    for name, (x, y) in CORNERS.items():
        for part, z, geom, parent in (("thigh", 2, THIGH, "trunk"), ("shank", 1.75, SHANK, f"{name}_thigh")):
            bodies += f"<body name='{name}_{part}' pos='{x} {y} {z}'><freejoint/>{geom}</body>"
            links += f"<connect body1='{name}_{part}' body2='{parent}' anchor='0 0 0'/>"
    return SCENE.format(bodies, links)


def turn(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of w, x, y, z."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def momenta(w: abut.World) -> np.ndarray:
    """Momentum [N s] and angular momentum about the origin [N m s], six numbers."""
    linear, angular = np.zeros(3), np.zeros(3)
    for body, x, q, v, spin in zip(w.scene.bodies, w.positions, w.orientations, w.linear_velocities, w.angular_velocities):
        rotation = turn(q)
        momentum = body.mass * v
        linear += momentum
        angular += np.cross(x + rotation @ body.center_of_mass, momentum) + rotation @ body.inertia @ rotation.T @ spin
    return np.concatenate([linear, angular])


def world(scene: abut.Scene, **options: Any) -> abut.World:
    w = abut.World(scene, relaxation_time=1e-2, **options)
    w.set_body_state("ball", linear_velocity=[SPEED, 0, 0])
    return w


def follow(w: abut.World) -> dict[str, np.ndarray]:
    """Every 0.02 s: time, errors of momentum [N s] and angular momentum [N m s], kinetic energy [J]."""
    exact = momenta(w)
    rows = []
    for _ in range(round(END / 0.02)):
        w.step(round(0.02 / w.time_step))
        off = momenta(w) - exact
        rows.append((w.time, np.linalg.norm(off[:3]), np.linalg.norm(off[3:]), w.kinetic_energy))
    return dict(zip(("time", "linear", "angular", "energy"), np.array(rows).T))


def run(run: Run) -> None:
    jointed, freed = (abut.load_scene_text(text()) for text in (tree, parts))
    run.near("momentum before the impact", momenta(world(jointed))[0], BALL * SPEED, absolute=1e-12, unit="N s", source="m v")
    apart(run, freed)
    energies = fixed(run, jointed)
    energies += controlled(run, jointed)
    mass = sum(body.mass for body in jointed.bodies)
    run.at_least("least kinetic energy after the impact, of all runs with joints", min(energies), (BALL * SPEED) ** 2 / (2 * mass),
                 unit="J", source="what the momentum leaves")
    run.at_most("largest of them", max(energies), BALL * SPEED**2 / 2, unit="J", source="what the ball has")
    shown = world(jointed, scheme="midpoint", time_step=1e-3, model="lagged")
    run.replay("replay", "Lagged, midpoint, steps of 1 ms", shown, round(END / 1e-3))


def apart(run: Run, scene: abut.Scene) -> None:
    """Of free bodies."""
    step = run.pick(4e-3, 1e-3)
    for model, scheme in run.cases([(model, scheme) for model in MODELS for scheme in SCHEMES], until=0.3):
        motion = follow(world(scene, model=model, scheme=scheme, time_step=step))
        run.at_most(f"{model}, {scheme}, {1e3 * step:g} ms: error of the momentum of free bodies, any time", np.max(motion["linear"]), 1e-9,
                    unit="N s", source="Newton's third law: round-off")


def fixed(run: Run, scene: abut.Scene) -> list[float]:
    steps = [4e-3, 2e-3, 1e-3] + run.pick([], [5e-4, 2.5e-4])
    models = run.pick(("lagged",), MODELS)
    columns: dict[str, list[float]] = {"step [s]": steps}
    energies, shown = [], {}
    for model, scheme in run.cases([(model, scheme) for model in models for scheme in SCHEMES], until=0.8):
        motions = [follow(world(scene, model=model, scheme=scheme, time_step=step)) for step in steps]
        for kind, unit in (("linear", "N s"), ("angular", "N m s")):
            columns[f"{model}, {scheme}: {kind} [{unit}]"] = [motion[kind][-1] for motion in motions]
        energies += [float(motion["energy"][-1]) for motion in motions]
        run.near(f"{model}, {scheme}: order of the error of the momentum", slope(steps, columns[f"{model}, {scheme}: linear [N s]"]), 1,
                 absolute=0.2, source="first order under impulses")
        if model == "lagged":
            shown[scheme] = motions[2]
    run.table("momentum", "errors of momentum and angular momentum after 2 s", columns)
    with run.figure("momentum", "Error of the momentum over time, Lagged with steps of 1 ms (left), and after 2 s (right, all models; dotted: "
                    "first order). Under midpoint it comes with the impact, and stays.", columns=2) as (left, right):
        for scheme, motion in shown.items():
            line = left.semilogy(motion["time"], motion["linear"], label=scheme)[0]
            for model in models:
                right.loglog(steps, columns[f"{model}, {scheme}: linear [N s]"], color=line.get_color(), marker="o", markersize=4)
        right.loglog(steps, 0.3 * np.array(steps) / steps[0], color="0.6", linestyle=":")
        left.set_ylim(1e-4, 1)
        left.set_xlabel("time [s]")
        right.set_xlabel("time step [ms]")
        right.set_xticks(steps, [f"{1e3 * step:g}" for step in steps])
        right.set_xticks([], minor=True)
        left.set_ylabel("error of the momentum [N s]")
        left.legend()
    return energies


def controlled(run: Run, scene: abut.Scene) -> list[float]:
    accuracies = [1e-4, 1e-5, 1e-6] + run.pick([], [1e-7])
    columns: dict[str, list[float]] = {"accuracy [-]": accuracies}
    energies = []
    for scheme, order in run.cases(list(zip(SCHEMES, (1 / 2, 1 / 3)))):
        motions = [follow(world(scene, model="lagged", scheme=scheme, time_step=1e-2, accuracy=a)) for a in accuracies]
        columns[f"{scheme} [N s]"] = [motion["linear"][-1] for motion in motions]
        energies += [float(motion["energy"][-1]) for motion in motions]
        run.near(f"lagged, {scheme}: order of the error of the momentum in the accuracy", slope(accuracies, columns[f"{scheme} [N s]"]),
                 order, absolute=0.1, source="the step goes with the root, or the cube root")
    run.table("accuracy", "error of the momentum after 2 s, by accuracy", columns)
    return energies
