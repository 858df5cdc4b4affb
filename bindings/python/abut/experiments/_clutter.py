"""The clutter of the papers: columns of spheres and boxes over an open box."""

from __future__ import annotations

from typing import Any

import numpy as np

import abut

WIDTH = 0.8  # m, of the box
SIZE = 0.1  # m: diameter of spheres, side of boxes
DENSITY = 1000.0  # kg/m^3: 0.524 kg and 1 kg

SHARP = 1e-9  # for σ: the slip tolerance is v_s
VARIANTS: dict[str, dict[str, Any]] = {
    "sap": {"model": "sap"},
    "lagged": {"model": "lagged", "lagged_rule": "state", "sigma": SHARP},
    "lagged, regularized": {"model": "lagged", "lagged_rule": "state"},
    "similar": {"model": "similar", "sigma": SHARP},
    "lagged, rule of abut": {"model": "lagged"},
}
"""Models and rules of ICFT X-A."""


def clutter(columns: int, rows: int, walls: bool = True, seed: int = 1) -> abut.Scene:
    """columns x rows bodies, each a sphere or a box by chance, those of a column one above the other and a little
    off its axis. The walls are half-spaces."""
    random = np.random.default_rng(seed)
    scene = abut.Scene()
    scene.add_ground()
    if walls:
        half = np.sqrt(0.5)
        for name, position, turn in (("left", (-1, 0), (half, 0, half, 0)), ("right", (1, 0), (half, 0, -half, 0)),
                                     ("front", (0, -1), (half, -half, 0, 0)), ("back", (0, 1), (half, half, 0, 0))):
            scene.add_geom(abut.Shape.plane(), name=name, orientation=turn,
                           position=[WIDTH / 2 * position[0], WIDTH / 2 * position[1], 0])
    side = int(np.ceil(np.sqrt(columns)))
    spacing = WIDTH / side
    for column in range(columns):
        center = spacing * (np.array(divmod(column, side)) - (side - 1) / 2)
        for row in range(rows):
            shape = abut.Shape.sphere(SIZE / 2) if random.random() < 0.5 else abut.Shape.box([SIZE / 2] * 3)
            offset = random.uniform(-0.1 * SIZE, 0.1 * SIZE, 2)
            scene.add_body(f"body{column * rows + row}", shape, density=DENSITY,
                           position=[*(center + offset), 0.1 + 1.3 * SIZE * row])
    return scene


def world(variant: str, seed: int = 1, solver: str = "newton-paper", **options: float) -> abut.World:
    """40 bodies with the numbers of ICFT X-A, by default with the papers' Newton method."""
    settings = VARIANTS[variant] | {"time_step": 2e-3, "stiffness": 1e7, "dissipation": 10,
                                          "relaxation_time": 1e-4, "friction": 1.0, "tolerance": 1e-5} | options
    return abut.World(clutter(4, 10, seed=seed), solver=solver, **settings)
