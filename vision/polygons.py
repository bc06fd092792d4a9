"""Polygons in masks, filled to a fraction of a pixel."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import numpy.typing as npt

with contextlib.suppress(ImportError):  # said by require_cv2 when a picture is wanted
    import cv2

SUBPIXEL_BITS = 4  # of OpenCV's fixed-point coordinates: a 16th of a pixel is finer than anything that is measured


def fixed_point(spots: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Pixels as OpenCV takes them where SUBPIXEL_BITS are stated."""
    return np.round(spots * (1 << SUBPIXEL_BITS)).astype(np.int32)


def fill_polygon(mask: npt.NDArray[Any], spots: npt.NDArray[Any], value: int) -> None:
    """Gives all pixels within a convex polygon (n, 2) that value; what is outside the mask is left out."""
    cv2.fillConvexPoly(mask, fixed_point(spots), value, shift=SUBPIXEL_BITS)
