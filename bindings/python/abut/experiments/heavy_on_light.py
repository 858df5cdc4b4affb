"""A tonne on a gram: which solver of rigid contact gets there, and how far.

Two cubes of 20 cm, 1000 kg on 1 g, at rest on the ground, μ = 0.9 and 0.95. Impulses between the cubes are a million times
what moves the lower one: sweeps over contacts, one by one, hand the weight down by a millionth at a time. The scene is
simulated under NCP; its first step is then solved by every solver from nothing, at smaller and smaller tolerances.

The answer is known: the four impulses below carry 9810.00981 N, the four between the cubes 9810 N, nothing moves and
nothing rubs. What corners bear of it is not: eight contacts hold two bodies. Of all answers that of the least norm has equal
corners; the page says how far from it each solver's is.
"""

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "CB figures 11 to 13"

GRAVITY, HALF, STEP = 9.81, 0.1, 1e-3
HEAVY, LIGHT = 1e3, 1e-3


def stack() -> abut.World:
    scene = abut.Scene()
    scene.add_ground()
    for name, mass, z in (("light", LIGHT, HALF), ("heavy", HEAVY, 3 * HALF)):
        inertia = mass * 2 / 3 * HALF**2
        scene.add_body(name, abut.Shape.box([HALF] * 3), position=[0, 0, z], mass=mass, inertia=[inertia] * 3)
    return abut.World(scene, model="ncp", time_step=STEP, friction=0.9)


def run(run: Run) -> None:
    world = stack()
    worst = 0.0
    for _ in range(100):
        report = world.step()
        worst = max(worst, report.certificate.step_error)
    run.at_most("ncp: worst step error of 100 steps", worst, 1e-6, source="every step solved")
    run.at_most("ncp: how far the heavy cube sinks in 0.1 s", abs(float(world.body_state("heavy").position[2]) - 3 * HALF),
                1e-6, unit="m", source="rigid bodies, but for the slop of overlaps")
    world = stack()
    world.step()  # from rest
    problem = abut.FrictionProblem.of(world.problem)
    below = np.array([z < HALF for z in world.contacts["point"][:, 2]])
    weight = {True: GRAVITY * (HEAVY + LIGHT), False: GRAVITY * HEAVY}
    tolerances = [10.0**-k for k in range(1, 11)]
    names, reached, forces, spread = [], [], [], []
    curves = {}
    for solver in abut.friction_solver_names():
        try:
            solution = problem.solve(solver, model="ncp", tolerance=1e-9)
        except abut.InputError:  # it solves other models
            continue
        errors, iterations = [], []
        for tolerance in tolerances:
            s = problem.solve(solver, model="ncp", tolerance=tolerance)
            errors.append(max(s.certificate.natural_error, 1e-16))
            iterations.append(max(s.iterations, 1))
        curves[solver] = (iterations, errors)
        normal = solution.impulse[:, 2] / STEP
        off = max(abs(normal[below == side].sum() / weight[side] - 1) for side in (True, False))
        names.append(solver)
        reached.append(solution.certificate.natural_error)
        forces.append(off)
        equal = np.where(below, weight[True] / 4, weight[False] / 4)
        spread.append(float(np.linalg.norm(normal - equal) / np.linalg.norm(equal)))
        if solver in ("interior-point", "admm", "staggered"):
            run.at_most(f"{solver}: error of the weights that contacts bear, relative", float(off), 1e-6,
                        source="CB: 9810.00981 N below, 9810 N between")
        if solver in ("gauss-seidel", "projected-gauss-seidel"):
            run.at_least(f"{solver}: error at its limit of sweeps", float(solution.certificate.natural_error), 1e-6,
                         source="CB: sweeps do not get there")
            run.near(f"{solver}: says that it has not converged", float(solution.status == "iteration_limit"), 1,
                     source="no solver claims what it has not")
    run.table("solvers", "every solver of the NCP at 1e-9", {
        "solver": names, "natural error [-]": reached, "error of the weights [-]": forces,
        "distance from equal corners [-]": spread})
    with run.figure("convergence", "Error over iterations (Newton steps, sweeps), from nothing.",
                    "CB: PGS and RaiSim saturate, ADMM and the staggered projections converge.") as axes:
        for solver, (iterations, errors) in curves.items():
            axes.loglog(iterations, errors, marker="o", label=solver)
        axes.set_xlabel("iterations")
        axes.set_ylabel("natural error [-]")
        axes.legend()
