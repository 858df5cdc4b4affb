"""The stubs name what the module has."""

import ast
from pathlib import Path

import abut
from abut import _core


def test_stubs_and_module_agree_and_all_is_documented():
    stub = Path(_core.__file__).parent / "_core.pyi"
    tree = ast.parse(stub.read_text())
    defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public - defined <= {"contact_dtype"}
    for name in abut.__all__:
        value = getattr(abut, name)
        if callable(value):
            assert value.__doc__, name
    assert (stub.parent / "py.typed").exists()


def test_all_names_what_the_package_has():
    for name in abut.__all__:
        assert hasattr(abut, name), name
    core = {name for name in dir(_core) if not name.startswith("_")}
    assert core - set(abut.__all__) == {"RecordingFile"}
