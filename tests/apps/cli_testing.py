"""What tests of the command line share. usage of each: NAME_test.py ABUT SCENES [unittest arguments]"""

import csv
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

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
