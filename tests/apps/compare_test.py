"""Tests of `abut compare`."""

import json
import os
import sys
import unittest

from cli_testing import SCENES, Case

SLIDING, DRAGGED = f"{SCENES}/sliding_cube.toml", f"{SCENES}/dragged_cube.toml"
RIGID_SOLVERS = ("interior-point", "gauss-seidel", "projected-gauss-seidel", "admm", "staggered", "semismooth-newton", "newton-ccp")
MU, G, SPEED = 0.4, 9.81, 1.0


class Compare(Case):
    def compare(self, *arguments, code=0):
        done = self.abut("compare", *arguments, "--out", "c", code=code)
        with open(self.path("c/compare.json"), encoding="utf-8") as f:
            return {run["name"]: run for run in json.load(f)["runs"]}, done.stdout

    def test_models_of_a_sliding_cube_differ_as_they_should(self):
        runs, text = self.compare(SLIDING)
        self.assertEqual(list(runs), ["sap", "lagged", "similar", "anchored", "ncp", "ccp", "lcp", "raisim"])
        for name in runs:
            self.assertIn(name, text)
            self.assertEqual(runs[name]["failed_steps"], 0, name)
            self.assertLessEqual(runs[name]["certificate_max"], 1e-6, name)
        # one ruler: of the models only the NCP satisfies the NCP
        self.assertLess(runs["ncp"]["ncp_complementarity_max"], 1e-3)
        for name in ("sap", "ccp", "lcp", "raisim"):
            self.assertGreater(runs[name]["ncp_complementarity_max"], 1, name)
        self.assertLess(abs(runs["ncp"]["gliding"]), 1e-3)
        # pyramids hold by mu (|cos| + |sin|) where the slip is (0.8, 0.6)
        self.assertAlmostEqual(runs["lcp"]["distance_end"], 1e3 * SPEED**2 / (2 * MU * G) * (1 - 1 / 1.4), delta=1)

    def test_the_convex_model_glides_in_proportion_to_the_step(self):
        heights = []
        for h in (0.001, 0.002):
            runs, _ = self.compare(SLIDING, "--models", "ccp", "--dt", h)
            heights.append(runs["ccp"]["gliding"])
            # mu h v of speeds below the first; it flies where it is fastest
            self.assertLess(heights[-1], 1e3 * MU * h * SPEED / 2)
        self.assertAlmostEqual(heights[1] / heights[0], 2, delta=0.1)

    def test_each_model_by_each_solver_that_solves_it(self):
        runs, _ = self.compare(DRAGGED, "--models", "ncp,sap", "--solvers", "interior-point,newton,admm")
        self.assertEqual(list(runs), ["ncp, interior-point", "ncp, admm", "sap, newton"])
        self.assertLess(runs["ncp, admm"]["distance_max"], 0.01)  # mm: one answer
        self.assertTrue(os.path.exists(self.path("c/ncp_admm.bin")))

    def test_says_which_options_no_run_reads(self):
        def notes(*options):
            done = self.abut("compare", SLIDING, "--models", "ncp,sap", "--out", "c", *options)
            return [line for line in done.stderr.splitlines() if "no effect" in line]

        self.assertEqual(notes("--restitution", "0.1", "--stiffness", "1e6"), [])  # one of the two does
        self.assertEqual(notes("--lag-tolerance", "0.1"), ["note: --lag-tolerance has no effect with any of the models"])

    def test_a_folder_of_others_is_left_alone(self):
        os.mkdir(self.path("c"))
        with open(self.path("c/mine.txt"), "w", encoding="utf-8") as f:
            f.write("mine")
        self.assertIn("c", self.error("compare", SLIDING, "--out", "c"))
        self.assertEqual(os.listdir(self.path("c")), ["mine.txt"])

    def test_wrong_names_are_refused_before_anything_runs(self):
        for arguments, message in ((["--models", "ncp,nonsense"], "nonsense"),
                                   (["--models", "ncp,ncp"], "twice"),
                                   (["--models", "sap", "--solvers", "admm"], "solves the model sap"),
                                   (["--solvers", "nonsense"], "nonsense"),
                                   (["--models", "ncp,ccp,lcp,raisim", "--solvers", ",".join(RIGID_SOLVERS)], "at most 16")):
            self.assertIn(message, self.error("compare", SLIDING, *arguments))
            self.assertFalse(os.path.exists(self.path("sliding_cube.compare")))

    def test_a_run_that_ends_early_does_not_end_the_others(self):
        with open(self.path("box.xml"), "w", encoding="utf-8") as f:
            f.write('<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 2"><freejoint/>'
                    '<geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody></mujoco>')
        # it lands on four corners after 0.62 s
        runs, text = self.compare("box.xml", "--models", "ncp,sap", "--contact-limit", "3", "--duration", "1", code=3)
        for name in ("ncp", "sap"):
            self.assertIn("more than 3 contacts", runs[name]["ended"])
            self.assertGreater(runs[name]["steps"], 50)
            self.assertIn(f"{name} ended early", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
