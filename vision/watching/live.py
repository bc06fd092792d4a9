"""Reads one picture after another from the same camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.files import check_size
from calibration.lens import Lens
from physics.tiles import TileSet
from vision.camera.mat import MatView, find_mat
from vision.camera.picture_files import PictureError
from vision.reader.reader import read_picture
from vision.reader.reading import ReadTile
from vision.reader.seen_table import SeenTable
from vision.watching.changes import ComparedPicture, Reference, is_unchanged
from vision.watching.track import track

CAMERA_MOVED = 10.0  # mm by which a camera has been moved, beyond what is not known of its place

Image = npt.NDArray[np.uint8]
FindLens = Callable[[tuple[int, int]], Lens | None]


class LiveReader:
    """A reader that remembers: where the camera is, so that a marker may be hidden for a while; and the row, so that
    in a picture where nothing else has changed only the known tiles are measured.

    `lens`: the camera's, or what finds it for pictures of a size in px; without one its focal length is estimated.
    """

    def __init__(self, tile_set: TileSet, lens: Lens | FindLens | None = None, mat: Mat = MAT) -> None:
        self.tile_set = tile_set
        self._find = lens if callable(lens) else None
        self._lens = None if callable(lens) else lens
        self._mat = mat
        self._view: MatView | None = None
        self._last: Reference | None = None  # the last picture in which everything was looked for

    def read(self, compared: ComparedPicture, prior: Sequence[ReadTile] | None = None) -> SeenTable:
        """The tiles in the picture. InputError when the mat was never found in one, or the lens is another one's."""
        picture = compared.picture
        size = (picture.shape[1], picture.shape[0])
        if self._find is not None:
            self._lens, self._find = self._find(size), None
        if self._lens is not None:
            check_size(self._lens, size)
        view, last = self._found(picture), self._last
        if last is not None and _same_place(view, last.seen.view) and is_unchanged(last, compared, self.tile_set):
            tiles = track(picture, view, last.seen.reading.tiles, self.tile_set)
            if tiles is not None:
                return SeenTable(replace(last.seen.reading, tiles=tiles), view)
        reading = read_picture(picture, self._lens, self._mat, tile_set=self.tile_set, prior=prior, view=view)
        seen = SeenTable(reading, view)
        self._last = Reference(seen, compared.small(view.sight))
        return seen

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
    """Whether the camera has not been moved between the two, as far as they tell."""
    away = float(np.linalg.norm(one.sight.eye - other.sight.eye))
    # An estimated lens is wrong in the same way each time.
    return away < CAMERA_MOVED + 2 * sum(view.eye_doubt for view in (one, other) if not view.estimated)
