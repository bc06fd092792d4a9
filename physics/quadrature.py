"""Running integrals over [0, 1] by collocation: (INTEGRAL @ f(NODES))[k] is that of f from 0 to NODES[k]."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.polynomial import chebyshev

_COUNT = 33
_POINTS = chebyshev.chebpts2(_COUNT)
_TO_SERIES = np.linalg.inv(chebyshev.chebvander(_POINTS, _COUNT - 1))

NODES: npt.NDArray[np.float64] = (_POINTS + 1) / 2
INTEGRAL: npt.NDArray[np.float64] = chebyshev.chebvander(_POINTS, _COUNT) @ chebyshev.chebint(_TO_SERIES, lbnd=-1) / 2
WEIGHTS: npt.NDArray[np.float64] = INTEGRAL[-1]
