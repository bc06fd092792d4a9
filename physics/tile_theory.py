"""Laws of one tile, in closed form or by quadrature: what simulations, plots and lessons are held to.

Seen from the side, a tile turns about its lower front edge, which does not slip. SI units; leans in radians
from the vertical.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from physics.quadrature import NODES, WEIGHTS

GRAVITY = 9.81  # m/s²


@dataclass(frozen=True)
class Profile:
    """A tile from the side; its mass matters only beside others. Raises ValueError unless all are above 0."""

    height: float  # m
    thickness: float  # m, in the direction of the fall
    mass: float = 1.0  # kg

    def __post_init__(self) -> None:
        require_positive(height=self.height, thickness=self.thickness, mass=self.mass)

    @property
    def diagonal(self) -> float:
        """Distance from the edge it turns about to the opposite corner, m."""
        return math.hypot(self.height, self.thickness)

    @property
    def inertia(self) -> float:
        """Moment of inertia about the edge it turns about, kg·m²."""
        return self.mass * self.diagonal**2 / 3

    def scaled(self, factor: float) -> Profile:
        """The same tile with every dimension times the factor, its width too: the mass goes with the cube."""
        return Profile(self.height * factor, self.thickness * factor, self.mass * factor**3)


def require_positive(**values: float) -> None:
    """Raises ValueError for the first of the values that is not a positive number."""
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name.replace('_', ' ')} must be a positive number, not {value}")


def require_friction(friction: float) -> None:
    """Raises ValueError for a friction below 0 or without end."""
    if not 0 <= friction < math.inf:
        raise ValueError(f"friction must be a number of at least 0, not {friction}")


def tipping_angle(tile: Profile) -> float:
    """Lean at which the tile's centre is above its edge, rad; also the tilt of a table on which it tips."""
    return math.atan2(tile.thickness, tile.height)


def sliding_angle(floor_friction: float) -> float:
    """Tilt of the table at which a tile slides, rad, unless it tips before. Raises ValueError below 0."""
    require_friction(floor_friction)
    return math.atan(floor_friction)


def energy_barrier(tile: Profile, gravity: float = GRAVITY) -> float:
    """Energy that lifts the centre of an upright tile over its edge, J."""
    # Half of diagonal − height, written so that thin tiles lose no digits.
    lift = tile.thickness**2 / (tile.diagonal + tile.height) / 2
    return tile.mass * gravity * lift


def toppling_rate(tile: Profile, gravity: float = GRAVITY) -> float:
    """Least angular rate at which an upright tile topples by itself, rad/s."""
    return math.sqrt(2 * energy_barrier(tile, gravity) / tile.inertia)


def toppling_impulse(tile: Profile, height: float, gravity: float = GRAVITY) -> float:
    """Least impulse of a horizontal tap at a height above the table, per mass of the tile, m/s.

    Raises ValueError unless the height is on the tile.
    """
    _require_on_tile(tile, height)
    return toppling_rate(tile, gravity) * tile.diagonal**2 / (3 * height)


@dataclass(frozen=True)
class SlowPush:
    """What a slowly growing horizontal force does first, and at which force."""

    tips: bool  # False: it slides
    force: float  # N


def slow_push(tile: Profile, height: float, floor_friction: float, gravity: float = GRAVITY) -> SlowPush:
    """Whether a slow push at a height above the table tips the tile or slides it, and the force that does.

    Raises ValueError unless the height is on the tile and the friction at least 0.
    """
    _require_on_tile(tile, height)
    require_friction(floor_friction)
    lever = tile.thickness / (2 * height)
    return SlowPush(floor_friction > lever, min(floor_friction, lever) * tile.mass * gravity)


def _require_on_tile(tile: Profile, height: float) -> None:
    if not 0 < height <= tile.height:
        raise ValueError(f"the height of a push must be above 0 and at most {tile.height}, not {height}")


