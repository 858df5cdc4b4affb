"""Tests of `abut solve` on several problems, and of its reports."""

import html.parser
import json
import os
import signal
import subprocess
import sys
import unittest

import numpy as np

from cli_testing import ABUT, CLUTTER, Case

SOLVERS = ("interior-point", "gauss-seidel")  # both solve the NCP


def pile(contacts, seed):
    """One island of bodies with the mass matrix 1: W = J J^T, of rank 6 n."""
    random = np.random.default_rng(seed)
    bodies = contacts // 3 + 1
    J = np.zeros((3 * contacts, 6 * bodies))
    for i in range(contacts):
        for body in (i % bodies, (i + 1) % bodies):
            J[3 * i:3 * i + 3, 6 * body:][:, :6] = random.normal(size=(3, 6))
    W = J @ J.T
    row, column = np.nonzero(W)
    return dict(W_row=row.astype(np.int32), W_col=column.astype(np.int32), W_val=W[row, column],
                q=random.normal(size=3 * contacts), mu=random.uniform(0.1, 0.9, contacts))


def cube_at_rest():
    """A cube of 1 kg, half edge 1 m, on four corners, with weight and step such that m g h is 1 N s: many impulses bear it."""
    inverse = np.diag([1, 1, 1, 1.5, 1.5, 1.5])  # of 2/3 kg m^2
    J = []
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        for d in np.eye(3)[[2, 0, 1]]:  # normals come first
            J.append([*d, *np.cross([x, y, -1], d)])
    J = np.array(J)
    W = J @ inverse @ J.T
    row, column = np.nonzero(W)
    return dict(W_row=row.astype(np.int32), W_col=column.astype(np.int32), W_val=W[row, column],
                q=J @ [0, 0, -1, 0, 0, 0], mu=np.full(4, 0.5))


def natural_error(problem, impulse):
    """The certificate's, by the definition in docs/solvers/interior-point.md; one island."""
    n, mu = len(problem["q"]), problem["mu"]
    W = np.zeros((n, n))
    np.add.at(W, (problem["W_row"], problem["W_col"]), problem["W_val"])
    gamma = np.roll(impulse, 1, axis=1)  # normals come first
    sigma = (W @ gamma.ravel() + problem["q"]).reshape(-1, 3)
    total = 0
    for i in range(len(mu)):
        w = np.trace(W[3 * i:3 * i + 3, 3 * i:3 * i + 3]) / 3
        c = sigma[i] + [mu[i] * np.hypot(*sigma[i, 1:]), 0, 0]
        x = gamma[i] - c / w
        normal, slip = x[0], np.hypot(*x[1:])
        if slip > mu[i] * normal:
            if mu[i] * slip <= -normal:
                x = np.zeros(3)
            else:
                normal = (normal + mu[i] * slip) / (1 + mu[i]**2)
                x = np.array([normal, *(mu[i] * normal * x[1:] / slip)])
        total += np.sum((w * (gamma[i] - x))**2)
    return np.sqrt(total) / np.linalg.norm(problem["q"])


