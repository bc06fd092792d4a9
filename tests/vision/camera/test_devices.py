"""Which cameras are plugged in: every one that gives pictures, by number, none of them started."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.camera import devices as cameras
from vision.camera.devices import ANSWER, CAPTURES, PER_NODE, Camera, cameras_there

METADATA = 0x00800000


def answer(name: str, of_node: int, of_all: int = PER_NODE | CAPTURES | METADATA) -> bytes:
    """What Linux says of a node."""
    return ANSWER.pack(b"uvcvideo", name.encode(), b"usb-1", 0x60102, of_all, of_node, 0, 0, 0)


def test_every_camera_is_listed_by_number(tmp_path: Path) -> None:
    for name in ("video10", "video2", "video", "videos", "video1x", "audio0", "video12345"):
        (tmp_path / name).touch()
    assert cameras_there(tmp_path) == (Camera(2), Camera(10))  # files say nothing of themselves
    assert cameras_there(tmp_path / "none") == ()


def test_nodes_that_give_no_pictures_are_no_cameras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "video0": answer("HD Pro Webcam C920", 0x00000001),
        "video1": answer("HD Pro Webcam C920", METADATA),
        "video2": answer("old driver", 0, of_all=0x00000001),
        "video3": answer("encoder", 0, of_all=0x00000002),
        "video4": answer("several planes", 0x00001000),
        "video5": None,
    }
    for name in said:
        (tmp_path / name).touch()
    monkeypatch.setattr(cameras, "_answer", lambda node: said[node.name])
    found = {camera.number: camera.name for camera in cameras_there(tmp_path)}
    assert found == {0: "HD Pro Webcam C920", 2: "old driver", 4: "several planes", 5: ""}
