"""A match of any game in words: what all may see, what is asked, moves as buttons and as a line to type.

What one of several people at the screen alone may know is covered until that person says that nobody else is looking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from game.core import Seat
from game.text.game_text import needed_text
from game.text.vocabulary import meaning_of
from game.ui.camera.realtable import STOP_KEYS, must_stop, paint_rig, stop_button
from game.ui.floor import Asked, Floor
from game.ui.match_control import MatchControl
from game.ui.match_window import Around, MatchWindow
from game.ui.screens import plain_paint as looks
from game.ui.screens.base import MAX_FRAME_TIME, Screen
from game.ui.screens.sheets import Menu, Rules
from game.ui.teller import TROUBLE
from game.ui.toolkit.layout import Rect, dock_places
from game.ui.toolkit.match_paint import paint_public
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.plain_places import Grid, PlainPlaces, grid_of, grid_places, plain_places
from game.ui.toolkit.scroll import Scroll
from game.ui.toolkit.widgets import Action, Button, Field, Widget
from game.words import _, language_in_use, say
from physics.errors import ToppleError

TROUBLE_TIME = 6.0  # s that a refusal stays
PACE, SPEAKING = 2.0, 5.0  # times as long as a bot takes: until something comes by itself, and where people may speak
COLUMNS = 80  # of what all may see
LONGEST_LINE = 200  # letters that can be typed
LAST = 10**6  # further than any list goes
COMMANDS = ("help", "rules", "undo", "quit")


@dataclass(frozen=True, slots=True)
class Choose:
    """A button: that move."""

    move: Any


@dataclass(frozen=True, slots=True)
class Speak:
    """A button: that person speaks though nobody asks."""

    seat: Seat


class PlainMatch(Screen):
    """See the module; InputError when people cannot play the game in words."""

    def __init__(self, control: MatchControl, around: Around) -> None:
        super().__init__(around.desk)
        self.control, self._around = control, around
        self._text = needed_text(control.session.setup.game)
        self.floor = Floor(control, self._text)
        self.floor.update()
        self._typed, self._refusal = "", ""  # the line, and why it or a button was no answer
        self._trouble, self._trouble_left = "", 0.0
        self._rested = 0.0  # s since something has happened
        self._moves, self._private, self._history = Scroll(), Scroll(), Scroll(LAST)
        self._lines: tuple[str, ...] = ()
        self._was: object = None
        self._public_key: object = None
        self._public: tuple[str, list[str], str] = ("", [], "")

    # Time

    def update(self, seconds: float) -> None:
        """The match goes on."""
        seconds = min(seconds, MAX_FRAME_TIME)
        self._trouble_left -= seconds
        self._rested += seconds
        bot_time = self.control.bot_time
        pause = bot_time * (SPEAKING if self.floor.speakers else PACE)
        self.control.is_waiting = self.floor.speaks_up or self._rested < pause
        for happening in self.control.update(seconds):
            if happening.kind == TROUBLE:
                self._trouble, self._trouble_left = " ".join(happening.sentences), TROUBLE_TIME
            elif happening.sentences:
                self._rested = 0.0
        # A bot that has nothing to say is not asked at all: the same time goes by, so that nobody learns which it was.
        self.floor.is_resting = self._rested < pause and self.floor.has_free_bots
        self._see()
        if self.control.session.result is not None and self.desk.top is self:
            self._around.ended()

    def _see(self) -> None:
        """Takes in what has changed: another question begins with an empty line, and the keyboard at it."""
        self.floor.update()
        asked = self.floor.asked()
        now = self.floor.moment, None if asked is None else asked.seat, self.floor.is_covered
        if now != self._was:
            self._was = now
            self._typed = self._refusal = ""
            self._moves.first = self._private.first = 0
            self.focus.show(self.widgets())
            self.focus.go("line")
        if self.control.lines != self._lines:
            self._lines = self.control.lines
            self._history.first = LAST

    # What is shown

    def paint(self, painter: Painter) -> None:
        """Everything but the buttons."""
        palette, sizes, places, control = self.desk.palette, self.desk.sizes, self._places(), self.control
        asked = self.floor.asked()
        here = asked.seat if asked is not None and asked.is_asked else self._thinker
        turn = control.session.game.turn(control.session.state)
        looks.paint_cards(painter, palette, sizes, places.cards, control.names, here, turn)
        paint_public(painter, palette, sizes, places.public, *self._all_may_see())
        told = [(line, True) for line in self._lines]
        looks.paint_items(painter, palette, sizes, places.history, self._history, told)
        painter.rect(places.dock, palette.table)
        if must_stop(control.real):
            assert control.real is not None
            paint_rig(painter, palette, sizes, dock_places(places.dock, sizes), control.real)
            return
        self._paint_question(painter, places, asked)
        if asked is not None and not self.floor.is_covered:
            items = [(line, True) for line in asked.private]
            items += [(f"{word} – {words}", False) for word, words in asked.question.examples]
            items += [(asked.question.notes, False)] if asked.question.notes else []
            if items:
                looks.paint_items(painter, palette, sizes, places.private, self._private, items)
            if asked.is_asked:
                looks.paint_note(painter, palette, sizes, places, self._note(asked))
                seen, count = self._seen_rows(asked, self._grid(asked)), self._grid(asked).rows
                looks.paint_bar(painter, palette, sizes, places.moves, seen, count)

    def _paint_question(self, painter: Painter, places: PlainPlaces, asked: Asked | None) -> None:
        palette, sizes, names = self.desk.palette, self.desk.sizes, self.control.names
        room = places.question
        if not self._speaker_widgets(places):
            room = Rect(room.x, room.y, places.speakers.right - room.x, room.height)
        trouble = self._refusal or (self._trouble if self._trouble_left > 0 else "")
        if trouble:
            looks.paint_question(painter, palette, sizes, room, trouble, None, bad=True)
        elif asked is None or not asked.is_asked:
            thinker = self._thinker
            if thinker is not None:
                words = _("{name} is thinking").format(name=names[thinker])
                looks.paint_question(painter, palette, sizes, room, words, thinker)
            elif self.control.session.busy:
                looks.paint_question(painter, palette, sizes, room, _("The row falls …"), None)
        elif self.floor.is_covered:
            words = _("{name}, what comes now is for you alone.").format(name=names[asked.seat])
            words = " ".join((words, _("Everybody else looks away.")))
            looks.paint_question(painter, palette, sizes, room, words, asked.seat)
        else:
            looks.paint_question(painter, palette, sizes, room, asked.question.text, asked.seat)

    @property
    def _thinker(self) -> Seat | None:
        """The bot the match waits for. Of one that merely may speak, to say so would tell what it holds."""
        thinking, session = self.control.thinking, self.control.session
        must = session.game.must_act(session.state)
        return None if thinking is None or thinking[0] not in must else thinking[0]

    def _note(self, asked: Asked) -> str:
        if not asked.moves:
            return _("There is nothing to say now.")
        return "" if asked.lists_all else _("Moves that have no button can be typed.")

    def _all_may_see(self) -> tuple[str, list[str], str]:
        """How far the match is, and what lies open, drawn and in sentences."""
        key = len(self.control.session.entries), language_in_use()
        if key != self._public_key:
            view = self.control.session.view(None)
            self._public_key = key
            standing = self._text.standing(view, self.control.names)
            drawn = self._text.public(view, COLUMNS, blocks=True)
            self._public = standing, drawn, self._text.public_words(view)
        return self._public

    # What can be pressed

    def widgets(self) -> list[Widget]:
        """What is asked now, and what can always be done."""
        places, sizes, control = self._places(), self.desk.sizes, self.control
        undo, rules, menu = places.menu
        found: list[Widget] = [
            Button("undo", undo, _("Undo"), "quiet", tip="Ctrl+Z"),
            Button("rules", rules, "?", "quiet", "F1", tip=_("Rules")),
            Button("menu", menu, "☰", "quiet", "Esc", tip=_("Menu")),
        ]
        if must_stop(control.real):
            return [stop_button(dock_places(places.dock, sizes), sizes), *found]
        if control.is_stuck:
            room = places.moves.centred(340 * sizes.unit, sizes.row * 1.4)
            return [Button("retry", room, _("Try again"), "main", "Enter"), *found]
        return [*self._asked_widgets(places), *self._speaker_widgets(places), *found]

    def _asked_widgets(self, places: PlainPlaces) -> list[Widget]:
        asked, sizes = self.floor.asked(), self.desk.sizes
        if asked is None or not asked.is_asked:
            return []
        if self.floor.is_covered:
            room = places.dock.centred(420 * sizes.unit, 110 * sizes.unit)
            label = _("I am {name}").format(name=self.control.names[asked.seat])
            return [Button("ready", room, label, key="Enter", seat=asked.seat)]
        grid = self._grid(asked)
        rows = self._seen_rows(asked, grid)
        gap = sizes.gap * 0.7
        room = self._buttons_room()
        first = rows.start * grid.columns
        spots = grid_places(room, grid, rows, gap)
        found: list[Widget] = [
            Button(f"move{number}", spot, words, value=Choose(move))
            for number, ((move, words), spot) in enumerate(zip(asked.moves[first:], spots, strict=False), start=first)
        ]
        example = asked.question.examples[0][0] if asked.question.examples else ""
        empty = _("Type a move, such as {example}").format(example=example) if example else _("Type a move")
        line = Field("line", places.line, self._typed, empty, LONGEST_LINE, sends="say")
        return [*found, line, Button("say", places.send, _("Say it"), "main", "Enter", enabled=bool(self._typed))]

    def _speaker_widgets(self, places: PlainPlaces) -> list[Widget]:
        """For who may speak out of turn, and for who has taken the floor or looks at something hidden."""
        floor, names, nowhere = self.floor, self.control.names, self._places().speakers
        found: list[Button] = []
        if floor.can_cover:
            found.append(Button("cover", nowhere, _("Cover"), "quiet"))
        if floor.speaks_up:
            found.append(Button("back", nowhere, _("Say nothing"), "quiet"))
        if self.control.has_rig and self.control.session.is_push_due:
            found.append(Button("pushhand", nowhere, _("Pushed by hand")))
        tip = _("Speak out of turn")
        for seat in () if floor.can_cover else floor.speakers:
            words = _("{name} speaks").format(name=names[seat])
            found.append(Button(f"speak{seat}", nowhere, words, seat=seat, tip=tip, value=Speak(seat)))
        rooms = places.speakers.columns(max(2, len(found)), self.desk.sizes.gap * 0.7)
        return [replace(button, rect=room) for button, room in zip(found, rooms[-len(found) :], strict=False)]

    # What people do

    def acted(self, action: Action) -> None:
        """A button was pressed, or something was typed."""
        name = action.name
        asked = self.floor.asked()
        match action.value:
            case Choose(move):
                if asked is not None:
                    self._play(asked, move)
            case Speak(seat):
                self.floor.speak(seat)
            case str(text) if name == "line":
                self._typed, self._refusal = text, ""
            case _:
                self._simple[name]()
        self._see()

    @property
    def _simple(self) -> dict[str, Callable[[], object]]:
        """What buttons do that are always the same."""
        return {
            "say": self._answer,
            "ready": self.floor.uncover,
            "cover": self.floor.cover,
            "back": self.floor.hand_back,
            "undo": self.control.undo,
            "rules": lambda: self.desk.over(Rules(self.desk)),
            "menu": self._menu,
            "retry": self.control.retry,
            "pushhand": self.control.push_by_hand,
            "stoprig": self.control.stop_rig,
        }

    def _answer(self) -> None:
        """Does what was typed, or says why not."""
        asked, text = self.floor.asked(), self._typed.strip()
        if asked is None or not text:
            return
        view = self.control.session.view(asked.seat)
        command = None if self._text.fits(text, view) else meaning_of(text.split()[0], COMMANDS)
        if command is not None:
            self._typed = ""
            self.acted(Action({"help": "rules", "quit": "menu"}.get(command, command)))
            return
        try:
            move = self._text.parse(text, view, self.control.names)
        except ToppleError as error:
            self._refuse(error)
            return
        self._play(asked, move)

    def _play(self, asked: Asked, move: Any) -> None:
        """The move of who is asked; why it is none is for that person alone."""
        if self.control.act(asked.seat, move, self._refuse):
            self._trouble_left = 0.0

    def _refuse(self, error: ToppleError) -> None:
        self._refusal = say(error)

    def _menu(self) -> None:
        self.floor.cover()
        self.desk.over(Menu(self.desk, self._around.leave))

    def menu(self) -> Screen:
        """With the way out; nothing hidden stays under it."""
        self.floor.cover()
        return Menu(self.desk, self._around.leave)

    def key(self, key: str) -> bool:
        """Enter says what is to be said, page keys scroll, Escape leads to the menu."""
        if must_stop(self.control.real) and key in STOP_KEYS:
            self.control.stop_rig()
        elif key in ("enter", "space"):
            names = {widget.name for widget in self.widgets() if widget.enabled}
            chosen = next((name for name in ("retry", "ready", "say") if name in names), None)
            if chosen is None:
                return False
            self.acted(Action(chosen))
        elif key == "escape":
            self._menu()
        elif key in ("z", "ctrl+z", "backspace"):
            self.acted(Action("undo"))
        else:
            return self._scrolled(key)
        return True

    def _scrolled(self, key: str) -> bool:
        asked = self.floor.asked()
        if asked is not None and not self.floor.is_covered:
            grid = self._grid(asked)
            seen = self._seen_rows(asked, grid)
            if len(seen) < grid.rows:
                return self._moves.key(key, len(seen))
        return self._history.key(key, 5)

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Scrolls what is under the mouse."""
        places = self._places()
        for room, scroll in (
            (places.history, self._history),
            (places.private, self._private),
            (places.moves, self._moves),
        ):
            if room.holds(x, y):
                scroll.wheel(notches)

    def closed(self) -> None:
        """The match is kept in its file."""
        self._around.closed()

    # Inside

    def _places(self) -> PlainPlaces:
        return plain_places(self.desk.width, self.desk.height, self.desk.sizes, len(self.control.names))

    def _buttons_room(self) -> Rect:
        return self._places().moves.cut_right(self.desk.sizes.gap * 1.6)[1]

    def _grid(self, asked: Asked) -> Grid:
        sizes, painter = self.desk.sizes, self.desk.painter
        widths = [painter.measured(words, sizes.body)[0] for _move, words in asked.moves]
        return grid_of(self._buttons_room(), sizes, widths)

    def _seen_rows(self, asked: Asked, grid: Grid) -> range:
        return self._moves.shown([grid.height] * grid.rows, self._places().moves.height, self.desk.sizes.gap * 0.7)


def controls() -> list[str]:
    """What mouse and keys do here, a paragraph each."""
    return [
        _(
            "A move is made by its button, or typed and sent with Enter. Ctrl+Z takes a move back, Page Up and Page "
            "Down scroll, Esc opens the menu."
        ),
        _(
            "What only one of several people here may see stays covered until that person says that nobody else is "
            "looking."
        ),
    ]


PLAIN = MatchWindow(MatchControl, PlainMatch, controls=controls)
