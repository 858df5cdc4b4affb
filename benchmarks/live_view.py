#!/usr/bin/env python3
"""What watching costs: the median time of a step in `abut view`, in real time, with two WebSocket
clients that read all frames and draw none, against that without; interleaved runs of the clutter of
40 bodies at 2 ms. And the speed that is held while a client drags a body about: `make bench-live`.
"""

import argparse
import base64
import contextlib
import json
import math
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import threading
import time

import cases

ABUT = cases.BUILD / "apps" / "abut" / "abut"
SCENE = cases.ROOT / "examples" / "scenes" / "clutter40.xml"
COLUMNS = [("case", "case", "<12"), ("runs", "runs", ">4"), ("alone_us", "alone us", ">8.2f"),
           ("watched_us", "watched us", ">10.2f"), ("ratio", "ratio", ">6.3f"),
           ("ratio_min", "least", ">6.3f"), ("ratio_max", "largest", ">7.3f"),
           ("alone_mean_us", "alone mean us", ">13.2f"),
           ("watched_mean_us", "watched mean us", ">15.2f"),
           ("frames_per_s", "frames/s", ">8.1f"), ("real_time", "real time", ">9.3f"),
           ("real_time_min", "least in 1/4 s", ">14.3f")]


class Client:
    """A page that reads and does not draw."""

    def __init__(self, url):
        host, port, path = re.fullmatch(r"http://([^:]+):(\d+)(/.*/)", url).groups()
        self.socket = socket.create_connection((host, int(port)))
        self.file = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path}socket HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
            .encode())
        while self.file.readline() not in (b"\r\n", b""):
            pass
        self.frames = 0
        self.real_times = []
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        with contextlib.suppress(ConnectionResetError):  # the server ends with what we never read
            self.read_messages()

    def read_messages(self):
        while len(head := self.file.read(2)) == 2:
            size = head[1]
            if size == 126:
                size, = struct.unpack(">H", self.file.read(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.file.read(8))
            payload = self.file.read(size)
            if head[0] & 15 == 2:
                self.frames += 1
            elif head[0] & 15 == 1 and payload.startswith(b'{"type":"state"'):
                self.real_times.append((time.monotonic(), json.loads(payload)["real_time"]))

    def send(self, **message):
        payload = json.dumps(message).encode()
        mask = os.urandom(4)
        long = len(payload) > 125  # the shorter form is not for choice
        head = struct.pack(">BBH", 0x81, 0x80 | 126, len(payload)) if long else \
            bytes([0x81, 0x80 | len(payload)])
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()


def view(seconds, clients, drag=False):
    """One run: its step times [us], and what the clients saw."""
    process = subprocess.Popen([ABUT, "view", SCENE, "--no-browser", "--port", "0"],
                               stdout=subprocess.PIPE, text=True)
    url = None
    while url is None:
        url = re.search(r"http://\S+", process.stdout.readline())
    pages = [Client(url.group()) for _ in range(clients)]
    start = time.monotonic()
    end = start + seconds
    while time.monotonic() < end:
        t = time.monotonic()
        if drag:  # in a circle above and through the heap
            pages[0].send(type="drag", body=7, point=[0, 0, 0],
                          target=[0.2 * math.cos(3 * t), 0.2 * math.sin(3 * t), 0.4])
        time.sleep(1 / 60)
    for page in pages:
        page.close()
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[0]
    median, mean = re.search(r"([\d.e+-]+) us each \(median\), ([\d.e+-]+) us", text).groups()
    real_times = [r for p in pages for t, r in p.real_times if start + 1 < t < end]
    return {"median": float(median), "mean": float(mean),
            "frames": sum(p.frames for p in pages) / max(1, clients) / seconds,
            "real_time": statistics.mean(real_times or [math.nan]),
            "real_time_min": min(real_times, default=math.nan)}


def row(case, runs, seconds, drag):
    alone, watched = [], []
    for _ in range(runs):
        alone.append(view(seconds, 0))
        watched.append(view(seconds, 2, drag))
    middle = lambda results, key: statistics.median(r[key] for r in results)
    ratios = [w["median"] / a["median"] for a, w in zip(alone, watched)]
    return {"case": case, "runs": runs, "alone_us": round(middle(alone, "median"), 2),
            "watched_us": round(middle(watched, "median"), 2),
            "ratio": round(middle(watched, "median") / middle(alone, "median"), 4),
            "ratio_min": round(min(ratios), 4), "ratio_max": round(max(ratios), 4),
            "alone_mean_us": round(middle(alone, "mean"), 2),
            "watched_mean_us": round(middle(watched, "mean"), 2),
            "frames_per_s": round(middle(watched, "frames"), 1),
            "real_time": round(min(r["real_time"] for r in watched), 4),
            "real_time_min": round(min(r["real_time_min"] for r in watched), 4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=8, help="of each run")
    a = parser.parse_args()
    rows = (row(*case) for case in (("watched", a.runs, a.seconds, False),
                                    ("dragged", max(1, a.runs // 3), a.seconds, True)))
    cases.write_results("live_view", cases.print_table(COLUMNS, rows))


main()
