"""What sliding does to the normal direction: gliding, modulated stiffness, and where slip begins.

Table I of the paper, measured: the convex approximations SAP and Similar couple the normal direction to slip. A body
that slides at V glides above the ground, by μ (h + τ_d) V or μ h V; its spring is softer, k/(1 + μ̃²) with
μ̃ = μ √(R_t/R_n), or stiffer, k (1 + μ d V). Lagged does neither. Below the slip ε = v_s of Lagged and Similar
friction is not Coulomb's yet; of SAP that slip is R_t μ γ_n = σ w μ γ_n.

A ball of 1 kg that cannot turn slides along z on a cart of 10¹² kg, which moves at V whatever friction does. Where the
table is about the slip under a push, the ball is on slides along x, y and z instead.
"""

import math

import numpy as np

import abut
from abut.reproduce.run import Run
from abut.reproduce.sampling import crossings, sample, slope

SOURCE = "ICFT table I, (41) to (44); SAP V-A"

MODELS = ("sap", "lagged", "similar")
GRAVITY, MASS, RADIUS = 9.81, 1.0, 0.1
SLIP_TOLERANCE = 1e-4  # m/s
SIGMA = 1e-3


def cart(model: str, speed: float, time_step: float, *, gravity: float = GRAVITY, stiffness: float = 1e7,
         dissipation: float = 500, relaxation_time: float = 1e-4, friction: float = 0.7) -> abut.World:
    """A ball on a cart that moves at `speed`; it touches the ground where friction is."""
    scene = abut.Scene()
    scene.gravity = [0, 0, -gravity]
    scene.add_ground()
    scene.add_body("cart", mass=1e12, inertia=[1e12, 1e12, 1e12], position=[0, 0, 1],
                   joints=[abut.SceneJoint("slide", "along", axis=[1, 0, 0])])
    scene.add_body("ball", abut.Shape.sphere(RADIUS), mass=MASS, parent="cart", position=[0, 0, RADIUS - 1],
                   joints=[abut.SceneJoint("slide", "up", axis=[0, 0, 1])])
    world = abut.World(scene, model=model, time_step=time_step, stiffness=stiffness, dissipation=dissipation,
                       relaxation_time=relaxation_time, friction=friction, sigma=SIGMA, margin=0.1, tolerance=1e-13)
    world.set_joint_velocity("along", speed)
    return world


def height(world: abut.World) -> float:
    """Of the ball above the ground [m]."""
    return float(world.joint_position("up"))


def expected_height(model: str, speed: float, h: float, gravity: float = GRAVITY, k: float = 1e7, d: float = 500,
                    tau: float = 1e-4, mu: float = 0.7) -> float:
    """Table I's glide less the depth under the weight [m]."""
    weight = MASS * gravity
    if model == "lagged":
        return -weight / k
    if model == "similar":
        slip = math.hypot(speed, SLIP_TOLERANCE) - SLIP_TOLERANCE  # the soft norm
        return mu * h * slip - weight / (k * (1 + mu * d * slip))
    return mu * (h + tau) * speed - weight * (1 + softening(h, k, tau, mu)) / k


def softening(h: float, k: float, tau: float, mu: float) -> float:
    """SAP's μ̃²: the ball moves along z alone, so w = 1/(3 m)."""
    return mu**2 * SIGMA / (3 * MASS) * h * (h + tau) * k


def run(run: Run) -> None:
    glide(run)
    stiffness(run)
    frequency(run)
    transition(run)


def glide(run: Run) -> None:
    steps = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4]
    found: dict[str, list[float]] = {model: [] for model in MODELS}
    for model in MODELS:
        for h in steps:
            w = cart(model, 1.0, h)
            w.set_joint_position("up", expected_height(model, 1.0, h) + 1e-8)
            w.step(max(200, round(0.05 / h)))
            found[model].append(height(w))
    error = {model: max(abs(z - expected_height(model, 1.0, h)) for z, h in zip(found[model], steps))
             for model in MODELS}
    for model, where in (("sap", "μ (h + τ_d) V − (1 + μ̃²) m g/k"), ("lagged", "−m g/k"),
                         ("similar", "μ h s(V) − m g/(k (1 + μ d s))")):
        run.near(f"{model}: height at 1 m/s, steps of 1 ms", found[model][2], expected_height(model, 1.0, 1e-3),
                 absolute=1e-10, unit="m", source=f"ICFT 41, table I: {where}")
        run.at_most(f"{model}: worst error of the height, steps of 0.1 to 10 ms", error[model], 1e-10, unit="m",
                    source="the same")
    lift = {model: np.array(found[model]) - found["lagged"][0] for model in ("sap", "similar")}
    run.near("similar: order in the step at which the glide goes", slope(steps[-2:], lift["similar"][-2:]), 1,
             absolute=0.02, source="ICFT table I: consistent")
    run.at_most("sap: order, two finest steps", slope(steps[-2:], lift["sap"][-2:]), 0.8,
                source="ICFT table I: not consistent, as τ_d μ V = 0.07 mm stays")
    run.table("glide", "height above the ground at 1 m/s", {"step [s]": steps} | {f"{m} [m]": found[m] for m in MODELS})
    with run.figure("glide", "Height at which 1 kg slides at 1 m/s (μ = 0.7, τ_d = 0.1 ms). Dotted: SAP's limit "
                    "μ τ_d V.", "table I: μ (δt + τ_d) V for SAP, μ δt V for Similar, none for Lagged.") as axes:
        for model in MODELS:
            axes.plot(steps, 1e3 * np.array(found[model]), marker="o", label=model)
        axes.axhline(0.07, color="0.6", linestyle=":")
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=0.01)
        axes.set_xlabel("time step [s]")
        axes.set_ylabel("height [mm]")
        axes.legend()


