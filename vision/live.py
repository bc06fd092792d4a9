"""Reads one picture after another from the same camera, and says where in the picture each tile is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.files import check_size
from calibration.lens import Lens
from physics.outcome import Fate
from physics.tiles import Stance, TileSet
from vision.boxes import FLAT, corners_of, shapes_of
from vision.mat import MatView, PictureError, find_mat
from vision.reader import read_picture
from vision.reading import Reading, ReadTile
from vision.settle import TileSeen
from vision.sight import Sight

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
FindLens = Callable[[tuple[int, int]], Lens | None]
Outline = tuple[tuple[float, float], ...]
"""Corners as shares of the picture's width and height, from its upper left corner."""


@dataclass(frozen=True)
class SeenTable:
    """What one picture of the table says, and from where it was taken."""

    reading: Reading
    view: MatView


class LiveReader:
    """A reader that remembers where the camera is: a marker may be hidden for a while.

    `lens`: the camera's, or what finds it for pictures of a size in px; without one its focal length is estimated.
    """

    def __init__(self, tile_set: TileSet, lens: Lens | FindLens | None = None, mat: Mat = MAT) -> None:
        self.tile_set = tile_set
        self._find = lens if callable(lens) else None
        self._lens = None if callable(lens) else lens
        self._mat = mat
        self._view: MatView | None = None

    def read(self, picture: Image, prior: Sequence[ReadTile] | None = None) -> SeenTable:
        """The tiles in the picture. InputError when the mat was never found in one, or the lens is another one's."""
        size = (picture.shape[1], picture.shape[0])
        if self._find is not None:
            self._lens, self._find = self._find(size), None
        if self._lens is not None:
            check_size(self._lens, size)
        view = self._found(picture)
        reading = read_picture(picture, self._lens, self._mat, tile_set=self.tile_set, prior=prior, view=view)
        return SeenTable(reading, view)

    def _found(self, picture: Image) -> MatView:
        """Where the camera is now, or was when more of the markers could be seen."""
        known = self._view
        if known is not None and (known.sight.lens.width, known.sight.lens.height) != picture.shape[1::-1]:
            known = None
        try:
            found = find_mat(picture, self._lens, self._mat)
        except PictureError:
            if known is None:
                raise
            return known
        if known is not None and len(found.seen) < len(known.seen) and _same_place(found, known):
            return known
        self._view = found
        return found


def _same_place(one: MatView, other: MatView) -> bool:
    """Whether the camera has not been moved between the two."""
    return float(np.linalg.norm(one.sight.eye - other.sight.eye)) < 10.0


def outline(tile: ReadTile, tile_set: TileSet, sight: Sight) -> Outline:
    """Where in the picture the tile is."""
    kind = FLAT if tile.state is Fate.FALLEN and not tile.lean else tile.stance.value
    found = box_corners(tile, tile_set, kind, math.radians(tile.lean))
    spots = sight.project(found).astype(np.float32)
    hull = cv2.convexHull(spots).reshape(-1, 2)
    size = np.array([sight.lens.width, sight.lens.height])
    return tuple((float(x), float(y)) for x, y in (hull + 0.5) / size)


def box_corners(tile: TileSeen, tile_set: TileSet, kind: str | None = None, lean: float = 0.0) -> Array:
    """The corners (8, 3) of a tile's box on the mat, mm; the lean in rad."""
    kind = kind or tile.stance.value
    stances = (FLAT,) if kind == FLAT else (Stance.UPRIGHT.value, Stance.SIDE.value)
    shape = next(one for one in shapes_of(tile_set, stances) if (one.value, one.stance) == (tile.value, kind))
    pose = np.array([[tile.x, tile.y, math.radians(tile.yaw), lean]])
    found: Array = corners_of(pose, np.array([shape.size]))[0]
    return found
