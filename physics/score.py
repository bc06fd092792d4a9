"""How far to trust a share of runs: intervals; and how well forecasts came true: scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

CONTACT_DOUBT = 0.25
"""Standard deviation, on the probit scale, of what another contact model would say of the same line.

Measured by `./topple prove physics` (docs/validation.md): most doubtful lines hang on a small gap, and engines that
share nothing but the scene find the same threshold there. 0.25 is 0.1 at a probability of a half and fades out
towards 0 and 1, where engines agree.
"""
WIDE_DOUBT = 0.9
"""The same for a line on which runs differ and that hangs on a gap of WIDE_GAPS: there the bounce of the blow and the
slipping of feet decide, and contact models differ by 0.3 in probability."""
WIDE_GAPS = (0.28, 1.05)  # of the height of the tile that falls across: farther than that it reaches nothing

BINS = 10  # of forecasts

Pair = tuple[float, bool]  # a forecast, and whether it came true

_NORMAL = NormalDist()


def wilson(successes: float, samples: float, confidence: float) -> tuple[float, float]:
    """Wilson's interval for a probability seen in that many samples; (0, 1) for no sample at all."""
    if samples == 0:
        return 0.0, 1.0
    z = _NORMAL.inv_cdf(0.5 + confidence / 2)
    share = successes / samples
    middle = (share + z * z / (2 * samples)) / (1 + z * z / samples)
    half = z / (1 + z * z / samples) * math.sqrt(share * (1 - share) / samples + z * z / (4 * samples**2))
    # At the ends rounding would leave a hair's breadth that is not there.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == samples else min(1.0, middle + half)
    return low, high


def contact_doubt(engines: int, weak_gap: float | None = None) -> float:
    """The doubt about a line that hangs on that gap, as a share of the height of the tile that falls across.

    None: no gap at which some runs end and others do not. Of several contact models in turn, being independent, less
    is left: they average out.
    """
    wide = weak_gap is not None and WIDE_GAPS[0] < weak_gap <= WIDE_GAPS[1]
    return (WIDE_DOUBT if wide else CONTACT_DOUBT) / math.sqrt(engines)


def with_contact_doubt(
    successes: float, samples: float, confidence: float, doubt: float = CONTACT_DOUBT
) -> tuple[float, float]:
    """The interval that owns both the number of runs and the contact model.

    Both errors are independent, so they add as squares, on the probit scale, where the contact model's is the same
    for every line. The middle is Wilson's, which stays away from 0 and 1.
    """
    z = _NORMAL.inv_cdf(0.5 + confidence / 2)
    middle = _NORMAL.inv_cdf((successes + z * z / 2) / (samples + z * z))
    low, high = wilson(successes, samples, confidence)

    def widened(bound: float) -> float:
        if bound in (0.0, 1.0):
            return bound
        away = _NORMAL.inv_cdf(bound) - middle
        return _NORMAL.cdf(middle + math.copysign(math.hypot(away, z * doubt), away))

    return widened(low), widened(high)


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
