"""Callbacks, controllers, interrupts, threads."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import abut


def test_a_callback_sees_each_step_and_may_end_it(ball: abut.World):
    times: list[float] = []
    ball.step(5, lambda world: times.append(world.time))
    np.testing.assert_allclose(times, ball.time_step * np.arange(1, 6))
    ball.step(100, callback=lambda world: world.steps == 8)
    assert ball.steps == 8


def test_a_step_may_have_a_size_of_its_own(ball: abut.World, tmp_path: Path):
    first = ball.time_step
    ball.step(2)
    ball.step(3, time_step=1e-4)
    np.testing.assert_allclose(ball.time, 2 * first + 3e-4, rtol=1e-15)
    assert ball.time_step == first
    with pytest.raises(abut.InputError, match=r"time step = 2 s, must lie in \[1e-9, 1\]"):
        ball.step(time_step=2)
    with abut.RecordingWriter(tmp_path / "r.bin", ball) as recording:
        with pytest.raises(abut.InputError, match="must be the world's time step"):
            ball.step(time_step=1e-4, recording=recording)


def test_steps_may_be_made_in_substeps(examples: Path, tmp_path: Path):
    scene = abut.load(examples / "clutter40.xml")
    world = abut.World(scene, accuracy=1e-3, time_step=0.01)
    assert world.accuracy == 1e-3 and abut.World(scene).accuracy is None
    with abut.RecordingWriter(tmp_path / "r.bin", world, frame_rate=0) as recording:
        for step in range(1, 31):
            report = world.step(recording=recording)
            assert world.time == step * 0.01
            assert report.substeps >= 2 and report.error <= 1e-3
            assert 0 < report.smallest_substep <= 0.005
    recorded = abut.Recording(tmp_path / "r.bin").contacts
    last = recorded[recorded["frame"] == recorded["frame"].max()]
    np.testing.assert_array_equal(last["normal_force"], world.contacts["normal_force"])
    assert len(last) > 0
    with pytest.raises(abut.InputError, match="accuracy = 0, must lie in"):
        abut.World(scene, accuracy=0)
    with pytest.raises(AttributeError, match="accuracy=..."):
        world.accuracy = 1.0


def test_stepping_with_a_callback_gives_the_same_bits(examples: Path):
    scene = abut.load(examples / "clutter40.xml")
    one, other = abut.World(scene), abut.World(scene)
    one.step(300)
    other.step(300, lambda world: None)
    assert one.state_hash() == other.state_hash()


def test_a_callback_that_fails_leaves_the_last_whole_step(ball: abut.World):
    def fail(world: abut.World) -> None:
        if world.steps == 3:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        ball.step(10, fail)
    assert ball.steps == 3
    ball.step()
    assert ball.steps == 4


def test_python_controllers_steer(pendulum: abut.Scene):
    def hold(world: abut.World, time: float) -> list[float]:
        q, v = world.joint_position("pivot"), world.joint_velocity("pivot")
        return [-20 * (q - 0.3) - 4 * v + 3 * np.sin(q)]

    pendulum.actuator("twist").control_limited = False
    world = abut.World(pendulum)
    world.add_controller(hold, ["twist"])
    assert world.controllers == ["hold"]
    world.step(5000)
    free = abut.World(pendulum)
    free.step(5000)
    assert world.joint_position("pivot") == pytest.approx(0.25, abs=0.1)
    assert free.joint_position("pivot") == pytest.approx(0, abs=1e-6)
    world.remove_controller("hold")
    assert world.controllers == []


@pytest.mark.parametrize(("value", "message"), [
    ([1.0], "what it returns has 1 numbers, must have 2"),
    ([1.0, np.nan], r"what it returns\[1\] = nan, must be finite"),
    (None, "is None, must be its actuators' controls"),
    ("full speed", "what it returns must be real numbers, not text"),
])
def test_wrong_controls_name_controller_and_time(pendulum: abut.Scene, value: object, message: str):
    world = abut.World(pendulum)
    world.step(120)
    world.add_controller(lambda w, t: value if t > 0.1205 else [0, 0], name="brain")
    with pytest.raises(abut.InputError, match=f"controller 'brain' at t = 0.121 s: .*{message}"):
        world.step(10)
    assert world.steps == 121
    assert np.all(np.isfinite(world.coordinates))


def test_an_exception_in_a_controller_is_passed_on_with_its_place(pendulum: abut.Scene):
    world = abut.World(pendulum)

    def broken(world: abut.World, time: float) -> list[float]:
        return [1 / 0]

    world.add_controller(broken)
    with pytest.raises(ZeroDivisionError) as caught:
        world.step()
    assert "controller 'broken' at t = 0 s" in caught.value.__notes__[0]
    assert world.steps == 0


def test_a_step_within_a_step_is_an_error(ball: abut.World):
    with pytest.raises(RuntimeError, match="World.step\\(\\) within World.step\\(\\)"):
        ball.step(3, lambda world: world.step())
    assert ball.steps == 1
    ball.step()


def test_another_thread_cannot_touch_a_world_that_steps(examples: Path):
    world = abut.World(abut.load(examples / "clutter40.xml"))
    ends = threading.Event()
    thread = threading.Thread(target=lambda: (world.step(20000), ends.set()))
    thread.start()
    refused: set[str] = set()
    while not ends.is_set() and len(refused) < 2:
        for touch in (world.step, lambda: world.positions):
            try:
                touch()
            except RuntimeError as error:
                refused.add(str(error))
    thread.join()
    assert any("stepping in another thread" in text for text in refused)
    assert any("World.step() within World.step()" in text for text in refused)


def test_worlds_step_beside_each_other_in_threads(examples: Path):
    scene = abut.load(examples / "clutter40.xml")
    worlds = [abut.World(scene) for _ in range(4)]
    threads = [threading.Thread(target=world.step, args=(300,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({world.state_hash() for world in worlds}) == 1


LONG = """
import signal, sys, abut
signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts the tests may ignore it
world = abut.World(abut.load(sys.argv[1]))
print("steps", flush=True)
try:
    world.step(10**9)
