"""Stickers on tiles: found in drawn pictures, read on known tops, and not seen where there are none."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.board import MAT
from calibration.lens import Lens
from calibration.stickers import marker_side, sticker_side
from physics.tiles import equal_tiles, load_set
from vision.camera.pose import Sight, looking_at
from vision.drawing.appearance import random_appearance
from vision.drawing.blocks import Block
from vision.drawing.photograph import Shot, photograph
from vision.reader.boxes import Shape, shapes_of
from vision.reader.tags import SQUARE, Tag, find_tags, read_top, tag_on_top

SET = load_set("evaluation")
SHAPES = {(shape.value, shape.stance): shape for shape in shapes_of(SET)}
# The middle of a picture of 1280 × 960, through a lens that bends it.
LENS = Lens(720, 540, 1312.0, 1312.0, 359.5, 269.5, (-0.1, 0.03, 0.0, 0.0, 0.0))
APPEARANCE = random_appearance("daylight", np.random.default_rng(4))
STANDING = [(11, "upright"), (1, "upright"), (9, "side"), (3, "upright"), (7, "upright"), (2, "side"), (5, "upright")]
POSES = [(-96.0 + 31 * k, 14.0 * (-1) ** k, 0.3 - 0.2 * k, 0.0) for k in range(len(STANDING))]
BOXES = [SHAPES[each] for each in STANDING]


def sight_from(distance: float, off: float = 0.35) -> Sight:
    return looking_at(LENS, (0.0, 0.0), distance, off, -1.2, 0.05)


def block(shape: Shape, pose: tuple[float, float, float, float]) -> Block:
    x, y, yaw, _ = pose
    return Block(shape.size, (x, y, shape.height / 2), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))


@cache
def taken(distance: float, stickers: bool) -> Shot:
    blocks = [block(shape, pose) for shape, pose in zip(BOXES, POSES, strict=True)]
    # The printed figures are no stickers.
    appearance = APPEARANCE if stickers else replace(APPEARANCE, marks=0.6)
    return photograph(
        blocks, sight_from(distance), appearance, 5, tags=[shape.value for shape in BOXES] if stickers else ()
    )


def on_top(shape: Shape, pose: tuple[float, float, float, float], half: float, sight: Sight) -> np.ndarray:
    """The corners of a square in the middle of a top, px, from the upper left one on as its box is turned."""
    x, y, yaw, _ = pose
    turn = np.array([(math.cos(yaw), math.sin(yaw)), (-math.sin(yaw), math.cos(yaw))])
    return sight.project(np.column_stack([half * SQUARE @ turn + (x, y), np.full(4, shape.height)]))


def test_large_tags_are_found_where_they_are() -> None:
    sight = sight_from(450.0)
    found = find_tags(taken(450.0, True).image, sight, SET)
    assert {11, 9, 7, 5} <= {tag.value for tag in found} <= {shape.value for shape in BOXES}
    for tag in found:
        tops = [tag_on_top(tag, pose, shape.size, sight) for shape, pose in zip(BOXES, POSES, strict=True)]
        assert tops == [shape.value == tag.value for shape in BOXES]
        shape, pose = next((s, p) for s, p in zip(BOXES, POSES, strict=True) if s.value == tag.value)
        true = on_top(shape, pose, marker_side(SET[tag.value]) / 2, sight)
        assert np.abs(tag.corners - true).max() < 2.0


@pytest.mark.parametrize("distance", [450.0, 700.0])
def test_small_tags_are_read_on_known_tops(distance: float) -> None:
    sight, rng, read = sight_from(distance), np.random.default_rng(2), 0
    for shape, pose in zip(BOXES, POSES, strict=True):
        side = sticker_side(SET[shape.value])
        wide = math.sqrt(cv2.contourArea(on_top(shape, pose, side / 2, sight).astype(np.float32)))
        near = np.array(pose) + rng.normal(0, (0.3, 0.3, 0.01, 0))
        tag = read_top(taken(distance, True).image, sight, near, shape.size, SET)
        if wide >= 9:
            assert tag is not None
            read += 1
        assert tag is None or tag.value == shape.value
        if tag is not None:
            true = on_top(shape, pose, marker_side(SET[shape.value]) / 2, sight)
            assert np.abs(tag.corners - true).max() < 1.0
            assert tag_on_top(tag, pose, shape.size, sight)
    assert read >= (7 if distance < 500 else 4)


def test_a_tile_taken_for_its_neighbour_is_told_by_its_tag() -> None:
    sight = sight_from(450.0)
    for wrong, pose, shape in zip([10, 2, 10, 4, 8, 3, 4], POSES, BOXES, strict=True):
        size = SHAPES[wrong, shape.stance].size
        seen = on_top(shape, pose, 0.0, sight)[:1]
        x, y = sight.to_plane(seen, size[2])[0].tolist()
        tag = read_top(taken(450.0, True).image, sight, (x, y, *pose[2:]), size, SET)
        assert tag is not None and tag.value == shape.value


def test_nothing_is_read_where_there_are_no_tags() -> None:
    sight, shot = sight_from(450.0), taken(450.0, False)
    assert find_tags(shot.image, sight, SET) == ()
    for shape, pose in zip(BOXES, POSES, strict=True):
        assert read_top(shot.image, sight, pose, shape.size, SET) is None
    far = (900.0, 0.0, 0.0, 0.0)
    assert read_top(shot.image, sight, far, BOXES[0].size, SET) is None


def test_markers_of_a_mat_are_no_tags() -> None:
    markers = tuple(replace(marker, id=11 + k, x=marker.x / 2, y=marker.y / 2) for k, marker in enumerate(MAT.markers))
    mat, sight = replace(MAT, markers=markers), sight_from(700.0, 0.1)
    image = photograph([], sight, APPEARANCE, 1, mat=mat).image
    seen = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)).detectMarkers(image)[1]
    assert set(np.ravel(seen).tolist()) == {11, 12, 13, 14}
    assert find_tags(image, sight, SET, mat) == ()


def test_only_values_of_the_set_are_found() -> None:
    few = replace(SET, tiles=SET.tiles[:10], copies=SET.copies[:10])
    sight, shot = sight_from(450.0), taken(450.0, True)
    assert 11 not in {tag.value for tag in find_tags(shot.image, sight, few)}
    none = replace(few, tiles=(replace(equal_tiles(height=0.05, width=0.02, thickness=0.01).tiles[0], value=400),))
    assert find_tags(shot.image, sight, none) == ()
    assert read_top(shot.image, sight, POSES[0], BOXES[0].size, none) is None


def test_a_tag_must_lie_on_the_top_it_is_said_to() -> None:
    sight, shape, pose = sight_from(450.0), BOXES[0], POSES[0]
    corners = on_top(shape, pose, 4.0, sight)
    assert tag_on_top(Tag(11, corners), pose, shape.size, sight)
    assert not tag_on_top(Tag(11, corners + 25), pose, shape.size, sight)
    assert not tag_on_top(Tag(11, on_top(shape, pose, 12.0, sight)), pose, shape.size, sight)
