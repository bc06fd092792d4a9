"""How likely a row that is only being thought of is to fall: few runs beside the game, the newest row first."""

from __future__ import annotations

from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass

import numpy as np

from game.match.tabletop import scene_key
from physics.errors import ToppleError
from physics.intervals import with_contact_doubt
from physics.predict import Falls, run_draws, weakest_at
from physics.scene import Noise, Scene

RUNS, CHUNK = 24, 4  # runs in all, and runs that travel to a worker together
CONFIDENCE = 0.95
DWELL = 0.15  # s that a hand must rest before runs are begun


@dataclass(frozen=True, slots=True)
class Hint:
    """What the runs say so far."""

    scene: str  # the name of the row
    values: tuple[int, ...]
    probability: float  # that all of it falls
    interval: tuple[float, float]
    runs: int
    weakest_at: int | None  # index of the first tile of the gap where the fall most often ends
    is_final: bool


class Hints:
    """Live forecasts, one row at a time: a newer row takes the place of the one before. Nothing here waits."""

    def __init__(self, executor: Executor, engine: str, seed: int) -> None:
        self._executor, self._engine, self._seed = executor, engine, seed
        self._scene: Scene | None = None
        self._key = ""
        self._rested = 0.0
        self._futures: list[Future[Falls]] = []
        self.hint: Hint | None = None

    @property
    def is_running(self) -> bool:
        """Whether runs are wanted or under way."""
        return self._scene is not None and (self.hint is None or not self.hint.is_final)

    def want(self, scene: Scene | None) -> None:
        """Asks for that row; None: for none. The same row again changes nothing."""
        key = "" if scene is None else scene_key(scene)
        if key == self._key:
            return
        self._cancel()
        self._scene, self._key, self._rested, self.hint = scene, key, 0.0, None

    def update(self, dt: float) -> None:
        """Begins runs once the hand rests, and takes in those that are done."""
        if self._scene is None or not self.is_running:
            return
        self._rested += dt
        if not self._futures:
            if self._rested >= DWELL:
                self._begin(self._scene)
            return
        done: list[Falls] = []
        for future in self._futures:
            if not future.done():
                break
            try:
                done.append(future.result())
            except (ToppleError, CancelledError):  # so close to one another tiles have no forecast
                self.want(None)
                return
        runs = sum(len(falls) for falls in done)
        if runs > (self.hint.runs if self.hint is not None else 0):
            self.hint = self._summed_up(self._scene, np.concatenate(done))

    def close(self) -> None:
        """Ends what is under way."""
        self.want(None)

    def _begin(self, scene: Scene) -> None:
        chunks = [tuple(range(start, start + CHUNK)) for start in range(0, RUNS, CHUNK)]
        try:
            self._futures = [
                self._executor.submit(run_draws, scene, Noise(), self._seed, chunk, self._engine) for chunk in chunks
            ]
        except RuntimeError:  # the workers are being sent home
            self.want(None)

    def _summed_up(self, scene: Scene, falls: Falls) -> Hint:
        runs, fell = len(falls), int(falls.all(axis=1).sum())
        return Hint(
            self._key,
            scene.line.values,
            fell / runs,
            with_contact_doubt(fell, runs, CONFIDENCE),
            runs,
            weakest_at(scene, falls),
            is_final=runs >= RUNS,
        )

    def _cancel(self) -> None:
        for future in self._futures:
            future.cancel()
        self._futures = []
