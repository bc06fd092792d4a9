"""Forecasts of a scene at the command line: runs, words or JSON, a picture, and a hint; shared by commands.

Imported only when there is something to forecast, for it loads the simulation; `forecast_options` is light.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from game.pictures.plan import draw_plan
from game.text.report import hint_words, percents, prediction_words
from game.words import _, named, plural
from game.workers.pool import worker_pool
from game.workers.progress import Progress, bar
from physics.engines import default_engine
from physics.hint import Hint, suggest
from physics.outcome import Prediction
from physics.predict import Precision, predict
from physics.scene import Noise, Scene


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be forecast, what it is called, how well it is known, and how it is drawn."""

    name: str
    scene: Scene
    noise: Noise
    draw: Callable[[Scene, Prediction, Path], None] = draw_plan
    more: Mapping[str, Any] = field(default_factory=dict)  # that its JSON has


def forecast(subject: Subject, options: argparse.Namespace) -> int:
    """Forecasts the scene and prints that; 0 whatever the forecast.

    The forecast is printed before a hint is looked for. Ctrl-C ends only that search, once it has begun.
    """
    printed: Prediction | None = None
    hint: Hint | None = None
    try:
        with worker_pool(options.workers, options.cluster) as executor:
            prediction = _predicted(subject, options, executor)
            _tell(subject, prediction, options)
            printed = prediction
            if options.hint if options.hint is not None else not options.json:
                hint = _hint(subject, prediction, options, executor)
    except KeyboardInterrupt:
        if printed is None:
            raise
        print(_("Stopped looking for a change that would help; the forecast stands."), file=sys.stderr)
    _tell_hint(subject, hint, printed, options)
    return 0


def _predicted(subject: Subject, options: argparse.Namespace, executor: Executor | None) -> Prediction:
    precision = Precision(options.width, options.confidence)
    with Progress() as progress:

        def tell(runs: int, sampling: tuple[float, float]) -> None:
            low, high = sampling
            done = precision.width * 2 / max(high - low, precision.width * 2)
            progress.show(
                _("{bar} {runs} so far: {range}").format(
                    bar=bar(done * done), runs=plural("{count} run", "{count} runs", runs), range=percents(sampling)
                )
            )

        return predict(
            subject.scene,
            subject.noise,
            seed=options.seed,
            precision=precision,
            engine_name=options.engine or default_engine(),
            executor=executor,
            progress=tell,
        )


def _tell(subject: Subject, prediction: Prediction, options: argparse.Namespace) -> None:
    """All there is before a hint; JSON is one object and waits for it."""
    if not options.json:
        print(prediction_words(subject.name, subject.scene, prediction), flush=True)
    if options.picture is not None:
        subject.draw(subject.scene, prediction, options.picture)
        if not options.json:
            print(_("Picture: {file}").format(file=named(options.picture)), flush=True)


def _hint(
    subject: Subject, prediction: Prediction, options: argparse.Namespace, executor: Executor | None
) -> Hint | None:
    with Progress() as progress:
        return suggest(
            subject.scene,
            subject.noise,
            prediction,
            budget=None if options.hint else prediction.samples,
            executor=executor,
            progress=lambda done, total: progress.show(
                _("{bar} looking for a change that would help").format(bar=bar(done / total))
            ),
        )


def _tell_hint(subject: Subject, hint: Hint | None, prediction: Prediction, options: argparse.Namespace) -> None:
    if options.json:
        hinted = {"hint": _hint_json(hint, subject.scene)} if options.hint else {}
        print(json.dumps({**contract(prediction), **hinted, **subject.more}))
    elif hint is not None:
        print(hint_words(hint, subject.scene))


def contract(prediction: Prediction) -> dict[str, Any]:
    """The prediction as other programs read it; tiles by value and in file order."""
    return {
        "probability": prediction.probability,
        "interval": list(prediction.interval),
        "sampling": list(prediction.sampling),
        "confidence": prediction.confidence,
        "verdict": prediction.verdict,
        "samples": prediction.samples,
        "tiles": [
            {"value": value, "falls": falls}
            for value, falls in zip(prediction.values, prediction.tile_falls, strict=True)
        ],
        "weakest_gap": None if prediction.weakest_gap is None else list(prediction.weakest_gap),
        "weakest_at": prediction.weakest_at,
        "pushed": prediction.values[prediction.pushed],
        "engine": prediction.engine,
        "seed": prediction.seed,
        "seconds": round(prediction.seconds, 3),
    }


def _hint_json(hint: Hint | None, scene: Scene) -> dict[str, Any] | None:
    if hint is None:
        return None
    return {
        "gap_at": hint.change.gap_at,
        "shift": round(hint.change.shift * 1e3, 3),
        "turned": hint.change.turned,
        "probability": hint.probability,
        "interval": list(hint.interval),
        "samples": hint.samples,
        "words": hint_words(hint, scene),
    }
