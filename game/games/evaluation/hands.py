"""Evaluation Domino at a real table: which move a tile that hands have stood there is, and rows to show."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from game.core import TABLE, RuleError, Seat
from game.games.evaluation.choices import offers
from game.games.evaluation.moves import Accident, End, Move, Push, Spot, Stand
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row, stood, without
from game.games.evaluation.state import Phase, State
from physics.line import Line, Placement
from physics.scene import Finger, Scene
from physics.tiles import TileSet

SHARES = (0.0, 0.34, -0.34, 0.67, -0.67, 1.0, -1.0)
"""Of the slack, at which a tile is tried, nearest first."""
SLIPS = (Phase.BUILD, Phase.CALL, Phase.VOTE)
"""When what falls is an accident."""
START = Placement(NUMBERS.start_tile, 0.0, 0.0)
MIN_SHOWN = 4  # the lowest value in a row that is only shown: smaller tiles are hard to see


class EvaluationHands:
    """See `game.table.hands.TableHands` for what each method promises."""

    @property
    def tiles(self) -> TileSet:
        """The eleven tiles."""
        return NUMBERS.tiles

    def row(self, state: State) -> Row:
        """The row, which is never empty."""
        return state.row

    def placer(self, state: State) -> Seat:
        """Who is to place or to push, and while others speak whoever has placed."""
        return state.active

    def may_place(self, state: State, *, lifted: bool) -> bool:
        """A tile of the row is lifted only when the supply is empty."""
        return state.phase is Phase.BUILD and not (lifted and state.supply)

    def placed(self, state: State, tile: Placement, slack: float) -> Stand:
        """At the spot in the row that is nearest and legal."""
        lifted = not state.supply
        if tile.value not in state.movable:
            raise RuleError("The tile {value} is not among those that may be placed now.", value=tile.value)
        row = without(state.row, tile.value) if lifted else state.row
        spots = nearest_spots(row, tile, lifted=lifted)
        refusal: RuleError | None = None
        for share in SHARES:
            far = share * slack
            near = replace(tile, x=tile.x + far * math.cos(tile.yaw), y=tile.y + far * math.sin(tile.yaw))
            for spot in spots:
                stand = Stand(near, spot, lifted)
                try:
                    stood(row, stand, state.limits)
                except RuleError as error:
                    refusal = refusal or error
                else:
                    return stand
        assert refusal is not None
        raise refusal

    def fallen(self, state: State) -> tuple[Seat, Move] | None:
        """An accident of whoever placed, or after the votes the push."""
        if state.phase in SLIPS:
            return TABLE, Accident(state.active)
        return (state.active, Push()) if state.phase is Phase.PUSH else None

    def placement(self, move: Move) -> Placement | None:
        """Of a tile that was stood."""
        return move.placement if isinstance(move, Stand) else None

    def elsewhere(self, move: Move, tile: Placement) -> Stand:
        """At the same spot in the row."""
        assert isinstance(move, Stand)
        return replace(move, placement=tile)

    def rows(self, generator: random.Random, fits: Callable[[Placement], bool]) -> Iterator[Row]:
        """From the start tile on, by placements that players are offered."""
        row: Row | None = (START,)
        while row is not None:
            yield row
            row = _longer(row, generator, fits)

    def pushed(self, row: Row) -> Scene:
        """By a finger at the end of lower value."""
        return Scene(Line(NUMBERS.tiles, row), NUMBERS.table, Finger(NUMBERS.push_margin, "auto"))


def _longer(row: Row, generator: random.Random, fits: Callable[[Placement], bool]) -> Row | None:
    used = {tile.value for tile in row}
    values = [tile.value for tile in NUMBERS.tiles.tiles if tile.value not in used and tile.value >= MIN_SHOWN]
    stands = offers(row, values, generator, lifted=False)
    return next((stood(row, stand) for stand in stands if fits(stand.placement)), None)


def nearest_spots(row: Row, tile: Placement, *, lifted: bool) -> list[Spot]:
    """The places in the row that the tile may have been stood at, the nearest first."""
    found: list[tuple[float, Spot]] = [
        (_far(row[0], tile) if len(row) < 2 else _end_detour(row[0], row[1], tile), End.FIRST),
        (_far(row[-1], tile) if len(row) < 2 else _end_detour(row[-1], row[-2], tile), End.LAST),
    ]
    if len(row) == 1:
        ahead = (tile.x - row[0].x) * math.cos(row[0].yaw) + (tile.y - row[0].y) * math.sin(row[0].yaw)
        return [End.LAST, End.FIRST] if ahead >= 0 else [End.FIRST, End.LAST]
    if not lifted:
        found += [
            (_far(one, tile) + _far(tile, other) - _far(one, other), (one.value, other.value))
            for one, other in pairwise(row)
        ]
    return [spot for _detour, spot in sorted(found, key=lambda each: each[0])]


def _far(one: Placement, other: Placement) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def _end_detour(end: Placement, inner: Placement, tile: Placement) -> float:
    """How far the way from the tile over the end into the row is from the straight one, m."""
    return _far(tile, end) + _far(end, inner) - _far(tile, inner)


HANDS = EvaluationHands()
