"""How a real table stands and what pushes at it, as far as a rig tells: it makes the rules' row a scene of that table.

A rig cannot touch as slowly as a finger. Its light push is a tap at two thirds of the end tile's height, where a tap
does not move the foot, and half as strong again as the weakest that topples the tile: enough to be sure of the tile,
and little to add to the fall of the next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from physics.scene import Scene, Tap
from physics.tile_theory import Profile, toppling_impulse

TAPPED_AT = 2 / 3  # of the tile's height
STRENGTH = 1.5  # times the weakest tap that topples the tile
SAME_LEVEL = math.radians(0.2)  # rad below which a change of level is not worth another forecast
OUT_OF_LEVEL = 0.5  # degrees from which on a table is reported


@dataclass(frozen=True, slots=True)
class Site:
    """A table as a rig feels it."""

    tilt: tuple[float, float] = (0.0, 0.0)  # rad, as Table.tilt has it
    is_tapped: bool = False  # the rig pushes; False: a finger

    def after(self, before: Site) -> Site:
        """This site, with the level of the one before where both were measured and are the same as far as that goes."""
        if before == Site():
            return self
        steps = (abs(a - b) for a, b in zip(self.tilt, before.tilt, strict=True))
        return replace(self, tilt=before.tilt) if max(steps) < SAME_LEVEL else self

    def placed(self, scene: Scene) -> Scene:
        """The scene at this table, pushed by what pushes here."""
        if self == Site():
            return scene
        push = light_tap(scene) if self.is_tapped else scene.push
        return replace(scene, table=replace(scene.table, tilt=self.tilt), push=push)

    def data(self) -> dict[str, Any]:
        """As a log has it, degrees."""
        return {"tilt": [round(math.degrees(angle), 3) for angle in self.tilt], "tapped": self.is_tapped}


def site_in(data: Mapping[str, Any]) -> Site:
    """The site that an entry of a log tells of; LookupError, TypeError or ValueError when it is damaged."""
    about_x, about_y = (math.radians(float(angle)) for angle in data["tilt"])
    return Site((about_x, about_y), bool(data["tapped"]))


def light_tap(scene: Scene) -> Tap:
    """The tap that stands for a light push of that row."""
    tile = scene.line.standing()[scene.pushed]
    height = TAPPED_AT * tile.height
    weakest = tile.mass * toppling_impulse(Profile(tile.height, tile.depth, tile.mass), height)
    return Tap(STRENGTH * weakest, height, scene.push.end)
