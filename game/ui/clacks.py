"""Sounds of the table, each made once and played often."""

from __future__ import annotations

from functools import lru_cache

from game.ui.playback import Strike
from game.ui.sound import LOUD_SPEED, Samples, Speaker, clack

KINDS = 6  # sounds that differ a little, so that a row does not sound like a machine


class Clacks:
    """See `game.ui.screens.base.Sounds` for what each method promises."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._count = 0

    def place(self) -> None:
        """Wood on wood, softly."""
        self._play(0.05, 0.3)

    def strike(self, strike: Strike, height: float) -> None:
        """As large and as fast as it was."""
        self._play(height, 0.15 + strike.loudness * LOUD_SPEED * (0.7 if strike.kind == "struck" else 1.0))

    def tick(self) -> None:
        """A knuckle on the table."""
        self._play(0.09, 0.45)

    def flip(self) -> None:
        """Tokens."""
        self._play(0.02, 0.6)

    def _play(self, size: float, speed: float) -> None:
        self._count += 1
        self._speaker.play(_made(round(size, 2), round(speed, 1), self._count % KINDS))


@lru_cache(maxsize=256)
def _made(size: float, speed: float, seed: int) -> Samples:
    return clack(max(size, 0.02), speed, seed)
