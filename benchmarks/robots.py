#!/usr/bin/env python3
"""Compares with MuJoCo and Drake on robots that stand, hold, trot and grasp, in the same run:
`make bench-robots`.

Stepping only, one thread, the least of interleaved runs: robots that stand or hold for half a
second, in which they settle, and for two. They are short because other work on the machine disturbs
long runs more often. Settings are those of bench_peers.py; Drake knows no dry friction of joints,
and runs where no controller acts.
"""

import argparse
import sys

import cases

PEERS = cases.ROOT / "benchmarks" / "peers"
EXAMPLES = cases.ROOT / "examples" / "scenes"
# scene, step [s], duration [s], whether Drake runs it
ROBOTS = [*((cases.SCENES / f"{robot}.xml", 0.001, duration, True)
            for robot in ("solo12", "talos", "allegro") for duration in (0.5, 2)),
          (EXAMPLES / "trot.toml", 0.002, 2, False),
          (cases.SCENES / "allegro_grasp.toml", 0.001, 1, False)]
PROGRAMS = {"sap": [cases.STEP_BENCH], "lagged": [cases.STEP_BENCH],
            "mujoco": [sys.executable, PEERS / "mujoco_step.py"],
            "drake": [sys.executable, PEERS / "drake_robot.py"]}
MODEL = {"sap": ["sap"], "lagged": ["lagged"], "mujoco": [], "drake": ["sap"]}
COLUMNS = [("scene", "scene", "<13"), ("duration", "s", ">3"), ("sap_us", "sap us", ">7.1f"),
           ("lagged_us", "lagged us", ">9.1f"), ("mujoco_us", "mujoco us", ">9.1f"),
           ("drake_us", "drake us", ">8"), ("mujoco_ratio", "mujoco / sap", ">12.2f"),
           ("drake_ratio", "drake / sap", ">11"), ("iterations", "iterations", ">10.3f"),
           ("certificate_max", "certificate", ">11.1e"), ("allocations", "allocations", ">11"),
           ("state_hash", "state hash", ">16")]


def row(scene, dt, duration, has_drake, repeats):
    robot = scene.stem
    programs = {name: p for name, p in PROGRAMS.items() if has_drake or name != "drake"}
    runs = {name: [] for name in programs}
    for _ in range(repeats):
        for name, command in programs.items():
            runs[name].append(cases.run_json(command + [scene] + MODEL[name] + [dt, duration],
                                             {"OMP_NUM_THREADS": "1"}))
    us = {name: min(r["us_per_step"] for r in results) for name, results in runs.items()}
    ours = runs["sap"][0]
    failed = sum(r["failed_steps"] for name in ("sap", "lagged") for r in runs[name])
    if failed or {r["state_hash"] for r in runs["sap"]} != {ours["state_hash"]}:
        sys.exit(f"{robot}, {duration} s: {failed} steps did not converge, or runs differ")
    return {"scene": robot, "dt": dt, "duration": duration,
            **{f"{name}_us": round(t, 2) for name, t in us.items()},
            "drake_us": round(us["drake"], 1) if has_drake else "",
            "contacts": ours["contacts"], "mujoco_contacts": runs["mujoco"][0]["contacts"],
            "mujoco_ratio": round(us["mujoco"] / us["sap"], 3),
            "drake_ratio": round(us["drake"] / us["sap"], 3) if has_drake else "",
            "iterations": ours["iterations"],
            "certificate_max": max(r["certificate_max"] for r in (ours, runs["lagged"][0])),
            "allocations": sum(runs[m][0]["allocations_last_half"] for m in ("sap", "lagged")),
            "state_hash": ours["state_hash"], "isa": ours["isa"],
            "mujoco_version": runs["mujoco"][0]["version"],
            "drake_version": runs["drake"][0]["version"] if has_drake else ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    rows = cases.print_table(COLUMNS, (row(*robot, repeats) for robot in ROBOTS))
    cases.write_results("robots", rows)


main()
