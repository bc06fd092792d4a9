"""Pictures of moments: what is painted is where the camera says, lit, shaded and numbered."""

from __future__ import annotations

import math

import numpy as np
import pytest

from physics.errors import MissingError
from physics.line import straight
from physics.pose import leaning_pose, standing_pose
from physics.scene import Scene
from physics.tiles import load_set
from physics.trajectory import Trajectory
from vision import opencv
from vision.drawing.film_camera import Camera, camera_for, camera_path, corners_of
from vision.drawing.render import Image, render, tile_colours

SIZE = (480, 270)
SCENE = Scene(straight(load_set("evaluation"), [5, 7, 9], 0.02))
BOXES = SCENE.line.standing()


def motion_of(scene: Scene) -> Trajectory:
    """Two moments: standing, and all leaning forward by 60°, as fast as the row is long."""
    boxes = scene.line.standing()
    start = [standing_pose(box) for box in boxes]
    end = [leaning_pose(box, 0.0, math.radians(60)) for box in boxes]
    places = np.array([[pose.position for pose in poses] for poses in (start, end)])
    turns = np.array([[pose.quaternion for pose in poses] for poses in (start, end)])
    return Trajectory.whole(np.array([0.0, 1.0]), places, turns, np.zeros_like(places))


MOTION = motion_of(SCENE)
CAMERA = camera_for(SCENE, MOTION, SIZE)


def picture(moment: int = 0, values: tuple[int, ...] = SCENE.line.values) -> Image:
    return render(BOXES, values, MOTION.positions[moment], MOTION.quaternions[moment], CAMERA, SIZE)


def empty() -> Image:
    return render(BOXES, SCENE.line.values, MOTION.positions[0] + [90.0, 0, 0], MOTION.quaternions[0], CAMERA, SIZE)


def test_a_camera_projects_as_the_formula_says() -> None:
    camera = Camera((0.0, -1.0, 0.0), math.pi / 2, 0.0, (0.0, 0.0, 1.0), 1.0, field=math.radians(90))
    # One metre away, half a metre to the right and a quarter up: the frame is two metres high there.
    assert camera.project(np.array([0.5, 0.0, 0.25]), (400, 200)) == pytest.approx([250.0, 75.0, 1.0])


def test_the_table_homography_agrees_with_the_projection() -> None:
    x, y, w = CAMERA.table_to_picture(SIZE) @ [0.03, -0.02, 1.0]
    assert (x / w, y / w) == pytest.approx(tuple(CAMERA.project(np.array([0.03, -0.02, 0.0]), SIZE)[:2]))


def test_the_whole_run_is_in_the_picture_and_fills_it() -> None:
    seen = CAMERA.project(corners_of(BOXES, MOTION.positions, MOTION.quaternions), SIZE)[..., :2].reshape(-1, 2)
    assert (seen >= 0).all() and (seen <= SIZE).all()
    share = (seen.max(axis=0) - seen.min(axis=0)) / SIZE
    assert share.max() == pytest.approx(0.9, abs=0.01)


def test_a_picture_is_of_the_size_and_not_blank() -> None:
    found = picture()
    assert found.shape == (270, 480, 3) and found.dtype == np.uint8
    assert found.std() > 15
    assert np.array_equal(found, picture())


@pytest.mark.parametrize("moment", [0, 1])
def test_tiles_are_where_the_projection_says(moment: int) -> None:
    changed = np.abs(picture(moment).astype(int) - empty()).max(axis=2) > 40
    hue = np.argmax(tile_colours(SCENE.line.values), axis=1)
    for tile, (x, y, _away) in enumerate(CAMERA.project(MOTION.positions[moment], SIZE)):
        assert changed[int(y), int(x)], tile
        # Once they lean, a neighbour may hide a middle.
        assert moment or np.argmax(picture()[int(y), int(x)]) == hue[tile]
    # And nowhere far from them: left of the pushed tile and above all of them the table is bare.
    seen = CAMERA.project(corners_of(BOXES, MOTION.positions[moment], MOTION.quaternions[moment]), SIZE)
    left, top = np.floor(seen[..., :2].min(axis=(0, 1))).astype(int) - 2
    assert not changed[:, : max(left, 0)].any() and not changed[: max(top, 0)].any()


def test_what_is_nearer_hides_what_is_behind() -> None:
    places, turns = MOTION.positions[0].copy(), MOTION.quaternions[0]
    eye = np.array(CAMERA.eye)
    places[0] = places[2] + 0.25 * (eye - places[2])
    x, y, _away = CAMERA.project(places[0], SIZE)
    for order in ([0, 1, 2], [2, 1, 0]):
        boxes, values = [BOXES[i] for i in order], [SCENE.line.values[i] for i in order]
        found = render(boxes, values, places[order], turns[order], CAMERA, SIZE)[int(y) + 8, int(x)].astype(int)
        assert np.argmax(found) == np.argmax(tile_colours(SCENE.line.values)[0])


