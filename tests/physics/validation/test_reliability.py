"""Scores of forecasts against numbers worked out by hand, and a slice of the study of the forecast."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.intervals import wilson, with_contact_doubt
from physics.outcome import Prediction
from physics.score import BINS, Pair, bin_of, binned, brier, calibration_error, perfect_error
from physics.validation import reliability
from physics.validation.doubt import Difference, difference, doubt_of, holds, needed_doubt
from physics.validation.reliability import ASKED, Forecast, Plan, Study, chosen, reading_of, study, worth_a_forecast

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


# Scores


def test_brier_by_hand() -> None:
    assert brier([(1.0, True), (0.0, False)]) == 0
    assert brier([(1.0, False), (0.0, True)]) == 1
    assert brier([(0.5, True), (0.5, False)]) == 0.25
    assert brier([(0.8, True), (0.3, False), (0.9, False)]) == pytest.approx((0.04 + 0.09 + 0.81) / 3)


def test_every_bin_has_its_lower_end_and_the_last_one_both() -> None:
    assert [bin_of(forecast) for forecast in (0.0, 0.099, 0.1, 0.55, 0.7, 0.9, 0.999, 1.0)] == [0, 0, 1, 5, 7, 9, 9, 9]
    assert [bin_of(forecast, 2) for forecast in (0.0, 0.49, 0.5, 1.0)] == [0, 0, 1, 1]


def test_bins_and_calibration_error_by_hand() -> None:
    """Bin 0.2 to 0.3: mean 0.25, one of four fell. Bin 0.9 to 1: mean 0.95, one of two."""
    pairs = [(0.22, True), (0.28, False), (0.24, False), (0.26, False), (0.9, True), (1.0, False)]
    low, high = binned(pairs)
    assert (low.low, low.high, low.pairs, low.share) == (0.2, 0.3, 4, 0.25)
    assert low.forecast == pytest.approx(0.25)
    assert low.interval == wilson(1, 4, 0.95)
    assert (high.pairs, high.share) == (2, 0.5)
    assert high.forecast == pytest.approx(0.95)
    assert calibration_error(pairs) == pytest.approx((4 * 0 + 2 * 0.45) / 6)


def test_what_a_perfect_forecaster_gets() -> None:
    """0.02 on 2,000 pairs spread over all forecasts, 0.05 on 400; nothing when all is certain."""
    for pairs, expected in ((2000, 0.022), (400, 0.05)):
        spread = [(index + 0.5) / pairs for index in range(pairs)]
        assert perfect_error(spread) == pytest.approx(expected, abs=1e-3)
    assert perfect_error([0.0, 1.0, 1.0]) == 0


def test_perfect_forecasts_by_drawing_them() -> None:
    forecasts = np.tile(np.linspace(0.05, 0.95, 40), 25)
    outcomes = np.random.default_rng(1).random((200, len(forecasts))) < forecasts
    found = [calibration_error(list(zip(forecasts.tolist(), row.tolist(), strict=True))) for row in outcomes]
    assert np.mean(found) == pytest.approx(perfect_error(forecasts.tolist()), rel=0.05)


@pytest.mark.parametrize("score", [brier, calibration_error, perfect_error])
def test_nothing_cannot_be_scored(score: object) -> None:
    with pytest.raises(ValueError, match="no forecast"):
        score([])  # type: ignore[operator]


@settings(deadline=None)
@given(PAIRS)
def test_scores_keep_their_bounds(pairs: list[Pair]) -> None:
    assert 0 <= brier(pairs) <= 1
    assert 0 <= calibration_error(pairs) <= 1
    assert sum(each.pairs for each in binned(pairs)) == len(pairs)
    assert calibration_error(pairs) ** 2 <= brier(pairs) + 1e-9
    turned = [(forecast, not fell) for forecast, fell in pairs]
    assert brier(pairs) + brier(turned) == pytest.approx(np.mean([2 * f * f - 2 * f + 1 for f, _fell in pairs]))
    assert calibration_error(pairs[::-1]) == pytest.approx(calibration_error(pairs))


# Two engines


def predicted(fell: int, runs: int) -> Prediction:
    """A prediction of which only the probability and the intervals matter."""
    return Prediction(
        probability=fell / runs,
        interval=with_contact_doubt(fell, runs, 0.95),
        sampling=wilson(fell, runs, 0.95),
        confidence=0.95,
        samples=runs,
        values=(1, 2),
        tile_falls=(1.0, fell / runs),
        weakest_at=None,
        pushed=0,
        engine="bullet",
        seed=0,
        seconds=0.0,
    )


def drawn(doubt: float, lines: int, runs: int = 200, seed: int = 3) -> list[Difference]:
    """Lines on which the other engine differs by a normal error on the probit scale and by chance."""
    from scipy.stats import norm

    generator = np.random.default_rng(seed)
    found = []
    for own in generator.uniform(0.1, 0.9, lines):
        other = norm.cdf(norm.ppf(own) + doubt * generator.normal())
        chances = generator.random(runs)  # the same for both: draws of the same lines
        prediction = predicted(int(generator.binomial(384, own)), 384)
        found.append(difference(prediction, (chances < own).tolist(), (chances < other).tolist()))
    return found


def test_a_difference_by_hand() -> None:
    found = difference(predicted(20, 40), [True, True, False, False], [True, True, True, False])
    assert (found.own, found.other, found.split, found.runs) == (0.5, 0.75, 0.25, 4)
    assert found.shift == 0.25
    assert found.variance == pytest.approx((0.25 - 0.25**2) / 4)


@pytest.mark.parametrize("doubt", [0.0, 0.25, 0.5])
def test_the_doubt_of_drawn_engines_is_found(doubt: float) -> None:
    found = doubt_of(drawn(doubt, 600))
    assert found.probit == pytest.approx(doubt, abs=0.04)
    assert abs(found.mean) < 0.03
    assert found.rms == pytest.approx(0.33 * doubt, abs=0.02)


def test_intervals_hold_as_often_as_they_promise() -> None:
    """Where engines do not differ the interval of the runs does, and where they do by the stated doubt, the other."""
    same, apart, far = (doubt_of(drawn(doubt, 600)) for doubt in (0.0, 0.25, 0.6))
    assert same.sampling == pytest.approx(0.95, abs=0.03) and same.stated > 0.99
    assert apart.stated == pytest.approx(0.95, abs=0.03) and apart.sampling < 0.7
    assert far.stated < 0.8
    assert apart.needed == pytest.approx(0.25, abs=0.05)
    assert far.needed == pytest.approx(0.6, abs=0.1)


def test_the_needed_doubt_is_the_smallest_that_holds() -> None:
    for found in drawn(0.5, 100):
        needed = needed_doubt(found)
        counts = found.prediction.probability * 384, 384
        assert holds(found, with_contact_doubt(*counts, 0.95, needed + 1e-6))
        assert needed == 0 or not holds(found, with_contact_doubt(*counts, 0.95, needed - 1e-6))


def test_no_doubtful_line_is_told() -> None:
    with pytest.raises(ValueError, match="no doubtful line"):
        doubt_of([difference(predicted(32, 32), [True], [True])])


# The study

SLICE = Plan(seed=2, per_bin=1, truths=8, compared=1, runs=16, tiles=(2, 4), batch=8, most=9)


@cache
def slice_of_the_study() -> Study:
    return study(SLICE)


def test_readings_repeat_and_keep_materials() -> None:
    first, again = reading_of(SLICE, 4), reading_of(SLICE, 4)
    assert first == again != reading_of(replace(SLICE, seed=3), 4)
    assert first.table == type(first.table)()
    lengths = {len(reading_of(SLICE, index).line) for index in range(60)}
    assert lengths == {2, 3, 4}


def test_a_pilot_sends_lines_where_they_are_wanted() -> None:
    assert worth_a_forecast(0.0, (0,)) and not worth_a_forecast(0.0, (1, 2, 9))
    assert worth_a_forecast(1.0, (9,)) and not worth_a_forecast(1.0, (0, 8))
    assert worth_a_forecast(0.5, (4,)) and worth_a_forecast(0.5, (6,)) and not worth_a_forecast(0.5, (0, 1, 8, 9))


def test_lines_are_kept_by_their_forecast_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forecasts made up: two of each tenth, the first ones, whatever comes later; nobody asks the other engine."""
    asked: list[tuple[int, ...]] = []

    def made_up(plan: Plan, index: int, wanted: tuple[int, ...]) -> Forecast | None:
        asked.append(wanted)
        return None if index % 3 == 0 else Forecast(index, reading_of(SLICE, 0), predicted(index * 7 % 101, 100 + 1))

    monkeypatch.setattr(reliability, "forecast_of", made_up)
    found, candidates = chosen(Plan(per_bin=2))
    assert [bin_of(each.prediction.probability) for each in found].count(4) == 2
    assert len(found) == 2 * BINS and candidates == len(asked) == 96
    assert [each.index for each in found] == sorted(each.index for each in found)
    assert all(each.index % 3 for each in found) and asked[0] == tuple(range(BINS))


