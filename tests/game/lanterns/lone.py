"""The same for one player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from game.core import Value
from tests.game import lanterns
from tests.game.lanterns.rules import Lanterns


class LoneLantern(Lanterns):
    """For one player, who wins or does not."""

    name = "lone lantern"
    seats = range(1, 2)
    options = Lanterns.options[1:]

    def seats_with(self, options: Mapping[str, Value]) -> range:
        """One."""
        return self.seats


LONE = LoneLantern()
KIT = replace(lanterns.KIT, rules=LONE)
