"""A picture made ready for reading: straightened, cut to the mat, its edges and its empty mat known."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from calibration.lens import Lens
from vision.camera.markers import linear_light
from vision.camera.mat import MatView
from vision.camera.pose import Sight
from vision.reader.edges import EdgeMap, edge_map
from vision.reader.empty_mat import Surface, compare_with_empty_mat

MARGIN = 8  # px kept around what is wanted of a picture

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Part:
    """A straightened part of a picture, and how it sees the mat."""

    light: Floats  # (height, width, 3), linear
    edges: EdgeMap
    matrix: Array  # (3, 4) from mat points to pixels of this part
    eye: Array  # where the camera is, mm


@dataclass(frozen=True)
class Frame(Part):
    """The part that shows the mat and all that stands on it."""

    surface: Surface
    close: float  # px that a mm is wide in the middle of the mat, seen face to face


def prepare(image: Image, view: MatView, mat: Mat, highest: float) -> Frame:
    """Straightens and cuts the picture; `highest` is how far tiles rise above the mat, mm."""
    half = np.array(mat.size) / 2
    rim = np.array([(a * half[0], b * half[1], z) for a in (-1, 1) for b in (-1, 1) for z in (0.0, highest)])
    light, sight = _straightened(image, view.sight, rim)
    surface = compare_with_empty_mat(light, sight, mat)
    edges = edge_map(light, surface.quiet)
    return Frame(light, edges, sight.matrix, sight.eye, surface, sight.lens.fx / float(sight.place[2]))


def part_around(image: Image, view: MatView, points: Array) -> Part:
    """The part of the picture that shows these points of space (n, 3), mm on the mat's axes."""
    light, sight = _straightened(image, view.sight, points)
    return Part(light, edge_map(light, np.ones(light.shape[:2], bool)), sight.matrix, sight.eye)


def _straightened(image: Image, sight: Sight, points: Array) -> tuple[Floats, Sight]:
    """The light of the part that shows these points, without the lens's bend, and how that part sees the mat."""
    straight = sight.undistorted()
    spots, lens = straight.project(points), straight.lens
    low = np.clip(np.floor(spots.min(axis=0)).astype(int) - MARGIN, 0, [lens.width - 16, lens.height - 16])
    end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + MARGIN + 1, low + 16, [lens.width, lens.height])
    wide, high = (end - low).tolist()
    part = Lens(wide, high, lens.fx, lens.fy, lens.cx - float(low[0]), lens.cy - float(low[1]))
    return _cut(image, sight, low, end), Sight(part, straight.rotation, straight.place)


def _cut(image: Image, sight: Sight, low: npt.NDArray[np.int_], end: npt.NDArray[np.int_]) -> Floats:
    lens = sight.lens
    if not lens.is_distorted:
        return linear_light(np.ascontiguousarray(image[low[1] : end[1], low[0] : end[0]]))
    wanted = lens.undistorted().matrix
    wanted[0, 2] -= low[0]
    wanted[1, 2] -= low[1]
    size = (int(end[0] - low[0]), int(end[1] - low[1]))
    across, down = cv2.initUndistortRectifyMap(lens.matrix, np.array(lens.dist), np.eye(3), wanted, size, cv2.CV_32FC1)
    left, top = max(0, int(across.min()) - 1), max(0, int(down.min()) - 1)
    light = linear_light(np.ascontiguousarray(image[top : int(down.max()) + 3, left : int(across.max()) + 3]))
    across -= left
    down -= top
    return np.asarray(cv2.remap(light, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
