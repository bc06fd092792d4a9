"""Where everything is on the plain screen of a match, in a window of any size. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game.pictures.theme import Sizes
from game.ui.toolkit.layout import Rect, match_places


@dataclass(frozen=True, slots=True)
class PlainPlaces:
    """The plain screen of a match."""

    cards: tuple[Rect, ...]  # of the players
    menu: tuple[Rect, ...]  # undo, rules, menu
    public: Rect  # what all may see
    history: Rect  # what has happened
    dock: Rect  # what is asked
    question: Rect  # in the dock: the question, or why an answer is none
    speakers: Rect  # beside it: who may speak out of turn
    private: Rect  # in the dock: what one person alone may read
    moves: Rect  # beside it: buttons
    line: Rect  # below: what is typed
    note: Rect  # beside the line
    send: Rect  # the button of the line


def plain_places(width: float, height: float, sizes: Sizes, players: int) -> PlainPlaces:
    """Where things are while that many play."""
    gap = sizes.gap
    above = match_places(width, height, sizes, players)
    menu = Rect(above.round.x, above.menu[0].y, above.menu[-1].right - above.round.x, above.menu[0].height)
    whole = Rect(0, 0, width, above.view.top)
    dock, rest = whole.cut_bottom(min(whole.height * 0.5, 330 * sizes.unit))
    history, public = rest.cut_right(rest.width * 0.36)
    inner = dock.inset(gap * 1.4, gap)
    head, inner = inner.cut_top(sizes.row, gap * 0.6)
    speakers, question = head.cut_right(head.width * 0.4, gap)
    private, right = inner.cut_left(inner.width * 0.34, gap * 1.6)
    low, moves = right.cut_bottom(sizes.row, gap * 0.8)
    send, low = low.cut_right(130 * sizes.unit, gap * 0.8)
    line, note = low.shares([1.25, 1.0], gap)
    return PlainPlaces(
        cards=above.cards,
        menu=tuple(menu.shares([1.9, 1.0, 1.0], gap * 0.6)),
        public=public,
        history=history,
        dock=dock,
        question=question,
        speakers=speakers,
        private=private,
        moves=moves,
        line=line,
        note=note,
        send=send,
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """Buttons in rows of the same length."""

    columns: int
    rows: int  # of all buttons
    height: float  # of one


MAX_COLUMNS = 4


def grid_of(room: Rect, sizes: Sizes, widths: Sequence[float]) -> Grid:
    """As many beside one another as the widest words leave room for."""
    wide = max(widths, default=0.0) + 4 * sizes.gap
    columns = max(1, min(MAX_COLUMNS, int(room.width / max(wide, 90 * sizes.unit))))
    return Grid(columns, -(-len(widths) // columns), sizes.row)


def grid_places(room: Rect, grid: Grid, rows: range, gap: float) -> list[Rect]:
    """The places of the buttons in these rows, from the top."""
    found = []
    for _row in rows:
        line, room = room.cut_top(grid.height, gap)
        found += line.columns(grid.columns, gap)
    return found
