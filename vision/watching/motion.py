"""How much moves in a camera's pictures, and whether a hand is in view: cheap, and deaf to noise and flicker."""

from __future__ import annotations

import warnings
from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """What counts as motion, and what as a hand."""

    width: int = 240  # px of the small picture in which motion is looked for
    blur: float = 0.8  # px of it, against noise
    back: float = 0.15  # s, at least, between the two pictures that are compared: slow hands move by then
    dark: float = 12.0  # grey levels, added before the logarithm: what is nearly black is noise alone
    min_levels: float = 6.0  # grey levels that count as a change, at least
    noise_factor: float = 6.0  # times the noise that count as a change
    min_pixels: int = 4  # px of the small picture that count as something
    min_hand: float = 0.012  # share of the picture: something that came in from its edge and is at least so large
    max_tile: float = 0.02  # share of the picture: what is larger is no tile, wherever it is
    full: float = 230.0  # grey levels: from here on a camera may have cut off what was brighter


MOTION_LIMITS = MotionLimits()


@dataclass(frozen=True, slots=True)
class Motion:
    """What one picture shows against those before; shares of the picture."""

    moving: float  # what changed since a moment ago
    foreign: float  # what differs from the calm table and is no tile: it reaches the picture's edge, or is too large
    changed: float  # all that differs from the calm table

    @property
    def hand(self) -> bool:
        """Whether a hand, a sleeve or a head is in view."""
        return self.foreign >= MOTION_LIMITS.min_hand


class MotionMeter:
    """Compares each picture with one a moment older, and with the table when it was last calm.

    `largest_tile`: the share of the picture that the largest tile may cover.
    """

    def __init__(self, largest_tile: float = MOTION_LIMITS.max_tile) -> None:
        self._largest_tile = largest_tile
        self._recent: deque[tuple[float, Floats]] = deque()
        self._calm: Floats | None = None

    def measure(self, time: float, picture: Image) -> Motion:
        """What moves in the picture, taken at that time, s."""
        small = _small(picture)
        if self._recent and (self._recent[-1][1].shape != small.shape or time < self._recent[-1][0]):
            self._recent.clear()
            self._calm = None
        while len(self._recent) > 1 and time - self._recent[1][0] >= MOTION_LIMITS.back:
            self._recent.popleft()
        before = self._recent[0][1] if self._recent else small
        self._recent.append((time, small))
        moved = _changes(before, small)
        differs = moved if self._calm is None else _changes(self._calm, small)
        return Motion(float(moved.mean()), _foreign(differs, self._largest_tile), float(differs.mean()))

    def calm(self) -> None:
        """Takes the last picture for the calm table."""
        if self._recent:
            self._calm = self._recent[-1][1]


def _small(picture: Image) -> Floats:
    """The picture's light on a logarithmic scale, small and a little blurred."""
    grey = picture if picture.ndim == 2 else cv2.extractChannel(picture, 1)
    height = max(2, round(MOTION_LIMITS.width * grey.shape[0] / grey.shape[1]))
    small = cv2.resize(grey, (MOTION_LIMITS.width, height), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small.astype(np.float32), (0, 0), MOTION_LIMITS.blur)
    return np.asarray(np.log(soft + np.float32(MOTION_LIMITS.dark)), np.float32)


def _changes(before: Floats, after: Floats) -> npt.NDArray[np.bool_]:
    """Where something else is seen. Lamps that flicker change whole rows alike: their medians are taken out."""
    apart = after - before
    bright = np.maximum(before, after)
    is_full = bright > np.log(MOTION_LIMITS.full + MOTION_LIMITS.dark)
    full = cv2.dilate(is_full.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
    if full.any():
        # Where the light was cut off it seems to change less, or not at all.
        open_only = np.where(full, np.float32(np.nan), apart)
        usual = np.nanmedian(open_only) if not full.all() else np.float32(0)
        enough = (~full).sum(axis=1, keepdims=True) >= full.shape[1] // 8
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # rows without a single number
            rows = np.nanmedian(open_only, axis=1, keepdims=True)
        shift = np.where(enough & np.isfinite(rows), rows, usual)
    else:
        shift = np.median(apart, axis=1, keepdims=True)
    apart = apart - shift
    light = np.exp(bright)
    levels = np.abs(apart) * light  # back to grey levels
    noise = 1.4826 * float(np.median(levels[~full])) if not full.all() else 0.0
    slack = np.where(full, np.abs(shift) * light, np.float32(0))
    found = (levels > max(MOTION_LIMITS.min_levels, MOTION_LIMITS.noise_factor * noise) + slack).astype(np.uint8)
    count, labels, stats, _middles = cv2.connectedComponentsWithStats(found, connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= MOTION_LIMITS.min_pixels
    large[0] = False
    return np.asarray(large[labels] if count > 1 else found.astype(bool), np.bool_)


def _foreign(found: npt.NDArray[np.bool_], largest_tile: float) -> float:
    """The share of the picture in pieces that touch its edge or are larger than a tile."""
    wide = cv2.morphologyEx(found.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    _count, labels, stats, _middles = cv2.connectedComponentsWithStats(wide, connectivity=8)
    rim = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    areas = stats[:, cv2.CC_STAT_AREA] / labels.size
    no_tile = areas > largest_tile
    no_tile[rim] = True
    no_tile[0] = False
    return float(areas[no_tile].sum())
