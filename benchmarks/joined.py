#!/usr/bin/env python3
"""Compares with MuJoCo on chains, nets and bridges of many bodies: `make bench-joined`.

Stepping only, 2 ms, one thread, the least of interleaved runs: 0.1 s after the first second, when
all hang. Time per body tells how the cost of a step grows with their number.
"""

import argparse
import sys

import cases
import make_joined

MUJOCO = cases.ROOT / "benchmarks" / "peers" / "mujoco_step.py"
SCENES = [("chain", 10), ("chain", 100), ("chain", 1000), ("net", 5), ("net", 10), ("net", 20),
          ("net", 30), ("bridge", 10), ("bridge", 100)]
DT, DURATION, AFTER = 0.002, 0.1, 1
COLUMNS = [("scene", "scene", "<8"), ("count", "count", ">6"), ("bodies", "bodies", ">6"),
           ("us", "abut us", ">9.1f"), ("us_per_body", "us/body", ">8.2f"),
           ("problem_us", "problem us", ">10.1f"), ("solve_us", "solve us", ">9.1f"),
           ("factorizations", "factors", ">7.2f"), ("contacts", "contacts", ">8.1f"),
           ("mujoco_us", "mujoco us", ">10.1f"), ("ratio", "abut / mujoco", ">13.2f")]


def row(kind, count, repeats):
    path = cases.BUILD / "benchmarks" / "scenes" / f"{kind}_{count}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    make_joined.write(kind, count, path)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(cases.run_json([cases.STEP_BENCH, path, "sap", DT, DURATION, 1, AFTER]))
        theirs.append(cases.run_json([sys.executable, MUJOCO, path, DT, DURATION, AFTER],
                                     {"OMP_NUM_THREADS": "1"}))
    best = min(ours, key=lambda r: r["us_per_step"])
    us, mujoco_us = best["us_per_step"], min(r["us_per_step"] for r in theirs)
    return {"scene": kind, "count": count, "bodies": best["bodies"], "us": round(us, 2),
            "us_per_body": round(us / best["bodies"], 3), "problem_us": best["problem"],
            "solve_us": best["solve"], "factorizations": best["factorizations"],
            "contacts": best["contacts"], "mujoco_us": round(mujoco_us, 2),
            "ratio": round(us / mujoco_us, 3), "failed_steps": best["failed_steps"],
            "certificate_max": best["certificate_max"],
            "mujoco_version": theirs[0]["version"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    rows = cases.print_table(COLUMNS, (row(*scene, repeats) for scene in SCENES))
    cases.write_results("joined", rows)


main()
