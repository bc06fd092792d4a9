"""What is mat and what is not: the empty mat's light is fitted, and every pixel compared with it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from vision.sight import Sight

CELL = 3.0  # mm, over which the mat's light is averaged before it is fitted
QUIET = 6.0  # mm around a marker that belong to it
STRIP = 12.0  # mm between a marker and the edge that belong to the marker
BRIM = 2.0  # mm along the mat's edge that are not looked at
DEGREE = 3
FLOOR = 0.02  # of the mat's light: added where shares are formed, since noise rules in the dark
UNSURE = 0.12  # how much a grey, darker pixel speaks for a shadow on the mat
GREY = 0.06  # deviation of colour that shadows and white balance alone make, at least
TINTED = 0.2  # deviation of colour up to which a darker pixel may be a shadow
DEEP, LIGHT = (0.25, 0.9), (0.7, 0.94)  # shares of the mat's light in shadows of which the tint is told
FEWEST = 300  # pixels of shadow from which its tint is told
DARK = 0.16  # share of the mat's light below which no shadow goes

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Surface:
    """How far each pixel is from being mat."""

    evidence: Floats  # -1 surely mat, 0 open, 1 surely something else; 0 where the mat is not
    shares: Floats  # light of each pixel as a share of the empty mat's there, per channel
    known: Mask  # pixels of the mat that are no marker
    level: float  # light of the mat in the middle, 0 to 1


def look_at_surface(light: Floats, sight: Sight, mat: Mat) -> Surface:
    """Compares a straightened picture in linear light (height, width, 3) with its own mat, empty."""
    high, wide = light.shape[:2]
    known = mat_mask(sight, mat, (wide, high))
    field = _empty_light(light, known, sight, mat)
    shares = (light + FLOOR * field) / ((1 + FLOOR) * field)
    shares = np.asarray(shares, np.float32)
    smooth = np.asarray(cv2.GaussianBlur(shares, (0, 0), 0.8), np.float32)
    mean = smooth.mean(axis=2)
    redder, bluer = _tints(smooth, mean, (1.0, 1.0))
    redder, bluer = _tints(smooth, mean, _shadow_tint(smooth, mean, known, redder, bluer))
    bare = known & (mean > 0.93) & (mean < 1.1)
    spread = [_spread(one[bare]) for one in (redder, bluer)]
    # Noise is even in grey levels, so the share it makes grows in the dark.
    dark = np.power(np.maximum(mean, 0.02), np.float32(-0.45))
    scales = [np.maximum(GREY, 4.0 * s * dark) for s in spread]
    colour = np.sqrt((redder / scales[0]) ** 2 + (bluer / scales[1]) ** 2)
    noise = _spread(mean[bare])
    # Colour tells; darkness tells only where no shadow is that dark; bright and grey is mat.
    by_colour = np.clip((colour - 1.5) / 1.5, -1, 1)
    by_dark = np.clip((DARK - mean) / 0.05, 0, 1)
    bright = np.clip((mean - (0.92 - 2 * noise)) / 0.05, 0, 1)
    grey = np.clip((colour - 1.0) / 2.0, 0, 1)
    evidence = np.maximum(np.maximum(grey, by_dark), by_colour)
    evidence = np.where(evidence <= 0.0, -UNSURE - (1 - UNSURE) * bright, evidence)
    evidence = np.where(mean > 1.15, np.maximum(evidence, np.clip((mean - 1.15) / 0.15, 0, 1)), evidence)
    return Surface(
        np.where(known, evidence, 0).astype(np.float32),
        shares,
        known,
        float(np.median(field[known])) if known.any() else 0.0,
    )


def _tints(shares: Floats, mean: Floats, tint: tuple[float, float]) -> tuple[Floats, Floats]:
    """How much redder and bluer each pixel is than mat of its brightness, in the sun or in a shadow of that tint."""
    lack = 1 - shares[..., 1]
    redder = (shares[..., 0] - 1 + np.float32(tint[0]) * lack) / (mean + np.float32(0.05))
    bluer = (shares[..., 2] - 1 + np.float32(tint[1]) * lack) / (mean + np.float32(0.05))
    return redder, bluer


def _shadow_tint(shares: Floats, mean: Floats, known: Mask, redder: Floats, bluer: Floats) -> tuple[float, float]:
    """How much red and blue light the shadows on the mat lack for each share of green.

    Pale wood passes for a deep shadow but not for a light one, and is warmer than either: the cooler tint is believed.
    """
    grey = known & (np.abs(redder) < TINTED) & (np.abs(bluer) < TINTED)
    tints = [_tint_of(shares[grey & (mean > low) & (mean < high)]) for low, high in (DEEP, LIGHT)]
    return max(tints, key=lambda tint: tint[0] - tint[1])


def _tint_of(some: Floats) -> tuple[float, float]:
    if len(some) < FEWEST:
        return 1.0, 1.0
    lack = 1 - some[:: max(1, len(some) // 20000)]
    lack = lack[lack[:, 1] > 0.05]
    if len(lack) < 50:
        return 1.0, 1.0
    return float(np.median(lack[:, 0] / lack[:, 1])), float(np.median(lack[:, 2] / lack[:, 1]))


def mat_mask(sight: Sight, mat: Mat, size: tuple[int, int]) -> Mask:
    """The pixels that show the mat, were it empty, markers left out."""
    mask = np.zeros((size[1], size[0]), np.uint8)
    half = np.array(mat.size) / 2 - BRIM
    rim = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half
    _fill(mask, sight, rim, 1)
    for marker in mat.markers:
        side = marker.size / 2 + QUIET
        low, high = np.array([marker.x, marker.y]) - side, np.array([marker.x, marker.y]) + side
        # The strip between a marker and the mat's corner is too narrow for a tile.
        low = np.where(low - STRIP < -half, -half - 2 * BRIM, low)
        high = np.where(high + STRIP > half, half + 2 * BRIM, high)
        _fill(mask, sight, np.array([low, (high[0], low[1]), high, (low[0], high[1])]), 0)
    return mask > 0


def _fill(mask: npt.NDArray[np.uint8], sight: Sight, rim: Array, value: int) -> None:
    spots = sight.project(np.column_stack([rim, np.zeros(len(rim))]))
    cv2.fillConvexPoly(mask, np.round(np.clip(spots, -30000, 30000) * 16).astype(np.int32), value, shift=4)


def _spread(values: Floats) -> float:
    """Standard deviation from the middle of the values, far ones not counted."""
    if values.size < 50:
        return 0.02
    some = values[:: max(1, values.size // 20000)]
    low, high = np.percentile(some, (16, 84))
    return float(high - low) / 2


def _empty_light(light: Floats, known: Mask, sight: Sight, mat: Mat) -> Floats:
    """The light of the empty mat at every pixel: a smooth field through the brighter cells of the seen one."""
    wide, high = int(mat.size[0] / CELL), int(mat.size[1] / CELL)
    texels = np.array([[CELL, 0, -mat.size[0] / 2 + CELL / 2], [0, -CELL, mat.size[1] / 2 - CELL / 2], [0, 0, 1.0]])
    to_picture = sight.plane_matrix() @ texels
    reach = 1.0 if light.shape[1] < 900 else 2.0
    soft = cv2.GaussianBlur(light, (0, 0), reach)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cells = cv2.warpPerspective(soft, to_picture, (wide, high), flags=flags)
    free = cv2.warpPerspective(known.astype(np.uint8), to_picture, (wide, high), flags=flags) > 0
    x, y = np.meshgrid(np.linspace(-1, 1, wide), np.linspace(-1, 1, high))
    powers = [(i, j) for i in range(DEGREE + 1) for j in range(DEGREE + 1 - i)]
    terms = np.stack([x**i * y**j for i, j in powers], axis=-1)
    logs = np.log(np.maximum(cells, 1e-4))
    used = free & (cells.min(axis=2) > 1e-3)
    if used.sum() < 200:
        used = np.ones_like(free)
    weights = used.astype(float)
    level = logs[used].mean(axis=1)
    weights[used] *= level > np.percentile(level, 35)
    found = np.zeros((len(powers), 3))
    for _ in range(8):
        chosen = weights > 0
        scaled = terms[chosen] * weights[chosen, None]
        found = np.linalg.lstsq(scaled.T @ terms[chosen] + 1e-3 * np.eye(len(powers)), scaled.T @ logs[chosen])[0]
        off = logs - terms @ found
        worst = np.abs(off).max(axis=2)
        scale = max(0.006, 1.5 * float(np.median(worst[chosen])))
        weights = used / (1 + (worst / scale) ** 4)
        weights[worst > 6 * scale] = 0
    field = np.exp(terms @ found).astype(np.float32)
    whole = cv2.warpPerspective(
        field, to_picture, (light.shape[1], light.shape[0]), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.maximum(np.asarray(whole, np.float32), np.float32(1e-3))
