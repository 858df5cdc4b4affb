"""The robots of ContactBench's experiments: Solo-12 and Talos on the ground, an Allegro hand with a ball."""

from pathlib import Path
from typing import Any

import numpy as np

import abut

FOLDER = Path(__file__).parent / "robots"
ROBOTS = ("solo12", "talos", "allegro")
BASE = "base_link"
PUSH = {"solo12": (20.0, 8.0, 0.0), "talos": (250.0, 120.0, 0.0)}  # N
BALL_FROM = (0.16, 0.02, 0.03)  # above the palm and the fingers; gravity is along -x


def load(robot: str) -> abut.Scene:
    return abut.load(str(FOLDER / f"{robot}.xml"))


def standing(robot: str, **options: Any) -> abut.World:
    """As its keyframe has it; the Allegro hand's ball above it."""
    world = abut.World(load(robot), **options)
    world.set_keyframe("stand")
    if robot == "allegro":
        world.set_body_state(len(world.scene.bodies) - 1, position=BALL_FROM)
    return world


def disturbed(robot: str, steps: int, step: float = 1e-3) -> list[abut.ContactProblem]:
    """Problems of the steps that have contacts: legs are pushed by the base from 0.02 s to 0.12 s, the ball falls."""
    world = standing(robot, model="ncp", time_step=step, tolerance=1e-8)
    problems = []
    for _ in range(steps):
        if robot in PUSH:
            world.set_load(BASE, PUSH[robot] if 0.02 <= world.time < 0.12 else np.zeros(3))
        if world.step().contacts:
            problems.append(world.problem)
    return problems
