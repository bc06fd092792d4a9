"""The line that tells how long work goes on, where it can be rewritten and where it cannot."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from game import words
from game.workers import progress
from game.workers.progress import Progress, painting


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Console(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    words.use("en")
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


def paint(clock: Clock, stream: io.StringIO, pictures: int, seconds: Callable[[int], float]) -> str:
    """Paints so many pictures, each in so many seconds; what was told of it."""
    with Progress(stream) as line:
        tell = painting(line)
        for done in range(1, pictures + 1):
            clock.now += seconds(done)
            tell(done, pictures)
    return stream.getvalue()


def test_what_began_to_be_told_is_told_to_its_end(clock: Clock) -> None:
    told = paint(clock, io.StringIO(), 64, lambda done: 2.0 if done < 3 else 0.1).splitlines()
    assert ["2 of 64" in told[0], "64 of 64 pictures painted, 0:00 left" in told[-1], len(told)] == [True, True, 2]


def test_work_of_a_moment_says_nothing(clock: Clock) -> None:
    assert paint(clock, io.StringIO(), 9, lambda _done: 0.1) == ""


def test_a_terminal_is_wiped_clean_at_the_end(clock: Clock) -> None:
    told = paint(clock, Console(), 20, lambda _done: 0.2)
    lines = told.split("\r")
    assert "20 of 20" in lines[-3] and lines[-2].strip() == "" and lines[-1] == ""
    assert len(lines[-2]) == max(map(len, lines))
