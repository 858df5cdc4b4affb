"""How far an experiment is, as one line on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 24


class Progress:
    """A line that is drawn again as the experiment goes on; nothing where no one looks."""

    def __init__(self, name: str, stream: TextIO | None = None) -> None:
        self.name = name
        self._stream = stream or sys.stderr
        self._shown = self._stream.isatty()
        self._start = self._drawn = time.monotonic()

    def reach(self, share: float) -> None:
        """share: of all that the experiment has to do, 0 to 1."""
        now = time.monotonic()
        if not self._shown or (share < 1 and now - self._drawn < 0.1):
            return
        self._drawn = now
        bar = "#" * round(WIDTH * share)
        left = (now - self._start) * (1 - share) / share if share > 0 else 0
        text = f"{self.name:28} [{bar:{WIDTH}}] {100 * share:3.0f} %"
        self._stream.write(f"\r{text}, {left:.0f} s left \x1b[K" if share > 0 else f"\r{text}\x1b[K")
        self._stream.flush()

    def end(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
