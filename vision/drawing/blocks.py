"""What a drawn picture shows on the table: boxes anywhere, and hands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from physics.scene import Scene
from vision.drawing.film_camera import SIGNS, rotations

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """A box anywhere: depth, breadth and height in mm, its centre and its turn."""

    size: tuple[float, float, float]
    centre: tuple[float, float, float]
    quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    @property
    def turn(self) -> Array:
        """Its rotation matrix."""
        return rotations(np.array(self.quaternion))

    @property
    def corners(self) -> Array:
        """Its corners (8, 3), mm."""
        found: Array = np.array(self.centre) + (SIGNS * np.array(self.size) / 2) @ self.turn.T
        return found


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand and its arm in view: fingertip and elbow on the mat's axes, mm."""

    tip: tuple[float, float, float]
    elbow: tuple[float, float, float]
    thick: float = 26.0  # mm at the fingertip

    def discs(self, matrix: Array) -> Iterator[tuple[float, float, float]]:
        """What it covers of a picture, from the fingertip on: discs' middles and radii, px; `matrix` leads there."""
        tip, elbow = np.array(self.tip), np.array(self.elbow)
        for share in np.linspace(0, 1, 40):
            seen = matrix[:, :3] @ (tip + share * (elbow - tip)) + matrix[:, 3]
            if seen[2] > 10:  # mm before the camera
                thick = self.thick / 2 * (1 + 1.2 * min(1.0, 3 * share))
                yield seen[0] / seen[2], seen[1] / seen[2], thick * float(np.linalg.norm(matrix[0, :3])) / seen[2]


def blocks_of(scene: Scene) -> list[Block]:
    """The tiles of a scene as they stand."""
    found = []
    for box in scene.line.standing():
        size = (box.depth * 1e3, box.breadth * 1e3, box.height * 1e3)
        turn = (0.0, 0.0, math.sin(box.yaw / 2), math.cos(box.yaw / 2))
        found.append(Block(size, (box.x * 1e3, box.y * 1e3, box.height * 500), turn))
    return found
