"""A camera joined to a match: what hands did, what fell, and that nothing waits for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from game.core import TABLE, RuleError
from game.games.evaluation.moves import Accident, FallReport, Push
from game.games.evaluation.state import Phase
from game.match.background import Tools
from game.match.history import Setup, checked_setup
from game.match.ports import Settle
from game.match.session import Session, new_match
from game.match.steps import Status
from game.match.turns import tell_sight
from game.table.axes import TableFrame
from game.table.judging import LOOK
from physics.errors import InputError, ToppleError
from tests.game.played import Never
from tests.game.table.built_rows import EIGHT, FIVE, START, stand
from tests.game.table.painted_table import PaintedTable, fallen, tile_at
from vision.camera.frames import Back, CameraFrame, Lost
from vision.watching.settle import Kind


@pytest.fixture
def table() -> Iterator[PaintedTable]:
    made = PaintedTable((tile_at(START.row[0]),))
    yield made
    made.camera.close()


@pytest.fixture
def session(table: PaintedTable, tmp_path: Path) -> Iterator[Session]:
    setup = checked_setup(Setup("evaluation", ("Ann", "Ben"), 1, {"rounds": 1}, table="camera"))
    with new_match(tmp_path / "m.topple", setup, Tools(executor=Never(), judge=table.camera)) as made:
        yield made


def film(table: PaintedTable, session: Session, frames: Iterable[CameraFrame]) -> list[str]:
    """The match follows the pictures; what the rules refused."""
    refused = []
    for frame in frames:
        table.camera.eye.take(frame)
        try:
            table.camera.act(session)
        except RuleError as error:
            refused.append(str(error))
        tell_sight(session, table.camera.snapshot())
    return refused


def begin(table: PaintedTable, session: Session) -> None:
    film(table, session, table.calm())
    film(table, session, table.hand(*table.tiles, tile_at(EIGHT.placement)))
    session.play(1, "pass")
    film(table, session, table.hand(*table.tiles, tile_at(FIVE.placement)))
    assert [tile.value for tile in session.state.row] == [5, 6, 8]


def test_a_round_is_built_pushed_and_scored(table: PaintedTable, session: Session) -> None:
    begin(table, session)
    session.play(0, "call")
    session.play(1, "vote success")
    session.play(0, "vote failure")
    film(table, session, table.calm(0.3))
    up = table.tiles
    order = [2, 0, 1]  # 5, 6, 8 as they were placed
    steps = [[fallen(tile) if order.index(k) <= gone else tile for k, tile in enumerate(up)] for gone in (0, 1, 2)]
    film(table, session, table.hand(*steps[-1], steps=[step for step in steps for _time in range(2)]))
    assert session.status is Status.FALLING or session.result is not None
    session.settle()
    assert isinstance(session.history.moves[-1].move, FallReport) and session.state.chips == (0, 1)
    (outcome,) = (entry for entry in session.entries if entry.kind == "outcome")
    assert outcome.data["judge"] == "camera" and outcome.data["fates"] == ["fallen"] * 3
    times = outcome.data["fell_at"]
    assert times[0] == 0 and times == sorted(times) and times[-1] == pytest.approx(4 / 12, abs=0.1)
    assert [made.seat for made in session.history.moves if isinstance(made.move, Push)] == [1]


def test_the_round_begins_when_the_first_tile_stands_alone(table: PaintedTable, session: Session) -> None:
    nine = replace(tile_at(EIGHT.placement), value=9)
    table.tiles = (*table.tiles, nine)
    film(table, session, table.calm())
    assert [(each.kind, each.value) for each in table.camera.snapshot().differences] == [("extra", 9)]
    film(table, session, table.hand(*table.tiles[:1]))
    assert table.camera.snapshot().differences == () and session.state == START


def test_an_accident_is_the_active_players(table: PaintedTable, session: Session) -> None:
    begin(table, session)
    film(table, session, table.hand(*map(fallen, table.tiles)))
    assert session.history.moves[-1].move == Accident(1) and session.state.chips == (1, 0)
    assert session.state.phase is Phase.BUILD and len(session.state.row) == 1
    film(table, session, table.calm())
    assert session.history.moves[-1].move == Accident(1)  # what lies there knocks nothing over again
    film(table, session, table.hand(tile_at(START.row[0], frame=TableFrame(10.0, 0.0, -0.3))))
    place = tile_at(stand(START, 8).placement, frame=TableFrame(10.0, 0.0, -0.3))
    film(table, session, table.hand(*table.tiles, place))
    assert session.state.row[1].x == pytest.approx(EIGHT.placement.x, abs=1e-4)


def test_a_tile_moved_behind_the_games_back_stops_the_push(table: PaintedTable, session: Session) -> None:
    begin(table, session)
    good = table.tiles
    film(table, session, table.hand(good[0], replace(good[1], y=good[1].y + 12), good[2]))
    (difference,) = table.camera.snapshot().differences
    assert (difference.kind, difference.value, round(difference.by)) == ("moved", 8, 12)
    assert session.status.value == "disagree"
    session.play(0, "call")
    session.play(1, "vote success")
    session.play(0, "vote failure")
    with pytest.raises(RuleError, match="disagree"):
        session.play(1, "push")
    film(table, session, table.hand(*good))
    assert session.status is Status.ARMED and table.camera.snapshot().differences == ()


def test_what_the_rules_refuse_is_said_once(table: PaintedTable, session: Session) -> None:
    film(table, session, table.calm())
    far = tile_at(replace(EIGHT.placement, x=0.08))
    refused = film(table, session, table.hand(*table.tiles, far))
    refused += film(table, session, table.calm(4.0))
    assert len(refused) == 1 and "at most 40 mm" in refused[0]
    assert [each.value for each in table.camera.snapshot().differences] == [8]


def test_nothing_waits_for_a_lost_camera(table: PaintedTable, session: Session) -> None:
    begin(table, session)
    eye = table.camera.eye
    eye.take(Lost(InputError("Camera 0 gives no pictures any more: is it still plugged in?")))
    table.camera.act(session)
    sight = table.camera.snapshot()
    assert sight.settle is Settle.LOST and sight.picture is None
    session.play(0, "call")
    session.play(1, "vote success")
    session.play(0, "vote failure")
    session.play(1, "push")
    with pytest.raises(ToppleError, match="please say what fell"):
        session.settle()
    assert session.asks_people
    session.play(TABLE, "fell", by=0)
    assert session.state.chips == (0, 1)
    eye.take(Back())
    for frame in table.calm():
        eye.take(frame)
    assert table.camera.snapshot().settle is Settle.STILL


def test_a_judge_gives_up_when_the_camera_is_closed(table: PaintedTable, session: Session) -> None:
    begin(table, session)
    session.play(0, "call")
    session.play(1, "vote success")
    session.play(0, "vote failure")
    session.play(1, "push")
    assert session.poll() == () and LOOK < 1
    table.camera.close()
    with pytest.raises(ToppleError, match="please say what fell"):
        session.settle()


def test_a_picture_that_cannot_be_read_does_not_end_it(table: PaintedTable, session: Session) -> None:
    table.trouble = ValueError("no such luck")
    film(table, session, table.calm())
    assert table.camera.snapshot().settle is Settle.LOST and "no such luck" in str(table.camera.eye.view.trouble)
    table.trouble = None
    film(table, session, table.calm())
    assert table.camera.snapshot().settle is Settle.STILL


def test_a_calm_table_is_read_when_something_changed(table: PaintedTable, session: Session) -> None:
    film(table, session, table.calm())
    before = table.readings
    film(table, session, table.hand(*table.tiles))
    film(table, session, table.calm(5.0))
    assert table.readings == before


def test_people_drag_a_tile_to_where_it_stands(table: PaintedTable, session: Session) -> None:
    begin(table, session)
    moved = table.camera.drag(session, 5, (0.0, 0.01))
    assert [told.entry.kind for told in moved] == ["correction"]
    assert session.state.row[0].y < FIVE.placement.y - 0.002
    film(table, session, table.calm(4.0))
    assert table.camera.snapshot().differences == ()
    with pytest.raises(RuleError, match="The tile 11 is not seen"):
        table.camera.drag(session, 11, (0.1, 0.1))


def test_events_tell_what_happens(table: PaintedTable) -> None:
    told = []
    eight = tile_at(EIGHT.placement)
    for part in (table.calm(), table.hand(*table.tiles, eight), table.hand(*table.tiles, eight)):
        for frame in part:
            table.camera.eye.take(frame)
            for event in table.camera.eye.events():
                told.append((event.kind, event.change.value if event.change else None))
    hand = [(Kind.HAND_IN, None), (Kind.HAND_OUT, None)]
    assert told == [(Kind.PLACED, 6), *hand, (Kind.PLACED, 8), *hand]
