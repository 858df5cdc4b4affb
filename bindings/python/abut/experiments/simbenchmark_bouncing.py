"""49 balls bounce for 20 s.

The bouncing test of SimBenchmark (Kang and Hwangbo): 7 × 7 balls of 10 kg and 0.1 m, whose centers begin 5 m above the ground,
without friction and with restitution 1. Their energy is to stay for 20 s. None meets another: runs of one impact have one ball,
a quick run has 4.

Here an impact is a spring of k = 10⁷ N/m without damping: 1 cm deep, π/ω = 3.1 ms long, ω² = k/m. Its exact restitution is 1.
What is lost is the error of the steps. As long as a ball is in touch its (x, v) go, from step to step, by a linear map that turns
by an angle θ and has the determinant

det = 1/(1 + ω² h²) under symplectic Euler, (1 + ω² h²/2)/(1 + ω² h²) under midpoint.

An impact takes π/θ steps and leaves the share r = det^(π/θ) of the energy, about 1 − π ω h, or 1 − π ω h/2; where in its step a
ball lands changes that by (ω h)². The time of a flight goes with √E, which says when what is left.

All models have the same spring where there is neither friction nor damping.

With an accuracy, midpoint takes steps of any size in flight, as a parabola is exact, and short ones in an impact, whose error
is of the third order in h: what an impact loses falls with the cube root of the accuracy.
"""

import math
import time
from typing import Any

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "SimBenchmark, the bouncing test"

GRAVITY, MASS, RADIUS, HEIGHT, STIFFNESS = 9.81, 10.0, 0.1, 5.0, 1e7
END = 20.0  # s
FIRST = 1.9  # s: after the first impact, before the second one
RATE = math.sqrt(STIFFNESS / MASS)  # rad/s: ω
FALL = math.sqrt(2 * (HEIGHT - RADIUS) / GRAVITY)  # s
MODELS = ("sap", "lagged", "similar", "anchored")
SCHEMES = ("symplectic-euler", "midpoint")


def world(side: int, step: float, **options: Any) -> abut.World:
    scene = abut.Scene()
    scene.add_ground()
    for i in range(side * side):
        scene.add_body(f"ball{i}", abut.Shape.sphere(RADIUS), position=[*divmod(i, side), HEIGHT], mass=MASS)
    return abut.World(scene, time_step=step, friction=0, dissipation=0, relaxation_time=0, stiffness=STIFFNESS, **options)


def share(w: abut.World) -> float:
    """Of the energy that they began with, above the ground; that of the springs is part of it."""
    weight, depth = len(w.moving) * MASS * GRAVITY, np.maximum(RADIUS - w.positions[:, 2], 0)
    energy = w.kinetic_energy + w.potential_energy + STIFFNESS / 2 * float(np.sum(depth**2))
    return (energy - weight * RADIUS) / (weight * (HEIGHT - RADIUS))


def kept(scheme: str, step: float) -> float:
    """r of an impact."""
    a = (RATE * step) ** 2
    down = -a / (1 + a)  # of x in v h
    moves = (1 + 1 / (1 + a)) / 2 if scheme == "midpoint" else 1 / (1 + a)  # of v h in x
    matrix = np.array([[1 + (down / 2 if scheme == "midpoint" else down), moves], [down, 1 / (1 + a)]])
    return float(np.linalg.det(matrix) ** (math.pi / abs(np.angle(np.linalg.eigvals(matrix)[0]))))


def flight(scheme: str, step: float, impacts: int) -> tuple[float, float]:
    """After so many impacts: the time at which the balls are highest [s], and the share of the energy."""
    shares = kept(scheme, step) ** np.arange(impacts + 1)
    return 2 * FALL * float(np.sum(np.sqrt(shares))) - FALL, float(shares[-1])


def run(run: Run) -> None:
    side = run.pick(2, 7)
    first(run)
    columns: dict[str, list[float]] = {"time [s]": [0.1 * i for i in range(1, round(10 * END) + 1)]}
    long(run, side, columns)
    controlled(run, side, columns)
    run.table("energy", "share of the energy that is left", columns)
    with run.figure("energy", "Energy of the balls: it stays in flight, and an impact takes what the steps are too long for.") as axes:
        for name, values in list(columns.items())[1:]:
            axes.plot(columns["time [s]"], values, label=name.removesuffix(" [-]"))
        axes.set_ylim(0, 1.05)
        axes.set_xlabel("time [s]")
        axes.set_ylabel("energy, of the first [-]")
        axes.legend()


