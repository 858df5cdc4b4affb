"""The Hessian of a step's problem at its solution, from what the problem's file holds and the laws' formulas.

For scenes of free rigid bodies and the world. docs/laws and docs/notation.md have the formulas.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import abut

Array = np.ndarray


@dataclass
class Linearized:
    """A step about its solution."""

    hessian: Array  # (dofs, dofs): A + Jᵀ G J
    gradient: Array  # (dofs,): A (v − v*) − Jᵀ γ, zero but for the tolerance
    impulse: Array  # (contacts, 3), in world axes
    slip_tolerance: Array  # (contacts,): ε, R_t μ γ_n of SAP [m/s]
    slip: Array  # (contacts,) [m/s]

    @property
    def condition(self) -> float:
        """Of the Hessian, by its eigenvalues."""
        values = np.linalg.eigvalsh(self.hessian)
        return float(values[-1] / values[0])


def _masses(p: dict[str, Array]) -> Array:
    """A of free bodies."""
    matrix = np.zeros((6 * len(p["tree_mass"]),) * 2)
    for i, (mass, inertia) in enumerate(zip(p["tree_mass"], p["tree_inertia"])):
        matrix[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = mass * np.eye(3)
        matrix[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
    return matrix


def _jacobians(p: dict[str, Array], trees: Array) -> Array:
    """(contacts, 3, dofs): of the velocity of b relative to a."""
    rows = np.zeros((len(trees), 3, 6 * len(p["tree_mass"])))
    for i, pair in enumerate(trees):
        for tree, sign in zip(pair, (-1.0, 1.0)):
            if tree >= 0:
                x, y, z = p["point"][i] - p["tree_center"][tree]
                rows[i, :, 6 * tree : 6 * tree + 3] = sign * np.eye(3)
                rows[i, :, 6 * tree + 3 : 6 * tree + 6] = sign * np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
    return rows


def _mobilities(rows: Array, masses: Array) -> Array:
    """w = |J A⁻¹ Jᵀ|/3."""
    inverse = np.zeros_like(masses)
    for i in range(0, len(masses), 6):
        inverse[i : i + 6, i : i + 6] = np.linalg.inv(masses[i : i + 6, i : i + 6])
    moved = (rows.reshape(-1, len(masses)) @ inverse).reshape(rows.shape)
    return np.linalg.norm(moved @ rows.transpose(0, 2, 1), axis=(1, 2)) / 3


def _heaviest(p: dict[str, Array], trees: Array) -> Array:
    """(contacts,): mass of the heaviest body that contacts link to each."""
    root = list(range(len(p["tree_mass"])))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for a, b in trees:
        if a >= 0 and b >= 0:
            root[find(a)] = find(b)
    heaviest = np.zeros(len(root))
    for i, mass in enumerate(p["tree_mass"]):
        heaviest[find(i)] = max(heaviest[find(i)], mass)
    return np.array([heaviest[find(max(pair))] for pair in trees])


@dataclass
class Matrices:
    """A problem as matrices, with SAP's regularizations."""

    p: dict[str, Array]  # the arrays of its file
    masses: Array  # (dofs, dofs): A
    rows: Array  # (contacts, 3, dofs): J, world axes
    mobility: Array  # (contacts,): w
    rt: Array  # (contacts,): R_t
    rn: Array  # (contacts,): R_n
    approach: Array  # (contacts,): v_hat [m/s]


