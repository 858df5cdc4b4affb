"""Recordings as numpy arrays and, where pandas is present, data frames."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from abut import _core

if TYPE_CHECKING:
    import pandas

STATUS = ("converged", "iteration_limit", "stalled", "numerical_failure")
"""Names of the numbers in steps["status"]."""


class Recording:
    """A recording, read up to its last whole frame.

    The arrays are read when first asked for, once; they are the reader's own, free to be changed.
    Frames F are the recorded states: the start, then those that the frame rate asked for. Bodies B are
    those that move, whose names are moving_bodies.
    """

    def __init__(self, path: str | os.PathLike[str]):
        """Reads the recording `path`, or the one in a run's directory.

        Raises InputError if it is not a recording, FileError if it cannot be read.
        """
        path = os.fspath(path)
        if os.path.isdir(path):
            path = os.path.join(path, "recording.bin")
        self.path: str = path
        self._file = _core.RecordingFile.open(path)
        self.info: dict[str, Any] = self._file.describe_scene()
        """What holds for all of it: file, model, law, solver, time_step, tolerance, gravity, ..."""

    @property
    def closed(self) -> bool:
        """Whether the run ended it; else it was killed, or still goes on."""
        return self._file.closed

    @property
    def end(self) -> str:
        """How it ends: "closed", or what happened."""
        return self._file.end

    @property
    def bodies(self) -> list[str]:
        """Names of all bodies; contacts have indices into it."""
        return self.info["bodies"]

    @property
    def moving_bodies(self) -> list[str]:
        """Names of the bodies that move, in the order of the arrays."""
        return [self.info["bodies"][b] for b in self.info["moving"]]

    @property
    def joints(self) -> list[str]:
        """Names of the hinges and slides."""
        return self.info["joints"]

    @property
    def actuators(self) -> list[str]:
        return self.info["actuators"]

    @cached_property
    def _states(self) -> dict[str, Any]:
        return self._file.read_states()

    @cached_property
    def steps(self) -> np.ndarray:
        """A record for each step: step, time [s] at its end, status (STATUS has the names),
        at_round_off, iterations, factorizations, rounds, contacts, lagging_islands, worst_tree, step_error,
        momentum_error, impulse_error, lag_error,
        complementarity_error, ncp_primal [N], ncp_dual [m/s^2], ncp_complementarity [N m/s^2],
        penetration [m], kinetic_energy, potential_energy [J]."""
        return self._file.read_steps()

    @property
    def time(self) -> np.ndarray:
        """(F,) [s]"""
        return self._states["time"]

    @property
    def step(self) -> np.ndarray:
        """(F,) steps so far."""
        return self._states["step"]

    @property
    def state_hash(self) -> np.ndarray:
        """(F,) World.state_hash()"""
        return self._states["state_hash"]

    @property
    def positions(self) -> np.ndarray:
        """(F, B, 3): origins of the bodies' frames [m]."""
        return self._states["positions"]

    @property
    def orientations(self) -> np.ndarray:
        """(F, B, 4): unit quaternions w, x, y, z."""
        return self._states["orientations"]

    @property
    def linear_velocities(self) -> np.ndarray:
        """(F, B, 3): of the centers of mass, world axes [m/s]."""
        return self._states["linear_velocities"]

    @property
    def angular_velocities(self) -> np.ndarray:
        """(F, B, 3): world axes [rad/s]."""
        return self._states["angular_velocities"]

    @property
    def joint_positions(self) -> np.ndarray:
        """(F, joints) [rad or m]"""
        return self._states["joint_positions"]

    @property
    def joint_velocities(self) -> np.ndarray:
        """(F, joints) [rad/s or m/s]"""
        return self._states["joint_velocities"]

    @property
    def controls(self) -> np.ndarray:
        """(F, actuators)"""
        return self._states["controls"]

    @property
    def actuator_forces(self) -> np.ndarray:
        """(F, actuators): of the step that led to the frame [N or N m]."""
        return self._states["actuator_forces"]

    @property
    def contacts(self) -> np.ndarray:
        """The contacts of all frames, one record each: frame, and the fields of World.contacts but
        geom_a and geom_b. They are of the step that led to the frame."""
        return self._states["contacts"]

    def contacts_at(self, frame: int) -> np.ndarray:
        """Those of one frame."""
        frames = len(self.time)
        if not -frames <= frame < frames:
            raise IndexError(f"frame {frame}: the recording has {frames} frame{'s' * (frames != 1)}")
        begin, end = np.searchsorted(self.contacts["frame"], [frame % frames, frame % frames + 1])
        return self.contacts[begin:end]

    def to_dataframe(self, table: str = "steps") -> pandas.DataFrame:
        """One of the tables "steps", "bodies", "contacts", "joints" as pandas has it, the columns with
        the names of `abut export --csv` without units. Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe() needs pandas: pip install pandas") from None
        tables = {"steps": self._step_columns, "bodies": self._body_columns,
                  "contacts": self._contact_columns, "joints": self._joint_columns}
        if table not in tables:
            raise _core.InputError(f"table {table!r} is not known: must be one of {', '.join(tables)}")
        return pandas.DataFrame(tables[table]())

    def _step_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {name: self.steps[name] for name in self.steps.dtype.names or ()}
        columns["status"] = np.array(STATUS)[self.steps["status"]]
        columns["at_round_off"] = self.steps["at_round_off"].astype(bool)
        return columns

    def _long(self, names: list[str], label: str) -> dict[str, Any]:
        frames = len(self.time)
        return {"step": np.repeat(self.step, len(names)), "time": np.repeat(self.time, len(names)),
                label: np.tile(np.array(names, dtype=object), frames)}

    def _body_columns(self) -> dict[str, Any]:
        columns = self._long(self.moving_bodies, "body")
        for name, values, axes in (("position", self.positions, "xyz"),
                                   ("quaternion", self.orientations, "wxyz"),
                                   ("linear_velocity", self.linear_velocities, "xyz"),
                                   ("angular_velocity", self.angular_velocities, "xyz")):
            for k, axis in enumerate(axes):
                columns[f"{name}_{axis}"] = values[:, :, k].ravel()
        return columns

    def _joint_columns(self) -> dict[str, Any]:
        columns = self._long(self.joints, "joint")
        columns["position"] = self.joint_positions.ravel()
        columns["velocity"] = self.joint_velocities.ravel()
        return columns

    def _contact_columns(self) -> dict[str, Any]:
        contacts = self.contacts
        names = np.array([*self.bodies, "world"], dtype=object)  # -1 is the last
        columns: dict[str, Any] = {
            "step": self.step[contacts["frame"]], "time": self.time[contacts["frame"]],
            "id": contacts["id"], "body_a": names[contacts["body_a"]],
            "body_b": names[contacts["body_b"]]}
        for name in ("gap", "allowance", "normal_force", "friction"):
            columns[name] = contacts[name]
        for name in ("point", "normal", "friction_force", "velocity"):
            for k, axis in enumerate("xyz"):
                columns[f"{name}_{axis}"] = contacts[name][:, k]
        return columns

    def export_csv(self, directory: str | os.PathLike[str]) -> None:
        """Writes the tables of `abut export --csv` into an existing directory. Raises FileError."""
        self._file.export_csv(os.fspath(directory))

    def __len__(self) -> int:
        """Number of frames."""
        return self._file.frames

    def __repr__(self) -> str:
        return (f"Recording({self.path!r}, {len(self)} frames, {self._file.steps} steps, "
                f"{len(self.info['moving'])} bodies)")


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """The recording `path`, or the one in the directory of a run: abut.Recording."""
    return Recording(path)


_recordings: WeakKeyDictionary[_core.World, str] = WeakKeyDictionary()


def recording_of(world: _core.World) -> str | None:
    """The path of the recording that was last begun of a world."""
    return _recordings.get(world)


class RecordingWriter(_core.RecordingWriter):
    """Records a world as it goes: each step's report, and at the frame rate its state and contacts.

        with abut.RecordingWriter("recording.bin", world) as recording:
            world.step(1000, recording=recording)

    Leaving the block records the last state and closes the recording. What is on the disk is readable
    at any time, whatever ends the process.
    """

    def __init__(self, path: str | os.PathLike[str], world: _core.World, frame_rate: float = 60.0,
                 *, remember: bool = True):
        """Replaces the file and records the world's state as it is now.

        frame_rate: recorded states per simulated second, 0 for every step. remember: a notebook shows the
        world by this recording. Raises InputError, FileError.
        """
        path = os.path.abspath(path)
        super().__init__(path, world, frame_rate)
        if remember:
            _recordings[world] = path
        self._world = world
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Records the last state and brings the recording to the disk. Once is enough."""
        if self._closed:
            return
        self.record_state(self._world)
        try:
            super().close()
        finally:
            self._closed = True

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
