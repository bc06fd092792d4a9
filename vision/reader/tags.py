"""Stickers on the tops of tiles: found anywhere in a picture, or read on a top whose place is known.

A marker found on its own must be some 18 pixels wide. On a known top nothing but the value is left to be found, and
comparing it with every sticker of the set reads those of half that width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.camera import dictionary
from calibration.stickers import DICTIONARY, FIRST, HALVES, marker_side, sticker, sticker_side, tagged
from physics.tiles import Stance, Tile, TileSet
from vision.camera.markers import linear_light
from vision.camera.pose import Sight
from vision.reader.boxes import TOP_CORNERS, corners_of


@dataclass(frozen=True, slots=True)
class TagSearch:
    """How stickers are looked for anywhere in a picture."""

    fine: float = 6.0  # px per mm to which the picture is enlarged before markers are looked for
    max_scale: float = 4.0  # times that it is enlarged at most
    min_side: float = 2.0  # mm, the shorter side of a marker seen at a slant
    side_ratios: tuple[float, float] = (0.75, 1.3)  # a marker's sides over what they must be, least and most
    slack: float = 0.25  # of a tag's side by which it may stick out from a top


TAG_SEARCH = TagSearch()


@dataclass(frozen=True, slots=True)
class TagReading:
    """How the sticker on a known top is distinguished from all others: by correlation with each."""

    samples: int = 4 * HALVES // 2  # along a sticker that is compared
    shift: int = 8  # samples by which it may be off on each side
    inset: int = 2  # samples at its rim that are left out: what is beside it shines in
    turns: tuple[float, ...] = (-0.035, 0.0, 0.035)  # rad by which it may be turned on the top
    blur: float = 0.85  # px, of a usual picture, half a pixel's width included
    min_correlation: float = 0.8  # with the sticker
    min_lead: float = 0.07  # by which that is more than with any other value's
    min_contrast: float = 0.4  # of its white by which a sticker's black is darker
    rival_size: float = 0.7  # of a sticker's side: how small those may be that it is compared with
    min_pixels: float = 7.0  # px along a sticker below which no value is believed


TAG_READING = TagReading()


SQUARE = np.array([(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)])  # from the upper left on

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Tag:
    """A sticker as it is seen: the tile's value, and the corners (4, 2) of the black square in px, around it."""

    value: int
    corners: Array

    @property
    def centre(self) -> Array:
        """Its middle, px."""
        found: Array = self.corners.mean(axis=0)
        return found


def find_tags(image: Image, sight: Sight, tile_set: TileSet, mat: Mat = MAT) -> tuple[Tag, ...]:
    """The stickers of the set's tiles in a picture (height, width, 3; RGB, or grey) that are seen well, by value.

    Only markers as large as the tile's sticker is on its top, upright or on its side: neither the mat's own markers
    nor those of another table.
    """
    tiles = {tile.value: tile for tile in tagged(tile_set)}
    window = _window(image, sight, mat, max((1e3 * tile.height for tile in tiles.values()), default=0.0))
    if not tiles or window is None:
        return ()
    low, part = window
    middle = sight.project(np.array([(0, 0, 0), (1.0, 0, 0), (0, 1.0, 0)]))
    grain = max(np.linalg.norm(middle[1] - middle[0]), np.linalg.norm(middle[2] - middle[0]))
    times = min(max(TAG_SEARCH.fine / float(grain), 1.0), TAG_SEARCH.max_scale)
    large = cv2.resize(part, None, fx=times, fy=times, interpolation=cv2.INTER_LANCZOS4)
    corners, ids, _ = _detector(list(tiles), max(large.shape), times * float(grain)).detectMarkers(large)
    found = []
    values = list(tiles)
    for quad, number in zip(corners, [] if ids is None else np.ravel(ids), strict=True):
        tile = tiles[values[int(number)]]
        spots = (np.asarray(quad, float).reshape(4, 2) + 0.5) / times - 0.5 + low
        if _fits(spots, sight, tile):
            found.append(Tag(tile.value, spots))
    return tuple(sorted(found, key=lambda tag: tag.value))


def tag_on_top(tag: Tag, pose: Sequence[float] | Array, size: Sequence[float] | Array, sight: Sight) -> bool:
    """Whether a tag lies on the top of a box: its x, y, yaw and lean (mm, rad), and its depth, breadth and height."""
    top = sight.project(_top(pose, size)).astype(np.float32)
    around = np.linalg.norm(np.roll(tag.corners, -1, axis=0) - tag.corners, axis=1)
    least = -TAG_SEARCH.slack * float(around.mean())
    spots = [(float(x), float(y)) for x, y in tag.corners]
    return all(cv2.pointPolygonTest(top, spot, True) >= least for spot in spots)


