"""The PyBullet engine. The only file that imports pybullet.

Why these settings (measured against closed forms, see docs/validation.md):
- lengths and gravity times 20, so that Bullet's absolute thresholds are small against a tile;
- a box as floor: on a plane, contacts begin before they touch;
- a soft correction of depth: what is taken back per step is given to a plastic blow as a bounce, 8 % by default;
- contacts let go after 0.25 mm and without slop: otherwise a rocking tile loses a quarter of its third swing at 2 ms;
- rigid bodies instead of multibodies, which are 2.4 times dearer and move no differently;
- no damping, pairs in a fixed order, and every setting in every world, since Bullet keeps some for the whole process.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

import numpy as np
import numpy.typing as npt

from physics.engine import RunProgress, Settings
from physics.errors import EngineError, MissingError
from physics.line import Standing
from physics.outcome import Outcome
from physics.pose import Quaternion, Vector
from physics.run import HELD_MASS, Run, Start, start_of
from physics.scene import Scene

SCALE = 20.0
CONTACT_BREAKING = 0.005  # scaled m: 0.25 mm
CONTACT_ERP = 0.02  # share of a contact's depth that is taken back per step
RESIDUAL = 0.1  # scaled m²/s⁴: the solver stops at this times the step squared, far below what gravity adds in a step
ITERATIONS = 50
FLOOR_HALF = 1_000.0  # scaled m, for a table without an edge
FLOOR_DEPTH = 5.0  # scaled m
CONTACT_DISTANCE = 8  # where a contact point of PyBullet's has it
RUNS_PER_WORLD = 200  # Bullet keeps about 10 kB of every removed row until the world is reset

Array = npt.NDArray[np.float64]


@contextlib.contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Keeps the build date that PyBullet prints on import away from people's terminals."""
    sys.stderr.flush()
    kept = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def _import_bullet() -> ModuleType:
    try:
        with _quiet_stderr():
            import pybullet
    except ImportError:
        raise MissingError(
            "PyBullet is not installed here; it exists for CPython 3.11 on Linux x86-64 (extra {extra}).",
            extra="sim",
        ) from None
    module: ModuleType = pybullet
    return module


