"""The side view: right about straight rows, blind to turns; and a slice of the comparison of engines."""

from __future__ import annotations

import math

import pytest

from physics.engine import SINGLE_STEP, Settings
from physics.flat import FlatEngine, unrolled
from physics.line import chain, straight
from physics.outcome import Outcome
from physics.scene import Finger, Scene
from physics.tiles import Stance, load_set
from physics.validation.agreement import ENOUGH, OTHERS, compare, is_curved
from physics.validation.random_lines import random_scene

EVALUATION = load_set("evaluation")


def run(scene: Scene) -> Outcome:
    return FlatEngine().run([scene], Settings(step=SINGLE_STEP))[0]


def test_the_golden_rows() -> None:
    assert run(Scene(straight(EVALUATION, [6, 7], 0.020))).all_fell
    assert run(Scene(straight(EVALUATION, [5, 6, 7, 8], 0.020))).all_fell
    assert not run(Scene(straight(EVALUATION, [1, 2], 0.030))).all_fell
    assert not run(Scene(straight(EVALUATION, [2, 11], 0.012))).all_fell


def test_unrolling_keeps_gaps_stances_and_the_pushed_end() -> None:
    joints = [(7, 0.0, 0.0, Stance.UPRIGHT), (6, 0.015, 0.4, Stance.SIDE), (5, 0.02, 0.4, Stance.UPRIGHT)]
    scene = Scene(chain(EVALUATION, joints))
    flat = unrolled(scene)
    assert flat.line.gaps() == pytest.approx(scene.line.gaps())
    assert flat.line.turns() == (0.0, 0.0)
    assert [placement.stance for placement in flat.line.placements] == [Stance.UPRIGHT, Stance.SIDE, Stance.UPRIGHT]
    assert flat.pushed == scene.pushed == 2


def test_a_finger_against_a_neighbour_works_in_the_plane_too() -> None:
    outcome = run(Scene(straight(EVALUATION, [6, 7], 0.003), push=Finger(end="first")))
    assert sum(outcome.fallen) <= 1 and outcome.settled


def test_random_lines_are_rows_and_repeat() -> None:
    scenes = [random_scene(3, index) for index in range(40)]
    assert all(scene.line.problems() == [] for scene in scenes)
    assert scenes[7] == random_scene(3, 7) != random_scene(4, 7)
    tiles = [placement for scene in scenes for placement in scene.line.placements]
    side = sum(placement.stance is Stance.SIDE for placement in tiles) / len(tiles)
    assert 0.15 < side < 0.35
    curved = sum(is_curved(3, index) for index in range(40)) / 40
    assert 0.2 < curved < 0.6
    assert all(abs(turn) < math.radians(30) for scene in scenes for turn in scene.line.turns())


@pytest.mark.slow
def test_engines_agree_on_a_slice_of_the_random_lines() -> None:
    """Of 40 lines each way may miss a few: the bound leaves room for three standard errors."""
    fell, found = compare(1, 40)
    assert 0.2 < fell < 0.8
    assert [each.way for each in found] == list(OTHERS)
    for each in found:
        asked = ENOUGH.get(each.way, 0.85)
        assert each.verdicts >= asked - 3 * math.sqrt(asked * (1 - asked) / 40), each
        assert each.sets <= each.verdicts
