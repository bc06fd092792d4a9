"""What a session has done while the game goes on: the judge's look at a pushed row, and forecasts."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from game.match.forecasts import Forecasts
from game.match.history import SIMULATED, Setup
from game.match.judge import Judge, Simulated, outcome_data
from game.match.tabletop import tabletop_of
from game.workers.pool import LocalPool
from physics.outcome import Outcome
from physics.scene import Scene

WORKERS = 2  # one for forecasts, one that is free for the judge


def _nobody() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Tools:
    """What a session works with; all of it may be left out."""

    executor: Executor | None = None  # for runs, must keep two busy at once; None: processes of the session's own
    judge: Judge | None = None  # the camera at a real table; the simulated table has its own
    clock: Callable[[], float] = time.monotonic
    wake: Callable[[], None] = _nobody  # called from any thread when there is something to poll


Judged = tuple[Outcome, dict[str, Any]]
"""What a judge found, and the same as a log holds it."""


def judged(judge: Judge, scene: Scene) -> Judged:
    """What a worker does: all the motion is written down there, since a window must not wait for that."""
    outcome = judge.judge(scene)
    return outcome, outcome_data(scene, outcome)


def knocked(judge: Simulated, scene: Scene) -> Judged:
    """The same of a row that a clumsy hand has touched."""
    outcome = judge.knocked(scene)
    return outcome, outcome_data(scene, outcome)


class Background:
    """The judge and the forecasts of one match, and the workers they need, started when first needed."""

    def __init__(self, setup: Setup, tools: Tools) -> None:
        judged = setup.table == SIMULATED and tabletop_of(setup.game) is not None
        self.simulated = Simulated(setup.engine) if judged else None
        self.judge: Judge | None = self.simulated or tools.judge
        self.forecasts = Forecasts(setup.seed, setup.engine)
        self._tools = tools
        self._judging: Future[Judged] | None = None
        self._pool: LocalPool | None = None
        self._camera: ThreadPoolExecutor | None = None

    @property
    def is_judging(self) -> bool:
        """Whether a row is being judged."""
        return self._judging is not None

    @property
    def futures(self) -> list[Future[Any]]:
        """All that is under way."""
        judging = [] if self._judging is None else [self._judging]
        return [*judging, *([] if self.forecasts.future is None else [self.forecasts.future])]

    def start_judging(self, scene: Scene) -> None:
        """Has the row judged, unless one is being judged or nobody judges."""
        if self.judge is None or self._judging is not None:
            return
        future = self._judges().submit(judged, self.judge, scene)
        self._judging = future
        future.add_done_callback(partial(_call, self._tools.wake))

    def judged(self) -> Future[Judged] | None:
        """What was found of the row that was judged, once it is ready; None before."""
        if self._judging is None or not self._judging.done():
            return None
        judged, self._judging = self._judging, None
        return judged

    def put_back(self, judged: Future[Judged]) -> None:
        """What was found is taken again later."""
        self._judging = judged

    def start_forecast(self) -> None:
        """Has the next row forecast, unless one is under way or none is wanted."""
        if self.forecasts.future is None and self.forecasts.pending:
            future = self.forecasts.begin(self._runs())
            if future is not None:
                future.add_done_callback(partial(_call, self._tools.wake))

    def close(self) -> None:
        """Ends what is under way."""
        for future in self.futures:
            future.cancel()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        if self._camera is not None:
            self._camera.shutdown(wait=False, cancel_futures=True)
            self._camera = None

    def _judges(self) -> Executor:
        """Runs go to other processes; a camera stays in this one."""
        if self.simulated is not None:
            return self._runs()
        if self._camera is None:
            self._camera = ThreadPoolExecutor(1)
        return self._camera

    def _runs(self) -> Executor:
        if self._tools.executor is not None:
            return self._tools.executor
        if self._pool is None:
            self._pool = LocalPool(WORKERS)
        return self._pool


def _call(wake: Callable[[], None], _future: Future[Any]) -> None:
    wake()
