"""Where pictures come from: a camera, a video, a folder, an MJPEG address or a program, all behind one interface."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from physics.errors import InputError
from physics.files import check_name
from vision.camera.picture_files import decoded, picture_in
from vision.opencv import HAS_CV2, require_cv2

if HAS_CV2:
    import cv2

    # What is said in a sentence here they would write to people's terminals; FFmpeg looks at this when first used.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

Image = npt.NDArray[np.uint8]

_log = logging.getLogger("topple.camera")

PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
SYNTHETIC = "synthetic"


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """What a source may take, in time and in bytes."""

    folder_rate: float = 30.0  # pictures per second that a folder stands for
    answer: float = 4.0  # s in which an address must answer
    max_bytes: int = 64_000_000  # of one picture in an MJPEG stream
    chunk: int = 65_536  # bytes asked of an address at once
    max_failures: int = 20  # of a camera in a row before it counts as lost


SOURCE_LIMITS = SourceLimits()


@dataclass(frozen=True)
class Skipped:
    """One picture could not be read; the source goes on."""

    reason: InputError


Taken = tuple[float, Image] | Skipped  # what a source gives: the time, s, and the picture


class Source(Protocol):
    """Something that gives pictures."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def is_live(self) -> bool:
        """Whether the newest picture is wanted rather than every one, and the source tried again when it is lost."""

    def pictures(self) -> Iterator[Taken]:
        """Opens it and gives its pictures; InputError with the reason when that fails or ends too early."""


