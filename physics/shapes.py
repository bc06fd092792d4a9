"""Rows laid along a shape, every gap as wide as asked at its nearest point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from physics.errors import Number, SceneError
from physics.line import MAX_DISTANCE, MAX_TILES, Line, Placement, distance, next_placement
from physics.tiles import Stance, TileSet

SHAPES = ("straight", "arc", "s", "spiral", "growing", "random")
CURVED = ("arc", "s", "spiral")
MAX_TURN = math.radians(90)  # rad from one tile to the next; a tile that turns more is met by its side
USUAL_RADIUS = 5.0  # of the widest tile's breadth
INNER_RADIUS = 2.0  # of the widest tile's breadth, where a spiral begins
USUAL_PITCH = 1.5  # of the widest tile's breadth, from one turn of a spiral to the next
WANDER = math.radians(6)  # rad, standard deviation of a random row's turns
RANDOM_GAPS = (0.5, 1.5)  # of the gap asked for
SIDE_SHARE = 0.25  # of a random row's tiles
LARGEST_STEP = 1.8  # a random row's tile over the one before, in standing height
TRIES = 200  # at a random row without problems
DECIMALS = 6  # of a metre, three fewer of a degree: files stay short, gaps are true to a thousandth of a millimetre
SOLVED = 1e-9  # m, how well a gap is solved for

Piece = tuple[int, Stance]  # a tile's value and how it stands
Bend = Callable[[int, Placement], float]  # how a joint bends after that tile, 1/m; positive to the left


@dataclass(frozen=True, slots=True)
class Gap:
    """The free air between neighbours: m, or a share of the lower one's standing height."""

    amount: float
    is_share: bool = False

    def between(self, tile_set: TileSet, one: Piece, other: Piece) -> float:
        """The air between these two, m. SceneError when the set does not have them."""
        if not self.is_share:
            return self.amount
        return self.amount * min(tile_set[value].standing_height(stance) for value, stance in (one, other))


def chosen_values(tile_set: TileSet, count: int, step: int = 1) -> tuple[int, ...]:
    """That many values of the set, lowest tile first and only every step-th size; where there is any number of one,
    that one throughout.

    SceneError when the set has not so many tiles, or the count is out of range.
    """
    if not 1 <= count <= MAX_TILES:
        raise SceneError("A row has from 1 to {limit} tiles, not {count}.", count=count, limit=MAX_TILES)
    tiles = sorted(tile_set.tiles, key=lambda tile: (tile.height, tile.value))[::step]
    endless = [tile.value for tile in tiles if tile_set.copies_of(tile.value) is None]
    found = endless[:1] * count or [tile.value for tile in tiles for _ in range(tile_set.copies_of(tile.value) or 0)]
    if len(found) < count:
        raise SceneError(
            "The set {set} has {there} tiles for such a row, but {count} are asked for.",
            set=tile_set.name,
            there=len(found),
            count=count,
        )
    return tuple(found[:count])


def straight_row(tile_set: TileSet, pieces: Sequence[Piece], gap: Gap) -> Line:
    """A row straight on along +x. SceneError when it cannot stand."""
    return _laid(tile_set, pieces, [gap], lambda joint, before: 0.0)


def growing_row(tile_set: TileSet, pieces: Sequence[Piece], gap: Gap) -> Line:
    """A straight row, each tile higher than the one before. SceneError when one is not, or the row cannot stand."""
    if len(pieces) > 1 and len({tile.height for tile in tile_set.tiles}) == 1 and len({how for _, how in pieces}) == 1:
        raise SceneError(
            "In a growing row every tile is higher than the one before, but all tiles of the set {set} are equally "
            "high.",
            set=tile_set.name,
        )
    for one, other in pairwise(pieces):
        if _height(tile_set, other) <= _height(tile_set, one):
            raise SceneError(
                "In a growing row every tile is higher than the one before, but {other} is not higher than {one}.",
                one=one[0],
                other=other[0],
            )
    return straight_row(tile_set, pieces, gap)


def arc_row(tile_set: TileSet, pieces: Sequence[Piece], gap: Gap, radius: float) -> Line:
    """A part of a circle of that radius (m), bending to the right. SceneError when it is too tight or closes."""
    return _laid(tile_set, pieces, [gap], lambda joint, before: -1 / radius)


