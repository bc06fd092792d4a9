"""The mat's markers in a picture, their corners to a tenth of a pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Marker, Mat


@dataclass(frozen=True, slots=True)
class CornerFit:
    """How a marker's corners are found where lines along its four edges cross."""

    across: float = 4.0  # px on either side of a marker's edge that are looked at
    samples: int = 17  # over them
    places: int = 24  # along each edge
    max_cells: float = 0.6  # of a marker's cells to which that is limited: beyond begins another cell
    margin: float = 0.08  # share of an edge at either end where the neighbouring edge disturbs
    min_contrast: float = 0.005  # of all light, between black and white, below which nothing is fitted
    min_share: float = 0.3  # of that contrast that a single place must have
    max_shift: float = 3.0  # times `across` by which a corner may move: farther away it is another edge


CORNER_FIT = CornerFit()


@dataclass(frozen=True, slots=True)
class WashedOut:
    """When a picture is so bright that tiles are plain white, by the markers' black and white."""

    # Of a marker's size: in the middle of its black rim, and on the paper around it.
    black_rim: float = 5 / 6
    white_rim: float = 7 / 6
    max_black: int = 100  # grey level above which black is too bright
    min_white: int = 250  # grey level from which on white holds nothing any more


WASHED_OUT = WashedOut()


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


def find_markers(image: npt.NDArray[np.uint8], mat: Mat = MAT) -> dict[Marker, Array]:
    """The markers of the mat that are seen, each with its corners (4, 2) in px."""
    grey = np.ascontiguousarray(image[..., 1]) if image.ndim == 3 else image
    detector = cv2.aruco.ArucoDetector(
        cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary)), cv2.aruco.DetectorParameters()
    )
    corners, ids, _ = detector.detectMarkers(grey)
    known = {marker.id: marker for marker in mat.markers}
    found: dict[Marker, Array] = {}
    for quad, number in zip(corners, [] if ids is None else [int(one) for one in np.ravel(ids)], strict=True):
        marker = known.get(number)
        if marker is None:
            continue
        corner = np.asarray(quad, float).reshape(4, 2)
        if marker not in found or _area(found[marker]) < _area(corner):
            found[marker] = corner
    light = linear_light(grey)
    cells = detector.getDictionary().markerSize + 2
    return {marker: _sharpened(light, quad, cells) for marker, quad in sorted(found.items(), key=lambda m: m[0].id)}


def is_washed_out(image: npt.NDArray[np.uint8], quads: Sequence[Array]) -> bool:
    """Whether the paper around the markers is plain white, and their black as bright as wood should be."""
    grey = image[..., 1] if image.ndim == 3 else image
    shares = np.linspace(0.15, 0.85, 8)[:, None, None]
    levels = []
    for quad in quads:
        sides = (quad + shares * (np.roll(quad, -1, axis=0) - quad)).reshape(-1, 2)
        middle = quad.mean(axis=0)
        for scale in (WASHED_OUT.black_rim, WASHED_OUT.white_rim):
            x, y = np.round(middle + scale * (sides - middle)).astype(int).T
            seen = grey[y.clip(0, grey.shape[0] - 1), x.clip(0, grey.shape[1] - 1)]
            levels.append(float(np.median(seen)))
    black, white = np.median(np.reshape(levels, (-1, 2)), axis=0)
    return bool(black > WASHED_OUT.max_black and white >= WASHED_OUT.min_white)


def _area(quad: Array) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def linear_light(image: npt.NDArray[np.uint8]) -> Floats:
    """Grey levels as amounts of light, 0 to 1: blur mixes light, so edges lie where half the light is."""
    levels = np.arange(256) / 255
    curve = np.where(levels < 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.asarray(cv2.LUT(image, curve), np.float32)


def _sharpened(light: Floats, quad: Array, cells: int) -> Array:
    """The corners where lines fitted to the four edges cross, each edge where half the light is."""
    places, samples = CORNER_FIT.places, CORNER_FIT.samples
    ends = np.roll(quad, -1, axis=0)
    lengths = np.linalg.norm(ends - quad, axis=1)
    way = (ends - quad) / np.maximum(lengths, 1e-9)[:, None]
    outward = np.stack([way[:, 1], -way[:, 0]], axis=1)
    inward = ((quad.mean(axis=0) - quad) * outward).sum(axis=1) > 0
    outward[inward] = -outward[inward]
    shares = np.linspace(CORNER_FIT.margin, 1 - CORNER_FIT.margin, places)
    base = quad[:, None] + shares[:, None] * (ends - quad)[:, None]
    reach = np.minimum(CORNER_FIT.across, CORNER_FIT.max_cells * lengths / cells)
    offsets = np.linspace(-1, 1, samples) * reach[:, None]
    spots = (base[:, :, None] + offsets[:, None, :, None] * outward[:, None, None]).astype(np.float32)
    x, y = spots.reshape(4 * places, samples, 2).transpose(2, 0, 1)
    seen = cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.asarray(seen, float).reshape(4, places, samples)
    dark, bright = np.median(profile[..., :3], axis=2), np.median(profile[..., -3:], axis=2)
    contrast = np.median(bright - dark, axis=1)
    usable = bright - dark > CORNER_FIT.min_share * np.maximum(1e-6, contrast)[:, None]
    if (usable.sum(axis=1) < places // 3).any() or (contrast <= CORNER_FIT.min_contrast).any():
        return quad
    half = (dark + bright) / 2
    above = profile >= half[..., None]
    # The last place, from outside in, where the light is below half.
    last_dark = np.clip(samples - 1 - np.argmax(~above[..., ::-1], axis=2), 0, samples - 2)[..., None]
    low, high = (np.take_along_axis(profile, last_dark + k, axis=2)[..., 0] for k in (0, 1))
    share = np.clip((half - low) / np.maximum(high - low, 1e-9), 0, 1)
    at = np.take_along_axis(offsets, last_dark[..., 0], axis=1) + share * (offsets[:, 1] - offsets[:, 0])[:, None]
    found = base + at[..., None] * outward[:, None]
    lines = [_line(points[used]) for points, used in zip(found, usable, strict=True)]
    corners = np.array([np.cross(lines[k - 1], lines[k]) for k in range(4)])
    crossings = corners[:, :2] / corners[:, 2:]
    if not np.isfinite(crossings).all() or np.abs(crossings - quad).max() > CORNER_FIT.max_shift * CORNER_FIT.across:
        return quad
    return np.asarray(crossings)


def _line(points: Array) -> Array:
    """The line a x + b y + c = 0 through points, those far off left out."""
    kept = np.ones(len(points), bool)
    line = np.zeros(3)
    for _ in range(3):
        middle = points[kept].mean(axis=0)
        away = points[kept] - middle
        normal = np.linalg.eigh(away.T @ away)[1][:, 0]
        line = np.array([*normal, -normal @ middle])
        off = np.abs(points @ normal + line[2])
        kept = off <= max(0.15, 2.5 * float(np.median(off)))
    return line
