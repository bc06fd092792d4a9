"""Who is asked next in a match of people and bots, and what people may take back: the same in every way to play."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from game.bots.seats import Bots, acting_seat
from game.core import TABLE, RuleError, Seat
from game.match.history import AppliedMove, Setup, new_seed
from game.match.ports import Settle, TableSight
from game.match.session import Session
from game.match.steps import Sight

IsSecret = Callable[[Mapping[str, Any]], bool]
"""Whether what is asked for in that view is for nobody else's eyes."""


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


def next_ask(session: Session, bots: Bots, is_secret: IsSecret, *, has_rig: bool = False) -> Ask:
    """Who is asked now; the match must not be over. Where several may act: clockwise from whose turn it is.

    A rig pushes when a person says that it may, for bots too.
    """
    seat = acting_seat(session)
    if has_rig and session.is_push_due:
        return Ask(Awaiting.PERSON, witness(session, bots))
    if seat == TABLE:
        return Ask(Awaiting.WITNESS, witness(session, bots)) if session.asks_people else Ask(Awaiting.JUDGE, TABLE)
    if seat in bots:
        return Ask(Awaiting.BOT, seat)
    is_forced = is_secret(session.view(seat)) and len(session.game.moves(session.state, seat)) == 1
    return Ask(Awaiting.FORCED if is_forced else Awaiting.PERSON, seat)


def forced_move(session: Session, seat: Seat) -> Any:
    """The one move that this seat has."""
    return session.game.moves(session.state, seat)[0]


def people_of(setup: Setup, bots: Bots) -> tuple[Seat, ...]:
    """The seats of people."""
    return tuple(seat for seat in range(len(setup.names)) if seat not in bots)


def witness(session: Session, bots: Bots) -> Seat:
    """Who says what fell: who has pushed, or the first person; where only bots play, whoever watches seat 0."""
    people = people_of(session.setup, bots)
    active = session.view(None).get("active")
    return active if isinstance(active, int) and active in people else (*people, 0)[0]


def undo_last(session: Session, bots: Bots, is_secret: IsSecret) -> None:
    """Takes back the last choice of a person, and what followed without one; RuleError when it is too late."""
    made = session.history.made
    own = next((each for each in reversed(made) if _is_choice(session, bots, is_secret, each)), None)
    if own is None:
        raise RuleError("Nobody has a move to take back.")
    later = [each for each in made if each.number > own.number]
    seen = session.setup.hints and any(
        entry.kind == "forecast" and entry.number > own.number for entry in session.entries
    )
    if any(each.reveals or each.seat == TABLE for each in (own, *later)) or seen:
        raise RuleError("The move cannot be taken back: somebody has learnt from it.")
    for each in (*reversed(later), own):
        session.undo(each.seat)


def _is_choice(session: Session, bots: Bots, is_secret: IsSecret, made: AppliedMove) -> bool:
    """Whether a person could have moved otherwise."""
    if made.by == TABLE or made.by in bots:
        return False
    game = session.game
    return not (is_secret(game.view(made.before, made.seat)) and len(game.moves(made.before, made.seat)) == 1)


def rematch(setup: Setup) -> Setup:
    """Another match of the same players; its seed says nothing of the one before, which is published."""
    return replace(setup, seed=new_seed(), version=None)


def tell_sight(session: Session, sight: TableSight) -> None:
    """Tells the session what a camera makes of the table, so that it is in the log; OutputError when it cannot be."""
    is_still = sight.settle is Settle.STILL
    seen = Sight.MOVING if not is_still else Sight.DIFFERS if sight.differences else Sight.AGREES
    session.look(seen, sight.differences if is_still else ())
