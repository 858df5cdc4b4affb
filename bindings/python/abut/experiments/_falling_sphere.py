"""The falling sphere of ICFT IX-B, for falling_sphere.py and falling_sphere_beyond.py."""

from typing import Any

import numpy as np

import abut
from abut.reproduce.sampling import sample

MASS, RADIUS, SPEED, FRICTION, DROP = 0.5, 0.025, 2.0, 0.5, 0.05
DISSIPATION, RELAXATION_TIME = 500.0, 1e-3  # s/m, s
END = 0.2  # s
ROLLS_AT = 2 * SPEED / (7 * FRICTION * 9.81)  # s after the release


def world(model: str, time_step: float, **options: Any) -> abut.World:
    scene = abut.Scene()
    scene.add_ground()
    scene.add_body("sphere", abut.Shape.sphere(RADIUS), position=[0, 0, RADIUS + DROP],
                   linear_velocity=[SPEED, 0, 0], mass=MASS)
    return abut.World(scene, model=model, time_step=time_step, stiffness=1e7, dissipation=DISSIPATION,
                      relaxation_time=RELAXATION_TIME, friction=FRICTION, tolerance=1e-10,
                      margin=0.02,  # m: SAP's sphere glides higher than the default margin
                      **options)


def slip(w: abut.World) -> float:
    """Speed of the sphere's lowest point [m/s]."""
    return float(w.linear_velocities[0, 0] - RADIUS * w.angular_velocities[0, 1])


def trajectory(model: str, time_step: float, end: float = END, **options: Any) -> dict[str, np.ndarray]:
    return sample(world(model, time_step, **options), round(end / time_step),
                  x=lambda w: w.positions[0, 0], z=lambda w: w.positions[0, 2],
                  speed=lambda w: w.linear_velocities[0, 0], lift=lambda w: w.linear_velocities[0, 2], slip=slip,
                  normal_force=lambda w: w.pair_force("world", "sphere").normal_force[2],
                  friction_force=lambda w: w.pair_force("world", "sphere").friction_force[0],
                  energy=lambda w: w.kinetic_energy + w.potential_energy,
                  lag_error=lambda w: w.report.certificate.lag_error if w.report else 0.0)
