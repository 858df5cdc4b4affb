"""Clutter of 8 to 1000 bodies: contacts, time and accuracy.

Four columns of the clutter's bodies, with and without walls, SAP, near-rigid, steps of 10 ms, tolerance 10⁻⁶, one thread.
The momentum error e_m and the complementarity error e_c are those of (32) and (33), recomputed by the certificate. Columns of
250 bodies are 32 m high, and need 4 s to fall.

Times are of this machine, of this process alone. Checks are of ratios and exponents of them.
"""

import time

import numpy as np

import abut
from abut.experiments._clutter import clutter
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "SAP VI-C1, figures 11 to 13"

STEP, TOLERANCE = 1e-2, 1e-6


def simulate(rows: int, walls: bool, steps: int) -> dict[str, float]:
    """Means of four heaps of up to 160 bodies; of more bodies one heap."""
    runs = [simulate_one(rows, walls, steps, seed) for seed in range(1, 5 if rows <= 40 else 2)]
    return {key: float((np.max if "largest" in key else np.mean)([run[key] for run in runs])) for key in runs[0]}


def simulate_one(rows: int, walls: bool, steps: int, seed: int) -> dict[str, float]:
    world = abut.World(clutter(4, rows, walls=walls, seed=seed), model="sap", time_step=STEP, stiffness=1e12, relaxation_time=STEP,
                       friction=1.0, tolerance=TOLERANCE)
    found: list[tuple[float, float, float]] = []

    def look(w: abut.World) -> None:
        report = w.report
        assert report
        found.append((report.certificate.momentum_error, report.certificate.complementarity_error, report.solve.iterations))

    start = time.process_time()
    world.step(steps, callback=look)
    spent = time.process_time() - start
    momentum, complementarity, iterations = np.array(found).T
    contacts = world.contacts
    loaded = contacts[contacts["normal_force"] > 0]
    ground = loaded["geom_a"] == world.scene.geom("ground").index
    pairs = {tuple(pair) for pair in loaded[~ground][["geom_a", "geom_b"]].tolist()}
    return {"contacts": len(loaded), "pairs": float(np.sum(ground)) + len(pairs), "time": spent / steps,
            "e_m": float(np.mean(momentum)), "e_m largest": float(np.max(momentum)), "e_c": float(np.mean(complementarity)),
            "e_c largest": float(np.max(complementarity)), "iterations": float(np.mean(iterations))}


def run(run: Run) -> None:
    rows = [2, 5, 10, 20] + run.pick([40], [40, 80, 160, 250])
    steps = run.pick(600, 1000)
    bodies = np.array([4 * n for n in rows])
    found: dict[str, dict[str, np.ndarray]] = {}
    for walls, name in ((True, "walls"), (False, "no walls")):
        runs = [simulate(n, walls, steps) for n in run.cases(rows, cost=lambda n: n**1.8, until=0.75 if walls else 1.0)]
        found[name] = {key: np.array([r[key] for r in runs]) for key in runs[0]}
    for name, result in found.items():
        run.at_most(f"{name}: largest momentum error e_m of a step", np.max(result["e_m largest"]), TOLERANCE,
                    source="SAP figure 13: below the tolerance")
        run.at_most(f"{name}: largest complementarity error e_c of a step", np.max(result["e_c largest"]), 2e-14,
                    source="SAP VI-C1: zero within machine precision, of sums over all contacts")
    large = bodies >= 40
    ratio = found["no walls"]["contacts"][large] / found["walls"]["contacts"][large]
    one_point = found["no walls"]["pairs"][large] / found["walls"]["pairs"][large]
    run.at_least("contacts without walls over those with, mean from 40 bodies on", np.mean(ratio), 1,
                 source="SAP figure 11: more without walls",
                 known="abut has up to four points wherever faces meet, between boxes and on walls as well as on the ground. With "
                 f"one point for each pair off the ground the ratio is {np.mean(one_point):.2f}, about equal (`pairs` in the "
                 "table). The text does not say how many points its boxes have.")
    run.at_most("time without walls over that with, mean from 40 bodies on",
                np.mean(found["no walls"]["time"][large] / found["walls"]["time"][large]), 1, source="SAP figure 12")
    plain = found["no walls"]
    run.at_most("no walls: exponent of the time of a step over bodies, from 40 on", slope(bodies[large], plain["time"][large]), 1.2,
                source="a bar of abut's own: nearly linear",
                known="the columns are higher with more bodies, the fall lasts longer, and the largest island takes more "
                f"iterations ({plain['iterations'][large][0]:.1f} at 40 bodies, {plain['iterations'][-1]:.1f} at {bodies[-1]}); "
                "the time of an iteration is nearly linear, as the next line says.")
    run.at_most("no walls: exponent of the time of an iteration", slope(bodies[large], (plain["time"] / plain["iterations"])[large]),
                1.2, source="a bar of abut's own: nearly linear")
    run.table("bodies", "by number of bodies; time is that of a step", {"bodies [-]": bodies}
              | {f"{name}: {key}{' [s]' if key == 'time' else ' [-]'}": result[key] for name, result in found.items()
                 for key in result})
    with run.figure("size", "Loaded contacts at the end (left), time of a step, mean of all (right). Dotted: proportional to "
                    "the bodies.", "figures 11 and 12. More contacts without walls, as boxes lie flat on the ground, and yet "
                    "faster.", columns=2) as (left, right):
        for name, result in found.items():
            left.loglog(bodies, result["contacts"], marker="o", label=name)
            right.loglog(bodies, 1e3 * result["time"], marker="o", label=name)
        right.loglog(bodies, 1e3 * found["no walls"]["time"][0] * bodies / bodies[0], color="0.6", linestyle=":")
        left.set_ylabel("contacts [-]")
        right.set_ylabel("time of a step [ms]")
        for axes in (left, right):
            axes.set_xlabel("bodies [-]")
        left.legend()
    with run.figure("accuracy", "Mean of the momentum error e_m and of the complementarity error e_c. Dotted: the tolerance.",
                    "figure 13. SAP's e_m below the tolerance, its e_c zero but for rounding; Gurobi and the interior-point "
                    "method are not run here.") as axes:
        for name, result in found.items():
            axes.loglog(bodies, result["e_m"], marker="o", label=f"{name}, e_m")
            axes.loglog(bodies, result["e_c"], marker="s", label=f"{name}, e_c")
        axes.axhline(TOLERANCE, color="0.6", linestyle=":")
        axes.set_xlabel("bodies [-]")
        axes.set_ylabel("mean error [-]")
        axes.legend(ncols=2)
