"""The side view: a line unrolled into a straight row and simulated in two dimensions with pymunk, for quick previews.

Never the truth: it knows no turns, no twisting, and no tile that misses another or strikes it with a corner. The page
docs/validation.md says how often it disagrees with three dimensions. The only file that imports pymunk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from physics.engine import RunProgress, Settings
from physics.errors import MissingError
from physics.outcome import Outcome
from physics.pose import Quaternion, Vector
from physics.run import HELD_MASS, Run, Start, start_of
from physics.scene import Scene

MILLI = 1e3  # pymunk's tolerances suit lengths of about a hundred, so it gets millimetres
ITERATIONS = 30
SLOP = 0.01  # mm
FLOOR_HALF = 1e5  # mm
FLOOR_DEPTH = 100.0  # mm

Array = npt.NDArray[np.float64]


def unrolled(scene: Scene) -> Scene:
    """The same row straightened along +x on a level table: gaps and stances kept, pushed at the same end."""
    boxes, gaps = scene.line.standing(), scene.line.gaps()
    x, placements = 0.0, []
    for index, (old, box) in enumerate(zip(scene.line.placements, boxes, strict=True)):
        if index:
            x += boxes[index - 1].depth / 2 + gaps[index - 1] + box.depth / 2
        placements.append(replace(old, x=x, y=0.0, yaw=0.0))
    end = "first" if scene.pushed == 0 else "last"
    table = replace(scene.table, tilt=(0.0, 0.0), size=None)
    return replace(scene.with_placements(tuple(placements)), push=replace(scene.push, end=end), table=table)


class FlatEngine:
    """Runs the side view of scenes."""

    name = "flat"

    def __init__(self) -> None:
        try:
            import pymunk
        except ImportError:
            raise MissingError("pymunk is not installed here (extra {extra}).", extra="sim") from None
        self._pymunk: ModuleType = pymunk

    def run(self, scenes: Sequence[Scene], settings: Settings, tell: RunProgress | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes."""
        return [self._run(unrolled(scene), settings, tell) for scene in scenes]

    def _run(self, scene: Scene, settings: Settings, tell: RunProgress | None) -> Outcome:
        start = start_of(scene)
        world = _FlatWorld(self._pymunk, scene, start, settings.step)
        return Run(scene, settings, world, start, tell).play(self.name)


class _FlatWorld:
    """The tiles of one run, seen from the side: x stays x, height is pymunk's y."""

    def __init__(self, pymunk: ModuleType, scene: Scene, start: Start, step: float) -> None:
        self._step = step
        self._space = pymunk.Space()
        self._space.iterations = ITERATIONS
        self._space.collision_slop = SLOP
        self.set_gravity(scene.table.gravity)
        root = scene.table.friction_of_a_tile
        bounce = math.sqrt(scene.table.restitution)
        corners = [(-FLOOR_HALF, -FLOOR_DEPTH), (FLOOR_HALF, -FLOOR_DEPTH), (FLOOR_HALF, 0.0), (-FLOOR_HALF, 0.0)]
        floor = pymunk.Poly(self._space.static_body, corners)
        floor.friction, floor.elasticity = scene.table.friction / root, bounce
        self._space.add(floor)
        self._bodies: list[Any] = []
        self._shapes: list[Any] = []
        for box, pose in zip(scene.line.standing(), start.poses, strict=True):
            size = (box.depth * MILLI, box.height * MILLI)
            body = pymunk.Body(box.mass, pymunk.moment_for_box(box.mass, size))
            body.position = pose.position[0] * MILLI, pose.position[2] * MILLI
            body.angle = -2 * math.atan2(pose.quaternion[1], pose.quaternion[3])
            shape = pymunk.Poly.create_box(body, size)
            shape.friction, shape.elasticity = root, bounce
            self._space.add(body, shape)
            self._bodies.append(body)
            self._shapes.append(shape)

    def poses(self, tiles: Sequence[int]) -> tuple[list[Vector], list[Quaternion]]:
        """Centres in m and quaternions x y z w."""
        bodies = [self._bodies[tile] for tile in tiles]
        places = [(body.position.x / MILLI, 0.0, body.position.y / MILLI) for body in bodies]
        halves = [-body.angle / 2 for body in bodies]
        return places, [(0.0, math.sin(half), 0.0, math.cos(half)) for half in halves]

    def rates(self, tiles: Sequence[int]) -> Array:
        """Angular velocities."""
        return np.array([(0.0, -self._bodies[tile].angular_velocity, 0.0) for tile in tiles])

    def velocity(self, tile: int) -> tuple[Vector, Vector]:
        """A tile's motion."""
        body = self._bodies[tile]
        return (body.velocity.x / MILLI, 0.0, body.velocity.y / MILLI), (0.0, -body.angular_velocity, 0.0)

    def set_velocity(self, tile: int, linear: Vector, angular: Vector) -> None:
        """Gives a tile that motion, as far as it lies in the plane."""
        self._bodies[tile].velocity = linear[0] * MILLI, linear[2] * MILLI
        self._bodies[tile].angular_velocity = -angular[1]

    def set_held(self, tile: int, held: bool) -> None:
        """Makes a tile so heavy that nothing pushes the finger back, or as it was."""
        factor = HELD_MASS if held else 1 / HELD_MASS
        self._bodies[tile].mass *= factor
        self._bodies[tile].moment *= factor

    def set_gravity(self, gravity: Array) -> None:
        """Turns gravity in the plane."""
        self._space.gravity = float(gravity[0]) * MILLI, float(gravity[2]) * MILLI

    def gap(self, one: int, other: int, most: float) -> float:
        """The free air between two tiles, m; infinite when it is more than that."""
        air = min(self._air(one, other), self._air(other, one))
        return air if air < most else math.inf

    def _air(self, one: int, other: int) -> float:
        """The free air between one tile's corners and another tile, m."""
        body, shape = self._bodies[one], self._shapes[one]
        corners = (body.local_to_world(corner) for corner in shape.get_vertices())
        return min(float(self._shapes[other].point_query(corner).distance) for corner in corners) / MILLI

    def set_step(self, step: float) -> None:
        """Makes the steps from now on so long, s."""
        self._step = step

    def step(self) -> None:
        """One step of time."""
        self._space.step(self._step)
