"""The same for one player."""

from __future__ import annotations

from dataclasses import replace

from tests.game import lanterns
from tests.game.lanterns.rules import LONE

KIT = replace(lanterns.KIT, rules=LONE)
