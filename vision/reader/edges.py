"""Edges in a picture, and how boxes are fitted to them to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.reader.boxes import EDGES, corners_of, edges_seen, faces_seen, seen_at

SAMPLES = 10  # places looked at on each edge
INSET = 0.06  # share of an edge at either end where its neighbours disturb
UNIT = 3.0  # px of an edge that could count as one observation
EVEN = 3.3  # observations that an edge of one UNIT counts for; others by the root of their length
FOUND = 0.85  # share of a true box's edges that show
BY_CHANCE = 0.4  # share of places where some edge shows by chance
SHARP = 0.7  # px, how far a true edge is found from where it should be
REACH = 3.0  # px within which edges are scored
CLOSE = 2.5  # px between two edges of one box up to which they cannot be told apart
LEAST = -1.8  # worst score of one observation
FAINT = 0.4  # of its score that an edge keeps when it is hardly more than noise

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class EdgeMap:
    """The squared slope of the light in every direction: a symmetric 2 × 2 matrix per pixel; and its noise."""

    xx: Floats
    xy: Floats
    yy: Floats
    least: float  # slope that noise does not reach

    @cached_property
    def squares(self) -> Floats:
        """The three parts in one picture."""
        return np.asarray(cv2.merge([self.xx, self.xy, self.yy]), np.float32)


def edge_map(light: Floats, quiet: Mask, blur: float = 0.7) -> EdgeMap:
    """Slopes of a picture in linear light (height, width, channels); `quiet` marks pixels of nothing but noise.

    Edges lie where the light itself is steepest; how steep counts in grey levels, in which noise is even.
    """
    soft = cv2.GaussianBlur(light, (0, 0), blur)
    across = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8), np.float32)
    down = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8), np.float32)
    mean = cv2.transform(soft, np.full((1, soft.shape[2]), 1 / soft.shape[2], np.float32))
    # The slope of the curve from grey levels to light, the same on both sides of an edge so as not to move it.
    curve = 2.2 * np.power(np.maximum(cv2.blur(mean, (11, 11)), 2e-3), 0.545)
    gain = (1 / (curve * curve)).astype(np.float32)
    xx, xy, yy = (a * gain for a in _sums(across, down))
    some = (xx + yy)[quiet]
    noise = float(np.sqrt(np.median(some))) if some.size else 0.0
    return EdgeMap(xx, xy, yy, max(3.5 * noise, 1.5e-3))


def _sums(across: Floats, down: Floats) -> tuple[Floats, Floats, Floats]:
    ones = np.ones((1, 3), np.float32)

    def total(product: Floats) -> Floats:
        return np.asarray(cv2.transform(product, ones), np.float32)

    return total(across * across), total(across * down), total(down * down)


@dataclass(frozen=True)
class EdgePlaces:
    """Where boxes should show edges: per box SAMPLES places on each of twelve edges."""

    points: Array  # (n, 12, s, 3) mm
    pixels: Array  # (n, 12, s, 2)
    normals: Array  # (n, 12, 2) unit, in the picture
    weights: Array  # (n, 12) observations per place; 0 where the box itself hides the edge
    outline: Mask  # (n, 12)
    lengths: Array  # (n, 12) px
    clear: Array  # (n, 12) 1 where no other edge of the same box runs close beside it, down to 0


def places_on(poses: Array, sizes: Array, matrix: Array, eye: Array, samples: int = SAMPLES) -> EdgePlaces:
    """The places of the boxes' edges."""
    corners = corners_of(poses, sizes)
    spots = seen_at(matrix, corners)
    seen, outline = edges_seen(faces_seen(poses, sizes, eye))
    shares = np.linspace(INSET, 1 - INSET, samples)
    ends = corners[:, EDGES]
    points = ends[:, :, :1] + shares[:, None] * (ends[:, :, 1:] - ends[:, :, :1])
    tips = spots[:, EDGES]
    way = tips[:, :, 1] - tips[:, :, 0]
    length = np.linalg.norm(way, axis=-1)
    way = way / np.maximum(length, 1e-6)[..., None]
    normals = np.stack([-way[..., 1], way[..., 0]], axis=-1)
    # Edges seen almost end on tell nothing.
    # What shifts one part of an edge shifts all of it, so long ones count for less than their length.
    weights = np.where(seen & (length > 3), EVEN * np.sqrt(length / UNIT) / samples, 0.0)
    return EdgePlaces(
        points, seen_at(matrix, points), normals, weights, outline, length, _clear(tips, normals, weights)
    )


