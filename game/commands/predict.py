"""predict: how likely is a line to fall?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from game.canvas import ENDINGS
from game.commands.options import (
    MOST_SEED,
    cluster_option,
    engine_option,
    json_option,
    line_argument,
    number,
    whole,
    workers_option,
)
from game.plan import draw_plan
from game.pool import worker_pool
from game.progress import Progress, bar
from game.report import hint_words, percent, prediction_words
from game.words import _, plural
from physics.engine import default_engine
from physics.files import check_ending, check_writable
from physics.hint import Hint, suggest
from physics.outcome import Prediction
from physics.predict import Precision, predict
from physics.scene import read_line_file


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of predict."""
    line_argument(parser)
    json_option(parser)
    parser.add_argument("--picture", type=Path, metavar=_("FILE"), help=_("draw the plan view (.png, .svg or .pdf)"))
    parser.add_argument(
        "--seed", type=whole(0, MOST_SEED), metavar="N", default=0, help=_("same seed, same answer (default 0)")
    )
    parser.add_argument(
        "--width",
        type=number(0.005, 0.5),
        metavar="W",
        default=0.05,
        help=_("stop when the runs alone are this sure, ± (default 0.05)"),
    )
    parser.add_argument(
        "--confidence",
        type=number(0.5, 0.999),
        metavar="C",
        default=0.95,
        help=_("of the intervals (default 0.95)"),
    )
    parser.add_argument(
        "--hint",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=_("look for a change that would help (as it is, only for people, not with --json)"),
    )
    engine_option(parser)
    workers_option(parser)
    cluster_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the prediction; 0 whatever it foretells."""
    precision = Precision(options.width, options.confidence)
    if options.picture is not None:
        check_ending(options.picture, ENDINGS)
        check_writable(options.picture)
    scene, noise = read_line_file(options.line)
    wants_hint = options.hint if options.hint is not None else not options.json
    hint: Hint | None = None
    with worker_pool(options.workers, options.cluster) as executor, Progress() as progress:

        def tell(runs: int, sampling: tuple[float, float]) -> None:
            low, high = sampling
            done = precision.width * 2 / max(high - low, precision.width * 2)
            progress.show(
                _("{bar} {runs} so far: {low} to {high}").format(
                    bar=bar(done * done),
                    runs=plural("{count} run", "{count} runs", runs),
                    low=percent(low),
                    high=percent(high),
                )
            )

        prediction = predict(
            scene,
            noise,
            seed=options.seed,
            precision=precision,
            engine_name=options.engine or default_engine(),
            executor=executor,
            progress=tell,
        )
        if wants_hint:
            hint = suggest(
                scene,
                noise,
                prediction,
                executor=executor,
                progress=lambda done, total: progress.show(
                    _("{bar} looking for a change that would help").format(bar=bar(done / total))
                ),
            )
    if options.picture is not None:
        draw_plan(scene, prediction, options.picture)
    if options.json:
        print(json.dumps(contract(prediction) | ({"hint": _hint_json(hint, prediction)} if options.hint else {})))
    else:
        print(prediction_words(options.line.name, scene, prediction))
        if hint is not None:
            print(hint_words(hint, prediction))
        if options.picture is not None:
            print(_("Picture: {file}").format(file=options.picture))
    return 0


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


def _hint_json(hint: Hint | None, prediction: Prediction) -> dict[str, Any] | None:
    if hint is None:
        return None
    return {
        "gap_at": hint.change.gap_at,
        "shift": round(hint.change.shift * 1e3, 3),
        "turned": hint.change.turned,
        "probability": hint.probability,
        "words": hint_words(hint, prediction),
    }
