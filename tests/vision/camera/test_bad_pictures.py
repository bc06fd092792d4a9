"""Pictures and cameras as they should not be, by the commands people call: one sentence each, and the game goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

from game.cli import main
from vision.camera.markers import find_markers
from vision.camera.mat import MatView
from vision.camera.picture_files import Image, picture_in
from vision.camera.pose import looking_at
from vision.drawing.appearance import random_appearance
from vision.drawing.blocks import Hand
from vision.drawing.photograph import photograph
from vision.drawing.scenes import random_lens
from vision.reader.reading import Reading

SIGHT = looking_at(random_lens(np.random.default_rng(2), (800, 600), bent=False), (0.0, 0.0), 700.0, 0.5, -1.5, 0.0)
WOOD = (120, 80, 50)
CALM = 20  # pictures of a folder in which a table comes to rest and is read


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_LANG", "en")


@pytest.fixture(scope="module")
def photo() -> Image:
    """The empty mat as a table camera sees it."""
    return photograph([], SIGHT, random_appearance("plain", np.random.default_rng(1)), 1).image


@pytest.fixture(scope="module")
def corners(photo: Image) -> dict[int, Any]:
    return {marker.id: found for marker, found in find_markers(photo).items()}


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> list[MatView]:
    """How the mat was seen by a reader that finds nothing on it."""
    found: list[MatView] = []

    def read(image: object, lens: object, mat: object, *, view: MatView, **_more: object) -> Reading:
        found.append(view)
        return Reading((), (), view.error)

    monkeypatch.setattr("vision.reader.reader.read_picture", read)
    return found


def kept(folder: Path, picture: Image, name: str = "picture.png") -> Path:
    cv2.imwrite(str(folder / name), picture[..., ::-1])
    return folder / name


def refused(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence of a command that was refused, whoever may write to the terminal."""
    assert main([*map(str, arguments)]) == 2
    said = capfd.readouterr()
    assert said.out == "" and len(said.err.strip().splitlines()) == 1, said.err
    return said.err.strip()


def without(picture: Image, corners: dict[int, Any], *markers: int) -> Image:
    """Things lie on these markers."""
    hidden = picture.copy()
    for marker in markers:
        middle = corners[marker].mean(axis=0)
        cover = middle + 1.3 * (corners[marker] - middle)
        cv2.fillConvexPoly(hidden, np.round(cover).astype(np.int32), WOOD)
    return hidden


def test_a_hidden_marker_is_not_missed_but_three_are(
    photo: Image,
    corners: dict[int, Any],
    views: list[MatView],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["read", str(kept(tmp_path, without(photo, corners, 1)))]) == 0
    assert views[0].seen == (0, 2, 3) and views[0].error < 1
    capfd.readouterr()
    said = refused(capfd, "read", kept(tmp_path, without(photo, corners, 0, 1, 2)))
    assert said.startswith("Only marker 3 of the mat is in the picture; at least two must be seen, or one through a")


