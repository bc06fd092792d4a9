"""Telling what fell at a real table: which tiles of the pushed row still stand, said for the first time or better."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from game.film.boxes import TileBox, Tint, box_of
from game.games.evaluation.placements import TILES, Row, box
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.finding import Finding
from game.games.evaluation.window.hand import VALUE_KEYS
from game.games.evaluation.window.match_paint import paint_tile
from game.games.evaluation.window.model import Act, Screen
from game.pictures.theme import Palette, Sizes, mixed
from game.text.names import listed
from game.ui.toolkit.layout import DockPlaces, Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widgets import Button, Widget
from game.words import _
from physics.pose import leaning_pose

FLAT = math.pi / 2


@dataclass
class Witness:
    """The row as people say that it lies now. Nothing is said before they have pressed the large button."""

    row: Row = ()
    push_end: str = "first"
    standing: set[int] = field(default_factory=set)
    at: int = 0  # index of the tile that the keys are at
    over: int | None = None  # the value under the mouse
    by_keys: bool = False
    corrected: Finding | None = None  # what is being corrected; None: it is said for the first time

    @property
    def is_open(self) -> bool:
        """Whether somebody is saying it."""
        return bool(self.row)

    def update(self, shown: Screen) -> None:
        """Opens when people are asked, closes when what was said is not theirs to say any more."""
        if self.corrected is not None:
            if shown.finding != self.corrected:
                self.close()
        elif shown.act is not Act.WITNESS:
            self.close()
        elif self.row != shown.row:
            self._open(shown.row, shown.push_end, set())

    def correct(self, finding: Finding) -> None:
        """Begins to say it better."""
        self._open(finding.row, finding.push_end, set(finding.standing))
        self.corrected = finding

    def close(self) -> None:
        """Nothing is asked any more."""
        self.row, self.corrected, self.over = (), None, None

    def _open(self, row: Row, push_end: str, standing: set[int]) -> None:
        self.row, self.push_end, self.standing = row, push_end, standing
        self.at, self.over, self.by_keys, self.corrected = 0, None, False, None

    def toggle(self, value: int) -> None:
        """That tile stands, or lies, after all."""
        self.standing ^= {value}
        self.at = next(index for index, tile in enumerate(self.row) if tile.value == value)

    # What is shown

    def tiles(self) -> list[TileBox]:
        """The row as it is told."""
        tints = {value: Tint.HOVER for value in (self.over,) if value is not None}
        if self.by_keys:
            tints[self.row[self.at].value] = Tint.CHOSEN
        return laid_boxes(self.row, self.push_end, self.standing, tints)

    def places(self, dock: DockPlaces, sizes: Sizes) -> dict[int, Rect]:
        """A cell for every tile, in the order of the row."""
        most = 84 * sizes.unit
        cells = dock.tray.columns(len(self.row), sizes.gap * 0.5)
        wide = min(most, cells[0].width)
        left = dock.tray.x + (dock.tray.width - wide * len(cells) - sizes.gap * 0.5 * (len(cells) - 1)) / 2
        return {
            tile.value: Rect(left + index * (wide + sizes.gap * 0.5), cell.y, wide, cell.height)
            for index, (tile, cell) in enumerate(zip(self.row, cells, strict=True))
        }

    def paint_dock(self, painter: Painter, palette: Palette, sizes: Sizes, dock: DockPlaces) -> None:
        """The tiles from left to right, standing or lying."""
        tallest = max(TILES[tile.value].height for tile in self.row)
        for index, (value, cell) in enumerate(self.places(dock, sizes).items()):
            is_here = value == self.over or (self.by_keys and index == self.at)
            fill = mixed(palette.table, palette.accent, 0.16) if is_here else palette.table
            edge = palette.ring if is_here else palette.line
            painter.rect(cell, fill, sizes.radius, edge, palette.line_width * (2 if is_here else 1))
            label, room = cell.inset(sizes.gap * 0.3).cut_bottom(sizes.small * 1.4)
            stands = value in self.standing
            words = _("stands") if stands else _("lies")
            painter.words(words, label, sizes.small, palette.ink if stands else palette.soft, align="center")
            tile = TILES[value]
            scale = min(room.height / tallest, room.width / tallest)
            long, short = tile.height * scale, min(tile.width * scale, room.width)
            wide, high = (short, long) if stands else (long, min(short, room.height * 0.5))
            place = Rect(cell.middle[0] - wide / 2, room.y, wide, high)
            paint_tile(painter, palette, sizes, place, value, faint=not stands)

    def words(self) -> str:
        """What is being said."""
        if not self.standing:
            return _("The whole row fell.")
        values = [tile.value for tile in self.row if tile.value in self.standing]
        return _("The row did not fall; still standing: {values}.").format(values=listed(values))

    def question(self, names: tuple[str, ...], seat: int | None) -> str:
        """What is asked, and how it is answered."""
        if self.corrected is not None:
            return _("What really fell? Tap every tile that still stands.")
        return _("{name}, what fell? Tap every tile that still stands.").format(name=names[seat or 0])

    def buttons(self, dock: DockPlaces, sizes: Sizes) -> list[Widget]:
        """All at once, and the large one that says it."""
        all_fell, all_stand, some = Rect.columns(_joined(dock.keys), 3, sizes.gap * 0.6)
        found: list[Widget] = [
            Button("allfell", all_fell, _("All fell"), key="A"),
            Button("allstand", all_stand, _("All stand"), key="S"),
        ]
        if self.corrected is None:
            tip = _("The row did not fall; which tiles stand was not said.")
            found.append(Button("somestand", some, _("Some stand"), key="N", tip=tip))
        else:
            found.append(Button("keepit", some, _("Back"), key="Esc"))
        kind, sign = ("bad", "cross") if self.standing else ("good", "tick")
        return [*found, Button("told", dock.main, self.words(), kind, "Enter", sign=sign)]

    # What people do

    def acted(self, name: str, controller: Controller) -> bool:
        """A button was pressed; whether it was one of these."""
        match name:
            case "allfell":
                self.standing = set()
            case "allstand":
                self.standing = {tile.value for tile in self.row}
            case "somestand":
                self._tell(controller, False, ())
            case "told":
                values = tuple(tile.value for tile in self.row if tile.value in self.standing)
                self._tell(controller, not values, values)
            case "keepit":
                self.close()
            case _:
                return False
        return True

    def _tell(self, controller: Controller, fell: bool, standing: tuple[int, ...]) -> None:
        say = controller.found if self.corrected is None else controller.correct
        if say(fell, standing):
            self.close()

    def key(self, key: str, controller: Controller) -> bool:
        """Arrows and space, or a tile's number; A, S and N for all of them; Enter says it."""
        names = {"a": "allfell", "s": "allstand", "n": "somestand", "enter": "told", "escape": "keepit"}
        values = [tile.value for tile in self.row]
        if key in ("left", "right"):
            step = (1 if key == "right" else -1) if self.by_keys else 0
            self.at, self.by_keys = (self.at + step) % len(values), True
        elif key in ("space", "up", "down"):
            self.by_keys = True
            self.toggle(values[self.at])
        elif VALUE_KEYS.get(key) in values:
            self.toggle(VALUE_KEYS[key])
        elif key in names and names[key] != ("keepit" if self.corrected is None else "somestand"):
            return self.acted(names[key], controller)
        else:
            return False
        return True

    def pressed(self, value: int | None) -> None:
        """A tile was tapped, in the row or in the dock."""
        if value is not None:
            self.by_keys = False
            self.toggle(value)

    def under(self, x: float, y: float, dock: DockPlaces, sizes: Sizes) -> int | None:
        """The tile of the dock at that point."""
        return next((value for value, cell in self.places(dock, sizes).items() if cell.holds(x, y)), None)


