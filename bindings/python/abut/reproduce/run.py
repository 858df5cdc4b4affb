"""What an experiment is given: it reports its progress, numbers, figures and checks to it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import matplotlib
from matplotlib.figure import Figure

import abut
from abut import plots
from abut.reproduce import checks
from abut.reproduce.checks import Check
from abut.reproduce.progress import Progress

T = TypeVar("T")


@dataclass
class Part:
    """A figure, a table or a replay of a page."""

    kind: str
    file: str
    caption: str
    paper: str = ""  # what the paper's figure shows


@dataclass
class Run:
    """One run of an experiment, into a folder of its own. Checks are near(), at_most(), at_least() and
    between(): see abut.reproduce.checks."""

    folder: Path
    quick: bool = False
    progress: Progress = field(default_factory=lambda: Progress(""))
    checks: list[Check] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    _done: float = 0.0

    def pick(self, quick: T, full: T) -> T:
        """The first in a quick run, else the second."""
        return quick if self.quick else full

    def cases(self, items: Sequence[T], cost: Callable[[T], float] = lambda item: 1.0, until: float = 1.0
              ) -> Iterator[T]:
        """The items one after the other, each worth its cost; the last one ends `until` of the experiment."""
        start, total, spent = self._done, sum(cost(item) for item in items), 0.0
        for item in items:
            yield item
            spent += cost(item)
            self._done = start + (until - start) * spent / total
            self.progress.reach(self._done)

    def near(self, name: str, measured: float, expected: float, **more: Any) -> None:
        self.checks.append(checks.near(name, float(measured), float(expected), **more))

    def at_most(self, name: str, measured: float, bound: float, **more: Any) -> None:
        self.checks.append(checks.at_most(name, float(measured), float(bound), **more))

    def at_least(self, name: str, measured: float, bound: float, **more: Any) -> None:
        self.checks.append(checks.at_least(name, float(measured), float(bound), **more))

    def between(self, name: str, measured: float, lower: float, upper: float, **more: Any) -> None:
        self.checks.append(checks.between(name, float(measured), lower, upper, **more))

    def table(self, name: str, caption: str, columns: dict[str, Any]) -> None:
        """Writes NAME.csv: columns of equal length, by headings that name their units."""
        with open(self.folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for row in zip(*columns.values(), strict=True):
                writer.writerow(cell if isinstance(cell, str) else f"{cell:.12g}" for cell in row)
        self.parts.append(Part("table", f"{name}.csv", caption))

    @contextmanager
    def figure(self, name: str, caption: str, paper: str = "", columns: int = 1, rows: int = 1
               ) -> Iterator[Any]:
        """Axes to draw into, or an array of them; afterwards they are NAME.svg and NAME.png."""
        with matplotlib.rc_context(plots.STYLE | {"figure.figsize": (6.4 if columns == 1 else 9.6, 3.4 * rows)}):
            page = Figure()
            yield page.subplots(rows, columns)
            page.savefig(self.folder / f"{name}.svg", metadata={"Date": None})
            page.savefig(self.folder / f"{name}.png")
        self.parts.append(Part("figure", f"{name}.svg", caption, paper))

    def replay(self, name: str, caption: str, world: abut.World, steps: int, frame_rate: float = 60) -> None:
        """Takes steps and writes them as NAME.html; nothing in a build without the browser page."""
        if not abut.page_available():
            return
        path = self.folder / f"{name}.bin"
        with abut.RecordingWriter(path, world, frame_rate=frame_rate) as recording:
            world.step(steps, recording=recording)
        abut.replay(path, self.folder / f"{name}.html")
        path.unlink()
        self.parts.append(Part("replay", f"{name}.html", caption))
