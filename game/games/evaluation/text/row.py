"""The row of Evaluation Domino in characters, seen from the side, and in words.

The row is drawn unrolled: what is left and right on the screen is how far one has walked along it. Small gaps are
drawn wider than they are where their number would not fit. A row that bends is drawn from above as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from game.games.evaluation.placements import TILES, Row, free_air
from game.text.names import listed
from game.words import _, figures
from physics.line import Placement
from physics.tiles import Stance

SCALES = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)  # mm that a column may be worth
LINE = 10.0  # mm that a line of the side view is worth
BENT = 8.0  # mm that a row must bend before it is drawn from above as well
MIN_TURN = 0.5  # degrees that are worth a word
WIDEST_GAP = 24  # columns; what is wider is told by its number
MARGIN = 3  # columns at both ends, for the mark of the push
TALLEST_PLAN = 12  # lines
SMALLEST = 24  # columns that a row is given in any terminal


@dataclass(frozen=True, slots=True)
class Brush:
    """The characters that a terminal can show."""

    full: str
    half: str
    ground: str
    to_right: str
    to_left: str


BLOCKS = Brush("█", "▄", "─", "►", "◄")
LETTERS = Brush("#", "#", "-", ">", "<")


def row_in(view: Mapping[str, Any]) -> Row:
    """The row of a view, in m and rad."""
    return tuple(
        Placement(tile["value"], tile["x"] / 1e3, tile["y"] / 1e3, math.radians(tile["yaw"]), Stance(tile["stance"]))
        for tile in view["row"]
    )


def gaps_of(row: Row) -> list[float]:
    """Free air between neighbours, mm."""
    return [free_air(one, other) * 1e3 for one, other in pairwise(row)]


def turns_of(row: Row) -> list[float]:
    """How far the row turns from each tile to the next, degrees, positive anticlockwise seen from above."""
    return [math.degrees(math.remainder(other.yaw - one.yaw, math.tau)) for one, other in pairwise(row)]


def number(value: float) -> str:
    """A length or an angle as people read it: one decimal at most."""
    text = f"{value:.1f}"
    return figures(text.removesuffix(".0") if text != "-0.0" else "0")


# In words


def row_words(view: Mapping[str, Any]) -> str:
    """The whole row as sentences, from left to right, and where it would be pushed."""
    row = row_in(view)
    if len(row) == 1:
        return _("The row is the tile {value} alone, {stance}.").format(
            value=row[0].value, stance=stance_word(row[0].stance)
        )
    parts = [f"{row[0].value} {stance_word(row[0].stance)}"]
    for tile, gap, turn in zip(row[1:], gaps_of(row), turns_of(row), strict=True):
        parts.append(_("gap {gap} mm").format(gap=number(gap)))
        if abs(turn) >= MIN_TURN:
            parts.append(_("turn {turn}°").format(turn=number(turn)))
        parts.append(f"{tile.value} {stance_word(tile.stance)}")
    return _("The row from left to right: {parts}. A push would begin with the tile {value}.").format(
        parts=", ".join(parts), value=_pushed(view, row).value
    )


def supply_words(view: Mapping[str, Any]) -> str:
    """Which tiles may be placed next."""
    values = listed(view["movable"])
    if view["supply"]:
        return _("In the supply: {values}.").format(values=values)
    return _("The supply is empty; a tile from inside the row must be moved to an end: {values}.").format(values=values)


def stance_word(stance: Stance | str) -> str:
    """How a tile stands."""
    return _("upright") if Stance(stance) is Stance.UPRIGHT else _("on its side")


def _pushed(view: Mapping[str, Any], row: Row) -> Placement:
    return row[0 if view["push_end"] == "first" else -1]


# In characters


def drawn(view: Mapping[str, Any], width: int, brush: Brush) -> list[str]:
    """The row as lines of at most that many columns."""
    row = row_in(view)
    heads = _Heads(_("tile"), _("side"), _("gap, mm"), _("turn"))
    room = max(SMALLEST, width - heads.width - 2 * MARGIN)
    lines: list[str] = []
    for band in _bands(_cells(row, room), room):
        lines += [*([""] if lines else []), *_band(band, heads, _pushed(view, row), view["push_end"] == "first", brush)]
    return [line.rstrip() for line in [*lines, *_plan(row, width - 2 * MARGIN)]]


@dataclass(frozen=True, slots=True)
class _Heads:
    """What is written to the left of the lines below the row."""

    tile: str
    side: str
    gap: str
    turn: str

    @property
    def width(self) -> int:
        return max(map(len, (self.tile, self.side, self.gap, self.turn)))


@dataclass(frozen=True, slots=True)
class _Cell:
    """A tile with the air behind it, in columns."""

    tile: Placement
    columns: int
    gap: str  # its number; empty behind the last one
    turn: str
    air: int

    @property
    def whole(self) -> int:
        """All columns."""
        return self.columns + self.air


def _cells(row: Row, width: int) -> list[_Cell]:
    """The tiles in the largest scale at which the row is no wider than that; in the smallest when there is none."""
    gaps = [*map(number, gaps_of(row)), ""]
    turns = [*(f"{turn:+.0f}°" if abs(turn) >= MIN_TURN else "" for turn in turns_of(row)), ""]
    airs = [*gaps_of(row), 0.0]
    cells: list[_Cell] = []
    for scale in SCALES:
        cells = [
            _Cell(
                tile,
                max(round(TILES[tile.value].thickness * 1e3 / scale), len(str(tile.value))),
                gap,
                turn,
                max(min(round(air / scale), WIDEST_GAP), max(len(gap), len(turn)) + 1) if gap else 0,
            )
            for tile, gap, turn, air in zip(row, gaps, turns, airs, strict=True)
        ]
        if sum(cell.whole for cell in cells) <= width:
            break
    return cells


def _bands(cells: Sequence[_Cell], width: int) -> Iterator[list[_Cell]]:
    """The row cut where a line is full; the tile at a cut is drawn on both sides of it."""
    band: list[_Cell] = []
    for cell in cells:
        if len(band) > 1 and sum(each.whole for each in band) + cell.columns > width:
            yield band
            band = [band[-1]]
        band.append(cell)
    yield band


def _band(cells: Sequence[_Cell], heads: _Heads, pushed: Placement, from_left: bool, brush: Brush) -> list[str]:
    """One stretch of the row: the tiles from the side, the table, and their numbers below."""
    start = heads.width + MARGIN
    width = start + sum(cell.whole for cell in cells[:-1]) + cells[-1].columns + MARGIN
    halves = [round(TILES[cell.tile.value].standing_height(cell.tile.stance) * 2e3 / LINE) for cell in cells]
    height = math.ceil(max(halves) / 2)
    picture = [_blank(width) for _line in range(height)]
    names, sides, gaps, turns = (_headed(head, width) for head in (heads.tile, heads.side, heads.gap, heads.turn))
    column = start
    for cell, high in zip(cells, halves, strict=True):
        top = height - math.ceil(high / 2)
        for line in range(top, height):
            is_half = line == top and high % 2
            _write(picture[line], column, (brush.half if is_half else brush.full) * cell.columns)
        name = str(cell.tile.value)
        _write(names, column + (cell.columns - len(name)) // 2, name)
        if cell.tile.stance is Stance.SIDE:
            _write(sides, column, "=" * cell.columns)
        if cell.tile is pushed and len(cells) > 1:
            mark = brush.to_right if from_left else brush.to_left
            _write(picture[top], column - 2 if from_left else column + cell.columns + 1, mark)
        if cell is not cells[-1]:
            for text, line_below in ((cell.gap, gaps), (cell.turn, turns)):
                _write(line_below, column + cell.columns + (cell.air - len(text)) // 2, text)
        column += cell.whole
    ground = " " * heads.width + brush.ground * (width - heads.width)
    below = [
        names,
        *([sides] if any(cell.tile.stance is Stance.SIDE for cell in cells) else []),
        *([gaps] if len(cells) > 1 else []),
        *([turns] if any(cell.turn for cell in cells[:-1]) else []),
    ]
    return ["".join(line) for line in (*picture, ground, *below)]


def _headed(head: str, width: int) -> list[str]:
    return list(head.ljust(width))


def _blank(width: int) -> list[str]:
    return [" "] * width


def _write(line: list[str], column: int, text: str) -> None:
    line[column : column + len(text)] = text


def _plan(row: Row, width: int) -> list[str]:
    """The row from above, every tile as its value; nothing when it is as good as straight."""
    xs, ys = [tile.x * 1e3 for tile in row], [tile.y * 1e3 for tile in row]
    if max(ys) - min(ys) < BENT:
        return []
    scale = max(4.0, (max(xs) - min(xs)) / max(1, width - 12), (max(ys) - min(ys)) / (TALLEST_PLAN - 1) / 2)
    height = round((max(ys) - min(ys)) / scale / 2) + 1
    picture = [_blank(MARGIN + round((max(xs) - min(xs)) / scale) + 12) for _line in range(height)]
    for tile, x, y in zip(row, xs, ys, strict=True):
        line = picture[round((max(ys) - y) / scale / 2)]
        column, text = MARGIN + round((x - min(xs)) / scale), str(tile.value)
        while any(mark != " " for mark in line[column - 1 : column + len(text) + 1]) and column < len(line) - len(text):
            column += 1  # never one over the other: which tiles there are matters more than a few millimetres
        _write(line, column, text)
    return ["", _("from above:"), *("".join(line) for line in picture)]
