"""A small game that is not shipped: it shows that a game which brings rules and words alone can be played.

It has what the real ones have between them: hidden hands, a deck, secret choices made at once, moves out of turn,
teams, several winners or none, options that change the number of seats, and more moves than can be listed.
"""

from __future__ import annotations

from game.catalogue import GameKit
from tests.game.lanterns.rules import GAME

KIT = GameKit(rules=GAME)