def stiffness(run: Run) -> None:
    """Force over depth while sliding, by two weights."""
    h, k, tau = 1e-3, 1e6, 1e-4
    for speed in (0.5, 2.0):
        z = []
        for gravity in (9.81, 19.62):
            w = cart("sap", speed, h, gravity=gravity, stiffness=k)
            w.set_joint_position("up", expected_height("sap", speed, h, gravity, k))
            w.step(300)
            z.append(height(w))
        run.near(f"sap: stiffness while sliding at {speed:g} m/s, of k", 9.81 * MASS / (z[0] - z[1]) / k,
                 1 / (1 + softening(h, k, tau, 0.7)), relative=1e-7, source="SAP V-A: k/(1 + μ̃²)")


def frequency(run: Run) -> None:
    """Small vertical oscillations while sliding, of those at rest."""
    k, d, mu, speed = 1e5, 0.2, 0.7, 10.0
    for model in ("lagged", "similar"):
        periods = []
        for v in (0.0, speed):
            stiffer = 1 + mu * d * v if model == "similar" else 1.0
            period = 2 * math.pi * math.sqrt(MASS / (k * stiffer))
            h = period / 1000
            w = cart(model, v, h, stiffness=k, dissipation=d)
            rest = expected_height(model, v, h, k=k, d=d)
            w.set_joint_position("up", rest + 1e-5)
            motion = sample(w, 5200, z=height)
            at = crossings(motion["time"], motion["z"] - rest)
            periods.append(2 * (at[-1] - at[0]) / (len(at) - 1))
        run.near(f"{model}: frequency while sliding at 10 m/s, of that at rest, d = 0.2 s/m", periods[0] / periods[1],
                 math.sqrt(1 + mu * d * speed) if model == "similar" else 1.0, relative=0.01,
                 source="ICFT table I: k (1 + μ d V), or k")


def transition(run: Run) -> None:
    """Friction over slip, by pushes from 5 % of what friction can bear to nearly all."""
    h, mu = 1e-3, 1.0
    shares = [0.05, 0.2, 0.4, 0.6, 1 / math.sqrt(2), 0.8, 0.9, 0.95]
    slips: dict[str, list[float]] = {model: [] for model in MODELS}
    for model in MODELS:
        scene = abut.Scene()
        scene.add_ground()
        slides = [abut.SceneJoint("slide", axis, axis=direction)
                  for axis, direction in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)))]
        scene.add_body("ball", abut.Shape.sphere(RADIUS), position=[0, 0, RADIUS], mass=MASS, joints=slides)
        for share in shares:
            w = abut.World(scene, model=model, time_step=h, stiffness=1e6, dissipation=500, friction=mu,
                           tolerance=1e-14, stiction_tolerance=SLIP_TOLERANCE, sigma=SIGMA)
            w.set_load("ball", [share * mu * MASS * GRAVITY, 0, 0])
            w.step(1000)
            slips[model].append(float(w.joint_velocity("x")))
    half = 1 / math.sqrt(2)
    w_m = 1 / math.sqrt(3)
    for model in ("lagged", "similar"):
        run.near(f"{model}: slip at 1/√2 of the friction limit", slips[model][shares.index(half)], SLIP_TOLERANCE,
                 relative=1e-6, unit="m/s", source="soft norm: f(1) = 1/√2 at ‖v_t‖ = v_s")
        worst = max(abs(v / (SLIP_TOLERANCE * s / math.sqrt(1 - s * s)) - 1) for s, v in zip(shares, slips[model]))
        run.at_most(f"{model}: worst error of the slip, pushes of 5 % to 95 %", worst, 1e-6,
                    source="soft norm: v_s s/√(1 − s²), relative")
    limit = SIGMA * w_m * mu * GRAVITY * h  # m/s: where SAP's friction saturates
    worst = max(abs(v / (s * limit) - 1) for s, v in zip(shares, slips["sap"]))
    run.at_most("sap: worst error of the slip, relative", worst, 1e-6, source="ICFT 42: s σ w μ γ_n")
    run.table("transition", "slip under a push", {"push over the friction limit [-]": shares}
              | {f"{m} [m/s]": slips[m] for m in MODELS})
    with run.figure("transition", "Friction over slip, steps of 1 ms. Lines: closed forms.",
                    "(42) and table I: SAP's transition is at σ w μ γ_n, falls with the step, and is sharp; that of Lagged "
                    "and Similar is v_s.") as axes:
        v = np.geomspace(1e-8, 1e-3, 200)
        axes.semilogx(v, v / np.hypot(v, SLIP_TOLERANCE), color="0.6", linestyle="-")
        axes.semilogx(v, np.minimum(v / limit, 1), color="0.6", linestyle="-")
        for model, marker in zip(MODELS, "o+x"):
            axes.semilogx(slips[model], shares, linestyle="none", marker=marker, label=model)
        axes.set_xlabel("slip [m/s]")
        axes.set_ylabel("friction over μ times normal force [-]")
        axes.legend()
