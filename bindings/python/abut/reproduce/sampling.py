"""Numbers of a world over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from abut import RecordingWriter, World


def sample(world: World, steps: int, **quantities: Callable[[World], float]) -> dict[str, np.ndarray]:
    """Takes steps, and after each evaluates the quantities: arrays of `steps` numbers by name, and the
    times as "time" [s]."""
    rows: list[list[float]] = []

    def look(world: World) -> None:
        rows.append([world.time, *(quantity(world) for quantity in quantities.values())])

    world.step(steps, callback=look)
    table = np.asarray(rows)
    return {name: table[:, i] for i, name in enumerate(["time", *quantities])}


def record(world: World, steps: int, path: Any, frame_rate: float = 60) -> None:
    """Takes steps and records them."""
    with RecordingWriter(path, world, frame_rate=frame_rate) as recording:
        world.step(steps, recording=recording)


def crossings(time: np.ndarray, value: np.ndarray, level: float = 0.0) -> np.ndarray:
    """When a sampled value crosses a level, by straight lines in between."""
    above = value > level
    i = np.flatnonzero(above[1:] != above[:-1])
    return time[i] + (level - value[i]) / (value[i + 1] - value[i]) * (time[i + 1] - time[i])


def slope(x: Any, y: Any) -> float:
    """Of the straight line through log y over log x."""
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)[0])
