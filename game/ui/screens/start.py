"""The screen before a match: who plays what, where and how, and which unfinished match to go on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from game.catalogue import game_named
from game.games.evaluation.placements import TILES
from game.games.evaluation.window.match_paint import paint_tray, tile_places
from game.match.history import HAND, SIMULATED
from game.match.players import check_names
from game.pictures.player_colours import swapped
from game.pictures.theme import COLOURS, SIGNS, Colour, mixed
from game.text.game_text import title_of
from game.text.names import shown_names
from game.ui.saved import GAME, games_there, tables_there
from game.ui.screens.base import Desk, Screen
from game.ui.screens.sheets import LANGUAGE_NAMES, Menu, More, Rules
from game.ui.toolkit.layout import OPTIONS, SEATS, Rect, StartPlaces, start_places
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Action, Button, Choice, Field, Stepper, Switch, Widget
from game.words import LANGUAGES, _, say
from physics.errors import InputError, ToppleError
from physics.fields import shown
from vision.camera.devices import Camera

PERSON, EMPTY = "person", "empty"
KINDS = (PERSON, "weak", "normal", "strong", EMPTY)
MOST_ROUNDS = 9
LONGEST_NAME = 16  # letters, as the cards of players have room for


@dataclass(frozen=True, slots=True)
class SeatSettings:
    """Who is to sit there."""

    kind: str  # person, empty, or the strength of a bot
    name: str = ""  # of a person; empty: nobody has typed one


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What is chosen before a match."""

    seats: tuple[SeatSettings, ...]
    rounds: int = 3
    hints: bool = False
    clumsy: bool = False
    guided: bool = True  # a newcomer is led through the first round
    game: str = GAME
    table: str = SIMULATED
    colours: tuple[int, ...] = tuple(range(SEATS))  # by seat, of the empty ones too
    rig: bool | None = None  # whether the rig pushes; None: there is none

    @property
    def taken(self) -> tuple[int, ...]:
        """The seats somebody sits at: their order is that of the match."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.kind != EMPTY)

    def typed(self) -> tuple[str, ...]:
        """The players as they are remembered: empty where nobody has typed a name."""
        return tuple(self._typed(self.seats[number]) for number in self.taken)

    def players(self) -> tuple[str, ...]:
        """The players as a match names them, in the language in use."""
        return tuple(self._typed(self.seats[number]) or self.usual_name(number) for number in self.taken)

    def taken_colours(self) -> tuple[int, ...]:
        """The colours of the players."""
        return tuple(self.colours[number] for number in self.taken)

    def usual_name(self, seat: int) -> str:
        """What a person at that seat is called when nobody has typed a name."""
        if sum(each.kind == PERSON for each in self.seats) < 2:
            return _("Player")
        return _("Player {number}").format(number=self.taken.index(seat) + 1)

    @staticmethod
    def _typed(seat: SeatSettings) -> str:
        return seat.name.strip() if seat.kind == PERSON else f"bot:{seat.kind}"


def check_settings(settings: MatchSettings) -> None:
    """InputError, as a sentence for people, when there are too few players or a name cannot be."""
    seats = game_named(settings.game).seats
    if len(settings.taken) not in seats:
        raise InputError(
            "A match is for {low} to {high} players; chosen so far: {count}.",
            low=seats[0],
            high=seats[-1],
            count=len(settings.taken),
        )
    for seat in settings.seats:
        if seat.kind == PERSON and seat.name.strip().lower().startswith("bot:"):
            raise InputError("The name {name} is for bots; a person needs another one.", name=shown(seat.name.strip()))
    check_names(settings.players())


@dataclass(frozen=True, slots=True)
class SavedMatch:
    """A match that waits to be continued."""

    key: str
    players: tuple[str, ...]  # as the match names them
    round: int
    rounds: int

    @property
    def title(self) -> str:
        """Who plays."""
        return ", ".join(shown_names(self.players))

    @property
    def about(self) -> str:
        """How far it is."""
        return _("Round {round} of {rounds}.").format(round=self.round, rounds=self.rounds)


@dataclass(frozen=True, slots=True)
class Cameras:
    """The cameras that may be calibrated."""

    there: Callable[[], Sequence[Camera]]  # that are plugged in now
    calibrate: Callable[[Camera], None]  # leads through it


class Start(Screen):
    """See the module. `begin` is given the wish and may refuse it with a ToppleError; `go_on` the key of a match."""

    def __init__(
        self,
        desk: Desk,
        settings: MatchSettings,
        kept: Callable[[], Sequence[SavedMatch]],
        begin: Callable[[MatchSettings], None],
        go_on: Callable[[str], None],
        cameras: Cameras | None = None,
    ) -> None:
        super().__init__(desk)
        seats = (*settings.seats, *(SeatSettings(EMPTY) for _seat in range(SEATS)))[:SEATS]
        self.settings = replace(settings, seats=seats)
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
        self._paint_tiles(painter, places)
        painter.words("topple", places.title, sizes.title, palette.ink, bold=True)
        painter.words(_("Will the row fall?"), places.subtitle, sizes.body, palette.soft)
        paint_panel(painter, places.panel, palette, sizes)
        paint_panel(painter, places.aside, palette, sizes)
        if self.error is not None:
            ink = palette.ring if self.desk.contrast else (255, 170, 130, 255)
            painter.words(say(self.error), places.error, sizes.body, ink, wrap=True)
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

    def _paint_kept(self, painter: Painter, kept: SavedMatch, line: Rect, *, with_key: bool) -> None:
        """Who plays, and how far it is."""
        palette, sizes = self.desk.palette, self.desk.sizes
        room = line.inset(sizes.gap, sizes.gap * 0.35)
        room = room.cut_right(sizes.gap * 2.4 if with_key else 0.0)[1]
        about, title = room.cut_bottom(sizes.small * 1.3)
        painter.words(kept.title, title, sizes.body * 0.94, palette.ink, wrap=True)
        painter.words(kept.about, about, sizes.small * 0.9, palette.soft)

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

    def _paint_tiles(self, painter: Painter, places: StartPlaces) -> None:
        """The tiles of the game on their ledge, beside its name."""
        sizes = self.desk.sizes
        used = painter.measured("topple", sizes.title, bold=True)[0]
        free = places.languages.x - places.title.x - used
        high = places.title.top - places.subtitle.y
        room = Rect(places.title.x + used + free * 0.12, places.subtitle.y + sizes.gap * 0.5, free * 0.76, high * 0.86)
        tiles = tile_places(room, [tile.value for tile in TILES.tiles], sizes)
        ledge = Rect(min(each.x for each in tiles.values()) - sizes.gap, room.y, 0, room.height)
        ledge = replace(ledge, width=max(each.right for each in tiles.values()) + sizes.gap - ledge.x)
        paint_tray(painter, self.desk.palette, sizes, ledge, tiles, None, None, enabled=True)

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
        tables = {SIMULATED: _("Simulated table"), HAND: _("A table of your own")}
        found: list[Widget] = [
            Choice("game", places.game, games, tuple(title_of(name) for name in games), settings.game),
            Choice(
                "table",
                places.table,
                tables_there(),
                tuple(tables[name] for name in tables_there()),
                settings.table,
                tip=_("Simulated: the computer lets the row fall. Your own: you stand real tiles and tell what fell."),
            ),
        ]
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
            found.append(Field(f"name{seat}", room.name, name, empty, LONGEST_NAME, is_person))
            if self._dyeing == seat:
                value = COLOURS[settings.colours[seat]]
                found.append(Choice(f"dye{seat}", room.kind, COLOURS, ("",) * len(COLOURS), value, tip=swap))
            else:
                found.append(Choice(f"kind{seat}", room.kind, KINDS, labels, here.kind))
        options = places.options
        assert len(options) == OPTIONS
        found += [
            Stepper("rounds", options[0], _("Rounds"), settings.rounds, 1, MOST_ROUNDS),
            Switch("hints", options[1], _("Hints"), settings.hints, tip=_("Shows how likely the row is to fall.")),
            self._hands_switch(options[2]),
            Switch(
                "guided", options[3], _("Guide"), settings.guided, tip=_("Leads newcomers through the first round.")
            ),
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
        """Changes the wish, or begins."""
        name, value = action.name, action.value
        what, seat = name[:-1], int(name[-1]) if name[-1].isdecimal() else 0
        if name != "start":
            self.error = None
        match what if name[-1].isdecimal() else name, value:
            case (("name" | "kind"), str(text)):
                self._set_seat(seat, what, text)
            case "sign", _value:
                self._open_colours(seat)
            case "dye", str(colour):
                self.settings = replace(self.settings, colours=swapped(self._before, seat, COLOURS.index(colour)))
            case "kept", _value:
                self._continue(seat)
            case "game", str(game):
                self.settings = replace(self.settings, game=game)
            case "table", str(table):
                self.settings = replace(self.settings, table=table)
            case "rounds", int(rounds):
                self.settings = replace(self.settings, rounds=rounds)
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
                self.desk.over(Rules(self.desk, self.settings.game))
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
            self._go_on(self._kept[number].key)
        except ToppleError as error:
            self.error = error

    def _places(self) -> StartPlaces:
        return start_places(self.desk.width, self.desk.height, self.desk.sizes)


def _calibrate_one(_camera: Camera) -> str:
    return _("Calibrate the camera")


def _calibrate_this(camera: Camera) -> str:
    return _("Calibrate camera {number}").format(number=camera.number)
