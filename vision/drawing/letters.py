"""Words on pictures, in OpenCV's own letters: they have Latin and Cyrillic wherever OpenCV is installed."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.drawing.render import Colour

PLAIN, BOLD = 420, 700  # weights

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
