"""Boxes: where they stand, and whether they overlap."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.reader.boxes import corners_of, feet_overlap, frames_of

Array = npt.NDArray[np.float64]


def some_boxes(count: int, seed: int) -> tuple[Array, Array]:
    """Upright and leaning boxes of all turns, close together."""
    rng = np.random.default_rng(seed)
    leans = np.where(rng.random(count) < 0.5, 0.0, rng.uniform(-1.4, 1.4, count))
    poses = np.column_stack([rng.uniform(-60, 60, (count, 2)), rng.uniform(-4, 4, count), leans])
    return poses, rng.uniform(4, 60, (count, 3))


def shared_area(one: Array, two: Array) -> float:
    """Of two boxes seen from above, mm²."""
    first, second = (cv2.convexHull(corners[:, :2].astype(np.float32)) for corners in (one, two))
    return float(cv2.intersectConvexConvex(first, second)[0])


def test_footprints_overlap_where_they_share_ground() -> None:
    poses, sizes = some_boxes(40, 1)
    corners = corners_of(poses, sizes)
    areas = np.array([[shared_area(one, two) for two in corners] for one in corners])
    found = feet_overlap(poses, sizes, poses, sizes, 0.0)
    assert (found == (areas > 0)).all()
    assert 0.1 < found.mean() < 0.9


def test_a_slack_lets_them_overlap_a_little() -> None:
    upright = np.array([[0.0, 0.0, 0.3, 0.0]])
    beside = upright + np.array([[np.cos(0.3), np.sin(0.3), 0.0, 0.0]]) * 9.0  # along its yaw: 1 mm of 10 is shared
    size = np.array([[10.0, 30.0, 50.0]])
    for slack, overlap in ((0.9, True), (1.1, False)):
        assert feet_overlap(upright, size, beside, size, slack).item() is overlap


def test_a_boxes_centre_is_the_mean_of_its_corners() -> None:
    poses, sizes = some_boxes(20, 2)
    axes, centres = frames_of(poses, sizes)
    corners = corners_of(poses, sizes)
    assert np.allclose(centres, corners.mean(axis=1))
    inside = np.einsum("nij,nkj->nki", axes, corners - centres[:, None])
    assert np.allclose(np.abs(inside), sizes[:, None] / 2)
