"""Follows a known row from picture to picture: only where its tiles are is looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from physics.outcome import Fate
from physics.tiles import TileSet
from vision.camera.mat import MatView
from vision.reader.boxes import corners_of, shapes_of
from vision.reader.candidates import Candidates
from vision.reader.choose import Choice
from vision.reader.final_fit import polish
from vision.reader.reader import tiles_of
from vision.reader.reading import ReadTile
from vision.reader.straightened import part_around


@dataclass(frozen=True, slots=True)
class TrackRules:
    """How a known row is measured again."""

    min_score: float = 0.5  # mean score of a tile's edges from which on they say where it is
    # px within which edges pull a tile that is about in its place
    passes: tuple[tuple[float, ...], ...] = ((2.5, 2.0, 1.5),)
    max_shift: float = 2.0  # mm by which a tile may be found beside where it was


TRACK_RULES = TrackRules()


Image = npt.NDArray[np.uint8]


def track(image: Image, view: MatView, known: Sequence[ReadTile], tile_set: TileSet) -> tuple[ReadTile, ...] | None:
    """The known tiles measured anew in a picture (height, width, 3; RGB) in which nothing else has changed.

    A tile whose edges hardly show stays where it was. None when one has moved, or did not stand.
    """
    if any(tile.state is not Fate.STANDING for tile in known):
        return None
    if not known:
        return ()
    shapes = shapes_of(tile_set)
    index = {(shape.value, shape.stance): k for k, shape in enumerate(shapes)}
    which = np.array([index[tile.value, tile.stance.value] for tile in known], np.intp)
    poses = np.array([(tile.x, tile.y, math.radians(tile.yaw), 0.0) for tile in known])
    boxes = Candidates(shapes, which, poses, np.zeros(len(known)))
    part = part_around(image, view, corners_of(poses, boxes.sizes).reshape(-1, 3))
    choice = Choice.given(boxes, np.array([tile.confidence for tile in known]))
    fits = polish(part, choice, TRACK_RULES.passes)
    news = tiles_of(fits, view)
    trusted = [fit.score > TRACK_RULES.min_score for fit in fits]
    found = tuple(new if good else old for new, good, old in zip(news, trusted, known, strict=True))
    away = [math.hypot(new.x - old.x, new.y - old.y) for new, old in zip(found, known, strict=True)]
    return found if max(away) < TRACK_RULES.max_shift else None