def test_a_mat_that_is_upside_down_is_the_same_mat(
    photo: Image, views: list[MatView], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", str(kept(tmp_path, photo))]) == main(["read", str(kept(tmp_path, photo[::-1, ::-1]))]) == 0
    upright, turned = (view.sight for view in views)
    assert np.linalg.norm(upright.eye - turned.eye) < 20
    assert np.diag(turned.rotation @ upright.rotation.T) == pytest.approx([-1, -1, 1], abs=0.01)


def test_what_does_not_show_the_mat_is_said(photo: Image, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said = {
        "mirrored": (photo[:, ::-1], "The picture is mirrored"),
        "no mat": (np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8), "No marker of the mat"),
        "out of focus": (cv2.GaussianBlur(photo, (0, 0), 25), "out of focus"),
        "over-exposed": (np.clip(photo.astype(int) * 9, 0, 255).astype(np.uint8), "over-exposed"),
        "washed out": (np.clip(photo.astype(int) + 130, 0, 255).astype(np.uint8), "even the markers' black is bright"),
        "black": (photo // 40, "black"),
        "a few pixels": (photo[:9, :7], "is 7 × 9 px; a picture of the table has at least 160 × 120."),
    }
    for name, (picture, sentence) in said.items():
        assert sentence in refused(capfd, "read", kept(tmp_path, np.asarray(picture, np.uint8))), name


def test_a_hand_and_a_cup_on_the_mat_are_no_error(
    photo: Image, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arm = [Hand((-60.0, 0.0, 40.0), (100.0, -450.0, 120.0))]
    picture = photograph([], SIGHT, random_appearance("plain", np.random.default_rng(1)), 1, hands=arm).image.copy()
    spot = SIGHT.project(np.array([[60.0, 30.0, 0.0]]))[0]
    cv2.circle(picture, (round(spot[0]), round(spot[1])), 45, (40, 70, 160), -1, cv2.LINE_AA)
    assert main(["read", str(kept(tmp_path, picture)), "--json"]) == 0
    said = capfd.readouterr()
    assert said.err == "" and list(json.loads(said.out)) == ["tiles", "order", "unexplained", "camera_error_px"]


def test_a_picture_of_8k_is_read(
    photo: Image, views: list[MatView], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    large = np.asarray(cv2.resize(photo, (7680, 5760), interpolation=cv2.INTER_LINEAR), np.uint8)
    assert main(["read", str(kept(tmp_path, large, "large.jpg"))]) == 0
    (view,) = views
    assert len(view.seen) == 4 and (view.sight.lens.width, view.sight.lens.height) == (7680, 5760)
    rim = np.array([(x, y, 0.0) for x in (-180.0, 180.0) for y in (-118.5, 118.5)])
    there = (SIGHT.project(rim) + 0.5) * 7680 / 800 - 0.5
    assert np.abs(view.sight.project(rim) - there).max() < 6  # px, a little more than half a pixel of the small picture


@pytest.mark.parametrize("ending", [".png", ".jpg", ".tif", ".webp", ".bmp"])
def test_a_file_that_is_cut_off_is_one_sentence(
    photo: Image, ending: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = kept(tmp_path, photo, f"cut{ending}")
    whole = path.read_bytes()
    for share in (0.5, 0.001):
        path.write_bytes(whole[: 12 + int(share * len(whole))])
        said = refused(capfd, "read", path)
        assert said.startswith(str(path)) and ("is cut off" in said or "is not a picture that can be read" in said)


def test_a_damaged_file_is_no_more_than_a_sentence(
    photo: Image, views: list[MatView], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("damaged.png", "damaged.jpg"):
        path = kept(tmp_path, photo, name)
        whole = bytearray(path.read_bytes())
        whole[len(whole) // 2 : len(whole) // 2 + 40] = bytes(40)
        path.write_bytes(whole)
        code = main(["read", str(path)])  # a JPEG may still show the mat
        said = capfd.readouterr()
        assert code in (0, 2) and len(said.err.splitlines()) == (code == 2), said.err


@pytest.mark.parametrize(("mode", "ending"), [("CMYK", ".jpg"), ("CMYK", ".tif"), ("P", ".png"), ("RGBA", ".png")])
def test_colours_are_right_however_they_are_stored(photo: Image, mode: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"photo{ending}"
    stored = Pillow.fromarray(photo).convert(mode)
    stored.save(path)
    off = np.abs(picture_in(path).astype(int) - np.asarray(stored.convert("RGB")).astype(int))
    assert off.mean() < 3


# Live


def watched(capfd: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    """The lines of a watch that came to its end."""
    assert main(["watch", "--headless", "--json", *map(str, arguments)]) == 0
    said = capfd.readouterr()
    assert said.err == ""
    return [json.loads(line) for line in said.out.splitlines()]


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (np.zeros((120, 160, 3), np.uint8), "The picture is black: nothing of the mat can be seen."),
        (np.full((120, 160, 3), 255, np.uint8), "The picture is over-exposed: most of it is plain white."),
        (np.zeros((1, 1, 3), np.uint8), "The picture is black: nothing of the mat can be seen."),
    ],
)
def test_a_table_that_is_not_seen_is_said_once(
    picture: Image, reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for index in range(2 * CALM):
        kept(tmp_path, picture, f"{index}.png")
    (line,) = watched(capfd, "--source", tmp_path)
    assert (line["event"], line["reason"]) == ("unreadable", reason)


def test_damaged_pictures_of_a_folder_are_skipped(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "1.jpg").write_text("this is a text")
    kept(tmp_path, np.full((120, 160, 3), 90, np.uint8), "2.png")
    cut = kept(tmp_path, np.full((120, 160, 3), 90, np.uint8), "3.png")
    cut.write_bytes(cut.read_bytes()[:60])
    lines = watched(capfd, "--source", tmp_path)
    assert [line["event"] for line in lines] == ["skipped", "skipped"]
    assert "1.jpg is not a picture" in lines[0]["reason"] and "3.png is cut off" in lines[1]["reason"]


def test_a_match_does_not_begin_with_a_text_for_a_picture(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.jpg").write_text("this is a text")
    assert "is not a picture that can be read" in refused(capfd, "play", "--text", "--source", tmp_path / "table.jpg")
    (tmp_path / "table.mp4").write_text("this is a text")
    for command in (("play", "--text"), ("watch", "--headless")):
        assert "is not a video that can be read" in refused(capfd, *command, "--source", tmp_path / "table.mp4")


@pytest.mark.parametrize(
    "command",
    [("watch", "--headless", "--source"), ("play", "--text", "--source"), ("calibrate", "camera", "--headless")],
)
def test_a_camera_in_use_is_one_sentence(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """OpenCV itself tries to open it, and has a page to say about that."""
    there = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: str(path) == "/dev/video77" or there(path))
    said = refused(capfd, *command, "77")
    assert said == "Camera 77 does not open: another program may be using it."


class Unplugged:
    """A camera that is pulled out after some pictures, each time it is opened."""

    def __init__(self, number: int) -> None:
        self.left = 5

    def isOpened(self) -> bool:
        return True

    def get(self, key: int) -> float:
        return 160.0 if key == cv2.CAP_PROP_FRAME_WIDTH else 120.0

    def getBackendName(self) -> str:
        return "PRETENDED"

    def read(self) -> tuple[bool, Image]:
        self.left -= 1
        time.sleep(0.002)  # as long as a picture takes
        return self.left >= 0, np.full((120, 160, 3), 90, np.uint8)

    def release(self) -> None:
        pass


def test_a_camera_that_is_unplugged_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cv2, "VideoCapture", Unplugged)
    there = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: str(path) == "/dev/video0" or there(path))
    lines = watched(capfd, "--source", "0", "--seconds", "0.9")
    assert [line["event"] for line in lines][:2] == ["lost", "back"]
    assert lines[0]["reason"] == "Camera 0 gives no pictures any more: is it still plugged in?"
