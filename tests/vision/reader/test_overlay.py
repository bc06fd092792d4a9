"""A reading over its picture: boxes where the tiles are, doubt in another colour, nothing elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.lens import Lens
from physics.outcome import Fate
from physics.tiles import Stance, load_set
from vision.camera.pose import looking_at
from vision.reader.overlay import ODD_COLOUR, SURE_COLOUR, UNSURE_COLOUR, Colour, Image, draw_reading
from vision.reader.reading import Reading, ReadTile, Unexplained
from vision.reader.seen_table import box_corners

SET = load_set("evaluation")
SIGHT = looking_at(Lens(1280, 960, 1300.0, 1300.0, 639.5, 479.5), (0.0, 0.0), 700.0, 0.6, -1.4, 0.0)
PAPER = np.full((960, 1280, 3), 128, np.uint8)
TILE = ReadTile(9, 10.0, -5.0, 30.0, Stance.UPRIGHT, Fate.STANDING, (0.3, 0.3, 0.5), 0.98)


def drawn(*tiles: ReadTile, unexplained: tuple[Unexplained, ...] = ()) -> Image:
    return draw_reading(PAPER, Reading(tiles, unexplained, 0.2), SIGHT, SET)


def inked(picture: Image, colour: Colour) -> npt.NDArray[np.float64]:
    """Where the picture has that colour, or nearly."""
    return np.argwhere(np.abs(picture.astype(int) - colour).max(axis=2) < 30)[:, ::-1].astype(float)


def test_the_box_is_drawn_where_the_tile_is_and_the_picture_stays() -> None:
    picture = drawn(TILE)
    assert (PAPER == 128).all()
    spots = inked(picture, SURE_COLOUR)
    corners = SIGHT.project(box_corners(TILE, SET))
    for corner in corners[box_corners(TILE, SET)[:, 2] > 0]:  # all four of the top are seen
        assert np.linalg.norm(spots - corner, axis=1).min() < 4
    changed = np.argwhere((picture != PAPER).any(axis=2))[:, ::-1]
    low, high = corners.min(axis=0) - 40, corners.max(axis=0) + 40
    assert (changed >= low).all() and (changed <= high).all()


def test_doubt_and_the_unexplained_have_colours_of_their_own() -> None:
    assert len(inked(drawn(TILE), UNSURE_COLOUR)) == 0
    assert len(inked(drawn(replace(TILE, confidence=0.6)), UNSURE_COLOUR)) > 100
    odd = drawn(unexplained=(Unexplained(60.0, 20.0, 400.0),))
    centre = SIGHT.project(np.array([60.0, 20.0, 0.0]))
    assert np.linalg.norm(inked(odd, ODD_COLOUR).mean(axis=0) - centre) < 5


def test_a_fallen_tile_lies_and_one_at_the_edge_is_no_trouble() -> None:
    lying = drawn(replace(TILE, state=Fate.FALLEN))
    assert (lying != drawn(TILE)).any()
    far = SIGHT.to_plane(np.array([1279.0, 2.0]))
    assert (drawn(replace(TILE, x=float(far[0]), y=float(far[1]))) != PAPER).any()
