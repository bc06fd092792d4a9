"""Edges in a picture, and how boxes are fitted to them to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.reader.boxes import EDGES, corners_of, edges_seen, faces_seen, seen_at


@dataclass(frozen=True, slots=True)
class EdgeSampling:
    """Where on a box's edges the picture is looked at, and how much each edge counts."""

    samples: int = 10  # places looked at on each edge
    inset: float = 0.06  # share of an edge left out at either end, where the neighbouring edges disturb
    unit_length: float = 3.0  # px of an edge that could count as one observation
    # observations that an edge of one unit length counts for; others by the root of their length
    unit_weight: float = 3.3
    min_length: float = 3.0  # px: edges seen almost end on say nothing
    merge_distance: float = 2.5  # px between two edges of one box up to which blur makes them one


EDGE_SAMPLING = EdgeSampling()


@dataclass(frozen=True, slots=True)
class EdgeStrength:
    """From which slope of the light on a picture shows an edge."""

    noise_factor: float = 3.5  # times the median slope where there is nothing but noise
    # Share of the whole range per px, 0.4 grey levels: rounding to 256 levels alone makes such steps.
    min_slope: float = 1.5e-3
    # of its score that an edge keeps when it is hardly more than noise: wood grain looks like that
    faint_share: float = 0.4
    per_doubling: float = 0.25  # by which that share grows each time the slope doubles


EDGE_STRENGTH = EdgeStrength()


@dataclass(frozen=True, slots=True)
class EdgeScoring:
    """The odds that an edge found near its place belongs to the box, as a mixture of true and chance edges."""

    true_share: float = 0.85  # share of a true box's edges that show
    chance_share: float = 0.4  # share of places where some edge shows by chance
    sigma: float = 0.7  # px, how far a true edge is found from where it should be
    reach: float = 3.0  # px within which edges are scored
    min_score: float = -1.8  # worst score of one observation: one wrong edge must not outweigh many right ones


EDGE_SCORING = EdgeScoring()


@dataclass(frozen=True, slots=True)
class EdgeFitting:
    """How one step of Gauss and Newton moves boxes to the picture's edges."""

    turn_unit: float = 0.02  # rad that count like 1 mm: a tile's end moves about as far
    pull_share: float = 0.6  # of the reach: within it nearer edges are preferred to stronger ones
    min_width: float = 0.6  # px beyond which an edge counts clearly less (robust weights)
    width_share: float = 0.35  # of the reach, where that is more than the least width
    damping: float = 0.05  # added to every direction, so that a box with few edges seen does not run away
    max_step: float = 1.5  # times the reach that one step may move a box


EDGE_FITTING = EdgeFitting()


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
    return EdgeMap(xx, xy, yy, max(EDGE_STRENGTH.noise_factor * noise, EDGE_STRENGTH.min_slope))


def _sums(across: Floats, down: Floats) -> tuple[Floats, Floats, Floats]:
    ones = np.ones((1, 3), np.float32)

    def total(product: Floats) -> Floats:
        return np.asarray(cv2.transform(product, ones), np.float32)

    return total(across * across), total(across * down), total(down * down)


@dataclass(frozen=True)
class EdgePlaces:
    """Where boxes should show edges: per box some places on each of twelve edges."""

    points: Array  # (n, 12, s, 3) mm
    pixels: Array  # (n, 12, s, 2)
    normals: Array  # (n, 12, 2) unit, in the picture
    weights: Array  # (n, 12) observations per place; 0 where the box itself hides the edge
    outline: Mask  # (n, 12)
    lengths: Array  # (n, 12) px
    clear: Array  # (n, 12) 1 where no other edge of the same box runs close beside it, down to 0


