"""Tests of tools/site/python_reference.py: what of a stub is in its page."""

import ast
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "site"))
import python_reference  # noqa: E402

STUB = '''"""A module: a * b."""

class Error(ValueError):
    pass

class World:
    """What moves."""

    def __init__(self, scene: Scene, *, model: str = 'sap') -> None:
        """Throws Error."""

    def step(self, count: int = 1) -> StepReport:
        """Goes on."""

    def __repr__(self) -> str: ...

    @property
    def positions(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, 3), writable=False)]:
        """(moving, 3) [m]"""

    @property
    def name(self) -> str: ...

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @staticmethod
    def empty(path: str | os.PathLike) -> World: ...

def version() -> str:
    """abut's."""

def _hidden() -> None: ...
'''


class Case(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "_core.pyi"
            path.write_text(STUB)
            self.page = python_reference.render_module(path, "abut")

    def test_declarations_and_docstrings_are_there(self):
        for text in ("# abut\n\nA module: a \\* b.", "## Error\n\nBase: `ValueError`", "## World",
                     "World(scene: Scene, *, model: str = 'sap')", "step(count: int = 1) -> StepReport\n",
                     "Goes on.", "| `positions` | float64 array (n, 3) | (moving, 3) [m] | read-only |",
                     "| `name` | str |  |  |", "static empty(path: str | PathLike) -> World",
                     "### version", "version() -> str\n"):
            self.assertIn(text, self.page)

    def test_what_is_hidden_is_not(self):
        for text in ("__repr__", "_hidden", "setter", "Annotated", "self"):
            self.assertNotIn(text, self.page)

    def test_long_signatures_are_broken(self):
        names = ", ".join(f"argument_{i}: float = 0" for i in range(6))
        function = ast.parse(f"def f(self, {names}) -> None: ...").body[0]
        self.assertTrue(all(len(line) < 90 for line in python_reference.signature(function).split("\n")))


if __name__ == "__main__":
    unittest.main()
