"""The conveyor belt beyond the paper: what sticks, the lag, and error-controlled steps.

The box of `conveyor` by the model `anchored`, whose friction is a spring k_t = k = 10⁷ N/m along the belt beside a damper
c = μ m g/ε, ε = v_s = 10⁻⁴ m/s, and slides where the two bear μ m g. While the box sticks it is pushed by q = −m a(t), and the
spring's force obeys T + τ Ṫ = q, τ = c/k_t = 6.9 ms: between the two directions of slip the box gives way by at most
2 μ m g/k_t = 1.4 µm, and slip begins when q = μ m g, as by Coulomb's law. Lagged creeps at ε s/√(1 − s²) at the share
s = q/(μ m g) of the limit, ten times as far, and begins to slip 1.7 ms early.

The lag is the difference between the normal impulse that friction assumes and the step's own. Lagged solves again until the two
agree to the option `lag_tolerance`, 0.1 by default (`lagged`); here also to 10⁻⁶ (`iterated`), not again at all
(`lagged_rule="prediction"`: `predicted`), and with the impulse of the state at the step's start, as the paper does. The normal
force of one contact point is m g whatever friction does, and rules do not matter; that of a box with four corners shifts between
them when friction turns, while its sum stays m g to a step.

With error-controlled steps (`accuracy`) the belt is a cart of 10⁹ kg on a spring of 1 Hz, since a load stays the same for a time
step. Box and belt accelerate all the time, so that control saves nothing: of three solves for two substeps one is for the error.
"""

import math

import numpy as np

import abut
from abut.experiments._beyond import VARIANTS, Costs, check_order, compare, draw, expected_substeps, follow, table
from abut.experiments._conveyor import (AMPLITUDE, FREQUENCY, FRICTION, GRAVITY, LARGEST_SLIP, MASS, SLIPS_AT, STICKS_AT, box,
                                        events, simulate, sliding_point)
from abut.reproduce.run import Run

SOURCE = "ICFT IX-A, and beyond it"

STEP, TOLERANCE, STIFFNESS = 1e-4, 1e-4, 1e7  # s, m/s, N/m
LIMIT = FRICTION * MASS * GRAVITY  # N
OMEGA = 2 * math.pi * FREQUENCY
STOPS, SLIPS = 0.5 + STICKS_AT, 1 + SLIPS_AT  # s, of the sticking phase that is looked at

Motion = dict[str, np.ndarray]


def run(run: Run) -> None:
    points, corners = {}, {}
    for name in run.cases(list(VARIANTS), until=0.3):
        duration = 1.5 if name in ("lagged", "anchored") else 0.5
        points[name] = simulate(sliding_point(), h=STEP, duration=duration, tolerance=TOLERANCE, **VARIANTS[name])
    for name in run.cases(list(VARIANTS), until=0.6):
        corners[name] = simulate(box(), h=STEP, duration=1.5, tolerance=TOLERANCE, **VARIANTS[name])
    sticking(run, points)
    slipping(run, {"anchored": points["anchored"], "anchored, box with four corners": corners["anchored"]})
    whole = {name: points[name] for name in ("lagged", "anchored")}
    returning(run, whole | {f"{name}, four corners": motion for name, motion in corners.items()})
    lag(run, points, corners)
    accuracy(run)


def push(time: float) -> float:
    """That friction bears while the box sticks, in the frame of the belt [N]."""
    return MASS * AMPLITUDE * OMEGA**2 * math.sin(OMEGA * time)


def ways(times: np.ndarray) -> dict[str, np.ndarray]:
    """How far the box gives way since it stopped [m], by the closed forms, integrated in steps of 10 µs."""
    h, tau = 1e-5, LIMIT / (TOLERANCE * STIFFNESS)
    middles = np.arange(STOPS, times[-1] + h, h) + h / 2
    force, gives, creeps = -LIMIT, [0.0], [0.0]  # it slid backwards until then
    for middle in middles:
        share = push(middle) / LIMIT
        force += (1 - math.exp(-h / tau)) * (push(middle) - force)
        gives.append((force + LIMIT) / STIFFNESS)
        creeps.append(creeps[-1] + h * TOLERANCE * share / math.sqrt(1 - share * share))
    ends = STOPS + h * np.arange(len(gives))
    return {"anchored": np.interp(times, ends, gives), "lagged": np.interp(times, ends, creeps)}


