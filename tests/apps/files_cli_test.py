"""Tests of the files that the command line leaves: after signals, problems, recordings, tables."""

import io
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import unittest
import zipfile

import numpy as np

from cli_testing import ABUT, CLUTTER, SCENES, Case, run_files


class Interruption(Case):
    def interrupt(self, which, code, name):
        run = self.start("run", CLUTTER, "--duration", 1e5, "--out", "o")
        self.wait_for_size("o/recording.bin", 300_000)
        run.send_signal(which)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, code)
        self.assertIn(f"interrupted by {name}", out)
        with open(self.path("o/summary.json")) as f:
            summary = json.load(f)
        self.assertEqual(summary["interrupted"], name)
        done = self.abut("export", "o", "--csv")
        self.assertEqual(done.stderr, "")  # closed
        steps, bodies = self.table("o/steps.csv"), self.table("o/bodies.csv")
        self.assertEqual(len(steps), summary["steps"])
        self.assertEqual(int(bodies[-1]["step"]), summary["steps"])
        self.assertEqual(float(bodies[-1]["position_z_m"]), summary["final"][-1]["position"][2])

    def test_control_c_stops_at_a_step(self):
        self.interrupt(signal.SIGINT, 130, "SIGINT")

    def test_terminate_stops_at_a_step(self):
        self.interrupt(signal.SIGTERM, 143, "SIGTERM")

    @unittest.skipIf(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, "it is ignored here")
    def test_a_lost_terminal_is_an_interrupt(self):
        self.interrupt(signal.SIGHUP, 129, "SIGHUP")

    def test_a_kill_leaves_a_readable_recording(self):
        run = self.start("run", CLUTTER, "--duration", 1e5, "--out", "o")
        self.wait_for_size("o/recording.bin", 300_000)
        run.kill()
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, -signal.SIGKILL)
        done = self.abut("export", "o", "--csv")
        self.assertIn("the run was killed or still goes on", done.stderr)
        steps = self.table("o/steps.csv")
        self.assertGreater(len(steps), 50)
        self.assertEqual([int(s["step"]) for s in steps], list(range(1, len(steps) + 1)))
        self.abut("run", CLUTTER, "--duration", 0.1, "--out", "o", "--quiet")
        self.assertEqual(set(os.listdir(self.path("o"))), run_files())


class LargeFiles(Case):
    def test_a_limit_on_file_sizes_is_an_error_of_the_file(self):
        limits = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for command in (("run", CLUTTER, "--duration", 0.1, "--out", "o", "--quiet"),
                        ("replay", "whole"),
                        ("run", CLUTTER, "--duration", 0.01, "--no-recording", "--quiet",
                         "--summary", "s.json")):
            if command[0] == "replay":
                self.abut("run", "ball.xml", "--duration", 0.01, "--out", "whole", "--no-replay")
            before = set(os.listdir(self.folder))
            done = subprocess.run([ABUT, *map(str, command)], cwd=self.folder, text=True,
                                  capture_output=True, timeout=120, preexec_fn=limits)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(set(os.listdir(self.folder)) - before - {"o"}, set())
            for folder, _, files in os.walk(self.folder):
                self.assertEqual([f for f in files if f.endswith(".tmp")], [], folder)


def corpus_of_the_fuzzer(kind, pattern):
    folder = pathlib.Path(SCENES).parents[1] / "tests" / "fuzz" / "corpus" / kind
    return sorted(folder.resolve().glob(pattern))


