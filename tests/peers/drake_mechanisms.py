#!/usr/bin/env python3
"""Dynamics of random mechanisms beside Drake's, of the same states under weight, springs, dampers,
motors and loads: mass matrix, bias forces, accelerations.

    print_mechanisms | drake_mechanisms.py

Drake's models are made from the same MJCF joint by joint: several joints of a body are joints with
massless bodies between them. Exit status 1 if a difference, relative to Drake's value, is too
large.

Velocities are converted, u = T v: of a free joint abut has linear and angular velocity in the
body's axes, Drake angular and linear in the world's; of a ball joint abut has the angular velocity
in the body's axes, Drake in its parent's.
"""

import collections
import json
import sys
import xml.etree.ElementTree as ET

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.common.value import Value
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.multibody.tree import (BallRpyJoint, FixedOffsetFrame, PrismaticJoint, PrismaticSpring,
                                    QuaternionFloatingJoint, RevoluteJoint, RevoluteSpring,
                                    RotationalInertia, SpatialInertia, WeldJoint)

BOUNDS = {"velocity": 1e-13, "mass matrix": 1e-13, "bias forces": 1e-13, "acceleration": 1e-11}


def numbers(element, name, default=None):
    return np.array(element.get(name, default).split(), float)


def rotation(wxyz):
    return RotationMatrix(Quaternion(wxyz / np.linalg.norm(wxyz)))


def pose(element):
    return RigidTransform(rotation(numbers(element, "quat")), numbers(element, "pos"))


def spatial_inertia(element):
    axes = pose(element)
    central = RotationalInertia(*numbers(element, "diaginertia")).ReExpress(axes.rotation())
    return SpatialInertia.MakeFromCentralInertia(float(element.get("mass")), axes.translation(),
                                                 central)


class Joint:
    """A joint of MJCF, and Drake's."""

    def __init__(self, plant, element, name, parent, X_PB, child):
        self.kind = "free" if element.tag == "freejoint" else element.get("type")
        number = lambda key: float(element.get(key, "0"))
        self.reference, self.armature = number("ref"), number("armature")
        self.actuator = None
        if self.kind == "free":
            self.drake = plant.AddJoint(QuaternionFloatingJoint(
                name, plant.world_frame(), child.body_frame()))
            return
        anchor = RigidTransform(numbers(element, "pos"))
        sides = ("parent", parent, X_PB @ anchor), ("child", child, anchor)
        frames = [plant.AddFrame(FixedOffsetFrame(f"{name} of {side}", body.body_frame(), X))
                  for side, body, X in sides]
        if self.kind == "ball":
            self.drake = plant.AddJoint(BallRpyJoint(name, *frames, number("damping")))
            return
        turns = self.kind == "hinge"
        kind, spring = ((RevoluteJoint, RevoluteSpring) if turns else
                        (PrismaticJoint, PrismaticSpring))
        self.drake = plant.AddJoint(kind(name, *frames, numbers(element, "axis"),
                                         damping=number("damping")))
        plant.AddForceElement(spring(self.drake, number("springref") - self.reference,
                                     number("stiffness")))
        self.actuator = plant.AddJointActuator(name, self.drake)
        self.actuator.set_default_rotor_inertia(self.armature)
        self.actuator.set_default_gear_ratio(1)

    def set_state(self, context, q, v):
        """Takes its numbers from the lists; returns its dofs in Drake, its part of T, and dT/dt
        times Drake's velocity."""
        start = self.drake.velocity_start()
        if self.kind in ("hinge", "slide"):
            set_position, set_rate = ((self.drake.set_angle, self.drake.set_angular_rate)
                                      if self.kind == "hinge" else
                                      (self.drake.set_translation, self.drake.set_translation_rate))
            set_position(context, q.pop(0) - self.reference)
            set_rate(context, v.pop(0))
            return np.arange(start, start + 1), np.eye(1), np.zeros(1)
        if self.kind == "free":
            self.drake.SetTranslation(context, [q.pop(0) for _ in range(3)])
            linear = np.array([v.pop(0) for _ in range(3)])
        R = rotation(np.array([q.pop(0) for _ in range(4)]))
        w = R @ np.array([v.pop(0) for _ in range(3)])
        self.drake.set_angular_velocity(context, w)
        R_t = R.matrix().T
        if self.kind == "ball":
            self.drake.set_angles(context, RollPitchYaw(R).vector())
            return np.arange(start, start + 3), R_t, np.zeros(3)
        self.drake.SetQuaternion(context, R.ToQuaternion())
        self.drake.set_translational_velocity(context, linear)
        T = np.block([[np.zeros((3, 3)), R_t], [R_t, np.zeros((3, 3))]])
        return np.arange(start, start + 6), T, np.r_[-R_t @ np.cross(w, linear), np.zeros(3)]


