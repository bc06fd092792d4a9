"""Where the window's light comes from and what tiles keep of it: pure geometry, handed to the graphics card."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

LAMP_AZIMUTH, LAMP_UP = (
    math.radians(125),
    math.radians(52),
)  # rad: behind the table, so that shadows fall where one sees them
LAMP: tuple[float, float, float] = (
    math.cos(LAMP_UP) * math.cos(LAMP_AZIMUTH),
    math.cos(LAMP_UP) * math.sin(LAMP_AZIMUTH),
    math.sin(LAMP_UP),
)
LAMP_RAYS, SKY_RAYS = 16, 6
LAMP_SPREAD = 0.13  # of the lamp's way down: how wide it is
SKY_SLOPE = 0.24  # sideways per metre of height: lower light from the sky is left out, its shadows are too faint
MARGIN = 0.012  # m around the shadows
DARK_TEXEL = 0.0011  # m, of the map of shadows; they are soft, finer ones would only cost
GOLDEN = math.pi * (3 - math.sqrt(5))

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Area = tuple[float, float, float, float]  # lower left corner, width and height, m

# Two triangles for each face of a box whose corner k has the signs of its bits: x 1, y 2, z 4.
# Anticlockwise seen from outside: broad faces, sides, bottom and top.
FACES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
TRIANGLES = np.array([(f[a], f[b], f[c]) for f in FACES for a, b, c in ((0, 1, 2), (0, 2, 3))], np.uint32).ravel()


@lru_cache(maxsize=1)
def _ways() -> Array:
    """How far sideways each ray goes per metre down, (rays, 2): first the lamp's, then the sky's."""
    index = np.arange(LAMP_RAYS)
    radius, angle = np.sqrt((index + 0.5) / LAMP_RAYS) * LAMP_SPREAD / math.tan(LAMP_UP), index * GOLDEN
    middle = np.array(LAMP[:2]) / LAMP[2]
    lamp = middle + np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) * 1.4
    index = np.arange(SKY_RAYS)
    radius, angle = ((index + 0.5) / SKY_RAYS) ** 0.6 * SKY_SLOPE, index * GOLDEN
    sky = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return -np.concatenate([lamp, sky])


def darkness(corners: Array) -> tuple[Floats, Area]:
    """Shadows of boxes (tiles, 8, 3) on the table, one layer per ray of light.

    Comes back as vertices (rays × tiles × 8, 4) - x and y over the area from -1 to 1, the depth of the layer, 0 for the
    lamp or 1 for the sky - and the area of the table they cover. Later layers lie nearer: where each spot is drawn
    once per layer, the layers add up to the share of the light that is hidden there.
    """
    ways = _ways()
    spots = corners[None, ..., :2] + ways[:, None, None] * np.maximum(corners[None, ..., 2:], 0.0)
    # Each layer a part of a texel aside: where all of them end at one edge, together they end softly.
    index = np.arange(len(ways))
    aside = np.stack([index * 0.7548777 % 1.0, index * 0.5698403 % 1.0], axis=1) - 0.5
    spots += 1.3 * DARK_TEXEL * aside[:, None, None]
    low, high = spots.min(axis=(0, 1, 2)) - MARGIN, spots.max(axis=(0, 1, 2)) + MARGIN
    span = high - low
    found = np.empty((*spots.shape[:3], 4), np.float32)
    found[..., :2] = (spots - low) / span * 2 - 1
    found[..., 2] = np.linspace(0.9, -0.9, len(ways))[:, None, None]
    found[..., 3] = (np.arange(len(ways)) >= LAMP_RAYS)[:, None, None]
    return found.reshape(-1, 4), (float(low[0]), float(low[1]), float(span[0]), float(span[1]))


@lru_cache(maxsize=8)
def darkness_indices(tiles: int) -> npt.NDArray[np.uint32]:
    """The triangles of those layers, for that many tiles."""
    boxes = np.arange((LAMP_RAYS + SKY_RAYS) * tiles, dtype=np.uint32) * 8
    return np.asarray((boxes[:, None] + TRIANGLES[None, :]).ravel(), np.uint32)


def lamp_view(corners: Array, texels: int) -> tuple[Array, float]:
    """The lamp's view of boxes (tiles, 8, 3): a matrix (4, 4) to the cube from -1 to 1, and the width of a texel, m."""
    lamp = np.array(LAMP)
    aside = np.cross((0.0, 0.0, 1.0), lamp)
    aside /= np.linalg.norm(aside)
    axes = np.stack([aside, np.cross(lamp, aside), -lamp])
    seen = corners.reshape(-1, 3) @ axes.T
    low, high = seen.min(axis=0) - 0.002, seen.max(axis=0) + 0.002
    matrix = np.eye(4)
    scale = 2 / (high - low)
    matrix[:3, :3] = axes * scale[:, None]
    matrix[:3, 3] = -1 - low * scale
    return matrix, float((high - low)[:2].max()) / texels