def s_row(tile_set: TileSet, pieces: Sequence[Piece], gap: Gap, radius: float) -> Line:
    """Half of the row bends to the left, half to the right, with that radius (m). SceneError when it is too tight."""
    last = len(pieces) - 2

    def bend(joint: int, _before: Placement) -> float:
        return 0.0 if 2 * joint == last else math.copysign(1 / radius, last - 2 * joint)

    return _laid(tile_set, pieces, [gap], bend)


def spiral_row(tile_set: TileSet, pieces: Sequence[Piece], gap: Gap, radius: float, pitch: float) -> Line:
    """A spiral from the inside out: it begins with that radius, which grows by the pitch with every turn, m.

    SceneError when it is too tight, or its turns are too close together.
    """

    def bend(_joint: int, before: Placement) -> float:
        return 1 / (radius + pitch * before.yaw / math.tau)

    return _laid(tile_set, pieces, [gap], bend, levelled=False)


def random_row(
    tile_set: TileSet, count: int, gap: Gap, seed: int, stance: Stance | None = None, values: Sequence[int] = ()
) -> Line:
    """The untidy row of that seed: which tiles (unless they are given), how they stand, gaps about as wide as asked,
    and a way that wanders. SceneError when the set has not so many tiles, or none of many tries can stand.
    """
    generator = np.random.default_rng(seed)
    pool = tuple(values) or _pool(tile_set, count)
    for left in range(TRIES - 1, -1, -1):
        pieces = _random_pieces(generator, tile_set, pool, stance, sort=not values)[: len(values) or count]
        gaps = [replace(gap, amount=gap.amount * factor) for factor in generator.uniform(*RANDOM_GAPS, len(pieces))]
        bends = generator.normal(0.0, WANDER, len(pieces)).tolist()
        try:
            return _laid(tile_set, pieces, gaps, _wandering(tile_set, pieces, gaps, bends))
        except SceneError:
            if not left:
                raise
    raise AssertionError  # the last try returns or raises


def usual_radius(tile_set: TileSet, pieces: Sequence[Piece], gap: Gap, shape: str) -> float:
    """A radius that suits these tiles, m: an arc turns by half a circle at most, an s by two halves."""
    widest = max(tile_set[value].breadth(stance) for value, stance in pieces)
    if shape == "spiral":
        return INNER_RADIUS * widest
    along = sum(tile_set[other[0]].thickness + gap.between(tile_set, one, other) for one, other in pairwise(pieces))
    return max(USUAL_RADIUS * widest, along / (math.pi if shape == "arc" else math.tau))


def usual_pitch(tile_set: TileSet, pieces: Sequence[Piece]) -> float:
    """How far apart the turns of a spiral of these tiles may well be, m."""
    return USUAL_PITCH * max(tile_set[value].breadth(stance) for value, stance in pieces)


# Laying tiles one after another


def _laid(
    tile_set: TileSet, pieces: Sequence[Piece], gaps: Sequence[Gap], bend: Bend, *, levelled: bool = True
) -> Line:
    """The row in the middle of the table, from left to right when it is levelled; the last gap is that of all that
    follow."""
    if not 1 <= len(pieces) <= MAX_TILES:
        raise SceneError("A row has from 1 to {limit} tiles, not {count}.", count=len(pieces), limit=MAX_TILES)
    value, stance = pieces[0]
    placements = [Placement(tile_set[value].value, 0.0, 0.0, 0.0, stance)]
    for joint, (one, other) in enumerate(pairwise(pieces)):
        air = gaps[min(joint, len(gaps) - 1)].between(tile_set, one, other)
        placements.append(_next(tile_set, placements[-1], other, air, bend(joint, placements[-1])))
    line = Line(tile_set, tuple(_middled(placements, levelled=levelled)))
    if max(max(abs(spot.x), abs(spot.y)) for spot in line.placements) > MAX_DISTANCE:
        raise SceneError(
            "The row is too long: a line reaches at most {limit} m to each side.", limit=Number(f"{MAX_DISTANCE:g}")
        )
    for problem in line.problems():
        if problem.kind == "too many":
            raise problem.error()
        raise SceneError("The row runs into itself: {reason}", reason=problem.error())
    return line


