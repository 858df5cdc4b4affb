#!/usr/bin/env python3
"""keep_experiments.py REPRODUCED: writes what a full run of `abut reproduce --all --out REPRODUCED` found as pages of the
documents, docs/experiments: checks and figures, without replays and data. All results have to be of the abut that
this Python imports.
"""

import re
import shutil
import sys
from pathlib import Path

from abut.reproduce import library, page, store

KEPT = Path(__file__).resolve().parent.parent / "docs" / "experiments"
CASES = "../../bindings/python/abut/experiments"


def markdown(text):
    """A sentence of a result as Markdown, fit for a table's cell."""
    pieces = re.split(r"(`[^`]+`)", " ".join(text.split()))
    pieces[::2] = [re.sub(r"([\\*_\[\]#<])", r"\\\1", piece) for piece in pieces[::2]]  # not in code
    return "".join(pieces).replace("|", "\\|")


def table(*rows):
    return ["| " + " | ".join(row) + " |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])]


def page_of(result):
    e = result.experiment
    file = e.file.name
    lines = [f"# {markdown(e.title)}", "", f"{markdown(e.source)}: [`abut reproduce {e.name}`](../reproduce.md), "
             f"[{file}]({CASES}/{file})", ""]
    for paragraph in e.text:
        lines += [markdown(paragraph), ""]
    lines += ["## Checks", "", f"{page.verdicts(result.checks)}.", ""]
    lines += table(["what", "expected", "measured", "where it is from", "verdict"],
                   *([markdown(c.name), markdown(c.expected), markdown(c.measured_text), markdown(c.source),
                      c.verdict.value] for c in result.checks))
    known = [c for c in result.checks if c.known]
    if known:
        lines += ["", "Why there are known deviations:", ""]
        lines += [f"- {markdown(c.name)}: {markdown(c.known)}" for c in known]
    figures = [part for part in result.parts if part.kind == "figure"]
    if figures:
        lines += ["", "## Figures"]
    for part in figures:
        lines += ["", f"![{markdown(part.caption)}]({e.name}/{part.file})", "", markdown(part.caption)]
        if part.paper:
            lines += ["", f"The paper: {markdown(part.paper)}"]
    return "\n".join(lines) + "\n"


def index_of(results):
    minutes = sum(result.seconds for result in results) / 60
    lines = ["# Results of the experiments", "",
             "What [`abut reproduce --all`](../reproduce.md) found, in full: each page has the papers' expectations beside what",
             f"abut computed, and the figures. It took {minutes:.0f} minutes in all. The run itself leaves data and replays too.", ""]
    lines += table(["experiment", "what", "paper", "checks", "s"],
                   *([f"[{r.experiment.name}]({r.experiment.name}.md)", markdown(r.experiment.title),
                      markdown(r.experiment.source), page.verdicts(r.checks), f"{r.seconds:.0f}"] for r in results))
    return "\n".join(lines) + "\n"


def main(reproduced):
    experiments = [library.find(name) for name in library.names()]
    results = {e.name: store.load(e, reproduced, quick=False) for e in experiments}
    missing = [name for name, result in results.items() if not result]
    if missing:
        sys.exit(f"no results of this abut in {reproduced}: {', '.join(missing)}")
    shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir()
    for name, result in results.items():
        (KEPT / f"{name}.md").write_text(page_of(result), encoding="utf-8")
        for part in result.parts:
            if part.kind == "figure":
                (KEPT / name).mkdir(exist_ok=True)
                shutil.copy(result.folder / part.file, KEPT / name)
    (KEPT / "README.md").write_text(index_of(list(results.values())), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
