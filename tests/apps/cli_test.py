"""Tests of the command line as a user meets it.

usage: cli_test.py ABUT SCENES [unittest arguments]
"""

import csv
import functools
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import numpy as np

ABUT, SCENES = sys.argv[1:3]
CLUTTER = os.path.join(SCENES, "clutter_wide_40.xml")
BALL = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="ball, red" pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1"/></body>
<body pos="0 0 2"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
</worldbody></mujoco>"""
# no solver follows this one
HOPELESS = ["--model", "similar", "--law", "hertz", "--stiffness", "1e20", "--dt", "0.1"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(self.path("ball.xml"), "w") as f:
            f.write(BALL)

    def path(self, name):
        return os.path.join(self.folder, name)

    def abut(self, *arguments, code=0):
        done = subprocess.run(
            [ABUT, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True, timeout=120
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def error(self, *arguments, code=2):
        """The one line that a wrong command prints."""
        done = self.abut(*arguments, code=code)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("abut: "), lines[0])
        return lines[0][len("abut: "):]

    def table(self, name):
        with open(self.path(name), newline="") as f:
            return list(csv.DictReader(f))

    def start(self, *arguments):
        return subprocess.Popen(
            [ABUT, *map(str, arguments)], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def wait_for_size(self, name, size):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if os.path.exists(self.path(name)) and os.path.getsize(self.path(name)) >= size:
                return
            time.sleep(0.02)
        self.fail(f"{name} does not grow")


@functools.cache
def run_files():
    """What a run leaves: without node abut is built without its page."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "ball.xml"), "w") as f:
            f.write(BALL)
        done = subprocess.run([ABUT, "run", "ball.xml", "--duration", "0"], cwd=folder, text=True,
                              capture_output=True, check=True)
    files = {".abut", "recording.bin", "summary.json"}
    return files if "built without its browser page" in done.stderr else files | {"replay.html"}


class Run(Case):
    def test_leaves_recording_and_summary(self):
        done = self.abut("run", "ball.xml", "--duration", 0.1, "--summary", "s.json")
        self.assertIn("every step converged", done.stdout)
        self.assertIn("ball.abut/recording.bin", done.stdout)
        self.assertEqual(set(os.listdir(self.path("ball.abut"))), run_files())
        with open(self.path("s.json")) as a, open(self.path("ball.abut/summary.json")) as b:
            self.assertEqual(a.read(), b.read())

    def test_summary_has_every_key(self):
        self.abut("run", CLUTTER, "--duration", 0.5, "--summary", "s.json", "--quiet",
                  "--stiffness", "1e6", "--model", "lagged", "--law", "hertz")
        with open(self.path("s.json")) as f:
            s = json.load(f)
        for key in """steps dt duration wall_seconds realtime_factor bodies nv contacts_mean
                contacts_max iterations_mean iterations_max certificate_max status energy_initial
                energy_final penetration_max state_hash time final version isa threads model law
                material tolerance""".split():
            self.assertIn(key, s)
        self.assertEqual((s["steps"], s["dt"], s["duration"]), (250, 0.002, 0.5))
        self.assertEqual((s["bodies"], s["nv"], len(s["final"])), (40, 240, 40))
        self.assertEqual(s["status"], {"converged": 250, "iteration_limit": 0, "stalled": 0,
                                       "numerical_failure": 0,
                                       "at_round_off": s["status"]["at_round_off"]})
        self.assertEqual((s["model"], s["law"], s["tolerance"]), ("lagged", "hertz", 1e-6))
        self.assertEqual(s["material"]["stiffness"], 1e6)
        self.assertIsNone(s["material"]["friction"])
        self.assertLess(s["certificate_max"], 1e-5)
        self.assertEqual(set(s["time"]), {"contact_query", "problem", "solve", "rest"})
        self.assertLess(sum(s["time"].values()), s["wall_seconds"])
        self.assertEqual(len(s["state_hash"]), 16)
        body = s["final"][3]
        self.assertEqual(body["name"], "body3")
        self.assertAlmostEqual(np.linalg.norm(body["quaternion"]), 1, 12)
        for key in ("position", "linear_velocity", "angular_velocity"):
            self.assertEqual(len(body[key]), 3)

    def test_quiet_prints_nothing(self):
        done = self.abut("run", "ball.xml", "--duration", 0.1, "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_no_recording_leaves_nothing(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--no-recording")
        self.assertEqual(os.listdir(self.folder), ["ball.xml"])

    def test_no_steps(self):
        self.abut("run", "ball.xml", "--duration", 0, "--summary", "s.json")
        with open(self.path("s.json")) as f:
            self.assertEqual(json.load(f)["steps"], 0)

    def test_steps_that_do_not_converge_exit_3_and_are_saved(self):
        done = self.abut("run", CLUTTER, *HOPELESS, "--duration", 1, code=3)
        self.assertIn("NOT CONVERGED", done.stdout)
        with open(self.path("clutter_wide_40.abut/summary.json")) as f:
            step = json.load(f)["first_failed_step"]
        problem = f"clutter_wide_40.abut/problem_{step}.npz"
        self.assertIn(problem, done.stdout)
        self.abut("solve", problem, code=3)
        self.abut("export", "clutter_wide_40.abut", "--csv")
        failed = [s for s in self.table("clutter_wide_40.abut/steps.csv")
                  if s["status"] != "converged"]
        self.assertEqual(int(failed[0]["step"]), step)
        self.assertEqual(failed[0]["status"], "numerical_failure")
        self.assertFalse(any(s["momentum_error"] == "-nan" for s in failed))


