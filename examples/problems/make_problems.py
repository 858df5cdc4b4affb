#!/usr/bin/env python3
"""make_problems.py [FOLDER]: writes the friction problems of this folder, by default beside this script.

    box.npz     a box of 1 kg, pulled sideways over the ground; four corners, so that W has rank 6 of 12
    slope.npz   ten boxes on a slope, each pushed by the one above it
    tower.npz   six boxes on top of each other, each ten times as heavy as the one below

Each is one step of 10 ms from rest, as docs/formats/friction_problem.md says: SI units, normals last.
"""

import sys
from pathlib import Path

import numpy as np

STEP, GRAVITY = 0.01, 9.81  # s, m/s^2
CORNERS = np.array([(x, y) for x in (-1, 1) for y in (-1, 1)])


class Step:
    """Bodies that turn with their boxes' inertia, and contacts between them."""

    def __init__(self):
        self.inverse_mass, self.velocity, self.contacts = [], [], []

    def box(self, half, mass, force):
        """Its edges are 2 half long; `force` acts at its center. Returns its index."""
        inertia = mass / 3 * np.array([half[1]**2 + half[2]**2, half[0]**2 + half[2]**2,
                                       half[0]**2 + half[1]**2])
        self.inverse_mass.append(1 / np.array([mass, mass, mass, *inertia]))
        self.velocity.append(np.array([*(STEP / mass * np.array(force)), 0, 0, 0]))
        return len(self.velocity) - 1

    def contact(self, lower, upper, at_lower, at_upper, normal, friction):
        """`at_...`: the point from each body's center; the normal points to the upper body."""
        tangent = np.cross(normal, (0, 1, 0) if abs(normal[1]) < 0.9 else (1, 0, 0))
        tangent = tangent / np.linalg.norm(tangent)
        axes = np.array([tangent, np.cross(normal, tangent), normal])
        parts = []
        for body, at, sign in ((lower, at_lower, -1), (upper, at_upper, 1)):
            if body is not None:
                parts.append((body, sign * np.hstack([axes, np.cross(at, axes)])))
        self.contacts.append((parts, friction))

    def save(self, path):
        n = 3 * len(self.contacts)
        jacobian = np.zeros((n, 6 * len(self.velocity)))
        for i, (parts, _) in enumerate(self.contacts):
            for body, block in parts:
                jacobian[3 * i:3 * i + 3, 6 * body:6 * body + 6] += block
        delassus = jacobian * np.concatenate(self.inverse_mass) @ jacobian.T
        row, column = np.nonzero(delassus)
        np.savez_compressed(
            path, W_row=row.astype(np.int32), W_col=column.astype(np.int32),
            W_val=delassus[row, column], q=jacobian @ np.concatenate(self.velocity),
            mu=np.array([friction for _, friction in self.contacts]), order="TTN", time_step=STEP)


def box():
    step = Step()
    body = step.box((0.5, 0.5, 0.5), 1, (3, 1, -GRAVITY))
    for x, y in 0.5 * CORNERS:
        step.contact(None, body, None, (x, y, -0.5), (0, 0, 1), 0.2)
    return step


def slope():
    """Axes along the slope; the boxes touch face to face, four corners each."""
    step, half, below = Step(), 0.1, None
    for i in range(10):
        mass = 1 + i
        body = step.box((half, half, half), mass,
                        (-mass * GRAVITY * np.sin(0.5), 0, -mass * GRAVITY * np.cos(0.5)))
        for x, y in half * CORNERS:
            step.contact(None, body, None, (x, y, -half), (0, 0, 1), 0.7 - 0.05 * i)
            if below is not None:
                step.contact(below, body, (half, x, y), (-half, x, y), (1, 0, 0), 0.3)
        below = body
    return step


def tower():
    step, half, below = Step(), 0.1, None
    for i in range(6):
        mass = 10.0**i
        body = step.box((half, half, half), mass, (0.2 * mass, 0, -mass * GRAVITY))
        for x, y in half * CORNERS:
            step.contact(below, body, (x, y, half), (x, y, -half), (0, 0, 1), 0.5)
        below = body
    return step


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for make in (box, slope, tower):
        make().save(folder / f"{make.__name__}.npz")
