"""What covers things in drawn pictures: the printed mat, wood and cloth."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat

SHEET = 0.25  # mm per texel of the mat

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


@lru_cache(maxsize=4)
def printed(mat: Mat) -> Image:
    """The printed mat in grey, one texel per SHEET mm."""
    wide, high = round(mat.size[0] / SHEET), round(mat.size[1] / SHEET)
    sheet = np.full((high, wide), 255, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary))
    for x in range(-200, 201, 10):
        long = 5 if x % 50 == 0 else 3
        column = round((x + mat.size[0] / 2) / SHEET)
        for rows in (slice(0, round(long / SHEET)), slice(high - round(long / SHEET), high)):
            sheet[rows, max(0, column - 1) : column] = 200
    for y in range(-140, 141, 10):
        long = 5 if y % 50 == 0 else 3
        row = round((mat.size[1] / 2 - y) / SHEET)
        for columns in (slice(0, round(long / SHEET)), slice(wide - round(long / SHEET), wide)):
            sheet[max(0, row - 1) : row, columns] = 200
    for marker in mat.markers:
        side = round(marker.size / SHEET)
        left = round((marker.x - marker.size / 2 + mat.size[0] / 2) / SHEET)
        top = round((mat.size[1] / 2 - marker.y - marker.size / 2) / SHEET)
        cells = dictionary.markerSize + 2
        bits = cv2.aruco.generateImageMarker(dictionary, marker.id, cells)
        sheet[top : top + side, left : left + side] = cv2.resize(bits, (side, side), interpolation=cv2.INTER_NEAREST)
    return sheet


def _smooth_noise(rng: np.random.Generator, along: float, across: float, side: int = 512) -> Array:
    """Noise of mean 0 and deviation 1 that wraps around, smooth over those lengths in texels."""
    waves = [np.fft.fftfreq(side)[:, None] * along, np.fft.fftfreq(side)[None, :] * across]
    spectrum = np.fft.fft2(rng.standard_normal((side, side)))
    found = np.fft.ifft2(spectrum * np.exp(-2 * np.pi**2 * (waves[0] ** 2 + waves[1] ** 2))).real
    return np.asarray(found / found.std())


@lru_cache(maxsize=8)
def wood(number: int) -> Floats:
    """Grain along the rows' direction (down), deviation about 1."""
    rng = np.random.default_rng([7, number])
    rings = np.sin(3.0 * _smooth_noise(rng, 120, 14) + np.arange(512)[None, :] * math.tau * (8 + 4 * number) / 512)
    return np.asarray(0.8 * rings + 0.5 * _smooth_noise(rng, 30, 1.0) + 0.5 * _smooth_noise(rng, 90, 50), np.float32)


@lru_cache(maxsize=8)
def cloth(number: int) -> Floats:
    """Weave and specks, deviation about 1."""
    rng = np.random.default_rng([8, number])
    rows, columns = np.ogrid[:512, :512]
    weave = np.sin(rows * math.tau / 8) * np.sin(columns * math.tau / 8)
    return np.asarray(0.4 * weave + 0.5 * _smooth_noise(rng, 1, 1) + 0.5 * _smooth_noise(rng, 60, 60), np.float32)
