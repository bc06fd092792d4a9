"""Whether forecasts come true: lines are forecast from a noisy reading, and true lines then run with another engine.

Few random lines are doubtful. A pilot of a few runs by the forecasting engine finds those worth a forecast, and lines
are kept by their forecast alone, as many in each tenth: what the other engine says of them is not known then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeVar

import numpy as np

from physics.engine import ENSEMBLE_STEP, SINGLE_STEP, Settings, engine
from physics.noise import draw
from physics.outcome import Prediction
from physics.predict import predict, run_draws
from physics.scene import Noise, Scene
from physics.score import BINS, Pair, bin_of, calibration_error, perfect_error
from physics.validation.doubt import Difference, difference
from physics.validation.random_lines import GAPS, random_scene

FORECASTER, OTHER = "bullet", "mujoco"
STEPS = {FORECASTER: ENSEMBLE_STEP, OTHER: SINGLE_STEP}  # s, of each engine's runs as true lines
ASKED = 0.05  # calibration error, at most
ROOM = 2.0  # times what a perfect forecaster would get by chance, where that is more than asked: few lines

WIDE = (0.5, 1.0)  # of the lower neighbour's height: gaps beyond those that people leave, up to what a tile reaches
PILOT = 8  # runs that show whether a forecast is worth making
PILOT_SLACK = 0.15  # how far their share may be from a tenth that is not full

_LENGTH, _READING, _PILOT, _FORECAST, _TRUE = range(1, 6)  # streams of chance that share nothing

T = TypeVar("T")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is studied."""

    seed: int = 1
    per_bin: int = 40  # lines in each tenth of the forecasts
    truths: int = 5  # true lines for each reading
    compared: int = 10  # lines in each tenth that both engines run many times
    runs: int = 100  # of each engine for those
    gaps: tuple[float, float] = GAPS  # of the lower neighbour's height
    tiles: tuple[int, int] = (2, 8)  # in a line, from and to
    batch: int = 96  # candidates between two looks at which tenths are full; workers change nothing about it
    most: int = 100  # candidates for each line asked


@dataclass(frozen=True, slots=True)
class Forecast:
    """A noisy reading of a line and what is forecast from it."""

    index: int  # of the candidate
    reading: Scene
    prediction: Prediction


@dataclass(frozen=True, slots=True)
class Compared:
    """Which of the same true lines fell, by either engine."""

    own: tuple[bool, ...]  # by the forecasting engine
    other: tuple[bool, ...]
    dead_own: tuple[bool, ...]  # the same when nothing bounces
    dead_other: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A forecast and what became of true lines that the reading may stand for."""

    forecast: Forecast
    fell: tuple[bool, ...]  # true lines, by the other engine
    compared: Compared | None


@dataclass(frozen=True)
class Study:
    """All lines of a study and what follows from them."""

    plan: Plan
    candidates: int
    lines: tuple[Judged, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Each forecast with each of its outcomes."""
        return tuple((line.forecast.prediction.probability, fell) for line in self.lines for fell in line.fell)

    @property
    def own_pairs(self) -> tuple[Pair, ...]:
        """Forecasts with what the forecasting engine itself says of true lines, where both engines were run."""
        return tuple(
            (line.forecast.prediction.probability, fell)
            for line in self.lines
            if line.compared is not None
            for fell in line.compared.own
        )

    @property
    def differences(self) -> tuple[Difference, ...]:
        """How the engines differ on each of the lines that both ran many times."""
        return tuple(
            difference(line.forecast.prediction, line.compared.own, line.compared.other)
            for line in self.lines
            if line.compared is not None
        )

    @property
    def dead_differences(self) -> tuple[Difference, ...]:
        """The same without bounce in either engine."""
        return tuple(
            difference(line.forecast.prediction, line.compared.dead_own, line.compared.dead_other)
            for line in self.lines
            if line.compared is not None
        )

    @property
    def allowed(self) -> float:
        """The largest calibration error that passes: what is asked, or what few lines make of it by chance."""
        return max(ASKED, ROOM * perfect_error([forecast for forecast, _fell in self.pairs]))

    @property
    def passed(self) -> bool:
        """Whether the forecasts come true as often as they say."""
        return calibration_error(self.pairs) <= self.allowed


