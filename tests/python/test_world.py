"""Worlds: stepping, states, forces."""

import copy
import gc
import math
import pickle
import re
import weakref
from pathlib import Path

import numpy as np
import pytest

import abut


def test_free_fall_is_the_closed_form_of_symplectic_euler(falling: abut.World):
    n, h, g = 250, falling.time_step, np.array([0, 0, -9.81])
    falling.step(n)
    state = falling.body_state("stone")
    np.testing.assert_allclose(state.linear_velocity, [1, 2, 3] + n * h * g, rtol=1e-13)
    np.testing.assert_allclose(
        state.position, [0, 0, 100] + n * h * np.array([1, 2, 3]) + h * h * g * n * (n + 1) / 2,
        rtol=1e-12)
    angle = 2 * n * h
    np.testing.assert_allclose(state.orientation, [np.cos(angle / 2), 0, 0, np.sin(angle / 2)],
                               atol=1e-12)
    assert falling.time == pytest.approx(n * h)
    assert falling.steps == n


def test_a_step_is_at_least_one(ball: abut.World):
    assert isinstance(ball.step(callback=lambda w: w.restore(w.snapshot())), abut.StepReport)
    for n in (0, -1):
        with pytest.raises(abut.InputError, match=f"n = {n} steps, must be at least 1"):
            ball.step(n)


