"""Evaluation Domino."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.catalogue import GameKit
from game.games.evaluation.rules import GAME

if TYPE_CHECKING:
    from game.bots.bot import Bot, BotSeat
    from game.film.look import GameFilm
    from game.match.tabletop import Tabletop
    from game.table.hands import TableHands
    from game.text.game_text import GameText
    from game.ui.match_window import MatchWindow


def _text() -> GameText:
    from game.games.evaluation.text.game_text import TEXT

    return TEXT


def _bot(place: BotSeat) -> Bot:
    from game.games.evaluation.bot.player import make_bot

    return make_bot(place)


def _tabletop() -> Tabletop:
    from game.games.evaluation.tabletop import TABLETOP

    return TABLETOP


def _hands() -> TableHands:
    from game.games.evaluation.hands import HANDS

    return HANDS


def _film() -> GameFilm:
    from game.games.evaluation.film import FILM

    return FILM


def _window() -> MatchWindow[Any]:
    from game.games.evaluation.window.match import WINDOW

    return WINDOW


KIT = GameKit(
    rules=GAME,
    text=_text,
    make_bot=_bot,
    tabletop=_tabletop,
    hands=_hands,
    film=_film,
    window=_window,
)
