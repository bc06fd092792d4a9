"""Many runs of a scene, each drawn anew within what is known of it: how likely the line is to fall."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from physics.engine import Settings, engine
from physics.engines import engines_of
from physics.errors import InputError
from physics.intervals import CONTACT_DOUBT, contact_doubt, wilson, with_contact_doubt
from physics.line import distance
from physics.noise import Normals, draw_with_normals
from physics.outcome import Prediction
from physics.scene import Noise, Scene
from physics.surrogate import Share, Surrogate

MIN_RUNS = 32
CONFIDENCES = (0.5, 0.999)  # of intervals, from and to
ROUND = 16  # runs between two looks at the interval; fixed, so that the answer does not depend on the workers
CHUNK = 4  # runs that travel to a worker together
CHUNKS_AHEAD = 8  # chunks under way at once, at least: a look at the interval must not keep workers waiting
CHUNKS_PER_WORKER = 2  # under way for each worker of an executor that tells how many it has

_log = logging.getLogger("topple.engine")

Falls = npt.NDArray[np.bool_]
Progress = Callable[[int, tuple[float, float]], None]


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs in the order of their draws."""

    falls: Falls  # (runs, tiles): which tiles fell
    normals: Normals  # (runs, draws): what each was drawn with, which a model of the draws learns from


@dataclass(frozen=True, slots=True)
class Precision:
    """When a prediction is sure enough."""

    width: float = 0.05  # half the sampling interval, at most
    confidence: float = 0.95
    to_verdict: bool = True  # stop as soon as the verdict is certain, whatever the width

    def __post_init__(self) -> None:
        if not 0.005 <= self.width <= 0.5:
            raise InputError("The width is {value}, but must be a number from 0.005 to 0.5.", value=self.width)
        if not CONFIDENCES[0] <= self.confidence <= CONFIDENCES[1]:
            raise InputError(
                "The confidence is {value}, but must be a number from 0.5 to 0.999.", value=self.confidence
            )

    def reached(self, share: Share, doubt: float = CONTACT_DOUBT) -> bool:
        """Whether the sampling interval is narrow enough, or the verdict certain if that is enough."""
        if share.worth < MIN_RUNS:
            return False
        low, high = wilson(share.fell, share.worth, self.confidence)
        narrow = high - low <= 2 * self.width
        return narrow or (self.to_verdict and verdict_certain(share, self.confidence, doubt))


def verdict_certain(share: Share, confidence: float, doubt: float = CONTACT_DOUBT) -> bool:
    """Whether the interval, contact model and all, lies on one side of a half."""
    low, high = with_contact_doubt(share.fell, share.worth, confidence, doubt)
    return low > 0.5 or high < 0.5


