#!/usr/bin/env python3
"""Writes a scene of many bodies that equality constraints or tendons join, as MJCF:
    make_joined.py chain|net|bridge N FILE.xml

chain   N links of 10 cm, one end held, straight: joined by connect
net     N x N balls 10 cm apart, the corners held: tendons of at most 10.2 cm
bridge  N planks of 1 m, both ends held, joined at both sides by connect; a box on every fifth
"""

import sys

HEAD = "<mujoco>\n<option timestep='0.002'/>\n<worldbody>\n"


def chain(n):
    bodies, joints = [], []
    for i in range(n):
        bodies.append(f"<body name='b{i}' pos='{0.1 * i + 0.05:g} 0 0'><freejoint/><geom "
                      "type='capsule' size='0.02 0.03' zaxis='1 0 0' contype='0' conaffinity='0'/>"
                      "</body>")
        before = f" body2='b{i - 1}'" if i else ""
        joints.append(f"<connect body1='b{i}'{before} anchor='-0.05 0 0'/>")
    return bodies, "equality", joints


def net(n):
    bodies, strings = [], []
    for i in range(n):
        for j in range(n):
            held = i in (0, n - 1) and j in (0, n - 1)
            ball = "" if held else "<freejoint/><geom size='0.02'/>"
            bodies.append(f"<body pos='{0.1 * i:g} {0.1 * j:g} 1'>{ball}<site name='s{i}_{j}'/>"
                          "</body>")
            for k, l in ((i - 1, j), (i, j - 1)):
                if k >= 0 and l >= 0:
                    strings.append("<spatial limited='true' range='0 0.102'>"
                                   f"<site site='s{k}_{l}'/><site site='s{i}_{j}'/></spatial>")
    return bodies, "tendon", strings


def bridge(n):
    bodies, joints = [], []
    for i in range(n):
        bodies.append(f"<body name='b{i}' pos='{0.2 * i + 0.1:g} 0 0'><freejoint/>"
                      "<geom type='box' size='0.08 0.5 0.02'/></body>")
        before = f" body2='b{i - 1}'" if i else ""
        for side in (-0.5, 0.5):
            joints.append(f"<connect body1='b{i}'{before} anchor='-0.1 {side} 0'/>")
            if i == n - 1:
                joints.append(f"<connect body1='b{i}' anchor='0.1 {side} 0'/>")
        if i % 5 == 2:
            bodies.append(f"<body pos='{0.2 * i + 0.1:g} 0 0.0725'><freejoint/>"
                          "<geom type='box' size='0.05 0.05 0.05'/></body>")
    return bodies, "equality", joints


def write(kind, count, path):
    bodies, element, joints = {"chain": chain, "net": net, "bridge": bridge}[kind](count)
    with open(path, "w", encoding="utf-8") as f:
        f.write(HEAD + "\n".join(bodies) + f"\n</worldbody>\n<{element}>\n" + "\n".join(joints)
                + f"\n</{element}>\n</mujoco>\n")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("chain", "net", "bridge"):
        sys.exit(__doc__)
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
