"""The box on the conveyor belt of ICFT IX-A, for conveyor.py and conveyor_beyond.py."""

import math
from typing import Any

import numpy as np

import abut
from abut.reproduce.sampling import crossings

AMPLITUDE, FREQUENCY, FRICTION, MASS, GRAVITY = 0.2, 1.0, 0.7, 1.0, 9.81
SLIPS_AT, STICKS_AT, LARGEST_SLIP = 0.167849, 0.41662, 0.11217  # s of each half period, s, m/s
RELAXATION = 1e-3  # s


def belt(time: float) -> float:
    """Position [m]."""
    return AMPLITUDE * math.sin(2 * math.pi * FREQUENCY * time)


def sliding_point() -> abut.Scene:
    scene = abut.Scene()
    scene.add_ground()
    scene.add_body("box", abut.Shape.sphere(0.025), position=[0, 0, 0.025 - MASS * GRAVITY / 1e7], mass=MASS,
                   joints=[abut.SceneJoint("slide", "x", axis=[1, 0, 0]), abut.SceneJoint("slide", "z", axis=[0, 0, 1])])
    return scene


def box() -> abut.Scene:
    scene = abut.Scene()
    scene.add_ground()
    scene.add_body("box", abut.Shape.box([0.025] * 3), position=[0, 0, 0.025 - MASS * GRAVITY / 4e7], mass=MASS)
    return scene


def simulate(scene: abut.Scene, model: str, h: float, duration: float, tolerance: float = 1e-4, **options: Any
             ) -> dict[str, np.ndarray]:
    """Motion on the belt: position relative to it ("way") and in the world, velocity relative to it, forces, errors of
    the lag. The tolerance is v_s [m/s]."""
    world = abut.World(scene, model=model, time_step=h, stiffness=1e7, dissipation=500, relaxation_time=RELAXATION,
                       friction=FRICTION, margin=0.1, tolerance=1e-11, stiction_tolerance=tolerance, **options)
    rows = []
    for step in range(round(duration / h)):
        t = step * h
        world.set_load("box", [-MASS * (belt(t + h) - 2 * belt(t) + belt(t - h)) / h**2, 0, 0])
        report = world.step()
        force = world.pair_force("world", "box")
        x, z = world.positions[0, 0], world.positions[0, 2]
        rows.append([t + h, x, x + belt(t + h) - belt(0), z, world.linear_velocities[0, 0], world.linear_velocities[0, 2],
                     force.normal_force[2], force.friction_force[0], report.certificate.lag_error])
    names = ("time", "way", "x", "z", "slip", "lift", "normal_force", "friction_force", "lag_error")
    return dict(zip(names, np.array(rows).T))


def exact_slip(time: float) -> float:
    """Of Coulomb's law while it slips, in the first half period [m/s]."""
    w = 2 * math.pi * FREQUENCY
    return AMPLITUDE * w * (math.cos(w * SLIPS_AT) - math.cos(w * time)) - FRICTION * GRAVITY * (time - SLIPS_AT)


def events(motion: dict[str, np.ndarray]) -> tuple[float, float]:
    """When slip begins and ends in the third half period, from its start [s]: when it rises to 1 cm/s and falls
    to it, moved by how long that takes exactly."""
    third = (motion["time"] > 1) & (motion["time"] <= 1.5)
    at = crossings(motion["time"][third] - 1, np.abs(motion["slip"][third]), 0.01)
    times = np.linspace(SLIPS_AT, STICKS_AT, 20001)
    exact = crossings(times, np.array([exact_slip(t) for t in times]), 0.01)
    return float(at[0] - exact[0] + SLIPS_AT), float(at[-1] - exact[-1] + STICKS_AT)
