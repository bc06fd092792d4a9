"""What became of a line: in one run, or on a real table; and what many runs forecast."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from physics.trajectory import Trajectory


class Fate(enum.Enum):
    """How a tile stands when everything rests. It has fallen when it leans more than its own tipping angle."""

    STANDING = "standing"
    LEANING = "leaning"
    FALLEN = "fallen"


class OutcomeSource(enum.Enum):
    """Who says what became of a row. The value is the word for it in files."""

    SIMULATED = "simulated"  # one run of an engine
    CAMERA = "camera"  # what was seen on a real table
    PEOPLE = "hand"  # what people report of theirs


@dataclass(frozen=True)
class Outcome:
    """Which tiles fell and when; the same type for a simulated and for a filmed fall."""

    fates: tuple[Fate, ...]
    fell_at: tuple[float | None, ...]  # s, when the tile passed its tipping angle for good
    ended: float  # s
    settled: bool  # False: the time ran out before everything rested
    source: OutcomeSource
    engine: str = ""  # of a simulated one
    step: float = 0.0  # s, of a simulated one
    tilted: float = 0.0  # rad, how far the table was tilted by the push
    trajectory: Trajectory | None = None

    @property
    def fallen(self) -> tuple[bool, ...]:
        """For each tile whether it fell."""
        return tuple(fate is Fate.FALLEN for fate in self.fates)

    @property
    def all_fell(self) -> bool:
        """Whether the row fell completely."""
        return all(self.fallen)


def verdict_of(interval: tuple[float, float]) -> str:
    """falls or stands when the interval lies on one side of a half, else unsure."""
    low, high = interval
    return "falls" if low > 0.5 else "stands" if high < 0.5 else "unsure"


@dataclass(frozen=True)
class Prediction:
    """What many runs say of a line."""

    probability: float  # that every tile falls
    interval: tuple[float, float]  # with the contact model's doubt
    sampling: tuple[float, float]  # the runs' share alone
    confidence: float
    samples: int
    values: tuple[int, ...]  # the tiles in file order
    tile_falls: tuple[float, ...]  # probability per tile
    weakest_at: int | None  # index of the first tile of the gap where the fall most often ends
    pushed: int  # index of the pushed tile
    engine: str
    seed: int
    seconds: float
    by_engine: tuple[tuple[str, float], ...] = ()  # the share of each engine's runs in which all fell

    @property
    def verdict(self) -> str:
        """falls or stands when the interval lies on one side of a half, else unsure."""
        return verdict_of(self.interval)

    @property
    def weakest_gap(self) -> tuple[int, int] | None:
        """The values beside the weakest gap, in file order."""
        if self.weakest_at is None:
            return None
        return self.values[self.weakest_at], self.values[self.weakest_at + 1]
