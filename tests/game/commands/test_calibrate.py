"""The commands mat and calibrate as people call them: what they print, write, keep and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.camera import CameraFit
from calibration.files import basis_of, keep_lens, read_lens, read_mat
from calibration.store import CalibrationError, load, newest
from game.cli import main
from physics.engine import SINGLE_STEP, Settings, engine
from physics.line import straight
from physics.record import write_run
from physics.scene import Scene, Table
from physics.tiles import load_set
from vision.camera.pose import looking_at
from vision.drawing.appearance import random_appearance
from vision.drawing.photograph import photograph
from vision.drawing.scenes import random_lens

LENS = random_lens(np.random.default_rng(2), (800, 600), bent=True)
SIGHT = looking_at(LENS, (0.0, 0.0), 700.0, 0.5, -1.5, 0.0)


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TOPPLE_LANG", "en")


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty mat as a table camera sees it."""
    shot = photograph([], SIGHT, random_appearance("plain", np.random.default_rng(1)), 1)
    path = tmp_path_factory.mktemp("photo") / "mat.png"
    cv2.imwrite(str(path), shot.image[..., ::-1])
    return path


@pytest.fixture
def camera_file(tmp_path: Path) -> Path:
    names = ("width", "height", "fx", "fy", "cx", "cy")
    text = "\n".join(f"{name} = {getattr(LENS, name)}" for name in names) + f"\ndist = {list(LENS.dist)}\n"
    path = tmp_path / "camera.toml"
    path.write_text(text)
    assert read_lens(path) == LENS
    return path


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence of a command that was refused."""
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.strip().splitlines()) == 1
    return said.err.strip()


@pytest.mark.parametrize(
    ("options", "pages", "width"), [([], 2, 420), (["--charuco"], 1, 297), (["--tags", "--set", "classic"], 1, 297)]
)
def test_mat_writes_a_pdf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], pages: int, width: float
) -> None:
    assert main(["mat", "--out", str(tmp_path / "mat.pdf"), *options]) == 0
    document = pypdfium2.PdfDocument(tmp_path / "mat.pdf")
    assert len(document) == pages
    assert document[0].get_width() * 25.4 / 72 == pytest.approx(width, abs=0.01)
    assert "100 mm" in capsys.readouterr().out


def test_mat_writes_pictures_and_refuses_what_it_cannot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mat.svg", "mat.png"):
        assert main(["mat", "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 1000
    capsys.readouterr()
    assert ".pdf, .svg, .png" in refused(capsys, "mat", "--out", tmp_path / "mat.doc")
    assert "no folder" in refused(capsys, "mat", "--out", tmp_path / "no" / "mat.pdf")


def test_the_table_is_found_with_a_fitted_lens(
    photo: Path, camera_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "errors.png"
    assert (
        main(["calibrate", "table", str(photo), "--camera", str(camera_file), "--json", "--picture", str(picture)]) == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["eye"] == pytest.approx(SIGHT.eye.tolist(), abs=5)
    assert answer["off_vertical"] == pytest.approx(SIGHT.off_vertical, abs=0.5)
    assert not answer["focal_estimated"] and answer["error_mm_with_lens"] is None
    assert answer["camera_error_px"] < 0.3
    assert max(marker["off"] for marker in answer["markers"]) < 1.0
    drawn, plain = cv2.imread(str(picture)), cv2.imread(str(photo))
    assert drawn is not None and plain is not None and drawn.shape == plain.shape and (drawn != plain).any()


def test_without_a_lens_the_table_is_found_and_what_that_costs_is_said(
    photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "table", str(photo)]) == 0
    said = capsys.readouterr().out
    assert "only estimated from the mat" in said and "calibrate camera" in said
    assert "Standard errors on the mat, mm:" in said


def test_a_mat_that_was_printed_too_small(
    photo: Path, camera_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a ruler of 97 mm everything is 3 % smaller, so the camera is nearer."""
    out = tmp_path / "table.toml"
    arguments = ["calibrate", "table", str(photo), "--camera", str(camera_file), "--ruler", "97", "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["eye"] == pytest.approx((0.97 * SIGHT.eye).tolist(), abs=5)
    assert read_mat(out).markers[0].x == pytest.approx(-174.6)
    assert main([*arguments[:5], "--table", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["eye"] == pytest.approx((0.97 * SIGHT.eye).tolist(), abs=5)


def test_the_table_is_kept_for_a_camera_and_its_kept_lens_is_used(
    photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "table", str(photo), "--json"]) == 0
    assert newest("table", str(photo)) is None  # a picture is no camera
    keep_lens("desk", CameraFit(LENS, 0.2, 0.001, 12, 50.0, ()))
    assert main(["calibrate", "table", str(photo), "--device", "desk", "--json"]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["focal_estimated"] and not second["focal_estimated"]
    values = load("table", "desk", basis_of((800, 600))).fields.inner("values")
    turn = np.array(values.numbers("rotation", count=9, low=-1.0001, high=1.0001)).reshape(3, 3)
    place = np.array(values.numbers("place", count=3, low=-1e5, high=1e5))
    assert -turn.T @ place == pytest.approx(SIGHT.eye, abs=5)
    with pytest.raises(CalibrationError, match="out of date"):
        load("table", "desk", basis_of((640, 480)))


def test_table_refuses_what_shows_no_mat_or_belongs_to_another_camera(
    photo: Path, camera_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite(str(tmp_path / "black.png"), np.zeros((480, 640, 3), np.uint8))
    assert "The picture is black" in refused(capsys, "calibrate", "table", tmp_path / "black.png")
    other = refused(capsys, "calibrate", "table", tmp_path / "black.png", "--camera", camera_file)
    assert "800×600" in other and "640×480" in other
    assert "cannot be read" in refused(capsys, "calibrate", "table", tmp_path / "none.png")


def test_tilt_tests_are_kept_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "material", "--table-slid", "24.5", "25.1", "23.9", "--tile-tipped", "9.0"]) == 0
    said = capsys.readouterr().out
    assert "Friction of tile on table: 0.456" in said and "at least 0.14" in said
    assert "[table]\nfriction = 0.456" in said
    kept = newest("material", "tiles")
    assert kept is not None and "friction_low" in kept.read_text()


def test_recorded_falls_are_fitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = Scene(straight(load_set("evaluation"), [5, 6, 7, 8, 9], 0.018), Table(tile_friction=0.3))
    outcome = engine("bullet").run([scene], Settings(step=SINGLE_STEP, record=0.01))[0]
    write_run(tmp_path / "fall.topple", scene, outcome)
    arguments = ["calibrate", "material", "--falls", str(tmp_path / "fall.topple"), "--rate", "240", "--runs", "60"]
    assert main([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["tile_friction"]["low"] <= 0.3 <= answer["tile_friction"]["high"]
    assert not answer["restitution"]["told"] and answer["confidence"] == 0.95


def test_material_refuses_what_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing was measured" in refused(capsys, "calibrate", "material")
    assert "both --line and --times" in refused(capsys, "calibrate", "material", "--times", "0", "1")
    assert "cannot be read" in refused(capsys, "calibrate", "material", "--falls", tmp_path / "no.topple")
