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
LAMP_WIDTH = 0.14  # how far light comes past an edge to either side, per metre of its height: the lamp is no point
SKY_WIDTH = 0.17  # the same for the light from all above, near enough
CONTACT = 0.0008, 0.0025  # m that the lamp's and the sky's shadows are soft where a tile touches the table
MARGIN = 0.004  # m around the shadows
DARK_TEXEL = 0.0011  # m, of the map of shadows; they are soft, finer ones would only cost
TINY = 1e-5  # m, in place of an edge seen from its end
SHARPEST = 2.5  # how far a corner may stick out, in widths of its border

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Area = tuple[float, float, float, float]  # lower left corner, width and height, m

# The faces of a box whose corner k has the signs of its bits (x 1, y 2, z 4), anticlockwise seen from outside: broad
# faces, sides, bottom and top.
FACES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))
CORNERS = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)]) * 2.0 - 1.0


def half_axes(quaternions: Array, sizes: Array) -> Array:
    """The ways (tiles, 3, 3) from the centres of boxes to the middles of their faces, m."""
    x, y, z, w = (quaternions[:, k] for k in range(4))
    axes = np.empty((len(sizes), 3, 3))
    axes[:, 0] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], axis=1)
    axes[:, 1] = np.stack([2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)], axis=1)
    axes[:, 2] = np.stack([2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)], axis=1)
    return axes * sizes[:, :, None] / 2


def darkness(centres: Array, axes: Array) -> tuple[Floats, Area]:
    """Shadows on the table of boxes with those centres (tiles, 3) and half axes (tiles, 3, 3).

    Comes back as vertices (2 × tiles × 18, 4) - x and y over the area from -1 to 1, how much of the lamp is hidden
    there, and how much of the sky - and the area of the table they cover. Between the vertices of `darkness_indices`
    all of it changes evenly, from nothing along a shadow's border to all of it inside, which is where it is soft.
    """
    lamp = _bordered(centres, axes, (LAMP[0] / LAMP[2], LAMP[1] / LAMP[2]), LAMP_WIDTH, CONTACT[0])
    sky = _bordered(centres, axes, (0.0, 0.0), SKY_WIDTH, CONTACT[1])
    spots = np.concatenate([lamp[0], sky[0]])
    low, high = spots.min(axis=(0, 1)) - MARGIN, spots.max(axis=(0, 1)) + MARGIN
    span = high - low
    found = np.zeros((*spots.shape[:2], 4), np.float32)
    found[..., :2] = (spots - low) / span * 2 - 1
    found[: len(centres), :, 2] = lamp[1]
    found[len(centres) :, :, 3] = sky[1]
    return found.reshape(-1, 4), (float(low[0]), float(low[1]), float(span[0]), float(span[1]))


def _bordered(
    centres: Array, axes: Array, slope: tuple[float, float], widening: float, least: float
) -> tuple[Array, Array]:
    """The outlines that boxes throw along a slope (sideways per metre down), as 6 spots within their soft borders and
    12 around them, (tiles, 18, 2), and how dark it is there, (tiles, 18)."""
    count = len(centres)
    way = np.array(slope)
    middle = centres[:, :2] - centres[:, 2:] * way
    flat, rise = axes[..., :2] - axes[..., 2:] * way, axes[..., 2]
    seen = np.hypot(flat[..., 0], flat[..., 1]) > TINY
    flat = np.where(seen[..., None], flat, (0.8 * TINY, 0.6 * TINY))
    # The outline of a box is a hexagon: its three edges, in the order of their directions, there and back.
    sign = np.where((flat[..., 1] < 0) | ((flat[..., 1] == 0) & (flat[..., 0] < 0)), -1.0, 1.0)
    flat, rise = flat * sign[..., None], rise * sign
    order = np.argsort(np.arctan2(flat[..., 1], flat[..., 0]), axis=1)
    flat, rise = np.take_along_axis(flat, order[..., None], axis=1), np.take_along_axis(rise, order, axis=1)
    edges = 2 * np.concatenate([flat, -flat], axis=1)
    start = np.zeros((count, 1, 2))
    corners = (middle - flat.sum(axis=1))[:, None] + np.concatenate([start, edges.cumsum(axis=1)[:, :5]], axis=1)
    rises = 2 * np.concatenate([rise, -rise], axis=1)
    heights = (centres[:, 2] - rise.sum(axis=1))[:, None] + np.concatenate(
        [np.zeros((count, 1)), rises.cumsum(axis=1)[:, :5]], axis=1
    )
    if slope == (0.0, 0.0):  # corners lie over one another: the upper ones count
        heights = np.repeat((centres[:, 2] + np.abs(axes[..., 2]).sum(axis=1))[:, None], 6, axis=1)
    after = np.stack([edges[..., 1], -edges[..., 0]], axis=-1) / np.hypot(edges[..., 0], edges[..., 1])[..., None]
    before = np.roll(after, 1, axis=1)
    width = least + widening * np.maximum(heights, 0.0)
    # As far inside as there is room: of a narrow shadow only the border is left, and it is not quite dark.
    room = np.abs(np.einsum("nek,nik->nei", after[:, :3], flat)).sum(axis=2).min(axis=1)[:, None]
    inwards = np.minimum(width, 0.98 * room)
    mitre = (before + after) / np.maximum(1 + (before * after).sum(axis=2), 1 / SHARPEST)[..., None]
    inner = corners - mitre * inwards[..., None]
    outer = np.stack([corners + before * width[..., None], corners + after * width[..., None]], axis=2)
    dark = np.concatenate([(width + inwards) / (2 * width), np.zeros((count, 12))], axis=1)
    return np.concatenate([inner, outer.reshape(count, 12, 2)], axis=1), dark


@lru_cache(maxsize=16)
def darkness_indices(tiles: int) -> npt.NDArray[np.uint32]:
    """The triangles of the shadows of that many tiles."""
    each = [(0, k, k + 1) for k in range(1, 5)]
    for k in range(6):
        on, before, after = (k + 1) % 6, 6 + 2 * k, 7 + 2 * k
        next_before = 6 + 2 * on
        each += [(k, before, after), (k, after, next_before), (k, next_before, on)]
    starts = np.arange(2 * tiles, dtype=np.uint32) * 18
    return np.asarray((starts[:, None] + np.array(each, np.uint32).ravel()[None, :]).ravel(), np.uint32)


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
