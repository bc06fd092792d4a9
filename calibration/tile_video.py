"""A video of a single tile that is tapped, seen from the side: how far it leans in every picture."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.store import CalibrationError
from physics.errors import MissingError
from physics.files import check_name

try:
    import cv2
except ImportError:
    cv2 = None  # type: ignore[assignment]

MIN_SHARE = 0.002  # of the picture, that the tile fills
MAX_PICTURES = 2000


def leans_in(path: Path) -> tuple[list[float], list[float]]:
    """The time (s) and the lean (rad, from how the tile stands at first) of every picture in which the tile is seen.

    The tile has to be the one large thing that is clearly brighter or darker than what is behind it.
    CalibrationError when the file is no video or shows no such tile, InputError when its name is no text, MissingError
    without OpenCV.
    """
    if cv2 is None:
        raise MissingError(
            "Pictures need {package}, which is not installed (extra {extra}).", package="opencv-python", extra="vision"
        )
    check_name(path)
    video = cv2.VideoCapture(str(path))
    try:
        rate = float(video.get(cv2.CAP_PROP_FPS))
        times: list[float] = []
        angles: list[float] = []
        for number in range(MAX_PICTURES):
            is_there, picture = video.read()
            if not is_there:
                break
            angle = _axis(np.asarray(picture, dtype=np.uint8))
            if angle is not None:
                times.append(number / rate if rate > 0 else math.nan)
                angles.append(angle)
    finally:
        video.release()
    if not times or not rate > 0:
        raise CalibrationError(
            "{file} is not a video of a tile that stands out clearly, seen from the side.", file=str(path)
        )
    upright = angles[0]
    # An axis has no direction: of the two ways to turn from picture to picture, the shorter one counts.
    turned = np.unwrap(np.array(angles), period=math.pi) - upright
    sign = -1.0 if turned[np.argmax(np.abs(turned))] < 0 else 1.0
    return times, [float(sign * angle) for angle in turned]


def _axis(picture: npt.NDArray[np.uint8]) -> float | None:
    """The direction of the tile's long axis in the picture, rad, None when no tile stands out."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    _level, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    border = np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])
    if np.count_nonzero(border) * 2 > border.size:
        mask = 255 - mask  # the tile is what the rim of the picture is not
    _count, _labels, stats, _centres = cv2.connectedComponentsWithStats(np.asarray(mask, dtype=np.uint8))
    areas = stats[1:, cv2.CC_STAT_AREA]
    if areas.size == 0 or areas.max() < MIN_SHARE * grey.size:
        return None
    ys, xs = np.nonzero(_labels == 1 + int(areas.argmax()))
    spread = np.cov(np.stack([xs, ys]).astype(float))
    return 0.5 * math.atan2(2 * spread[0, 1], spread[0, 0] - spread[1, 1])