def _joined(rects: tuple[Rect, ...]) -> Rect:
    first, last = rects[0], rects[-1]
    return Rect(first.x, first.y, last.right - first.x, first.height)


def laid_boxes(row: Row, push_end: str, standing: set[int], tints: dict[int, Tint]) -> list[TileBox]:
    """The row after its fall as people tell it: who fell leans on the next one in the way of the wave, or lies flat."""
    order = row if push_end == "first" else row[::-1]
    found = []
    for index, tile in enumerate(order):
        here, tint = box(tile), tints.get(tile.value, Tint.NONE)
        if tile.value in standing:
            found.append(box_of(here, tile.value, tint))
            continue
        other = order[index + 1] if index + 1 < len(order) else order[index - 1]
        sign = 1 if index + 1 < len(order) else -1
        apart = math.hypot(other.x - tile.x, other.y - tile.y)
        ahead = sign * ((other.x - tile.x) * math.cos(tile.yaw) + (other.y - tile.y) * math.sin(tile.yaw))
        lean = FLAT
        if sign > 0 and apart > 0:
            thick = (here.depth + box(other).depth) / 2
            gap = max(0.0, apart - thick)
            if other.value in standing:
                lean = math.asin(min(1.0, gap / here.height))
            elif gap < here.height:
                lean = math.acos(min(1.0, thick / apart))
        towards = tile.yaw if ahead >= 0 else tile.yaw + math.pi
        found.append(box_of(here, tile.value, tint, leaning_pose(here, towards, lean)))
    return found
