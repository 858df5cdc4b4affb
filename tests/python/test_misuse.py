"""What Python's freedoms can do to a world: threads, half-made objects, wrong shapes and types."""

import copy
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import abut


def stack(count: int = 3) -> abut.Scene:
    scene = abut.Scene()
    scene.add_ground()
    for i in range(count):
        scene.add_body(f"box {i}", abut.Shape.box([0.1, 0.1, 0.1]), position=[0, 0, 0.1 + 0.3 * i])
    return scene


def test_a_world_that_was_not_made_is_an_error():
    class Own(abut.World):
        def __init__(self) -> None:
            pass

    with pytest.raises(TypeError, match="__init__"):
        Own().step()
    with pytest.raises(TypeError):
        copy.copy(type("Sub", (abut.World,), {})(stack()))


@pytest.mark.parametrize(("use", "message"), [
    (lambda w: abut.World("a.xml"), r"World\(\) takes a Scene, not str: abut.World\(abut.load\('a.xml'\)\)"),
    (lambda w: abut.World(Path("a.xml")), r"not pathlib.PosixPath: abut.World\(abut.load\('a.xml'\)\)"),
    (lambda w: abut.World(5), r"World\(\) takes a Scene, not int: abut.World\(abut.load\("),
    (lambda w: abut.Scene("a.xml"), r"takes no arguments: abut.load\(path\) reads a file"),
])
def test_paths_are_no_scenes(ball: abut.World, use, message: str):
    with pytest.raises(TypeError, match=message):
        use(ball)


@pytest.mark.parametrize(("use", "message"), [
    (lambda w: w.reset(), r"a World has no 'reset': take start = world.snapshot\(\) at first, and world.restore\(start\)"),
    (lambda w: w.body("ball"), r"world.body_state\(name\), its description world.scene.body\(name\)"),
    (lambda w: w.qpos, "a World has no 'qpos': world.coordinates"),
    (lambda w: setattr(w, "qpos", [0]), r"world.set_state\(coordinates, velocities\)"),
    (lambda w: w.gravity, "a World has no 'gravity': world.scene.gravity; to change it"),
    (lambda w: w.postions, "a World has no 'postions', did you mean 'positions'?"),
    (lambda w: w.zzz, "a World has no 'zzz'$"),
    (lambda w: setattr(w, "positions", [[0, 0, 1]]), r"a World's positions cannot be assigned: world.set_body_state\("),
    (lambda w: setattr(w, "time_step", 1), r"abut.World\(world.scene, time_step=...\)"),
    (lambda w: w.scene.timestep, "a Scene has no 'timestep': scene.time_step"),
    (lambda w: setattr(abut.Scene(), "gravty", 1), "a Scene has no 'gravty', did you mean 'gravity'?"),
])
def test_names_of_other_simulators_are_explained(ball: abut.World, use, message: str):
    with pytest.raises(AttributeError, match=message):
        use(ball)


@pytest.mark.parametrize(("use", "message"), [
    (lambda s: abut.World(s, modle="lagged"), r"World\(\) has no argument 'modle', did you mean 'model'\?"),
    (lambda s: abut.World(s, mu=0.3), r"World\(\) has no argument 'mu': must be one of scene, model, law, .*, keyframe$"),
    (lambda s: s.add_body("b", abut.Shape.sphere(1), restitution=1), "add_body.* no argument 'restitution': must be one of name, shape, pos"),
])
def test_unknown_options_are_named(use, message: str):
    with pytest.raises(TypeError, match=message):
        use(stack(1))


def test_names_that_there_are_not_are_told_from_those_that_there_are(ball: abut.World, pendulum: abut.Scene):
    with pytest.raises(abut.InputError, match="no body 'torso' in the scene: must be one of rod, tip$"):
        pendulum.body("torso")
    with pytest.raises(abut.InputError, match=r"no body 'torso' in the scene: must be one of box 0, .*, box 9, \.\.\.$"):
        stack(11).body("torso")
    with pytest.raises(abut.InputError, match="no joint 'knee' in the scene$"):
        ball.joint_position("knee")
    with pytest.raises(abut.InputError, match="root element is 'robot'.*; URDF is known by the suffix .urdf"):
        abut.load_scene_text("<robot name='r'/>")


def test_hints_name_what_there_is(ball: abut.World):
    from abut import _hints

    ball.step()
    for hints in (_hints._WORLD, _hints._FIXED, _hints._SCENE):
        for text in hints.values():
            for owner, name in re.findall(r"\b(world|scene|abut)\.([A-Za-z_]+)", text):
                assert hasattr({"world": ball, "scene": ball.scene, "abut": abut}[owner], name), text


def test_classes_of_ones_own_have_attributes(ball: abut.World):
    class Own(abut.World):
        pass

    own = Own(ball.scene)
    own.note = "mine"
    assert own.note == "mine"
    assert not hasattr(ball, "note")
    own.controls = []


