#!/usr/bin/env python3
"""Compares how many iterations Newton's method takes here and in Drake's convex integrator: `make bench-iterations`.

3 s of clutter from its start in the same fixed steps, with Lagged friction at the same stiffness (k = 1e7 N/m,
d = 10 s/m), both to a relative momentum residual of 1e-6. Drake solves all islands at once; a step's number here is the
largest of any of its islands. Means are over all steps, those without contact included.
"""

import sys

import cases

PEERS = cases.ROOT / "benchmarks" / "peers"
CASES = [("wide", 40, 0.002), ("wide", 40, 0.01), ("tall", 80, 0.002), ("tall", 80, 0.01)]
TOLERANCE, DURATION = 1e-6, 3
COLUMNS = [("scene", "scene", "10"), ("dt", "dt", "6g"), ("abut", "abut", "6.2f"), ("abut_most", "most", "6"),
           ("drake", "drake", "6.2f"), ("ratio", "drake / abut", "12.1f")]
ABUT = """
import json, sys
import abut
world = abut.World(abut.load(sys.argv[1]), model="lagged", tolerance=float(sys.argv[2]), time_step=float(sys.argv[3]),
                   stiffness=1e7, dissipation=10)
reports = [world.step().solve for _ in range(round(float(sys.argv[4]) / world.time_step))]
counts = [report.iterations for report in reports]
print(json.dumps({"iterations": sum(counts) / len(counts), "most": max(counts),
                  "failed": sum(not report.converged for report in reports)}))
"""


def count(case):
    kind, bodies, dt = case
    scene = cases.scene(kind, bodies)
    numbers = [TOLERANCE, dt, DURATION]
    package = cases.BUILD / "bindings" / "python"
    mine = cases.run_json([sys.executable, "-c", ABUT, scene.with_suffix(".xml"), *numbers], {"PYTHONPATH": str(package)})
    if mine["failed"]:
        sys.exit(f"abut did not converge in {mine['failed']} steps")
    theirs = cases.run_json([sys.executable, PEERS / "drake_iterations.py", scene.with_suffix(".json"), *numbers])
    return {"scene": f"{kind}_{bodies}", "dt": dt, "abut": round(mine["iterations"], 3), "abut_most": mine["most"],
            "drake": round(theirs["iterations"], 3), "ratio": round(theirs["iterations"] / mine["iterations"], 2),
            "drake_version": theirs["version"]}


cases.write_results("iterations", cases.print_table(COLUMNS, map(count, CASES)))
