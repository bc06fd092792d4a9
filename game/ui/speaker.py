"""The loudspeaker of the window's machine."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any

from game.sound.synthesis import Samples, wav


class Speaker:
    """Plays sounds through the window's media library; without a device it does nothing, and says nothing."""

    def __init__(self) -> None:
        self._playing: list[Any] = []
        self._broken = False

    def play(self, samples: Samples) -> bool:
        """Starts a sound beside what is playing; says whether it could."""
        # Without a window pyglet's players would first open one of their own.
        if self._broken or not len(samples) or "pyglet.window" not in sys.modules:
            return False
        try:
            with _hushed():
                from pyglet import media

                source = media.load("sound.wav", file=io.BytesIO(wav(samples)), streaming=False)
                player = source.play()
        except Exception:
            # Drivers fail in many ways, none of which is worth losing a game over.
            self._broken = True
            return False
        # Who is let go of while it plays falls silent.
        self._playing = [old for old in self._playing if old.playing] + [player]
        return True


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    """Keeps sound drivers, which write past Python, from writing on the terminal."""
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, AttributeError, ValueError):
        yield
        return
    try:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 2)
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