def test_a_tile_darkens_the_table_beside_it() -> None:
    box, light = BOXES[2], CAMERA.light
    # Where the lamp's ray over the middle of the last tile's upper edge meets the table, half the way back.
    foot = np.array([box.x, box.y, 0.0]) - 0.6 * box.height * np.array([light[0], light[1], 0.0]) / light[2]
    x, y, _away = CAMERA.project(foot, SIZE)
    with_tile, without = picture()[int(y), int(x)].mean(), empty()[int(y), int(x)].mean()
    assert with_tile < 0.8 * without
    # Towards the lamp nothing is dark.
    lit = np.array([BOXES[0].x, BOXES[0].y, 0.0]) + BOXES[0].height * np.array([light[0], light[1], 0.0])
    x, y, _away = CAMERA.project(lit, SIZE)
    assert picture()[int(y), int(x)].mean() == pytest.approx(empty()[int(y), int(x)].mean(), rel=0.06)


def test_a_tile_shades_the_one_behind_it() -> None:
    # The first tile is lifted towards the lamp, so that all its shadow is on the second, seen or not.
    places = MOTION.positions[0, :2].copy()
    places[0] = places[1] + 0.06 * np.array(CAMERA.light)
    turns = MOTION.quaternions[0, :2]
    shaded = render(BOXES[:2], [7, 7], places, turns, CAMERA, SIZE).astype(int)
    places[0] += [0.0, 0.5, 0.0]
    free = render(BOXES[:2], [7, 7], places, turns, CAMERA, SIZE).astype(int)
    x, y, _away = CAMERA.project(places[1] - [BOXES[1].depth / 2, 0.0, 0.0], SIZE)
    assert shaded[int(y), int(x)].sum() < 0.8 * free[int(y), int(x)].sum()


def test_values_are_painted_on_the_faces() -> None:
    one, other = picture(1, (5, 7, 9)), picture(1, (5, 8, 9))
    changed = np.abs(one.astype(int) - other).max(axis=2) > 60
    assert 20 < changed.sum() < 0.1 * changed.size
    rows, columns = np.nonzero(changed)
    seen = CAMERA.project(corners_of(BOXES, MOTION.positions[1], MOTION.quaternions[1])[1], SIZE)
    assert columns.min() >= seen[:, 0].min() - 1 and columns.max() <= seen[:, 0].max() + 1
    assert rows.min() >= seen[:, 1].min() - 1 and rows.max() <= seen[:, 1].max() + 1


def test_a_tile_under_the_table_is_hidden_by_it() -> None:
    places = MOTION.positions[0] - [0.0, 0.0, 0.2]
    hidden = render(BOXES, SCENE.line.values, places, MOTION.quaternions[0], CAMERA, SIZE, (4.0, 4.0))
    away = places + np.array([90.0, 0.0, 0.0])
    bare = render(BOXES, SCENE.line.values, away, MOTION.quaternions[0], CAMERA, SIZE, (4.0, 4.0))
    assert np.array_equal(hidden, bare)


def test_a_long_row_is_followed_from_its_pushed_end_on() -> None:
    count = 120
    scene = Scene(straight(load_set("classic"), [1] * count, 0.02))
    still = motion_of(scene)
    times = np.linspace(0, 6, 61)
    # Tile k falls at k / 20 s.
    fallen = times[:, None] * 20 >= np.arange(count)[None, :]
    places = np.where(fallen[..., None], still.positions[1], still.positions[0])
    turns = np.where(fallen[..., None], still.quaternions[1], still.quaternions[0])
    motion = Trajectory.whole(times, places, turns, np.zeros_like(places))
    cameras = camera_path(scene, motion, times, SIZE)
    for index in (15, 30, 45):
        front = places[index, fallen[index].sum() - 1]
        x, y, _away = cameras[index].project(front, SIZE)
        assert 0.25 * SIZE[0] < x < 0.75 * SIZE[0] and 0.25 * SIZE[1] < y < 0.75 * SIZE[1]
    steps = np.linalg.norm(np.diff([camera.eye for camera in cameras], axis=0), axis=1)
    assert steps.max() < 1.3 * np.median(steps)
    assert len(set(camera_path(SCENE, MOTION, times, SIZE))) == 1


def test_colours_go_with_the_value_or_along_a_row_of_equals() -> None:
    assert tile_colours([3, 5, 3])[0] == tile_colours([3, 5, 3])[2]
    assert len(set(tile_colours([1, 1, 1]))) == 3


def test_without_opencv_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencv, "HAS_CV2", False)
    with pytest.raises(MissingError, match=r"opencv-python.*extra vision"):
        picture()
