"""The calibration bands of Evaluation Domino for a row of two upright tiles, measured with every pair of the set.

q is the gap over the pushed tile's height, r the second tile's height over the first one's. A row must fall for q of
0.35–0.60 and r of 0.60–1.30, and must stand for r of at least 2.20: both are confirmed. A row was thought to stand from
q = 1 on; the foot of a falling tile slips forwards, so that it reaches a little further: the limit is 1.05.
"""

from __future__ import annotations

import itertools

import pytest

from physics.engine import SINGLE_STEP, Settings, engine
from physics.line import Line, straight
from physics.scene import Finger, Scene, Table
from physics.tiles import load_set

EVALUATION = load_set("evaluation")
PAIRS = [
    (one.value, other.value, other.height / one.height) for one, other in itertools.permutations(EVALUATION.tiles, 2)
]


def falls(line: Line, friction: float = 0.5) -> bool:
    scene = Scene(line, Table(friction=friction), Finger(end="first"))
    return engine("bullet").run([scene], Settings(step=SINGLE_STEP))[0].all_fell


def pair(one: int, other: int, q: float) -> Line:
    return straight(EVALUATION, [one, other], q * EVALUATION[one].height)


@pytest.mark.parametrize("q", [0.35, 0.425, 0.50, 0.60])
def test_the_must_fall_band_falls(q: float) -> None:
    within = [(one, other) for one, other, r in PAIRS if 0.60 <= r <= 1.30]
    assert len(within) > 30
    assert [(one, other) for one, other in within if not falls(pair(one, other, q))] == []


@pytest.mark.parametrize("q", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_second_tile_of_more_than_twice_the_height_stands(q: float) -> None:
    within = [(one, other) for one, other, r in PAIRS if r >= 2.20]
    assert len(within) >= 5
    assert [(one, other) for one, other in within if falls(pair(one, other, q))] == []


@pytest.mark.parametrize("friction", [0.35, 0.5, 0.65])
def test_out_of_reach_begins_a_twentieth_beyond_the_height(friction: float) -> None:
    assert [(one, other) for one, other, _ in PAIRS if falls(pair(one, other, 1.05), friction)] == []


def test_at_exactly_its_height_a_slipping_tile_still_reaches_shorter_ones() -> None:
    reached = [(one, other) for one, other, r in PAIRS if falls(pair(one, other, 1.0))]
    assert len(reached) > 20
    assert all(EVALUATION[other].height < EVALUATION[one].height for one, other in reached)


def test_a_longer_row_of_joints_in_the_must_fall_band_falls() -> None:
    for first in range(1, 8):
        values = list(range(first, first + 5))
        gap = 0.45 * EVALUATION[first].height
        assert all(0.35 <= gap / EVALUATION[value].height <= 0.60 for value in values[:-1][:2])
        assert falls(straight(EVALUATION, values, gap))
