"""A slice of the validation: every quick case at its own step, and the thresholds at the ensemble's, too."""

from __future__ import annotations

import pytest

from physics.engine import ENSEMBLE_STEP
from physics.validation.case import measure
from physics.validation.suite import CASES

BY_NAME = {case.name: case for case in CASES}
QUICK = ("V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V10", "V12", "V13", "V18", "V20", "V23", "V24")


def test_every_case_of_the_list_is_there() -> None:
    numbers = [int(name[1:]) for name in BY_NAME]
    assert numbers == [n for n in range(1, 25) if n not in (9, 21)]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_the_case_holds_at_its_own_step(name: str) -> None:
    case = BY_NAME[name]
    measured = measure(case, "bullet", case.step)
    assert [check.label for check, value in zip(case.checks, measured, strict=True) if not check.holds(value)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["V12", "V13", "V19"])
def test_thresholds_hold_at_the_step_of_predictions_within_twice_the_tolerance(name: str) -> None:
    case = BY_NAME[name]
    assert case.ensemble_slack == 2
    measured = measure(case, "bullet", ENSEMBLE_STEP)
    assert [check.label for check, value in zip(case.checks, measured, strict=True) if not check.holds(value, 2)] == []
