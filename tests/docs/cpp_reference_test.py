"""Tests of tools/site/cpp_reference.py: what of a header is in its page."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "site"))
import cpp_reference  # noqa: E402

HEADER = """#pragma once

namespace abut {

class Forward;

/// What a thing is: a * b.
///
///     x = 2 y
///
/// @throws InputError if y < 0
double thing(double y, const Options& options = {});

/// An end.
enum class End { good, bad };

struct Plain {
  double size = 1;  ///< of it [m]
                    ///< or more
  int count = 0;
};

class Machine {
 public:
  /// Goes on.
  void step();
  void stop();

  int size() const { return size_; }

 private:
  /// Not for others.
  void hidden();
  int size_ = 0;
};

}  // namespace abut
"""


class Case(unittest.TestCase):
    def page(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "thing.hpp"
            path.write_text(text)
            return "\n".join(cpp_reference.render_header(path, "sim"))

    def test_declarations_and_comments_are_there(self):
        page = self.page(HEADER)
        for text in ("## sim/thing.hpp", "double thing(double y, const Options& options = {})",
                     "What a thing is: a \\* b.", "\n    x = 2 y\n", "**Throws** InputError if y &lt; 0",
                     "### End", "| `good` |", "### Plain", "| `double size = 1` | of it [m] or more |",
                     "### Machine", "void step()\nvoid stop()\n```\n\nGoes on.", "int size() const\n"):
            self.assertIn(text, page)

    def test_what_is_private_is_not(self):
        page = self.page(HEADER)
        for text in ("hidden", "Not for others", "return size_", "Forward", "int size_"):
            self.assertNotIn(text, page)

    def test_a_header_that_cannot_be_read_ends_the_build(self):
        with self.assertRaises(SystemExit) as end:
            self.page("namespace abut { class { = ; }")
        self.assertIn("thing.hpp", str(end.exception))


if __name__ == "__main__":
    unittest.main()
