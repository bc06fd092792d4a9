"""Intervals against SciPy, and how often they hold the truth when the runs stop by themselves."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm

from physics.intervals import CONTACT_DOUBT, WIDE_DOUBT, contact_doubt, wilson, with_contact_doubt
from physics.predict import MIN_RUNS, ROUND, Precision, verdict_certain
from physics.surrogate import Share

COUNTS = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
CONFIDENCES = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@pytest.mark.parametrize("samples", [1, 2, 3, 7, 32, 100, 400])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_as_scipy_has_it(samples: int, confidence: float) -> None:
    for successes in range(samples + 1):
        expected = binomtest(successes, samples).proportion_ci(confidence, method="wilson")
        assert wilson(successes, samples, confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_by_hand() -> None:
    """4 of 16 at z = 2: middle (4 + 2) / (16 + 4), half width 2 · √(4 · 12 / 16 + 1) / (16 + 4)."""
    confidence = math.erf(2 / math.sqrt(2))
    assert wilson(4, 16, confidence) == pytest.approx((0.3 - 0.2, 0.3 + 0.2))


def test_no_runs_say_nothing() -> None:
    assert wilson(0, 0, 0.95) == (0, 1)
    assert with_contact_doubt(0, 0, 0.95) == (0, 1)


def test_ends_are_exact() -> None:
    for samples in range(1, 300):
        assert wilson(0, samples, 0.95)[0] == 0
        assert wilson(samples, samples, 0.95)[1] == 1
        assert with_contact_doubt(0, samples, 0.95)[0] == 0
        assert with_contact_doubt(samples, samples, 0.95)[1] == 1


@settings(deadline=None)
@given(COUNTS, CONFIDENCES)
def test_doubt_widens_both_sides(counts: tuple[int, int], confidence: float) -> None:
    successes, samples = counts
    low, high = wilson(successes, samples, confidence)
    wide_low, wide_high = with_contact_doubt(successes, samples, confidence)
    assert 0 <= wide_low <= low <= successes / samples <= high <= wide_high <= 1
    assert wide_low < low or low == 0
    assert wide_high > high or high == 1
    assert with_contact_doubt(successes, samples, confidence, doubt=0) == pytest.approx((low, high), abs=1e-9)


@settings(deadline=None)
@given(COUNTS, CONFIDENCES)
def test_falling_and_standing_are_alike(counts: tuple[int, int], confidence: float) -> None:
    successes, samples = counts
    for interval in (wilson, with_contact_doubt):
        low, high = interval(successes, samples, confidence)
        assert interval(samples - successes, samples, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("samples", [1, 5, 64, 1000])
def test_more_falls_move_the_interval_up(samples: int) -> None:
    for interval in (wilson, with_contact_doubt):
        bounds = [interval(successes, samples, 0.95) for successes in range(samples + 1)]
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(bounds))


def test_more_runs_make_it_narrower() -> None:
    for interval in (wilson, with_contact_doubt):
        widths = [high - low for low, high in (interval(n // 4, n, 0.95) for n in (8, 16, 32, 64, 256, 1024, 10_000))]
        assert all(a > b for a, b in pairwise(widths))


def test_more_confidence_makes_it_wider() -> None:
    for interval in (wilson, with_contact_doubt):
        widths = [high - low for low, high in (interval(20, 64, c) for c in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999))]
        assert all(a < b for a, b in pairwise(widths))


MANY = 10_000_000


def test_doubt_at_a_half() -> None:
    """With no doubt left of the runs, a standard deviation of 0.1 in probability; twice that at 95 %."""
    one_sigma = 2 * norm.cdf(1) - 1
    low, high = with_contact_doubt(MANY // 2, MANY, one_sigma)
    assert (low, high) == pytest.approx((0.4, 0.6), abs=2e-3)
    low, high = with_contact_doubt(MANY // 2, MANY, 0.95)
    assert (low, high) == pytest.approx((0.3, 0.7), abs=0.015)


@pytest.mark.parametrize("share", [1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 0.97])
def test_doubt_is_the_same_on_the_probit_scale(share: float) -> None:
    low, high = with_contact_doubt(round(share * MANY), MANY, 0.95)
    for bound in (low, high):
        assert abs(norm.ppf(bound) - norm.ppf(share)) == pytest.approx(1.96 * CONTACT_DOUBT, rel=0.02)


def test_wide_gaps_are_more_doubtful() -> None:
    """Where a line hangs on a gap of 0.28 to 1.05 of the falling tile's height, contact models differ by 0.3."""
    assert contact_doubt(1) == contact_doubt(1, 0.28) == contact_doubt(1, 1.2) == CONTACT_DOUBT
    assert contact_doubt(1, 0.3) == contact_doubt(1, 1.05) == WIDE_DOUBT
    assert contact_doubt(2, 0.5) == pytest.approx(WIDE_DOUBT / math.sqrt(2))
    one_sigma = 2 * norm.cdf(1) - 1
    low, high = with_contact_doubt(MANY // 2, MANY, one_sigma, WIDE_DOUBT)
    assert (low, high) == pytest.approx((0.18, 0.82), abs=5e-3)


def test_doubt_fades_out_towards_certainty() -> None:
    added = []
    for share in (0.5, 0.8, 0.9, 0.97, 0.99, 0.999, 0.9999):
        (low, high), (wide_low, wide_high) = (
            interval(round(share * MANY), MANY, 0.95) for interval in (wilson, with_contact_doubt)
        )
        added.append((wide_high - wide_low) - (high - low))
    assert all(a > b for a, b in pairwise(added))
    assert added[0] == pytest.approx(0.376, abs=2e-3)
    assert added[-1] < 1e-3


def test_clear_cases_stay_clear() -> None:
    assert with_contact_doubt(32, 32, 0.95)[0] > 0.8
    assert with_contact_doubt(0, 32, 0.95)[1] < 0.2


# When the runs stop


def share(fell: int, runs: int) -> Share:
    return Share(fell / runs, runs)


@pytest.mark.parametrize("width", [0.03, 0.05, 0.2])
def test_runs_stop_when_narrow_or_certain(width: float) -> None:
    precision = Precision(width=width)
    for runs in (MIN_RUNS, 64, 96, 400, 1100):
        for fell in range(0, runs + 1, 4):
            low, high = wilson(fell, runs, 0.95)
            narrow = high - low <= 2 * width
            assert precision.reached(share(fell, runs)) is (narrow or verdict_certain(share(fell, runs), 0.95))
            assert replace(precision, to_verdict=False).reached(share(fell, runs)) is narrow
    assert not precision.reached(share(MIN_RUNS - 1, MIN_RUNS - 1))
    assert precision.reached(share(MIN_RUNS, MIN_RUNS))


def test_runs_always_stop() -> None:
    assert all(Precision().reached(share(fell, 400)) for fell in range(401))


@cache
def reached(fell: int, runs: int) -> bool:
    return Precision().reached(share(fell, runs))


def stopped(chance: float, predictions: int, seed: int) -> tuple[float, float]:
    """Predictions of a line that falls with that chance: what share holds it, and how many runs they take."""
    rounds = np.random.default_rng(seed).binomial(ROUND, chance, (predictions, 400 // ROUND)).cumsum(axis=1)
    held, taken = 0, 0
    for falls in rounds.tolist():
        looks = zip(falls, range(ROUND, 401, ROUND), strict=True)
        fell, runs = next((fell, runs) for fell, runs in looks if reached(fell, runs))
        low, high = wilson(fell, runs, Precision().confidence)
        held += low <= chance <= high
        taken += runs
    return held / predictions, taken / predictions


def test_the_interval_holds_the_truth() -> None:
    """Though the runs stop where it suits them, a 95 % interval holds the chance in about 95 % of predictions."""
    chances = [round(0.02 * step, 2) for step in range(1, 50)]
    held, taken = zip(*(stopped(chance, 1500, seed) for seed, chance in enumerate(chances)), strict=True)
    assert min(held) >= 0.89, dict(zip(chances, held, strict=True))
    assert np.mean(held) >= 0.94
    assert taken[0] < 64 and taken[-1] < 64, "clear lines are cheap"
    assert max(taken) > 300, "doubtful ones are not"


def share_held(chance: float) -> float:
    """The share of predictions whose interval holds the chance, without drawing: every way the runs can go."""
    one_round = binom.pmf(np.arange(ROUND + 1), ROUND, chance)
    still_running, held = np.ones(1), 0.0
    for runs in range(ROUND, 401, ROUND):
        still_running = np.convolve(still_running, one_round)
        for fell in range(runs + 1):
            if reached(fell, runs):
                low, high = wilson(fell, runs, Precision().confidence)
                held += float(still_running[fell]) * (low <= chance <= high)
                still_running[fell] = 0.0
    assert still_running.sum() == 0
    return held


def test_the_interval_holds_the_truth_exactly() -> None:
    """Lowest, at 0.885, beside 0.39 and 0.61, where some predictions stop since their verdict is certain."""
    held = [share_held(step / 100) for step in range(2, 99)]
    assert min(held) >= 0.88
    assert np.mean(held) >= 0.945
    assert np.mean(np.array(held) >= 0.9) >= 0.95
