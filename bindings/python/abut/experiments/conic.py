"""The convex step by conic solvers, and by Newton's method.

Steps of the clutter with SAP, near-rigid (k = 10¹² N/m), τ_d = h = 10 ms, σ = 10⁻³, μ = 1: of the first second, in which
bodies fall and collide, and later ones of piles that settle. Each is solved as a second-order cone program by Clarabel
(interior points) and SCS (operator splitting), and by abut's two variants of Newton's method, from the first guess as in the
simulation and from v*, which knows nothing of the step before.

The paper has Gurobi and the geodesic interior-point method of Permenter beside Newton's method, in whole runs, on its own
machine. Clarabel and SCS stand for them here, so that speed-ups are not the paper's: its Gurobi is up to 25 times slower
than SAP below some 40 bodies between walls, and faster beyond 80; abut's factor over Clarabel is of another solver. Errors are those of (32) and (33), found by the certificate for all alike, from
velocities and impulses. Times are of the solvers alone, on one thread: neither the set-up of the cone program in Python
nor abut's preparation of regularizations and islands is in them.
"""

import numpy as np

import abut
from abut.experiments._clutter import clutter
from abut.experiments._conic import Answer, program, solve_by_clarabel, solve_by_scs
from abut.reproduce.run import Run

SOURCE = "SAP VI-C, figures 12 and 13"
NEEDS = ("scipy", "clarabel", "scs")

STEP = 1e-2
SOLVERS = ("clarabel", "scs", "newton-paper", "newton", "newton from v*")


def problems(rows: int, seed: int) -> list[tuple[bool, abut.ContactProblem]]:
    """Of one heap: whether it still falls, and the step."""
    world = abut.World(clutter(4, rows, seed=seed), model="sap", time_step=STEP, stiffness=1e12, relaxation_time=STEP,
                       friction=1.0)
    found = []
    for step in range(1, 401):
        world.step()
        if step in (20, 35, 50, 65, 80, 95, 380, 400) and len(world.contacts):
            found.append((step < 100, world.problem))
    return found


def newton(problem: abut.ContactProblem, solver: str) -> Answer:
    guess = problem.free_velocity if solver.endswith("v*") else None
    found = [abut.solve(problem, solver.split()[0], guess=guess) for _ in range(3)]
    s = found[0]
    return Answer(s.velocity, s.impulse, s.report.iterations, min(f.report.seconds for f in found))


def solve(problem: abut.ContactProblem) -> dict[str, Answer]:
    cone = program(problem)
    answers = {"clarabel": min((solve_by_clarabel(cone, 1e-8) for _ in range(2)), key=lambda a: a.seconds),
               "scs": solve_by_scs(cone, 1e-6)}
    return answers | {name: newton(problem, name) for name in SOLVERS[2:]}


def run(run: Run) -> None:
    sizes = run.pick([10, 20], [10, 20, 40])  # bodies of a column
    cases = [(rows, seed) for rows in sizes for seed in range(1, run.pick(2, 5))]
    keys = ("seconds", "iterations", "momentum_error", "complementarity_error", "impulse_error")
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in SOLVERS}
    bodies, falls, apart = [], [], []
    for rows, seed in run.cases(cases, cost=lambda case: case[0] ** 2):
        for falling, problem in problems(rows, seed):
            answers = solve(problem)
            bodies.append(4 * rows)
            falls.append(falling)
            speed = np.linalg.norm(answers["newton"].velocity)
            apart.append(np.linalg.norm(answers["clarabel"].velocity - answers["newton"].velocity) / speed)
            for name, a in answers.items():
                c = abut.certify(problem, a.velocity, a.impulse)
                found[name].append((a.seconds, a.iterations, c.momentum_error, c.complementarity_error, c.impulse_error))
    table = {name: dict(zip(keys, np.array(rows).T)) for name, rows in found.items()}
    number, is_falling = np.array(bodies), np.array(falls)
    seconds = {name: t["seconds"] for name, t in table.items()}
    for name in ("newton", "newton from v*"):
        ratio = seconds["clarabel"] / seconds[name]
        run.at_least(f"Clarabel's time over {name}'s while bodies collide, median", np.median(ratio[is_falling]), 2,
                     source="SAP figure 12 has Gurobi in its place; at most half is our bar")
        run.at_least(f"SCS's time over {name}'s while bodies collide, median", np.median((seconds["scs"] / seconds[name])[is_falling]),
                     2, source="ours")
    run.at_most("newton: largest momentum error", np.max(table["newton"]["momentum_error"]), 1e-6, source="SAP 26, 32")
    run.at_most("newton: largest complementarity error over Clarabel's, of medians",
                np.median(table["newton"]["complementarity_error"]) /
                np.median(table["clarabel"]["complementarity_error"]), 1,
                source="SAP figure 13: SAP meets the complementarity conditions exactly")
    run.at_most("Clarabel's velocities from Newton's, relative, median", np.median(apart), 1e-5,
                source="both are the minimum of one strongly convex function")
    run.table("solvers", "each step and solver", {"bodies [-]": number, "falling": [str(f) for f in falls]}
              | {f"{name}: {key.replace('_', ' ')} {'[s]' if key == 'seconds' else '[-]'}": t[key]
                 for name, t in table.items() for key in keys})
    with run.figure("time", "Time of a step while bodies collide, median of the steps of a size (left), and momentum "
                    "error against time, each step a point (right).",
                    "figures 12 and 13. Against Gurobi SAP is up to 25 times faster below some 40 bodies between walls, and slower "
                    "beyond 80. SAP's momentum error is below its tolerance, Gurobi's is the largest.",
                    columns=2) as (left, right):
        for name in SOLVERS:
            medians = [np.median(seconds[name][(number == 4 * rows) & is_falling]) for rows in sizes]
            left.loglog(4 * np.array(sizes), 1e3 * np.array(medians), marker="o", label=name)
            right.loglog(1e3 * seconds[name], np.maximum(table[name]["momentum_error"], 1e-16), ".", label=name)
        left.set_xlabel("bodies [-]")
        left.set_ylabel("time [ms]")
        right.set_xlabel("time [ms]")
        right.set_ylabel("momentum error [-]")
        left.legend()
