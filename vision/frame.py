"""A picture made ready for reading: straightened, cut to the mat, its edges and its empty mat known."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from vision.edges import EdgeMap, edge_map
from vision.mat import MatView, linear_light
from vision.sight import Sight
from vision.surface import Surface, look_at_surface

COARSE = 1.1  # mm of the mat that a pixel of the coarse maps shows, about
DIRECTIONS = 8  # of the coarse edge maps, over half a turn
TOLERANCE = 5  # coarse pixels that a border may be wide
WITHIN = 5.0  # coarse pixels to the nearest edge that are told
WIDE = 4.0  # coarse pixels that edges may be off where boxes are first tried
FAINT = 0.3  # strength of an edge that is hardly more than noise; that of plain ones is 1
BEYOND = 0.25  # how surely a pixel beyond the mat, or on a marker, shows no tile
FAR = 99.0  # told where there is none

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Frame:
    """The part of a picture that matters, and how it sees the mat."""

    light: Floats  # (height, width, 3), linear
    surface: Surface
    edges: EdgeMap
    matrix: Array  # (3, 4) from mat points to pixels of this part
    eye: Array
    corner: tuple[int, int]  # of this part in the straightened picture
    grain: float  # mm per px in the middle of the mat


@dataclass(frozen=True)
class Coarse:
    """The same seen from afar, for the first search."""

    offsets: Floats  # (DIRECTIONS, height, width): px along the direction to the nearest edge across it; FAR: none
    bare: Floats  # how surely a pixel shows the mat or a shadow on it, 0 to 1, borders taken back
    strength: Floats  # (DIRECTIONS, height, width): of that edge, FAINT to 1
    near: Floats  # (DIRECTIONS, height, width): the strength on an edge across the direction, 0 from WIDE px on
    evidence: Floats
    known: npt.NDArray[np.bool_]  # where the mat is, markers left out
    matrix: Array


def prepare(image: Image, view: MatView, mat: Mat, highest: float) -> Frame:
    """Straightens and cuts the picture; `highest` is how far tiles rise above the mat, mm."""
    sight = view.sight.straight()
    half = np.array(mat.size) / 2
    rim = np.array([(a * half[0], b * half[1], z) for a in (-1, 1) for b in (-1, 1) for z in (0.0, highest)])
    spots = sight.project(rim)
    lens = sight.lens
    low = np.clip(np.floor(spots.min(axis=0)).astype(int) - 4, 0, [lens.width - 16, lens.height - 16])
    end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 5, low + 16, [lens.width, lens.height])
    light = _cut(image, view.sight, low, end)
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]])
    part_lens = type(lens)(
        int(end[0] - low[0]), int(end[1] - low[1]), lens.fx, lens.fy, lens.cx - low[0], lens.cy - low[1]
    )
    part = Sight(part_lens, sight.rotation, sight.place)
    surface = look_at_surface(light, part, mat)
    edges = edge_map(light, surface.evidence < -0.8)
    middle = part.project(np.array([[0.0, 0, 0], [10, 0, 0], [0, 10, 0]]))
    area = abs(float(np.linalg.det(middle[1:] - middle[0])))
    grain = 10 / max(area, 1e-6) ** 0.5
    return Frame(light, surface, edges, shift @ sight.matrix, sight.eye, (int(low[0]), int(low[1])), grain)


def _cut(image: Image, sight: Sight, low: npt.NDArray[np.int_], end: npt.NDArray[np.int_]) -> Floats:
    lens = sight.lens
    if not lens.bent:
        return linear_light(np.ascontiguousarray(image[low[1] : end[1], low[0] : end[0]]))
    wanted = lens.straight().matrix
    wanted[0, 2] -= low[0]
    wanted[1, 2] -= low[1]
    size = (int(end[0] - low[0]), int(end[1] - low[1]))
    across, down = cv2.initUndistortRectifyMap(lens.matrix, np.array(lens.dist), np.eye(3), wanted, size, cv2.CV_32FC1)
    light = linear_light(image)
    return np.asarray(cv2.remap(light, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def coarse_of(frame: Frame) -> Coarse:
    """The coarse maps of a frame."""
    shrink = max(1, round(COARSE / frame.grain))
    maps = frame.edges
    high, wide = maps.xx.shape
    size = (max(1, wide // shrink), max(1, high // shrink))
    kernel = np.ones((TOLERANCE, TOLERANCE), np.uint8)
    xx, xy, yy = (_shrunk(one[: size[1] * shrink, : size[0] * shrink], size) for one in (maps.xx, maps.xy, maps.yy))
    pairs = [_offsets(xx, xy, yy, np.pi * k / DIRECTIONS, maps.least) for k in range(DIRECTIONS)]
    offsets, strength = (np.stack(part) for part in zip(*pairs, strict=True))
    evidence = _shrunk(frame.surface.evidence[: size[1] * shrink, : size[0] * shrink], size)
    known = _shrunk(frame.surface.known[: size[1] * shrink, : size[0] * shrink].astype(np.float32), size) > 0.5
    bare = cv2.erode(np.where(known, np.clip(0.5 - evidence, 0, 1), np.float32(BEYOND)), kernel)
    # Pixel centres are at whole numbers, so those of the small picture lie between.
    small = np.array([[1 / shrink, 0, 0.5 / shrink - 0.5], [0, 1 / shrink, 0.5 / shrink - 0.5], [0, 0, 1]])
    near = np.maximum(0, 1 - (offsets / np.float32(WIDE)) ** 2) * strength
    return Coarse(offsets, np.asarray(bare, np.float32), strength, near, evidence, known, small @ frame.matrix)


def _offsets(xx: Floats, xy: Floats, yy: Floats, angle: float, least: float) -> tuple[Floats, Floats]:
    """For each pixel how far along that direction the nearest edge lies that runs across it, and how strong it is."""
    c, s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    square = c * c * xx + 2 * c * s * xy + s * s * yy
    slope = np.sqrt(np.maximum(square, 0))
    dx, dy = round(float(np.cos(angle))), round(float(np.sin(angle)))
    ahead, behind = np.roll(slope, (-dy, -dx), (0, 1)), np.roll(slope, (dy, dx), (0, 1))
    # Across the edge, not along it: most of the slope is in this direction.
    ridge = (slope >= ahead) & (slope > behind) & (slope > least) & (square > 0.7 * (xx + yy))
    ridge[[0, -1]] = False
    ridge[:, [0, -1]] = False
    rows, columns = np.nonzero(ridge)
    if not len(rows):
        return np.full(xx.shape, FAR, np.float32), np.zeros(xx.shape, np.float32)
    bend = ahead - 2 * slope + behind
    shift = np.clip(0.5 * (behind - ahead) / np.minimum(bend, -1e-9), -0.5, 0.5)[rows, columns]
    far, labels = cv2.distanceTransformWithLabels(
        (~ridge).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    at = np.zeros(int(labels.max()) + 1, np.float32)
    at[labels[rows, columns]] = (columns + shift * dx) * c + (rows + shift * dy) * s
    grid_y, grid_x = np.ogrid[: xx.shape[0], : xx.shape[1]]
    along = at[labels] - (grid_x * c + grid_y * s).astype(np.float32)
    strong = np.zeros(len(at), np.float32)
    strong[labels[rows, columns]] = np.clip(FAINT + 0.2 * np.log2(slope[rows, columns] / least), FAINT, 1.0)
    return np.where(far <= WITHIN, along, np.float32(FAR)).astype(np.float32), strong[labels]


def _shrunk(plane: Floats, size: tuple[int, int]) -> Floats:
    same = plane.shape[::-1] == size
    return np.asarray(plane if same else cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)
