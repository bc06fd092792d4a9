"""A match played in a terminal: people are asked in turn, bots move by themselves, and all that happens is told."""

from __future__ import annotations

from typing import Protocol

from game.bots.seats import Bots
from game.core import TABLE, Seat
from game.match.history import SIMULATED
from game.match.ports import RigWatch, TableSight
from game.match.publish import Publisher
from game.match.session import Session
from game.match.tabletop import scene_key
from game.match.turns import Awaiting, forced_move, next_ask, people_of, tell_sight, undo_last
from game.text.curtain import Curtain
from game.text.game_text import Question, needed_text, secrecy
from game.text.rig_push import RigPush
from game.text.story import Story, forecast_words
from game.text.terminal import Overtaken, Terminal
from game.text.vocabulary import GENERAL, meaning_of, spelt
from game.words import _, named, plain, say
from game.workers.progress import bar
from physics.errors import InputError, OutputError, ToppleError
from physics.fields import shown

LOOK = 0.2  # s between two looks at what is under way


class Leave(Exception):
    """Somebody wants to leave; the match waits in its file."""


class Hands(Protocol):
    """A camera over a real table."""

    def act(self, session: Session) -> object:
        """Tells the match what the hands did since; never waits. RuleError, once, for what the rules refuse."""

    def snapshot(self) -> TableSight:
        """What it sees now; never waits."""


