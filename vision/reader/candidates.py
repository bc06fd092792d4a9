"""Boxes that might be tiles, many at once: where their edges are seen, what others hide, what they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.polygons import fill_polygon
from vision.reader.boxes import Shape, corners_of, feet_overlap, hidden, seen_at
from vision.reader.edges import EdgePlaces, refine
from vision.reader.straightened import Part

FREE = (0, 1, 2, 3)  # of a pose; the last, the lean, only where a box leans


@dataclass(frozen=True, slots=True)
class OverlapLimits:
    """How far two boxes may stand in one another, and how far from a box its cover is looked for."""

    slack: float = 1.2  # mm: footprints are measured, and two tiles that touch may seem to overlap so far
    reach_margin: float = 10.0  # mm added to how far a box can hide others, to be on the safe side


OVERLAP = OverlapLimits()


Array = npt.NDArray[Any]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Candidates:
    """Boxes that might be tiles."""

    shapes: list[Shape]
    which: Indexes  # (n,) index into shapes
    poses: Array  # (n, 4)
    off: Array  # (n,) by how many doubts the shape's size differs from the guessed one

    @cached_property
    def sizes(self) -> Array:
        """Their sizes (n, 3)."""
        return np.array([shape.size for shape in self.shapes]).reshape(-1, 3)[self.which]

    @cached_property
    def values(self) -> Indexes:
        """Their tiles' values."""
        return np.array([shape.value for shape in self.shapes], np.intp)[self.which]

    def only(self, chosen: Indexes | Mask | list[int]) -> Candidates:
        """Some of them."""
        index = np.asarray(chosen, bool if np.asarray(chosen).dtype == bool else np.intp)
        return Candidates(self.shapes, self.which[index], self.poses[index], self.off[index])

    def moved(self, poses: Array) -> Candidates:
        """The same with other poses."""
        return Candidates(self.shapes, self.which, poses, self.off)

    def same_as(self, other: Candidates, slack: float) -> bool:
        """Whether they are boxes of the same shapes in the same places, but for so many mm."""
        if len(self.which) != len(other.which):
            return False
        one, two = (boxes.poses[np.lexsort((boxes.poses[:, 0], boxes.which)), :2] for boxes in (self, other))
        return bool((np.sort(self.which) == np.sort(other.which)).all() and (np.abs(one - two) < slack).all())


def joined(parts: Sequence[Candidates]) -> Candidates:
    """Candidates of the same shapes in one."""
    return Candidates(
        parts[0].shapes,
        np.concatenate([part.which for part in parts]),
        np.concatenate([part.poses for part in parts]),
        np.concatenate([part.off for part in parts]),
    )


def places_seen(places: EdgePlaces, pool: Candidates, taken: Candidates, eye: Array) -> Mask:
    """Which places on the edges of the pool's boxes are not hidden by taken ones that stand beside them."""
    visible, poses, sizes = np.ones(places.points.shape[:3], bool), pool.poses, pool.sizes
    own = feet_overlap(taken.poses, taken.sizes, poses, sizes, OVERLAP.slack)
    for pose, size, same in zip(taken.poses, taken.sizes, own, strict=True):
        # A box hides no more than its own shadow would cover, were the camera a lamp.
        slant = np.hypot(*(eye[:2] - pose[:2])) / eye[2]
        reach = slant * size[2] + (size[1] + sizes[:, 1]) / 2 + size[0] + OVERLAP.reach_margin
        beside = np.flatnonzero((np.hypot(*(poses[:, :2] - pose[:2]).T) < reach) & ~same)
        visible[beside] &= ~hidden(places.points[beside], eye, pose, size)
    return visible


