"""The screen of a table camera alone: its picture as large as can be, and in words what goes on."""

from __future__ import annotations

from game.match.ports import Settle, TableSight, TableWatch
from game.ui.camera.picture import Picture, fitted
from game.ui.camera.realtable import settle_words
from game.ui.camera.tiledrag import Dragged, TileDrag
from game.ui.screens.base import LEFT, Desk, Screen
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import CLEAR, Painter
from game.words import _, plural


class Watching(Screen):
    """See the module; Escape closes the window."""

    def __init__(self, desk: Desk, camera: TableWatch, dragged: Dragged) -> None:
        """`dragged` hears of tiles that people drag to where they stand."""
        super().__init__(desk)
        self._camera, self._dragged = camera, dragged
        self._drag = TileDrag()
        self._picture = Picture()
        self._sight = camera.snapshot()

    def update(self, seconds: float) -> None:
        """Looks again."""
        self._sight = self._camera.snapshot()

    def scene_key(self) -> object:
        """Another one with every picture."""
        return self._sight.number, self._drag.key, self.desk.contrast, self.desk.width, self.desk.height

    def scene(self) -> None:
        """The picture with its tiles."""
        self._picture.draw(self._drag.shown(self._sight), self._rooms()[0], self.desk.palette)

    def paint(self, painter: Painter) -> None:
        """A frame around the picture, and the words below."""
        palette, sizes = self.desk.palette, self.desk.sizes
        room, words = self._rooms()
        if self._sight.picture is None:
            painter.rect(room, palette.panel, sizes.radius, palette.line, palette.line_width)
            painter.words(_("There is no picture from the camera."), room, sizes.large, palette.soft, align="center")
        else:
            painter.rect(fitted(self._sight, room).inset(-2), CLEAR, sizes.radius * 0.3, palette.line, 2)
        mark, words = words.cut_left(sizes.body * 1.6, sizes.gap)
        colour = palette.good if self._sight.settle is Settle.STILL else palette.accent
        painter.sign("circle", *mark.middle, mark.width * 0.4, colour)
        painter.words(" ".join(said(self._sight)), words, sizes.body, palette.ink, wrap=True)

    def key(self, key: str) -> bool:
        """Escape and q close it."""
        if key in ("escape", "q"):
            self.desk.quit()
            self.desk.stack.clear()
            return True
        return False

    def pressed(self, x: float, y: float, button: str) -> None:
        """Takes hold of a tile."""
        if button == LEFT:
            self._drag.press(self._sight, self._rooms()[0], x, y)

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """Drags it."""
        self._drag.move(self._sight, self._rooms()[0], x, y)

    def released(self, x: float, y: float, button: str) -> None:
        """It stands there."""
        found = self._drag.release()
        if found is not None:
            self._dragged(*found)

    def _rooms(self) -> tuple[Rect, Rect]:
        gap = self.desk.sizes.gap
        whole = Rect(0, 0, self.desk.width, self.desk.height).inset(gap)
        words, room = whole.cut_bottom(self.desk.sizes.body * 3.2, gap)
        return room, words


def said(sight: TableSight) -> list[str]:
    """What goes on, and how many tiles are seen, or why none are."""
    found = [settle_words(sight.settle), *filter(None, [sight.trouble])]
    if sight.settle is Settle.STILL:
        found.append(plural("{count} tile is seen.", "{count} tiles are seen.", len(sight.tiles)))
        found += [_("One that is not where it stands can be dragged there.")] if sight.tiles else []
    return found
