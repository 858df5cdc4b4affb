"""Which experiments there are, and what each is."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType

import abut.experiments
from abut import FileError, InputError
from abut.reproduce.run import Run


@dataclass(frozen=True)
class Experiment:
    """A file with a text at its top, whose first line is the title; SOURCE, the part of a paper; run(); perhaps NEEDS,
    the packages that it imports."""

    name: str
    title: str
    text: list[str]  # paragraphs
    source: str
    run: Callable[[Run], None]
    file: Path
    needs: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        """Packages that are not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


def names() -> list[str]:
    """Of the papers' experiments."""
    modules = pkgutil.iter_modules(abut.experiments.__path__)
    return sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_"))


def _describe(name: str, module: ModuleType) -> Experiment:
    paragraphs = inspect.cleandoc(module.__doc__ or "").split("\n\n")
    for what in ("SOURCE", "run"):
        if not hasattr(module, what):
            raise InputError(f"{module.__file__}: an experiment needs {what}")
    if not paragraphs[0]:
        raise InputError(f"{module.__file__}: an experiment needs a text at its top")
    return Experiment(name, " ".join(paragraphs[0].split()).rstrip("."), paragraphs[1:], module.SOURCE,
                      module.run, Path(str(module.__file__)), tuple(getattr(module, "NEEDS", ())))


def find(name: str) -> Experiment:
    """The experiment of a name, or of a file FILE.py. Raises InputError, FileError."""
    if name.endswith(".py"):
        path = Path(name)
        if not path.is_file():
            raise FileError(f"{name}: no such file")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return _describe(path.stem.replace("_", "-"), module)
    if name not in names():
        near = get_close_matches(name, names(), 1, 0.4)
        hint = f", did you mean {near[0]}?" if near else ": --list names them"
        raise InputError(f"no experiment is called {name!r}{hint}")
    return _describe(name, importlib.import_module("abut.experiments." + name.replace("-", "_")))
