"""A tile that was read wrong is dragged, in the camera's picture, to where it stands."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from game.match.ports import TableSight
from game.ui.camera.picture import fitted, tile_at
from game.ui.toolkit.layout import Rect

MIN_DRAG = 0.002  # of the picture: a shorter drag is none

Dragged = Callable[[int, tuple[float, float]], None]
"""Takes which tile was dragged, and how far in shares of the picture."""


class TileDrag:
    """The tile that is held, if one is, and how far it was dragged."""

    def __init__(self) -> None:
        self._held: int | None = None
        self._from = self._by = (0.0, 0.0)  # where the drag began, in the window, and how far it is, in shares

    def press(self, sight: TableSight | None, room: Rect, x: float, y: float) -> bool:
        """Takes hold of the tile at that point of the picture in the room; whether there is one."""
        self._held = None if sight is None else tile_at(sight, room, x, y)
        self._from, self._by = (x, y), (0.0, 0.0)
        return self._held is not None

    def move(self, sight: TableSight | None, room: Rect, x: float, y: float) -> bool:
        """Drags the tile that is held; whether there is one."""
        if self._held is None or sight is None:
            return False
        place = fitted(sight, room)
        self._by = (x - self._from[0]) / place.width, (self._from[1] - y) / place.height
        return True

    def release(self) -> tuple[int, tuple[float, float]] | None:
        """Lets go of it: which tile, and how far it was dragged in shares of the picture; None: of none, or nowhere."""
        held, self._held = self._held, None
        return None if held is None or math.hypot(*self._by) < MIN_DRAG else (held, self._by)

    def shown(self, sight: TableSight) -> TableSight:
        """What the camera sees, the dragged tile where it is dragged to."""
        if self._held is None:
            return sight
        dx, dy = self._by
        tiles = tuple(
            replace(tile, corners=tuple((x + dx, y + dy) for x, y in tile.corners))
            if tile.value == self._held
            else tile
            for tile in sight.tiles
        )
        return replace(sight, tiles=tiles)

    @property
    def key(self) -> object:
        """What `shown` would change, to compare."""
        return self._held, self._by
