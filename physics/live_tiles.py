"""Which tiles of a long row take part in a run at the moment: those that move, and what they can meet.

A wave moves about fifteen tiles at a time, however long the row is. So tiles are put into an engine's world when
something that moves comes near them, made immovable when they lie at rest, and taken out when nothing near them moves.
Near is meant in the plane, not by their order in the row: a snake passes by itself, and rows fork.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from physics.engine import DOWN, REST_SHIFT, REST_SIZE, REST_TURN
from physics.line import Standing, close_pairs, distance
from physics.pose import Pose, Vector
from physics.tile_theory import GRAVITY

MIN_TILES = 20  # from so many on it costs less than to have all tiles in the world all the time
REST_TO_LIE = 0.09  # s without motion after which a tile that lies is made immovable
REST_TO_STAND = 0.3  # s after which one that does not lie is as one that nothing has reached: it may tip very slowly
SLACK = 3  # how many times as much as a tile at rest one that lies may move
FASTEST = 4.0  # of √(g h): what falls or slides, and the wave, are slower, but for tiles that are thrown
THROWN = 2.0  # how many times faster than what is seen a tile may be thrown by the next blow
LEAVING = 1.3  # how many times farther away than where it is put into the world a tile is taken out of it
STIRRED = 3  # how many times as much as a tile at rest one must have moved that others are set free for
TOUCHING = 2e-3  # m
HANGING = 2.0  # tallest heights from one that has not fallen within which tiles at rest may still press on it
TIGHT = 0.03  # of the tallest height: the wave goes faster through tiles that stand nearer than that
MOVED = 1e-9  # m and rad: what nothing has reached stays where it is to the last bit
GONE = 3.0  # m below the table, where nothing can be met any more

Cell = tuple[int, int]


class LiveWorld(Protocol):
    """The world of an engine that tiles can be put into and taken out of."""

    def put_in(self, tile: int, *, fixed: bool) -> None:
        """Puts a tile where it was last: immovable, or so that it stays as it is until something reaches it."""

    def take_out(self, tile: int) -> None:
        """Takes a tile out; where it was is kept."""

    def fix(self, tile: int) -> None:
        """Makes a tile immovable where it is."""

    def let_go(self, tile: int, *, fixed: bool) -> None:
        """Sets a tile free, or keeps one that moves from being put to sleep."""

    def let_sleep(self, tile: int) -> None:
        """Leaves a tile as it is until something reaches it."""


@dataclass(slots=True)
class _Mover:
    """A tile that moves."""

    began: float  # s
    began_lean: float  # rad
    began_place: Vector
    still_since: float  # s
    still_lean: float
    still_place: Vector
    lean: float = 0.0  # when it was last looked at
    place: Vector = (0.0, 0.0, 0.0)
    way: float = 0.0  # m that a part of it may have come from look to look
    stirred: bool = False  # whether it has really moved since it began

    def __post_init__(self) -> None:
        self.lean, self.place = self.began_lean, self.began_place


class LiveTiles:
    """The tiles of one run that take part in it, from look to look."""

    def __init__(
        self,
        boxes: Sequence[Standing],
        poses: Sequence[Pose],
        leans: Mapping[int, float],
        between: float,
        world: LiveWorld,
    ) -> None:
        """`leans` has the tiles that move from the beginning on, rad; `between` is the time from look to look, s."""
        self._stage = world
        self._between = between
        self._tipping = [box.tipping_angle for box in boxes]
        self._shift = [REST_SHIFT * max(box.height, 0.2 * REST_SIZE) / REST_SIZE for box in boxes]
        self._reach = [math.hypot(box.depth, box.breadth, box.height) / 2 for box in boxes]
        self._height = [box.height for box in boxes]
        self._places = [pose.position for pose in poses]
        self._leans = [leans.get(tile, 0.0) for tile in range(len(boxes))]
        self._mates = _mates(boxes)
        self._widest = max(self._reach)
        self._least = FASTEST * math.sqrt(GRAVITY * max(self._height))  # m/s that is reckoned with at least
        self._hanging = HANGING * max(self._height)
        self._cell = LEAVING * (2 * self._widest + self._way(0.0))
        self._cells: dict[Cell, list[int]] = {}
        for tile, place in enumerate(self._places):
            self._cells.setdefault(self._cell_of(place), []).append(tile)
        self._movers: dict[int, _Mover] = {}
        self._rested: dict[int, float] = {}  # tiles at rest, fallen ones, and since when, s
        self._present: set[int] = set()
        self._gone: set[int] = set()
        self.fixed: list[int] = []  # tiles that the last look has made immovable, or left as they are
        self.freed: list[int] = []  # tiles at rest that it has set free
        for tile in leans:
            self._present.add(tile)
            world.put_in(tile, fixed=False)
            self._start(tile, 0.0).stirred = True

    def begin(self, speed: float) -> None:
        """Puts into the world what the tiles that move can meet soon; the fastest of them moves so fast, m/s."""
        self._gather(speed)

    @property
    def tiles(self) -> list[int]:
        """Those that can have moved since the last look, in order."""
        return sorted(self._present.difference(self._rested))

    def follow(self, time: float, tiles: Sequence[int], leans: Sequence[float], places: Sequence[Vector]) -> None:
        """Takes in where the tiles that can move are now, and does what that asks for."""
        self.fixed, self.freed = [], []
        farthest = 0.0
        for tile, lean, place in zip(tiles, leans, places, strict=True):
            mover = self._movers.get(tile)
            if mover is None:
                if math.dist(place, self._places[tile]) < MOVED and abs(lean - self._leans[tile]) < MOVED:
                    continue
                mover = self._start(tile, time)
            farthest = max(farthest, self._take_in(tile, mover, time, lean, place))
        self._settle(time)
        self._free_what_is_hit(time)
        self._gather(farthest / self._between)

    def _start(self, tile: int, time: float) -> _Mover:
        """A tile begins to move."""
        place, lean = self._places[tile], self._leans[tile]
        mover = self._movers[tile] = _Mover(time, lean, place, time, lean, place)
        self._stage.let_go(tile, fixed=self._rested.pop(tile, None) is not None)
        return mover

    def _take_in(self, tile: int, mover: _Mover, time: float, lean: float, place: Vector) -> float:
        """How far a part of the tile may have come since the last look, m."""
        slack = SLACK if lean > self._tipping[tile] + DOWN else 1
        if self._differ(tile, lean, place, mover.still_lean, mover.still_place, slack):
            mover.still_since, mover.still_lean, mover.still_place = time, lean, place
        if not mover.stirred:
            mover.stirred = self._differ(tile, lean, place, mover.began_lean, mover.began_place, STIRRED)
        mover.way = math.dist(place, mover.place) + abs(lean - mover.lean) * self._height[tile]
        mover.place, mover.lean = place, lean
        return mover.way

    def _differ(self, tile: int, lean: float, place: Vector, old_lean: float, old_place: Vector, slack: float) -> bool:
        if abs(lean - old_lean) > slack * REST_TURN:
            return True
        shift = slack * self._shift[tile]
        return any(abs(new - old) > shift for new, old in zip(place, old_place, strict=True))

    def _settle(self, time: float) -> None:
        """Lets tiles rest that have been still for long enough."""
        upright = [tile for tile, mover in self._movers.items() if mover.lean <= self._tipping[tile] + DOWN]
        for tile, mover in tuple(self._movers.items()):
            if mover.place[2] < -GONE:
                self._stop(tile)
                self._gone.add(tile)
                self._take_out(tile)
                self.fixed.append(tile)
                continue
            still = time - mover.still_since
            if mover.lean > self._tipping[tile] + DOWN:
                # What leans on a tile that has not fallen yet, also through others, must be able to press on it.
                if still >= REST_TO_LIE and not any(self._touch(tile, other, self._hanging) for other in upright):
                    self._stop(tile)
                    self._rested[tile] = time
                    self._stage.fix(tile)
                    self.fixed.append(tile)
            elif still >= REST_TO_STAND:
                self._stop(tile)
                self._stage.let_sleep(tile)
                self.fixed.append(tile)

    def _stop(self, tile: int) -> None:
        mover = self._movers.pop(tile)
        before, now = self._cell_of(self._places[tile]), self._cell_of(mover.place)
        self._places[tile], self._leans[tile] = mover.place, mover.lean
        if before != now:
            self._cells[before].remove(tile)
            self._cells.setdefault(now, []).append(tile)

    def _touch(self, one: int, other: int, margin: float) -> bool:
        """Whether two tiles may come nearer to one another than that; generous."""
        apart = math.dist(self._place(one), self._place(other))
        return apart < self._reach[one] + self._reach[other] + margin

    def _place(self, tile: int) -> Vector:
        mover = self._movers.get(tile)
        return self._places[tile] if mover is None else mover.place

    def _free_what_is_hit(self, time: float) -> None:
        """Sets tiles at rest free that something may hit which began to move after they had come to rest.

        What came to rest before something else that moves with it, as in every falling row, stays immovable.
        """
        for tile, mover in tuple(self._movers.items()):
            if not mover.stirred:
                continue
            margin = TOUCHING + THROWN * mover.way
            for other in self._around(mover.place, self._reach[tile] + self._widest + margin):
                if self._rested.get(other, math.inf) < mover.began and self._touch(tile, other, margin):
                    self._put_in(other)
                    self._start(other, time)
                    self.freed.append(other)

    def _gather(self, speed: float) -> None:
        """Puts in what the movers can meet until the next look, and takes out what is far from all of them."""
        way = self._way(speed)
        near: set[int] = set()
        for tile, mover in self._movers.items():
            x, y, _z = mover.place
            for other in self._around(mover.place, LEAVING * (self._reach[tile] + self._widest + way)):
                if other in near or other in self._movers:
                    continue
                there = self._places[other]
                apart = math.hypot(x - there[0], y - there[1])
                far = self._reach[tile] + self._reach[other] + way
                if other not in self._present and apart < far:
                    self._put_in(other)
                if other in self._present and apart < LEAVING * far:
                    near.add(other)
        if self._movers:
            far_away = self._present.difference(near, self._movers)
            kept = {id(self._mates.get(tile)) for tile in self._present - far_away if tile in self._mates}
            for tile in sorted(far_away):
                if id(self._mates.get(tile)) not in kept:
                    self._take_out(tile)

    def _way(self, speed: float) -> float:
        """How far something may come until the next look where the fastest of what moves has that speed, m."""
        return TOUCHING + self._between * max(THROWN * speed, self._least)

    def _put_in(self, tile: int) -> None:
        """Puts a tile in, and with it those that stand as good as against it, for they are struck together."""
        for each in self._mates.get(tile, (tile,)):
            if each not in self._present and each not in self._gone:
                self._present.add(each)
                self._stage.put_in(each, fixed=each in self._rested)

    def _take_out(self, tile: int) -> None:
        self._present.discard(tile)
        self._stage.take_out(tile)

    def _cell_of(self, place: Vector) -> Cell:
        return math.floor(place[0] / self._cell), math.floor(place[1] / self._cell)

    def _around(self, place: Vector, far: float) -> Iterator[int]:
        """Tiles that may be so near in the plane, in a fixed order; movers are where they began."""
        x, y, _z = place
        low, high = self._cell_of((x - far, y - far, 0.0)), self._cell_of((x + far, y + far, 0.0))
        for column in range(low[0], high[0] + 1):
            for row in range(low[1], high[1] + 1):
                yield from self._cells.get((column, row), ())


def _mates(boxes: Sequence[Standing]) -> dict[int, list[int]]:
    """Tiles that stand as good as against one another, and through one another, by each of them."""
    groups: dict[int, list[int]] = {}
    tight = TIGHT * max(box.height for box in boxes)
    for one, other in close_pairs(boxes, tight):
        if distance(boxes[one], boxes[other]) > tight:
            continue
        mine, theirs = groups.setdefault(one, [one]), groups.setdefault(other, [other])
        if mine is not theirs:
            more, fewer = (mine, theirs) if len(mine) >= len(theirs) else (theirs, mine)
            more.extend(fewer)
            for tile in fewer:
                groups[tile] = more
    return groups
