"""What the camera says of the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from physics.line import Line, Placement
from physics.outcome import Fate
from physics.tiles import Stance, TileSet

ROUND = 3  # digits after the point in JSON


class TileSeen(Protocol):
    """A tile as a reading has it; mm and degrees."""

    @property
    def value(self) -> int:
        """Which tile."""

    @property
    def x(self) -> float:
        """Middle of the foot, mm."""

    @property
    def y(self) -> float:
        """Likewise."""

    @property
    def yaw(self) -> float:
        """Where the broad face looks, degrees."""

    @property
    def stance(self) -> Stance:
        """How it stands, or stood."""

    @property
    def state(self) -> Fate:
        """Standing, leaning or fallen."""

    @property
    def sigma(self) -> tuple[float, float, float]:
        """Standard errors of x, y and yaw."""


@dataclass(frozen=True, slots=True)
class ReadTile:
    """One tile as it was seen: mm and degrees."""

    value: int
    x: float  # middle of the foot
    y: float
    yaw: float  # in [-90, 90): a tile has no front
    stance: Stance
    state: Fate
    sigma: tuple[float, float, float]  # standard errors of x, y, yaw
    confidence: float  # that value, stance and state are right
    lean: float = 0.0  # degrees off its stance, towards its yaw where positive
    lean_sigma: float = 0.0
    seen: float = 1.0  # share of its outline that nothing hides

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
    """Something on the mat that is no tile of the set, or too little of one: where it is seen, mm and mm²."""

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
        return Line(
            tile_set,
            tuple(
                Placement(tile.value, tile.x / 1e3, tile.y / 1e3, math.radians(tile.yaw), tile.stance)
                for tile in self.tiles
                if tile.state is Fate.STANDING
            ),
        )
