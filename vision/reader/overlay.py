"""A reading drawn over its picture: the box of every tile, its value, and what could not be explained."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from physics.outcome import Fate
from physics.tiles import TileSet
from vision.camera.pose import Sight
from vision.polygons import SUBPIXEL_BITS, fixed_point
from vision.reader.boxes import FACE_CORNERS, FLAT
from vision.reader.reading import Reading, ReadTile
from vision.reader.seen_table import box_corners

SURE = 0.9  # confidence from which on a box is drawn as sure
SURE_COLOUR, UNSURE_COLOUR, ODD_COLOUR = (20, 150, 90), (225, 140, 20), (205, 40, 60)
PAPER, INK = (255, 255, 255), (25, 25, 25)
BASE = 1280.0  # px of width at which lines and letters have their own size


Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
Card = tuple[int, int, int, int]  # left, top, width and height, px


def draw_reading(picture: Image, reading: Reading, sight: Sight, tile_set: TileSet) -> Image:
    """The picture (RGB) with the fitted boxes over it; the picture itself stays as it is."""
    shown = picture.copy()
    unit = max(0.5, picture.shape[1] / BASE)
    for one in reading.unexplained:
        around = math.sqrt(one.area / math.pi) + 4.0
        turns = np.linspace(0, math.tau, 40, endpoint=False)
        ring = np.stack([one.x + around * np.cos(turns), one.y + around * np.sin(turns), np.zeros(40)], axis=1)
        _outline(shown, sight.project(ring), ODD_COLOUR, unit)
    # Tiles far from the camera first, so that the nearer ones' lines lie over them.
    ranked = sorted(reading.tiles, key=lambda tile: -math.dist((tile.x, tile.y), sight.eye[:2].tolist()))
    for tile in ranked:
        _box(shown, tile, tile_set, sight, unit)
    taken: list[Card] = []
    for tile in reversed(ranked):
        _label(shown, tile, tile_set, sight, unit, taken)
    return shown


def _corners(tile: ReadTile, tile_set: TileSet) -> Array:
    kind = FLAT if tile.state is Fate.FALLEN and not tile.lean else tile.stance.value
    return box_corners(tile, tile_set, kind, math.radians(tile.lean))


def _colour(tile: ReadTile) -> Colour:
    return SURE_COLOUR if tile.confidence >= SURE else UNSURE_COLOUR


def _box(shown: Image, tile: ReadTile, tile_set: TileSet, sight: Sight, unit: float) -> None:
    """The faces of a tile that face the camera."""
    corners = _corners(tile, tile_set)
    middle = corners.mean(axis=0)
    for face in corners[FACE_CORNERS]:
        outward = face.mean(axis=0) - middle
        if outward @ (sight.eye - face.mean(axis=0)) > 0:
            _outline(shown, sight.project(face), _colour(tile), unit)


def _outline(shown: Image, spots: Array, colour: Colour, unit: float) -> None:
    """A closed line with a pale rim, so that it shows on dark and on bright ground."""
    if not np.isfinite(spots).all() or np.abs(spots).max() > 1e5:
        return
    points = fixed_point(spots).reshape(-1, 1, 2)
    for ink, width in ((PAPER, 4.0), (colour, 2.0)):
        cv2.polylines(shown, [points], True, ink, max(1, round(width * unit)), cv2.LINE_AA, SUBPIXEL_BITS)


def _label(shown: Image, tile: ReadTile, tile_set: TileSet, sight: Sight, unit: float, taken: list[Card]) -> None:
    """The value on a small card beyond one end of the tile, where no neighbour is; from afar a line leads there."""
    corners = _corners(tile, tile_set)
    spots, (one, two) = sight.project(corners), sight.project(_across(tile, corners))
    if not np.isfinite(spots).all():
        return
    text, size = str(tile.value), 0.6 * unit
    (width, height), _below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    pad = round(4 * unit)
    wide, high = width + 2 * pad, height + 2 * pad
    way = (two - one) / max(float(np.linalg.norm(two - one)), 1e-6)
    if (way[0], way[1]) < (0.0, 0.0):  # always to the same side, so that the values of a row stand in a row
        way = -way
    end = one + way * float(((spots - one) @ way).max())
    x, y = end + way * (pad + 0.5 * np.array([wide, high]))
    card = _free_card(round(x - wide / 2), round(y - high / 2), (wide, high), shown.shape, taken)
    taken.append(card)
    left, top = card[:2]
    middle, tip = (left + wide // 2, top + high // 2), (round(float(end[0])), round(float(end[1])))
    if math.dist(middle, tip) > 1.5 * wide:
        cv2.line(shown, middle, tip, _colour(tile), max(1, round(1.5 * unit)), cv2.LINE_AA)
    cv2.rectangle(shown, (left, top), (left + wide, top + high), PAPER, -1)
    cv2.rectangle(shown, (left, top), (left + wide, top + high), _colour(tile), max(1, round(1.5 * unit)))
    cv2.putText(shown, text, (left + pad, top + high - pad), cv2.FONT_HERSHEY_SIMPLEX, size, INK, 1, cv2.LINE_AA)


def _across(tile: ReadTile, corners: Array) -> Array:
    """Two points (2, 3) along the tile's breadth, at half its height."""
    yaw, middle = math.radians(tile.yaw), corners.mean(axis=0)
    return np.array([middle, middle + np.array([-math.sin(yaw), math.cos(yaw), 0.0])])


def _free_card(left: int, top: int, size: tuple[int, int], shape: tuple[int, ...], taken: list[Card]) -> Card:
    """The nearest place for a card of that size, on the picture and on no other card."""
    wide, high = size
    steps = [(x, y) for y in range(-5, 6) for x in range(-5, 6)]
    for x, y in sorted(steps, key=lambda step: (math.hypot(*step), step[1])):
        one = min(max(left + x * wide // 2, 0), max(0, shape[1] - wide - 1))
        two = min(max(top + y * high // 2, 0), max(0, shape[0] - high - 1))
        if all(abs(one - card[0]) > (wide + card[2]) // 2 or abs(two - card[1]) > high for card in taken):
            return one, two, wide, high
    return left, top, wide, high
