"""Scenes that several tests share."""

from pathlib import Path

import pytest

import abut

ROOT = Path(__file__).parents[2]


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples" / "scenes"


@pytest.fixture
def ball() -> abut.World:
    """A ball of 2 kg that rests on the ground after a second."""
    scene = abut.Scene()
    scene.add_ground(friction=0.4)
    scene.add_body("ball", abut.Shape.sphere(0.1), position=[0, 0, 0.1], mass=2)
    return abut.World(scene)


@pytest.fixture
def falling() -> abut.World:
    scene = abut.Scene()
    scene.add_body("stone", abut.Shape.box([0.1, 0.2, 0.3]), position=[0, 0, 100],
                   linear_velocity=[1, 2, 3], angular_velocity=[0, 0, 2])
    return abut.World(scene)


PENDULUM = """<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <body name="rod" pos="0 0 1">
      <joint name="pivot" type="hinge" axis="0 1 0"/>
      <geom name="bob" type="sphere" size="0.05" pos="0 0 -0.5" mass="1"/>
      <body name="tip" pos="0 0 -0.5">
        <joint name="wrist" type="slide" axis="0 0 1" range="-0.1 0.1" limited="true"/>
        <geom type="sphere" size="0.02" mass="0.2"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="twist" joint="pivot" ctrlrange="-2 3" ctrllimited="true"/>
    <position name="reach" joint="wrist" kp="100"/>
  </actuator>
  <keyframe><key name="up" qpos="3.1 0.02" time="0.5"/></keyframe>
</mujoco>"""


@pytest.fixture
def pendulum() -> abut.Scene:
    return abut.load_scene_text(PENDULUM)
