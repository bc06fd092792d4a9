"""Poses of boxes in space: where a leaning tile is, and whether two tiles touch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

from physics.line import Standing

PARALLEL = 1e-9  # sine of the angle below which two edges span no axis of their own

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # x y z w


@dataclass(frozen=True, slots=True)
class Pose:
    """Place and turn of a box's centre."""

    position: Vector  # m
    quaternion: Quaternion

    def axes(self) -> tuple[Vector, Vector, Vector]:
        """The box's own directions: along its depth, its breadth, its height."""
        x, y, z, w = self.quaternion
        return (
            (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
            (2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
            (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)),
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
    sides = (*zip(axes_a, _halves(a), strict=True), *zip(axes_b, _halves(b), strict=True))
    (ax, ay, az), (bx, by, bz) = a_pose.position, b_pose.position
    between = (bx - ax, by - ay, bz - az)

    def apart(direction: Vector, length: float) -> bool:
        reach = sum(half * abs(_dot(direction, axis)) for axis, half in sides)
        return abs(_dot(direction, between)) > reach + margin * length

    if any(apart(axis, 1.0) for axis in (*axes_a, *axes_b)):
        return False
    for one, other in product(axes_a, axes_b):
        across = _cross(one, other)
        length = math.sqrt(_dot(across, across))
        if length >= PARALLEL and apart(across, length):
            return False
    return True


def _halves(box: Standing) -> Vector:
    return box.depth / 2, box.breadth / 2, box.height / 2


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
