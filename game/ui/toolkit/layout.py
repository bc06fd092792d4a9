"""Where everything is in a window of any size: rectangles, pure. The origin is the lower left corner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from game.pictures.theme import Sizes


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def top(self) -> float:
        """The upper edge."""
        return self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return self.x + self.width / 2, self.y + self.height / 2

    def holds(self, x: float, y: float) -> bool:
        """Whether the point is in it."""
        return self.x <= x < self.right and self.y <= y < self.top

    def inset(self, dx: float, dy: float | None = None) -> Rect:
        """Smaller by so much at every side, never below nothing."""
        dy = dx if dy is None else dy
        width, height = max(0.0, self.width - 2 * dx), max(0.0, self.height - 2 * dy)
        return Rect(self.x + (self.width - width) / 2, self.y + (self.height - height) / 2, width, height)

    def overlaps(self, other: Rect) -> bool:
        """Whether the two share more than an edge."""
        slack = 1e-6
        return (
            self.x < other.right - slack
            and other.x < self.right - slack
            and self.y < other.top - slack
            and other.y < self.top - slack
        )

    def inside(self, other: Rect) -> bool:
        """Whether it lies in the other one."""
        slack = 1e-6
        return (
            self.x >= other.x - slack
            and self.y >= other.y - slack
            and self.right <= other.right + slack
            and self.top <= other.top + slack
        )

    def cut_top(self, height: float, gap: float = 0.0) -> tuple[Rect, Rect]:
        """A strip at the top, and the rest below."""
        height = min(height, self.height)
        rest = max(0.0, self.height - height - gap)
        return Rect(self.x, self.top - height, self.width, height), Rect(self.x, self.y, self.width, rest)

    def cut_bottom(self, height: float, gap: float = 0.0) -> tuple[Rect, Rect]:
        """A strip at the bottom, and the rest above."""
        height = min(height, self.height)
        rest = max(0.0, self.height - height - gap)
        return Rect(self.x, self.y, self.width, height), Rect(self.x, self.top - rest, self.width, rest)

    def cut_left(self, width: float, gap: float = 0.0) -> tuple[Rect, Rect]:
        """A strip at the left, and the rest."""
        width = min(width, self.width)
        rest = max(0.0, self.width - width - gap)
        return Rect(self.x, self.y, width, self.height), Rect(self.right - rest, self.y, rest, self.height)

    def cut_right(self, width: float, gap: float = 0.0) -> tuple[Rect, Rect]:
        """A strip at the right, and the rest."""
        width = min(width, self.width)
        rest = max(0.0, self.width - width - gap)
        return Rect(self.right - width, self.y, width, self.height), Rect(self.x, self.y, rest, self.height)

    def columns(self, count: int, gap: float = 0.0) -> list[Rect]:
        """So many of the same width, from the left."""
        return self.shares([1.0] * count, gap)

    def shares(self, parts: Sequence[float], gap: float = 0.0) -> list[Rect]:
        """Columns with widths in these proportions."""
        room = max(0.0, self.width - gap * (len(parts) - 1)) / sum(parts)
        found, x = [], self.x
        for part in parts:
            found.append(Rect(x, self.y, room * part, self.height))
            x += room * part + gap
        return found

    def rows(self, count: int, gap: float = 0.0) -> list[Rect]:
        """So many of the same height, from the top."""
        height = max(0.0, self.height - gap * (count - 1)) / count
        return [
            Rect(self.x, self.top - height - number * (height + gap), self.width, height) for number in range(count)
        ]

    def centred(self, width: float, height: float) -> Rect:
        """One of that size, at most as large, in its middle."""
        width, height = min(width, self.width), min(height, self.height)
        return Rect(self.x + (self.width - width) / 2, self.y + (self.height - height) / 2, width, height)


# The table


@dataclass(frozen=True, slots=True)
class MatchPlaces:
    """The screen of a match."""

    cards: tuple[Rect, ...]  # of the players
    round: Rect  # which round it is, and the buttons beside it
    menu: tuple[Rect, ...]  # rules, menu
    view: Rect  # the table
    aside: Rect  # over the view: forecast, or numbers while placing
    note: Rect  # over the view: what to do, and why not
    tools: tuple[Rect, ...]  # over the view: plan, undo …
    coach: Rect  # below the view: what newcomers are told; without height when nobody is
    camera: Rect  # beside the view: what a camera sees; without width when there is none
    words: Rect  # what happens, in a sentence or two
    dock: Rect  # the tray, or what is asked


@lru_cache(maxsize=4)
def match_places(
    width: float,
    height: float,
    sizes: Sizes,
    players: int,
    *,
    tools: int = 3,
    coached: bool = False,
    camera: bool = False,
) -> MatchPlaces:
    """Where things are during a match: so many tools, perhaps notes for a newcomer, and a camera's picture."""
    gap = sizes.gap
    whole = Rect(0, 0, width, height)
    top, rest = whole.cut_top(66 * sizes.unit)
    dock, rest = rest.cut_bottom(132 * sizes.unit)
    words, rest = rest.cut_bottom(54 * sizes.unit)
    coach, view = rest.cut_bottom(82 * sizes.unit if coached else 0.0)
    top = top.inset(gap, gap * 0.7)
    side, cards = top.cut_right(250 * sizes.unit, gap)
    menu, round_ = side.cut_right(140 * sizes.unit, gap)
    air = view.inset(gap)
    bar, air = air.cut_top(sizes.row * 0.82, gap)
    tools_room, note = bar.cut_right(min(132 * tools * sizes.unit, bar.width * (0.42 if tools < 4 else 0.56)), gap)
    watched, air = air.cut_right(air.width * 0.4 if camera else 0.0, gap if camera else 0.0)
    if camera:
        view = Rect(view.x, view.y, air.right - view.x + gap / 2, view.height)
    aside, _left = air.cut_right(min(310 * sizes.unit, width * 0.34))
    aside, _below = aside.cut_top(min(aside.height, 176 * sizes.unit))
    most = 250 * sizes.unit
    each = cards.columns(players, gap * 0.8)
    seats = [Rect(cards.x + number * (min(most, card.width) + gap * 0.8), card.y, min(most, card.width), card.height)
             for number, card in enumerate(each)]  # fmt: skip
    return MatchPlaces(
        cards=tuple(seats),
        round=round_,
        menu=tuple(menu.inset(0, (menu.height - sizes.row * 0.9) / 2).columns(2, gap * 0.6)),
        view=view,
        aside=aside,
        note=note,
        tools=tuple(tools_room.columns(tools, gap * 0.6)),
        coach=coach,
        camera=watched,
        words=words,
        dock=dock,
    )


