"""Players that are programs. A bot knows what its seat may know, and counts runs, never seconds.

A bot's choice depends on the match's seed, its seat, the number of the move and what it sees, and on nothing else:
the same seed plays the same match, whatever the machine and however many cores do the runs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Protocol

from game.catalogue import kit_of
from game.core import AnyGame, RuleError, Seat
from game.match.players import PREFIX, strength_of

TALKATIVE = 0.25  # how often a bot that plays by chance moves where it need not

ProgressCallback = Callable[[float], None]
"""Is told the share of the runs that are done, 0 to 1, while a bot thinks; it may raise to end that."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a bot is given when it is to move: nothing that its seat may not know."""

    view: Mapping[str, object]  # of the game, for this seat
    seat: Seat
    moves: Sequence[Any]  # to choose from
    number: int  # moves of the match so far
    allowed: Callable[[Any], bool]  # whether the rules would take another move than those
    must: bool = True  # False: it may speak now, or let it be
    lists_all: bool = True  # whether `moves` are all there are
    sample: Callable[[random.Random], Any] | None = None  # draws one of all moves, listed or not
    imagine: Callable[[random.Random], Any] | None = None  # draws a state that looks the same to this seat


@dataclass(frozen=True, slots=True)
class BotSeat:
    """The seat that a bot is made for."""

    strength: str  # one of STRENGTHS
    seed: int  # of the match
    seat: Seat
    engine_name: str | None = None  # of its runs; None: the preferred one of this machine
    executor: Executor | None = None  # spreads its runs; None: they are made here


class Bot(Protocol):
    """A player that is a program."""

    @property
    def runs(self) -> int:
        """How many full simulations it has made so far."""

    def choose(self, turn: Turn, thinking: ProgressCallback | None = None) -> Any:
        """A move that the rules allow; None where it need not move and does not want to."""


def turn_of(game: AnyGame, state: Any, seat: Seat, number: int) -> Turn:
    """The turn of that seat, which must be one of those to act."""

    def allowed(move: Any) -> bool:
        try:
            game.check(state, seat, move)
        except RuleError:
            return False
        return True

    return Turn(
        game.view(state, seat),
        seat,
        game.moves(state, seat),
        number,
        allowed,
        must=seat in game.must_act(state),
        lists_all=game.lists_all(state, seat),
        sample=lambda generator: game.sample(state, seat, generator),
        imagine=lambda generator: game.alternatives(state, seat, generator),
    )


class RandomBot:
    """Chooses by chance: a player for games without a bot of their own."""

    runs = 0

    def __init__(self, place: BotSeat) -> None:
        self._seed, self._seat = place.seed, place.seat

    def choose(self, turn: Turn, thinking: ProgressCallback | None = None) -> Any:
        """One of the moves, each as likely; now and then one where it need not move."""
        generator = own_chance(self._seed, self._seat, turn.number)
        if not turn.must and generator.random() >= TALKATIVE:
            return None
        return generator.choice(turn.moves) if turn.lists_all or turn.sample is None else turn.sample(generator)


def own_chance(seed: int, seat: Seat, *key: object) -> random.Random:
    """The bot's own numbers for that key; no other bot and no game draws the same."""
    return random.Random(":".join(map(str, (seed, "bot", seat, *key))))


def make_bot(
    game_name: str,
    strength: str,
    seed: int,
    seat: Seat,
    *,
    engine_name: str | None = None,
    executor: Executor | None = None,
) -> Bot:
    """A bot of that strength for one seat of one match; its runs are made here, or spread over the executor.

    Without a name the preferred engine of this machine makes the runs. InputError when there is no such strength.
    """
    place = BotSeat(strength_of(PREFIX + strength) or strength, seed, seat, engine_name, executor)
    make = kit_of(game_name).make_bot
    return RandomBot(place) if make is None else make(place)
