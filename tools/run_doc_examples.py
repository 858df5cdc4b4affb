#!/usr/bin/env python3
"""run_doc_examples.py BUILD [FILE.md ...]: runs the code blocks of the documents, each page in a
directory of its own with nothing but docs/, examples/ and the built program in it, which is on the path.

    sh             every command must succeed
    console        commands after `$ `; what they print must be what is shown, `...` is any lines
    python         page by page in one interpreter; after `>>>` what is shown is compared
    toml, xml      a scene that `abut info` reads, written to the file that title="..." names
    cpp            compiles, as a file if it includes something, else inside of a function
    text, json, csv, none: not code. With title="..." written to that file

A comment on the line above the fence, which readers do not see, changes that:

    <!-- not run: WHY -->     listed at the end
    <!-- first: COMMANDS -->  run before the block
    <!-- exit: N -->          the exit code of the block's last command

$ABUT_BUILD is the build, $ABUT_SOURCE the folder of the headers.

Times are not compared, nor whether a replay is written, which takes node when abut is built. Other numbers are where the documents were written: with AVX-512 kernels made by
GCC 12; elsewhere the last bits differ, and after many collisions all digits. --update writes what console
blocks print into the documents.
"""

import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?P<comments>(?:^<!-- [^\n]* -->\n)*)"
                   r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$",
                   re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!-- (not run|first|exit): (.*) -->")
TIMES = [(re.compile(r"simulated in \S+ s, \S+ times real time"), "simulated in TIME"),
         (re.compile(r"^(step +)\S+ us: .*$", re.MULTILINE), r"\1TIME"),
         (re.compile(r"^([a-z][a-z-]* +(?:converged|iteration_limit|stalled|numerical_failure)"
                     r" +\d+ +\d+) +\S+", re.MULTILINE), r"\1 TIME")]
REPLAY = re.compile(r"^(?:replay  .*|.*: no replay is written)\n", re.MULTILINE)
NUMBER = re.compile(r"\b[0-9a-f]{16}\b|-?(?<![A-Za-z\d])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![A-Za-z\d])")
TIME_LIMIT = 120  # s

# Executes blocks that come as JSON lines in one namespace, and answers what they print.
INTERPRETER = """
import contextlib, doctest, io, json, sys, traceback
answers, names = sys.stdout, {"__name__": "__main__"}
for line in sys.stdin:
    text, out, ok = json.loads(line), io.StringIO(), True
    with contextlib.redirect_stdout(out):
        try:
            if text.lstrip().startswith(">>>"):
                test = doctest.DocTestParser().get_doctest(text, names, "block", None, 0)
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                ok = runner.run(test, clear_globs=False).failed == 0
                names.update(test.globs)
            else:
                exec(compile(text, "block", "exec"), names)
        except BaseException:
            ok = False
            print(traceback.format_exc())
    print(json.dumps([ok, out.getvalue()]), file=answers, flush=True)
"""


@dataclass
class Block:
    line: int
    language: str
    title: str | None
    text: str
    span: tuple  # of the text in its file
    settings: dict


@dataclass
class Page:
    path: Path
    counts: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)
    faults: list = field(default_factory=list)
    changes: list = field(default_factory=list)  # (span, text)


def blocks(text):
    for match in BLOCK.finditer(text):
        info = match["info"].strip()
        title = re.search(r'title="([^"]+)"', info)
        language = re.match(r"[\w+]*", info)[0]
        if not language and match["text"].startswith("$ "):
            language = "console"
        yield Block(text.count("\n", 0, match.start("fence")) + 1, language or "text",
                    title[1] if title else None, match["text"], match.span("text"),
                    dict(COMMENT.findall(match["comments"])))


class Fault(Exception):
    pass


