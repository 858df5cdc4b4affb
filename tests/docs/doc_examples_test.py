"""Tests of tools/run_doc_examples.py: what is wrong in a document is found.

usage: doc_examples_test.py BUILD [unittest arguments]
"""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import run_doc_examples  # noqa: E402

BUILD = Path(sys.argv[1])
SCENE = '[world]\nground = true\n[[body]]\nname = "b"\nmass = 1\nshape = { type = "sphere", radius = 0.1 }\n'


def block(language, text, *comments):
    return "".join(f"<!-- {c} -->\n" for c in comments) + f"```{language}\n{text}\n```\n"


class Case(unittest.TestCase):
    def page(self, *blocks, exact=True, update=False):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text("Text.\n\n" + "\n".join(blocks))
            page = run_doc_examples.run_page(path, BUILD, exact, update)
            self.text = path.read_text()
            return page

    def passes(self, *blocks, **options):
        page = self.page(*blocks, **options)
        self.assertEqual(page.faults, [])
        return page

    def fails(self, word, *blocks, **options):
        page = self.page(*blocks, **options)
        self.assertEqual(len(page.faults), 1, page.faults)
        self.assertIn(word, page.faults[0])

    def test_commands_share_a_directory_and_must_succeed(self):
        self.passes(block("sh", "echo 1 > a"), block("sh", "test -s a"))
        self.fails("exit code 1", block("sh", "false"))
        self.fails("exit code 1", block("sh", "false | cat"))
        self.passes(block("sh", "exit 3", "exit: 3"))

    def test_shown_output_is_compared(self):
        self.passes(block("console", "$ echo one\none\n$ echo two\ntwo"))
        self.passes(block("", "$ echo one\none"))
        self.passes(block("console", "$ seq 5\n1\n...\n5"), block("console", "$ seq 5\n..."))
        self.fails("prints something else", block("console", "$ echo one\ntwo"))
        self.fails("prints something else", block("", "$ echo one\ntwo"))
        self.fails("prints something else", block("console", "$ seq 5\n1\n..\n5"))
        self.fails("exit code 1", block("console", "$ false\n$ true"))
        self.fails("begins with", block("console", "echo\n$ echo one\none"))

    def test_times_never_count_and_other_numbers_where_bits_are_the_same(self):
        times = block("console", "$ echo 5 s simulated in 0.3 s, 20 times real time\n"
                                 "5 s simulated in 0.1 s, 60 times real time")
        self.passes(times)
        number = block("console", "$ echo 0.51 mm at 01df7245bfb9239e in a_6.npz\n0.52 mm at 01df7245bfb9239f in a_7.npz")
        self.fails("prints something else", number)
        self.passes(number, exact=False)
        self.fails("prints something else", block("console", "$ echo 5 mm\n5 um"), exact=False)

    def test_a_replay_is_written_only_by_builds_with_the_page(self):
        with_replay = "replay     a.html"
        without = "abut: note: built without its browser page: no replay is written"
        self.passes(block("console", f"$ echo x\n{with_replay}\nx"),
                    block("console", f"$ echo '{with_replay}' && echo x\nx"),
                    block("console", f"$ echo '{without}' && echo x\n{with_replay}\nx"))
        self.fails("prints something else", block("console", "$ echo x\nthe replay is\nx"))

    def test_update_writes_what_is_printed(self):
        text = block("console", "$ echo one\ntwo\n\n$ echo 3\n3") + "\nEnd.\n"
        self.passes(text, update=True)
        self.assertEqual(self.text, "Text.\n\n" + text.replace("two", "one"))

    def test_python_runs_page_by_page(self):
        self.passes(block("python", "a = 1"), block("python", "assert a == 1"),
                    block("python", ">>> a + 1\n2"), block("sh", "echo 3 > b"),
                    block("python", ">>> open('b').read()\n'3\\n'"))
        self.fails("NameError", block("python", "a"))
        self.fails("Expected", block("python", ">>> 1 + 1\n3"))

    def test_scenes_are_loaded(self):
        self.passes(block("toml", SCENE), block('toml title="s.toml"', "abut = 1\n" + SCENE),
                    block("sh", "abut info s.toml"))
        self.fails("did you mean", block("toml", SCENE.replace("mass", "mas")))
        self.fails("no-body", block("xml", "<mujoco><worldbody><no-body/></worldbody></mujoco>"))

    def test_programs_are_compiled(self):
        self.passes(block("cpp", "abut::validate(problem);"))
        self.passes(block("cpp", '#include "abut/linalg/vec3.hpp"\nabut::Vec3 v;'))
        self.fails("validat", block("cpp", "abut::validat(problem);"))

    def test_nothing_is_passed_over_in_silence(self):
        page = self.passes(block("sh", "false", "not run: takes a day"))
        self.assertEqual(len(page.skipped), 1)
        self.assertIn("takes a day", page.skipped[0])
        self.fails("no way to run", block("fortran", "end"))

    def test_what_is_run_before(self):
        self.passes(block("sh", "test -s a", "first: echo 1 > a"))
        self.fails("exit code 1", block("sh", "true", "first: false"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
