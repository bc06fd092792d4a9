"""How the window looks: colours, player signs, fonts, and sizes that follow the window and the letters chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

Colour = tuple[int, int, int, int]

FONTS = ("DejaVu Sans", "Noto Sans", "Segoe UI", "Helvetica Neue", "Arial")
"""The first that the machine has; all of them know Latin and Cyrillic."""

EVEN_FONTS = ("DejaVu Sans Mono", "Noto Sans Mono", "Consolas", "Menlo", "Courier New")
"""The same for letters of one width."""

SIGNS = ("circle", "square", "triangle", "diamond", "star")
"""A shape for each seat, so that nobody has to tell players apart by colour."""

COLOURS = ("sky", "amber", "green", "pink", "orange", "straw", "violet")
"""What players choose from, as it is remembered; each palette has its own tone of it."""

TEXT_SIZES = (1.0, 1.25, 1.5, 2.0)
MIN_WINDOW = (960, 640)


@dataclass(frozen=True, slots=True)
class Palette:
    """Every colour of the window."""

    table: Colour  # behind everything, until a table is drawn
    panel: Colour
    raised: Colour  # buttons
    hover: Colour
    line: Colour  # around panels and buttons
    ink: Colour
    soft: Colour  # less important words
    accent: Colour  # the one thing to do next
    on_accent: Colour
    good: Colour  # success, legal
    bad: Colour  # failure, refused
    on_sign: Colour  # words on good, bad and players' colours
    ring: Colour  # around what the keyboard is at
    shade: Colour  # over the table when something else is asked
    chip: Colour
    wood: Colour
    tile: Colour
    colours: tuple[Colour, ...]  # that players choose from, in the order of COLOURS
    players: tuple[Colour, ...] = ()  # by seat, once people have chosen; see `seated`
    ring_width: float = 3.0
    line_width: float = 1.0


# Okabe and Ito's colours, which people with any colour vision can tell apart; darkened or lightened for each ground.
WARM = Palette(
    table=(58, 41, 30, 255),
    panel=(43, 31, 24, 235),
    raised=(78, 58, 44, 255),
    hover=(98, 74, 56, 255),
    line=(122, 95, 72, 255),
    ink=(250, 241, 226, 255),
    soft=(214, 192, 166, 255),
    accent=(238, 176, 74, 255),
    on_accent=(40, 26, 14, 255),
    good=(0, 158, 115, 255),
    bad=(213, 94, 0, 255),
    on_sign=(255, 255, 255, 255),
    ring=(255, 224, 150, 255),
    shade=(24, 16, 11, 190),
    chip=(238, 176, 74, 255),
    wood=(120, 82, 54, 255),
    tile=(246, 236, 214, 255),
    colours=(
        (94, 164, 226, 255),
        (247, 190, 58, 255),
        (18, 202, 114, 255),
        (221, 132, 182, 255),
        (235, 112, 40, 255),
        (248, 236, 120, 255),
        (132, 140, 242, 255),
    ),
)

CONTRAST = Palette(
    table=(0, 0, 0, 255),
    panel=(0, 0, 0, 255),
    raised=(20, 20, 20, 255),
    hover=(60, 60, 60, 255),
    line=(255, 255, 255, 255),
    ink=(255, 255, 255, 255),
    soft=(235, 235, 235, 255),
    accent=(255, 221, 0, 255),
    on_accent=(0, 0, 0, 255),
    good=(0, 120, 84, 255),
    bad=(190, 60, 0, 255),
    on_sign=(255, 255, 255, 255),
    ring=(0, 229, 255, 255),
    shade=(0, 0, 0, 225),
    chip=(255, 221, 0, 255),
    wood=(40, 40, 40, 255),
    tile=(255, 255, 255, 255),
    colours=(
        (117, 187, 252, 255),
        (255, 200, 60, 255),
        (60, 220, 150, 255),
        (255, 170, 220, 255),
        (255, 140, 60, 255),
        (255, 250, 170, 255),
        (149, 147, 252, 255),
    ),
    ring_width=5.0,
    line_width=2.0,
)


@lru_cache(maxsize=64)
def seated(palette: Palette, colours: Sequence[int] = ()) -> Palette:
    """The palette with a colour for every seat: the chosen ones first, then those that are left."""
    left = (colour for colour in range(len(palette.colours)) if colour not in colours)
    return replace(palette, players=tuple(palette.colours[colour] for colour in (*colours, *left)[: len(SIGNS)]))


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths in pixels; everything is a share of `unit`, which is 1 in a window of 1280 × 800."""

    unit: float

    @property
    def small(self) -> float:
        """Height of small letters' font."""
        return 13.5 * self.unit

    @property
    def body(self) -> float:
        """Height of the usual font."""
        return 16.5 * self.unit

    @property
    def large(self) -> float:
        """Height of headings' font."""
        return 22 * self.unit

    @property
    def title(self) -> float:
        """Height of the largest font."""
        return 40 * self.unit

    @property
    def gap(self) -> float:
        """Air between things."""
        return 10 * self.unit

    @property
    def row(self) -> float:
        """Height of a button."""
        return 42 * self.unit

    @property
    def radius(self) -> float:
        """Of rounded corners."""
        return 9 * self.unit


def sizes_for(width: float, height: float, text_size: float = 1.0) -> Sizes:
    """The sizes for that window. Letters grow with the size chosen only as far as every screen still fits."""
    fitting = min(width / 1280, height / 800)
    most = min(width / 960, height / 600)
    return Sizes(min(max(0.86, min(fitting, 3.2)) * text_size, most))


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """A colour between the two."""
    red, green, blue, alpha = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue, alpha


def faded(colour: Colour, alpha: float) -> Colour:
    """The colour, seen through that far (0 to 1)."""
    return colour[0], colour[1], colour[2], round(colour[3] * alpha)


def luminance(colour: Colour) -> float:
    """How bright a colour is, as WCAG counts it."""
    parts = [part / 255 for part in colour[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two opaque colours, 1 to 21."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)
