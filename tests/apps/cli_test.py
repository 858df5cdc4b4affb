"""Tests of the command line as a user meets it: runs, scenes, what is wrong, what is told."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

import numpy as np

from cli_testing import ABUT, CLUTTER, HOPELESS, Case, run_files


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
                energy_final penetration_max state_hash time final version isa threads model law scheme
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
        self.assertIn("numerical_failure", [s["status"] for s in failed])
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


class Warnings(Case):
    def run_scene(self, text, *options):
        with open(self.path("w.xml"), "w") as f:
            f.write(text)
        done = self.abut("run", "w.xml", "--no-recording", "--summary", "s.json", *options)
        with open(self.path("s.json")) as f:
            return done, json.load(f)

    def test_of_an_ordinary_scene_there_are_none(self):
        with open(CLUTTER) as f:
            done, s = self.run_scene(f.read(), "--duration", "0.5")
        self.assertEqual((s["warnings"], s["overlaps"]), ([], []))
        self.assertNotIn("warning", done.stdout)

    def test_a_scene_drawn_in_millimetres(self):
        done, s = self.run_scene("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body name="cup" pos="0 0 100"><freejoint/><geom size="100"/></body></worldbody></mujoco>""",
                                 "--duration", "0.1")
        (w,) = s["warnings"]
        self.assertEqual((w["kind"], w["step"], w["time"], w["body"], w["value"], w["unit"]),
                         ("size", 0, 0, "cup", 200, "m"))
        self.assertIn("warning      cup measures 200 m", done.stdout)
        self.assertIn(w["text"], done.stdout)
        self.assertIn(w["text"], self.abut("info", "w.xml").stdout)

    def test_a_step_of_a_second(self):
        text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/>
<body name="hand" pos=".3 0 0"><joint axis="0 1 0"/><geom type="box" size=".05 .03 .02"/></body>
</body></worldbody></mujoco>"""
        done, s = self.run_scene(text, "--dt", "1", "--duration", "20")
        kinds = {w["kind"]: w for w in s["warnings"]}
        self.assertIn("turn", kinds)
        self.assertIn(kinds["turn"]["body"], ["arm", "hand"])
        self.assertGreater(kinds["turn"]["value"], 0.5)
        self.assertGreaterEqual(kinds["turn"]["step"], 1)
        self.assertEqual(done.stdout.count("\nwarning "), len(s["warnings"]))
        _, s = self.run_scene(text, "--dt", "0.001", "--duration", "1")
        self.assertEqual(s["warnings"], [])

    def test_pairs_that_began_in_each_other_are_named(self):
        body = '<body name="{}" pos="{} 0 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
        done, s = self.run_scene('<mujoco><option gravity="0 0 0"/><worldbody>' + "".join(
            body.format(name, 0.15 * i) for i, name in enumerate("abcdef")) +
            "</worldbody></mujoco>", "--duration", "0.1")
        self.assertIn("overlap      5 pairs of shapes began in each other, parted slowly: "
                      "a and b, b and c, c and d, and 2 more", done.stdout)
        self.assertEqual([(o["a"], o["b"]) for o in s["overlaps"]],
                         [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")])
        self.assertAlmostEqual(s["overlaps"][0]["depth"], 0.05, 9)


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
scheme = "implicit-euler"
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

    def test_are_outvoted_by_the_scheme_of_the_command_line(self):
        self.assertEqual(self.summary("--scheme", "midpoint")["scheme"], "midpoint")
        self.assertIn("--scheme 'euler' is not known: must be one of symplectic-euler, implicit-euler, midpoint,",
                      self.error("run", "sub/s.toml", "--scheme", "euler"))

    def test_set_the_simulation(self):
        s = self.summary()
        self.assertEqual((s["model"], s["law"], s["tolerance"]), ("lagged", "hertz", 1e-7))
        self.assertEqual((s["dt"], s["steps"]), (0.01, 20))  # the model's time step
        self.assertEqual(s["scheme"], "implicit-euler")
        self.assertEqual(s["final"][0]["name"], "m/ball, red")
        self.assertIn("recording.bin", os.listdir(self.path("sub/there")))
        self.abut("export", "sub/there", "--csv")
        self.assertEqual(len(self.table("sub/there/bodies.csv")), 2 * 3)

    def test_options_count_first(self):
        s = self.summary("--model", "sap", "--duration", 0.1, "--dt", 0.005, "--tolerance", 1e-5,
                         "--out", "here")
        self.assertEqual((s["model"], s["steps"], s["dt"], s["tolerance"]), ("sap", 20, 0.005, 1e-5))
        self.assertFalse(os.path.exists(self.path("sub/there")))

    def test_steps_in_substeps(self):
        s = self.summary("--duration", 0.2)
        self.assertEqual((s["accuracy"], s["substeps"], s["smallest_substep"]), (None, s["steps"], s["dt"]))
        done = self.abut("run", "sub/s.toml", "--duration", "0.2", "--accuracy", "1e-4", "--summary", "a.json",
                         "--force")
        with open(self.path("a.json"), encoding="utf-8") as f:
            s = json.load(f)
        self.assertEqual((s["accuracy"], s["steps"], s["duration"]), (1e-4, 20, 0.2))
        self.assertGreater(s["substeps"], 2 * s["steps"])
        self.assertLessEqual(0.5 * s["error_max"], s["accuracy"])
        self.assertEqual(s["inaccurate_steps"], 0)
        self.assertIn(f"(asked 0.0001): {s['substeps'] / 20:.3g} substeps a step", done.stdout)

    def test_without_a_ground_are_told_how_to_get_one(self):
        ball = "[[body]]\nshape = {type = 'sphere', radius = 0.1}\n[simulation]\nduration = 0.1\n"
        for world, notes in (("", ["note: nothing is fixed that a body could fall on: ground = true in [world] "
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
                         "sub/s.toml:20: camera 'front': key 'zoom' is not known: must be one of name, "
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


class Excess(Case):
    """What is larger than any memory, or any patience."""

    HEAP = """abut = 1
