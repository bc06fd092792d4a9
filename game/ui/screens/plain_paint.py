"""How the plain screen of a match looks: players, sentences, what is asked."""

from __future__ import annotations

from collections.abc import Sequence

from game.core import Seat
from game.pictures.theme import SIGNS, Palette, Sizes, mixed
from game.ui.screens.sheets import paint_scroll
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.plain_places import PlainPlaces
from game.ui.toolkit.scroll import Scroll


def paint_cards(
    painter: Painter,
    palette: Palette,
    sizes: Sizes,
    rooms: Sequence[Rect],
    names: Sequence[str],
    here: Seat | None,
    turn: Seat | None,
) -> None:
    """Every player by sign and name; who is asked stands out, and whose turn it is has a mark."""
    for seat, rect in enumerate(rooms):
        colour = palette.players[seat]
        is_here = seat == here
        fill = mixed(palette.panel, colour, 0.20 if is_here else 0.05)
        painter.rect(rect, fill, sizes.radius, colour if is_here else palette.line, 2.5 if is_here else 1)
        room = rect.inset(sizes.gap * 0.6, sizes.gap * 0.3)
        spot, room = room.cut_left(room.height * 0.62, sizes.gap * 0.5)
        painter.sign(SIGNS[seat], *spot.middle, spot.width * 0.44, colour)
        if seat == turn:
            mark, room = room.cut_right(sizes.small, sizes.gap * 0.4)
            painter.sign("circle", *mark.middle, sizes.small * 0.4, palette.accent)
        painter.words(names[seat], room, sizes.body, palette.ink, bold=is_here)


def paint_items(
    painter: Painter, palette: Palette, sizes: Sizes, room: Rect, scroll: Scroll, items: Sequence[tuple[str, bool]]
) -> None:
    """Sentences one below another, the important ones in ink; as many as there is room for."""
    painter.rect(room, palette.panel, 0.0, palette.line, palette.line_width)
    inner = room.inset(sizes.gap * 1.2, sizes.gap * 0.8)
    bar = Rect(inner.right, inner.y, sizes.gap * 0.9, inner.height)
    inner = inner.cut_right(sizes.gap * 0.6)[1]
    gap = sizes.gap * 0.6
    heights = [painter.measured(text, sizes.body, wrap=inner.width)[1] for text, _is_ink in items]
    seen = scroll.shown(heights, inner.height, gap)
    y = inner.top
    for number in seen:
        text, is_ink = items[number]
        height = min(heights[number], inner.height)
        y -= height
        ink = palette.ink if is_ink else palette.soft
        painter.words(text, Rect(inner.x, y, inner.width, height), sizes.body, ink, wrap=True, across="top")
        y -= gap
    paint_scroll(painter, palette, sizes, bar, seen, len(items))


def paint_bar(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, seen: range, count: int) -> None:
    """How far along the buttons are."""
    paint_scroll(painter, palette, sizes, room, seen, count)


def paint_question(
    painter: Painter, palette: Palette, sizes: Sizes, room: Rect, words: str, seat: Seat | None, *, bad: bool = False
) -> None:
    """What is asked of whom, or why an answer is none."""
    if bad:
        painter.rect(room, palette.bad, sizes.radius)
        painter.words(words, room.inset(sizes.gap, 2), sizes.body, palette.on_sign, wrap=True)
        return
    if seat is not None:
        sign, room = room.cut_left(sizes.large, sizes.gap * 0.7)
        painter.sign(SIGNS[seat], *sign.middle, sizes.large * 0.42, palette.players[seat])
    painter.words(words, room, sizes.large * 0.9, palette.accent, bold=True, wrap=True)


def paint_note(painter: Painter, palette: Palette, sizes: Sizes, places: PlainPlaces, words: str) -> None:
    """What is to be known about the buttons and the line."""
    if words:
        painter.words(words, places.note, sizes.small, palette.soft, wrap=True)
