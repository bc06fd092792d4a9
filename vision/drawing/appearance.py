"""What a table looks like: woods, paints, lamps and the camera's own faults, drawn at random by kind."""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass

import numpy as np

Colour = tuple[float, float, float]  # red, green, blue; linear light, 0 to 1
KINDS = ("daylight", "desk lamp", "two lamps", "overcast", "evening")
WOODS = (
    (0.095, 0.38, 0.82),
    (0.075, 0.55, 0.62),
    (0.06, 0.60, 0.50),
    (0.05, 0.65, 0.26),
    (0.085, 0.45, 0.70),
    (0.10, 0.28, 0.85),
)
PAINTS = (0.0, 0.08, 0.14, 0.33, 0.47, 0.58, 0.72, 0.85)  # hues


@dataclass(frozen=True, slots=True)
class Lamp:
    """A round lamp: where it hangs (mm), how large it is (mm), and its light where it shines straight down."""

    place: tuple[float, float, float]
    size: float
    light: Colour


@dataclass(frozen=True, slots=True)
class Appearance:
    """Everything about a picture that is not geometry."""

    kind: str
    table: Colour
    grain: float  # strength of the table's pattern
    cloth: bool  # woven or speckled instead of wood
    tiles: tuple[Colour, ...]  # by turns
    tile_grain: float
    worn: float  # how much paler (or darker, below 0) the tiles' edges are
    lamps: tuple[Lamp, ...]
    ambient: Colour
    marks: float = 0.0  # how much brighter (or darker, below 0) than the tile the figures printed on it are
    paper: Colour = (0.80, 0.80, 0.79)
    ink: float = 0.03
    exposure: float = 1.0
    blur: float = 0.6  # px
    noise: float = 1.0  # grey levels
    quality: int = 92  # of the JPEG
    clutter: int = 2  # things that lie on the table beside the mat
    vignette: float = 0.1


def from_hsv(hue: float, saturation: float, value: float) -> Colour:
    """A colour as painters mix it, in linear light."""
    return colorsys.hsv_to_rgb(hue % 1.0, saturation, value)


def random_appearance(kind: str, rng: np.random.Generator) -> Appearance:
    """An appearance of that kind: one of KINDS."""
    paper = tuple(0.80 * rng.uniform(0.97, 1.0, 3))
    common = {
        "table": _table(rng, kind),
        "grain": float(rng.uniform(0.1, 0.5)),
        "cloth": bool(rng.random() < 0.25),
        "tiles": _tiles(rng),
        "tile_grain": float(rng.uniform(0.03, 0.22)),
        "worn": float(rng.uniform(-0.15, 0.3)) if rng.random() < 0.5 else 0.0,
        "paper": paper,
        "ink": float(rng.uniform(0.015, 0.05)),
        "blur": float(rng.uniform(0.45, 1.0)),
        "quality": int(rng.integers(78, 98)),
        "clutter": int(rng.integers(0, 5)),
        "vignette": float(rng.uniform(0.0, 0.25)),
    }
    if kind == "daylight":
        lamps = [_lamp(rng, (900, 1600), (400, 800), _kelvin(rng, 5200, 6800), 0.55)]
        ambient, noise, exposure = _times(_kelvin(rng, 6000, 8000), 0.45), (0.5, 1.5), (0.85, 1.1)
    elif kind == "desk lamp":
        lamps = [_lamp(rng, (450, 900), (80, 200), _kelvin(rng, 2800, 3800), 0.75)]
        ambient, noise, exposure = _times(_kelvin(rng, 3200, 5000), 0.22), (0.8, 2.0), (0.8, 1.05)
    elif kind == "two lamps":
        lamps = [_lamp(rng, (700, 1400), (150, 500), _kelvin(rng, 2900, 6500), share) for share in (0.45, 0.30)]
        ambient, noise, exposure = _times(_kelvin(rng, 3500, 6500), 0.3), (0.8, 2.0), (0.75, 1.05)
    elif kind == "overcast":
        lamps = [_lamp(rng, (1200, 2000), (900, 1400), _kelvin(rng, 5500, 7500), 0.35)]
        ambient, noise, exposure = _times(_kelvin(rng, 6000, 8000), 0.65), (0.6, 2.0), (0.7, 1.05)
    else:
        lamps = [_lamp(rng, (600, 1200), (200, 500), _kelvin(rng, 2600, 3400), 0.6)]
        ambient, noise, exposure = _times(_kelvin(rng, 2700, 4000), 0.35), (2.0, 3.5), (0.30, 0.55)
    return Appearance(
        kind,
        lamps=tuple(lamps),
        ambient=ambient,
        noise=float(rng.uniform(*noise)),
        exposure=float(rng.uniform(*exposure)),
        **common,  # type: ignore[arg-type]
    )


def _table(rng: np.random.Generator, kind: str) -> Colour:
    draw = rng.random()
    if draw < 0.6:
        return from_hsv(rng.uniform(0.04, 0.11), rng.uniform(0.25, 0.65), rng.uniform(0.12, 0.6))
    if draw < 0.8:
        return from_hsv(rng.random(), rng.uniform(0.0, 0.4), rng.uniform(0.03, 0.3))
    return from_hsv(rng.random(), rng.uniform(0.0, 0.12), rng.uniform(0.45, 0.85))


def _tiles(rng: np.random.Generator) -> tuple[Colour, ...]:
    draw = rng.random()
    if draw < 0.6:
        hue, saturation, value = WOODS[rng.integers(len(WOODS))]
        jitter = rng.normal(size=(11, 3)) * (0.006, 0.03, 0.05)
        return tuple(from_hsv(hue + a, saturation * (1 + b), value * (1 + c)) for a, b, c in jitter.tolist())
    if draw < 0.8:
        return (from_hsv(float(rng.choice(PAINTS)), rng.uniform(0.5, 0.9), rng.uniform(0.15, 0.7)),)
    hues = rng.permutation(PAINTS).tolist()
    return tuple(from_hsv(hue, rng.uniform(0.5, 0.9), rng.uniform(0.15, 0.7)) for hue in hues)


def _lamp(
    rng: np.random.Generator, away: tuple[float, float], size: tuple[float, float], colour: Colour, share: float
) -> Lamp:
    around, up = rng.uniform(0, math.tau), math.radians(rng.uniform(38, 75))
    far = rng.uniform(*away)
    place = (far * math.cos(up) * math.cos(around), far * math.cos(up) * math.sin(around), far * math.sin(up))
    return Lamp(place, float(rng.uniform(*size)), _times(colour, share / math.sin(up)))


def _times(colour: Colour, share: float) -> Colour:
    return colour[0] * share, colour[1] * share, colour[2] * share


def _kelvin(rng: np.random.Generator, low: float, high: float) -> Colour:
    """Light of a colour temperature, of about one brightness, half corrected as cameras do."""
    kelvin = rng.uniform(low, high)
    warm = (5500 / kelvin - 1) * 0.5
    red, blue = 1 + 0.35 * warm, 1 - 0.75 * warm
    level = (red + 1 + blue) / 3
    return red / level, 1 / level, max(0.15, blue / level)