DAEMON = """
import threading, time, abut
scene = abut.Scene()
scene.add_ground()
scene.add_body("ball", abut.Shape.sphere(0.1), position=[0, 0, 1])
for _ in range(4):
    world = abut.World(scene)
    threading.Thread(target=lambda w=world: w.step(10**9{callback}), daemon=True).start()
time.sleep(0.2)
print("end", flush=True)
"""
AT_EXIT = """
import atexit
atexit.register(lambda: (world.step(), print("end", flush=True)))
import abut
scene = abut.Scene()
scene.add_ground()
world = abut.World(scene)
"""


@pytest.mark.parametrize("program", [
    DAEMON.format(callback=""), DAEMON.format(callback=", callback=lambda w: time.sleep(0.05)"), AT_EXIT])
def test_the_interpreter_ends_while_threads_step(program: str):
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env=os.environ, timeout=60)
        assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_a_problem_may_change_while_it_is_solved(examples: Path):
    world = abut.World(abut.load(examples / "clutter40.xml"))
    world.step(200)
    problem = world.problem
    answer = abut.solve(problem).impulse
    seen = []

    def solve() -> None:
        for _ in range(20):
            seen.append(abut.solve(problem).impulse[: len(answer)])

    thread = threading.Thread(target=solve)
    thread.start()
    for _ in range(20000):  # bodies that touch nothing change no other's answer
        if not thread.is_alive():
            break
        problem.add_rigid_body(1, [9, 9, 9], np.eye(3), np.zeros(6), np.zeros(6))
    thread.join()
    assert len(seen) == 20
    assert all(np.allclose(impulse, answer, atol=1e-9) for impulse in seen)


def test_a_recording_is_of_one_world_that_goes_on(tmp_path: Path):
    first, second = abut.World(stack()), abut.World(stack())
    start = first.snapshot()
    recording = abut.RecordingWriter(tmp_path / "r.bin", first)
    first.step(20, recording=recording)
    with pytest.raises(abut.InputError, match="of another world"):
        second.step(recording=recording)
    first.restore(start)
    with pytest.raises(abut.InputError, match="step 1 to 0.002 s does not follow step 20 to 0.04 s"):
        first.step(recording=recording)
    recording.close()
    read = abut.open_recording(tmp_path / "r.bin")
    assert read.closed and len(read.steps) == 20


def test_a_recording_is_not_closed_under_a_step(tmp_path: Path):
    world = abut.World(stack(20))
    recording = abut.RecordingWriter(tmp_path / "r.bin", world)
    started = threading.Event()
    thread = threading.Thread(
        target=lambda: world.step(3000, callback=lambda w: started.set(), recording=recording))
    thread.start()
    started.wait()
    refused = 0
    while thread.is_alive():
        try:
            recording.close()
        except RuntimeError:
            refused += 1
            continue
        break
    thread.join()
    recording.close()
    read = abut.open_recording(tmp_path / "r.bin")
    assert refused > 0 and read.closed and len(read.steps) == 3000


def test_a_controller_may_remove_others_at_its_end(pendulum: abut.Scene):
    world = abut.World(pendulum)

    class Last:
        def __call__(self, world: abut.World, time: float) -> list[float]:
            return [0.0, 0.0]

        def __del__(self) -> None:
            while world.controllers:
                world.remove_controller(world.controllers[-1])

    for i in range(5):
        world.add_controller(Last(), name=f"c{i}")
    world.remove_controller("c1")
    assert world.controllers == []


def test_controls_are_as_before_if_a_controller_fails(pendulum: abut.Scene):
    world = abut.World(pendulum)
    world.add_controller(lambda w, t: [1.0, 2.0], name="good")
    world.add_controller(lambda w, t: [np.nan, 0.0], name="bad")
    with pytest.raises(abut.InputError, match="controller 'bad'"):
        world.step()
    np.testing.assert_array_equal(world.controls, [0, 0])


def test_a_callback_says_stop_by_a_truth(ball: abut.World):
    ball.step(10, callback=lambda w: np.bool_(w.steps == 3))
    assert ball.steps == 3
    with pytest.raises(TypeError, match="the callback returned int: must be True"):
        ball.step(10, callback=lambda w: 1)
    with pytest.raises(TypeError, match="callback must be a function"):
        ball.step(3, 5)  # type: ignore[arg-type]
    assert ball.steps == 4


@pytest.mark.parametrize("model", abut.contact_models())
def test_what_is_not_finite_is_no_success(model: str):
    world = abut.World(stack(1), model=model)
    world.set_load(0, [0, 0, 1e300])
    report = world.step(10)  # squares overflow
    assert report is not None and report.status == "numerical_failure"
    assert world.steps == 1  # the next ones would start from nonsense
    assert world.step().status == "numerical_failure"


def test_speeds_of_free_bodies_have_the_scenes_limits(ball: abut.World):
    for speed in (1e160, 1e10):
        with pytest.raises(abut.InputError, match=r"linear_velocity x = 1e\+1\d+ m/s, must lie in \[-1e9, 1e9\]"):
            ball.set_body_state(0, linear_velocity=[speed, 0, 0])