except KeyboardInterrupt:
    steps = world.steps
    world.step()
    print(steps > 0 and world.steps == steps + 1, flush=True)
"""


def test_ctrl_c_ends_a_long_step(examples: Path):
    program = subprocess.Popen([sys.executable, "-c", LONG, str(examples / "clutter40.xml")],
                               stdout=subprocess.PIPE, text=True, env=os.environ)
    assert program.stdout is not None
    assert program.stdout.readline() == "steps\n"
    time.sleep(0.3)  # into the step; the interrupt ends the program wherever it is
    program.send_signal(signal.SIGINT)
    try:
        output, _ = program.communicate(timeout=30)
    finally:
        program.kill()
    assert output == "True\n"
    assert program.returncode == 0


def spring(stiffness: float = 50.0) -> abut.Scene:
    return abut.load_scene_text(f"""<mujoco><option gravity='0 0 0'/><worldbody><body>
        <joint type='slide' axis='1 0 0' stiffness='{stiffness}'/><geom size='0.1' mass='2'/></body></worldbody></mujoco>""")


def test_a_world_steps_by_the_scheme_that_is_asked_for(tmp_path: Path) -> None:
    ratio = {"symplectic-euler": 1 / (1 + 25e-4), "implicit-euler": 1 / (1 + 25e-4), "midpoint": 1,
             "explicit-euler": 1 + 25e-4}                    # of energies, by (w h)^2
    assert abut.velocity_schemes() == list(ratio)
    assert abut.stepping_schemes() == [*ratio, "accelerations"]
    for scheme in abut.velocity_schemes():
        world = abut.World(spring(), scheme=scheme, time_step=0.01)
        assert world.scheme == scheme
        world.set_state([0.1], [0.3])
        before = world.kinetic_energy + world.potential_energy
        with abut.RecordingWriter(tmp_path / "r.bin", world) as recording:
            world.step(recording=recording)
        np.testing.assert_allclose((world.kinetic_energy + world.potential_energy) / before, ratio[scheme], rtol=1e-12)
        assert abut.open_recording(tmp_path / "r.bin").info["scheme"] == scheme


def test_a_scene_file_says_its_scheme() -> None:
    settings = abut.load_scene_text('abut = 1\n[simulation]\nscheme = "midpoint"\n', "s.toml").simulation
    assert settings.scheme == "midpoint"
    assert "scheme='midpoint'" in repr(settings)
