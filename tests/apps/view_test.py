"""Tests of `abut view` as a user meets it; what its server refuses, tests/view says.

usage: view_test.py ABUT SCENES [unittest arguments]
"""

import os
import re
import signal
import socket
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

ABUT, SCENES = sys.argv[1:3]
CLUTTER = os.path.join(SCENES, "clutter_wide_40.xml")


def page_is_built():
    done = subprocess.run([ABUT, "view", "/nowhere"], text=True, capture_output=True)
    return "browser page" not in done.stderr


class View(unittest.TestCase):
    def start(self, *arguments):
        """The process, and the address that it prints."""
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        process = subprocess.Popen([ABUT, "view", *map(str, arguments)], text=True, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if url := re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", line):
                return process, url.group()
        self.fail(process.stderr.read())

    def end(self, process, number=signal.SIGINT):
        process.send_signal(number)
        text, errors = process.communicate(timeout=60)
        return process.returncode, text, errors

    def error(self, *arguments, code=2):
        done = subprocess.run([ABUT, "view", *map(str, arguments)], text=True, capture_output=True,
                              timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr.strip().splitlines()[-1]

    def status(self, url):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def test_serves_the_page_until_ctrl_c(self):
        process, url = self.start(CLUTTER, "--port", 0)
        with urllib.request.urlopen(url, timeout=60) as page:
            self.assertIn(b"<!doctype html>", page.read().lower())
        self.assertEqual(self.status(url + "page.js"), 200)
        self.assertEqual(self.status(url + "page.css"), 200)
        self.assertEqual(self.status(url + "../../etc/passwd"), 404)  # urllib shortens nothing
        self.assertEqual(self.status(url.rsplit("/", 2)[0] + "/"), 403)
        code, text, errors = self.end(process)
        self.assertEqual((code, errors), (130, ""))
        self.assertRegex(text, r"\d+ steps, [\d.e-]+ us each \(median\)")

    def test_sigterm_ends_it_too(self):
        process, _ = self.start(CLUTTER, "--port", 0, "--paused", "--no-browser")
        code, text, _ = self.end(process, signal.SIGTERM)
        self.assertEqual(code, 143)
        self.assertIn("0 steps", text)

    def test_port(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.assertEqual(self.error(CLUTTER, "--port", port),
                             f"abut: cannot listen on 127.0.0.1:{port}: Address already in use")
        process, url = self.start(CLUTTER, "--port", port)
        self.assertIn(f":{port}/", url)
        _, other = self.start(CLUTTER)
        self.assertNotEqual(url, other)
        self.assertIn("--port", self.error(CLUTTER, "--port", 65536))
        self.assertIn("--port", self.error(CLUTTER, "--port", "x"))

    def test_wrong_input(self):
        self.assertEqual(self.error(CLUTTER, "--speed", 0),
                         "abut: --speed = 0 s/s, must be positive and at most 1000")
        self.assertIn("--dt = 5 s", self.error(CLUTTER, "--dt", 5))
        self.assertIn("--keyframe 'x' is not in the scene", self.error(CLUTTER, "--keyframe", "x"))
        self.error("/nowhere.xml", code=4)


if __name__ == "__main__":
    if not page_is_built():
        print("abut was built without its browser page: nothing to test")
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
