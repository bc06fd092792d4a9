"""A fall in time: poses at any moment, the wave that runs through the row, and when tiles strike one another.

Time is that of the run: 0 is when the tile was let go. Before it the finger tilts that tile, which no run holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from game.sound.strikes import Strike
from physics.errors import SceneError
from physics.line import Placement, Standing
from physics.pose import Vector, leaning_pose
from physics.tiles import Stance
from physics.trajectory import Array, Trajectory, leans_of

LEAD = 0.6  # s in which the finger tilts the tile before it lets go
LEAD_FRAMES = 25
STRUCK_LEAN = math.radians(0.1)  # from how it stood: so far a tile must turn to count as struck
STRUCK_SHIFT = 1e-4  # m, or so far be moved
LANDED = math.radians(2)  # before its last lean: so near a tile counts as landed
NEAR = 3  # frames before or after a contact that show how hard it was
DENSITY = 700.0  # kg/m³ of the tiles' wood
MAX_TIME, MAX_PLACE, MAX_SIZE, MAX_VALUE = 3600.0, 1e3, 10.0, 10**6  # s, m, m: beyond them a log is damaged
SLOW = 0.2  # of real time
SLOW_FOR = 0.25  # s of the run that are shown slowly
EASE = 0.05  # s of the run in which the pace changes
CLOCK_STEP = 1e-3  # s
SPEEDS = (0.25, 0.5, 1.0, 2.0)  # that one who watches can choose


@dataclass(frozen=True, slots=True)
class Poses:
    """All tiles at one moment."""

    positions: Array  # (tiles, 3) m, centres
    quaternions: Array  # (tiles, 4) x y z w


@dataclass(frozen=True, eq=False)
class Playback:
    """One fall. `tiles` says what to draw: of a knocked row perhaps not all of it."""

    motion: Trajectory  # from -LEAD where a finger tilts the first tile
    tiles: tuple[Placement, ...]
    sizes: tuple[Vector, ...]  # of each, m: depth, breadth, height
    fell_at: tuple[float | None, ...]  # s, when each tile passed its tipping angle for good
    pushed: int  # index of the tile that was let go
    slow_at: float | None = None  # s, the moment that is worth a slower look

    @property
    def times(self) -> Array:
        """The moments that are known, (n,), s."""
        return self.motion.times

    @property
    def start(self) -> float:
        """The first moment, s."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """The last moment, s."""
        return float(self.times[-1])

    @property
    def duration(self) -> float:
        """How long it is at real speed, s."""
        return self.end - self.start

    def at(self, t: float) -> Poses:
        """Where all tiles are at that moment; before the start as at the start, after the end as at the end."""
        t = min(max(t, self.start), self.end)
        after = int(np.clip(np.searchsorted(self.times, t, side="right"), 1, max(1, len(self.times) - 1)))
        after = min(after, len(self.times) - 1)
        before = max(after - 1, 0)
        span = float(self.times[after] - self.times[before])
        share = (t - float(self.times[before])) / span if span > 0 else 0.0
        (places, one), (later, other) = self.motion.at(before), self.motion.at(after)
        return Poses(places * (1 - share) + later * share, slerp(one, other, share))

    @cached_property
    def reached(self) -> tuple[float | None, ...]:
        """When each tile was first moved, s, between the frames; None for one that never was."""
        return tuple(self._reached(tile) for tile in range(len(self.tiles)))

    def _reached(self, tile: int) -> float | None:
        times, places, turns = self.motion.of_tile(tile)
        turned = _turned_from(turns, turns[0])
        shifted = np.linalg.norm(places - places[0], axis=-1)
        moved = (turned > STRUCK_LEAN) | (shifted > STRUCK_SHIFT)
        at = int(np.argmax(moved))
        if not moved[at]:
            return None
        return _began(times, turned if turned[at] > STRUCK_LEAN else shifted, at)

    @cached_property
    def wave(self) -> tuple[tuple[float, float, float], ...]:
        """When (s) and where (x, y in m) the wave passed the tiles that fell, in order of time."""
        falls = sorted((time, index) for index, time in enumerate(self.fell_at) if time is not None)
        x, y = self._standing
        return tuple((time, x[index], y[index]) for time, index in falls)

    @cached_property
    def _standing(self) -> tuple[list[float], list[float]]:
        """x and y of all tiles in the beginning, m."""
        places, _turns = self.motion.at(0)
        return places[:, 0].tolist(), places[:, 1].tolist()

    @cached_property
    def _fronts(self) -> Array:
        """The wave's times, x and y as rows."""
        return np.array(self.wave).T

    @property
    def falls(self) -> tuple[float, ...]:
        """When tiles fell, s, in order."""
        return tuple(time for time, _x, _y in self.wave)

    @property
    def passed(self) -> float:
        """When the wave has come to its end, s."""
        return self.wave[-1][0] if self.wave else self.start

    def front(self, t: float) -> tuple[float, float]:
        """Where the wave is at that moment, x and y in m: what a camera may follow."""
        if not self.wave:
            x, y = self._standing
            return x[self.pushed], y[self.pushed]
        times, xs, ys = self._fronts
        return float(np.interp(t, times, xs)), float(np.interp(t, times, ys))

    @cached_property
    def strikes(self) -> tuple[Strike, ...]:
        """All sounds in order of time."""
        found = []
        for tile, (depth, breadth, height) in enumerate(self.sizes):
            mass = DENSITY * depth * breadth * height
            reached, fell = self.reached[tile], self.fell_at[tile]
            times, places, turns = self.motion.of_tile(tile)
            if reached is not None and tile != self.pushed:
                first = int(np.searchsorted(times, reached, side="right")) - 1
                speed = _fastest(times, places, first, first + NEAR)
                found.append(Strike(reached, tile, "struck", height, mass * speed))
            if fell is not None:
                leans = leans_of(turns)
                last = int(np.argmax((leans >= leans[-1] - LANDED) & (times >= fell)))
                speed = _fastest(times, places, last - NEAR, last)
                found.append(Strike(float(times[last]), tile, "landed", height, mass * speed))
        return tuple(sorted(found, key=lambda strike: (strike.time, strike.tile)))

    def heard(self, before: float, until: float) -> tuple[tuple[float, Strike], ...]:
        """The sounds after the one moment and up to the other, and how long after the first each is due, s."""
        began = self.real(before)
        return tuple((self.real(each.time) - began, each) for each in self.strikes if before < each.time <= until)

    # Slow motion

    def reaches(self, gap: int) -> float | None:
        """When the wave reaches the gap between the tiles gap and gap + 1, s; None when it never does, or is no gap."""
        if not 0 <= gap < len(self.tiles) - 1:
            return None
        times = [time for time in self.fell_at[gap : gap + 2] if time is not None]
        return min(times, default=None)

    @cached_property
    def slowest(self) -> int | None:
        """The gap at which the wave lost most, measured by how long the gap before took it; None for a short row."""
        falls = sorted((time, index) for index, time in enumerate(self.fell_at) if time is not None)
        spans = [(later - earlier, one, other) for (earlier, one), (later, other) in pairwise(falls)]
        lost = [
            (span / max(before, 1e-3), min(one, other))
            for (before, _from, _to), (span, one, other) in pairwise(spans)
            if abs(one - other) == 1
        ]
        return max(lost)[1] if lost else None

    def slowed(self, gap: int | None) -> Playback:
        """The same fall, slow where the wave reaches that gap; else where it ends or, if all fell, lost most."""
        at = None if gap is None else self.reaches(gap)
        if at is None and None in self.fell_at:
            at = self.wave[-1][0] if len(self.wave) > 1 else None
        elif at is None and self.slowest is not None:
            at = self.reaches(self.slowest)
        return replace(self, slow_at=at)

    def pace(self, t: float) -> float:
        """How many seconds of the run pass in a second at that moment: 1, or SLOW around the weakest gap."""
        if self.slow_at is None:
            return 1.0
        outside = max(self.slow_at - t, t - self.slow_at - SLOW_FOR, 0.0)
        eased = min(1.0, outside / EASE)
        return SLOW + (1 - SLOW) * eased

    @cached_property
    def _clock(self) -> tuple[Array, Array]:
        """Moments of the run around the slow one, and what a clock on the wall shows then, s."""
        middle = self.slow_at or 0.0
        run = np.arange(middle - EASE, middle + SLOW_FOR + EASE + CLOCK_STEP, CLOCK_STEP)
        passing = np.array([1 / self.pace(t) for t in (run[:-1] + CLOCK_STEP / 2).tolist()]) * CLOCK_STEP
        return run, run[0] + np.concatenate([[0.0], np.cumsum(passing)])

    def real(self, t: float) -> float:
        """What a clock on the wall shows at that moment of the run, seen at its own pace, s."""
        return _looked_up(t, *self._clock)

    def later(self, t: float, seconds: float) -> float:
        """The moment of the run that is seen so many seconds after that one."""
        run, real = self._clock
        return _looked_up(self.real(t) + seconds, real, run)


