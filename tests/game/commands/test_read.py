"""The command read as people and programs call it: what it prints, and how it refuses pictures it cannot read."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

from game.cli import main
from physics.outcome import Fate
from physics.tiles import Stance
from vision.camera.pose import looking_at
from vision.drawing.appearance import random_appearance
from vision.drawing.photograph import photograph
from vision.drawing.scenes import random_lens
from vision.reader.reading import Reading, ReadTile, Unexplained

LENS = random_lens(np.random.default_rng(2), (800, 600), bent=False)
SIGHT = looking_at(LENS, (0.0, 0.0), 700.0, 0.5, -1.5, 0.0)
FOUND = Reading(
    (
        ReadTile(3, -20.0, 1.25, 12.0, Stance.UPRIGHT, Fate.STANDING, (0.3, 0.4, 0.8), 0.97),
        ReadTile(6, 5.0, 2.0, -80.0, Stance.SIDE, Fate.FALLEN, (0.5, 0.5, 1.0), 0.6),
    ),
    (Unexplained(60.0, -40.0, 900.0),),
    0.31,
    focal_estimated=True,
)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_LANG", "en")


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty mat as a table camera sees it."""
    path = tmp_path_factory.mktemp("photo") / "mat.png"
    shot = photograph([], SIGHT, random_appearance("plain", np.random.default_rng(1)), 1)
    cv2.imwrite(str(path), shot.image[..., ::-1])
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the reader was asked; it answers with two tiles."""
    given: dict[str, Any] = {}

    def read(image: object, lens: object, mat: object, **more: object) -> Reading:
        given.update(more, image=image, lens=lens, mat=mat)
        return FOUND

    monkeypatch.setattr("vision.reader.reader.read_picture", read)
    return given


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence of a command that was refused."""
    assert main(["read", *map(str, arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.strip().splitlines()) == 1
    return said.err.strip()


def test_read_prints_the_contract(photo: Path, asked: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(photo), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == ["tiles", "order", "unexplained", "camera_error_px"]
    assert answer["tiles"][0] == {
        "value": 3, "x": -20.0, "y": 1.25, "yaw": 12.0, "stance": "upright", "state": "standing",
        "sigma": [0.3, 0.4, 0.8], "confidence": 0.97,
    }  # fmt: skip
    assert answer["order"] == [3, 6] and answer["camera_error_px"] == 0.31
    assert asked["lens"] is None and asked["tile_set"].name == "evaluation"
    assert asked["image"].shape == (600, 800, 3)


def test_read_tells_people(photo: Path, asked: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(photo), "--set", "classic"]) == 0
    said = capsys.readouterr().out
    assert "2 tiles, along the row:" in said
    assert "   3  x -20.0 ± 0.3, y 1.2 ± 0.4 mm, turned 12.0° ± 0.8°, upright, standing, 97 %" in said
    assert "on its side, fallen, 60 %" in said
    assert "Something at x 60, y -40 mm is not a tile of the set (900 mm²)." in said
    assert "only estimated" in said
    assert asked["tile_set"].name == "classic"


def test_read_draws_what_it_found(
    photo: Path, asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", str(photo), "--picture", str(tmp_path / "out.png")]) == 0
    drawn, plain = cv2.imread(str(tmp_path / "out.png")), cv2.imread(str(photo))
    assert drawn is not None and plain is not None and drawn.shape == plain.shape
    assert 500 < (drawn != plain).any(axis=2).sum() < 0.1 * plain.shape[0] * plain.shape[1]


def test_camera_and_table_files_are_used(
    photo: Path, asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    camera, table = tmp_path / "camera.toml", tmp_path / "table.toml"
    camera.write_text(
        "\n".join(f"{name} = {getattr(LENS, name)}" for name in ("width", "height", "fx", "fy", "cx", "cy"))
    )
    rows = ((0, -180, 118.5), (1, 180, 118.5), (2, 180, -118.5))
    table.write_text("\n".join(f"[[marker]]\nid = {number}\ncentre = [{x}, {y}]\nsize = 40" for number, x, y in rows))
    assert main(["read", str(photo), "--camera", str(camera), "--table", str(table), "--json"]) == 0
    assert asked["lens"].fx == LENS.fx and len(asked["mat"].markers) == 3
    assert asked["view"].seen == (0, 1, 2)
    camera.write_text(camera.read_text().replace("width = 800", "width = 640").replace("height = 600", "height = 480"))
    capsys.readouterr()
    assert "640×480" in refused(capsys, photo, "--camera", camera)


def test_what_is_no_picture_of_the_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.jpg").write_text("this is a text")
    (tmp_path / "empty.png").write_bytes(b"")
    coded = cv2.imencode(".jpg", np.random.default_rng(0).integers(0, 255, (200, 300, 3), np.uint8))[1].tobytes()
    (tmp_path / "cut.jpg").write_bytes(coded[: len(coded) // 2])
    for name in ("text.jpg", "empty.png"):
        assert "is not a picture that can be read" in refused(capsys, tmp_path / name)
    assert "is cut off" in refused(capsys, tmp_path / "cut.jpg")
    assert "There is no file" in refused(capsys, tmp_path / "missing.png")
    assert "is a folder" in refused(capsys, tmp_path)
    for size, level, reason in (
        ((1, 1), 128, "is 1 × 1 px"),
        ((480, 640), 0, "black"),
        ((480, 640), 255, "over-exposed"),
    ):
        cv2.imwrite(str(tmp_path / "plain.png"), np.full((*size, 3), level, np.uint8))
        assert reason in refused(capsys, tmp_path / "plain.png")
    assert "no tile set" in refused(capsys, tmp_path / "plain.png", "--set", "nonsense")
    assert "allowed is .png" in refused(capsys, tmp_path / "plain.png", "--picture", tmp_path / "out.bmp")


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_grey_and_print_colours_are_read(
    photo: Path, asked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    coded = io.BytesIO()
    Pillow.open(photo).convert("RGB").convert(mode).save(coded, "JPEG", quality=95)
    (tmp_path / "photo.jpg").write_bytes(coded.getvalue())
    assert main(["read", str(tmp_path / "photo.jpg"), "--json"]) == 0
    assert asked["view"].error < 1.0 and asked["image"].shape == (600, 800, 3)
