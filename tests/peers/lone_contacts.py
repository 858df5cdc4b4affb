#!/usr/bin/env python3
"""lone_contacts.py OUT.npz SEED SIGMA: a problem of 200 bodies, each on one contact of its own, with
friction, stiffness, damping and approach at random. Each is one projection on a cone."""

import sys

import numpy as np

out, seed, sigma = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
random = np.random.default_rng(seed)
n, h = 200, 1e-3


def unit(count):
    x = random.normal(size=(count, 3))
    return x / np.linalg.norm(x, axis=1)[:, None]


def log_uniform(low, high):
    return 10 ** random.uniform(np.log10(low), np.log10(high), n)


mass = log_uniform(1e-2, 1e2)
axes = np.linalg.qr(random.normal(size=(n, 3, 3)))[0]
moments = 1e-2 * mass[:, None] * random.uniform(1, 2, (n, 3))
center = random.normal(size=(n, 3))
velocity = random.normal(size=(n, 6))
whole = lambda x: np.array(x, dtype=np.uint8)
none = lambda kind=float, *shape: np.zeros((0, *shape), kind)
np.savez(
    out, format_version=np.int32(6), time_step=h, model=whole(0), law=whole(0), wake_gap=1e9,
    stiction_tolerance=1e-4, sigma=sigma, beta=float(seed % 2), lagged_rule=whole(0),
    lag_tolerance=0.1,
    tree_kind=np.zeros(n, np.uint8), tree_size=np.full(n, 6, np.int32), tree_mass=mass,
    tree_center=center, tree_inertia=np.einsum("nij,nj,nkj->nik", axes, moments, axes),
    tree_matrices=none(), blocks_in_row=none(np.int32), block_column=none(np.int32),
    block_elements=none(float, 3, 3), velocity=velocity.ravel(),
    free_velocity=(velocity + 0.1 * random.normal(size=(n, 6))).ravel(),
    first_guess=none(),
    body_tree=none(np.int32), body_center=none(float, 3), nodes_of_body=none(np.int32),
    body_nodes=none(np.int32), jacobians=none(),
    patch_trees=np.column_stack([np.full(n, -1), np.arange(n)]).astype(np.int32),
    patch_bodies=np.full((n, 2), -1, np.int32), patch_contacts=np.ones(n, np.int32),
    point=center + 0.1 * random.normal(size=(n, 3)),
    normal=unit(n), bias=0.1 * random.normal(size=(n, 3)), previous_impulse=np.zeros((n, 3)),
    anchor=np.zeros((n, 3)),
    gap=1e-3 * random.normal(size=n), weight=random.uniform(0.5, 2, n),
    stiffness=mass * log_uniform(1e4, 1e8), dissipation=np.zeros(n),
    relaxation_time=log_uniform(1e-5, 1e-2),
    friction=np.where(random.uniform(size=n) < 0.1, 0, random.uniform(0, 10, n)),
    anisotropy=np.zeros(n), friction_axis=np.zeros((n, 3)), thickness=np.zeros(n),
    contact_law=np.full(n, 255, np.uint8), contact_table=np.full(n, -1, np.int32),
    table_points=none(np.int32), table_depth=none(), table_force=none(),
    scalar_kind=none(np.uint8), scalar_gap=none(), scalar_stiffness=none(),
    scalar_relaxation_time=none(), scalar_damping=none(), scalar_force=none(),
    scalar_lower_force=none(), scalar_upper_force=none(), scalar_previous_impulse=none(),
    scalar_entries=none(np.int32), entry_tree=none(np.int32), entry_dof=none(np.int32),
    entry_value=none())
