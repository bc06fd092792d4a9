"""The printed mat: where its markers are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Marker:
    """One printed marker, its upper edge away from the reader; mm."""

    id: int
    x: float  # of its centre
    y: float
    size: float  # side of the black square

    @property
    def corners(self) -> Array:
        """Its corners (4, 3) on the mat, clockwise from the upper left, mm."""
        half = self.size / 2
        return np.array([(self.x + a * half, self.y + b * half, 0.0) for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))])


@dataclass(frozen=True, slots=True)
class Mat:
    """What a table file says: the markers of the table and their dictionary; the size of the white sheet, mm."""

    dictionary: str
    markers: tuple[Marker, ...]
    size: tuple[float, float]


MAT = Mat(
    "DICT_4X4_50",
    tuple(
        Marker(i, x, y, 40.0) for i, (x, y) in enumerate([(-180, 118.5), (180, 118.5), (180, -118.5), (-180, -118.5)])
    ),
    (420.0, 297.0),
)