class Contradictions(Case):
    def run_scene(self, text, *options):
        with open(self.path("two.xml"), "w") as f:
            f.write(text)
        done = self.abut("run", "two.xml", "--dt", "0.01", "--duration", "2", "--no-recording",
                         "--summary", "s.json", *options)
        with open(self.path("s.json")) as f:
            return done, json.load(f)

    def test_two_welds_that_disagree_are_named(self):
        done, s = self.run_scene("""<mujoco><worldbody><body name="a"><freejoint/>
<geom size=".1"/></body></worldbody><equality><weld name="here" body1="a"/>
<weld name="there" body1="a" relpose="0.01 0 0 1 0 0 0"/></equality></mujoco>""")
        self.assertEqual([u["constraint"] for u in s["unmet"]],
                         ["equality 'here' (two.xml:2)", "equality 'there' (two.xml:3)"])
        self.assertAlmostEqual(sum(u["violation"] for u in s["unmet"]), 0.01, delta=1e-5)
        worst = s["equality_violation_max"]
        self.assertEqual((worst["constraint"], worst["unit"]),
                         ("equality 'there' (two.xml:3)", "m"))
        self.assertAlmostEqual(worst["violation"], 0.01, delta=1e-5)
        self.assertIsNone(s["limit_violation_max"])
        self.assertIn("note: equality 'there' (two.xml:3) is off by 10 mm at the start", done.stderr)
        self.assertRegex(done.stderr, r"'there' \(two.xml:3\) is off by [89].\d+ mm and comes no closer")
        self.assertIn("constraints  equality 'there' (two.xml:3) is off by 10 mm at worst", done.stdout)

    def test_a_keyframe_beyond_a_limit_is_told(self):
        done, s = self.run_scene("""<mujoco><compiler angle="radian"/><worldbody><body>
<joint name="j" limited="true" range="-1 1"/><geom size=".1"/></body></worldbody>
<keyframe><key name="far" qpos="1.1"/></keyframe></mujoco>""", "--keyframe", "far")
        self.assertIn("note: limit of joint 'j' (two.xml:2) is exceeded by 0.1 rad at the start",
                      done.stderr)
        self.assertNotIn("closer", done.stderr)
        self.assertEqual(s["unmet"], [])
        self.assertEqual(s["limit_violation_max"]["unit"], "rad")
        self.assertIsNone(s["equality_violation_max"])


