"""SAP's convex problem from a saved file, in numpy alone: nothing here comes from abut's C++.

Formulas: docs/notation.md; fields of the file: src/abut/io/problem_file.cpp.
"""

import dataclasses

import numpy as np
import scipy.sparse as sp

WORLD, RIGID, SAP = -1, 0, 0


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def contact_frame(n):
    """Columns t1, t2, n: any tangents will do."""
    axis = np.eye(3)[np.argmin(np.abs(n))]
    t1 = np.cross(n, axis)
    t1 /= np.linalg.norm(t1)
    return np.column_stack([t1, np.cross(n, t1), n])


@dataclasses.dataclass
class Patch:
    a: int
    b: int
    contacts: range


class ContactProblem:
    """A, v*, J, b as matrices; J in world axes, three rows a contact. Regularizations Rt, Rn."""

    def __init__(self, path):
        f = np.load(path)
        if f["model"] != SAP:
            raise ValueError(f"{path}: model {f['model']}, must be SAP")
        if len(f["scalar_kind"]):
            raise ValueError(f"{path}: scalar constraints are not known here")
        self.f = f
        self.h = float(f["time_step"])
        self.v0, self.v_star = f["velocity"], f["free_velocity"]
        self.start = np.concatenate([[0], np.cumsum(f["tree_size"])])
        self.trees = len(f["tree_size"])
        ends = np.cumsum(f["patch_contacts"])
        self.patches = [Patch(a, b, range(end - count, end)) for (a, b), count, end
                        in zip(f["patch_trees"], f["patch_contacts"], ends)]
        self.contacts = len(f["gap"])
        self._masses()
        self._jacobian()
        self.bias = f["bias"].ravel()
        self.frames = np.array([contact_frame(n) for n in f["normal"]]).reshape(-1, 3, 3)
        self.mu = f["friction"]
        self.v_hat = -f["gap"] / (self.h + f["relaxation_time"])
        self._regularize()

    def dofs(self, tree):
        return slice(self.start[tree], self.start[tree + 1])

    def _masses(self):
        f, at = self.f, 0
        self.blocks = []
        for t in range(self.trees):
            if f["tree_kind"][t] == RIGID:
                block = np.zeros((6, 6))
                block[:3, :3] = f["tree_mass"][t] * np.eye(3)
                block[3:, 3:] = f["tree_inertia"][t]
            else:
                n = f["tree_size"][t]
                block = f["tree_matrices"][at:at + n * n].reshape(n, n)
                at += n * n
            self.blocks.append(block)
        self.A = sp.block_diag(self.blocks, format="csc")
        self.A_inverse = sp.block_diag([np.linalg.inv(b) for b in self.blocks], format="csc")

    def _jacobian(self):
        f, at = self.f, 0
        rows = sp.lil_matrix((3 * self.contacts, self.start[-1]))
        self.w = np.zeros(self.contacts)
        for patch in self.patches:
            for i in patch.contacts:
                delassus = np.zeros((3, 3))
                for tree, sign in ((patch.a, -1), (patch.b, 1)):
                    if tree == WORLD:
                        continue
                    if f["tree_kind"][tree] == RIGID:
                        arm = f["point"][i] - f["tree_center"][tree]
                        j = sign * np.hstack([np.eye(3), -skew(arm)])
                    else:
                        n = f["tree_size"][tree]
                        j = f["jacobians"][at:at + 3 * n].reshape(3, n)
                        at += 3 * n
                    rows[3 * i:3 * i + 3, self.dofs(tree)] = j
                    delassus += j @ np.linalg.solve(self.blocks[tree], j.T)
                self.w[i] = np.linalg.norm(delassus) / 3
        self.J = rows.tocsr()

    def split(self, v):
        """Normal part and slip of contact velocities or impulses (n, 3)."""
        normal = np.einsum("ij,ij->i", self.f["normal"], v)
        return normal, v - normal[:, None] * self.f["normal"]

    def contact_velocity(self, v):
        return (self.J @ v + self.bias).reshape(-1, 3)

    def islands(self, patches):
        """The smallest tree of each tree's island."""
        root = np.arange(self.trees)
        for patch in patches:
            if patch.a != WORLD:
                low, high = sorted((root[patch.a], root[patch.b]))
                root[root == high] = low
        return root

    def _regularize(self):
        f, h = self.f, self.h
        self.Rt = f["sigma"] * self.w / f["weight"]
        root = self.islands(self.patches)
        heaviest = np.array([f["tree_mass"][root == r].max() for r in root])
        rigid = f["beta"] ** 2 / (4 * np.pi ** 2)
        compliance = 1 / (h * (h + f["relaxation_time"]) * f["stiffness"])
        self.Rn = np.zeros(self.contacts)
        for p in self.patches:
            mass = max(heaviest[t] for t in (p.a, p.b) if t != WORLD)
            i = list(p.contacts)
            self.Rn[i] = np.maximum(rigid * np.minimum(self.w[i], 1 / mass), compliance[i])
        self.Rn /= f["weight"]

    def law(self, v):
        """The impulses (n, 3) that SAP's law gives at v: y projected on the cone in the norm of R."""
        normal, slip = self.split(self.contact_velocity(v))
        yn, yt = (self.v_hat - normal) / self.Rn, -slip / self.Rt[:, None]
        yr = np.linalg.norm(yt, axis=1)
        ratio = self.mu * self.Rt / self.Rn
        gn = np.where(yr <= self.mu * yn, yn, (yn + ratio * yr) / (1 + self.mu * ratio))
        factor = np.where(yr <= self.mu * yn, 1, self.mu * gn / np.where(yr > 0, yr, 1))
        gamma = gn[:, None] * self.f["normal"] + factor[:, None] * yt
        gamma[yn <= -ratio * yr] = 0
        return gamma

    def squared_norm_R(self, gamma):
        gn, gt = self.split(gamma)
        return gn @ (self.Rn * gn) + self.Rt @ np.einsum("ij,ij->i", gt, gt)

    def primal_value(self, v):
        """The convex problem's cost at v."""
        d = v - self.v_star
        return 0.5 * d @ (self.A @ d) + 0.5 * self.squared_norm_R(self.law(v))

    def dual_value(self, gamma):
        """A lower bound of the cost for any impulses (n, 3) in their cones; equal at the optimum."""
        push = self.J.T @ gamma.ravel()
        work = gamma.ravel() @ (self.J @ self.v_star + self.bias)
        return (-0.5 * push @ (self.A_inverse @ push) - 0.5 * self.squared_norm_R(gamma) - work +
                self.split(gamma)[0] @ self.v_hat)

    def size(self, gamma):
        """Norm of W + R."""
        push = self.J.T @ gamma.ravel()
        return np.sqrt(push @ (self.A_inverse @ push) + self.squared_norm_R(gamma))

    def certify(self, v, impulse):
        """e_m and e_c, each of the worst island that impulses link."""
        gamma = self.law(v)
        pushes = np.any(gamma != 0, axis=1)
        root = self.islands([p for p in self.patches if np.any(pushes[list(p.contacts)])])
        normal, slip = self.split(self.contact_velocity(v))
        gn, gt = self.split(impulse)
        slack = np.abs(gn * (normal - self.v_hat + self.Rn * gn) +
                       np.einsum("ij,ij->i", gt, slip + self.Rt[:, None] * gt))
        d = 1 / np.sqrt(self.A.diagonal())
        total, free, push = self.A @ v, self.A @ self.v_star, self.J.T @ gamma.ravel()
        e_m = e_c = 0
        for r in np.unique(root):
            k = np.concatenate([np.r_[self.dofs(t)] for t in np.flatnonzero(root == r)])
            size = lambda x: np.linalg.norm((d * x)[k])
            scale, residual = max(size(total), size(push)), size(total - free - push)
            if scale < 1e-14 and residual < 1e-14:
                continue
            mine = sum(slack[i] for p in self.patches if root[p.b] == r for i in p.contacts
                       if np.any(gamma[i]) or np.any(impulse[i]))
            e_m, e_c = max(e_m, residual / scale), max(e_c, mine / scale ** 2)
        return e_m, e_c
