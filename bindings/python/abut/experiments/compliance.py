"""Compliance: what regularized contacts make of a robot's feet.

Simulators that solve the convex problem by velocities add a diagonal R to W: MuJoCo R = α diag(W), Drake by the stiffness and a
ratio σ of friction. A contact that would hold, c = 0, then gives way by c = −R λ, along the normal and across it: the conditions
of Signorini and Coulomb are relaxed, in proportion to R.

Solo-12 stands, pushed by 4 N at the base, so that its feet hold; one step is solved under NCP and CCP with MuJoCo's R. While
all feet hold, impulses are those of a linear system, λ = −(W + R)⁻¹ g. The robot is also simulated under SAP, which is the CCP
with Drake's R: its feet are λ_n/(h k) deep in the ground, and slip in proportion to σ, where under the NCP they stay.

A cube on four corners does not tell what each of them bears, and sweeps depend on their start (`internal-forces`). With R
they have one answer; as R goes to 0 it tends to the shortest, −W⁺ g.
"""

import numpy as np

import abut
from abut.experiments import _robots
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "CB figure 13"

STEP, PUSH = 1e-3, (4.0, 0.0, 0.0)  # s, N


def pushed(model: str, **options: float) -> abut.World:
    world = _robots.standing("solo12", model=model, time_step=STEP, tolerance=1e-10, **options)
    world.set_load(_robots.BASE, PUSH)
    return world


def run(run: Run) -> None:
    one_step(run)
    cube(run)
    simulated(run)


def one_step(run: Run) -> None:
    world = pushed("ncp")
    world.step(500)
    problem = abut.FrictionProblem.of(world.problem, baumgarte=0)
    w, g = problem.delassus, problem.velocity
    rigid = problem.solve(tolerance=1e-12).impulse
    weight = float(rigid[:, 2].sum()) / STEP
    alphas = [10.0**k for k in range(-6, 2)]
    columns: dict[str, list[float]] = {name: [] for name in (
        "alpha [-]", "normal forces [N]", "speed into the ground [m/s]", "slip [m/s]", "change of the forces [N]")}
    for alpha in alphas:
        soft = problem.with_compliance(problem.relative_compliance(alpha))
        linear = -np.linalg.solve(soft.delassus, g.ravel()).reshape(-1, 3)
        answers = {model: soft.solve(solver, model=model, tolerance=1e-12).impulse
                   for model, solver in (("ncp", "interior-point"), ("ccp", "conic-interior-point"))}
        if alpha <= 0.1:
            for model, impulse in answers.items():
                run.at_most(f"{model}, α = {alpha:g}: distance from −(W + R)⁻¹ g, relative",
                            float(np.linalg.norm(impulse - linear) / np.linalg.norm(linear)), 1e-8, source="all feet hold: linear")
        velocity = g + (w @ answers["ncp"].ravel()).reshape(-1, 3)
        row = (alpha, float(answers["ncp"][:, 2].sum()) / STEP, float(-velocity[:, 2].min()),
               float(np.linalg.norm(velocity[:, :2], axis=1).max()), float(np.linalg.norm(answers["ncp"] - rigid)) / STEP)
        for column, value in zip(columns.values(), row):
            column.append(value)
    _, normal, into, slip, change = columns.values()
    small = slice(0, 5)
    for name, values in (("speed into the ground", into), ("slip below the limit of friction", slip), ("change of the forces", change),
                         ("what the normal forces lose", weight - np.array(normal))):
        run.near(f"{name}: order in R", slope(alphas[small], values[small]), 1, absolute=0.02, source="CB figure 13: linear in R")
    run.at_most("normal forces at α = 1 over those of rigid contact", normal[6] / weight, 0.5, source="half and more is left to sinking")
    run.table("step", "one step of Solo-12 by MuJoCo's rule", columns)
    with run.figure("step", "One step of Solo-12 with R = α diag(W): speeds that rigid contact does not have (left), normal forces (right).",
                    "CB figure 13: compliance relaxes Signorini's condition and Coulomb's law.", columns=2) as (left, right):
        left.loglog(alphas, into, marker="o", label="into the ground")
        left.loglog(alphas, slip, marker="o", label="slip")
        right.semilogx(alphas, normal, marker="o")
        right.axhline(weight, color="0.6", linestyle=":")
        for axes in (left, right):
            axes.set_xlabel("α")
        left.set_ylabel("speed [m/s]")
        right.set_ylabel("normal forces, all feet [N]")
        left.legend()


