"""Where a tile of Evaluation Domino may be stood: guided placements, free ones, and which of them are legal.

A row is a tuple of placements from its first end to its last. The yaw of a tile in the row is its heading: of the two
ways its broad faces look, the one that goes along the row.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product

from game.core import RuleError
from game.rules.evaluation_data import NUMBERS, Limits
from game.rules.evaluation_moves import End, Spot, Stand, radians_in
from physics.line import Line, Placement, Point, Standing, distance, face_gap, next_placement, overlap, shadow_gap
from physics.tiles import Stance

Row = tuple[Placement, ...]

TILES = NUMBERS.tiles
TOLERANCE = 1e-9  # m
TURN_TOLERANCE = math.radians(1e-6)
LENGTH_DIGITS = 10  # of metres; guided placements are rounded far below the tolerance, so that they are short to write
ANGLE_DIGITS = 7  # of degrees
END_OFFERS, INNER_OFFERS = 18, 6
USUAL_GAP = 15e-3  # m, where the search for a place begins: most rows have one there


@lru_cache(maxsize=4096)
def box(placement: Placement) -> Standing:
    """The box that the tile makes on the table."""
    return Line(TILES, (placement,)).standing()[0]


def free_air(one: Placement, other: Placement) -> float:
    """Shortest distance of the two footprints, m."""
    return distance(box(one), box(other))


# Guided placements


def at_end(row: Row, value: int, stance: Stance, end: End, gap: float, turn: float, *, lifted: bool = False) -> Stand:
    """The tile stood at that end: the gap in m, the turn of the row from one tile to the next in rad.

    `row` is the row without a lifted tile. Whether the placement is legal is another question.
    """
    if end is End.LAST:
        tile = next_placement(TILES, row[-1], value, gap, turn, stance)
    else:
        backwards = replace(row[0], yaw=row[0].yaw + math.pi)
        tile = next_placement(TILES, backwards, value, gap, -turn, stance)
        tile = replace(tile, yaw=tile.yaw - math.pi)
    return Stand(_rounded(tile), end, lifted)


def between(row: Row, index: int, value: int, stance: Stance, gap: float) -> Stand:
    """The tile stood between the neighbours index and index + 1, with that gap to the first of them, m."""
    one, other = row[index], row[index + 1]
    (x, y), heading, _length = _air_line(one, other)
    along = gap + TILES[value].thickness / 2
    tile = Placement(value, x + along * math.cos(heading), y + along * math.sin(heading), heading, stance)
    return Stand(_rounded(tile), (one.value, other.value))


def room_between(row: Row, index: int, value: int) -> float:
    """Free air that is left for both gaps beside such a tile between these neighbours, m; may be negative."""
    return _air_line(row[index], row[index + 1])[2] - TILES[value].thickness


def without(row: Row, value: int) -> Row:
    """The row after the tile of that value was lifted out; the others stay."""
    return tuple(tile for tile in row if tile.value != value)


# What is legal


def stood(row: Row, stand: Stand, limits: Limits = NUMBERS.limits) -> Row:
    """The row with the tile in it; RuleError with the first condition that the placement breaks.

    `row` is the row without a lifted tile.
    """
    index = _index(row, stand.spot)
    longer = _with_tile(row, stand, index)
    if isinstance(stand.spot, End):
        old, tile = row[0 if stand.spot is End.FIRST else -1], longer[index]
        if not _guided_end(old, tile, stand.spot, limits):
            outwards = old.yaw if stand.spot is End.LAST else old.yaw + math.pi
            _check_free(tile, old, outwards, limits, limits.gap_max)
    else:
        before, tile, after = longer[index - 1 : index + 2]
        if not _guided_between(before, tile, after, limits):
            _check_free(tile, before, _side_facing(before, after), limits, None)
            _check_free(tile, after, _side_facing(after, before), limits, None)
    _check_clear(longer, index, limits)
    return longer


def _index(row: Row, spot: Spot) -> int:
    """Where the tile comes in; RuleError when the two tiles are no neighbours."""
    if isinstance(spot, End):
        return 0 if spot is End.FIRST else len(row)
    for index, (one, other) in enumerate(pairwise(row)):
        if {one.value, other.value} == set(spot):
            return index + 1
    raise RuleError(
        "The tiles {first} and {second} are no neighbours; the row is {row}.",
        first=spot[0],
        second=spot[1],
        row=", ".join(str(tile.value) for tile in row),
    )


def _with_tile(row: Row, stand: Stand, index: int) -> Row:
    tile = stand.placement
    before, after = row[max(index - 1, 0)], row[min(index, len(row) - 1)]
    if before is after:
        before, after = (tile, after) if index == 0 else (before, tile)
    along = math.atan2(after.y - before.y, after.x - before.x)
    yaw = tile.yaw
    if math.cos(yaw - along) < 0:
        yaw += math.pi if yaw <= 0 else -math.pi
    if abs(yaw) > math.pi:
        yaw = math.remainder(yaw, math.tau)
    return (*row[:index], replace(tile, yaw=yaw), *row[index:])


def _guided_end(old: Placement, tile: Placement, end: End, limits: Limits) -> bool:
    """Whether there are a gap and a turn, both within their limits, that lead to this placement."""
    before, after = (old, tile) if end is End.LAST else (tile, old)
    turn = abs(math.remainder(after.yaw - before.yaw, math.tau))
    if turn > limits.turn_max + TURN_TOLERANCE:
        return False
    half, next_half = TILES[before.value].thickness / 2, TILES[after.value].thickness / 2
    cos, sin, next_cos, next_sin = math.cos(before.yaw), math.sin(before.yaw), math.cos(after.yaw), math.sin(after.yaw)
    # What is left of the way from centre to centre is walked half along the one heading and half along the other.
    x = after.x - before.x - half * cos - next_half * next_cos
    y = after.y - before.y - half * sin - next_half * next_sin
    way_x, way_y = (cos + next_cos) / 2, (sin + next_sin) / 2
    gap = (x * way_x + y * way_y) / (way_x**2 + way_y**2)
    beside = math.hypot(x - gap * way_x, y - gap * way_y)
    return beside <= TOLERANCE and limits.gap_min - TOLERANCE <= gap <= limits.gap_max + TOLERANCE


def _guided_between(before: Placement, tile: Placement, after: Placement, limits: Limits) -> bool:
    """Whether the tile stands across the middle of the air between its neighbours, with room on both sides."""
    (x, y), heading, length = _air_line(before, after)
    if abs(math.remainder(tile.yaw - heading, math.pi)) > TURN_TOLERANCE:
        return False
    cos, sin = math.cos(heading), math.sin(heading)
    along, beside = (tile.x - x) * cos + (tile.y - y) * sin, (tile.y - y) * cos - (tile.x - x) * sin
    half = TILES[tile.value].thickness / 2
    return abs(beside) <= TOLERANCE and min(along, length - along) - half >= limits.gap_min - TOLERANCE


def _air_line(one: Placement, other: Placement) -> tuple[Point, float, float]:
    """From the middle of the face that looks at the other tile to the middle of that one's: start, heading, length."""
    (ax, ay), (bx, by) = _face(one, other), _face(other, one)
    return (ax, ay), math.atan2(by - ay, bx - ax), math.hypot(bx - ax, by - ay)


