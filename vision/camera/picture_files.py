"""Pictures from files, and what is wrong with those that cannot be read."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from physics.errors import InputError
from physics.fields import printable
from vision.opencv import require_cv2

with suppress(ImportError):  # said by require_cv2 when a picture is wanted
    import cv2


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Which pictures can be read, and what is wrong with one in which no marker is found."""

    max_bytes: int = 80_000_000  # of a file: 80 MB hold any camera's picture
    min_size: tuple[int, int] = (160, 120)  # px: less cannot show the mat's markers
    max_side: int = 2600  # px across: larger pictures are shrunk before they are read, since they show nothing more
    dark_level: int = 12  # grey level below which the brightest hundredth lies in a black picture
    bright_level: int = 250  # grey level from which on a pixel is plain white
    max_bright: float = 0.6  # share of a picture that may be so before it is called over-exposed
    min_sharpness: float = 12.0  # variance of the second derivative, 640 px wide, below which no edge is sharp


PICTURE_LIMITS = PictureLimits()


ERROR_STREAM = 2  # as every system numbers it

Image = npt.NDArray[np.uint8]

_one_at_a_time = threading.Lock()


class PictureError(InputError):
    """A picture that cannot be read, or in which the table cannot be found."""


def load_picture(path: Path) -> Image:
    """As `picture_in`; PictureError also when the picture is too small to show the table."""
    picture = picture_in(path)
    check_size(picture, printable(str(path), 4096))
    return picture


def picture_in(path: Path) -> Image:
    """The picture of a file as red, green and blue (height, width, 3), whatever its colours are stored as.

    PictureError when there is no such file, when it is no picture, or when it is cut off or too large.
    MissingError without OpenCV.
    """
    require_cv2()
    name = printable(str(path), 4096)
    try:
        if path.is_dir():
            raise PictureError("{file} is a folder, not a picture.", file=name)
        with path.open("rb") as file:
            data = file.read(PICTURE_LIMITS.max_bytes + 1)
    except FileNotFoundError:
        raise PictureError("There is no file {file}.", file=name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PictureError("{file} cannot be read: {reason}.", file=name, reason=reason) from None
    if len(data) > PICTURE_LIMITS.max_bytes:
        raise PictureError(
            "{file} is larger than {limit} MB, the most a picture may have.",
            file=name,
            limit=PICTURE_LIMITS.max_bytes // 1_000_000,
        )
    if _cut_off(data):
        raise PictureError("{file} is cut off: its end is missing.", file=name)
    found = decoded(data)
    if found is None:
        raise PictureError("{file} is not a picture that can be read (JPEG, PNG, WebP, TIFF or BMP).", file=name)
    return found


def decoded(data: bytes) -> Image | None:
    """The picture in the bytes of a file as `picture_in` gives it; None when there is none. Needs OpenCV."""
    try:
        with _hushed():
            found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB) if data else None
    except cv2.error:
        return None
    return None if found is None else np.asarray(found, np.uint8)


@contextmanager
def _hushed() -> Iterator[None]:
    """Keeps what the decoders of damaged pictures write off people's terminals; they know no other way than this."""
    with _one_at_a_time:
        try:
            kept = os.dup(ERROR_STREAM)
        except OSError:  # a program without one
            yield
            return
        try:
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), ERROR_STREAM)
            yield
        finally:
            os.dup2(kept, ERROR_STREAM)
            os.close(kept)


def check_size(image: Image, name: str) -> None:
    """PictureError when the picture is too small to show the mat."""
    high, wide = image.shape[:2]
    min_width, min_height = PICTURE_LIMITS.min_size
    if wide < min_width or high < min_height:
        raise PictureError(
            "{file} is {width} × {height} px; a picture of the table has at least {min_width} × {min_height}.",
            file=name,
            width=wide,
            height=high,
            min_width=min_width,
            min_height=min_height,
        )


def _cut_off(data: bytes) -> bool:
    """Whether a JPEG or PNG has lost its end."""
    if data.startswith(b"\xff\xd8"):
        return b"\xff\xd9" not in data[-4096:]
    if data.startswith(b"\x89PNG"):
        return b"IEND" not in data[-4096:]
    return False


def what_is_wrong(image: Image) -> PictureError:
    """The likeliest reason why no marker is found in a picture."""
    grey = image if image.ndim == 2 else np.ascontiguousarray(image[..., 1])
    if float(np.percentile(grey, 99)) < PICTURE_LIMITS.dark_level:
        return PictureError("The picture is black: nothing of the mat can be seen.")
    if float(np.mean(grey >= PICTURE_LIMITS.bright_level)) > PICTURE_LIMITS.max_bright:
        return PictureError("The picture is over-exposed: most of it is plain white.")
    small = cv2.resize(grey, (640, max(1, 640 * grey.shape[0] // grey.shape[1])), interpolation=cv2.INTER_AREA)
    if float(cv2.Laplacian(small, cv2.CV_64F).var()) < PICTURE_LIMITS.min_sharpness:
        return PictureError("The picture is out of focus or shows nothing: no edge in it is sharp.")
    return PictureError("No marker of the mat is in the picture; four are printed on it, at least two must be seen.")
