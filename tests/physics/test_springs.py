"""The damping of springs in contacts."""

from __future__ import annotations

import pytest

from physics.springs import damping_ratio


def test_the_damping_ratio_gives_the_restitution_of_a_spring_that_only_pushes() -> None:
    """Against the motion itself, in small steps: m x'' = -x - 2 ratio x' until it no longer pushes."""
    for restitution in (0.05, 0.2, 0.5, 0.9):
        ratio = damping_ratio(restitution)
        depth, speed, step = 0.0, 1.0, 1e-4
        while depth + 2 * ratio * speed > 0:
            speed -= step * (depth + 2 * ratio * speed)
            depth += step * speed
        assert -speed == pytest.approx(restitution, abs=2e-3)
