"""The guided calibration: the camera's picture, what to show it next, and how good it is; first the lens, then the mat.

The lens may be left out: then it is estimated from the mat, and what that costs is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calibration.camera import ENOUGH_VIEWS, GRID, REGION_CORNERS, REGIONS
from calibration.guide import Advice, Next
from game.match.ports import TableSight
from game.pictures.theme import Colour, faded
from game.table.calibrating import Calibrating, Measured, Progress
from game.table.calibration_words import error_words, lens_words, table_words
from game.ui.camera.picture import Picture, fitted
from game.ui.screens.base import Desk, Screen
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import CLEAR, Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Action, Button, Widget
from game.words import _, named, say
from physics.errors import ToppleError

DIM = (0, 0, 0, 120)  # over a region that lacks views


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are."""

    picture: Rect
    below: Rect  # the picture: how to hold the board
    panel: Rect
    heading: Rect
    words: Rect
    buttons: tuple[Rect, ...]


class Calibrate(Screen):
    """See the module. `leave` is called when people are done."""

    def __init__(self, desk: Desk, work: Calibrating, leave: Callable[[], None]) -> None:
        super().__init__(desk)
        self._work, self._leave = work, leave
        self._picture = Picture()
        self._now = work.snapshot()
        self._is_done = False
        self.error: ToppleError | None = None

    def update(self, seconds: float) -> None:
        """Looks again."""
        self._now = self._work.snapshot()

    def closed(self) -> None:
        """The camera is let go."""
        self._work.close()

    # What is shown

    def scene_key(self) -> object:
        """Another one with every picture."""
        return self._now.number, self._now.stage, self.desk.contrast, self.desk.width, self.desk.height

    def scene(self) -> None:
        """The picture."""
        self._picture.draw(self._sight(), self._places().picture, self.desk.palette)

    def paint(self, painter: Painter) -> None:
        """Frame and regions over the picture; beside it what to do and how good it is."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        sight = self._sight()
        if sight.picture is None:
            painter.rect(places.picture, palette.panel, sizes.radius, palette.line, palette.line_width)
            text = _("There is no picture from the camera.") if self._now.trouble else _("Waiting for the camera …")
            painter.words(text, places.picture, sizes.large, palette.soft, align="center")
        else:
            room = fitted(sight, places.picture)
            if self._now.stage is Measured.LENS:
                self._paint_regions(painter, room)
            painter.rect(room.inset(-2), CLEAR, sizes.radius * 0.3, palette.line, 2 + palette.line_width)
        painter.words(self._how(), places.below, sizes.small, palette.soft, wrap=True, across="top")
        paint_panel(painter, places.panel, palette, sizes)
        painter.words(self._heading(), places.heading, sizes.large, palette.accent, bold=True, wrap=True)
        self._paint_words(painter, places.words)

    def _paint_regions(self, painter: Painter, room: Rect) -> None:
        """Regions that lack views are dim, seen ones have a tick; the next one is framed."""
        palette, sizes = self.desk.palette, self.desk.sizes
        counts = self._now.collection.coverage().ravel().tolist()
        wanted = self._now.advice.region
        for index, count in enumerate(counts):
            row, column = divmod(index, GRID)
            wide, high = room.width / GRID, room.height / GRID
            cell = Rect(room.x + column * wide, room.top - (row + 1) * high, wide, high)
            if count < REGION_CORNERS:
                painter.rect(cell.inset(1), DIM)
            else:
                half = sizes.gap * 0.8
                x, y = cell.x + half * 2, cell.top - half * 2
                painter.sign("circle", x, y, half, palette.good)
                painter.sign("tick", x, y, half * 0.62, palette.on_sign)
            if index == wanted:
                painter.rect(cell.inset(3), faded(palette.accent, 0.18), 4, palette.accent, 4)

    def _paint_words(self, painter: Painter, room: Rect) -> None:
        """The advice, large; the numbers; and what is wrong."""
        palette, sizes, now = self.desk.palette, self.desk.sizes, self._now
        advice, room = room.cut_top(sizes.large * 4.4, sizes.gap)
        painter.words(self._advice(), advice, sizes.large, palette.ink, wrap=True, across="top")
        if now.stage is Measured.LENS and not self._is_done:
            bar, room = room.cut_top(sizes.gap * 1.1, sizes.gap * 0.6)
            share = min(1.0, len(now.collection.views) / ENOUGH_VIEWS)
            painter.rect(bar, palette.raised, bar.height / 2)
            if share:
                painter.rect(bar.cut_left(max(bar.height, bar.width * share))[0], palette.accent, bar.height / 2)
        wrong = self._wrong()
        said = "\n".join(self._numbers())
        if wrong:
            high = min(room.height * 0.55, painter.measured(wrong, sizes.body, wrap=room.width)[1] + sizes.gap)
            below, room = room.cut_bottom(high, sizes.gap)
            painter.words(wrong, below, sizes.body, self._alarm(), wrap=True, across="top")
        painter.words(said, room, sizes.body, palette.soft, wrap=True, across="top")

    def widgets(self) -> list[Widget]:
        """Keep, and the ways on and out."""
        cells, now = self._places().buttons, self._now
        leave = _("Leave")
        if self._is_done:
            return [Button("leave", cells[3], _("Done"), "main", "Enter")]
        if now.stage is Measured.LENS:
            return [
                Button("keep", cells[0], _("Keep the lens"), "main", "Enter", now.fit is not None),
                Button("again", cells[1], _("Start again"), key="R", enabled=bool(now.collection.views)),
                Button("table", cells[2], _("On to the mat"), key="M"),
                Button("leave", cells[3], leave, "quiet", "Esc"),
            ]
        both = Rect(cells[1].x, cells[1].y, cells[2].right - cells[1].x, cells[1].height)
        return [
            Button("keep", cells[0], _("Keep the place"), "main", "Enter", now.table is not None),
            Button("again", both, _("Back to the lens"), key="R"),
            Button("leave", cells[3], leave, "quiet", "Esc"),
        ]

    # What people do

    def acted(self, action: Action) -> None:
        """Keeps, begins again, goes on or leaves."""
        self.error = None
        match action.name:
            case "keep":
                self._keep()
            case "again":
                self._work.again()
            case "table":
                self._work.to_table()
            case "leave":
                self._leave()
        self._now = self._work.snapshot()

    def key(self, key: str) -> bool:
        """Enter keeps, R begins again, M goes on with the mat, Escape leaves."""
        names = {"r": "again", "m": "table", "escape": "leave", "enter": "leave" if self._is_done else "keep"}
        name = names.get(key)
        offered = [widget.name for widget in self.widgets() if widget.enabled]
        if key == "escape" or name in offered:
            self.acted(Action(name or ""))
            return True
        return False

    def _keep(self) -> None:
        stage = self._now.stage
        if (self._now.fit if stage is Measured.LENS else self._now.table) is None:
            return
        try:
            self._work.keep()
        except ToppleError as error:
            self.error = error
            return
        if stage is Measured.LENS:
            self._work.to_table()
        else:
            self._is_done = True
            self._work.close()

    # Words

    def _heading(self) -> str:
        if self._is_done:
            return _("The camera is calibrated")
        return _("1 of 2: the lens") if self._now.stage is Measured.LENS else _("2 of 2: the camera over the mat")

    def _how(self) -> str:
        if self._now.stage is Measured.LENS:
            return _(
                "Glue the board to something flat and move it about; the camera stays as it will stand at the table. "
                "Dark regions of the picture still lack views."
            )
        return _("Lay the mat where people play, all four markers in the picture. The numbers are errors in mm.")

    def _advice(self) -> str:
        now = self._now
        if self._is_done:
            return _("What was measured is used the next time this camera is opened.")
        if now.stage is Measured.LENS:
            return advice_words(now.advice)
        if now.table is None:
            return _("Show the mat to the camera.")
        return _("The mat is found: keep the place when the camera stands as it will stay.")

    def _numbers(self) -> list[str]:
        now = self._now
        if self._is_done:
            return [_("Kept in {file}").format(file=named(path)) for path in self._work.kept.values()]
        return lens_numbers(now) if now.stage is Measured.LENS else table_numbers(now)

    def _wrong(self) -> str:
        """What is wrong, most urgent first; empty when nothing is."""
        now = self._now
        if self._is_done:
            return ""
        error = self.error or now.trouble or now.refusal
        if error is not None:
            return say(error)
        return _("There are no more pictures.") if now.is_over else ""

    def _alarm(self) -> Colour:
        return self.desk.palette.ring if self.desk.contrast else (255, 170, 130, 255)

    def _sight(self) -> TableSight:
        return TableSight(self._now.number, self._now.picture)

    def _places(self) -> Places:
        gap, sizes = self.desk.sizes.gap, self.desk.sizes
        whole = Rect(0, 0, self.desk.width, self.desk.height).inset(gap * 1.4)
        panel, left = whole.cut_right(max(330 * sizes.unit, whole.width * 0.35), gap * 1.4)
        below, picture = left.cut_bottom(sizes.small * 4.2, gap)
        inner = panel.inset(gap * 1.4, gap * 1.2)
        heading, inner = inner.cut_top(sizes.large * 2.6, gap * 0.6)
        buttons, words = inner.cut_bottom(sizes.row * 3 + gap * 1.6, gap)
        keep, others, leave = buttons.rows(3, gap * 0.8)
        sight = self._sight()
        if sight.picture is not None:  # picture and words together in the middle, where they leave room
            room = fitted(sight, picture)
            spare = (picture.height - room.height) / 2
            picture = Rect(picture.x, picture.y, picture.width, picture.height - spare)
            below = Rect(room.x, room.y - spare - gap - below.height, room.width, below.height)
        return Places(picture, below, panel, heading, words, (keep, *others.columns(2, gap * 0.8), leave))


def advice_words(advice: Advice) -> str:
    """What to do with the board."""
    if advice.next is Next.MOVE and advice.region is not None:
        return _("Bring the board here: {region}.").format(region=_(REGIONS[advice.region]))
    return {
        Next.SHOW: _("Show the whole board to the camera."),
        Next.STILL: _("Hold the board still: it is blurred."),
        Next.MOVE: _("Bring the board into the dark regions."),
        Next.TILT: _("Tilt the board: one edge nearer to the camera, then another one."),
        Next.NEARER: _("Bring the board nearer, until it fills a third of the picture."),
        Next.FARTHER: _("Hold the board farther away."),
        Next.MORE: _("Show it in other places and at other slants."),
        Next.ENOUGH: _("That is enough: keep the lens."),
    }[advice.next]


def lens_numbers(now: Progress) -> list[str]:
    """How good the lens is by now."""
    lines = [
        _("Views: {count} of {enough}").format(count=len(now.collection.views), enough=ENOUGH_VIEWS),
        _("Their slants differ by {turn}°.").format(turn=f"{now.turn:.0f}"),
    ]
    return lines if now.fit is None else [*lines, *lens_words(now.fit)[:2]]


def table_numbers(now: Progress) -> list[str]:
    """How good the camera's place is."""
    if now.table is None or now.lens is None:
        return []
    return [*table_words(now.table), *error_words(now.table, now.lens, now.is_guessed)]
