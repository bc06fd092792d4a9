"""Tiles as the window shows them: boxes in space, how they stand out, and which of them a ray meets."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from game.film.playback import Playback
from game.pictures.lighting import Array, half_axes
from physics.line import Standing
from physics.pose import Pose, Quaternion, Vector, standing_pose


class Tint(enum.Enum):
    """How a tile stands out from the others."""

    NONE = 0
    HOVER = 1  # under the pointer
    CHOSEN = 2
    BAD = 3  # stands where it must not
    GHOST = 4  # not there yet: seen through, without weight
    WEAK = 5  # beside the gap where the fall most often ends


@dataclass(frozen=True, slots=True)
class Ray:
    """A line of sight."""

    start: Vector  # m
    way: Vector  # unit vector


@dataclass(frozen=True, slots=True)
class TileBox:
    """A tile at a moment."""

    value: int
    size: Vector  # m: depth, breadth, height
    position: Vector  # m, the centre
    quaternion: Quaternion = (0.0, 0.0, 0.0, 1.0)
    tint: Tint = Tint.NONE

    @property
    def pose(self) -> Pose:
        """Its place and turn."""
        return Pose(self.position, self.quaternion)

    def corners(self) -> tuple[Vector, ...]:
        """Its eight corners, m."""
        axes = self.pose.axes()
        found = []
        for index in range(8):
            shares = [(0.5 if index >> k & 1 else -0.5) * side for k, side in enumerate(self.size)]
            x, y, z = (
                self.position[k] + sum(s * axis[k] for s, axis in zip(shares, axes, strict=True)) for k in range(3)
            )
            found.append((x, y, z))
        return tuple(found)


def frames_of(tiles: Sequence[TileBox]) -> tuple[Array, Array]:
    """The centres (tiles, 3) and half axes (tiles, 3, 3) of at least one box, m."""
    turns, sizes = np.array([tile.quaternion for tile in tiles]), np.array([tile.size for tile in tiles])
    return np.array([tile.position for tile in tiles]), half_axes(turns, sizes)


def box_of(standing: Standing, value: int, tint: Tint = Tint.NONE, pose: Pose | None = None) -> TileBox:
    """The box of a placed tile: as it stands, or in another pose."""
    pose = pose or standing_pose(standing)
    size = standing.depth, standing.breadth, standing.height
    return TileBox(value, size, pose.position, pose.quaternion, tint)


def fall_boxes(playback: Playback, t: float, tints: Mapping[int, Tint] | None = None) -> tuple[TileBox, ...]:
    """The tiles of a fall at a moment of it, some of them standing out by their values."""
    poses = playback.at(t)
    found = []
    places, turns = poses.positions.tolist(), poses.quaternions.tolist()
    for tile, size, place, turn in zip(playback.tiles, playback.sizes, places, turns, strict=True):
        tint = (tints or {}).get(tile.value, Tint.NONE)
        found.append(
            TileBox(tile.value, size, (place[0], place[1], place[2]), (turn[0], turn[1], turn[2], turn[3]), tint)
        )
    return tuple(found)


def hit(boxes: Sequence[TileBox], ray: Ray) -> int | None:
    """The index of the box that the ray meets first; None when it meets none."""
    nearest, found = math.inf, None
    for index, box in enumerate(boxes):
        distance = meets(box, ray)
        if distance is not None and distance < nearest:
            nearest, found = distance, index
    return found


def meets(box: TileBox, ray: Ray) -> float | None:
    """How far along the ray the box begins, m (0 from inside); None when the ray passes it by."""
    enters, leaves = 0.0, math.inf
    for axis, side in zip(box.pose.axes(), box.size, strict=True):
        offset = sum(axis[k] * (ray.start[k] - box.position[k]) for k in range(3))
        pace = sum(axis[k] * ray.way[k] for k in range(3))
        if abs(pace) < 1e-12:
            if abs(offset) > side / 2:
                return None
            continue
        one, other = (-side / 2 - offset) / pace, (side / 2 - offset) / pace
        enters, leaves = max(enters, min(one, other)), min(leaves, max(one, other))
        if enters > leaves:
            return None
    return enters