class Problems(Case):
    def save(self):
        self.abut("run", CLUTTER, "--duration", 0.5, "--save-problem", "100,250", "--out", "o",
                  "--frame-rate", 0, "--quiet")
        return "o/problem_250.npz"

    def test_solving_again_gives_the_impulses_of_the_run(self):
        done = self.abut("solve", self.save(), "--impulses")
        self.abut("export", "o", "--csv")
        recorded = [[r[f"impulse_{a}_N_s"] for a in "xyz"]
                    for r in self.table("o/contacts.csv") if r["step"] == "250"]
        lines = done.stdout.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("contact ")) + 1
        solved = [line.split()[3:] for line in lines[first:]]
        self.assertGreater(len(solved), 10)
        self.assertEqual([list(map(float, s)) for s in solved],
                         [list(map(float, r)) for r in recorded])

    def test_all_solvers(self):
        done = self.abut("solve", self.save(), "--solver", "all")
        for name in ("newton", "newton-paper", "newton-armijo"):
            self.assertIn(name, done.stdout)

    def test_an_unknown_solver_is_all_that_is_told(self):
        self.assertIn("--solver 'foo' is not known: must be one of newton",
                      self.error("solve", self.save(), "--solver", "foo"))

    def test_numpy_reads_and_writes_them(self):
        problem = self.path(self.save())
        with np.load(problem) as file:
            arrays = dict(file)
        self.assertEqual(arrays["format_version"], 6)
        self.assertEqual(arrays["tree_inertia"].shape, (40, 3, 3))
        self.assertEqual(arrays["velocity"].dtype, np.dtype("<f8"))
        self.assertEqual(arrays["patch_contacts"].sum(), len(arrays["gap"]))
        np.testing.assert_allclose(np.linalg.norm(arrays["normal"], axis=1), 1)
        before = self.impulses(problem)
        np.savez(self.path("n.npz"), **arrays)
        self.assertEqual(self.impulses("n.npz"), before)
        np.savez_compressed(self.path("c.npz"), **arrays)
        self.assertEqual(self.impulses("c.npz"), before)

    def impulses(self, problem):
        text = self.abut("solve", problem, "--impulses").stdout
        return text[text.index("contact  tree_a"):]

    def test_foreign_arrays_are_refused_by_name(self):
        with np.load(self.path(self.save())) as file:
            arrays = dict(file)
        n = len(arrays["gap"])
        for change, text in [
            ({"point": np.asfortranarray(arrays["point"])}, "array 'point': it is in Fortran order"),
            ({"gap": arrays["gap"].astype(">f8")}, "its element type is '>f8', must be '<f8'"),
            ({"gap": arrays["gap"].astype("f4")}, "its element type is '<f4', must be '<f8'"),
            ({"gap": arrays["gap"][:-1]}, f"its shape is ({n - 1},), must be ({n},)"),
            ({"gap": np.array(["text"])}, "its element type is '<U4', must be '<f8'"),
            ({"gap": np.array([b"text"])}, "its element type '|S4' is not read"),
            ({"gap": np.array([None])}, "its element type '|O' is not read"),
            ({"gap": np.full(n, np.nan)}, "number 0 is NaN, must be finite"),
            ({"extra": np.zeros(1)}, "array 'extra': is not part of the format"),
            ({"format_version": np.int32(1)}, "is 1; this abut reads version 6"),
            ({"tree_size": np.full(40, -6, np.int32)}, "tree 0 has -6 dofs, must have 6"),
            ({"tree_kind": np.full(40, 1, np.uint8), "tree_size": np.full(40, 2**31 - 1, np.int32)},
             "must have 1 to 4096"),
            ({"patch_contacts": np.full(len(arrays["patch_contacts"]), 2**31 - 1, np.int32)},
             "array 'patch_contacts'"),
            ({"normal": 2 * arrays["normal"]}, "norm of normal = 2, must be 1"),
            ({"time_step": np.float64(-1)}, "time_step = -1 s, must be positive and finite"),
        ]:
            with self.subTest(text=text):
                np.savez(self.path("n.npz"), **{**arrays, **change})
                message = self.error("solve", "n.npz")
                self.assertTrue(message.startswith("n.npz: "), message)
                self.assertIn(text, message)
        del arrays["gap"]
        np.savez(self.path("n.npz"), **arrays)
        self.assertEqual(self.error("solve", "n.npz"), "n.npz: array 'gap': is missing")

    def test_a_saved_step_as_rigid_contact_sees_it(self):
        done = self.abut("solve", self.save(), "--model", "ncp")
        self.assertIn("friction problem, model ncp", done.stdout)
        row = done.stdout.splitlines()[2].split()
        self.assertEqual(row[:2], ["interior-point", "converged"])
        self.assertLessEqual(float(row[5]), 1e-8)

    def test_friction_problems(self):
        n = np.arange(3, dtype=np.int32)
        arrays = dict(W_row=n, W_col=n, W_val=np.ones(3), q=np.array([0.03, 0, -0.1]),
                      mu=np.array([0.2]), order="TTN", n=np.int64(3), nc=np.int64(1),
                      sol_r=np.array([-0.02, 0, 0.1]))
        np.savez(self.path("p.npz"), **arrays)
        done = self.abut("solve", "p.npz", "--impulses", "--solution", "x.npz")
        self.assertIn("friction problem, model ncp, 1 contacts", done.stdout)
        stored = next(line for line in done.stdout.splitlines() if line.startswith("in the file"))
        self.assertLess(float(stored.split()[3]), 1e-15)
        with np.load(self.path("x.npz")) as file:
            np.testing.assert_allclose(file["impulse"], [[-0.02, 0, 0.1]], atol=1e-8)
        for change, text in [
            ({"order": "NTX"}, "array 'order': is 'NTX', must be 'NTT' or 'TTN'"),
            ({"order": np.ones(3)}, "array 'order': its element type is '<f8'"),
            ({"nc": np.int64(2)}, "array 'nc': is 2, the other arrays say 1"),
            ({"n": np.float64(3)}, "array 'n': its element type is '<f8', must be '<i8'"),
        ]:
            with self.subTest(text=text):
                np.savez(self.path("n.npz"), **{**arrays, **change})
                self.assertIn(text, self.error("solve", "n.npz"))
        self.assertIn("--model 'lagged' is not known: must be one of ncp",
                      self.error("solve", "p.npz", "--model", "lagged"))
        self.assertIn("solver 'newton' is not known: must be one of interior-point",
                      self.error("solve", "p.npz", "--solver", "newton"))
        self.assertIn("does not solve the model 'ccp'",
                      self.error("solve", "p.npz", "--model", "ccp", "--solver", "interior-point"))
        self.assertIn("model ccp", self.abut("solve", "p.npz", "--model", "ccp").stdout)

    def test_the_corpus_of_the_fuzzer_is_read(self):
        corpus = corpus_of_the_fuzzer("problem", "*.npz")
        self.assertGreaterEqual(len(corpus), 2)
        for path in corpus:
            self.assertIn("converged", self.abut("solve", path).stdout)

    def archive(self, members):
        with zipfile.ZipFile(self.path("z.npz"), "w", zipfile.ZIP_DEFLATED) as z:
            for name, data in members:
                z.writestr(name, data)
        return self.error("solve", "z.npz")

    def npy(self, array):
        data = io.BytesIO()
        np.save(data, array)
        return data.getvalue()

    def test_hostile_archives(self):
        head = self.npy(np.zeros(2))
        lying = head.replace(b"(2,)", b"(99999999999999999,)").replace(b" " * 17, b"", 1)
        self.assertIn("is too large", self.archive([("a.npy", head.replace(
            b"(2,), }" + b" " * 40, b"(9999999999, 9999999999, 9999999999), }" + b" " * 8))]))
        self.assertIn("array 'a'", self.archive([("a.npy", lying)]))
        self.assertIn("needs 16", self.archive([("a.npy", head[:-1])]))
        self.assertIn("needs 16", self.archive([("a.npy", head + b"x")]))
        self.assertIn("'a.txt', which is not an array", self.archive([("a.txt", b"")]))
        self.assertIn("it is not an .npy array", self.archive([("a.npy", b"")]))
        bomb = self.npy(np.zeros(40_000_000))  # 320 MB in 310 kB
        self.assertIn("far more than the file's size", self.archive([("a.npy", bomb)]))
        self.assertIn("at most 1000", self.archive((f"{i}.npy", head) for i in range(1001)))


