"""Replays: recordings as pages that any browser shows, and inline in a notebook."""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path

from abut import _core
from abut.recording import Recording, RecordingWriter, recording_of

FRAME_HEIGHT = 480
"""Of a replay in a notebook [pixels]."""


def replay(recording: Recording | str | os.PathLike[str], html_path: str | os.PathLike[str], *,
           contacts: bool = True) -> None:
    """Writes a recording (or the one of a run's directory) as one HTML file that any browser shows without
    a network. Without contacts the file is several times smaller.

    Raises InputError if abut was built without the browser page, FileError if a file cannot be read or
    written.
    """
    if not isinstance(recording, Recording):
        recording = Recording(recording)
    recording._file.write_replay(os.fspath(html_path), contacts)


def inline(recording: Recording, *, contacts: bool = True) -> str:
    """The replay as HTML to be put into a page: an <iframe> that holds it whole."""
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory) / "replay.html"
        replay(recording, page, contacts=contacts)
        text = html.escape(page.read_text(encoding="utf-8"), quote=True)
    return (f'<iframe srcdoc="{text}" style="width: 100%; height: {FRAME_HEIGHT}px; border: 0" '
            f'sandbox="allow-scripts" title="abut replay"></iframe>')


def _recording_html(recording: Recording) -> str | None:
    return inline(recording) if _core.page_available() else None


def _world_html(world: _core.World) -> str | None:
    """The replay of what was last recorded of the world, else the world as it is."""
    if not _core.page_available():
        return None
    path = recording_of(world)
    if path is not None and os.path.exists(path):
        return inline(Recording(path))
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "recording.bin")
        with RecordingWriter(path, world, remember=False):
            pass
        return inline(Recording(path))


Recording._repr_html_ = _recording_html  # type: ignore[attr-defined]
_core.World._repr_html_ = _world_html  # type: ignore[attr-defined]
