"""What other simulators call otherwise: errors of World and Scene that name what is meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from abut import _core

_WORLD = {
    "reset": "take start = world.snapshot() at first, and world.restore(start)",
    "body": "its state is world.body_state(name), its description world.scene.body(name)",
    "joint": "world.joint_position(name), world.joint_velocity(name), or world.scene.joint(name)",
    "actuator": "world.actuator_state(name), or world.scene.actuator(name)",
    "geom": "world.scene.geom(name)",
    "qpos": "world.coordinates; to set them world.set_state(coordinates, velocities)",
    "qvel": "world.velocities; to set them world.set_state(coordinates, velocities)",
    "ctrl": "world.controls",
    "xpos": "world.positions",
    "xquat": "world.orientations",
    "dt": "world.time_step",
    "timestep": "world.time_step",
    "t": "world.time",
    "contact": "world.contacts",
    "energy": "world.kinetic_energy + world.potential_energy",
    "gravity": "world.scene.gravity; to change it, set that of a scene before a World is made of it",
    "friction": "it is a geom's, scene.geom(name).friction, or World(scene, friction=...) for all",
    "load": "abut.load(path) reads a file; a force on a body is world.set_load(name, force)",
    "save": "world.snapshot(), which can be pickled",
    "copy": "world.clone()",
    "run": "world.step(n)",
    "simulate": "world.step(n)",
    "render": "abut.replay() shows recordings in a browser, `abut view` simulates in one",
    "viewer": "abut.replay() shows recordings in a browser, `abut view` simulates in one",
    "apply_force": "world.set_load(name, force, moment)",
}
_WORLD |= {"q": _WORLD["qpos"], "v": _WORLD["qvel"], "qacc": "it is the change of world.velocities over a step"}

_PARTS = "world.set_body_state(name, position=..., ...) or world.set_state(coordinates, velocities) sets it"
_OPTION = "make another World: abut.World(world.scene, {}=...)"
_FIXED = {
    "positions": _PARTS, "orientations": _PARTS, "linear_velocities": _PARTS, "angular_velocities": _PARTS,
    "coordinates": "world.set_state(coordinates, velocities) sets them",
    "velocities": "world.set_state(coordinates, velocities) sets them",
    "scene": "make another World of the scene",
    **{name: _OPTION.format(name)
       for name in ("time_step", "model", "law", "scheme", "solver", "tolerance", "accuracy")},
}

_SCENE = {
    "add_sphere": "scene.add_body(name, abut.Shape.sphere(radius))",
    "add_box": "scene.add_body(name, abut.Shape.box(half_extents))",
    "add_plane": "scene.add_ground(), or scene.add_geom(abut.Shape.plane())",
    "add_joint": "scene.add_body(name, shape, parent=..., joints=[abut.SceneJoint(...)])",
    "joints": "those of each body: scene.body(name).joints; one is scene.joint(name)",
    "dt": "scene.time_step",
    "timestep": "scene.time_step",
    "load": "abut.load(path)",
    "step": "abut.World(scene).step()",
    "save": "a Scene can be pickled",
}


def _missing(hints: dict[str, str], thing: Any, name: str) -> AttributeError:
    kind = type(thing).__name__
    text = f"a {kind} has no {name!r}"
    if name.startswith("_"):
        return AttributeError(text)
    if name in hints:
        return AttributeError(f"{text}: {hints[name]}")
    near = get_close_matches(name, [n for n in dir(type(thing)) if not n.startswith("_")], 1)
    return AttributeError(text + (f", did you mean {near[0]!r}?" if near else ""))


def _explain(cls: type, hints: dict[str, str], fixed: dict[str, str]) -> None:
    """Lets attributes that a class does not have, and that nobody added, fail with a hint."""

    def missing(self: Any, name: str) -> Any:
        raise _missing(hints, self, name)

    def assign(self: Any, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if not hasattr(type(self), name):
                raise _missing(hints, self, name) from None
            if name not in fixed:
                raise
            raise AttributeError(f"a {type(self).__name__}'s {name} cannot be assigned: {fixed[name]}") from None

    cls.__getattr__ = missing  # type: ignore[attr-defined]
    cls.__setattr__ = assign  # type: ignore[assignment,method-assign]


_explain(_core.World, _WORLD, _FIXED)
_explain(_core.Scene, _SCENE, {})
