"""The suite: what counts as passed, in which order results come, and that workers change nothing."""

from __future__ import annotations

import json
import math
import multiprocessing
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from physics.errors import InputError
from physics.validation import rows, single
from physics.validation.case import ENSEMBLE, Bench, Case, Check, Label
from physics.validation.suite import CASES, CaseResult, run_suite

QUICK = tuple(case for name in ("V20", "V4", "V12", "V6") for case in CASES if case.name == name)
OWN_STEP = 0.25e-3


def case(own: float, ensemble: float, slack: float | None = None, name: str = "V99") -> Case:
    """A case of one number, expected 10 ± 1, that measures what it is told to."""

    def measure(bench: Bench) -> list[float]:
        return [own if bench.step == OWN_STEP else ensemble]

    return Case(name, "Made up", "nothing", (Check(Label("number"), 10.0, 1.0, "mm"),), measure, OWN_STEP, slack)


def judged(made_up: Case) -> CaseResult:
    return run_suite([made_up], "bullet").cases[0]


def test_all_cases_are_there_in_order() -> None:
    numbers = [int(each.name.removeprefix("V")) for each in CASES]
    assert numbers == sorted(set(numbers))
    assert set(CASES) == {*single.CASES, *rows.CASES}


def test_workers_find_the_same_as_this_process() -> None:
    calls: list[tuple[int, int, str]] = []
    here = run_suite(QUICK, "bullet", None, lambda *call: calls.append(call))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        spread = run_suite(QUICK, "bullet", executor)
    assert replace(spread, seconds=0.0) == replace(here, seconds=0.0)
    assert here.passed
    assert [each.name for each in here.cases] == ["V20", "V4", "V12", "V6"]
    assert [(done, total) for done, total, _name in calls] == [(done, 8) for done in range(1, 9)]
    assert sorted(name for _done, _total, name in calls) == sorted(["V20", "V4", "V12", "V6"] * 2)


class Written(Executor):
    """Does nothing but note what it is given; every job is done at once, with the number 0."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def submit(self, job: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        from physics.validation.suite import Found

        name = next(value for value in given if isinstance(value, str) and value.startswith("V"))
        self.names.append(name)
        count = next(len(each.checks) for each in CASES if each.name == name)
        future: Future[Any] = Future()
        future.set_result(Found((float(name[1:]),) * count))
        return future


def test_long_cases_are_handed_out_first_and_come_back_in_place() -> None:
    executor = Written()
    report = run_suite(CASES, "bullet", executor)
    assert executor.names[:2] == ["V14", "V14"]
    assert executor.names.index("V19") < executor.names.index("V4")
    assert len(executor.names) == 2 * len(CASES)
    assert [each.name for each in report.cases] == [each.name for each in CASES]
    for each in report.cases:
        assert {check.measured for check in each.checks} == {float(each.name[1:])}


@pytest.mark.parametrize(
    ("made_up", "holds", "within", "ensemble_holds", "passed"),
    [
        (case(10.9, 10.9), True, True, None, True),
        (case(11.1, 10.0), False, True, None, False),
        (case(8.9, 10.0), False, True, None, False),
        (case(10.0, 13.0), True, False, None, True),  # at the ensemble's step only shown
        (case(10.0, 11.9, slack=2), True, False, True, True),
        (case(10.0, 12.1, slack=2), True, False, False, False),
        (case(math.nan, 10.0), False, True, None, False),
        (case(10.0, math.nan), True, False, None, True),
        (case(10.0, math.nan, slack=2), True, False, False, False),
        (case(math.inf, 10.0), False, True, None, False),
    ],
)
def test_what_passes(made_up: Case, holds: bool, within: bool, ensemble_holds: bool | None, passed: bool) -> None:
    result = judged(made_up)
    check = result.checks[0]
    assert (check.holds, check.ensemble_within, check.ensemble_holds) == (holds, within, ensemble_holds)
    assert result.passed is passed


def test_one_failed_case_fails_the_report() -> None:
    good, bad = case(10.0, 10.0, name="V98"), case(12.0, 10.0)
    assert run_suite([good], "bullet").passed
    assert not run_suite([good, bad], "bullet").passed


@pytest.mark.parametrize("breaks_at", [OWN_STEP, ENSEMBLE])
def test_a_case_that_breaks_down_fails_alone(breaks_at: float) -> None:
    def measure(bench: Bench) -> list[float]:
        if bench.step == breaks_at:
            raise ZeroDivisionError("no tile is that thin")
        return [10.0]

    broken = replace(case(0.0, 0.0), measure=measure)
    report = run_suite([broken, case(10.0, 10.0, name="V98")], "bullet")
    assert [each.passed for each in report.cases] == [False, True]
    assert len(report.cases[0].errors) == 1
    assert "ZeroDivisionError: no tile is that thin" in report.cases[0].errors[0]
    assert f"{breaks_at * 1e3:g} ms" in report.cases[0].errors[0]


def test_missing_numbers_do_not_pass() -> None:
    short = replace(case(0.0, 0.0), measure=lambda bench: [])
    assert not judged(short).passed


def test_an_unknown_engine_is_refused_rather_than_failed() -> None:
    with pytest.raises(InputError, match="abacus"):
        run_suite(QUICK, "abacus")


def test_json_has_everything_and_no_nan() -> None:
    report = run_suite([case(math.nan, 10.4, slack=2)], "bullet")
    read = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert read["engine"] == "bullet"
    assert read["passed"] is False
    assert read["seconds"] >= 0
    (found,) = read["cases"]
    assert (found["name"], found["step"], found["ensemble_slack"], found["passed"]) == ("V99", OWN_STEP, 2, False)
    assert found["checks"] == [
        {
            "label": "number",
            "unit": "mm",
            "expected": 10.0,
            "tolerance": 1.0,
            "measured": None,
            "holds": False,
            "ensemble_measured": 10.4,
            "ensemble_within": True,
            "ensemble_holds": True,
        }
    ]
