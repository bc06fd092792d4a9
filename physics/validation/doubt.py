"""How far two engines differ on the same lines, and whether the intervals of forecasts own it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from physics.outcome import Prediction

DOUBTFUL = (0.1, 0.9)  # forecasts that count when engines are compared: clear lines are clear to both

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Difference:
    """What two engines say of the same draws of a line, apart from the draws of its forecast."""

    prediction: Prediction
    own: float  # share of falls, by the forecasting engine
    other: float
    split: float  # share of draws on which they disagree
    runs: int  # of each

    @property
    def shift(self) -> float:
        """How much likelier the fall is by the other engine."""
        return self.other - self.own

    @property
    def variance(self) -> float:
        """Of the shift, by the number of runs alone; small where the engines agree draw by draw."""
        return (self.split - self.shift**2) / self.runs

    @property
    def doubtful(self) -> bool:
        """By the forecast, not by the outcome."""
        return DOUBTFUL[0] <= self.prediction.probability <= DOUBTFUL[1]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the differences of many lines come to; of doubtful lines, but for the shares of intervals."""

    lines: int
    mean: float  # of the differences in probability
    rms: float  # root mean square of them, without what the number of runs adds
    median: float  # of their sizes, as measured
    probit: float  # standard deviation on the probit scale, without what the number of runs adds
    stated: float  # share of all lines whose stated interval holds the other engine's probability
    sampling: float  # the same of the interval for the number of runs alone
    needed: float  # the contact doubt at which the stated interval would hold it as often as it promises


def difference(prediction: Prediction, own: Sequence[bool], other: Sequence[bool]) -> Difference:
    """How two engines differ on the same draws, given in the same order."""
    split = fmean(a != b for a, b in zip(own, other, strict=True))
    return Difference(prediction, fmean(own), fmean(other), split, len(own))


def doubt_of(differences: Sequence[Difference]) -> Doubt:
    """All differences in numbers; ValueError when no line was doubtful."""
    doubtful = [each for each in differences if each.doubtful]
    if not doubtful:
        raise ValueError("there is no doubtful line to compare engines on")
    confidence = doubtful[0].prediction.confidence
    needed = sorted(needed_doubt(each) for each in differences)
    sizes = sorted(abs(each.shift) for each in doubtful)
    return Doubt(
        lines=len(doubtful),
        mean=fmean(each.shift for each in doubtful),
        rms=_root(fmean(each.shift**2 - each.variance for each in doubtful)),
        median=sizes[len(sizes) // 2],
        probit=_root(fmean(_probit_square(each) for each in doubtful)),
        stated=fmean(holds(each, each.prediction.interval) for each in differences),
        sampling=fmean(holds(each, each.prediction.sampling) for each in differences),
        needed=needed[math.ceil(confidence * len(needed)) - 1],
    )


def holds(found: Difference, interval: tuple[float, float]) -> bool:
    """Whether an interval of the forecast holds the other engine's probability.

    That is known from a number of runs only. Their error is added to the interval's, in squares on the probit scale, so
    that an interval that is right holds as often as its confidence says.
    """
    middle, distance = _distance(found)
    bound = interval[0] if distance < 0 else interval[1]
    if bound in (0.0, 1.0):
        return True
    return abs(distance) <= math.hypot(_probit(bound) - middle, _z(found) * _sampling_error(found))


def needed_doubt(found: Difference) -> float:
    """The smallest contact doubt with which the stated interval holds the other engine's probability."""
    middle, distance = _distance(found)
    bound = found.prediction.sampling[0 if distance < 0 else 1]
    if bound in (0.0, 1.0):
        return 0.0
    z = _z(found)
    left = (distance / z) ** 2 - ((_probit(bound) - middle) / z) ** 2 - _sampling_error(found) ** 2
    return _root(left)


def _distance(found: Difference) -> tuple[float, float]:
    """The middle of the forecast's interval, and how far the other engine is from it, on the probit scale."""
    low, high = found.prediction.sampling  # Wilson's interval is even to both sides of its middle
    middle = _probit((low + high) / 2)
    return middle, _probit(_inside(found.other, found.runs)) - middle


def _sampling_error(found: Difference) -> float:
    """Standard error of the other engine's share, were it the forecast, on the probit scale."""
    middle, _away = _distance(found)
    share = _NORMAL.cdf(middle)
    return math.sqrt(share * (1 - share) / found.runs) / _NORMAL.pdf(middle)


def _probit_square(found: Difference) -> float:
    """The squared difference on the probit scale, less what the number of runs adds to it on the mean."""
    own, other = (_probit(_inside(share, found.runs)) for share in (found.own, found.other))
    slope = _NORMAL.pdf((own + other) / 2)
    return (other - own) ** 2 - found.variance / slope**2


def _inside(share: float, runs: int) -> float:
    """A share moved away from 0 and 1 by half a run, where the probit scale has no end."""
    return (share * runs + 0.5) / (runs + 1)


def _z(found: Difference) -> float:
    return _NORMAL.inv_cdf(0.5 + found.prediction.confidence / 2)


def _probit(share: float) -> float:
    return _NORMAL.inv_cdf(share)


def _root(square: float) -> float:
    return math.sqrt(max(0.0, square))
