"""Where tiles stand: placements, the row they form, its gaps and its problems."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain as chain_of
from itertools import islice, pairwise

from physics.errors import Number, SceneError
from physics.tiles import Stance, Tile, TileSet, spell_values

MAX_TILES = 5_000
MAX_DISTANCE = 100.0  # m of a tile from the middle of the table, to either side
CLEARANCE = 5e-3  # m, tiles that are not neighbours and stand nearer than this make a branch
TOUCH = 1e-9  # m, footprints may touch; deeper than this they overlap
RING_SLACK = 5e-5  # m, the ends of a ring may be farther apart than its gaps by this: numbers in files are rounded
RING_TURN = math.radians(60)  # how far the end of a ring may point past its beginning
MAX_PROBLEMS = 100  # named at once; thousands of tiles in one place have millions

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Placement:
    """A tile on the table."""

    value: int
    x: float  # m, middle of the foot
    y: float  # m
    yaw: float = 0.0  # rad, anticlockwise from +x, where the broad face looks
    stance: Stance = Stance.UPRIGHT


@dataclass(frozen=True, slots=True)
class Standing:
    """The box that a placed tile makes: everything an engine needs of it."""

    x: float  # m
    y: float  # m
    yaw: float  # rad
    depth: float  # m, along the yaw
    breadth: float  # m, across it
    height: float  # m
    mass: float  # kg

    @property
    def tipping_angle(self) -> float:
        """Lean at which the tile balances on its edge, rad."""
        return math.atan2(self.depth, self.height)

    @property
    def reach(self) -> float:
        """Radius of the circle around the footprint, m."""
        return math.hypot(self.depth, self.breadth) / 2

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """The footprint, anticlockwise, m."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return tuple(
            (self.x + a * cos - b * sin, self.y + a * sin + b * cos)
            for a, b in (
                (-self.depth / 2, -self.breadth / 2),
                (self.depth / 2, -self.breadth / 2),
                (self.depth / 2, self.breadth / 2),
                (-self.depth / 2, self.breadth / 2),
            )
        )  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a line, as a sentence with its values beside it."""

    kind: str  # unknown value | too many | overlap | branch | ring | off the table
    sentence: str
    fields: dict[str, object]

    def __str__(self) -> str:
        return self.sentence.format(**self.fields)

    def error(self) -> SceneError:
        """The same as an error to raise."""
        return SceneError(self.sentence, **self.fields)


@dataclass(frozen=True, slots=True)
class Line:
    """Placements in order, end to end."""

    tile_set: TileSet
    placements: tuple[Placement, ...]

    def __len__(self) -> int:
        return len(self.placements)

    @property
    def values(self) -> tuple[int, ...]:
        """The tiles' values in order."""
        return tuple(placement.value for placement in self.placements)

    def tile(self, index: int) -> Tile:
        """The tile at that place of the row; SceneError when the set does not have it."""
        return self.tile_set[self.placements[index].value]

    def standing(self) -> tuple[Standing, ...]:
        """The boxes on the table in order; SceneError when a value is not in the set."""
        return tuple(_stand(self.tile_set[placement.value], placement) for placement in self.placements)

    def gaps(self) -> tuple[float, ...]:
        """Free air between neighbours, m (zero where they touch or overlap)."""
        boxes = self.standing()
        return tuple(distance(a, b) for a, b in pairwise(boxes))

    def turns(self) -> tuple[float, ...]:
        """Change of yaw from one tile to the next along the row, rad in ±π/2 (a tile has no front)."""
        yaws = [placement.yaw for placement in self.placements]
        return tuple(math.remainder(b - a, math.pi) for a, b in pairwise(yaws))

    def problems(self, table_size: tuple[float, float] | None = None) -> list[Problem]:
        """What keeps these placements from being a row, gravest first, at most MAX_PROBLEMS; the size in m."""
        unknown = list(islice(_unknown_values(self), MAX_PROBLEMS))
        if unknown:
            return unknown
        boxes, gaps = self.standing(), self.gaps()
        found = chain_of(
            _too_many(self),
            _overlaps(self, boxes),
            _off_the_table(self, boxes, table_size),
            _branches(self, boxes, gaps),
            _rings(self, boxes, gaps),
        )
        return list(islice(found, MAX_PROBLEMS))

    def overlaps(self) -> bool:
        """Whether two tiles overlap."""
        boxes = self.standing()
        return any(overlap(boxes[i], boxes[j]) for i, j in close_pairs(boxes, 0.0))


