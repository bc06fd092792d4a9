"""The program with lanterns among its games: python -m tests.game.lanterns.play COMMAND …"""

from __future__ import annotations

import sys

from game import catalogue
from game.cli import main

catalogue.GAMES = {**catalogue.GAMES, "lanterns": "tests.game.lanterns"}

if __name__ == "__main__":
    sys.exit(main())
