"""A box is pushed along the ground with 25 balls on it, which roll.

The rolling test of SimBenchmark (Kang and Hwangbo): a box of 10 kg and 20 m × 20 m × 1 m on the ground, on it 5 × 5 balls of 1
kg and 0.5 m, 2 m apart; μ = 0.4 under the box, 0.8 on it; 150 N push the box for 4 s. Friction pyramids along the axes hold the
box when it is pushed between them: the test is made along y, at 45° (SimBenchmark's page) and at 60° (its program).

Coulomb's law and Newton's: the box slides, so that the ground takes F₁ = μ (M + n m) g. A ball that rolls is pushed by f = m a,
and spun by 2/5 m r² α = f r; its lowest point has the box's acceleration, a + r α = 7/2 a = A. M A = F − F₁ − n f makes

A = (F − F₁)/(M + 2/7 n m) = 0.7385 m/s², and a = 2/7 A = 0.2110 m/s²,

with friction of 0.027 of its limit on a ball, which thus rolls; these are the program's numbers, too.

Contacts give way: k = 10⁷ N/m, four times that under the box. The balls fall back by ½ (A − a) t² = 4.2 m in 4 s. What turns
the box is at most their moment about its middle, n m g 4.2 m, and that of the horizontal forces, (F₁ + n f) 0.5 m: together 1.1
kN m. The springs at corners 10 m from the middle tilt it by no more than 2.8·10⁻⁷ rad for that. Down such a slope a ball rolls
5/7 g 2.8·10⁻⁷ = 2·10⁻⁶ m/s² faster: 10⁻⁵ of a. SAP's springs are no stiffer than 4 π² M/(h (h + τ_d)) [SAP 29], 3.9·10⁶ N/m at
10 ms, and tilt more in proportion.

All rests for 0.5 s before the push. SAP, Similar and the CCP then lift what slides, to their glide, at the speed u = μ (h + τ_d) A, or μ
h A [ICFT table I]. The ground gives (M + n m) u for that, and takes μ times as much along it: the box is behind by μ (M + n m)
u/(M + 2/7 n m) from there on. Lagged's and Similar's friction is v/√(v² + v_s²) of its limit as the box starts, v being the
speed at a step's end: step by step that makes it be ahead. σ is 10⁻⁹ for them, so that v_s = 10⁻⁴ m/s it is. Similar has both:
what is behind is softer for it, which at most doubles that part.
"""

import math
import time

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "SimBenchmark, the rolling test"

GRAVITY = 9.81
BOX, BALL, SIDE, RADIUS = 10.0, 1.0, 5, 0.5  # kg, kg, balls along a side, m
FORCE, GROUND_FRICTION, BALL_FRICTION = 150.0, 0.4, 0.8
BALLS = SIDE * SIDE
BOX_ACCELERATION = (FORCE - GROUND_FRICTION * (BOX + BALLS * BALL) * GRAVITY) / (BOX + 2 / 7 * BALLS * BALL)
BALL_ACCELERATION = 2 / 7 * BOX_ACCELERATION
END, REST = 4.0, 0.5  # s
DIRECTIONS = (90, 45, 60)  # degrees from x
MODELS = ("sap", "lagged", "similar", "anchored", "ncp", "ccp")
STIFFNESS, RELAXATION, STICTION = 1e7, 1e-4, 1e-4  # N/m, s, m/s


def tilt(model: str, step: float) -> float:
    """What the tilt of the box may change of the accelerations, of them."""
    softest = 4 * math.pi**2 * BOX / (step * (step + RELAXATION)) if model == "sap" else STIFFNESS
    return 1e-5 * max(1.0, STIFFNESS / softest)


def ahead(model: str, step: float) -> tuple[float, float]:
    """How much faster the box is than A t 1 s after it started, by soft friction, and by what lifts it [m/s]."""
    mass, limit = BOX + 2 / 7 * BALLS * BALL, GROUND_FRICTION * (BOX + BALLS * BALL) * GRAVITY
    soft = STICTION if model in ("lagged", "similar") else 0.0
    v = 0.0
    for _ in range(round(1 / step)):
        start, v = v, v + step * FORCE / mass  # above the root of a function that is convex there
        for _ in range(50 if soft else 1):
            root = math.hypot(v, soft)
            v -= (mass * (v - start) - step * (FORCE - limit * v / root)) / (mass + step * limit * soft**2 / root**3)
    glide = {"sap": step + RELAXATION, "similar": step, "ccp": step}.get(model, 0.0) * GROUND_FRICTION * BOX_ACCELERATION
    return v - BOX_ACCELERATION, -GROUND_FRICTION * (BOX + BALLS * BALL) * glide / mass


def world(model: str, step: float) -> abut.World:
    scene = abut.Scene()
    scene.friction_rule = "maximum"
    scene.add_ground(friction=GROUND_FRICTION)
    scene.add_body("box", abut.Shape.box([10, 10, 0.5]), position=[0, 0, 0.5], mass=BOX, friction=GROUND_FRICTION)
    for i in range(BALLS):
        x, y = (2 * (c - (SIDE - 1) / 2) for c in divmod(i, SIDE))
        scene.add_body(f"ball{i}", abut.Shape.sphere(RADIUS), position=[x, y, 1 + RADIUS], mass=BALL, friction=BALL_FRICTION)
    return abut.World(scene, model=model, time_step=step, stiffness=STIFFNESS, relaxation_time=RELAXATION,
                      stiction_tolerance=STICTION, sigma=1e-3 if model == "sap" else 1e-9, tolerance=1e-9)


