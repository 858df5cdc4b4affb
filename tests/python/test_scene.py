"""Scenes: loading, looking, building."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import abut

URDF = """<robot name="box"><link name="base">
  <inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""


def test_each_format_loads_by_its_suffix(examples: Path):
    assert abut.load(examples / "clutter40.xml").bodies[0].kind == "free"
    assert abut.load(str(examples / "dominoes.toml")).simulation.duration == 2.5
    assert abut.load_scene_text(URDF, "box.urdf").body("base").mass == 3
    toml = 'abut = 1\n[world]\nground = true\n[simulation]\nmodel = "lagged"\n'
    scene = abut.load_scene_text(toml, "a.toml")
    assert (scene.geoms[0].name, scene.simulation.model) == ("ground", "lagged")
    assert abut.World(scene).model == "lagged"
    assert abut.World(scene, model="similar").model == "similar"


def test_wrong_files_are_one_clear_error(tmp_path: Path):
    with pytest.raises(abut.FileError, match="nowhere.xml.*No such file"):
        abut.load(tmp_path / "nowhere.xml")
    with pytest.raises(OSError):
        abut.load(tmp_path)
    with pytest.raises(abut.InputError, match=r"a.toml:2: .*gravty"):
        abut.load_scene_text("abut = 1\nworld = {gravty = [0, 0, 1]}", "a.toml")
    with pytest.raises(ValueError, match="base 'flying' is not known"):
        abut.load(tmp_path / "a.urdf", base="flying")


def test_parts_are_found_by_name_and_slips_are_named(pendulum: abut.Scene):
    assert [b.name for b in pendulum.bodies] == ["rod", "tip"]
    assert pendulum.body("tip").parent == "rod"
    assert pendulum.geom("bob").body == "rod"
    assert pendulum.joint("wrist").kind == "slide"
    assert (pendulum.joint("wrist").lower, pendulum.joint("wrist").upper) == (-0.1, 0.1)
    assert pendulum.actuator("reach").gain[0] == 100
    assert pendulum.keyframes == ["up"]
    with pytest.raises(abut.InputError, match="no joint 'wirst' in the scene, did you mean 'wrist'"):
        pendulum.joint("wirst")
    with pytest.raises(abut.InputError, match="body 7: the scene has 2 bodies"):
        pendulum.body(7)


def test_a_surface_that_moves_takes_a_box_along():
    scene = abut.Scene()
    ground = scene.add_ground()
    ground.surface_velocity = [1, 0, 0]
    assert (list(ground.surface_velocity), list(ground.surface_angular_velocity)) == ([1, 0, 0], [0, 0, 0])
    scene.add_body("box", abut.Shape.box([0.05] * 3), position=[0, 0, 0.05])
    world = abut.World(scene, model="anchored")
    world.step(round(1.0 / world.time_step))
    assert world.linear_velocities[0, 0] == pytest.approx(1, abs=1e-6)
    assert not world.warnings
    assert list(pickle.loads(pickle.dumps(scene)).geoms[0].surface_velocity) == [1, 0, 0]


def test_friction_of_surfaces_may_depend_on_the_direction_and_on_whether_they_hold():
    scene = abut.Scene()
    ground = scene.add_ground(friction=0.4)
    assert (ground.cross_friction, ground.static_friction, list(ground.friction_axis)) == (None, None, [1, 0, 0])
    ground.cross_friction, ground.friction_axis = 0.2, [0, 1, 0]
    scene.friction_rule = "maximum"
    for k in range(2):  # that slide along the axis, and across it
        scene.add_body(f"box {k}", abut.Shape.box([0.05] * 3), position=[k, 0, 0.05],
                       linear_velocity=[[0, 1, 0], [1, 0, 0]][k], friction=0)
    world = abut.World(scene, model="lagged", time_step=1e-3)
    world.step(100)
    speeds = np.linalg.norm(world.linear_velocities, axis=1)
    np.testing.assert_allclose(speeds, [1 - 0.4 * 0.981, 1 - 0.2 * 0.981], atol=0.01)
    ground.static_friction = 0.6
    with pytest.raises(abut.InputError, match="static_friction and cross_friction exclude each other"):
        abut.World(scene)
    ground.cross_friction = None
    with pytest.raises(abut.InputError, match="static_friction = 0.3, must not be less than friction"):
        ground.static_friction = 0.3
        abut.World(scene)