def _face(tile: Placement, other: Placement) -> Point:
    side, half = _side_facing(tile, other), TILES[tile.value].thickness / 2
    return tile.x + half * math.cos(side), tile.y + half * math.sin(side)


def _side_facing(tile: Placement, other: Placement) -> float:
    """The way the face of the tile looks that is turned to the other one, rad."""
    ahead = (other.x - tile.x) * math.cos(tile.yaw) + (other.y - tile.y) * math.sin(tile.yaw)
    return tile.yaw if ahead >= 0 else tile.yaw + math.pi


def _check_free(tile: Placement, old: Placement, side: float, limits: Limits, gap_max: float | None) -> None:
    """RuleError when a freely placed tile has no definite place on that side of the old one."""
    names = {"value": tile.value, "other": old.value}
    x, y = tile.x - old.x, tile.y - old.y
    past = x * math.cos(side) + y * math.sin(side) - TILES[old.value].thickness / 2
    if past < -TOLERANCE:
        raise RuleError(
            "The tile {value} stands on the wrong side of the tile {other}: its middle is {past} mm past the face "
            "where the row goes on, and must be at least {limit} mm past it.",
            **names,
            past=_number(past * 1e3, 0.0),
            limit=0,
        )
    air = free_air(tile, old)
    if air < limits.gap_min - TOLERANCE:
        raise RuleError(
            "The tile {value} stands {gap} mm from the tile {other}; at least {limit} mm of free air are needed.",
            **names,
            **_against(air, limits.gap_min, "gap"),
        )
    if gap_max is not None and air > gap_max + TOLERANCE:
        raise RuleError(
            "The tile {value} stands {gap} mm from the tile {other}; at most {limit} mm of free air are allowed.",
            **names,
            **_against(air, gap_max, "gap"),
        )
    turn = abs(math.remainder(tile.yaw - math.atan2(y, x), math.pi))
    if turn > limits.free_turn_max + TURN_TOLERANCE:
        limit = round(math.degrees(limits.free_turn_max), 9)
        raise RuleError(
            "The tile {value} is turned {turn}° from the line to the tile {other}; at most {limit}° are allowed.",
            **names,
            turn=_number(math.degrees(turn), limit),
            limit=f"{limit:g}",
        )
    miss = shadow_gap(box(old), box(tile), old.yaw + math.pi / 2)
    if miss > TOLERANCE:
        raise RuleError(
            "The tile {value} stands beside the tile {other}: seen along the row they miss one another by {miss} mm; "
            "at most {limit} mm are allowed.",
            **names,
            miss=_number(miss * 1e3, 0.0),
            limit=0,
        )


