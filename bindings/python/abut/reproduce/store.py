"""Results on the disk, and whether they still are those of the code."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy

import abut
from abut import _core
from abut.reproduce.checks import Check
from abut.reproduce.library import Experiment
from abut.reproduce.progress import Progress
from abut.reproduce.run import Part, Run

RESULT = "result.json"


@dataclass
class Result:
    """What a run of an experiment left in its folder."""

    experiment: Experiment
    folder: Path
    quick: bool
    checks: list[Check]
    parts: list[Part]
    seconds: float
    stored: bool  # it was there already

    @property
    def is_red(self) -> bool:
        return any(check.verdict.is_red for check in self.checks)


@cache
def _library_hash() -> str:
    """Of the compiled library and of the package's Python files, but experiments, of the scenes that these load, and of what draws."""
    digest = hashlib.sha256()
    digest.update(f"{numpy.__version__} {matplotlib.__version__} {abut.active_isa()}".encode())
    digest.update(Path(str(_core.__file__)).read_bytes())
    package = Path(str(abut.__file__)).parent
    shared = [f for f in package.rglob("*.py")
              if f.parent.name != "experiments" or f.name.startswith("_")]
    for file in sorted(shared + list(package.rglob("*.xml"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def key_of(experiment: Experiment, quick: bool) -> str:
    """Two runs of one key give the same result."""
    digest = hashlib.sha256(_library_hash().encode())
    digest.update(f"{experiment.name} {quick}".encode())
    digest.update(experiment.file.read_bytes())
    return digest.hexdigest()


def folder_of(experiment: Experiment, out: Path, quick: bool) -> Path:
    return out / (experiment.name + ("-quick" if quick else ""))


def load(experiment: Experiment, out: Path, quick: bool) -> Result | None:
    """The stored result, if it is of this code and whole."""
    folder = folder_of(experiment, out, quick)
    try:
        data = json.loads((folder / RESULT).read_text(encoding="utf-8"))
        if data["key"] != key_of(experiment, quick):
            return None
        checks = [Check(**check) for check in data["checks"]]
        parts = [Part(**part) for part in data["parts"]]
    except (OSError, ValueError, KeyError, TypeError):  # none, torn, or of another version
        return None
    if not all((folder / part.file).is_file() for part in parts):
        return None
    return Result(experiment, folder, quick, checks, parts, data["seconds"], True)


def _numbers(check: Check) -> dict[str, Any]:
    return {name: getattr(check, name) for name in check.__dataclass_fields__}


def compute(experiment: Experiment, out: Path, quick: bool, progress: Progress) -> Result:
    """Runs the experiment. Its folder changes only when it ends."""
    folder = folder_of(experiment, out, quick)
    work = folder.with_name(folder.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run = Run(work, quick, progress)
    key = key_of(experiment, quick)  # of the source that is run, whatever happens to the file meanwhile
    start = time.monotonic()
    try:
        experiment.run(run)
    finally:
        progress.end()
    seconds = time.monotonic() - start
    data = {"key": key, "experiment": experiment.name, "quick": quick,
            "abut": abut.version(), "seconds": seconds,
            "checks": [_numbers(check) for check in run.checks],
            "parts": [asdict(part) for part in run.parts]}
    (work / RESULT).write_text(json.dumps(data, indent=1), encoding="utf-8")
    if folder.exists():
        shutil.rmtree(folder)
    work.rename(folder)
    return Result(experiment, folder, quick, run.checks, run.parts, seconds, False)