def _began(times: Array, moved: Array, at: int) -> float:
    """When a motion began that is first seen at that moment: as fast as it goes on, followed back to nothing."""
    after = min(at + 1, len(times) - 1)
    gone, here = float(moved[after] - moved[at]), float(times[at])
    if gone <= 0:
        return here
    back = float(moved[at]) * float(times[after] - here) / gone
    return max(here - back, float(times[max(at - 1, 0)]))


def _fastest(times: Array, places: Array, first: int, last: int) -> float:
    """The greatest speed of a centre between these two moments, m/s: all of it comes or goes in a blow."""
    first, last = max(0, first), min(len(times) - 1, last)
    if last <= first:
        return 0.0
    ways = np.linalg.norm(np.diff(places[first : last + 1], axis=0), axis=-1)
    return float((ways / np.diff(times[first : last + 1])).max())


@dataclass(frozen=True, slots=True)
class Player:
    """Where one who watches a fall is: a value, to be replaced frame by frame."""

    t: float  # s of the run
    is_playing: bool = True
    speed: float = 1.0  # chosen by who watches

    @classmethod
    def of(cls, playback: Playback) -> Player:
        """From the beginning."""
        return cls(playback.start)

    def advanced(self, playback: Playback, dt: float) -> Player:
        """After dt seconds; it stops at the end."""
        if not self.is_playing:
            return self
        t = playback.later(self.t, dt * self.speed)
        return replace(self, t=min(t, playback.end), is_playing=t < playback.end)

    def toggled(self, playback: Playback) -> Player:
        """Paused, or going on; from the beginning when it was at the end."""
        if not self.is_playing and self.is_over(playback):
            return self.replayed(playback)
        return replace(self, is_playing=not self.is_playing)

    def scrubbed(self, playback: Playback, share: float) -> Player:
        """At that share of the whole, 0 to 1, and paused."""
        t = min(playback.end, max(playback.start, playback.start + share * playback.duration))
        return replace(self, t=playback.end if share >= 1 else t, is_playing=False)

    def replayed(self, playback: Playback) -> Player:
        """From the beginning again."""
        return replace(self, t=playback.start, is_playing=True)

    def share(self, playback: Playback) -> float:
        """How much of it has passed, 0 to 1."""
        return (self.t - playback.start) / playback.duration if playback.duration > 0 else 1.0

    def is_over(self, playback: Playback) -> bool:
        """Whether the last moment is shown."""
        return self.t >= playback.end


