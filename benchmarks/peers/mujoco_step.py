#!/usr/bin/env python3
"""Steps a scene with MuJoCo and prints what it cost as one line of JSON:
    mujoco_step.py SCENE.xml DT DURATION

Newton's solver with elliptic cones; softness, tolerance and everything else as MuJoCo has them. It
starts from the scene's first keyframe if there is one.
"""

import json
import sys
import time

import mujoco


def main(path, dt, duration):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.timestep = dt
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    if model.nkey > 0:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    steps = round(duration / dt)
    start = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps)
    seconds = time.perf_counter() - start
    print(json.dumps({"us_per_step": 1e6 * seconds / steps, "contacts": data.ncon,
                      "version": mujoco.__version__}))


main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
