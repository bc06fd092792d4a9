"""A third opinion on aligned rows: rectangles in a plane, blows with Coulomb friction, and no engine.

Moreau's time stepping: between two moments the tiles move freely to the middle of the step; whatever touches there gets
impulses so that nothing goes further into anything, and friction opposes sliding as Coulomb's law says, exactly. Depth
is never corrected. A blow follows one of two laws that leave the tiles the same bounce alone, and differ in how tiles
that are hit at several places at once share it: Newton's, in no time, or stiff springs, in a fifth of a millisecond.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from physics.engine import RunProgress, Settings, Watch, time_limit
from physics.errors import InputError, MissingError
from physics.outcome import Outcome, OutcomeSource
from physics.run import start_of
from physics.scene import Finger, Scene, Spin, Tap
from physics.springs import damping_ratio
from physics.trajectory import Trajectory

PLANAR_STEP = 5e-5  # s, at which verdicts no longer change but for a draw in a thousand
BLOW_TIME = 2e-4  # s that a blow between two equal tiles takes by springs, without anything else that pushes
SPRING_STEPS = 10  # of such a blow, at least
LOOK_TIME = 0.03  # s between two looks at the tiles
SWEEPS = 2_000  # through all contacts, at most
ENOUGH = 1e-10  # m/s: impulses that change speeds by less in a sweep are found
ALIGNED = 1e-9  # m and rad off one line, at most
FLOOR = -1  # what a tile touches that is no tile

try:
    from numba import njit
except ImportError:
    raise MissingError("numba is not installed here (extra {extra}).", extra="lab") from None

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class ImpactLaw(enum.Enum):
    """What happens in a blow."""

    NEWTON = "newton"
    SPRINGS = "springs"


class PlanarEngine:
    """Runs rows whose tiles all look along +x, on a level table, pushed by a released finger, a tap or a spin."""

    def __init__(self, law: ImpactLaw = ImpactLaw.NEWTON) -> None:
        self.name = f"planar, {law.value}"
        self._law = law

    def run(self, scenes: Sequence[Scene], settings: Settings, progress: RunProgress | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes; InputError for one that has no side view or is pushed otherwise."""
        return [self._run(scene, settings, progress) for scene in scenes]

    def _run(self, scene: Scene, settings: Settings, progress: RunProgress | None) -> Outcome:
        _check(scene)
        boxes, tiles, start = scene.line.standing(), _tiles(scene, self._law), start_of(scene)
        step = min(settings.step, BLOW_TIME / SPRING_STEPS) if self._law is ImpactLaw.SPRINGS else settings.step
        places = np.array([(p.position[0], p.position[2], 2 * math.asin(p.quaternion[1])) for p in start.poses])
        speeds = _pushed(scene)
        impulses = np.zeros((len(boxes) * 4 + len(boxes) ** 2 * 4, 2))
        between = LOOK_TIME if settings.record is None else settings.record
        steps = max(1, round(between / step))
        watch, limit = Watch(boxes, settings.to_rest), settings.time_limit or time_limit(scene)
        frames = [(0.0, places.copy(), speeds.copy())]
        now, next_look, is_over = 0.0, 0.0, False
        while not is_over and now < limit:
            _play(places, speeds, impulses, *tiles.numbers, between / steps, steps)
            now += between
            if settings.record is not None:
                frames.append((now, places.copy(), speeds.copy()))
            if now >= next_look - between / 2:
                next_look += LOOK_TIME
                is_over = watch.look(now, np.abs(places[:, 2]).tolist(), [(x, 0.0, z) for x, z, _lean in places])
                if progress is not None:
                    progress(now, watch.down)
        return Outcome(
            fates=watch.fates(),
            fell_at=watch.fell_at(),
            ended=now,
            settled=is_over,
            source=OutcomeSource.SIMULATED,
            engine=self.name,
            step=between / steps,
            trajectory=None if settings.record is None else _trajectory(frames),
        )


@dataclass(frozen=True)
class _Tiles:
    """What does not change in a run, as the loops below need it."""

    halves: Array  # (tiles, 2) m: depth, height
    inverse: Array  # (tiles, 2) 1/kg and 1/(kg m²)
    gravity: float  # m/s²
    friction: float
    tile_friction: float
    restitution: float
    stiffness: float  # N/m; zero for Newton's law
    damping: float  # as a ratio

    @property
    def numbers(self) -> tuple[Array, Array, float, float, float, float, float, float]:
        """All of it, in order."""
        return (
            self.halves,
            self.inverse,
            self.gravity,
            self.friction,
            self.tile_friction,
            self.restitution,
            self.stiffness,
            self.damping,
        )


def _tiles(scene: Scene, law: ImpactLaw) -> _Tiles:
    boxes, table = scene.line.standing(), scene.table
    inertias = [box.mass * (box.depth**2 + box.height**2) / 12 for box in boxes]
    lightest = min(box.mass for box in boxes)
    # Of two free equal tiles half a mass swings; half a swing is the blow.
    stiffness = lightest / 2 * (math.pi / BLOW_TIME) ** 2 if law is ImpactLaw.SPRINGS else 0.0
    return _Tiles(
        np.array([(box.depth / 2, box.height / 2) for box in boxes]),
        np.array([(1 / box.mass, 1 / inertia) for box, inertia in zip(boxes, inertias, strict=True)]),
        -float(table.gravity[2]),
        table.friction,
        table.tile_friction,
        table.restitution,
        stiffness,
        damping_ratio(table.restitution),
    )


