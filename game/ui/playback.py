"""A fall in time: poses at any moment, the wave that runs through the row, and when tiles strike one another.

Time is that of the run: 0 is when the tile was let go. Before it the finger tilts that tile, which no run holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from physics.errors import SceneError
from physics.line import Placement, Standing
from physics.outcome import Array, Trajectory, leans_of
from physics.pose import leaning_pose
from physics.tiles import Stance

LEAD = 0.6  # s in which the finger tilts the tile before it lets go
LEAD_FRAMES = 25
STRUCK_LEAN = math.radians(0.5)  # from how it stood: so far a tile must turn to count as struck
STRUCK_SHIFT = 3e-4  # m, or so far be moved
LANDED = math.radians(2)  # before its last lean: so near a tile counts as landed
LOUDEST = 25.0  # rad/s of a tile that lands or is struck as hard as can be
SLOW = 0.2  # of real time
SLOW_FOR = 0.25  # s of the run that are shown slowly
EASE = 0.05  # s of the run in which the pace changes


@dataclass(frozen=True, slots=True)
class Poses:
    """All tiles at one moment."""

    positions: Array  # (tiles, 3) m, centres
    quaternions: Array  # (tiles, 4) x y z w


@dataclass(frozen=True, slots=True)
class Strike:
    """A sound: a tile is struck by another one, or lands."""

    time: float  # s
    tile: int  # its index
    kind: str  # struck | landed
    loudness: float  # 0 to 1


@dataclass(frozen=True, eq=False)
class Playback:
    """One fall. `tiles` says what to draw: of a knocked row perhaps not all of it."""

    times: Array  # (n,) s, from -LEAD where a finger tilts the first tile
    positions: Array  # (n, tiles, 3) m
    quaternions: Array  # (n, tiles, 4) x y z w
    tiles: tuple[Placement, ...]
    fell_at: tuple[float | None, ...]  # s, when each tile passed its tipping angle for good
    pushed: int  # index of the tile that was let go
    slow_at: float | None = None  # s, the moment that is worth a slower look

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
        positions = self.positions[before] * (1 - share) + self.positions[after] * share
        return Poses(positions, slerp(self.quaternions[before], self.quaternions[after], share))

    @cached_property
    def reached(self) -> tuple[float | None, ...]:
        """When each tile was first moved, s; None for one that never was."""
        turned = _turned_from(self.quaternions, self.quaternions[0]) > STRUCK_LEAN
        shifted = np.linalg.norm(self.positions - self.positions[0], axis=-1) > STRUCK_SHIFT
        moved = turned | shifted
        first = np.argmax(moved, axis=0)
        return tuple(
            float(self.times[index]) if moved[index, tile] else None for tile, index in enumerate(first.tolist())
        )

    @cached_property
    def wave(self) -> tuple[tuple[float, float, float], ...]:
        """When (s) and where (x, y in m) the wave passed the tiles that fell, in order of time."""
        falls = sorted((time, index) for index, time in enumerate(self.fell_at) if time is not None)
        x, y = self.positions[0, :, 0].tolist(), self.positions[0, :, 1].tolist()
        return tuple((time, x[index], y[index]) for time, index in falls)

    def front(self, t: float) -> tuple[float, float]:
        """Where the wave is at that moment, x and y in m: what a camera may follow."""
        if not self.wave:
            x, y = self.positions[0, self.pushed, :2].tolist()
            return x, y
        times, xs, ys = zip(*self.wave, strict=True)
        return float(np.interp(t, times, xs)), float(np.interp(t, times, ys))

    @cached_property
    def strikes(self) -> tuple[Strike, ...]:
        """All sounds in order of time."""
        speeds = self._speeds
        leans = leans_of(self.quaternions)
        found = []
        for tile in range(len(self.tiles)):
            reached, fell = self.reached[tile], self.fell_at[tile]
            if reached is not None and tile != self.pushed:
                found.append(Strike(reached, tile, "struck", self._loudness(speeds, tile, reached)))
            if fell is not None:
                lying = leans[:, tile] >= leans[-1, tile] - LANDED
                landed = int(np.argmax(lying & (self.times >= fell)))
                time = float(self.times[landed])
                found.append(Strike(time, tile, "landed", self._loudness(speeds, tile, time)))
        return tuple(sorted(found, key=lambda strike: (strike.time, strike.tile)))

    @cached_property
    def _speeds(self) -> Array:
        """How fast each tile turns between two frames, (n - 1, tiles), rad/s."""
        steps = np.maximum(np.diff(self.times), 1e-9)[:, None]
        speeds: Array = _turned_from(self.quaternions[1:], self.quaternions[:-1]) / steps
        return speeds

    def _loudness(self, speeds: Array, tile: int, time: float) -> float:
        """From the fastest turning around that moment."""
        if not len(speeds):
            return 0.0
        index = int(np.searchsorted(self.times, time))
        near = speeds[max(0, index - 3) : index + 3, tile]
        return min(1.0, float(near.max()) / LOUDEST) if len(near) else 0.0

    def struck_between(self, before: float, until: float) -> tuple[Strike, ...]:
        """The sounds after the one moment and up to the other: what to play when a frame goes on."""
        return tuple(strike for strike in self.strikes if before < strike.time <= until)

    # Slow motion

    def reaches(self, gap: int) -> float | None:
        """When the wave reaches the gap between the tiles gap and gap + 1, s; None when it never does, or is no gap."""
        if not 0 <= gap < len(self.tiles) - 1:
            return None
        times = [time for time in self.fell_at[gap : gap + 2] if time is not None]
        return min(times, default=None)

    def slowed(self, gap: int | None) -> Playback:
        """The same fall, slow where the wave reaches that gap; without a gap where it ends, or not at all."""
        if gap is not None:
            return replace(self, slow_at=self.reaches(gap))
        is_held = None in self.fell_at
        return replace(self, slow_at=self.wave[-1][0] if is_held and len(self.wave) > 1 else None)

    def pace(self, t: float) -> float:
        """How many seconds of the run pass in a second at that moment: 1, or SLOW around the weakest gap."""
        if self.slow_at is None:
            return 1.0
        outside = max(self.slow_at - t, t - self.slow_at - SLOW_FOR, 0.0)
        eased = min(1.0, outside / EASE)
        return SLOW + (1 - SLOW) * eased


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
        t = self.t + dt * self.speed * playback.pace(self.t)
        return replace(self, t=min(t, playback.end), is_playing=t < playback.end)

    def toggled(self, playback: Playback) -> Player:
        """Paused, or going on; from the beginning when it was at the end."""
        if not self.is_playing and self.is_over(playback):
            return self.replayed(playback)
        return replace(self, is_playing=not self.is_playing)

    def scrubbed(self, playback: Playback, share: float) -> Player:
        """At that share of the whole, 0 to 1, and paused."""
        share = min(1.0, max(0.0, share))
        return replace(self, t=playback.start + share * playback.duration, is_playing=False)

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
        tiles, boxes = _tiles_in(data["tiles"])
        poses = np.array([poses for _time, poses in frames], dtype=np.float64)
        times = np.array([time for time, _poses in frames], dtype=np.float64)
        if poses.shape != (len(times), len(tiles), 7) or not np.isfinite(poses).all() or (np.diff(times) <= 0).any():
            raise ValueError
        fell_at = tuple(None if time is None else float(time) for time in data["fell_at"])
        push = data["push"]
        pushed, yaw = int(push["tile"]), math.radians(push["yaw"])
        if len(fell_at) != len(tiles) or not 0 <= pushed < len(tiles):
            raise ValueError
        bare = Playback(times, poses[..., :3] / 1e3, poses[..., 3:], tiles, fell_at, pushed)
        return _led_in(bare, boxes[pushed], yaw) if push["kind"] == "finger" else bare
    except (LookupError, TypeError, ValueError, AttributeError):
        raise SceneError("The motion of this fall is damaged.") from None


def playback_of(
    motion: Trajectory, tiles: Sequence[Placement], fell_at: Sequence[float | None], pushed: int
) -> Playback:
    """The fall that was just simulated."""
    return Playback(motion.times, motion.positions, motion.quaternions, tuple(tiles), tuple(fell_at), pushed)


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
    return tiles, boxes


def _led_in(playback: Playback, box: Standing, yaw: float) -> Playback:
    """With the finger's slow tilt before the run, from standing to how the run begins."""
    lean = float(leans_of(playback.quaternions[0, playback.pushed]))
    if lean <= 0.0:
        return playback
    shares = np.linspace(0.0, 1.0, LEAD_FRAMES, endpoint=False)
    positions = np.repeat(playback.positions[:1], LEAD_FRAMES, axis=0)
    quaternions = np.repeat(playback.quaternions[:1], LEAD_FRAMES, axis=0)
    for index, share in enumerate(shares.tolist()):
        pose = leaning_pose(box, yaw, lean * share * share * (3 - 2 * share))
        positions[index, playback.pushed], quaternions[index, playback.pushed] = pose.position, pose.quaternion
    return replace(
        playback,
        times=np.concatenate([playback.times[0] - LEAD * (1 - shares), playback.times]),
        positions=np.concatenate([positions, playback.positions]),
        quaternions=np.concatenate([quaternions, playback.quaternions]),
    )


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
