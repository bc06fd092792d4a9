"""How well forecasts came true: scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from physics.intervals import wilson

BINS = 10  # of forecasts

Pair = tuple[float, bool]  # a forecast, and whether it came true


@dataclass(frozen=True, slots=True)
class Bin:
    """Forecasts near one another, and how often they came true."""

    low: float
    high: float
    pairs: int
    forecast: float  # mean
    share: float  # that came true
    interval: tuple[float, float]  # Wilson's for the share, 95 %


def brier(pairs: Sequence[Pair]) -> float:
    """The mean squared distance of forecast and outcome: 0 is best, 0.25 is what a constant half gets.

    ValueError when there is no pair.
    """
    _check_some(pairs)
    return math.fsum((forecast - came_true) ** 2 for forecast, came_true in pairs) / len(pairs)


def bin_of(forecast: float, bins: int = BINS) -> int:
    """Which of the equal bins from 0 to 1 a forecast belongs to; each has its lower end, the last one both."""
    return min(int(forecast * bins), bins - 1)


def binned(pairs: Iterable[Pair], bins: int = BINS) -> tuple[Bin, ...]:
    """The bins that have pairs, in order: the reliability diagram in numbers."""
    groups: list[list[Pair]] = [[] for _ in range(bins)]
    for pair in pairs:
        groups[bin_of(pair[0], bins)].append(pair)
    return tuple(_bin(number, bins, group) for number, group in enumerate(groups) if group)


def _bin(number: int, bins: int, group: Sequence[Pair]) -> Bin:
    true = sum(came_true for _forecast, came_true in group)
    return Bin(
        number / bins,
        (number + 1) / bins,
        len(group),
        math.fsum(forecast for forecast, _came_true in group) / len(group),
        true / len(group),
        wilson(true, len(group), 0.95),
    )


def calibration_error(pairs: Sequence[Pair], bins: int = BINS) -> float:
    """The expected calibration error: how far forecasts and shares are apart, a mean over bins by their pairs.

    ValueError when there is no pair.
    """
    _check_some(pairs)
    return math.fsum(each.pairs * abs(each.forecast - each.share) for each in binned(pairs, bins)) / len(pairs)


def perfect_error(forecasts: Sequence[float], bins: int = BINS) -> float:
    """The calibration error that forecasts get by chance when every one of them is the very probability.

    The sums of many outcomes are taken as normal. ValueError when there is no forecast.
    """
    _check_some(forecasts)
    variances = [0.0] * bins
    for forecast in forecasts:
        variances[bin_of(forecast, bins)] += forecast * (1 - forecast)
    return math.fsum(math.sqrt(2 / math.pi * variance) for variance in variances) / len(forecasts)


def _check_some(forecasts: Sequence[object]) -> None:
    if not forecasts:
        raise ValueError("there is no forecast to score")
