"""What is written into a log stays as it always was: falls that people report, that a camera sees, that hands cause.

The logs were written before an outcome said its source; the same steps give the same lines today.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from game.core import TABLE
from game.match.background import Tools
from game.match.history import setup_in
from game.match.log import Entry, Log, read_log
from game.match.ports import Difference, RigStage, RigState
from game.match.reading import read_match
from game.match.session import Session, new_match, resume_match
from game.match.steps import Sight
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.scene import Scene
from tests.game.played import Never

LOGS = Path(__file__).parent / "old_logs"


class Camera:
    """Sees the first tile fall, and no other."""

    def judge(self, scene: Scene) -> Outcome:
        fates = (Fate.FALLEN, *(Fate.STANDING for _ in scene.line.values[1:]))
        return Outcome(fates, (0.125, *(None for _ in fates[1:])), 1.5, True, OutcomeSource.CAMERA)


def to_fall(session: Session) -> None:
    seat = session.state.active
    session.play(seat, "stand 7 at 26.5 0 yaw 0 upright last")
    session.play(1 - seat, "call")
    session.play(seat, "vote success")
    session.play(1 - seat, "vote failure")
    session.play(seat, "push")


def reported(session: Session) -> None:
    session.play(0, "stand 8 at 26.5 0 yaw 0 upright last")
    session.undo(0)
    to_fall(session)
    session.play(TABLE, "stood 7", by=1)
    session.correct(0, session.history.moves[-1].number, "stood")
    to_fall(session)
    session.play(TABLE, "fell")


def seen(session: Session) -> None:
    session.look(Sight.MOVING)
    session.look(Sight.DIFFERS, [Difference("moved", 6, 4.0)])
    session.look(Sight.AGREES)
    session.rig_at(RigState(RigStage.READY, tilt=(0.001, 0.0)))
    for _round in range(2):
        to_fall(session)
        session.settle()


@pytest.mark.parametrize(("name", "play"), [("reported", reported), ("seen", seen)])
def test_the_same_steps_write_the_same_lines(tmp_path: Path, name: str, play: Callable[[Session], None]) -> None:
    old, path = read_log(LOGS / f"{name}.topple"), tmp_path / "match.topple"
    ticks = count()
    tools = Tools(Never(), Camera() if play is seen else None, clock=lambda: float(next(ticks)))
    with new_match(path, setup_in(old.header, ""), tools) as session:
        play(session)
    assert read_log(path) == old
    assert path.read_bytes() == (LOGS / f"{name}.topple").read_bytes()


@pytest.mark.parametrize("name", ["reported", "seen", "clumsy"])
def test_a_match_that_was_stopped_anywhere_goes_on(tmp_path: Path, name: str) -> None:
    """Cut behind every line: the move that follows from a fall is made good, as it was written then."""
    old, path = read_log(LOGS / f"{name}.topple"), tmp_path / "match.topple"
    for length in range(len(old.entries) + 1):
        with Log.create(path, old.header, replace=True) as log:
            log.append(*((entry.t, entry.kind, entry.data) for entry in old.entries[:length]))
        with resume_match(path, Tools(Never())) as session:
            assert plain(session.entries)[:length] == plain(old.entries[:length])
            followed = plain(session.entries)[length:]
        is_due = length and length < len(old.entries) and old.entries[length - 1].kind == "outcome"
        assert not is_due or followed[:1] == plain(old.entries[length : length + 1])
        read_match(path)


def plain(entries: tuple[Entry, ...]) -> list[tuple[str, object]]:
    return [(entry.kind, dict(entry.data)) for entry in entries]
