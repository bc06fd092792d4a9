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
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

import numpy as np
import numpy.typing as npt

from physics.engine import LOOK, Settings, Tell, Watch, finger_rate, time_limit
from physics.errors import EngineError, MissingError
from physics.line import Standing
from physics.outcome import Outcome, Trajectory, leans_of
from physics.pose import Pose, boxes_touch, leaning_pose, standing_pose
from physics.scene import Finger, Press, Scene, Spin, Tap, Tilt

SCALE = 20.0
CONTACT_BREAKING = 0.005  # scaled m: 0.25 mm
CONTACT_ERP = 0.02  # share of a contact's depth that is taken back per step
RESIDUAL = 0.1  # scaled m²/s⁴: the solver stops at this times the step squared, far below what gravity adds in a step
NEARLY = 1e-4  # m: the finger slows down this far before it touches
ITERATIONS = 50
FLOOR_HALF = 1_000.0  # scaled m, for a table without an edge
FLOOR_DEPTH = 5.0  # scaled m
LEAST_ROOT_FRICTION = 1e-4  # Bullet multiplies the frictions of a pair, so a smooth tile cannot have exactly none
HEAVY = 1e3  # how much heavier a tile is while the finger holds it, so that nothing pushes the finger back
PRESS_TIME = 2.0  # s, how long a steady force is held
CALM = math.radians(0.5)  # rad of lean below which a tile on a tilting table has not begun to fall
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

    def run(self, scenes: Sequence[Scene], settings: Settings, tell: Tell | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes; EngineError when a tile flies off to nowhere."""
        return [self._run(scene, settings, tell) for scene in scenes]

    def _run(self, scene: Scene, settings: Settings, tell: Tell | None) -> Outcome:
        self._prepare_world(scene, settings.step)
        run = _Run(self._p, self._client, scene, settings, tell)
        try:
            run.build(self._shape)
            return run.play()
        finally:
            run.clear()
            self._runs_left -= 1

    def _prepare_world(self, scene: Scene, step: float) -> None:
        if self._runs_left <= 0 or scene.table.size != self._floor_size:
            self._p.resetSimulation(physicsClientId=self._client)
            self._shapes.clear()
            self._runs_left = RUNS_PER_WORLD
            self._floor_size = scene.table.size
            size = scene.table.size
            x, y = (FLOOR_HALF, FLOOR_HALF) if size is None else (size[0] * SCALE / 2, size[1] * SCALE / 2)
            floor = self._p.createCollisionShape(
                self._p.GEOM_BOX, halfExtents=[x, y, FLOOR_DEPTH], physicsClientId=self._client
            )
            self._floor = self._p.createMultiBody(
                0.0,
                floor,
                basePosition=[0.0, 0.0, -FLOOR_DEPTH],
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
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
        root = _root_friction(scene)
        self._p.changeDynamics(
            self._floor,
            -1,
            lateralFriction=scene.table.friction / root,
            restitution=math.sqrt(scene.table.restitution),
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


def _root_friction(scene: Scene) -> float:
    """The friction given to a tile, so that two tiles multiply to the tile-tile friction."""
    return max(math.sqrt(scene.table.tile_friction), LEAST_ROOT_FRICTION)


class _Run:
    """One scene in the engine's world."""

    def __init__(self, p: ModuleType, client: int, scene: Scene, settings: Settings, tell: Tell | None) -> None:
        self._tell = tell
        self._p = p
        self._client = client
        self._scene = scene
        self._settings = settings
        self._boxes = scene.line.standing()
        self._pushed = scene.pushed
        self._bodies: list[int] = []
        self._gravity = scene.table.gravity
        self._release = scene.release_lean(self._boxes[self._pushed])
        self._held_lean = 0.0  # rad, where the finger has brought the tile
        self._tilted = 0.0  # rad, what the push added to the table's tilt
        self._calm_tilt = 0.0  # rad, up to which nothing leant
        self._frames: list[tuple[float, Array, Array, Array]] = []
        self._watch = Watch(self._boxes, settings.to_rest)
        self._floor_gone = max(box.height for box in self._boxes)  # m below the table
        self._time = 0.0
        self._keep_pushing: Callable[[], None] | None = None  # what the push does before every step

    def build(self, shape: Callable[[Standing], int]) -> None:
        """Puts the tiles into the world and sets the pushed one going."""
        p, scene = self._p, self._scene
        root = _root_friction(scene)
        restitution = math.sqrt(scene.table.restitution)
        may_sleep = self._nothing_but_the_push_moves()
        self._set_gravity()
        start = self._starting_lean()
        for index, box in enumerate(self._boxes):
            pose = leaning_pose(box, scene.push_yaw, start) if index == self._pushed else standing_pose(box)
            body = p.createMultiBody(
                box.mass,
                shape(box),
                basePosition=[SCALE * value for value in pose.position],
                baseOrientation=pose.quaternion,
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
            self._bodies.append(body)
            asleep = may_sleep and index != self._pushed
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
        self._start_push(start)

    def clear(self) -> None:
        """Takes the tiles out of the world."""
        for body in self._bodies:
            self._p.removeBody(body, physicsClientId=self._client)

    def play(self) -> Outcome:
        """Steps until there is nothing more to wait for."""
        step, limit = self._settings.step, self._settings.time_limit or time_limit(self._scene)
        record = self._settings.record
        look_every = max(1, round(LOOK / step))
        record_every = None if record is None else max(1, round(record / step))
        count, settled = 0, self._look(record is not None) and self._keep_pushing is None
        while not settled and self._time < limit:
            if self._keep_pushing is not None:
                self._keep_pushing()
            self._p.stepSimulation(physicsClientId=self._client)
            count += 1
            self._time += step
            recording = record_every is not None and count % record_every == 0
            if recording or count % look_every == 0:
                settled = self._look(recording) and self._keep_pushing is None
        return Outcome(
            fates=self._watch.fates(),
            fell_at=self._watch.fell_at(),
            ended=self._time,
            settled=settled,
            engine=BulletEngine.name,
            step=step,
            tilted=self._calm_tilt if self._watch.down else self._tilted,
            trajectory=self._trajectory(),
        )

    def _nothing_but_the_push_moves(self) -> bool:
        """Whether untouched tiles surely stay as they are, so that they may sleep until something reaches them."""
        level = bool(np.allclose(self._gravity[:2], 0.0))
        return level and not isinstance(self._scene.push, Tilt | Press)

    def _starting_lean(self) -> float:
        """How far the pushed tile leans at the start: up to its release, or until it is about to touch another."""
        box, towards = self._boxes[self._pushed], self._scene.push_yaw
        clear, blocked = 0.0, self._release
        if not self._touches_others(leaning_pose(box, towards, self._release)):
            return self._release
        while blocked - clear > 1e-3:
            middle = (clear + blocked) / 2
            if self._touches_others(leaning_pose(box, towards, middle)):
                blocked = middle
            else:
                clear = middle
        return clear

    def _touches_others(self, pose: Pose) -> bool:
        box = self._boxes[self._pushed]
        reach = math.hypot(box.height, box.breadth) + box.depth
        return any(
            math.hypot(other.x - box.x, other.y - box.y) < reach + other.reach
            and boxes_touch(box, pose, other, standing_pose(other), NEARLY)
            for index, other in enumerate(self._boxes)
            if index != self._pushed
        )

    def _start_push(self, start: float) -> None:
        """Gives the pushed tile what sets it going."""
        box, push = self._boxes[self._pushed], self._scene.push
        match push:
            case Finger():
                if start < self._release:
                    self._held_lean = start
                    self._set_mass(box.mass * HEAVY)
                    self._keep_pushing = self._drive
            case Tap():
                self._strike(push.impulse, push.height)
                self._turn_about_edge(self._half_step_rate(box))
            case Spin():
                self._turn_about_edge(push.rate + self._half_step_rate(box))
            case Tilt():
                self._keep_pushing = self._tilt_further
            case Press():
                self._keep_pushing = self._press

    def _half_step_rate(self, box: Standing) -> float:
        """Bullet takes gravity into account before it moves, so a rate given at the start is half a step behind."""
        inertia = (box.height**2 + box.depth**2) / 3
        return self._settings.step / 2 * -float(self._gravity[2]) * box.depth / 2 / inertia

    def _turn_about_edge(self, rate: float) -> None:
        """Adds a turning of the upright pushed tile about its lower front edge, rad/s."""
        self._add_motion(rate * self._boxes[self._pushed].height / 2, rate, rate * self._boxes[self._pushed].depth / 2)

    def _add_motion(self, forward: float, turning: float, up: float = 0.0) -> None:
        """Adds velocities to the pushed tile: along the push and upwards (m/s), and turning over (rad/s)."""
        body, yaw = self._bodies[self._pushed], self._scene.push_yaw
        linear, angular = self._p.getBaseVelocity(body, physicsClientId=self._client)
        cos, sin = math.cos(yaw), math.sin(yaw)
        added = (SCALE * forward * cos, SCALE * forward * sin, SCALE * up)
        turned = (-turning * sin, turning * cos, 0.0)
        self._p.resetBaseVelocity(
            body,
            [a + b for a, b in zip(linear, added, strict=True)],
            [a + b for a, b in zip(angular, turned, strict=True)],
            physicsClientId=self._client,
        )

    def _set_mass(self, mass: float) -> None:
        self._p.changeDynamics(self._bodies[self._pushed], -1, mass=mass, physicsClientId=self._client)

    def _set_gravity(self) -> None:
        self._p.setGravity(*(SCALE * self._gravity).tolist(), physicsClientId=self._client)

    def _drive(self) -> None:
        """The finger tilts the pushed tile a little further against those it leans on, then lets go at rest."""
        body, box = self._bodies[self._pushed], self._boxes[self._pushed]
        step, yaw = self._settings.step, self._scene.push_yaw
        if self._held_lean >= self._release:
            self._set_mass(box.mass)
            self._p.resetBaseVelocity(body, [0.0] * 3, [0.0] * 3, physicsClientId=self._client)
            self._keep_pushing = None
            return
        lean = min(self._held_lean + finger_rate(box) * step, self._release)
        turning = (lean - self._held_lean) / step
        # The chord to where the centre will be holds the tile on its edge; the finger also carries its weight.
        here = leaning_pose(box, yaw, self._held_lean).position
        there = leaning_pose(box, yaw, lean).position
        weight = (self._gravity * step).tolist()
        self._p.resetBaseVelocity(
            body,
            [SCALE * ((b - a) / step - g) for a, b, g in zip(here, there, weight, strict=True)],
            [-turning * math.sin(yaw), turning * math.cos(yaw), 0.0],
            physicsClientId=self._client,
        )
        self._held_lean = lean

    def _tilt_further(self) -> None:
        """Tilts the table towards the far end of the row, until something falls or the limit is reached."""
        push, yaw = self._scene.push, self._scene.push_yaw
        assert isinstance(push, Tilt)
        if self._watch.down or self._tilted >= push.limit:
            self._keep_pushing = None
            return
        self._tilted = min(push.limit, self._tilted + push.rate * self._settings.step)
        level = self._scene.table.gravity
        forward = np.array([math.cos(yaw), math.sin(yaw), 0.0])
        along, down = float(level @ forward), float(level[2])
        cos, sin = math.cos(self._tilted), math.sin(self._tilted)
        across = level - along * forward - np.array([0.0, 0.0, down])
        self._gravity = across + (along * cos - down * sin) * forward
        self._gravity = self._gravity + np.array([0.0, 0.0, down * cos + along * sin])
        self._set_gravity()

    def _press(self) -> None:
        """One step of the steady force, as a small blow: Bullet leaves torques of forces out of its friction."""
        push = self._scene.push
        assert isinstance(push, Press)
        if self._watch.down or self._time > PRESS_TIME:
            self._keep_pushing = None
            return
        self._strike(push.force * self._settings.step, push.height)

    def _strike(self, impulse: float, height: float) -> None:
        """A horizontal blow (N·s) on the rear face of the pushed tile at that height above its foot (m)."""
        box = self._boxes[self._pushed]
        inertia = box.mass * (box.height**2 + box.depth**2) / 12
        self._add_motion(impulse / box.mass, impulse * (height - box.height / 2) / inertia)

    def _look(self, recording: bool) -> bool:
        """Reads all tiles; True when there is nothing more to wait for."""
        poses = [self._p.getBasePositionAndOrientation(body, physicsClientId=self._client) for body in self._bodies]
        places = np.array([pose[0] for pose in poses]) / SCALE
        quaternions = np.array([pose[1] for pose in poses])
        if not np.isfinite(places).all():
            raise EngineError(
                "The simulation broke down after {time} s: a tile has no place.", time=f"{self._time:.3f}"
            )
        if recording:
            rates = [self._p.getBaseVelocity(body, physicsClientId=self._client)[1] for body in self._bodies]
            self._frames.append((self._time, places.copy(), quaternions, np.array(rates)))
        leans = leans_of(quaternions)
        off = places[:, 2] < -self._floor_gone
        leans[off], places[off] = math.pi / 2, 0.0  # over the edge: fallen, wherever it ends
        if float(leans.max()) < CALM:
            self._calm_tilt = self._tilted
        nothing_more = self._watch.look(self._time, leans, places)
        if self._tell is not None:
            self._tell(self._time, self._watch.down)
        return nothing_more

    def _trajectory(self) -> Trajectory | None:
        if not self._frames:
            return None
        times, places, quaternions, rates = zip(*self._frames, strict=True)
        return Trajectory(np.array(times), np.array(places), np.array(quaternions), np.array(rates))
