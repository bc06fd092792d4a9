"""A small game that is not shipped: it shows that a game which brings rules and words alone can be played.

It has what the real ones have between them: hidden hands, a deck, secret choices made at once, moves out of turn,
teams, several winners or none, options that change the number of seats, and more moves than can be listed.
"""

from __future__ import annotations

from game.catalogue import GameKit
from game.text.game_text import GameText
from tests.game.lanterns.rules import GAME


def _text() -> GameText:
    from tests.game.lanterns.text import TEXT

    return TEXT


KIT = GameKit(rules=GAME, text=_text)
