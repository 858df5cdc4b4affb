"""A box on an oscillating conveyor belt.

A box of 1 kg on a belt that goes back and forth by 0.2 m once a second, μ = 0.7, k = 10⁷ N/m, d = 500 s/m. The belt
accelerates by up to 0.2 (2π)² = 7.9 m/s², friction by 6.87 m/s²: the box sticks and slips. Coulomb's law, integrated
exactly, has it slip from 0.167849 s to 0.41662 s of each half period, by at most 0.11217 m/s. With the paper's v_s = 10⁻⁴
m/s Lagged and Similar begin 1.7 ms earlier: near the friction limit they creep at many times v_s, and that counts while
the slip grows from nothing. They are compared with Coulomb's law at v_s = 10⁻⁶ m/s, and at 10⁻⁴ m/s with an integration of
v̇ = a − μ g v/√(v² + v_s²) by the method of Runge and Kutta.

The simulation is in the frame of the belt: the ground is the belt, and the box is pushed by −m a with a the change of
the belt's velocity from step to step over h, where the belt's velocity of a step is how far it goes in it. That is the
same arithmetic as with a belt that moves exactly. As the paper's test is two-dimensional, the box is a ball that
cannot turn, on slides along x and z: one contact point. A box with its four corners is beside it.

The text has lost the coefficient of SAP's relaxation time ("x 10⁻³ s"); here it is 10⁻³ s. `conveyor-beyond` has what
the paper does not: the model `anchored`, the lag of friction, error-controlled steps.
"""

import math

import numpy as np

from abut.experiments._conveyor import (AMPLITUDE, FREQUENCY, FRICTION, GRAVITY, LARGEST_SLIP, MASS, RELAXATION, SLIPS_AT,
                                        STICKS_AT, box, events, simulate, sliding_point)
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "ICFT IX-A, figures 1 to 3"

MODELS = ("lagged", "similar", "sap")


def regularized(h: float, duration: float, tolerance: float) -> dict[str, np.ndarray]:
    """Slip under the friction of Lagged, by the classical method of Runge and Kutta."""
    w = 2 * math.pi * FREQUENCY

    def rate(t: float, v: float) -> float:
        return AMPLITUDE * w * w * math.sin(w * t) - FRICTION * GRAVITY * v / math.sqrt(v * v + tolerance**2)

    v, slip = 0.0, []
    for step in range(round(duration / h)):
        t = step * h
        a = rate(t, v)
        b = rate(t + h / 2, v + h / 2 * a)
        c = rate(t + h / 2, v + h / 2 * b)
        v += h / 6 * (a + 2 * b + 2 * c + rate(t + h, v + h * c))
        slip.append(v)
    return {"time": h * np.arange(1, len(slip) + 1), "slip": np.array(slip)}


def run(run: Run) -> None:
    h = 1e-4
    cases = [("lagged", "lagged"), ("similar", "similar"), ("sap", "sap"), ("lagged, box with four corners", "lagged")]
    for title, model in run.cases(cases, until=0.4):
        motion = simulate(box() if "box" in title else sliding_point(), model, h, 1.5, tolerance=1e-6)
        begins, ends = events(motion)
        late = RELAXATION if model == "sap" else 0  # its glide, and so its normal force, is late by as much
        where = "Coulomb's law, exact; two steps" + (" and τ_d" if model == "sap" else "")
        run.near(f"{title}: slip begins", begins, SLIPS_AT, absolute=2 * h + late, unit="s", source=where)
        run.near(f"{title}: slip ends", ends, STICKS_AT, absolute=2 * h + late, unit="s", source=where)
        run.near(f"{title}: largest slip", np.max(np.abs(motion["slip"][motion["time"] > 1])), LARGEST_SLIP,
                 relative=1e-3, unit="m/s", source="Coulomb's law, exact")
    exact = regularized(1e-5, 1.5, 1e-4)
    for model in ("lagged", "similar"):
        motion = simulate(sliding_point(), model, h, 1.5)
        for name, t, expected in zip(("begins", "ends"), events(motion), events(exact)):
            run.near(f"{model}, v_s = 10⁻⁴ m/s: slip {name}", t, expected, absolute=2 * h, unit="s",
                     source="integration of the regularized law; two steps")
        if model == "lagged":
            settled = motion["time"] > 0.1
            run.at_most("lagged: vertical speed after 0.1 s", np.max(np.abs(motion["lift"][settled])), 1e-9, unit="m/s",
                        source="ICFT figure 2: none")
    motion_figure(run)
    convergence(run)