def test_pair_forces_carry_the_weight_and_rub_against_the_motion(ball: abut.World):
    ball.step(500)
    weight = 2 * 9.81
    force = ball.pair_force("world", "ball")
    np.testing.assert_allclose(force.normal_force, [0, 0, weight], rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(force.force, force.normal_force + force.friction_force)
    np.testing.assert_array_equal(ball.pair_force("ball", "ground").force, -force.force)
    assert force.contacts == 1
    ball.set_body_state("ball", linear_velocity=[1, 0, 0])
    ball.step()
    sliding = ball.pair_force("ground", "ball")
    mu = 2 * 0.4 * 0.5 / (0.4 + 0.5)  # of the ground and a surface of which nothing is said
    assert ball.contacts["friction"][0] == pytest.approx(mu)
    assert sliding.friction_force[0] == pytest.approx(-mu * sliding.normal_force[2], rel=1e-2)
    assert sliding.normal_force[0] == 0
    with pytest.raises(abut.InputError, match="no body or geom 'bal'"):
        ball.pair_force("world", "bal")


def test_contacts_of_a_heap_bear_its_weight_and_change_its_momentum(examples: Path):
    world = abut.World(abut.load(examples / "clutter40.xml"))
    assert len(world.contacts) == 0
    masses = [b.mass for b in world.scene.bodies]

    def momentum() -> np.ndarray:
        return sum(m * np.asarray(world.body_state(i).linear_velocity) for i, m in enumerate(masses))

    world.step(1999)
    before = momentum()
    world.step()
    contacts = world.contacts
    assert len(contacts) == world.report.contacts > 40
    on_world = contacts[contacts["body_a"] == -1]
    force = (on_world["normal_force"][:, None] * on_world["normal"] + on_world["friction_force"]).sum(0)
    weight = sum(masses) * 9.81
    expected = (momentum() - before) / world.time_step + [0, 0, weight]
    np.testing.assert_allclose(force, expected, atol=1e-5 * weight)
    normals = np.linalg.norm(contacts["normal"], axis=1)
    np.testing.assert_allclose(normals, 1, rtol=1e-12)
    np.testing.assert_allclose(
        np.einsum("ij,ij->i", contacts["friction_force"], contacts["normal"]), 0, atol=1e-9)
    assert len(set(contacts["id"])) == len(contacts)


def test_an_overlap_has_its_true_gap_and_its_allowance(tmp_path: Path):
    scene = abut.Scene()
    scene.add_ground()
    for name, x in (("left", 0), ("right", 0.15)):  # edges of 0.2 m
        scene.add_body(name, abut.Shape.box([0.1, 0.1, 0.1]), position=[x, 0, 5], mass=1)
    scene.add_body("ball", abut.Shape.sphere(0.1), position=[3, 0, 0.1], mass=1)
    world = abut.World(scene)
    with abut.RecordingWriter(tmp_path / "r.bin", world, frame_rate=0) as recording:
        for _ in range(10):
            overlap = 0.2 - (world.positions[1, 0] - world.positions[0, 0])
            world.step(recording=recording)
            contacts = world.contacts
            boxes = contacts["body_a"] == scene.body("left").index
            assert (boxes.sum(), len(contacts)) == (4, 5)
            np.testing.assert_allclose(contacts["gap"][boxes], -overlap, atol=1e-12, rtol=0)
            assert np.all(contacts["allowance"][boxes] > 0.04)
            assert contacts["allowance"][~boxes] == 0
            np.testing.assert_array_equal(
                contacts["gap"] + contacts["allowance"], world.problem.gaps)
    recorded = abut.open_recording(tmp_path / "r.bin").contacts_at(-1)
    for name in ("gap", "allowance"):
        np.testing.assert_array_equal(recorded[name], contacts[name])


def test_reports_print_what_counts(ball: abut.World):
    report = ball.step(10)
    assert re.fullmatch(r"StepReport\(status='converged', iterations=\d+, step_error=\S+, contacts=1, "
                        r"penetration=\S+\)", repr(report))
    assert repr(report.solve).startswith("SolveReport(status='converged', iterations=")
    assert re.fullmatch(r"PairForce\(force=\[\S+, \S+, 19\.\d+\] N, contacts=1\)",
                        repr(ball.pair_force("ground", "ball")))


def test_everything_prints_what_it_is(ball: abut.World, pendulum: abut.Scene):
    ball.step(2)
    state = ball.body_state("ball")
    assert repr(state).startswith("BodyState(position=[0, 0, 0.")
    assert "orientation=[1, 0, 0, 0], linear_velocity=[0, 0, " in repr(state)
    arm = abut.World(pendulum)
    arm.set_control("twist", 2.5)
    arm.step()
    assert re.fullmatch(r"ActuatorState\(length=\S+, velocity=\S+, force=2.5, activation=0\)",
                        repr(arm.actuator_state("twist")))
    assert repr(ball.problem) == ("ContactProblem(sap, time_step=0.002, 1 trees of 6 dofs, 1 contacts, "
                                  "0 scalar constraints)")
    assert repr(ball.solution).startswith("Solution(status='converged', 6 dofs, 1 contacts, step_error=")
    assert repr(abut.HessianFactor(ball.problem, ball.solution)) == "HessianFactor(6 dofs)"
    assert repr(abut.Shape.capsule(0.1, 0.25)) == "Shape(capsule, radius=0.1, half_length=0.25)"
    for name in abut.__all__:
        value = getattr(abut, name)
        if isinstance(value, type) and not issubclass(value, (Exception, abut.RecordingWriter)):
            assert value.__repr__ is not object.__repr__, name


def test_every_step_says_how_accurate_it_was(ball: abut.World):
    assert ball.report is None
    report = ball.step(10)
    assert report.status == "converged" and report.solve.converged
    certificate = report.certificate
    assert 0 <= certificate.momentum_error <= 1e-6
    assert certificate.ncp_primal >= 0 and certificate.ncp_dual >= 0
    assert ball.report.contacts == report.contacts == 1


@pytest.mark.parametrize("settings", [{"model": "sap"}, {"model": "ncp"},
                                      {"model": "ncp", "scheme": "accelerations"},
                                      {"model": "sap", "accuracy": 1e-3}])
def test_a_step_is_timed_where_that_is_asked_for(ball: abut.World,
                                                 settings: dict[str, str | float]):
    report = abut.World(ball.scene, timed=True, **settings).step(10)
    stages = (report.time.contact_query, report.time.problem, report.time.solve, report.time.rest)
    assert all(t > 0 for t in stages) and report.time.total == pytest.approx(sum(stages))
    assert report.solve.seconds > 0
    report = abut.World(ball.scene, **settings).step(10)
    assert math.isnan(report.time.total) and math.isnan(report.solve.seconds)


def test_a_pickled_snapshot_goes_on_with_the_same_bits(examples: Path):
    world = abut.World(abut.load(examples / "clutter40.xml"), model="lagged")
    world.step(400)
    snapshot = pickle.loads(pickle.dumps(world.snapshot()))
    assert snapshot == world.snapshot()
    world.step(200)
    expected = world.state_hash()
    other = abut.World(abut.load(examples / "clutter40.xml"), model="lagged", threads=2)
    other.restore(snapshot)
    assert other.time == pytest.approx(0.8)
    assert other.report is None and len(other.contacts) == 0  # not of the step that led here
    other.step(200)
    assert other.state_hash() == expected


def test_a_pickled_snapshot_knows_what_began_beyond_its_limit():
    # what does comes back slowly: the bytes must hold how much of it is left
    text = """<mujoco><option timestep="0.002"/><worldbody><body><joint name="j" axis="0 1 0" limited="true"
        range="-30 30"/><geom size="0.1" pos="1 0 0"/></body></worldbody></mujoco>"""
    world = abut.World(abut.load_scene_text(text))
    world.set_joint_position("j", 1.0)  # by 27 degrees
    world.step(100)
    snapshot = pickle.loads(pickle.dumps(world.snapshot()))
    world.step(100)
    other = abut.World(abut.load_scene_text(text))
    other.restore(snapshot)
    other.step(100)
    assert other.state_hash() == world.state_hash()


HELD = """<mujoco><option timestep="0.001"/><worldbody>
  <body name="arm"><joint name="elbow" axis="0 1 0" limited="true" range="-30 30"/>
    <geom size="0.1" pos="1 0 0" mass="1"/></body>
  <body name="other" pos="0 1 0"><joint name="knee" axis="0 1 0"/><geom size="0.1" pos="1 0 0" mass="1"/></body>
</worldbody>
<equality><joint name="{name}" joint1="elbow" joint2="knee" polycoef="{offset} 1 0 0 0"/></equality></mujoco>"""


def test_reports_say_which_constraint_is_off_and_by_how_much():
    world = abut.World(abut.load_scene_text(HELD.format(name="gears", offset=0.4)))
    assert world.violations == []
    world.set_joint_position("elbow", 0.7)  # the limit is 0.5236
    report = world.step()
    assert (report.limit.kind, report.limit.name, report.limit.index) == ("joint_limit", "elbow", 0)
    assert report.limit.size == pytest.approx(0.7 - np.pi / 6) and report.limit.is_angle
    assert (report.equality.kind, report.equality.name) == ("equality", "gears")
    assert report.equality.size == pytest.approx(0.3)
    assert not report.equality.is_unmet
    assert {v.name for v in world.violations} == {"gears", "elbow"}
    assert repr(report.equality) == "Violation(equality 'gears', size=0.3 rad)"
    world.step(5000)
    assert world.report.limit.size < 1e-3
    world.restore(world.snapshot())
    assert world.violations == []
    free = abut.World(abut.Scene()).step()
    assert (free.limit.size, free.limit.index, free.limit.name) == (0, -1, "")
    assert repr(free.limit) == "Violation(none, size=0 m)"


def test_what_cannot_be_met_is_said():
    text = HELD.format(name="gears", offset=0).replace(
        "</equality>", '<joint name="lock" joint1="elbow" polycoef="0.1 0 0 0 0"/>'
        '<joint name="lock too" joint1="elbow" polycoef="-0.1 0 0 0 0"/></equality>')
    world = abut.World(abut.load_scene_text(text))
    report = world.step(4000)
    unmet = [v for v in world.violations if v.is_unmet]
    assert {v.name for v in unmet} & {"lock", "lock too"}
    assert report.equality.is_unmet and report.equality.persists >= 0.5
    assert repr(report.equality).endswith(", unmet)")


def test_damaged_snapshots_are_refused(ball: abut.World):
    ball.step(100)
    state = bytearray(ball.snapshot().__getstate__())
    for damage in (lambda b: b[:-1], lambda b: b[:20], lambda b: b"", lambda b: b[:50] + b"x" + b[51:]):
        with pytest.raises(abut.InputError, match="snapshot"):
            abut.Snapshot.__new__(abut.Snapshot).__setstate__(bytes(damage(bytes(state))))
    empty = abut.World(abut.Scene())
    with pytest.raises(abut.InputError, match="moving bodies"):
        empty.restore(ball.snapshot())


def test_clones_are_independent(ball: abut.World):
    ball.step(20)
    twins = [ball.clone(), copy.copy(ball), copy.deepcopy(ball)]
    ball.set_body_state("ball", position=[0, 0, 5])
    for twin in twins:
        assert twin.positions[0, 2] < 1
        twin.step(5)
    assert len({twin.state_hash() for twin in twins}) == 1
    with pytest.raises(TypeError, match="pickle world.snapshot"):
        pickle.dumps(ball)


def test_arrays_outlive_their_world_and_cannot_be_written(falling: abut.World):
    positions = falling.positions
    with pytest.raises(ValueError, match="read-only"):
        positions[0] = 1
    falling.step()
    del falling
    gc.collect()
    np.testing.assert_array_equal(positions, [[0, 0, 100]])


def test_joints_are_read_and_set_by_name(pendulum: abut.Scene):
    world = abut.World(pendulum)
    world.set_joint_position("wrist", 0.03)
    world.set_joint_velocity("pivot", -2)
    assert (world.joint_position("wrist"), world.joint_velocity("pivot")) == (0.03, -2)
    np.testing.assert_array_equal(world.coordinates, [0, 0.03])
    np.testing.assert_array_equal(world.velocities, [-2, 0])
    assert world.joints == ["pivot", "wrist"]
    world.set_keyframe("up")
    np.testing.assert_array_equal(world.coordinates, [3.1, 0.02])
    assert world.time == 0.5
    assert abut.World(pendulum, keyframe="up").joint_position("pivot") == 3.1
    with pytest.raises(abut.InputError, match="no keyframe 'down'"):
        world.set_keyframe("down")
    with pytest.raises(abut.InputError, match="coordinates has 1 numbers, must have 2"):
        world.set_state([1])


def test_state_of_all_bodies_goes_through_arrays(examples: Path):
    world = abut.World(abut.load(examples / "clutter40.xml"))
    world.step(50)
    other = abut.World(abut.load(examples / "clutter40.xml"))
    other.set_state(world.coordinates, world.velocities)
    np.testing.assert_allclose(other.coordinates, world.coordinates, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(other.velocities, world.velocities)
    assert len(world.velocities) == world.dofs == 240
    np.testing.assert_array_equal(world.positions, world.coordinates.reshape(40, 7)[:, :3])


def test_controls_and_loads_act(pendulum: abut.Scene):
    world = abut.World(pendulum)
    assert world.actuators == ["twist", "reach"]
    world.set_control("twist", 2.5)
    np.testing.assert_array_equal(world.controls, [2.5, 0])
    world.step()
    assert world.actuator_state("twist").force == 2.5
    world.controls = [9, 0]  # beyond the range of its control
    world.step()
    assert world.actuator_state("twist").force == 3
    with pytest.raises(abut.InputError, match="controls has 1 numbers, must have 2"):
        world.controls = [1]
    with pytest.raises(abut.InputError, match=r"controls\[0\] = inf"):
        world.controls = [np.inf, 0]
    loose = abut.Scene()
    loose.gravity = [0, 0, 0]
    loose.add_body("stone", abut.Shape.sphere(1), mass=2)
    world = abut.World(loose)
    world.set_load("stone", [4, 0, 0])
    world.step(100)
    assert world.linear_velocities[0, 0] == pytest.approx(2 * world.time)


CHAIN = """<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom type="box" size=".2 .1 .05" mass="3"/>
  <body pos=".2 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="1"/>
  <body pos=".3 0 0"><joint axis="0 0 1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass=".7"/></body>
  </body></body></worldbody></mujoco>"""


def test_momentum_of_a_floating_mechanism_drifts_in_proportion_to_the_step():
    # docs/decisions/articulated-trees.md has these numbers
    scene = abut.load_scene_text(CHAIN.replace("<geom", '<geom contype="0" conaffinity="0"'))
    masses = np.array([b.mass for b in scene.bodies])
    drifts = []
    for h in (1e-3, 1e-4):
        world = abut.World(scene, time_step=h)
        world.set_state(velocities=[0.3, -0.2, 0.1, 0.5, -0.4, 0.6, 2.0, -1.5])
        before = masses @ world.linear_velocities
        world.step(round(1 / h))
        drifts.append(np.linalg.norm(masses @ world.linear_velocities - before) / np.linalg.norm(before))
    assert drifts == pytest.approx([1.13e-3, 1.13e-4], rel=0.02)


def test_a_spring_of_ones_own_is_explicit_and_a_servo_is_not():
    # docs/faq.md: it explodes where h sqrt(k/m) > 2
    scene = abut.Scene()
    scene.gravity = [0, 0, 0]
    scene.add_body("m", mass=1, inertia=[1, 1, 1], joints=[abut.SceneJoint("slide", "x")])
    scene.add_actuator("spring", "x")
    for stiffness, explodes in ((0.9e6, False), (1.1e6, True)):
        world = abut.World(scene, time_step=2e-3)
        world.set_joint_position("x", 0.01)
        world.add_controller(lambda w, t, k=stiffness: [-k * w.joint_position("x")])
        world.step(200)
        assert (abs(world.joint_position("x")) > 1) == explodes
    scene.add_actuator("servo", "x", gain=(1e9, 0, 0), bias=(0, -1e9, 0))
    world = abut.World(scene, time_step=2e-3)
    world.set_joint_position("x", 0.01)
    world.step(200)
    assert abs(world.joint_position("x")) < 1e-9


def test_controllers_of_scene_files_act_by_themselves(examples: Path):
    world = abut.World(abut.load(examples / "trot.toml"))
    start = world.body_state(0).position[0]
    world.step(1000)
    assert world.scene.controllers == 4
    assert world.body_state(0).position[0] - start > 0.2


@pytest.mark.parametrize(("options", "message"), [
    ({"model": "spa"}, "model 'spa' is not known: must be one of sap, lagged, similar, anchored"),
    ({"law": "hook"}, "law 'hook' is not known"),
    ({"scheme": "euler"}, "scheme 'euler' is not known: must be one of symplectic-euler, implicit-euler, midpoint"),
    ({"solver": "newtom"}, "newtom"),
    ({"time_step": 0}, r"time step = 0 s, must lie in \[1e-9, 1\]"),
    ({"tolerance": 2}, "tolerance = 2, must lie in"),
    ({"threads": 0}, "threads = 0"),
    ({"stiffness": -1}, "stiffness = -1"),
    ({"friction": np.nan}, "friction = nan"),
    ({"lagged_rule": "guess"}, "lagged_rule 'guess' is not known: must be one of fixed_point, state, prediction"),
])
def test_wrong_options_are_refused(options: dict, message: str):
    with pytest.raises(abut.InputError, match=message):
        abut.World(abut.Scene(), **options)


def test_options_reach_the_simulation(examples: Path):
    scene = abut.load(examples / "clutter40.xml")
    hashes = set()
    for options in ({}, {"model": "lagged"}, {"model": "similar"}, {"stiffness": 1e5},
                    {"friction": 0.0}, {"time_step": 1e-3}, {"model": "lagged", "law": "hertz"}):
        world = abut.World(scene, **options)
        world.step(200)
        hashes.add(world.state_hash())
    assert len(hashes) == 7


def test_worlds_in_cycles_are_collected(pendulum: abut.Scene):
    world = abut.World(pendulum)
    world.add_controller(lambda *_: world.controls)  # holds the world, which holds it
    reference = weakref.ref(world)
    del world
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("model", [*abut.convex_models(), "ncp"])
@pytest.mark.parametrize("gravity", [0, 9.81])
@pytest.mark.parametrize("force", [1e2, 1e4, 1e6])
def test_a_box_that_is_pressed_hard_converges(model: str, gravity: float, force: float):
    """Impulses that bear each other far above the certificate's 1 J^(1/2)."""
    for time_step in (1e-3, 1e-2):
        world = abut.World(abut.load_scene_text(f"""
            <mujoco><option gravity="0 0 {-gravity}" timestep="{time_step}"/><worldbody>
            <geom type="box" size=".05 1 1" pos="-.15 0 0"/>
            <body pos=".15 0 0"><joint name="press" type="slide" axis="1 0 0"/>
            <geom type="box" size=".05 .2 .2" mass="2"/></body>
            <body name="box"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
            </worldbody><actuator><motor joint="press"/></actuator></mujoco>"""),
            model=model, stiffness=1e8)
        world.set_control(0, -force)
        iterations = 0
        for _ in range(100):
            report = world.step()
            assert report.status == "converged" and not report.solve.at_round_off
            iterations += report.solve.iterations
        assert iterations < 300
        if force == 1e4:  # 1 MN moves it further than its size in the first step of 10 ms
            assert abs(world.body_state("box").position[2]) < 1e-3


def test_steps_at_once_are_steps_one_by_one(examples):
    """step(2 n) is step(n) twice, bit by bit, under each model."""
    for model in abut.contact_models():
        whole, halves = (abut.World(abut.load(examples / "clutter40.xml"), model=model) for _ in range(2))
        whole.step(60)
        for _ in range(2):
            halves.step(30)
        assert whole.state_hash() == halves.state_hash()
        assert whole.time == halves.time