def sticking(run: Run, motions: dict[str, Motion]) -> None:
    time = motions["anchored"]["time"]
    sticks = (time > STOPS + 2 * STEP) & (time < SLIPS - 2 * STEP)
    run.at_most("anchored: range of its places on the belt while it sticks", 1e6 * np.ptp(motions["anchored"]["way"][sticks]),
                2e6 * LIMIT / STIFFNESS, unit="µm", source="closed form: the spring turns from −μ m g to μ m g, 2 μ m g/k_t")
    part = (time > 0.93) & (time < 1.16)
    exact = ways(time[part])
    for name, form in (("anchored", "T + τ Ṫ = q"), ("lagged", "ε s/√(1 − s²)")):
        way = motions[name]["way"][part]
        run.near(f"{name}: way on the belt while it sticks, from 0.93 to 1.16 s", 1e6 * (way[-1] - way[0]),
                 1e6 * (exact[name][-1] - exact[name][0]), relative=0.01, unit="µm", source=f"closed form: {form}, integrated")
    sampled = time[sticks][::10]
    columns = {name: 1e6 * (motions[name]["way"] - np.interp(1.0, time, motions[name]["way"]))[sticks][::10] for name in exact}
    forms = {name: 1e6 * (values - np.interp(1.0, sampled, values)) for name, values in ways(sampled).items()}
    run.table("sticking", "place on the belt while the box sticks, from that at 1 s", {"time [s]": sampled}
              | {f"{name} [µm]": values for name, values in columns.items()}
              | {f"{name}, closed form [µm]": values for name, values in forms.items()})
    slip = (time > 1.155) & (time < 1.18)
    with run.figure("sticking", "Place on the belt while the box sticks (left), and its speed as slip begins (right), steps of "
                    "0.1 ms. Circles: closed forms of both models; Coulomb's law.", columns=2) as (left, right):
        for name in ("anchored", "lagged"):
            left.plot(sampled, columns[name], label=name)
            left.plot(sampled[::15], forms[name][::15], color="0.2", linestyle="none", marker="o", markerfacecolor="none")
            right.plot(time[slip], 1e3 * motions[name]["slip"][slip], label=name)
        at = time[slip]
        coulomb = np.where(at > SLIPS, 1e3 * (AMPLITUDE * OMEGA * (math.cos(OMEGA * SLIPS) - np.cos(OMEGA * at))
                                              - FRICTION * GRAVITY * (at - SLIPS)), 0)
        right.plot(at[::15], coulomb[::15], color="0.2", linestyle="none", marker="o", markerfacecolor="none")
        left.set_ylabel("way from that at 1 s [µm]")
        left.set_ylim(-2, 16)
        right.set_ylabel("slip [mm/s]")
        for axes in (left, right):
            axes.set_xlabel("time [s]")
            axes.legend(loc="upper left")


def slipping(run: Run, motions: dict[str, Motion]) -> None:
    for title, motion in motions.items():
        for what, at, expected in zip(("begins", "ends"), events(motion), (SLIPS_AT, STICKS_AT)):
            run.near(f"{title}: slip {what}, v_s = 10⁻⁴ m/s", at, expected, absolute=2 * STEP, unit="s",
                     source="Coulomb's law, exact; two steps")
        run.near(f"{title}: largest slip", np.max(np.abs(motion["slip"][motion["time"] > 1])), LARGEST_SLIP, relative=1e-3,
                 unit="m/s", source="Coulomb's law, exact")


def returning(run: Run, motions: dict[str, Motion]) -> None:
    """From 0.5 to 1.5 s: the halves of a period mirror each other, and slip forgets what was before."""
    ways = {title: abs(motion["way"][-1] - motion["way"][round(0.5 / STEP) - 1]) for title, motion in motions.items()}
    for title in ("lagged", "anchored"):
        others = [name for name in ways if name.startswith(title)]
        run.at_most(f"{title}, one point and four corners, all rules: way on the belt in a period, farthest",
                    1e6 * max(ways[name] for name in others), 1e-3, unit="µm",
                    source="symmetry: none; less than a thousandth of what Anchored gives way")


