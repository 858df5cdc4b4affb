#!/usr/bin/env python3
"""Friction problems of single steps of scenes, as FCLIB's files: make_friction_problems.py FOLDER.

Cubes of 20 cm that slide or stand on each other, equal, of growing mass, or heavy on light; robots that stand, or are pushed at
1 m/s. Steps of 1 ms under the NCP.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

import cases

ABUT = cases.BUILD / "apps" / "abut" / "abut"


def cubes(masses, velocity=(0, 0)):
    """A stack, lowest first, all of it with a horizontal velocity [m/s]."""
    bodies = "".join(f'<body pos="0 0 {0.1 + 0.2 * i:.17g}"><freejoint/><geom type="box" size=".1 .1 .1" mass="{mass}"/></body>'
                     for i, mass in enumerate(masses))
    moving = " ".join(f"{velocity[0]} {velocity[1]} 0 0 0 0" for _ in masses)
    return (f'<mujoco><default><geom friction="0.5"/></default><worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody>'
            f'<keyframe><key name="stand" qvel="{moving}"/></keyframe></mujoco>')


def robot(name, velocity=0):
    """One of scenes/, with a velocity along x [m/s], without dry friction and limits of joints: peers have no such rows."""
    text = (cases.SCENES / f"{name}.xml").read_text(encoding="utf-8")
    position = re.search(r'<key name="stand" qpos="([^"]*)"', text).group(1).split()
    moving = " ".join([f"{velocity}"] + ["0"] * (len(position) - 2))
    text = re.sub(r' (frictionloss|range)="[^"]*"', "", text)
    return text.replace('<key name="stand"', f'<key name="stand" qvel="{moving}"')


def scenes():
    """By name the MJCF, and the step to save."""
    return {"cube_slides": (cubes([1], (1, 0.5)), 20), "stack_equal": (cubes([1] * 10), 20),
            "stack_growing": (cubes([2**i for i in range(10)]), 20), "ratio_1e3": (cubes([1, 1e3]), 20),
            "ratio_1e6": (cubes([1e-3, 1e3]), 20), "solo12_stands": (robot("solo12"), 500),
            "solo12_pushed": (robot("solo12", 1), 1), "talos_stands": (robot("talos"), 500),
            "talos_pushed": (robot("talos", 1), 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, step) in scenes().items():
        with tempfile.TemporaryDirectory() as scratch:
            scene = pathlib.Path(scratch) / "scene.xml"
            scene.write_text(text, encoding="utf-8")
            for command in (["run", scene, "--keyframe", "stand", "--model", "ncp", "--dt", "1e-3", "--duration", str(step * 1e-3),
                             "--save-problem", str(step), "--no-replay", "--quiet", "--out", f"{scratch}/run"],
                            ["solve", f"{scratch}/run/problem_{step}.npz", "--model", "ncp", "--save-fclib", folder / f"{name}.hdf5"]):
                subprocess.run([ABUT, *command], check=True, cwd=scratch, stdout=subprocess.DEVNULL)


main()
