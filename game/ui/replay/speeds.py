"""How fast a film goes: the buttons and keys that choose it."""

from __future__ import annotations

from game.film.playback import SPEEDS
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.widgets import Button, Widget
from game.words import _

SPEED = "speed"  # how the names of those buttons begin
SPEED_NAMES = ("¼", "½", "1", "2")
SPEED_KEYS = {"-": -1, "+": 1, "shift++": 1}


def speed_buttons(rect: Rect, speed: float, gap: float) -> list[Widget]:
    """How fast a film goes. No choice: that would take the keyboard after a click, and the space bar is to stop it."""
    tip = _("Speed: − and +")
    return [
        Button(f"{SPEED}{each:g}", room, name, "main" if each == speed else "plain", tip=tip)
        for room, name, each in zip(rect.columns(len(SPEEDS), gap), SPEED_NAMES, SPEEDS, strict=True)
    ]


def other_speed(speed: float, by: int) -> float:
    """The next faster one or, with a `by` below 0, slower one; the same when there is none."""
    return SPEEDS[min(len(SPEEDS) - 1, max(0, SPEEDS.index(speed) + by))]
