"""What is typed, line by line, without ever waiting longer than one wants to."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from typing import TextIO

CHUNK = 4096  # bytes


class LineInput:
    """The lines of a terminal, a pipe or a file. Nobody else may read the same stream."""

    def __init__(self, stream: TextIO | None) -> None:
        self._lines: list[str] = []
        self._rest = b""
        self._descriptor: int | None = None
        if stream is None:
            return
        try:
            self._descriptor = stream.fileno()
        except (OSError, ValueError):  # a stream of the program's own: all of it is there, unless it is closed
            with contextlib.suppress(OSError, ValueError):
                self._lines = [line.rstrip("\r\n") for line in stream]

    @property
    def is_over(self) -> bool:
        """Whether nothing more can come."""
        return self._descriptor is None and not self._lines

    def poll(self, wait: float) -> str | None:
        """The next line that comes within that time, s; None when there is none."""
        if not self._lines and self._descriptor is not None:
            self._take(wait)
        return self._lines.pop(0) if self._lines else None

    def _take(self, wait: float) -> None:
        assert self._descriptor is not None
        # Windows tells of no terminal whether something was typed: there the line is waited for.
        if sys.platform != "win32" and not select.select([self._descriptor], [], [], wait)[0]:
            return
        taken = os.read(self._descriptor, CHUNK)
        whole = self._rest + taken
        if not taken:
            self._descriptor = None
            self._lines += [whole.decode(errors="replace")] if whole else []
            return
        *lines, self._rest = whole.split(b"\n")
        self._lines += [line.decode(errors="replace").rstrip("\r") for line in lines]