@pytest.mark.parametrize("law, share", [("log-barrier", 1 / 3), ("ipc-barrier", 0.3530019)])
def test_barriers_keep_a_gap(law: str, share: float):
    scene = abut.Scene()
    scene.add_ground().thickness = 1e-3
    ball = scene.add_body("ball", abut.Shape.sphere(0.1), position=[0, 0, 0.103], mass=1)
    scene.geoms[1].thickness = 2e-3
    world = abut.World(scene, model="lagged", law=law, stiffness=2 * 9.81 / 3e-3, time_step=1e-3)
    world.step(5000)
    assert ball.name == "ball" and not world.warnings
    used = 1 - (world.positions[0, 2] - 0.1) / 3e-3
    assert used == pytest.approx(share, rel=1e-3)  # B(s) = 1/2
    assert world.contacts["gap"][0] == pytest.approx((1 - used) * 3e-3, rel=1e-6)
    thick = abut.World(scene, model="lagged", law=law, stiffness=2 * 9.81 / 6e-3, thickness=6e-3, time_step=1e-3)
    thick.step(5000)
    assert thick.positions[0, 2] - 0.1 == pytest.approx((1 - share) * 6e-3, rel=1e-3)


def test_parts_stay_valid_while_the_scene_grows():
    scene = abut.Scene()
    first = scene.add_body("a", abut.Shape.sphere(1))
    for i in range(100):
        scene.add_body(f"b{i}", abut.Shape.sphere(1), position=[3 * i + 3, 0, 0])
    first.mass = 7
    assert scene.body("a").mass == 7
    del scene
    assert first.name == "a"  # it keeps the scene alive


def test_changes_reach_the_world_and_copies_cannot_be_written(pendulum: abut.Scene):
    body = pendulum.body("rod")
    body.position = (1, 2, 3)
    with pytest.raises(ValueError, match="read-only"):
        body.position[0] = 9
    pendulum.joint("wrist").limited = False
    world = abut.World(pendulum)
    np.testing.assert_array_equal(world.positions[0], [1, 2, 3])
    body.position = (0, 0, 0)
    np.testing.assert_array_equal(world.positions[0], [1, 2, 3])
    np.testing.assert_array_equal(world.scene.body("rod").position, [1, 2, 3])


def test_the_scene_of_a_world_cannot_be_changed(pendulum: abut.Scene):
    world = abut.World(pendulum)
    scene = world.scene
    before = pickle.dumps(scene)
    changes = [
        lambda: setattr(scene, "gravity", [0, 0, -1]), lambda: setattr(scene, "time_step", 1e-3),
        lambda: setattr(scene, "file", "x"), lambda: setattr(scene, "friction_rule", "maximum"),
        lambda: setattr(scene.body("rod"), "mass", 3), lambda: setattr(scene.body("rod"), "position", [0, 0, 0]),
        lambda: setattr(scene.body("rod"), "orientation", [1, 0, 0, 0]),
        lambda: setattr(scene.body("rod"), "inertia", np.eye(3)),
        lambda: setattr(scene.geom("bob"), "friction", 0.1), lambda: setattr(scene.geom("bob"), "name", "b"),
        lambda: setattr(scene.geom("bob"), "shape", abut.Shape.sphere(1)),
        lambda: setattr(scene.geom("bob"), "position", [0, 0, 0]),
        lambda: setattr(scene.geom("bob"), "orientation", [1, 0, 0, 0]),
        lambda: setattr(scene.joint("wrist"), "lower", -1), lambda: setattr(scene.actuator("twist"), "name", "t"),
        scene.add_ground, lambda: scene.add_body("b", abut.Shape.sphere(1)),
        lambda: scene.add_actuator("a", "pivot"), lambda: scene.exclude("rod", "tip"),
        lambda: scene.append(pendulum, "b/")]
    for change in changes:
        with pytest.raises(AttributeError, match=r"scene = world.scene.copy\(\), and make a World of that"):
            change()
    assert pickle.dumps(scene) == before
    for copied in (scene.copy(), copy.copy(scene), copy.deepcopy(scene), pickle.loads(before)):
        copied.gravity = [0, 0, -1]
        assert abut.World(copied).scene.gravity[2] == -1
    assert world.scene.gravity[2] == -9.81
    assert abut.World(scene).scene is world.clone().scene is scene  # as nobody changes it