[world]
ground = true
[[body]]
copies = 3000
spacing = [0, 0, 0]
shape = { type = "box", half_extents = [0.5, 0.5, 0.5] }
"""
    MANY = """<mujoco><worldbody><replicate count="100"><replicate count="1000">
<body><freejoint/><geom size=".1"/></body></replicate></replicate></worldbody></mujoco>"""

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def test_of_contacts_ends_the_run(self):
        self.write("heap.toml", self.HEAP)
        run = ("run", "heap.toml", "--duration", 0.002, "--no-recording")
        text = self.error(*run)
        self.assertIn("more than 2000000 pairs of shapes that are close to each other", text)
        self.assertIn("--contact-limit", text)
        self.assertIn("more than 100 contacts in a step; geom ",
                      self.error("run", CLUTTER, "--no-recording", "--quiet",
                                 "--contact-limit", 100))
        self.assertIn("--contact-limit = 0, must lie in", self.error(*run, "--contact-limit", 0))

    def test_leaves_what_was_simulated_before_an_error(self):
        self.error("run", CLUTTER, "--out", "cut", "--quiet", "--contact-limit", 100)
        with open(self.path("cut/summary.json")) as f:
            summary = json.load(f)
        self.assertEqual(summary["interrupted"], "an error")
        self.assertGreater(summary["steps"], 10)
        self.assertLessEqual(summary["contacts_max"], 100)
        self.assertTrue(os.path.exists(self.path("cut/recording.bin")))

    def test_of_bodies_is_refused_before_they_are_compiled(self):
        self.write("many.xml", self.MANY)
        self.write("many.toml", "abut = 1\n[[model]]\nfile = 'many.xml'\n")
        for scene in ("many.xml", "many.toml"):
            text = self.error("info", scene)
            self.assertIn("many.xml:1: replicate: 100000 bodies, must be at most 10000", text)
            self.assertIn("must be at most 99999", self.error("info", scene, "--body-limit", 99999))
        self.write("some.xml", self.MANY.replace('"1000"', '"2"'))
        self.write("some.toml", "abut = 1\n[[model]]\nfile = 'some.xml'\nbody_limit = 200\n")
        self.abut("info", "some.toml", "--body-limit", 3)
        self.error("info", "some.xml", "--body-limit", 3)

    def test_of_memory_is_named(self):
        def run(megabytes, *arguments):
            room = megabytes << 20
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room))
            done = subprocess.run([ABUT, *map(str, arguments)], cwd=self.folder, text=True,
                                  capture_output=True, timeout=120, preexec_fn=limit)
            self.assertEqual(done.returncode, 4, done.stderr)
            return done.stderr

        self.write("heap.toml", self.HEAP)
        text = run(600, "run", "heap.toml", "--duration", 0.002, "--no-recording",
                   "--contact-limit", 2**31 - 1)
        self.assertRegex(text, r"^abut: out of memory simulating step 1 with \d+ contacts\n$")
        self.write("rows.toml", self.HEAP.replace("3000", "100000"))
        self.assertEqual(run(100, "info", "rows.toml"), "abut: out of memory loading 'rows.toml'\n")


class WrongArguments(Case):
    def test_are_told_in_one_line(self):
        run = ("run", "ball.xml")
        for arguments, text in [
            ((), "a command is missing: run, view, info, solve, export, replay, reproduce or models"),
            (("simulate",), "'simulate' is not a command"),
            (("run",), "scene is required"),
            ((*run, "--bogus"), "'--bogus' is not known (--help says more)"),
            (("run", "--modle", "sap", "ball.xml"), "'--modle' is not known, did you mean --model?"),
            ((*run, "--frame-rat=1"), "'--frame-rat' is not known, did you mean --frame-rate?"),
            (("run", "--quite"), "'--quite' is not known, did you mean --quiet?"),
            ((*run, "more"), "'more' was not expected"),
            ((*run, "--dt"), "--dt needs one value"),
            ((*run, "--dt", "abc"), "--dt: 'abc' is not a finite number"),
            ((*run, "--dt", "nan"), "--dt: 'nan' is not a finite number"),
            ((*run, "--dt", "0"), "--dt = 0 s"),
            ((*run, "--duration", "-1"), "--duration = -1 s"),
            ((*run, "--duration", "1e300"), "2^53"),
            ((*run, "--model", "foo"), "--model 'foo' is not known: must be one of sap, lagged, similar, anchored"),
            ((*run, "--law", "foo"), "--law 'foo' is not known"),
            ((*run, "--solver", "foo"), "--solver 'foo' is not known: must be one of newton,"),
            ((*run, "--keyframe", "foo"), "--keyframe 'foo' is not in the scene: it has none"),
            ((*run, "--threads", "0"), "--threads = 0, must lie in [1, 1024]"),
            ((*run, "--threads", "two"), "--threads: 'two' is not a whole number"),
            ((*run, "--threads", "99999999999"), "--threads = 1e+11, must lie in [1, 1024]"),
            ((*run, "--tolerance", "1"), "--tolerance = 1"),
            ((*run, "--accuracy", "0"), "--accuracy = 0, must lie in [1e-9, 1]"),
            ((*run, "--mu", "-1"), "--mu = -1, must not be negative"),
            ((*run, "--stiffness", "0"), "--stiffness = 0 N/m, must be positive"),
            ((*run, "--dissipation", "-1"), "--dissipation = -1 s/m, must not be negative"),
            ((*run, "--relaxation-time", "-1"), "--relaxation-time = -1 s"),
            ((*run, "--frame-rate", "-1"), "--frame-rate = -1 1/s"),
            ((*run, "--save-problem", "0"), "--save-problem = 0, must be a step of the run"),
            ((*run, "--save-problem", "501"), "from 1 to 500"),
            ((*run, "--save-problem", "1,x"), "--save-problem: 'x' is not a whole number"),
            ((*run, "--save-problem", "1", "--no-recording"), "--no-recording"),
            (("solve", "ball.xml"), "ball.xml: is not an .npz file"),
            (("export", "ball.xml", "--csv"), "ball.xml: is not a recording of abut"),
            (("export", "ball.xml"), "--csv"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(text, self.error(*arguments))
        self.assertEqual(os.listdir(self.folder), ["ball.xml"])

    def test_files_that_cannot_be_read_exit_4(self):
        for command in (("run", "no"), ("info", "no"), ("solve", "no"), ("export", "no", "--csv"),
                        ("run", "."), ("export", ".", "--csv")):
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

    def test_info_lists_surfaces_that_move(self):
        with open(self.path("belt.toml"), "w") as f:
            f.write('abut = 1\n[[body]]\nfixed = true\nshape = {name = "belt", type = "box", half_extents = [1, 1, 1], '
                    'surface_velocity = [0.5, 0, 0], surface_angular_velocity = [0, 0, 2]}\n')
        self.assertIn("(0.5, 0, 0), (0, 0, 2)  belt", self.abut("info", "belt.toml").stdout)
        geom = json.loads(self.abut("info", "belt.toml", "--json").stdout)["geoms"][0]
        self.assertEqual(geom["surface_velocity"], [0.5, 0, 0])
        self.assertEqual(geom["surface_angular_velocity"], [0, 0, 2])
        self.assertNotIn("surfaces that move", self.abut("info", CLUTTER).stdout)

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
            "model": "lagged", "law": "hunt-crossley", "scheme": "symplectic-euler",
            "solver": "newton", "time_step": 0.01,
            "tolerance": 1e-6, "accuracy": None, "duration": 3, "seed": 0})
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
            "stiffness": 1e5, "dissipation": None, "relaxation_time": 1e-3, "friction": 0.3,
            "cross_friction": None, "static_friction": None, "force_table": None, "thickness": None})
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
            "name": "", "geoms": [0, 3], "law": None, "frictionless": False, "forced": False,
            "material": {"stiffness": None, "dissipation": None, "relaxation_time": None,
                         "friction": 0.25, "cross_friction": None, "static_friction": None,
                         "force_table": None, "thickness": None}}])
        self.assertEqual({c["friction"] for c in s["contacts"]}, {0.25, 1})  # the larger counts
        self.assertEqual(max(c["heaviest"] for c in s["contacts"]), 2)
        self.assertIn("friction of two surfaces", s["notices"][-1]["text"])
        self.assertIn("gravity 0, 0, -5", s["notices"][-2]["text"])
        self.assertEqual((s["notices"][-2]["file"], s["notices"][-2]["line"]), ("s.toml", 2))

    def test_pairs_with_a_law_of_their_own(self):
        with open(self.path("s.toml"), "w") as f:
            f.write("""abut = 1