def chain(
    tile_set: TileSet,
    joints: Iterable[tuple[int, float, float, Stance]],
    start: Placement | None = None,
) -> Line:
    """A line built tile by tile: value, gap to the one before (m), turn (rad), stance.

    Half of each gap is walked along the old heading and half along the new one, so that in a straight row the gap
    is the free air between the faces. The first tile stands at `start` (the origin), its gap and turn unused.
    SceneError when a value is not in the set.
    """
    placements: list[Placement] = []
    for value, gap, turn, stance in joints:
        if placements:
            placements.append(next_placement(tile_set, placements[-1], value, gap, turn, stance))
        else:
            first = start or Placement(value, 0.0, 0.0)
            placements.append(replace(first, value=tile_set[value].value, stance=stance))
    return Line(tile_set, tuple(placements))


def straight(tile_set: TileSet, values: Sequence[int], gap: float) -> Line:
    """A straight row of upright tiles along +x with equal gaps, m. SceneError when a value is not in the set."""
    return chain(tile_set, [(value, gap, 0.0, Stance.UPRIGHT) for value in values])


def next_placement(
    tile_set: TileSet, last: Placement, value: int, gap: float, turn: float, stance: Stance
) -> Placement:
    """The tile of that value stood after `last`: gap in m, turn in rad."""
    yaw = last.yaw + turn
    back = tile_set[last.value].thickness / 2 + gap / 2
    front = gap / 2 + tile_set[value].thickness / 2
    x = last.x + back * math.cos(last.yaw) + front * math.cos(yaw)
    y = last.y + back * math.sin(last.yaw) + front * math.sin(yaw)
    return Placement(value, x, y, yaw, stance)


def _stand(tile: Tile, placement: Placement) -> Standing:
    return Standing(
        placement.x,
        placement.y,
        placement.yaw,
        tile.thickness,
        tile.breadth(placement.stance),
        tile.standing_height(placement.stance),
        tile.mass,
    )


def close_pairs(boxes: Sequence[Standing], margin: float) -> Iterator[tuple[int, int]]:
    """Pairs i < j whose footprints may be nearer than the margin; cheap, and never misses one."""
    if len(boxes) < 2:
        return
    xs, ys = [box.x for box in boxes], [box.y for box in boxes]
    # Swept along the longer side of all tiles, in lanes: what goes to and fro has many tiles abreast of one another.
    along, across = (xs, ys) if max(xs) - min(xs) >= max(ys) - min(ys) else (ys, xs)
    order = sorted(range(len(boxes)), key=along.__getitem__)
    reaches = [box.reach for box in boxes]
    widest = max(reaches) + margin
    width = max(reaches) + widest
    lane_of = [math.floor(value / width) for value in across]
    lanes: dict[int, list[int]] = {}
    for rank, i in enumerate(order):
        lanes.setdefault(lane_of[i], []).append(rank)
    for rank, i in enumerate(order):
        end = along[i] + reaches[i] + widest
        found = []
        for lane in (lane_of[i] - 1, lane_of[i], lane_of[i] + 1):
            ranks = lanes.get(lane, ())
            for place in range(bisect_right(ranks, rank), len(ranks)):
                j = order[ranks[place]]
                if along[j] > end:
                    break
                if math.hypot(xs[j] - xs[i], ys[j] - ys[i]) <= reaches[i] + reaches[j] + margin:
                    found.append(ranks[place])
        for other in sorted(found):
            j = order[other]
            yield (i, j) if i < j else (j, i)


def overlap(a: Standing, b: Standing) -> bool:
    """Whether two footprints share more than their rims (separating axes)."""
    return all(shadow_gap(a, b, yaw) < -TOUCH for yaw in _axes(a, b))


def distance(a: Standing, b: Standing) -> float:
    """Shortest distance between two footprints, m; zero where they touch or overlap."""
    if face_gap(a, b) <= 0:
        return 0.0
    corners = a.corners, b.corners
    return min(
        _point_to_edge(point, edge)
        for one, other in (corners, corners[::-1])
        for edge in zip(other, other[1:] + other[:1], strict=True)
        for point in one
    )


def face_gap(a: Standing, b: Standing) -> float:
    """How far two footprints lie apart as one of their faces sees it, m: never more than their distance, and cheap.

    Where they overlap it is negative: how far one of them must move to be free.
    """
    return max(shadow_gap(a, b, yaw) for yaw in _axes(a, b))


