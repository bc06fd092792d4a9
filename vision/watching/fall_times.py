"""The fall on film: when each tile of a row passed its tipping angle, and how fast the wave went."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from physics.tiles import TileSet
from physics.wave import wave_speed
from vision.camera.pose import Sight
from vision.polygons import SUBPIXEL_BITS, fixed_point
from vision.reader.boxes import shapes_of
from vision.reader.reading import ReadTile
from vision.reader.seen_table import box_corners
from vision.watching.changes import upper_part


@dataclass(frozen=True, slots=True)
class FilmKept:
    """How much of a film is kept to find a fall in it."""

    width: int = 640  # px of the pictures
    seconds: float = 12.0  # s
    pictures: int = 720  # at most: 60 a second for so long


FILM_KEPT = FilmKept()


@dataclass(frozen=True, slots=True)
class FallTiming:
    """When a tile has left its place, and when it tips."""

    # of the change from the first to the last picture, from which on a tile has left its place
    gone_share: float = 0.35
    min_change: float = 5.0  # grey levels by which a place must change at all
    swept: float = 2.0  # tipping angles up to which a falling tile is followed
    min_pixels: int = 12  # px that it must sweep over to be followed
    max_interval: float = 0.05  # s between two pictures, on the mean: others show a tile up, and then down
    near: float = 0.15  # s from when its place looks otherwise, within which it tips


FALL_TIMING = FallTiming()


Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


class FallFilm:
    """The last pictures of the table, small and grey."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, Image]] = deque(maxlen=FILM_KEPT.pictures)

    def clear(self) -> None:
        """Forgets them."""
        self._frames.clear()

    def add(self, time: float, picture: Image) -> None:
        """Keeps a picture taken at that time, s."""
        if self._frames and time < self._frames[-1][0]:
            self._frames.clear()
        height = max(2, round(FILM_KEPT.width * picture.shape[0] / picture.shape[1]))
        grey = cv2.resize(cv2.extractChannel(picture, 1), (FILM_KEPT.width, height), interpolation=cv2.INTER_AREA)
        self._frames.append((time, np.asarray(grey, np.uint8)))
        while time - self._frames[0][0] > FILM_KEPT.seconds:
            self._frames.popleft()

    def times(
        self, tiles: Sequence[ReadTile], tile_set: TileSet, sight: Sight, order: Sequence[int]
    ) -> tuple[float | None, ...]:
        """For each tile that stood there when it passed its tipping angle, s by the pictures' clock; None: it did not.

        `order`: their indexes from the pushed end on. A tile whose front is hidden by others, and every one in a
        slow film, is taken to tip when it leaves its place, which is less exact.
        """
        frames = list(self._frames)
        left = [_left(frames, tile, tile_set, sight) for tile in tiles]
        if len(tiles) < 2 or len(frames) < 2:
            return tuple(left)
        if frames[-1][0] - frames[0][0] > FALL_TIMING.max_interval * (len(frames) - 1):
            return tuple(left)
        shape = frames[0][1].shape
        standing = np.any([_shown(box_corners(tile, tile_set), sight, shape) for tile in tiles], axis=0)
        taken = cv2.dilate(standing.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        found: list[float | None] = [None] * len(tiles)
        for place, index in enumerate(order):
            first, then = (index, order[place + 1]) if place + 1 < len(order) else (order[place - 1], index)
            at = left[index]
            if at is not None:
                lean = tipping_angle(tiles[index], tile_set) * _side(tiles[index], tiles[first], tiles[then])
                swept, reached = (
                    _shown(box_corners(tiles[index], tile_set, lean=share * lean), sight, shape) & ~taken
                    for share in (FALL_TIMING.swept, 1.0)
                )
                found[index] = _tipped(frames, swept, reached & swept, at)
        return tuple(found)


@dataclass(frozen=True)
class Fall:
    """A row's fall as it was filmed."""

    fell_at: tuple[float | None, ...]  # s after the first of them; None: it did not fall, or nobody knows when
    speed: float | None  # m/s, of the wave along the row


def fall_of(
    film: FallFilm,
    tiles: Sequence[ReadTile],
    has_fallen: Sequence[bool],
    tile_set: TileSet,
    sight: Sight,
    order: Sequence[int],
) -> Fall:
    """When the tiles that stood there fell, and how fast that went; `order`: their indexes from the pushed end on."""
    times = film.times(tiles, tile_set, sight, order)
    known = [at if is_down else None for at, is_down in zip(times, has_fallen, strict=True)]
    begun = min((at for at in known if at is not None), default=0.0)
    fell_at = tuple(None if at is None else at - begun for at in known)
    places = [tile.placement for tile in tiles]
    return Fall(fell_at, wave_speed([(place.x, place.y) for place in places], fell_at, order))


def _shown(corners: Array, sight: Sight, shape: tuple[int, ...]) -> Mask:
    """Where in a small picture a box is."""
    spots = (sight.project(corners) + 0.5) * (shape[1] / sight.lens.width) - 0.5
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(fixed_point(spots)), 1, shift=SUBPIXEL_BITS)
    return mask > 0


def tipping_angle(tile: ReadTile, tile_set: TileSet) -> float:
    """Its tipping angle, rad."""
    shapes = shapes_of(tile_set)
    size = next(one.size for one in shapes if (one.value, one.stance) == (tile.value, tile.stance.value))
    return math.atan2(size[0], size[2])


def _side(tile: ReadTile, first: ReadTile, then: ReadTile) -> int:
    """1 when the tile falls to where its broad face looks on the way from the first to the other, else -1."""
    yaw = math.radians(tile.yaw)
    return 1 if (then.x - first.x) * math.cos(yaw) + (then.y - first.y) * math.sin(yaw) > 0 else -1


def _tipped(frames: Sequence[tuple[float, Image]], swept: Mask, reached: Mask, left: float) -> float:
    """When a tile had covered as much of what it sweeps over as it does at its tipping angle.

    Before it nothing is there but the mat. What comes after it, and what it looks like in the end, do not matter.
    """
    if swept.sum() < FALL_TIMING.min_pixels:
        return left
    looks = np.array([frame[swept] for _time, frame in frames], np.float32)
    change = np.abs(looks - looks[0]).mean(axis=1)
    times = np.array([time for time, _frame in frames])
    near = np.flatnonzero(np.abs(times - left) < FALL_TIMING.near)
    full = int(near[np.argmax(change[near])]) if len(near) else 0
    level = float(change[full] * reached.sum() / swept.sum())
    before = np.flatnonzero(change[:full] < level)
    if change[full] < FALL_TIMING.min_change or not len(before):
        return left
    last = int(before[-1])
    share = (level - change[last]) / (change[last + 1] - change[last])
    return float(times[last] + share * (times[last + 1] - times[last]))


def _left(frames: Sequence[tuple[float, Image]], tile: ReadTile, tile_set: TileSet, sight: Sight) -> float | None:
    """When it left its place: after the last picture in which the upper part of that looked more as at the beginning
    than as at the end, so that a hand which passed over it does not count."""
    if len(frames) < 2:
        return None
    mask = upper_part(tile, tile_set, sight, frames[0][1].shape)
    if not mask.any():
        return None
    looks = np.array([frame[mask] for _time, frame in frames], np.float32)
    change = np.abs(looks - looks[0]).mean(axis=1)
    if change[-1] < FALL_TIMING.min_change:
        return None
    stays = np.flatnonzero(change < FALL_TIMING.gone_share * change[-1])
    last = int(stays[-1])
    if last + 1 >= len(frames):
        return None
    return (frames[last][0] + frames[last + 1][0]) / 2