[world]
ground = true
ground_material = "floor"
[material]
floor = {}
ball = {}
[[body]]
name = "b"
position = [0, 0, 0.1]
shape = {type = "sphere", radius = 0.1, material = "ball"}
[[body]]
name = "c"
position = [1, 0, 0.1]
shape = {type = "sphere", radius = 0.1}
[[pair]]
materials = ["ball", "floor"]
law = "kelvin-voigt"
""")
        lagged = ("s.toml", "--model", "lagged")
        s = json.loads(self.abut("info", *lagged, "--json").stdout)
        self.assertEqual([p["law"] for p in s["pairs"]], ["kelvin-voigt"])
        self.assertEqual([c["law"] for c in s["contacts"]], ["hunt-crossley", "kelvin-voigt"])
        rows = self.abut("info", *lagged).stdout.splitlines()
        self.assertEqual([r.split()[-1] for r in rows if r.endswith(("-voigt", "-crossley"))],
                         ["hunt-crossley", "kelvin-voigt"])
        run = (*lagged, "--duration", "0.01", "--no-recording")
        # both laws read what the other does not
        done = self.abut("run", *run, "--relaxation-time", "1e-3", "--dissipation", "3")
        self.assertNotIn("has no effect", done.stderr)
        self.assertIn("hunt-crossley, pairs of geoms with a law of their own: 1", done.stdout)
        self.assertIn("law in the scene file has no effect with model sap",
                      self.abut("run", "s.toml", *run[3:]).stderr)

    def test_a_force_table_takes_the_place_of_the_stiffness(self):
        with open(self.path("t.toml"), "w") as f:
            f.write("""abut = 1
