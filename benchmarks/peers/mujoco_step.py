#!/usr/bin/env python3
"""Steps a scene with MuJoCo and prints what it cost as one line of JSON:
    mujoco_step.py SCENE.xml DT DURATION [AFTER [CONTROL]]

Newton's solver with elliptic cones; softness, tolerance and everything else as MuJoCo has them. It
starts from the scene's first keyframe if there is one, and first steps AFTER seconds that do not
count. CONTROL, from 0 to 1, is the place of all controls between their limits.
"""

import json
import sys
import time

import mujoco


def main(path, dt, duration, after=0, control=None):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.timestep = dt
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    if model.nkey > 0:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    if control is not None:
        limited, limits = model.actuator_ctrllimited == 1, model.actuator_ctrlrange
        data.ctrl[limited] = (limits[:, 0] + control * (limits[:, 1] - limits[:, 0]))[limited]
    if after > 0:
        mujoco.mj_step(model, data, nstep=round(after / dt))
    steps = round(duration / dt)
    start = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps)
    seconds = time.perf_counter() - start
    print(json.dumps({"us_per_step": 1e6 * seconds / steps, "contacts": data.ncon,
                      "version": mujoco.__version__}))


main(sys.argv[1], *map(float, sys.argv[2:]))