def study(plan: Plan, executor: Executor | None = None, progress: Progress | None = None) -> Study:
    """Forecasts and outcomes, the same for the same plan whatever the executor; MissingError without the engines."""
    total = 2 * BINS * plan.per_bin
    done = count(1)

    def tell() -> None:
        if progress is not None:
            progress(min(next(done), total), total)

    forecasts, candidates = chosen(plan, executor, tell)
    seen = [0] * BINS
    jobs = []
    for forecast in forecasts:
        place = bin_of(forecast.prediction.probability)
        seen[place] += 1
        jobs.append((plan, forecast, seen[place] <= plan.compared))
    jobs.sort(key=lambda job: not job[2])  # long ones first; a stable sort, the rest keeps its order
    found = []
    for line in _mapped(judged, jobs, executor):
        found.append(line)
        tell()
    return Study(plan, candidates, tuple(sorted(found, key=lambda line: line.forecast.index)))


def chosen(
    plan: Plan, executor: Executor | None = None, tell: Callable[[], None] = lambda: None
) -> tuple[list[Forecast], int]:
    """The first candidates that fill every tenth of the forecasts, and how many candidates there were.

    Fewer lines where a tenth cannot be filled with the most candidates that are allowed.
    """
    full: list[Forecast] = []
    taken = [0] * BINS
    start = 0
    while min(taken) < plan.per_bin and start < plan.most * BINS * plan.per_bin:
        wanted = tuple(place for place in range(BINS) if taken[place] < plan.per_bin)
        jobs = [(plan, index, wanted) for index in range(start, start + plan.batch)]
        for forecast in _mapped(forecast_of, jobs, executor):
            if forecast is None:
                continue
            place = bin_of(forecast.prediction.probability)
            if taken[place] < plan.per_bin:
                taken[place] += 1
                full.append(forecast)
                tell()
        start += plan.batch
    return full, start


def forecast_of(plan: Plan, index: int, wanted: tuple[int, ...]) -> Forecast | None:
    """The forecast of that candidate; None when by a few runs it seems to belong to no wanted tenth.

    What a worker does. Only the forecasting engine is asked.
    """
    reading = reading_of(plan, index)
    pilot = run_draws(reading, Noise(), _stream(plan, index, _PILOT), tuple(range(PILOT)), FORECASTER)
    if not worth_a_forecast(float(pilot.all(axis=1).mean()), wanted):
        return None
    prediction = predict(reading, Noise(), seed=_stream(plan, index, _FORECAST), engine_name=FORECASTER)
    return Forecast(index, reading, prediction)


def reading_of(plan: Plan, index: int) -> Scene:
    """The index-th random line as a camera reads it: places and yaws off by the noise, materials as assumed."""
    generator = np.random.default_rng([plan.seed, index, _LENGTH])
    tiles = int(generator.integers(plan.tiles[0], plan.tiles[1] + 1))
    line = random_scene(plan.seed, index, tiles, gaps=plan.gaps)
    of_places = replace(Noise(), friction=0.0, restitution=0.0, push=0.0)
    return draw(line, of_places, _stream(plan, index, _READING), 0)


def worth_a_forecast(pilot: float, wanted: Sequence[int]) -> bool:
    """Whether a line of which that share fell in a few runs may belong to one of those tenths."""
    if pilot in (0.0, 1.0):
        return bin_of(pilot) in wanted
    return any(place / BINS - PILOT_SLACK <= pilot <= (place + 1) / BINS + PILOT_SLACK for place in wanted)


def judged(plan: Plan, forecast: Forecast, compared: bool) -> Judged:
    """What becomes of true lines around the reading. What a worker does.

    Nothing is known of a line but its reading, so the truth is the reading and the noise, drawn anew for it.
    """
    seed = _stream(plan, forecast.index, _TRUE)
    runs = max(plan.truths, plan.runs) if compared else plan.truths
    lines = [draw(forecast.reading, Noise(), seed, number) for number in range(runs)]
    fell = _fell(lines, OTHER)
    if not compared:
        return Judged(forecast, fell, None)
    dead = [replace(line, table=replace(line.table, restitution=0.0)) for line in lines]
    both = Compared(_fell(lines, FORECASTER), fell, _fell(dead, FORECASTER), _fell(dead, OTHER))
    return Judged(forecast, fell[: plan.truths], both)


def _fell(lines: Sequence[Scene], name: str) -> tuple[bool, ...]:
    return tuple(outcome.all_fell for outcome in engine(name).run(lines, Settings(step=STEPS[name])))


def _stream(plan: Plan, index: int, purpose: int) -> int:
    """A seed for that candidate and purpose alone."""
    return int(np.random.SeedSequence([plan.seed, index, purpose]).generate_state(1, np.uint64)[0] >> 1)


def _mapped(job: Callable[..., T], jobs: Sequence[tuple[Any, ...]], executor: Executor | None) -> Iterable[T]:
    """The results in the order of the jobs."""
    if executor is None:
        return (job(*given) for given in jobs)
    return executor.map(job, *zip(*jobs, strict=True))
