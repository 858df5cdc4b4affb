#!/usr/bin/env python3
"""Compares with MuJoCo on the models of other projects: `make bench-models`.

All MJCF files of the wheels of dm_control, gymnasium and robosuite, unpacked into --models, that
both load and in which something moves: 1 s at the file's own step from its first keyframe, controls
zero, stepping only, one thread, the medians of interleaved runs and of their ratios. abut runs SAP
with the file's materials, certified at 1e-6 in every step; MuJoCo as the file says, with Newton's
solver. Then 10 s of some that fall and come to lie on their floor, links on links.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import cases

MUJOCO = cases.ROOT / "benchmarks" / "peers" / "mujoco_step.py"
DURATION = 1
FALLS = ["dm_control/suite/humanoid", "dm_control/suite/humanoid_CMU", "dm_control/suite/dog",
         "dm_control/suite/quadruped", "gymnasium/humanoid", "gymnasium/humanoidstandup",
         "gymnasium/ant"]
FALL_DURATION = 10
COLUMNS = [("model", "model", "<44"), ("nv", "nv", ">4"), ("contacts", "contacts", ">8.1f"),
           ("overlaps", "overlaps", ">8"), ("meshes", "meshes", ">6"), ("us", "abut us", ">8.2f"),
           ("query_us", "query", ">6.2f"), ("problem_us", "problem", ">7.2f"),
           ("solve_us", "solve", ">6.2f"), ("rest_us", "rest", ">6.2f"),
           ("mujoco_us", "mujoco us", ">9.2f"), ("mujoco_contacts", "contacts", ">8"),
           ("ratio", "mujoco / abut", ">13.2f")]


def attempt(command):
    """The JSON line that a command prints last, None if it fails or nothing moves."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False, text=True, timeout=600, env={"OMP_NUM_THREADS": "1"})
    if done.returncode != 0 or not done.stdout.strip():
        return None
    result = json.loads(done.stdout.strip().splitlines()[-1])
    return result if result["nv"] > 0 else None


def row(name, path, duration, repeats):
    programs = ([cases.STEP_BENCH, path, "sap", 0, duration],
                [sys.executable, MUJOCO, path, 0, duration])
    runs = ([], [])
    for _ in range(repeats):
        for command, results in zip(programs, runs):
            result = attempt(command)
            if result is None:
                return None
            results.append(result)
    ours, theirs = runs
    middle = lambda results, key: statistics.median(r[key] for r in results)
    us, mujoco_us = middle(ours, "us_per_step"), middle(theirs, "us_per_step")
    # of runs one after the other: a shared machine may be half as fast a minute later
    ratio = statistics.median(m["us_per_step"] / a["us_per_step"] for a, m in zip(ours, theirs))
    return {"model": name, "nv": ours[0]["nv"], "dt": ours[0]["dt"], "contacts": ours[0]["contacts"],
            "overlaps": ours[0]["overlaps"], "meshes": theirs[0]["meshes"], "us": round(us, 2),
            **{f"{part}_us": round(middle(ours, part), 2)
               for part in ("query", "problem", "solve", "rest")},
            "iterations": ours[0]["iterations"], "mujoco_us": round(mujoco_us, 2),
            "mujoco_contacts": theirs[0]["contacts"], "ratio": round(ratio, 3),
            "failed_steps": ours[0]["failed_steps"], "certificate_max": ours[0]["certificate_max"],
            "isa": ours[0]["isa"], "mujoco_version": theirs[0]["version"]}


def draw(rows, path):
    """The ratios over the degrees of freedom; models with meshes are filled."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    matplotlib.rcParams["svg.hashsalt"] = "abut"  # the same file from the same numbers
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for has_meshes, face, label in ((False, "none", "primitives"), (True, "tab:blue", "meshes")):
        some = [r for r in rows if (r["meshes"] > 0) == has_meshes]
        axes.scatter([r["nv"] for r in some], [r["ratio"] for r in some], s=22, facecolors=face,
                     edgecolors="tab:blue", label=label)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="degrees of freedom",
             ylabel="MuJoCo's time / abut's")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        axis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    axes.set_yticks([0.25, 0.5, 1, 2, 4, 8])
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def table(paths, duration, repeats):
    made = (row(name, path, duration, repeats) for name, path in paths.items())
    rows = cases.print_table(COLUMNS, (r for r in made if r is not None))
    ratios = [r["ratio"] for r in rows]
    slow = [r for r in rows if r["ratio"] < 1 / 1.1]
    print(f"{len(rows)} models, {duration} s: MuJoCo's time over abut's is "
          f"{statistics.median(ratios):.2f} in the median, {min(ratios):.2f} to {max(ratios):.2f}; "
          f"{len(slow)} below 1/1.1, {sum(r['overlaps'] > 0 for r in slow)} of which begin with "
          f"bodies in each other")
    return rows


def short_name(path):
    drop = ("models", "assets", "envs", "mujoco", "locomotion", "walkers", "third_party")
    return "/".join(part for part in path.with_suffix("").parts if part not in drop)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=pathlib.Path, default=cases.BUILD / "models")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="part of the models' paths")
    arguments = parser.parse_args()
    files = {short_name(p.relative_to(arguments.models)): p
             for p in sorted(arguments.models.rglob("*.xml")) if arguments.only in str(p)}
    rows = table(files, DURATION, arguments.repeats)
    falling = {name: files[name] for name in FALLS if name in files}
    falls = table(falling, FALL_DURATION, arguments.repeats) if falling else []
    if not arguments.only:
        cases.write_results("models", rows)
        if falls:
            cases.write_results("falls", falls)
        draw(rows, cases.ROOT / "benchmarks" / "results" / cases.machine() / "models.svg")


main()
