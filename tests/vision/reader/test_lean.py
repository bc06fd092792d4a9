"""Tiles that lean after a push: measured in drawn pictures whose truth is known."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from physics.outcome import Fate
from physics.tiles import Stance, load_set
from vision.camera.mat import MatView, find_mat
from vision.camera.picture_files import Image
from vision.drawing.appearance import random_appearance
from vision.drawing.footage import usual_sight
from vision.drawing.photograph import photograph
from vision.reader.lean import lean_of
from vision.reader.reading import Reading, ReadTile
from vision.reader.seen_table import SeenTable
from vision.training.tables import block_of
from vision.watching.changes import ComparedPicture, Reference, judged, small_picture

SET = load_set("evaluation")
NINE = ReadTile(9, 10.0, 5.0, 30.0, Stance.UPRIGHT, Fate.STANDING, (0.1, 0.1, 0.2), 0.99)
SIZE = np.array([8.5, 34.0, 69.0])
VIEWS = (20.0, 40.0)  # degrees off vertical


@cache
def table(off: float, lean: float | None) -> tuple[Image, MatView]:
    """A picture of the tile with that lean and a foot that slid 1 mm, or of the empty mat; and its view."""
    sight = usual_sight((960, 720), 600.0, off)
    pose = np.array([NINE.x + 0.8, NINE.y + 0.5, math.radians(NINE.yaw), math.radians(lean or 0.0)])
    blocks = [] if lean is None else [block_of(pose, SIZE)]
    picture = photograph(blocks, sight, random_appearance("daylight", np.random.default_rng(4)), 1).image
    return picture, find_mat(picture, sight.lens)


@pytest.mark.parametrize(
    ("off", "lean", "state"),
    [
        (VIEWS[0], 4.0, Fate.LEANING),
        (VIEWS[0], -15.0, Fate.FALLEN),
        (VIEWS[1], 4.0, Fate.LEANING),
        (VIEWS[1], -15.0, Fate.FALLEN),
        (VIEWS[1], 0.0, Fate.STANDING),
    ],
)
def test_a_lean_is_measured(off: float, lean: float, state: Fate) -> None:
    found = lean_of(*table(off, lean), NINE, SET)
    assert found is not None
    assert found.lean == pytest.approx(lean, abs=1.5)
    assert abs(found.lean - lean) < 3 * found.lean_sigma < 6.0
    assert found.state is state
    assert math.hypot(found.x - NINE.x - 0.8, found.y - NINE.y - 0.5) < 1.5


def test_nothing_leans_where_nothing_is() -> None:
    assert lean_of(*table(VIEWS[1], None), NINE, SET) is None


@pytest.mark.parametrize(("lean", "state"), [(4.0, Fate.LEANING), (-15.0, Fate.FALLEN), (None, None)])
def test_a_tile_that_leans_is_told_as_such(lean: float | None, state: Fate | None) -> None:
    before, view = table(VIEWS[1], 0.0)
    reference = Reference(SeenTable(Reading((NINE,), (), 0.1), view), small_picture(before, view.sight))
    after, _ = table(VIEWS[1], lean)
    found = judged(reference, SeenTable(Reading((), (), 0.1), view), ComparedPicture(after), SET).reading.tiles
    assert [tile.state for tile in found] == ([] if state is None else [state])
    assert all(tile.lean == pytest.approx(lean, abs=1.5) and tile.lean_sigma > 0 for tile in found)


def test_a_tile_that_stands_as_before_is_told_as_before() -> None:
    picture, view = table(VIEWS[1], 0.0)
    reference = Reference(SeenTable(Reading((NINE,), (), 0.1), view), small_picture(picture, view.sight))
    found = judged(reference, SeenTable(Reading((), (), 0.1), view), ComparedPicture(picture), SET)
    assert found.reading.tiles == (NINE,)
