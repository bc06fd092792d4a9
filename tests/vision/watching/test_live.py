"""One picture after another: a known row is followed, and what changes is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

import vision.watching.live
from calibration.board import MAT
from physics.outcome import Fate
from physics.tiles import load_set
from vision.camera.mat import find_mat
from vision.drawing.blocks import Block, blocks_of
from vision.drawing.photograph import Image, photograph
from vision.drawing.scenes import Setup, random_setup
from vision.reader.reader import read_picture
from vision.reader.reading import Reading
from vision.watching.changes import ComparedPicture
from vision.watching.live import LiveReader
from vision.watching.track import track

SET = load_set("evaluation")


@pytest.fixture(scope="module")
def setup() -> Setup:
    """Four tiles, all of them well seen."""
    return random_setup(33, 38, size=(1280, 960), off=(20.0, 30.0), count=4)


def picture_of(setup: Setup, blocks: list[Block] | None = None, tags: tuple[int | None, ...] = ()) -> Image:
    """The table as it is, or with these blocks on it."""
    found = blocks_of(setup.scene) if blocks is None else blocks
    return photograph(found, setup.sight, setup.appearance, setup.seed, tags=tags).image


def test_a_known_row_is_followed(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = LiveReader(SET, setup.sight.lens)
    picture = picture_of(setup)
    first = reader.read(ComparedPicture(picture)).reading
    assert sorted(first.order) == sorted(p.value for p in setup.scene.line.placements)
    calls: list[Reading] = []

    def counted(*args: Any, **more: Any) -> Reading:
        calls.append(read_picture(*args, **more))
        return calls[-1]

    monkeypatch.setattr(vision.watching.live, "read_picture", counted)
    noise = np.random.default_rng(1).normal(0, 2, picture.shape)
    again = reader.read(ComparedPicture(np.clip(picture + noise, 0, 255).astype(np.uint8))).reading
    assert not calls and again.order == first.order
    for one, two in zip(first.tiles, again.tiles, strict=True):
        assert np.hypot(one.x - two.x, one.y - two.y) < 0.3
    fewer = reader.read(ComparedPicture(picture_of(setup, blocks_of(setup.scene)[:-1]))).reading
    assert calls and len(fewer.tiles) == len(first.tiles) - 1


def test_the_place_by_four_markers_is_better_than_that_by_one(setup: Setup) -> None:
    reader, picture = LiveReader(SET, setup.sight.lens), picture_of(setup)
    whole = reader.read(ComparedPicture(picture)).view
    for marker in MAT.markers[1:]:
        cv2.fillConvexPoly(picture, np.rint(setup.sight.project(marker.corners)).astype(np.int32), (150, 110, 80))
    alone = find_mat(picture, setup.sight.lens)
    assert alone.seen == (0,) and whole.seen == (0, 1, 2, 3)
    assert alone.eye_doubt > 2 * whole.eye_doubt
    assert reader.read(ComparedPicture(picture)).view is whole


def test_a_known_tile_is_measured_anew(setup: Setup) -> None:
    picture = picture_of(setup)
    seen = LiveReader(SET, setup.sight.lens).read(ComparedPicture(picture))
    tiles = seen.reading.tiles
    nudged = (replace(tiles[0], x=tiles[0].x + 0.5), *tiles[1:])
    found = track(picture, seen.view, nudged, SET)
    assert found is not None and abs(found[0].x - tiles[0].x) < 0.25
    assert track(picture, seen.view, (replace(tiles[0], state=Fate.FALLEN),), SET) is None
    assert track(picture, seen.view, (), SET) == ()


def test_what_is_written_on_a_tile_decides() -> None:
    setup = random_setup(33, 0, size=(1280, 960), off=(20.0, 30.0), count=4)
    true = [placement.value for placement in setup.scene.line.placements]
    tagged = max(value for value in true if value < 11 and value + 1 not in true)
    tags = tuple(value + 1 if value == tagged else None for value in true)
    reading = read_picture(picture_of(setup, tags=tags), setup.sight.lens, tile_set=SET)
    assert sorted(reading.order) == sorted(value + (value == tagged) for value in true)
