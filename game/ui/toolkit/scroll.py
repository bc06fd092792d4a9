"""Lists that are longer than their place: which items are shown, and how far along they are. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STEPS = {"up": -1, "down": 1, "left": -1, "right": 1}
LEAPS = {"pageup": -1, "pagedown": 1, "home": -1000, "end": 1000}


@dataclass(slots=True)
class Scroll:
    """Goes through whole items; an item is never cut."""

    first: int = 0  # the uppermost item that is shown

    def shown(self, heights: Sequence[float], room: float, gap: float) -> range:
        """The items that fit into that height, one at least; goes back where nothing would be left below."""
        self.first = max(0, min(self.first, _latest(heights, room, gap)))
        used, last = 0.0, self.first
        for height in heights[self.first :]:
            used += height + (gap if last > self.first else 0.0)
            if used > room and last > self.first:
                break
            last += 1
        return range(self.first, last)

    def key(self, key: str, page: int) -> bool:
        """Arrows go by one, page keys by what is shown, home and end to the ends; whether it was such a key."""
        step = STEPS.get(key, LEAPS.get(key, 0) * max(1, page))
        self.first = max(0, self.first + step)
        return step != 0

    def wheel(self, notches: float) -> None:
        """Towards the person: further down."""
        self.first = max(
            0, self.first - round(notches) if abs(notches) >= 1 else self.first - (1 if notches > 0 else -1)
        )


def _latest(heights: Sequence[float], room: float, gap: float) -> int:
    """The last item that may be the uppermost one: all that follow it fit."""
    used, first = 0.0, len(heights)
    for height in reversed(heights):
        used += height + (gap if first < len(heights) else 0.0)
        if used > room and first < len(heights):
            break
        first -= 1
    return first
