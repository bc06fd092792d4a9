"""The third opinion: what it must meet by closed forms, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from physics.engine import Settings
from physics.errors import InputError
from physics.line import straight
from physics.scene import Finger, Push, Scene, Table, Tap, Tilt
from physics.tile_theory import GRAVITY
from physics.tiles import load_set
from physics.validation.case import Bench
from physics.validation.planar import PLANAR_STEP, ImpactLaw, PlanarEngine
from physics.validation.suite import CASES

EVALUATION = load_set("evaluation")
BY_NAME = {case.name: case for case in CASES}
FIRST = Finger(end="first")


@pytest.mark.parametrize("law", ImpactLaw)
@pytest.mark.parametrize("name", ["V6", "V10"])
def test_falling_and_rocking_are_right_to_a_thousandth(name: str, law: ImpactLaw) -> None:
    case = BY_NAME[name]
    for check, measured in zip(case.checks, case.measure(Bench(PlanarEngine(law), PLANAR_STEP)), strict=True):
        assert measured == pytest.approx(check.expected, rel=1e-3), check.label


def test_newtons_blow_is_right_to_a_thousandth() -> None:
    case = BY_NAME["V8"]
    for check, measured in zip(case.checks, case.measure(Bench(PlanarEngine(), PLANAR_STEP / 2)), strict=True):
        assert measured == pytest.approx(check.expected, rel=1e-3), check.label


@pytest.mark.slow
@pytest.mark.parametrize("law", ImpactLaw)
def test_other_cases_hold_with_their_tolerance(law: ImpactLaw) -> None:
    for name in ("V8", "V11", "V13"):
        case = BY_NAME[name]
        for check, measured in zip(case.checks, case.measure(Bench(PlanarEngine(law), PLANAR_STEP)), strict=True):
            assert check.holds(measured), f"{name} {check.label}: {measured}"


@pytest.mark.parametrize("law", ImpactLaw)
@pytest.mark.parametrize("friction", [0.05, 0.1])
def test_a_tile_slides_as_far_as_coulomb_says(law: ImpactLaw, friction: float) -> None:
    line = straight(EVALUATION, [6], 0.0)
    box, speed = line.standing()[0], 0.25
    tap = Tap(speed * box.mass, box.height / 2, end="first")
    scene = Scene(line, Table(friction=friction), tap)
    outcome = PlanarEngine(law).run([scene], Settings(step=PLANAR_STEP / 2, record=0.01, to_rest=True))[0]
    assert outcome.trajectory is not None and not any(outcome.fallen)
    slid = outcome.trajectory.positions[-1, 0, 0] - outcome.trajectory.positions[0, 0, 0]
    assert slid == pytest.approx(speed**2 / (2 * friction * GRAVITY), rel=1e-3)


def test_a_row_pushed_from_its_other_end_mirrors() -> None:
    def fell_at(end: str, values: list[int]) -> list[float | None]:
        scene = Scene(straight(EVALUATION, values, 0.018), push=replace(FIRST, end=end))
        return list(PlanarEngine().run([scene], Settings(step=PLANAR_STEP))[0].fell_at)

    there, back = fell_at("first", [5, 6, 7]), fell_at("last", [7, 6, 5])
    assert there == pytest.approx(back[::-1], rel=1e-3)
    assert None not in there


def test_the_laws_differ_where_a_struck_tile_stands_on_its_foot() -> None:
    """The third tile is struck while it stands on the table: how far it is thrown hangs on the law."""
    scene = Scene(straight(EVALUATION, [3, 1, 8, 2], 0.02), Table(restitution=0.2), FIRST)
    moments = [PlanarEngine(law).run([scene], Settings(step=2e-5))[0].fell_at[1] for law in ImpactLaw]
    assert moments[0] is not None and moments[1] is not None
    assert 1e-4 < abs(moments[0] - moments[1]) < 0.05


@pytest.mark.parametrize(
    ("yaw", "table", "push", "words"),
    [
        (0.1, Table(), FIRST, "look along x"),
        (0.0, Table(tilt=(0.01, 0.0)), FIRST, "level table"),
        (0.0, Table(), Tilt(end="first"), "lets go"),
    ],
)
def test_what_has_no_side_view_is_refused(yaw: float, table: Table, push: Push, words: str) -> None:
    line = straight(EVALUATION, [6, 7], 0.02)
    placements = (line.placements[0], replace(line.placements[1], yaw=yaw))
    scene = Scene(line, table, push).with_placements(placements)
    with pytest.raises(InputError, match=words):
        PlanarEngine().run([scene], Settings(step=PLANAR_STEP))


def test_it_repeats_bit_for_bit_and_tells_how_far_it_is() -> None:
    scene = Scene(straight(EVALUATION, [5, 6, 7], 0.018), push=FIRST)
    told: list[float] = []

    def ended() -> float:
        settings = Settings(step=PLANAR_STEP)
        return PlanarEngine().run([scene], settings, lambda moment, _down: told.append(moment))[0].ended

    assert ended() == ended()
    assert told and all(math.isfinite(moment) for moment in told)
