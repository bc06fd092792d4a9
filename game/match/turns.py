"""Who is asked next in a match of people and bots, and what people may take back: the same in every way to play."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from game.core import TABLE, AnyGame, RuleError, Seat, seats_in_turn
from game.match.history import AppliedMove, Setup, new_seed
from game.match.ports import Settle, TableSight
from game.match.session import Session
from game.match.steps import Sight, check_nothing_learnt

IsSecret = Callable[[Mapping[str, Any], Seat], bool]
"""Whether what that seat is asked, as it sees that view, is for nobody else's eyes."""


class Awaiting(enum.Enum):
    """What the match waits for."""

    PERSON = "person"  # a person's choice
    BOT = "bot"  # a bot's choice
    FORCED = "forced"  # a secret move of a person who has no choice: made without a question
    JUDGE = "judge"  # what the judge finds
    WITNESS = "witness"  # a person says what fell


@dataclass(frozen=True, slots=True)
class Ask:
    """Who is asked now, and for what."""

    what: Awaiting
    seat: Seat  # of the person who speaks for the table where a witness is asked; TABLE where the judge is


class BotSeats(Protocol):
    """The seats of a match at which bots sit."""

    def __contains__(self, seat: Seat) -> bool:
        """Whether a bot sits there."""

    def has_declined(self, seat: Seat, number: int) -> bool:
        """Whether that bot, which need not move, did not want to after so many moves."""


def _never(_view: Mapping[str, Any], _seat: Seat) -> bool:
    return False


def next_ask(session: Session, bots: BotSeats, is_secret: IsSecret = _never, *, has_rig: bool = False) -> Ask:
    """Who is asked now; the match must not be over. Where several must act: clockwise from whose turn it is.

    Bots that may speak, and have not declined to, come before those who must; people who may speak do so by
    themselves. A rig pushes when a person says that it may, for bots too.
    """
    game, state = session.game, session.state
    must = game.must_act(state)
    for seat in seats_in_turn(game, state, session.to_act - must):
        is_open = seat in bots and not bots.has_declined(seat, len(session.history.moves))
        if is_open and game.moves(state, seat):
            return Ask(Awaiting.BOT, seat)
    seat = seats_in_turn(game, state, must)[0]
    if has_rig and session.is_push_due:
        return Ask(Awaiting.PERSON, witness(session, bots))
    if seat == TABLE:
        return Ask(Awaiting.WITNESS, witness(session, bots)) if session.asks_people else Ask(Awaiting.JUDGE, TABLE)
    if seat in bots:
        return Ask(Awaiting.BOT, seat)
    is_forced = is_secret(session.view(seat), seat) and has_one_move(game, state, seat)
    return Ask(Awaiting.FORCED if is_forced else Awaiting.PERSON, seat)


def has_one_move(game: AnyGame, state: Any, seat: Seat) -> bool:
    """Whether that seat must move and there is only one move for it."""
    return seat in game.must_act(state) and game.lists_all(state, seat) and len(game.moves(state, seat)) == 1


def forced_move(session: Session, seat: Seat) -> Any:
    """The one move that this seat has."""
    return session.game.moves(session.state, seat)[0]


def people_of(setup: Setup, bots: BotSeats) -> tuple[Seat, ...]:
    """The seats of people."""
    return tuple(seat for seat in range(len(setup.names)) if seat not in bots)


def witness(session: Session, bots: BotSeats) -> Seat:
    """Who says what fell: who has pushed, or the first person; where only bots play, whoever watches seat 0."""
    people = people_of(session.setup, bots)
    turn = session.game.turn(session.state)
    return turn if turn in people else (*people, 0)[0]


def undo_last(session: Session, bots: BotSeats, is_secret: IsSecret) -> None:
    """Takes back the last choice of a person, and what followed without one; RuleError when it is too late."""
    made = session.history.moves
    own = next((each for each in reversed(made) if _is_choice(session, bots, is_secret, each)), None)
    if own is None:
        raise RuleError("Nobody has a move to take back.")
    check_nothing_learnt(session.history, own.number)
    for each in reversed(session.history.moves_from(own.number)):
        session.undo(each.seat)


def _is_choice(session: Session, bots: BotSeats, is_secret: IsSecret, made: AppliedMove) -> bool:
    """Whether a person could have moved otherwise."""
    if made.by == TABLE or made.by in bots:
        return False
    game, seat = session.game, made.seat
    if seat == TABLE:
        return True
    return not (is_secret(game.view(made.before, seat), seat) and has_one_move(game, made.before, seat))


def rematch(setup: Setup) -> Setup:
    """Another match of the same players; its seed says nothing of the one before, which is published."""
    return replace(setup, seed=new_seed(), version=None)


def tell_sight(session: Session, sight: TableSight) -> None:
    """Tells the session what a camera makes of the table, so that it is in the log; OutputError when it cannot be."""
    is_still = sight.settle is Settle.STILL
    seen = Sight.MOVING if not is_still else Sight.DIFFERS if sight.differences else Sight.AGREES
    session.look(seen, sight.differences if is_still else ())
