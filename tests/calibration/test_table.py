"""The camera over the mat: found again from known views, with errors in mm that hold, and files that read back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.board import MAT, Marker
from calibration.camera import CameraFit
from calibration.files import keep_lens, kept_lens, read_lens, read_mat, scaled_mat, write_lens, write_mat
from calibration.lens import Lens
from calibration.store import CalibrationError
from calibration.table import HEIGHTS, fit_table
from physics.errors import InputError

Array = npt.NDArray[np.float64]

LENS = Lens(1280, 960, 1100.0, 1098.0, 645.0, 470.0, (0.05, -0.1, 0.0, 0.0, 0.0))
FIT = CameraFit(LENS, 0.21, 0.001, 14, 60.0, ())


def camera(off: float, distance: float = 700.0) -> tuple[Array, Array]:
    """A camera that looks at the middle of the mat, off vertical by degrees towards the reader: turn and place."""
    slant = math.radians(off)
    forward = np.array([0.0, math.sin(slant), -math.cos(slant)])
    right = np.array([1.0, 0.0, 0.0])
    rotation = np.stack([right, np.cross(forward, right), forward])
    return rotation, -rotation @ (-distance * forward)


def corners(at: tuple[Array, Array], noise: float = 0.0, seed: int = 0, lens: Lens = LENS) -> dict[Marker, Array]:
    rng = np.random.default_rng(seed)
    rotation, place = at
    found = {}
    for marker in MAT.markers:
        seen, _ = cv2.projectPoints(marker.corners, cv2.Rodrigues(rotation)[0], place, lens.matrix, np.array(lens.dist))
        found[marker] = np.asarray(seen, float).reshape(4, 2) + rng.normal(0, noise, (4, 2))
    return found


@pytest.mark.parametrize("off", [0.0, 25.0, 50.0])
def test_a_known_camera_is_found_again(off: float) -> None:
    rotation, place = camera(off)
    fit = fit_table(corners((rotation, place), 0.1), LENS, guessed=False)
    assert fit.eye == pytest.approx(-rotation.T @ place, abs=3.0)
    assert fit.off_vertical == pytest.approx(off, abs=0.5)
    assert fit.error < 0.3 and fit.map_fitted is None
    assert max(check.off for check in fit.checks) < 1.0
    assert fit.map.typical[0] < 0.2


def test_the_map_of_errors_holds() -> None:
    """Many noisy views of one table: the errors really made are those that the map states."""
    at = camera(35.0)
    grid = [(x, y, z) for z in HEIGHTS for x, y in ((-150.0, -100.0), (0.0, 0.0), (150.0, 100.0))]
    turn = cv2.Rodrigues(at[0])[0]
    seen = np.asarray(cv2.projectPoints(np.array(grid), turn, at[1], LENS.matrix, np.array(LENS.dist))[0], float)
    made, stated = [], []
    for seed in range(12):
        fit = fit_table(corners(at, 0.3, seed), LENS, guessed=False, seed=seed)
        flat = np.asarray(cv2.undistortPoints(seen, LENS.matrix, np.array(LENS.dist)), float).reshape(-1, 2)
        rays = np.column_stack([flat, np.ones(len(flat))]) @ fit.rotation
        there = fit.eye[:2] + ((np.array(grid)[:, 2] - fit.eye[2]) / rays[:, 2])[:, None] * rays[:, :2]
        made.append(np.sqrt(((there - np.array(grid)[:, :2]) ** 2).mean()))
        stated.append(np.sqrt((fit.map.errors**2).mean()))
    assert 0.5 < np.sqrt(np.mean(np.square(made))) / np.mean(stated) < 1.6


def test_a_guessed_lens_costs_accuracy_above_the_table_and_that_is_said() -> None:
    at = camera(35.0)
    guess = replace(LENS, fx=LENS.fx * 1.04, fy=LENS.fy * 1.04, cx=639.5, cy=479.5, dist=(0.0,) * 5)
    fit = fit_table(corners(at, 0.1), guess, guessed=True)
    assert fit.map_fitted is not None
    foot, top = fit.map.typical
    assert top > 2 * fit.map_fitted.typical[1] and foot > fit.map_fitted.typical[0]
    # The true error of a tile's top, 50 mm above the mat, stays within what is stated.
    turn = cv2.Rodrigues(at[0])[0]
    point = np.array([[120.0, 60.0, 50.0]])
    seen = np.asarray(cv2.projectPoints(point, turn, at[1], LENS.matrix, np.array(LENS.dist))[0], float)
    flat = np.asarray(cv2.undistortPoints(seen, guess.matrix, np.array(guess.dist)), float).reshape(-1, 2)
    ray = np.array([*flat[0], 1.0]) @ fit.rotation
    there = fit.eye[:2] + (50.0 - fit.eye[2]) / ray[2] * ray[:2]
    assert np.linalg.norm(there - point[0, :2]) < 3 * float(fit.map.errors[1].max())


def test_a_marker_out_of_place_is_seen() -> None:
    found = corners(camera(20.0), 0.05)
    assert max(check.off for check in fit_table(found, LENS, guessed=False).checks) < 0.5
    shifted = {
        (replace(marker, x=marker.x + 4.0) if marker.id == 2 else marker): pixels for marker, pixels in found.items()
    }
    checks = {check.id: check.off for check in fit_table(shifted, LENS, guessed=False).checks}
    assert max(checks, key=lambda number: checks[number]) == 2 and checks[2] == pytest.approx(4.0, abs=1.0)


def test_too_few_markers_and_a_mirrored_mat_are_refused() -> None:
    found = corners(camera(20.0))
    with pytest.raises(InputError, match="Too few markers of the mat are seen: 1;"):
        fit_table(dict(list(found.items())[:1]), LENS, guessed=False)
    mirrored = {marker: np.stack([1280 - pixels[:, 0], pixels[:, 1]], axis=1) for marker, pixels in found.items()}
    with pytest.raises(InputError, match="mirrored"):
        fit_table(mirrored, LENS, guessed=False)


def test_a_camera_file_reads_back(tmp_path: Path) -> None:
    write_lens(tmp_path / "camera.toml", FIT)
    assert read_lens(tmp_path / "camera.toml") == LENS
    plain = "width = 640\nheight = 480\nfx = 500\nfy = 501.5\ncx = 319.5\ncy = 239.5\n"
    (tmp_path / "plain.toml").write_text(plain)
    assert read_lens(tmp_path / "plain.toml") == Lens(640, 480, 500.0, 501.5, 319.5, 239.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("width = 640", "height"),
        ("width = 0\nheight = 480\nfx = 1\nfy = 1\ncx = 0\ncy = 0", "width is 0"),
        ("width = 640\nheight = 480\nfx = nan\nfy = 1\ncx = 0\ncy = 0", "fx is nan"),
        ("width = 640\nheight = 480\nfx = 1\nfy = 1\ncx = 0\ncy = 0\ndist = [1, 2]", "5 numbers"),
        ("width = 640\nheight = 480\nfx = 1\nfy = 1\ncx = 0\ncy = 0\nfocal = 2", "focal is not known"),
        ("this is no TOML", "camera.toml"),
    ],
)
def test_a_wrong_camera_file_is_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "camera.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_lens(tmp_path / "camera.toml")


def test_a_kept_lens_belongs_to_one_camera_and_size(tmp_path: Path) -> None:
    path = keep_lens("0", FIT, tmp_path)
    assert kept_lens("0", (1280, 960), tmp_path)[0] == LENS
    assert read_lens(path) == LENS  # it is a camera file as well
    with pytest.raises(CalibrationError):
        kept_lens("1", (1280, 960), tmp_path)
    with pytest.raises(CalibrationError, match="out of date"):
        kept_lens("0", (640, 480), tmp_path)


def test_a_table_file_reads_back_scaled_as_it_was_printed(tmp_path: Path) -> None:
    write_mat(tmp_path / "table.toml", scaled_mat(MAT, 0.98))
    found = read_mat(tmp_path / "table.toml")
    assert [marker.id for marker in found.markers] == [0, 1, 2, 3]
    assert found.markers[0].x == pytest.approx(-176.4) and found.markers[0].size == pytest.approx(39.2)
    assert found.dictionary == "DICT_4X4_50" and found.size == pytest.approx((411.6, 291.06))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('dictionary = "DICT_9X9"\n[[marker]]\nid = 0\nx = 0\ny = 0\nsize = 40', "no dictionary of markers"),
        ('dictionary = "DICT_4X4_50"', "lists no marker"),
        ("[[marker]]\nid = 1\nx = 0\ny = 0\nsize = 40\n[[marker]]\nid = 1\nx = 9\ny = 0\nsize = 40", "marker 1 twice"),
        ("[[marker]]\nid = 1\nx = 0\ny = 0\nsize = 0", "size is 0"),
    ],
)
def test_a_wrong_table_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "table.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_mat(tmp_path / "table.toml")
