"""The cameras that are plugged in. None of them is started for that.

Linux says itself which there are; on Windows and macOS `cv2_enumerate_cameras` asks, with the numbers of OpenCV.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import struct
import sys
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

DEVICES = Path("/dev")
QUERY_CAPABILITIES = 0x80685600  # VIDIOC_QUERYCAP of Linux: what a video device is
ANSWER = struct.Struct("=16s32s32s6I")  # driver, name, bus; version, abilities of all its nodes, of this one, reserved
PER_NODE = 0x80000000  # the abilities of this node are told as well
CAPTURES = 0x00000001 | 0x00001000  # gives pictures, in one plane or in several

_log = logging.getLogger("topple.camera")


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera of this machine."""

    number: int
    name: str = ""  # as its maker has it; empty: it does not say


def cameras_there() -> tuple[Camera, ...]:
    """The cameras, by number; none where nobody can tell without starting them."""
    return cameras_of_linux() if sys.platform.startswith("linux") else cameras_of_opencv()


def cameras_of_opencv() -> tuple[Camera, ...]:
    """The cameras as the first way finds them in which OpenCV would open them; none where that cannot be asked."""
    try:
        from cv2_enumerate_cameras import enumerate_cameras, supported_backends

        found = enumerate_cameras(supported_backends[0]) if supported_backends else []
    except (ImportError, OSError, NotImplementedError) as error:
        _log.warning("cameras cannot be listed: %s", error)
        return ()
    return tuple(sorted((Camera(int(each.index), str(each.name).strip()) for each in found), key=attrgetter("number")))


def cameras_of_linux(devices: Path = DEVICES) -> tuple[Camera, ...]:
    """The cameras among the devices of Linux.

    A camera has other nodes than the one that gives pictures: they are left out. One that cannot be asked is listed.
    """
    nodes = [(re.fullmatch(r"video(\d{1,3})", path.name), path) for path in devices.glob("video*")]
    asked = ((int(found.group(1)), _answer(path)) for found, path in nodes if found is not None)
    return tuple(
        Camera(number, _name(answer)) for number, answer in sorted(asked) if answer is None or _captures(answer)
    )


def _answer(node: Path) -> bytes | None:
    """What the device says of itself; None when it does not."""
    with contextlib.suppress(OSError, ImportError):
        import fcntl

        opened = os.open(node, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return fcntl.ioctl(opened, QUERY_CAPABILITIES, bytes(ANSWER.size))
        finally:
            os.close(opened)
    return None


def _captures(answer: bytes) -> bool:
    *_words, _version, of_all, of_node, _a, _b, _c = ANSWER.unpack(answer)
    return bool((of_node if of_all & PER_NODE else of_all) & CAPTURES)


def _name(answer: bytes | None) -> str:
    return "" if answer is None else ANSWER.unpack(answer)[1].partition(b"\0")[0].decode(errors="replace").strip()
