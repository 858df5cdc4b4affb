#!/usr/bin/env python3
"""Compares with another build of abut: `make bench-before BEFORE=../before/build/release`.

Clutter under each model, and trot.toml under its own. Runs of the two builds take turns, and the
least of each counts. A heap is chaotic: one that differs in its last bits soon has other impacts, so
times are means over several heaps of a kind. BEFORE has the programs step_bench and abut.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import cases

HEAPS = [("wide", 40), ("tall", 80)]
MODELS = ("sap", "similar", "lagged")
STEPS = (0.002, 0.01)
DURATION = 1.5
COLUMNS = [("scene", "scene", "<8"), ("model", "model", "<7"), ("dt", "dt s", ">6g"),
           ("before_us", "before us", ">9.1f"), ("after_us", "after us", ">8.1f"),
           ("ratio", "after / before", ">14.3f"), ("lag_rounds", "rounds", ">6.2f"),
           ("lag_error_max", "lag", ">7.1e"), ("lagging_steps", "lagging", ">7")]


def clutter(build, path, model, dt):
    return cases.run_json([build / "benchmarks" / "step_bench", path, model, dt, DURATION])


def trot(build, folder):
    subprocess.run([build / "apps" / "abut" / "abut", "run",
                    cases.ROOT / "examples" / "scenes" / "trot.toml", "--quiet",
                    "--no-replay", "--out", folder / "trot.abut"], check=True)
    with open(folder / "trot.abut" / "summary.json", encoding="utf-8") as f:
        summary = json.load(f)
    return {"us_per_step": 1e6 * sum(summary["time"].values()) / summary["steps"],
            "lag_rounds": 0, "lag_error_max": summary.get("lag_error_max", 0),
            "lagging_steps": summary.get("lagging_steps", 0), "model": summary["model"]}


def best_of_turns(before, run, repeats):
    """The best run of each build."""
    best = {}
    for _ in range(repeats):
        for build in (before, cases.BUILD):
            result = run(build)
            if build not in best or result["us_per_step"] < best[build]["us_per_step"]:
                best[build] = result
    return best[before], best[cases.BUILD]


def row(scene, model, dt, pairs):
    mean = lambda side, key: sum(p[side][key] for p in pairs) / len(pairs)
    before, after = mean(0, "us_per_step"), mean(1, "us_per_step")
    return {"scene": scene, "model": model, "dt": dt, "heaps": len(pairs),
            "before_us": round(before, 1), "after_us": round(after, 1),
            "ratio": round(after / before, 3), "lag_rounds": round(mean(1, "lag_rounds"), 2),
            "lag_error_max": max(p[1]["lag_error_max"] for p in pairs),
            "lagging_steps": sum(p[1]["lagging_steps"] for p in pairs)}


def rows(arguments, folder):
    for kind, count in HEAPS:
        for model in MODELS:
            for dt in STEPS:
                heaps = [cases.scene(kind, count, seed or "").with_suffix(".xml")
                         for seed in range(arguments.heaps)]
                yield row(f"{kind}_{count}", model, dt, [
                    best_of_turns(arguments.before, lambda build: clutter(build, path, model, dt),
                                  arguments.repeats) for path in heaps])
    pair = best_of_turns(arguments.before, lambda build: trot(build, folder),
                         3 * arguments.repeats)
    yield row("trot", pair[1]["model"], 0.002, [pair])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=pathlib.Path, help="its build folder")
    parser.add_argument("--heaps", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept = cases.print_table(COLUMNS, rows(arguments, pathlib.Path(folder)))
    cases.write_results("before_after", kept)


main()
