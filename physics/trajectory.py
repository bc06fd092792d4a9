"""The motion of a run: where every tile was at every recorded moment, of each tile only while it moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]


def leans_of(quaternions: Array) -> Array:
    """Angles between the standing axes of turned tiles and the table's normal, rad; quaternions x y z w last."""
    leans: Array = 2 * np.arcsin(np.minimum(1.0, np.hypot(quaternions[..., 0], quaternions[..., 1])))
    return leans


@dataclass(frozen=True)
class Trajectory:
    """The motion of all tiles.

    Of each tile the poses from the moment before it first moved until it last moved are kept; before and after that it
    is as in the first and the last of them. So what a run of thousands of tiles takes grows with their number, and not
    with that times how long it lasts. `positions`, `quaternions` and `rates` have every tile at every moment: for rows
    of a few dozen tiles.
    """

    times: Array  # (n,) s
    firsts: Indexes  # (tiles,) the moment of each tile's first pose that is kept
    begins: Indexes  # (tiles + 1,) where its poses begin in `kept`, and where the next tile's do
    kept: Array  # (poses, 10) centre x y z in m, quaternion x y z w, turning in rad/s

    @classmethod
    def whole(cls, times: Array, positions: Array, quaternions: Array, rates: Array | None = None) -> Trajectory:
        """Of arrays that have every tile at every moment: (n, tiles, 3), (n, tiles, 4) and (n, tiles, 3)."""
        turning = np.zeros_like(positions) if rates is None else rates
        count = positions.shape[1]
        kept = np.concatenate([positions, quaternions, turning], axis=-1).swapaxes(0, 1).reshape(-1, 10)
        return cls(times, np.zeros(count, np.intp), np.arange(count + 1) * len(times), kept)

    @property
    def count(self) -> int:
        """How many tiles there are."""
        return len(self.firsts)

    @property
    def lasts(self) -> Indexes:
        """The moment of each tile's last pose that is kept."""
        return self.firsts + np.diff(self.begins) - 1

    def at(self, moments: int | Sequence[int] | Indexes) -> tuple[Array, Array]:
        """Where all tiles are at a moment, or at several: centres (…, tiles, 3) and quaternions (…, tiles, 4)."""
        poses = self.kept[self._rows(np.asarray(moments, np.intp)), :7]
        return poses[..., :3], poses[..., 3:]

    def between(self, times: Array) -> tuple[Array, Array]:
        """The same at any times, s, in proportion between the moments."""
        after, before, share = self._around(times)
        share = share[..., None, None]
        (places, one), (later, other) = self.at(before), self.at(after)
        # A quaternion and its opposite are the same turn; the way between is short only when they agree.
        other = np.where((one * other).sum(axis=-1, keepdims=True) < 0, -other, other)
        turns = one * (1 - share) + other * share
        return places * (1 - share) + later * share, turns / np.linalg.norm(turns, axis=-1, keepdims=True)

    def _around(self, times: Array) -> tuple[Indexes, Indexes, Array]:
        """The moments after and before, and which share of the way to the one after has passed."""
        times = np.clip(times, self.times[0], self.times[-1])
        after = np.clip(np.searchsorted(self.times, times), 1, max(1, len(self.times) - 1))
        after = np.minimum(after, len(self.times) - 1)
        before = np.maximum(after - 1, 0)
        span = np.maximum(self.times[after] - self.times[before], 1e-12)
        return after, before, (times - self.times[before]) / span

    def of_tile(self, tile: int) -> tuple[Array, Array, Array]:
        """Times, centres and quaternions of one tile, no more than are kept: before and after them it is still."""
        poses = self.kept[self.begins[tile] : self.begins[tile + 1]]
        times = self.times[self.firsts[tile] : self.firsts[tile] + len(poses)]
        return times, poses[:, :3], poses[:, 3:7]

    def moved(self) -> list[list[int]]:
        """For every moment the tiles whose poses are kept of it; of the first moment none, for it has them all."""
        found: list[list[int]] = [[] for _time in self.times]
        for tile, (first, last) in enumerate(zip(self.firsts.tolist(), self.lasts.tolist(), strict=True)):
            for moment in range(first + 1, last + 1):
                found[moment].append(tile)
        return found

    def led_in(self, times: Array, tile: int, poses: Array) -> Trajectory:
        """The same with moments before it at which only that tile moves: its poses then, (moments, 7)."""
        more, begin, first = len(times), self.begins[tile], int(self.firsts[tile])
        lead = np.concatenate([poses, np.zeros((more, 3))], axis=1)
        lead = np.concatenate([lead, np.repeat(self.kept[begin : begin + 1], first, axis=0)])
        firsts, begins = self.firsts + more, self.begins.copy()
        firsts[tile] = 0
        begins[tile + 1 :] += len(lead)
        kept = np.concatenate([self.kept[:begin], lead, self.kept[begin:]])
        return Trajectory(np.concatenate([times, self.times]), firsts, begins, kept)

    @cached_property
    def positions(self) -> Array:
        """Centres, (n, tiles, 3), m."""
        return self._all(slice(0, 3))

    @cached_property
    def quaternions(self) -> Array:
        """Turns, (n, tiles, 4), x y z w."""
        return self._all(slice(3, 7))

    @cached_property
    def rates(self) -> Array:
        """Turning, (n, tiles, 3), rad/s."""
        moments = np.arange(len(self.times))[:, None]
        moving = (moments >= self.firsts) & (moments <= self.lasts)
        return np.where(moving[..., None], self._all(slice(7, 10)), 0.0)

    def leans(self) -> Array:
        """How far each tile leans at each moment, (n, tiles), rad."""
        return leans_of(self.quaternions)

    def turning(self) -> Array:
        """How much the leans of all tiles changed since the moment before, together, (n,), rad."""
        changes = np.abs(np.diff(leans_of(self.kept[:, 3:7])))
        changes[self.begins[1:-1] - 1] = 0.0  # from one tile to the next
        since = np.arange(len(changes)) - np.repeat(self.begins[:-1], np.diff(self.begins))[1:] + 1
        moments = np.repeat(self.firsts, np.diff(self.begins))[1:] + since
        return np.bincount(moments, changes, len(self.times)).astype(np.float64)

    def _all(self, columns: slice) -> Array:
        found: Array = self.kept[self._rows(np.arange(len(self.times))), columns]
        return found

    def _rows(self, moments: Indexes) -> Indexes:
        """Which of the poses that are kept each tile has at those moments, (…, tiles)."""
        since = np.clip(moments[..., None] - self.firsts, 0, np.diff(self.begins) - 1)
        rows: Indexes = self.begins[:-1] + since
        return rows