SCENES = ["clutter40.xml", "dominoes.toml", "gripper.toml", "quadruped.xml", "trot.toml", "incline.toml"]


@pytest.mark.parametrize("name", SCENES)
def test_pickled_scenes_move_with_the_same_bits(examples: Path, name: str):
    scene = abut.load(examples / name)
    data = pickle.dumps(scene)
    other = pickle.loads(data)
    assert pickle.dumps(other) == data
    assert repr(other) == repr(scene) and other.notices == scene.notices
    worlds = abut.World(scene), abut.World(other)
    for world in worlds:
        world.step(100)
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_pickled_scenes_hold_meshes_and_height_fields(tmp_path: Path):
    (tmp_path / "rock.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.3 0.3 1\nv 0.9 0.8 0.4\nf 1 3 2\nf 1 2 4\nf 2 3 5\n")
    text = f"""<mujoco><compiler meshdir="{tmp_path}"/><asset>
      <hfield name="hills" nrow="3" ncol="3" size="3 3 0.3 0.1" elevation="0 1 0 1 0 1 0 1 0"/>
      <mesh name="rock" file="rock.obj" scale="0.3 0.3 0.3"/></asset><worldbody>
      <geom type="hfield" hfield="hills"/>
      <body pos="0.1 0 0.6"><freejoint/><geom type="mesh" mesh="rock"/></body>
      <body pos="0.1 0.1 1.1"><freejoint/><geom type="mesh" mesh="rock"/></body></worldbody></mujoco>"""
    scene = abut.load_scene_text(text, str(tmp_path / "scene.xml"))
    (tmp_path / "rock.obj").unlink()
    worlds = abut.World(scene), abut.World(pickle.loads(pickle.dumps(scene)))
    for world in worlds:
        world.step(400)
    assert worlds[0].report.contacts > 3
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_damaged_pickles_are_refused(pendulum: abut.Scene):
    state = pendulum.__getstate__()
    for damaged in (state[:-1], b"", state[:60] + b"x" + state[61:], abut.World(pendulum).snapshot().__getstate__()):
        with pytest.raises(abut.InputError, match="scene"):
            abut.Scene.__new__(abut.Scene).__setstate__(damaged)


def test_masses_are_those_of_the_shapes():
    scene = abut.Scene()
    box = scene.add_body("box", abut.Shape.box([1, 0.5, 0.25]), density=100)
    assert box.mass == pytest.approx(100)
    assert np.diag(box.inertia) == pytest.approx(
        [100 / 3 * (0.25 + 0.0625), 100 / 3 * (1 + 0.0625), 100 / 3 * (1 + 0.25)])
    ball = scene.add_body("ball", abut.Shape.sphere(0.5), mass=3)
    assert np.diag(ball.inertia) == pytest.approx([0.3] * 3)
    point = scene.add_body("point", mass=1, inertia=[1, 2, 2.5], center_of_mass=[0, 0, 1])
    assert point.inertia[2, 2] == 2.5 and point.center_of_mass[2] == 1
    assert scene.geoms[0].body == "box"
    hull = scene.add_body("hull", abut.Shape.hull(np.array(np.meshgrid(*[[-1, 1]] * 3)).T.reshape(-1, 3)))
    assert hull.mass == pytest.approx(8000)
    mass, center, inertia = abut.Shape.cylinder(0.1, 0.5).mass_properties(1000)
    assert (mass, inertia[2, 2]) == pytest.approx((np.pi * 10, np.pi * 10 * 0.005))


