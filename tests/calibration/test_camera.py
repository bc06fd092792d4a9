"""The lens: a known camera is found again from pictures of the board, and bad sets of views are refused with why."""

from __future__ import annotations

import dataclasses
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import BOARD, ENOUGH_VIEWS, MIN_VIEWS, REGIONS, Collection, View, find_board, fit_camera
from calibration.files import kept_lens, read_lens
from calibration.lens import Lens
from game.cli import main
from game.commands.calibrate_camera import collect
from game.workers.progress import Progress
from physics.errors import InputError
from vision.camera.sources import ProgramSource, Source, Taken
from vision.proof.lens import Pose, board_seen, find_again, random_pose

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]

TRUE = Lens(960, 720, 842.0, 838.5, 492.3, 351.8, (0.08, -0.21, 0.0012, -0.0009, 0.0))


def pose(rng: np.random.Generator, tilt: float) -> Pose:
    return random_pose(rng, tilt, TRUE)


def seen(at: Pose, rng: np.random.Generator, *, blur: float = 0.8) -> Image:
    return board_seen(at, rng, lens=TRUE, blur=blur)


def collected(seed: int, count: int, tilt: float) -> Collection:
    rng = np.random.default_rng(seed)
    found = Collection()
    for _ in range(count):
        view = find_board(seen(pose(rng, tilt), rng))
        assert view is not None
        found = found.with_view(view)
    return found


@pytest.fixture(scope="module")
def good() -> Collection:
    return collected(3, 16, 40.0)


