"""What an engine is known not to meet: how far off it may be, and why. Beyond that bound the case fails."""

from __future__ import annotations

from dataclasses import dataclass

from physics.errors import Word


@dataclass(frozen=True)
class Deviation:
    """A case that an engine misses: the bound in tolerances of each check, and the reason."""

    bound: float
    reason: str


KNOWN: dict[tuple[str, str], Deviation] = {
    ("mujoco", "V3"): Deviation(
        4, Word("contacts are springs: a pressed tile sinks at its front edge and tips a little early")
    ),
    ("mujoco", "V5"): Deviation(
        2, Word("the foot sinks and slips under a tap near the top, which helps the tile over")
    ),
    ("mujoco", "V11"): Deviation(4, Word("a landing foot loses more in a damped spring than in a plastic blow")),
}
