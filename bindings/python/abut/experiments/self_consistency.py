"""Self-consistency: how far a dragged cube is from itself, by the step and by the tolerance.

A cube of 1 kg and 20 cm, μ = 0.4, is dragged for 0.3 s by F' t, F' = 4 g, each step by the mean over it. It slips at t_s = 0.1
s; then v = F' (t − t_s)²/2. A motion's error is the integral over time of the distance from a reference, h Σ ‖q − q_ref‖ over
position [m] and quaternion.

By the step. The reference is the same model at 0.01 ms. Under the NCP all of the error is the scheme's: velocities are exact
after the step in which it slips, and symplectic Euler is ahead by half a step, h v/2, so that the error is h/2 times the way x
= F' (T − t_s)³/6. The CCP adds its glide, μ h v: μ h x. Both are of first order and alike in size; under midpoint, which is
of second order, the NCP's error goes as h² and the CCP's glide stays.

By the tolerance. The reference is the same solver at 10⁻⁹, steps of 1 ms. The tolerance is of the natural map of each model.
"""

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import slope

SOURCE = "CB figures 14 and 15"

GRAVITY, MU, HALF = 9.81, 0.4, 0.1
RATE = 4 * GRAVITY  # of the force that drags [N/s]
END, SLIPS = 0.3, MU * GRAVITY / RATE  # s
WAY = RATE * (END - SLIPS) ** 3 / 6
WORK = RATE**2 * (END - SLIPS) ** 4 / 8  # kinetic energy in the end [J]
SCHEMES = ("symplectic-euler", "midpoint")
SOLVERS = (("ncp", "projected-gauss-seidel"), ("ncp", "gauss-seidel"), ("ncp", "admm"), ("ncp", "staggered"), ("ncp", "interior-point"),
           ("ccp", "admm"), ("ccp", "conic-interior-point"), ("raisim", "bisection"), ("raisim", "gauss-seidel"))


