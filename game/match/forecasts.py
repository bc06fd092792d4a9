"""Forecasts of rows, made in the background one at a time: rows that were pushed first, then the newest."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

from game.match.history import seed_data
from game.match.tabletop import scene_key
from physics.errors import ToppleError
from physics.outcome import Prediction
from physics.predict import Precision, predict
from physics.scene import Noise, Scene

PRECISION = Precision(width=0.1)  # a match has many rows; what it stops at is counted in runs, never in seconds


def forecast_of(scene: Scene, seed: int, engine: str) -> dict[str, Any]:
    """The forecast of the row as a log holds it; the same for the same arguments. What a worker does."""
    try:
        return forecast_data(scene, predict(scene, Noise(), seed=seed, precision=PRECISION, engine_name=engine))
    except ToppleError as error:
        return {"scene": scene_key(scene), "failed": str(error)}


def forecast_data(scene: Scene, prediction: Prediction) -> dict[str, Any]:
    """The prediction as a log holds it; how long it took is left out, since it differs from time to time."""
    return {
        "scene": scene_key(scene),
        "values": list(prediction.values),
        "probability": prediction.probability,
        "interval": list(prediction.interval),
        "sampling": list(prediction.sampling),
        "confidence": prediction.confidence,
        "verdict": prediction.verdict,
        "samples": prediction.samples,
        "tile_falls": list(prediction.tile_falls),
        "weakest_at": prediction.weakest_at,
        "pushed": prediction.pushed,
        "engine": prediction.engine,
        "seed": seed_data(prediction.seed),
    }


class Forecasts:
    """The rows that are still to be forecast."""

    def __init__(self, seed: int, engine: str) -> None:
        self._seed, self._engine = seed, engine
        self._wanted: dict[str, Scene] = {}
        self._asked: set[str] = set()
        self._urgent: set[str] = set()
        self._under_way = ""
        self.future: Future[dict[str, Any]] | None = None

    @property
    def pending(self) -> bool:
        """Whether any row is still to be forecast."""
        return bool(self._wanted) or self.future is not None

    @property
    def has_urgent(self) -> bool:
        """Whether any urgent row is still to be forecast."""
        under_way = {self._under_way} if self.future is not None else set()
        return bool(self._urgent & (self._wanted.keys() | under_way))

    def want(self, scene: Scene, *, urgent: bool = False) -> None:
        """Asks for the forecast of that row, once; an urgent one comes before the others."""
        key = scene_key(scene)
        if urgent:
            self._urgent.add(key)
        if key not in self._asked:
            self._asked.add(key)
            self._wanted[key] = scene

    def have(self, key: str) -> None:
        """That row's forecast is there already."""
        self._asked.add(key)

    def begin(self, executor: Executor) -> Future[dict[str, Any]] | None:
        """Starts the next forecast unless one is under way; the future of a new one."""
        if self.future is not None or not self._wanted:
            return None
        key = next((key for key in self._wanted if key in self._urgent), next(reversed(self._wanted)))
        scene = self._wanted.pop(key)
        self._under_way = key
        self.future = executor.submit(forecast_of, scene, self._seed, self._engine)
        return self.future

    def ready(self) -> dict[str, Any] | None:
        """The forecast that has become ready, or why there is none; None when none has. It stays until `taken`."""
        if self.future is None or not self.future.done():
            return None
        try:
            return self.future.result()
        except ToppleError as error:  # the workers were lost
            return {"scene": self._under_way, "failed": str(error)}

    def taken(self) -> None:
        """The forecast that was ready is in the log: the next one may begin."""
        self.future = None
