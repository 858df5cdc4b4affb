#!/usr/bin/env python3
"""Writes clutter scenes: spheres and boxes in columns that fall into an open box.

    make_clutter.py {wide|tall} BODIES FILE_STEM [SEED]

wide: columns of 10 on a 0.4 m grid, in a box of side 0.4 m times the grid, so that piles spread.
tall: always 4 columns in a box of side 0.8 m, so that they heap up.
FILE_STEM.xml is MJCF, FILE_STEM.json the same for programs that read no MJCF: shape, pos (m),
quat_wxyz, mass (kg), inertia (kg m2), radius or half extent (m). The same numbers give the same
scene on every machine; another SEED gives another heap of the same kind.
"""

import json
import math
import random
import sys

RADIUS, DENSITY, PITCH = 0.05, 1000.0, 0.4


def make(kind, count, seed=""):
    rng = random.Random(f"{kind} {count} {seed}".rstrip())
    grid = 2 if kind == "tall" else max(1, math.ceil(math.sqrt(count / 10)))
    columns = grid * grid
    bodies = []
    for i in range(count):
        column, level = (i % columns, i // columns) if kind == "tall" else divmod(i, 10)
        x, y = divmod(column, grid)
        pos = [
            (x - (grid - 1) / 2) * PITCH + rng.uniform(-0.01, 0.01),
            (y - (grid - 1) / 2) * PITCH + rng.uniform(-0.01, 0.01),
            0.1 + 0.15 * level,
        ]
        yaw = rng.uniform(-math.pi, math.pi)
        tilt = [rng.uniform(-0.03, 0.03) for _ in range(2)]
        quat = [math.cos(yaw / 2), tilt[0], tilt[1], math.sin(yaw / 2)]
        norm = math.sqrt(sum(q * q for q in quat))
        quat = [q / norm for q in quat]
        body = {"shape": rng.choice(["sphere", "box"]), "pos": pos, "quat_wxyz": quat}
        if body["shape"] == "sphere":
            mass = DENSITY * 4 / 3 * math.pi * RADIUS**3
            body |= {"mass": mass, "inertia": 0.4 * mass * RADIUS**2, "radius": RADIUS}
        else:
            mass = DENSITY * (2 * RADIUS) ** 3
            body |= {"mass": mass, "inertia": mass * (2 * RADIUS) ** 2 / 6, "half": RADIUS}
        bodies.append(body)
    return {"N": count, "kind": kind, "side": grid * PITCH, "mu": 1.0, "gravity": 9.81,
            "bodies": bodies}


def to_mjcf(scene):
    half = scene["side"] / 2
    lines = [
        '<mujoco><size memory="2G"/><option gravity="0 0 -9.81"/>',
        '<default><geom condim="3" friction="1.0 0 0"/></default><worldbody>',
        '<geom type="plane" size="0 0 1"/>',
        f'<geom name="xm" type="plane" size="0 0 1" pos="{-half} 0 0" euler="0 90 0"/>',
        f'<geom name="xp" type="plane" size="0 0 1" pos="{half} 0 0" euler="0 -90 0"/>',
        f'<geom name="ym" type="plane" size="0 0 1" pos="0 {-half} 0" euler="-90 0 0"/>',
        f'<geom name="yp" type="plane" size="0 0 1" pos="0 {half} 0" euler="90 0 0"/>',
    ]
    for b in scene["bodies"]:
        size = RADIUS if b["shape"] == "sphere" else f"{RADIUS} {RADIUS} {RADIUS}"
        pos, quat = (" ".join(repr(x) for x in b[k]) for k in ("pos", "quat_wxyz"))
        lines.append(f'<body pos="{pos}" quat="{quat}"><freejoint/>'
                     f'<geom type="{b["shape"]}" size="{size}" density="1000"/></body>')
    return "\n".join(lines + ["</worldbody></mujoco>", ""])


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in ("wide", "tall"):
        sys.exit(__doc__)
    scene = make(sys.argv[1], int(sys.argv[2]), *sys.argv[4:])
    with open(sys.argv[3] + ".xml", "w") as f:
        f.write(to_mjcf(scene))
    with open(sys.argv[3] + ".json", "w") as f:
        json.dump(scene, f)


if __name__ == "__main__":
    main()
