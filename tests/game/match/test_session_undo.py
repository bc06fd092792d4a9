"""Moves taken back, and corrections of what was said of a real table."""

from __future__ import annotations

from typing import Any

import pytest

from game.bots.seats import Bots
from game.core import TABLE, RuleError
from game.games.evaluation.moves import End, Stand
from game.match import forecasts
from game.match.background import Tools
from game.match.tabletop import scene_key
from game.match.turns import undo_last
from physics.line import Placement
from tests.game.played import Never, again, stand, to_push, to_votes


def test_undo_takes_back_ones_own_last_move(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    before = session.state
    session.play(0, stand(session, 7))
    told = session.undo(0)
    assert told[0].entry.data == {"seat": 0, "of": 1} and session.state == before
    with pytest.raises(RuleError, match="has no move to take back"):
        session.undo(0)
    session.play(0, stand(session, 8))
    session.play(1, "pass")
    with pytest.raises(RuleError, match="others have moved since"):
        session.undo(0)  # seat 1 has answered it
    session.undo(1)
    session.undo(0)
    assert session.state == before
    resumed = again(session, Tools(executor=Never()))
    assert resumed.state == before and len(resumed.entries) == 6
    resumed.close()


def test_a_secret_vote_may_be_changed_until_it_is_revealed(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    to_votes(session)
    session.play(2, "vote failure")
    session.play(1, "vote success")
    session.undo(2)  # the vote of seat 1 stays as it is
    assert session.state.votes == (None, True, None)
    session.play(2, "vote success")
    session.play(0, "vote success")
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(2)
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(0)


def test_what_would_change_the_moves_of_others_stays(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")  # with it the turn goes on: seat 1 is to place
    with pytest.raises(RuleError, match="others have moved since"):
        session.undo(1)


def test_a_hint_that_was_seen_is_learnt(begin: Any) -> None:
    session = begin(hints=True)
    session.play(0, stand(session, 7))
    session.finish()
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(0)
    other = begin()
    other.play(0, stand(other, 7))
    other.finish()
    other.undo(0)  # nobody has seen that forecast


def test_corrections_of_a_real_table(begin: Any) -> None:
    session = begin(table="hand", options={"rounds": 3})
    to_push(session)
    session.play(0, "push")
    session.play(TABLE, "fell", by=0)
    assert session.state.chips == (1, 1, 0)
    number = session.history.moves[-1].number
    session.play(0, stand(session, 9))
    session.correct(2, number, "stood 7")
    assert session.state.chips == (0, 0, 2) and session.state.row[-1].value == 9
    placed = session.history.moves[-1]
    nearer = stand_again(placed.move, dx=-0.002)
    session.correct(1, placed.number, nearer)
    assert session.state.row[-1].x == nearer.placement.x
    for wrong in ("pass", "vote success", stand(session, 10), "stood 7"):
        with pytest.raises(RuleError, match="Only what happened on the table"):
            session.correct(1, placed.number, wrong)
    with pytest.raises(RuleError, match="The row was pushed since"):
        session.correct(1, session.history.moves[0].number, stand_again(session.history.moves[0].move, dx=0.001))
    with pytest.raises(RuleError, match="free air"):
        session.correct(1, placed.number, stand_again(nearer, dx=0.2))
    with pytest.raises(RuleError, match="Only what happened"):
        session.correct(1, 999, "fell")
    state = session.state
    resumed = again(session)
    assert resumed.state == state
    resumed.finish()
    assert resumed.history.scene is not None and scene_key(resumed.history.scene) in resumed.history.forecasts
    resumed.close()
    simulated = begin()
    simulated.play(0, stand(simulated, 7))
    with pytest.raises(RuleError, match="not a real one"):
        simulated.correct(0, 1, stand(simulated, 7))


def stand_again(move: Stand, dx: float) -> Stand:
    tile = move.placement
    return Stand(Placement(tile.value, tile.x + dx, tile.y, tile.yaw, tile.stance), move.spot, move.lifted)


def test_what_the_table_has_shown_is_learnt(begin: Any) -> None:
    session = begin(clumsy=True)
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")
    session.play(1, Stand(Placement(9, 0.004, 0.0), End.LAST))  # in the middle of the tile 6: it knocks the row over
    assert session.history.moves[-1].seat == TABLE
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(2)


def test_a_forecast_that_failed_shows_nobody_anything(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasts, "forecast_of", lambda row, _seed, _engine: {"scene": scene_key(row), "failed": "no"})
    session = begin(hints=True)
    session.play(0, stand(session, 7))
    session.finish()
    assert session.entries[-1].kind == "forecast"
    undo_last(session, Bots(session.setup), lambda _view, _seat: False)
    assert session.history.moves == ()
