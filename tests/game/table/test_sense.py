"""What the hand did, as a move of the game or as a difference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.core import RuleError
from game.games.evaluation.hands import HANDS
from game.games.evaluation.moves import Accident, End, Push, Stand
from game.games.evaluation.placements import at_end, between
from game.games.evaluation.state import State
from game.table.sense import sense
from physics.outcome import Fate
from physics.tiles import Stance
from tests.game.table.built_rows import ARMED, EIGHT, FIVE, GAME, START, THREE, TWO, after, seen, stand
from tests.game.table.painted_table import FRAME, fallen, tile_at


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
