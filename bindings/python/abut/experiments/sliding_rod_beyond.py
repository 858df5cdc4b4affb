"""The sliding rod beyond the paper: the lag to a fixed point, what holds, and error-controlled steps.

The rod of `sliding-rod` without dissipation, by all rules of the lag and by the model `anchored`. The lag is the difference
between the normal impulse γ_n0 that friction assumes and the step's own, γ_n. Lagged solves again until the two agree to the
option `lag_tolerance`, 0.1 by default (`lagged`); here also to 10⁻⁶ (`iterated`), not again at all
(`lagged_rule="prediction"`: `predicted`), and with the impulse of the state at the step's start, as the paper does.

Here the lag decides: friction turns the rod into the ground, γ_n answers to γ_n0 by the factor
q = 3 μ sin φ cos φ/(m/(h² k) + 1 + 3 cos² φ): at 30° 0.68 with steps of 0.16 ms and 0.90 with 0.64 ms. What is not solved again is
late, and misses the impact at large steps.

The spring of `anchored` gives way with the time constant μ N/(ε k_t), ε = 10⁻⁴ m/s: 1.8 s in the impact, in which the end
sticks for 0.2 ms. It should jam as Lagged does.

With error-controlled steps (`accuracy`) the substeps are where the rod jams. Exact numbers are those of `sliding-rod`.
"""

import math

import numpy as np

import abut
from abut.experiments._beyond import MODELS, VARIANTS, check_order, compare, draw, table
from abut.experiments._sliding_rod import END, jam, simulate, world
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "ICFT IX-C, and beyond it"

JAMS_AT, LASTS, FORWARD, UPWARD, SPIN, LARGEST = 25.5255e-3, 0.211e-3, 1.91359, 3.52885, 13.7336, 808.8  # s, m/s, rad/s, N
ITERATED, PREDICTED, PAPERS = "lagged, iterated", "lagged, predicted", "lagged, rule of the paper"
TOLERANCE = 1e-4  # m/s: ε
HALFWAY = (8 + FORWARD) / 2  # m/s: 8 and more before the impact


