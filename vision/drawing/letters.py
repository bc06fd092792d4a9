"""Words on pictures, in OpenCV's own letters: they have Latin and Cyrillic wherever OpenCV is installed.

Letters of one width are matplotlib's, where that is installed; without it OpenCV's own are set at even distances.
"""

from __future__ import annotations

import math
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.drawing.render import Colour

PLAIN, BOLD = 420, 700  # weights
EVEN = 0.602  # of their height: how wide letters of one width are

Image = npt.NDArray[np.uint8]


@lru_cache(maxsize=1)
def _font() -> cv2.FontFace:
    return cv2.FontFace("sans")


@lru_cache(maxsize=4096)
def width_of(words: str, size: int, bold: bool = False) -> int:
    """How wide the words are, px, in letters of that size."""
    if not words:
        return 0
    left, _top, wide, _high = cv2.getTextSize((0, 0), words, (0, 0), _font(), size, BOLD if bold else PLAIN)
    return int(left + wide)


def wrapped(words: str, size: int, room: int) -> list[str]:
    """The words as lines no wider than the room, px; a word that is wider itself is broken."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
            continue
        while width_of(word, size) > room and len(word) > 1:
            part = next(k for k in range(len(word) - 1, 0, -1) if k == 1 or width_of(word[:k], size) <= room)
            lines.append(word[:part])
            word = word[part:]
        lines.append(word)
    return lines


def shortened(words: str, size: int, room: int) -> str:
    """The words, or as much of their beginning as there is room for, px."""
    if width_of(words, size) <= room:
        return words
    return next(
        (f"{words[:k].rstrip()}…" for k in range(len(words), 0, -1) if width_of(words[:k] + "…", size) <= room), "…"
    )


def write(picture: Image, words: str, x: int, baseline: int, size: int, colour: Colour, bold: bool = False) -> None:
    """Writes the words into the picture (RGB), from x on, standing on the baseline."""
    if words:
        cv2.putText(picture, words, (x, baseline), colour, _font(), size, BOLD if bold else PLAIN)


@lru_cache(maxsize=1)
def _even_font() -> cv2.FontFace | None:
    """Letters of one width; None where they are not installed."""
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSansMono.ttf"
    return cv2.FontFace(str(path)) if path.is_file() else None


def even_width(count: int, size: int) -> int:
    """How wide so many letters of one width are, px."""
    return math.ceil(count * EVEN * size)


def write_even(picture: Image, words: str, x: int, baseline: int, size: int, colour: Colour) -> None:
    """Writes words in letters of one width into the picture (RGB), from x on: what is drawn in characters fits."""
    font = _even_font() or _font()
    for place, letter in enumerate(words):
        if letter != " ":
            left, _top, wide, _high = cv2.getTextSize((0, 0), letter, (0, 0), font, size, PLAIN)
            middle = x + (place + 0.5) * EVEN * size
            cv2.putText(picture, letter, (round(middle - left - wide / 2), baseline), colour, font, size, PLAIN)
