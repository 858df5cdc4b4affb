"""SAP's step as a second-order cone program, for solvers that know nothing of contact [SAP 19].

    minimize |v - v*|_A²/2 + γᵀ R γ/2   with   J v + b - v_hat + R γ   in the dual of the friction cones

Unknowns x = (Lᵀ (v - v*), R^½ γ) with A = L Lᵀ, so that the cost is |x|²/2. A contact's three rows are scaled together,
by its mobility, which makes its velocities of the size of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import abut
from abut.experiments._hessian import Array, matrices


@dataclass
class Answer:
    velocity: Array  # (dofs,)
    impulse: Array  # (contacts, 3), world axes [N s]
    iterations: int
    seconds: float  # of the solver alone, its set-up included


@dataclass
class Program:
    """The rows are in each contact's own axes, normal first: rows x + offset lies in the cones |(x₁, x₂)| ≤ x₀."""

    rows: Any  # scipy.sparse.csc_matrix
    offset: Array
    lower_inverse: Array  # L⁻ᵀ
    free: Array
    root: Array  # R^½
    frames: Array  # (contacts, 3, 3): rows n, t1, t2

    def answer(self, x: Array, iterations: int, seconds: float) -> Answer:
        n = len(self.free)
        impulse = np.einsum("ikj,ik->ij", self.frames, (x[n:] / self.root).reshape(-1, 3))
        return Answer(self.free + self.lower_inverse @ x[:n], impulse, iterations, seconds)


def program(problem: abut.ContactProblem) -> Program:
    import scipy.sparse as sp

    q = matrices(problem)
    n, contacts = len(q.masses), len(q.rn)
    normals = q.p["normal"]
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    t1 = np.cross(normals, axis)
    t1 /= np.linalg.norm(t1, axis=1)[:, None]
    frames = np.stack([normals, t1, np.cross(normals, t1)], axis=1)
    lower_inverse = np.zeros_like(q.masses)
    for i in range(0, n, 6):
        lower_inverse[i : i + 6, i : i + 6] = np.linalg.inv(np.linalg.cholesky(q.masses[i : i + 6, i : i + 6])).T
    rows = frames @ q.rows
    free = q.p["free_velocity"]
    velocity = rows @ free + np.einsum("ijk,ik->ij", frames, q.p["bias"])
    velocity[:, 0] -= q.approach
    root = np.sqrt(np.column_stack([q.rn, q.rt, q.rt])).ravel()
    scale = np.repeat(1 / np.sqrt(q.mobility), 3)
    scale.reshape(-1, 3)[:, 1:] *= q.p["friction"][:, None]
    left = sp.csr_matrix((rows @ lower_inverse).reshape(3 * contacts, n))
    everything = sp.diags(scale) @ sp.hstack([left, sp.diags(root)])
    return Program(sp.csc_matrix(everything), scale * velocity.ravel(), lower_inverse, free, root, frames)


def solve_by_clarabel(p: Program, tolerance: float) -> Answer:
    """Interior points."""
    import clarabel
    import scipy.sparse as sp

    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    n = p.rows.shape[1]
    cones = [clarabel.SecondOrderConeT(3)] * (len(p.offset) // 3)
    x = clarabel.DefaultSolver(sp.identity(n, format="csc"), np.zeros(n), -p.rows, p.offset, cones, settings).solve()
    return p.answer(np.array(x.x), x.iterations, x.solve_time)


def solve_by_scs(p: Program, tolerance: float) -> Answer:
    """Operator splitting."""
    import scipy.sparse as sp
    import scs

    n = p.rows.shape[1]
    data = {"P": sp.identity(n, format="csc"), "A": -p.rows, "b": p.offset, "c": np.zeros(n)}
    solver: Any = scs.SCS(data, {"q": [3] * (len(p.offset) // 3)}, verbose=False, eps_abs=tolerance, eps_rel=tolerance,
                          max_iters=20000)
    found = solver.solve()
    info = found["info"]
    return p.answer(found["x"], info["iter"], 1e-3 * (info["setup_time"] + info["solve_time"]))
