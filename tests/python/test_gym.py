"""The Gymnasium environment."""

import re
from pathlib import Path

import numpy as np
import pytest

import abut

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import abut.gym  # noqa: E402


def swing_up(world: abut.World, action: np.ndarray) -> float:
    return -float(np.cos(world.joint_position("pivot"))) - 0.01 * float(action @ action)


@pytest.fixture
def env(pendulum: abut.Scene) -> abut.gym.Env:
    pendulum.actuator("reach").control_limited = True
    pendulum.actuator("reach").lower_control = -0.1
    pendulum.actuator("reach").upper_control = 0.1
    return abut.gym.Env(pendulum, reward=swing_up, frame_skip=5, keyframe="up", noise=0.01,
                        terminated=lambda world: world.time > 1, horizon=150)


@pytest.mark.filterwarnings("ignore:.*A Box observation space m")
def test_it_passes_gymnasiums_own_check(env: abut.gym.Env, examples: Path):
    check_env(env, skip_render_check=True)
    box = abut.gym.Env(examples / "clutter40.xml")
    assert box.action_space.shape == (0,)
    assert box.observation_space.shape == (40 * 13,)


def test_actions_are_scaled_to_the_controls_ranges(env: abut.gym.Env):
    env.reset(seed=1)
    env.step(np.array([1.0, -1.0]))
    np.testing.assert_allclose(env.world.controls, [3, -0.1])
    env.step(np.array([-1.0, 0.0]))
    np.testing.assert_allclose(env.world.controls, [-2, 0], atol=1e-15)


def test_episodes_with_a_seed_are_the_same(env: abut.gym.Env):
    def episode(seed: int) -> np.ndarray:
        first, _ = env.reset(seed=seed)
        rows = [first]
        for _ in range(20):
            rows.append(env.step(np.array([0.2, 0.1]))[0])
        return np.array(rows)

    one, same, other = episode(3), episode(3), episode(4)
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 1e-3
    assert abs(one[0, 0] - 3.1) <= 0.01


def test_functions_of_ones_own_give_numbers(pendulum: abut.Scene):
    with pytest.raises(abut.InputError, match="what observe returns must be an array of numbers"):
        abut.gym.Env(pendulum, observe=lambda world: {"q": 1})
    env = abut.gym.Env(pendulum, reward=lambda world, action: None)
    with pytest.raises(abut.InputError, match="what reward returns is None, must be a number"):
        env.step(np.zeros(2))
    with pytest.raises(TypeError, match="not a World: its scene is world.scene"):
        abut.gym.Env(env.world)


def test_episodes_end(env: abut.gym.Env):
    env.reset(seed=0)
    for step in range(150):
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            break
    assert terminated and info["time"] == pytest.approx(1.005)  # from 0.5 s on, 5 ms each
    assert info["status"] == "converged"
    env._terminated = None
    env.reset()
    for _ in range(150):
        *_, truncated, _ = env.step(np.zeros(2))
    assert truncated


def test_wrong_arguments_are_refused(pendulum: abut.Scene):
    with pytest.raises(abut.InputError, match="frame_skip = 0 steps"):
        abut.gym.Env(pendulum, frame_skip=0)
    with pytest.raises(abut.InputError, match="noise = -1"):
        abut.gym.Env(pendulum, noise=-1)
    with pytest.raises(abut.InputError, match="no keyframe"):
        abut.gym.Env(pendulum, keyframe="left")


def test_rendering_is_text_or_says_what_to_do(pendulum: abut.Scene):
    env = abut.gym.Env(pendulum, render_mode="ansi", frame_skip=5)
    env.reset(seed=0)
    assert re.fullmatch(r"t = 0\.000 s: no step yet; rod \(0\.000, 0\.000, 1\.000\), tip \(.*\)\n", env.render())
    env.step(np.zeros(2))
    assert env.render().startswith("t = 0.005 s: 0 contacts, converged; rod (")
    assert env.metadata["render_fps"] == pytest.approx(200)
    silent = abut.gym.Env(pendulum)
    with pytest.warns(UserWarning, match="render\\(\\) does nothing without a render_mode.*abut.replay"):
        assert silent.render() is None
    with pytest.raises(abut.InputError, match="render_mode 'human' is not known; there is 'ansi'.*RecordingWriter"):
        abut.gym.Env(pendulum, render_mode="human")


def test_episodes_are_recorded_until_their_end(env: abut.gym.Env, tmp_path: Path):
    env.reset(seed=1)
    with abut.RecordingWriter(tmp_path / "episode.bin", env.world, frame_rate=0) as env.recording:
        for _ in range(7):
            env.step(np.zeros(2))
    env.step(np.zeros(2))
    assert env.recording is None
    other = env.recording = abut.RecordingWriter(tmp_path / "other.bin", env.world)
    env.step(np.zeros(2))
    env.reset()
    assert other.closed
    env.step(np.zeros(2))
    assert len(abut.open_recording(tmp_path / "other.bin").steps) == 5
    episode = abut.open_recording(tmp_path / "episode.bin")
    assert len(episode.steps) == 35 and episode.joint_positions.shape == (36, 2)


@pytest.mark.parametrize("action", [0.5, [0.0], np.zeros((1, 2))])
def test_actions_have_the_spaces_shape(env: abut.gym.Env, action: object):
    env.reset()
    with pytest.raises(abut.InputError, match="action has the shape"):
        env.step(action)


@pytest.mark.parametrize("arguments", [{"frame_skip": 0}, {"frame_skip": 1.5}, {"frame_skip": True},
                                       {"frame_skip": np.nan}, {"frame_skip": "x"}, {"horizon": -3}, {"horizon": np.inf}])
def test_counts_of_steps_are_whole(pendulum: abut.Scene, arguments: dict):
    with pytest.raises(abut.InputError, match="must be a whole number, at least 1"):
        abut.gym.Env(pendulum, **arguments)


def test_a_failure_within_skipped_steps_ends_the_episode(pendulum: abut.Scene):
    env = abut.gym.Env(pendulum, frame_skip=4)
    env.reset()
    env.world.set_joint_velocity("pivot", 1e200)
    _, _, terminated, _, info = env.step(np.zeros(env.action_space.shape))
    assert terminated and info["status"] == "numerical_failure"
