#!/usr/bin/env python3
"""Compares with MuJoCo and Drake on robots that stand or hold, in the same run: `make bench-robots`.

0.5 s from each scene's keyframe at 1 ms, stepping only, one thread, the least of interleaved runs,
short ones because other work on the machine disturbs long ones more often.
Settings are those of bench_peers.py; Drake knows no dry friction of joints.
"""

import argparse
import sys

import cases

PEERS = cases.ROOT / "benchmarks" / "peers"
ROBOTS = ["solo12", "talos", "allegro"]
DT, DURATION = 0.001, 0.5
PROGRAMS = {"sap": [cases.STEP_BENCH], "lagged": [cases.STEP_BENCH],
            "mujoco": [sys.executable, PEERS / "mujoco_step.py"],
            "drake": [sys.executable, PEERS / "drake_robot.py"]}
MODEL = {"sap": ["sap"], "lagged": ["lagged"], "mujoco": [], "drake": ["sap"]}
COLUMNS = [("scene", "scene", "<8"), ("sap_us", "sap us", ">7.1f"),
           ("lagged_us", "lagged us", ">9.1f"), ("mujoco_us", "mujoco us", ">9.1f"),
           ("drake_us", "drake us", ">8.1f"), ("mujoco_ratio", "mujoco / sap", ">12.2f"),
           ("drake_ratio", "drake / sap", ">11.2f"), ("iterations", "iterations", ">10.3f"),
           ("certificate_max", "certificate", ">11.1e"), ("allocations", "allocations", ">11"),
           ("state_hash", "state hash", ">16")]


def row(robot, repeats):
    scene = cases.SCENES / f"{robot}.xml"
    runs = {name: [] for name in PROGRAMS}
    for _ in range(repeats):
        for name, command in PROGRAMS.items():
            runs[name].append(cases.run_json(command + [scene] + MODEL[name] + [DT, DURATION],
                                             {"OMP_NUM_THREADS": "1"}))
    us = {name: min(r["us_per_step"] for r in results) for name, results in runs.items()}
    ours = runs["sap"][0]
    failed = sum(r["failed_steps"] for name in ("sap", "lagged") for r in runs[name])
    if failed or {r["state_hash"] for r in runs["sap"]} != {ours["state_hash"]}:
        sys.exit(f"{robot}: {failed} steps did not converge, or runs differ")
    return {"scene": robot, "dt": DT, **{f"{name}_us": round(t, 2) for name, t in us.items()},
            "mujoco_ratio": round(us["mujoco"] / us["sap"], 3),
            "drake_ratio": round(us["drake"] / us["sap"], 3), "iterations": ours["iterations"],
            "certificate_max": max(r["certificate_max"] for r in (ours, runs["lagged"][0])),
            "allocations": sum(runs[m][0]["allocations_last_half"] for m in ("sap", "lagged")),
            "state_hash": ours["state_hash"], "isa": ours["isa"],
            "mujoco_version": runs["mujoco"][0]["version"],
            "drake_version": runs["drake"][0]["version"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    rows = cases.print_table(COLUMNS, (row(robot, repeats) for robot in ROBOTS))
    cases.write_results("robots", rows)


main()
