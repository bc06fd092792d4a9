"""Poses of boxes in space: where a leaning tile is, and whether two tiles touch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from physics.line import Standing

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pose:
    """Place and turn of a box's centre."""

    position: tuple[float, float, float]  # m
    quaternion: tuple[float, float, float, float]  # x y z w

    def axes(self) -> Array:
        """The box's own directions as columns: along its depth, its breadth, its height."""
        x, y, z, w = self.quaternion
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )


def standing_pose(box: Standing) -> Pose:
    """The tile as it was placed."""
    return Pose((box.x, box.y, box.height / 2), (0.0, 0.0, math.sin(box.yaw / 2), math.cos(box.yaw / 2)))


def leaning_pose(box: Standing, towards: float, lean: float) -> Pose:
    """The tile leant about its lower edge on the side that looks to the yaw `towards`, both rad."""
    forward = (math.cos(towards), math.sin(towards))
    back, up = -box.depth / 2, box.height / 2
    along = back * math.cos(lean) + up * math.sin(lean) + box.depth / 2
    height = -back * math.sin(lean) + up * math.cos(lean)
    position = (box.x + along * forward[0], box.y + along * forward[1], height)
    # The lean turns about the horizontal axis across `towards`, after the yaw.
    half, yaw = lean / 2, box.yaw / 2
    ax, ay, aw = -forward[1] * math.sin(half), forward[0] * math.sin(half), math.cos(half)
    bz, bw = math.sin(yaw), math.cos(yaw)
    return Pose(position, (ax * bw + ay * bz, ay * bw - ax * bz, aw * bz, aw * bw))


def boxes_touch(a: Standing, a_pose: Pose, b: Standing, b_pose: Pose, margin: float) -> bool:
    """Whether two boxes come nearer than the margin along every separating axis (m)."""
    axes_a, axes_b = a_pose.axes(), b_pose.axes()
    halves_a = np.array([a.depth, a.breadth, a.height]) / 2
    halves_b = np.array([b.depth, b.breadth, b.height]) / 2
    between = np.subtract(b_pose.position, a_pose.position)
    directions = [*axes_a.T, *axes_b.T]
    directions += [np.cross(axes_a[:, i], axes_b[:, j]) for i, j in product(range(3), range(3))]
    for direction in directions:
        length = float(np.linalg.norm(direction))
        if length < 1e-9:
            continue
        unit = direction / length
        reach = float(np.abs(unit @ axes_a) @ halves_a + np.abs(unit @ axes_b) @ halves_b)
        if abs(float(unit @ between)) > reach + margin:
            return False
    return True