# Where falls come from


def playback_in(data: Mapping[str, Any]) -> Playback | None:
    """The fall in an `outcome` or `knocked` entry of a log; None where nobody recorded it, as at a table of one's own.

    SceneError when the entry is damaged.
    """
    try:
        frames = data["frames"]
        if not frames:
            return None
        poses = np.array([poses for _time, poses in frames], dtype=np.float64)
        times = np.array([time for time, _poses in frames], dtype=np.float64)
        lengths = np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
        if poses.shape != (len(times), len(data["tiles"]), 7) or not (lengths > 0.5).all():
            raise ValueError
        return playback_of(data, Trajectory.whole(times, poses[..., :3] / 1e3, poses[..., 3:] / lengths))
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        raise SceneError("The motion of this fall is damaged.") from None


def playback_of(data: Mapping[str, Any], motion: Trajectory) -> Playback:
    """A motion with the tiles, the push and the falls that a log's entry or a run's file says; the same errors."""
    try:
        tiles, boxes = _tiles_in(data["tiles"])
        fell_at = tuple(None if time is None else float(time) for time in data["fell_at"])
        push = data["push"]
        pushed, yaw = int(push["tile"]), math.radians(push["yaw"])
        if motion.count != len(tiles) or not (np.abs(motion.kept[:, :3]) <= MAX_PLACE).all():
            raise ValueError
        if (np.diff(motion.times) <= 0).any() or not (np.abs(motion.times) <= MAX_TIME).all():
            raise ValueError
        if len(fell_at) != len(tiles) or not 0 <= pushed < len(tiles) or not math.isfinite(yaw):
            raise ValueError
        if any(time is not None and not abs(time) <= MAX_TIME for time in fell_at):
            raise ValueError
        sizes = tuple((box.depth, box.breadth, box.height) for box in boxes)
        bare = Playback(motion, tiles, sizes, fell_at, pushed)
        return _led_in(bare, boxes[pushed], yaw) if push["kind"] == "finger" else bare
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        raise SceneError("The motion of this fall is damaged.") from None


