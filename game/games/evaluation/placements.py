"""Where a tile of Evaluation Domino may be stood: guided placements, free ones, and which of them are legal.

A row is a tuple of placements from its first end to its last. The yaw of a tile in the row is its heading: of the two
ways its broad faces look, the one that goes along the row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from game.core import RuleError
from game.games.evaluation.moves import End, Spot, Stand, radians_in
from game.games.evaluation.numbers import NUMBERS, Limits
from physics.apart import shift_to_air
from physics.errors import Number
from physics.line import Line, Placement, Point, Standing, distance, face_gap, next_placement, overlap, shadow_gap
from physics.tiles import Stance

Row = tuple[Placement, ...]

TILES = NUMBERS.tiles
TOLERANCE = 1e-9  # m
TURN_TOLERANCE = math.radians(1e-6)
LENGTH_DIGITS = 10  # of metres; guided placements are rounded far below the tolerance, so that they are short to write
ANGLE_DIGITS = 7  # of degrees


@lru_cache(maxsize=4096)
def box(placement: Placement) -> Standing:
    """The box that the tile makes on the table."""
    return Line(TILES, (placement,)).standing()[0]


@lru_cache(maxsize=4096)  # a move that is checked, told and shown asks for the same several times
def free_air(one: Placement, other: Placement) -> float:
    """Shortest distance of the two footprints, m."""
    return distance(box(one), box(other))


# Guided placements


def at_end(
    row: Row,
    value: int,
    stance: Stance,
    end: End,
    gap: float,
    turn: float,
    *,
    lifted: bool = False,
    limits: Limits = NUMBERS.limits,
) -> Stand:
    """The tile stood at that end: the free air to its neighbour in m, the turn from one tile to the next in rad.

    `row` is the row without a lifted tile; a turn is less than half a circle. Whether the placement is legal is
    another question.
    """
    if end is End.LAST:
        tile = _next(row[-1], value, gap, turn, stance, limits)
    else:
        backwards = replace(row[0], yaw=row[0].yaw + math.pi)
        tile = _next(backwards, value, gap, -turn, stance, limits)
        tile = replace(tile, yaw=tile.yaw - math.pi)
    return Stand(_rounded(tile), end, lifted)


def _next(last: Placement, value: int, gap: float, turn: float, stance: Stance, limits: Limits) -> Placement:
    """The tile stood after `last`, so far along the way of that turn that the gap is the free air."""
    if limits.version == 1 or abs(turn) <= TURN_TOLERANCE:
        return next_placement(TILES, last, value, gap, turn, stance)
    touching = next_placement(TILES, last, value, 0.0, turn, stance)  # the middles of two faces in one point
    way = math.cos(turn / 2)  # both halves of a step are walked at half the turn from the straight way
    shift = _parted(last, touching, last.yaw + turn / 2, gap)
    return next_placement(TILES, last, value, shift / way, turn, stance)


def _parted(old: Placement, tile: Placement, yaw: float, gap: float) -> float:
    """How far the tile must be shifted along that yaw for so much free air, m; less air than none goes straight on."""
    return shift_to_air(box(old), box(tile), yaw, max(gap, 0.0)) + min(gap, 0.0)


def between(
    row: Row,
    index: int,
    value: int,
    stance: Stance,
    gap: float,
    *,
    to_second: bool = False,
    limits: Limits = NUMBERS.limits,
) -> Stand:
    """The tile stood between the neighbours index and index + 1, with that much free air to one of them, m."""
    one, other = row[index], row[index + 1]
    place = _place_between(one, other, value, stance, gap, limits, to_second=to_second)
    tile = _along(one, other, value, stance, place)
    return Stand(_rounded(tile), (one.value, other.value))


def gaps_between(
    row: Row, index: int, value: int, stance: Stance, limits: Limits = NUMBERS.limits
) -> tuple[float, float]:
    """The least and the most free air to the first of two neighbours with which both have enough, m.

    The most is less than the least where the tile does not fit between them.
    """
    one, other = row[index], row[index + 1]
    farthest = _place_between(one, other, value, stance, limits.gap_min, limits, to_second=True)
    gap = farthest - TILES[value].thickness / 2
    if gap > 0 and not _is_measured_along(one, other, limits):
        gap = free_air(one, _along(one, other, value, stance, farthest))
    return limits.gap_min, limits.gap_min if abs(gap - limits.gap_min) <= TOLERANCE else gap


def _place_between(
    one: Placement, other: Placement, value: int, stance: Stance, gap: float, limits: Limits, *, to_second: bool
) -> float:
    """How far along the air line the middle of such a tile has that gap, m."""
    half, length = TILES[value].thickness / 2, _air_line(one, other)[2]
    near, far = (other, one) if to_second else (one, other)
    if not _is_measured_along(near, far, limits):
        gap = _parted(near, _along(near, far, value, stance, half), _air_line(near, far)[1], gap)
    return length - (gap + half) if to_second else gap + half


def _is_measured_along(one: Placement, other: Placement, limits: Limits) -> bool:
    """Whether a tile across the air line has its gap to the first of them along it: where the two face one another."""
    return limits.version == 1 or abs(math.remainder(_air_line(one, other)[1] - one.yaw, math.pi)) <= TURN_TOLERANCE


def _along(one: Placement, other: Placement, value: int, stance: Stance, along: float) -> Placement:
    """The tile across the air line, its middle so far along it."""
    (x, y), heading, _length = _air_line(one, other)
    return Placement(value, x + along * math.cos(heading), y + along * math.sin(heading), heading, stance)


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
            along = _way(old, tile) if stand.spot is End.LAST else _way(tile, old)
            _check_free(tile, old, outwards, along, limits, limits.gap_max)
    else:
        before, tile, after = longer[index - 1 : index + 2]
        if not _guided_between(before, tile, after, limits):
            _check_free(tile, before, _side_facing(before, after), _way(before, tile), limits, None)
            _check_free(tile, after, _side_facing(after, before), _way(tile, after), limits, None)
    _check_clear(longer, index, limits)
    return longer


def _index(row: Row, spot: Spot) -> int:
    """Where the tile comes in; RuleError when the two tiles are not neighbours."""
    if isinstance(spot, End):
        return 0 if spot is End.FIRST else len(row)
    for index, (one, other) in enumerate(pairwise(row)):
        if {one.value, other.value} == set(spot):
            return index + 1
    raise RuleError(
        "The tiles {first} and {second} are not neighbours; the row is {row}.",
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
    if beside > TOLERANCE or gap < limits.gap_min - TOLERANCE:
        return False
    most = limits.gap_max + TOLERANCE
    if limits.version == 1 or turn <= TURN_TOLERANCE:
        return gap <= most
    return _has_air(old, tile, limits) and (gap <= most or free_air(old, tile) <= most)


def _guided_between(before: Placement, tile: Placement, after: Placement, limits: Limits) -> bool:
    """Whether the tile stands across the middle of the air between its neighbours, with room on both sides."""
    (x, y), heading, length = _air_line(before, after)
    if abs(math.remainder(tile.yaw - heading, math.pi)) > TURN_TOLERANCE:
        return False
    cos, sin = math.cos(heading), math.sin(heading)
    along, beside = (tile.x - x) * cos + (tile.y - y) * sin, (tile.y - y) * cos - (tile.x - x) * sin
    gap = min(along, length - along) - TILES[tile.value].thickness / 2
    if abs(beside) > TOLERANCE or gap < limits.gap_min - TOLERANCE:
        return False
    if limits.version == 1:
        return True
    is_through = max(_turned(tile, _way(before, tile)), _turned(tile, _way(tile, after))) < math.pi / 2
    return is_through and _has_air(before, tile, limits) and _has_air(tile, after, limits)


def _has_air(one: Placement, other: Placement, limits: Limits) -> bool:
    """Whether there is enough free air between the two. It is never more than the gap along a way between them."""
    least = limits.gap_min - TOLERANCE
    return face_gap(box(one), box(other)) >= least or free_air(one, other) >= least  # the cheap bound is mostly enough


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


def _way(one: Placement, other: Placement) -> float:
    """The way from the middle of one tile to the middle of the other, rad."""
    return math.atan2(other.y - one.y, other.x - one.x)


def _turned(tile: Placement, way: float) -> float:
    """How far the heading of the tile is turned from that way, rad in 0 to π."""
    return abs(math.remainder(tile.yaw - way, math.tau))


def _check_free(
    tile: Placement, old: Placement, side: float, along: float, limits: Limits, gap_max: float | None
) -> None:
    """RuleError when a freely placed tile has no definite place on that side of the old one.

    `along` is the way of the row from the middle of one of the two to that of the other, rad.
    """
    names = {"value": tile.value, "other": old.value}
    past = (tile.x - old.x) * math.cos(side) + (tile.y - old.y) * math.sin(side)
    least = TILES[old.value].thickness / 2 if limits.version == 1 else 0.0
    if past < least - TOLERANCE:
        raise RuleError(
            "The tile {value} stands on the wrong side of the tile {other}: it must move to the other side of it, "
            "by at least {short} mm.",
            **names,
            short=_number((least - past) * 1e3, 0.0),
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
    turn = _turned(tile, along)
    if limits.version == 1:
        turn = min(turn, math.pi - turn)
    if turn > math.pi / 2:
        raise RuleError(
            "Both its neighbours stand on the same side of the tile {value}; there must be one on each side.", **names
        )
    if turn > limits.free_turn_max + TURN_TOLERANCE:
        limit = round(math.degrees(limits.free_turn_max), 9)
        raise RuleError(
            "The tile {value} is turned {turn}° from the line between its middle and that of the tile {other}; at most "
            "{limit}° are allowed where a tile is set freely.",
            **names,
            turn=_number(math.degrees(turn), limit),
            limit=Number(f"{limit:g}"),
        )
    miss = shadow_gap(box(old), box(tile), old.yaw + math.pi / 2)
    if miss > TOLERANCE:
        raise RuleError(
            "The tile {value} stands {miss} mm too far to the side of the tile {other}: seen along the row, they must "
            "overlap at least in part.",
            **names,
            miss=_number(miss * 1e3, 0.0),
        )


def _check_clear(row: Row, index: int, limits: Limits) -> None:
    """RuleError when the new tile makes the row overlap, branch or close."""
    for i, j in _too_near(row, index, limits):
        names = {"value": row[i].value, "other": row[j].value}
        if j == i + 1:
            raise RuleError(
                "The tiles {value} and {other} would overlap by {depth} mm.",
                **names,
                depth=_number(-face_gap(box(row[i]), box(row[j])) * 1e3, 0.0),
            )
        raise RuleError(
            "The row would branch or close: the tiles {value} and {other} are not neighbours and stand {gap} mm apart; "
            "at least {limit} mm are needed.",
            **names,
            **_against(free_air(row[i], row[j]), limits.clearance, "gap"),
        )


def is_clear(row: Row, stand: Stand, limits: Limits) -> bool:
    """Whether the placement brings no tiles of the row too near to one another."""
    index = _index(row, stand.spot)
    return next(_too_near(_with_tile(row, stand, index), index, limits), None) is None


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


# Numbers


def _rounded(tile: Placement) -> Placement:
    yaw = radians_in(f"{math.degrees(math.remainder(tile.yaw, math.tau)):.{ANGLE_DIGITS}f}")
    return replace(tile, x=round(tile.x, LENGTH_DIGITS) + 0.0, y=round(tile.y, LENGTH_DIGITS) + 0.0, yaw=yaw)


def _against(length: float, limit: float, name: str) -> dict[str, Number]:
    return {name: _number(length * 1e3, limit * 1e3), "limit": Number(f"{round(limit * 1e3, 9):g}")}


def _number(value: float, limit: float) -> Number:
    """The value with as many decimals as it takes to see on which side of the limit it lies."""
    for digits in range(1, 10):
        text = f"{value:.{digits}f}"
        if float(text) != limit and (float(text) < limit) == (value < limit):
            return Number(text)
    return Number(f"{value:.9f}")