def first(run: Run) -> None:
    """One impact, fixed steps."""
    steps = [2e-4, 1e-4, 5e-5] + run.pick([], [2.5e-5])
    lost: dict[str, list[float]] = {}
    cases = [("lagged", scheme) for scheme in SCHEMES] + [(model, SCHEMES[0]) for model in MODELS if model != "lagged"]
    every = [(model, scheme, step) for model, scheme in cases for step in steps]
    for model, scheme, step in run.cases(every, cost=lambda case: 1 / case[2], until=0.2):
        w = world(1, step, model=model, scheme=scheme)
        w.step(round(FIRST / step))
        measured = share(w)
        lost.setdefault(f"{model}, {scheme}", []).append(1 - measured)
        run.near(f"{model}, {scheme}, {1e6 * step:g} µs: energy after the first impact", measured, kept(scheme, step),
                 absolute=(RATE * step) ** 2, source="closed form r, ± (ω h)²")
    run.table("impact", "share of the energy that an impact loses", {"step [s]": steps}
              | {f"{scheme}, closed form [-]": [1 - kept(scheme, step) for step in steps] for scheme in SCHEMES}
              | {f"{name} [-]": values for name, values in lost.items()})
    with run.figure("impact", "Share of the energy that an impact loses. Circles: simulated, the models lie on one another; lines: "
                    "closed forms.") as axes:
        fine = np.geomspace(steps[-1], steps[0], 50)
        for scheme in SCHEMES:
            line = axes.loglog(fine, [1 - kept(scheme, step) for step in fine], label=scheme)[0]
            for name, values in lost.items():
                if name.endswith(scheme):
                    axes.loglog(steps, values, color=line.get_color(), linestyle="none", marker="o", markerfacecolor="none")
        axes.set_xlabel("time step [s]")
        axes.set_ylabel("loss [-]")
        axes.legend()


def long(run: Run, side: int, columns: dict[str, list[float]]) -> None:
    """20 s, fixed steps."""
    for step in run.cases([5e-5], until=0.6):
        w = world(side, step, model="lagged")
        energy = []
        for _ in columns["time [s]"]:
            w.step(round(0.1 / step))
            energy.append(share(w))
        columns[f"fixed steps of {1e6 * step:g} µs [-]"] = energy
        impacts = 15
        at, expected = flight(SCHEMES[0], step, impacts)
        run.near(f"lagged, symplectic-euler, {1e6 * step:g} µs: energy after {impacts} impacts, at {at:.1f} s",
                 energy[round(10 * at) - 1], expected, relative=impacts * (RATE * step) ** 2 / kept(SCHEMES[0], step),
                 source="closed form: r ± (ω h)² of each impact, and flights of √E")


def controlled(run: Run, side: int, columns: dict[str, list[float]]) -> None:
    """20 s, midpoint, by accuracy."""
    accuracies = [1e-5, 1e-6, 1e-7] + run.pick([], [1e-8])
    rows: list[tuple[float, ...]] = []
    for accuracy in run.cases(accuracies, cost=lambda a: a ** (-1 / 3)):
        w = world(side, 1e-2, model="lagged", scheme="midpoint", accuracy=accuracy)
        begin, energy, substeps, after = time.perf_counter(), [], 0, 0.0
        for _ in columns["time [s]"]:
            for _ in range(10):
                substeps += w.step().substeps
            energy.append(share(w))
            if abs(w.time - FIRST) < 1e-3:
                after = energy[-1]
        columns[f"midpoint to an accuracy of {accuracy:g} [-]"] = energy
        rows.append((accuracy, 1 - after, 1 - energy[-1], substeps, time.perf_counter() - begin))
    lost = [row[1] for row in rows]
    run.near("midpoint: order of what the first impact loses in the accuracy", slope(accuracies, lost), 1 / 3, absolute=0.05,
             source="an error of third order: h goes with the cube root, and the loss with h")
    most = max(max(values) for name, values in columns.items() if "accuracy" in name)
    run.at_most("midpoint: largest energy of all, of the first", most, 1 + 1e-9, source="energy does not rise: round-off")
    run.table("accuracy", "by accuracy: energy that the first impact loses and that 20 s lose, substeps, time of it all",
              dict(zip(("accuracy [-]", "first impact [-]", "20 s [-]", "substeps [-]", "time [s]"), zip(*rows))))