@pytest.mark.parametrize(("arguments", "message"), [
    ({"shape": abut.Shape.sphere(1), "mass": 1, "density": 1}, "both mass and density"),
    ({"shape": abut.Shape.sphere(-1)}, "radius = -1 m"),
    ({}, "no shape with a volume"),
    ({"shape": abut.Shape.plane()}, "no shape with a volume"),
    ({"shape": abut.Shape.sphere(1), "position": [0, 0]}, "position has 2 numbers, must have 3"),
    ({"shape": abut.Shape.sphere(1), "orientation": [2, 0, 0, 0]}, "norm of orientation = 2"),
    ({"shape": abut.Shape.sphere(1), "position": [0, 0, np.nan]}, r"position\[2\] = nan"),
    ({"shape": abut.Shape.sphere(1), "parent": "x"}, "needs joints"),
    ({"mass": -1, "inertia": [1, 1, 1]}, "mass = -1 kg"),
    ({"inertia": [1, 1, 1]}, "inertia needs mass"),
])
def test_wrong_bodies_are_refused(arguments: dict, message: str):
    with pytest.raises(abut.InputError, match=message):
        abut.Scene().add_body("x", **arguments)


def test_a_mechanism_built_in_code_moves_as_the_same_of_a_file(pendulum: abut.Scene):
    scene = abut.Scene()
    scene.time_step = 1e-3
    scene.add_body("rod", position=[0, 0, 1], mass=1, inertia=[1e-3] * 3,
                   center_of_mass=[0, 0, -0.5],
                   joints=[abut.SceneJoint("hinge", "pivot", axis=[0, 1, 0])])
    scene.add_body("tip", position=[0, 0, -0.5], mass=0.2, inertia=[3.2e-5] * 3, parent="rod",
                   joints=[abut.SceneJoint("slide", "wrist", axis=[0, 0, 1], range=[-0.1, 0.1])])
    scene.add_actuator("twist", "pivot", control_range=[-2, 3])
    scene.add_actuator("reach", "wrist", gain=[100, 0, 0], bias=[0, -100, 0])
    worlds = abut.World(pendulum), abut.World(scene)
    for world in worlds:
        world.set_joint_position("pivot", 1)
        world.controls = [0.5, 0.01]
        world.step(300)
    assert abs(worlds[0].joint_position("pivot") - 1) > 0.1
    assert worlds[1].joint_position("pivot") == pytest.approx(worlds[0].joint_position("pivot"), rel=1e-3)


def test_a_motor_becomes_a_servo(pendulum: abut.Scene):
    motor = pendulum.actuator("twist")
    motor.gain, motor.bias = [1e3, 0, 0], [0, -1e3, -50]
    motor.control_limited = False
    world = abut.World(pendulum)
    world.set_control("twist", 0.7)
    world.step(3000)
    assert world.joint_position("pivot") == pytest.approx(0.7, abs=0.01)
    with pytest.raises(abut.InputError, match="gain has 2 numbers, must have 3"):
        motor.gain = [1, 2]


def test_a_robots_motor_becomes_a_servo_without_its_limit_of_speed():
    joint = '<joint name="j" type="continuous"><parent link="world"/><child link="base"/><axis xyz="0 1 0"/>' \
            '<limit effort="40" velocity="3"/></joint><link name="world"/>'
    scene = abut.load_scene_text(URDF.replace('<link name="base">', joint + '<link name="base">'), "robot.urdf")
    motor = scene.actuator("j")
    assert (motor.velocity_limit, motor.upper_force, motor.control_limited) == (3, 40, True)
    motor.gain, motor.bias = [200, 0, 0], [0, -200, -20]
    with pytest.raises(abut.InputError, match="velocity_limit = 3, must not be given"):
        abut.World(scene)
    motor.velocity_limit = np.inf
    world = abut.World(scene)
    world.controls = [0.5]
    world.step(2000)
    assert world.joint_position("j") == pytest.approx(0.5, abs=1e-3)


def test_scenes_are_put_together_with_prefixes(pendulum: abut.Scene):
    scene = abut.Scene()
    scene.append(pendulum, "left/", position=[-1, 0, 0])
    scene.append(pendulum, "right/", position=[1, 0, 0])
    world = abut.World(scene)
    assert world.joints == ["left/pivot", "left/wrist", "right/pivot", "right/wrist"]
    with pytest.raises(abut.InputError, match="left/rod"):
        scene.append(pendulum, "left/")