def drag(model: str, step: float, scheme: str = "symplectic-euler", solver: str | None = None, tolerance: float = 1e-9
         ) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion after each step (steps, 7), energy above rest [J]."""
    scene = abut.Scene()
    scene.add_ground()
    inertia = 2 / 3 * HALF**2
    scene.add_body("cube", abut.Shape.box([HALF] * 3), position=[0, 0, HALF], mass=1, inertia=[inertia] * 3)
    world = abut.World(scene, model=model, solver=solver, scheme=scheme, time_step=step, friction=MU, tolerance=tolerance)
    rows, energy = [], []
    for i in range(round(END / step)):
        world.set_load("cube", [RATE * step * (i + 0.5), 0, 0])
        world.step()
        state = world.body_state("cube")
        rows.append([*state.position, *state.orientation])
        energy.append(world.kinetic_energy + world.potential_energy - GRAVITY * HALF)
    return np.array(rows), np.array(energy)


def distance(motion: np.ndarray, reference: np.ndarray, step: float) -> float:
    """h Σ ‖q − q_ref‖ of a motion and one of as many, or many times as many, steps [m s]."""
    every = len(reference) // len(motion)
    return float(np.sum(np.linalg.norm(motion - reference[every - 1::every], axis=1)) * step)


def run(run: Run) -> None:
    by_step(run)
    by_tolerance(run)


def by_step(run: Run) -> None:
    fine, steps = run.pick(2e-5, 1e-5), [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2]
    errors: dict[tuple[str, str], list[float]] = {}
    energies = {}
    for model, scheme in run.cases([(m, s) for m in ("ncp", "raisim", "ccp") for s in SCHEMES], until=0.6):
        reference, _ = drag(model, fine, scheme)
        motions = [drag(model, h, scheme) for h in steps]
        errors[model, scheme] = [distance(q, reference, h) for (q, _), h in zip(motions, steps)]
        if scheme == SCHEMES[0]:
            energies[model] = motions[-1][1]
        height = float(np.sum(np.abs(motions[3][0][:, 2] - HALF)) * steps[3])
        if model == "ccp":
            run.near(f"{model}, {scheme}: integral of the height, 1 ms", height, MU * steps[3] * WAY, relative=0.01, unit="m s",
                     source="glide μ h v")
        else:
            run.at_most(f"{model}, {scheme}: integral of the height, 1 ms", height, 1e-9, unit="m s", source="Signorini's condition")
    euler, midpoint = (errors["ncp", scheme] for scheme in SCHEMES)
    run.near("ncp: error at 1 ms", euler[3], steps[3] / 2 * WAY, relative=0.02, unit="m s", source="symplectic Euler, ahead by h v/2")
    run.near("ncp: order of the error in the step", slope(steps, euler), 1, absolute=0.1, source="CB figure 14; first order")
    run.near("ncp, midpoint: order of the error in the step", slope(steps, midpoint), 2, absolute=0.1, source="second order")
    run.near("ccp, midpoint: order of the error in the step", slope(steps, errors["ccp", "midpoint"]), 1, absolute=0.1,
             source="glide μ h v")
    run.at_least("ccp over ncp: errors at 10 ms", errors["ccp", SCHEMES[0]][-1] / euler[-1], 10, source="CB figure 14: CCP is more sensitive",
                 known="Symplectic Euler is ahead by h v/2 under either, which is more than the glide of 0.4 h v. What of the error is the "
                       "model's is seen under midpoint.")
    run.at_least("ccp over ncp, midpoint: errors at 10 ms", errors["ccp", "midpoint"][-1] / midpoint[-1], 10,
                 source="CB figure 14: CCP is more sensitive")
    run.near("ncp: energy in the end, 10 ms, over ½ m v²", energies["ncp"][-1] / WORK, 1, relative=1e-6, source="F' (T − t_s)²/2")
    run.at_least("ccp: likewise, more than it", energies["ccp"][-1] / WORK, 1.02, source="CB figure 14: it lifts itself")
    run.table("step", "h Σ ‖q − q_ref‖ by the step [m s]",
              {"step [s]": steps} | {f"{model}, {scheme}": e for (model, scheme), e in errors.items()})
    with run.figure("step", "Error by the step (left; dotted: midpoint); energy at 10 ms (right).",
                    "CB figure 14: CCP's error is larger; its energy depends on the step.", columns=2) as (left, right):
        for model in energies:
            line = left.loglog(steps, errors[model, SCHEMES[0]], marker="o", label=model)[0]
            left.loglog(steps, errors[model, "midpoint"], color=line.get_color(), linestyle=":")
            right.plot(steps[-1] * np.arange(1, len(energies[model]) + 1), energies[model], label=model)
        left.set_xlabel("time step [s]")
        left.set_ylabel("h Σ ‖q − q_ref‖ [m s]")
        right.set_xlabel("time [s]")
        right.set_ylabel("energy [J]")
        left.legend()


def by_tolerance(run: Run) -> None:
    step, tolerances = 1e-3, [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
    errors = {}
    for model, solver in run.cases(SOLVERS):
        reference, _ = drag(model, step, solver=solver)
        errors[model, solver] = [distance(drag(model, step, solver=solver, tolerance=t)[0], reference, step) for t in tolerances]
    of_step = step / 2 * WAY
    for (model, solver), e in errors.items():
        if model == "ncp":
            run.at_most(f"{model}, {solver}: largest error up to 1e-4, over that of the step", max(e[:5]) / of_step, 0.02,
                        source="CB figure 15: the NCP's stays almost constant")
    sweeps = errors["ncp", "projected-gauss-seidel"][4]
    run.at_least("raisim, bisection: error at 1e-4 over that of projected-gauss-seidel", errors["raisim", "bisection"][4] / sweeps, 10,
                 source="CB figure 15: RaiSim's grows")
    run.at_least("ccp, admm: likewise", errors["ccp", "admm"][4] / sweeps, 10, source="CB figure 15: CCP's grows quickly",
                 known="The tolerance here is of the natural map, one ruler for all models and solvers. ε_abs of the paper is of what "
                       "each algorithm has at hand.")
    run.table("tolerance", "h Σ ‖q − q_ref‖ by the tolerance, steps of 1 ms [m s]",
              {"tolerance [-]": tolerances} | {f"{model}, {solver}": e for (model, solver), e in errors.items()})
    with run.figure("tolerance", "Error by the tolerance, steps of 1 ms (dotted: what the step itself errs by).",
                    "CB figure 15: NCP/PGS hardly depends on it, CCP/ADMM and RaiSim do.") as axes:
        for (model, solver), e in errors.items():
            axes.loglog(tolerances, np.maximum(e, 1e-16), marker="o", label=f"{model}, {solver}")
        axes.axhline(of_step, color="0.5", linestyle=":")
        axes.set_xlabel("tolerance")
        axes.set_ylabel("h Σ ‖q − q_ref‖ [m s]")
        axes.legend(fontsize=7)