def test_a_tenth_that_stays_empty_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reliability, "forecast_of", lambda plan, index, wanted: None)
    assert chosen(Plan(per_bin=1, batch=30, most=20)) == ([], 210)


@pytest.mark.slow
def test_a_slice_of_the_study_is_reliable() -> None:
    """Up to ten lines, one for each tenth: a perfect forecaster would get 0.1 by chance, and twice that is allowed."""
    found = slice_of_the_study()
    places = [bin_of(line.forecast.prediction.probability) for line in found.lines]
    assert len(set(places)) == len(places) >= 7
    assert len(found.pairs) == 8 * len(places)
    assert found.passed and found.allowed < 0.25
    assert brier(found.pairs) < 0.25
    doubt = doubt_of(found.differences)
    assert doubt.stated >= 0.7
    assert abs(doubt.mean) < 0.15


@pytest.mark.slow
def test_an_overconfident_forecaster_fails() -> None:
    """The same lines and outcomes, but every forecast far out towards 0 or 1."""
    found = slice_of_the_study()

    def overconfident(forecast: float) -> float:
        return 0.02 if forecast < 0.5 else 0.98

    lines = tuple(
        replace(
            line,
            forecast=replace(
                line.forecast,
                prediction=replace(
                    line.forecast.prediction, probability=overconfident(line.forecast.prediction.probability)
                ),
            ),
        )
        for line in found.lines
    )
    boastful = replace(found, lines=lines)
    assert not boastful.passed
    assert brier(boastful.pairs) > brier(found.pairs)


def test_the_bound_is_what_is_asked_where_there_are_enough_lines() -> None:
    prediction = predicted(1, 2)
    line = reliability.Judged(Forecast(0, reading_of(SLICE, 0), prediction), (True, False, True, False, True), None)
    found = Study(Plan(), 400, (line,) * 400)
    assert found.allowed == ASKED
    assert calibration_error(found.pairs) == pytest.approx(0.1) and not found.passed
    assert replace(found, lines=(line,)).allowed == pytest.approx(2 * math.sqrt(2 / math.pi * 0.25 / 5))
