"""How well tables are read: seeded pictures made, read, and compared with the truth."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from physics.line import Placement
from physics.scene import Scene
from physics.tiles import TileSet, load_set
from vision.camera.picture_files import PictureError
from vision.drawing.blocks import blocks_of
from vision.drawing.photograph import photograph
from vision.drawing.scenes import USUAL_TABLE, Setup, random_setup
from vision.reader.reader import read_picture
from vision.reader.reading import Reading, ReadTile


@dataclass(frozen=True, slots=True)
class CountingRules:
    """What counts as seen and as found; docs/vision.md says it to its readers."""

    min_seen: float = 0.3  # share of a tile that must show for it to be asked for
    max_distance: float = 6.0  # mm within which a reading belongs to a tile


COUNTING = CountingRules()


@dataclass(frozen=True)
class Match:
    """A tile that can be seen and what was read there."""

    truth: Placement
    seen: float
    read: ReadTile | None

    @property
    def right(self) -> bool:
        """Whether value and stance are right."""
        return self.read is not None and (self.read.value, self.read.stance) == (self.truth.value, self.truth.stance)

    @property
    def off(self) -> float:
        """Distance between the two feet, mm."""
        if self.read is None:
            return math.nan
        return math.hypot(self.read.x - 1e3 * self.truth.x, self.read.y - 1e3 * self.truth.y)

    @property
    def turned(self) -> float:
        """Difference of yaw, degrees, without its sign."""
        if self.read is None:
            return math.nan
        return abs(math.remainder(self.read.yaw - math.degrees(self.truth.yaw), 180.0))

    @property
    def within(self) -> float:
        """Share of the two coordinates that lie within one standard error."""
        if self.read is None:
            return math.nan
        away = (self.read.x - 1e3 * self.truth.x, self.read.y - 1e3 * self.truth.y)
        return sum(abs(a) <= s for a, s in zip(away, self.read.sigma, strict=False)) / 2


@dataclass(frozen=True)
class Trial:
    """One picture: what was on the table and what was read."""

    setup: Setup
    reading: Reading | None  # None: the mat was not found
    matches: tuple[Match, ...]  # of the tiles of which enough can be seen
    false: int  # tiles read where there is none, or wrong ones where too little can be seen to tell
    ordered: bool  # whether the tiles that were read come in the order of the row, whatever their values
    all_seen: bool  # whether enough can be seen of every tile
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether every tile that can be seen was read as it is, in the order of the row, and nothing else was."""
        return self.ordered and not self.false and all(match.right for match in self.matches)

    def scenes(self, tile_set: TileSet) -> tuple[Scene, Scene] | None:
        """The true scene and the scene as read, for a forecast of each; None where a tile is hidden or was missed."""
        if self.reading is None or not self.all_seen or len(self.reading.tiles) != len(self.matches):
            return None
        return self.setup.scene, Scene(self.reading.line(tile_set))


@dataclass(frozen=True)
class Score:
    """Many trials in numbers: shares, mm and degrees."""

    pictures: int
    tiles: int
    found: float
    false: float
    value: float
    stance: float
    median: float
    late: float  # 95th percentile of the distance
    yaw: float
    order: float
    whole: float  # share of pictures in which everything is right
    within: float
    seconds: float


def try_setup(setup: Setup, tile_set: TileSet) -> Trial:
    """Photographs a setup and reads the picture."""
    shot = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed)
    began = time.perf_counter()
    try:
        reading = read_picture(shot.image, setup.sight.lens, tile_set=tile_set)
    except PictureError:
        reading = None
    return compare(setup, shot.seen, reading, time.perf_counter() - began)


def compare(setup: Setup, seen: tuple[float, ...], reading: Reading | None, seconds: float = 0.0) -> Trial:
    """What was read beside what was there."""
    placements = setup.scene.line.placements
    left = list(reading.tiles) if reading else []
    read: list[ReadTile | None] = []
    for placement in placements:
        # Of those that are near, one of the right value comes first, then the nearest.
        away = [(tile, math.hypot(tile.x - 1e3 * placement.x, tile.y - 1e3 * placement.y)) for tile in left]
        near = [
            (tile.value != placement.value, off, k) for k, (tile, off) in enumerate(away) if off < COUNTING.max_distance
        ]
        read.append(left.pop(min(near)[2]) if near else None)
    matches = [Match(*each) for each in zip(placements, seen, read, strict=True)]
    hidden = [match for match in matches if match.seen < COUNTING.min_seen]
    guessed = [match for match in hidden if match.read is not None and not match.right]
    return Trial(
        setup=setup,
        reading=reading,
        matches=tuple(match for match in matches if match.seen >= COUNTING.min_seen),
        false=len(left) + len(guessed),
        ordered=reading is not None and _ordered(reading, read),
        all_seen=all(share >= COUNTING.min_seen for share in seen),
        seconds=seconds,
    )


def _ordered(reading: Reading, read: list[ReadTile | None]) -> bool:
    """Whether the tiles that were read come in the order of the row, none of them false; `read` is in that order."""
    true = [id(tile) for tile in read if tile is not None]
    found = [id(tile) for tile in reading.tiles]
    return found in (true, true[::-1])


def score(trials: Iterable[Trial]) -> Score:
    """The numbers of some trials; at least one must be there."""
    trials = list(trials)
    matches = [match for trial in trials for match in trial.matches]
    found = [match for match in matches if match.read is not None]
    offs = np.array([match.off for match in found] or [math.nan])
    return Score(
        pictures=len(trials),
        tiles=len(matches),
        found=len(found) / max(1, len(matches)),
        false=sum(trial.false for trial in trials) / max(1, len(matches)),
        value=_share(match.read is not None and match.read.value == match.truth.value for match in found),
        stance=_share(match.read is not None and match.read.stance is match.truth.stance for match in found),
        median=float(np.median(offs)),
        late=float(np.percentile(offs, 95)),
        yaw=float(np.median([match.turned for match in found] or [math.nan])),
        order=_share(trial.ordered for trial in trials),
        whole=_share(trial.is_right for trial in trials),
        within=float(np.mean([match.within for match in found] or [math.nan])),
        seconds=float(np.mean([trial.seconds for trial in trials])),
    )


def _share(answers: Iterable[bool]) -> float:
    found = list(answers)
    return sum(found) / max(1, len(found))


def trials(
    count: int,
    seed: int,
    *,
    size: tuple[int, int] = USUAL_TABLE.size,
    distance: float = USUAL_TABLE.distance,
    off: tuple[float, float] = (0.0, USUAL_TABLE.max_off),
    set_name: str = "evaluation",
) -> Iterator[Trial]:
    """So many pictures of that seed, made and read one by one; distance in mm, angle off vertical in degrees."""
    tile_set = load_set(set_name)
    for index in range(count):
        yield try_setup(random_setup(seed, index, size=size, distance=distance, off=off), tile_set)