def _check(scene: Scene) -> None:
    boxes = scene.line.standing()
    if any(abs(math.sin(box.yaw)) > ALIGNED or abs(box.y - boxes[0].y) > ALIGNED for box in boxes):
        raise InputError("The side view is of rows in which all tiles look along x, none aside.")
    if abs(float(scene.table.gravity[0])) + abs(float(scene.table.gravity[1])) > ALIGNED:
        raise InputError("The side view is of a level table.")
    is_released = isinstance(scene.push, Finger) and start_of(scene).lean >= scene.release_lean(boxes[scene.pushed])
    if not is_released and not isinstance(scene.push, Tap | Spin):
        raise InputError("The side view knows a finger that meets nothing before it lets go, a tap and a spin.")


def _pushed(scene: Scene) -> Array:
    """The speeds at the start, (tiles, 3): along x, up, and turning over towards x."""
    speeds = np.zeros((len(scene.line), 3))
    box, push, way = scene.line.standing()[scene.pushed], scene.push, math.cos(scene.push_yaw)
    if isinstance(push, Tap):
        inertia = box.mass * (box.height**2 + box.depth**2) / 12
        speeds[scene.pushed] = (push.impulse / box.mass, 0.0, push.impulse * (push.height - box.height / 2) / inertia)
    elif isinstance(push, Spin):
        speeds[scene.pushed] = (push.rate * box.height / 2, push.rate * box.depth / 2, push.rate)
    return speeds * (way, 1.0, way)


def _trajectory(frames: Sequence[tuple[float, Array, Array]]) -> Trajectory:
    times, places, speeds = (np.array(each) for each in zip(*frames, strict=True))
    zeros = np.zeros(places.shape[:2])
    half = places[..., 2] / 2
    return Trajectory.whole(
        times,
        np.stack([places[..., 0], zeros, places[..., 1]], axis=-1),
        np.stack([zeros, np.sin(half), zeros, np.cos(half)], axis=-1),
        np.stack([zeros, speeds[..., 2], zeros], axis=-1),
    )


@njit(cache=True)
def _play(
    places: Array,
    speeds: Array,
    impulses: Array,
    halves: Array,
    inverse: Array,
    gravity: float,
    friction: float,
    tile_friction: float,
    restitution: float,
    stiffness: float,
    damping: float,
    step: float,
    steps: int,
) -> None:
    """Moves the tiles on by so many steps, in place; `impulses` are kept from step to step to begin with."""
    most = len(impulses)
    bodies = np.empty((most, 2), np.int64)
    names = np.empty(most, np.int64)
    rows = np.empty((most, 6))  # of each contact: normal x and z, then its turn and that of the way across, of both
    depths = np.empty(most)
    for _step in range(steps):
        places += step / 2 * speeds
        count = _contacts(places, halves, bodies, names, rows, depths)
        _strike(
            speeds, impulses, inverse, bodies[:count], names[:count], rows[:count], depths[:count],
            gravity, friction, tile_friction, restitution, stiffness, damping, step,
        )  # fmt: skip
        places += step / 2 * speeds


@njit(cache=True)
def _contacts(places: Array, halves: Array, bodies: Ints, names: Ints, rows: Array, depths: Array) -> int:
    """Writes down the corners that are in the table or in another tile; returns how many."""
    count, tiles = 0, len(places)
    for tile in range(tiles):
        sin, cos = math.sin(places[tile, 2]), math.cos(places[tile, 2])
        for corner in range(4):
            u = halves[tile, 0] if corner & 1 else -halves[tile, 0]
            w = halves[tile, 1] if corner & 2 else -halves[tile, 1]
            x, z = u * cos + w * sin, -u * sin + w * cos
            if places[tile, 1] + z <= 0.0:
                bodies[count, 0], bodies[count, 1] = tile, FLOOR
                names[count] = tile * 4 + corner
                depths[count] = -(places[tile, 1] + z)
                # A turn moves the corner by (z, -x): up by -x, and to the left, across the normal, by -z.
                rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = 0.0, 1.0, -x, -z
                rows[count, 4] = rows[count, 5] = 0.0
                count += 1
            for other in range(tiles):
                if other == tile:
                    continue
                dx, dz = places[tile, 0] + x - places[other, 0], places[tile, 1] + z - places[other, 1]
                if abs(dx) + abs(dz) > 1.5 * (halves[other, 0] + halves[other, 1]):
                    continue
                other_sin, other_cos = math.sin(places[other, 2]), math.cos(places[other, 2])
                across, along = dx * other_cos - dz * other_sin, dx * other_sin + dz * other_cos
                beyond_side, beyond_end = abs(across) - halves[other, 0], abs(along) - halves[other, 1]
                if beyond_side > 0.0 or beyond_end > 0.0:
                    continue
                if beyond_side >= beyond_end:
                    sign = 1.0 if across > 0 else -1.0
                    nx, nz, depth = sign * other_cos, -sign * other_sin, -beyond_side
                else:
                    sign = 1.0 if along > 0 else -1.0
                    nx, nz, depth = sign * other_sin, sign * other_cos, -beyond_end
                bodies[count, 0], bodies[count, 1] = tile, other
                names[count] = tiles * 4 + (tile * tiles + other) * 4 + corner
                depths[count] = depth
                rows[count, 0], rows[count, 1] = nx, nz
                rows[count, 2], rows[count, 3] = nx * z - nz * x, -nz * z - nx * x
                rows[count, 4], rows[count, 5] = nx * dz - nz * dx, -nz * dz - nx * dx
                count += 1
    return count


