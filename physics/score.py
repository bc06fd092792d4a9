"""How far to trust a share of runs: intervals."""

from __future__ import annotations

import math
from statistics import NormalDist

CONTACT_DOUBT = 0.25
"""Standard deviation, on the probit scale, of what another contact model would say of the same line.

Two engines that share nothing but the scene differ by about 0.1 in probability on doubtful lines and agree on
clear ones; 0.25 on the probit scale is 0.1 at a probability of a half and fades out towards 0 and 1.
"""

_NORMAL = NormalDist()


def wilson(successes: int, samples: int, confidence: float) -> tuple[float, float]:
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


def contact_doubt(engines: int) -> float:
    """What is left of the doubt when that many contact models take turns: independent, they average out."""
    return CONTACT_DOUBT / math.sqrt(engines)


def with_contact_doubt(
    successes: int, samples: int, confidence: float, doubt: float = CONTACT_DOUBT
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
