#!/usr/bin/env python3
"""check_docs.py: relative links of the Markdown files lead to files and headings that exist, and
every citation [KEY n], n a number, in documents and sources names an entry of docs/references.bib.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
CITATION = re.compile(r"\[([A-Z]{2,}) \d[^\]\n]*\]")


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
    print("\n".join(faults))
    if faults:
        sys.exit(f"{len(faults)} faults")
    print(f"{count} files, {len(keys)} references")


if __name__ == "__main__":
    main()
