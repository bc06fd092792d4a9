"""Boxes moved apart until there is the free air that is asked for."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.apart import shift_to_air
from physics.line import Standing, distance

angles = st.floats(-4, 4)
lengths = st.floats(2e-3, 90e-3)


def box(x: float, y: float, yaw: float, depth: float, breadth: float) -> Standing:
    return Standing(x, y, yaw, depth, breadth, 50e-3, 5e-3)


def moved(one: Standing, yaw: float, shift: float) -> Standing:
    return replace(one, x=one.x + shift * math.cos(yaw), y=one.y + shift * math.sin(yaw))


def test_by_hand() -> None:
    one, other = box(0, 0, 0, 6e-3, 25e-3), box(0, 0, 0, 8e-3, 31e-3)
    assert shift_to_air(one, other, 0.0, 20e-3) == pytest.approx(27e-3)  # face to face
    assert shift_to_air(one, other, math.pi / 2, 20e-3) == pytest.approx(48e-3)  # side to side
    square, corner = box(0, 0, 0, 20e-3, 20e-3), box(0, 0, math.pi / 4, 20e-3, 20e-3)
    assert shift_to_air(square, corner, 0.0, 5e-3) == pytest.approx((10 + 5 + 10 * math.sqrt(2)) * 1e-3)
    # Corner past corner, 3 mm to the side and 4 mm on: 5 mm apart.
    beside = box(0, 23e-3, 0, 20e-3, 20e-3)
    assert shift_to_air(square, beside, 0.0, 5e-3) == pytest.approx(24e-3)


@settings(max_examples=400, deadline=None)
@given(
    angles, angles, lengths, lengths, lengths, lengths, angles, st.one_of(st.just(0.0), st.floats(0, 0.1)),
    st.floats(-1, 1), st.floats(-1, 1), st.sampled_from([None, 0.0, math.pi / 2]),
)  # fmt: skip
def test_the_air_is_what_was_asked_for_and_grows_beyond(
    yaw: float, own: float, depth: float, breadth: float, other_depth: float, other_breadth: float, way: float,
    air: float, x: float, y: float, square: float | None,
) -> None:  # fmt: skip
    """Boxes that share their middles, roughly, pushed apart along any way; some of them square to one another."""
    one = box(0.1, -0.2, yaw, depth, breadth)
    other = box(0.1 + x * 1e-3, -0.2 + y * 1e-3, own if square is None else yaw + square, other_depth, other_breadth)
    shift = shift_to_air(one, other, way, air)
    assert distance(one, moved(other, way, shift)) == pytest.approx(air, abs=1e-12)
    assert distance(one, moved(other, way, shift + 1e-3)) > air
