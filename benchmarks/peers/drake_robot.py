#!/usr/bin/env python3
"""Steps a robot scene from its first keyframe with Drake and prints what it cost as one line of JSON:
    drake_robot.py SCENE.xml {sap|lagged|similar} DT DURATION

Contacts have the stiffness and dissipation of the other programs. Drake's reader of MJCF knows no
frames, joint springs, keyframes nor dry friction of joints: all but the last are put in here.
"""

import importlib.metadata
import json
import logging
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import DefaultProximityProperties, SceneGraphConfig
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.multibody.tree import RevoluteSpring
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

STIFFNESS, DISSIPATION, RELAXATION_TIME = 1e7, 10.0, 1e-4  # of the pair


def pose(element):
    p, q = (np.array(element.get(name, default).split(), float)
            for name, default in [("pos", "0 0 0"), ("quat", "1 0 0 0")])
    return RigidTransform(Quaternion(q / np.linalg.norm(q)), p)


def dissolve_frames(element):
    """Puts what is in frames into their parents."""
    for frame in element.findall("frame"):
        at = list(element).index(frame)
        element.remove(frame)
        for child in reversed(frame):
            placed = pose(frame) @ pose(child)
            child.set("pos", " ".join(map(str, placed.translation())))
            child.set("quat", " ".join(map(str, placed.rotation().ToQuaternion().wxyz())))
            element.insert(at, child)
    if element.find("frame") is not None:
        dissolve_frames(element)
    for child in element:
        dissolve_frames(child)


def balance(root):
    """What the compiler option balanceinertia asks for; Drake refuses such inertias."""
    for inertial in root.iter("inertial"):
        moments = np.array(inertial.get("diaginertia").split(), float)
        if 2 * moments.max() > moments.sum():
            inertial.set("diaginertia", " ".join(3 * [str(moments.mean())]))


def add_springs(plant, root):
    for joint in root.iter("joint"):
        if joint.get("stiffness") is not None:
            plant.AddForceElement(RevoluteSpring(plant.GetJointByName(joint.get("name")),
                                                 float(joint.get("springref", "0")),
                                                 float(joint.get("stiffness"))))


def put_joints(plant, root):
    """Where the keyframe has them; coordinates are in the order of the file's joints."""
    qpos = [float(x) for x in root.find("keyframe/key").get("qpos").split()]
    floating = sorted(plant.GetFloatingBaseBodies(), key=int)
    for joint in root.iter("joint"):
        if joint.get("type") == "free":
            p, q = qpos[:3], np.array(qpos[3:7])
            plant.SetDefaultFloatingBaseBodyPose(
                plant.get_body(floating.pop(0)),
                RigidTransform(Quaternion(q / np.linalg.norm(q)), p))
            qpos = qpos[7:]
        else:
            plant.GetJointByName(joint.get("name")).set_default_angle(qpos.pop(0))
    if qpos or floating:
        sys.exit("drake_robot: the keyframe and Drake's model have different joints")


def main(path, model, dt, duration):
    logging.getLogger("drake").setLevel(logging.ERROR)  # what its reader leaves out is said above
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=dt, discrete_contact_approximation=model)
    plant, scene_graph = AddMultibodyPlant(config, builder)
    # a pair has half the stiffness of its bodies and the sum of their times
    scene_graph.set_config(SceneGraphConfig(default_proximity_properties=DefaultProximityProperties(
        point_stiffness=2 * STIFFNESS, hunt_crossley_dissipation=DISSIPATION,
        relaxation_time=RELAXATION_TIME / 2)))
    root = ET.parse(path).getroot()
    dissolve_frames(root.find("worldbody"))
    balance(root)
    Parser(plant).AddModelsFromString(ET.tostring(root, encoding="unicode"), "xml")
    gravity = root.find("option[@gravity]")
    if gravity is not None:
        plant.mutable_gravity_field().set_gravity_vector(
            [float(x) for x in gravity.get("gravity").split()])
    add_springs(plant, root)
    plant.Finalize()
    put_joints(plant, root)
    simulator = Simulator(builder.Build())
    simulator.Initialize()
    steps = round(duration / dt)
    start = time.perf_counter()
    simulator.AdvanceTo(duration)
    seconds = time.perf_counter() - start
    context = plant.GetMyContextFromRoot(simulator.get_context())
    contacts = plant.get_contact_results_output_port().Eval(context)
    print(json.dumps({"us_per_step": 1e6 * seconds / steps,
                      "contacts": contacts.num_point_pair_contacts(),
                      "version": importlib.metadata.version("drake")}))


main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
