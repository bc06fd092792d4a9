"""The wave that goes through a falling row: when it began and ended, and how fast it went along the tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from physics.outcome import Outcome
from physics.scene import Scene, Tilt


def wave_speed(
    places: Sequence[tuple[float, float]], fell_at: Sequence[float | None], order: Sequence[int]
) -> float | None:
    """How fast the fall went along the tiles at these places, in m, m/s; `order`: their indexes from the pushed end on.

    None where it cannot be told: fewer than three tiles fell at known times, or all at once.
    """
    along = [places[index] for index in order]
    way = [0.0, *accumulate(math.dist(one, other) for one, other in pairwise(along))]
    known = [(far, at) for far, index in zip(way, order, strict=True) if (at := fell_at[index]) is not None]
    if len(known) > 3 and fell_at[order[0]] is not None:
        known = known[1:]  # the pushed tile is slow: it was set going by a finger
    if len(known) < 3:
        return None
    far, when = np.array(known).T
    spread = float(np.sum((when - when.mean()) ** 2))
    slope = float(np.sum((when - when.mean()) * (far - far.mean())))
    return slope / spread if spread > 0 and slope > 0 else None


def speed_of(scene: Scene, outcome: Outcome) -> float | None:
    """How fast the fall of a simulated row went along it, m/s; None where `wave_speed` cannot tell.

    None as well where the table was tilted: then tiles fall by themselves, and what goes along the row is no wave.
    """
    if isinstance(scene.push, Tilt):
        return None
    places = [(place.x, place.y) for place in scene.line.placements]
    return wave_speed(places, outcome.fell_at, scene.push_order)


def fall_span(outcome: Outcome) -> tuple[float, float] | None:
    """When the first and the last tile fell, s; None where none did."""
    times = [time for time in outcome.fell_at if time is not None]
    return (min(times), max(times)) if times else None