class BulletEngine:
    """Runs scenes in PyBullet, one after another in one world that is emptied in between."""

    name = "bullet"

    def __init__(self) -> None:
        self._p = _import_bullet()
        self._client: int = self._p.connect(self._p.DIRECT)
        if self._client < 0:
            raise EngineError("PyBullet does not start here.")
        self._runs_left = 0
        self._floor = -1
        self._floor_size: tuple[float, float] | None = None
        self._shapes: dict[tuple[float, float, float], int] = {}

    def run(self, scenes: Sequence[Scene], settings: Settings, tell: RunProgress | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes; EngineError when a tile flies off to nowhere."""
        return [self._run(scene, settings, tell) for scene in scenes]

    def _run(self, scene: Scene, settings: Settings, tell: RunProgress | None) -> Outcome:
        if settings.record is not None:
            self._runs_left = 0  # what is shown and logged must not hang on what ran in this world before
        self._prepare_floor(scene)
        self._set_parameters(settings.step)
        boxes, start = scene.line.standing(), start_of(scene)
        world = _BulletWorld(self._p, self._client, boxes)
        try:
            world.set_gravity(scene.table.gravity)  # before the tiles: later it would not reach those asleep
            world.fill(scene, start, [self._shape(box) for box in boxes])
            return Run(scene, settings, world, start, tell).play(self.name)
        finally:
            world.clear()
            self._runs_left -= 1

    def _prepare_floor(self, scene: Scene) -> None:
        """A world with nothing in it but the floor, of this table's size and materials."""
        if self._runs_left <= 0 or scene.table.size != self._floor_size:
            self._p.resetSimulation(physicsClientId=self._client)
            self._shapes.clear()
            self._runs_left = RUNS_PER_WORLD
            self._floor_size = scene.table.size
            size = scene.table.size
            x, y = (FLOOR_HALF, FLOOR_HALF) if size is None else (size[0] * SCALE / 2, size[1] * SCALE / 2)
            shape = self._p.createCollisionShape(
                self._p.GEOM_BOX, halfExtents=[x, y, FLOOR_DEPTH], physicsClientId=self._client
            )
            self._floor = self._p.createMultiBody(
                0.0,
                shape,
                basePosition=[0.0, 0.0, -FLOOR_DEPTH],
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
        self._p.changeDynamics(
            self._floor,
            -1,
            lateralFriction=scene.table.friction / scene.table.friction_of_a_tile,
            restitution=math.sqrt(scene.table.restitution),
            physicsClientId=self._client,
        )

    def _set_parameters(self, step: float) -> None:
        self._p.setPhysicsEngineParameter(
            fixedTimeStep=step,
            numSubSteps=0,
            numSolverIterations=ITERATIONS,
            solverResidualThreshold=RESIDUAL * step**2,
            contactBreakingThreshold=CONTACT_BREAKING,
            contactSlop=0.0,
            contactERP=CONTACT_ERP,
            deterministicOverlappingPairs=1,
            physicsClientId=self._client,
        )

    def _shape(self, box: Standing) -> int:
        """The collision shape of a tile of that size, made once per world."""
        size = (box.depth, box.breadth, box.height)
        if size not in self._shapes:
            self._shapes[size] = self._p.createCollisionShape(
                self._p.GEOM_BOX, halfExtents=[side * SCALE / 2 for side in size], physicsClientId=self._client
            )
        return self._shapes[size]


class _BulletWorld:
    """The tiles of one run, in scaled lengths inside and metres outside."""

    def __init__(self, p: ModuleType, client: int, boxes: Sequence[Standing]) -> None:
        self._p = p
        self._client = client
        self._boxes = boxes
        self._bodies: list[int] = []

    def fill(self, scene: Scene, start: Start, shapes: Sequence[int]) -> None:
        """Puts the tiles where the run begins."""
        p = self._p
        root, restitution = scene.table.friction_of_a_tile, math.sqrt(scene.table.restitution)
        for box, shape, pose, asleep in zip(self._boxes, shapes, start.poses, start.asleep, strict=True):
            body = p.createMultiBody(
                box.mass,
                shape,
                basePosition=[SCALE * value for value in pose.position],
                baseOrientation=pose.quaternion,
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
            self._bodies.append(body)
            p.changeDynamics(
                body,
                -1,
                lateralFriction=root,
                restitution=restitution,
                linearDamping=0.0,
                angularDamping=0.0,
                activationState=p.ACTIVATION_STATE_SLEEP if asleep else p.ACTIVATION_STATE_DISABLE_SLEEPING,
                physicsClientId=self._client,
            )

    def clear(self) -> None:
        """Takes the tiles out of the world."""
        for body in self._bodies:
            self._p.removeBody(body, physicsClientId=self._client)

    def poses(self) -> tuple[list[Vector], list[Quaternion]]:
        """Centres in m and quaternions x y z w."""
        read, client = self._p.getBasePositionAndOrientation, self._client
        places, turns = zip(*[read(body, client) for body in self._bodies], strict=True)
        return [(x / SCALE, y / SCALE, z / SCALE) for x, y, z in places], list(turns)

    def rates(self) -> Array:
        """Angular velocities."""
        return np.array([self._p.getBaseVelocity(body, physicsClientId=self._client)[1] for body in self._bodies])

    def velocity(self, tile: int) -> tuple[Vector, Vector]:
        """A tile's motion."""
        (x, y, z), angular = self._p.getBaseVelocity(self._bodies[tile], physicsClientId=self._client)
        return (x / SCALE, y / SCALE, z / SCALE), angular

    def set_velocity(self, tile: int, linear: Vector, angular: Vector) -> None:
        """Gives a tile that motion."""
        scaled = [SCALE * speed for speed in linear]
        self._p.resetBaseVelocity(self._bodies[tile], scaled, angular, physicsClientId=self._client)

    def set_held(self, tile: int, held: bool) -> None:
        """Makes a tile so heavy that nothing pushes the finger back, or as it is."""
        mass = self._boxes[tile].mass * (HELD_MASS if held else 1.0)
        self._p.changeDynamics(self._bodies[tile], -1, mass=mass, physicsClientId=self._client)

    def set_gravity(self, gravity: Array) -> None:
        """Turns gravity."""
        self._p.setGravity(*(SCALE * gravity).tolist(), physicsClientId=self._client)

    def gap(self, one: int, other: int, most: float) -> float:
        """The free air between two tiles, m; infinite when it is more than that."""
        a, b = self._bodies[one], self._bodies[other]
        nearest = self._p.getClosestPoints(a, b, most * SCALE, physicsClientId=self._client)
        return min(point[CONTACT_DISTANCE] for point in nearest) / SCALE if nearest else math.inf

    def set_step(self, step: float) -> None:
        """Makes the steps from now on so long, s."""
        self._p.setPhysicsEngineParameter(
            fixedTimeStep=step, solverResidualThreshold=RESIDUAL * step**2, physicsClientId=self._client
        )

    def step(self) -> None:
        """One step of time."""
        self._p.stepSimulation(physicsClientId=self._client)
