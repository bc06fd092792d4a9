"""How far to trust a share of runs: intervals, and the doubt about the contact model that they own."""

from __future__ import annotations

import math
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
