"""Stickers that say which tile it is: a small marker for each value, as wide as the tile's top is narrow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.camera import dictionary
from physics.tiles import Tile, TileSet

DICTIONARY = "DICT_4X4_50"  # the mat's own: its markers have the ids below FIRST
FIRST = 10  # the marker of value 0
HALVES = 14  # half cells along a sticker: a marker is 6 cells wide, and its white rim half a cell
LARGEST = 20.0  # mm: more helps nobody

Image = npt.NDArray[np.uint8]


def marker_of(value: int) -> int | None:
    """The id of that value's marker; None when there are not so many."""
    number = FIRST + value
    return number if FIRST <= number < len(dictionary(DICTIONARY).bytesList) else None


def tagged(tile_set: TileSet) -> list[Tile]:
    """The tiles of a set for which there are stickers."""
    return [tile for tile in tile_set.tiles if marker_of(tile.value) is not None]


def sticker_side(tile: Tile) -> float:
    """The side of its sticker with the white rim, mm: it fits on the top of the tile in either stance."""
    return min(1e3 * min(tile.thickness, tile.width, tile.height), LARGEST)


def marker_side(tile: Tile) -> float:
    """The side of the black square on its sticker, mm."""
    return sticker_side(tile) * (HALVES - 2) / HALVES


def sticker(value: int) -> Image:
    """The sticker of a value that has one, a pixel per half cell: 0 black, 255 white."""
    number = marker_of(value)
    assert number is not None
    cells = dictionary(DICTIONARY).generateImageMarker(number, (HALVES - 2) // 2)
    return np.asarray(np.pad(np.kron(cells, np.ones((2, 2), np.uint8)), 1, constant_values=255), np.uint8)
