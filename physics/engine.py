"""What an engine is: scenes in, outcomes out, many at a time; and what fallen and settled mean."""

from __future__ import annotations

import logging
import math
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from physics.engines import BOTH, ENGINES
from physics.errors import InputError
from physics.line import Standing
from physics.outcome import Fate, Outcome
from physics.scene import Scene, Tilt

Vector = tuple[float, float, float]
RunProgress = Callable[[float, int], None]  # simulated seconds of the run under way, and how many tiles are down

ENSEMBLE_STEP = 2e-3  # s, for each of the many runs of a prediction
BLOW_STEP = 5e-4  # s, around blows
SINGLE_STEP = 1e-3  # s, for the one run that is shown
RECORD_STEP = 1e-2  # s between two recorded moments of such a run
LOOK_STEPS = 15  # between two looks at the tiles
REST_TIME = 0.06  # s without motion that counts as rest, for tiles of REST_SIZE; times grow with the root of the size
REST_TURN = math.radians(0.02)  # rad of lean or turn within that time
REST_SHIFT = 2e-5  # m within that time, for a tile of REST_SIZE
REST_SIZE = 0.05  # m
DOWN = math.radians(10)  # rad past the tipping angle: such a tile does not hang in the balance any more
PILE = 10  # how many times as much a fallen tile may move: piles creep in every engine, and decide nothing
AFTER_ALL_FELL = 0.15  # s past tipping, of tiles that do not lie: in rare rows a neighbour sets one upright again
LEANING = math.radians(1.0)  # rad: leaning rather than standing


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run."""

    step: float = ENSEMBLE_STEP  # s
    blow_step: float = BLOW_STEP  # s, around blows, where that is less
    record: float | None = None  # s between two recorded moments; None: no trajectory
    to_rest: bool = False  # go on until everything rests, even when all tiles have fallen
    time_limit: float | None = None  # s; None: enough for the line's length
    whole: bool = False  # have all tiles of a long row take part all the time, as a check of leaving out those at rest

    @property
    def parts(self) -> int:
        """How many steps around a blow take the place of one."""
        return max(1, round(self.step / self.blow_step))


class Engine(Protocol):
    """A simulator of scenes. Equal scenes give equal outcomes, whatever ran before."""

    name: str

    def run(self, scenes: Sequence[Scene], settings: Settings, tell: RunProgress | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes. EngineError when the simulation breaks down.

        `tell` is called now and then, so that a long run can be shown to go on; it may raise to end it.
        """
        ...


_log = logging.getLogger("topple.engine")


@cache
def engine(name: str) -> Engine:
    """This process's engine of that name; InputError when there is none, MissingError when not installed."""
    if multiprocessing.parent_process() is None:  # not once for each worker
        _log.info("engine %s", name)
    if name == "bullet":
        from physics.bullet import BulletEngine

        return BulletEngine()
    if name == "mujoco":
        from physics.mujoco import MujocoEngine

        return MujocoEngine()
    raise InputError(
        "There is no engine {name}; allowed is {names}.", name=repr(name), names=", ".join((*ENGINES, BOTH))
    )


def time_limit(scene: Scene) -> float:
    """Seconds of simulated time that are enough for the row to fall and come to rest."""
    tallest = max(box.height for box in scene.line.standing())
    pace = math.sqrt(tallest / REST_SIZE)  # times grow with the root of the size
    tilting = scene.push.limit / scene.push.rate if isinstance(scene.push, Tilt) else 0.0
    return tilting + pace * (4.0 + 0.15 * len(scene.line))


class Watch:
    """Follows the leans and places of the tiles and knows when there is nothing more to wait for.

    In plain Python: for a dozen tiles it takes a third of the time that arrays would. What it does in a look is about
    the tiles looked at alone, so that a long row of which few move costs no more than these.
    """

    def __init__(self, boxes: Sequence[Standing], to_rest: bool) -> None:
        self._tipping = [box.tipping_angle for box in boxes]
        self._shift = [REST_SHIFT * max(box.height, 0.2 * REST_SIZE) / REST_SIZE for box in boxes]
        tallest = max(box.height for box in boxes)
        self._rest_time = REST_TIME * max(1.0, math.sqrt(tallest / REST_SIZE))
        self._to_rest = to_rest
        self._all = range(len(boxes))
        self._past_since: list[float | None] = [None] * len(boxes)
        self._still_since = 0.0
        self._still_leans = [-math.inf] * len(boxes)
        self._still_places: list[Vector] = [(0.0, 0.0, 0.0)] * len(boxes)
        self._all_since: float | None = None
        self._last_time = 0.0
        self._last_leans = [0.0] * len(boxes)
        self.down = 0  # how many tiles are past their tipping angle
        self.lying: set[int] = set()  # so far past it that they do not hang in the balance any more

    def look(
        self, time: float, leans: Sequence[float], places: Sequence[Vector], tiles: Sequence[int] | None = None
    ) -> bool:
        """Takes in one moment; True when everything rests, or when all have fallen and that is enough.

        `tiles` are those whose leans and places they are, where it is not all; the others are as they were.
        """
        looked_at = self._all if tiles is None else tiles
        self._note_falls(time, looked_at, leans)
        if self._moved(looked_at, leans, places):
            self._still_since = time
            for tile, lean, place in zip(looked_at, leans, places, strict=True):
                self._still_leans[tile], self._still_places[tile] = lean, place
        if time - self._still_since >= self._rest_time - 1e-9:
            return True
        if self.down == len(self._all):
            self._all_since = time if self._all_since is None else self._all_since
            long_since = time - self._all_since >= AFTER_ALL_FELL
            return not self._to_rest and (long_since or len(self.lying) == len(self._all))
        self._all_since = None
        return False

    def _moved(self, tiles: Sequence[int], leans: Sequence[float], places: Sequence[Vector]) -> bool:
        """Whether any of the tiles leans or stands elsewhere than when they were last said to be still."""
        for tile, lean, (x, y, z) in zip(tiles, leans, places, strict=True):
            slack = PILE if tile in self.lying else 1
            if abs(lean - self._still_leans[tile]) > slack * REST_TURN:
                return True
            shift = slack * self._shift[tile]
            old_x, old_y, old_z = self._still_places[tile]
            if abs(x - old_x) > shift or abs(y - old_y) > shift or abs(z - old_z) > shift:
                return True
        return False

    def _note_falls(self, time: float, tiles: Sequence[int], leans: Sequence[float]) -> None:
        for tile, lean in zip(tiles, leans, strict=True):
            tipping = self._tipping[tile]
            if lean <= tipping:
                if self._past_since[tile] is not None:
                    self._past_since[tile] = None
                    self.down -= 1
            elif self._past_since[tile] is None:
                before = self._last_leans[tile]
                share = (tipping - before) / (lean - before) if lean > before else 1.0
                self._past_since[tile] = self._last_time + share * (time - self._last_time)
                self.down += 1
            if lean > tipping + DOWN:
                self.lying.add(tile)
            else:
                self.lying.discard(tile)
            self._last_leans[tile] = lean
        self._last_time = time

    def fates(self) -> tuple[Fate, ...]:
        """How each tile stands at the last look."""
        return tuple(
            Fate.FALLEN if lean > tipping else Fate.LEANING if lean > min(LEANING, tipping / 2) else Fate.STANDING
            for lean, tipping in zip(self._last_leans, self._tipping, strict=True)
        )

    def fell_at(self) -> tuple[float | None, ...]:
        """When each tile passed its tipping angle for good; None for one that did not."""
        return tuple(self._past_since)
