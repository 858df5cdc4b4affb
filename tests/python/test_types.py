"""What type checkers see of the package: its stubs, its own code, the code of the guide."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import abut

pytest.importorskip("mypy")
ROOT = Path(__file__).parents[2]
PACKAGE = Path(abut.__file__).parent
CODE = re.compile(r"(?P<comments>(?:^<!-- [^\n]* -->\n)*)^```python\n(?P<text>.*?)^```$",
                  re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("mypy"))


def check(folder: Path, cache: str, *arguments: str) -> str:
    """What mypy finds wrong."""
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", cache, "--no-error-summary",
         "--ignore-missing-imports", "--allow-redefinition", *arguments],
        cwd=folder, env=os.environ | {"MYPYPATH": str(PACKAGE.parent)}, capture_output=True, text=True)
    assert found.returncode in (0, 1), found.stdout + found.stderr
    return found.stdout


def code_of(page: Path) -> str:
    """Its Python, but what is typed at a prompt; each line where it stands in the page."""
    lines = [""] * (page.read_text().count("\n") + 1)
    for block in CODE.finditer(page.read_text()):
        if not block["text"].startswith(">>>"):
            first = page.read_text().count("\n", 0, block.start("text"))
            text = block["text"].split("\n")
            lines[first : first + len(text)] = text
    return "\n".join(lines)


def test_the_code_of_the_documents_passes_a_type_check(tmp_path: Path, cache: str):
    pages = [ROOT / "README.md", ROOT / "docs" / "python.md"]
    for page in pages:
        (tmp_path / f"{page.stem}_code.py").write_text(code_of(page))
    assert check(tmp_path, cache, *(f"{page.stem}_code.py" for page in pages)) == ""


def test_the_package_and_its_stubs_pass_a_type_check(tmp_path: Path, cache: str):
    assert check(tmp_path, cache, "--package", "abut") == ""


USE = """
import abut

world = abut.World(abut.Scene())
reveal_type(world.step())
reveal_type(world.report)
reveal_type(world.violations)
reveal_type(world.scene)
world.qpos
"""


def test_a_step_is_of_the_type_that_it_has(tmp_path: Path, cache: str):
    (tmp_path / "use.py").write_text(USE)
    found = re.findall(r'(?:type is|error:) "(.*?)"', check(tmp_path, cache, "use.py"))
    assert found == ["abut._core.StepReport", "abut._core.StepReport | None",
                     "list[abut._core.Violation]", "abut._core.Scene",
                     "World"]  # of 'error: "World" has no attribute "qpos"'
