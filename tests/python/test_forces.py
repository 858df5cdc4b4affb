"""Contact forces at one instant against closed forms."""

import numpy as np
import pytest

import abut

G = 9.81


def block_on_incline(angle, friction, slip=0.0):
    """A point of 2 kg on an incline; rows: normal, tangent uphill."""
    problem = abut.ForceProblem(np.eye(2) / 2, [-G * np.cos(angle), -G * np.sin(angle)])
    problem.add_contact(0, [1], friction=friction, slip=[slip])
    return problem


@pytest.mark.parametrize("angle", [0.1, 0.4, 0.7, 1.2])
def test_a_block_on_an_incline_sticks_up_to_the_friction_angle(angle):
    mu = 0.5
    solution = block_on_incline(angle, mu).solve()
    normal = 2 * G * np.cos(angle)
    assert solution.status == "solved"
    expected = [normal, min(2 * G * np.sin(angle), mu * normal)]
    np.testing.assert_allclose(solution.force, expected, rtol=1e-12)
    slides = G * (np.sin(angle) - mu * np.cos(angle))
    np.testing.assert_allclose(solution.acceleration, [0, -max(slides, 0)], atol=1e-12)


def test_dynamic_friction_is_against_the_slip():
    force = block_on_incline(0.2, 0.3, slip=1.5).solve().force
    normal = 2 * G * np.cos(0.2)
    np.testing.assert_allclose(force, [normal, -0.3 * normal], rtol=1e-12)


def test_planes_that_hold_a_disk_bear_what_a_wedge_does():
    mass, angle = 2, 0.4
    j = np.array([[np.cos(angle), np.sin(angle)], [-np.cos(angle), np.sin(angle)]])
    problem = abut.ForceProblem(j @ j.T / mass, j @ [0, -G])
    for row in range(2):
        problem.add_contact(row)
    solution = problem.solve()
    np.testing.assert_allclose(solution.force, mass * G / (2 * np.sin(angle)), rtol=1e-12)
    assert solution.pivots == 2 and solution.drives == 2 and solution.restarts == 0


def test_what_parts_bears_nothing():
    problem = abut.ForceProblem([[1.0]], [3.0])
    problem.add_contact(0)
    solution = problem.solve()
    assert solution.force[0] == 0 and solution.acceleration[0] == 3


def test_bilateral_rows_take_forces_up_to_their_bounds():
    problem = abut.ForceProblem(np.eye(2), [5.0, 5.0])
    problem.add_bilateral(0)
    problem.add_bilateral(1, -2, 2)
    np.testing.assert_allclose(problem.solve().force, [-5, -2], rtol=1e-12)


def test_a_certificate_sees_wrong_forces():
    problem = block_on_incline(0.2, 0.5)
    right = problem.solve()
    assert right.certificate.error < 1e-12
    assert problem.certify(right.force + [0, 1]).error > 1e-3
    assert problem.certify([-1, 0]).pull == 1


def test_wrong_numbers_are_refused():
    with pytest.raises(abut.InputError, match="matrix"):
        abut.ForceProblem(np.eye(3), [0, 0])
    problem = abut.ForceProblem(np.eye(2), [0, 0])
    with pytest.raises(abut.InputError, match="slip"):
        problem.add_contact(0, [1], slip=[1, 2])
    with pytest.raises(abut.InputError, match="tangents"):
        problem.add_contact(0, [5])
    with pytest.raises(abut.InputError, match="tolerance"):
        problem.solve(tolerance=0)
