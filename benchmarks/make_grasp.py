#!/usr/bin/env python3
"""Writes scenes/allegro_grasp.{xml,toml,csv}: the Allegro hand of scenes/allegro.xml, with servos in
the place of springs, closes on a pear, a mesh whose hull has 162 vertices, and holds it.
"""

import math
import pathlib
import xml.etree.ElementTree as ET

SCENES = pathlib.Path(__file__).resolve().parent / "scenes"
NAME = "allegro_grasp"
RINGS, SIDES = 10, 16
START, CLOSED = 0.5, {"thumb": 1.1, "finger": 1.5}  # [rad]
CLOSING = (0.1, 0.5)  # [s]
PEAR = (0.045, 0, 0.02)  # where it begins [m]


def pear():
    """Vertices of a surface of revolution about z, 8 cm high; no two rings are turned alike."""
    vertices = [(0, 0, -0.04), (0, 0, 0.04)]
    for k in range(RINGS):
        polar = math.pi * (k + 1) / (RINGS + 1)
        z = -0.04 * math.cos(polar)
        radius = 0.03 * math.sin(polar) * (1 - 5 * z)
        for i in range(SIDES):
            turn = 2 * math.pi * (i + 0.37 * k) / SIDES
            vertices.append((radius * math.cos(turn), radius * math.sin(turn), z))
    return vertices


def faces():
    at = lambda k, i: 2 + SIDES * k + i % SIDES
    for i in range(SIDES):
        yield 0, at(0, i + 1), at(0, i)
        yield 1, at(RINGS - 1, i), at(RINGS - 1, i + 1)
        for k in range(RINGS - 1):
            yield at(k, i), at(k, i + 1), at(k + 1, i + 1)
            yield at(k, i), at(k + 1, i + 1), at(k + 1, i)


def target(joint, is_closed):
    """Where a servo holds its joint [rad]; the first of each finger turns it sideways."""
    finger, link = divmod(int(joint.removeprefix("joint_").removesuffix(".0")), 4)
    if finger == 3 and link < 2:
        return 1.2 if link == 0 else 0  # the thumb faces the fingers
    if link == 0:
        return 0
    return CLOSED["thumb" if finger == 3 else "finger"] if is_closed else START


def main():
    tree = ET.parse(SCENES / "allegro.xml")
    root = tree.getroot()
    root.set("model", NAME)
    numbers = " ".join(f"{x:.5f}" for vertex in pear() for x in vertex)
    asset = ET.Element("asset")
    corners = " ".join(str(v) for face in faces() for v in face)
    ET.SubElement(asset, "mesh", name="pear", vertex=numbers, face=corners)
    root.insert(list(root).index(root.find("worldbody")), asset)
    root.remove(root.find("size"))
    joints = [j for j in root.iter("joint") if j.get("name")]
    actuators = ET.SubElement(root, "actuator")
    for joint in joints:
        for key in ("stiffness", "springref", "actuatorfrcrange"):
            joint.attrib.pop(key, None)
        joint.set("frictionloss", "0.01")
        ET.SubElement(actuators, "position", name=joint.get("name"), joint=joint.get("name"), kp="3",
                      kv="0.05", ctrllimited="true", ctrlrange=joint.get("range"),
                      forcerange="-0.7 0.7")
    ball = next(b for b in root.iter("body") if b.find("joint[@type='free']") is not None)
    ball.set("pos", " ".join(map(str, PEAR)))
    ball.set("name", "pear")
    geom = ball.find("geom")
    del geom.attrib["size"]
    geom.set("type", "mesh")
    geom.set("mesh", "pear")
    geom.set("mass", "0.1")
    names = [j.get("name") for j in joints]
    targets = [[target(name, is_closed) for name in names] for is_closed in (False, True)]
    key = root.find("keyframe/key")
    key.set("name", "open")
    key.set("qpos", " ".join(map(str, [*targets[0], *PEAR, 1, 0, 0, 0])))
    ET.indent(tree)
    tree.write(SCENES / f"{NAME}.xml", encoding="unicode")
    with open(SCENES / f"{NAME}.xml", "a", encoding="utf-8") as f:
        f.write("\n")
    with open(SCENES / f"{NAME}.csv", "w", encoding="utf-8") as f:
        f.write(f"time,{','.join(names)}\n")
        for time, row in zip(CLOSING, targets):
            f.write(f"{time:g},{','.join(map(str, row))}\n")
    (SCENES / f"{NAME}.toml").write_text(
        f"""# The Allegro hand closes on a pear and holds it: written by make_grasp.py.
abut = 1

[world]
gravity = [-9.81, 0, 0]

[[model]]
file = "{NAME}.xml"

[[controller]]
type = "control"
trajectory = "{NAME}.csv"

[simulation]
time_step = 0.001
duration = 1
""", encoding="utf-8")


main()
