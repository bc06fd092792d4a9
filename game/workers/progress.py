"""A line that tells how long work goes on: on the error stream, only when it takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from game.words import _

PATIENCE = 1.0  # s before anything is said
EVERY = 0.1  # s between two updates on a terminal
EVERY_LINE = 10.0  # s between two lines where nobody can rewrite one


class Progress:
    """Shows the last of the texts it is given; wiped out at the end."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._next = time.monotonic() + PATIENCE
        self._width = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()

    def show(self, text: str, *, is_last: bool = False) -> None:
        """The text, if it is time for one; the last one wherever another was shown, or that would stand there."""
        now = time.monotonic()
        if now < self._next and not (is_last and self._width):
            return
        self._next = now + (EVERY if self._live else EVERY_LINE)
        if self._live:
            self._stream.write("\r" + text.ljust(self._width))
        else:
            self._stream.write(text + "\n")
        self._width = max(self._width, len(text))
        self._stream.flush()


def painting(progress: Progress) -> Callable[[int, int], None]:
    """What shows how many of how many pictures are painted, and how long the rest takes."""
    begun: list[float] = []

    def tell(done: int, total: int) -> None:
        begun.append(time.monotonic())
        if len(begun) == 1:  # before it much else was done, so that it says nothing of the others
            return
        left = (begun[-1] - begun[0]) / (len(begun) - 1) * (total - done)
        minutes, seconds = divmod(round(left), 60)
        progress.show(
            _("{bar} {done} of {total} pictures painted, {time} left").format(
                bar=bar(done / total), done=done, total=total, time=f"{minutes}:{seconds:02}"
            ),
            is_last=done == total,
        )

    return tell


def bar(share: float, width: int = 20) -> str:
    """A bar filled to that share."""
    filled = round(max(0.0, min(1.0, share)) * width)
    return "█" * filled + "░" * (width - filled)
