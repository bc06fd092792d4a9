"""One run of a scene in some engine's world: sets the push going, steps, looks, and knows when to stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from physics.blows import Blows
from physics.engine import LOOK_STEPS, RunProgress, Settings, Watch, time_limit
from physics.errors import EngineError, Number
from physics.line import Standing
from physics.live_tiles import LiveTiles
from physics.outcome import Outcome, OutcomeSource
from physics.pose import Pose, Quaternion, Vector, boxes_touch, leaning_pose, standing_pose
from physics.scene import Finger, Press, Scene, Spin, Tap, Tilt
from physics.tile_theory import GRAVITY
from physics.trajectory import Recorder

NEARLY = 1e-4  # m: the finger slows down this far before it touches
HELD_MASS = 1e3  # times its own, of a tile that the finger holds: nothing shall push the finger back
FINGER_PACE = 0.02  # of √(g/h): slow against the tile's own falling
PRESS_TIME = 2.0  # s, how long a steady force is held
CALM = math.radians(0.5)  # rad of lean below which a tile on a tilting table has not begun to fall

Array = npt.NDArray[np.float64]


class World(Protocol):
    """What a run needs of an engine: tiles by their index in the line, metres and seconds."""

    def poses(self, tiles: Sequence[int]) -> tuple[list[Vector], list[Quaternion]]:
        """Centres and quaternions x y z w of these tiles."""

    def rates(self, tiles: Sequence[int]) -> Array:
        """Angular velocities of these tiles in the table's frame, (tiles, 3)."""

    def velocity(self, tile: int) -> tuple[Vector, Vector]:
        """A tile's linear and angular velocity."""

    def set_velocity(self, tile: int, linear: Vector, angular: Vector) -> None:
        """Gives a tile that motion."""

    def set_held(self, tile: int, held: bool) -> None:
        """Makes a tile as good as immovable for others while a finger holds it, or sets it free."""

    def set_gravity(self, gravity: Array) -> None:
        """Turns gravity."""

    def gap(self, one: int, other: int, most: float) -> float:
        """The free air between two tiles; infinite when it is more than that."""

    def set_step(self, step: float) -> None:
        """Makes the steps from now on so long, s."""

    def step(self) -> None:
        """One step of time."""


@dataclass(frozen=True)
class Start:
    """How a run begins."""

    poses: tuple[Pose, ...]
    lean: float  # rad, of the pushed tile
    asleep: tuple[bool, ...]  # tiles that surely stay as they are until something reaches them


def start_of(scene: Scene) -> Start:
    """The poses at the start: the pushed tile leans up to its release, or until it is about to touch another."""
    boxes, pushed = scene.line.standing(), scene.pushed
    lean = _starting_lean(scene, boxes)
    poses = [standing_pose(box) for box in boxes]
    poses[pushed] = leaning_pose(boxes[pushed], scene.push_yaw, lean)
    still = bool(np.allclose(scene.table.gravity[:2], 0.0)) and not isinstance(scene.push, Tilt | Press)
    return Start(tuple(poses), lean, tuple(still and index != pushed for index in range(len(boxes))))


def _starting_lean(scene: Scene, boxes: tuple[Standing, ...]) -> float:
    pushed = scene.pushed
    box = boxes[pushed]
    reach = math.hypot(box.height, box.breadth) + box.depth
    near = [
        (other, standing_pose(other))
        for index, other in enumerate(boxes)
        if index != pushed and math.hypot(other.x - box.x, other.y - box.y) < reach + other.reach
    ]

    def touches(lean: float) -> bool:
        pose = leaning_pose(box, scene.push_yaw, lean)
        return any(boxes_touch(box, pose, other, standing, NEARLY) for other, standing in near)

    clear, blocked = 0.0, scene.release_lean(box)
    if not touches(blocked):
        return blocked
    while blocked - clear > 1e-3:
        middle = (clear + blocked) / 2
        clear, blocked = (clear, middle) if touches(middle) else (middle, blocked)
    return clear


