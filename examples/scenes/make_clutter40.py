#!/usr/bin/env python3
"""make_clutter40.py [FILE]: writes the demo scene, by default clutter40.xml beside this script.

40 boxes, spheres, capsules and cylinders of 5 to 10 cm fall in columns into an open box of 0.6 m.
Lengths in m, densities in kg/m^3. The same numbers on every machine.
"""

import math
import random
import sys
from pathlib import Path

SIDE, WALL, HEIGHT = 0.6, 0.05, 0.35  # inner side, thickness and height of the open box
GRID, PITCH, LEVEL = 3, 0.18, 0.16    # columns per side, their distance, vertical distance
KINDS = ["box"] * 16 + ["sphere"] * 12 + ["capsule"] * 6 + ["cylinder"] * 6
COLORS = {"box": ".85 .45 .25 1", "sphere": ".30 .55 .80 1",
          "capsule": ".45 .70 .40 1", "cylinder": ".80 .70 .30 1"}


def sizes(kind, rng):
    """MJCF's size: half extents; radius; radius and half length."""
    if kind == "box":
        return [rng.uniform(0.025, 0.045) for _ in range(3)]
    if kind == "sphere":
        return [rng.uniform(0.025, 0.05)]
    if kind == "capsule":
        return [rng.uniform(0.0125, 0.02), rng.uniform(0.015, 0.03)]
    return [rng.uniform(0.025, 0.04), rng.uniform(0.025, 0.05)]


def rotation(rng):
    """A unit quaternion (w x y z), uniformly distributed."""
    q = [rng.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


def text(numbers):
    return " ".join(f"{x:.5f}" for x in numbers)


def wall(name, x, y):
    """One wall; (x, y) points from the center to it."""
    at = SIDE / 2 + WALL / 2
    half = [WALL / 2 if x else SIDE / 2 + WALL, WALL / 2 if y else SIDE / 2, HEIGHT / 2]
    return (f'    <geom name="{name}" type="box" size="{text(half)}" '
            f'pos="{text([x * at, y * at, HEIGHT / 2])}" rgba=".6 .6 .6 .3"/>')


def scene():
    rng = random.Random("clutter40")
    kinds = rng.sample(KINDS, len(KINDS))
    lines = [
        '<!-- Written by make_clutter40.py: objects of 5 to 10 cm fall into an open box. -->',
        '<mujoco model="clutter40">',
        '  <option timestep="0.002" gravity="0 0 -9.81"/>',
        '  <default><geom friction="0.5 0.005 0.0001" density="700"/></default>',
        '  <worldbody>',
        '    <geom name="floor" type="plane" size="2 2 0.1" rgba=".8 .8 .8 1"/>',
        wall("wall_left", -1, 0), wall("wall_right", 1, 0),
        wall("wall_front", 0, -1), wall("wall_back", 0, 1),
    ]
    for i, kind in enumerate(kinds):
        level, column = divmod(i, GRID * GRID)
        x, y = divmod(column, GRID)
        pos = [(x - (GRID - 1) / 2) * PITCH + rng.uniform(-0.01, 0.01),
               (y - (GRID - 1) / 2) * PITCH + rng.uniform(-0.01, 0.01), 0.15 + LEVEL * level]
        lines.append(
            f'    <body name="{kind}{i}" pos="{text(pos)}" quat="{text(rotation(rng))}"><freejoint/>'
            f'<geom type="{kind}" size="{text(sizes(kind, rng))}" rgba="{COLORS[kind]}"/></body>')
    return "\n".join(lines + ["  </worldbody>", "</mujoco>", ""])


if __name__ == "__main__":
    default = Path(__file__).with_name("clutter40.xml")
    Path(sys.argv[1] if len(sys.argv) > 1 else default).write_text(scene())