def fall_rate(tile: Profile, start: float, end: float, rate: float = 0.0, gravity: float = GRAVITY) -> float:
    """Angular rate on reaching a lean after setting out from another at a rate, rad/s; 0 if never reached.

    Raises ValueError unless 0 ≤ start ≤ end ≤ 90° and the rate at the start is at least 0.
    """
    if not (0 <= start <= end <= math.pi / 2 and rate >= 0):
        raise ValueError(f"cannot fall from a lean of {start} to {end} rad at a rate of {rate} rad/s")
    tipping = tipping_angle(tile)

    def squared(lean: float) -> float:
        # Energy; the difference of the centre's heights as a product, exact near the start too.
        drop = math.sin((lean + start) / 2 - tipping) * math.sin((lean - start) / 2)
        return rate**2 + 6 * gravity / tile.diagonal * drop

    slowest = min(max(tipping, start), end)
    return math.sqrt(squared(end)) if squared(slowest) >= 0 and squared(end) > 0 else 0.0


def fall_time(tile: Profile, start: float, end: float, gravity: float = GRAVITY) -> float:
    """Time from rest at one lean to another, s; infinite from exactly the tipping angle.

    Raises ValueError unless tipping angle ≤ start ≤ end ≤ 90°.
    """
    tipping = tipping_angle(tile)
    if not tipping <= start <= end <= math.pi / 2:
        raise ValueError(f"cannot fall from rest at {start} to {end} rad: it tips at {tipping} rad")
    return _swing_time(tile, start - tipping, end - tipping, gravity)


def _swing_time(tile: Profile, start: float, end: float, gravity: float) -> float:
    """Time from rest at one angle past the balance to a larger one, s."""
    if start == end:
        return 0.0
    if start == 0:
        return math.inf
    # sin(angle/2) = sin(start/2)·cosh(v) removes the singularity at rest, however near the balance that is.
    modulus = math.sin(start / 2)
    span = math.acosh(max(1.0, math.sin(end / 2) / modulus))
    integrand = 1 / np.sqrt(1 - (modulus * np.cosh(span * NODES)) ** 2)
    return math.sqrt(2 * tile.diagonal / (3 * gravity)) * span * float(WEIGHTS @ integrand)


def rocking_quarter(tile: Profile, peak: float, gravity: float = GRAVITY) -> float:
    """Time from rest at a peak lean back to upright, s: a quarter of the first rocking period.

    Raises ValueError unless the peak is above 0 and below the tipping angle.
    """
    tipping = _require_peak(tile, peak)
    return _swing_time(tile, tipping - peak, tipping, gravity)


def housner_quarter(tile: Profile, peak: float, gravity: float = GRAVITY) -> float:
    """`rocking_quarter` in Housner's form (1963), linear in the lean and so good for slender tiles, s.

    Raises ValueError unless the peak is above 0 and below the tipping angle.
    """
    tipping = _require_peak(tile, peak)
    return math.acosh(1 / (1 - peak / tipping)) / math.sqrt(3 * gravity / (2 * tile.diagonal))


def rocking_loss(tile: Profile) -> float:
    """Share of its rate that a rocking tile keeps on landing (Housner 1963); stout tiles, below 0, stop."""
    return 1 - 1.5 * math.sin(tipping_angle(tile)) ** 2


def rocking_peaks(tile: Profile, first: float, count: int) -> tuple[float, ...]:
    """The `count` peaks that follow a first one, rad, in Housner's linear form.

    Raises ValueError unless the first is above 0 and below the tipping angle.
    """
    tipping = _require_peak(tile, first)
    kept = max(0.0, rocking_loss(tile)) ** 2
    shares = [first / tipping]
    for _ in range(count):
        shares.append(1 - math.sqrt(1 - kept * (1 - (1 - shares[-1]) ** 2)))
    return tuple(share * tipping for share in shares[1:])


def _require_peak(tile: Profile, peak: float) -> float:
    tipping = tipping_angle(tile)
    if not 0 < peak < tipping:
        raise ValueError(f"a tile rocks at peaks between 0 and {tipping} rad, not {peak}")
    return tipping
