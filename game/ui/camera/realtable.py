"""The real table beside its model: the camera's picture, what it disagrees with, and the push rig with its stop."""

from __future__ import annotations

import math

from game.match.ports import RigStage, Settle, TableSight
from game.pictures.theme import Palette, Sizes
from game.text.story import difference_words, rig_words
from game.ui.camera.picture import Picture, fitted
from game.ui.camera.tiledrag import TileDrag
from game.ui.toolkit.layout import DockPlaces, Rect
from game.ui.toolkit.paint import CLEAR, Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Button, Widget
from game.ui.watches import RealTable
from game.words import _

MIN_PICTURE = 0.4  # of the room for the picture and the words below it
WORDS = 9.6  # heights of a letter that the longest of these words take
STOP_KEYS = ("space", "escape", "enter", "s", "x")
"""While a rig moves, whatever a hand in a hurry may hit."""


class Camera:
    """The camera's picture beside the table, shown or put away."""

    def __init__(self) -> None:
        self._is_on = True
        self._picture = Picture()
        self._drag = TileDrag()

    def toggle(self) -> None:
        """Shows it, or puts it away."""
        self._is_on = not self._is_on

    def sight(self, real: RealTable | None) -> TableSight | None:
        """What is to be shown of it now, a dragged tile where it is dragged to."""
        sight = real.sight if real is not None and self._is_on else None
        return None if sight is None else self._drag.shown(sight)

    # A tile that was read wrong is dragged to where it stands

    def press(self, real: RealTable | None, room: Rect, sizes: Sizes, x: float, y: float) -> bool:
        """Takes hold of the tile there; whether there is one."""
        return self._drag.press(self.sight(real), rooms(room, sizes)[0], x, y)

    def drag(self, real: RealTable | None, room: Rect, sizes: Sizes, x: float, y: float) -> bool:
        """Drags the tile that is held; whether there is one."""
        return self._drag.move(self.sight(real), rooms(room, sizes)[0], x, y)

    def release(self) -> tuple[int, tuple[float, float]] | None:
        """Lets go of it: which tile, and how far it was dragged in shares of the picture; None: of none, or nowhere."""
        return self._drag.release()

    def draw(self, real: RealTable | None, room: Rect, palette: Palette, sizes: Sizes) -> None:
        """The picture alone."""
        sight = self.sight(real)
        if sight is not None:
            self._picture.draw(sight, rooms(room, sizes)[0], palette)

    def paint(self, painter: Painter, palette: Palette, sizes: Sizes, room: Rect, real: RealTable | None) -> None:
        """What is said of it."""
        sight = self.sight(real)
        if sight is not None:
            paint_camera(painter, palette, sizes, room, sight)

    def key(self, real: RealTable | None) -> object:
        """What `draw` would draw, to compare."""
        sight = self.sight(real)
        return None if sight is None else (sight.number, self._drag.key)


def must_stop(real: RealTable | None) -> bool:
    """Whether a rig moves, or is about to: then nothing is asked but whether to stop it."""
    return real is not None and real.rig is not None and real.rig.can_stop


def rooms(room: Rect, sizes: Sizes) -> tuple[Rect, Rect]:
    """The place of the picture, and that of the words below it."""
    return room.cut_top(max(MIN_PICTURE * room.height, room.height - WORDS * sizes.body), sizes.gap * 0.8)


def settle_words(settle: Settle) -> str:
    """What goes on at the table."""
    return {
        Settle.STILL: _("The table is still."),
        Settle.MOVING: _("Something moves on the table."),
        Settle.HANDS: _("Hands are at the table."),
        Settle.LOST: _("The camera does not see the table."),
    }[settle]


def paint_camera(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, sight: TableSight) -> None:
    """A frame for the picture, which is drawn under it, and in words what the camera makes of the table."""
    picture, below = rooms(room, sizes)
    if sight.picture is None:
        painter.rect(picture, palette.panel, sizes.radius, palette.line, palette.line_width)
        painter.words(_("There is no picture from the camera."), picture, sizes.body, palette.soft, align="center")
    else:
        place = fitted(sight, picture)
        painter.rect(place.inset(-2), CLEAR, sizes.radius * 0.3, palette.line, 2 + palette.line_width)
        below = Rect(room.x, room.y, room.width, place.y - room.y - sizes.gap * 0.8)
    differs = sight.settle is Settle.STILL and bool(sight.differences)
    paint_panel(painter, below, palette, sizes)
    inner = below.inset(sizes.gap, sizes.gap * 0.7)
    head, inner = inner.cut_top(sizes.body * 1.5, sizes.gap * 0.3)
    colour = palette.bad if differs else palette.good if sight.settle is Settle.STILL else palette.accent
    mark, head = head.cut_left(sizes.body * 1.2, sizes.gap * 0.6)
    painter.sign("circle", *mark.middle, mark.width * 0.5, colour)
    if differs or sight.settle is Settle.STILL:
        painter.sign("cross" if differs else "tick", *mark.middle, mark.width * 0.34, palette.on_sign)
    title = _("The table and the game disagree.") if differs else settle_words(sight.settle)
    painter.words(title, head, sizes.body, palette.ink, bold=differs)
    said = [sight.trouble] if sight.trouble else []
    if differs:
        said = [difference_words(each) for each in sight.differences]
        said.append(_("Set the tiles right on the table, or take the move back. The row is not pushed before that."))
    if said:
        painter.words(
            "\n".join(said), inner.cut_top(inner.height * 0.94)[0], sizes.body, palette.ink, wrap=True, across="top"
        )


def paint_rig(painter: Painter, palette: Palette, sizes: Sizes, dock: DockPlaces, real: RealTable) -> None:
    """How long it is to the push; the button to stop it lies beside it."""
    assert real.rig is not None
    count, words = _rig_rooms(dock, sizes)[0].cut_left(dock.wide.height * 1.2, sizes.gap * 1.5)
    if real.rig.stage is RigStage.COUNTING:
        left = str(math.ceil(real.rig.left))
        painter.words(left, count, dock.wide.height * 0.8, palette.accent, bold=True, align="center")
        said = " ".join(rig_words(real.rig))
    else:
        painter.sign("triangle", *count.middle, count.height * 0.36, palette.accent)
        said = _("The rig pushes.")
    painter.words(said, words, sizes.large, palette.ink, wrap=True)


def stop_button(dock: DockPlaces, sizes: Sizes) -> Widget:
    """As large as can be."""
    return Button("stoprig", _rig_rooms(dock, sizes)[1], _("Stop the rig"), "bad", _("Space"), sign="cross")


def _rig_rooms(dock: DockPlaces, sizes: Sizes) -> tuple[Rect, Rect]:
    stop, words = dock.wide.cut_right(dock.wide.width * 0.5, sizes.gap * 2)
    return words, stop
