"""What the experiments beyond the papers share: rules of the lag, and error-controlled steps beside fixed ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

VARIANTS: dict[str, dict[str, Any]] = {
    "lagged": {"model": "lagged"},
    "lagged, iterated": {"model": "lagged", "lag_tolerance": 1e-6},
    "lagged, predicted": {"model": "lagged", "lagged_rule": "prediction"},
    "lagged, rule of the paper": {"model": "lagged", "lagged_rule": "state"},
    "anchored": {"model": "anchored"},
}
"""Lagged by all rules of its lag (docs/laws/lagged.md), and Anchored."""

MODELS = ("lagged", "anchored")
FIRST_ORDER = "a scheme of first order: the error goes with the step"


@dataclass
class Costs:
    """Of one model, by the size of fixed steps and by accuracy."""

    fixed_solves: list[float]
    fixed_errors: list[float]
    substeps: list[int]
    solves: list[float]
    errors: list[float]


def follow(world: abut.World, every: float, end: float, place: Callable[[abut.World], Any]) -> tuple[np.ndarray, int, float]:
    """Numbers at multiples of `every` [s], which is one of the world's step; substeps; solves, of which two substeps and
    the step that they are compared with take three."""
    samples, substeps, solves = [], 0, 0.0
    for _ in range(round(end / every)):
        steps = round(every / world.time_step)
        if world.accuracy is None:
            world.step(steps)
            substeps += steps
            solves += steps
        else:
            for _ in range(steps):
                report = world.step()
                substeps += report.substeps
                solves += 1.5 * (report.substeps + report.rejected)
        samples.append(place(world))
    return np.array(samples, float), substeps, solves


def compare(run: Run, make: Callable[..., abut.World], place: Callable[[abut.World], Any], exact: Callable[[str], Any],
            every: float, end: float, steps: Sequence[float], accuracies: Sequence[float], time_step: float, until: float = 1.0
            ) -> dict[str, Costs]:
    """Errors of fixed steps and of time steps made to accuracies, by model: the root of the mean square of `place` against
    `exact`, at multiples of `every` [s]."""
    costs = {}
    for model in run.cases(MODELS, until=until):
        truth = exact(model)

        def error(samples: np.ndarray) -> float:
            return float(np.sqrt(np.sum((samples - truth) ** 2) / len(samples)))

        fixed = [follow(make(model, h), every, end, place) for h in steps]
        controlled = [follow(make(model, time_step, accuracy=a), every, end, place) for a in accuracies]
        costs[model] = Costs([c[2] for c in fixed], [error(c[0]) for c in fixed], [c[1] for c in controlled],
                             [c[2] for c in controlled], [error(c[0]) for c in controlled])
    return costs


def check_order(run: Run, costs: dict[str, Costs], last: int = 3) -> None:
    """Of the finest of both."""
    for model, c in costs.items():
        for how, solves, errors in (("fixed steps", c.fixed_solves, c.fixed_errors), ("by accuracy", c.solves, c.errors)):
            run.near(f"{model}, {how}: order of the error in 1/solves, {last} finest", -slope(solves[-last:], errors[-last:]),
                     1, absolute=0.2, source=FIRST_ORDER)


def expected_substeps(accuracy: float, bend: np.ndarray, dt: float, time_step: float) -> float:
    """Of a motion whose bodies accelerate by `bend` [1/s²] at times dt [s] apart, in their radii and with their spins:
    symplectic Euler's step of h and two of h/2 end h² bend/4 apart, and 0.9 of the h for which that is the accuracy is made."""
    size = 0.9 * np.sqrt(4 * accuracy / np.maximum(bend, 1e-12))
    return float(np.sum(2 * dt / np.minimum(size, time_step)))


def table(run: Run, costs: dict[str, Costs], steps: Sequence[float], accuracies: Sequence[float], unit: str) -> None:
    run.table("accuracy", "substeps, solves and errors by accuracy", {"accuracy [-]": accuracies}
              | {f"{model}: {name}": values for model, c in costs.items() for name, values in
                 (("substeps [-]", c.substeps), ("solves [-]", c.solves), (f"error [{unit}]", c.errors))})
    run.table("fixed", "solves and errors of fixed steps", {"step [s]": steps}
              | {f"{model}: {name}": values for model, c in costs.items() for name, values in
                 (("solves [-]", c.fixed_solves), (f"error [{unit}]", c.fixed_errors))})


def draw(axes: Any, costs: dict[str, Costs], label: str) -> None:
    """Error over solves. Filled: by accuracy; hollow: fixed steps."""
    for (model, c), size in zip(costs.items(), (9, 5)):  # they may lie on one another
        line = axes.loglog(c.solves, c.errors, marker="o", markersize=size, label=f"{model}, by accuracy")[0]
        axes.loglog(c.fixed_solves, c.fixed_errors, marker="o", markersize=size, markerfacecolor="white", color=line.get_color(),
                    linestyle=line.get_linestyle(), label=f"{model}, fixed steps")
    first = costs["lagged"]
    ends = np.array([first.solves[0], first.solves[-1]])
    axes.loglog(ends, first.errors[-1] * ends[-1] / ends, color="0.6", linestyle=":")
    axes.set_xlabel("contact solves [-]")
    axes.set_ylabel(label)
