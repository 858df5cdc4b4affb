#!/usr/bin/env python3
"""SAP's problems against Clarabel, an interior-point solver that knows nothing of contact.

    clarabel_check.py ABUT SNAPSHOT.npz...

Each snapshot is solved by `ABUT solve` and as a second-order cone program in two forms:

    primal   min |v - v*|_A^2/2 + s.R s/2   with  J v + b - v_hat + R s  in K*
    dual     min g.(J A^-1 J^T + R) g/2 + g.(J v* + b - v_hat)   with  g in K

Velocities and impulses must agree to 1e-6, the two optima to 1e-9, our own answer's two values too
([SAP 19] and [SAP 22]); and the certificate of a rough answer must be what numpy finds. Exit status 1
if one does not.
"""

import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile

import clarabel
import numpy as np
import scipy.sparse as sp

from contact_problem import ContactProblem


def solve_cone_program(P, q, G, offset, mu, dual):
    """min x.P x/2 + q.x with G x + offset in the product of the cones K_mu, or of their duals; rows
    of G per contact: t1, t2, n. Returns x."""
    unit = np.linalg.norm(np.concatenate([q, offset]))  # tolerances refer to numbers near 1
    q, offset = q / unit, offset / unit
    scale, keep, cones = np.ones(len(mu) * 3), [], []
    for i, m in enumerate(mu):
        t1, t2, n = 3 * i, 3 * i + 1, 3 * i + 2
        if m == 0:  # K is a ray, K* a half-space
            keep += [n] if dual else [n, t1, t2]
            cones += [clarabel.NonnegativeConeT(1)] + ([] if dual else [clarabel.ZeroConeT(2)])
            continue
        keep += [n, t1, t2]
        cones.append(clarabel.SecondOrderConeT(3))
        if dual:
            scale[[t1, t2]] = m
        else:
            scale[n] = m
    rows = sp.diags(scale).tocsr()[keep]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = 500
    # velocities are known to no more than the root of the optimum's error: ask for all there is,
    # with the regularization of the solver's own linear systems that lets it get there
    tries = itertools.product(((1e-14, 1e-11), (1e-14, 1e-10), (1e-13, 1e-10), (1e-13, 1e-9),
                               (1e-12, 1e-9), (1e-10, 1e-9)), (1e-8, 1e-10, 1e-12))
    for (gap, residual), regularization in tries:
        settings.tol_gap_abs = settings.tol_gap_rel = gap
        settings.tol_feas = residual
        settings.static_regularization_constant = regularization
        result = clarabel.DefaultSolver(sp.triu(P).tocsc(), q, sp.csc_matrix(-rows @ G),
                                        rows @ offset, cones, settings).solve()
        if str(result.status) == "Solved":
            return unit * np.array(result.x)
    raise RuntimeError(f"Clarabel: {result.status}")


class ConeForms:
    """One island in contact frames. `trees` and `contacts` are its own."""

    def __init__(self, p, trees, contacts):
        self.mu, self.w = p.mu[contacts], p.w[contacts]
        self.blocks = [p.blocks[t] for t in trees]
        self.A_inverse = sp.block_diag([np.linalg.inv(b) for b in self.blocks], format="csr")
        self.dofs = np.concatenate([np.r_[p.dofs(t)] for t in trees])
        self.rows = (3 * contacts[:, None] + np.arange(3)).ravel()
        self.axes = sp.block_diag(list(p.frames[contacts].transpose(0, 2, 1)), format="csr")
        self.J = self.axes @ p.J[self.rows][:, self.dofs]
        self.v_star = p.v_star[self.dofs]
        v_hat = np.zeros(3 * len(contacts))
        v_hat[2::3] = p.v_hat[contacts]
        self.free = self.J @ self.v_star + self.axes @ p.bias[self.rows] - v_hat
        self.R = np.column_stack([p.Rt, p.Rt, p.Rn])[contacts].ravel()

    def primal(self):
        """v, impulses and the optimum. Unknowns L^T (v - v*) and R^(1/2) s, with A = L L^T."""
        lower_inverse = sp.block_diag(
            [np.linalg.inv(np.linalg.cholesky(b)) for b in self.blocks], format="csr")
        root = np.sqrt(self.R)
        G = sp.hstack([self.J @ lower_inverse.T, sp.diags(root)]).tocsr()
        n = G.shape[1]
        # a contact's rows may be scaled together: the cones are cones
        each = np.repeat(1 / np.sqrt(self.w), 3)
        x = solve_cone_program(sp.identity(n), np.zeros(n), sp.diags(each) @ G, each * self.free,
                               self.mu, dual=True)
        v = self.v_star + lower_inverse.T @ x[:len(self.v_star)]
        return v, self.axes.T @ (x[len(self.v_star):] / root), 0.5 * x @ x

    def dual(self):
        """The same from the impulses alone, in units that make W near 1."""
        unit = np.repeat(1 / np.sqrt(self.w), 3)
        S = sp.diags(unit)
        W = self.J @ self.A_inverse @ self.J.T + sp.diags(self.R)
        n = len(unit)
        g = unit * solve_cone_program(S @ W @ S, unit * self.free, sp.identity(n, format="csr"),
                                      np.zeros(n), self.mu, dual=False)
        v = self.v_star + self.A_inverse @ (self.J.T @ g)
        return v, self.axes.T @ g, 0.5 * g @ (W @ g) + g @ self.free


