"""Who has the screen in a plain match, what is asked there, and whether anything hidden may be shown.

Where several people share the screen, what one of them alone may know is covered until that person says that nobody
else looks, and again as soon as anything has happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from game.core import TABLE, Seat
from game.match.turns import Ask, Awaiting
from game.text.game_text import GameText, Question, spelt_move
from game.text.private import PrivateLines
from game.ui.match_control import MatchControl
from game.words import language_in_use


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person who has the screen is asked. All but the seat is for that person alone while it is covered."""

    seat: Seat
    is_asked: bool  # False: the only person here, while others move
    question: Question
    private: tuple[str, ...]  # what nobody else may read
    moves: tuple[tuple[Any, str], ...]  # with their words
    lists_all: bool  # whether these are all its moves


class Floor:
    """See the module. Call `update` when the match may have gone on."""

    def __init__(self, control: MatchControl, text: GameText) -> None:
        self._control, self._text = control, text
        self._private = PrivateLines(control.session, text, control.people)
        self._is_shared = len(control.people) > 1
        self._speaker: Seat | None = None  # who speaks though nobody asks
        self._looks: Seat | None = None  # for whom the screen is uncovered
        self._ask: Ask | None = None
        self.is_resting = False  # nobody is asked yet, though somebody could be
        self._last = 0  # the number of the last move
        self.moment: object = None  # another one once the match has gone on
        self._key: object = None
        self._found: Asked | None = None

    @property
    def speaks_up(self) -> bool:
        """Whether somebody has taken the floor who was not asked: the match waits meanwhile."""
        return self._speaker is not None

    @property
    def speakers(self) -> tuple[Seat, ...]:
        """The people who are not asked and may speak, whatever they hold."""
        session = self._control.session
        free = session.to_act - session.game.must_act(session.state)
        return tuple(seat for seat in self._control.people if seat in free and seat != self._speaker)

    @property
    def has_free_bots(self) -> bool:
        """Whether a bot may speak that is not asked, whatever it holds."""
        session, bots = self._control.session, self._control.bots
        return any(seat in bots for seat in session.to_act - session.game.must_act(session.state))

    def update(self) -> None:
        """Covers the screen when the match has gone on."""
        session, people = self._control.session, self._control.people
        made = session.history.moves
        last = made[-1].number if made else 0
        if (len(made), last) != self.moment:
            self._speaker = None
            self.cover()
            self.moment, self._last = (len(made), last), last
            own = [] if self._is_shared else [each.number for each in made if each.seat in people]
            if own:  # who plays alone has read all that was there before the own last move
                self._private.read(people[0], own[-1] - 1)
        self._ask = None if self.is_resting or session.result is not None else self._control.ask()

    def speak(self, seat: Seat) -> None:
        """That person takes the floor, covered."""
        self.cover()
        self._speaker = seat

    def hand_back(self) -> None:
        """Who has taken the floor says nothing after all."""
        self.cover()
        self._speaker = None

    def uncover(self) -> None:
        """The person who is asked looks, the others do not."""
        asked = self.asked()
        self._looks = None if asked is None else asked.seat

    def cover(self) -> None:
        """Nothing hidden is to be seen; what was read is known."""
        if self._looks is not None:
            self._private.read(self._looks, self._last)
        self._looks, self._key = None, None

    @property
    def can_cover(self) -> bool:
        """Whether something hidden is shown that others must not see."""
        return self._is_shared and self._looks is not None

    @property
    def is_covered(self) -> bool:
        """Whether the person who is asked must say first that nobody else looks."""
        asked = self.asked()
        if asked is None or not self._is_shared or self._looks == asked.seat:
            return False
        return bool(asked.private) or asked.question.is_secret

    def asked(self) -> Asked | None:
        """What is asked of whom; None while nobody is, where nobody or more than one person is here."""
        key = language_in_use(), len(self._control.session.entries), self._ask, self._speaker, self._looks
        if key != self._key:
            self._found = self._now()
            self._key = key
        return self._found

    def _now(self) -> Asked | None:
        control = self._control
        session = control.session
        if session.result is not None:
            return None
        ask = self._ask
        seat = None if ask is None or ask.what not in (Awaiting.PERSON, Awaiting.WITNESS) else ask.seat
        seat = seat if self._speaker is None else self._speaker
        if seat is None and (self._is_shared or not control.people):
            return None
        is_asked, seat = seat is not None, control.people[0] if seat is None else seat
        view, names = session.view(seat), control.names
        is_witness = ask is not None and ask.what is Awaiting.WITNESS and self._speaker is None
        mover = TABLE if is_witness else seat
        moves = session.game.moves(session.state, mover) if is_asked else ()
        return Asked(
            seat,
            is_asked,
            self._text.question(view, seat, names) if is_asked else Question(""),
            tuple(self._private.of(seat, names)),
            tuple((move, spelt_move(session.game, self._text, move, view, names)) for move in moves),
            not is_asked or session.game.lists_all(session.state, mover),
        )
