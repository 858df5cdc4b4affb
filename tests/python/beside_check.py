"""Not a test of pytest: abut in one process with pin, mujoco and drake (tools/wheel.sh)."""

import mujoco
import numpy as np
import pinocchio
import pydrake.multibody.plant
import pydrake.multibody.tree

import abut

MODEL = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body></worldbody></mujoco>"""


def steps_all() -> None:
    world = abut.World(abut.load_scene_text(MODEL))
    world.step(500)
    np.testing.assert_allclose(world.positions[0, 2], 0.3, atol=1e-3)

    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=500)
    np.testing.assert_allclose(data.qpos[2], 0.3, atol=1e-2)

    free = pinocchio.Model()
    free.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "base")
    free.appendBodyToJoint(1, pinocchio.Inertia.Random(), pinocchio.SE3.Identity())
    inertia = pinocchio.crba(free, free.createData(), pinocchio.neutral(free))
    assert np.all(np.linalg.eigvalsh(np.triu(inertia) + np.triu(inertia, 1).T) > 0)

    plant = pydrake.multibody.plant.MultibodyPlant(1e-3)
    plant.AddRigidBody("b", pydrake.multibody.tree.SpatialInertia.SolidBoxWithMass(1, 1, 1, 1))
    plant.Finalize()
    assert plant.num_positions() == 7


if __name__ == "__main__":
    steps_all()
    steps_all()
    print("abut, mujoco, pinocchio and drake: fine in one process")
