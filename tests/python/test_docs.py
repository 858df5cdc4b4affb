"""The code of docs/python.md and of the README runs as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_code_blocks_run_one_after_the_other(page: str, tmp_path: Path, monkeypatch):
    pytest.importorskip("gymnasium")
    pytest.importorskip("matplotlib")
    text = (ROOT / page).read_text()
    blocks = [(m.start(), m[1]) for m in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]
    assert blocks
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for start, block in blocks:
        line = text.count("\n", 0, start) + 1
        exec(compile("\n" * line + block, str(ROOT / page), "exec"), names)