def _tiles_in(data: Sequence[Mapping[str, Any]]) -> tuple[tuple[Placement, ...], list[Standing]]:
    tiles = tuple(
        Placement(tile["value"], tile["x"] / 1e3, tile["y"] / 1e3, math.radians(tile["yaw"]), Stance(tile["stance"]))
        for tile in data
    )
    boxes = [
        Standing(
            place.x, place.y, place.yaw, tile["depth"] / 1e3, tile["breadth"] / 1e3, tile["height"] / 1e3, mass=0.0
        )
        for place, tile in zip(tiles, data, strict=True)
    ]
    for tile, box in zip(tiles, boxes, strict=True):
        lengths = box.depth, box.breadth, box.height
        if type(tile.value) is not int or not 0 <= tile.value <= MAX_VALUE or not math.isfinite(tile.x + tile.y):
            raise ValueError
        if not all(0 < length <= MAX_SIZE for length in lengths) or not math.isfinite(tile.yaw):
            raise ValueError
    return tiles, boxes


def _led_in(playback: Playback, box: Standing, yaw: float) -> Playback:
    """With the finger's slow tilt before the run, from standing to how the run begins."""
    motion, pushed = playback.motion, playback.pushed
    lean = float(leans_of(motion.at(0)[1][pushed]))
    if lean <= 0.0:
        return playback
    shares = np.linspace(0.0, 1.0, LEAD_FRAMES, endpoint=False)
    leading = [leaning_pose(box, yaw, lean * share * share * (3 - 2 * share)) for share in shares.tolist()]
    poses = np.array([(*pose.position, *pose.quaternion) for pose in leading])
    return replace(playback, motion=motion.led_in(motion.times[0] - LEAD * (1 - shares), pushed, poses))


# Turns


def slerp(one: Array, other: Array, share: float) -> Array:
    """The turns a share of the way from the one to the other, at even speed; quaternions x y z w last."""
    cosine = (one * other).sum(axis=-1, keepdims=True)
    # A quaternion and its opposite are the same turn; the way between is short only when they agree.
    other = np.where(cosine < 0, -other, other)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    is_near = sine < 1e-6
    safe = np.where(is_near, 1.0, sine)
    weight = np.where(is_near, 1 - share, np.sin((1 - share) * angle) / safe)
    other_weight = np.where(is_near, share, np.sin(share * angle) / safe)
    turned = weight * one + other_weight * other
    unit: Array = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return unit


def _turned_from(quaternions: Array, before: Array) -> Array:
    """The angle from the one turn to the other, rad."""
    cosine = np.abs((quaternions * before).sum(axis=-1))
    angle: Array = 2 * np.arccos(np.clip(cosine, 0.0, 1.0))
    return angle


# Clocks


def _looked_up(at: float, given: Array, found: Array) -> float:
    """What belongs to a value in a table of two rising rows; beyond its ends both go on alike."""
    if at <= given[0]:
        return float(found[0] + at - given[0])
    if at >= given[-1]:
        return float(found[-1] + at - given[-1])
    return float(np.interp(at, given, found))
