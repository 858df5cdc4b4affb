#!/usr/bin/env python3
"""Steps a clutter scene with Drake and prints what it cost as one line of JSON:
    drake_step.py SCENE.json {sap|lagged|similar} DT DURATION

Point contact at the stiffness and dissipation of the other programs. A box gets a point at each
corner beside its own geometry: without them Drake has one contact per pair and piles never settle.
"""

import importlib.metadata
import itertools
import json
import sys
import time

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import AddContactMaterial, Box, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

STIFFNESS, DISSIPATION, RELAXATION_TIME = 1e7, 10.0, 1e-4  # of the pair
CORNER_RADIUS = 1e-7  # a point, as far as the contact is concerned


def material(mu):
    """Of one body: a pair has half the stiffness of its bodies and the sum of their times."""
    p = ProximityProperties()
    AddContactMaterial(DISSIPATION, 2 * STIFFNESS, CoulombFriction(mu, mu), p)
    p.AddProperty("material", "relaxation_time", RELAXATION_TIME / 2)
    return p


def add_walls(plant, scene, properties):
    half = scene["side"] / 2
    for k, (normal, at) in enumerate([([0, 0, 1], [0, 0, 0]),
                                      ([1, 0, 0], [-half, 0, 0]), ([-1, 0, 0], [half, 0, 0]),
                                      ([0, 1, 0], [0, -half, 0]), ([0, -1, 0], [0, half, 0])]):
        pose = HalfSpace.MakePose(np.array(normal, float), np.array(at, float))
        plant.RegisterCollisionGeometry(plant.world_body(), pose, HalfSpace(), f"wall{k}",
                                        properties)


def add_body(plant, i, b, properties):
    if b["shape"] == "sphere":
        inertia = UnitInertia.SolidSphere(b["radius"])
    else:
        inertia = UnitInertia.SolidCube(2 * b["half"])
    body = plant.AddRigidBody(f"body{i}", SpatialInertia(b["mass"], np.zeros(3), inertia))
    shapes = []
    if b["shape"] == "sphere":
        shapes.append((np.zeros(3), Sphere(b["radius"])))
    else:
        h = b["half"]
        shapes.append((np.zeros(3), Box(2 * h, 2 * h, 2 * h)))
        shapes += [(h * np.array(s), Sphere(CORNER_RADIUS))
                   for s in itertools.product([-1, 1], repeat=3)]
    for k, (p, shape) in enumerate(shapes):
        plant.RegisterCollisionGeometry(body, RigidTransform(p), shape, f"body{i}_{k}", properties)
    q = np.array(b["quat_wxyz"])
    plant.SetDefaultFloatingBaseBodyPose(
        body, RigidTransform(RotationMatrix(Quaternion(q / np.linalg.norm(q))), b["pos"]))


def add_scene(plant, scene):
    properties = material(scene["mu"])
    add_walls(plant, scene, properties)
    for i, b in enumerate(scene["bodies"]):
        add_body(plant, i, b, properties)
    plant.Finalize()


def main(path, model, dt, duration):
    with open(path, encoding="utf-8") as f:
        scene = json.load(f)
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=dt, discrete_contact_approximation=model)
    plant, _ = AddMultibodyPlant(config, builder)
    add_scene(plant, scene)
    simulator = Simulator(builder.Build())
    simulator.Initialize()
    steps = round(duration / dt)
    start = time.perf_counter()
    simulator.AdvanceTo(duration)
    seconds = time.perf_counter() - start
    print(json.dumps({"us_per_step": 1e6 * seconds / steps,
                      "version": importlib.metadata.version("drake")}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