def along(degrees: float) -> np.ndarray:
    return np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0])


def push(model: str, step: float, degrees: float) -> dict[str, np.ndarray]:
    """Times [s] and velocities [m/s] of the box and of all balls, along the push and across it; seconds for a step."""
    w = world(model, step)
    w.step(round(REST / step))
    w.set_load("box", FORCE * along(degrees))
    rows: list[np.ndarray] = []
    begin = time.perf_counter()
    w.step(round(END / step), callback=lambda w: rows.append(w.linear_velocities))
    seconds = (time.perf_counter() - begin) / len(rows)
    velocity = np.array(rows)
    forward = velocity @ along(degrees)
    return {"time": step * np.arange(1, len(rows) + 1), "box": forward[:, 0], "balls": forward[:, 1:],
            "across": velocity @ along(degrees + 90), "seconds": np.array(seconds)}


def error(motion: dict[str, np.ndarray]) -> float:
    """SimBenchmark's: the mean over time of the squared errors of the box's velocity and of the first ball's [m²/s²]."""
    t = motion["time"]
    return float(np.mean((motion["box"] - BOX_ACCELERATION * t) ** 2 + (motion["balls"][:, 0] - BALL_ACCELERATION * t) ** 2
                         + motion["across"][:, 0] ** 2 + motion["across"][:, 1] ** 2))


def run(run: Run) -> None:
    steps = run.pick((1e-2, 5e-3), (1e-2, 1e-3))
    rows: list[tuple[str, float, float, float, float]] = []
    shown = {}
    cases = [(model, step, degrees) for step in steps for model in MODELS for degrees in DIRECTIONS]
    for model, step, degrees in run.cases(cases, cost=lambda case: 1 / case[1], until=0.95):
        motion = push(model, step, degrees)
        t = motion["time"]
        half = len(t) // 2
        name = f"{model}, {1e3 * step:g} ms, {degrees}°"
        box = (motion["box"][-1] - motion["box"][half]) / (t[-1] - t[half])
        run.near(f"{name}: acceleration of the box, last 2 s", box, BOX_ACCELERATION, relative=tilt(model, step), unit="m/s²",
                 source="closed form, Newton and Coulomb; the tilt of the box")
        balls = (motion["balls"][-1] - motion["balls"][half]) / (t[-1] - t[half])
        worst = balls[np.argmax(np.abs(balls - BALL_ACCELERATION))]
        run.near(f"{name}: of the ball that errs most", worst, BALL_ACCELERATION, relative=tilt(model, step), unit="m/s²",
                 source="closed form, it rolls; the tilt of the box")
        run.at_most(f"{name}: velocity across the push, of all", np.max(np.abs(motion["across"])), 1e-6, unit="m/s",
                    source="Coulomb: friction is along the velocity, none across")
        second, (soft, lift) = round(1 / step) - 1, ahead(model, step)
        run.near(f"{name}: the box after 1 s is ahead by", 1e3 * (motion["box"][second] - BOX_ACCELERATION), 1e3 * (soft + lift),
                 relative=0.02, absolute=1e3 * (tilt(model, step) * BOX_ACCELERATION + (soft if model == "similar" else 0)), unit="mm/s",
                 source="closed form: soft friction and glide; the tilt of the box")
        rows.append((model, step, degrees, error(motion), 1e3 * float(motion["seconds"])))
        if step == steps[-1] and degrees == 60:
            shown[model] = motion
    run.table("rolling", "mean of the squared errors of the velocities of the box and a ball, as SimBenchmark has it, and time of a step",
              dict(zip(("model", "step [s]", "direction [°]", "error [m²/s²]", "time of a step [ms]"), zip(*rows))))
    draw(run, steps[-1], shown)
    run.replay("replay", "Lagged, steps of 10 ms, pushed at 60°", pushed(), round(END / 1e-2))


def pushed() -> abut.World:
    w = world("lagged", 1e-2)
    w.set_load("box", FORCE * along(60))
    return w


def draw(run: Run, step: float, shown: dict[str, dict[str, np.ndarray]]) -> None:
    with run.figure("rolling", f"Velocities along a push at 60°, steps of {1e3 * step:g} ms (left; the models lie on one another and on the "
                    "closed form, dotted), and how far the box's is off (right).", columns=2) as (left, right):
        for model, motion in shown.items():
            t = motion["time"]
            line = left.plot(t, motion["box"], label=model)[0]
            left.plot(t, motion["balls"][:, 0], color=line.get_color(), linestyle=line.get_linestyle())
            right.semilogy(t, np.maximum(np.abs(motion["box"] - BOX_ACCELERATION * t), 1e-12), label=model)
        for name, a in (("box", BOX_ACCELERATION), ("balls", BALL_ACCELERATION)):
            left.plot([0, END], [0, a * END], color="0.3", linestyle=":")
            left.annotate(name, (0.75 * END, 0.75 * a * END), xytext=(-6, 8), textcoords="offset points", ha="right")
        left.set_ylabel("velocity [m/s]")
        right.set_ylabel("error of the box's velocity [m/s]")
        for axes in (left, right):
            axes.set_xlabel("time [s]")
        right.legend()
