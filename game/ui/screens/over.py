"""After a match: who won, another one, the film of it, and the season's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from game.core import Seat
from game.match.season import Standings, season_of
from game.pictures.theme import SIGNS, faded
from game.text.names import listed, shown_names
from game.ui.match_control import MatchControl
from game.ui.match_window import window_of
from game.ui.screens.base import Desk, Screen
from game.ui.screens.sheets import paint_scroll, paint_sheet
from game.ui.toolkit.layout import Rect, SheetPlaces, sheet_places
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.scroll import Scroll
from game.ui.toolkit.widgets import Action, Button, Widget
from game.words import _, figures, say
from physics.errors import ToppleError


class Over(Screen):
    """See the module."""

    sheet = True

    def __init__(
        self,
        desk: Desk,
        control: MatchControl,
        folder: Path,
        again: Callable[[MatchControl], None],
        start: Callable[[], None],
        replay: Callable[[Path], None],
    ) -> None:
        super().__init__(desk)
        self._control, self._folder = control, folder
        self._window = window_of(control.session.setup.game)
        self._again, self._start, self._replay = again, start, replay
        self.season: tuple[Standings, ...] | None = None  # None: not asked for
        self._scroll = Scroll()
        self.error: ToppleError | None = None

    def paint(self, painter: Painter) -> None:
        """The winners and the scores, or the season's table."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        paint_sheet(painter, places.sheet, palette, sizes)
        if self.error is not None:
            room = places.body.cut_bottom(sizes.body * 3)[0]
            painter.words(say(self.error), room, sizes.body, palette.ring, wrap=True, across="bottom")
        if self.season is not None:
            self._paint_season(painter, places, self.season)
            return
        self._paint_result(painter, places)

    def _paint_result(self, painter: Painter, places: SheetPlaces) -> None:
        palette, sizes = self.desk.palette, self.desk.sizes
        result, names = self._control.session.result, self._control.names
        if result is None:
            return
        title = victory(result.winners, names)
        painter.words(title, places.heading, sizes.large * 1.25, palette.accent, bold=True, align="center", wrap=True)
        most = max(1.0, *result.scores)
        line = min(sizes.row * 1.25, places.body.height / len(names) - sizes.gap * 0.4)
        room = places.body
        for seat in sorted(range(len(names)), key=lambda seat: -result.scores[seat]):
            row, room = room.cut_top(line, sizes.gap * 0.5)
            sign, row = row.cut_left(line, sizes.gap * 0.4)
            painter.sign(SIGNS[seat], *sign.middle, line * 0.3, palette.players[seat])
            name, row = row.cut_left(row.width * 0.36, sizes.gap)
            painter.words(names[seat], name, sizes.body * 1.1, palette.ink, bold=seat in result.winners)
            count, row = row.cut_right(110 * sizes.unit, sizes.gap)
            score = self._window.in_words(result.scores[seat])
            painter.words(score, count, sizes.body, palette.ink, align="right")
            bar = row.inset(0, row.height * 0.3)
            painter.rect(bar, palette.raised, bar.height / 2)
            share = result.scores[seat] / most
            if share > 0:
                painter.rect(Rect(bar.x, bar.y, max(bar.height, bar.width * share), bar.height),
                             palette.players[seat], bar.height / 2)  # fmt: skip

    def _paint_season(self, painter: Painter, places: SheetPlaces, season: tuple[Standings, ...]) -> None:
        palette, sizes = self.desk.palette, self.desk.sizes
        painter.words(_("The season"), places.heading, sizes.large, palette.accent, bold=True)
        parts = [2.2, 1.0, 1.0, 1.0]
        head, room = places.body.cut_top(self._line)
        table = room.cut_right(sizes.gap * 2.2)[1]
        titles = (_("player"), _("matches"), _("wins"), _(self._window.heading))
        heads = Rect(table.x, head.y, table.width, head.height).shares(parts, sizes.gap)
        for number, (cell, words) in enumerate(zip(heads, titles, strict=True)):
            cell = cell.inset(sizes.gap * 0.5, 0)
            painter.words(words, cell, sizes.small, palette.soft, align="right" if number else "left")
        seen = self._seen(room.height)
        names = shown_names([standing.name for standing in season])
        here = self._control.session.setup.names
        for number, row in zip(seen, self._rows(table), strict=False):
            standing = season[number]
            is_here = standing.name in here
            if number % 2 == 0:
                painter.rect(row, faded(palette.raised, 0.45), sizes.radius * 0.5)
            cells = (names[number], str(standing.matches), str(standing.wins), figures(f"{standing.score:g}"))
            for column, (cell, words) in enumerate(zip(row.shares(parts, sizes.gap), cells, strict=True)):
                cell = cell.inset(sizes.gap * 0.5, 0)
                painter.words(words, cell, sizes.body, palette.ink, bold=is_here, align="right" if column else "left")
        paint_scroll(painter, palette, sizes, room, seen, len(season))

    @property
    def _line(self) -> float:
        return self.desk.sizes.row * 0.8

    def _rows(self, table: Rect) -> list[Rect]:
        """One under another from the top, as many as there is room for."""
        count = max(1, int(table.height / self._line + 1e-6))
        return table.cut_top(count * self._line)[0].rows(count)

    def _seen(self, height: float) -> range:
        return self._scroll.shown([self._line] * len(self.season or ()), height, 0.0)

    def widgets(self) -> list[Widget]:
        """What to do now."""
        again, replay, season, start = self._places().buttons.columns(4, self.desk.sizes.gap)
        label = _("The match") if self.season is not None else _("Season")
        return [
            Button("again", again, _("Again"), "main", "Enter"),
            Button("replay", replay, _("Replay"), key="R"),
            Button("season", season, label, key="S"),
            Button("start", start, _("Start page"), key="Esc"),
        ]

    def acted(self, action: Action) -> None:
        """Goes there, or says why not."""
        self.error = None
        try:
            self._go(action.name)
        except ToppleError as error:
            self.error = error

    def _go(self, where: str) -> None:
        match where:
            case "again":
                self._again(self._control)
            case "replay":
                self._replay(self._control.session.path)
            case "season":
                self.season = self._standings() if self.season is None else None
            case "start":
                self._start()

    def key(self, key: str) -> bool:
        """The same by keys."""
        names = {"enter": "again", "space": "again", "r": "replay", "s": "season", "escape": "start"}
        if key not in names:
            return self.season is not None and self._scroll.key(key, 5)
        self.acted(Action(names[key]))
        return True

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Scrolls the season's table."""
        self._scroll.wheel(notches)

    def _standings(self) -> tuple[Standings, ...]:
        files = []
        for path in sorted(self._folder.glob("*.topple")):
            try:
                season_of([path])
            except ToppleError:
                continue  # a damaged match must not hide the others
            files.append(path)
        game = self._control.session.setup.game
        return tuple(each for each in season_of(files).standings if each.game == game)

    def _places(self) -> SheetPlaces:
        return sheet_places(self.desk.width, self.desk.height, self.desk.sizes, 800, 470)


def victory(winners: Sequence[Seat], names: Sequence[str]) -> str:
    """Who has won: one player, several who share it or are a team, or nobody."""
    if not winners:
        return _("Nobody wins.")
    if len(winners) == 1:
        return _("{name} wins!").format(name=names[winners[0]])
    return _("{names} share the victory!").format(names=listed([names[seat] for seat in winners]))
