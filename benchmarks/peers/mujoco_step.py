#!/usr/bin/env python3
"""Steps a scene with MuJoCo and prints what it cost as one line of JSON:
    mujoco_step.py SCENE.xml DT DURATION [AFTER [CONTROL]]

Newton's solver with elliptic cones; softness, tolerance and everything else as MuJoCo has them. It
starts from the scene's first keyframe if there is one, and first steps AFTER seconds that do not
count. CONTROL, from 0 to 1, is the place of all controls between their limits. DT of 0 takes the
file's own step, cones and integrator, but Euler's where it has that of Runge and Kutta, which takes
four times as long; and goes the same way again and again for 0.2 s, of which the median counts.
"""

import json
import statistics
import sys
import time

import mujoco


def load(path, dt):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
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


def main(path, dt, duration, after=0, control=None):
    model = load(path, dt)
    start = start_of(model, after, control)
    steps = round(duration / model.opt.timestep)
    data, runs = mujoco.MjData(model), []
    while not runs or (dt == 0 and (len(runs) < 3 or sum(runs) < 0.2)):
        mujoco.mj_copyData(data, model, start)
        began = time.perf_counter()
        mujoco.mj_step(model, data, nstep=steps)
        runs.append(time.perf_counter() - began)
    print(json.dumps({"us_per_step": 1e6 * statistics.median(runs) / steps, "contacts": data.ncon,
                      "nv": model.nv, "meshes": model.nmesh, "version": mujoco.__version__}))


main(sys.argv[1], *map(float, sys.argv[2:]))
