"""The page of an experiment, and that of all of them."""

from __future__ import annotations

import html
import re
from collections import Counter
from pathlib import Path

import abut
from abut.reproduce.checks import Check, Verdict
from abut.reproduce.store import Result

STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --met: #00795a; --red: #c2410c;
        --known: #8a6d00; --ink: #1a1a1a; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --met: #4cc9a0; --red: #ff8a50; --known: #e6c229; --ink: #e8e8e8; --paper: #161616; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: var(--ink); background: var(--paper); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.3rem 0 0.2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
.source { opacity: 0.7; margin-top: 0; }
p { max-width: 46rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td:first-child { min-width: 9rem; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.source { font-size: 0.9em; }
.verdict { white-space: nowrap; font-weight: 600; }
.met { color: var(--met); } .red { color: var(--red); } .known { color: var(--known); }
.reason td { border-top: 0; padding-top: 0; font-size: 0.93em; }
figure { margin: 1.5rem 0 2rem; } figure .sheet { background: #fff; border: 1px solid var(--line); border-radius: 4px; padding: 0.5rem; }
figure img { display: block; max-width: 100%; }
figcaption { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 0.2rem 2rem; margin-top: 0.5rem; }
figcaption div:only-child { max-width: 46rem; } figcaption b { font-weight: 600; }
code { font-size: 0.95em; } ul { padding-left: 1.2rem; }
"""

WORDS = {Verdict.MET: "met", Verdict.NOT_MET: "red", Verdict.GONE: "red", Verdict.KNOWN: "known"}


def _text(text: str) -> str:
    """Escaped, with `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def _document(title: str, body: str) -> str:
    return (f'<!doctype html>\n<html lang="en"><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n{body}\n</html>\n")


def verdicts(checks: list[Check]) -> str:
    """As words: how many checks have which verdict."""
    counts = Counter(check.verdict for check in checks)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])


def _row(check: Check) -> str:
    verdict = check.verdict
    row = (f"<tr><td>{_text(check.name)}</td><td class=number>{html.escape(check.expected)}</td>"
           f"<td class=number>{html.escape(check.measured_text)}</td><td class=source>{_text(check.source)}</td>"
           f'<td class="verdict {WORDS[verdict]}">{verdict.value}</td></tr>')
    if check.known:
        row += f'<tr class=reason><td colspan=5>Why: {_text(check.known)}</td></tr>'
    return row


def _checks(checks: list[Check]) -> str:
    return ("<div class=scroll><table><thead><tr><th>what<th>expected<th>measured<th>where it is from<th>verdict"
            "</thead><tbody>" + "\n".join(map(_row, checks)) + "</tbody></table></div>")


def _figures(result: Result) -> str:
    parts = []
    for part in result.parts:
        if part.kind != "figure":
            continue
        stem = Path(part.file).stem
        caption = f"<div>{_text(part.caption)} (<a href={stem}.svg>SVG</a>, <a href={stem}.png>PNG</a>)</div>"
        if part.paper:
            caption += f"<div><b>The paper:</b> {_text(part.paper)}</div>"
        parts.append(f'<figure><div class=sheet><img src="{part.file}" alt="{html.escape(part.caption, quote=True)}"></div>'
                     f"<figcaption>{caption}</figcaption></figure>")
    return "\n".join(parts)


def _files(result: Result, kind: str) -> str:
    return "<ul>" + "".join(f'<li><a href="{part.file}">{part.file}</a>: {_text(part.caption)}'
                            for part in result.parts if part.kind == kind) + "</ul>"


def write_page(result: Result) -> Path:
    """index.html in the folder of the result."""
    e = result.experiment
    option = " --quick" if result.quick else ""
    body = [f'<p><a href="../index.html">all experiments</a></p><h1>{_text(e.title)}</h1>',
            f"<p class=source>{_text(e.source)}</p>"]
    body += [f"<p>{_text(' '.join(paragraph.split()))}</p>" for paragraph in e.text]
    body += [f"<h2>Checks: {verdicts(result.checks)}</h2>", _checks(result.checks)]
    if any(part.kind == "figure" for part in result.parts):
        body += ["<h2>Figures</h2>", _figures(result)]
    for kind, title in (("replay", "Replays"), ("table", "Data")):
        if any(part.kind == kind for part in result.parts):
            body += [f"<h2>{title}</h2>", _files(result, kind)]
    body.append(f"<p class=source><code>abut reproduce {e.name}{option}</code>, abut {abut.version()}, "
                f"{result.seconds:.1f} s</p>")
    path = result.folder / "index.html"
    path.write_text(_document(f"{e.title} - abut", "\n".join(body)), encoding="utf-8")
    return path


def write_index(results: list[Result], out: Path) -> Path:
    """index.html of all results."""
    rows = []
    for result in results:
        worst = "red" if result.is_red else "known" if any(c.known for c in result.checks) else "met"
        rows.append(f'<tr><td><a href="{result.folder.name}/index.html">{result.experiment.name}</a>'
                    f"{' (quick)' if result.quick else ''}</td><td>{_text(result.experiment.title)}</td>"
                    f"<td class=source>{_text(result.experiment.source)}</td>"
                    f'<td class="{worst}">{verdicts(result.checks)}</td></tr>')
    body = ("<h1>Experiments of the papers</h1><p>Each page has the papers' expectations beside what abut "
            "computes.</p><div class=scroll><table><thead><tr><th>name<th>what<th>paper<th>checks</thead><tbody>"
            + "\n".join(rows) + "</tbody></table></div>")
    path = out / "index.html"
    path.write_text(_document("Experiments of the papers - abut", body), encoding="utf-8")
    return path
