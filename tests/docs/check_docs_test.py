"""Tests of tools/check_docs.py: what docs/checks.md names and is not there is found."""

import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_docs  # noqa: E402

CPP = "`tests/solvers/newton_test.cpp` "


class Case(unittest.TestCase):
    def setUp(self):
        os.chdir(ROOT)

    def faults(self, cell):
        text = f"| what | checked by |\n|---|---|\n| rest | {cell} |\n## Not checked yet\n| rest | `Newton.No` |\n"
        return list(check_docs.check_faults("checks.md", text))

    def test_what_is_there_is_no_fault(self):
        for cell in (CPP + "`Newton.QuadraticCostTakesOneWholeStep`",
                     "`tests/laws/contact_model_test.cpp` `ContactModelContract.PotentialIsConvex`",
                     "`tests/apps/cli_test.py` `test_no_steps`; `abut reproduce clutter-step`",
                     "`tools/test.sh clarabel`", "`make grasps`"):
            self.assertEqual(self.faults(cell), [], cell)

    def test_what_is_not_there_is_named(self):
        for cell, what in ((CPP + "`Newton.QuadraticCost`", "Newton.QuadraticCost"),
                           (CPP + "`Sap.FrictionLaw`", "Sap.FrictionLaw"),  # of another file
                           ("`Sap.FrictionLaw`", "Sap.FrictionLaw"),
                           ("`tests/solvers/newtn_test.cpp`", "newtn_test.cpp"),
                           ("`tests/apps/cli_test.py` `test_no_step`", "test_no_step"),
                           ("`abut reproduce clutter-steps`", "clutter-steps"),
                           ("`tools/test.sh clarabell`", "clarabell"), ("`make grasp`", "make grasp"),
                           ("Newton's method", "names nothing")):
            faults = self.faults(cell)
            self.assertEqual(len(faults), 1, cell)
            self.assertIn(what, faults[0])

    def test_each_experiment_has_a_page(self):
        self.assertEqual(list(check_docs.experiment_faults()), [])


if __name__ == "__main__":
    unittest.main()
