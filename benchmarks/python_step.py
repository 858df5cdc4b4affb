#!/usr/bin/env python3
"""What a step costs from Python: a call per step beside the same steps in one call, and beside C++
(step_bench, wall time), interleaved; microseconds of the thread's own time, the least of the repeats.
Writes results/<processor>/python.csv.
Needs `tools/build.sh release step_bench abut_python` and build/release/bindings/python on the path.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

import cases

import abut

STEP_BENCH = cases.BUILD / "benchmarks" / "step_bench"
LONE_BODY = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 1"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>"""

COLUMNS = [("scene", "scene", "<10"), ("cpp_us", "C++ us", ">7.2f"),
           ("one_call_us", "step(n) us", ">10.2f"), ("calls_us", "n step() us", ">11.2f"),
           ("callback_us", "callback us", ">11.2f"), ("overhead_us", "overhead us", ">11.2f")]


def calls(world: abut.World, steps: int) -> float:
    step = world.step
    start = time.thread_time()
    for _ in range(steps):
        step()
    return 1e6 * (time.thread_time() - start) / steps


def one_call(world: abut.World, steps: int) -> float:
    start = time.thread_time()
    world.step(steps)
    return 1e6 * (time.thread_time() - start) / steps


def with_callback(world: abut.World, steps: int) -> float:
    start = time.thread_time()
    world.step(steps, lambda world: None)
    return 1e6 * (time.thread_time() - start) / steps


def cpp(path: Path, steps: int) -> float:
    out = subprocess.run([STEP_BENCH, path, "sap", "0.002", str(0.002 * steps)], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)["us_per_step"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=10)
    a = parser.parse_args()
    lone = cases.BUILD / "lone_body.xml"
    lone.write_text(LONE_BODY)
    rows = []
    for name, path in (("lone body", lone),
                       ("clutter 40", cases.ROOT / "benchmarks/scenes/clutter_wide_40.xml")):
        scene = abut.load(path)
        best = dict.fromkeys(("cpp", "one_call", "calls", "callback"), float("inf"))
        for _ in range(a.repeats):
            for key, measure in (("one_call", one_call), ("calls", calls),
                                 ("callback", with_callback)):
                world = abut.World(scene, time_step=0.002, stiffness=1e7, dissipation=10,
                                   relaxation_time=1e-4)
                best[key] = min(best[key], measure(world, a.steps))
            best["cpp"] = min(best["cpp"], cpp(path, a.steps))
        row = {"scene": name, **{f"{k}_us": round(v, 2) for k, v in best.items()},
               "overhead_us": round(best["calls"] - best["one_call"], 2)}
        rows.append(row)
    cases.print_table(COLUMNS, rows)
    cases.write_results("python", rows)


if __name__ == "__main__":
    main()
