"""Which cameras are plugged in: every one that gives pictures, by number, none of them started."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2_enumerate_cameras
import pytest
from cv2_enumerate_cameras import CameraInfo

from vision.camera import devices as cameras
from vision.camera.devices import ANSWER, CAPTURES, PER_NODE, Camera, cameras_of_linux, cameras_of_opencv, cameras_there

METADATA = 0x00800000


def answer(name: str, of_node: int, of_all: int = PER_NODE | CAPTURES | METADATA) -> bytes:
    """What Linux says of a node."""
    return ANSWER.pack(b"uvcvideo", name.encode(), b"usb-1", 0x60102, of_all, of_node, 0, 0, 0)


def test_every_camera_is_listed_by_number(tmp_path: Path) -> None:
    for name in ("video10", "video2", "video", "videos", "video1x", "audio0", "video12345"):
        (tmp_path / name).touch()
    assert cameras_of_linux(tmp_path) == (Camera(2), Camera(10))  # files say nothing of themselves
    assert cameras_of_linux(tmp_path / "none") == ()


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
    found = {camera.number: camera.name for camera in cameras_of_linux(tmp_path)}
    assert found == {0: "HD Pro Webcam C920", 2: "old driver", 4: "several planes", 5: ""}


def test_elsewhere_they_are_listed_as_opencv_numbers_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    there = [
        CameraInfo(1, "HD Pro Webcam C920 ", "usb#1", 0x46D, 0x82D, 1400),
        CameraInfo(0, "built in", "", None, None, 1400),
    ]
    monkeypatch.setattr(cv2_enumerate_cameras, "supported_backends", (1400, 700))
    monkeypatch.setattr(cv2_enumerate_cameras, "enumerate_cameras", lambda backend: there if backend == 1400 else [])
    assert cameras_there() == (Camera(0, "built in"), Camera(1, "HD Pro Webcam C920"))


def test_the_library_has_what_is_asked_of_it() -> None:
    assert all(camera.number >= 0 for camera in cameras_of_opencv())
    assert callable(cv2_enumerate_cameras.enumerate_cameras) and cv2_enumerate_cameras.supported_backends


def test_where_nobody_can_tell_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", None)
    assert cameras_of_opencv() == ()
