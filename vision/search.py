"""The first search: every tile of the set tried everywhere on the mat, coarsely; the promising ones are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from vision.boxes import EDGES, FACE_CORNERS, Shape, corners_of, edges_seen, faces_seen, seen_at
from vision.frame import DIRECTIONS, Coarse

STEP = 4.0  # mm between places tried
YAWS = 12  # directions tried, over half a turn, at least
YAW_SWEEP = 8.0  # mm that the ends of a box may move from one direction to the next, both together
SPOILT = 0.16  # share of a box that may look like bare mat
EXPLAINS = 0.12  # share of a box that must cover what nothing explains yet, where that is asked
FOR_LEFT = 0.6  # what covering nothing else counts beside the edges
PLACES = 5  # looked at per edge
WANTED = 0.2  # share of a box's edges that must show
HIDDEN_BY = 1.5  # mm that a place may be farther than a known box and still be seen
NARROW = 2.0  # coarse px that edges may be off after the boxes were moved to them
WIDTHS = (4.0, 3.0, 2.0)  # coarse px within which edges pull, step by step
TRIED, AGAIN, KEPT = 400, 120, 30  # of each shape: moved once, moved again, kept

Array = npt.NDArray[Any]  # of either precision: the first search needs speed, the last fit all digits
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Depths = npt.NDArray[np.float32]  # mm from the camera to the nearest known box, per coarse pixel


@dataclass(frozen=True)
class Candidates:
    """Boxes that might be tiles."""

    shapes: list[Shape]
    which: npt.NDArray[np.intp]  # (n,) index into shapes
    poses: Array  # (n, 4)
    scores: Array  # (n,)

    @property
    def sizes(self) -> Array:
        """Their sizes (n, 3)."""
        return np.array([shape.size for shape in self.shapes]).reshape(-1, 3)[self.which]

    @property
    def values(self) -> npt.NDArray[np.intp]:
        """Their tiles' values."""
        return np.array([shape.value for shape in self.shapes])[self.which]

    def among(self, shapes: list[Shape]) -> Candidates:
        """The same, their shapes found in a longer list."""
        index = np.array([shapes.index(shape) for shape in self.shapes], np.intp)
        return Candidates(shapes, index[self.which] if len(index) else self.which, self.poses, self.scores)

    def only(self, chosen: npt.NDArray[np.intp] | Mask) -> Candidates:
        """Some of them."""
        return Candidates(self.shapes, self.which[chosen], self.poses[chosen], self.scores[chosen])

    def moved(self, poses: Array) -> Candidates:
        """The same with other poses."""
        return Candidates(self.shapes, self.which, poses, self.scores)


def _inner_points() -> Array:
    """Points within a box's outline as shares of its projected corners."""
    rows = list(0.88 * np.eye(8) + 0.12 / 8)
    for a, b in EDGES:
        row = np.full(8, 0.12 / 8)
        row[[a, b]] += 0.44
        rows.append(row)
    rows.append(np.full(8, 1 / 8))
    return np.array(rows)


INNER = _inner_points()


