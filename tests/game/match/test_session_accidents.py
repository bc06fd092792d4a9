"""Accidents: by clumsy hands at the simulated table, declared at a real one."""

from __future__ import annotations

from typing import Any

import pytest

from game.core import TABLE, RuleError
from game.games.evaluation.moves import Accident, End, Stand
from physics.line import Placement
from tests.game.played import again, kinds, stand


def test_clumsy_hands(begin: Any) -> None:
    onto = Stand(Placement(9, 0.004, 0.0), End.LAST)  # in the middle of the tile 6
    graze = Stand(Placement(9, 0.0065, 0.0), End.LAST)  # a shallow touch
    beside = Stand(Placement(9, 0.0, 0.0245), End.LAST)  # at its narrow side
    careful = begin()
    for move in (onto, graze, beside):
        with pytest.raises(RuleError):
            careful.play(0, move)
    assert careful.entries == ()
    session = begin(clumsy=True)
    for move in (graze, beside):
        with pytest.raises(RuleError):
            session.play(0, move)
    with pytest.raises(RuleError, match="Seat 1 cannot act now"):
        session.play(1, onto)
    with pytest.raises(RuleError, match="not in the supply"):
        session.play(0, Stand(Placement(6, 0.004, 0.0), End.LAST))
    told = session.play(0, onto)
    assert kinds(told) == ["knocked", "move"]
    assert told[1].entry.data == {"seat": TABLE, "move": "accident 0"}
    assert told[0].entry.data["seat"] == 0 and told[0].entry.data["frames"]
    assert session.state.chips == (0, 1, 1) and session.state.active == 0
    resumed = again(session)
    assert resumed.state.chips == (0, 1, 1)
    resumed.close()


def test_a_clumsy_hand_between_tiles_of_a_longer_row(begin: Any) -> None:
    session = begin(clumsy=True)
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")
    middle = (session.state.row[0].x + session.state.row[1].x) / 2
    with pytest.raises(RuleError):
        session.play(1, Stand(Placement(8, middle, 0.3), (6, 7)))  # far off: no accident
    told = session.play(1, Stand(Placement(8, session.state.row[1].x - 0.004, 0.0), (6, 7)))
    assert kinds(told) == ["knocked", "move"] and session.state.chips == (1, 0, 1)


def test_anybody_declares_an_accident_at_a_real_table(begin: Any) -> None:
    session = begin(table="hand")
    session.play(0, stand(session, 7))
    told = session.declare_accident(by=2, clumsy=1)
    assert told[0].entry.data == {"seat": 2, "move": "accident 1"} and session.state.chips == (1, 0, 1)
    session.undo(2)  # it was none after all
    assert session.state.chips == (0, 0, 0) and len(session.state.row) == 2
    simulated = begin()
    simulated.play(0, stand(simulated, 7))
    for seat in (2, TABLE):
        with pytest.raises(RuleError, match="declared at real tables"):
            simulated.play(seat, Accident(1))
