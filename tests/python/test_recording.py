"""Recordings: writing, reading, tables, plots, the demo; against the command line's."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import abut
import abut._command


@pytest.fixture
def heap(examples: Path, tmp_path: Path) -> tuple[abut.World, Path]:
    world = abut.World(abut.load(examples / "clutter40.xml"))
    path = tmp_path / "recording.bin"
    with abut.RecordingWriter(path, world) as recording:
        world.step(501, recording=recording)
    return world, path


def test_a_recording_has_what_the_world_had(heap: tuple[abut.World, Path]):
    world, path = heap
    recording = abut.open_recording(path)
    assert recording.closed and recording.end == "closed"
    assert len(recording) == len(recording.time) == 62
    assert recording.positions.shape == (62, 40, 3)
    np.testing.assert_array_equal(recording.positions[-1], world.positions)
    np.testing.assert_array_equal(recording.orientations[-1], world.orientations)
    np.testing.assert_array_equal(recording.linear_velocities[-1], world.linear_velocities)
    np.testing.assert_array_equal(recording.angular_velocities[-1], world.angular_velocities)
    assert recording.state_hash[-1] == world.state_hash()
    assert recording.step[-1] == len(recording.steps) == 501
    assert recording.steps["kinetic_energy"][-1] == world.kinetic_energy
    assert recording.steps["momentum_error"][-1] == world.report.certificate.momentum_error
    contacts = recording.contacts_at(-1)
    for name in ("body_a", "body_b", "id", "point", "normal_force", "friction_force", "velocity"):
        np.testing.assert_array_equal(contacts[name], world.contacts[name])
    assert recording.info["model"] == "sap"
    assert recording.info["scheme"] == "symplectic-euler"
    assert recording.moving_bodies == world.bodies
    with pytest.raises(IndexError, match="frame 62: the recording has 62 frames"):
        recording.contacts_at(62)


def test_arrays_outlive_the_recording(heap: tuple[abut.World, Path]):
    positions = abut.open_recording(heap[1]).positions
    assert np.all(np.isfinite(positions))


def test_numbers_are_those_of_the_command_line(examples: Path, tmp_path: Path):
    scene = examples / "trot.toml"
    subprocess.run([abut._command.PROGRAM, "run", scene, "--duration", "1", "--frame-rate", "0",
                    "--out", tmp_path / "out", "--quiet"], check=True)
    theirs = abut.open_recording(tmp_path / "out")
    world = abut.World(abut.load(scene))
    path = tmp_path / "own.bin"
    with abut.RecordingWriter(path, world, frame_rate=0) as recording:
        world.step(500, recording=recording)
    ours = abut.open_recording(path)
    np.testing.assert_array_equal(ours.state_hash, theirs.state_hash)
    np.testing.assert_array_equal(ours.positions, theirs.positions)
    np.testing.assert_array_equal(ours.joint_positions, theirs.joint_positions)
    np.testing.assert_array_equal(ours.controls, theirs.controls)
    np.testing.assert_array_equal(ours.actuator_forces, theirs.actuator_forces)
    np.testing.assert_array_equal(ours.contacts, theirs.contacts)
    np.testing.assert_array_equal(ours.steps, theirs.steps)
    assert np.ptp(ours.actuator_forces) > 1


def test_data_frames_are_the_tables_of_the_command_line(heap: tuple[abut.World, Path], tmp_path: Path):
    pytest.importorskip("pandas")
    recording = abut.open_recording(heap[1])
    recording.export_csv(tmp_path)
    for table, columns in {
            "steps": {"time": "time_s", "momentum_error": "momentum_error", "status": "status"},
            "bodies": {"body": "body", "position_z": "position_z_m", "quaternion_w": "quaternion_w"},
            "contacts": {"id": "id", "body_a": "body_a", "body_b": "body_b", "gap": "gap_m",
                         "allowance": "allowance_m"}}.items():
        frame = recording.to_dataframe(table)
        with open(tmp_path / f"{table}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(frame) == len(rows) > 0
        for ours, theirs in columns.items():
            values = [row[theirs] for row in rows]
            if frame[ours].dtype.kind in "fiu":
                np.testing.assert_array_equal(frame[ours], np.array(values, dtype=frame[ours].dtype))
            else:
                assert list(frame[ours]) == values
    with pytest.raises(abut.InputError, match="table 'forces' is not known"):
        recording.to_dataframe("forces")


def test_without_pandas_the_error_says_what_to_install(heap: tuple[abut.World, Path], monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas: pip install pandas"):
        abut.open_recording(heap[1]).to_dataframe()


def test_a_recording_that_is_cut_is_read_as_far_as_it_goes(heap: tuple[abut.World, Path]):
    path = heap[1]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    recording = abut.open_recording(path)
    assert not recording.closed and "cut" in recording.end
    assert 1 < len(recording) < 62
    path.write_bytes(b"no recording")
    with pytest.raises(abut.InputError, match="recording.bin"):
        abut.open_recording(path)
    with pytest.raises(abut.FileError, match="No such file"):
        abut.open_recording(path.with_name("none.bin"))


def test_an_exception_leaves_a_closed_recording(ball: abut.World, tmp_path: Path):
    path = tmp_path / "r.bin"
    with pytest.raises(ZeroDivisionError):
        with abut.RecordingWriter(path, ball, frame_rate=0) as recording:
            ball.step(3, recording=recording)
            raise ZeroDivisionError
    assert abut.open_recording(path).closed
    with pytest.raises(abut.FileError):
        ball.step(recording=recording)
    with pytest.raises(abut.InputError, match="frame rate = -1"):
        abut.RecordingWriter(path, ball, frame_rate=-1)


def test_plots_say_their_units(heap: tuple[abut.World, Path], tmp_path: Path):
    pytest.importorskip("matplotlib")
    from abut import plots

    paths = plots.save_plots(heap[1], tmp_path / "plots")
    assert {p.name for p in paths} == {f"{n}.{s}" for n in plots.PLOTS for s in ("svg", "png")}
    for name, label in {"energy": "energy [J]", "contacts": "deepest penetration [mm]",
                        "certificate": "step error [-]", "iterations": "iterations"}.items():
        text = (tmp_path / "plots" / f"{name}.svg").read_text()
        assert label in text and "time [s]" in text
    again = plots.save_plots(heap[1], tmp_path / "again", ["energy"], ["svg"])[0]
    assert again.read_bytes() == (tmp_path / "plots" / "energy.svg").read_bytes()


def test_the_demo_runs_with_numpy_alone(tmp_path: Path):
    block = "import sys; sys.modules.update(pandas=None, matplotlib=None, gymnasium=None); " \
            "sys.argv = ['demo', 'out']; import runpy; runpy.run_module('abut.demo', run_name='__main__')"
    out = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, check=True, text=True,
                         capture_output=True).stdout
    assert "0 of 1500 steps not converged" in out
    assert abut.open_recording(tmp_path / "out").closed


def test_the_command_is_the_command_line():
    out = subprocess.run([sys.executable, "-m", "abut", "--version"], check=True, text=True,
                         capture_output=True).stdout
    assert out == f"abut {abut.__version__}\n"


@pytest.mark.skipif(not abut.page_available(), reason="built without the browser page")
def test_a_notebook_shows_recordings_and_worlds(ball: abut.World, tmp_path: Path):
    alone = ball._repr_html_()
    assert alone.startswith("<iframe srcdoc=") and "ground" in alone
    with abut.RecordingWriter(tmp_path / "r.bin", ball) as recording:
        ball.step(100, recording=recording)
    assert len(ball._repr_html_()) > len(alone)  # of the run
    assert abut.open_recording(tmp_path / "r.bin")._repr_html_() == ball._repr_html_()
    abut.replay(tmp_path / "r.bin", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "abut-columns" in page and "http://" not in page.split("abut-scene")[0][:1000]
    with pytest.raises(abut.FileError):
        abut.replay(tmp_path / "none.bin", tmp_path / "n.html")
