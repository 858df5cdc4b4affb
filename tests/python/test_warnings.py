"""What a world warns of, as Python's warnings and as records."""

import warnings

import pytest

import abut


def falling_ball(radius: float, mass: float) -> abut.Scene:
    scene = abut.Scene()
    scene.add_ground()
    scene.add_body("ball", abut.Shape.sphere(radius), position=[0, 0, 2 * radius], mass=mass)
    return scene


def test_an_ordinary_world_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = abut.World(falling_ball(0.1, 1))
        world.step(500)
        world.clone().step(10)
    assert world.warnings == []


def test_a_scene_warns_when_its_world_is_made():
    with pytest.warns(abut.SimulationWarning, match="ball measures 200 m") as told:
        world = abut.World(falling_ball(100, 4e9))
    assert len(told) == 1 and told[0].filename == __file__
    (record,) = world.warnings
    assert (record.kind, record.step, record.time) == ("size", 0, 0)
    assert (record.body, record.other, record.value, record.unit) == ("ball", None, 200, "m")
    assert record.bound < record.value
    assert str(record) == record.text == str(told[0].message)
    assert repr(record) == f"WarningRecord(size: {record.text})"


def test_each_kind_is_told_once():
    scene = abut.Scene()
    scene.add_body("box", abut.Shape.box([0.1, 0.1, 0.1]), mass=1, angular_velocity=[0, 0, 300])
    world = abut.World(scene, time_step=0.01)
    with pytest.warns(abut.SimulationWarning, match="box turns by 3 rad"):
        world.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(10)
        world.clone().step(10)
    assert [w.kind for w in world.warnings] == ["turn"]


def test_a_warning_may_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", abut.SimulationWarning)
        with pytest.raises(abut.SimulationWarning):
            abut.World(falling_ball(100, 4e9))
    assert issubclass(abut.SimulationWarning, UserWarning)
