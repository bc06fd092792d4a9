"""The fall on film: when each tile of a row left its place, and how fast the wave went."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import accumulate, pairwise

import cv2
import numpy as np
import numpy.typing as npt

from physics.line import Line
from physics.tiles import TileSet
from vision.evidence import upper_part
from vision.settle import TileSeen
from vision.sight import Sight

WIDTH = 640  # px of the pictures that are kept
LONGEST = 12.0  # s that are kept
MOST = 720  # pictures likewise
GONE = 0.35  # of the change from the first to the last picture: from here on a tile has left its place
LEAST = 5.0  # grey levels by which a place must change at all

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]


class FallFilm:
    """The last pictures of the table, small and grey."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, Image]] = deque(maxlen=MOST)

    def clear(self) -> None:
        """Forgets them."""
        self._frames.clear()

    def add(self, time: float, picture: Image) -> None:
        """Keeps a picture taken at that time, s."""
        if self._frames and time < self._frames[-1][0]:
            self._frames.clear()
        height = max(2, round(WIDTH * picture.shape[0] / picture.shape[1]))
        grey = cv2.resize(cv2.extractChannel(picture, 1), (WIDTH, height), interpolation=cv2.INTER_AREA)
        self._frames.append((time, np.asarray(grey, np.uint8)))
        while time - self._frames[0][0] > LONGEST:
            self._frames.popleft()

    def times(self, tiles: Sequence[TileSeen], tile_set: TileSet, sight: Sight) -> tuple[float | None, ...]:
        """For each tile that stood there when each left its place, s, as the pictures' times are; None: it did not.

        It left after the last picture in which the upper part of its place looked more as at the beginning than as at
        the end, so that a hand which passed over it does not count.
        """
        frames = list(self._frames)
        return tuple(_left(frames, tile, tile_set, sight) for tile in tiles)


def _left(frames: Sequence[tuple[float, Image]], tile: TileSeen, tile_set: TileSet, sight: Sight) -> float | None:
    if len(frames) < 2:
        return None
    mask = upper_part(tile, tile_set, sight, frames[0][1].shape)
    if not mask.any():
        return None
    looks = np.array([frame[mask] for _time, frame in frames], np.float32)
    change = np.abs(looks - looks[0]).mean(axis=1)
    if change[-1] < LEAST:
        return None
    stays = np.flatnonzero(change < GONE * change[-1])
    last = int(stays[-1])
    if last + 1 >= len(frames):
        return None
    return (frames[last][0] + frames[last + 1][0]) / 2


def wave_speed(line: Line, fell_at: Sequence[float | None], order: Sequence[int]) -> float | None:
    """How fast the fall went along the row, m/s; `order`: the row's indexes from the pushed end on.

    None where it cannot be told: fewer than three tiles fell at known times, or all at once.
    """
    boxes = line.standing()
    places = [(boxes[index].x, boxes[index].y) for index in order]
    way = [0.0, *accumulate(math.dist(one, other) for one, other in pairwise(places))]
    known = [(far, at) for far, index in zip(way, order, strict=True) if (at := fell_at[index]) is not None]
    if len(known) > 3 and fell_at[order[0]] is not None:
        known = known[1:]  # the pushed tile is slow: it was set going by a finger
    if len(known) < 3:
        return None
    far, when = np.array(known).T
    spread = float(np.sum((when - when.mean()) ** 2))
    slope = float(np.sum((when - when.mean()) * (far - far.mean())))
    return slope / spread if spread > 0 and slope > 0 else None
