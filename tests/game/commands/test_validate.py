"""The table of the validation as people read it, without measuring anything."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator

import pytest

from game import words
from game.commands.validate import table
from physics.validation.case import ENSEMBLE, Check, Label
from physics.validation.suite import CASES, CaseResult, CheckResult, Report


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    words.use("en")
    yield
    words.use("en")


def exact(check: Check) -> CheckResult:
    """What an engine without any error would get."""
    as_expected = check.expected, True
    return CheckResult(
        check.label, check.unit, check.expected, check.tolerance, *as_expected, *as_expected, ensemble_holds=None
    )


def report() -> Report:
    cases = tuple(
        CaseResult(case.name, case.title, case.setup, case.step, None, tuple(map(exact, case.checks))) for case in CASES
    )
    return Report("bullet", ENSEMBLE, cases, 12.5)


@pytest.mark.parametrize(("language", "said"), [("uk", "перекидається за [°]"), ("ru", "опрокидывается при [°]")])
def test_all_of_the_table_is_in_the_language(language: str, said: str) -> None:
    words.use(language)
    shown = table(report())
    assert said in shown
    assert set(re.findall(r"[A-Za-z]{2,}", shown)) <= {"bullet", "gh"}


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_numbers_stand_below_one_another(language: str) -> None:
    words.use(language)
    head, *lines = table(report()).splitlines()
    expected = len(head) - len(head.lstrip()) + len(head.split()[0])  # where the first column of numbers ends
    rows = [line for line in lines if line.startswith("     ")]
    assert len(rows) == sum(len(case.checks) for case in CASES)
    assert [row for row in rows if row[expected - 1] == " " or row[expected] != " "] == []


def test_a_label_is_its_sentence_with_its_numbers() -> None:
    label = Label("rate at s/h {gap}", gap=0.3)
    again = pickle.loads(pickle.dumps(label))
    assert label == again == "rate at s/h 0.3"
    assert (again.sentence, again.fields) == ("rate at s/h {gap}", {"gap": 0.3})
