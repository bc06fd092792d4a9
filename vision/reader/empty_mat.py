"""The light of the mat, were it empty: fitted to what is seen of it, and every pixel compared with it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from vision.camera.pose import Sight
from vision.polygons import fill_polygon


@dataclass(frozen=True, slots=True)
class SurfaceFit:
    """How the light of the empty mat is found from what is seen of it."""

    cell: float = 3.0  # mm, over which the mat's light is averaged before it is fitted
    degree: int = 3  # of the polynomial: light falls off smoothly over a sheet
    floor: float = 0.02  # of the mat's light: added where shares are formed, since noise rules in the dark
    bare: float = 0.07  # of the mat's light by which a pixel of the bare mat may differ
    min_cells: int = 200  # that show the mat: with fewer, all are taken for it
    darkest: float = 35.0  # per cent of the cells that are left out at first: shadows and tiles are among them
    rounds: int = 8  # of fitting, each with weights from the one before
    min_scale: float = 0.006  # of the logarithm of light: from so far off on cells count less, at least
    scale: float = 1.5  # times the median distance, where that is more
    cut_off: float = 6.0  # times that: cells farther off are no bare mat


SURFACE_FIT = SurfaceFit()


@dataclass(frozen=True, slots=True)
class MarkerRoom:
    """What of the mat is left out, since markers and their shadows are there."""

    margin: float = 6.0  # mm around a marker that belong to it
    strip: float = 12.0  # mm between a marker and the mat's edge that belong to the marker: no tile fits there
    brim: float = 2.0  # mm along the mat's edge that are not looked at: pixels there mix with the table


MARKER_ROOM = MarkerRoom()


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Surface:
    """How each pixel compares with the empty mat."""

    shares: Floats  # light of each pixel as a share of the empty mat's there, per channel
    known: Mask  # pixels of the mat that are no marker

    @property
    def quiet(self) -> Mask:
        """Pixels that surely show the bare mat."""
        mean = self.shares @ np.full(3, 1 / 3, np.float32)
        return np.asarray(self.known & (np.abs(mean - 1) < SURFACE_FIT.bare))


def compare_with_empty_mat(light: Floats, sight: Sight, mat: Mat) -> Surface:
    """Compares a straightened picture in linear light (height, width, 3) with its own mat, empty."""
    high, wide = light.shape[:2]
    known = mat_mask(sight, mat, (wide, high))
    field = _empty_light(light, known, sight, mat)
    shares = (light + SURFACE_FIT.floor * field) / ((1 + SURFACE_FIT.floor) * field)
    return Surface(np.asarray(shares, np.float32), known)


def mat_mask(sight: Sight, mat: Mat, size: tuple[int, int]) -> Mask:
    """The pixels that show the mat, were it empty, markers left out."""
    mask = np.zeros((size[1], size[0]), np.uint8)
    half = np.array(mat.size) / 2 - MARKER_ROOM.brim
    rim = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half
    _fill(mask, sight, rim, 1)
    for marker in mat.markers:
        side = marker.size / 2 + MARKER_ROOM.margin
        low, high = np.array([marker.x, marker.y]) - side, np.array([marker.x, marker.y]) + side
        # The strip between a marker and the mat's corner is too narrow for a tile.
        low = np.where(low - MARKER_ROOM.strip < -half, -half - 2 * MARKER_ROOM.brim, low)
        high = np.where(high + MARKER_ROOM.strip > half, half + 2 * MARKER_ROOM.brim, high)
        _fill(mask, sight, np.array([low, (high[0], low[1]), high, (low[0], high[1])]), 0)
    return mask > 0


def _fill(mask: npt.NDArray[np.uint8], sight: Sight, rim: Array, value: int) -> None:
    spots = sight.project(np.column_stack([rim, np.zeros(len(rim))]))
    fill_polygon(mask, np.clip(spots, -30000, 30000), value)


def _empty_light(light: Floats, known: Mask, sight: Sight, mat: Mat) -> Floats:
    """The light of the empty mat at every pixel: a smooth field through the brighter cells of the seen one."""
    cell, degree = SURFACE_FIT.cell, SURFACE_FIT.degree
    wide, high = int(mat.size[0] / cell), int(mat.size[1] / cell)
    left, upper = -mat.size[0] / 2 + cell / 2, mat.size[1] / 2 - cell / 2
    texels = np.array([[cell, 0, left], [0, -cell, upper], [0, 0, 1.0]])
    to_picture = sight.plane_matrix() @ texels
    reach = 1.0 if light.shape[1] < 900 else 2.0
    soft = cv2.GaussianBlur(light, (0, 0), reach)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cells = cv2.warpPerspective(soft, to_picture, (wide, high), flags=flags)
    free = cv2.warpPerspective(known.astype(np.uint8), to_picture, (wide, high), flags=flags) > 0
    x, y = np.meshgrid(np.linspace(-1, 1, wide), np.linspace(-1, 1, high))
    powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    terms = np.stack([x**i * y**j for i, j in powers], axis=-1)
    logs = np.log(np.maximum(cells, 1e-4))
    used = free & (cells.min(axis=2) > 1e-3)
    if used.sum() < SURFACE_FIT.min_cells:
        used = np.ones_like(free)
    weights = used.astype(float)
    level = logs[used].mean(axis=1)
    weights[used] *= level >= np.percentile(level, SURFACE_FIT.darkest)  # equal where the mat is plain white
    found = np.zeros((len(powers), 3))
    for _ in range(SURFACE_FIT.rounds):
        chosen = weights > 0
        scaled = terms[chosen] * weights[chosen, None]
        found = np.linalg.lstsq(scaled.T @ terms[chosen] + 1e-3 * np.eye(len(powers)), scaled.T @ logs[chosen])[0]
        off = logs - terms @ found
        worst = np.maximum.reduce([np.abs(off[..., k]) for k in range(3)])
        scale = max(SURFACE_FIT.min_scale, SURFACE_FIT.scale * float(np.median(worst[chosen])))
        weights = used / (1 + (worst / scale) ** 4)
        weights[worst > SURFACE_FIT.cut_off * scale] = 0
    field = np.exp(terms @ found).astype(np.float32)
    whole = cv2.warpPerspective(
        field, to_picture, (light.shape[1], light.shape[0]), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.maximum(np.asarray(whole, np.float32), np.float32(1e-3))
