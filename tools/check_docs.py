#!/usr/bin/env python3
"""check_docs.py: relative links of the Markdown files lead to files and headings that exist, and
every citation [KEY n], n a number, in documents and sources names an entry of docs/references.bib.
In docs/checks.md each row names what makes it, and all that is named is there: tests in the file
named before them, experiments, stages of tools/test.sh, targets of the Makefile. docs/experiments
has a page of each experiment.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
CITATION = re.compile(r"\[([A-Z]{2,}) \d[^\]\n]*\]")
CPP_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^ *def (test_\w+)\(", re.MULTILINE)
TEST_NAME = re.compile(r"[A-Z]\w*\.[A-Z]\w*|test_\w+")
COMMANDS = {  # how it begins, and what there is in a file when NAME comes after
    "abut reproduce ": "bindings/python/abut/experiments/{file}.py",
    "tools/test.sh ": ("tools/test.sh", "stage_{name}()"),
    "make ": ("Makefile", "\n{name}:"),
}


def anchors(text):
    """The fragments by which headings are linked to: lower case, dashes for spaces."""
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in HEADING.findall(text)}


def link_faults(path, text):
    for target in LINK.findall(CODE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        file = path if not name else path.parent / name
        if not file.exists():
            yield f"{path}: link to {target}, which does not exist"
        elif fragment and fragment not in anchors(file.read_text()):
            yield f"{path}: link to {target}, which has no such heading"


def citation_faults(path, text, keys):
    for key in set(CITATION.findall(text)) - keys:
        yield f"{path}: citation [{key}] is not in docs/references.bib"


def tests_in(file):
    """Names of the tests of a source file, suite.name or test_name."""
    text = file.read_text()
    return {".".join(t) for t in CPP_TEST.findall(text)} | set(PYTHON_TEST.findall(text))


def command_fault(code):
    """What is missing for this command; empty if nothing is, None if it is no command of ours."""
    for start, where in COMMANDS.items():
        if not code.startswith(start):
            continue
        name = code.removeprefix(start)
        if isinstance(where, str):
            file, text = Path(where.format(file=name.replace("-", "_"))), ""
        else:
            file, text = Path(where[0]), where[1].format(name=name)
        return "" if file.exists() and text in file.read_text() else f"`{code}` does not exist"
    return None


def check_faults(path, text):
    """Of the tables of docs/checks.md, up to the heading of what is not checked."""
    for line in text.partition("## Not checked")[0].splitlines():
        if not line.startswith("|") or re.fullmatch(r"[|\-: ]+", line):
            continue
        file, tests, found = None, set(), 0
        for code in re.findall(r"`([^`]+)`", line):
            if code.startswith("tests/"):
                file, found = Path(code), found + 1
                tests = tests_in(file) if file.exists() else set()
                if not file.exists():
                    yield f"{path}: `{code}` does not exist"
            elif TEST_NAME.fullmatch(code):
                found += 1
                if code not in tests:
                    yield f"{path}: no test `{code}` in {file}"
            elif (fault := command_fault(code)) is not None:
                found += 1
                if fault:
                    yield f"{path}: {fault}"
        if not found and not line.endswith("| checked by |"):
            yield f"{path}: names nothing that checks it: {line}"


def experiment_faults():
    """Experiments whose results are not kept, and the other way round."""
    files = {f.stem.replace("_", "-") for f in Path("bindings/python/abut/experiments").glob("[!_]*.py")}
    pages = {f.stem for f in Path("docs/experiments").glob("*.md")} - {"README"}
    for name in sorted(files ^ pages):
        yield f"docs/experiments: {name} is not both an experiment and a page: make experiments"


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    keys = set(re.findall(r"@\w+\{(\w+),", Path("docs/references.bib").read_text()))
    faults, count = [], 0
    for path in map(Path, listed):
        if path.suffix not in (".md", ".hpp", ".cpp", ".py") or not path.exists():
            continue
        count += 1
        text = path.read_text()
        if path.suffix == ".md":
            faults += link_faults(path, text)
        faults += citation_faults(path, text, keys)
        if path == Path("docs/checks.md"):
            faults += check_faults(path, text)
    faults += experiment_faults()
    print("\n".join(faults))
    if faults:
        sys.exit(f"{len(faults)} faults")
    print(f"{count} files, {len(keys)} references")


if __name__ == "__main__":
    main()
