"""Where the game's axes lie on the mat: both ways, and found from the row."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.table.axes import TableFrame, fitted
from physics.line import Placement
from tests.game.table.built_rows import START, THREE
from vision.reader.reading import ReadTile

angles = st.floats(-math.pi, math.pi)
lengths = st.floats(-150, 150)


@given(lengths, lengths, angles, st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), angles)
def test_mat_and_game_go_both_ways(x: float, y: float, turn: float, a: float, b: float, yaw: float) -> None:
    frame = TableFrame(x, y, turn)
    back = frame.in_game(frame.on_mat(Placement(6, a, b, yaw)))
    assert (back.x, back.y) == pytest.approx((a, b), abs=1e-9)
    assert math.remainder(back.yaw - yaw, math.pi) == pytest.approx(0, abs=1e-9)


@given(lengths, lengths, st.floats(-3, 3))
def test_the_axes_are_found_from_the_row(x: float, y: float, turn: float) -> None:
    frame = TableFrame(x, y, turn)
    found = fitted(THREE.row, [frame.on_mat(place) for place in THREE.row])
    assert found is not None
    assert (found.x, found.y) == pytest.approx((x, y), abs=1e-6)
    assert math.remainder(found.turn - turn, math.tau) == pytest.approx(0, abs=1e-9)


def test_a_lone_tile_tells_the_axes_by_where_it_looks() -> None:
    found = fitted(START.row, [ReadTile(6, 30.0, -12.0, 170.0)])
    assert found is not None and (found.x, found.y) == (30.0, -12.0)
    assert math.degrees(found.turn) == pytest.approx(-10)
    assert fitted(THREE.row, [ReadTile(6, 0.0, 0.0)]) is None