class Recordings(Case):
    def test_frame_rate(self):
        self.abut("run", "ball.xml", "--duration", 1, "--frame-rate", 10, "--out", "o", "--quiet")
        done = self.abut("export", "o/recording.bin", "--csv", "--out", ".")
        self.assertIn("100 steps and 11 states", done.stdout)
        bodies = self.table("bodies.csv")
        self.assertEqual([b["step"] for b in bodies[::2]], [str(10 * i) for i in range(11)])
        self.assertEqual([b["body"] for b in bodies[:2]], ["ball, red", "body1"])

    def test_a_ball_at_rest_weighs_what_it_does(self):
        self.abut("run", "ball.xml", "--duration", 0.5, "--out", "o", "--quiet")
        self.abut("export", "o", "--csv")
        last = self.table("o/contacts.csv")[-1]
        self.assertEqual((last["body_a"], last["body_b"]), ("world", "ball, red"))
        self.assertAlmostEqual(float(last["force_z_N"]), 9.81, 6)
        self.assertAlmostEqual(float(last["impulse_z_N_s"]), 0.0981, 8)

    def test_the_same_run_gives_the_same_recording(self):
        for out, threads in (("a", 1), ("b", 1), ("c", 3)):
            self.abut("run", CLUTTER, "--duration", 0.5, "--out", out, "--threads", threads, "--quiet")
        recordings = []
        for out in "abc":
            with open(self.path(out + "/recording.bin"), "rb") as f:
                recordings.append(f.read())
        self.assertEqual(recordings[0], recordings[1])
        self.assertEqual(recordings[0], recordings[2])

    def test_the_corpus_of_the_fuzzer_is_read(self):
        allowances = []
        for path in corpus_of_the_fuzzer("recording", "*.bin"):
            done = self.abut("export", path, "--csv", "--out", ".", "--force")
            self.assertEqual(done.stderr, "")  # whole
            allowances.append(max(float(c["allowance_m"]) for c in self.table("contacts.csv")))
        self.assertEqual(len(allowances), 2)
        self.assertGreater(max(allowances), 0)

    def test_replay(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--quiet", "--no-replay")
        self.assertNotIn("replay.html", os.listdir(self.path("o")))
        if "replay.html" not in run_files():
            self.assertIn("install node", self.error("replay", "o"))
            return
        done = self.abut("replay", "o")
        self.assertEqual(done.stdout, "7 frames of 10 steps: o/replay.html\n")
        self.abut("replay", "o/recording.bin")  # its own is replaced
        self.abut("replay", "o", "--out", "small.html", "--no-contacts")
        with open(self.path("small.html")) as f:
            self.assertTrue(f.read().startswith("<!doctype html>"))
        self.assertIn("--force overwrites it", self.error("replay", "o", "--out", "small.html"))
        self.abut("replay", "o", "--out", "small.html", "--force")
        self.error("replay", "o", "--out", "nowhere/r.html", code=4)
        self.error("replay", "nothing", code=4)
        # the next run replaces what this one wrote
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--quiet", "--no-replay")
        self.assertNotIn("replay.html", os.listdir(self.path("o")))

    def test_report(self):
        self.assertIn("drop --no-recording",
                      self.error("run", "ball.xml", "--report", "--no-recording"))
        if "replay.html" not in run_files():
            self.assertIn("install node", self.error("run", "ball.xml", "--report"))
            return
        done = self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--report")
        self.assertIn("report       o/report.html", done.stdout)
        with open(self.path("o/report.html")) as page, open(self.path("o/summary.json")) as f:
            self.assertIn(json.load(f)["state_hash"], page.read())

    def test_a_replay_never_replaces_a_recording(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--quiet")
        if "replay.html" not in run_files():
            return
        os.symlink("recording.bin", self.path("o/link.html"))
        self.assertIn("exists", self.error("replay", "o", "--out", "o/recording.bin"))
        for name in ("o/recording.bin", "o/link.html"):
            error = self.error("replay", "o", "--out", name, "--force")
            self.assertIn("is the recording itself", error)
        self.abut("export", "o", "--csv")

    def test_replay_of_what_a_kill_left(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--quiet")
        with open(self.path("o/recording.bin"), "rb") as f:
            whole = f.read()
        with open(self.path("cut.bin"), "wb") as f:
            f.write(whole[:-100])
        if "replay.html" in run_files():
            done = self.abut("replay", "cut.bin", "--out", "r.html")
            self.assertIn("cut.bin: ", done.stderr)

    def test_into_a_directory_that_is_not_there(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--quiet")
        self.error("export", "o", "--csv", "--out", "nowhere", code=4)

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
