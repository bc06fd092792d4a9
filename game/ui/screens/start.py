"""The screen before a match: who plays, how, and which unfinished match to go on with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from game.text.face import title_of
from game.text.names import shown_names
from game.ui.dress import paint_panel
from game.ui.layout import OPTIONS, SEATS, Rect, StartPlaces, start_places
from game.ui.look import SIGNS
from game.ui.paint import Painter
from game.ui.screens.base import Desk, Screen
from game.ui.screens.sheets import LANGUAGE_NAMES, Menu, Rules
from game.ui.widgets import Action, Button, Choice, Field, Stepper, Switch, Widget
from game.words import LANGUAGES, _, say
from physics.errors import ToppleError

PERSON, EMPTY = "person", "empty"
KINDS = (PERSON, "weak", "normal", "strong", EMPTY)
MOST_ROUNDS = 9
LONGEST_NAME = 16  # letters, as the cards of players have room for


@dataclass(frozen=True, slots=True)
class SeatWish:
    """Who is to sit there."""

    kind: str  # person, empty, or the strength of a bot
    name: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is chosen before a match."""

    seats: tuple[SeatWish, ...]
    rounds: int = 3
    hints: bool = False
    clumsy: bool = False
    guided: bool = True  # a newcomer is led through the first round

    def players(self) -> tuple[str, ...]:
        """The seats that are taken, as a match names them."""
        return tuple(
            seat.name.strip() if seat.kind == PERSON else f"bot:{seat.kind}"
            for seat in self.seats
            if seat.kind != EMPTY
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """A match that waits to be continued."""

    key: str
    title: str  # who plays
    about: str  # how far it is


class Start(Screen):
    """See the module. `begin` is given the wish and may refuse it with a ToppleError; `go_on` the key of a match."""

    def __init__(
        self,
        desk: Desk,
        wish: Wish,
        kept: Callable[[], Sequence[Kept]],
        begin: Callable[[Wish], None],
        go_on: Callable[[str], None],
    ) -> None:
        super().__init__(desk)
        seats = (*wish.seats, *(SeatWish(EMPTY) for _seat in range(SEATS)))[:SEATS]
        self.wish = replace(wish, seats=seats)
        self._kept = tuple(kept())
        self._begin, self._go_on = begin, go_on
        self.error: ToppleError | None = None

    # What is shown

    def paint(self, painter: Painter) -> None:
        """Title, panels and the names of what is chosen."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        self._paint_tiles(painter)
        painter.words("topple", places.title, sizes.title, palette.ink, bold=True)
        painter.words(_("Will the row fall?"), places.subtitle, sizes.body, palette.soft)
        paint_panel(painter, places.panel, palette, sizes)
        paint_panel(painter, places.aside, palette, sizes)
        painter.words(title_of("evaluation"), places.heading, sizes.large, palette.accent, bold=True)
        painter.words(_("on a simulated table"), places.heading, sizes.small, palette.soft, align="right")
        for seat, room in enumerate(places.seats):
            spot = room.cut_left(room.height)[0]
            is_empty = self.wish.seats[seat].kind == EMPTY
            colour = palette.line if is_empty else palette.players[seat]
            painter.sign(SIGNS[seat], *spot.middle, room.height * 0.32, colour)
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

    def _paint_tiles(self, painter: Painter) -> None:
        """Tiles in the background, the first one leaning: what it is all about."""
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
        places, sizes, wish = self._places(), self.desk.sizes, self.wish
        found: list[Widget] = []
        labels = (_("person"), _("weak"), _("normal"), _("strong"), _("nobody"))
        bots = iter(shown_names([f"bot:{seat.kind}" for seat in wish.seats if seat.kind not in (PERSON, EMPTY)]))
        for seat, room in enumerate(places.seats):
            rest = room.cut_left(room.height, sizes.gap * 0.6)[1]
            name, kind = rest.shares([1.0, 2.35], sizes.gap)
            here = wish.seats[seat]
            empty = _("name") if here.kind == PERSON else "" if here.kind == EMPTY else next(bots)
            text = here.name if here.kind == PERSON else ""
            field = Field(f"name{seat}", name, text, empty, LONGEST_NAME, here.kind == PERSON)
            found.append(field)
            found.append(Choice(f"kind{seat}", kind, KINDS, labels, here.kind))
        options = places.options
        assert len(options) == OPTIONS
        found += [
            Stepper("rounds", options[0], _("Rounds"), wish.rounds, 1, MOST_ROUNDS),
            Switch("hints", options[1], _("Hints"), wish.hints, tip=_("Shows how likely the row is to fall.")),
            Switch(
                "clumsy",
                options[2],
                _("Clumsy hands"),
                wish.clumsy,
                tip=_("A tile set down on another one can knock the row over."),
            ),
            Switch("guided", options[3], _("Guide"), wish.guided, tip=_("Leads newcomers through the first round.")),
            Button("start", places.buttons[0], _("Start"), "main", "Enter"),
            Button("rules", places.buttons[1], _("Rules"), key="F1"),
        ]
        for number, (kept, room) in enumerate(zip(self._kept, places.listed[1:-1], strict=False)):
            key = "C" if number == 0 else ""
            found.append(Button(f"kept{number}", room, kept.title, key=key, tip=f"{kept.title}. {kept.about}"))
        names = tuple(LANGUAGE_NAMES[language] for language in LANGUAGES)
        found.append(Button("menu", places.listed[-1], _("Settings"), "quiet", "F10"))
        found.append(Choice("language", places.languages, LANGUAGES, names, self.desk.language))
        return found

    # What people do

    def acted(self, action: Action) -> None:
        """Changes the wish, or begins."""
        name, value = action.name, action.value
        if name[:-1] in ("name", "kind") and isinstance(value, str):
            self._set_seat(int(name[-1]), name[:-1], value)
        elif name == "start":
            self._start()
        elif name == "rules":
            self.desk.over(Rules(self.desk))
        elif name == "menu":
            self.desk.over(Menu(self.desk))
        elif name == "language" and isinstance(value, str):
            self.desk.set_language(value)
        elif name.startswith("kept"):
            self._continue(int(name[4:]))
        elif name == "rounds" and isinstance(value, int):
            self.wish = replace(self.wish, rounds=value)
        elif isinstance(value, bool):
            hints, clumsy, guided = (
                value if name == each else getattr(self.wish, each) for each in ("hints", "clumsy", "guided")
            )
            self.wish = replace(self.wish, hints=hints, clumsy=clumsy, guided=guided)

    def key(self, key: str) -> bool:
        """Enter begins, C goes on with the newest unfinished match."""
        if key == "enter":
            self._start()
        elif key == "c" and self._kept:
            self._continue(0)
        elif key == "escape":
            self.desk.over(Menu(self.desk))
        else:
            return False
        return True

    def _set_seat(self, seat: int, what: str, value: str) -> None:
        old = self.wish.seats[seat]
        new = SeatWish(old.kind, value) if what == "name" else SeatWish(value, old.name)
        if new.kind == PERSON and not new.name and what == "kind":
            taken = {each.name for each in self.wish.seats}
            names = (_("Player {number}").format(number=number) for number in range(1, SEATS + 1))
            new = SeatWish(PERSON, next(name for name in names if name not in taken))
        seats = (*self.wish.seats[:seat], new, *self.wish.seats[seat + 1 :])
        self.wish = replace(self.wish, seats=seats)
        self.error = None

    def _start(self) -> None:
        try:
            self._begin(self.wish)
        except ToppleError as error:
            self.error = error

    def _continue(self, number: int) -> None:
        try:
            self._go_on(self._kept[number].key)
        except ToppleError as error:
            self.error = error

    def _places(self) -> StartPlaces:
        return start_places(self.desk.width, self.desk.height, self.desk.sizes)
