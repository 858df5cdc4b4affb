"""A Gymnasium environment of any scene: abut.gym.Env. Needs gymnasium."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

import abut

try:
    import gymnasium
except ImportError:
    raise ImportError("abut.gym needs gymnasium: pip install gymnasium") from None

PICTURES = ("Pictures are not drawn: record an episode by abut.RecordingWriter(path, env.unwrapped.world) as "
            "env.unwrapped.recording, and make a page of it by abut.replay(path, 'episode.html')")

Observe = Callable[[abut.World], np.ndarray]
Reward = Callable[[abut.World, np.ndarray], float]
Terminated = Callable[[abut.World], bool]


class Env(gymnasium.Env):
    """Steps a scene's world by actions in [-1, 1], one for each actuator, scaled to the range of its
    control; actuators act as at the range's ends beyond it. Controls without a range are the actions
    themselves, unbounded: scale them, or give the actuators ranges.

    An observation is world.coordinates and world.velocities one after the other, or what `observe`
    returns, as float64. The reward is reward(world, action), 0 without. An episode begins at
    `keyframe`, or as the scene does, with uniform noise in [-noise, noise] on coordinates and velocities
    that is the same for the same seed; it ends where terminated(world) says so, and is cut off by
    gymnasium's time limit or after `horizon` steps. A step whose contact problem fails numerically ends
    it too, with info["status"].

    No pictures are drawn. To see an episode, record it: RecordingWriter(path, env.world) as `recording`,
    by which step() records until reset() closes it, and abut.replay(). render_mode "ansi" has
    render() give a line of text.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 50}

    recording: abut.RecordingWriter | None = None
    """Records the steps of this episode, if there is one."""

    def __init__(self, scene: str | os.PathLike[str] | abut.Scene, *, reward: Reward | None = None,
                 observe: Observe | None = None, terminated: Terminated | None = None,
                 frame_skip: int = 1, keyframe: str | int | None = None, noise: float = 0.0,
                 horizon: int | None = None, render_mode: str | None = None, **world_options: Any):
        """scene: a MJCF, URDF or scene file, or a Scene. frame_skip: steps of the world in one of the
        environment. render_mode: "ansi" or None. world_options: those of abut.World. Raises InputError,
        FileError."""
        if render_mode not in (None, "ansi"):
            raise abut.InputError(f"render_mode {render_mode!r} is not known; there is 'ansi'. {PICTURES}")
        self.render_mode = render_mode
        for name, count in (("frame_skip", frame_skip), ("horizon", horizon)):
            is_whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
            if count is not None and not (is_whole and count >= 1):
                raise abut.InputError(f"{name} = {count} steps, must be a whole number, at least 1")
        if not (np.isfinite(noise) and noise >= 0):
            raise abut.InputError(f"noise = {noise}, must not be negative")
        if isinstance(scene, abut.World):
            raise TypeError("Env() takes a Scene or a file's path, not a World: its scene is world.scene")
        self.scene = scene if isinstance(scene, abut.Scene) else abut.load(scene)
        self.world = abut.World(self.scene, keyframe=keyframe, **world_options)
        self.frame_skip, self.noise, self.horizon = int(frame_skip), noise, horizon
        self.metadata = {**self.metadata, "render_fps": 1 / (self.frame_skip * self.world.time_step)}
        self._reward, self._observe, self._terminated = reward, observe, terminated
        self._start = self.world.snapshot()
        self._steps = 0
        self._quaternions = _quaternions(self.world)
        actuators = self.scene.actuators
        limited = np.array([a.control_limited for a in actuators], dtype=bool)
        lower = np.array([a.lower_control for a in actuators], dtype=float)
        upper = np.array([a.upper_control for a in actuators], dtype=float)
        self._middle = np.where(limited, lower / 2 + upper / 2, 0.0)
        self._half_range = np.where(limited, upper / 2 - lower / 2, 1.0)
        bound = np.where(limited, 1.0, np.inf)
        self.action_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float64)
        size = self._observation().shape
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, size, dtype=np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        world = self.world
        if self.recording is not None:
            self.recording.close()
            self.recording = None
        world.restore(self._start)
        self._steps = 0
        if self.noise > 0:
            q, v = world.coordinates.copy(), world.velocities.copy()
            q += self.np_random.uniform(-self.noise, self.noise, q.shape)
            v += self.np_random.uniform(-self.noise, self.noise, v.shape)
            for i in self._quaternions:
                q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
            world.set_state(q, v)
        return self._observation(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        action = np.asarray(action, dtype=float)
        world = self.world
        if action.shape != self.action_space.shape:
            raise abut.InputError(f"action has the shape {action.shape}, must be {self.action_space.shape}")
        if len(self._middle):
            world.controls = self._middle + self._half_range * action
        recording = self.recording
        if recording is not None and recording.closed:
            recording = self.recording = None
        report = world.step(self.frame_skip, recording=recording)
        self._steps += 1
        reward = _number(self._reward(world, action)) if self._reward else 0.0
        failed = report.status == "numerical_failure"
        terminated = failed or bool(self._terminated and self._terminated(world))
        truncated = self.horizon is not None and self._steps >= self.horizon
        info = {"time": world.time, "status": report.status,
                "step_error": report.certificate.step_error}
        return self._observation(), reward, terminated, truncated, info

    def render(self) -> str | None:
        """With render_mode "ansi" the time, the bodies' positions and how the last step went."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() does nothing without a render_mode; there is 'ansi'. {PICTURES}")
            return None
        world = self.world
        names = [self.scene.bodies[b].name or f"body{b}" for b in world.moving]
        places = [f"{name} ({', '.join(f'{x:.3f}' for x in p)})"
                  for name, p in zip(names, world.positions)]
        report = world.report
        how = f"{report.contacts} contacts, {report.status}" if report else "no step yet"
        return f"t = {world.time:.3f} s: {how}; " + ", ".join(places) + "\n"

    def _observation(self) -> np.ndarray:
        if self._observe:
            seen = self._observe(self.world)
            try:
                return np.array(seen, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise abut.InputError(f"what observe returns must be an array of numbers: {error}") from None
        return np.concatenate([self.world.coordinates, self.world.velocities])


def _number(reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError):
        raise abut.InputError(f"what reward returns is {reward!r}, must be a number") from None


def _quaternions(world: abut.World) -> list[int]:
    """Where quaternions begin among the coordinates."""
    starts, at = [], 0
    scene = world.scene
    for b in world.moving:
        body = scene.bodies[b]
        if body.kind == "free":
            starts.append(at + 3)
            at += 7
        for joint in body.joints:
            if joint.kind in ("free", "ball"):
                starts.append(at + (3 if joint.kind == "free" else 0))
            at += {"free": 7, "ball": 4}.get(joint.kind, 1)
    return starts