def test_set_state_sets_all_or_nothing():
    world = abut.World(stack(2))
    q = world.coordinates.copy()
    q[:3] = 7
    q[10:14] = 0  # no quaternion
    before = world.state_hash()
    with pytest.raises(abut.InputError, match="norm of orientation = 0"):
        world.set_state(q)
    assert world.state_hash() == before


POINTS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


@pytest.mark.parametrize(("points", "message"), [
    (POINTS.T, r"points has the shape \(3, 8\), must be \(n, 3\)"),
    (POINTS.ravel(), r"points has the shape \(24,\), must be \(n, 3\)"),
    (POINTS + 1j, "points must be real numbers, not complex128"),
    (np.ma.masked_array(POINTS), "points must be real numbers, not a masked array"),
    (POINTS.astype(str), "points must be real numbers, not text"),
    ([[1, 2], [3]], "points must be numbers"),
])
def test_arrays_have_their_shapes_and_types(points: object, message: str):
    with pytest.raises(abut.InputError, match=message):
        abut.Shape.hull(points)
    assert abut.Shape.hull(POINTS.tolist()).mass_properties(1)[0] == pytest.approx(8)


def test_wrong_shapes_of_other_arguments(ball: abut.World):
    with pytest.raises(abut.InputError, match=r"position has the shape \(1, 3\), must be a list"):
        ball.set_body_state(0, position=[[0, 0, 1]])
    for shape in ("sphere", 5, [abut.Shape.sphere(1), "x"]):
        with pytest.raises(TypeError, match="shape must be a Shape, a list of Shapes, or None"):
            abut.Scene().add_body("b", shape)
    for density in (np.nan, -5, 0):
        with pytest.raises(abut.InputError, match="density = "):
            abut.Shape.sphere(1).mass_properties(density)


def test_certify_wants_all_impulses(examples: Path):
    world = abut.World(abut.load(examples / "gripper.toml"))
    world.step(300)
    problem = world.problem
    x = abut.solve(problem)
    with pytest.raises(abut.InputError, match="[0-9]+ scalar constraints: scalar_impulse is needed"):
        abut.certify(problem, x.velocity, x.impulse)
    good = abut.certify(problem, x.velocity, x.impulse, x.scalar_impulse)
    assert good.impulse_error < 1e-9
    assert repr(good) == (f"Certificate(step_error={good.step_error:.3g}, "
                          f"impulse_error={good.impulse_error:.3g})")
    with pytest.raises(abut.InputError, match="impulse has the shape"):
        abut.certify(problem, x.velocity, x.impulse.T, x.scalar_impulse)


def test_a_replay_does_not_replace_its_recording(ball: abut.World, tmp_path: Path):
    if not abut.page_available():
        pytest.skip("built without the page")
    path = tmp_path / "r.bin"
    with abut.RecordingWriter(path, ball) as recording:
        ball.step(20, recording=recording)
    link = tmp_path / "link.html"
    link.symlink_to(path)
    for html in (path, link):
        with pytest.raises(abut.InputError, match="is the recording itself"):
            abut.replay(path, html)
    assert abut.open_recording(path).closed
    abut.replay(os.fsencode(path), os.fsencode(tmp_path / "r.html"))
    assert (tmp_path / "r.html").stat().st_size > 1000


def test_snapshots_compare_with_anything(ball: abut.World):
    assert ball.snapshot() == ball.snapshot()
    assert ball.snapshot() != None  # noqa: E711
    assert ball.snapshot() not in [1, "x"]


def test_unknown_plots_are_named(ball: abut.World, tmp_path: Path):
    from abut import plots

    with abut.RecordingWriter(tmp_path / "r.bin", ball):
        pass
    with pytest.raises(abut.InputError, match="plot 'enrgy' is not known: must be one of energy, "):
        plots.save_plots(tmp_path / "r.bin", tmp_path, ["enrgy"])


def test_more_contacts_than_the_limit_are_an_error():
    text = """abut = 1
[[body]]
copies = 20
spacing = [0, 0, 0]
shape = { type = "sphere", radius = 0.5 }
"""
    world = abut.World(abut.load_scene_text(text, "s.toml"), contact_limit=100)
    with pytest.raises(abut.InputError, match="more than 100 contacts in a step"):
        world.step()
    assert len(world.contacts) == 0
    with pytest.raises(abut.InputError, match="contact limit = 0"):
        abut.World(abut.load_scene_text(text, "s.toml"), contact_limit=0)


def test_more_bodies_than_the_limit_are_refused(tmp_path):
    path = tmp_path / "many.xml"
    path.write_text("<mujoco><worldbody><replicate count='100'><body><freejoint/>"
                    "<geom size='1'/></body></replicate></worldbody></mujoco>")
    with pytest.raises(abut.InputError, match="100 bodies, must be at most 99"):
        abut.load(path, body_limit=99)
    assert len(abut.load(path, body_limit=100).bodies) == 100
