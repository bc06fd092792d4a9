"""The screen before a match: who plays what, where and how, and which unfinished match to go on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from game.core import Option
from game.match.history import HAND, SIMULATED
from game.pictures.player_colours import swapped
from game.pictures.theme import COLOURS, SIGNS, Colour, mixed
from game.text.game_text import title_of
from game.text.names import shown_names
from game.text.options import option_hint, option_title, word_titles
from game.ui.match_settings import (
    EMPTY,
    KINDS,
    PERSON,
    Fitted,
    MatchSettings,
    SeatSettings,
    check_count,
    check_settings,
    fitted,
)
from game.ui.match_window import MatchWindow, window_of
from game.ui.saved import Unfinished, games_there, tables_there
from game.ui.screens.base import Desk, Screen
from game.ui.screens.sheets import LANGUAGE_NAMES, Menu, More, Rules
from game.ui.toolkit.layout import LONG, SEATS, SHORT, Rect, StartPlaces, start_places
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Action, Button, Choice, Field, Stepper, Switch, Widget, is_too_long
from game.words import LANGUAGES, _, say
from physics.errors import InputError, ToppleError
from vision.camera.devices import Camera

MAX_NAME_LENGTH = 16  # letters, as the cards of players have room for
LABEL = 0.27  # of the line of an option that is one of some words: what it is called


@dataclass(frozen=True, slots=True)
class Cameras:
    """The cameras that may be calibrated."""

    there: Callable[[], Sequence[Camera]]  # that are plugged in now
    calibrate: Callable[[Camera], None]  # leads through it


class Start(Screen):
    """See the module. `begin` is given the settings and may refuse them with a ToppleError; `go_on` a match's file."""

    def __init__(
        self,
        desk: Desk,
        settings: MatchSettings,
        kept: Callable[[], Sequence[Unfinished]],
        begin: Callable[[MatchSettings], None],
        go_on: Callable[[Path], None],
        cameras: Cameras | None = None,
    ) -> None:
        super().__init__(desk)
        seats = (*settings.seats, *(SeatSettings(EMPTY) for _seat in range(SEATS)))[:SEATS]
        self.settings = replace(settings, seats=seats)
        self._seated = seats, settings.colours  # as people chose them; a game may be for fewer or for more
        self.fitted: Fitted | None = None  # what another game or option has just changed in that
        if self.settings.taken:
            self._fit()
        desk.game = settings.game
        self._kept = tuple(kept())
        self._begin, self._go_on, self._cameras = begin, go_on, cameras
        self._dyeing: int | None = None  # the seat whose colours are open
        self._before = self.settings.colours  # when they were opened
        self.error: ToppleError | None = None

    def update(self, seconds: float) -> None:
        """The colours are open as long as the keyboard is at them."""
        if self._dyeing is not None and self.focus.at != f"dye{self._dyeing}":
            self._dyeing = None

    # What is shown

    def paint(self, painter: Painter) -> None:
        """Title, panels and the names of what is chosen."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        self._paint_boards(painter)
        self._paint_emblem(painter, places)
        painter.words("topple", places.title, sizes.title, palette.ink, bold=True)
        painter.words(_("Will the row fall?"), places.subtitle, sizes.body, palette.soft)
        paint_panel(painter, places.panel, palette, sizes)
        paint_panel(painter, places.aside, palette, sizes)
        for option, room in zip(self._options(), places.options, strict=False):
            if option.words:
                label = _label_places(room)[0].inset(sizes.gap * 0.9, 0)
                painter.words(option_title(option), label, sizes.body, palette.ink)
        self._paint_said(painter, places.error)
        listed = places.listed
        painter.words(_("Unfinished matches"), listed[0], sizes.large, palette.accent, bold=True, wrap=True)
        if not self._kept:
            painter.words(
                _("None. A match that you leave waits here; every move is kept."),
                Rect(listed[2].x, listed[2].y, listed[1].width, listed[1].top - listed[2].y),
                sizes.body,
                palette.soft,
                wrap=True,
                across="top",
            )

    def _paint_said(self, painter: Painter, room: Rect) -> None:
        """Why it cannot begin, or what was changed so that it can."""
        palette, error = self.desk.palette, self.error
        changed = "" if self.fitted is None else self.fitted.words()
        if error is None and not changed:
            try:
                check_count(self.settings)
            except InputError as wrong:
                error = wrong
        if error is not None:
            ink = palette.ring if self.desk.contrast else (255, 170, 130, 255)
            painter.words(say(error), room, self.desk.sizes.body, ink, wrap=True)
        else:
            painter.words(changed, room, self.desk.sizes.body, palette.accent, wrap=True)

    def paint_over(self, painter: Painter) -> None:
        """Every player's sign in his or her colour, and the colours to choose from."""
        palette, places = self.desk.palette, self._places()
        for number, room in enumerate(places.seats):
            if number in self.settings.taken:
                self._paint_sign(painter, number, room.sign, palette.colours[self.settings.colours[number]])
            else:
                painter.sign("circle", *room.sign.middle, room.sign.height * 0.09, palette.line)
        for number, (kept, line) in enumerate(zip(self._kept, places.listed[1:-1], strict=False)):
            self._paint_kept(painter, kept, line, with_key=number == 0)
        if self._dyeing is not None:
            self._paint_colours(painter, places.seats[self._dyeing].kind, self._dyeing)

    def _paint_kept(self, painter: Painter, kept: Unfinished, line: Rect, *, with_key: bool) -> None:
        """Who plays, and how far it is."""
        palette, sizes = self.desk.palette, self.desk.sizes
        room = line.inset(sizes.gap, sizes.gap * 0.35)
        room = room.cut_right(sizes.gap * 2.4 if with_key else 0.0)[1]
        names, letter = ", ".join(kept.names), sizes.body * 0.88
        title, about = room.cut_top(min(painter.measured(names, letter, wrap=room.width)[1], room.height * 0.55), 2)
        painter.words(names, title, letter, palette.ink, wrap=True)
        painter.words(kept.standing, about.inset(0, sizes.gap * 0.3), sizes.small * 0.9, palette.soft, wrap=True)

    def _paint_colours(self, painter: Painter, row: Rect, seat: int) -> None:
        """All colours; those that are taken with the sign of who has them."""
        palette = self.desk.palette
        owners = {self.settings.colours[number]: number for number in self.settings.taken}
        for colour, cell in enumerate(row.columns(len(COLOURS))):
            owner = owners.get(colour)
            half = cell.height * (0.36 if owner == seat else 0.31)
            painter.rect(cell.centred(2 * half, 2 * half), palette.colours[colour], half * 0.5, palette.panel, 1.5)
            if owner is not None:
                dark = mixed(palette.colours[colour], (0, 0, 0, 255), 0.72)
                painter.sign(self._sign(owner), *cell.middle, half * 0.6, dark)

    def _paint_sign(self, painter: Painter, number: int, room: Rect, colour: Colour) -> None:
        painter.sign(self._sign(number), *room.middle, room.height * 0.3, colour)

    def _sign(self, number: int) -> str:
        """The shape of that seat in the match: empty seats do not count."""
        return SIGNS[self.settings.taken.index(number)]

    def _paint_emblem(self, painter: Painter, places: StartPlaces) -> None:
        """What stands for the game, beside the program's name."""
        paint, sizes = self._window.emblem, self.desk.sizes
        if paint is None:
            return
        used = painter.measured("topple", sizes.title, bold=True)[0]
        free = places.languages.x - places.title.x - used
        high = places.title.top - places.subtitle.y
        room = Rect(places.title.x + used + free * 0.12, places.subtitle.y + sizes.gap * 0.5, free * 0.76, high * 0.86)
        paint(painter, self.desk.palette, sizes, room)

    def _paint_boards(self, painter: Painter) -> None:
        """The table that everything lies on."""
        palette, width, height = self.desk.palette, self.desk.width, self.desk.height
        if self.desk.contrast:
            return
        painter.rect(Rect(0, 0, width, height), palette.table)
        boards = 7
        for board, room in enumerate(Rect(0, 0, width, height).rows(boards)):
            tone = (-6, 3, -2, 6, -4, 2, -7)[board % 7]
            red, green, blue, alpha = palette.table
            painter.rect(room.inset(0, 1), (red + 8 + tone, green + 5 + tone, blue + 3 + tone, alpha))

    def widgets(self) -> list[Widget]:
        """Seats, options, buttons, unfinished matches."""
        places, settings = self._places(), self.settings
        games = games_there()
        titles = tuple(title_of(name) for name in games)
        is_long = is_too_long(titles, places.game.width, self.desk.sizes.body)
        found: list[Widget] = [Choice("game", places.game, games, titles, settings.game, folded=is_long)]
        if settings.has_tiles:
            found.append(self._table_choice(places.table))
        found += self._seat_widgets(places)
        found += self._option_widgets(places.options)
        found += [
            Button("start", places.buttons[0], _("Start"), "main", "Enter"),
            Button("rules", places.buttons[1], _("Rules"), key="F1"),
        ]
        for number, (_kept, line) in enumerate(zip(self._kept, places.listed[1:-1], strict=False)):
            key = "C" if number == 0 else ""
            found.append(Button(f"kept{number}", line, "", key=key))
        names = tuple(LANGUAGE_NAMES[language] for language in LANGUAGES)
        found.append(Button("menu", places.listed[-1], _("Settings"), "quiet", "F10"))
        found.append(Choice("language", places.languages, LANGUAGES, names, self.desk.language))
        return found

    def _table_choice(self, room: Rect) -> Widget:
        words = {SIMULATED: _("Simulated table"), HAND: _("A table of your own")}
        tip = _("Simulated: the computer lets the row fall. Your own: you stand real tiles and say what fell.")
        tables = tables_there()
        return Choice("table", room, tables, tuple(words[name] for name in tables), self.settings.table, tip=tip)

    def _seat_widgets(self, places: StartPlaces) -> list[Widget]:
        """Who sits where: sign, name and kind, or the colours."""
        settings = self.settings
        found: list[Widget] = []
        labels = (_("person"), _("weak"), _("normal"), _("strong"), _("nobody"))
        bots = iter(shown_names([f"bot:{seat.kind}" for seat in settings.seats if seat.kind not in (PERSON, EMPTY)]))
        for seat, room in enumerate(places.seats):
            here = settings.seats[seat]
            is_person, is_taken = here.kind == PERSON, here.kind != EMPTY
            empty = settings.usual_name(seat) if is_person else next(bots) if is_taken else ""
            name = here.name if is_person else ""
            swap = _("Colour; one that another player has is swapped.")
            if is_taken:
                found.append(Button(f"sign{seat}", room.sign, "", "quiet", tip=_("Choose a colour")))
            found.append(Field(f"name{seat}", room.name, name, empty, MAX_NAME_LENGTH, is_person))
            if self._dyeing == seat:
                value = COLOURS[settings.colours[seat]]
                found.append(Choice(f"dye{seat}", room.kind, COLOURS, ("",) * len(COLOURS), value, tip=swap))
            else:
                found.append(Choice(f"kind{seat}", room.kind, KINDS, labels, here.kind))
        return found

    def _options(self) -> list[Option]:
        """The game's options as they are shown: first those that are one of some words."""
        return sorted(self.settings.offered, key=lambda option: not option.words)

    def _option_widgets(self, rooms: Sequence[Rect]) -> list[Widget]:
        """The game's own options, then what every game with standing tiles has."""
        settings, options = self.settings, self._options()
        found = [self._option_widget(option, room) for option, room in zip(options, rooms, strict=False)]
        left = iter(rooms[len(options) :])
        if settings.has_tiles:
            tip = _("Shows how likely the row is to fall.")
            found += [Switch("hints", next(left), _("Hints"), settings.hints, tip=tip), self._hands_switch(next(left))]
        if self._window.has_guide:
            tip = _("Leads newcomers through the first round.")
            found.append(Switch("guided", next(left), _("Guide"), settings.guided, tip=tip))
        return found

    def _option_widget(self, option: Option, room: Rect) -> Widget:
        value, tip = self.settings.chosen[option.name], option_hint(option)
        if not option.words:
            return Stepper(option.name, room, option_title(option), int(value), option.low, option.high, tip=tip)
        room, titles = _label_places(room)[1], word_titles(option)
        is_long = is_too_long(titles, room.width, self.desk.sizes.body)
        return Choice(option.name, room, option.words, titles, str(value), tip=tip, folded=is_long)

    def _hands_switch(self, room: Rect) -> Widget:
        """Whether hands are clumsy at the simulated table; at another one, whether the rig that is there pushes."""
        settings, is_simulated = self.settings, self.settings.table == SIMULATED
        if settings.rig is not None and not is_simulated:
            tip = _("The rig at your table pushes the row, after a countdown; off: you push by hand.")
            return Switch("rig", room, _("The rig pushes"), settings.rig, tip=tip)
        tip = _("A tile set down on another one can knock the row over.")
        return Switch("clumsy", room, _("Clumsy hands"), settings.clumsy and is_simulated, is_simulated, tip=tip)

    # What people do

    def acted(self, action: Action) -> None:
        """Changes the settings, or begins."""
        name, value = action.name, action.value
        if any(option.name == name for option in self.settings.offered) and isinstance(value, int | str):
            self._choose(self.settings.with_option(name, value))
            return
        what, seat = name[:-1], int(name[-1]) if name[-1].isdecimal() else 0
        if name != "start":
            self.error = self.fitted = None
        match what if name[-1].isdecimal() else name, value:
            case (("name" | "kind"), str(text)):
                self._set_seat(seat, what, text)
            case "sign", _value:
                self._open_colours(seat)
            case "dye", str(colour):
                self.settings = replace(self.settings, colours=swapped(self._before, seat, COLOURS.index(colour)))
                self._seated = self.settings.seats, self.settings.colours
            case "kept", _value:
                self._continue(seat)
            case "game", str(game):
                self.desk.game = game
                self._choose(replace(self.settings, game=game))
            case "table", str(table):
                self.settings = replace(self.settings, table=table)
            case "hints", bool(hints):
                self.settings = replace(self.settings, hints=hints)
            case "clumsy", bool(clumsy):
                self.settings = replace(self.settings, clumsy=clumsy)
            case "rig", bool(rig):
                self.settings = replace(self.settings, rig=rig)
            case "guided", bool(guided):
                self.settings = replace(self.settings, guided=guided)
            case "language", str(language):
                self.desk.set_language(language)
            case "start", _value:
                self._start()
            case "rules", _value:
                self.desk.over(Rules(self.desk))
            case "menu", _value:
                self.desk.over(self.menu())

    def key(self, key: str) -> bool:
        """Enter begins, C goes on with the newest unfinished match."""
        if key == "enter":
            self._start()
        elif key == "c" and self._kept:
            self._continue(0)
        elif key == "escape":
            self.desk.over(self.menu())
        else:
            return False
        return True

    def menu(self) -> Screen:
        """The settings, and the calibration of every camera that is there."""
        if self._cameras is None:
            return Menu(self.desk)
        there, calibrate = self._cameras.there(), self._cameras.calibrate
        label = _calibrate_one if len(there) == 1 else _calibrate_this
        more = [More(partial(label, camera), partial(calibrate, camera), camera.name) for camera in there]
        return Menu(self.desk, more=more)

    def _set_seat(self, seat: int, what: str, value: str) -> None:
        old = self.settings.seats[seat]
        new = SeatSettings(old.kind, value) if what == "name" else SeatSettings(value, old.name)
        seats = (*self.settings.seats[:seat], new, *self.settings.seats[seat + 1 :])
        self.settings = replace(self.settings, seats=seats)
        self._seated = seats, self.settings.colours

    def _choose(self, settings: MatchSettings) -> None:
        """Another game, or another option of it; where that is for other numbers of players, they are fitted."""
        was, self.settings = self.settings.allowed, settings
        if settings.allowed != was:
            self._fit()

    def _fit(self) -> None:
        """As many players as the game is for, of those whom people chose."""
        seats, colours = self._seated
        self.fitted = fitted(replace(self.settings, seats=seats, colours=colours))
        self.settings = self.fitted.settings
        self._dyeing = None

    def _open_colours(self, seat: int) -> None:
        """Shows the colours in place of the kinds, or hides them again."""
        self._dyeing = None if self._dyeing == seat else seat
        self._before = self.settings.colours  # going along the colours must not mix up everybody's
        self.focus.show(self.widgets())
        self.focus.go(f"sign{seat}" if self._dyeing is None else f"dye{seat}", by_keys=self.focus.by_keys)

    def _start(self) -> None:
        try:
            check_settings(self.settings)
            self._begin(self.settings)
        except ToppleError as error:
            self.error = error

    def _continue(self, number: int) -> None:
        try:
            self._go_on(self._kept[number].path)
        except ToppleError as error:
            self.error = error

    @property
    def _window(self) -> MatchWindow[Any]:
        return window_of(self.settings.game)

    def _places(self) -> StartPlaces:
        settings, desk = self.settings, self.desk
        common = 2 * settings.has_tiles + self._window.has_guide  # switches that are no option of the game
        return start_places(
            desk.width,
            desk.height,
            desk.sizes,
            seats=min(SEATS, settings.allowed[-1]),
            options=[*(LONG if option.words else SHORT for option in self._options()), *[SHORT] * common],
            several_games=len(games_there()) > 1,
            has_table=settings.has_tiles,
        )


def _label_places(room: Rect) -> tuple[Rect, Rect]:
    """In the line of an option that is one of some words: what it is called, and the words."""
    return room.cut_left(room.width * LABEL)


def _calibrate_one(_camera: Camera) -> str:
    return _("Calibrate the camera")


def _calibrate_this(camera: Camera) -> str:
    return _("Calibrate camera {number}").format(number=camera.number)
