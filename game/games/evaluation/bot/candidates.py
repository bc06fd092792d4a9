"""Placements that a thoughtful player of Evaluation Domino would try: gaps that suit the tiles, mostly straight on."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from game.core import RuleError
from game.games.evaluation.moves import End, Stand
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import TILES, Row, at_end, between, gaps_between, stood, without
from physics.tiles import Stance

GAPS = (0.12, 0.62)  # of the lower neighbour's standing height, from and to
SIDE_SHARE = 0.2
STRAIGHT_SHARE = 0.6
INNER_SHARE = 0.25
BEND = math.radians(35)  # rad, at most, where it is not straight
ATTEMPTS = 3  # for each placement that is asked for


def movable(row: Row) -> tuple[int, ...]:
    """The values of the supply, or those of the inner tiles when it is empty."""
    used = {tile.value for tile in row}
    supply = tuple(tile.value for tile in TILES.tiles if tile.value not in used)
    return supply or tuple(tile.value for tile in row[1:-1])


def row_after(row: Row, stand: Stand) -> Row:
    """The row after a placement that is known to be legal.

    It is not asked again: a row that was read from a screen is rounded, which is enough to break a limit.
    """
    rest = without(row, stand.placement.value) if stand.lifted else row
    if isinstance(stand.spot, End):
        index = 0 if stand.spot is End.FIRST else len(rest)
    else:
        index = max(place for place, tile in enumerate(rest) if tile.value in stand.spot)
    before = rest[index - 1] if index else stand.placement
    after = rest[index] if index < len(rest) else stand.placement
    along = math.atan2(after.y - before.y, after.x - before.x)
    turned = math.cos(stand.placement.yaw - along) < 0
    tile = replace(stand.placement, yaw=stand.placement.yaw + math.pi) if turned else stand.placement
    return (*rest[:index], tile, *rest[index:])


def candidates(row: Row, generator: random.Random, count: int) -> dict[Stand, Row]:
    """That many legal placements drawn by chance, fewer where few are legal, each with the row it makes."""
    used, found = {tile.value for tile in row}, dict[Stand, Row]()
    lifted = len(used) == len(TILES.tiles)
    values = movable(row)
    for _ in range(ATTEMPTS * count):
        if len(found) == count:
            break
        stand = _drawn(row, generator.choice(values), generator, lifted)
        if stand is not None:
            try:
                found[stand] = stood(without(row, stand.placement.value) if lifted else row, stand)
            except RuleError:
                continue
    return found


def _drawn(row: Row, value: int, generator: random.Random, lifted: bool) -> Stand | None:
    limits = NUMBERS.limits
    stance = Stance.SIDE if generator.random() < SIDE_SHARE else Stance.UPRIGHT
    if not lifted and len(row) > 1 and generator.random() < INNER_SHARE:
        index = generator.randrange(len(row) - 1)
        least, most = gaps_between(row, index, value, stance)
        if most <= least:
            return None
        return between(row, index, value, stance, least + (most - least) * generator.random())
    rest = without(row, value) if lifted else row
    end = generator.choice(tuple(End))
    beside = rest[0 if end is End.FIRST else -1]
    lower = min(TILES[beside.value].standing_height(beside.stance), TILES[value].standing_height(stance))
    gap = min(max(generator.uniform(*GAPS) * lower, limits.gap_min), limits.gap_max)
    turn = 0.0 if generator.random() < STRAIGHT_SHARE else generator.uniform(-BEND, BEND)
    return at_end(rest, value, stance, end, round(gap, 4), math.radians(round(math.degrees(turn))), lifted=lifted)
