"""Friction and restitution of real tiles: from tilt tests, and from falls whose times per tile were recorded.

A tile that slides on a slope of angle a has the friction tan a; one that tips first only shows that it has at least as
much. A fall is compared with simulated ones: the runs draw materials, places and push, a smooth model of the times is
fitted to them, and what the model leaves unexplained is the error that the materials are known with. A wave's speed
tells the friction of tile on tile; the table's friction and the restitution hardly show in it, and the answer says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from physics.engine import Engine, Settings
from physics.errors import InputError, Number, SceneError
from physics.fields import shown
from physics.line import Line, Placement
from physics.noise import draw
from physics.record import read_record
from physics.scene import Finger, Noise, Scene, Table
from physics.tiles import Stance, load_set

Array = npt.NDArray[np.float64]

Z95 = 1.959964
ANGLE_ERROR = 0.5  # degrees, of a telephone laid on the board
TRIAL_SCATTER = 0.06  # relative, of friction from one trial to the next; what is believed before there are several
TRIAL_WEIGHT = 3  # trials that this belief is worth
RUNS = 192  # simulated falls for each recorded one
RECORD = 4e-3  # s between two looks at a simulated fall
MIN_FALLEN = 4  # tiles, from which on a fall has a speed
MAX_TIMES = 12  # of a long row that are compared
MODEL_DOUBT = 0.01  # relative: engines differ by this much in a wave's speed
MAX_WIDTH_LEFT = 0.6  # of the width it had before: a narrower interval counts as measured by the falls
TILE_FRICTION, FRICTION, RESTITUTION = (0.03, 0.80), (0.12, 1.20), (0.0, 0.70)  # what is thought possible
GRID = (49, 13, 13)
PLACES = Noise(friction=0.0, restitution=0.0)  # what is not known of a recorded fall but its materials


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its spread: the interval that holds it with 95 %."""

    value: float
    low: float
    high: float
    is_informative: bool = True  # whether the measurement narrowed what was known before

    @property
    def relative(self) -> float:
        """The spread as a relative standard deviation, as a line file's noise states it."""
        return (self.high - self.low) / (2 * Z95 * self.value) if self.value > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Trial:
    """One slow tilt: the angle at which the tile went, and how."""

    angle: float  # rad
    slid: bool  # False: it tipped


@dataclass(frozen=True, slots=True)
class Fall:
    """A fall as it was recorded: what stood there, and when each tile passed its tipping angle."""

    scene: Scene
    fell_at: tuple[float | None, ...]  # s
    time_error: float  # s, standard deviation of a time


@dataclass(frozen=True, slots=True)
class Material:
    """What measurements say; None: nothing."""

    tile_friction: Estimate | None = None
    friction: Estimate | None = None
    restitution: Estimate | None = None


def friction_of(trials: Sequence[Trial], angle_error: float = math.radians(ANGLE_ERROR)) -> Estimate:
    """The friction that tilt tests show; only a lower bound, with no upper one, where the tile always tipped.

    InputError when there is no trial, or when trials contradict one another.
    """
    if not trials:
        raise InputError("A tilt test needs at least one trial.")
    slid = np.tan([trial.angle for trial in trials if trial.slid])
    tipped = [trial.angle for trial in trials if not trial.slid]
    bound = math.tan(max(0.0, max(tipped) - Z95 * angle_error)) if tipped else 0.0
    if not len(slid):
        return Estimate(math.tan(max(tipped)), bound, math.inf)
    mean = float(slid.mean())
    freedom = TRIAL_WEIGHT + len(slid) - 1
    scatter = (TRIAL_WEIGHT * (TRIAL_SCATTER * mean) ** 2 + float(((slid - mean) ** 2).sum())) / freedom
    # The instrument errs alike in every trial, so that more trials do not help against it.
    spread = _student(freedom) * math.sqrt(scatter / len(slid) + (angle_error * (1 + mean**2)) ** 2)
    if mean + spread < bound:
        raise InputError(
            "The trials contradict one another: a friction of {friction} by those that slid, at least {bound} by those "
            "that tipped.",
            friction=Number(f"{mean:.2f}"),
            bound=Number(f"{bound:.2f}"),
        )
    return Estimate(mean, max(0.0, mean - spread, min(bound, mean)), mean + spread)


