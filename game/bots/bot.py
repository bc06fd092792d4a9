"""Players that are programs. A bot knows what its seat may know, and counts runs, never seconds.

A bot's choice depends on the match's seed, its seat, the number of the move and what it sees, and on nothing else:
the same seed plays the same match, whatever the machine and however many cores do the runs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

from game.core import AnyGame, RuleError, Seat
from physics.errors import InputError
from physics.fields import shown

PREFIX = "bot:"

ProgressCallback = Callable[[float], None]
"""Is told the share of the runs that are done, 0 to 1, while a bot thinks; it may raise to end that."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How good a bot is: how well it measures, how much it tries out, and whether it thinks of the others."""

    gap_error: float  # relative, standard deviation of a gap as the bot sees it
    yaw_error: float  # rad, standard deviation of how a tile is turned, as the bot sees it
    runs: int  # simulations of a row about which the cheap model is in doubt
    candidates: int  # placements of its own that it thinks of, beside those it is offered
    offers: int  # of the offered ones, how many it considers
    checked: int  # placements that it simulates, at most, before it chooses
    foresight: bool  # asks how a row looks to the others, and what the next player can do with it


SKILLS: Mapping[str, Skill] = MappingProxyType(
    {
        "weak": Skill(0.22, math.radians(5), runs=1, candidates=4, offers=8, checked=1, foresight=False),
        "normal": Skill(0.11, math.radians(2.5), runs=2, candidates=12, offers=16, checked=3, foresight=False),
        "strong": Skill(0.04, math.radians(1), runs=3, candidates=24, offers=24, checked=4, foresight=True),
    }
)
"""The three strengths by name."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a bot is given when it is to move: nothing that its seat may not know."""

    view: Mapping[str, object]  # of the game, for this seat
    seat: Seat
    moves: Sequence[Any]  # to choose from
    number: int  # moves of the match so far
    allowed: Callable[[Any], bool]  # whether the rules would take another move than those


class Bot(Protocol):
    """A player that is a program."""

    @property
    def runs(self) -> int:
        """How many full simulations it has made so far."""

    def choose(self, turn: Turn, thinking: ProgressCallback | None = None) -> Any:
        """A move that the rules allow."""


def turn_of(game: AnyGame, state: Any, seat: Seat, number: int) -> Turn:
    """The turn of that seat, which must be one of those to act."""

    def allowed(move: Any) -> bool:
        try:
            game.check(state, seat, move)
        except RuleError:
            return False
        return True

    return Turn(game.view(state, seat), seat, game.moves(state, seat), number, allowed)


class RandomBot:
    """Chooses by chance: a player for games without a bot of their own."""

    runs = 0

    def __init__(self, seed: int, seat: Seat) -> None:
        self._seed, self._seat = seed, seat

    def choose(self, turn: Turn, thinking: ProgressCallback | None = None) -> Any:
        """One of the moves, each as likely."""
        return own_chance(self._seed, self._seat, turn.number).choice(turn.moves)


def own_chance(seed: int, seat: Seat, *key: object) -> random.Random:
    """The bot's own numbers for that key; no other bot and no game draws the same."""
    return random.Random(":".join(map(str, (seed, "bot", seat, *key))))


BOTS: Mapping[str, str] = MappingProxyType({"evaluation": "game.games.evaluation.bot.player"})
"""The module of every game's bot by the game's name; `make_bot` in it makes one. Other games are played by chance."""


def strength_of(player: str) -> str | None:
    """The strength in `bot:weak`, `bot:normal` or `bot:strong`; None for a person's name; InputError for others."""
    text = player.strip().lower()
    if not text.startswith(PREFIX):
        return None
    strength = text.removeprefix(PREFIX).strip()
    if strength not in SKILLS:
        raise InputError(
            "There is no bot {bot}; there is {bots}.",
            bot=shown(player),
            bots=", ".join(PREFIX + name for name in SKILLS),
        )
    return strength


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
    skill = SKILLS[strength_of(PREFIX + strength) or strength]
    module = BOTS.get(game_name)
    if module is None:
        return RandomBot(seed, seat)
    made: Bot = import_module(module).make_bot(skill, seed, seat, engine_name=engine_name, executor=executor)
    return made