class Page(html.parser.HTMLParser):
    VOID = ("meta", "link", "input", "line", "polyline", "circle", "rect", "path")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.classes, self.cells, self.row = [], [], [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th", "a") and self.cells:
            self.cells[-1][-1] += data


class Solve(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("p"))
        self.problems = {f"p/{name}.npz": pile(contacts, seed)
                         for seed, (name, contacts) in enumerate([("a", 4), ("b", 9)])}
        for name, arrays in self.problems.items():
            np.savez(self.path(name), **arrays)

    def report(self, *arguments):
        """Not every solver converges."""
        done = subprocess.run([ABUT, "solve", *map(str, arguments), "--json", "r.json"],
                              cwd=self.folder, text=True, capture_output=True, timeout=120)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        with open(self.path("r.json")) as f:
            return json.load(f)

    def test_json_has_the_figures_of_all_solvers_from_both_starts(self):
        report = self.report("p/b.npz", "--solver", "all", "--tolerance", 1e-7)
        self.assertEqual(report["format_version"], 1)
        self.assertIsNone(report["interrupted"])
        (problem,) = report["problems"]
        self.assertEqual((problem["problem"], problem["model"], problem["tolerance"]),
                         ("p/b.npz", "ncp", 1e-7))
        solves = problem["solves"]
        self.assertEqual(len({(s["solver"], s["start"]) for s in solves}), len(solves))
        for solver in SOLVERS:
            cold, warm = [s for s in solves if s["solver"] == solver]
            self.assertEqual((cold["start"], warm["start"]), ("cold", "warm"))
        for s in solves:
            self.assertEqual(s["status"] == "converged", s["error"] <= 1e-7)
            if s["solver"] in SOLVERS:
                self.assertEqual((s["status"], s["model"]), ("converged", "ncp"))
            self.assertEqual(s["error"], s["certificate"]["natural_error"])
            self.assertGreater(s["seconds"], 0)
        self.abut("solve", "p/b.npz", "--tolerance", 1e-7, "--solution", "x.npz")
        with np.load(self.path("x.npz")) as x:
            error = natural_error(self.problems["p/b.npz"], x["impulse"])
        default = solves[0]
        self.assertAlmostEqual(default["error"], error, delta=1e-6 * error + 1e-15)
        # an answer that is far off, where all figures are large
        np.savez(self.path("stored.npz"), **self.problems["p/b.npz"], sol_r=np.arange(27.0))
        (problem,) = self.report("stored.npz")["problems"]
        impulse = np.roll(np.arange(27.0).reshape(-1, 3), -1, axis=1)
        self.assertAlmostEqual(
            problem["stored"]["natural_error"] / natural_error(self.problems["p/b.npz"], impulse), 1,
            places=10)

    def test_a_warm_start_is_nearer_the_answer(self):
        solves = self.report("p/b.npz", "--solver", "gauss-seidel")["problems"][0]["solves"]
        self.assertLess(solves[1]["iterations"], solves[0]["iterations"])

    def test_a_folder_is_its_problems(self):
        self.abut("run", CLUTTER, "--duration", 0.4, "--save-problem", "200", "--out", "o", "--quiet")
        os.rename(self.path("o/problem_200.npz"), self.path("p/step.npz"))
        done = subprocess.run([ABUT, "solve", "p", "--solver", "all"], cwd=self.folder, text=True,
                              capture_output=True)
        self.assertIn(done.returncode, (0, 3))
        titles = [line for line in done.stdout.splitlines() if line.startswith("p/")]
        self.assertEqual([t.split(":")[0] for t in titles], ["p/a.npz", "p/b.npz", "p/step.npz"])
        lines = done.stdout.splitlines()
        summary = {line.split()[0]: line.split()[1:] for line in lines[lines.index("3 problems") + 2:]}
        self.assertEqual(summary["interior-point"][:2], ["2", "2"])
        self.assertEqual(summary["newton"][:2], ["1", "1"])
        report = self.report("p", "--model", "ncp", "--solver", "all")
        self.assertEqual([len({s["solver"] for s in p["solves"]}) for p in report["problems"]],
                         [len(report["summary"])] * 3)
        self.assertGreaterEqual(sum(s["fastest"] for s in report["summary"]), 3)
        self.assertIn("holds no problem", self.error("solve", "."))

    def test_a_solver_that_does_not_solve_the_model_is_left_out(self):
        report = self.report("p/a.npz", "--solver", "all", "--model", "ccp")
        names = [s["solver"] for s in report["summary"]]
        self.assertIn("gauss-seidel", names)
        self.assertNotIn("interior-point", names)

    def impulses(self, *options):
        self.abut("solve", "cube.npz", "--solver", "gauss-seidel", "--solution", "s.npz", *options)
        return np.load(self.path("s.npz"))["impulse"]

    def test_least_norm_has_no_internal_forces(self):
        np.savez(self.path("cube.npz"), **cube_at_rest())
        plain = self.impulses()
        self.assertGreater(np.abs(plain - [0, 0, 0.25]).max(), 1e-3)  # sweeps begin at one corner
        np.testing.assert_allclose(self.impulses("--least-norm"), [[0, 0, 0.25]] * 4, atol=1e-6)

    def test_relaxation_changes_the_sweeps_and_not_the_answer(self):
        sweeps = {}
        for share in ("0.7", "1"):
            report = self.report("p/a.npz", "--solver", "gauss-seidel", "--relaxation", share)
            cold = report["problems"][0]["solves"][0]
            self.assertEqual(cold["status"], "converged", share)
            sweeps[share] = cold["iterations"]
        self.assertNotEqual(sweeps["0.7"], sweeps["1"])
        for share in ("0", "2", "nan"):
            self.assertIn("--relaxation", self.error("solve", "p/a.npz", "--relaxation", share))

    def test_options_of_impulses_need_a_model_for_a_saved_step(self):
        self.abut("run", CLUTTER, "--duration", 0.1, "--save-problem", "40", "--out", "o", "--quiet")
        for option in (["--relaxation", "0.8"], ["--least-norm"]):
            self.assertIn("a saved step needs a --model", self.error("solve", "o/problem_40.npz", *option))

    def test_a_bad_file_among_others_stops_nobody(self):
        with open(self.path("p/a2.npz"), "w") as f:
            f.write("no archive")
        done = self.abut("solve", "p", code=2)
        self.assertIn("p/a2.npz: is not an .npz file", done.stderr)
        self.assertIn("2 problems", done.stdout)

    def test_outputs_are_not_written_over_problems(self):
        for option in ("--json", "--html", "--solution"):
            with self.subTest(option=option):
                self.assertIn("is a problem to be solved",
                              self.error("solve", "p/a.npz", option, "./p/a.npz"))
        self.assertIn("--solution holds one answer", self.error("solve", "p", "--solution", "x.npz"))

    def without_hdf5(self):
        done = subprocess.run([ABUT, "solve", "p/a.npz", "--save-fclib", "x.hdf5"], cwd=self.folder,
                              text=True, capture_output=True)
        return "built without HDF5" in done.stderr

    def test_fclib_files_hold_problem_and_answer(self):
        if self.without_hdf5():
            self.skipTest("built without HDF5")
        before = self.abut("solve", "p/b.npz", "--impulses", "--save-fclib", "p/c.hdf5").stdout
        done = self.abut("solve", "p/c.hdf5", "--impulses")
        lines = done.stdout.splitlines()
        stored = next(line for line in lines if line.startswith("in the file"))
        self.assertLessEqual(float(stored.split()[3]), 1e-8)
        impulses = [line for line in lines if line[:7].strip().isdigit()]
        self.assertEqual(len(impulses), 9)
        self.assertEqual(impulses, [line for line in before.splitlines() if line[:7].strip().isdigit()])
        names = [p["problem"] for p in self.report("p")["problems"]]
        self.assertEqual(names, ["p/a.npz", "p/b.npz", "p/c.hdf5"])
        # without an answer: of several solvers, or of one that did not converge
        self.abut("solve", "p/b.npz", "--solver", "gauss-seidel", "--tolerance", 1e-30,
                  "--save-fclib", "d.hdf5", code=3)
        self.assertNotIn("in the file", self.abut("solve", "d.hdf5").stdout)
        self.assertIn("--save-fclib holds one problem", self.error("solve", "p", "--save-fclib", "e.hdf5"))

    def test_fclib_files_of_saved_steps_need_a_rigid_model(self):
        self.abut("run", CLUTTER, "--duration", 0.4, "--save-problem", "200", "--out", "o", "--quiet")
        done = self.abut("solve", "o/problem_200.npz", "--save-fclib", "s.hdf5", code=2)
        self.assertIn("--model makes one of a saved step", done.stderr)
        self.assertFalse(os.path.exists(self.path("s.hdf5")))
        if not self.without_hdf5():
            self.abut("solve", "o/problem_200.npz", "--model", "ncp", "--save-fclib", "s.hdf5")
            self.assertIn("53 contacts", self.abut("solve", "s.hdf5").stdout)

    def test_damaged_fclib_files_are_refused_in_one_line(self):
        if self.without_hdf5():
            self.skipTest("built without HDF5")
        self.abut("solve", "p/a.npz", "--save-fclib", "x.hdf5")
        with open(self.path("x.hdf5"), "rb") as f:
            whole = f.read()
        random, refused = np.random.default_rng(1), 0
        for k in range(80):
            damaged = bytearray(whole)
            for at in random.integers(len(whole), size=8):
                damaged[at] = random.integers(256)
            with open(self.path("y.hdf5"), "wb") as f:
                f.write(damaged if k % 4 else whole[:random.integers(len(whole))])
            done = subprocess.run([ABUT, "solve", "y.hdf5"], cwd=self.folder, text=True,
                                  capture_output=True, timeout=60)
            self.assertIn(done.returncode, (0, 2, 3, 4), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), done.returncode in (2, 4), done.stderr)
            refused += done.returncode == 2
        self.assertGreater(refused, 40)

    def test_the_page_has_the_numbers_in_tables_and_charts(self):
        name = "p/<b>&\"quoted\".npz"
        os.rename(self.path("p/a.npz"), self.path(name))
        report = self.report("p", "--solver", "all", "--html", "r.html", "--tolerance", 1e-6)
        with open(self.path("r.html"), encoding="utf-8") as f:
            text = f.read()
        page = Page(text)
        self.assertEqual(page.open, [])
        tags = [tag for tag, _ in page.tags]
        for tag in ("script", "img", "iframe", "object", "b"):
            self.assertNotIn(tag, tags)
        self.assertEqual(tags.count("svg") - text.count("class=\"marker"), 1 + 3 * 2)
        for tag, attributes in page.tags:
            if tag == "th":
                self.assertIn(attributes["scope"], ("col", "row"))
            for link in ("src", "href"):
                value = attributes.get(link, "data:,")
                self.assertTrue(value.startswith("#problem") or value == "data:,", value)
            self.assertFalse([a for a in attributes if a.startswith("on") or a == "style"])
        self.assertEqual(tags.count("caption"), tags.count("table"))
        shown = [[c.strip() for c in row] for row in page.cells]
        for problem in report["problems"]:
            for s in problem["solves"]:
                row = next(r for r in shown if r[:2] == [s["solver"], s["start"]]
                           and r[6] == f"{s['error']:.2e}")
                self.assertEqual(row[3:5], [str(s["iterations"]), str(s["factorizations"])])
            self.assertGreaterEqual(len(problem["accuracy"]), 4)
            for curve in problem["accuracy"]:
                points = curve["points"]
                self.assertEqual([p["tolerance"] for p in points],
                                 [float(f"1e-{k + 1}") for k in range(len(points))])
                for p in points:
                    self.assertEqual(p["converged"], p["error"] <= p["tolerance"])
                # by construction: what is fast enough for a small error is so for a larger one
                met = sorted((p for p in points if p["converged"]), key=lambda p: -p["error"])
                times = [p["seconds"] for p in met]
                self.assertEqual(times, sorted(times))
            for curve in problem["iterations"]:
                counts = [p["iterations"] for p in curve["points"]]
                self.assertEqual(counts, sorted(set(counts)))

    def test_control_c_leaves_a_report_of_what_was_done(self):
        np.savez(self.path("p/c.npz"), **pile(150, 3))
        files = ["p/a.npz"] + 400 * ["p/c.npz"]
        run = self.start("solve", *files, "--solver", "all", "--json", "r.json", "--html", "r.html")
        for line in run.stdout:
            if line.startswith("p/c.npz"):
                break
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn("interrupted by SIGINT", out)
        with open(self.path("r.json")) as f:
            report = json.load(f)
        self.assertEqual(report["interrupted"], "SIGINT")
        self.assertEqual(report["problems"][0]["problem"], "p/a.npz")
        self.assertLess(len(report["problems"]), 400)
        with open(self.path("r.html"), encoding="utf-8") as f:
            self.assertIn("Interrupted by SIGINT", f.read())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
