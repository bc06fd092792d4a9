"""The model of the draws: finds what matters, knows its own mean, and leaves the probability unbiased."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest

from physics.intervals import wilson
from physics.line import straight
from physics.noise import Overlaps, draw, draw_with_normals, overlaps_of, perturbed
from physics.predict import ROUND, Precision, run_draws, runs_of_draws
from physics.scene import Noise, Scene
from physics.surrogate import FOLDS, MIN_OF_EACH, Model, Share, Surrogate, corrected, fitted, plain
from physics.tiles import load_set
from physics.validation.random_lines import random_scene

Array = npt.NDArray[np.float64]

EVALUATION = load_set("evaluation")
DRAWS = 37
NONE = Overlaps(1000, np.zeros((0, DRAWS)))
NORMAL = NormalDist()


def world(kind: str, generator: np.random.Generator) -> tuple[Array, float]:
    """What decides in a made-up world: the weights of the draws, and how much chance is beyond them."""
    weights = np.zeros(DRAWS)
    match kind:
        case "a few things":
            weights[generator.choice(DRAWS, 3, replace=False)] = 1.0, -0.8, 0.5
            return weights, 0.5
        case "many things":
            weights = generator.standard_normal(DRAWS) * np.exp(-np.arange(DRAWS) / 6)
            return weights, 0.7 * float(np.linalg.norm(weights))
        case "one gap alone":
            weights[4] = 1.0
            return weights, 0.05
    return weights, 1.0


def forecast(kind: str, chance: float, seed: int) -> tuple[Share, int]:
    """A prediction of that chance in that world, stopped at ± 0.05, and its runs."""
    generator = np.random.default_rng([seed, round(chance * 1000)])
    weights, beyond = world(kind, generator)
    bias = NORMAL.inv_cdf(chance) * math.hypot(float(np.linalg.norm(weights)), beyond)
    normals, fell, share = np.zeros((0, DRAWS)), np.zeros(0, dtype=np.bool_), Share(0.5, 0)
    while not Precision(to_verdict=False).reached(share):
        more = generator.standard_normal((ROUND, DRAWS))
        falls = bias + more @ weights + beyond * generator.standard_normal(ROUND) > 0
        normals, fell = np.concatenate([normals, more]), np.concatenate([fell, falls])
        sparse = min(fell.sum(), (~fell).sum()) < MIN_OF_EACH
        share = plain(fell) if sparse else corrected(fell, normals, NONE)
    return share, len(fell)


@pytest.mark.parametrize(
    ("kind", "chance", "most_runs"),
    [
        ("a few things", 0.5, 200),
        ("a few things", 0.2, 180),
        ("many things", 0.35, 280),
        ("one gap alone", 0.5, 110),
        ("nothing that is drawn", 0.5, 400),
    ],
)
def test_fewer_runs_and_the_interval_still_holds_the_truth(kind: str, chance: float, most_runs: float) -> None:
    """Plain runs would take 385 at a half, 340 at 0.35 and 246 at 0.2."""
    found = [forecast(kind, chance, seed) for seed in range(100)]
    held = [low <= chance <= high for low, high in (wilson(share.fell, share.worth, 0.95) for share, _ in found)]
    assert np.mean(held) >= 0.88  # 0.95 but for the luck of a hundred
    assert abs(np.mean([share.probability for share, _ in found]) - chance) < 0.009
    assert np.mean([runs for _, runs in found]) < most_runs


def test_the_weights_that_matter_are_found() -> None:
    generator = np.random.default_rng(3)
    normals = generator.standard_normal((400, DRAWS))
    fell = 2 * normals[:, 5] - normals[:, 30] + 0.3 * generator.standard_normal(400) > 0.4
    model = fitted(fell, normals)
    largest = np.argsort(-np.abs(model.weights))[:2]
    assert set(largest) == {5, 30}
    assert model.weights[5] / model.weights[30] == pytest.approx(-2, rel=0.2)
    assert np.abs(np.delete(model.weights, [5, 30])).max() < 0.2 * abs(model.weights[30])


@pytest.mark.parametrize("steepness", [0.0, 0.5, 2.0, 12.0])
def test_the_mean_over_all_draws(steepness: float) -> None:
    model = Model(0.7, np.array([0.6, -0.8, 0.0]) * steepness)
    drawn = model.falls(np.random.default_rng(1).standard_normal((400_000, 3)))
    assert model.mean(Overlaps(1000, np.zeros((0, 3)))) == pytest.approx(drawn.mean(), abs=0.003)


def test_the_mean_leaves_out_what_overlaps() -> None:
    """Tiles 1.5 mm apart: one proposal in fifteen would have them overlap."""
    scene, noise = Scene(straight(EVALUATION, [5, 6, 7], 1.5e-3)), Noise()
    overlaps = overlaps_of(scene, noise)
    assert 0.7 < overlaps.free < 0.95
    proposals = np.random.default_rng(0).standard_normal((overlaps.proposals, 13))
    overlapping = [row for row in proposals if perturbed(scene, noise, row).line.overlaps()]
    assert np.array_equal(overlaps.normals, np.array(overlapping))
    model = Model(-0.3, np.array([-2.0, 0, 0, 2.0] + [0.0] * 9))
    drawn = np.array([draw_with_normals(scene, noise, 5, index)[1] for index in range(1500)])
    assert model.mean(overlaps) == pytest.approx(model.falls(drawn).mean(), abs=0.03)


def test_a_model_where_nearly_everything_overlaps_is_not_tried() -> None:
    crowded = Overlaps(1000, np.zeros((600, DRAWS)))
    normals = np.random.default_rng(1).standard_normal((100, DRAWS))
    fell = normals[:, 0] > 0
    assert corrected(fell, normals, crowded) == plain(fell)
    assert corrected(fell, normals, NONE).worth > 4 * len(fell)


def test_normals_are_those_of_the_draw() -> None:
    scene = random_scene(7, 4)
    drawn, normals = draw_with_normals(scene, Noise(), 3, 8)
    assert perturbed(scene, Noise(), normals) == drawn == draw(scene, Noise(), 3, 8)


def test_few_of_one_kind_stay_plain() -> None:
    scene = Scene(straight(EVALUATION, [5, 6], 0.02))
    fell = np.array([True] * 57 + [False] * (MIN_OF_EACH - 1))
    normals = np.random.default_rng(1).standard_normal((64, 10))
    assert Surrogate(scene, Noise()).share(fell, normals) == Share(57 / 64, 64)
    assert FOLDS * 2 <= MIN_OF_EACH  # so that every model has seen both kinds


def test_a_real_row_needs_fewer_runs() -> None:
    """Tile 3 beside a far taller 6, where the gap decides; the share of 400 plain runs lies within the interval."""
    scene = Scene(straight(EVALUATION, [3, 6], 0.0137))
    runs = runs_of_draws(scene, Noise(), 0, tuple(range(96)), "bullet")
    fell = np.asarray(runs.falls.all(axis=1))
    share = Surrogate(scene, Noise()).share(fell, runs.normals)
    many = run_draws(scene, Noise(), 77, tuple(range(400)), "bullet").all(axis=1).mean()
    low, high = wilson(share.fell, share.worth, 0.99)
    assert share.worth > 1.5 * len(fell)
    assert low - 0.05 <= many <= high + 0.05
