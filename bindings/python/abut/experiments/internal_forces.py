"""Internal forces: what corners of a cube pull against each other.

A cube of 1 kg and 20 cm stands on four corners, μ = 0.9. Its motion leaves six of twelve numbers of its contact forces open:
corners can pull each other, and a diagonal can bear more than the other. Of all answers to a step that sticks that of the least
norm is −W⁺ g, W⁺ being the pseudo-inverse of the Delassus matrix; at rest it is (0, 0, m g/4) at each corner. An answer's
distance from it is what it has of internal forces.

From nothing ADMM ends at that answer, where the cube is pulled, too; staggered projections at rest. Sweeps from contact to
contact end at another one. Where all of them end depends on where they begin. Asked for the least norm (`least_norm`) all have it.

Then the cube is dragged by 4 g t, step by step from the step before. By Coulomb's law it slips at μ m g/F' = 0.225 s; from
there on friction is against the slip at each corner, and nothing across. RaiSim's friction is not quite against the slip: it
slips a little earlier, and forces across stay.
"""

import numpy as np

import abut
from abut.reproduce.run import Run

SOURCE = "CB figures 4 and 11"

GRAVITY, MU, HALF, STEP = 9.81, 0.9, 0.1, 1e-3
RATE = 4 * GRAVITY  # of the force that drags [N/s]
SLIPS = MU * GRAVITY / RATE  # s
SWEEPS = ("gauss-seidel", "projected-gauss-seidel")


def cube(model: str = "ncp", solver: str | None = None) -> abut.World:
    scene = abut.Scene()
    scene.add_ground()
    inertia = 2 / 3 * HALF**2
    scene.add_body("cube", abut.Shape.box([HALF] * 3), position=[0, 0, HALF], mass=1, inertia=[inertia] * 3)
    return abut.World(scene, model=model, solver=solver, time_step=STEP, friction=MU, tolerance=1e-9)


def step_of(pull: float) -> abut.FrictionProblem:
    """Of a cube at rest that is pulled [N] along x."""
    world = cube()
    world.set_load("cube", [pull, 0, 0])
    world.step()
    return abut.FrictionProblem.of(world.problem)


def least(problem: abut.FrictionProblem) -> np.ndarray:
    """The shortest impulses of a problem that sticks [N s]."""
    return (-np.linalg.pinv(problem.delassus, rcond=1e-10) @ problem.velocity.ravel()).reshape(-1, 3)


def run(run: Run) -> None:
    solvers = abut.solver_names("ncp")
    weight = np.tile([0, 0, GRAVITY / 4], (4, 1))
    run.at_most("least norm at rest: distance of −W⁺ g from (0, 0, m g/4) at each corner", np.max(np.abs(least(step_of(0)) / STEP - weight)),
                1e-9, unit="N", source="symmetry")
    random = np.random.default_rng(3)
    starts = [np.abs(random.normal(size=(4, 3))) * STEP * GRAVITY / 4 for _ in range(run.pick(3, 10))]
    columns: dict[str, list] = {"pull [N]": [], "solver": [], "from nothing [N]": [], "from elsewhere, most [N]": [],
                                "least norm asked for, most [N]": []}
    for pull in (0.0, 0.3 * MU * GRAVITY):
        problem = step_of(pull)
        shortest = least(problem)
        for solver in solvers:
            def away(guess: np.ndarray | None, asked: bool) -> float:
                answer = problem.solve(solver, tolerance=1e-9, guess=guess, least_norm=asked)
                return float(np.linalg.norm(answer.impulse - shortest)) / STEP

            name = f"{solver}, {'at rest' if pull == 0 else 'pulled'}"
            plain, moved = away(None, False), max(away(start, False) for start in starts)
            asked = max(away(guess, True) for guess in (None, *starts))
            if solver == "admm" or solver == "staggered" and pull == 0:
                run.at_most(f"{name}: internal forces, from nothing", plain, 1e-6, unit="N", source="CB: none by proximal methods")
            if solver in SWEEPS:
                run.at_least(f"{name}: internal forces, from somewhere", moved, 0.1, unit="N", source="CB: sweeps depend on their start")
            run.at_most(f"{name}: internal forces where the least norm is asked for", asked, 1e-6, unit="N",
                        source="−W⁺ g, by singular values")
            for column, value in zip(columns.values(), (pull, solver, plain, moved, asked)):
                column.append(value)
    run.table("rest", "distance from the shortest forces", columns)
    drag(run)


def drag(run: Run) -> None:
    cases = [("ncp", s) for s in abut.solver_names("ncp")] + [("ccp", "admm"), ("raisim", "gauss-seidel"), ("raisim", "bisection")]
    steps = round((SLIPS + 0.05) / STEP)
    time = STEP * np.arange(1, steps + 1)
    sticks, slides = time < SLIPS - 1.5 * STEP, time > SLIPS + 0.01
    across, speeds = {}, {}
    for model, solver in run.cases(cases):
        world = cube(model, solver)
        forces, speed = [], []
        for t in time:
            world.set_load("cube", [RATE * t, 0, 0])
            world.step()
            lateral = world.contacts["friction_force"][:, 1]
            forces.append(np.pad(lateral, (0, 4 - len(lateral))))
            speed.append(float(world.body_state("cube").linear_velocity[0]))
        name = f"{model}, {solver}"
        across[name], speeds[name] = np.array(forces), np.array(speed)
        largest = np.max(np.abs(across[name]), axis=1)
        if model == "ccp":
            continue
        if model == "ncp":
            run.at_most(f"{name}: speed before the limit of friction", np.max(np.abs(speeds[name][sticks])), 1e-8, unit="m/s",
                        source="Coulomb's law")
        else:
            run.between(f"{name}: slips", time[np.argmax(speeds[name] > 1e-6)], 0.9 * SLIPS, SLIPS, unit="s",
                        source="CB figure 11: RaiSim slides earlier and faster")
        if solver in ("admm", "staggered"):
            run.at_most(f"{name}: force across the pull while it sticks, of any corner", np.max(largest[sticks]), 1e-6, unit="N",
                        source="CB figure 11: none by ADMM")
        if solver in (*SWEEPS, "bisection"):
            run.at_least(f"{name}: force across the pull while it sticks, of any corner", np.max(largest[sticks]), 0.1, unit="N",
                         source="CB figure 11: sweeps stretch the cube")
        if model == "ncp":
            run.at_most(f"{name}: force across the pull while it slides", np.max(largest[slides]), 1e-4, unit="N",
                        source="CB figure 11: gone with the slip, which friction is against")
        else:
            run.at_least(f"{name}: force across the pull while it slides", np.min(largest[slides]), 1e-3, unit="N",
                         source="CB figure 11: RaiSim's persist")
    run.table("drag", "largest force across the pull, of any corner",
              {"time [s]": list(time)} | {f"{name} [N]": list(np.max(np.abs(f), axis=1)) for name, f in across.items()})
    with run.figure("drag", "Speed of the dragged cube (left); force across the pull of each of its corners (right).",
                    "CB figure 11: sweeps (PGS, RaiSim) stretch the cube while it sticks, RaiSim also while it slides; ADMM does not.",
                    columns=2) as (left, right):
        for name in ("ncp, projected-gauss-seidel", "ncp, admm", "raisim, bisection", "ccp, admm"):
            line = left.plot(time, speeds[name], label=name)[0]
            right.plot(time, across[name], color=line.get_color(), linewidth=1)
        for axes in (left, right):
            axes.set_xlabel("time [s]")
        left.set_ylabel("speed [m/s]")
        right.set_ylabel("force across [N]")
        left.legend()
