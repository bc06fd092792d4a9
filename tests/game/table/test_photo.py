"""From a picture or a camera to a forecast: what is read is forecast with its own errors, said, corrected and drawn."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from game import words
from game.cli import main
from game.games.evaluation.hands import HANDS
from game.pictures.photo import photo_figure
from game.table.calm_row import calm_row
from game.table.photo import Photo
from game.table.source import CameraTable
from physics.errors import InputError
from physics.outcome import Fate, Prediction
from physics.scene import Noise, read_line_file
from physics.tiles import Stance, load_set
from tests.game.table.painted_table import SIGHT, PaintedTable
from vision.reader.reading import Reading, ReadTile, Unexplained

ROOT = Path(__file__).parents[3]
EVALUATION = load_set("evaluation")
TRACED = ROOT / "tests" / "vision" / "reader" / "data" / "table_1.jpg"


def tile(value: int, x: float, **more: Any) -> ReadTile:
    usual = ReadTile(value, x, 1.25, 2.0, Stance.UPRIGHT, Fate.STANDING, (0.3, 0.4, 0.8), 0.97)
    return replace(usual, **more)


ROW = (tile(3, -20.0), tile(5, 2.0, confidence=0.62, sigma=(0.9, 0.2, 1.5)), tile(6, 20.0))
FALLEN = tile(8, 120.0, state=Fate.FALLEN)
FOUND = Reading((*ROW, FALLEN), (Unexplained(60.0, -40.0, 900.0),), 0.31)


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_LANG", "en")
    words.use("en")


@pytest.fixture
def photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A picture of the table that is read as FOUND."""
    monkeypatch.setattr("vision.reader.reader.read_picture", lambda *_given, **_more: FOUND)
    return Path(shutil.copy(TRACED, tmp_path / "photo.jpg"))


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence of a command that was refused."""
    assert main(list(map(str, arguments))) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.strip().splitlines()) == 1
    return said.err.strip()


def answer(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main([*map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_traced_picture_has_a_forecast(capsys: pytest.CaptureFixture[str]) -> None:
    truth = json.loads(TRACED.with_suffix(".json").read_text())
    found = answer(capsys, "predict", TRACED)
    assert {one["value"] for one in found["tiles"]} == {one["value"] for one in truth["tiles"]}
    assert found["reading"]["order"] == [one["value"] for one in found["tiles"]]
    assert found["samples"] >= 32


def test_the_forecast_of_a_picture_has_the_errors_of_its_reading(
    photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(capsys, "predict", photo)
    assert [one["value"] for one in found["tiles"]] == [3, 5, 6]
    out = photo.with_name("line.toml")
    assert main(["read", str(photo), "--out", str(out)]) == 0
    capsys.readouterr()
    scene, noise = read_line_file(out)
    assert scene.line.values == (3, 5, 6)
    expected = [(one.sigma[0] / 1e3, one.sigma[1] / 1e3, math.radians(one.sigma[2])) for one in ROW]
    assert np.array(noise.places) == pytest.approx(np.array(expected))
    assert replace(noise, places=()) == Noise()
    later = answer(capsys, "predict", out)
    assert {**found, "seconds": 0} == {**later, "seconds": 0, "reading": FOUND.as_json()}


def test_doubtful_and_fallen_tiles_are_said(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", str(photo), "--no-hint"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == (
        "Tile 5 at x 2, y 1 mm is doubtful (62 %). If it is another one, say which: "
        '--correct "5 is 4".'
    )  # fmt: skip
    assert said[1] == "Tile 8 is left out of the row: fallen."
    assert said[2] == "Something at x 60, y -40 mm is not a tile of the set (900 mm²)."
    assert said[3].startswith("photo.jpg: 3 tiles, a light finger at tile 3")


def test_a_tile_is_corrected(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "predict", photo, "--correct", "5 is 4", "--correct", "6 at -45 1")
    assert [one["value"] for one in found["tiles"]] == [6, 3, 4] and found["pushed"] == 4
    assert found["reading"]["order"] == [6, 3, 4, 8]
    assert main(["read", str(photo), "--correct", "5 is 4"]) == 0
    said = capsys.readouterr().out
    assert "   4  x 2.0 ± 0.9" in said and "doubtful" not in said
    assert "The tile 7 is not seen on the table." in refused(capsys, "predict", photo, "--correct", "7 is 9")
    assert "'five' is not a correction; write 8 at" in refused(capsys, "read", photo, "--correct", "five")


def test_pictures_are_known_by_what_is_in_them(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unnamed = photo.rename(photo.with_name("photo"))
    assert [one["value"] for one in answer(capsys, "predict", unnamed)["tiles"]] == [3, 5, 6]
    (photo.parent / "text.png").write_text("this is a text")
    assert "text.png is not a picture that can be read" in refused(capsys, "predict", photo.parent / "text.png")
    (photo.parent / "cut.jpg").write_bytes(unnamed.read_bytes()[:20_000])
    assert "cut.jpg is cut off: its end is missing." in refused(capsys, "predict", photo.parent / "cut.jpg")
    assert "There is no file" in refused(capsys, "predict", photo.parent / "missing.png")
    cv2.imwrite(str(photo.parent / "black.png"), np.zeros((480, 640, 3), np.uint8))
    assert "The picture is black" in refused(capsys, "predict", photo.parent / "black.png")


def test_a_table_without_a_row_is_refused(
    photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reads(*tiles: ReadTile) -> None:
        monkeypatch.setattr("vision.reader.reader.read_picture", lambda *_given, **_more: Reading(tiles, (), 0.1))

    reads(FALLEN)
    assert refused(capsys, "predict", photo) == "photo.jpg: no standing tile was found on the mat."
    assert refused(capsys, "read", photo, "--out", photo.with_name("line.toml")).endswith("was found on the mat.")
    assert not photo.with_name("line.toml").exists()
    reads(tile(3, 0.0), tile(5, 1.0))
    assert "photo.jpg: Tiles 3 and 5 overlap" in refused(capsys, "predict", photo)


def test_what_does_not_go_together_is_said(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    either = "Give either a line file or picture, or --source with a camera."
    assert refused(capsys, "predict") == either
    assert refused(capsys, "predict", photo, "--source", "0") == either
    for option in ("--camera", "--markers", "--set", "--correct"):
        said = refused(capsys, "predict", ROOT / "examples" / "arc.toml", option, "x")
        assert said == f"{option} is for pictures and cameras, not for a line file."
    assert "There is no file x.toml" in refused(capsys, "predict", photo, "--camera", "x.toml")


# Through a camera


def filmed(folder: Path, table: PaintedTable, count: int) -> CameraTable:
    """A camera before which the painted table stands still for so many pictures."""
    for number in range(count):
        cv2.imwrite(str(folder / f"{number}.png"), table.picture()[..., ::-1])
    return CameraTable(str(folder), hands=HANDS, in_game=False, reader=table)


def test_a_calm_row_is_read_once(tmp_path: Path) -> None:
    table = PaintedTable(tiles=ROW)
    told: list[InputError] = []
    photo = calm_row(filmed(tmp_path, table, 60), told.append)
    assert photo.standing == ROW and photo.picture.shape == (SIGHT.lens.height, SIGHT.lens.width, 3)
    assert told == [] and table.readings == 2
    scene, _noise = photo.scene()
    assert scene.line.values == (3, 5, 6)


def test_pictures_without_a_row_that_stands_still_end_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ended before a row of two tiles or more stood still"):
        calm_row(filmed(tmp_path, PaintedTable(tiles=ROW[:1]), 60), lambda _reason: None)
    told: list[InputError] = []
    blind = PaintedTable(tiles=ROW, trouble=InputError("No marker of the mat is in the picture."))
    with pytest.raises(InputError, match="ended before"):
        calm_row(filmed(tmp_path, blind, 60), told.append)
    assert [str(reason) for reason in told] == ["No marker of the mat is in the picture."]


def test_a_camera_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "There is no camera 97 here" in refused(capsys, "predict", "--source", "97")
    assert "cannot be read" in refused(capsys, "predict", "--source", tmp_path / "film.mp4")


# Drawn


def predicted(falls: tuple[float, ...], weakest_at: int | None) -> Prediction:
    return Prediction(
        probability=min(falls),
        interval=(0.5, 0.8),
        sampling=(0.6, 0.75),
        confidence=0.95,
        samples=64,
        values=(3, 5, 6),
        tile_falls=falls,
        weakest_at=weakest_at,
        pushed=0,
        engine="bullet",
        seed=0,
        seconds=0.1,
    )


@pytest.mark.parametrize("language", ["en", "uk"])
def test_chances_and_the_weak_gap_lie_over_the_photo(language: str) -> None:
    words.use(language)
    table = PaintedTable(tiles=ROW)
    photo = Photo("table", table.picture(), Reading(ROW, (), 0.1), SIGHT, EVALUATION)
    scene, _noise = photo.scene()
    figure = photo_figure(photo, scene, predicted((1.0, 0.97, 0.67), 1))
    texts = [text.get_text() for text in figure.axes[0].texts]
    air = words.number(scene.line.gaps()[1] * 1e3, 1)
    for wanted in ("3", "100 %", "5?", "97 %", "6", "67 %", words._("weakest gap"), words._("push here")):
        assert wanted in texts
    assert words._("{width} mm").format(width=air) in texts
    assert ("," in air) is (language == "uk")
    sure = photo_figure(photo, scene, predicted((1.0, 1.0, 1.0), None))
    assert words._("weakest gap") not in [text.get_text() for text in sure.axes[0].texts]


def test_the_tiles_are_coloured_where_they_are_seen(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = PaintedTable(tiles=ROW)
    seen = Photo("table", table.picture(), Reading(ROW, (), 0.1), SIGHT, EVALUATION)
    figure = photo_figure(seen, seen.scene()[0], predicted((1.0, 1.0, 0.0), None))
    figure.canvas.draw()
    drawn = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)  # type: ignore[attr-defined]
    blue, orange = drawn[..., 2] - drawn[..., 0] > 25, drawn[..., 0] - drawn[..., 2] > 90
    assert blue.sum() > 200 and orange.sum() > 200
    # The row goes from left to right: what falls is blue, what stands is orange.
    assert np.median(np.nonzero(blue)[1]) < np.median(np.nonzero(orange)[1])
    picture = photo.with_name("over.png")
    assert main(["predict", str(photo), "--no-hint", "--picture", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG") and f"Picture: {picture}" in capsys.readouterr().out
