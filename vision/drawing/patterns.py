"""What covers things in drawn pictures: the printed mat, wood and cloth."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from calibration.sheet import mat_sheet, picture

SHEET_TEXEL = 0.25  # mm per texel of the mat

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


@lru_cache(maxsize=4)
def printed(mat: Mat) -> Image:
    """The printed mat in grey, one texel per SHEET_TEXEL."""
    drawn = picture(mat_sheet(mat))  # finer than needed: its thinnest lines are thinner than a texel
    size = (round(mat.size[0] / SHEET_TEXEL), round(mat.size[1] / SHEET_TEXEL))
    return np.asarray(cv2.resize(drawn, size, interpolation=cv2.INTER_AREA), np.uint8)


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
