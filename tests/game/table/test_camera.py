"""A camera joined to a match: where the game's axes lie, what hands did, what fell, and that nothing waits for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core import TABLE, RuleError
from game.games.evaluation.hands import HANDS
from game.games.evaluation.moves import Accident, End, FallReport, Push, Stand
from game.games.evaluation.placements import at_end, between
from game.games.evaluation.rules import Evaluation
from game.games.evaluation.state import Phase, State, row_scene
from game.match.background import Tools
from game.match.history import Setup, checked_setup
from game.match.ports import Settle
from game.match.session import Session, new_match
from game.match.steps import Status
from game.match.turns import tell_sight
from game.table.axes import TableFrame, fitted
from game.table.fates import fate_of, fates_of
from game.table.judging import LOOK
from game.table.sense import sense
from physics.errors import InputError, ToppleError
from physics.line import Placement
from physics.outcome import Fate
from physics.tiles import Stance
from tests.game.played import Never
from tests.game.table.painted_table import FRAME, PaintedTable, fallen, tile_at
from vision.camera.frames import Back, CameraFrame, Lost
from vision.reader.reading import ReadTile
from vision.watching.settle import Kind

GAME = Evaluation()
START = GAME.start(2, {"rounds": 1}, 1)


def after(state: State, *moves: tuple[int, object]) -> State:
    for seat, move in moves:
        state = GAME.apply(state, seat, GAME.read(move) if isinstance(move, str) else move)[0]  # type: ignore[arg-type]
    return state


def stand(state: State, value: int, end: End = End.LAST, gap: float = 0.015, turn: float = 0.0) -> Stand:
    return at_end(state.row, value, Stance.UPRIGHT, end, gap, turn)


EIGHT = stand(START, 8)
TWO = after(START, (0, EIGHT), (1, "pass"))  # Ben is to place
FIVE = stand(TWO, 5, End.FIRST)
THREE = after(TWO, (1, FIVE))  # Ann may call
ARMED = after(THREE, (0, "call"), (1, "vote success"), (0, "vote failure"))


def seen(state: State) -> list[object]:
    return [tile_at(place) for place in state.row]


# Axes

angles = st.floats(-math.pi, math.pi)
lengths = st.floats(-150, 150)


@given(lengths, lengths, angles, st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), angles)
def test_mat_and_game_go_both_ways(x: float, y: float, turn: float, a: float, b: float, yaw: float) -> None:
    frame = TableFrame(x, y, turn)
    back = frame.in_game(frame.on_mat(Placement(6, a, b, yaw)))
    assert (back.x, back.y) == pytest.approx((a, b), abs=1e-9)
    assert math.remainder(back.yaw - yaw, math.pi) == pytest.approx(0, abs=1e-9)


@given(lengths, lengths, st.floats(-3, 3))
def test_the_axes_are_found_from_the_row(x: float, y: float, turn: float) -> None:
    frame = TableFrame(x, y, turn)
    found = fitted(THREE.row, [frame.on_mat(place) for place in THREE.row])
    assert found is not None
    assert (found.x, found.y) == pytest.approx((x, y), abs=1e-6)
    assert math.remainder(found.turn - turn, math.tau) == pytest.approx(0, abs=1e-9)


def test_a_lone_tile_tells_the_axes_by_where_it_looks() -> None:
    found = fitted(START.row, [ReadTile(6, 30.0, -12.0, 170.0)])
    assert found is not None and (found.x, found.y) == (30.0, -12.0)
    assert math.degrees(found.turn) == pytest.approx(-10)
    assert fitted(THREE.row, [ReadTile(6, 0.0, 0.0)]) is None


# What hands did


def test_a_placed_tile_is_a_move() -> None:
    for state, move in ((START, EIGHT), (TWO, FIVE), (TWO, between(TWO.row, 0, 1, Stance.UPRIGHT, 0.005))):
        tiles = [*seen(state), tile_at(move.placement)]
        found = sense(HANDS, state, FRAME, tiles, by_hand=True)  # type: ignore[arg-type]
        assert isinstance(found.move, Stand) and found.seat == state.active and not found.differences
        assert found.move.spot == move.spot and not found.move.lifted
        place, wanted = found.move.placement, move.placement
        assert (place.value, place.x, place.y) == pytest.approx((wanted.value, wanted.x, wanted.y), abs=1e-6)
        GAME.check(state, state.active, found.move)


def test_a_rule_broken_by_less_than_the_error_is_not_broken() -> None:
    near = stand(START, 8, gap=0.0027)  # the rules want 3 mm
    with pytest.raises(RuleError):
        GAME.check(START, 0, near)
    tile = tile_at(near.placement)
    found = sense(HANDS, START, FRAME, [*seen(START), tile], by_hand=True)  # type: ignore[list-item]
    assert isinstance(found.move, Stand)
    GAME.check(START, 0, found.move)
    sharp = replace(tile, sigma=(0.01, 0.01, 0.1))
    found = sense(HANDS, START, FRAME, [*seen(START), sharp], by_hand=True)  # type: ignore[list-item]
    assert found.move is None and found.refused is not None
    assert [each.kind for each in found.differences] == ["extra"]


def test_what_is_no_move_is_a_difference() -> None:
    tiles = [tile_at(place) for place in TWO.row]
    nine = tile_at(stand(TWO, 9).placement)

    def kinds(*seen: object, by_hand: bool = True, state: State = TWO) -> list[tuple[str, int | None]]:
        found = sense(HANDS, state, FRAME, seen, by_hand=by_hand)  # type: ignore[arg-type]
        assert found.move is None
        return [(each.kind, each.value) for each in found.differences]

    assert kinds(*tiles) == []
    assert kinds(*tiles, nine, by_hand=False) == [("extra", 9)]  # the bot whose turn it is has no hands
    assert kinds(*tiles, replace(nine, confidence=0.4)) == [("extra", None)]
    assert kinds(*tiles, replace(nine, state=Fate.FALLEN)) == []  # the supply may lie about
    assert kinds(tiles[0]) == [("missing", 8)]
    assert kinds(tiles[0], replace(tiles[1], y=tiles[1].y + 9)) == [("moved", 8)]
    assert kinds(tiles[0], replace(tiles[1], yaw=tiles[1].yaw + 30)) == [("turned", 8)]
    assert kinds(tiles[0], replace(tiles[1], stance=Stance.SIDE)) == [("stance", 8)]
    assert kinds(*tiles, nine, state=after(START, (0, EIGHT))) == [("extra", 9)]  # not now


def test_with_an_empty_supply_an_inner_tile_is_moved() -> None:
    state = START
    for value in (7, 5, 8, 4, 9, 3, 10, 2, 11, 1):
        end = End.LAST if value > 6 else End.FIRST
        state = after(state, (state.active, stand(state, value, end, 0.006)), (1 - state.active, "pass"))
    assert not state.supply
    rest = tuple(tile for tile in state.row if tile.value != 7)
    move = at_end(rest, 7, Stance.UPRIGHT, End.LAST, 0.01, 0.0, lifted=True)
    tiles = [tile_at(place) for place in (*rest, move.placement)]
    found = sense(HANDS, state, FRAME, tiles, by_hand=True)
    assert isinstance(found.move, Stand) and found.move.lifted and found.move.spot is End.LAST


def test_what_falls_is_an_accident_or_the_push() -> None:
    tiles = [fallen(tile_at(place)) for place in THREE.row]
    assert sense(HANDS, THREE, FRAME, tiles, by_hand=True).move == Accident(THREE.active)
    found = sense(HANDS, ARMED, FRAME, tiles, by_hand=True)
    assert (found.move, found.seat) == (Push(), ARMED.active)
    assert sense(HANDS, after(ARMED, (ARMED.active, "push")), FRAME, tiles, by_hand=True).move is None


def test_a_tile_set_down_for_a_bot_stands_where_it_stands() -> None:
    state = after(START, (0, EIGHT))
    tile = tile_at(EIGHT.placement)
    near = [tile_at(state.row[0]), replace(tile, x=tile.x + 5)]
    found = sense(HANDS, state, FRAME, near, by_hand=False, unseen=EIGHT)
    assert found.corrects and isinstance(found.move, Stand) and found.move.spot == EIGHT.spot
    far = [tile_at(state.row[0]), replace(tile, x=tile.x + 40)]
    assert not sense(HANDS, state, FRAME, far, by_hand=False, unseen=EIGHT).corrects


# What fell


def test_a_lean_is_held_against_the_tipping_angle() -> None:
    tile = replace(tile_at(START.row[0], Fate.LEANING), lean_sigma=0.5)
    tipping = math.degrees(math.atan2(6, 50))
    assert fate_of(replace(tile, lean=tipping + 1.5), tipping) is Fate.FALLEN
    assert fate_of(replace(tile, lean=-(tipping + 1.5)), tipping) is Fate.FALLEN
    assert fate_of(replace(tile, lean=tipping - 1.5), tipping) is Fate.LEANING
    for lean in (tipping + 0.5, tipping - 0.5):
        with pytest.raises(ToppleError, match="please say whether it fell"):
            fate_of(replace(tile, lean=lean), tipping)
    with pytest.raises(ToppleError, match="does not see the tile 5"):
        fates_of(row_scene(THREE).line, [])


# The match


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
