"""Sounds of the table, each made once and played often."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from game.sound.strikes import Strike
from game.sound.synthesis import Plays, Samples, clack, loudness, mixed

KINDS = 6  # sounds that differ a little, so that a row does not sound like a machine
STEPS = 20  # of loudness that are told apart


class Clacks:
    """See `game.ui.screens.base.Sounds` for what each method promises."""

    def __init__(self, speaker: Plays) -> None:
        self._speaker = speaker
        self._count = 0

    def place(self) -> None:
        """Wood on wood, softly."""
        self._speaker.play(self._sound(0.05, 0.35))

    def strikes(self, heard: Sequence[tuple[float, Strike]]) -> None:
        """Each as large and as hard as it was, exactly so much later: a frame's strikes are one sound."""
        if heard:
            sounds = [(delay, self._sound(each.height, loudness(each.impulse))) for delay, each in heard]
            self._speaker.play(mixed(sounds))

    def tick(self) -> None:
        """A knuckle on the table."""
        self._speaker.play(self._sound(0.09, 0.5))

    def flip(self) -> None:
        """Tokens."""
        self._speaker.play(self._sound(0.02, 0.6))

    def _sound(self, size: float, loud: float) -> Samples:
        self._count += 1
        return _made(round(size, 3), max(1, round(loud * STEPS)), self._count % KINDS)


@lru_cache(maxsize=512)
def _made(size: float, steps: int, seed: int) -> Samples:
    return clack(max(size, 0.02), steps / STEPS, seed)
