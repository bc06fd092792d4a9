"""The page of the validation: what it says of a report, what it keeps, and that it is always the same."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from game.proof import validation as validation_page
from game.proof.validation import page_text, write_page
from physics import theory
from physics.errors import MissingError, OutputError
from physics.validation.case import ENSEMBLE
from physics.validation.suite import CASES, CaseResult, CheckResult, Report

pytest.importorskip("matplotlib")
from matplotlib.image import imread

LAWS = {name: cache(getattr(theory, name)) for name in ("row_speed", "growth_limit", "largest_step", "smallest_gap")}


@pytest.fixture(autouse=True)
def _quick_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves of few points, each worked out once for all tests."""
    monkeypatch.setattr(validation_page, "POINTS", 4)
    for name, law in LAWS.items():
        monkeypatch.setattr(theory, name, law)


def perfect() -> Report:
    """What an engine without any error would get."""
    cases = tuple(
        CaseResult(
            case.name,
            case.title,
            case.setup,
            case.step,
            case.ensemble_slack,
            tuple(
                CheckResult(
                    check.label,
                    check.unit,
                    check.expected,
                    check.tolerance,
                    check.expected,
                    True,
                    check.expected,
                    True,
                    None if case.ensemble_slack is None else True,
                )
                for check in case.checks
            ),
        )
        for case in CASES
    )
    return Report("bullet", ENSEMBLE, cases, 12.5)


def changed(report: Report, name: str, **fields: object) -> Report:
    """The report with the first check of that case changed."""
    cases = tuple(
        replace(case, checks=(replace(case.checks[0], **fields), *case.checks[1:]))  # type: ignore[arg-type]
        if case.name == name
        else case
        for case in report.cases
    )
    return replace(report, cases=cases)


def cells(report: Report, name: str) -> list[str]:
    """The first row of that case in the table of numbers."""
    table = page_text(report).partition("## Expected and measured")[2]
    (row,) = re.findall(rf"^\| {name} \|.*$", table, re.MULTILINE)
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_every_number_has_a_row() -> None:
    report = perfect()
    text = page_text(report)
    rows = [line for line in text.partition("## Expected")[2].splitlines() if line.startswith("|")][2:]
    assert len(rows) == sum(len(case.checks) for case in CASES)
    for case in CASES:
        assert f"| {case.name} | {case.title} | {case.setup} | {case.step * 1e3:g} ms |" in text
    assert "./topple validate --docs docs" in text
    assert f"All {len(CASES)} cases pass." in text
    assert {line.count("|") for line in rows} == {11}


def test_numbers_deviations_and_verdicts() -> None:
    report = changed(perfect(), "V1", expected=8.0, measured=8.04, ensemble_measured=7.92, ensemble_within=False)
    assert cells(report, "V1") == (
        ["V1", "tips at", "8 °", "± 0.1", "8.04 °", "+0.50 %", "holds", "7.92 °", "−1.00 %", "outside"]
    )
    assert cells(perfect(), "V24") == ["V24", "falls", "yes", "–", "yes", "–", "holds", "yes", "–", "within"]
    assert cells(changed(perfect(), "V24", measured=0.0, holds=False), "V24")[4:7] == ["no", "–", "**fails**"]
    assert cells(changed(perfect(), "V1", measured=math.nan, holds=False), "V1")[4:7] == ["nothing", "–", "**fails**"]


def test_what_must_hold_at_the_larger_step_is_told_from_what_is_only_shown() -> None:
    shown = changed(perfect(), "V14", ensemble_within=False)
    allowed = changed(perfect(), "V12", ensemble_within=False)
    failed = changed(perfect(), "V12", ensemble_within=False, ensemble_holds=False)
    verdicts = [cells(report, name)[-1] for report, name in ((shown, "V14"), (allowed, "V12"), (failed, "V12"))]
    assert verdicts == ["outside", "outside; within the 2 × allowed", "**fails**; 2 × allowed"]
    assert "All 22 cases pass" in page_text(shown) and "All 22 cases pass" in page_text(allowed)
    assert "1 of 22 cases fail: V12." in page_text(failed)


