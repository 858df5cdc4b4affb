"""Friction problems in impulses."""

import numpy as np
import pytest

import abut


def pulled(force, friction=0.2, h=0.01):
    """A point of 1 kg on the ground, pressed down by 10 N and pulled."""
    return abut.FrictionProblem(np.eye(3), [[force * h, 0, -10 * h]], [friction], time_step=h)


def test_names():
    assert abut.rigid_models()[:2] == ["ncp", "ccp"]
    assert abut.friction_solver_names()[0] == "interior-point"


@pytest.mark.parametrize("force", [1, 3])
def test_a_point_holds_or_slides(force):
    answer = pulled(force).solve(tolerance=1e-10)
    assert answer.status == "converged"
    assert answer.certificate.natural_error <= 1e-10
    assert answer.impulse / 0.01 == pytest.approx(np.array([[-min(force, 2), 0, 10]]), abs=1e-7)


def test_every_solver_and_model_is_judged_alike():
    p = pulled(3)
    with pytest.raises(abut.InputError, match="does not solve the model 'ccp'"):
        p.solve("interior-point", model="ccp")
    for model in abut.rigid_models():
        solved = []
        for name in abut.friction_solver_names():
            try:
                answer = p.solve(name, model=model)
            except abut.InputError as error:
                assert f"does not solve the model '{model}'" in str(error)
                continue
            assert answer.status == "converged"
            assert p.certify(answer.impulse, model).natural_error == pytest.approx(
                answer.certificate.natural_error)
            solved.append(answer.impulse)
        assert len(solved) >= 2
        assert all(impulse == pytest.approx(solved[0], abs=1e-8) for impulse in solved)
    # the convex model lifts off at mu |slip|: to the NCP that is an error
    convex = p.solve("gauss-seidel", model="ccp")
    sigma = p.velocity + convex.impulse
    assert sigma[0, 2] == pytest.approx(0.2 * sigma[0, 0])
    assert convex.certificate.ncp.complementarity > 0.1


def test_relaxation_changes_the_way_and_not_the_answer():
    # two points in line: sweeps go to and fro between them
    w = np.kron([[1, -1], [-1, 2]], np.eye(3))
    p = abut.FrictionProblem(w, [[0.1, 0, -0.2], [0, 0, 0]], [0.3, 0.3])
    plain = p.solve("gauss-seidel", model="lcp")
    relaxed = p.solve("gauss-seidel", model="lcp", relaxation=1.3)
    assert relaxed.iterations < plain.iterations
    assert relaxed.impulse == pytest.approx(plain.impulse, abs=1e-7)
    with pytest.raises(abut.InputError, match="relaxation = 2, must lie in"):
        p.solve("gauss-seidel", relaxation=2)


def test_arrays_come_back():
    w = np.diag([1.0, 2, 3, 4, 5, 6])
    w[0, 3] = 0.5
    p = abut.FrictionProblem(w, np.arange(6).reshape(2, 3), [0.1, 0.2])
    assert np.array_equal(p.delassus, w)
    assert np.array_equal(p.velocity, np.arange(6).reshape(2, 3))
    assert np.array_equal(p.friction, [0.1, 0.2])
    assert (p.contacts, p.time_step, repr(p)) == (2, 1, "FrictionProblem(2 contacts)")


def test_a_step_as_rigid_contact_sees_it():
    scene = abut.load_scene_text("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
    world = abut.World(scene, time_step=0.01)
    world.step()
    p = abut.FrictionProblem.of(world.problem)
    answer = p.solve()
    assert p.contacts == 4 and answer.status == "converged"
    assert answer.impulse[:, 2].sum() / 0.01 == pytest.approx(8 * 9.81, rel=1e-3)
    warm = p.solve(guess=answer.impulse)
    assert warm.iterations == 0
    with pytest.raises(abut.InputError, match="restitution = 2"):
        abut.FrictionProblem.of(world.problem, restitution=2)


def on_four_corners(force=0.0, h=0.01):
    """A point of 1 kg as four contacts that share it, pulled along x."""
    return abut.FrictionProblem(np.kron(np.ones((4, 4)), np.eye(3)), [[force * h, 0, -10 * h]] * 4, [0.5] * 4, time_step=h)


@pytest.mark.parametrize("solver", abut.solver_names("ncp"))
def test_the_least_norm_has_no_internal_forces(solver):
    guess = 0.1 * np.array([[1, 0, 2], [-1, 1, 3], [0, -1, 1], [1, 0, 1]])
    shortest = np.tile([-0.25, 0, 2.5], (4, 1))  # a quarter of what holds it
    answer = on_four_corners(1).solve(solver, tolerance=1e-9, guess=guess, least_norm=True)
    assert answer.status == "converged"
    assert answer.impulse / 0.01 == pytest.approx(shortest, abs=1e-6)


def test_compliance_is_that_of_its_rules():
    p = on_four_corners()
    w = 1.0  # a third of W_ii's trace
    assert p.relative_compliance(0.1) == pytest.approx(np.full((4, 3), 0.1))
    r = p.sap_compliance(stiffness=1e4, dissipation_time=0.01, near_rigid=1e-3, stiction_ratio=1e-3)
    assert r == pytest.approx(np.tile([1e-3 * w, 1e-3 * w, 1 / (0.01 * 0.02 * 1e4)], (4, 1)))
    soft = p.with_compliance(r)
    assert soft.delassus - p.delassus == pytest.approx(np.diag(r.ravel()))
    # each bears what its spring does: 4 gamma + r gamma = 10 h
    assert soft.solve(tolerance=1e-10).impulse[:, 2] == pytest.approx(0.1 / (4 + r[0, 2]), rel=1e-8)
    with pytest.raises(abut.InputError, match="alpha"):
        p.relative_compliance(0)
    with pytest.raises(abut.InputError, match="compliance"):
        p.with_compliance(np.ones((3, 3)))


@pytest.mark.parametrize("arguments, message", [
    ((np.eye(3), [[0, 0, -1]], [-1]), "friction = -1"),
    ((np.eye(2), [[0, 0, -1]], [1]), "delassus"),
    ((np.eye(3), [[0, 0, np.nan]], [1]), "velocity"),
    ((np.zeros((3, 3)), [[0, 0, -1]], [1]), "trace of W_ii / 3 = 0"),
])
def test_wrong_arrays_are_named(arguments, message):
    with pytest.raises(abut.InputError, match=message):
        abut.FrictionProblem(*arguments)
