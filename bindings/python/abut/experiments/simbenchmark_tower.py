"""A tower of wooden planks stands for ten minutes, and creeps on a slope.

SimBenchmark's last test is a tower of blocks that is to stand for 600 s with steps of 10 ms. Here it is one of real planks, 117
mm × 23.5 mm × 7.8 mm of pine of 600 kg/m³, two in each layer, at its edges, each layer across the one below. μ = 0.5, k = 10⁷
N/m.

Upright, no friction is needed. The planks are in touch at the start, and sink until the springs between them bear what is
above: between two layers there are four faces, thus 16 springs, under the lowest 8. SAP's springs are the softer ones of its
step, 4 π² m/(h (h + τ_d)) = 5 kN/m for planks of 12.9 g [SAP 29]: its tower sinks two thousand times deeper, and stands as
well.

Leaned by 2°, each layer needs the same share s = tan 2°/μ = 0.07 of its friction, whatever it bears. Lagged and Similar creep
by ε s/√(1 − s²) at each, with ε = v_s = 10⁻⁴ m/s as σ is small here; SAP by v = F h/Σ(1/(σ w)) with the force F that the layer
bears and the mobilities w of its contact points [SAP 31]. The velocities add up from layer to layer. Anchored's friction does
not creep.
"""

import math
import time

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "SimBenchmark, the tower of blocks"

GRAVITY, DENSITY, FRICTION, STIFFNESS = 9.81, 600.0, 0.5, 1e7
LENGTH, WIDTH, HEIGHT = 0.117, 0.0235, 0.0078  # m
MASS = DENSITY * LENGTH * WIDTH * HEIGHT
STEP, SETTLE = 1e-2, 1.0  # s
RELAXATION, SIGMA, STICTION = 1e-4, 1e-3, 1e-4  # s, -, m/s
SLOPE = math.radians(2)
MODELS = ("sap", "lagged", "similar", "anchored")


def tower(model: str, layers: int, slope: float) -> abut.World:
    scene = abut.Scene()
    scene.gravity = [GRAVITY * math.sin(slope), 0, -GRAVITY * math.cos(slope)]
    scene.add_ground()
    for layer in range(layers):
        for side in (-1, 1):
            place, half = [0.0, side * (LENGTH - WIDTH) / 2, (layer + 0.5) * HEIGHT], [LENGTH / 2, WIDTH / 2, HEIGHT / 2]
            if layer % 2:
                place[:2], half[:2] = place[1::-1], half[1::-1]
            scene.add_body(f"plank{layer}{'ab'[side > 0]}", abut.Shape.box(half), position=place, density=DENSITY)
    sigma = SIGMA if model == "sap" else 1e-9  # the slip tolerance is v_s
    return abut.World(scene, model=model, time_step=STEP, friction=FRICTION, stiffness=STIFFNESS, relaxation_time=RELAXATION,
                      stiction_tolerance=STICTION, sigma=sigma)


def sinks(model: str, layers: int) -> float:
    """How far the top of an upright tower does [m]."""
    stiffness = 4 * math.pi**2 * MASS / (STEP * (STEP + RELAXATION)) if model == "sap" else STIFFNESS
    springs = np.array([8] + [16] * (layers - 1))
    return float(np.sum(2 * MASS * GRAVITY * np.arange(layers, 0, -1) / (springs * stiffness)))


