"""The sliding rod of ICFT IX-C, for sliding_rod.py and sliding_rod_beyond.py."""

import math
from typing import Any

import numpy as np

import abut

LENGTH, MASS, FRICTION, STIFFNESS, SPEED, GRAVITY = 0.5, 0.3, 2.3, 1e7, 10.0, 9.81
HALF, TIP = LENGTH / 2, 1e-7  # m
WEIGHT = 11.22373  # N: what the ground carries at the start, m g/p(30°)
END = 0.03  # s


def start_depth(model: str, h: float, dissipation: float, relaxation_time: float) -> float:
    """How deep the end is where the model's law carries the rod while it slides [m]."""
    if model == "similar":
        slip = SPEED - 1e-4  # the soft norm
        return WEIGHT / (STIFFNESS * (1 + FRICTION * dissipation * slip)) - FRICTION * h * slip
    if model == "sap":
        angle = math.radians(30)
        along = np.array([math.cos(angle), 0, -math.sin(angle)])
        mobility = (np.eye(3) + 3 * (np.eye(3) - np.outer(along, along))) / MASS  # of the end: 1/m + l²/I across
        horizon = h + relaxation_time
        softer = 1 + FRICTION**2 * 1e-3 * np.linalg.norm(mobility) / 3 * h * horizon * STIFFNESS
        return float(softer * WEIGHT / STIFFNESS - FRICTION * horizon * SPEED)
    return WEIGHT / STIFFNESS


def world(model: str, time_step: float, dissipation: float = 0.0, relaxation_time: float = 0.0,
          depth: float | None = None, **options: Any) -> abut.World:
    angle = math.radians(30)
    inertia = MASS * LENGTH**2 / 12
    if depth is None:
        depth = start_depth(model, time_step, dissipation, relaxation_time)
    scene = abut.Scene()
    scene.add_ground()
    # along its x axis; turned about y so that the end at +x is below
    scene.add_body("rod", mass=MASS, inertia=[1e-3 * inertia, inertia, inertia],
                   position=[0, 0, HALF * math.sin(angle) + TIP - depth],
                   orientation=[math.cos(angle / 2), 0, math.sin(angle / 2), 0], linear_velocity=[SPEED, 0, 0])
    scene.add_geom(abut.Shape.sphere(TIP), "rod", position=[HALF, 0, 0])
    return abut.World(scene, model=model, time_step=time_step, stiffness=STIFFNESS,
                      dissipation=dissipation, relaxation_time=relaxation_time, friction=FRICTION, margin=0.1,
                      tolerance=1e-9, **options)


def simulate(model: str, h: float, dissipation: float = 0.0, relaxation_time: float = 0.0, end: float = END,
             **options: Any) -> dict[str, np.ndarray]:
    rows: list[tuple[float, ...]] = []

    def look(w: abut.World) -> None:
        contacts = w.contacts
        force = contacts["normal_force"][0] if len(contacts) else 0.0
        v, spin, q = w.linear_velocities[0], w.angular_velocities[0, 1], w.orientations[0]
        x, _, z = w.positions[0]
        lag = w.report.certificate.lag_error if w.report else 0.0
        rows.append((w.time, x, z, 2 * math.atan2(q[2], q[0]), v[0], v[2], spin, force, lag))

    world(model, h, dissipation, relaxation_time, **options).step(round(end / h), callback=look)
    names = ("time", "x", "z", "angle", "vx", "vz", "spin", "force", "lag_error")
    motion = dict(zip(names, np.array(rows).T))
    angle = motion["angle"]
    # of the lowest point: v + ω × r with r = l (cos φ, 0, −sin φ) and the ball's radius below it
    motion["slip"] = motion["vx"] + motion["spin"] * (-HALF * np.sin(angle) - TIP)
    motion["lift"] = motion["vz"] - motion["spin"] * HALF * np.cos(angle)
    return motion


def jam(motion: dict[str, np.ndarray]) -> tuple[float, float]:
    """When the end stops [s], and for how long [s]; NaN where it does not."""
    stuck = (np.abs(motion["slip"]) <= 1e-3) & (motion["force"] > 0)
    time = motion["time"][stuck]
    return (float(time[0]), float(time[-1] - time[0])) if len(time) else (math.nan, math.nan)
