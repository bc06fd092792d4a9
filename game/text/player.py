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
from game.match.turns import Awaiting, forced_move, next_ask, tell_sight, undo_last
from game.text.face import needed_face
from game.text.rig_push import RigPush
from game.text.story import Story, forecast_words
from game.text.terminal import Overtaken, Terminal
from game.text.vocabulary import GENERAL, meaning_of, spelt
from game.words import _, named, say
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
        self._face = needed_face(session.setup.game)
        self._story = Story(session.setup)
        self._publisher = Publisher(session.setup, None)
        self._fed = self._told = 0
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
            _("{title}. Write {help} for help.").format(title=self._face.title(), help=shown(spelt("help")))
        )
        self._terminal.say(self._face.standing(self._session.view(None), self._names))
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
        ask = next_ask(session, self._bots, self._face.is_secret, has_rig=self._rig is not None)
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
        words = self._face.words(view)
        if words == self._seen and not again:
            return
        self._seen = words
        if self._terminal.plain:
            self._terminal.say(words)
            return
        self._terminal.show(["", *self._face.picture(view, self._terminal.width, blocks=self._terminal.blocks), ""])

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
        before = len(session.history.made)
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
        return len(session.history.made) != before

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
        while not self._answered(seat):
            pass

    def _answered(self, seat: Seat) -> bool:
        view = self._session.view(seat)
        is_secret = self._face.is_secret(view)
        self._show_table()
        rig = self._rig if self._session.is_push_due else None
        question = (rig or self._face).question(view, seat, self._names[seat])
        try:
            text = self._terminal.ask(question, secret=is_secret, overtaken=self._see)
        except Overtaken:
            return True
        if not text.strip():
            self._help(short=True)
            return False
        words = GENERAL if rig is None else (*GENERAL, "hand")
        command = None if self._face.fits(text, view) else meaning_of(text.split()[0], words)
        try:
            if command is not None:
                return self._obey(command)
            self._move(seat, text)
        except OutputError:
            raise
        except ToppleError as error:
            if is_secret and command is None and isinstance(error, InputError):
                # What was typed in secret must not stand in a refusal.
                self._terminal.say(_("That is no vote."))
                self._help(short=True)
            else:
                self._terminal.say(say(error))
            return False
        return True

    def _move(self, seat: Seat, text: str) -> None:
        session = self._session
        move = self._face.read(text, session.state, self._names)
        tabletop = session.history.tabletop
        if self._rig is not None and tabletop is not None and tabletop.is_push(move):
            self._rig.push()
        elif tabletop is not None and tabletop.is_finding(move):
            scene = session.history.scene
            session.play(TABLE, move, by=seat)
            self._wait_for("" if scene is None else scene_key(scene), _("The forecast is being made …"))
        else:
            session.play(seat, move)

    def _obey(self, command: str) -> bool:
        """Does what was asked for; whether the question may have changed."""
        match command:
            case "help":
                self._help(short=False)
            case "rules":
                for paragraph in self._face.rules():
                    self._terminal.say(paragraph)
            case "hint":
                self._hint()
            case "save":
                self._terminal.say(
                    _("The match is kept in {file} after every move.").format(file=named(self._session.path))
                )
            case "look":
                self._terminal.say(self._face.standing(self._session.view(None), self._names))
                self._show_table(again=True)
            case "again":
                self._terminal.say(_("This match is not over yet; another one begins after its end."))
            case "undo":
                undo_last(self._session, self._bots, self._face.is_secret)
                return True
            case "hand" if self._rig is not None:
                self._rig.push_by_hand()
                return True
            case "quit":
                raise Leave
        return False

    def _help(self, *, short: bool) -> None:
        rows = self._face.examples(self._session.view(None))
        if self._rig is not None and self._session.is_push_due:
            rows = self._rig.examples()
        if not short:
            if self._session.history.tabletop is not None and self._session.setup.table != SIMULATED:
                clumsy = _("{name} has knocked the row over by accident").format(name=self._names[0])
                rows = [*rows, (f"{spelt('accident')} {self._names[0]}", clumsy)]
            rows = [*rows, *((spelt(command), words) for command, words in general_help().items())]
        for word, words in rows:
            self._terminal.explain(word, words)
        if not short:
            self._terminal.say(
                _(
                    "Left is the first end of the row, right the last. Lengths are millimetres, turns degrees: a turn "
                    "above 0 bends the end of the row away from you, below 0 towards you; the gap is the free air at "
                    "the nearest point, however a tile is turned. Words may be cut short."
                )
            )

    def _hint(self) -> None:
        session = self._session
        if not session.setup.hints:
            self._terminal.say(_("There are no hints in this match; begin one with --hints to have them."))
            return
        if session.history.scene is None:
            self._terminal.say(_("There is nothing to foretell yet: the row is one tile."))
            return
        with self._terminal.progress() as progress:
            while session.forecast() is None and session.busy:
                progress.show(_("The forecast is being made …"))
                session.wait(LOOK)
        forecast = session.forecast()
        if forecast is None:
            self._terminal.say(_("This row cannot be foretold."))
        else:
            self._terminal.say(_("Forecast: {forecast}").format(forecast=forecast_words(forecast)))


def general_help() -> dict[str, str]:
    """The commands of every question, and what they do."""
    return {
        "help": _("this help"),
        "rules": _("the rules in short"),
        "look": _("the row, the round and the chips again"),
        "hint": _("how likely the row is to fall, in a match with hints"),
        "undo": _("takes the last move back while nobody has learnt from it"),
        "save": _("where the match is kept"),
        "quit": _("leave; the match can be resumed"),
        "again": _("another match with the same players, after the end of this one"),
    }