@dataclass(frozen=True, slots=True)
class DockPlaces:
    """The strip below the table."""

    tray: Rect  # or words, or a film's slider
    keys: tuple[Rect, ...]  # small buttons beside it
    main: Rect  # the large one under them
    wide: Rect  # all of it


DOCK_KEYS = 4


def dock_places(dock: Rect, sizes: Sizes) -> DockPlaces:
    """Where things are in the dock."""
    wide = dock.inset(sizes.gap * 1.2, sizes.gap)
    side, tray = wide.cut_right(min(390 * sizes.unit, wide.width * 0.42), sizes.gap * 1.5)
    upper, lower = side.rows(2, sizes.gap * 0.8)
    return DockPlaces(tray, tuple(upper.columns(DOCK_KEYS, sizes.gap * 0.6)), lower, wide)


def tray_places(room: Rect, widths: Sequence[float], heights: Sequence[float], gap: float) -> list[Rect]:
    """Tiles side by side on the floor of the room, in true proportion and as large as all of them fit."""
    if not widths:
        return []
    free = room.width - gap * (len(widths) + 1)
    scale = min(free / sum(widths), room.height / max(heights))
    used = scale * sum(widths) + gap * (len(widths) + 1)
    found, x = [], room.x + (room.width - used) / 2 + gap
    for width, height in zip(widths, heights, strict=True):
        found.append(Rect(x, room.y, width * scale, height * scale))
        x += width * scale + gap
    return found


# Other screens


@dataclass(frozen=True, slots=True)
class SeatPlaces:
    """The line of one seat before a match."""

    sign: Rect  # with the player's colour
    name: Rect
    kind: Rect  # person or bot; or the colours to choose from


@dataclass(frozen=True, slots=True)
class StartPlaces:
    """The screen before a match."""

    title: Rect
    subtitle: Rect
    languages: Rect
    panel: Rect
    game: Rect
    table: Rect  # nothing for games without one
    seats: tuple[SeatPlaces, ...]
    options: tuple[Rect, ...]
    error: Rect
    buttons: tuple[Rect, ...]  # start, rules
    aside: Rect  # unfinished matches and settings
    listed: tuple[Rect, ...]  # in it: the heading first, the settings last


SEATS, OPTIONS, LISTED = 5, 4, 7
SHORT, LONG = False, True  # whether an option needs a line of its own


