"""What the benchmark scripts share: scenes, runs, the machine's name, files of results."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = ROOT / "benchmarks" / "scenes"
BUILD = ROOT / "build" / "release"
STEP_BENCH = BUILD / "benchmarks" / "step_bench"


def scene(kind, count, seed=""):
    """Path of a clutter scene without its suffix; made now if it is not kept in scenes/. Another
    seed gives another heap of the kind."""
    kept = SCENES / f"clutter_{kind}_{count}"
    if not seed and kept.with_suffix(".xml").exists():
        return kept
    made = BUILD / "benchmarks" / "scenes" / f"{kept.name}_{seed}".rstrip("_")
    maker, result = ROOT / "benchmarks" / "make_clutter.py", made.with_suffix(".xml")
    if not result.exists() or result.stat().st_mtime < maker.stat().st_mtime:
        made.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, maker, kind, str(count), made, str(seed)], check=True)
    return made


def run_json_lines(command):
    """What a command prints, a JSON object per line."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def run_json(command, env=None):
    """The JSON line that a command prints last."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, **(env or {})})
    return json.loads(done.stdout.strip().splitlines()[-1])


def step(kind, count, model, dt, duration, threads=1, env=None, after=0, seed=""):
    path = scene(kind, count, seed).with_suffix(".xml")
    return run_json([STEP_BENCH, path, model, dt, duration, threads, after], env)


def machine():
    """The processor's name, fit for a folder."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        name = re.search(r"model name\s*: (.*)", text).group(1)
    except (OSError, AttributeError):
        name = "unknown processor"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def print_row(columns, cell):
    """cell(key, title, format) of each column, aligned."""
    print("  ".join(cell(*column) for column in columns), flush=True)


def print_table(columns, rows):
    """Titles, then rows as they come; gives the rows back."""
    print_row(columns, lambda key, title, form: f"{title:{form.split('.')[0].rstrip('g')}}")
    kept = []
    for row in rows:
        print_row(columns, lambda key, title, form: f"{row[key]:{form}}")
        kept.append(row)
    return kept


def write_results(name, rows):
    """Keeps rows (dicts with the same keys) as CSV in results/<processor>/<name>.csv."""
    path = ROOT / "benchmarks" / "results" / machine() / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"kept in {path.relative_to(ROOT)}\n")