def _clear(tips: Array, normals: Array, weights: Array) -> Array:
    """How far each edge is from others of its box that run along it: blur makes one of two that are close."""
    middles = tips.mean(axis=2)
    nearest = np.full(weights.shape, np.inf)
    for group in range(3):
        four = slice(4 * group, 4 * group + 4)  # the edges along one axis of the box
        way = middles[:, four, None] - middles[:, None, four]
        apart = np.abs(np.einsum("nijk,nik->nij", way, normals[:, four]))
        unseen = (weights[:, four] <= 0)[:, None, :] | np.eye(4, dtype=bool)
        nearest[:, four] = np.where(unseen, np.inf, apart).min(axis=2)
    return np.clip((nearest - CLOSE) / CLOSE, 0.0, 1.0)


def look_up(maps: EdgeMap, pixels: Floats, normals: Floats) -> Floats:
    """The slope of the light along these normals at these pixels, between pixels linearly."""
    high, wide = maps.xx.shape
    rows = pixels.reshape(len(pixels), -1, 2)
    x, y = (np.ascontiguousarray(rows[..., k]) for k in range(2))
    found = np.asarray(cv2.remap(maps.squares, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    xx, xy, yy = (found[..., k].reshape(pixels.shape[:-1]) for k in range(3))
    nx, ny = normals[..., 0], normals[..., 1]
    total = nx * nx * xx + 2 * nx * ny * xy + ny * ny * yy
    inside = ((x > 1) & (y > 1) & (x < wide - 2) & (y < high - 2)).reshape(total.shape)
    return np.where(inside, np.sqrt(np.maximum(total, 0)), np.float32(-1.0))


def measure(maps: EdgeMap, places: EdgePlaces, reach: float, pull: float | None = None) -> tuple[Array, Floats]:
    """How far from each place the nearest strong edge lies along the normal (px, NaN: none), and its slope.

    Of several edges the strongest is taken, nearer ones preferred as `pull` (px) says. Nothing is looked for at edges
    that do not count.
    """
    off, found = np.full(places.pixels.shape[:3], np.nan), np.zeros(places.pixels.shape[:3], np.float32)
    used = places.weights > 0
    off[used], found[used] = _measured(maps, places.pixels[used], places.normals[used], reach, pull or reach)
    return off, found


def _measured(maps: EdgeMap, pixels: Array, normals: Array, reach: float, pull: float) -> tuple[Array, Floats]:
    """The same of some edges: pixels (m, s, 2) and the edges' normals (m, 2)."""
    count = 2 * int(np.ceil(reach)) + 1
    offsets = np.linspace(-reach, reach, count, dtype=np.float32)
    ways = normals.astype(np.float32)[:, None, None]
    spots = pixels.astype(np.float32)[..., None, :] + offsets[:, None] * ways
    slopes = look_up(maps, spots, ways)
    liked = slopes * np.exp(-0.5 * (offsets / pull) ** 2)
    inner = liked[..., 1:-1]
    peak = (slopes[..., 1:-1] >= slopes[..., :-2]) & (slopes[..., 1:-1] >= slopes[..., 2:])
    best = np.argmax(np.where(peak, inner, -1.0), axis=-1) + 1
    take = np.take_along_axis
    index = best[..., None]
    middle, left, right = (take(slopes, index + k, axis=-1)[..., 0] for k in (0, -1, 1))
    bend = left - 2 * middle + right
    shift = np.where(bend < -1e-12, 0.5 * (left - right) / np.where(bend < -1e-12, bend, -1.0), 0.0)
    step = offsets[1] - offsets[0]
    off = offsets[best] + np.clip(shift, -0.5, 0.5) * step
    good = (middle > maps.least) & take(peak, index - 1, axis=-1)[..., 0]
    return np.where(good, off, np.nan), middle


def scores_of(off: Array) -> Array:
    """How much an edge found there (px; NaN: none) speaks for the box, as a logarithm of odds."""
    hit = np.log(FOUND / (np.sqrt(2 * np.pi) * SHARP) / (BY_CHANCE / (2 * REACH))) - 0.5 * (off / SHARP) ** 2
    miss = np.log((1 - FOUND) / (1 - BY_CHANCE))
    found: Array = np.where(np.isnan(off), miss, np.maximum(hit, LEAST))
    return found


def worth_of(maps: EdgeMap, places: EdgePlaces) -> tuple[Array, Array]:
    """What each place on the boxes' edges says for its box, and how much it counts, (n, places)."""
    off, slopes = measure(maps, places, REACH)
    weights = np.broadcast_to(places.weights[..., None], off.shape).reshape(len(off), -1)
    high, wide = maps.xx.shape
    x, y = places.pixels[..., 0], places.pixels[..., 1]
    inside = ((x > REACH + 2) & (y > REACH + 2) & (x < wide - REACH - 3) & (y < high - REACH - 3)).reshape(len(off), -1)
    weights = weights * inside
    scores = scores_of(off)
    # Faint edges are found anywhere, in the grain of wood and at the rims of shadows.
    strength = np.clip(FAINT + 0.25 * np.log2(np.maximum(slopes, 1e-9) / maps.least), FAINT, 1.0)
    scores = np.where(scores < 0, scores * places.clear[..., None], scores * strength)
    return scores.reshape(len(off), -1) * weights, weights


def refine(
    poses: Array,
    sizes: Array,
    maps: EdgeMap,
    matrix: Array,
    eye: Array,
    reaches: tuple[float, ...],
    free: tuple[int, ...] = (0, 1, 2),
    visible: Mask | None = None,
    prior: Array | None = None,
) -> Array:
    """The poses moved so that the boxes' edges lie on the picture's: one step of Gauss and Newton per reach (px).

    `visible` (n, 12, places on each edge) leaves out what others hide. `prior` (n, 4) holds the poses back to where
    they started, as if measured that well (mm, mm, rad, rad).
    """
    if not len(poses):
        return poses
    start = poses
    scale = np.array([1.0, 1.0, 0.02, 0.02])
    samples = SAMPLES if visible is None else visible.shape[2]
    for reach in reaches:
        places = places_on(poses, sizes, matrix, eye, samples)
        off, _ = measure(maps, places, reach, pull=0.6 * reach)
        weights = np.broadcast_to((places.weights * np.where(places.outline, 1.0, places.clear))[..., None], off.shape)
        if visible is not None:
            weights = weights * visible
        slopes = slopes_of(poses, sizes, matrix, free, places)
        width = max(0.6, 0.35 * reach)
        robust = weights / (1 + (np.nan_to_num(off) / width) ** 2) ** 2
        robust = np.where(np.isnan(off), 0.0, robust)
        flat = slopes.reshape(len(poses), -1, len(free)) * scale[list(free)]
        load = robust.reshape(len(poses), -1)
        across = (flat * load[..., None]).transpose(0, 2, 1)
        normal = across @ flat
        down = (across @ np.nan_to_num(off).reshape(len(poses), -1, 1))[..., 0]
        hold = np.full((len(poses), len(free)), 0.05)
        if prior is not None:
            hold = hold + (scale / prior)[:, list(free)] ** 2
            down = down - (scale / prior**2 * (poses - start))[:, list(free)] * 1.0
        normal = normal + np.eye(len(free)) * hold[:, None, :]
        step = np.linalg.solve(normal, down[..., None])[..., 0]
        limit = 1.5 * reach
        step = np.clip(step, -limit, limit) * scale[list(free)]
        poses = poses.copy()
        poses[:, list(free)] += step
    return poses


def slopes_of(poses: Array, sizes: Array, matrix: Array, free: tuple[int, ...], places: EdgePlaces) -> Array:
    """How far each place moves along its normal per unit of each free part of the pose, (n, 12, s, free)."""
    x, y, yaw, lean = (poses[:, k, None, None] for k in range(4))
    away = places.points @ matrix[2, :3] + matrix[2, 3]
    along = np.einsum("nek,nesk->nes", places.normals, places.pixels)
    # By how much a place moves along its normal for each mm of its point.
    right, back, up = (((places.normals @ matrix[:2, k])[..., None] - along * matrix[2, k]) / away for k in range(3))
    east, north = places.points[..., 0] - x, places.points[..., 1] - y
    columns = {0: right, 1: back}
    if 2 in free:
        columns[2] = back * east - right * north
    if 3 in free:
        cos, sin = np.cos(yaw), np.sin(yaw)
        hinge = np.where(lean < 0, -0.5, 0.5) * sizes[:, 0, None, None]
        ahead = east * cos + north * sin - hinge
        columns[3] = places.points[..., 2] * (right * cos + back * sin) - ahead * up
    return np.stack([columns[k] for k in free], axis=-1)
