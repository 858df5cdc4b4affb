"""The command `abut reproduce`."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import NoReturn

from abut import InputError, SimulationWarning

try:
    from abut.reproduce import library, page, store
    from abut.reproduce.progress import Progress
except ImportError as e:
    if "matplotlib" not in str(e):
        raise
    print("abut: experiments are plotted with matplotlib: pip install matplotlib", file=sys.stderr)
    sys.exit(2)

RED, WRONG_INPUT, INPUT_OUTPUT, INTERRUPTED = 1, 2, 4, 130
NAMES = 21  # characters: the longest


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_INPUT, f"abut: {message} (--help says more)\n")


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="abut reproduce", description="run experiments of the papers: data, figures, "
                     "a page, and a verdict for each expectation",
                     epilog="Exit code: 0 every check met or a known deviation, 1 some check not met, 2 wrong "
                     "input, 4 a file cannot be read or written, 130 interrupted.", allow_abbrev=False,
                     formatter_class=lambda prog: argparse.HelpFormatter(prog, width=100))
    parser.add_argument("names", metavar="NAME", nargs="*", help="experiments, or Python files of your own")
    parser.add_argument("--list", action="store_true", help="name the experiments and what they are")
    parser.add_argument("--all", action="store_true", help="all experiments")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter cases: minutes for all")
    parser.add_argument("--again", action="store_true", help="run what is stored already, too")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("reproduced"),
                        help="where the results go (default: reproduced)")
    a = parser.parse_args(arguments)
    if not (a.list or a.all or a.names):
        parser.error("which experiment? --list names them, --all takes all")
    if a.all and a.names:
        parser.error("--all takes no names")
    return a


def _print_list() -> None:
    for name in library.names():
        experiment = library.find(name)
        print(f"{name:{NAMES}}  {experiment.title} [{experiment.source}]")


def _report(result: store.Result, path: Path) -> None:
    how = "stored" if result.stored else f"{result.seconds:.1f} s"
    print(f"{result.experiment.name:{NAMES}}  {page.verdicts(result.checks)} ({how}): {path}")
    for check in result.checks:
        if check.verdict.is_red:
            print(f"  {check.verdict.value}: {check.name}: expected {check.expected}, measured "
                  f"{check.measured_text}")
    sys.stdout.flush()


def _choose(a: argparse.Namespace) -> list[library.Experiment]:
    """Of all those that can run."""
    experiments = [library.find(name) for name in (library.names() if a.all else a.names)]
    for experiment in experiments:
        if missing := experiment.missing():
            text = f"{experiment.name} needs {', '.join(missing)}: pip install {' '.join(missing)}"
            if not a.all:
                raise InputError(text)
            print(f"not run: {text}")
    return [e for e in experiments if not e.missing()]


def _run_all(a: argparse.Namespace) -> int:
    experiments = _choose(a)
    a.out.mkdir(parents=True, exist_ok=True)
    red = False
    for i, experiment in enumerate(experiments, 1):
        result = None if a.again else store.load(experiment, a.out, a.quick)
        label = experiment.name if len(experiments) == 1 else f"{i} of {len(experiments)}, {experiment.name}"
        result = result or store.compute(experiment, a.out, a.quick, Progress(label))
        _report(result, page.write_page(result))
        red = red or result.is_red
    stored = [store.load(library.find(name), a.out, quick) for name in library.names() for quick in (False, True)]
    page.write_index([result for result in stored if result], a.out)
    return RED if red else 0


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code."""
    a = _arguments(arguments)
    try:
        if a.list:
            _print_list()
            return 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)  # experiments mean their extreme numbers
            return _run_all(a)
    except InputError as e:
        print(f"abut: {e}", file=sys.stderr)
        return WRONG_INPUT
    except OSError as e:
        print(f"abut: {e}", file=sys.stderr)
        return INPUT_OUTPUT
    except KeyboardInterrupt:
        return INTERRUPTED