class Model:
    """Drake's, with the bodies that have joints and a list of these for each, in the file's
    order."""

    def __init__(self, mjcf):
        root = ET.fromstring(mjcf)
        self.plant = MultibodyPlant(time_step=0)
        gravity = numbers(root.find("option"), "gravity")
        self.plant.mutable_gravity_field().set_gravity_vector(gravity)
        self.bodies, self.joints, self.count = [], [], 0
        for body in root.findall("worldbody/body"):
            self.add(body, self.plant.world_body())
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()

    def add_rigid_body(self, inertia):
        self.count += 1
        return self.plant.AddRigidBody(f"body {self.count}", inertia)

    def add(self, element, parent):
        X_PB, inertia = pose(element), spatial_inertia(element.find("inertial"))
        joints = [child for child in element if child.tag in ("joint", "freejoint")]
        if not joints:
            body = self.add_rigid_body(inertia)
            self.plant.AddJoint(WeldJoint(body.name(), parent.body_frame(), body.body_frame(),
                                          X_PB))
        chain = []
        for joint in joints:
            body = self.add_rigid_body(inertia if joint is joints[-1] else SpatialInertia.Zero())
            chain.append(Joint(self.plant, joint, body.name(), parent, X_PB, body))
            parent, X_PB = body, RigidTransform()
        if chain:
            self.bodies.append(body)
            self.joints.append(chain)
        for child in element.findall("body"):
            self.add(child, body)

    def set_state(self, bodies):
        """T, dT/dt times Drake's velocity, and armatures that Drake's joints cannot have, by its
        dofs."""
        n = self.plant.num_velocities()
        T, drift, armature, at = np.zeros((n, n)), np.zeros(n), np.zeros(n), 0
        if len(bodies) != len(self.bodies):
            sys.exit("drake_mechanisms: abut has other bodies")
        for state, joints in zip(bodies, self.joints):
            q, v = list(state["positions"]), list(state["velocities"])
            for joint in joints:
                dofs, block, rate = joint.set_state(self.context, q, v)
                ours = np.arange(at, at + len(dofs))
                T[np.ix_(ours, dofs)], drift[ours] = block, rate
                if joint.kind == "ball":
                    armature[dofs] = joint.armature
                at += len(dofs)
            if q or v:
                sys.exit("drake_mechanisms: abut has other joints")
        return T, drift, armature

    def set_inputs(self, mechanism):
        loads = []
        for body, load in zip(self.bodies, mechanism["bodies"]):
            applied = ExternallyAppliedSpatialForce()
            applied.body_index = body.index()
            applied.p_BoBq_B = load["center_of_mass"]
            applied.F_Bq_W = SpatialForce(tau=load["moment"], f=load["force"])
            loads.append(applied)
        self.plant.get_applied_spatial_force_input_port().FixValue(
            self.context, Value[list[ExternallyAppliedSpatialForce]](loads))
        actuation = np.zeros(self.plant.num_actuators())
        for motor in mechanism["motors"]:
            actuator = self.joints[motor["body"]][motor["joint"]].actuator
            actuator.set_actuation_vector([motor["gear"] * motor["control"]], actuation)
        self.plant.get_actuation_input_port().FixValue(self.context, actuation)

    def acceleration(self, generalized_forces):
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context,
                                                                       generalized_forces)
        return self.plant.get_generalized_acceleration_output_port().Eval(self.context)


def in_one(trees, key):
    return np.concatenate([tree[key] for tree in trees])


def mass_matrix(trees):
    n = sum(len(tree["velocity"]) for tree in trees)
    M, at = np.zeros((n, n)), 0
    for tree in trees:
        k = len(tree["velocity"])
        M[at:at + k, at:at + k] = np.reshape(tree["mass_matrix"], (k, k))
        at += k
    return M


def check(mechanism, model):
    """{what: relative difference}"""
    T, drift, armature = model.set_state(mechanism["bodies"])
    model.set_inputs(mechanism)
    plant, context = model.plant, model.context
    u = in_one(mechanism["trees"], "velocity")
    v_dot = np.linalg.solve(T, np.array(mechanism["next_velocity"]) - u - drift)  # Drake's, by abut
    M = mass_matrix(mechanism["trees"])
    bias = in_one(mechanism["trees"], "bias_forces")
    pairs = {
        "velocity": (u, T @ plant.GetVelocities(context)),
        "mass matrix": (T.T @ M @ T, plant.CalcMassMatrix(context) + np.diag(armature)),
        "bias forces": (T.T @ (bias + M @ drift),
                        plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)),
        # the armature of balls by the moment that its acceleration takes
        "acceleration": (v_dot, model.acceleration(-armature * v_dot)),
    }
    return {what: np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
            for what, (ours, theirs) in pairs.items()}


def main():
    worst, kinds, failures, count = dict.fromkeys(BOUNDS, 0), collections.Counter(), 0, 0
    for count, line in enumerate(sys.stdin, 1):
        mechanism = json.loads(line)
        model = Model(mechanism["mjcf"])
        kinds.update(joint.kind for joints in model.joints for joint in joints)
        for what, found in check(mechanism, model).items():
            worst[what] = max(worst[what], found)
            if not found <= BOUNDS[what]:
                print(f"mechanism {count - 1}: {what} {found:.2e}, "
                      f"must be at most {BOUNDS[what]:.0e}")
                failures += 1
    joints = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    print(f"{count} mechanisms with {joints} joints")
    for what, found in worst.items():
        print(f"{what:14} worst {found:.2e}")
    print(f"{failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
