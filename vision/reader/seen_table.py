"""A table as one picture shows it, and where in the picture each of its tiles is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from physics.outcome import Fate
from physics.tiles import Stance, TileSet
from vision.camera.mat import MatView
from vision.camera.pose import Sight
from vision.reader.boxes import FLAT, corners_of, shapes_of
from vision.reader.reading import Reading, ReadTile

Array = npt.NDArray[np.float64]
Outline = tuple[tuple[float, float], ...]
"""Corners as shares of the picture's width and height, from its upper left corner."""


@dataclass(frozen=True)
class SeenTable:
    """What one picture of the table says, and from where it was taken."""

    reading: Reading
    view: MatView


def outline(tile: ReadTile, tile_set: TileSet, sight: Sight) -> Outline:
    """Where in the picture the tile is."""
    kind = FLAT if tile.state is Fate.FALLEN and not tile.lean else tile.stance.value
    found = box_corners(tile, tile_set, kind, math.radians(tile.lean))
    spots = sight.project(found).astype(np.float32)
    hull = cv2.convexHull(spots).reshape(-1, 2)
    size = np.array([sight.lens.width, sight.lens.height])
    return tuple((float(x), float(y)) for x, y in (hull + 0.5) / size)


def box_corners(tile: ReadTile, tile_set: TileSet, kind: str | None = None, lean: float = 0.0) -> Array:
    """The corners (8, 3) of a tile's box on the mat, mm; the lean in rad."""
    kind = kind or tile.stance.value
    stances = (FLAT,) if kind == FLAT else (Stance.UPRIGHT.value, Stance.SIDE.value)
    shape = next(one for one in shapes_of(tile_set, stances) if (one.value, one.stance) == (tile.value, kind))
    pose = np.array([[tile.x, tile.y, math.radians(tile.yaw), lean]])
    found: Array = corners_of(pose, np.array([shape.size]))[0]
    return found


def smallest_box(points: Array) -> tuple[float, float, float, float, float]:
    """The smallest box around points (n, 2): its middle, its width and height, and how it is turned, rad."""
    (x, y), (wide, high), turn = cv2.minAreaRect(points.astype(np.float32))
    return float(x), float(y), float(wide), float(high), math.radians(turn)