def motion_figure(run: Run) -> None:
    h = 0.01
    motions = {model: simulate(sliding_point(), model, h, 1.5) for model in MODELS}
    for model in MODELS:
        last = motions[model]["time"] > 0.5
        force = motions[model]["normal_force"][last] / (MASS * GRAVITY)
        glide = np.max(motions[model]["z"][last]) - 0.025
        slip = np.max(np.abs(motions[model]["slip"][last]))
        if model == "lagged":
            run.at_most("lagged: change of the normal force, of m g", np.max(np.abs(force - 1)), 1e-3,
                        source="ICFT figure 2: none")
            run.near("lagged: height at the largest slip", glide, -MASS * GRAVITY / 1e7, absolute=1e-9, unit="m",
                     source="ICFT table I: none, less the depth under the weight")
            continue
        delay = h + (RELAXATION if model == "sap" else 0)
        run.near(f"{model}: height at the largest slip, steps of 10 ms", glide, FRICTION * delay * slip, relative=0.02,
                 unit="m", source="ICFT table I: μ h |v_t|, or μ (h + τ_d) |v_t|")
        run.at_least(f"{model}: peak of the normal force, of m g", np.max(force), 1.05,
                     source="ICFT figure 2: a peak where it sticks again")
    run.table("motion", "slip, vertical speed and normal force, steps of 10 ms", {"time [s]": motions["lagged"]["time"]}
              | {f"{model} {name}": motions[model][key] for model in MODELS
                 for key, name in (("slip", "slip [m/s]"), ("lift", "vertical speed [m/s]"),
                                   ("normal_force", "normal force [N]"), ("friction_force", "friction [N]"))})
    with run.figure("motion", "Slip, vertical speed and normal force, steps of 10 ms. Dotted: where Coulomb's law lets it "
                    "slip and stick.",
                    "figure 2. Lagged does not move vertically; Similar and SAP do while they slip, their normal "
                    "force has a quick peak where they stick again.", rows=3) as (top, middle, bottom):
        for model, motion in motions.items():
            top.plot(motion["time"], motion["slip"], label=model)
            middle.plot(motion["time"], 1e3 * motion["lift"], label=model)
            bottom.plot(motion["time"], motion["normal_force"], label=model)
        top.set_ylabel("slip [m/s]")
        middle.set_ylabel("vertical speed [mm/s]")
        bottom.set_ylabel("normal force [N]")
        bottom.set_xlabel("time [s]")
        for axes in (top, middle, bottom):
            for half in (1, 2):
                for at in (SLIPS_AT, STICKS_AT):
                    axes.axvline(at + 0.5 * half, color="0.6", linestyle=":", linewidth=1)
            axes.set_xlim(0.5, 1.5)
        top.legend(loc="upper right", ncols=3)


def convergence(run: Run) -> None:
    steps = [5e-2, 1e-2, 2e-3, 4e-4] + run.pick([], [8e-5])
    exact = simulate(sliding_point(), "lagged", steps[-1] / 10, 1.0)
    errors: dict[str, list[float]] = {model: [] for model in MODELS}
    for model, h in run.cases([(model, h) for model in MODELS for h in steps], cost=lambda case: 1 / case[1]):
        motion = simulate(sliding_point(), model, h, 1.0)
        every = round(10 * h / steps[-1])
        distance = [motion[q] - exact[q][every - 1 :: every] for q in ("x", "z")]
        errors[model].append(float(np.sqrt(np.mean(distance[0] ** 2 + distance[1] ** 2))))
    for model in ("lagged", "similar"):
        run.near(f"{model}: order of the error of the positions, two finest steps",
                 slope(steps[-2:], errors[model][-2:]), 1, absolute=0.2, source="ICFT figure 3: first order")
    run.at_least("similar: error over Lagged's, finest step", errors["similar"][-1] / errors["lagged"][-1], 1,
                 source="ICFT figure 3: higher")
    run.at_most("sap: order, two finest steps", slope(steps[-2:], errors["sap"][-2:]), 0.5,
                source="ICFT figure 3: a plateau at the smallest step")
    run.table("convergence", "error of the positions, root of the mean square over 1 s",
              {"step [s]": steps} | {f"{model} [m]": errors[model] for model in MODELS})
    with run.figure("convergence", "Error of the positions (x, z) against Lagged with a tenth of the finest step. Dotted: "
                    "first order.", "figure 3, with steps of 50, 10 and 2 ms. Lagged and Similar first order, Similar less "
                    "accurate; SAP begins to reach a plateau at the smallest step.") as axes:
        for model in MODELS:
            axes.loglog(steps, errors[model], marker="o", label=model)
        axes.loglog(steps, np.array(steps) * errors["lagged"][-1] / steps[-1], color="0.6", linestyle=":")
        axes.set_xlabel("time step [s]")
        axes.set_ylabel("error of the positions [m]")
        axes.legend()