def matrices(problem: abut.ContactProblem) -> Matrices:
    """Of free bodies and contacts alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        abut.save_problem(path, problem)
        p = dict(np.load(path))
    trees = np.repeat(p["patch_trees"], p["patch_contacts"], axis=0)
    h, masses = float(p["time_step"]), _masses(p)
    rows = _jacobians(p, trees)
    w = _mobilities(rows, masses)
    horizon = h + p["relaxation_time"]
    rn = np.maximum(p["beta"] ** 2 / (4 * np.pi**2) * np.minimum(w, 1 / _heaviest(p, trees)),
                    1 / (h * horizon * p["stiffness"])) / p["weight"]
    return Matrices(p, masses, rows, w, p["sigma"] * w / p["weight"], rn, -p["gap"] / horizon)


def linearize(problem: abut.ContactProblem, v: Array, lagged_impulse: Array) -> Linearized:
    """The Hessian and the gradient of a problem at velocities (dofs,). lagged_impulse, of all models but SAP, is γ_n0
    (contacts,) [N s]: Solution.lagged_impulse."""
    q = matrices(problem)
    p, masses, rows, rt, h = q.p, q.masses, q.rows, q.rt, problem.time_step
    impulse, blocks, epsilon, slips = [], [], [], []
    for i, n in enumerate(p["normal"]):
        velocity, mu = rows[i] @ v + p["bias"][i], float(p["friction"][i])
        vn = float(n @ velocity)
        vt = velocity - vn * n
        slip = float(np.linalg.norm(vt))
        tangents = np.eye(3) - np.outer(n, n)
        if problem.model == "sap":
            gamma, block = _sap(n, vn, vt, slip, mu, q.approach[i], q.rn[i], rt[i], tangents)
            tolerance = float(rt[i] * mu * (gamma @ n))
        else:
            tolerance = max(float(p["stiction_tolerance"]), float(rt[i] * mu * lagged_impulse[i]))
            soft = np.sqrt(slip**2 + tolerance**2)
            curved = (tangents - np.outer(vt, vt) / soft**2) / soft
            z = vn - (mu * (soft - tolerance) if problem.model == "similar" else 0.0)
            _, normal, slope = (float(x[0]) for x in abut.evaluate_normal_law(
                problem.laws[i], [z], p["gap"][i], h, stiffness=float(p["stiffness"][i] * p["weight"][i]),
                dissipation=float(p["dissipation"][i]), relaxation_time=float(p["relaxation_time"][i])))
            if problem.model == "similar":
                direction = n - mu * vt / soft
                gamma = normal * direction
                block = -slope * np.outer(direction, direction) + mu * normal * curved
            elif problem.model == "anchored":
                k = float(p["stiffness"][i] * p["weight"][i])
                if problem.laws[i] == "hertz":
                    k = 1.5 * np.cbrt(k**2 * lagged_impulse[i] / h)
                held = h * tangents @ p["anchor"][i]
                friction, curved = _anchored(held, vt, h * h * k, mu * lagged_impulse[i], tolerance, tangents)
                gamma = normal * n + friction
                block = -slope * np.outer(n, n) + curved
            else:
                gamma = normal * n - mu * lagged_impulse[i] * vt / soft
                block = -slope * np.outer(n, n) + mu * lagged_impulse[i] * curved
        impulse.append(gamma)
        blocks.append(block)
        epsilon.append(tolerance)
        slips.append(slip)
    stacked, pushes = rows.reshape(-1, len(v)), np.array(impulse).reshape(-1, 3)
    hessian = masses + stacked.T @ (np.array(blocks).reshape(-1, 3, 3) @ rows).reshape(-1, len(v))
    gradient = masses @ (v - p["free_velocity"]) - stacked.T @ pushes.ravel()
    return Linearized(hessian, gradient, pushes, np.array(epsilon), np.array(slips))


def at_last_step(world: abut.World) -> Linearized:
    """The last step at its solution."""
    assert world.solution
    return linearize(world.problem, world.solution.velocity, world.solution.lagged_impulse)


def _anchored(held: Array, vt: Array, spring: float, limit: float, eps: float,
              tangents: Array) -> tuple[Array, Array]:
    """Friction of one contact and its Hessian block: that of spring and damper, at most the limit."""
    kappa = max(spring, limit / eps)
    trial = held - kappa * vt
    size = float(np.linalg.norm(trial))
    if size < limit:
        return trial, kappa * tangents
    direction = trial / max(size, 1e-300)
    return limit * direction, kappa * limit / max(size, 1e-300) * (tangents - np.outer(direction, direction))


def _sap(n: Array, vn: float, vt: Array, slip: float, mu: float, v_hat: float, rn: float, rt: float,
         tangents: Array) -> tuple[Array, Array]:
    """Impulse and Hessian block of one contact in its region."""
    approach = v_hat - vn
    z = approach + mu * slip
    if z <= 0:
        return np.zeros(3), np.zeros((3, 3))
    if slip / rt < mu * approach / rn:
        return approach / rn * n - vt / rt, np.outer(n, n) / rn + tangents / rt
    direction = vt / slip if slip > 0 else np.zeros(3)
    rs = rn + mu**2 * rt
    gradient = n - mu * direction
    curved = tangents - np.outer(direction, direction)
    return z / rs * gradient, np.outer(gradient, gradient) / rs + mu * z / rs / max(slip, 1e-300) * curved