def exact(at: tuple[Array, Array], lens: Lens = TRUE, noise: float = 0.0, seed: int = 0) -> View:
    """A view computed instead of rendered."""
    turn, place = at
    across = BOARD.columns - 1
    ids = np.arange(across * (BOARD.rows - 1), dtype=np.int32)
    points = np.stack([ids % across + 1.0, ids // across + 1.0], axis=1) * BOARD.square
    origin = place - turn @ np.array([*BOARD.outline[2] / 2, 0.0])
    bow = cv2.Rodrigues(turn)[0]

    def projected(flat: Array) -> Array:
        found, _ = cv2.projectPoints(
            np.column_stack([flat, np.zeros(len(flat))]), bow, origin, lens.matrix, np.array(lens.dist)
        )
        return np.asarray(found, float).reshape(-1, 2)

    corners = projected(points) + np.random.default_rng(seed).normal(0, noise, points.shape)
    return View(ids, corners, points, projected(BOARD.outline), 1.0, (lens.width, lens.height))


def test_a_known_camera_is_found_again(good: Collection) -> None:
    fit = fit_camera(good)
    assert fit.lens.fx == pytest.approx(TRUE.fx, rel=0.005)
    assert fit.lens.fy == pytest.approx(TRUE.fy, rel=0.005)
    assert (fit.lens.cx, fit.lens.cy) == pytest.approx((TRUE.cx, TRUE.cy), abs=2.0)
    assert fit.lens.dist[0] == pytest.approx(TRUE.dist[0], abs=0.02)
    assert fit.error <= 0.3
    assert (fit.lens.width, fit.lens.height) == (960, 720)
    assert fit.focal_doubt < 0.005


def test_other_lenses_are_found_again() -> None:
    assert find_again(0).held


def test_the_same_view_again_is_not_kept_and_a_sharper_one_takes_its_place() -> None:
    rng = np.random.default_rng(5)
    turn, place = pose(rng, 30.0)
    soft, sharp = (find_board(seen((turn, place), rng, blur=blur)) for blur in (1.6, 0.7))
    assert soft is not None and sharp is not None and sharp.blur < soft.blur
    once = Collection().with_view(soft)
    assert once.with_view(soft) is once
    assert once.with_view(sharp).views == (sharp,)
    other = find_board(seen((turn, place + np.array([60.0, 0, 0])), rng))
    assert other is not None and len(once.with_view(other).views) == 2


def test_blurred_views_are_not_kept() -> None:
    rng = np.random.default_rng(5)
    turn, place = pose(rng, 20.0)
    blurred = find_board(seen((turn, place), rng, blur=3.2))
    assert blurred is None or Collection().with_view(blurred).views == ()


def test_a_picture_without_the_board_is_no_view() -> None:
    assert find_board(np.zeros((1, 1), np.uint8)) is None
    assert find_board(np.random.default_rng(0).integers(0, 255, (200, 300, 3), np.uint8)) is None


def test_regions_without_views_are_named() -> None:
    assert Collection().lacking() == REGIONS
    small = np.eye(3), np.array([-330.0, -250.0, 900.0])  # in the upper left corner
    found = Collection().with_view(exact(small)).lacking()
    assert "upper left" not in found
    assert {"lower right", "middle right", "lower left"} <= set(found)


def test_too_few_views_are_refused(good: Collection) -> None:
    few = Collection(good.views[: MIN_VIEWS - 1])
    with pytest.raises(InputError, match="needs 8 sharp and different views of the board; there are 7"):
        fit_camera(few)


def test_views_of_one_slant_only_are_refused() -> None:
    """Without tilt the focal length and the distance cannot be told apart."""
    flat = Collection(
        tuple(
            exact((np.eye(3), np.array([x, y, 450.0])), noise=0.05, seed=index)
            for index, (x, y) in enumerate((x, y) for x in (-60.0, 0.0, 60.0) for y in (-40.0, 0.0, 40.0))
        )
    )
    with pytest.raises(InputError, match=r"same slant|leave the focal length open|No lens"):
        fit_camera(flat)


def test_a_bent_sheet_is_refused_by_its_error() -> None:
    rng = np.random.default_rng(9)
    bent = []
    for index in range(12):
        view = exact(pose(rng, 40.0), noise=0.1, seed=index)
        bow = 5.0 * np.sin(view.points[:, :1] / 50.0 + index)
        bent.append(dataclasses.replace(view, corners=view.corners + bow))
    with pytest.raises(InputError, match=r"misses the board's corners by \d\.\d\d px, and at most 0\.77 px"):
        fit_camera(Collection(tuple(bent)))


def test_views_that_make_no_sense_together_are_refused() -> None:
    rng = np.random.default_rng(1)
    view = exact(pose(rng, 40.0))
    nonsense = tuple(dataclasses.replace(view, corners=rng.uniform(0, 700, view.corners.shape)) for _ in range(10))
    with pytest.raises(InputError):
        fit_camera(Collection(nonsense))


def test_pictures_of_two_sizes_are_refused(good: Collection) -> None:
    other = dataclasses.replace(good.views[0], size=(640, 480))
    with pytest.raises(InputError, match="960×720 and 640×480"):
        good.with_view(other)


def test_the_command_fits_a_folder_and_keeps_the_lens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder, out = tmp_path / "views", tmp_path / "camera.toml"
    folder.mkdir()
    rng = np.random.default_rng(12)
    for number in range(10):
        cv2.imwrite(str(folder / f"view_{number}.png"), seen(pose(rng, 40.0), rng))
    (folder / "view_99.png").write_text("no picture")
    assert main(["calibrate", "camera", str(folder), "--out", str(out), "--json"]) == 0
    said = capsys.readouterr()
    answer = json.loads(said.out)
    assert "view_99.png is not a picture" in said.err
    assert answer["fx"] == pytest.approx(TRUE.fx, rel=0.005) and answer["error_px"] <= 0.3
    assert answer["views"] == 10 and answer["file"] == str(out)
    assert read_lens(out).fx == pytest.approx(answer["fx"], abs=1e-3)
    assert kept_lens(str(folder), (960, 720))[0] == read_lens(out)
    for number in range(4):
        (folder / f"view_{number}.png").unlink()
    assert main(["calibrate", "camera", str(folder)]) == 2
    refused = capsys.readouterr().err
    assert "needs 8 sharp and different views of the board; there are 6" in refused
    assert "Few or no views in these regions" in refused


def shown(count: int, tilt: float = 40.0) -> list[View]:
    rng = np.random.default_rng(21)
    return [exact(pose(rng, tilt), seed=index) for index in range(count)]


def filmed(
    views: list[View], monkeypatch: pytest.MonkeyPatch, *, step: float, is_live: bool
) -> tuple[Source, list[int]]:
    """A source whose pictures are numbers, and which of them the board was looked for in."""
    looked: list[int] = []

    def find(picture: Image) -> View | None:
        looked.append(int(picture[0, 0, 0]))
        return views[looked[-1]]

    def pictures() -> Iterator[Taken]:
        for number in range(len(views)):
            yield number * step, np.full((2, 2, 3), number, np.uint8)
            deadline = time.monotonic() + 5.0
            while is_live and number not in looked and time.monotonic() < deadline:
                time.sleep(0.001)  # a live source drops pictures that nobody looked at yet

    monkeypatch.setattr("calibration.camera.find_board", find)
    return ProgramSource(pictures, is_live=is_live), looked


def test_a_live_camera_is_watched_until_there_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    source, looked = filmed(shown(200), monkeypatch, step=0.3, is_live=True)
    found = collect(source, 60.0, Progress(io.StringIO()))
    assert len(found.views) >= ENOUGH_VIEWS and found.lacking() == ()
    assert len(looked) < 120


def test_a_live_camera_is_not_watched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    source, looked = filmed([shown(1)[0]] * 250, monkeypatch, step=0.3, is_live=True)
    assert len(collect(source, 0.05, Progress(io.StringIO())).views) == 1
    assert len(looked) < 250


def test_of_a_film_not_every_picture_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    source, looked = filmed(shown(30), monkeypatch, step=0.07, is_live=False)
    monkeypatch.setattr("game.commands.calibrate_camera._is_film", lambda _source: True)
    collect(source, 60.0, Progress(io.StringIO()))
    assert looked == list(range(0, 30, 3))


def test_one_wrong_view_is_left_out(good: Collection) -> None:
    """A view in which the camera had refocused does not spoil the others."""
    wrong = exact(pose(np.random.default_rng(4), 40.0), lens=dataclasses.replace(TRUE, fx=900.0, fy=780.0))
    fit = fit_camera(Collection((*good.views, wrong)))
    assert fit.views == len(good.views)
    assert fit.lens.fx == pytest.approx(TRUE.fx, rel=0.005)
