"""Contacts as springs with damping: how much is damped when a blow is to give back a share of its speed."""

from __future__ import annotations

import math

MAX_DAMPING = 10.0  # as a ratio, beyond which nothing to speak of is given back


def damping_ratio(restitution: float) -> float:
    """The damping ratio of a spring that pushes and never pulls, and gives back that share of a blow's speed."""
    low, high = 0.0, MAX_DAMPING
    for _halving in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _given_back(middle) > restitution else (low, middle)
    return high


def _given_back(ratio: float) -> float:
    """The share of a blow's speed that such a spring gives back: until it no longer pushes."""
    if ratio == 1.0:
        return math.exp(-2.0)
    root = math.sqrt(abs(1 - ratio**2))
    turn = math.atan2(root, ratio) if ratio < 1 else math.atanh(root / ratio)
    return math.exp(-2 * ratio / root * turn)
