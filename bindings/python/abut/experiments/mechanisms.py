"""Baraff's mechanisms: by contact forces of each instant, and by impulses of steps.

Ladder, stack, wedge and arch stand; the block feeder and the double-action jack work. Each is stepped by `accelerations` and by the
default scheme, under NCP, at 2 ms. Steps that have not converged are counted: they say so themselves. The feeder is filled again
every 8 s, and pushes by up to 1 % farther or less far each time.

The ladder's wall and the wedge's planes bear what statics says. Of steps that count as converged it is also looked, in the
contacts' forces, that nothing pulls and no friction is beyond μ times the normal force.
"""

import math
import time
from pathlib import Path

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "BARAFF 7, figures 1 and 2"

FOLDER = Path(__file__).parent / "mechanisms"
STATICS = ("ladder", "stack", "wedge", "arch")
WORKING = ("feeder", "jack")
SCHEMES = ("accelerations", "symplectic-euler")
STEP, GRAVITY, SIZE = 2e-3, 9.81, 0.1  # s, m/s², the height of a block [m]
TOLERANCE = 1e-6  # of step errors
FILLED = 8.0  # s, the feeder


def world_of(name: str, scheme: str) -> abut.World:
    return abut.World(abut.load(str(FOLDER / f"{name}.xml")), model="ncp", scheme=scheme, time_step=STEP)


def control(world: abut.World, name: str, share: float) -> None:
    """What the scene files' controllers do; `share`: of the feeder's way."""
    t = world.time
    if name == "feeder":
        world.set_control("pusher", share * (0.2 - 0.2 * math.cos(math.pi * t)))
    elif name == "jack":
        lift = 0.05 * math.sin(0.5 * math.pi * t)
        world.set_control("left", lift)
        world.set_control("right", -lift)


def side_force(world: abut.World) -> float:
    """What contacts of the side bear that bears more: the ladder's wall, one of the wedge's planes [N]."""
    contacts = world.contacts
    x, force = contacts["normal"][:, 0], contacts["normal_force"]
    return float(max(force[x > 0.5].sum(), force[x < -0.5].sum()))


def simulate(name: str, scheme: str, duration: float) -> dict:
    random = np.random.default_rng(1)
    world, share = world_of(name, scheme), 1.0
    flagged = unflagged = 0
    depth = beyond = 0.0
    wall = 0.0
    for step in range(round(duration / STEP)):
        if name == "feeder" and step and step % round(FILLED / STEP) == 0:
            world, share = world_of(name, scheme), 1 + 0.01 * random.uniform(-1, 1)
        start = time.perf_counter()
        control(world, name, share)
        report = world.step()
        wall += time.perf_counter() - start
        converged = report.status == "converged"
        flagged += not converged
        unflagged += converged and not report.certificate.step_error <= TOLERANCE
        contacts = world.contacts
        if len(contacts) == 0:
            continue
        depth = max(depth, -float(contacts["gap"].min()))
        if converged:
            normal = contacts["normal_force"]
            rubs = np.linalg.norm(contacts["friction_force"], axis=1) - contacts["friction"] * normal
            beyond = max(beyond, float(np.max(np.maximum(rubs, -normal)) / max(1.0, np.max(np.abs(normal)))))
    finite = bool(np.all(np.isfinite(world.positions)))
    return {"factor": duration / wall, "depth": depth / SIZE, "flagged": flagged, "unflagged": unflagged + (not finite), "beyond": beyond,
            "force": side_force(world) if name in ("ladder", "wedge") else math.nan}


def statics(name: str) -> float:
    """[N]"""
    if name == "wedge":
        return 2 * GRAVITY / (2 * math.sin(0.4))
    slope = math.radians(60)
    return 10 * GRAVITY * 4 * math.cos(slope) / (2 * (0.02 + 4 * math.sin(slope)))


def run(run: Run) -> None:
    cases = [(name, scheme) for name in STATICS + WORKING for scheme in SCHEMES]

    def duration(case: tuple[str, str]) -> float:
        if case[0] in WORKING:
            return run.pick(10.0, 600.0 if case[1] == "accelerations" else 60.0)
        return run.pick(1.0, 10.0)

    columns: dict[str, list] = {"scene": [], "scheme": [], "simulated [s]": [], "times real time [-]": [],
                                "depth over size [-]": [], "flagged steps": []}
    for name, scheme in run.cases(cases, cost=duration):
        seconds = duration((name, scheme))
        result = simulate(name, scheme, seconds)
        for column, value in zip(columns.values(), (name, scheme, seconds, result["factor"], result["depth"], result["flagged"]),
                                 strict=True):
            column.append(value)
        label = f"{name}, {scheme}"
        run.near(f"{label}: steps with errors that do not say so", result["unflagged"], 0, source="the certificate")
        run.at_most(f"{label}: depth over size", result["depth"], 1e-3, source="rigid bodies")
        run.at_most(f"{label}: forces outside the cone, of the largest", result["beyond"], 1e-5, source="Coulomb's law")
        if name in ("ladder", "wedge"):
            run.near(f"{label}: force", result["force"], statics(name), relative=1e-6, unit="N", source="statics")
    run.table("runs", "mechanisms, step by step", columns)
