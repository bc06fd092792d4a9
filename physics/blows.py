"""When tiles are about to strike one another: a run takes finer steps there than elsewhere.

A blow of two tiles, most of all one with a corner, is several blows within a few milliseconds. A step that merges them
decides otherwise which tile is thrown over (docs/validation.md has what that does to a probability).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence

from physics.line import Standing, close_pairs, shadow_gap

AFTER = 0.012  # s of fine steps once two tiles have met: shorter ones miss what follows from a blow with a corner
TOUCHING = 5e-5  # m between tiles that have met, at most
PARTED = 1e-3  # m between tiles that have parted: when they meet again, it is another blow
SLOWEST = 5e-3  # m/s at which tiles come nearer: slower ones lean on one another and do not strike
HASTE = 1.5  # how many times faster than lately they may come nearer until the next look
SPEEDING_UP = 40.0  # m/s²: how much faster they may get until then, well above what gravity does
FARTHEST_LOOK = 0.03  # m between tiles up to which their gap is measured
TICKS_WHEN_FAR = 4  # between two looks at tiles farther apart than that: none comes nearer by so much in 8 ms
TICKS_WHEN_NEAR = 8  # between two looks at other tiles, at most
TICKS_WHEN_MET = 3  # between two looks at tiles that touch

Gap = Callable[[int, int, float], float]
"""The free air between two tiles, m, as an engine knows it; infinite when it is more than the third number."""


class _Pair:
    """Two tiles that can reach one another."""

    __slots__ = ("about_to_meet", "gap", "have_met", "next_look", "one", "other", "seen")

    def __init__(self, one: int, other: int) -> None:
        self.one, self.other = one, other
        self.next_look = 0  # the tick of it
        self.seen: int | None = None  # the tick at which `gap` was measured; None: not lately
        self.gap = math.inf  # m
        self.about_to_meet = False
        self.have_met = False


class Blows:
    """Watches the tiles of one run from tick to tick, a tick being one step as long as steps are elsewhere.

    Only pairs of which a tile moves are looked at, and each again only when it may have come near.
    """

    def __init__(self, boxes: Sequence[Standing], asleep: Sequence[bool], tick: float, gap: Gap) -> None:
        self._gap = gap
        self._after = math.ceil(AFTER / tick)
        self._slowest = SLOWEST * tick  # m a tick
        self._speeding_up = SPEEDING_UP / 2 * tick**2  # m in the first tick, four times as much in two
        self._of: list[list[_Pair]] = [[] for _box in boxes]
        for one, other in close_pairs(boxes, max(box.height for box in boxes)):
            if _can_reach(boxes[one], boxes[other]):
                pair = _Pair(one, other)
                self._of[one].append(pair)
                self._of[other].append(pair)
        self._still = list(asleep)
        self._watched: list[_Pair] = []
        self._next_look = 0
        self._fine_until = 0
        for tile, is_still in enumerate(asleep):
            if not is_still:
                self._watch(tile, 0)

    def are_near(self, tick: int) -> bool:
        """Whether there may be a blow within the tick that begins now, or was one shortly before."""
        if tick >= self._next_look:
            for pair in tuple(self._watched):
                if pair.next_look <= tick:
                    self._look(pair, tick)
            self._next_look = min((pair.next_look for pair in self._watched), default=tick + TICKS_WHEN_NEAR)
        return tick < self._fine_until

    def leave_out(self, lying: Collection[int]) -> None:
        """Looks no more at pairs of tiles that both lie: what they do to one another decides nothing."""
        self._watched = [pair for pair in self._watched if pair.one not in lying or pair.other not in lying]

    def note_still(self, tiles: Iterable[int]) -> None:
        """Looks no more at pairs of tiles that both stay as they are, of which these have begun to."""
        for tile in tiles:
            self._still[tile] = True
        self._watched = [pair for pair in self._watched if not (self._still[pair.one] and self._still[pair.other])]

    def note_moving(self, tiles: Iterable[int], tick: int) -> None:
        """Looks again at all pairs of tiles that may move from now on."""
        for tile in tiles:
            self._watch(tile, tick)
        self._next_look = tick

    def _watch(self, tile: int, tick: int) -> None:
        """Looks from now on at all pairs of a tile that has begun to move."""
        self._still[tile] = False
        for pair in self._of[tile]:
            if pair not in self._watched:
                pair.next_look = tick
                self._watched.append(pair)

    def _look(self, pair: _Pair, tick: int) -> None:
        gap = self._gap(pair.one, pair.other, FARTHEST_LOOK)
        if gap == math.inf:
            pair.seen, pair.about_to_meet, pair.have_met = None, False, False
            pair.next_look = tick + TICKS_WHEN_FAR
            return
        if pair.have_met and gap <= PARTED:
            pair.next_look = tick + TICKS_WHEN_MET
            return
        nearer = None if pair.seen is None else (pair.gap - gap) / (tick - pair.seen)  # m a tick
        pair.seen, pair.gap, pair.next_look = tick, gap, tick + 1
        # Tiles may have met and parted since the last look.
        has_bounced = pair.about_to_meet and nearer is not None and nearer <= 0
        pair.have_met = gap <= TOUCHING or has_bounced
        if pair.have_met:
            is_blow = pair.about_to_meet or nearer is None or nearer > self._slowest
            pair.seen, pair.about_to_meet, pair.next_look = None, False, tick + TICKS_WHEN_MET
            self._note_meeting(pair, tick, is_blow=is_blow)
        elif nearer is not None:
            pair.about_to_meet = nearer > self._slowest and gap <= HASTE * nearer
            if pair.about_to_meet:
                self._fine_until = max(self._fine_until, tick + 1)
            else:
                pair.next_look = tick + self._ticks_free(gap, HASTE * max(nearer, 0.0))

    def _note_meeting(self, pair: _Pair, tick: int, *, is_blow: bool) -> None:
        if is_blow:
            self._fine_until = max(self._fine_until, tick + self._after)
        for tile in (pair.one, pair.other):
            if self._still[tile]:
                self._watch(tile, tick + 1)
            elif is_blow:  # it may have got faster at once
                for other in self._of[tile]:
                    if other is not pair:
                        other.next_look = min(other.next_look, tick + 1)

    def _ticks_free(self, air: float, nearer: float) -> int:
        """How many ticks two tiles surely take to come so near that the next look would be too late."""
        ticks = 1
        while ticks < TICKS_WHEN_NEAR and (ticks + 2) * nearer + self._speeding_up * (ticks + 1) ** 2 <= air:
            ticks += 1
        return ticks


def _can_reach(one: Standing, other: Standing) -> bool:
    """Whether one of two tiles reaches the other by falling; generous, for tiles also slide."""
    way = math.atan2(other.y - one.y, other.x - one.x)
    return shadow_gap(one, other, way) <= max(one.height, other.height)
