"""A small game with standing tiles that is not shipped: it shows what such a game must bring to be played at a real
table, before a camera and with a rig.
"""

from __future__ import annotations

from game.catalogue import GameKit
from tests.game.fence.rules import GAME
from tests.game.fence.table import HANDS, TABLETOP

KIT = GameKit(rules=GAME, tabletop=lambda: TABLETOP, hands=lambda: HANDS)