def read_top(
    image: Image, sight: Sight, pose: Sequence[float] | Array, size: Sequence[float] | Array, tile_set: TileSet
) -> Tag | None:
    """The sticker in the middle of a box's top, whichever tile of the set it is of; None when none is surely there.

    Pose and size as in `tag_on_top`. The box may be taken for one of a neighbouring value, and be off by a quarter of
    the sticker's width.
    """
    tiles = tagged(tile_set)
    top = _top(pose, size)
    middle, ways = top.mean(axis=0), np.array([top[3] - top[0], top[1] - top[0]])
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    if not tiles or np.cross(ways[0], ways[1]) @ (sight.eye - middle) <= 0:
        return None
    reach = max(sticker_side(tile) for tile in tiles) * (0.5 + TAG_READING.shift / TAG_READING.samples) * 1.1
    spots = sight.project(middle + reach * SQUARE @ ways)
    size_px = (image.shape[1], image.shape[0])
    low = np.clip(np.floor(spots.min(axis=0)), 0, size_px).astype(int)
    end = np.clip(np.ceil(spots.max(axis=0)) + 1, 0, size_px).astype(int)
    if (spots.mean(axis=0) < low).any() or (spots.mean(axis=0) > end).any():
        return None
    part = image[low[1] : end[1], low[0] : end[0]]
    light = linear_light(np.ascontiguousarray(part[..., 1] if part.ndim == 3 else part))
    # So near the middle no lens bends anything: from mm on the top to px of this part.
    plane = cv2.getPerspectiveTransform((reach * SQUARE).astype(np.float32), (spots - low).astype(np.float32))
    if _even(light, np.asarray(plane, float), float(size[0])):
        return None
    likenesses = [_likeness(light, np.asarray(plane, float), tile) for tile in tiles]
    first = max(range(len(tiles)), key=lambda k: likenesses[k][0])
    alike, tag = likenesses[first]
    if tag is None or alike < TAG_READING.min_correlation:
        return None
    if math.sqrt(_area(tag.corners)) * HALVES / (HALVES - 2) < TAG_READING.min_pixels:
        return None
    # Any blot is like a sticker that is small enough: that says nothing against a larger one.
    least = TAG_READING.rival_size * sticker_side(tiles[first])
    rivals = [k for k, tile in enumerate(tiles) if k != first and sticker_side(tile) > least]
    if any(alike - likenesses[k][0] < TAG_READING.min_lead for k in rivals):
        return None
    return Tag(tag.value, tag.corners + low)


