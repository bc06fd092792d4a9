"""How well pictures of known tables are read: seeded ones, or photographs with their truth beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.lens import Lens
from physics.errors import InputError, ToppleError
from physics.line import Line, Placement
from physics.predict import Precision, predict
from physics.scene import Noise, Scene
from physics.tiles import Stance, TileSet, load_set
from vision.looks import KINDS
from vision.proof_scenes import random_setup
from vision.reader import read_picture
from vision.reading import Reading
from vision.sources import picture_in
from vision.synth import blocks_of, photograph

SEED = 6
SET = "evaluation"
USUAL = (1280, 960)
DISTANCE = 700.0  # mm
STEEPEST = 50.0  # degrees off vertical
ANGLES = 5  # strips of the angle, in the table
REACH = 10.0  # mm between a tile and what is taken for it
COUNTS = 0.3  # of a tile that must be seen for it to be missed
NARROW = Precision(to_verdict=False)
SAME = 0.1  # by which two forecasts may differ

Image = npt.NDArray[np.uint8]
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Want:
    """A picture to be taken and read: the index-th of its kind."""

    index: int
    size: tuple[int, int] = USUAL
    distance: float = DISTANCE
    off: tuple[float, float] = (0.0, STEEPEST)
    with_lens: bool = True
    forecast: bool = False  # whether the row is also forecast, from the reading and from the truth
    seed: int = SEED


@dataclass(frozen=True)
class ReadError:
    """How far one tile that was found is from the truth."""

    value: bool  # whether it is right
    stance: bool
    dx: float  # mm
    dy: float
    yaw: float  # degrees
    sigma: tuple[float, float]  # mm, as the reading states them

    @property
    def off(self) -> float:
        """mm between the two."""
        return math.hypot(self.dx, self.dy)


@dataclass(frozen=True)
class Scored:
    """One picture, read and compared."""

    want: Want
    off_vertical: float  # degrees
    light: str
    tiles: int  # of which enough is seen
    found: int  # of those
    false: int  # tiles that are not there
    errors: tuple[ReadError, ...]  # of all that were found, hardly seen ones too
    order: bool  # whether the found ones are in the order of the row
    forecasts: tuple[float, float] | None = None  # from the reading, from the truth; None: not made
    reason: str = ""  # why the picture was refused


@dataclass(frozen=True)
class Truth:
    """A row as it stands, and how much of each tile can be seen."""

    line: Line
    seen: tuple[float, ...]


def score(want: Want, reading: Reading, truth: Truth, off_vertical: float, light: str) -> Scored:
    """The reading against the truth: every tile goes with the nearest one that is left."""
    pairs = sorted(
        (math.hypot(tile.x - 1e3 * true.x, tile.y - 1e3 * true.y), read, there)
        for read, tile in enumerate(reading.tiles)
        for there, true in enumerate(truth.line.placements)
    )
    taken: dict[int, int] = {}
    for off, read, there in pairs:
        if off <= REACH and read not in taken and there not in taken.values():
            taken[read] = there
    errors = []
    for read, there in sorted(taken.items()):
        tile, true = reading.tiles[read], truth.line.placements[there]
        errors.append(
            ReadError(
                tile.value == true.value,
                tile.stance is true.stance,
                tile.x - 1e3 * true.x,
                tile.y - 1e3 * true.y,
                math.remainder(tile.yaw - math.degrees(true.yaw), 180.0),
                tile.sigma[:2],
            )
        )
    enough = {there for there, share in enumerate(truth.seen) if share >= COUNTS}
    places = [taken[read] for read in sorted(taken)]
    return Scored(
        want,
        off_vertical,
        light,
        len(enough),
        len(enough & set(places)),
        len(reading.tiles) - len(taken),
        tuple(errors),
        places in (sorted(places), sorted(places, reverse=True)),
    )


def read_one(want: Want) -> Scored:
    """Takes the picture, reads it and compares. What a worker does."""
    setup = random_setup(want.seed, want.index, size=want.size, distance=want.distance, off=want.off)
    shot = photograph(blocks_of(setup.scene), setup.sight, setup.look, setup.seed)
    truth, tiles = Truth(setup.scene.line, shot.seen), setup.scene.line.tile_set
    angle, light = setup.sight.off_vertical, KINDS[want.index % len(KINDS)]
    return _read(want, shot.image, setup.sight.lens if want.with_lens else None, truth, tiles, angle, light)


def _read(
    want: Want, image: Image, lens: Lens | None, truth: Truth, tiles: TileSet, off_vertical: float, light: str
) -> Scored:
    try:
        reading = read_picture(image, lens, tile_set=tiles)
    except ToppleError as error:
        count = sum(share >= COUNTS for share in truth.seen)
        forecasts = (math.nan, math.nan) if want.forecast else None
        return Scored(want, off_vertical, light, count, 0, 0, (), False, forecasts, str(error))
    found = score(want, reading, truth, off_vertical, light)
    if not want.forecast:
        return found
    return replace(found, forecasts=(forecast(reading.line(tiles)), forecast(truth.line)))


def forecast(line: Line) -> float:
    """How likely the line is to fall, to ± 0.05; NaN when it cannot be one.

    The row is taken from its end of the lower value on: so the same draws meet the same tiles.
    """
    if len(line) and line.values[-1] < line.values[0]:
        line = replace(line, placements=line.placements[::-1])
    try:
        return predict(Scene(line), Noise(), seed=1, precision=NARROW).probability
    except ToppleError:
        return math.nan


# Photographs with their truth


def read_photo(path: Path, want: Want | None = None) -> Scored:
    """Reads a picture that has its truth in a .json file of the same name; InputError when it is not there."""
    try:
        data = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        tiles = load_set(SET)
        placements = tuple(_placement(each) for each in data["tiles"])
        truth = Truth(Line(tiles, placements), tuple(float(each["visible_fraction"]) for each in data["tiles"]))
        (fx, _s, cx), (_z, fy, cy), _last = data["K"]
        width, height = map(int, data["image_size"])
        lens = Lens(width, height, fx, fy, cx, cy, tuple(map(float, data["dist"])))
        angle = float(data["camera"]["off_vertical_deg"])
    except (OSError, UnicodeDecodeError, ValueError, LookupError, TypeError) as error:
        raise InputError("{file} has no truth beside it: {reason}.", file=str(path), reason=str(error)) from None
    return _read(want or Want(0, (width, height)), picture_in(path), lens, truth, tiles, angle, "photograph")


def _placement(data: dict[str, Any]) -> Placement:
    value, _dash, stance = str(data["name"]).partition("-")
    yaw = math.radians(float(data["yaw_deg"]))
    return Placement(int(value), float(data["x_mm"]) / 1e3, float(data["y_mm"]) / 1e3, yaw, Stance(stance))


# Many pictures


@dataclass(frozen=True)
class Study:
    """Pictures of some kinds, all read."""

    usual: tuple[Scored, ...]  # 1280 × 960, 70 cm, up to 50° off vertical
    others: dict[str, tuple[Scored, ...]] = field(default_factory=dict)  # by what is different
    photos: tuple[Scored, ...] = ()  # not taken by the own renderer


def plan(pictures: int) -> dict[str, list[Want]]:
    """All pictures of a study by their kind, the usual ones first, as "": a sixth as many of each other kind."""
    few = range(max(1, pictures // 6))
    wants = {"": [Want(index, forecast=True) for index in range(pictures)]}
    wants |= {f"{cm} cm": [Want(index, distance=10.0 * cm, seed=SEED + 1) for index in few] for cm in (45, 55, 85, 100)}
    for size in ((640, 480), (1280, 720), (1920, 1080)):
        wants[f"{size[0]} × {size[1]}"] = [Want(index, size, seed=SEED + 2) for index in few]
    wants["50–55° off vertical"] = [Want(index, off=(50.0, 55.0), seed=SEED + 3) for index in few]
    wants["no camera file"] = [Want(index, with_lens=False, seed=SEED + 4) for index in few]
    return wants


def study(
    pictures: int, photos: Sequence[Path] = (), executor: Executor | None = None, tell: Tell | None = None
) -> Study:
    """So many usual pictures, other ones and these photographs, read; `tell` hears how many are done, of how many."""
    wants = plan(pictures)
    jobs: list[Callable[[], Scored]] = [partial(read_one, want) for kind in wants.values() for want in kind]
    jobs += [partial(read_photo, path) for path in photos]
    found: list[Scored] = []
    for one in executor.map(_done, jobs) if executor is not None else map(_done, jobs):
        found.append(one)
        if tell is not None:
            tell(len(found), len(jobs))
    rest = iter(found)
    kinds = {kind: tuple(next(rest) for _want in some) for kind, some in wants.items()}
    return Study(kinds.pop(""), kinds, tuple(rest))


def _done(job: Callable[[], Scored]) -> Scored:
    return job()


# What is told of them


@dataclass(frozen=True)
class Summary:
    """Some pictures together; shares from 0 to 1, NaN where there is nothing to tell."""

    pictures: int
    tiles: int
    found: float
    false: float  # of all that the readings list
    value: float
    stance: float
    median: float  # mm
    p95: float  # mm
    yaw: float  # degrees, median
    order: float
    within: float  # of all x and y, those within their standard error
    forecasts: float  # of those made, the ones that differ by at most SAME

    @property
    def held(self) -> dict[str, bool]:
        """What is asked of usual pictures, and whether it holds."""
        checks = {
            "found ≥ 99 %": self.found >= 0.99,
            "false ≤ 0.5 %": self.false <= 0.005,
            "value right ≥ 98 %": self.value >= 0.98,
            "stance right ≥ 99 %": self.stance >= 0.99,
            "position, median ≤ 0.5 mm": self.median <= 0.5,
            "position, 95th percentile ≤ 1.5 mm": self.p95 <= 1.5,
            "yaw, median ≤ 0.7°": self.yaw <= 0.7,
            "order right ≥ 98 %": self.order >= 0.98,
            "within one standard error: 68 %, from 60 to 76": 0.60 <= self.within <= 0.76,
        }
        if not math.isnan(self.forecasts):
            checks["forecasts differ by ≤ 0.1 in ≥ 95 %"] = self.forecasts >= 0.95
        return checks


def summed_up(scored: Iterable[Scored]) -> Summary:
    """The pictures in one line."""
    some = list(scored)
    errors = [error for one in some for error in one.errors]
    tiles, false = sum(one.tiles for one in some), sum(one.false for one in some)
    inside = [abs(off) <= sigma for e in errors for off, sigma in zip((e.dx, e.dy), e.sigma, strict=True)]
    offs, yaws = [error.off for error in errors], [abs(error.yaw) for error in errors]
    pairs = [one.forecasts for one in some if one.forecasts is not None]
    return Summary(
        len(some),
        tiles,
        _share(sum(one.found for one in some), tiles),
        _share(false, false + len(errors)) if false + len(errors) else 0.0,
        _share(sum(error.value for error in errors), len(errors)),
        _share(sum(error.stance for error in errors), len(errors)),
        float(np.median(offs)) if offs else math.nan,
        float(np.percentile(offs, 95)) if offs else math.nan,
        float(np.median(yaws)) if yaws else math.nan,
        _share(sum(one.order for one in some), len(some)),
        _share(sum(inside), len(inside)),
        _share(sum(abs(ours - true) <= SAME for ours, true in pairs), len(pairs)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def by_angle(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Usual pictures by how far off vertical they were taken."""
    strip = STEEPEST / ANGLES
    names = [f"{k * strip:.0f}–{(k + 1) * strip:.0f}°" for k in range(ANGLES)]
    return {
        name: [one for one in scored if min(ANGLES - 1, int(one.off_vertical / strip)) == k]
        for k, name in enumerate(names)
    }


def by_light(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Usual pictures by their light."""
    return {kind: [one for one in scored if one.light == kind] for kind in KINDS}


def worst(scored: Sequence[Scored], count: int) -> list[Scored]:
    """The pictures that went worst: most tiles missed, false or wrong first."""

    def faults(one: Scored) -> int:
        wrong = sum(not (error.value and error.stance) for error in one.errors)
        return one.tiles - one.found + one.false + wrong + (not one.order)

    ranked = sorted((one for one in scored if faults(one)), key=lambda one: -faults(one))
    return ranked[:count]
