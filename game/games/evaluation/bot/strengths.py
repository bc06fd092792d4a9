"""How good the bots of Evaluation Domino are, in numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


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
