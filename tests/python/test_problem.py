"""Contact problems, solvers, laws."""

from pathlib import Path

import numpy as np
import pytest

import abut


def block_on_a_table(model: str, push: float) -> abut.ContactProblem:
    """1 kg on four corners, pushed sideways [m/s]."""
    h = 1e-3
    problem = abut.ContactProblem(h, model)
    free = [push, 0, -9.81 * h, 0, 0, 0]
    body = problem.add_rigid_body(1, [0, 0, 0.1], np.eye(3) * 1e-2, np.zeros(6), free)
    for x, y in ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)):
        problem.add_contact(-1, body, point=[x, y, 0], normal=[0, 0, 1], gap=0, friction=0.5)
    return problem


@pytest.mark.parametrize(
    ("model", "solver"), [(m, s) for m in abut.contact_models() for s in abut.solver_names(m)])
def test_solvers_balance_momentum(model: str, solver: str):
    problem = block_on_a_table(model, 0)
    solution = abut.solve(problem, solver, tolerance=1e-9)
    assert solution.status == "converged"
    change = solution.velocity - problem.free_velocity  # of 1 kg
    np.testing.assert_allclose(solution.impulse.sum(0), change[:3], atol=1e-10)
    assert solution.impulse[:, 2].sum() == pytest.approx(9.81e-3, rel=5e-2)  # the rest sinks in
    certificate = abut.certify(problem, solution.velocity, solution.impulse)
    # on its own it is computed in extended precision, in a solve where rounding may matter
    assert solution.certificate.momentum_error <= 1e-9
    assert certificate.momentum_error == pytest.approx(
        solution.certificate.momentum_error, rel=1e-5, abs=1e-14)
    wrong = abut.certify(problem, solution.velocity + 1e-2, solution.impulse)
    assert wrong.momentum_error > 1e-2


def test_friction_of_a_sliding_block_is_coulombs():
    solution = abut.solve(block_on_a_table("similar", 1.0), tolerance=1e-9)
    friction, normal = solution.impulse[:, 0].sum(), solution.impulse[:, 2].sum()
    assert -friction == pytest.approx(0.5 * normal, rel=1e-2)


def test_problems_go_through_files_with_the_same_bits(examples: Path, tmp_path: Path):
    world = abut.World(abut.load(examples / "clutter40.xml"), model="lagged")
    world.step(1000)
    problem = world.problem
    assert (problem.contacts, problem.dofs) == (world.report.contacts, 240)
    np.testing.assert_array_equal(problem.points, world.contacts["point"])
    np.testing.assert_array_equal(problem.gaps, world.contacts["gap"])
    assert problem.contact_trees.shape == (problem.contacts, 2)
    path = tmp_path / "problem.npz"
    abut.save_problem(path, problem)
    loaded = abut.load_problem(path)
    one, other = abut.solve(problem), abut.solve(loaded, threads=2)
    np.testing.assert_array_equal(one.velocity, other.velocity)
    np.testing.assert_array_equal(one.impulse, other.impulse)
    np.testing.assert_array_equal(one.velocity, world.solution.velocity)
    np.testing.assert_array_equal(np.load(path)["free_velocity"], problem.free_velocity)


def test_contacts_of_a_body_share_its_jacobian():
    def problem(by_body):
        p = abut.ContactProblem(time_step=1e-3, model="sap")
        mass = np.diag([2.0, 3.0, 0.1])  # x, z, and a turn about y
        tree = p.add_tree(mass, np.zeros(3), [0.1, -9.81e-3, 0], 2)
        # of the point 0: x and z; and the turn
        jacobian = np.array([[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]])
        body = p.add_body(tree, center=(0, 0, 0), jacobian=jacobian) if by_body else None
        for x in (-0.2, 0.3):
            point = np.array([x, 0, -0.1])
            if by_body:
                sides = {"body_b": body}
            else:
                turned = np.cross([0, 1, 0], point)
                sides = {"jacobian_b": jacobian[:3] + np.outer(turned, [0, 0, 1])}
            p.add_contact(-1, tree, point=point, normal=(0, 0, 1), gap=0, **sides)
        return p

    shared, own = (abut.solve(problem(by_body)) for by_body in (True, False))
    assert np.all(shared.impulse[:, 2] > 0)
    np.testing.assert_allclose(shared.impulse, own.impulse, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="bodies or Jacobians, not both"):
        problem(True).add_contact(-1, 0, point=(0, 0, 0), normal=(0, 0, 1), gap=0, body_b=0,
                                  jacobian_b=np.zeros((3, 3)))