def lag(run: Run, points: dict[str, Motion], corners: dict[str, Motion]) -> None:
    others = [name for name in VARIANTS if name.startswith("lagged,")]
    apart = max(np.max(np.abs(points[name]["way"] - points["lagged"]["way"][: len(points[name]["way"])])) for name in others)
    run.at_most("one point: Lagged by all rules of the lag, farthest apart", apart, 1e-9, unit="m",
                source="its normal force is m g whatever friction does; solves end at errors of 10⁻¹¹")
    for name, tolerance in (("lagged", 0.1), ("lagged, iterated", 1e-6), ("anchored", 0.1)):
        run.at_most(f"{name}, box with four corners: largest error of the lag", np.max(corners[name]["lag_error"]), tolerance,
                    source="its `lag_tolerance`")
    iterated = events(corners["lagged, iterated"])
    for name in [name for name in ("lagged", *others) if name != "lagged, iterated"]:
        late = max(abs(a - b) for a, b in zip(events(corners[name]), iterated))
        run.at_most(f"{name}, box with four corners: slip begins and ends apart from that of the iterated, by", 1e3 * late,
                    1e3 * STEP, unit="ms", source="the sum of the normal forces is m g at most one step late")


def belt_world(model: str, time_step: float, accuracy: float | None = None) -> abut.World:
    """The box on a cart that swings on a spring."""
    mass = 1e9
    scene = abut.load_scene_text(
        f"""<mujoco><worldbody><body name='belt' pos='0 0 -.05'>
        <joint name='belt' type='slide' axis='1 0 0' stiffness='{mass * OMEGA**2}'/><geom type='box' size='1 .1 .05' mass='{mass}'/>
        </body><body name='box' pos='0 0 {0.025 - MASS * GRAVITY / STIFFNESS}'><joint name='x' type='slide' axis='1 0 0'/>
        <joint type='slide' axis='0 0 1'/><geom size='.025' mass='{MASS}'/></body></worldbody></mujoco>""")
    world = abut.World(scene, model=model, time_step=time_step, accuracy=accuracy, stiffness=STIFFNESS, dissipation=500,
                       friction=FRICTION, margin=0.1, tolerance=1e-11, stiction_tolerance=TOLERANCE)
    for joint in ("belt", "x"):
        world.set_joint_velocity(joint, AMPLITUDE * OMEGA)
    return world


def on_belt(world: abut.World) -> float:
    """Place of the box on the cart [m]."""
    return float(world.positions[1, 0] - world.positions[0, 0])


def accuracy(run: Run) -> None:
    steps = [1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4]
    accuracies = [1e-2, 1e-3, 1e-4, 1e-5] + run.pick([], [1e-6, 1e-7])
    every, end, time_step = 0.05, 1.5, 0.05  # s
    fine = run.pick(2e-5, 5e-6)

    def exact(model: str) -> np.ndarray:
        return follow(belt_world(model, fine), every, end, on_belt)[0]

    costs = compare(run, belt_world, on_belt, exact, every, end, steps, accuracies, time_step)
    check_order(run, costs)
    check_substeps(run, costs, accuracies, end, time_step)
    table(run, costs, steps, accuracies, "m")
    with run.figure("accuracy", f"Error of the place on the belt, from that of steps of {1e6 * fine:g} µs, over solves (left); "
                    "substeps over the accuracy (right). Dotted: first order; closed form.", columns=2) as (left, right):
        draw(left, costs, "error of the place on the belt [m]")
        right.loglog(accuracies, costs["lagged"].substeps, marker="o", linestyle="none")
        many = np.geomspace(accuracies[-1], accuracies[0], 50)
        right.loglog(many, [substeps(a, end, time_step) for a in many], color="0.6", linestyle=":")
        right.invert_xaxis()
        right.set_xlabel("accuracy [-]")
        right.set_ylabel("substeps [-]")
        left.legend()


def substeps(accuracy: float, end: float, time_step: float) -> float:
    """By the acceleration of the box: the belt's while it sticks, else μ g."""
    dt = 1e-4
    time = np.arange(0, end, dt) + dt / 2
    half = time % 0.5
    slides = (half > SLIPS_AT) & (half < STICKS_AT)
    bend = np.where(slides, FRICTION * GRAVITY, AMPLITUDE * OMEGA**2 * np.abs(np.sin(OMEGA * time))) / 0.025
    return expected_substeps(accuracy, bend, dt, time_step)


def check_substeps(run: Run, costs: dict[str, Costs], accuracies: list[float], end: float, time_step: float) -> None:
    for model, c in costs.items():
        for a, n in list(zip(accuracies, c.substeps))[-2:]:
            run.near(f"{model}, accuracy {a:g}: substeps", n, substeps(a, end, time_step), relative=0.1,
                     source="closed form: two halves err by h² |a|/(4 r), r the box's radius; 10 % for sizes that change")