def predict(
    scene: Scene,
    noise: Noise,
    *,
    seed: int = 0,
    precision: Precision | None = None,
    engine_name: str = "bullet",
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Prediction:
    """How likely the whole line is to fall; runs in this process, or spread over an executor.

    The same seed gives the same answer bit for bit, whatever the executor. One with many workers may tell their number
    as `workers`. SceneError when the scene is wrong.
    """
    scene.check_runnable()
    precision = precision or Precision()
    started = time.perf_counter()
    rounds = rounds_of_runs(scene, noise, seed, engine_name, executor)
    engines = len(engines_of(engine_name))
    surrogate, runs = Surrogate(scene, noise), next(rounds)
    while True:
        share = surrogate.share(np.asarray(runs.falls.all(axis=1)), runs.normals)
        if progress is not None:
            progress(len(runs.falls), wilson(share.fell, share.worth, precision.confidence))
        if precision.reached(share, contact_doubt(engines, weak_gap(scene, runs.falls))):
            break
        runs = _together([runs, next(rounds)])
    rounds.close()
    return summed_up(scene, runs.falls, share, precision.confidence, engine_name, seed, time.perf_counter() - started)


def _together(parts: Sequence[Runs]) -> Runs:
    return Runs(np.concatenate([part.falls for part in parts]), np.concatenate([part.normals for part in parts]))


def rounds_of_runs(
    scene: Scene, noise: Noise, seed: int, engine_name: str, executor: Executor | None
) -> Generator[Runs, None, None]:
    """Runs without end, ROUND draws at a time."""
    chunks = (tuple(range(start, start + CHUNK)) for start in count(0, CHUNK))
    if executor is None:
        results = (runs_of_draws(scene, noise, seed, chunk, engine_name) for chunk in chunks)
        while True:
            yield _together([next(results) for _ in range(ROUND // CHUNK)])
    ahead = max(CHUNKS_AHEAD, CHUNKS_PER_WORKER * getattr(executor, "workers", 0))
    waiting: deque[Future[Runs]] = deque()
    try:
        while True:
            while len(waiting) < ahead:
                waiting.append(executor.submit(runs_of_draws, scene, noise, seed, next(chunks), engine_name))
            # Taken out only once it is there: whatever ends the wait for it shall cancel it with the others.
            yield _together([waiting[chunk].result() for chunk in range(ROUND // CHUNK)])
            for _ in range(ROUND // CHUNK):
                waiting.popleft()
    finally:
        for future in waiting:
            future.cancel()


def run_draws(scene: Scene, noise: Noise, seed: int, indexes: tuple[int, ...], engine_name: str) -> Falls:
    """Which tiles fell in each of those draws, (draws, tiles). What a worker does."""
    return runs_of_draws(scene, noise, seed, indexes, engine_name).falls


def runs_of_draws(scene: Scene, noise: Noise, seed: int, indexes: tuple[int, ...], engine_name: str) -> Runs:
    """The same, with the normals that each was drawn with."""
    draws = [draw_with_normals(scene, noise, seed, index) for index in indexes]
    names = engines_of(engine_name)
    falls = np.zeros((len(indexes), len(scene.line)), dtype=np.bool_)
    for turn, name in enumerate(names):
        rows = [row for row, index in enumerate(indexes) if index % len(names) == turn]
        scenes = [draws[row][0] for row in rows]
        for row, outcome in zip(rows, engine(name).run(scenes, Settings()), strict=True):
            falls[row] = outcome.fallen
    return Runs(falls, np.array([normals for _drawn, normals in draws]))


def summed_up(
    scene: Scene, falls: Falls, share: Share, confidence: float, engine_name: str, seed: int, seconds: float
) -> Prediction:
    """The runs as a prediction."""
    names = engines_of(engine_name)
    doubt = contact_doubt(len(names), weak_gap(scene, falls))
    _log.debug("%d runs of %d tiles by %s, seed %s, %.2f s", len(falls), len(scene.line), engine_name, seed, seconds)
    return Prediction(
        probability=share.probability,
        interval=with_contact_doubt(share.fell, share.worth, confidence, doubt),
        sampling=wilson(share.fell, share.worth, confidence),
        confidence=confidence,
        samples=len(falls),
        values=scene.line.values,
        tile_falls=tile_falls(falls, share.probability),
        weakest_at=weakest_at(scene, falls),
        pushed=scene.pushed,
        engine=engine_name,
        seed=seed,
        seconds=seconds,
        by_engine=tuple((name, float(falls[turn :: len(names)].all(axis=1).mean())) for turn, name in enumerate(names)),
    )


def tile_falls(falls: Falls, probability: float) -> tuple[float, ...]:
    """Each tile's own probability: it falls with all the others, or in its share of the runs where some stood."""
    some_stood = falls[~falls.all(axis=1)]
    if not len(some_stood):
        return (1.0,) * len(falls[0])
    shares: list[float] = some_stood.mean(axis=0).tolist()
    return tuple(probability + (1 - probability) * share for share in shares)


def weakest_at(scene: Scene, falls: Falls) -> int | None:
    """The gap at which the fall most often ends, as the index of its first tile in file order.

    None when no run ended at a gap: all fell, or the pushed tile itself stayed up.
    """
    order = scene.push_order
    stops = np.zeros(len(order), dtype=int)
    for run in falls[~falls.all(axis=1)]:
        stops[int(np.argmin(run[list(order)]))] += 1
    if stops[1:].sum() == 0:
        return None
    reached = 1 + int(np.argmax(stops[1:]))
    return min(order[reached - 1], order[reached])


def weak_gap(scene: Scene, falls: Falls) -> float | None:
    """The gap on which the line hangs, as a share of the height of the tile that falls across it.

    None when all runs agree, or when no run ended at a gap.
    """
    fell = falls.all(axis=1)
    weakest = weakest_at(scene, falls) if fell.any() and not fell.all() else None
    if weakest is None:
        return None
    boxes, order = scene.line.standing(), scene.push_order
    falling = min(weakest, weakest + 1, key=order.index)
    return distance(boxes[weakest], boxes[weakest + 1]) / boxes[falling].height
