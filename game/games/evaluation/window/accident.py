"""Telling that the row was knocked over by accident, at a table of one's own: a sheet that asks who it was."""

from __future__ import annotations

from collections.abc import Callable

from game.core import Seat
from game.ui.screens.base import Desk, Screen
from game.ui.toolkit.layout import SheetPlaces, sheet_places
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Action, Button, Widget
from game.words import _


class Accident(Screen):
    """See the module; `told` takes the seat."""

    sheet = True

    def __init__(self, desk: Desk, names: tuple[str, ...], told: Callable[[Seat], object]) -> None:
        super().__init__(desk)
        self._names, self._told = names, told

    def paint(self, painter: Painter) -> None:
        """The question and what comes of it."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        paint_panel(painter, places.sheet, palette, sizes)
        painter.words(_("Who knocked the row over?"), places.heading, sizes.large, palette.accent, bold=True)
        words = _("Every other player takes one chip, and the round begins anew.")
        room = places.body.cut_top(sizes.body * 3)[0]
        painter.words(words, room, sizes.body, palette.ink, wrap=True, across="top")

    def widgets(self) -> list[Widget]:
        """A button for every player, and back."""
        places, sizes = self._places(), self.desk.sizes
        _words, room = places.body.cut_top(sizes.body * 3, sizes.gap)
        found: list[Widget] = [
            Button(f"seat{seat}", cell, self._names[seat], key=str(seat + 1), seat=seat, value=seat)
            for seat, cell in enumerate(room.rows(len(self._names), sizes.gap * 0.7))
        ]
        back = places.buttons.cut_right(240 * sizes.unit)[0]
        return [*found, Button("close", back, _("Nobody did"), "main", "Esc")]

    def acted(self, action: Action) -> None:
        """Somebody was named, or nobody."""
        self.desk.back()
        if isinstance(action.value, Seat):
            self._told(action.value)

    def key(self, key: str) -> bool:
        """The number of a player; Escape goes back."""
        if key in ("1", "2", "3", "4", "5") and int(key) <= len(self._names):
            self.acted(Action("seat", int(key) - 1))
        elif key == "escape":
            self.desk.back()
        return True

    def _places(self) -> SheetPlaces:
        return sheet_places(self.desk.width, self.desk.height, self.desk.sizes, 560, 480)
