"""Which games there are, and what each of them brings: the one place that names them.

A game is a package. It exports KIT, and is imported when it is first asked for; so is each part of its kit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from game.core import AnyGame, UnknownGame
from physics.fields import shown

if TYPE_CHECKING:
    from game.bots.bot import Bot, BotSeat
    from game.film.look import GameFilm
    from game.match.tabletop import Tabletop
    from game.table.hands import TableHands
    from game.text.game_text import GameText
    from game.ui.match_window import MatchWindow

GAMES: Mapping[str, str] = MappingProxyType({"evaluation": "game.games.evaluation"})
"""The package of every game by the game's name."""


@dataclass(frozen=True, slots=True)
class GameKit:
    """Everything that one game brings; what it leaves out, the program does for it in a general way."""

    rules: AnyGame
    text: Callable[[], GameText] | None = None  # how it is told and played in words; None: by its rules' sentences
    make_bot: Callable[[BotSeat], Bot] | None = None  # None: bots move by chance
    tabletop: Callable[[], Tabletop] | None = None  # only games whose tiles stand and fall
    hands: Callable[[], TableHands] | None = None  # how a camera follows such a game; None: none can
    film: Callable[[], GameFilm] | None = None  # how a moment of a replay looks; None: in words
    window: Callable[[], MatchWindow[Any]] | None = None  # None: the plain one, in words


def kit_of(name: str) -> GameKit:
    """What the game of that name brings; UnknownGame when there is no such game."""
    package = GAMES.get(name.strip().lower())
    if package is None:
        raise UnknownGame("There is no game {game}; there is {games}.", game=shown(name), games=", ".join(GAMES))
    kit: GameKit = import_module(package).KIT
    return kit


def game_named(name: str) -> AnyGame:
    """The rules of the game of that name; UnknownGame when there is no such game."""
    return kit_of(name).rules
