"""The eye that goes with the wave: like something heavy on a soft spring, so that it neither jumps nor jerks. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from game.ui.view3d.orbit import Orbit

STIFF = 5.0  # 1/s: how soon the eye is where it is to be
LEAD = 0.65  # how far from the middle of the row to the wave the eye looks: the rest of the row stays in sight
NEARER = 0.8  # of the height that it sees of the whole row
STILL = 5e-5  # m, m/s, or as a ratio: so near it is there


@dataclass(frozen=True, slots=True)
class Chase:
    """Where the eye is, and how fast it moves: metres of the table in a second, and the logarithm of what it sees."""

    orbit: Orbit
    speed: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    def after(self, home: Orbit, front: tuple[float, float] | None, seconds: float) -> Chase:
        """So much later, with the wave there, or back home without one.

        `home` is from where the whole row is seen, looking the same way.
        """
        x, y, z = home.target
        goal = (x, y, z, math.log(home.distance))
        if front is not None:
            goal = (x + LEAD * (front[0] - x), y + LEAD * (front[1] - y), z, math.log(home.distance * NEARER))
        now = (*self.orbit.target, math.log(self.orbit.distance))
        found, speed = [], []
        fade = math.exp(-STIFF * seconds)
        for at, to, rate in zip(now, goal, self.speed, strict=True):
            # The critically damped spring, exactly: the same way at any number of frames in a second.
            off = at - to
            push = (rate + STIFF * off) * seconds
            found.append(to + (off + push) * fade)
            speed.append((rate - STIFF * push) * fade)
        if all(abs(at - to) < STILL and abs(rate) < STILL for at, to, rate in zip(found, goal, speed, strict=True)):
            found, speed = list(goal), [0.0] * 4
        orbit = replace(self.orbit, target=(found[0], found[1], found[2]), distance=math.exp(found[3]))
        return Chase(orbit, (speed[0], speed[1], speed[2], speed[3]))