class Runner:
    """One page's blocks, in order."""

    def __init__(self, build, folder, exact):
        self.build, self.folder, self.exact = build.resolve(), folder, exact
        self.python = None
        self.environment = {k: v for k, v in os.environ.items() if k != "ABUT_ISA"}
        path = [self.build / "apps" / "abut", Path(sys.executable).parent]
        self.environment["PYTHONPATH"] = str(self.build / "bindings" / "python")
        self.environment |= {"ABUT_PYTHON": sys.executable, "ABUT_SOURCE": str(ROOT / "src"), "ABUT_BUILD": str(self.build)}
        self.environment["PATH"] = ":".join([*map(str, path), os.environ["PATH"]])
        for name in ("docs", "examples"):
            (folder / name).symlink_to(ROOT / name)
        program = folder / "build" / "release" / "apps" / "abut" / "abut"
        program.parent.mkdir(parents=True)
        program.symlink_to(self.build / "apps" / "abut" / "abut")

    def close(self):
        if self.python:
            self.python.communicate()

    def shell(self, command):
        """Exit code and output. What the command started ends with it."""
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=self.folder,
                                   env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        try:
            output, _ = process.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Fault(f"not done after {TIME_LIMIT} s: {command}") from None
        return process.returncode, output

    def need(self, command, code=0):
        got, output = self.shell(command)
        if got != code:
            raise Fault(f"exit code {got} instead of {code}: {command}\n{output[-2000:]}")

    def run(self, block):
        """Runs one block. Returns what it should look like, if that is something else."""
        if "first" in block.settings:
            self.need(block.settings["first"])
        if block.title:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        kind = getattr(self, f"run_{block.language}", None)
        if kind is None:
            raise Fault(f"there is no way to run a block of '{block.language}'")
        return kind(block)

    def run_text(self, block):
        pass

    run_json = run_csv = run_text

    def run_sh(self, block):
        self.need(block.text, int(block.settings.get("exit", 0)))

    def run_console(self, block):
        parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.text, flags=re.MULTILINE)
        if parts[0].strip():
            raise Fault("a console block begins with `$ `")
        commands, shown = parts[1::2], parts[2::2]
        printed, same = [], True
        for i, (command, expected) in enumerate(zip(commands, shown)):
            code, output = self.shell(command)
            wanted = int(block.settings.get("exit", 0)) if i == len(commands) - 1 else 0
            if code != wanted:
                raise Fault(f"exit code {code} instead of {wanted}: {command}\n{output[-2000:]}")
            agrees = self.matches(expected.rstrip("\n"), output.rstrip("\n"))
            same = same and agrees
            blank = "\n" if expected.endswith("\n\n") else ""
            printed.append(f"$ {command}\n{expected if agrees else output.rstrip() + chr(10) + blank}")
        return None if same else "".join(printed)

    def matches(self, shown, printed):
        shown, printed = self.masked(shown), self.masked(printed)
        lines = (r"(?:.*\n)*?" if line == "..." else re.escape(line + "\n")
                 for line in shown.split("\n"))
        return re.fullmatch("".join(lines), printed + "\n") is not None

    def masked(self, text):
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        text = REPLAY.sub("", text + "\n")[:-1]
        for pattern, word in TIMES:
            text = pattern.sub(word, text)
        return text if self.exact else re.sub(" +", " ", NUMBER.sub("N", text))

    def run_python(self, block):
        if block.title:
            return
        if self.python is None:
            self.python = subprocess.Popen([sys.executable, "-c", INTERPRETER], cwd=self.folder,
                                           env=self.environment, stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)
        self.python.stdin.write(json.dumps(block.text) + "\n")
        self.python.stdin.flush()
        answer = self.python.stdout.readline()
        ok, output = json.loads(answer) if answer else (False, "the interpreter ended")
        if not ok:
            raise Fault(output)

    def run_toml(self, block):
        self.scene(block, "example.toml", "" if re.search(r"^abut *=", block.text, re.MULTILINE)
                   else "abut = 1\n")

    def run_xml(self, block):
        self.scene(block, "example.xml", "")

    def scene(self, block, name, head):
        name = block.title or name
        (self.folder / name).write_text(head + block.text)
        self.need(f"abut info {name}", int(block.settings.get("exit", 0)))

    def run_cpp(self, block):
        text = block.text
        if "#include" not in text:
            headers = ["core/error.hpp", "problem/contact_problem.hpp", "solvers/contact_solver.hpp"]
            includes = "\n".join(f'#include "abut/{h}"' for h in headers)
            text = f"{includes}\nvoid example(abut::ContactProblem& problem) {{\n{text}}}\n"
        (self.folder / "example.cpp").write_text(text)
        self.need(f"g++ -std=c++20 -fsyntax-only -I{ROOT / 'src'} example.cpp")


def run_page(path, build, exact, update):
    page, text = Page(path), path.read_text()
    with tempfile.TemporaryDirectory(prefix="abut-docs-") as folder:
        runner = Runner(build, Path(folder), exact)
        try:
            for block in blocks(text):
                where = f"{path.resolve().relative_to(ROOT) if path.resolve().is_relative_to(ROOT) else path}:{block.line}"
                if "not run" in block.settings:
                    page.skipped.append(f"{where}: {block.language}, not run: {block.settings['not run']}")
                    continue
                page.counts[block.language] = page.counts.get(block.language, 0) + 1
                try:
                    printed = runner.run(block)
                except Fault as fault:
                    page.faults.append(f"{where}: {block.language}: {fault}")
                    continue
                if printed is not None and update:
                    page.changes.append((block.span, printed))
                elif printed is not None:
                    page.faults.append(f"{where}: prints something else than what is shown; it now prints\n"
                                       f"{printed}if that is right: tools/run_doc_examples.py BUILD --update")
        finally:
            runner.close()
    for (start, end), printed in reversed(page.changes):
        text = text[:start] + printed + text[end:]
    if page.changes:
        path.write_text(text)
    return page


def reference_platform(build):
    """Whether this build has the bits of the one that the documents were written with."""
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)[1]
    version = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True).stdout
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return "avx512bw" in flags and version.split(".")[0].strip() == "12"


def documents():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.splitlines()
    return [ROOT / path for path in listed if (ROOT / path).exists()]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    exact = reference_platform(options.build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pages = list(pool.map(lambda path: run_page(path, options.build, exact, options.update),
                              options.files or documents()))
    counts = {}
    for page in pages:
        for language, count in page.counts.items():
            counts[language] = counts.get(language, 0) + count
    skipped = [line for page in pages for line in page.skipped]
    faults = [line for page in pages for line in page.faults]
    print(", ".join(f"{count} {language}" for language, count in sorted(counts.items())), "blocks;",
          f"{len(skipped)} not run:")
    print("\n".join(f"  {line}" for line in skipped))
    if not exact:
        print("numbers are not compared: not a processor with AVX-512 and GCC 12")
    for line in faults:
        print(line, file=sys.stderr)
    if faults:
        sys.exit(f"{len(faults)} of the documents' code blocks are wrong")


if __name__ == "__main__":
    main()
