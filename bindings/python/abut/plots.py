"""Plots of recordings in one style: units on axes, colors that the color-blind can tell apart.
Needs matplotlib.

    from abut import plots
    plots.save_plots(abut.open_recording("scene.abut"), "plots")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from abut import InputError
from abut.recording import Recording

try:
    import matplotlib
    from cycler import cycler
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
except ImportError:
    raise ImportError("abut.plots needs matplotlib: pip install matplotlib") from None

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Okabe and Ito's palette, in the order in which lines take them; lines differ in dashes too."""

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))

STYLE: dict[Any, Any] = {
    "axes.prop_cycle": cycler(color=COLORS, linestyle=DASHES),
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.figsize": (6.4, 3.2),
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "abut",
}
"""Of matplotlib's rc parameters, for figures of one's own: with matplotlib.rc_context(plots.STYLE)."""


def _legend(axes: Axes, lines: list[Line2D] | None = None) -> None:
    """Above the axes, where it hides nothing."""
    lines = lines or list(axes.get_lines())
    axes.legend(lines, [str(line.get_label()) for line in lines], loc="lower right",
                bbox_to_anchor=(1, 1), ncols=len(lines), borderaxespad=0.2)


def plot_energy(axes: Axes, recording: Recording) -> None:
    """Kinetic, potential and total energy over time."""
    steps = recording.steps
    kinetic, potential = steps["kinetic_energy"], steps["potential_energy"]
    axes.plot(steps["time"], kinetic, label="kinetic")
    axes.plot(steps["time"], potential, label="potential")
    axes.plot(steps["time"], kinetic + potential, label="total")
    axes.set_ylabel("energy [J]")
    _legend(axes)


def plot_contacts(axes: Axes, recording: Recording) -> None:
    """Number of contacts over time, and the deepest penetration."""
    steps = recording.steps
    axes.plot(steps["time"], steps["contacts"], label="contacts")
    axes.set_ylabel("contacts")
    depth = axes.twinx()
    depth.spines["right"].set_visible(True)
    depth.plot(steps["time"], 1e3 * steps["penetration"], color=COLORS[1], linestyle=DASHES[1],
               label="penetration")
    depth.set_ylabel("deepest penetration [mm]")
    depth.grid(False)
    lines = [*axes.get_lines(), *depth.get_lines()]
    _legend(axes, lines)


def plot_iterations(axes: Axes, recording: Recording) -> None:
    """Iterations of each step's hardest island, failed steps marked."""
    steps = recording.steps
    axes.plot(steps["time"], steps["iterations"], label="iterations")
    failed = steps[steps["status"] != 0]
    if len(failed):
        axes.plot(failed["time"], failed["iterations"], linestyle="none", marker="x",
                  color=COLORS[1], label="not converged")
        _legend(axes)
    axes.set_ylabel("iterations, hardest island")


def plot_certificate(axes: Axes, recording: Recording) -> None:
    """Momentum error of each step and its tolerance; steps without error are left out."""
    steps = recording.steps
    error = np.where(steps["step_error"] > 0, steps["step_error"], np.nan)
    axes.plot(steps["time"], error, label="step error")
    axes.axhline(recording.info["tolerance"], color=COLORS[1], linestyle=DASHES[1],
                 label="tolerance")
    axes.set_yscale("log")
    axes.set_ylabel("step error [-]")
    _legend(axes)


PLOTS: dict[str, Callable[[Axes, Recording], None]] = {
    "energy": plot_energy,
    "contacts": plot_contacts,
    "iterations": plot_iterations,
    "certificate": plot_certificate,
}
"""By name: each draws into axes, whose x is time."""


def figure(recording: Recording, name: str) -> Figure:
    """One of PLOTS as a figure of its own. Raises InputError for another name."""
    if name not in PLOTS:
        raise InputError(f"plot {name!r} is not known: must be one of {', '.join(PLOTS)}")
    draw = PLOTS[name]
    with matplotlib.rc_context(STYLE):
        page = Figure()
        axes = page.add_subplot()
        draw(axes, recording)
        axes.set_xlabel("time [s]")
        return page


def save_plots(recording: Recording | str | os.PathLike[str], directory: str | os.PathLike[str],
               names: Iterable[str] = tuple(PLOTS), formats: Iterable[str] = ("svg", "png")
               ) -> list[Path]:
    """Writes plots of a recording as DIRECTORY/NAME.FORMAT and returns the paths. Raises InputError for
    a name that is not in PLOTS."""
    if not isinstance(recording, Recording):
        recording = Recording(recording)
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in [names] if isinstance(names, str) else names:
        page = figure(recording, name)
        for suffix in formats:
            path = directory / f"{name}.{suffix}"
            with matplotlib.rc_context(STYLE):
                page.savefig(path, metadata={"Date": None} if suffix == "svg" else None)
            paths.append(path)
    return paths