def test_contacts_have_laws_of_their_own():
    def impulses(of_problem, *own):
        p = abut.ContactProblem(2e-3, model="similar", law=of_problem)
        for i, law in enumerate(own):
            v = [0, 0, -0.1, 0, 0, 0]
            body = p.add_rigid_body(1, [i, 0, 0.1], np.eye(3) * 1e-2, v, v)
            p.add_contact(-1, body, point=[i, 0, 0], normal=[0, 0, 1], gap=-1e-4, stiffness=1e5,
                          law=law)
        solution = abut.solve(p, tolerance=1e-10)
        assert solution.status == "converged"
        return p.laws, solution.impulse

    names = abut.normal_laws()
    laws, mixed = impulses("hertz", *names, None)
    assert laws == [*names, "hertz"]
    for i, name in enumerate(laws):
        np.testing.assert_allclose(mixed[i], impulses(name, None)[1][0], rtol=1e-8)
    assert len(set(mixed[:3, 2])) == 3
    with pytest.raises(abut.InputError, match="herz"):
        impulses("hertz", "herz")


def test_mechanisms_enter_with_their_jacobians():
    h = 1e-2
    problem = abut.ContactProblem(h)
    tree = problem.add_tree([[2.0]], [0], [-9.81 * h], 2)
    problem.add_contact(-1, tree, point=[0, 0, 0], normal=[0, 0, 1], gap=0,
                        jacobian_b=[[0], [0], [1]])
    solution = abut.solve(problem)
    assert solution.impulse[0, 2] == pytest.approx(2 * 9.81 * h, rel=1e-2)
    with pytest.raises(abut.InputError, match="Jacobian of tree 0 has 0 numbers, must have 3"):
        problem.add_contact(-1, tree, point=[0, 0, 0], normal=[0, 0, 1], gap=0)


def test_wrong_problems_are_refused(tmp_path: Path):
    problem = block_on_a_table("sap", 0)
    with pytest.raises(abut.InputError, match="newtom"):
        abut.solve(problem, "newtom")
    with pytest.raises(abut.InputError, match="guess has 2 numbers, must have 6"):
        abut.solve(problem, guess=[0, 0])
    with pytest.raises(abut.InputError, match="tolerance = 2"):
        abut.solve(problem, tolerance=2)
    problem.add_contact(-1, 0, point=[0, 0, 0], normal=[0, 0, 2], gap=0)
    with pytest.raises(abut.InputError, match="contact 4: .*normal"):
        abut.solve(problem)
    with pytest.raises(abut.FileError):
        abut.load_problem(tmp_path / "none.npz")


@pytest.mark.parametrize("law", abut.normal_laws())
def test_impulses_of_laws_are_the_derivatives_of_their_potentials(law: str):
    h, gap = 1e-3, -1e-4
    v = np.linspace(-1, 0.05, 301)
    potential, impulse, slope = abut.evaluate_normal_law(law, v, gap, h, stiffness=1e5, thickness=2e-3)
    dv = v[1] - v[0]
    np.testing.assert_allclose(np.gradient(potential, dv)[1:-1], -impulse[1:-1],
                               atol=1e-3 * impulse.max())
    np.testing.assert_allclose(np.gradient(impulse, dv)[1:-1], slope[1:-1],
                               atol=2e-2 * abs(slope).max())
    assert np.all(impulse >= 0) and np.all(slope <= 0)


def test_a_force_table_is_looked_up(ball: abut.World):
    table = [[0, 0], [1e-3, 10], [2e-3, 50]]
    _, impulse, _ = abut.evaluate_normal_law("tabulated", 0, [-0.5e-3, -1.5e-3, -3e-3], 1e-3,
                                             force_table=table)
    np.testing.assert_allclose(impulse, [5e-3, 30e-3, 90e-3], rtol=1e-12)
    implied = abut.implied_contact(2, model="lagged", law="tabulated", force_table=table)
    assert implied.depth == pytest.approx(1e-3 + 9.62 / 4e4, rel=1e-12)
    scene = ball.scene.copy()
    scene.force_table = table
    np.testing.assert_array_equal(scene.force_table, table)
    world = abut.World(scene, model="lagged", law="tabulated")
    world.step(2000)
    assert world.report.penetration == pytest.approx(implied.depth, rel=1e-4)
    scene.force_table = None
    assert scene.force_table is None
    for geom in scene.geoms:
        geom.force_table = [[0, 0], [1e-3, 20]]
    world = abut.World(scene, model="lagged", law="tabulated")
    world.step(2000)
    assert world.report.penetration == pytest.approx(2 * 2 * 9.81 / 2e4, rel=1e-4)
    problem = abut.ContactProblem(1e-3, model="lagged", law="tabulated")
    problem.add_rigid_body(1, [0, 0, 0], np.eye(3), [0] * 6, [0] * 6)
    problem.add_contact(-1, 0, point=[0, 0, 0], normal=[0, 0, 1], gap=-1.5e-3, dissipation=0,
                        friction=0, force_table=table)
    v, h = abut.solve(problem).velocity[2], 1e-3  # v = h F(x0 - h v), where F rises by 40 N/mm
    assert v == pytest.approx(h * 30 / (1 + h * h * 4e4), rel=1e-9)
    with pytest.raises(abut.InputError, match="force = 1 N, must not be less than the one before"):
        scene.force_table = [[0, 0], [1, 2], [2, 1]]
    with pytest.raises(abut.InputError, match="force_table"):
        geom.force_table = [1, 2, 3]