def motion_of(name: str, h: float) -> dict[str, np.ndarray]:
    options = dict(VARIANTS[name])
    return simulate(options.pop("model"), h, end=END // h * h, **options)


def run(run: Run) -> None:
    jamming(run)
    rules(run)
    accuracy(run)


def jamming(run: Run) -> None:
    h = run.pick(1e-6, 2e-7)
    motions = {}
    for name in run.cases(("anchored", ITERATED), until=0.3):
        motion = motions[name] = motion_of(name, h)
        at, lasts = jam(motion)
        where = "integration with errors of 10⁻⁹"
        run.near(f"{name}: jams at", 1e3 * at, 1e3 * JAMS_AT, absolute=2e-3, unit="ms", source=where)
        run.near(f"{name}: stiction lasts", 1e3 * lasts, 1e3 * LASTS, relative=0.02, unit="ms", source=where)
        run.near(f"{name}: largest normal force", np.max(motion["force"]), LARGEST, relative=0.01, unit="N", source=where)
        leaves = np.flatnonzero(motion["force"] > 0)[-1] + 1
        for what, key, expected, unit in (("forward speed", "vx", FORWARD, "m/s"), ("upward speed", "vz", UPWARD, "m/s"),
                                          ("spin", "spin", SPIN, "rad/s")):
            run.near(f"{name}: {what} as it leaves the ground", abs(motion[key][leaves]), expected, relative=0.01, unit=unit,
                     source=where)
    apart = np.hypot(*(motions["anchored"][q] - motions[ITERATED][q] for q in "xz"))
    run.at_most("anchored: farthest from the iterated, over 30 ms", 1e6 * np.max(apart), 1e6 * 2 * TOLERANCE * (END - JAMS_AT),
                unit="µm", source="both ends slip by less than ε while they stick, and so leave with speeds at most 2 ε apart")
    with run.figure("jam", f"Slip (left) and normal force (right) in the impact, steps of {1e6 * h:g} µs. Both models lie on one "
                    "another.", columns=2) as (left, right):
        for name, motion in motions.items():
            near = np.abs(motion["time"] - 25.65e-3) < 0.35e-3
            left.plot(1e3 * motion["time"][near], motion["slip"][near], label=name)
            right.plot(1e3 * motion["time"][near], motion["force"][near], label=name)
        left.set_ylabel("slip of the end [m/s]")
        right.set_ylabel("normal force [N]")
        for axes in (left, right):
            axes.set_xlabel("time [ms]")
        left.legend()


def rules(run: Run) -> None:
    steps = [2e-3, 1e-3, 6.4e-4, 3.2e-4, 1.6e-4, 4e-5, 1e-5] + run.pick([], [2.5e-6])
    exact = simulate("lagged", steps[-1] / 10)
    errors: dict[str, list[float]] = {name: [] for name in VARIANTS}
    speeds: dict[str, list[float]] = {name: [] for name in VARIANTS}
    lags: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for name, h in run.cases([(n, h) for n in VARIANTS for h in steps], cost=lambda case: 1 / case[1], until=0.7):
        motion = motion_of(name, h)
        square = sum((motion[q] - np.interp(motion["time"], exact["time"], exact[q])) ** 2 for q in ("x", "z"))
        errors[name].append(float(np.sqrt(np.mean(square))))
        speeds[name].append(float(motion["vx"][-1]))
        lags[name].append(float(np.max(motion["lag_error"])))
    for name in VARIANTS:
        misses = name in (PREDICTED, PAPERS)
        (run.at_least if misses else run.at_most)(
            f"{name}, steps of 2 ms: forward speed after 30 ms, it {'misses' if misses else 'does not miss'} the impact",
            speeds[name][0], HALFWAY, unit="m/s", source="8 m/s and more before the impact, 1.914 after it: half-way between")
    for name in ("lagged", ITERATED, "anchored") if run.quick else tuple(VARIANTS):
        run.near(f"{name}: order of the error of the places, two finest steps", slope(steps[-2:], errors[name][-2:]), 1,
                 absolute=0.2, source="a scheme of first order, whatever the rule")
    for h, error in zip(steps, lags[ITERATED]):
        if h in (6.4e-4, 1.6e-4, steps[-1]):
            run.at_most(f"{ITERATED}, steps of {1e3 * h:g} ms: largest error of the lag", error, 1e-6, source="its `lag_tolerance`",
                        known="" if h < 6e-4 else "the solver takes γ_n ten times at most, and steps by at most three times the "
                        "difference from γ_n0, which is for heaps: with q = 0.90 a round leaves |1 − 3 (1 − q)| = 0.70 of it, ten 0.03.")
    run.table("rules", "by step: error of the places, forward speed after 30 ms, largest error of the lag", {"step [s]": steps}
              | {f"{name}: {what}": values[name] for name in VARIANTS for what, values in
                 (("error [m]", errors), ("forward speed [m/s]", speeds), ("error of the lag [-]", lags))})
    with run.figure("rules", "Error of the places (x, z) over 30 ms, against Lagged with a tenth of the finest step (left); forward "
                    "speed after 30 ms (right). Dotted: first order; exact.", columns=2) as (left, right):
        for name in VARIANTS:
            left.loglog(steps, errors[name], marker="o", label=name)
            right.semilogx(steps, speeds[name], marker="o", label=name)
        left.loglog(steps, np.array(steps) * errors["lagged"][-1] / steps[-1], color="0.6", linestyle=":")
        right.axhline(FORWARD, color="0.6", linestyle=":")
        left.set_ylabel("error of the places [m]")
        right.set_ylabel("forward speed after 30 ms [m/s]")
        for axes in (left, right):
            axes.set_xlabel("time step [s]")
        right.legend(loc="upper left")


def substeps(model: str, accuracy: float, time_step: float) -> np.ndarray:
    """Their mean size in each time step [s]."""
    w = world(model, time_step, accuracy=accuracy)
    return np.array([time_step / w.step().substeps for _ in range(round(END / time_step))])


def accuracy(run: Run) -> None:
    steps = [1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2.5e-6] + run.pick([], [1.2e-6])
    accuracies = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7] + run.pick([], [1e-8])
    time_step = 1e-3
    costs = compare(run, world, lambda w: [w.linear_velocities[0, 0]], lambda model: np.array([FORWARD]), END, END, steps,
                    accuracies, time_step)
    check_order(run, costs)
    for model, c in costs.items():
        least = max(c.errors[-1], c.fixed_errors[-1])  # that both reach
        fixed, own = (math.exp(np.interp(-math.log(least), -np.log(errors), np.log(solves)))
                      for errors, solves in ((c.fixed_errors, c.fixed_solves), (c.errors, c.solves)))
        run.at_least(f"{model}: solves of fixed steps over those by accuracy, at the least error that both reach", fixed / own, 1,
                     source="25 of 30 ms are smooth")
    sizes = {model: substeps(model, 1e-6, time_step) for model in MODELS}
    for model, size in sizes.items():
        run.near(f"{model}, accuracy 1e-06: time step of 1 ms with most substeps, its middle",
                 1e3 * time_step * (int(np.argmin(size)) + 0.5), 1e3 * JAMS_AT, absolute=0.5, unit="ms", source="where it jams")
    table(run, costs, steps, accuracies, "m/s")
    with run.figure("accuracy", "Error of the forward speed after 30 ms, over solves (left); mean substep of each time step of 1 ms, "
                    "accuracy 10⁻⁶ (right). Dotted: first order; when it jams.", columns=2) as (left, right):
        draw(left, costs, "error of the forward speed [m/s]")
        left.legend()
        time = 1e3 * time_step * np.arange(len(sizes["lagged"]) + 1)
        for model, size in sizes.items():
            right.step(time, 1e6 * np.append(size, size[-1]), where="post", label=model)
        right.set_yscale("log")
        right.axvline(1e3 * JAMS_AT, color="0.6", linestyle=":")
        right.set_xlabel("time [ms]")
        right.set_ylabel("substep [µs]")
        right.legend()
