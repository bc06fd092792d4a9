"""The spots of a row of Evaluation Domino where a tile may go: its two ends, and between two neighbours. Pure."""

from __future__ import annotations

import math
from itertools import pairwise

from game.games.evaluation.moves import End, Spot
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row, gaps_between, without
from physics.line import Placement
from physics.tiles import Stance

LIMITS = NUMBERS.limits
GAP_DIGITS = 3  # of metres: gaps are chosen in whole millimetres


def spots_of(row: Row, value: int) -> list[Spot]:
    """All places along the row from its first end to its last; a lifted tile goes to an end."""
    inner: list[Spot] = []
    if not is_lifted(row, value):
        inner = [(one.value, other.value) for one, other in pairwise(row)]
    return [End.FIRST, *inner, End.LAST]


def gap_within(rest: Row, value: int, stance: Stance, spot: Spot, gap: float) -> float:
    """The gap in whole millimetres within what is allowed; the middle where there is too little room."""
    low, high = LIMITS.gap_min, LIMITS.gap_max
    if not isinstance(spot, End):
        low, high = gaps_between(rest, index_of(rest, spot), value, stance)
        if high < low:
            return (low + high) / 2
    return max(low, min(high, round(gap, GAP_DIGITS)))


def has_room(rest: Row, value: int, stance: Stance, spot: tuple[int, int]) -> bool:
    """Whether the tile fits between the two neighbours with the least air on both sides."""
    least, most = gaps_between(rest, index_of(rest, spot), value, stance)
    return most >= least


def apart_from(rest: Row, spot: Spot, tile: Placement) -> float:
    """How far the tile is from the way that the spot stands for, m: out of an end, or from tile to tile."""
    if isinstance(spot, End):
        old = rest[0 if spot is End.FIRST else -1]
        out = old.yaw + (math.pi if spot is End.FIRST else 0.0)
        along = (tile.x - old.x) * math.cos(out) + (tile.y - old.y) * math.sin(out)
        along = max(0.0, along)
        return math.hypot(tile.x - old.x - along * math.cos(out), tile.y - old.y - along * math.sin(out))
    one, other = beside(rest, spot)
    dx, dy = other.x - one.x, other.y - one.y
    share = ((tile.x - one.x) * dx + (tile.y - one.y) * dy) / max(dx * dx + dy * dy, 1e-12)
    share = max(0.0, min(1.0, share))
    return math.hypot(tile.x - one.x - share * dx, tile.y - one.y - share * dy)


def is_lifted(row: Row, value: int) -> bool:
    """Whether the tile stands in the row: placing it means taking it out first."""
    return any(tile.value == value for tile in row)


def rest_of(row: Row, value: int) -> Row:
    """The row that the tile is stood in; a lone tile stays its own neighbour, which the rules refuse."""
    return without(row, value) or row


def beside(rest: Row, spot: Spot) -> tuple[Placement, ...]:
    """The neighbours at that spot."""
    if isinstance(spot, End):
        return (rest[0 if spot is End.FIRST else -1],)
    index = index_of(rest, spot)
    return rest[index], rest[index + 1]


def index_of(rest: Row, spot: tuple[int, int]) -> int:
    """The place of the first of the two neighbours."""
    return next(index for index, tile in enumerate(rest) if tile.value == spot[0])
