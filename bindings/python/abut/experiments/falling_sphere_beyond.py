"""The falling sphere beyond the paper: friction of the same step, what holds, and error-controlled steps.

The sphere of `falling-sphere` by all rules of the lag and by the model `anchored`. While it slides, Coulomb's law takes from
its speed μ times what the ground has given: U₀ − u = μ (w + g t), in each step, also in the impact, with u and w the speeds
along and up. The lag is the difference between the normal impulse that friction assumes and the step's own. Lagged solves again
until the two agree to the option `lag_tolerance`, 0.1 by default (`lagged`); here also to 10⁻⁶ (`iterated`), not again at all
(`lagged_rule="prediction"`: `predicted`), and with the impulse of the state at the step's start, as the paper does. Friction of a
sphere on a plane does not act on its normal force: the prediction is exact, and there is nothing to iterate. By the paper's rule
friction comes a step late, which carries the sphere 2/7 U₀ h too far.

`anchored` bears the limit by a spring k_t = k when sliding ends; it relaxes, and leaves the sphere 2/7 μ m g/k_t behind that of
Lagged.

With error-controlled steps (`accuracy`) a substep errs by h²/4 times the acceleration, in radii, and angular
acceleration: none while the sphere rolls, 3.5 μ g/R while it slides. Fall and slide are most of the error, and as smooth as can
be: for the same number of solves fixed steps are as good. What control adds is that none has to be chosen.
"""

import math

import numpy as np

import abut
from abut.experiments._beyond import VARIANTS, check_order, compare, draw, expected_substeps, follow, table
from abut.experiments._falling_sphere import DROP, END, FRICTION, MASS, RADIUS, ROLLS_AT, SPEED, trajectory, world
from abut.reproduce.run import Run

SOURCE = "ICFT IX-B, and beyond it"

GRAVITY, STIFFNESS, TOLERANCE, SIGMA = 9.81, 1e7, 1e-4, 1e-3
LANDS_AT = math.sqrt(2 * DROP / GRAVITY)
PAPERS = "lagged, rule of the paper"

Motion = dict[str, np.ndarray]


def motion_of(name: str, h: float) -> Motion:
    options = dict(VARIANTS[name])
    return trajectory(options.pop("model"), h, **options)


def run(run: Run) -> None:
    h = 4e-4
    motions = {name: motion_of(name, h) for name in run.cases(list(VARIANTS), until=0.2)}
    for name, motion in motions.items():
        run.near(f"{name}: rolls at 5/7 of its first speed", motion["speed"][-1], 5 / 7 * SPEED, relative=1e-9, unit="m/s",
                 source="closed form, Coulomb's law")
        run.near(f"{name}: slides until", motion["time"][np.abs(motion["slip"]) > 2 * TOLERANCE][-1], ROLLS_AT, unit="s",
                 absolute=2 * h, source="closed form 2 U₀/(7 μ g); two steps")
    late = motions["anchored"]["time"] > 0.15
    energy, time = motions["anchored"]["energy"][late], motions["anchored"]["time"][late]
    run.at_most("anchored: energy lost by rolling, of all per second", (energy[0] - energy[-1]) / energy[0] / (time[-1] - time[0]),
                1e-6, source="closed form: none", unit="1/s")
    friction(run, motions, h)
    held(run)
    accuracy(run)


def missing(motion: Motion) -> np.ndarray:
    """Speed that friction has not taken yet: of Coulomb's law, less what it has [m/s]."""
    return FRICTION * (motion["lift"] + GRAVITY * motion["time"]) - (SPEED - motion["speed"])