def _student(freedom: int) -> float:
    """How many standard errors hold 95 % with so few trials: the first terms of its series about the normal's."""
    z = Z95
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def material_of(
    falls: Sequence[Fall],
    engine: Engine,
    *,
    known: Material | None = None,
    runs: int = RUNS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Material:
    """What recorded falls say of the materials, beside what tilt tests have said already.

    InputError when there is no fall, when too few tiles fell, or when hardly any simulated fall resembles a recorded.
    """
    if not falls:
        raise InputError("Friction from falls needs at least one recorded fall.")
    measured = known or Material()
    axes = (
        _axis(TILE_FRICTION, measured.tile_friction, np.linspace(*TILE_FRICTION, GRID[0])),
        _axis(FRICTION, measured.friction, np.geomspace(*FRICTION, GRID[1])),
        np.linspace(*RESTITUTION, GRID[2]),
    )
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    before = sum(
        (_log_belief(points[:, k], given) for k, given in enumerate((measured.tile_friction, measured.friction))),
        np.zeros(len(points)),
    )
    after = before.copy()
    for index, fall in enumerate(falls):

        def tell(done: int, at: int = index) -> None:
            if progress is not None:
                progress(at * runs + done, len(falls) * runs)

        after += _log_likelihood(fall, model_of(fall, engine, runs, seed, tell), points)
    prior, posterior = _weights(before), _weights(after)
    found = [_estimate(axis, _margin(posterior, k), _margin(prior, k)) for k, axis in enumerate(axes)]
    return Material(*found)


def _axis(limits: tuple[float, float], given: Estimate | None, usual: Array) -> Array:
    """The values to compare: as usual, or finely around what a tilt test has said."""
    if given is None or math.isinf(given.high):
        return usual
    reach = given.high - given.low
    low, high = max(limits[0], given.value - reach), min(limits[1], given.value + reach)
    return np.linspace(low, high, len(usual)) if low < high else usual


def _log_belief(values: Array, given: Estimate | None) -> Array:
    """What a tilt test makes of each value: a bell for an estimate, a step for a lower bound."""
    if given is None:
        return np.zeros(len(values))
    if math.isinf(given.high):
        return np.where(values >= given.low, 0.0, -50.0)
    width = (given.high - given.low) / (2 * Z95)
    return np.asarray(-0.5 * ((values - given.value) / width) ** 2, float)


def _weights(logs: Array) -> Array:
    found: Array = np.exp(logs - logs.max()).reshape(GRID)
    found /= found.sum()
    return found


def _margin(weights: Array, axis: int) -> Array:
    found: Array = weights.sum(axis=tuple(k for k in range(3) if k != axis))
    return found


def _estimate(axis: Array, after: Array, before: Array) -> Estimate:
    """The middle and the central 95 % of what is left, and whether that is narrower than before."""
    value, low, high = _quantiles(axis, after, (0.5, 0.025, 0.975))
    _middle, old_low, old_high = _quantiles(axis, before, (0.5, 0.025, 0.975))
    return Estimate(value, low, high, bool(high - low < MAX_WIDTH_LEFT * (old_high - old_low)))


def _quantiles(axis: Array, weights: Array, shares: Sequence[float]) -> list[float]:
    """Quantiles of a density that goes straight from one grid point to the next."""
    fine = np.linspace(axis[0], axis[-1], 20 * len(axis))
    density = np.interp(fine, axis, weights / np.gradient(axis))
    rising = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(fine))])
    return [float(np.interp(share * rising[-1], rising, fine)) for share in shares]


@dataclass(frozen=True)
class Model:
    """How the times of a row depend on its materials, and what else moves them."""

    tiles: tuple[int, ...]  # whose times are compared, in the order of the fall; the first is the time's origin
    slopes: Array  # (features, tiles - 1)
    doubt: Array  # (tiles - 1, tiles - 1) s²: places, yaws, push, and the model's own misfit
    reached: float  # share of the runs in which all these tiles fell


def _log_likelihood(fall: Fall, model: Model, points: Array) -> Array:
    """How well each material explains the recorded times."""
    times = np.array([fall.fell_at[tile] for tile in model.tiles], float)
    expected = _features(points) @ model.slopes
    missed = times[1:] - times[0] - expected
    timing = fall.time_error**2 * (np.eye(len(missed.T)) + 1.0)  # the origin's error is in all of them
    middle = times[1:] - times[0]
    doubt = model.doubt + timing + MODEL_DOUBT**2 * np.outer(middle, middle)
    found: Array = -0.5 * np.einsum("ni,ij,nj->n", missed, np.linalg.inv(doubt), missed)
    return found


def _features(points: Array) -> Array:
    """A smooth function's terms: squares and products of the three materials, friction on the table by its inverse."""
    tile, table, bounce = points[:, 0], 0.2 / points[:, 1], points[:, 2]
    bounced = bounce**2
    terms = [np.ones(len(points)), tile, tile**2, table, table**2, bounce, bounced, tile * table, tile * bounced]
    return np.stack([*terms, bounced * bounce, tile * bounce], axis=1)