class TextMatch:
    """One match in one terminal; InputError when people cannot play its game there."""

    def __init__(
        self,
        session: Session,
        terminal: Terminal,
        bots: Bots,
        hands: Hands | None = None,
        *,
        rig: RigWatch | None = None,
    ) -> None:
        """`hands`: a camera that sees what is done at a real table; `rig`: what pushes there."""
        self._rig = None if rig is None else RigPush(session, terminal, rig, self._look_on)
        self._session, self._terminal, self._bots, self._hands = session, terminal, bots, hands
        self._text = needed_text(session.setup.game)
        self._story = Story(session.setup)
        self._publisher = Publisher(session.setup, None, is_sent=False)
        self._fed = self._told = 0
        self._people = people_of(session.setup, bots)
        self._curtain = Curtain(session, terminal, self._text, self._story.names, self._people)
        self._is_secret = secrecy(self._text, self._story.names)
        self._seen = ""  # the table as it was last shown
        self._trouble = ""  # of a camera, that was told last
        list(self._news())  # of a resumed match: known already

    @property
    def _names(self) -> tuple[str, ...]:
        return self._story.names

    def play(self) -> None:
        """Plays to the end.

        Leave or EOFError when people go before that, OutputError when the log cannot be written.
        """
        self._terminal.say(
            _("{title}. Write {help} for help.").format(title=self._text.title(), help=shown(spelt("help")))
        )
        self._terminal.say(self._text.standing(self._session.view(None), self._names))
        while self._session.result is None:
            self._step()
            self._tell()

    def _step(self) -> None:
        session = self._session
        if session.to_act != {TABLE}:
            session.poll()
        if self._rig is not None:
            self._rig.look()
            self._tell()
        ask = next_ask(session, self._bots, self._is_secret, has_rig=self._rig is not None)
        match ask.what:
            case Awaiting.JUDGE:
                self._watch()
            case Awaiting.BOT:
                self._let_move(ask.seat)
            case Awaiting.FORCED:
                session.play(ask.seat, forced_move(session, ask.seat))  # no choice, no question
            case Awaiting.PERSON | Awaiting.WITNESS:
                self._ask(ask.seat)

    # What is told

    def _tell(self) -> None:
        """Says what has happened since."""
        for text in self._news():
            self._terminal.say(text)

    def _news(self) -> list[str]:
        for entry in self._session.entries[self._fed :]:
            self._publisher.feed(entry)
            self._fed += 1
        fresh = self._publisher.events[self._told :]
        self._told = len(self._publisher.events)
        return [text for _t, text in self._story.tell(fresh)]

    def _show_table(self, *, again: bool = False) -> None:
        """The table, unless nothing has changed on it."""
        view = self._session.view(None)
        words = self._text.public_words(view)
        if words == self._seen and not again:
            return
        self._seen = words
        if self._terminal.plain:
            self._terminal.say(words)
            return
        self._terminal.show(["", *self._text.public(view, self._terminal.width, blocks=self._terminal.blocks), ""])

    # Bots and the table

    def _let_move(self, seat: Seat) -> None:
        name = self._names[seat]
        with self._terminal.progress() as progress:

            def thinking(share: float) -> None:
                words = _("{name} is thinking").format(name=name)
                progress.show(words if self._terminal.plain else f"{words} {bar(share)}")

            thinking(0.0)
            move = self._bots.choose(self._session, seat, thinking)
        if move is not None:
            self._session.play(seat, move)

    def _watch(self) -> None:
        """Waits for the judge, and for the forecast that is revealed with the fall."""
        scene = self._session.history.scene
        try:
            self._wait_for("" if scene is None else scene_key(scene), _("The row falls …"))
        except OutputError:
            raise
        except ToppleError as error:
            self._terminal.say(say(error))  # from now on people are asked

    def _wait_for(self, scene: str, words: str) -> None:
        """Until the fall and the forecast of that row are known, or nothing is under way."""
        with self._terminal.progress() as progress:
            while self._session.busy and not self._is_known(scene):
                progress.show(words)
                self._session.wait(LOOK)
                if self._hands is not None:
                    self._hands.act(self._session)

    def _is_known(self, scene: str) -> bool:
        """Whether that row's fall and forecast are in the log."""
        kinds = {entry.kind for entry in self._session.entries if entry.data.get("scene") == scene}
        return {"outcome", "forecast"} <= kinds

    def _see(self) -> bool:
        """Takes in what a camera sees and what was found since; whether the match has gone on."""
        session = self._session
        before = len(session.history.moves)
        if self._hands is not None:
            try:
                self._hands.act(session)
                sight = self._hands.snapshot()
                tell_sight(session, sight)
                if sight.trouble not in ("", self._trouble):
                    self._terminal.say(sight.trouble)
                self._trouble = sight.trouble
                session.poll()
                if self._rig is not None:
                    self._rig.look()
            except OutputError:
                raise
            except ToppleError as error:
                self._terminal.say(say(error))
            if self._news_waits():
                return True
        return len(session.history.moves) != before

    def _look_on(self) -> None:
        """While the rig is at work the camera looks on as well: a row that differs is not pushed."""
        self._see()
        self._tell()

    def _news_waits(self) -> bool:
        """Whether table and game have come to disagree, or to agree."""
        return any(
            entry.kind == "sight" and entry.data["sight"] == "differs" for entry in self._session.entries[self._fed :]
        )

    # People

    def _ask(self, seat: Seat) -> None:
        """Asks until that seat has moved, or somebody has taken a move back."""
        self._show_table()
        self._curtain.open(seat)
        try:
            while not self._answered(seat):
                pass
        finally:
            self._curtain.close()

    def _question(self, seat: Seat) -> Question:
        if self._rig is not None and self._session.is_push_due:
            return self._rig.question(self._names[seat])
        return self._text.question(self._session.view(seat), seat, self._names)

    def _answered(self, seat: Seat) -> bool:
        view, question = self._session.view(seat), self._question(seat)
        self._show_table()
        try:
            text = self._terminal.ask(question.text, secret=question.is_secret, overtaken=self._see)
        except Overtaken:
            return True
        if not text.strip():
            self._help(seat, short=True)
            return False
        has_rig = self._rig is not None and self._session.is_push_due
        words = (*GENERAL, "hand") if has_rig else GENERAL
        command = None if self._text.fits(text, view) else meaning_of(text.split()[0], words)
        try:
            if command is not None:
                return self._obey(command, seat)
            self._move(*self._spoken(seat, text))
        except OutputError:
            raise
        except ToppleError as error:
            if question.is_secret and command is None and isinstance(error, InputError):
                # What was typed in secret must not stand in a refusal.
                self._terminal.say(_("That is not an answer to this question."))
                self._help(seat, short=True)
            else:
                self._terminal.say(say(error))
            return False
        return True

    def _spoken(self, seat: Seat, text: str) -> tuple[Seat, str]:
        """Whose move it is, and the move: `Ben: echo` is said by somebody who was not asked."""
        name, colon, rest = text.partition(":")
        if not colon or len(self._people) < 2:
            return seat, text
        speaker = next((other for other in self._people if plain(self._names[other]) == plain(name.strip())), None)
        return (seat, text) if speaker is None else (speaker, rest)

    def _move(self, seat: Seat, text: str) -> None:
        session = self._session
        move = self._text.parse(text, session.view(seat), self._names)
        tabletop = session.history.tabletop
        if self._rig is not None and tabletop is not None and tabletop.is_push(move):
            self._rig.push()
        elif tabletop is not None and tabletop.is_finding(move):
            scene = session.history.scene
            session.play(TABLE, move, by=seat)
            self._wait_for("" if scene is None else scene_key(scene), _("The forecast is being made …"))
        else:
            session.play(seat, move)

    def _obey(self, command: str, seat: Seat) -> bool:
        """Does what was asked for; whether the question may have changed."""
        match command:
            case "help":
                self._help(seat, short=False)
            case "rules":
                for paragraph in self._text.rules():
                    self._terminal.say(paragraph)
            case "hint":
                self._hint()
            case "save":
                self._terminal.say(
                    _("The match is kept in {file} after every move.").format(file=named(self._session.path))
                )
            case "look":
                self._terminal.say(self._text.standing(self._session.view(None), self._names))
                self._show_table(again=True)
                self._curtain.show_again(seat)
            case "again":
                self._terminal.say(_("This match is not over yet; another one begins after its end."))
            case "undo":
                undo_last(self._session, self._bots, self._is_secret)
                return True
            case "hand" if self._rig is not None:
                self._rig.push_by_hand()
                return True
            case "quit":
                raise Leave
        return False

    def _help(self, seat: Seat, *, short: bool) -> None:
        question = self._question(seat)
        rows = [*question.examples, *self._out_of_turn(seat)]
        has_tiles = self._session.history.tabletop is not None
        if not short:
            if has_tiles and self._session.setup.table != SIMULATED:
                clumsy = _("{name} has knocked the row over by accident").format(name=self._names[0])
                rows = [*rows, (f"{spelt('accident')} {self._names[0]}", clumsy)]
            commands = general_help(has_tiles=has_tiles)
            rows = [*rows, *((spelt(command), words) for command, words in commands.items())]
        for word, words in rows:
            self._terminal.explain(word, words)
        if not short and question.notes:
            self._terminal.say(question.notes)

    def _out_of_turn(self, asked: Seat) -> list[tuple[str, str]]:
        """What others may say who are not asked: all that such a seat might say, whatever it holds."""
        session, rows = self._session, []
        for seat in sorted(session.to_act - session.game.must_act(session.state)):
            if seat in self._people and seat != asked:
                question = self._text.question(session.view(None), seat, self._names)
                rows += [(f"{self._names[seat]}: {word}", words) for word, words in question.examples]
        return rows

    def _hint(self) -> None:
        session = self._session
        if not session.setup.hints:
            self._terminal.say(_("There are no hints in this match; begin one with --hints to have them."))
            return
        if session.history.scene is None:
            self._terminal.say(_("There is no forecast yet: the row is one tile."))
            return
        with self._terminal.progress() as progress:
            while session.forecast() is None and session.busy:
                progress.show(_("The forecast is being made …"))
                session.wait(LOOK)
        forecast = session.forecast()
        if forecast is None:
            self._terminal.say(_("There is no forecast for this row."))
        else:
            self._terminal.say(_("Forecast: {forecast}").format(forecast=forecast_words(forecast)))


def general_help(*, has_tiles: bool = True) -> dict[str, str]:
    """The commands of every question, and what they do; hints only where tiles stand and fall."""
    hint = {"hint": _("how likely the row is to fall, in a match with hints")} if has_tiles else {}
    return {
        "help": _("this help"),
        "rules": _("the rules in short"),
        "look": _("the table and the score again"),
        **hint,
        "undo": _("takes the last move back while nobody has learnt from it"),
        "save": _("where the match is kept"),
        "quit": _("leave; the match can be resumed"),
        "again": _("another match with the same players, after the end of this one"),
    }
