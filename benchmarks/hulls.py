#!/usr/bin/env python3
"""Compares with MuJoCo on models whose links collide as hulls of meshes: `make bench-hulls`.

The models are those of the wheels of dm_control and robosuite, unpacked into --models; some of them
start with links deep in each other. Stepping only, 2 ms, one thread, the least of interleaved runs:
the first half second, and half a second after the first one.
"""

import argparse
import pathlib
import sys

import cases

MUJOCO = cases.ROOT / "benchmarks" / "peers" / "mujoco_step.py"
ROBOSUITE = "robosuite/models/assets"
MODELS = {  # and where the controls are between their limits
    "panda": (f"{ROBOSUITE}/robots/panda/robot.xml", None),
    "ur5e": (f"{ROBOSUITE}/robots/ur5e/robot.xml", None),
    "jaco": (f"{ROBOSUITE}/robots/jaco/robot.xml", None),
    "jaco_arm": ("dm_control/third_party/kinova/jaco_arm.xml", None),
    "robotiq_s": (f"{ROBOSUITE}/grippers/robotiq_gripper_s.xml", None),
    "jaco hand": (f"{ROBOSUITE}/grippers/jaco_three_finger_gripper.xml", 1),
    "inspire hand": (f"{ROBOSUITE}/grippers/inspire_right_hand.xml", 1),
}
DT, DURATION = 0.002, 0.5
COLUMNS = [("model", "model", "<12"), ("after", "after s", ">7"), ("us", "abut us", ">8.1f"),
           ("query_us", "query us", ">8.1f"), ("contacts", "contacts", ">8.1f"),
           ("mujoco_us", "mujoco us", ">9.1f"), ("mujoco_contacts", "contacts", ">8"),
           ("ratio", "abut / mujoco", ">13.2f")]


def row(name, folder, after, repeats):
    path, control = MODELS[name]
    options = [after] + ([] if control is None else [control])
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(cases.run_json([cases.STEP_BENCH, folder / path, "sap", DT, DURATION, 1]
                                   + options))
        theirs.append(cases.run_json([sys.executable, MUJOCO, folder / path, DT, DURATION]
                                     + options, {"OMP_NUM_THREADS": "1"}))
    us = min(r["us_per_step"] for r in ours)
    mujoco_us = min(r["us_per_step"] for r in theirs)
    return {"model": name, "after": after, "us": round(us, 2),
            "query_us": round(min(r["query"] for r in ours), 2), "contacts": ours[0]["contacts"],
            "mujoco_us": round(mujoco_us, 2), "mujoco_contacts": theirs[0]["contacts"],
            "ratio": round(us / mujoco_us, 3), "failed_steps": ours[0]["failed_steps"],
            "mujoco_version": theirs[0]["version"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=pathlib.Path, default=cases.BUILD / "models")
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    rows = cases.print_table(COLUMNS, (row(name, arguments.models, after, arguments.repeats)
                                       for name in MODELS for after in (0, 1)))
    cases.write_results("hulls", rows)


main()
