"""What is heard of a fall."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strike:
    """A sound: a tile is struck by another one, or lands."""

    time: float  # s
    tile: int  # its index
    kind: str  # struck | landed
    height: float  # m, of the tile
    impulse: float  # N·s, from how its motion changed
