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
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import numpy.typing as npt

from physics.engine import LOOK_STEPS, RunProgress, Settings
from physics.errors import EngineError, MissingError
from physics.line import Standing
from physics.live_tiles import MIN_TILES, LiveTiles
from physics.outcome import Outcome
from physics.pose import Quaternion, Vector
from physics.run import HELD_MASS, Run, Start, start_of
from physics.scene import Scene

SCALE = 20.0
CONTACT_BREAKING = 0.005  # scaled m: 0.25 mm
CONTACT_ERP = 0.02  # share of a contact's depth that is taken back per step
RESIDUAL = 0.1  # scaled m²/s⁴: the solver stops at this times the step squared, far below what gravity adds in a step
ITERATIONS = 50
FLOOR_HALF = 50.0  # m, at least, for a table without an edge
FLOOR_ROOM = 5.0  # m of such a floor beyond the last tile
FLOOR_RASTER = 20.0  # m: floors of rows far out are as coarse as that, so that the draws of a row share one
FLOOR_DEPTH = 5.0  # scaled m
CONTACT_DISTANCE = 8  # where a contact point of PyBullet's has it
STILL = (0.0, 0.0, 0.0)

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
        self._floor = -1
        self._shapes: dict[tuple[float, float, float], int] = {}

    def run(self, scenes: Sequence[Scene], settings: Settings, tell: RunProgress | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes; EngineError when a tile flies off to nowhere."""
        return [self._run(scene, settings, tell) for scene in scenes]

    def _run(self, scene: Scene, settings: Settings, tell: RunProgress | None) -> Outcome:
        boxes, start = scene.line.standing(), start_of(scene)
        is_long = len(boxes) >= MIN_TILES and start.asleep.count(False) == 1 and not settings.whole
        self._prepare_floor(scene, boxes)
        self._set_parameters(settings.step)
        world = _BulletWorld(self._p, self._client, scene, start, [self._shape(box) for box in boxes])
        world.set_gravity(scene.table.gravity)  # before the tiles: later it would not reach those asleep
        if is_long:
            leans, between = {scene.pushed: start.lean}, LOOK_STEPS * settings.step
            live = LiveTiles(boxes, start.poses, leans, between, world)
        else:
            live = None
            world.fill()
        return Run(scene, settings, world, start, tell, live).play(self.name)

    def _prepare_floor(self, scene: Scene, boxes: Sequence[Standing]) -> None:
        """A world with nothing in it but the floor, of this table's size and materials.

        It is made anew for every run: tiles that are taken out leave traces, and now and then another last bit.
        """
        floor = _floor_under(boxes, scene.table.size)
        self._p.resetSimulation(physicsClientId=self._client)
        self._shapes.clear()
        shape = self._p.createCollisionShape(
            self._p.GEOM_BOX,
            halfExtents=[floor.half_x * SCALE, floor.half_y * SCALE, FLOOR_DEPTH],
            physicsClientId=self._client,
        )
        self._floor = self._p.createMultiBody(
            0.0,
            shape,
            basePosition=[floor.x * SCALE, floor.y * SCALE, -FLOOR_DEPTH],
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


@dataclass(frozen=True, slots=True)
class _Floor:
    """A box whose top is the table, m."""

    x: float  # its middle
    y: float
    half_x: float
    half_y: float


def _floor_under(boxes: Sequence[Standing], size: tuple[float, float] | None) -> _Floor:
    """The floor for tiles that stand there: the table's, or one that is wide enough for all of them."""
    if size is not None:
        return _Floor(0.0, 0.0, size[0] / 2, size[1] / 2)
    xs, ys = [box.x for box in boxes], [box.y for box in boxes]
    (x, half_x), (y, half_y) = (_stretch(min(values), max(values)) for values in (xs, ys))
    return _Floor(x, y, half_x, half_y)


def _stretch(low: float, high: float) -> tuple[float, float]:
    """The middle and half the length of a floor that reaches from beyond the one place to beyond the other, m."""
    if max(-low, high) <= FLOOR_HALF - FLOOR_ROOM:
        return 0.0, FLOOR_HALF
    middle = FLOOR_RASTER * round((low + high) / 2 / FLOOR_RASTER)
    needed = max(high - middle, middle - low) + FLOOR_ROOM
    return middle, max(FLOOR_HALF, FLOOR_RASTER * math.ceil(needed / FLOOR_RASTER))


class _BulletWorld:
    """The tiles of one run, in scaled lengths inside and metres outside. Not all of them need be there at a time."""

    def __init__(self, p: ModuleType, client: int, scene: Scene, start: Start, shapes: Sequence[int]) -> None:
        self._p = p
        self._client = client
        self._boxes = scene.line.standing()
        self._asleep = start.asleep
        self._shapes = shapes
        self._root = scene.table.friction_of_a_tile
        self._restitution = math.sqrt(scene.table.restitution)
        self._bodies: dict[int, int] = {}
        # Where each tile was last, scaled
        self._poses = [([SCALE * value for value in pose.position], pose.quaternion) for pose in start.poses]

    def fill(self) -> None:
        """Puts all tiles where the run begins."""
        for tile, asleep in enumerate(self._asleep):
            self._put(tile, self._boxes[tile].mass, asleep=asleep)

    def put_in(self, tile: int, *, fixed: bool) -> None:
        """Puts a tile where it was last: immovable, or so that it stays as it is until something reaches it."""
        self._put(tile, 0.0 if fixed else self._boxes[tile].mass, asleep=True)

    def _put(self, tile: int, mass: float, *, asleep: bool) -> None:
        p, (place, turn) = self._p, self._poses[tile]
        body = p.createMultiBody(
            mass,
            self._shapes[tile],
            basePosition=place,
            baseOrientation=turn,
            useMaximalCoordinates=True,
            physicsClientId=self._client,
        )
        self._bodies[tile] = body
        p.changeDynamics(
            body,
            -1,
            lateralFriction=self._root,
            restitution=self._restitution,
            linearDamping=0.0,
            angularDamping=0.0,
            activationState=p.ACTIVATION_STATE_SLEEP if asleep else p.ACTIVATION_STATE_DISABLE_SLEEPING,
            physicsClientId=self._client,
        )

    def take_out(self, tile: int) -> None:
        """Takes a tile out of the world; where it was is kept."""
        body = self._bodies.pop(tile)
        self._poses[tile] = self._p.getBasePositionAndOrientation(body, self._client)
        self._p.removeBody(body, physicsClientId=self._client)

    def fix(self, tile: int) -> None:
        """Makes a tile immovable where it is."""
        self.take_out(tile)
        self.put_in(tile, fixed=True)

    def let_go(self, tile: int, *, fixed: bool) -> None:
        """Sets a tile free, or keeps one that moves from being put to sleep."""
        if fixed:
            self.take_out(tile)
            self.put_in(tile, fixed=False)
        state = self._p.ACTIVATION_STATE_DISABLE_SLEEPING
        self._p.changeDynamics(self._bodies[tile], -1, activationState=state, physicsClientId=self._client)

    def let_sleep(self, tile: int) -> None:
        """Leaves a tile as it is until something reaches it."""
        self._p.resetBaseVelocity(self._bodies[tile], [0, 0, 0], [0, 0, 0], physicsClientId=self._client)
        state = self._p.ACTIVATION_STATE_SLEEP
        self._p.changeDynamics(self._bodies[tile], -1, activationState=state, physicsClientId=self._client)

    def poses(self, tiles: Sequence[int]) -> tuple[list[Vector], list[Quaternion]]:
        """Centres in m and quaternions x y z w."""
        read, client, bodies = self._p.getBasePositionAndOrientation, self._client, self._bodies
        places, turns = zip(
            *[read(bodies[tile], client) if tile in bodies else self._poses[tile] for tile in tiles], strict=True
        )
        return [(x / SCALE, y / SCALE, z / SCALE) for x, y, z in places], list(turns)

    def rates(self, tiles: Sequence[int]) -> Array:
        """Angular velocities."""
        read, client, bodies = self._p.getBaseVelocity, self._client, self._bodies
        return np.array([read(bodies[tile], client)[1] if tile in bodies else STILL for tile in tiles])

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
        a, b = self._bodies.get(one), self._bodies.get(other)
        if a is None or b is None:  # what is not there is far away
            return math.inf
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