def cube(run: Run) -> None:
    half, gravity = 0.1, 9.81
    scene = abut.Scene()
    scene.add_ground()
    inertia = 2 / 3 * half**2
    scene.add_body("cube", abut.Shape.box([half] * 3), position=[0, 0, half], mass=1, inertia=[inertia] * 3)
    world = abut.World(scene, model="ncp", time_step=STEP, friction=0.9)
    world.step()
    problem = abut.FrictionProblem.of(world.problem)
    shortest = np.tile([0, 0, gravity / 4], (4, 1)) * STEP
    random = np.random.default_rng(5)
    starts = [np.abs(random.normal(size=(4, 3))) * STEP * gravity for _ in range(5)]
    alphas = [0.0, 1e-3, 1e-2, 1e-1]
    spreads, distances = [], []
    for alpha in alphas:
        soft = problem.with_compliance(problem.relative_compliance(alpha)) if alpha else problem
        answers = np.array([soft.solve("gauss-seidel", tolerance=1e-10, guess=start).impulse for start in starts]) / STEP
        spreads.append(float(np.max(np.ptp(answers, axis=0))))
        distances.append(float(np.linalg.norm(answers[0] - shortest / STEP)))
        if alpha:
            run.at_most(f"cube, α = {alpha:g}: how far the answers of sweeps from five starts are apart", spreads[-1], 1e-4, unit="N",
                        source="CB figure 13: R makes impulses unique")
    run.at_least("cube, R = 0: how far the answers of sweeps from five starts are apart", spreads[0], 0.1, unit="N",
                 source="CB II: internal forces")
    run.near("cube: order in R of the distance from −W⁺ g", slope(alphas[1:], distances[1:]), 1, absolute=0.1, source="Tikhonov")
    run.table("cube", "a cube on four corners, by sweeps from five starts",
              {"alpha [-]": alphas, "apart [N]": spreads, "from the shortest [N]": distances})


def slip_of(world: abut.World) -> float:
    """Fastest slip of a foot from 0.5 s to 1 s [m/s]."""
    world.step(500)
    fastest = 0.0
    for _ in range(500):
        world.step()
        fastest = max(fastest, float(np.linalg.norm(world.contacts["velocity"][:, :2], axis=1).max()))
    return fastest


def simulated(run: Run) -> None:
    rigid = slip_of(pushed("ncp"))
    run.at_most("ncp: slip of the feet below the limit of friction", rigid, 1e-8, unit="m/s", source="Coulomb's law")
    stiffness = [1e3, 1e4, 1e5, 1e6]
    depths = []
    for k in run.cases(stiffness):
        world = pushed("sap", stiffness=k, relaxation_time=1e-3)
        world.step(1000)
        contacts = world.contacts
        depths.append(float(np.max(-contacts["gap"])))
        run.near(f"sap, k = {k:g} N/m: k times the depth of a foot over its force",
                 float(np.max(np.abs(-k * contacts["gap"] / contacts["normal_force"]))), 1, relative=0.01, source="λ_n/h = k x [SAP 29]")
    ratios = [1e-3, 1e-2, 1e-1]
    slips = [slip_of(pushed("sap", stiffness=1e7, relaxation_time=1e-5, sigma=sigma)) for sigma in ratios]
    run.near("sap: order of the slip in σ", slope(ratios, slips), 1, absolute=0.1, source="R_t = σ w [SAP 29]")
    run.table("depth", "Solo-12 under SAP: depth of a foot by the stiffness", {"k [N/m]": stiffness, "depth [m]": depths})
    run.table("slip", "Solo-12 under SAP: slip of a foot by σ", {"sigma [-]": ratios, "slip [m/s]": slips})
    with run.figure("simulated", "Solo-12 under SAP, pushed by 4 N: depth of its feet (left), their slip below the limit of friction (right).",
                    "CB figure 13: what compliance adds goes with R.", columns=2) as (left, right):
        left.loglog(stiffness, depths, marker="o")
        right.loglog(ratios, slips, marker="o")
        left.set_xlabel("stiffness [N/m]")
        left.set_ylabel("depth [m]")
        right.set_xlabel("σ")
        right.set_ylabel("slip [m/s]")