def _check_clear(row: Row, index: int, limits: Limits) -> None:
    """RuleError when the new tile makes the row overlap, branch or close."""
    for i, j in _too_near(row, index, limits):
        names = {"value": row[i].value, "other": row[j].value}
        if j == i + 1:
            raise RuleError(
                "The tiles {value} and {other} stand {depth} mm in one another; allowed are {limit} mm.",
                **names,
                depth=_number(-face_gap(box(row[i]), box(row[j])) * 1e3, 0.0),
                limit=0,
            )
        raise RuleError(
            "The row would branch or close: the tiles {value} and {other} are no neighbours and stand {gap} mm apart; "
            "at least {limit} mm are needed.",
            **names,
            **_against(free_air(row[i], row[j]), limits.clearance, "gap"),
        )


def _too_near(row: Row, index: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """The pairs i < j that the tile at that index brought too near to one another."""
    pairs = [(min(other, index), max(other, index)) for other in range(len(row)) if other != index]
    if 0 < index < len(row) - 1:
        pairs.append((index - 1, index + 1))
    for i, j in pairs:
        one, other = box(row[i]), box(row[j])
        if j == i + 1:
            if overlap(one, other):
                yield i, j
            continue
        # Most tiles are far off: the two cheap bounds spare the exact distance.
        least = limits.clearance - TOLERANCE
        far = math.hypot(one.x - other.x, one.y - other.y) >= one.reach + other.reach + least
        if not (far or face_gap(one, other) >= least or distance(one, other) >= least):
            yield i, j


# Choices


def offers(row: Row, values: Sequence[int], generator: random.Random, *, lifted: bool) -> list[Stand]:
    """Some legal guided placements of these values, drawn by chance; at least one where the search finds any."""
    limits = NUMBERS.limits
    found: list[Stand] = []
    choices = list(product(values, Stance, End))
    generator.shuffle(choices)
    for value, stance, end in choices:
        if len(found) == END_OFFERS:
            break
        gap = round(generator.uniform(limits.gap_min, limits.gap_max), 4)
        turn = math.radians(generator.choice((0, 0, generator.randint(-20, 20), generator.randint(-45, 45))))
        rest = without(row, value) if lifted else row
        found += _if_clear(rest, at_end(rest, value, stance, end, gap, turn, lifted=lifted), limits)
    if not lifted and len(row) > 1:
        for _ in range(INNER_OFFERS):
            value, index = generator.choice(values), generator.randrange(len(row) - 1)
            stance = generator.choice(tuple(Stance))
            spare = room_between(row, index, value) - 2 * limits.gap_min
            if spare >= 0:
                gap = limits.gap_min + spare * generator.random()
                found += _if_clear(row, between(row, index, value, stance, gap), limits)
    if not found and (place := first_place(row, values, lifted=lifted)):
        found.append(place)
    return found


def first_place(row: Row, values: Sequence[int], *, lifted: bool, limits: Limits = NUMBERS.limits) -> Stand | None:
    """A legal guided placement of one of these values; None when a search in small steps finds none."""
    return next(_searched(row, values, lifted, limits), None)


def _searched(row: Row, values: Sequence[int], lifted: bool, limits: Limits) -> Iterator[Stand]:
    gaps = sorted(_steps(limits.gap_min, limits.gap_max, limits.gap_step), key=lambda gap: abs(gap - USUAL_GAP))
    turns = sorted(_steps(-limits.turn_max, limits.turn_max, limits.turn_step), key=abs)
    for turn, gap, value, stance, end in product(turns, gaps, values, Stance, End):
        rest = without(row, value) if lifted else row
        yield from _if_clear(rest, at_end(rest, value, stance, end, gap, turn, lifted=lifted), limits)
    if lifted:
        return
    for value, stance, index in product(values, Stance, range(len(row) - 1)):
        widest = room_between(row, index, value) - limits.gap_min
        for gap in _steps(limits.gap_min, widest, limits.gap_step):
            yield from _if_clear(row, between(row, index, value, stance, gap), limits)


def _steps(low: float, high: float, step: float) -> list[float]:
    count = math.floor((high - low) / step + 1e-9)
    return [low + step * number for number in range(count + 1)]


def _if_clear(row: Row, stand: Stand, limits: Limits) -> list[Stand]:
    """The guided placement, unless it brings tiles too near to one another."""
    index = _index(row, stand.spot)
    longer = _with_tile(row, stand, index)
    return [] if next(_too_near(longer, index, limits), None) else [stand]


# Numbers


def _rounded(tile: Placement) -> Placement:
    yaw = radians_in(f"{math.degrees(math.remainder(tile.yaw, math.tau)):.{ANGLE_DIGITS}f}")
    return replace(tile, x=round(tile.x, LENGTH_DIGITS) + 0.0, y=round(tile.y, LENGTH_DIGITS) + 0.0, yaw=yaw)


def _against(length: float, limit: float, name: str) -> dict[str, str]:
    return {name: _number(length * 1e3, limit * 1e3), "limit": f"{round(limit * 1e3, 9):g}"}


def _number(value: float, limit: float) -> str:
    """The value with as many decimals as it takes to see on which side of the limit it lies."""
    for digits in range(1, 10):
        text = f"{value:.{digits}f}"
        if float(text) != limit and (float(text) < limit) == (value < limit):
            return text
    return f"{value:.9f}"