def solve_all(p, form):
    """Velocities, impulses (n, 3) and optimum of the whole problem by islands, each in its own
    units: an interior-point solver's residuals refer to the largest numbers of a problem."""
    v, gamma, optimum = p.v_star.copy(), np.zeros(3 * p.contacts), 0
    root = p.islands(p.patches)
    for r in np.unique([root[patch.b] for patch in p.patches]):
        contacts = np.concatenate([np.array(q.contacts) for q in p.patches if root[q.b] == r])
        forms = ConeForms(p, np.flatnonzero(root == r), contacts)
        v[forms.dofs], gamma[forms.rows], part = getattr(forms, form)()
        optimum += part
    return v, gamma.reshape(-1, 3), optimum


def run_abut(abut, snapshot, folder, tolerance):
    path = pathlib.Path(folder) / "solution.npz"
    path.unlink(missing_ok=True)
    done = subprocess.run([abut, "solve", snapshot, "--tolerance", str(tolerance),
                           "--solution", path], capture_output=True, text=True)
    if not path.exists():
        sys.exit(f"abut solve {snapshot} failed:\n{done.stdout}{done.stderr}")
    return np.load(path)


def check(abut, snapshot, folder):
    """{what: (found, allowed)} of one snapshot."""
    p = ContactProblem(snapshot)
    results = {}
    rough = run_abut(abut, snapshot, folder, 1e-2)
    e_m, e_c = p.certify(rough["velocity"], rough["impulse"])
    # by the rounding of A v, and of v through the stiffest contact
    stiffest = max(p.w / np.minimum(p.Rt, p.Rn), default=0)
    results["e_m"] = (abs(e_m - rough["momentum_error"]),
                      1e-12 + 1e-9 * e_m + 1e-15 * stiffest)
    results["e_c"] = abs(e_c - rough["complementarity_error"]), 1e-12
    if p.contacts == 0:
        return results
    ours = run_abut(abut, snapshot, folder, 1e-13)
    velocity, impulse = ours["velocity"], ours["impulse"]
    largest = max(np.abs(impulse).max(), 1e-12)
    lower, upper = p.dual_value(impulse), p.primal_value(velocity)
    results["duality gap"] = abs(upper - lower) / max(upper, 1e-12), 1e-9
    kinetic = lambda v: np.sqrt(v @ (p.A @ v))
    optima = []
    for name in ("primal", "dual"):
        v, gamma, optimum = solve_all(p, name)
        optima.append(optimum)
        results[f"v, {name}"] = kinetic(v - velocity) / kinetic(velocity), 1e-6
        # the programs determine impulses in the norm of W + R; singly 1/sqrt(sigma) = 30 times less
        results[f"impulses, {name}"] = p.size(gamma - impulse) / max(p.size(impulse), 1e-12), 1e-6
        results[f"single impulses, {name}"] = np.abs(gamma - impulse).max() / largest, 1e-5
    results["optima"] = abs(optima[0] + optima[1]) / max(abs(optima[0]), 1e-12), 1e-9
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("abut")
    parser.add_argument("snapshots", nargs="+")
    args = parser.parse_args()
    worst, failures, contacts = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for snapshot in args.snapshots:
            try:
                results = check(args.abut, snapshot, folder)
            except RuntimeError as e:
                print(f"{snapshot}: {e}")
                failures += 1
                continue
            for what, (found, allowed) in results.items():
                worst[what] = max(worst.get(what, 0), found)
                if not found <= allowed:
                    print(f"{snapshot}: {what} {found:.2e}, must be at most {allowed:.2e}")
                    failures += 1
    for what, found in worst.items():
        print(f"{what:24} worst {found:.2e}")
    print(f"{len(args.snapshots)} problems, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