def test_a_breakdown_is_told() -> None:
    report = perfect()
    broken = replace(report.cases[3], errors=("step 2 ms: EngineError: the tiles flew away",))
    text = page_text(replace(report, cases=(*report.cases[:3], broken, *report.cases[4:])))
    assert "V4 broke down: step 2 ms: EngineError: the tiles flew away." in text
    assert "1 of 22 cases fail: V4." in text


def test_the_plots_are_beside_the_page_and_have_something_on_them(tmp_path: Path) -> None:
    write_page(tmp_path, perfect())
    text = (tmp_path / "validation.md").read_text(encoding="utf-8")
    linked = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(linked) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"validation.md", *linked}
    for name in linked:
        image = imread(tmp_path / name)[..., :3]
        assert min(image.shape[:2]) > 400
        assert image.std(axis=(0, 1)).min() > 0.03


@pytest.mark.parametrize(
    ("name", "plot", "place"),
    [
        ("V14", "validation-row-speed.png", 0.2),
        ("V19", "validation-growth.png", 0.5),
        ("V13", "validation-growth.png", 0.3),
        ("V12", "validation-smallest-gap.png", 7.5 / 48),
    ],
)
def test_measured_points_are_on_the_plots(name: str, plot: str, place: float) -> None:
    report = changed(perfect(), name, measured=1.234, ensemble_measured=1.345)
    figure = validation_page.PLOTS[plot][-1](report)
    points = [point for axes in figure.axes for dots in axes.collections for point in np.array(dots.get_offsets())]
    places = [tuple(point.tolist()) for point in points]
    assert (place, 1.234) in places and (place, 1.345) in places


def test_the_page_depends_on_the_findings_alone(tmp_path: Path) -> None:
    written = []
    for seconds in (1.0, 99.0):
        write_page(tmp_path, replace(perfect(), seconds=seconds))
        written.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})
    assert written[0] == written[1]


def test_notes_are_kept(tmp_path: Path) -> None:
    page = tmp_path / "validation.md"
    write_page(tmp_path, perfect())
    mine = "\nV17 is a band, not a number: published speeds differ.\n\n- см. V14 <!-- a remark -->\n"
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- notes -->") == text.count("<!-- /notes -->") == 1
    page.write_text(text.replace("<!-- notes -->\n", f"<!-- notes -->{mine}"), encoding="utf-8")
    write_page(tmp_path, changed(perfect(), "V1", measured=0.0, holds=False))
    write_page(tmp_path, changed(perfect(), "V1", measured=1.0, holds=False))
    text = page.read_text(encoding="utf-8")
    assert f"<!-- notes -->{mine}<!-- /notes -->" in text
    assert "21 of 22" not in text and "1 of 22 cases fail: V1." in text
    assert text.count("published speeds differ") == 1


def test_a_page_without_marks_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "validation.md").write_text("Something else <!-- /notes --> and <!-- notes -->", encoding="utf-8")
    write_page(tmp_path, perfect())
    text = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert "Something else" not in text and text.endswith("<!-- notes -->\n<!-- /notes -->\n")


def test_an_old_page_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "validation.md"
    page.write_bytes(b"\xff\xfe notes nobody can read")
    with pytest.raises(OutputError, match=r"validation\.md cannot be read"):
        write_page(tmp_path, perfect())
    assert [path.name for path in tmp_path.iterdir()] == ["validation.md"]
    assert page.read_bytes() == b"\xff\xfe notes nobody can read"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_page(tmp_path / "nowhere", perfect())


def test_without_matplotlib_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingError, match="matplotlib"):
        write_page(tmp_path, perfect())
    assert list(tmp_path.iterdir()) == []


def test_a_slice_of_the_cases_makes_a_page(tmp_path: Path) -> None:
    write_page(tmp_path, replace(perfect(), cases=perfect().cases[:2]))
    assert "All 2 cases pass." in (tmp_path / "validation.md").read_text(encoding="utf-8")