def _even(light: Floats, plane: Array, side: float) -> bool:
    """Whether the middle of a top, so many mm wide, is too even for a sticker: that is seen much sooner than which."""
    count = TAG_READING.samples
    step = side / count
    texels = plane @ np.array([(step, 0, -side / 2), (0, -step, side / 2), (0, 0, 1.0)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    patch = cv2.warpPerspective(light, texels, (count, count), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    dark, bright = np.percentile(patch, (5, 95)).tolist()
    return bool(bright - dark < TAG_READING.min_contrast * bright)


def _top(pose: Sequence[float] | Array, size: Sequence[float] | Array) -> Array:
    """The corners (4, 3) of a box's top, around it, mm."""
    return np.asarray(corners_of(np.array([pose], float), np.array([size], float))[0, TOP_CORNERS], float)


def _likeness(light: Floats, plane: Array, tile: Tile) -> tuple[float, Tag | None]:
    """The best correlation with that tile's sticker on a top, turned a little and by quarters, and the sticker there.

    `plane` takes mm on the top, from its middle, to px of the light. No sticker: all there is too faint for one.
    """
    side, count = sticker_side(tile), TAG_READING.samples + 2 * TAG_READING.shift
    step = side / TAG_READING.samples
    blur = TAG_READING.blur * TAG_READING.samples / math.sqrt(max(1.0, _area(_through(plane, side / 2 * SQUARE))))
    best, tag = -1.0, None
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    for turn in TAG_READING.turns:
        cos, sin = math.cos(turn), math.sin(turn)
        turned = plane @ np.array([(cos, -sin, 0), (sin, cos, 0), (0, 0, 1.0)])
        far = (count - 1) / 2 * step
        texels = turned @ np.array([(step, 0, -far), (0, -step, far), (0, 0, 1.0)])
        patch = cv2.warpPerspective(light, texels, (count, count), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        for quarter, one in enumerate(_prints(tile.value, round(blur, 1))):
            fit = cv2.matchTemplate(patch, one, cv2.TM_CCOEFF_NORMED)
            _, alike, _, (column, row) = cv2.minMaxLoc(fit)
            if alike <= best:
                continue
            spot = patch[row : row + len(one), column : column + len(one)]
            dark, bright = np.percentile(spot, (10, 90)).tolist()
            if bright - dark >= TAG_READING.min_contrast * bright:
                middle = TAG_READING.inset + TAG_READING.shift
                shift = step * np.array([column - middle, middle - row])
                rim = marker_side(tile) / 2 * np.roll(SQUARE, -quarter, axis=0) + shift
                best, tag = float(alike), Tag(tile.value, _through(turned, rim))
    return best, tag


def _area(quad: Array) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def _through(matrix: Array, points: Array) -> Array:
    """Points (n, 2) by a homography."""
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    found: Array = seen[:, :2] / seen[:, 2:]
    return found


@lru_cache(maxsize=256)
def _prints(value: int, blur: float) -> tuple[Floats, ...]:
    """A sticker as a picture blurs it, in its four quarter turns, the rim's edge left out."""
    count = TAG_READING.samples
    enlarged = np.kron(sticker(value), np.ones((count // HALVES,) * 2, np.uint8))
    fine = enlarged.astype(np.float32) / np.float32(255)
    wide = np.pad(fine, count, constant_values=0.5)
    middle = slice(count + TAG_READING.inset, -count - TAG_READING.inset)
    soft = cv2.GaussianBlur(wide, (0, 0), blur)[middle, middle]
    return tuple(np.ascontiguousarray(np.rot90(soft, -quarter), np.float32) for quarter in range(4))


def _window(image: Image, sight: Sight, mat: Mat, highest: float) -> tuple[Array, Image] | None:
    """The part of the picture, in grey, where tiles on the mat may be, and where it begins; None: there is none."""
    rim = [(a * mat.size[0] / 2, b * mat.size[1] / 2, z) for a in (-1, 1) for b in (-1, 1) for z in (0.0, highest)]
    spots = sight.undistorted().project(np.array(rim))
    if sight.lens.is_distorted:
        # Far outside the picture a lens's polynomial may fold back: then the straight one reaches farther.
        spots = np.concatenate([spots, sight.project(np.array(rim))])
    size = np.array([image.shape[1], image.shape[0]])
    low = np.clip(np.floor(spots.min(axis=0)), 0, size).astype(int)
    end = np.clip(np.ceil(spots.max(axis=0)) + 1, 0, size).astype(int)
    if (end - low < 8).any():
        return None
    part = image[low[1] : end[1], low[0] : end[0]]
    return low.astype(float), np.ascontiguousarray(part[..., 1] if part.ndim == 3 else part)


def _detector(values: list[int], widest: int, grain: float) -> cv2.aruco.ArucoDetector:
    """Looks for the markers of these values alone, with that many px per mm; none is mended: a false one costs more."""
    codes = dictionary(DICTIONARY)
    rows = np.ascontiguousarray(codes.bytesList[[FIRST + value for value in values]])
    how = cv2.aruco.DetectorParameters()
    how.minMarkerPerimeterRate = 4 * TAG_SEARCH.min_side * grain / widest
    how.adaptiveThreshWinSizeMin, how.adaptiveThreshWinSizeMax, how.adaptiveThreshWinSizeStep = 5, 45, 10
    how.adaptiveThreshConstant = 4
    how.polygonalApproxAccuracyRate = 0.06
    how.perspectiveRemovePixelPerCell, how.perspectiveRemoveIgnoredMarginPerCell = 8, 0.25
    how.errorCorrectionRate = 0.0
    return cv2.aruco.ArucoDetector(cv2.aruco.Dictionary(rows, codes.markerSize, 0), how)


def _fits(spots: Array, sight: Sight, tile: Tile) -> bool:
    """Whether a marker is as large as on that tile's top, in either stance."""
    for stance in Stance:
        flat = sight.to_plane(spots, 1e3 * tile.standing_height(stance))
        sides = np.linalg.norm(np.roll(flat, -1, axis=0) - flat, axis=1) / marker_side(tile)
        least, most = TAG_SEARCH.side_ratios
        if least < sides.min() and sides.max() < most:
            return True
    return False