def shadow_gap(a: Standing, b: Standing, yaw: float) -> float:
    """How far the two shadows on the axis of that yaw lie apart, m; negative where they cover one another."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    centres = abs((b.x - a.x) * cos + (b.y - a.y) * sin)
    halves = 0.0
    for box in (a, b):
        turn = box.yaw - yaw
        halves += (abs(math.cos(turn)) * box.depth + abs(math.sin(turn)) * box.breadth) / 2
    return centres - halves


def _axes(a: Standing, b: Standing) -> tuple[float, float, float, float]:
    return a.yaw, a.yaw + math.pi / 2, b.yaw, b.yaw + math.pi / 2


def _point_to_edge(point: Point, edge: tuple[Point, Point]) -> float:
    (px, py), ((ax, ay), (bx, by)) = point, edge
    length = (bx - ax) ** 2 + (by - ay) ** 2
    along = max(0.0, min(1.0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length))
    return math.hypot(px - ax - along * (bx - ax), py - ay - along * (by - ay))


def _unknown_values(line: Line) -> Iterator[Problem]:
    known = [tile.value for tile in line.tile_set.tiles]
    for index, value in enumerate(line.values):
        if value not in line.tile_set:
            yield Problem(
                "unknown value",
                "Tile {number} has the value {value}; the set {set} has {values}.",
                {"number": index + 1, "value": value, "set": line.tile_set.name, "values": spell_values(known)},
            )


def _too_many(line: Line) -> Iterator[Problem]:
    for value in sorted(set(line.values)):
        used, there = line.values.count(value), line.tile_set.copies_of(value)
        if there is not None and used > there:
            yield Problem(
                "too many",
                "The tile {value} is used {used} times; the set {set} has {there}.",
                {"value": value, "used": used, "set": line.tile_set.name, "there": there},
            )


def _names(line: Line, *indexes: int) -> dict[str, object]:
    """Tiles for a sentence: by value, and by place in the row where equal tiles share that value."""
    return {word: _name(line, index) for word, index in zip(("first", "second"), indexes, strict=False)}


def _name(line: Line, index: int) -> object:
    value = line.values[index]
    if line.values.count(value) == 1:
        return value
    # Said as an error is, so that it is translated within the sentence.
    return SceneError("{value} (number {place} in the row)", value=value, place=index + 1)


def _overlaps(line: Line, boxes: Sequence[Standing]) -> Iterator[Problem]:
    for i, j in close_pairs(boxes, 0.0):
        if overlap(boxes[i], boxes[j]):
            yield Problem(
                "overlap",
                "Tiles {first} and {second} overlap.",
                _names(line, i, j),
            )


def _off_the_table(line: Line, boxes: Sequence[Standing], size: tuple[float, float] | None) -> Iterator[Problem]:
    if size is None:
        return
    for index, box in enumerate(boxes):
        if any(abs(x) - size[0] / 2 > TOUCH or abs(y) - size[1] / 2 > TOUCH for x, y in box.corners):
            yield Problem(
                "off the table",
                "Tile {first} stands over the edge of the table, which is {x} × {y} mm.",
                {**_names(line, index), "x": Number(f"{size[0] * 1e3:g}"), "y": Number(f"{size[1] * 1e3:g}")},
            )


def _branches(line: Line, boxes: Sequence[Standing], gaps: Sequence[float]) -> Iterator[Problem]:
    last = len(line) - 1
    for i, j in close_pairs(boxes, CLEARANCE):
        if j - i < 2 or (i == 0 and j == last) or overlap(boxes[i], boxes[j]):
            continue
        apart = distance(boxes[i], boxes[j])
        if _short_cut(boxes[i : j + 1], gaps[i:j], apart):
            yield Problem(
                "branch",
                "The row branches: tiles {first} and {second} are not neighbours but stand {apart} mm apart.",
                {**_names(line, i, j), "apart": Number(f"{apart * 1e3:.1f}")},
            )


def _rings(line: Line, boxes: Sequence[Standing], gaps: Sequence[float]) -> Iterator[Problem]:
    last = len(line) - 1
    if last < 2 or overlap(boxes[0], boxes[last]):
        return
    apart = distance(boxes[0], boxes[last])
    if _short_cut(boxes, gaps, apart) or (apart <= max(gaps) + RING_SLACK and _closes(boxes)):
        yield Problem(
            "ring",
            "The row closes into a ring: its ends, tiles {first} and {second}, stand {apart} mm apart.",
            {**_names(line, 0, last), "apart": Number(f"{apart * 1e3:.1f}")},
        )


def _short_cut(boxes: Sequence[Standing], gaps: Sequence[float], apart: float) -> bool:
    """Whether the first and the last of these boxes are too near though the row between them is longer.

    In a tightly packed row the next but one is near as well, but about as far as the way along the row.
    """
    along = sum(gaps) + sum(box.depth for box in boxes[1:-1])
    return apart < CLEARANCE and apart < max(*gaps, along / 2)


def _closes(boxes: Sequence[Standing]) -> bool:
    """Whether the step from the last tile to the first goes on as the row goes: out of one face, into the other."""
    heading = math.atan2(boxes[0].y - boxes[-1].y, boxes[0].x - boxes[-1].x)
    for one, other in ((boxes[-2], boxes[-1]), (boxes[0], boxes[1])):
        along = math.atan2(other.y - one.y, other.x - one.x)
        if abs(math.remainder(heading - along, math.tau)) > RING_TURN:
            return False
    return True
