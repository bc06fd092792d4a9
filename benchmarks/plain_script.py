"""The script that most people would write: PyBullet as it comes, to compare with.

A plane, multibodies, damping and 1/240 s as PyBullet has them, a fresh connection for every run, all poses polled in
every step, three seconds whatever happens. Only frictions and bounces are set so that pairs multiply to the scene's.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pybullet

from physics.pose import leaning_pose, standing_pose
from physics.scene import Scene

STEP = 1 / 240  # s, PyBullet's own
SECONDS = 3.0

Poses = list[tuple[tuple[float, ...], tuple[float, ...]]]
Over = Callable[[float, Poses], bool]


def plain_fallen(scene: Scene, over: Over | None = None) -> tuple[bool, ...]:
    """Which tiles have fallen after three seconds, or once `over` says of a time and its poses that it is decided."""
    client = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setGravity(*scene.table.gravity.tolist(), physicsClientId=client)
        bodies = _fill(scene, client)
        poses = _poses(bodies, client)
        for count in range(1, round(SECONDS / STEP) + 1):
            pybullet.stepSimulation(physicsClientId=client)
            poses = _poses(bodies, client)
            if over is not None and over(count * STEP, poses):
                break
    finally:
        pybullet.disconnect(client)
    boxes = scene.line.standing()
    return tuple(
        2 * math.asin(min(1.0, math.hypot(turn[0], turn[1]))) > box.tipping_angle
        for box, (_place, turn) in zip(boxes, poses, strict=True)
    )


def _fill(scene: Scene, client: int) -> list[int]:
    root, bounce = math.sqrt(scene.table.tile_friction), math.sqrt(scene.table.restitution)
    plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=client)
    floor = pybullet.createMultiBody(0, plane, physicsClientId=client)
    pybullet.changeDynamics(
        floor, -1, lateralFriction=scene.table.friction / root, restitution=bounce, physicsClientId=client
    )
    bodies = []
    for index, box in enumerate(scene.line.standing()):
        lean = scene.release_lean(box) if index == scene.pushed else 0.0
        pose = leaning_pose(box, scene.push_yaw, lean) if lean else standing_pose(box)
        halves = [box.depth / 2, box.breadth / 2, box.height / 2]
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=halves, physicsClientId=client)
        body = pybullet.createMultiBody(box.mass, shape, -1, pose.position, pose.quaternion, physicsClientId=client)
        pybullet.changeDynamics(body, -1, lateralFriction=root, restitution=bounce, physicsClientId=client)
        bodies.append(body)
    return bodies


def _poses(bodies: list[int], client: int) -> Poses:
    return [pybullet.getBasePositionAndOrientation(body, physicsClientId=client) for body in bodies]