def mobility(at: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """w of a contact point: of each plank its place from the center [m], and the plank's sizes [m]."""
    matrix = np.zeros((3, 3))
    for r, size in at:
        inertia = MASS / 12 * (np.sum(size**2) - size**2)
        cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        matrix += np.eye(3) / MASS - cross @ np.diag(1 / inertia) @ cross
    return float(np.linalg.norm(matrix)) / 3


def sap_creep(layers: int) -> float:
    """Speed of the top of a leaned tower [m/s]."""
    long, across = np.array([LENGTH, WIDTH, HEIGHT]), np.array([WIDTH, LENGTH, HEIGHT])
    corners = [(a * WIDTH / 2, b * WIDTH / 2) for a in (-1, 1) for b in (-1, 1)]
    off = (LENGTH - WIDTH) / 2
    between = 4 * sum(1 / mobility([(np.array([off + x, y, -HEIGHT / 2]), long), (np.array([x, off + y, HEIGHT / 2]), across)])
                      for x, y in corners)
    ground = 2 * 4 / mobility([(np.array([LENGTH, WIDTH, -HEIGHT]) / 2, long)])
    forces = 2 * MASS * GRAVITY * math.sin(SLOPE) * np.arange(layers, 0, -1)
    return float(SIGMA * STEP * (forces[0] / ground + np.sum(forces[1:]) / between))


def run(run: Run) -> None:
    layers = run.pick(5, 10)
    stand(run, layers)
    lean(run, layers)


def stand(run: Run, layers: int) -> None:
    end = run.pick(30.0, 600.0)
    columns: dict[str, list[float]] = {"sinks by [m]": [], "closed form [m]": [], "moves aside by [m]": [], "time of a step [ms]": []}
    for model in run.cases(MODELS, until=0.7):
        world = tower(model, layers, 0)
        begin = world.positions.copy()
        start = time.perf_counter()
        report = world.step(round(end / STEP))
        seconds = time.perf_counter() - start
        way = world.positions - begin
        down, aside = -float(np.mean(way[-2:, 2])), float(np.max(np.linalg.norm(way[:, :2], axis=1)))
        run.near(f"{model}: the top sinks in {end:g} s by", 1e6 * down, 1e6 * sinks(model, layers), relative=1e-3, unit="µm",
                 source="closed form: weight over springs" + (", softened for the step [SAP 29]" if model == "sap" else ""))
        run.at_most(f"{model}: the plank that moves most aside does so by", 1e6 * aside, 1e-3, unit="µm",
                    source="symmetry: no force is sideways; a nanometre")
        run.near(f"{model}: contact points", report.contacts, 8 + 16 * (layers - 1), source="all faces touch: it stands")
        for column, value in zip(columns.values(), (down, sinks(model, layers), aside, 1e3 * seconds * STEP / end)):
            column.append(value)
    run.table("standing", f"a tower of {layers} layers after {end:g} s", {"model": MODELS} | columns)


def lean(run: Run, layers: int) -> None:
    end = run.pick(11.0, 61.0)
    share = math.tan(SLOPE) / FRICTION
    soft = layers * STICTION * share / math.sqrt(1 - share**2)
    times = np.arange(SETTLE, end + 0.5)
    tops: dict[str, np.ndarray] = {}
    speeds = {}
    for model in run.cases(MODELS):
        world = tower(model, layers, SLOPE)
        world.step(round(SETTLE / STEP))
        start = world.positions[-2:].copy()
        way = [0.0]
        for _ in times[1:]:
            world.step(round(1 / STEP))
            way.append(float(np.mean((world.positions[-2:] - start)[:, 0])))
        tops[model] = np.array(way)
        speeds[model] = way[-1] / (times[-1] - times[0])
        if model == "anchored":
            run.at_most("anchored: the top of a leaned tower creeps in all by", 1e6 * abs(way[-1]), 1e-3, unit="µm",
                        source="Coulomb: none; a nanometre")
        elif model == "sap":
            run.near("sap: speed of the top of a leaned tower", 1e6 * speeds[model], 1e6 * sap_creep(layers), relative=0.01, unit="µm/s",
                     source="closed form: F h/Σ(1/(σ w)) of each layer [SAP 31]")
        else:
            run.near(f"{model}: speed of the top of a leaned tower", 1e6 * speeds[model], 1e6 * soft, relative=0.01, unit="µm/s",
                     source="closed form: ε s/√(1 − s²) of each layer")
        height = float(np.mean(world.positions[-2:, 2])) / ((layers - 0.5) * HEIGHT)
        run.at_least(f"{model}: height of its top, of what the planks add up to", height, 0.99, source="it does not fall")
    run.table("leaning", f"creep of the top of a tower that leans by 2°, {layers} layers",
              {"time [s]": times} | {f"{model} [m]": way for model, way in tops.items()})
    with run.figure("leaning", f"How far the top of a tower of {layers} layers has crept that leans by 2°. Dotted: closed forms.") as axes:
        for model in MODELS:
            axes.plot(times, 1e3 * tops[model], label=model)
        for speed in (soft, sap_creep(layers)):
            axes.plot(times, 1e3 * speed * (times - SETTLE), color="0.3", linestyle=":")
        axes.set_xlabel("time [s]")
        axes.set_ylabel("creep of the top [mm]")
        axes.legend()
    run.replay("replay", "Lagged, leaning by 2°", tower("lagged", layers, SLOPE), round(10 / STEP))