@dataclass(frozen=True)
class CameraSource:
    """A camera of this machine."""

    number: int
    size: tuple[int, int] | None = None  # asked for; a camera gives what it can
    is_live: bool = True

    @property
    def name(self) -> str:
        """As people know it."""
        return str(self.number)

    def pictures(self) -> Iterator[Taken]:
        """Its pictures as they come; InputError when it is missing, in use or unplugged."""
        device = Path(f"/dev/video{self.number}")
        if Path("/dev").is_dir() and os.name == "posix" and os.uname().sysname == "Linux" and not device.exists():
            raise InputError(
                "There is no camera {number} here: plug it in, or give another number.", number=self.number
            )
        capture = cv2.VideoCapture(self.number)
        try:
            if not capture.isOpened():
                raise InputError("Camera {number} does not open: another program may be using it.", number=self.number)
            if self.size is not None:
                capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
                capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
            width, height = (int(capture.get(key)) for key in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
            _log.info("camera %d, %d×%d px, %s", self.number, width, height, capture.getBackendName())
            missed = 0
            while missed < SOURCE_LIMITS.max_failures:
                good, picture = capture.read()
                missed = 0 if good else missed + 1
                if good:
                    yield time.monotonic(), _coloured(picture)
        finally:
            capture.release()
        raise InputError("Camera {number} gives no pictures any more: is it still plugged in?", number=self.number)


@dataclass(frozen=True)
class VideoSource:
    """A video file."""

    path: Path
    is_live: bool = False

    @property
    def name(self) -> str:
        """As people know it."""
        return str(self.path)

    def pictures(self) -> Iterator[Taken]:
        """Every picture with its time in the film; InputError when the file is missing or no video."""
        _check_file(self.path)
        capture = cv2.VideoCapture(str(self.path), cv2.CAP_FFMPEG)
        try:
            rate = capture.get(cv2.CAP_PROP_FPS) if capture.isOpened() else 0.0
            count = 0
            while capture.isOpened():
                good, picture = capture.read()
                if not good:
                    break
                moment = capture.get(cv2.CAP_PROP_POS_MSEC) / 1e3
                if moment <= 0 and count > 0:  # some files have no times; then their rate says when
                    moment = count / (rate or SOURCE_LIMITS.folder_rate)
                yield moment, _coloured(picture)
                count += 1
        finally:
            capture.release()
        if count == 0:
            raise InputError("{file} is not a video that can be read.", file=str(self.path))


@dataclass(frozen=True)
class FolderSource:
    """The pictures of a folder in the order of their names, or one picture."""

    path: Path
    is_live: bool = False

    @property
    def name(self) -> str:
        """As people know it."""
        return str(self.path)

    def files(self) -> list[Path]:
        """The pictures; InputError when the folder is missing or has none."""
        try:
            found = [self.path] if self.path.is_file() else list(self.path.iterdir())
        except OSError as error:
            raise _unreadable(self.path, error) from None
        found = [path for path in found if path.suffix.lower() in PICTURE_ENDINGS and not path.name.startswith(".")]
        if not found:
            raise InputError(
                "The folder {folder} has no picture ({endings}).",
                folder=str(self.path),
                endings=", ".join(PICTURE_ENDINGS),
            )
        return sorted(found, key=_by_numbers)

    def pictures(self) -> Iterator[Taken]:
        """Every picture; one that is damaged is skipped. InputError when the folder is missing or has none."""
        for index, path in enumerate(self.files()):
            try:
                yield index / SOURCE_LIMITS.folder_rate, picture_in(path)
            except InputError as reason:
                yield Skipped(reason)


@dataclass(frozen=True)
class AddressSource:
    """An MJPEG stream, as phones and network cameras offer it."""

    address: str
    patience: float = SOURCE_LIMITS.answer
    is_live: bool = True

    @property
    def name(self) -> str:
        """As people know it."""
        return self.address

    def pictures(self) -> Iterator[Taken]:
        """Its pictures as they come; InputError when nobody answers, the answer is no MJPEG, or it breaks off."""
        import urllib.request

        try:
            answer = urllib.request.urlopen(self.address, timeout=self.patience)
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise InputError("{address} does not answer: {reason}.", address=self.address, reason=str(reason)) from None
        with answer:
            kind = answer.headers.get_content_type()
            boundary = answer.headers.get_param("boundary")
            if kind != "multipart/x-mixed-replace" or not isinstance(boundary, str):
                raise InputError(
                    "{address} gives {kind}, but an MJPEG stream (multipart/x-mixed-replace) is needed.",
                    address=self.address,
                    kind=kind,
                )
            for part in _parts(answer, b"--" + boundary.removeprefix("--").encode("latin-1"), self.address):
                picture = decoded(part)
                if picture is None:
                    yield Skipped(InputError("{address} sent a damaged picture.", address=self.address))
                else:
                    yield time.monotonic(), picture
        raise InputError("{address} has stopped sending pictures.", address=self.address)


@dataclass(frozen=True)
class ProgramSource:
    """Pictures that a program makes: times, s, and pictures."""

    make: Callable[[], Iterator[Taken]]
    name: str = SYNTHETIC
    is_live: bool = False

    def pictures(self) -> Iterator[Taken]:
        """What the program makes."""
        yield from self.make()


def source_of(
    text: str, synthetic: Callable[[], Iterator[Taken]] | None = None, size: tuple[int, int] | None = None
) -> Source:
    """The source behind what a person typed; MissingError without OpenCV, InputError when it is none.

    A camera's number, an address (http, https), a folder, a picture, a video, or `synthetic` where a program is given.
    `size`: what a camera is asked for, px; it gives what it can.
    """
    require_cv2()
    _log.info("pictures from %s", text)
    if re.fullmatch(r"\d{1,3}", text):
        return CameraSource(int(text), size)
    if re.match(r"https?://", text):
        return AddressSource(text)
    if text == SYNTHETIC and synthetic is not None:
        return ProgramSource(synthetic)
    path = Path(text)
    if path.is_dir() or path.suffix.lower() in PICTURE_ENDINGS:
        if not path.is_dir():
            _check_file(path)
        return FolderSource(path)
    _check_file(path)
    return VideoSource(path)


def _parts(stream: Any, boundary: bytes, address: str) -> Iterator[bytes]:
    """The bodies between the boundaries of a multipart stream, until it ends; InputError when it breaks."""
    buffer = b""
    while True:
        try:
            chunk = stream.read1(SOURCE_LIMITS.chunk)
        except (OSError, ValueError) as error:
            raise InputError("{address} broke off: {reason}.", address=address, reason=str(error)) from None
        if not chunk:
            return
        buffer += chunk
        while (found := _first_part(buffer, boundary)) is not None:
            body, buffer = found
            if body:
                yield body
        if len(buffer) > SOURCE_LIMITS.max_bytes:
            raise InputError("{address} sends pictures without an end.", address=address)


def _first_part(buffer: bytes, boundary: bytes) -> tuple[bytes, bytes] | None:
    """The first whole body and what comes after it; a body with a stated length is there before the next begins."""
    head, found, rest = buffer.partition(b"\r\n\r\n")
    if not found:
        return None
    length = re.search(rb"(?i)content-length:\s*(\d{1,9})", head)
    if length is not None:
        size = int(length.group(1))
        return (rest[:size], rest[size:]) if len(rest) >= size else None
    end = rest.find(boundary)
    return (rest[:end], rest[end:]) if end >= 0 else None


def _coloured(picture: Any) -> Image:
    """A camera's picture as RGB, whatever it gave."""
    kind = cv2.COLOR_BGR2RGB if picture.ndim == 3 else cv2.COLOR_GRAY2RGB
    return np.asarray(cv2.cvtColor(picture, kind), np.uint8)


def _check_file(path: Path) -> None:
    """InputError when there is no such file, it may not be read, or its name is no text."""
    check_name(path)
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError("{file} cannot be read: {reason}.", file=str(path), reason=error.strerror or str(error))


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """Names in the order people count: frame_9 before frame_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name.lower())]