class Recorder:
    """Takes in the poses of a run, moment by moment."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._tiles: list[Indexes] = []
        self._poses: list[Array] = []
        self._last = np.zeros((0, 10))  # of each tile

    def note(self, time: float, tiles: Sequence[int], poses: Array) -> None:
        """Where tiles are at a moment, in rows of ten as in `Trajectory.kept`; the others are where they were.

        The first moment has them all.
        """
        now, some = len(self._times), np.asarray(tiles, np.intp)
        self._times.append(time)
        if now == 0:
            self._last = poses.copy()
        else:
            moved = (poses != self._last[some]).any(axis=1)
            some, poses = some[moved], poses[moved]
            self._last[some] = poses
        self._tiles.append(some)
        self._poses.append(poses)

    def trajectory(self) -> Trajectory | None:
        """What was noted; None where nothing was."""
        if not self._times:
            return None
        count = len(self._last)
        moments = np.repeat(np.arange(len(self._times)), [len(tiles) for tiles in self._tiles])
        tiles, poses = np.concatenate(self._tiles), np.concatenate(self._poses)
        order = np.lexsort((moments, tiles))
        tiles, moments, poses = tiles[order], moments[order], poses[order]
        heads = np.searchsorted(tiles, np.arange(count))  # of each tile the pose at the first moment
        tails = np.append(heads[1:], len(tiles)) - 1
        moved = tails > heads
        firsts = np.where(moved, moments[np.minimum(heads + 1, tails)] - 1, 0)
        lengths = np.where(moved, moments[tails] - firsts + 1, 1)
        begins = np.concatenate([[0], np.cumsum(lengths)])
        # Every moment from the first to the last, whether a tile moved at it or not.
        which = np.repeat(np.arange(count), lengths)
        wanted = firsts[which] + np.arange(begins[-1]) - begins[which]
        span = len(self._times)
        rows = np.searchsorted(tiles * span + moments, which * span + wanted, side="right") - 1
        return Trajectory(np.array(self._times), firsts.astype(np.intp), begins.astype(np.intp), poses[rows])