def friction(run: Run, motions: dict[str, Motion], h: float) -> None:
    for name, motion in motions.items():
        slides = motion["slip"] > 0.1
        given = FRICTION * h * motion["normal_force"] / MASS  # μ times what the ground gives in a step
        taken = np.concatenate([[0.0], given[:-1]]) if name == PAPERS else given
        # the soft norm leaves ε²/(2 v²) of each step's friction, ε = max(v_s, R_t μ γ_n0) with R_t = σ w, w ≤ 7/(2 m)
        soft = np.maximum(TOLERANCE, SIGMA * 7 / 2 * taken)[slides]
        bound = np.sum(taken[slides] * soft**2 / (2 * motion["slip"][slides] ** 2))
        if name == PAPERS:
            run.at_most(f"{name}: friction missing while it slides, but for that of the step", bound=bound, unit="m/s",
                        measured=np.max(np.abs(missing(motion) - given)[slides]),
                        source="closed form: it is one step late; what the soft norm leaves, ε²/(2 v²) of each step's")
            continue
        run.at_most(f"{name}: friction missing while it slides, largest", np.max(np.abs(missing(motion))[slides]),
                    1e-9 if name == "anchored" else bound, unit="m/s",
                    source="Coulomb's law: none; errors of solves are less" if name == "anchored"
                    else "Coulomb's law, but for what the soft norm leaves, ε²/(2 v²) of each step's")
        run.at_most(f"{name}: largest error of the lag", np.max(motion["lag_error"]), 1e-6,
                    source="friction does not act on the normal force: nothing to iterate")
    run.near(f"{PAPERS}: way farther than by the others", 1e3 * (motions[PAPERS]["x"][-1] - motions["lagged"]["x"][-1]),
             1e3 * 2 / 7 * SPEED * h, relative=1e-3, unit="mm", source="closed form: all friction a step late, 2/7 U₀ h")
    run.table("friction", "speed that friction has not taken yet, of Coulomb's law", {"time [s]": motions["lagged"]["time"]}
              | {f"{name} [m/s]": missing(motion) for name, motion in motions.items()})
    with run.figure("friction", "Speed that friction has not taken yet, of what Coulomb's law takes, around the impact (left); "
                    "slip (right). Steps of 0.4 ms.", columns=2) as (left, right):
        for name in ("lagged", PAPERS, "anchored"):
            motion = motions[name]
            near = (motion["time"] > 0.098) & (motion["time"] < 0.1065)
            left.plot(1e3 * motion["time"][near], missing(motion)[near], marker=".", label=name)
            near = (motion["time"] > 0.098) & (motion["time"] < 0.12)
            right.plot(1e3 * motion["time"][near], motion["slip"][near], marker=".", label=name)
        left.set_ylabel("missing friction, of the speed [m/s]")
        right.set_ylabel("slip [m/s]")
        right.axvline(1e3 * ROLLS_AT, color="0.6", linestyle=":")
        for axes in (left, right):
            axes.set_xlabel("time [ms]")
        left.legend()


def held(run: Run) -> None:
    h = 1e-5
    ends = {name: motion_of(name, h)["x"][-1] for name in run.cases(("lagged", "anchored"), until=0.4)}
    slide = FRICTION * GRAVITY * 7 / 2  # deceleration of the slip [m/s²]
    soft = TOLERANCE**2 / (2 * slide) * (math.log(2 * SPEED / TOLERANCE) + 0.5)  # how much farther Lagged slips
    run.near("anchored: behind Lagged at the end, steps of 10 µs", 1e9 * (ends["lagged"] - ends["anchored"]),
             1e9 * 2 / 7 * (FRICTION * MASS * GRAVITY / STIFFNESS + soft), absolute=1e9 * 2 / 7 * 2 * h * TOLERANCE, unit="nm",
             source="closed form: 2/7 of what the spring gives back, μ m g/k_t, and of the soft norm's slip; two steps at ε")


def accuracy(run: Run) -> None:
    steps = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]
    accuracies = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] + run.pick([], [1e-7, 1e-8])
    every = time_step = 0.01  # s
    fine = run.pick(4e-6, 4e-7)

    def place(w: abut.World) -> list[float]:
        return [w.positions[0, 0], w.positions[0, 2]]

    def exact(model: str) -> np.ndarray:
        return follow(world(model, fine), every, END, place)[0]

    costs = compare(run, world, place, exact, every, END, steps, accuracies, time_step)
    check_order(run, costs)
    for model, c in costs.items():
        for a, n in list(zip(accuracies, c.substeps))[-2:]:
            run.near(f"{model}, accuracy {a:g}: substeps", n, substeps(a, time_step), relative=0.15,
                     source="closed form of fall, slide and roll; the impact is not in it, nor how sizes get from one to the next")
    table(run, costs, steps, accuracies, "m")
    with run.figure("accuracy", f"Error of the place, from that of steps of {1e6 * fine:g} µs, over solves (left); substeps over the "
                    "accuracy (right). Dotted: first order; closed form.", columns=2) as (left, right):
        draw(left, costs, "error of the place [m]")
        right.loglog(accuracies, costs["lagged"].substeps, marker="o", linestyle="none")
        many = np.geomspace(accuracies[-1], accuracies[0], 50)
        right.loglog(many, [substeps(a, time_step) for a in many], color="0.6", linestyle=":")
        right.invert_xaxis()
        right.set_xlabel("accuracy [-]")
        right.set_ylabel("substeps [-]")
        left.legend()


def substeps(accuracy: float, time_step: float) -> float:
    dt = 1e-5
    time = np.arange(0, END, dt) + dt / 2
    sliding = FRICTION * GRAVITY / RADIUS * (1 + 5 / 2)  # of the center, in radii, and of the spin
    bend = np.where(time < LANDS_AT, GRAVITY / RADIUS, np.where(time < ROLLS_AT, sliding, 0))
    return expected_substeps(accuracy, bend, dt, time_step)
