"""A quadruped under model-predictive control, on flat and on bumpy ground, by every model.

Solo-12 trots. Every 20 ms the forces of its feet are planned over the next 0.24 s, as a quadratic program for its centroid; torques
of legs on the ground are −Jᵀ f, swinging legs follow a path to the next foothold (`_trot.py`). On flat ground with μ = 0.9 it is to
go at 0.3 m/s, and feet hold. On bumps of 0.1 m from top to bottom with μ = 0.3 it is to go at 0.4 m/s, and the plan takes the
ground for rougher than it is, μ = 0.45, so that feet slide. The control does not know the ground. Bumps and speed are such that the
robot falls under no model; where it falls there is nothing to compare.

The same control, ground and start for all models, steps of 1 ms. How far a model's velocity of the base is from that under the NCP is
the mean length of the difference after the first second. Another solver of the NCP tells how much of
that is chaos. What differs little in friction may still go far: one foot that slips at 3.4 s, or does not, decides what comes after.
The NCP's complementarity [CB 15] is that of the certificate, of every step and all models.
"""

from dataclasses import dataclass

import numpy as np

import abut
from abut.experiments import _robots, _trot
from abut.reproduce.run import Run

SOURCE = "CB figures 18 and 19"

STEP, SETTLED = 1e-3, 1.0  # s
RIGID = (("ncp", None), ("ncp", "admm"), ("ccp", None), ("raisim", None), ("lcp", None))
OTHERS = (("sap", None), ("lagged", None), ("similar", None), ("anchored", None))
PLANE = '<geom size="0 0 1" type="plane" friction="0.9 0 0"/>'  # of the robot's file
SIZE, CELLS = (4.0, 2.0), (161, 81)  # of the bumpy ground along x and y [m], points


@dataclass
class Ground:
    name: str
    friction: float
    plan: float  # friction of the plan's cones
    speed: float  # m/s
    bumps: float  # m


FLAT, BUMPY = Ground("flat", 0.9, 0.6, 0.3, 0.0), Ground("bumpy", 0.3, 0.45, 0.4, 0.1)