def search(
    coarse: Coarse,
    eye: Array,
    shapes: list[Shape],
    mat: Mat,
    depths: Depths | None = None,
    near: Mask | None = None,
    unexplained: Mask | None = None,
    effort: int = 1,
) -> Candidates:
    """Boxes of these shapes whose outline covers no bare mat and whose edges show, the best of each.

    `depths` says how near the boxes are that are known to stand there, which may hide parts. `near` (coarse pixels)
    limits the places to those that a box must cover; each box must also cover
    some of what is `unexplained`, the more the better. More are tried and kept as `effort` grows.
    """
    places = _places(coarse, mat, near).astype(np.float32)
    open_part = None if unexplained is None else unexplained.astype(np.float32)
    found = [Candidates(shapes, np.zeros(0, np.intp), np.zeros((0, 4)), np.zeros(0))]
    for stance in dict.fromkeys(shape.stance for shape in shapes):
        left = places
        for index, shape in sorted(enumerate(shapes), key=lambda pair: pair[1].value):
            if shape.stance != stance or not len(left):
                continue
            count = max(YAWS, math.ceil(math.pi * shape.breadth / YAW_SWEEP))
            alive = np.zeros((len(left) * count, 4), np.float32)
            alive[:, :2] = np.repeat(left, count, axis=0)
            alive[:, 2] = np.tile(np.arange(count) * (math.pi / count), len(left))
            good = _share(coarse.bare, coarse, shape, alive) <= SPOILT
            # Larger tiles of the same stance cover all that this one covers.
            left = left[good.reshape(-1, count).any(axis=1)]
            alive = alive[good]
            if open_part is not None:
                alive = alive[_share(open_part, coarse, shape, alive) >= EXPLAINS]
            points = _first_look(coarse, eye, shape, alive, depths)
            poses = alive[_best(alive, points, effort * TRIED, 0.9 * STEP, 0.9 * math.pi / count)]
            poses = _settled(coarse, eye, shape, poses, depths, WIDTHS[:1])
            points, _ = _support(coarse, eye, shape, poses, depths, WIDTHS[1], PLACES)
            if open_part is not None:
                points = points + FOR_LEFT * _share(open_part, coarse, shape, poses)
            poses = poses[_best(poses, points, effort * AGAIN, 2.0, np.pi / 16)]
            poses = _settled(coarse, eye, shape, poses, depths, WIDTHS[1:]).astype(float)
            points, _ = _support(coarse, eye, shape, poses, depths, NARROW, 2 * PLACES)
            points = points - 0.5 * _share(coarse.bare, coarse, shape, poses)
            if open_part is not None:
                points = points + FOR_LEFT * _share(open_part, coarse, shape, poses)
            kept = _best(poses, points, effort * KEPT, 2.5, np.pi / 12)
            found.append(Candidates(shapes, np.full(len(kept), index), poses[kept], points[kept]))
    return joined(found)


def depths_of(coarse: Coarse, eye: Array, boxes: Candidates) -> Depths:
    """How far away the nearest of these boxes is at each coarse pixel, mm; infinite where there is none."""
    high, wide = coarse.bare.shape
    found = np.full((high, wide), np.inf, np.float32)
    corners = corners_of(boxes.poses, boxes.sizes)
    seen = corners @ coarse.matrix[:, :3].T + coarse.matrix[:, 3]
    faces = faces_seen(boxes.poses, boxes.sizes, eye)
    for k in range(len(corners)):
        for face in np.flatnonzero(faces[k]):
            quad = seen[k][FACE_CORNERS[face]]
            spots = quad[:, :2] / quad[:, 2:]
            low = np.clip(np.floor(spots.min(axis=0)).astype(int), 0, [wide, high])
            end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 1, 0, [wide, high])
            if (end <= low).any() or (quad[:, 2] <= 0).any():
                continue
            mask = np.zeros((end[1] - low[1], end[0] - low[0]), np.uint8)
            cv2.fillConvexPoly(mask, np.round((spots - low) * 16).astype(np.int32), 1, shift=4)
            plane = np.linalg.lstsq(np.column_stack([spots - low, np.ones(4)]), 1 / quad[:, 2])[0]
            rows, columns = np.ogrid[: mask.shape[0], : mask.shape[1]]
            away = 1 / np.maximum(plane[0] * columns + plane[1] * rows + plane[2], 1e-9)
            part = found[low[1] : end[1], low[0] : end[0]]
            np.minimum(part, np.where(mask > 0, away, np.inf).astype(np.float32), out=part)
    return found


