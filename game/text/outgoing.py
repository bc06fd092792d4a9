"""Where text leaves for a terminal: whatever a command prints is made harmless on its way."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

from physics.harmless import harmless

LAYOUT = "\n\r\t"  # what our own tables and progress lines are made with


class HarmlessStream:
    """A stream for text that can move no cursor: see `physics.harmless`. All else is as the stream behind it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes the text made harmless; how much of what was given is written."""
        self._stream.write(harmless(text, LAYOUT))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def harmless_output() -> Iterator[None]:
    """Puts a HarmlessStream before the output and the errors of this process, where they are open."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream if stream is None else cast(TextIO, HarmlessStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