def heights(bumps: float) -> np.ndarray:
    """Of points along y and x [m]: twelve waves of 0.4 m to 1 m, flat about the start, 0.8 m from the end of the field."""
    random = np.random.default_rng(3)
    x, y = np.meshgrid(np.linspace(-0.8, SIZE[0] - 0.8, CELLS[0]), np.linspace(-SIZE[1] / 2, SIZE[1] / 2, CELLS[1]))
    z = np.zeros_like(x)
    for _ in range(12):
        length, heading, phase = random.uniform(0.4, 1), random.uniform(0, 2 * np.pi), random.uniform(0, 2 * np.pi)
        z += length * np.cos(2 * np.pi / length * (x * np.cos(heading) + y * np.sin(heading)) + phase)
    far = np.clip((np.hypot(x, y) - 0.35) / 0.4, 0, 1)
    z *= bumps / np.ptp(z)
    return (z - z[CELLS[1] // 2, 32]) * far * far * (3 - 2 * far)


def scene(ground: Ground) -> abut.Scene:
    text = (_robots.FOLDER / "solo12.xml").read_text()
    if ground.bumps:
        z = heights(ground.bumps)
        low, high = float(z.min()), float(z.max())
        numbers = " ".join(f"{(value - low) / (high - low):.5f}" for value in z.ravel())
        field = (f"<asset><hfield name='ground' nrow='{CELLS[1]}' ncol='{CELLS[0]}' elevation='{numbers}' "
                 f"size='{SIZE[0] / 2} {SIZE[1] / 2} {high - low} 0.1'/></asset>")
        assert PLANE in text
        text = text.replace("<worldbody>", field + "<worldbody>", 1)
        text = text.replace(PLANE, f"<geom type='hfield' hfield='ground' pos='{SIZE[0] / 2 - 0.8} 0 {low}'/>")
    robot = abut.load_scene_text(text)
    for geom in robot.geoms:
        geom.friction = ground.friction
    _trot.motors(robot)
    return robot


def world(ground: Ground, model: str, solver: str | None) -> tuple[abut.World, _trot.Trot]:
    w = abut.World(scene(ground), model=model, solver=solver, time_step=STEP, tolerance=1e-6, timed=True)
    w.set_keyframe("stand")
    trot = _trot.Trot(w, ground.speed, ground.plan)
    w.add_controller(trot, [f"{leg}_{joint}" for leg in _trot.LEGS for joint in _trot.JOINTS])
    return w, trot


@dataclass
class Walk:
    """By step, but where said."""

    velocity: np.ndarray  # of the base [m/s]
    criterion: np.ndarray  # complementarity of the NCP [N m/s²]
    slides: np.ndarray  # does a foot, by more than 1 mm/s
    unsolved: int  # steps
    tilt: float  # of the base in the end [rad]
    seconds: float  # for a step, mean


def walk(ground: Ground, model: str, solver: str | None, duration: float) -> Walk:
    w, trot = world(ground, model, solver)
    rows, unsolved, seconds = [], 0, 0.0
    for _ in range(round(duration / STEP)):
        report = w.step()
        contacts = w.contacts
        across = contacts["velocity"] - np.sum(contacts["velocity"] * contacts["normal"], axis=1, keepdims=True) * contacts["normal"]
        slides = len(contacts) > 0 and float(np.max(np.linalg.norm(across, axis=1))) > 1e-3
        rows.append((*w.linear_velocities[0], report.certificate.ncp_complementarity, slides))
        unsolved += report.status != "converged"
        seconds += report.solve.seconds
    table = np.array(rows)
    _, angles = trot.tilt()
    return Walk(table[:, :3], table[:, 3], table[:, 4] > 0, unsolved, float(np.max(np.abs(angles[:2]))), seconds / len(rows))


def away(a: Walk, b: Walk) -> float:
    """Mean length of the difference of velocities [m/s]."""
    settled = round(SETTLED / STEP)
    return float(np.mean(np.linalg.norm(a.velocity[settled:] - b.velocity[settled:], axis=1)))


def run(run: Run) -> None:
    models = RIGID + run.pick((), OTHERS)
    duration = run.pick(4.0, 5.0)
    walks: dict[tuple[str, str], Walk] = {}
    for ground, (model, solver) in run.cases([(g, m) for g in (FLAT, BUMPY) for m in models], until=0.95):
        walks[ground.name, f"{model}, {solver}" if solver else model] = walk(ground, model, solver, duration)
    names = [f"{model}, {solver}" if solver else model for model, solver in models]
    settled = round(SETTLED / STEP)
    for ground in (FLAT, BUMPY):
        ncp = walks[ground.name, "ncp"]
        for name in names:
            check(run, ground, name, walks[ground.name, name], ncp)
        run.table(ground.name, f"{ground.name} ground", {
            "model": names,
            "mean velocity along x [m/s]": [float(np.mean(walks[ground.name, n].velocity[settled:, 0])) for n in names],
            "from the NCP's [m/s]": [away(walks[ground.name, n], ncp) for n in names],
            "steps in which a foot slides [%]": [100 * float(np.mean(walks[ground.name, n].slides)) for n in names],
            "largest complementarity of the NCP [N m/s^2]": [float(np.max(walks[ground.name, n].criterion)) for n in names],
            "unsolved steps": [walks[ground.name, n].unsolved for n in names],
            "solve [us]": [1e6 * walks[ground.name, n].seconds for n in names]})
    run.at_least("ncp: steps in which a foot slides, bumpy over flat", np.mean(walks["bumpy", "ncp"].slides) / np.mean(walks["flat", "ncp"].slides),
                 2, source="CB IV-D: mainly sticking on flat ground")
    for ground in (FLAT, BUMPY):
        draw(run, ground, {name: walks[ground.name, name] for name in names})
    run.replay("replay", "NCP, on bumpy ground", world(BUMPY, "ncp", None)[0], round(duration / STEP))


def check(run: Run, ground: Ground, name: str, w: Walk, ncp: Walk) -> None:
    here = f"{ground.name}, {name}"
    settled = round(SETTLED / STEP)
    if ground is FLAT:
        run.near(f"{here}: mean velocity along x", np.mean(w.velocity[settled:, 0]), ground.speed, relative=0.05, unit="m/s",
                 source="the target")
        run.at_most(f"{here}: velocity less that of the NCP, at most, of the target's", np.max(np.abs(w.velocity - ncp.velocity)) / ground.speed,
                    0.05, source="CB figure 18: hardly affected")
    elif name == "ncp, admm":
        run.at_most(f"{here}: mean distance from the NCP's velocity, of the target's", away(w, ncp) / ground.speed, 0.01,
                    source="another solver, the same model")
    elif name in ("ccp", "raisim"):
        run.at_least(f"{here}: mean distance from the NCP's velocity, of the target's", away(w, ncp) / ground.speed, 0.05,
                     source="CB figure 19: deviates significantly")
        run.at_least(f"{here}: largest complementarity of the NCP, over that under the NCP", np.max(w.criterion) / np.max(ncp.criterion), 100,
                     source="CB figure 19: violated where feet slide")
    if name.startswith("ncp"):
        run.at_most(f"{here}: unsolved steps", w.unsolved, 0, source="every step is certified")
    run.at_most(f"{here}: tilt in the end", w.tilt, 0.3, unit="rad", source="it does not fall")


def draw(run: Run, ground: Ground, walks: dict[str, Walk]) -> None:
    paper = {"flat": "CB figure 18: the models reach the same velocity; the NCP's criterion is hardly violated.",
             "bumpy": "CB figure 19: velocities differ between models; RaiSim and CCP violate the criterion where feet slide."}[ground.name]
    with run.figure(ground.name, f"On {ground.name} ground: velocity of the base along x, means of 0.16 s (left); complementarity of the NCP, "
                    "largest of 50 ms (right).", paper, columns=2) as (left, right):
        for name, w in walks.items():
            if name in ("similar", "anchored", "ncp, admm"):
                continue
            mean = np.convolve(w.velocity[:, 0], np.full(160, 1 / 160), mode="valid")
            left.plot(STEP * np.arange(160, len(w.velocity) + 1), mean, label=name, linewidth=1)
            blocks = w.criterion[:len(w.criterion) // 50 * 50].reshape(-1, 50)
            right.semilogy(0.05 * np.arange(1, len(blocks) + 1), np.maximum(blocks.max(axis=1), 1e-8), label=name, linewidth=1)
        for axes in (left, right):
            axes.set_xlabel("time [s]")
        left.set_ylabel("velocity [m/s]")
        right.set_ylabel("complementarity [N m/s²]")
        left.legend(fontsize=7)
