"""Makes the numbers of `game.games.evaluation.bot.model`: rows as players build them, a full run of each, and a fit.

python -m game.games.evaluation.bot.fit_model FILE    writes the model; about five minutes on two cores
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from game.games.evaluation.bot.candidates import candidates
from game.games.evaluation.bot.judgement import scene_of
from game.games.evaluation.bot.model import Array, RowModel, features, rows_of
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row
from game.workers.pool import worker_pool
from physics.engine import Settings, engine
from physics.engines import default_engine
from physics.line import Placement

HIDDEN = 24
STEPS = 3000
RATE = 0.01
DECAY = 1e-4
LIVELY = 0.15  # share of placements that are made without a thought
COUNTS = (2500, 3000, 4000)  # rows of each turn of learning
CHUNK = 16  # rows that travel to a worker together

Score = Callable[[Sequence[Row]], Array]


@dataclass(frozen=True)
class Sample:
    """A row and which of its tiles fell, both in the row's order."""

    row: Row
    fell: tuple[bool, ...]


def built_rows(seed: int, count: int, score: Score | None) -> list[Row]:
    """Rows of all stages of rounds in which tiles are placed half by chance and half with an eye on the score."""
    generator = random.Random(f"{seed}:rows")
    found: list[Row] = []
    while len(found) < count:
        row: Row = (Placement(NUMBERS.start_tile, 0.0, 0.0),)
        for _ in range(generator.randint(3, 18)):
            rows = list(candidates(row, generator, 12).values())
            if not rows:
                break
            row = rows[0]
            if score is not None and generator.random() > LIVELY:
                # Rows that hang in the balance teach most, but most rows of a match are safe.
                aim = generator.choice((0.5, 0.8, 0.95, 1.0))
                row = rows[int(np.argmin(np.abs(score(rows) - aim)))]
            found.append(row)
    return found[:count]


def fallen(rows: Sequence[Row]) -> list[tuple[bool, ...]]:
    """Which tiles fell in a run of each row. What a worker does."""
    scenes = [scene_of(row) for row in rows]
    return [outcome.fallen for outcome in engine(default_engine()).run(scenes, Settings())]


def sampled(rows: Sequence[Row], executor: Executor | None) -> list[Sample]:
    """The rows with what a run of each says."""
    chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
    results = map(fallen, chunks) if executor is None else executor.map(fallen, chunks)
    return [Sample(row, fell) for row, fell in zip(rows, (fell for chunk in results for fell in chunk), strict=True)]


def examples(samples: Sequence[Sample]) -> tuple[Array, npt.NDArray[np.bool_]]:
    """The joints that the falls reached, (joints, features), and whether they went on there."""
    found, went_on = [], []
    for sample in samples:
        fell = sample.fell[::-1] if sample.row[-1].value < sample.row[0].value else sample.fell
        reached = fell.index(False) if False in fell else len(fell)
        if reached:
            found.append(features(rows_of([sample.row]))[0][:reached])
            went_on.append(np.array([*fell[1:reached], *([False] if reached < len(fell) else [])], dtype=np.bool_))
    return np.concatenate(found), np.concatenate(went_on)


def fitted(found: Array, went_on: npt.NDArray[np.bool_], seed: int = 0) -> RowModel:
    """The model that fits the joints best (Adam, all at once)."""
    generator = np.random.default_rng(seed)
    means, spreads = found.mean(axis=0), found.std(axis=0) + 1e-6
    inputs, outcome = (found - means) / spreads, went_on.astype(np.float64)
    weights = [
        generator.normal(size=(inputs.shape[1], HIDDEN)) / math.sqrt(inputs.shape[1]),
        np.zeros(HIDDEN),
        generator.normal(size=HIDDEN) / math.sqrt(HIDDEN),
        np.zeros(1),
    ]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    for step in range(1, STEPS + 1):
        hidden = np.tanh(inputs @ weights[0] + weights[1])
        wrong = (1 / (1 + np.exp(-(hidden @ weights[2] + weights[3]))) - outcome) / len(outcome)
        back = wrong[:, None] * weights[2] * (1 - hidden**2)
        slopes = [inputs.T @ back + DECAY * weights[0], back.sum(axis=0), hidden.T @ wrong, wrong.sum(keepdims=True)]
        slopes[2] = slopes[2] + DECAY * weights[2]
        rate = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        for place, slope in enumerate(slopes):
            first[place] = 0.9 * first[place] + 0.1 * slope
            second[place] = 0.999 * second[place] + 0.001 * slope**2
            move = first[place] / (1 - 0.9**step) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
            weights[place] = weights[place] - rate * move
    return RowModel(means, spreads, weights[0], weights[1], weights[2], float(weights[3][0]))


def trained(executor: Executor | None, counts: Sequence[int] = COUNTS) -> RowModel:
    """A model learnt in turns: each builds rows with an eye on what the one before forecast."""
    samples: list[Sample] = []
    model: RowModel | None = None
    for seed, count in enumerate(counts):
        score = None if model is None else _score(model)
        samples += sampled(built_rows(seed, count, score), executor)
        model = fitted(*examples(samples))
    assert model is not None
    return model


def _score(model: RowModel) -> Score:
    return lambda rows: model.falls(rows_of(rows))


def main(names: list[str]) -> int:
    """Writes the model into the file of that name."""
    with worker_pool(None) as executor:
        Path(names[0]).write_text(trained(executor).text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