@njit(cache=True)
def _strike(
    speeds: Array,
    impulses: Array,
    inverse: Array,
    bodies: Ints,
    names: Ints,
    rows: Array,
    depths: Array,
    gravity: float,
    friction: float,
    tile_friction: float,
    restitution: float,
    stiffness: float,
    damping: float,
    step: float,
) -> None:
    """Gravity's part of the step, and the impulses of all contacts, found one after another until nothing changes."""
    count = len(bodies)
    before = np.empty(count)
    masses = np.empty((count, 2))  # 1/kg along the normal and across it
    give = np.zeros((count, 2))  # of a spring: what it adds to 1/mass, and the speed it pushes apart with
    for k in range(count):
        before[k] = min(0.0, _speed(speeds, bodies, rows, k, 0))
        for way in range(2):
            masses[k, way] = 0.0
            for side in range(2):
                body = bodies[k, side]
                if body >= 0:
                    turn = rows[k, 2 + 2 * side + way]
                    masses[k, way] += inverse[body, 0] + turn * turn * inverse[body, 1]
        if stiffness > 0.0:
            resistance = 2 * damping * math.sqrt(stiffness / masses[k, 0])
            softness = 1.0 / (step * (step * stiffness + resistance))
            give[k, 0] = softness
            give[k, 1] = softness * step * stiffness * depths[k]
    kept = np.zeros((count, 2))
    for k in range(count):
        kept[k] = impulses[names[k]]
    impulses[:] = 0.0
    for tile in range(len(speeds)):
        speeds[tile, 1] -= step * gravity
    for k in range(count):
        for way in range(2):
            _push(speeds, inverse, bodies, rows, k, way, kept[k, way])
    for _sweep in range(SWEEPS):
        changed = 0.0
        for k in range(count):
            if stiffness > 0.0:
                wanted = give[k, 1] - _speed(speeds, bodies, rows, k, 0) - give[k, 0] * kept[k, 0]
            else:
                wanted = -restitution * before[k] - _speed(speeds, bodies, rows, k, 0)
            new = max(0.0, kept[k, 0] + wanted / (masses[k, 0] + give[k, 0]))
            _push(speeds, inverse, bodies, rows, k, 0, new - kept[k, 0])
            changed = max(changed, abs(new - kept[k, 0]) * masses[k, 0])
            kept[k, 0] = new
            most = new * (friction if bodies[k, 1] == FLOOR else tile_friction)
            sliding = _speed(speeds, bodies, rows, k, 1)
            new = min(most, max(-most, kept[k, 1] - sliding / masses[k, 1]))
            _push(speeds, inverse, bodies, rows, k, 1, new - kept[k, 1])
            changed = max(changed, abs(new - kept[k, 1]) * masses[k, 1])
            kept[k, 1] = new
        if changed < ENOUGH:
            break
    for k in range(count):
        impulses[names[k]] = kept[k]


@njit(cache=True)
def _speed(speeds: Array, bodies: Ints, rows: Array, k: int, way: int) -> float:
    """How fast two tiles part at a contact: along its normal, or across it."""
    x, z = (rows[k, 0], rows[k, 1]) if way == 0 else (-rows[k, 1], rows[k, 0])
    one, other = bodies[k, 0], bodies[k, 1]
    found: float = x * speeds[one, 0] + z * speeds[one, 1] + rows[k, 2 + way] * speeds[one, 2]
    if other >= 0:
        found -= x * speeds[other, 0] + z * speeds[other, 1] + rows[k, 4 + way] * speeds[other, 2]
    return found


@njit(cache=True)
def _push(speeds: Array, inverse: Array, bodies: Ints, rows: Array, k: int, way: int, impulse: float) -> None:
    """Gives both tiles of a contact that impulse: along its normal, or across it."""
    x, z = (rows[k, 0], rows[k, 1]) if way == 0 else (-rows[k, 1], rows[k, 0])
    for side in range(2):
        body = bodies[k, side]
        if body >= 0:
            part = impulse if side == 0 else -impulse
            speeds[body, 0] += part * x * inverse[body, 0]
            speeds[body, 1] += part * z * inverse[body, 0]
            speeds[body, 2] += part * rows[k, 2 + 2 * side + way] * inverse[body, 1]
