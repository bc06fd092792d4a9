"""Placing a tile at the screen of a match: the tray, the tile in the hand, its buttons, keys and mouse."""

from __future__ import annotations

from collections.abc import Callable

from game.film.boxes import TileBox, Tint, box_of
from game.games.evaluation.placements import box
from game.games.evaluation.window import match_paint as looks
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.hand import VALUE_KEYS, Hand
from game.games.evaluation.window.model import Act, Screen
from game.games.evaluation.window.placing import Proposal
from game.games.evaluation.window.row_view import gap_mark, row_boxes
from game.text.report import chance_words, forecast_word, percent, percents
from game.ui.screens.base import LEFT, RIGHT, Desk
from game.ui.toolkit.layout import DockPlaces, MatchPlaces, Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widgets import Button, Widget
from game.ui.view3d.table3d import Mark
from game.ui.view3d.tableview import TableView
from game.words import _, number

CLICK = 8  # pixels that a mouse may move between press and release of a click


class Building:
    """What whoever places a tile does. `shown` and `places` are what the screen shows now."""

    def __init__(self, desk: Desk, controller: Controller, view: TableView, shown: Screen, places: MatchPlaces) -> None:
        self.desk, self.controller, self.view = desk, controller, view
        self.shown, self.places = shown, places
        self.hand = Hand()
        self._over_tile: int | None = None
        self._pressed_at: tuple[float, float] | None = None
        self._is_dragging = False

    @property
    def is_open(self) -> bool:
        """Whether a person is to place a tile."""
        return self.shown.act is Act.BUILD and self.shown.asked in self.shown.people

    def changed(self) -> None:
        """Another moment of the match: a tile in the hand of somebody who may not place it is put back."""
        is_old = self.hand.proposal is not None and self.hand.proposal.row != self.shown.row
        if not self.is_open or is_old:
            self.hand.drop()

    # What is shown

    def tray(self, dock: DockPlaces) -> dict[int, Rect]:
        """The tiles in the tray by their values; when the supply is empty, those that may be taken out of the row."""
        return looks.tile_places(self._tray_rooms(dock)[1], self.shown.movable, self.desk.sizes)

    def _tray_rooms(self, dock: DockPlaces) -> tuple[Rect, Rect]:
        """Room for words over the tray when the supply is empty, and for the tiles."""
        return dock.tray.cut_top(dock.tray.height * 0.36 if self.shown.is_lifting else 0.0, self.desk.sizes.gap * 0.3)

    def tiles(self, tints: dict[int, Tint]) -> list[TileBox]:
        """The row, and the tile in the hand over it."""
        shown, proposal = self.shown, self.hand.proposal
        if proposal is None:
            if shown.is_lifting and self.is_open:
                tints = tints if self._over_tile is None else {**tints, self._over_tile: Tint.HOVER}
            return row_boxes(shown.row, tints)
        row = tuple(tile for tile in shown.row if tile.value != proposal.aim.value)
        tint = Tint.CHOSEN if proposal.refusal is None else Tint.BAD
        return [*row_boxes(row, tints), box_of(box(proposal.ghost), proposal.aim.value, tint)]

    def marks(self) -> list[Mark]:
        """The air beside the tile in the hand."""
        proposal = self.hand.proposal
        if proposal is None:
            return []
        by_value = {tile.value: tile for tile in self.shown.row}
        return [gap_mark(by_value[value], proposal.ghost) for value in proposal.neighbours]

    def paint_dock(self, painter: Painter, dock: DockPlaces) -> None:
        """The tray, or what to do when it is empty."""
        palette, sizes = self.desk.palette, self.desk.sizes
        above, tray = self._tray_rooms(dock)
        if self.shown.is_lifting:
            words = _("The supply is empty: take a tile out of the middle of the row and stand it at an end.")
            painter.words(words, above, sizes.body, palette.ink, wrap=True)
        tiles = self.tray(dock)
        looks.paint_tray(painter, palette, sizes, tray, tiles, self.hand.value, self._over_tile, enabled=self.is_open)

    def paint_numbers(self, painter: Painter) -> None:
        """Gaps and turn of the tile in the hand, the hint, and why it cannot stand there."""
        proposal, palette, sizes = self.hand.proposal, self.desk.palette, self.desk.sizes
        if proposal is None:
            return
        looks.paint_placing(painter, palette, sizes, self._aside(proposal), proposal, self._hint_lines())
        looks.paint_refusal(painter, palette, sizes, self.places.note, proposal)
        by_value = {tile.value: tile for tile in self.shown.row}
        before: Rect | None = None
        for gap, value in zip(proposal.gaps, proposal.neighbours, strict=True):
            other = by_value[value]
            spot = self.view.seen(((proposal.ghost.x + other.x) / 2, (proposal.ghost.y + other.y) / 2, 0.0))
            if spot is None:
                continue
            words = _("{gap} mm").format(gap=number(gap, 1))
            width = painter.measured(words, sizes.small, bold=True)[0] + sizes.gap * 1.2
            label = Rect(spot[0] - width / 2, spot[1] - sizes.small * 2.6, width, sizes.small * 1.7)
            if before is not None and label.overlaps(before):  # in a narrow gap one below the other
                label = Rect(label.x, before.y - label.height - 2, label.width, label.height)
            before = label
            fill = palette.ink if proposal.refusal is None else palette.bad
            ink = (40, 26, 14, 255) if proposal.refusal is None else palette.on_sign
            painter.rect(label, fill, label.height / 2)
            painter.words(words, label, sizes.small, ink, bold=True, align="center")

    def _aside(self, proposal: Proposal) -> Rect:
        """Room for the numbers where they cover no tile: beside the row or, where it is too long, in a strip below."""
        view, sizes = self.places.view, self.desk.sizes
        need = looks.placing_height(sizes, proposal, len(self._hint_lines()))
        room = looks.clear_aside(self.places, sizes, need, self.view.outlines(self.tiles({})))
        if room is not None:
            return room
        return Rect(view.x, view.y, view.width, sizes.body * 1.5 + sizes.gap * 2).inset(sizes.gap, sizes.gap * 0.5)

    def _hint_lines(self) -> list[str]:
        shown = self.shown
        if not shown.has_hints or self.hand.proposal is None or self.hand.proposal.refusal is not None:
            return []
        if shown.hint is None:
            return [_("Forecast: …")]
        chance, interval = shown.hint.probability, shown.hint.interval
        said = chance_words(chance)
        spread = f"({percents(interval)})"
        return [
            _("Forecast: {forecast}").format(forecast=forecast_word(chance, interval)),
            # One line is too narrow for the longer words and the interval.
            *([f"{said} {spread}"] if said == percent(chance) else [said, spread]),
        ]

    def buttons(self, dock: DockPlaces) -> list[Widget]:
        """What can be done with the tile in the hand."""
        is_held = self.hand.proposal is not None
        left, right, flip, loose = dock.keys
        on, stand = dock.main.shares([1.0, 1.35], self.desk.sizes.gap)
        free = _("Snap") if self.hand.free else _("Free")
        turns = _("Turns the tile; so does the wheel.")
        return [
            Button("left", left, "↺", key="↑", enabled=is_held, tip=turns),
            Button("right", right, "↻", key="↓", enabled=is_held, tip=turns),
            Button("flip", flip, _("Flip"), key="F", enabled=is_held, tip=_("Upright, or on its side.")),
            Button("free", loose, free, key="G", enabled=is_held, tip=_("Exactly where the hand is, or snapped.")),
            Button("next", on, _("Next place"), key="D", enabled=is_held, tip=_("On to the next place in the row.")),
            Button("stand", stand, _("Stand it"), "main", "Enter", enabled=self.hand.move is not None),
        ]

    # What people do

    def acted(self, name: str) -> bool:
        """A button was pressed; whether it was one of these."""
        doings: dict[str, Callable[[], object]] = {
            "left": lambda: self.hand.turn(1),
            "right": lambda: self.hand.turn(-1),
            "flip": self.hand.flip,
            "free": self.hand.loosen,
            "next": self.hand.next_spot,
            "stand": self._stand,
        }
        if name in doings:
            doings[name]()
            self._think()
        return name in doings

    def key(self, key: str) -> bool:
        """A key was pressed; whether it meant something here."""
        used = self._key(key)
        self._think()
        return used

    def _key(self, key: str) -> bool:
        movable = self.shown.movable
        if key in ("q", "e", "[", "]"):
            step = -1 if key in ("q", "[") else 1
            at = movable.index(self.hand.value) + step if self.hand.value in movable else 0 if step > 0 else -1
            self.hand.take(self.shown.row, movable[at % len(movable)], self.shown.limits)
        elif VALUE_KEYS.get(key) in movable:
            self.hand.take(self.shown.row, VALUE_KEYS[key], self.shown.limits)
        elif key in ("enter", "space"):
            if self.hand.proposal is None:
                self.hand.take(self.shown.row, movable[0], self.shown.limits)
            else:
                self._stand()
        elif key == "escape" and self.hand.proposal is not None:
            self.hand.drop()
        else:
            return self.hand.key(key)
        return True

    def pressed(self, x: float, y: float, button: str) -> None:
        """Takes a tile; the right button flips the one in the hand, or outside of the table puts it back."""
        self._pressed_at, self._is_dragging = (x, y), False
        if button == RIGHT and self.hand.proposal is not None:
            self.hand.flip() if self.places.view.holds(x, y) else self.hand.drop()
            self._think()
        elif button == LEFT and self.is_open and self.hand.proposal is None:
            value = self._tile_under(x, y)
            if value is not None:
                self.hand.take(self.shown.row, value, self.shown.limits, by_mouse=True)
                self._is_dragging = True

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """The tile follows, or the eye turns."""
        if self.hand.by_mouse and button == LEFT:
            self._lead(x, y)
        elif self._pressed_at is not None and self.places.view.holds(*self._pressed_at):
            self.view.drag(dx, dy, pan=button != LEFT)

    def released(self, x: float, y: float, button: str) -> None:
        """A tile that was dragged to its place is stood there; so is one that was taken by a click and set by another.

        Let go outside of the table it goes back. A click in the tray alone leaves it in the hand.
        """
        if button != LEFT or self._pressed_at is None:
            return
        start, self._pressed_at = self._pressed_at, None
        has_moved = abs(x - start[0]) + abs(y - start[1]) > CLICK
        was_dragging, self._is_dragging = self._is_dragging, False
        if not self.hand.by_mouse or (was_dragging and not has_moved):
            return
        if not self.places.view.holds(x, y):
            self.hand.drop()
        elif was_dragging or not has_moved:
            self._lead(x, y)
            self._stand()

    def hovered(self, x: float, y: float) -> None:
        """A tile in the hand follows; others are lit."""
        self._over_tile = self._tile_under(x, y) if self.is_open and self.hand.proposal is None else None
        if self.hand.by_mouse:
            self._lead(x, y)

    def wheel(self, notches: float) -> bool:
        """Turns the tile in the hand; whether there is one."""
        if self.hand.proposal is None:
            return False
        self.hand.turn(notches)
        self._think()
        return True

    def _tile_under(self, x: float, y: float) -> int | None:
        """A tile that may be taken, in the tray or, when that is empty, in the row."""
        if self.shown.is_lifting and self.places.view.holds(x, y):
            value = self.view.tile_at(x, y, row_boxes(self.shown.row))
            return value if value in self.shown.movable else None
        around = -self.desk.sizes.gap * 0.3
        tiles = self.tray(self.dock())
        return next((value for value, rect in tiles.items() if rect.inset(around).holds(x, y)), None)

    def dock(self) -> DockPlaces:
        """The dock of the places in use."""
        return looks.dock_of(self.places, self.desk.sizes)

    def _lead(self, x: float, y: float) -> None:
        if self.places.view.holds(x, y):
            self.hand.lead(self.view.point(x, y))
            self._think()

    def _stand(self) -> None:
        proposal = self.hand.proposal
        if proposal is not None and self.controller.place(proposal):
            self.hand.drop()

    def _think(self) -> None:
        """Asks for the hint of what is in the hand."""
        self.controller.hint_for(self.hand.proposal)
