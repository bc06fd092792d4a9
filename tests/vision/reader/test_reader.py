"""Tables read from pictures: path-traced ones with known truth, drawn ones, and bad ones."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.board import MAT
from calibration.lens import Lens
from physics.errors import InputError
from physics.tiles import load_set
from vision.camera.mat import find_mat
from vision.camera.picture_files import PictureError, load_picture
from vision.camera.pose import Sight
from vision.drawing.blocks import Block, blocks_of
from vision.drawing.photograph import photograph
from vision.drawing.scenes import random_setup
from vision.proof.comparison import score, trials
from vision.reader.boxes import shapes_of
from vision.reader.final_fit import Fit
from vision.reader.network import network_answer
from vision.reader.reader import _believed, _is_tile, read_picture
from vision.reader.straightened import prepare

DATA = Path(__file__).parent / "data"
SET = load_set("evaluation")


@pytest.mark.parametrize("name", ["table_1", "table_3", "table_5"])
def test_path_traced_tables_are_read(name: str) -> None:
    truth = json.loads((DATA / f"{name}.json").read_text())
    (fx, _, cx), (_, fy, cy), _ = truth["matrix"]
    wide, high = truth["size"]
    lens = Lens(wide, high, fx, fy, cx, cy)
    image = load_picture(DATA / f"{name}.jpg")
    view = find_mat(image, lens)
    true_sight = Sight(lens, np.array(truth["rotation"]), np.array(truth["place"]))
    corners = np.array([(x, y, z) for x in (-100.0, 100.0) for y in (-70.0, 70.0) for z in (0.0, 60.0)])
    assert np.abs(view.sight.project(corners) - true_sight.project(corners)).max() < 0.3
    reading = read_picture(image, lens, tile_set=SET, view=view)
    found = {tile.value: tile for tile in reading.tiles}
    offs = []
    for tile in truth["tiles"]:
        read = found.pop(tile["value"])
        offs.append(math.hypot(read.x - tile["x"], read.y - tile["y"]))
        assert read.stance.value == tile["stance"]
        assert abs(math.remainder(read.yaw - tile["yaw"], 180)) < 1 + 4 * read.sigma[2]
    assert not found
    assert np.median(offs) < 0.3
    assert max(offs) < 1.5


def test_drawn_tables_are_read() -> None:
    done = list(trials(2, 11, off=(0.0, 25.0)))
    assert all(trial.reading is not None and trial.matches and trial.seconds > 0 for trial in done)
    found = score(done)
    assert found.found >= 0.9
    assert found.value >= 0.9
    assert found.false == 0
    assert found.median < 0.3


def test_the_same_seed_gives_the_same_picture() -> None:
    setup = random_setup(3, 1, size=(640, 480))
    one, two = (photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed) for _ in range(2))
    assert (one.image == two.image).all()
    assert one.seen == two.seen
    assert all(0 <= share <= 1 for share in one.seen)


def test_a_tile_hides_what_is_behind_it() -> None:
    setup = random_setup(3, 1, size=(640, 480), off=(40.0, 50.0))
    towards = setup.sight.eye[:2] / np.linalg.norm(setup.sight.eye[:2])
    near = Block((60.0, 60.0, 90.0), (*(40 * towards).tolist(), 45.0))
    far = Block((4.0, 14.0, 20.0), (*(-10 * towards).tolist(), 10.0))
    assert photograph([far], setup.sight, setup.appearance, 1).seen[0] > 0.9
    shares = photograph([near, far], setup.sight, setup.appearance, 1).seen
    assert shares[0] > 0.9
    assert shares[1] < 0.6


def test_the_focal_length_is_estimated_without_a_lens() -> None:
    setup = random_setup(5, 3, off=(35.0, 40.0), bent=False)
    shot = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed)
    view = find_mat(shot.image, None)
    assert view.estimated
    assert abs(view.sight.lens.fx / setup.sight.lens.fx - 1) < 0.03
    known = find_mat(shot.image, setup.sight.lens)
    assert known.error < 0.2
    assert not known.estimated


def test_a_hidden_marker_costs_accuracy_and_says_so() -> None:
    setup = random_setup(5, 3, off=(10.0, 20.0))
    shot = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed)
    whole = find_mat(shot.image, setup.sight.lens)
    covered = shot.image.copy()
    for corner in (2, 3):
        x, y = ((180, -118.5), (-180, -118.5))[corner - 2]
        spot = setup.sight.project(np.array([[x, y, 0.0]]))[0]
        cv2.circle(covered, (round(float(spot[0])), round(float(spot[1]))), 60, (90, 90, 90), -1)
    part = find_mat(covered, setup.sight.lens)
    assert part.seen == (0, 1)
    places = np.array([[0.0, -60.0, 0.0]])
    assert part.place_doubt(places)[0, 1, 1] > whole.place_doubt(places)[0, 1, 1]
    off = part.sight.to_plane(setup.sight.project(places))[0] - places[0, :2]
    assert np.abs(off).max() < 2.0


def test_an_empty_mat_has_no_tiles() -> None:
    setup = random_setup(6, 2, size=(960, 720))
    shot = photograph([], setup.sight, setup.appearance, setup.seed)
    reading = read_picture(shot.image, setup.sight.lens, tile_set=SET)
    assert reading.tiles == ()
    assert reading.as_json()["order"] == []


def test_a_cup_is_unexplained() -> None:
    setup = random_setup(6, 2, size=(960, 720))
    shot = photograph([], setup.sight, setup.appearance, setup.seed)
    image = shot.image.copy()
    spot = setup.sight.project(np.array([[20.0, 10.0, 0.0]]))[0]
    cv2.circle(image, (round(float(spot[0])), round(float(spot[1]))), 70, (30, 60, 170), -1, cv2.LINE_AA)
    reading = read_picture(image, setup.sight.lens, tile_set=SET)
    assert reading.unexplained
    assert math.hypot(reading.unexplained[0].x - 20, reading.unexplained[0].y - 10) < 25


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros((480, 640, 3), np.uint8), "black"),
        (np.full((480, 640, 3), 255, np.uint8), "over-exposed"),
        (np.full((480, 640, 3), 120, np.uint8), "out of focus"),
        (np.zeros((1, 1, 3), np.uint8), "at least"),
    ],
)
def test_bad_pictures_are_refused_with_a_sentence(image: npt.NDArray[np.uint8], words: str) -> None:
    with pytest.raises(PictureError, match=words):
        read_picture(image, tile_set=SET)


def test_a_picture_without_a_mat_is_refused() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8)
    with pytest.raises(PictureError, match="No marker"):
        read_picture(noise, tile_set=SET)


def test_files_that_are_no_pictures_are_refused(tmp_path: Path) -> None:
    whole = (DATA / "table_1.jpg").read_bytes()
    for name, data, words in (
        ("text.jpg", b"this is a text", "not a picture"),
        ("cut.jpg", whole[: len(whole) // 2], "cut off"),
        ("empty.png", b"", "not a picture"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError, match=words):
            load_picture(tmp_path / name)
    with pytest.raises(InputError, match="no file"):
        load_picture(tmp_path / "missing.jpg")
    with pytest.raises(InputError, match="folder"):
        load_picture(tmp_path)


def test_grey_pictures_are_loaded(tmp_path: Path) -> None:
    grey = cv2.imread(str(DATA / "table_1.jpg"), cv2.IMREAD_GRAYSCALE)
    assert grey is not None
    cv2.imwrite(str(tmp_path / "grey.png"), grey)
    assert load_picture(tmp_path / "grey.png").shape == (960, 1280, 3)


def test_a_lens_of_another_shape_is_refused() -> None:
    with pytest.raises(PictureError, match="camera file"):
        read_picture(np.zeros((480, 640, 3), np.uint8), Lens(1280, 720, 1000, 1000, 640, 360), tile_set=SET)


def fit(*, confidence: float, score: float = 1.0, worth: float = 100.0) -> Fit:
    return Fit(shapes_of(SET)[0], np.zeros(4), np.eye(4), confidence, 0.8, score, worth)


def test_a_tile_is_told_though_its_value_is_in_doubt_when_much_speaks_for_it() -> None:
    assert _is_tile(fit(confidence=0.4, worth=200.0), 0.9, False)
    assert not _is_tile(fit(confidence=0.4, worth=20.0), 0.9, False)
    assert _is_tile(fit(confidence=0.9, worth=20.0), 0.9, False)  # as little is enough where it is clear which it is


@pytest.mark.parametrize("worth", [5.0, 20.0, 30.0, 40.0, 100.0])
def test_for_what_is_hardly_seen_more_must_speak(worth: float) -> None:
    """Whatever speaks for it: more of it seen, sharper edges or a game that expects it there never make it less."""

    def is_tile(share: float, score: float = 0.0, is_expected: bool = False) -> bool:
        return _is_tile(fit(confidence=0.9, score=score, worth=worth), share, is_expected)

    assert is_tile(0.4) <= is_tile(0.9)
    assert is_tile(0.4) <= is_tile(0.4, score=1.0)
    assert is_tile(0.4) <= is_tile(0.4, is_expected=True)
    assert not is_tile(0.1) and is_tile(0.1, is_expected=True)  # a tenth of a box is nobody's tile but an expected one


def test_half_hidden_it_takes_more_than_in_full_view() -> None:
    enough_in_view = fit(confidence=0.9, score=0.0, worth=20.0)
    assert _is_tile(enough_in_view, 0.9, False) and not _is_tile(enough_in_view, 0.4, False)
    assert not _is_tile(replace(enough_in_view, worth=25.0), 0.4, False)
    assert _is_tile(replace(enough_in_view, worth=25.0, score=1.0), 0.4, False)  # sharp edges make up for it


def test_a_box_that_is_not_believed_hides_none() -> None:
    setup = random_setup(404, 2, size=(960, 720), count=5, off=(45.0, 50.0))
    picture = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed).image
    frame = prepare(picture, find_mat(picture, setup.sight.lens), MAT, 90.0)
    answer = network_answer(frame)
    small, large = shapes_of(SET)[0], shapes_of(SET)[-2]
    towards = frame.eye[:2] / np.linalg.norm(frame.eye[:2])
    turn = math.atan2(towards[1], towards[0])
    behind = replace(fit(confidence=1.0), shape=small, pose=np.array([0.0, 0.0, turn, 0.0]))
    before = replace(behind, shape=large, pose=np.array([*15.0 * towards, turn, 0.0]))
    assert _believed([behind, before], frame, answer, ()) == [before]
    doubtful = replace(before, confidence=0.1, worth=1.0)
    assert _believed([behind, doubtful], frame, answer, ()) == [behind]