def model_of(
    fall: Fall, engine: Engine, runs: int = RUNS, seed: int = 0, progress: Callable[[int], None] | None = None
) -> Model:
    """The model of a row's times, from that many simulated falls; InputError when most of them stop too early."""
    scene = fall.scene
    order = scene.push_order
    fallen = next((k for k, tile in enumerate(order) if fall.fell_at[tile] is None), len(order))
    # The first tile's own fall says how it was pushed, not what it is made of.
    chosen = np.unique(np.linspace(1, fallen - 1, min(MAX_TIMES, fallen - 1)).round().astype(int))
    tiles = tuple(order[k] for k in chosen)
    materials = _spread_out(runs, seed)
    rows, kept = [], []
    for index, (tile_friction, friction, restitution) in enumerate(materials.tolist()):
        table = replace(scene.table, tile_friction=tile_friction, friction=friction, restitution=restitution)
        drawn = draw(replace(scene, table=table), PLACES, seed, index)
        outcome = engine.run([drawn], Settings(record=RECORD))[0]
        times = [outcome.fell_at[tile] for tile in tiles]
        if None not in times:
            rows.append(np.array(times[1:], float) - float(times[0] or 0.0))
            kept.append(materials[index])
        if progress is not None:
            progress(index + 1)
    if len(kept) < runs / 3:
        raise InputError(
            "Only {count} of {runs} simulated falls of this row reach its end: a row that falls more surely is needed.",
            runs=runs,
            count=len(kept),
        )
    seen, features = np.array(rows), _features(np.array(kept))
    slopes: Array = np.linalg.pinv(features) @ seen
    left = seen - features @ slopes
    doubt = left.T @ left / (len(left) - features.shape[1])
    return Model(tiles, slopes, doubt + 1e-8 * np.eye(len(doubt)), len(kept) / runs)


def _spread_out(count: int, seed: int) -> Array:
    """Materials spread evenly over what is thought possible (additive recurrence of the plastic number)."""
    step = 1.2207440846057596 ** -np.arange(1, 4)
    shares = (np.random.default_rng(seed).random(3) + np.arange(count)[:, None] * step) % 1.0
    low, high = np.log(FRICTION)
    return np.stack(
        [
            TILE_FRICTION[0] + shares[:, 0] * (TILE_FRICTION[1] - TILE_FRICTION[0]),
            np.exp(low + shares[:, 1] * (high - low)),
            RESTITUTION[0] + shares[:, 2] * (RESTITUTION[1] - RESTITUTION[0]),
        ],
        axis=1,
    )


def timed_fall(scene: Scene, fell_at: Sequence[float | None], time_error: float) -> Fall:
    """A fall from its times, s; InputError when the numbers do not fit the row or too few tiles fell."""
    if len(fell_at) != len(scene.line):
        raise InputError(
            "The row has {tiles} tiles, but there are {times} times.", tiles=len(scene.line), times=len(fell_at)
        )
    order = [fell_at[tile] for tile in scene.push_order]
    fallen = order.index(None) if None in order else len(order)
    if fallen < MIN_FALLEN + 1:
        raise InputError(
            "Too few tiles fell one after the other: {count}; a speed needs at least {least}.",
            count=fallen,
            least=MIN_FALLEN + 1,
        )
    return Fall(scene, tuple(fell_at), time_error)


def read_fall(path: Path, time_error: float) -> Fall:
    """A fall recorded in a .topple file; SceneError when it is none, InputError when too few tiles fell in it."""
    record = read_record(path)
    if record.header.get("kind") != "run":
        raise SceneError(
            "{file} is not the file of a single fall; its kind is {kind}.",
            file=str(path),
            kind=shown(record.header.get("kind")),
        )
    try:
        return _recorded(record.header, [event for event in record.events if event[1] == "fell"], time_error)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise SceneError(
            "{file}: the fall in it is damaged ({reason}).", file=str(path), reason=shown(str(error))
        ) from None


def _recorded(header: dict[str, Any], fell: Sequence[tuple[float, str, Any]], time_error: float) -> Fall:
    tiles = header["tiles"]
    placements = tuple(
        Placement(
            int(tile["value"]),
            float(tile["x"]) / 1e3,
            float(tile["y"]) / 1e3,
            math.radians(float(tile["yaw"])),
            Stance(tile["stance"]),
        )
        for tile in tiles
    )
    end = "first" if header["push"]["tile"] == 0 else "last"
    scene = Scene(Line(load_set(str(header["set"])), placements), Table(), Finger(end=end))
    scene.check_runnable()
    fell_at: list[float | None] = [None] * len(tiles)
    for time, _kind, what in fell:
        fell_at[what["tile"]] = float(time)
    return timed_fall(scene, fell_at, time_error)