class SceneFiles(Case):
    SCENE = """abut = 1
[[model]]
file = "ball.xml"
name = "m"
[world]
ground = true
[simulation]
model = "lagged"
law = "hertz"
duration = 0.2
tolerance = 1e-7
[output]
directory = "there"
frame_rate = 10
[[camera]]
name = "front"
position = [1, 0, 0]
target = [0, 0, 0]
"""

    def summary(self, *arguments):
        self.abut("run", "sub/s.toml", "--quiet", "--summary", "s.json", *arguments)
        with open(self.path("s.json")) as f:
            return json.load(f)

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("sub"))
        shutil.copy(self.path("ball.xml"), self.path("sub"))
        with open(self.path("sub/s.toml"), "w") as f:
            f.write(self.SCENE)

    def test_set_the_simulation(self):
        s = self.summary()
        self.assertEqual((s["model"], s["law"], s["tolerance"]), ("lagged", "hertz", 1e-7))
        self.assertEqual((s["dt"], s["steps"]), (0.01, 20))  # the model's time step
        self.assertEqual(s["final"][0]["name"], "m/ball, red")
        self.assertIn("recording.bin", os.listdir(self.path("sub/there")))
        self.abut("export", "sub/there", "--csv")
        self.assertEqual(len(self.table("sub/there/bodies.csv")), 2 * 3)

    def test_options_count_first(self):
        s = self.summary("--model", "sap", "--duration", 0.1, "--dt", 0.005, "--tolerance", 1e-5,
                         "--out", "here")
        self.assertEqual((s["model"], s["steps"], s["dt"], s["tolerance"]), ("sap", 20, 0.005, 1e-5))
        self.assertFalse(os.path.exists(self.path("sub/there")))

    def test_without_a_ground_are_told_how_to_get_one(self):
        ball = "[[body]]\nshape = {type = 'sphere', radius = 0.1}\n[simulation]\nduration = 0.1\n"
        for world, notes in (("", ["note: there is nothing to fall on: ground = true in [world] "
                                   "puts a ground below"]),
                             ("[world]\nground = true\n", [])):
            with open(self.path("sub/s.toml"), "w") as f:
                f.write("abut = 1\n" + world + ball)
            done = self.abut("run", "sub/s.toml", "--no-recording")
            self.assertEqual([x for x in done.stderr.splitlines() if "fall on" in x], notes)

    def test_errors_name_the_line(self):
        with open(self.path("sub/s.toml"), "a") as f:
            f.write("zoom = 2")
        self.assertEqual(self.error("run", "sub/s.toml"),
                         "sub/s.toml:19: camera 'front': key 'zoom' is not known; there are name, "
                         "position, target, up, field_of_view")
        with open(self.path("sub/s.toml"), "w") as f:
            f.write("abut = 1\n[simulation]\nduration = 1e-9")
        self.assertIn("simulation: duration = 1e-09 s", self.error("run", "sub/s.toml"))


class OutputDirectory(Case):
    def test_is_replaced_only_if_abut_wrote_it(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--save-problem", 2, "--quiet")
        with open(self.path("o/notes"), "w") as f:
            f.write("mine")
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "o", "--quiet")
        self.assertEqual(set(os.listdir(self.path("o"))), run_files() | {"notes"})
        os.mkdir(self.path("p"))
        shutil.copy(self.path("o/notes"), self.path("p"))
        self.assertIn("--force", self.error("run", "ball.xml", "--duration", 0.1, "--out", "p"))
        self.assertEqual(os.listdir(self.path("p")), ["notes"])
        self.abut("run", "ball.xml", "--duration", 0.1, "--out", "p", "--force", "--quiet")
        with open(self.path("p/notes")) as f:
            self.assertEqual(f.read(), "mine")

    def test_that_cannot_be(self):
        self.assertIn("is a file", self.error("run", "ball.xml", "--out", "ball.xml"))
        self.error("run", "ball.xml", "--out", "/proc/nothing", code=4)
        # known before the run, and before an output directory is touched
        self.error("run", "ball.xml", "--duration", 1e9, "--summary", "no/s.json", code=4)
        self.assertEqual(os.listdir(self.folder), ["ball.xml"])
        self.error("run", "ball.xml", "--duration", 0, "--summary", "/dev/full", code=4)


