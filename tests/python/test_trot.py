"""The control of the experiment `mpc`: its Jacobians, weights and plan."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from abut.experiments import _trot, mpc

NAMES = [f"{leg}_{joint}" for leg in _trot.LEGS for joint in _trot.JOINTS]
EPS = 1e-6


def crooked(shift=None):
    """Solo-12 at some place, a joint moved."""
    world, trot = mpc.world(mpc.FLAT, "ncp", None)
    q = np.array([0.9, 0.3, -0.2, 0.24])
    world.set_state(coordinates=[0.3, -0.2, 1, *(q / np.linalg.norm(q)), *world.coordinates[7:]])
    for i, name in enumerate(NAMES):
        world.set_joint_position(name, 0.3 * np.sin(2.0 * i + 1) + (EPS if shift == i else 0))
    trot._look()
    return world, trot


def test_jacobians_and_weights_are_derivatives():
    world, trot = crooked()
    for i, name in enumerate(NAMES):
        moved, other = crooked(i)
        leg, joint = divmod(i, 3)
        assert (other.feet - trot.feet)[leg] / EPS == pytest.approx(trot.jacobians[leg, :, joint], abs=1e-5)
        assert np.delete(other.feet - trot.feet, leg, axis=0) == pytest.approx(0, abs=1e-12)
        energy = (moved.potential_energy - world.potential_energy) / EPS
        assert energy == pytest.approx(trot._weights[leg, joint], abs=1e-5)


def test_feet_are_where_their_spheres_touch():
    world, trot = mpc.world(mpc.FLAT, "ncp", None)
    world.step()
    on_ground = np.sort(world.contacts["point"][:, :2], axis=0)
    assert on_ground == pytest.approx(np.sort(trot.feet[:, :2], axis=0), abs=1e-6)


def test_the_plan_of_a_robot_that_stands_bears_its_weight():
    world, trot = mpc.world(mpc.FLAT, "ncp", None)
    trot.begin = 10  # it only stands
    world.step(1500)
    weight = 9.81 * sum(body.mass for body in world.scene.bodies)
    assert trot.forces.sum(axis=0) == pytest.approx([0, 0, weight], abs=0.02 * weight)
    assert trot.forces[:, 2] == pytest.approx(weight / 4, rel=0.05)
    assert np.linalg.norm(world.linear_velocities[0]) < 0.01
    assert trot.center[2] - trot.feet[0, 2] == pytest.approx(_trot.HEIGHT, abs=0.01)


def test_a_push_is_answered_against_it_within_the_cones():
    world, trot = mpc.world(mpc.FLAT, "ncp", None)
    velocities = world.velocities.copy()
    velocities[1] = 0.5
    world.set_state(velocities=velocities)
    assert world.linear_velocities[0] == pytest.approx([0, 0.5, 0])
    world.step()
    assert trot.forces[:, 1].sum() < -1
    assert np.all(np.linalg.norm(trot.forces[:, :2], axis=1) <= trot.friction * trot.forces[:, 2] + 1e-4)


def test_the_bumpy_ground_is_as_high_as_said():
    z = mpc.heights(0.1)
    assert 0.08 <= np.ptp(z) <= 0.1 + 1e-12  # flat about the start
    assert z[40, 32] == 0
    assert np.max(np.abs(np.diff(z, axis=1))) < 0.025  # no steps
