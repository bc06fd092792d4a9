"""A cheap model of a scene, learnt from the runs already made, so that fewer of them are needed.

Whether a doubtful row falls depends mostly on a few of the things that are drawn: a gap, a yaw, a friction. A logistic
model of the draws finds out which. What it says on the mean of all draws is known without a run, so the runs need
only tell how far it is wrong: a control variate. Every run is held against a model that has not seen it, which keeps
the probability free of bias however bad the model is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from physics.noise import Overlaps, overlaps_of
from physics.scene import Noise, Scene

FOLDS = 4  # each quarter of the runs is held against a model of the other three
MIN_OF_EACH = 8  # runs that fell and runs that stood, before a model is tried
MAX_LINE = 40  # of longer lines too many draws overlap, and each takes long to try
MIN_FREE_SHARE = 0.5  # share of draws free of overlap; where it is less, the model's mean is not known well enough
MAX_WEIGHTS = 16  # of the draws, those that go most with the falls
FIRST_WEIGHT = 0.8  # standard deviation of a weight before anything is known
UNSEEN_MISSES = 2.0  # added to those seen: a sharp model is seldom wrong, and few runs may not show it
ROUNDS = 6  # of learning how large each weight may be: those that explain nothing fade out
STEEPEST = 30.0  # log odds beyond which nothing changes any more

Array = npt.NDArray[np.float64]
Fell = npt.NDArray[np.bool_]

_GRID = np.linspace(-8.0, 8.0, 1601)
_GRID_WEIGHTS = np.exp(-(_GRID**2) / 2) / np.exp(-(_GRID**2) / 2).sum()


@dataclass(frozen=True, slots=True)
class Share:
    """A probability seen in runs."""

    probability: float
    worth: float  # how many plain runs would tell it as well

    @property
    def fell(self) -> float:
        """How many of those would have fallen."""
        return self.probability * self.worth


class Surrogate:
    """The model of one prediction's draws."""

    def __init__(self, scene: Scene, noise: Noise) -> None:
        self._scene, self._noise = scene, noise
        self._overlaps: Overlaps | None = None

    def share(self, fell: Fell, normals: Array) -> Share:
        """The probability of a fall after runs of which these fell, by their normals, (runs, draws).

        Plain where a model does not help.
        """
        if min(fell.sum(), (~fell).sum()) < MIN_OF_EACH or len(self._scene.line) > MAX_LINE:
            return plain(fell)
        if self._overlaps is None:
            self._overlaps = overlaps_of(self._scene, self._noise)
        return corrected(fell, normals, self._overlaps)


def plain(fell: Fell) -> Share:
    """The runs' own share."""
    return Share(float(fell.mean()), len(fell))


def corrected(fell: Fell, normals: Array, overlaps: Overlaps) -> Share:
    """The share that a model of the normals, (runs, draws), makes out of the runs; plain where that is worth more."""
    if overlaps.free < MIN_FREE_SHARE:
        return plain(fell)
    fold = np.arange(len(fell)) % FOLDS
    missed, expected = np.zeros(len(fell)), np.zeros(len(fell))
    for part in range(FOLDS):
        here = fold == part
        model = fitted(fell[~here], normals[~here])
        missed[here] = fell[here] - model.falls(normals[here])
        expected[here] = model.mean(overlaps)
    probability = float(np.clip((expected + missed).mean(), 0.0, 1.0))
    worth = probability * (1 - probability) * len(fell) ** 2 / (float((missed**2).sum()) + UNSEEN_MISSES)
    return Share(probability, worth) if worth > len(fell) else plain(fell)


@dataclass(frozen=True)
class Model:
    """Log odds of a fall: a bias, and a weight for each normal."""

    bias: float
    weights: Array

    def falls(self, normals: Array) -> Array:
        """The probability of a fall for each row of normals."""
        return _odds(self.bias + normals @ self.weights)

    def mean(self, overlaps: Overlaps) -> float:
        """The mean probability over all draws that are free of overlap."""
        over_all = float(_GRID_WEIGHTS @ _odds(self.bias + _GRID * float(np.linalg.norm(self.weights))))
        overlapping = float(self.falls(overlaps.normals).sum()) / overlaps.proposals
        return (over_all - overlapping) / overlaps.free


def fitted(fell: Fell, normals: Array) -> Model:
    """The model that fits these runs, with weights no larger than the runs bear out (relevance determination)."""
    outcome = fell.astype(np.float64)
    together = np.abs(normals.T @ (outcome - outcome.mean()))
    chosen = np.sort(np.argsort(-together, kind="stable")[:MAX_WEIGHTS])
    rows = np.column_stack([np.ones(len(fell)), normals[:, chosen]])
    found = np.zeros(rows.shape[1])
    tightness = np.full(rows.shape[1], FIRST_WEIGHT**-2)
    for _ in range(ROUNDS):
        tightness[0] = 0.01  # the bias is free
        found, spread = _most_likely(rows, outcome, found, tightness)
        tightness = 1 / (found**2 + spread)
    weights = np.zeros(normals.shape[1])
    weights[chosen] = found[1:]
    return Model(float(found[0]), weights)


def _most_likely(rows: Array, outcome: Array, start: Array, tightness: Array) -> tuple[Array, Array]:
    """The most likely weights by Newton's method, and their variances."""
    found, curvature = start, np.diag(tightness)
    for _ in range(15):
        odds = _odds(rows @ found)
        curvature = (rows.T * np.maximum(odds * (1 - odds), 1e-6)) @ rows + np.diag(tightness)
        move = np.linalg.solve(curvature, rows.T @ (outcome - odds) - tightness * found)
        largest = float(np.abs(move).max())
        found = found + move * min(1.0, 3.0 / max(largest, 1e-9))
        if largest < 1e-2:
            break
    return found, np.diag(np.linalg.inv(curvature))


def _odds(log_odds: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-np.clip(log_odds, -STEEPEST, STEEPEST)))
    return result
