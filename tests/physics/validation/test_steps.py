"""What steps and laws of blows do to a probability: how it is counted, and a slice of the lines."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from game.proof.steps import is_enough, page_text
from physics.validation.steps import KINDS, Found, Share, Way, compared

WIDE, ELEVEN, STRAIGHT = KINDS


def found(chances: list[tuple[float, float]], draws: int) -> Found:
    """Lines that fall by the reference and by forecasts with those chances, each draw for itself."""
    generator = random.Random(3)
    lines = []
    for strict, forecast in chances:
        shares = {way: Share(tuple(generator.random() < strict for _ in range(draws)), 2.0) for way in WIDE.ways}
        shares[Way.FORECAST] = Share(tuple(generator.random() < forecast for _ in range(draws)), 3.0)
        lines.append(shares)
    return Found(WIDE, tuple(lines))


def test_chance_is_taken_out_of_the_squares() -> None:
    same = found([(0.5, 0.5)] * 400, 50)
    assert same.noise(Way.FORECAST) == pytest.approx(0.1, rel=0.1)
    assert same.rms(Way.FORECAST) < 0.03 and abs(same.bias(Way.FORECAST)) < 0.015
    apart = found([(0.4, 0.5), (0.5, 0.4)] * 200, 50)
    assert apart.rms(Way.FORECAST) == pytest.approx(0.1, abs=0.015)
    assert abs(apart.bias(Way.FORECAST)) < 0.015
    assert apart.cost(Way.FORECAST) == pytest.approx(1.5) and apart.rms(Way.STRICT) == 0


def test_too_far_off_is_not_enough() -> None:
    assert is_enough(found([(0.5, 0.5)] * 50, 400))
    assert not is_enough(found([(0.5, 0.6), (0.5, 0.4)] * 25, 400))
    assert not is_enough(found([(0.5, 0.535)] * 200, 400))


def test_the_page_has_every_way_and_says_what_fails() -> None:
    text = page_text(400, [found([(0.5, 0.6), (0.5, 0.4)] * 25, 400)])
    assert all(way.value in text for way in WIDE.ways) and "**Fails**" in text


@pytest.mark.slow
def test_a_slice_of_lines_with_wide_gaps_is_as_with_fine_steps() -> None:
    """With 2 ms throughout, the same slice is off by several times as much."""
    slice_of_them = compared(replace(WIDE, lines=4, ways=(Way.STRICT, Way.FORECAST, Way.LONG_STEPS)), 40)
    noise = slice_of_them.noise(Way.FORECAST)
    assert slice_of_them.rms(Way.FORECAST) <= math.hypot(0.04, noise)
    assert slice_of_them.cost(Way.FORECAST) < 2 < slice_of_them.cost(Way.STRICT)
