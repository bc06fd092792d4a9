"""What every match shows in the window, played or replayed: points on cards, sentences, and what all may see."""

from __future__ import annotations

from collections.abc import Sequence

from game.pictures.theme import Palette, Sizes, faded
from game.ui.toolkit.layout import MatchPlaces, Rect
from game.ui.toolkit.paint import Painter

LINE = 1.17  # line height in letters of one width: full blocks one above the other meet
EVEN_LETTERS = 1.25  # of the usual ones: letters of one width, where they have room
MIN_EVEN = 0.7  # of the usual ones


def paint_points(
    painter: Painter, palette: Palette, sizes: Sizes, room: Rect, words: str, points: int, gained: int = 0
) -> None:
    """How much somebody has, in these words, or in its number alone where they have no room; and what came just now."""
    half = sizes.small * 0.5
    painter.sign("circle", room.x + half, room.middle[1], half, palette.chip, faded(palette.on_accent, 0.6), 1.5)
    rest = Rect(room.x + half * 2.8, room.y, room.width - half * 2.8, room.height)
    gain = f"  +{gained}" if gained else ""
    said = words + gain
    if painter.measured(said, sizes.small, bold=bool(gain))[0] > rest.width:
        said = f"{points}{gain}"
    painter.words(said, rest, sizes.small, palette.accent if gain else palette.soft, bold=bool(gain))


def paint_sentence(painter: Painter, palette: Palette, sizes: Sizes, places: MatchPlaces, lines: Sequence[str]) -> None:
    """What has happened, in the same words as in a terminal; the newest sentence stands out."""
    painter.rect(places.words, (*palette.panel[:3], 255))
    painter.rect(Rect(places.words.x, places.words.top - 1, places.words.width, 1), palette.line)
    room = places.words.inset(sizes.gap * 1.4, sizes.gap * 0.3)
    if not lines:
        return
    before, newest = room.rows(2)
    one_line = painter.measured(lines[-1], sizes.body)[0] <= room.width
    if not one_line:
        painter.words(lines[-1], room, sizes.body, palette.ink, wrap=True)
        return
    if len(lines) > 1 and painter.measured(lines[-2], sizes.small)[0] <= room.width:
        painter.words(lines[-2], before, sizes.small, faded(palette.soft, 0.8))
    painter.words(lines[-1], newest, sizes.body, palette.ink)


def paint_public(
    painter: Painter, palette: Palette, sizes: Sizes, room: Rect, standing: str, lines: Sequence[str], words: str
) -> None:
    """What all may see, in place of tiles: how far the match is, and under it lines in letters of one width.

    They are made smaller to have room; where even that is too little, the same is said in words.
    """
    painter.rect(room, palette.panel)
    inner = room.inset(sizes.gap * 2, sizes.gap * 1.5)
    height = painter.measured(standing, sizes.body, wrap=inner.width)[1] if standing else 0.0
    rest = inner.height - height - sizes.gap
    size = even_size(painter, lines, sizes.body, inner.width, rest)
    used = rest if size is None else LINE * size * len(lines)
    head = inner.cut_top((rest - used) / 2)[1] if used < rest else inner
    head, below = head.cut_top(height, sizes.gap)
    painter.words(standing, head, sizes.body, palette.soft, wrap=True, align="center")
    if size is None:
        painter.words(words, below, sizes.body, palette.ink, wrap=True, across="top")
        return
    left = inner.x + (inner.width - painter.even_width(max(map(len, lines), default=0), size)) / 2
    for number, line in enumerate(lines):
        painter.even(line, left, below.top - number * LINE * size, size, palette.ink)


def even_size(painter: Painter, lines: Sequence[str], size: float, width: float, height: float) -> float | None:
    """How large lines in letters of one width are to have their place; None where that is too small to be read."""
    most = max(1, max(map(len, lines), default=0))
    fits = min(height / (LINE * max(1, len(lines))), 100.0 * width / (painter.even_width(1, 100.0) * most))
    return None if fits < size * MIN_EVEN else min(size * EVEN_LETTERS, fits)
