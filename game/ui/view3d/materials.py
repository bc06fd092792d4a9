"""What the window's table and tiles are made of, as pictures: boards, grain, felt, and the numbers on the tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter, ImageFont

BOARDS_SIDE, GRAIN_SIDE = 1024, 512  # texels
BOARDS = 5  # side by side in the picture
LARGEST_ATLAS = 4096  # texels
CELL = 256  # texels of a number, where there is room for all
TURNED_ALIKE = frozenset("0689")  # digits that make another number, or the same, upside down

Array = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint8]
Colour = tuple[float, float, float]

# Woods from pale to dark, as the eye sees them (sRGB): maple, ash, birch, beech, oak, alder, pear, cherry, teak,
# mahogany, walnut.
TONES: tuple[Colour, ...] = (
    (0.925, 0.830, 0.660),
    (0.905, 0.785, 0.585),
    (0.885, 0.735, 0.520),
    (0.860, 0.685, 0.460),
    (0.830, 0.630, 0.400),
    (0.800, 0.570, 0.345),
    (0.765, 0.510, 0.300),
    (0.720, 0.445, 0.255),
    (0.665, 0.385, 0.215),
    (0.590, 0.320, 0.185),
    (0.500, 0.265, 0.160),
)


@lru_cache(maxsize=1)
def begun() -> Future[Pixels]:
    """The boards, which are being made in a thread of their own from the first call on: that takes a while."""
    thread = ThreadPoolExecutor(1, "boards")
    future = thread.submit(boards)
    thread.shutdown(wait=False)
    return future


def tone_of(value: int) -> Colour:
    """The wood of a tile by its value: small ones pale, large ones dark, over again after the eleventh."""
    return TONES[(value - 1) % len(TONES)]


def _noise(rng: np.random.Generator, side: int, along: float, across: float) -> Array:
    """Smooth noise of mean 0 and deviation 1 that wraps around, stretched to those lengths in texels."""
    waves = np.fft.fftfreq(side)[:, None] * across, np.fft.rfftfreq(side)[None, :] * along
    spectrum = np.fft.rfft2(rng.standard_normal((side, side)))
    found = np.fft.irfft2(spectrum * np.exp(-2 * np.pi**2 * (waves[0] ** 2 + waves[1] ** 2)), (side, side))
    return np.asarray(found / found.std())


def boards(side: int = BOARDS_SIDE) -> Pixels:
    """A square of walnut boards (side, side, 3) that can be laid side by side with itself, grain along its rows."""
    rng = np.random.default_rng(11)
    rows = np.arange(side)[:, None]
    board = rows * BOARDS // side
    place = rows * BOARDS / side - board  # 0 to 1 across a board
    # Each board is cut from another part of the tree: other rings, other tone, and a figure of its own.
    warp, slow = _noise(rng, side, side / 3.2, side / 26), _noise(rng, side, side / 2.2, side / 9)
    shift = rng.integers(0, side, BOARDS)
    for k in range(BOARDS):
        inside = board[:, 0] == k
        warp[inside] = np.roll(warp[inside], int(shift[k]), axis=1)
    offset = rng.uniform(0, 1, BOARDS)[board]
    rings = 9.0 * (place - 0.5 + 0.25 * (offset - 0.5)) ** 2 * 4 + 0.85 * warp + 6 * offset
    grain = 2 * np.abs(np.mod(rings, 1.0) - 0.5)
    grain = np.sin(math.tau * rings) * 0.5 + 0.5 * (2 * grain**2 - 0.7)
    pores = np.minimum(_noise(rng, side, 16, 0.7) + 0.7, 0.0)
    fibre = _noise(rng, side, 40, 0.8)
    tone = rng.uniform(-1, 1, BOARDS)[board]
    bright = 1 + 0.075 * grain + 0.045 * fibre + 0.11 * pores + 0.075 * tone + 0.05 * slow
    seam = np.minimum(place, 1 - place) * side / BOARDS
    bright = bright * (1 - 0.5 * np.exp(-((seam / 1.5) ** 2))) * (1 - 0.10 * np.exp(-seam / 7))
    colour = np.array([0.390, 0.278, 0.200]) + (0.5 * grain + tone)[..., None] * np.array([0.006, -0.003, -0.008])
    return np.asarray(np.clip(255 * colour * bright[..., None], 0, 255), np.uint8)


def smaller_too(pixels: Pixels, count: int) -> list[Pixels]:
    """A square picture and ever smaller ones of it, each half as wide as the one before."""
    found = [pixels]
    for _ in range(count - 1):
        last = found[-1].astype(np.float64)
        found.append(np.asarray((last[::2, ::2] + last[1::2, ::2] + last[::2, 1::2] + last[1::2, 1::2]) / 4, np.uint8))
    return found


def opaque(pixels: Pixels) -> Pixels:
    """The same picture with an alpha of its own: cards read four parts faster than three."""
    return np.concatenate([pixels, np.full((*pixels.shape[:2], 1), 255, np.uint8)], axis=2)


def felt(size: tuple[float, float], texel: float) -> Pixels:
    """A green cloth of that size (m) with round corners and a seam, RGBA; its middle lies at the picture's corner."""
    rng = np.random.default_rng(3)
    wide, high = (max(8, round(side / texel)) for side in size)
    x = np.abs((np.arange(wide) + 0.5) * texel - size[0] / 2)[None, :]
    y = np.abs((np.arange(high) + 0.5) * texel - size[1] / 2)[:, None]
    corner = 0.014
    dx, dy = x - size[0] / 2 + corner, y - size[1] / 2 + corner
    rim = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0) - corner
    fluff = 1 + 0.055 * rng.standard_normal((high, wide)) + 0.02 * rng.standard_normal((high, 1))
    colour = np.array([0.215, 0.390, 0.325]) * 255 * fluff[..., None]
    colour *= (1 - 0.35 * np.exp(-((rim + 0.001) ** 2) / 2e-6))[..., None]
    stitched = (np.abs(rim + 0.007) < 0.0007) & (np.mod(np.where(dx > dy, y, x), 0.006) < 0.0036)
    colour[stitched] = (196, 168, 110)
    alpha = np.clip(0.5 - rim / texel, 0, 1) * 255
    pixels = np.concatenate([np.clip(colour, 0, 255), alpha[..., None]], axis=2).astype(np.uint8)
    return np.asarray(np.roll(pixels, (-(high // 2), -(wide // 2)), axis=(0, 1)))


def grain(side: int = GRAIN_SIDE) -> Pixels:
    """Tones of planed wood (side, side), 128 in the middle, that wrap around; grain along its columns."""
    rng = np.random.default_rng(5)
    warp = _noise(rng, side, side / 2.5, side / 12)
    across = np.arange(side)[:, None] / side
    rings = 7 * across + 0.55 * warp
    line = np.sin(math.tau * rings) * 0.6 + np.sin(math.tau * (3 * rings + 0.3 * warp)) * 0.25
    tone = line + 0.5 * _noise(rng, side, 50, 0.9) + 0.35 * _noise(rng, side, side / 4, side / 8)
    return np.asarray(np.clip(128 + 38 * tone, 0, 255).T, np.uint8)


def numbers(values: Sequence[int], font: Path) -> tuple[Pixels, int]:
    """The values as one square picture, row by row of as many cells as the second result says.

    Edges run softly from 0 to 255 over a few texels, so that a shader can cut them sharply at any size. A number that
    could be read upside down has a bar below.
    """
    across = max(1, math.ceil(math.sqrt(len(values))))
    cell = min(CELL, LARGEST_ATLAS // across)
    sheet = Image.new("L", (across * cell, across * cell), 0)
    for index, value in enumerate(values):
        row, column = divmod(index, across)
        sheet.paste(_number(str(value), font, cell), (column * cell, row * cell))
    return np.asarray(sheet, np.uint8), across


def _number(text: str, font: Path, cell: int) -> Image.Image:
    fine = 2
    side = cell * fine
    picture = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(picture)
    letters = ImageFont.truetype(str(font), round(0.86 * side))
    left, top, right, bottom = draw.textbbox((0, 0), text, font=letters)
    scale = min(1.0, 0.86 * side / (right - left), 0.70 * side / (bottom - top))
    letters = ImageFont.truetype(str(font), max(4, int(0.86 * side * scale)))
    left, top, right, bottom = draw.textbbox((0, 0), text, font=letters)
    barred = set(text) <= TURNED_ALIKE and text != "8" and text != "0"
    up = 0.055 * side if barred else 0.0
    x, y = side / 2 - (left + right) / 2, side / 2 - (top + bottom) / 2 - up
    draw.text((x, y), text, fill=255, font=letters)
    if barred:
        half = 0.19 * side
        low = y + bottom + 0.045 * side
        draw.rounded_rectangle((side / 2 - half, low, side / 2 + half, low + 0.065 * side), 0.03 * side, fill=255)
    # A blur of straight edges crosses one half exactly on them.
    return picture.filter(ImageFilter.GaussianBlur(0.010 * side)).resize((cell, cell), Image.Resampling.BOX)