def _next(tile_set: TileSet, last: Placement, piece: Piece, air: float, bend: float) -> Placement:
    """The tile stood after the last one along that bend, with that much air at the nearest point of the two.

    SceneError when the bend is too tight for it.
    """
    value, stance = piece
    if bend == 0:
        return next_placement(tile_set, last, value, air, 0.0, stance)
    depths = tile_set[last.value].thickness + tile_set[value].thickness

    def stood(walked: float) -> Placement:
        return next_placement(tile_set, last, value, walked, 2 * math.atan(bend * (depths + 2 * walked) / 4), stance)

    def free(walked: float) -> float:
        one, other = Line(tile_set, (last, stood(walked))).standing()
        return distance(one, other)

    # In a bend the inner corners are nearest: more is walked than the air that is left there.
    low, high = air, 2 * math.tan(MAX_TURN / 2) / abs(bend) - depths / 2
    if high <= low or free(high) < air:
        raise SceneError(
            "A bend with a radius of {radius} mm is too tight for tile {other} {gap} mm from tile {one}.",
            radius=Number(f"{1e3 / abs(bend):.4g}"),
            gap=Number(f"{air * 1e3:.4g}"),
            one=last.value,
            other=value,
        )
    while high - low > SOLVED:
        middle = (low + high) / 2
        low, high = (middle, high) if free(middle) < air else (low, middle)
    return stood(high)


def _middled(placements: Sequence[Placement], *, levelled: bool) -> list[Placement]:
    """The same row with its middle at the origin, and its ends beside one another where it is levelled."""
    first, last = placements[0], placements[-1]
    turn = -math.atan2(last.y - first.y, last.x - first.x) if levelled else 0.0
    cos, sin = math.cos(turn), math.sin(turn)
    spots = [(spot.x * cos - spot.y * sin, spot.x * sin + spot.y * cos) for spot in placements]
    middle = [(min(values) + max(values)) / 2 for values in zip(*spots, strict=True)]
    return [
        replace(
            placement,
            x=round(x - middle[0], DECIMALS),
            y=round(y - middle[1], DECIMALS),
            yaw=math.radians(round(math.degrees(math.remainder(placement.yaw + turn, math.tau)), DECIMALS - 3)),
        )
        for placement, (x, y) in zip(placements, spots, strict=True)
    ]


# Random rows


def _pool(tile_set: TileSet, count: int) -> tuple[int, ...]:
    """The values that a random row may choose from. SceneError when they are too few."""
    chosen_values(tile_set, count)
    copies = ((tile.value, tile_set.copies_of(tile.value)) for tile in tile_set.tiles)
    return tuple(value for value, there in copies for _ in range(count if there is None else min(there, count)))


def _random_pieces(
    generator: np.random.Generator, tile_set: TileSet, pool: Sequence[int], stance: Stance | None, *, sort: bool
) -> list[Piece]:
    """The pool's tiles, shuffled where they are to be sorted: none much higher than the one before, if there is one."""
    left = [int(value) for value in generator.permutation(pool)] if sort else list(pool)
    pieces: list[Piece] = []
    while left:
        lies = bool(generator.random() < SIDE_SHARE)
        how = stance or (Stance.SIDE if lies else Stance.UPRIGHT)
        most = LARGEST_STEP * _height(tile_set, pieces[-1]) if pieces and sort else math.inf
        value = next((value for value in left if _height(tile_set, (value, how)) <= most), left[0])
        left.remove(value)
        pieces.append((value, how))
    return pieces


def _wandering(tile_set: TileSet, pieces: Sequence[Piece], gaps: Sequence[Gap], turns: Sequence[float]) -> Bend:
    """Bends that turn each joint by about so much, rad."""

    def bend(joint: int, _before: Placement) -> float:
        one, other = pieces[joint : joint + 2]
        depths = tile_set[one[0]].thickness + tile_set[other[0]].thickness
        return turns[joint] / (gaps[joint].between(tile_set, one, other) + depths / 2)

    return bend


def _height(tile_set: TileSet, piece: Piece) -> float:
    return tile_set[piece[0]].standing_height(piece[1])
