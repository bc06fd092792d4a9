"""Falls on film: a simulated one is painted as a camera would see it, and its times are read off the pictures."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from physics.engine import Settings, engine
from physics.line import straight
from physics.outcome import Outcome
from physics.scene import Finger, Scene
from physics.tiles import equal_tiles
from vision.camera.picture_files import Image
from vision.camera.pose import Sight
from vision.drawing.blocks import Block
from vision.drawing.footage import moment, usual_sight
from vision.reader.reading import ReadTile
from vision.watching.fall_times import FallFilm

ROW = Scene(
    straight(equal_tiles(height=0.048, width=0.024, thickness=0.0075), [1] * 7, 0.018), push=Finger(end="first")
)
RATE = 120.0
PAPER, WOOD = (224, 224, 224), (150, 105, 60)
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2


@pytest.fixture(scope="module")
def fall() -> Outcome:
    return engine("bullet").run([ROW], Settings(step=1e-3, record=2e-3, to_rest=True))[0]


def painted(blocks: list[Block], sight: Sight) -> Image:
    """The tiles from far to near, without light or shade."""
    picture = np.full((sight.lens.height, sight.lens.width, 3), PAPER, np.uint8)
    for block in sorted(blocks, key=lambda block: -float(np.linalg.norm(sight.eye - block.centre))):
        corners = np.array(block.centre) + (CORNERS * block.size) @ block.turn.T
        hull = cv2.convexHull(np.round(16 * sight.project(corners)).astype(np.int32))
        cv2.fillConvexPoly(picture, hull, WOOD, cv2.LINE_AA, 4)
    return picture


@pytest.mark.parametrize(("off", "turn"), [(25.0, 0.0), (55.0, 0.0), (30.0, 0.7)])
def test_the_times_are_those_of_the_tipping_angle(fall: Outcome, off: float, turn: float) -> None:
    """As simulated falls have them, wherever the camera is: materials are found by comparing the two."""
    sight, motion = usual_sight((480, 360), off=off), fall.trajectory
    assert motion is not None
    cos, sin = math.cos(turn), math.sin(turn)
    middle = 1e3 * ROW.line.placements[3].x
    place = (-cos * middle, -sin * middle)
    film = FallFilm()
    for time in np.arange(0.0, motion.times[-1], 1 / RATE):
        index = int(np.searchsorted(motion.times, time))
        film.add(float(time), painted(moment(ROW.line, motion, index, turn, place), sight))
    seen = [
        ReadTile(
            tile.value, place[0] + 1e3 * cos * tile.x, place[1] + 1e3 * sin * tile.x, math.degrees(tile.yaw + turn)
        )
        for tile in ROW.line.placements
    ]
    found = film.times(seen, ROW.line.tile_set, sight, ROW.push_order)
    # The finger has brought the first one near its tipping angle before the film begins.
    for time, tipped in list(zip(found, fall.fell_at, strict=True))[1:]:
        assert time is not None and tipped is not None and abs(time - tipped) < 0.01


def test_tiles_that_stay_have_no_time() -> None:
    sight, film = usual_sight((480, 360)), FallFilm()
    tiles = [ReadTile(1, 0.0, 0.0), ReadTile(1, 30.0, 0.0)]
    assert film.times(tiles, ROW.line.tile_set, sight, (0, 1)) == (None, None)
    for index in range(5):
        film.add(index / RATE, np.full((360, 480, 3), PAPER, np.uint8))
    assert film.times(tiles, ROW.line.tile_set, sight, (0, 1)) == (None, None)