def joined(parts: list[Candidates]) -> Candidates:
    """Candidates of the same shapes in one."""
    return Candidates(
        parts[0].shapes,
        np.concatenate([part.which for part in parts]),
        np.concatenate([part.poses for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )


def _places(coarse: Coarse, mat: Mat, near: Mask | None) -> Array:
    half = np.array(mat.size) / 2
    x, y = (np.arange(-h + STEP, h, STEP) for h in half)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    spots = np.round(seen_at(coarse.matrix, np.column_stack([grid, np.zeros(len(grid))]))).astype(int)
    high, wide = coarse.bare.shape
    inside = (spots >= 0).all(axis=1) & (spots < [wide, high]).all(axis=1)
    grid, spots = grid[inside], spots[inside]
    good = (coarse.bare[spots[:, 1], spots[:, 0]] < 0.5) & coarse.known[spots[:, 1], spots[:, 0]]
    if near is not None:
        good &= near[spots[:, 1], spots[:, 0]]
    return np.asarray(grid[good])


def _share(plane: Floats, coarse: Coarse, shape: Shape, poses: Array) -> Array:
    """The mean of a coarse map (0 to 1) within each box's outline."""
    sizes = np.broadcast_to(np.array(shape.size, poses.dtype), (len(poses), 3))
    spots = seen_at(coarse.matrix.astype(poses.dtype), corners_of(poses, sizes))
    inner = np.matmul(INNER.astype(poses.dtype), spots)
    high, wide = coarse.bare.shape
    column, row = np.round(inner[..., 0]).astype(np.int32), np.round(inner[..., 1]).astype(np.int32)
    outside = (column < 0) | (row < 0) | (column >= wide) | (row >= high)
    index = np.clip(row, 0, high - 1) * wide + np.clip(column, 0, wide - 1)
    bare = np.where(outside, np.float32(0.5), plane.ravel()[index])
    return np.asarray(bare.mean(axis=1))


def _first_look(coarse: Coarse, eye: Array, shape: Shape, poses: Array, depths: Depths | None) -> Array:
    """How well the boxes' edges show, roughly."""
    kind = np.float32
    sizes = np.broadcast_to(np.array(shape.size, kind), (len(poses), 3))
    corners = corners_of(poses, sizes)
    spots = seen_at(coarse.matrix.astype(kind), corners)
    seen, _ = edges_seen(faces_seen(poses, sizes, eye.astype(kind)))
    high, wide = coarse.bare.shape
    total, score = np.zeros(len(poses), kind), np.zeros(len(poses), kind)
    flat = coarse.near.ravel()
    away, last = coarse.matrix[2, :3].astype(kind), kind(coarse.matrix[2, 3])
    for edge, (one, two) in enumerate(EDGES):
        way = spots[:, two] - spots[:, one]
        length = np.sqrt(np.hypot(way[:, 0], way[:, 1])) * seen[:, edge]
        direction = np.rint(np.arctan2(way[:, 0], -way[:, 1]) * kind(DIRECTIONS / np.pi)).astype(np.int32) % DIRECTIONS
        for share in (0.15, 0.5, 0.85):
            spot = spots[:, one] + kind(share) * way
            column = np.clip(np.rint(spot[:, 0]), 0, wide - 1).astype(np.int32)
            row = np.clip(np.rint(spot[:, 1]), 0, high - 1).astype(np.int32)
            weight = length
            if depths is not None:
                point = corners[:, one] + kind(share) * (corners[:, two] - corners[:, one])
                weight = weight * (point @ away + last < depths.ravel()[row * wide + column] + kind(HIDDEN_BY))
            total += weight
            score += weight * flat[(direction * high + row) * wide + column]
    return np.where(total > 3, score / np.maximum(total, 1e-6), 0)


def _support(
    coarse: Coarse,
    eye: Array,
    shape: Shape,
    poses: Array,
    depths: Depths | None,
    width: float,
    places: int,
) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    """How well the boxes' edges show, 0 to 1; and per place: the offset, its weight, the normal's parts."""
    kind = poses.dtype
    sizes = np.broadcast_to(np.array(shape.size, kind), (len(poses), 3))
    corners = corners_of(poses, sizes)
    tips = seen_at(coarse.matrix.astype(kind), corners)[:, EDGES]
    seen, _ = edges_seen(faces_seen(poses, sizes, eye.astype(kind)))
    way = tips[:, :, 1] - tips[:, :, 0]
    # Short edges count for more than their length: they alone say where a long box ends.
    length = np.sqrt(np.hypot(way[..., 0], way[..., 1]))
    angle = np.arctan2(way[..., 0], -way[..., 1])  # of the normal
    turn = np.round(angle / np.pi * DIRECTIONS).astype(np.int32)
    direction = turn % DIRECTIONS
    shares = np.linspace(0.08, 0.92, places, dtype=kind)
    spots = tips[:, :, :1] + shares[:, None] * (tips[:, :, 1:] - tips[:, :, :1])
    high, wide = coarse.bare.shape
    column = np.clip(np.round(spots[..., 0]).astype(np.int32), 0, wide - 1)
    row = np.clip(np.round(spots[..., 1]).astype(np.int32), 0, high - 1)
    index = (direction[..., None] * high + row) * wide + column
    off, strength = coarse.offsets.ravel()[index], coarse.strength.ravel()[index]
    # From the pixel's centre to the place itself, along the map's direction.
    turns = np.arange(DIRECTIONS) * (np.pi / DIRECTIONS)
    c, s = np.cos(turns).astype(kind)[direction], np.sin(turns).astype(kind)[direction]
    off = off - (spots[..., 0] - column) * c[..., None] - (spots[..., 1] - row) * s[..., None]
    weights = np.broadcast_to((seen * length)[..., None], off.shape)
    if depths is not None:
        ends = (corners @ coarse.matrix[2, :3].astype(kind) + kind.type(coarse.matrix[2, 3]))[:, EDGES]
        away = ends[:, :, :1] + shares * (ends[:, :, 1:] - ends[:, :, :1])
        weights = weights * (away < depths.ravel()[row * wide + column] + HIDDEN_BY)
    total = weights.sum(axis=(1, 2))
    close = np.maximum(0, 1 - (off / width) ** 2) * strength
    score = (weights * close).sum(axis=(1, 2)) / np.maximum(total, 1e-6)
    score = np.where(total > 0.15 * (seen * length).sum(axis=1) * places, score, 0)
    return np.asarray(score, float), (off, weights, c, s)


def _settled(
    coarse: Coarse,
    eye: Array,
    shape: Shape,
    poses: Array,
    depths: Depths | None,
    widths: tuple[float, ...],
) -> Array:
    """The poses moved to where their edges lie in the coarse maps."""
    if not len(poses):
        return poses
    kind = poses.dtype
    matrix = coarse.matrix.astype(kind)
    size = np.broadcast_to(np.array(shape.size, kind), (len(poses), 3))
    scale = np.array([1.0, 1.0, 0.05], kind)
    shares = np.linspace(0.08, 0.92, PLACES, dtype=kind)
    for width in widths:
        _, (off, weights, c, s) = _support(coarse, eye, shape, poses, depths, width, PLACES)
        load = weights * np.maximum(0, 1 - (off / (1.25 * width)) ** 2) ** 2
        base = seen_at(matrix, corners_of(poses, size))
        slopes = []
        for k in range(3):
            moved = poses.copy()
            moved[:, k] += 0.1 * scale[k]
            way = ((seen_at(matrix, corners_of(moved, size)) - base) / kind.type(0.1))[:, EDGES]
            along = way[..., 0] * c[..., None] + way[..., 1] * s[..., None]
            slopes.append(along[..., :1] + shares * (along[..., 1:] - along[..., :1]))
        flat = np.stack(slopes, axis=-1).reshape(len(poses), -1, 3)
        load = load.reshape(len(poses), -1)
        weighted = (flat * load[..., None]).transpose(0, 2, 1)
        normal = weighted @ flat + 3.0 * np.eye(3, dtype=kind)
        down = weighted @ np.clip(off, -5, 5).reshape(len(poses), -1, 1)
        step = np.linalg.solve(normal, down)[..., 0]
        poses = poses.copy()
        poses[:, :3] += np.clip(step, -4, 4) * scale
    return poses


def _best(poses: Array, points: Array, most: int, apart: float, turned: float) -> npt.NDArray[np.intp]:
    """The best of each neighbourhood (mm, rad), at most so many."""
    order = np.argsort(-points, kind="stable")
    order = order[points[order] > WANTED]
    turn = np.floor((poses[order, 2] % np.pi) / turned).astype(int)
    cell = np.floor(poses[order, :2] / apart).astype(int)
    keys = (cell[:, 0] * 4000 + cell[:, 1]) * 256 + turn
    _, first = np.unique(keys, return_index=True)
    found: npt.NDArray[np.intp] = order[np.sort(first)][:most]
    return found