[world]
ground = true
force_table = [[0, 0], [1e-3, 10], [2e-3, 50]]
[[body]]
position = [0, 0, 0.1]
mass = 3
shape = { type = "sphere", radius = 0.1 }
[simulation]
model = "lagged"
law = "tabulated"
""")
        # 29.43 N: 1 mm + 19.43/40 mm; 2 pi sqrt(3/4e4) s
        s = json.loads(self.abut("info", "t.toml", "--json").stdout)
        table = [[0, 0], [1e-3, 10], [2e-3, 50]]
        self.assertEqual((s["force_table"], s["contacts"][0]["force_table"]), (table, table))
        self.assertAlmostEqual(s["contacts"][0]["depth"], 1.48575e-3, 12)
        row = self.abut("info", "t.toml").stdout.split("table", 1)[1].split("\n")[0].split()
        self.assertEqual((row[3], row[4]), ("1.49e+03", "54.4"))
        run = ("run", "t.toml", "--duration", "0.01", "--no-recording", "--stiffness", "1e5")
        self.assertIn("--stiffness has no effect", self.abut(*run).stderr)
        done = self.abut(*run, "--law", "hunt-crossley")
        self.assertNotIn("has no effect", done.stderr)
        self.abut("run", "t.toml", "--duration", "1", "--no-recording", "--summary", "t.json")
        with open(self.path("t.json")) as f:
            deepest = json.load(f)["penetration_max"]
        self.assertGreater(deepest, 1.48575e-3)  # it swings through its place
        # without dissipation to where the table has stored its weight times that depth
        self.assertLess(deepest, 1e-3 + (19.43 + (19.43**2 + 2 * 24.43 * 40) ** 0.5) * 1e-3 / 40)

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

    def test_reproduce_hands_over_to_python(self):
        with open(self.path("python"), "w") as f:
            f.write('#!/bin/sh\nshift 2\necho "$@"\nexit 7\n')
        os.chmod(self.path("python"), 0o755)
        done = subprocess.run([ABUT, "reproduce", "one", "--quick", "--help"], text=True, capture_output=True,
                              env={"ABUT_PYTHON": self.path("python"), "PATH": os.environ["PATH"]})
        self.assertEqual((done.stdout, done.returncode), ("one --quick --help\n", 7), done.stderr)

    def test_reproduce_says_what_python_lacks(self):
        def error(python):
            done = subprocess.run([ABUT, "reproduce", "--list"], text=True, capture_output=True,
                                  env={"ABUT_PYTHON": python, "PATH": os.environ["PATH"]})
            self.assertEqual((done.stdout, done.returncode), ("", 2), done.stderr)
            return done.stderr
        self.assertEqual(error("/nowhere/python"), "abut: experiments need Python: '/nowhere/python': No such file or "
                         "directory; ABUT_PYTHON names another\n")
        with open(self.path("python"), "w") as f:  # one without any package
            f.write(f'#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} -I -S "$@"\n')
        os.chmod(self.path("python"), 0o755)
        self.assertRegex(error(self.path("python")), "^abut: experiments need the Python package abut, and .* says: "
                         "No module named 'abut': install it there, or name another Python by ABUT_PYTHON\n$")

    def test_version_and_help(self):
        self.assertRegex(self.abut("--version").stdout, r"^abut \d+\.\d+\.\d+\n$")
        self.assertIn("Usage: abut", self.abut("--help").stdout)
        for command in ("run", "info", "solve", "export", "models"):
            self.assertIn(f"abut {command}", self.abut(command, "--help").stdout)

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