class WrongArguments(Case):
    def test_are_told_in_one_line(self):
        run = ("run", "ball.xml")
        for arguments, text in [
            ((), "say what to do: run, view, info, solve, export, replay or models"),
            (("simulate",), "'simulate' is no command"),
            (("run",), "scene is required"),
            ((*run, "--bogus"), "'--bogus' is not known (--help says more)"),
            (("run", "--modle", "sap", "ball.xml"), "'--modle' is not known; did you mean --model?"),
            ((*run, "--frame-rat=1"), "'--frame-rat' is not known; did you mean --frame-rate?"),
            (("run", "--quite"), "'--quite' is not known; did you mean --quiet?"),
            ((*run, "more"), "'more' was not expected"),
            ((*run, "--dt"), "--dt needs one value"),
            ((*run, "--dt", "abc"), "--dt: 'abc' is not a finite number"),
            ((*run, "--dt", "nan"), "--dt: 'nan' is not a finite number"),
            ((*run, "--dt", "0"), "--dt = 0 s"),
            ((*run, "--duration", "-1"), "--duration = -1 s"),
            ((*run, "--duration", "1e300"), "2^53"),
            ((*run, "--model", "foo"), "--model 'foo' is not known; there are sap, lagged, similar"),
            ((*run, "--law", "foo"), "--law 'foo' is not known"),
            ((*run, "--solver", "foo"), "--solver 'foo' is not known; there are newton,"),
            ((*run, "--keyframe", "foo"), "--keyframe 'foo' is not in the scene; it has none"),
            ((*run, "--threads", "0"), "--threads = 0, must lie in [1, 1024]"),
            ((*run, "--threads", "two"), "--threads: 'two' is not a whole number"),
            ((*run, "--threads", "99999999999"), "--threads = 1e+11, must lie in [1, 1024]"),
            ((*run, "--tolerance", "1"), "--tolerance = 1"),
            ((*run, "--mu", "-1"), "--mu = -1, must not be negative"),
            ((*run, "--stiffness", "0"), "--stiffness = 0 N/m, must be positive"),
            ((*run, "--dissipation", "-1"), "--dissipation = -1 s/m, must not be negative"),
            ((*run, "--relaxation-time", "-1"), "--relaxation-time = -1 s"),
            ((*run, "--frame-rate", "-1"), "--frame-rate = -1 1/s"),
            ((*run, "--save-problem", "0"), "--save-problem = 0, must be a step of the run"),
            ((*run, "--save-problem", "501"), "which has 500"),
            ((*run, "--save-problem", "1,x"), "--save-problem: 'x' is not a whole number"),
            ((*run, "--save-problem", "1", "--no-recording"), "--no-recording"),
            (("solve", "ball.xml"), "ball.xml: is no .npz file"),
            (("export", "ball.xml", "--csv"), "ball.xml: is not a recording of abut"),
            (("export", "ball.xml"), "--csv"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(text, self.error(*arguments))
        self.assertEqual(os.listdir(self.folder), ["ball.xml"])

    def test_files_that_cannot_be_read_exit_4(self):
        for command in (("run", "no"), ("info", "no"), ("solve", "no"), ("export", "no", "--csv"),
                        ("run", "."), ("solve", "."), ("export", ".", "--csv")):
            with self.subTest(command=command):
                self.assertIn("cannot read", self.error(*command, code=4))

    def test_a_recording_is_no_scene(self):
        self.abut("run", "ball.xml", "--duration", 0.1, "--quiet")
        for given in ("ball.abut", "ball.abut/recording.bin"):
            for command, wanted in (("run", "a scene"), ("info", "a scene"), ("solve", "a problem")):
                with self.subTest(command=command, given=given):
                    self.assertEqual(self.error(command, given),
                                     f"'{given}' is a recording, not {wanted}: "
                                     "abut replay and abut export read it")

    def test_an_unknown_instruction_set(self):
        done = subprocess.run([ABUT, "models"], env={"ABUT_ISA": "foo"}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("ABUT_ISA", done.stderr)


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
        self.assertIn("--solver 'foo' is not known; there are newton",
                      self.error("solve", self.save(), "--solver", "foo"))

    def test_numpy_reads_and_writes_them(self):
        problem = self.path(self.save())
        with np.load(problem) as file:
            arrays = dict(file)
        self.assertEqual(arrays["format_version"], 2)
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
            ({"gap": np.array(["text"])}, "its element type '<U4' is not read"),
            ({"gap": np.array([None])}, "its element type '|O' is not read"),
            ({"gap": np.full(n, np.nan)}, "number 0 is NaN, must be finite"),
            ({"extra": np.zeros(1)}, "array 'extra': is not part of the format"),
            ({"format_version": np.int32(1)}, "is 1; this abut reads version 2"),
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
        self.assertIn("'a.txt', which is no array", self.archive([("a.txt", b"")]))
        self.assertIn("it is no .npy array", self.archive([("a.npy", b"")]))
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


class Telling(Case):
    def test_summary_overwrites_summaries_only(self):
        self.abut("run", "ball.xml", "--duration", 0.01, "--no-recording", "--summary", "s.json")
        self.abut("run", "ball.xml", "--duration", 0.01, "--no-recording", "--summary", "s.json")
        scene = open(self.path("ball.xml"), encoding="utf-8").read()
        self.abut("run", "ball.xml", "--duration", 0.01, "--no-recording", "--summary", "ball.xml",
                  code=2)
        self.assertEqual(open(self.path("ball.xml"), encoding="utf-8").read(), scene)

    def test_an_output_directory_has_a_name(self):
        self.assertIn("--out: is empty", self.error("run", "ball.xml", "--out", ""))

    def test_a_summary_never_replaces_the_runs_own_files(self):
        for name in ("o/recording.bin", "./o/../o/replay.html"):
            error = self.error("run", "ball.xml", "--duration", 0.01, "--out", "o", "--summary", name)
            self.assertIn("may be one of the run's own files", error)
        self.abut("run", "ball.xml", "--duration", 0.01, "--out", "o", "--summary", "o/s.json")
        self.assertIn("s.json", os.listdir(self.path("o")))

    def test_export_keeps_tables_of_others(self):
        self.abut("run", "ball.xml", "--duration", 0.01, "--out", "o")
        os.mkdir(self.path("f"))
        with open(self.path("f/steps.csv"), "w", encoding="utf-8") as file:
            file.write("mine")
        self.abut("export", "o", "--csv", "--out", "f", code=2)
        with open(self.path("f/steps.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        self.abut("export", "o", "--csv")
        self.abut("export", "o", "--csv")  # its own it replaces
        self.abut("export", "o", "--csv", "--out", "f", "--force")

    def test_lost_output_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([ABUT, "models"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output", done.stderr)

    def test_info(self):
        text = self.abut("info", CLUTTER).stdout
        for part in ("time step 0.002 s", "40 free bodies, 240 dofs", "5 plane", "sphere r 0.05",
                     "box 0.1 x 0.1 x 0.1", "body0", "1e+07", "depth"):
            self.assertIn(part, text)
        self.assertIn("ball, red", self.abut("info", "ball.xml").stdout)

    def test_info_as_json(self):
        with open(self.path("m.xml"), "w") as f:
            f.write("""<mujoco><compiler angle="radian"/><option gravity="0 0 -5"/><worldbody>
<geom name="floor" type="plane" size="1 1 1" friction="0.3" solref="-1e5 -100"/>
<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-1 2" limited="true" damping="3"
  frictionloss="4" armature="0.5" stiffness="6" springref="0.7" ref="0.1"/>
  <geom type="capsule" size="0.1 0.2" mass="2"/>
  <body name="b" pos="0 0 1"><joint name="k" type="slide"/>
  <geom type="box" size="0.1 0.2 0.3" mass="1"/></body></body>
<body name="w" pos="3 0 1"><freejoint/><geom name="ball" size="0.1" mass="0.5"/></body></worldbody>
<actuator><position joint="j" kp="7" forcerange="-8 9"/>
<motor name="m" joint="k" ctrlrange="0 1" ctrllimited="true"/></actuator>
<equality><joint name="e" joint1="j" joint2="k" polycoef="0 2 0 0 0"/></equality>
<tendon><fixed name="t" range="-1 1" limited="true"><joint joint="j" coef="2"/></fixed></tendon>
<contact><exclude body1="a" body2="w"/></contact>
<keyframe><key name="home" time="1.5"/></keyframe></mujoco>""")
        with open(self.path("s.toml"), "w") as f:
            f.write("""abut = 1
[[model]]
file = "m.xml"
joints = { k = 0.25 }
[[body]]
fixed = true
shape = { type = "ellipsoid", radii = [1, 2, 3] }
[[controller]]
type = "pd"
kp = 10
constant = { k = 0.1 }
[[camera]]
name = "c"
position = [1, 0, 0]
target = [0, 0, 0]
[[pair]]
geoms = ["floor", "ball"]
friction = 0.25
[simulation]
model = "lagged"
duration = 3
""")
        s = json.loads(self.abut("info", "s.toml", "--json", "--dt", 0.01).stdout)
        self.assertEqual(s["scene"], "s.toml")
        self.assertEqual(s["simulation"], {
            "model": "lagged", "law": "hunt-crossley", "solver": "newton", "time_step": 0.01,
            "tolerance": 1e-6, "duration": 3, "seed": 0})
        self.assertEqual(s["friction_rule"], "maximum")
        self.assertEqual(s["trees"], [
            {"kind": "mechanism", "dofs": 2, "mass": 3, "bodies": [0, 1]},
            {"kind": "free", "dofs": 6, "mass": 0.5, "bodies": [2]}])
        bodies = s["bodies"]
        self.assertEqual([(b["name"], b["kind"], b["parent"]) for b in bodies],
                         [("a", "linked", None), ("b", "linked", 0), ("w", "free", None),
                          ("body3", "fixed", None)])
        self.assertEqual(bodies[0]["joints"], [{
            "name": "j", "kind": "hinge", "axis": [0, 1, 0], "anchor": [0, 0, 0], "range": [-1, 2],
            "reference": 0.1, "damping": 3, "stiffness": 6, "spring_reference": 0.7,
            "dry_friction": 4, "armature": 0.5}])
        self.assertEqual((bodies[0]["joint_positions"], bodies[1]["joint_positions"]), ([0.1], [0.25]))
        self.assertIsNone(bodies[1]["joints"][0]["range"])
        np.testing.assert_allclose(
            bodies[1]["inertia"], [0.13 / 3, 0.1 / 3, 0.05 / 3, 0, 0, 0], rtol=1e-12, atol=1e-15)
        self.assertEqual([g["shape"] for g in s["geoms"]], [
            {"type": "plane"}, {"type": "capsule", "radius": 0.1, "half_length": 0.2},
            {"type": "box", "half_extents": [0.1, 0.2, 0.3]}, {"type": "sphere", "radius": 0.1},
            {"type": "ellipsoid", "radii": [1, 2, 3]}])
        self.assertEqual([g["body"] for g in s["geoms"]], [None, 0, 1, 2, 3])
        self.assertEqual(s["geoms"][0]["material"], {
            "stiffness": 1e5, "dissipation": None, "relaxation_time": 1e-3, "friction": 0.3})
        servo, motor, added = s["actuators"]
        self.assertEqual((servo["gain"], servo["bias"], servo["force_range"]),
                         ([7, 0, 0], [0, -7, 0], [-8, 9]))
        self.assertEqual((motor["name"], motor["control_range"], motor["force_range"]),
                         ("m", [0, 1], [None, None]))
        self.assertEqual(added["parts"], [{"body": 1, "joint": 0, "gear": 1}])
        self.assertEqual(s["controllers"], [{"type": "pd", "signal": "constant", "actuators": [2],
                                             "kp": 10, "kd": 0, "effort_limit": None}])
        self.assertEqual(s["equalities"], [{"name": "e", "kind": "joint", "bodies": [0, 1],
                                            "joints": [0, 0], "polynomial": [0, 2, 0, 0, 0]}])
        tendon = s["tendons"][0]
        self.assertEqual((tendon["name"], tendon["range"], tendon["parts"]),
                         ("t", [-1, 1], [{"body": 0, "joint": 0, "gear": 2}]))
        self.assertEqual(s["excluded_bodies"], [[0, 2]])
        self.assertEqual(s["keyframes"], [{"name": "home", "time": 1.5}])
        self.assertEqual(s["cameras"][0]["target"], [0, 0, 0])
        self.assertEqual(s["pairs"], [{
            "name": "", "geoms": [0, 3], "frictionless": False, "forced": False,
            "material": {"stiffness": None, "dissipation": None, "relaxation_time": None,
                         "friction": 0.25}}])
        self.assertEqual({c["friction"] for c in s["contacts"]}, {0.25, 1})  # the larger counts
        self.assertEqual(max(c["heaviest"] for c in s["contacts"]), 2)
        self.assertIn("friction of two surfaces", s["notices"][-1]["text"])
        self.assertIn("gravity 0, 0, -5", s["notices"][-2]["text"])
        self.assertEqual((s["notices"][-2]["file"], s["notices"][-2]["line"]), ("s.toml", 2))

    def contacts(self, scene, *options):
        """The rows that info prints of a scene's contacts, numbers by column."""
        with open(self.path("s.xml"), "w") as f:
            f.write(f"<mujoco><worldbody>{scene}</mujoco>")
        lines = self.abut("info", "s.xml", *options).stdout.splitlines()
        start = next((i for i, line in enumerate(lines) if line.startswith("contacts")), None)
        rows = lines[start + 2:] if start is not None else []
        return [list(map(float, r.split())) for r in rows if not r.startswith("  estimates")
                and re.fullmatch(r"[ 0-9.e+-]+", r)]

    def test_info_of_a_fixed_table(self):
        box = '<body><freejoint/><geom type="box" size="1 1 1" mass="{}" friction="0.3"/></body>'
        table = '<body><geom type="box" size="1 1 1" mass="1" friction="0.3"/></body>'
        floor = '<geom type="plane" size="1 1 1" friction="0.9"/>'
        rows = self.contacts(floor + table + box.format(1) + box.format(2) + "</worldbody>")
        self.assertEqual([row[3] for row in rows], [0.3, 0.9])
        rows = self.contacts(floor + table + box.format(1) + "</worldbody>")
        self.assertEqual([row[3] for row in rows], [0.3, 0.9])
        rows = self.contacts(floor + table + "</worldbody>")
        self.assertEqual(rows, [])

    def test_info_leaves_out_excluded_bodies(self):
        bodies = "".join(f'<body name="{n}"><freejoint/><geom size="1" mass="1"/></body>'
                         for n in "ab")
        self.assertEqual(len(self.contacts(bodies + "</worldbody>")), 1)
        exclude = '</worldbody><contact><exclude body1="a" body2="b"/></contact>'
        self.assertEqual(self.contacts(bodies + exclude), [])

    def test_models(self):
        text = self.abut("models").stdout
        for word in ("sap", "lagged", "similar", "kelvin-voigt", "hunt-crossley", "hertz",
                     "newton", "newton-paper", "newton-armijo"):
            self.assertIn(word, text)

    def test_version_and_help(self):
        self.assertRegex(self.abut("--version").stdout, r"^abut \d+\.\d+\.\d+\n$")
        self.assertIn("Usage: abut", self.abut("--help").stdout)
        for command in ("run", "info", "solve", "export", "models"):
            self.assertIn(f"abut {command}", self.abut(command, "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