def test_kelvin_voigt_is_its_formula():
    h, k, tau = 1e-3, 1e5, 1e-4
    v, gap = np.array([-0.5, -0.1]), np.array([-1e-3, -2e-3])
    _, impulse, _ = abut.evaluate_normal_law("kelvin-voigt", v, gap, h, stiffness=k,
                                             relaxation_time=tau)
    np.testing.assert_allclose(impulse, h * k * (-gap - (h + tau) * v), rtol=1e-12)
    with pytest.raises(abut.InputError, match="velocity has 2 numbers and gap 3"):
        abut.evaluate_normal_law("hertz", v, [0, 0, 0], h)


def test_implied_contact_is_what_happens(ball: abut.World):
    soft = abut.World(ball.scene, model="lagged", stiffness=1e5)
    soft.step(2000)
    implied = abut.implied_contact(2, model="lagged", stiffness=1e5)
    assert soft.report.penetration == pytest.approx(implied.depth, rel=1e-2)
    assert implied.depth == pytest.approx(2 * 9.81 / 1e5, rel=1e-6)
    with pytest.raises(abut.InputError, match="lightest = 0 kg"):
        abut.implied_contact(0)


def test_a_sparse_tree_is_solved_as_a_dense_one():
    """A chain of three nodes above the ground, one of which touches it."""
    nodes, h = 3, 1e-3
    a = np.zeros((3 * nodes, 3 * nodes))
    for i in range(nodes):
        a[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] += 0.5 * np.eye(3)
    for i in range(nodes - 1):
        k = np.diag([0.1, 0.2, 0.3])
        for r, c, sign in ((i, i, 1), (i + 1, i + 1, 1), (i, i + 1, -1), (i + 1, i, -1)):
            a[3 * r : 3 * r + 3, 3 * c : 3 * c + 3] += sign * k
    still, falling = np.zeros(9), np.tile([0.0, 0.0, -9.81 * h], nodes)
    answers = []
    for sparse in (True, False):
        p = abut.ContactProblem(h, model="lagged")
        if sparse:
            pairs = [(r, c) for r in range(nodes) for c in range(r + 1) if r - c < 2]
            blocks = [a[3 * r : 3 * r + 3, 3 * c : 3 * c + 3] for r, c in pairs]
            ends = [sum(r <= row for r, _ in pairs) for row in range(nodes)]
            tree = p.add_sparse_tree(ends, [c for _, c in pairs], blocks, still, falling, 1.5)
            body = p.add_point(tree, (0, 0, 0), [0, 1], [0.75, 0.25])
        else:
            tree = p.add_tree(a, still, falling, 1.5)
            jacobian = np.zeros((6, 9))
            jacobian[:3, :3], jacobian[:3, 3:6] = 0.75 * np.eye(3), 0.25 * np.eye(3)
            body = p.add_body(tree, (0, 0, 0), jacobian)
        p.add_contact(-1, tree, point=(0, 0, 0), normal=(0, 0, 1), gap=-1e-4, body_b=body)
        answers.append(abut.solve(p, tolerance=1e-12))
    np.testing.assert_allclose(answers[0].velocity, answers[1].velocity, atol=1e-12)
    assert answers[0].impulse[0, 2] > 0
    with pytest.raises(abut.InputError, match="must ascend from 0 to the diagonal"):
        abut.ContactProblem(h).add_sparse_tree([1], [1], np.eye(3)[None], np.zeros(3), np.zeros(3), 1)


def test_anchored_contacts_hold():
    """1 kg at 0.8 of its limit: with the anchor from step to step it comes to rest, without it creeps."""
    h, push, mu = 0.002, 0.8 * 0.5 * 9.81, 0.5
    for handed_over in (True, False):
        velocity, anchor, impulse, x = np.zeros(6), np.zeros(3), np.zeros(3), 0.0
        for _ in range(300):
            p = abut.ContactProblem(h, model="anchored")
            free = velocity + h * np.array([push, 0, -9.81, 0, 0, 0])
            p.add_rigid_body(1, (0, 0, 0), 1e9 * np.eye(3), velocity, free)
            p.add_contact(-1, 0, point=(0, 0, 0), normal=(0, 0, 1), gap=-9.81e-7, friction=mu,
                          previous_impulse=impulse, anchor=anchor)
            solution = abut.solve(p, tolerance=1e-10)
            velocity, impulse = solution.velocity, solution.impulse[0]
            x += h * velocity[0]
            if handed_over:
                anchor = solution.anchor[0]
        assert solution.anchor.shape == (1, 3)
        if handed_over:
            np.testing.assert_allclose(anchor, (-push, 0, 0), atol=1e-6)
            assert abs(velocity[0]) < 1e-9 and x == pytest.approx(push / 1e7, rel=1e-3)
        else:
            assert velocity[0] == pytest.approx(0.8e-4, rel=1e-3)  # 0.8 of v_s, by the damper alone
    with pytest.raises(abut.InputError, match="anchor"):
        p.add_contact(-1, 0, point=(0, 0, 0), normal=(0, 0, 1), gap=0, anchor=(1, 2))
