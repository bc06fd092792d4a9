"""What the camera says of the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from physics.line import Line, Placement
from physics.outcome import Fate
from physics.tiles import Stance, TileSet

ROUND = 3  # digits after the point in JSON


@dataclass(frozen=True, slots=True)
class ReadTile:
    """One tile on the mat as it was seen, or as it should be seen: mm and degrees."""

    value: int
    x: float  # middle of the foot
    y: float
    yaw: float = 0.0  # where the broad face looks, as read in [-90, 90): a tile has no front
    stance: Stance = Stance.UPRIGHT  # in which it stands, or stood
    state: Fate = Fate.STANDING
    sigma: tuple[float, float, float] = (0.0, 0.0, 0.0)  # standard errors of x, y, yaw
    confidence: float = 1.0  # that value, stance and state are right
    lean: float = 0.0  # degrees off its stance, towards its yaw where positive
    lean_sigma: float = 0.0
    seen: float = 1.0  # share of its outline that nothing hides

    @property
    def placement(self) -> Placement:
        """Where it is, m and rad."""
        return Placement(self.value, self.x / 1e3, self.y / 1e3, math.radians(self.yaw), self.stance)

    def as_json(self) -> dict[str, Any]:
        """As `read --json` prints it."""
        return {
            "value": self.value,
            "x": round(self.x, ROUND),
            "y": round(self.y, ROUND),
            "yaw": round(self.yaw, ROUND),
            "stance": self.stance.value,
            "state": self.state.value,
            "sigma": [round(one, ROUND) for one in self.sigma],
            "confidence": round(self.confidence, ROUND),
        }


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Something on the mat that is not a tile of the set, or too little of one: where it is seen, mm and mm²."""

    x: float
    y: float
    area: float

    def as_json(self) -> dict[str, float]:
        """As `read --json` prints it."""
        return {"x": round(self.x, 1), "y": round(self.y, 1), "area": round(self.area, 1)}


@dataclass(frozen=True)
class Reading:
    """All tiles that were found, in the order of the row, from the end with the lower value."""

    tiles: tuple[ReadTile, ...]
    unexplained: tuple[Unexplained, ...]
    camera_error_px: float
    focal_estimated: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """The values along the row."""
        return tuple(tile.value for tile in self.tiles)

    def as_json(self) -> dict[str, Any]:
        """As `read --json` prints it."""
        return {
            "tiles": [tile.as_json() for tile in self.tiles],
            "order": list(self.order),
            "unexplained": [one.as_json() for one in self.unexplained],
            "camera_error_px": round(self.camera_error_px, ROUND),
        }

    def line(self, tile_set: TileSet) -> Line:
        """The standing tiles as a line, m and rad."""
        return Line(tile_set, tuple(tile.placement for tile in self.tiles if tile.state is Fate.STANDING))