def places_on(
    poses: Array, sizes: Array, matrix: Array, eye: Array, samples: int = EDGE_SAMPLING.samples
) -> EdgePlaces:
    """The places of the boxes' edges."""
    corners = corners_of(poses, sizes)
    spots = seen_at(matrix, corners)
    seen, outline = edges_seen(faces_seen(poses, sizes, eye))
    shares = np.linspace(EDGE_SAMPLING.inset, 1 - EDGE_SAMPLING.inset, samples)
    ends = corners[:, EDGES]
    points = ends[:, :, :1] + shares[:, None] * (ends[:, :, 1:] - ends[:, :, :1])
    tips = spots[:, EDGES]
    way = tips[:, :, 1] - tips[:, :, 0]
    length = np.linalg.norm(way, axis=-1)
    way = way / np.maximum(length, 1e-6)[..., None]
    normals = np.stack([-way[..., 1], way[..., 0]], axis=-1)
    # What shifts one part of an edge shifts all of it, so long ones count for less than their length.
    weight = EDGE_SAMPLING.unit_weight * np.sqrt(length / EDGE_SAMPLING.unit_length) / samples
    weights = np.where(seen & (length > EDGE_SAMPLING.min_length), weight, 0.0)
    return EdgePlaces(
        points=points,
        pixels=seen_at(matrix, points),
        normals=normals,
        weights=weights,
        outline=outline,
        lengths=length,
        clear=_clear(tips, normals, weights),
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
    return np.clip((nearest - EDGE_SAMPLING.merge_distance) / EDGE_SAMPLING.merge_distance, 0.0, 1.0)


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
    true, chance, sigma = EDGE_SCORING.true_share, EDGE_SCORING.chance_share, EDGE_SCORING.sigma
    # A true edge lies where it should be but for a normal error; one by chance lies anywhere within the reach.
    highest = np.log(true / (np.sqrt(2 * np.pi) * sigma) / (chance / (2 * EDGE_SCORING.reach)))
    hit = highest - 0.5 * (off / sigma) ** 2
    miss = np.log((1 - true) / (1 - chance))
    found: Array = np.where(np.isnan(off), miss, np.maximum(hit, EDGE_SCORING.min_score))
    return found


def worth_of(maps: EdgeMap, places: EdgePlaces) -> tuple[Array, Array]:
    """What each place on the boxes' edges says for its box, and how much it counts, (n, places)."""
    off, slopes = measure(maps, places, EDGE_SCORING.reach)
    weights = np.broadcast_to(places.weights[..., None], off.shape).reshape(len(off), -1)
    high, wide = maps.xx.shape
    x, y = places.pixels[..., 0], places.pixels[..., 1]
    low = EDGE_SCORING.reach + 2  # px from the picture's rim where all that is looked at is in it
    inside = ((x > low) & (y > low) & (x < wide - 1 - low) & (y < high - 1 - low)).reshape(len(off), -1)
    weights = weights * inside
    scores = scores_of(off)
    # Faint edges are found anywhere, in the grain of wood and at the rims of shadows.
    faint = EDGE_STRENGTH.faint_share
    strength = np.clip(faint + EDGE_STRENGTH.per_doubling * np.log2(np.maximum(slopes, 1e-9) / maps.least), faint, 1.0)
    scores = np.where(scores < 0, scores * places.clear[..., None], scores * strength)
    return scores.reshape(len(off), -1) * weights, weights


def refine(
    poses: Array,
    sizes: Array,
    maps: EdgeMap,
    matrix: Array,
    eye: Array,
    *,
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
    # Steps in mm and in turns that move a tile's end by about as much, so that both are of one size.
    scale = np.array([1.0, 1.0, EDGE_FITTING.turn_unit, EDGE_FITTING.turn_unit])
    samples = EDGE_SAMPLING.samples if visible is None else visible.shape[2]
    for reach in reaches:
        places = places_on(poses, sizes, matrix, eye, samples)
        off, _ = measure(maps, places, reach, pull=EDGE_FITTING.pull_share * reach)
        weights = np.broadcast_to((places.weights * np.where(places.outline, 1.0, places.clear))[..., None], off.shape)
        if visible is not None:
            weights = weights * visible
        slopes = slopes_of(poses, sizes, matrix, free, places)
        width = max(EDGE_FITTING.min_width, EDGE_FITTING.width_share * reach)
        robust = weights / (1 + (np.nan_to_num(off) / width) ** 2) ** 2
        robust = np.where(np.isnan(off), 0.0, robust)
        flat = slopes.reshape(len(poses), -1, len(free)) * scale[list(free)]
        load = robust.reshape(len(poses), -1)
        across = (flat * load[..., None]).transpose(0, 2, 1)
        normal = across @ flat
        down = (across @ np.nan_to_num(off).reshape(len(poses), -1, 1))[..., 0]
        hold = np.full((len(poses), len(free)), EDGE_FITTING.damping)
        if prior is not None:
            hold = hold + (scale / prior)[:, list(free)] ** 2
            down = down - (scale / prior**2 * (poses - start))[:, list(free)]
        normal = normal + np.eye(len(free)) * hold[:, None, :]
        step = np.linalg.solve(normal, down[..., None])[..., 0]
        limit = EDGE_FITTING.max_step * reach
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