class Run:
    """One scene being played in a world that has its table's gravity and holds its tiles as `start_of` has them."""

    def __init__(
        self,
        scene: Scene,
        settings: Settings,
        world: World,
        start: Start,
        tell: RunProgress | None,
        live: LiveTiles | None = None,
    ) -> None:
        """`live` says which tiles take part, where it is not always all of them."""
        self._scene = scene
        self._live = live
        self._settings = settings
        self._world = world
        self._tell = tell
        self._boxes = scene.line.standing()
        self._pushed = scene.pushed
        self._box = self._boxes[self._pushed]
        self._yaw = scene.push_yaw
        self._gravity = scene.table.gravity
        self._release = scene.release_lean(self._box)
        self._held_lean = start.lean  # rad, where the finger has brought the tile
        self._held_at = start.poses[self._pushed].position
        self._weight: list[float] = self._gravity.tolist()
        self._tilted = 0.0  # rad, what the push added to the table's tilt
        self._calm_tilt = 0.0  # rad, up to which nothing leant
        self._recorder = Recorder()
        self._looked_at: Sequence[int] = range(len(self._boxes))
        self._seen: tuple[Sequence[float], Sequence[Vector]] = (), ()  # leans and places in the last look
        self._watch = Watch(self._boxes, settings.to_rest)
        self._floor_gone = max(box.height for box in self._boxes)  # m below the table
        self._time = 0.0
        self._step = settings.step  # s, of the step under way
        self._blows = Blows(self._boxes, start.asleep, settings.step, world.gap) if settings.parts > 1 else None
        self._keep_pushing: Callable[[], None] | None = None  # what the push does before every step

    def play(self, engine_name: str) -> Outcome:
        """Pushes, and steps until there is nothing more to wait for; EngineError when a tile is lost."""
        self._start_push()
        step, limit = self._settings.step, self._settings.time_limit or time_limit(self._scene)
        record = self._settings.record
        record_every = None if record is None else max(1, round(record / step))
        if self._live is not None:
            linear, angular = self._world.velocity(self._pushed)
            self._live.begin(math.hypot(*linear) + math.hypot(*angular) * self._box.height)
        count, settled = 0, self._look(recording=record is not None) and self._keep_pushing is None
        while not settled and self._time < limit:
            self._tick(count)
            count += 1
            self._time = count * step
            recording = record_every is not None and count % record_every == 0
            is_time_to_look = count % LOOK_STEPS == 0
            if recording or is_time_to_look:
                settled = self._look(recording=recording) and self._keep_pushing is None
                if self._live is not None and is_time_to_look:
                    self._follow(self._live, count)
        return Outcome(
            fates=self._watch.fates(),
            fell_at=self._watch.fell_at(),
            ended=self._time,
            settled=settled,
            source=OutcomeSource.SIMULATED,
            engine=engine_name,
            step=step,
            tilted=self._calm_tilt if self._watch.down else self._tilted,
            trajectory=self._recorder.trajectory(),
        )

    def _tick(self, count: int) -> None:
        """One step of the run, or several short ones where tiles strike one another."""
        parts = self._settings.parts if self._blows is not None and self._blows.are_near(count) else 1
        if self._step != self._settings.step / parts:
            self._step = self._settings.step / parts
            self._world.set_step(self._step)
        for _part in range(parts):
            if self._keep_pushing is not None:
                self._keep_pushing()
            self._world.step()

    def _start_push(self) -> None:
        """Gives the pushed tile what sets it going."""
        push = self._scene.push
        match push:
            case Finger():
                if self._held_lean < self._release:
                    self._world.set_held(self._pushed, True)
                    self._keep_pushing = self._drive
            case Tap():
                self._strike(push.impulse, push.height)
                self._turn_about_edge(self._half_step_rate())
            case Spin():
                self._turn_about_edge(push.rate + self._half_step_rate())
            case Tilt():
                self._keep_pushing = self._tilt_further
            case Press():
                self._keep_pushing = self._press

    def _half_step_rate(self) -> float:
        """Engines take gravity into account before they move, so a rate given at the start is half a step behind."""
        inertia = (self._box.height**2 + self._box.depth**2) / 3
        return self._settings.step / 2 * -float(self._gravity[2]) * self._box.depth / 2 / inertia

    def _turn_about_edge(self, rate: float) -> None:
        """Adds a turning of the upright pushed tile about its lower front edge, rad/s."""
        self._add_motion(rate * self._box.height / 2, rate, rate * self._box.depth / 2)

    def _strike(self, impulse: float, height: float) -> None:
        """A horizontal blow (N·s) on the rear face of the pushed tile at that height above its foot (m)."""
        inertia = self._box.mass * (self._box.height**2 + self._box.depth**2) / 12
        self._add_motion(impulse / self._box.mass, impulse * (height - self._box.height / 2) / inertia)

    def _add_motion(self, forward: float, turning: float, up: float = 0.0) -> None:
        """Adds velocities to the pushed tile: along the push and upwards (m/s), and turning over (rad/s)."""
        (vx, vy, vz), (wx, wy, wz) = self._world.velocity(self._pushed)
        cos, sin = math.cos(self._yaw), math.sin(self._yaw)
        self._world.set_velocity(
            self._pushed,
            (vx + forward * cos, vy + forward * sin, vz + up),
            (wx - turning * sin, wy + turning * cos, wz),
        )

    def _drive(self) -> None:
        """The finger tilts the pushed tile a little further against those it leans on, then lets go at rest."""
        step, yaw = self._step, self._yaw
        if self._held_lean >= self._release:
            self._world.set_held(self._pushed, False)
            self._world.set_velocity(self._pushed, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            self._keep_pushing = None
            return
        pace = FINGER_PACE * math.sqrt(GRAVITY / self._box.height)
        lean = min(self._held_lean + pace * step, self._release)
        turning = (lean - self._held_lean) / step
        # The chord to where the centre will be holds the tile on its edge; the finger also carries its weight.
        there = leaning_pose(self._box, yaw, lean).position
        vx, vy, vz = ((b - a) / step - g * step for a, b, g in zip(self._held_at, there, self._weight, strict=True))
        self._world.set_velocity(self._pushed, (vx, vy, vz), (-turning * math.sin(yaw), turning * math.cos(yaw), 0.0))
        self._held_at = there
        self._held_lean = lean

    def _tilt_further(self) -> None:
        """Tilts the table towards the far end of the row, until something falls or the limit is reached."""
        push, yaw = self._scene.push, self._yaw
        assert isinstance(push, Tilt)
        if self._watch.down or self._tilted >= push.limit:
            self._keep_pushing = None
            return
        self._tilted = min(push.limit, self._tilted + push.rate * self._step)
        level = self._scene.table.gravity
        forward = np.array([math.cos(yaw), math.sin(yaw), 0.0])
        upward = np.array([0.0, 0.0, 1.0])
        along, up = float(level @ forward), float(level[2])
        cos, sin = math.cos(self._tilted), math.sin(self._tilted)
        across = level - along * forward - up * upward
        self._gravity = across + (along * cos - up * sin) * forward + (up * cos + along * sin) * upward
        self._world.set_gravity(self._gravity)

    def _press(self) -> None:
        """One step of the steady force, as a small blow: Bullet leaves torques of forces out of its friction."""
        push = self._scene.push
        assert isinstance(push, Press)
        if self._watch.down or self._time > PRESS_TIME:
            self._keep_pushing = None
            return
        self._strike(push.force * self._step, push.height)

    def _look(self, *, recording: bool) -> bool:
        """Reads all tiles that can have moved; True when there is nothing more to wait for."""
        tiles = self._looked_at
        places, quaternions = self._world.poses(tiles)
        if not math.isfinite(sum(x + y + z for x, y, z in places)):
            raise EngineError(
                "The simulation broke down after {time} s: a tile has no place.", time=Number(f"{self._time:.3f}")
            )
        if recording:
            poses = np.concatenate([np.array(places), np.array(quaternions), self._world.rates(tiles)], axis=1)
            self._recorder.note(self._time, tiles, poses)
        leans = [2 * math.asin(min(1.0, math.hypot(x, y))) for x, y, _z, _w in quaternions]
        self._seen = leans, tuple(places)
        for index, (_x, _y, z) in enumerate(places):
            if z < -self._floor_gone:  # over the edge: fallen, wherever it ends
                leans[index], places[index] = math.pi / 2, (0.0, 0.0, 0.0)
        if self._tilted and max(leans) < CALM:
            self._calm_tilt = self._tilted
        nothing_more = self._watch.look(self._time, leans, places, tiles)
        if self._blows is not None:
            self._blows.leave_out(self._watch.lying)
        if self._tell is not None:
            self._tell(self._time, self._watch.down)
        return nothing_more

    def _follow(self, live: LiveTiles, tick: int) -> None:
        """Has tiles take part or not, as the last look at them asks for."""
        leans, places = self._seen
        live.follow(self._time, self._looked_at, leans, places)
        self._looked_at = live.tiles
        if self._blows is not None:
            self._blows.note_still(live.fixed)
            self._blows.note_moving(live.freed, tick)
