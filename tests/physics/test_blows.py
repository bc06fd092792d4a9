"""Fine steps around blows: when they begin and end, how little is looked at, and what they are good for."""

from __future__ import annotations

import math
from statistics import fmean

import pytest

from physics.blows import AFTER, FARTHEST_LOOK, Blows
from physics.engine import BLOW_STEP, ENSEMBLE_STEP, Settings, engine
from physics.line import straight
from physics.noise import draw
from physics.scene import Finger, Noise, Scene
from physics.tiles import load_set

EVALUATION = load_set("evaluation")
TICK = ENSEMBLE_STEP


class Approach:
    """Two tiles whose free air is a function of time, and how often it was asked for."""

    def __init__(self, air: list[float]) -> None:
        self.air = air
        self.tick = 0
        self.looks = 0

    def gap(self, _one: int, _other: int, most: float) -> float:
        self.looks += 1
        air = max(0.0, self.air[self.tick])
        return air if air < most else math.inf

    def fine(self, asleep: tuple[bool, bool] = (False, True)) -> list[bool]:
        """For each tick whether its steps are fine."""
        blows = Blows(straight(EVALUATION, [6, 7], 0.020).standing(), asleep, TICK, self.gap)
        found = []
        for tick in range(len(self.air)):
            self.tick = tick
            found.append(blows.are_near(tick))
        return found


def falling(start: float, speed: float, acceleration: float, ticks: int) -> list[float]:
    """The free air of a tile that comes nearer ever faster, m."""
    return [start - speed * n * TICK - acceleration / 2 * (n * TICK) ** 2 for n in range(ticks)]


@pytest.mark.parametrize("speed", [0.02, 0.2, 1.0, 2.0])
@pytest.mark.parametrize("acceleration", [0.0, 5.0, 30.0])
@pytest.mark.parametrize("start", [0.0081, 0.0107, 0.0193])
def test_no_blow_falls_into_a_long_step(speed: float, acceleration: float, start: float) -> None:
    approach = Approach(falling(start, speed, acceleration, 600))
    met = next(n for n, air in enumerate(approach.air) if air <= 0)
    fine = approach.fine()
    assert fine[met - 1], "the tick within which they meet"
    after = met + round(AFTER / TICK)
    assert all(fine[met : after - 1]), "and those after it"
    assert not any(fine[after + 1 :]), "then no more, as long as they touch"
    assert approach.looks <= len(fine) / 2


def test_tiles_that_stand_still_are_not_looked_at() -> None:
    approach = Approach([0.004] * 300)
    assert not any(approach.fine(asleep=(True, True)))
    assert approach.looks == 0


def test_tiles_that_lean_on_one_another_do_not_strike() -> None:
    """2 mm/s, as a finger that leads a tile against the next one."""
    approach = Approach(falling(0.003, 0.002, 0.0, 1500))
    assert not any(approach.fine())


def test_tiles_that_meet_and_part_between_two_looks_have_struck() -> None:
    there, back = falling(0.0045, 0.5, 0.0, 5), [0.0006 * n for n in range(1, 20)]
    fine = Approach([*there, *back, *[0.1] * 20]).fine()
    assert all(fine[4 : 4 + round(AFTER / TICK)])


def test_tiles_that_part_and_meet_again_strike_again() -> None:
    there = falling(0.004, 0.3, 0.0, 7)
    back = [0.0005 * n for n in range(8)]
    approach = Approach([*there, *[0.0] * 40, *back, *reversed(back), *[0.0] * 40])
    fine = approach.fine()
    again = len(there) + 40 + len(back) * 2 - 1
    assert not any(fine[30:40]) and fine[again - 1] and fine[again + 2]


def test_far_tiles_are_looked_at_now_and_then() -> None:
    approach = Approach([FARTHEST_LOOK * 2] * 100)
    assert not any(approach.fine()) and approach.looks <= 26


def test_tiles_that_lie_are_left_alone() -> None:
    approach = Approach([0.004] * 50)
    blows = Blows(straight(EVALUATION, [6, 7], 0.020).standing(), (False, False), TICK, approach.gap)
    blows.leave_out([0, 1])
    assert not any(blows.are_near(tick) for tick in range(50)) and approach.looks == 0


def test_tiles_at_rest_are_not_looked_at_until_they_may_move_again() -> None:
    """In a long row what lies far behind the wave must cost nothing."""
    approach = Approach([0.004] * 60)
    blows = Blows(straight(EVALUATION, [6, 7], 0.020).standing(), (False, True), TICK, approach.gap)
    blows.note_still([0])
    for tick in range(30):
        assert not blows.are_near(tick)
    assert approach.looks == 0
    approach.air = [*[0.004] * 30, *falling(0.004, 0.3, 0.0, 30)]
    blows.note_moving([0], 30)
    fine = []
    for tick in range(30, 60):
        approach.tick = tick
        fine.append(blows.are_near(tick))
    met = next(tick for tick, air in enumerate(approach.air) if air <= 0)
    assert fine[met - 31] and approach.looks > 0


def test_a_run_in_fine_steps_throughout_has_nothing_to_watch() -> None:
    assert Settings(step=BLOW_STEP).parts == 1 and Settings(step=BLOW_STEP / 2).parts == 1
    assert Settings().parts == 4


@pytest.mark.slow
def test_a_steep_row_is_forecast_as_with_fine_steps_throughout() -> None:
    """3-4-5-11-9-6 stands: at 2 ms alone one draw in five threw 11 over, with finer steps one in sixty."""
    scene = Scene(straight(EVALUATION, [3, 4, 5, 11, 9, 6], 0.016), push=Finger(end="first"))
    draws = [draw(scene, Noise(), 4, index) for index in range(48)]

    def share(settings: Settings) -> float:
        return fmean(outcome.all_fell for outcome in engine("bullet").run(draws, settings))

    assert share(Settings()) == pytest.approx(share(Settings(step=BLOW_STEP / 2)), abs=0.07)
