"""What the length of steps, the engine and the law of blows do to a probability, on lines whose forecast is doubtful.

Every way runs the same draws of a line, so that what is left between two ways is theirs and not chance's, but for what
so few draws leave: that part of the squares is stated and taken out.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import count
from statistics import fmean

from physics.engine import ENSEMBLE_STEP, Engine, Settings, engine
from physics.flat import unrolled
from physics.noise import draw
from physics.predict import run_draws
from physics.scene import Finger, Noise, Scene
from physics.validation.planar import PLANAR_STEP, ImpactLaw, PlanarEngine
from physics.validation.random_lines import GAPS, random_scene

STRICT_STEP = 2.5e-4  # s, of the reference
PILOT = 40  # runs by which a line is found doubtful
DOUBTFUL = (0.22, 0.78)  # shares of them
ASKED_RMS, ASKED_BIAS = 0.04, 0.02
_PILOT, _COMPARED = 1, 2  # streams of chance that share nothing

Progress = Callable[[int, int], None]


class Way(enum.Enum):
    """How a line is run. The value is what tables call it."""

    STRICT = "PyBullet, 0.25 ms throughout"
    FORECAST = "PyBullet, 2 ms and 0.5 ms around blows: forecasts"
    LONG_STEPS = "PyBullet, 2 ms throughout"
    MUJOCO = "MuJoCo, 2 ms and 0.5 ms around blows"
    NEWTON = "planar, Newton's law of blows"
    SPRINGS = "planar, stiff springs"


IN_SPACE = (Way.STRICT, Way.FORECAST, Way.LONG_STEPS, Way.MUJOCO)
IN_THE_PLANE = (Way.NEWTON, Way.SPRINGS, Way.STRICT, Way.FORECAST, Way.LONG_STEPS, Way.MUJOCO)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of random lines, and the ways to compare on it; the first of them is the reference."""

    name: str
    seed: int
    lines: int
    tiles: tuple[int, int]  # from and to
    gaps: tuple[float, float]  # of the lower neighbour's height
    ways: tuple[Way, ...] = IN_SPACE
    is_straightened: bool = False


WIDE_GAPS = (0.3, 0.98)
KINDS = (
    Kind("2 to 4 tiles with wide gaps", 61, 14, (2, 4), WIDE_GAPS),
    Kind("eleven tiles", 62, 25, (11, 11), GAPS),
    Kind("2 to 4 tiles with wide gaps, straightened", 63, 14, (2, 4), WIDE_GAPS, IN_THE_PLANE, is_straightened=True),
)


@dataclass(frozen=True, slots=True)
class Share:
    """What one way says of one line."""

    falls: tuple[bool, ...]  # by draw
    seconds: float  # of CPU for all of them


@dataclass(frozen=True)
class Found:
    """A kind's lines by all of its ways."""

    kind: Kind
    lines: tuple[dict[Way, Share], ...]

    def bias(self, way: Way) -> float:
        """How much likelier a fall is by that way than by the reference, on the mean."""
        return fmean(self._differences(way))

    def noise(self, way: Way) -> float:
        """The root mean square difference that the number of draws alone makes."""
        return math.sqrt(max(0.0, fmean(self._variances(way))))

    def rms(self, way: Way) -> float:
        """The root mean square difference from the reference, without that."""
        squares = fmean(difference**2 for difference in self._differences(way))
        return math.sqrt(max(0.0, squares - fmean(self._variances(way))))

    def cost(self, way: Way) -> float:
        """CPU time as a multiple of what long steps take."""
        return fmean(line[way].seconds for line in self.lines) / fmean(
            line[Way.LONG_STEPS].seconds for line in self.lines
        )

    def _differences(self, way: Way) -> list[float]:
        return [fmean(line[way].falls) - fmean(line[self.kind.ways[0]].falls) for line in self.lines]

    def _variances(self, way: Way) -> list[float]:
        found = []
        for line, difference in zip(self.lines, self._differences(way), strict=True):
            one, other = line[way].falls, line[self.kind.ways[0]].falls
            split = fmean(a != b for a, b in zip(one, other, strict=True))
            found.append((split - difference**2) / len(one))
        return found


def compared(kind: Kind, draws: int, executor: Executor | None = None, progress: Progress | None = None) -> Found:
    """The lines of that kind by all ways, in that many draws each; MissingError without the engines."""
    scenes = chosen(kind)
    jobs = [(kind, scene, way, draws) for scene in scenes for way in kind.ways]
    results = executor.map(share_of, *zip(*jobs, strict=True)) if executor else (share_of(*job) for job in jobs)
    shares = []
    for done, share in enumerate(results, start=1):
        shares.append(share)
        if progress is not None:
            progress(done, len(jobs))
    ways = len(kind.ways)
    rows = [shares[start : start + ways] for start in range(0, len(shares), ways)]
    return Found(kind, tuple(dict(zip(kind.ways, row, strict=True)) for row in rows))


def chosen(kind: Kind) -> list[Scene]:
    """The first lines of that kind whose forecast is doubtful."""
    found: list[Scene] = []
    low, high = kind.tiles
    for index in count():
        scene = random_scene(kind.seed, index, low + index % (high - low + 1), gaps=kind.gaps)
        if kind.is_straightened:
            scene = unrolled(scene)
        if kind.is_straightened and not _is_released(scene):
            continue
        pilot = run_draws(scene, Noise(), _stream(kind, _PILOT), tuple(range(PILOT)), "bullet").all(axis=1)
        if DOUBTFUL[0] <= float(pilot.mean()) <= DOUBTFUL[1]:
            found.append(scene)
            if len(found) == kind.lines:
                return found
    raise AssertionError


def share_of(kind: Kind, scene: Scene, way: Way, draws: int) -> Share:
    """What that way says of the line. What a worker does."""
    scenes = [draw(scene, Noise(), _stream(kind, _COMPARED), index) for index in range(draws)]
    if kind.is_straightened:
        scenes = [unrolled(drawn) for drawn in scenes]
    runner, settings = _runner(way)
    runner.run(scenes[:1], settings)  # so that nothing is timed that happens once
    started = time.process_time()
    falls = tuple(outcome.all_fell for outcome in runner.run(scenes, settings))
    return Share(falls, time.process_time() - started)


def _runner(way: Way) -> tuple[Engine, Settings]:
    match way:
        case Way.STRICT:
            return engine("bullet"), Settings(step=STRICT_STEP)
        case Way.FORECAST:
            return engine("bullet"), Settings()
        case Way.LONG_STEPS:
            return engine("bullet"), Settings(blow_step=ENSEMBLE_STEP)
        case Way.MUJOCO:
            return engine("mujoco"), Settings()
        case Way.NEWTON:
            return PlanarEngine(ImpactLaw.NEWTON), Settings(step=PLANAR_STEP)
        case Way.SPRINGS:
            return PlanarEngine(ImpactLaw.SPRINGS), Settings(step=PLANAR_STEP)


def _is_released(scene: Scene) -> bool:
    """Whether the finger meets nothing before it lets go, in any draw as far as can be told: gaps are wide enough."""
    boxes = scene.line.standing()
    reach = boxes[scene.pushed].height * math.sin(scene.release_lean(boxes[scene.pushed]))
    return isinstance(scene.push, Finger) and scene.line.gaps()[min(scene.pushed, len(boxes) - 2)] > 1.5 * reach


def _stream(kind: Kind, stream: int) -> int:
    return kind.seed * 1_000 + stream