def start_places(
    width: float,
    height: float,
    sizes: Sizes,
    *,
    seats: int = SEATS,
    options: Sequence[bool] = (SHORT,) * OPTIONS,
    several_games: bool = False,
    has_table: bool = True,
) -> StartPlaces:
    """Where things are before a match: so many seats, and options that are short or long, the long ones first."""
    gap = sizes.gap
    page = Rect(0, 0, width, height).inset(gap * 2, gap * 1.4)
    page = page.centred(1180 * sizes.unit, 760 * sizes.unit)
    head, page = page.cut_top(72 * sizes.unit, gap)
    languages, words = head.cut_right(min(330 * sizes.unit, head.width * 0.4), gap)
    title, subtitle = words.cut_top(46 * sizes.unit, 2)
    aside, panel = page.cut_right(page.width * 0.31, gap * 1.6)
    inner = panel.inset(gap * 1.5, gap * 1.3)
    buttons, inner = inner.cut_bottom(sizes.row * 1.18, gap)
    error, inner = inner.cut_bottom(sizes.body * 2.5, gap * 0.4)
    above = 2 if several_games and has_table else 1  # lines for the game and the table
    option_rows = sum(options) + -(-(len(options) - sum(options)) // 2)
    gaps = 3.0 + 0.8 * (above - 1) + 0.7 * (seats - 1) + 0.8 * max(0, option_rows - 1) + 0.4
    line = min(sizes.row * 1.25, (inner.height - gap * gaps) / (above + seats + option_rows))
    what, inner = inner.cut_top(line * above + gap * 0.8 * (above - 1), gap * 1.5)
    game, table = _game_places(what, gap, several_games=several_games, has_table=has_table)
    seats_room, inner = inner.cut_top(line * seats + gap * 0.7 * (seats - 1), gap * 1.5)
    options_room = inner.cut_top(line * option_rows + gap * 0.8 * max(0, option_rows - 1))[0]
    side = aside.inset(gap * 1.3)
    out, side = side.cut_bottom(sizes.row, gap)
    heading, side = side.cut_top(min(sizes.row * 1.3, side.height / LISTED - gap * 0.8), gap * 0.8)
    line = min(sizes.row * 2, side.height / (LISTED - 2) - gap * 0.8)
    side = side.cut_top((line + gap * 0.8) * (LISTED - 2) - gap * 0.8)[0]
    return StartPlaces(
        title=title,
        subtitle=subtitle,
        languages=languages.inset(0, max(0.0, (languages.height - sizes.row) / 2)),
        panel=panel,
        game=game,
        table=table,
        seats=tuple(_seat_places(room, gap) for room in seats_room.rows(seats, gap * 0.7)),
        options=tuple(_option_places(options_room, options, option_rows, gap)),
        error=error,
        buttons=tuple(buttons.shares([2.0, 1.0], gap)),
        aside=aside,
        listed=(heading, *side.rows(LISTED - 2, gap * 0.8), out),
    )


def _game_places(room: Rect, gap: float, *, several_games: bool, has_table: bool) -> tuple[Rect, Rect]:
    """The game and the table: side by side, but where there are several games one below the other."""
    if not has_table:
        return room, Rect(room.x, room.y, 0, 0)
    if several_games:
        game, table = room.rows(2, gap * 0.8)
    else:
        game, table = room.shares([1.0, 1.55], gap * 1.4)
    return game, table


def _option_places(room: Rect, options: Sequence[bool], lines: int, gap: float) -> list[Rect]:
    """A line for every long one, then two short ones in each."""
    if not options:
        return []
    rows, long = room.rows(lines, gap * 0.8), sum(options)
    cells = [cell for row in rows[long:] for cell in row.columns(2, gap)]
    return [*rows[:long], *cells[: len(options) - long]]


def _seat_places(room: Rect, gap: float) -> SeatPlaces:
    sign, rest = room.cut_left(room.height, gap * 0.6)
    name, kind = rest.shares([1.0, 2.35], gap)
    return SeatPlaces(sign, name, kind)


@dataclass(frozen=True, slots=True)
class SheetPlaces:
    """A sheet over the screen: rules, menu, votes, scores."""

    sheet: Rect
    heading: Rect
    body: Rect
    buttons: Rect


def sheet_places(width: float, height: float, sizes: Sizes, wide: float = 760, high: float = 560) -> SheetPlaces:
    """A sheet in the middle of the window, at most so large (in units), its heading on top and its buttons below."""
    gap = sizes.gap
    whole = Rect(0, 0, width, height).inset(gap * 1.5)
    sheet = whole.centred(wide * sizes.unit, high * sizes.unit)
    inner = sheet.inset(gap * 2, gap * 1.6)
    heading, inner = inner.cut_top(sizes.large * 1.8, gap * 0.8)
    buttons, body = inner.cut_bottom(sizes.row * 1.1, gap)
    return SheetPlaces(sheet, heading, body, buttons)