def places_roughly_seen(
    places: EdgePlaces, pool: Candidates, taken: Candidates, eye: Array, matrix: Array, size: tuple[int, int]
) -> Mask:
    """The same to a pixel of a picture (width, height) to which `matrix` leads from mat points; much quicker."""
    away = np.append(np.hypot(*(taken.poses[:, :2] - eye[:2]).T), np.inf)  # the last for where none is
    nearest, _ = _nearest(taken, eye, matrix, size)
    mine = feet_overlap(pool.poses, pool.sizes, taken.poses, taken.sizes, OVERLAP.slack)
    own = np.column_stack([mine, np.zeros(len(pool.which), bool)])
    spots = np.rint(seen_at(matrix, places.points)).astype(np.intp)
    inside = ((spots >= 0) & (spots < size)).all(axis=-1)
    before = np.where(inside, nearest[np.where(inside, spots[..., 1] * size[0] + spots[..., 0], 0)], -1)
    box = np.arange(len(pool.which))[:, None, None]
    farther = np.hypot(*(pool.poses[:, :2] - eye[:2]).T)[:, None, None]
    found: Mask = (away[before] >= farther) | own[box, before]
    return found


def shares_seen(boxes: Candidates, eye: Array, matrix: Array, size: tuple[int, int]) -> Array:
    """The share of each box that no other one hides, in a picture (width, height); 0 for one outside of it."""
    nearest, covered = _nearest(boxes, eye, matrix, size)
    return np.array([float((nearest[own] == k).mean()) if len(own) else 0.0 for k, own in enumerate(covered)])


def _nearest(boxes: Candidates, eye: Array, matrix: Array, size: tuple[int, int]) -> tuple[Indexes, list[Indexes]]:
    """Which box each pixel of a picture (width, height) shows, -1 for none; and the pixels that each box covers."""
    nearest = np.full(size[0] * size[1], -1, np.intp)
    covered = covered_by(matrix, size, boxes)
    for k in np.argsort(-np.hypot(*(boxes.poses[:, :2] - eye[:2]).T)).tolist():  # nearer ones over farther ones
        nearest[covered[k]] = k
    return nearest, covered


def settled(part: Part, boxes: Candidates, reaches: tuple[float, ...], visible: Mask) -> Array:
    """The boxes' poses moved so that their edges lie on the picture's, by steps of such reaches (px).

    Only leaning boxes may lean otherwise; `visible` (n, 12, places on each edge) leaves out what others hide.
    """
    poses, leaning = boxes.poses.copy(), boxes.poses[:, 3] != 0
    for which, free in ((~leaning, FREE[:3]), (leaning, FREE)):
        poses[which] = refine(
            poses[which], boxes.sizes[which], part.edges, part.matrix, part.eye,
            reaches=reaches, free=free, visible=visible[which],
        )  # fmt: skip
    return poses


def covered_by(matrix: Array, size: tuple[int, int], boxes: Candidates, rim: float = 0.0) -> list[Indexes]:
    """The pixels of a picture (width, height) under each box's outline, as flat indexes.

    A rim of so many px is left out, or added where it is below 0.

    `matrix` leads from mat points to its pixels.
    """
    wide, high = size
    found: list[Indexes] = []
    for spot in seen_at(matrix, corners_of(boxes.poses, boxes.sizes)):
        hull = cv2.convexHull(spot.astype(np.float32)).reshape(-1, 2)
        away = hull - hull.mean(axis=0)
        # Pixels on the rim are half of something else.
        hull = hull - away * np.minimum(0.5, rim / np.maximum(np.linalg.norm(away, axis=1), 1e-6))[:, None]
        low = np.clip(np.floor(hull.min(axis=0)).astype(int), 0, [wide - 1, high - 1])
        end = np.clip(np.ceil(hull.max(axis=0)).astype(int) + 1, low + 1, [wide, high])
        part = np.zeros((end[1] - low[1], end[0] - low[0]), np.uint8)
        fill_polygon(part, hull - low, 1)
        rows, columns = np.nonzero(part)
        found.append(np.asarray((rows + low[1]) * wide + columns + low[0], np.intp))
    return found
