#!/usr/bin/env python3
"""Steps a scene with MuJoCo and prints what it cost as one line of JSON:
    mujoco_step.py SCENE DT DURATION [AFTER [CONTROL]] [--solver cg]

Newton's solver, or conjugate gradients, with elliptic cones; softness, tolerance and everything
else as MuJoCo has them. It starts from the scene's first keyframe if there is one, and first steps
AFTER seconds that do not count. CONTROL, from 0 to 1, is the place of all controls between their
limits. DT of 0 takes the file's own step, cones and integrator, but Euler's where it has that of
Runge and Kutta, which takes four times as long; and goes the same way again and again for 0.2 s, of
which the median counts.
SCENE is an MJCF file, or a scene file (.toml) of one such model, with DT given and without AFTER,
whose controllers set controls by sines and tables: here every 10 ms, as Python takes its time.
"""

import argparse
import json
import pathlib
import statistics
import time
import tomllib

import mujoco
import numpy

CONTROL_INTERVAL = 0.01  # [s]


def read_scene(path):
    """The model's file, and what else a scene file says."""
    path = pathlib.Path(path)
    if path.suffix != ".toml":
        return path, {}
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    [model] = content["model"]
    return path.parent / model["file"], content


def channels(folder, controller):
    """(actuator's name, control as a function of time) of each channel."""
    assert controller["type"] == "control"
    if "sine" in controller:
        sine = controller["sine"]
        turn, phase, offset = 2 * numpy.pi * sine["frequency"], sine["phase"], sine.get("offset", 0)
        wave = lambda t: offset + sine["amplitude"] * numpy.sin(turn * t + phase)
        return [(name, wave) for name in sine["names"]]
    with open(folder / controller["trajectory"], encoding="utf-8") as f:
        names = f.readline().strip().split(",")
        knots = numpy.loadtxt(f, delimiter=",", ndmin=2).T
    return [(name, lambda t, values=values: numpy.interp(t, knots[0], values))
            for name, values in zip(names[1:], knots[1:])]


def control_table(model, folder, controllers, duration):
    """Controls in a row per interval; None without controllers."""
    if not controllers:
        return None
    for time in (CONTROL_INTERVAL / model.opt.timestep, duration / CONTROL_INTERVAL):
        assert abs(time - round(time)) < 1e-9
    times = CONTROL_INTERVAL * numpy.arange(round(duration / CONTROL_INTERVAL))
    table = numpy.zeros((len(times), model.nu))
    for controller in controllers:
        for name, signal in channels(folder, controller):
            table[:, model.actuator(name).id] = signal(times)
    return table


def step(model, data, steps, table):
    if table is None:
        return mujoco.mj_step(model, data, nstep=steps)
    count = round(CONTROL_INTERVAL / model.opt.timestep)
    for row in table:
        data.ctrl[:] = row
        mujoco.mj_step(model, data, nstep=count)


def load(path, dt, solver):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.solver = {"newton": mujoco.mjtSolver.mjSOL_NEWTON,
                        "cg": mujoco.mjtSolver.mjSOL_CG}[solver]
    if dt > 0:
        model.opt.timestep = dt
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    elif model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    return model


def start_of(model, after, control):
    data = mujoco.MjData(model)
    if model.nkey > 0:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    if control is not None:
        limited, limits = model.actuator_ctrllimited == 1, model.actuator_ctrlrange
        data.ctrl[limited] = (limits[:, 0] + control * (limits[:, 1] - limits[:, 0]))[limited]
    if after > 0:
        mujoco.mj_step(model, data, nstep=round(after / model.opt.timestep))
    return data


def main(path, dt, duration, after, control, solver):
    file, scene = read_scene(path)
    assert not scene or (dt > 0 and after == 0)
    model = load(str(file), dt, solver)
    model.opt.gravity = scene.get("world", {}).get("gravity", model.opt.gravity)
    start = start_of(model, after, control)
    table = control_table(model, file.parent, scene.get("controller", []), duration)
    steps = round(duration / model.opt.timestep)
    data, runs = mujoco.MjData(model), []
    while not runs or (dt == 0 and (len(runs) < 3 or sum(runs) < 0.2)):
        mujoco.mj_copyData(data, model, start)
        began = time.perf_counter()
        step(model, data, steps, table)
        runs.append(time.perf_counter() - began)
    print(json.dumps({"us_per_step": 1e6 * statistics.median(runs) / steps, "contacts": data.ncon,
                      "nv": model.nv, "meshes": model.nmesh, "version": mujoco.__version__}))


parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("scene")
parser.add_argument("dt", type=float)
parser.add_argument("duration", type=float)
parser.add_argument("after", type=float, nargs="?", default=0)
parser.add_argument("control", type=float, nargs="?")
parser.add_argument("--solver", choices=["newton", "cg"], default="newton")
main(*vars(parser.parse_args()).values())
