#!/usr/bin/env python3
"""Compares error-controlled steps with Drake's on clutter that falls: `make bench-accuracy`.

The first 0.4 s of clutter_wide_40, in which it falls and hits the ground and each other, with Lagged friction at the
same stiffness (k = 1e7 N/m, d = 10 s/m). The error is the mean distance of the bodies' centers at the end from where the
same program puts them at its finest accuracy: that of abut is relative to a body's radius, that of Drake to its own
scales. What Drake takes at abut's error is interpolated between its runs. One thread; times are the least of interleaved
runs.
"""

import argparse
import sys

import cases
import numpy as np

PEERS = cases.ROOT / "benchmarks" / "peers"
SCENE, DURATION = cases.ROOT / "benchmarks" / "scenes" / "clutter_wide_40", 0.4
ACCURACIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
FINEST = 1e-6  # whose places stand for the truth


def run_drake(accuracy):
    command = [sys.executable, PEERS / "drake_accuracy.py", SCENE.with_suffix(".json"), accuracy, DURATION]
    return cases.run_json(command, {"OMP_NUM_THREADS": "1"})


def run_abut(accuracy):
    script = """
import json, sys, time
import abut
world = abut.World(abut.load(sys.argv[1]), model="lagged", time_step=0.1, accuracy=float(sys.argv[2]))
steps = rejected = failed = 0
start = time.perf_counter()
while world.time < float(sys.argv[3]) - 0.05:
    report = world.step()
    steps += report.substeps
    rejected += report.rejected
    failed += not report.solve.converged
print(json.dumps({"seconds": time.perf_counter() - start, "steps": steps, "rejected": rejected, "failed": failed,
                  "positions": [list(p) for p in world.positions]}))
"""
    package = cases.ROOT / "build" / "release" / "bindings" / "python"
    command = [sys.executable, "-c", script, SCENE.with_suffix(".xml"), accuracy, DURATION]
    return cases.run_json(command, {"PYTHONPATH": str(package)})


def distance(run, truth):
    return float(np.linalg.norm(np.array(run["positions"]) - truth["positions"], axis=1).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    programs = {"abut": run_abut, "drake": run_drake}
    truth = {name: run(FINEST) for name, run in programs.items()}
    table = {name: [] for name in programs}  # error [m], time [s]
    rows = []
    print(f"{'accuracy':>8}  {'program':8}{'error mm':>10}{'s per s':>10}{'steps':>8}{'rejected':>9}")
    for accuracy in ACCURACIES:
        runs = {name: [] for name in programs}
        for _ in range(repeats):
            for name, run in programs.items():
                runs[name].append(run(accuracy))
        for name, results in runs.items():
            error = distance(results[0], truth[name])
            seconds = min(r["seconds"] for r in results) / DURATION
            table[name].append((error, seconds))
            first = results[0]
            rows.append({"accuracy": accuracy, "program": name, "version": first.get("version", ""),
                         "error_mm": f"{1e3 * error:.3g}", "seconds_per_second": f"{seconds:.3g}",
                         "steps": first["steps"], "rejected": first["rejected"]})
            print(f"{accuracy:8.0e}  {name:8}{1e3 * error:10.3g}{seconds:10.3g}{first['steps']:8}"
                  f"{first['rejected']:9}")
            if first.get("failed"):
                sys.exit(f"abut did not converge in {first['failed']} steps")
    # interpolation in the logarithms of both
    drake = np.log(sorted(table["drake"]))
    print("\nDrake's time at abut's error, over abut's:")
    for accuracy, (error, seconds) in zip(ACCURACIES, table["abut"]):
        inside = drake[0, 0] <= np.log(error) <= drake[-1, 0]
        theirs = np.exp(np.interp(np.log(error), drake[:, 0], drake[:, 1]))
        print(f"{accuracy:8.0e}  {theirs / seconds:6.1f}" + ("" if inside else "  (error outside of Drake's)"))
    cases.write_results("accuracy", rows)


if __name__ == "__main__":
    main()
