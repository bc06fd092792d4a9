"""The part of the validation page about forecasts: its numbers, its picture, and that it leaves the rest alone."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from game.commands import prove
from game.proof.page import NOTES, RELIABILITY, marked, part, with_part
from game.proof.reliability import DIAGRAM, Reliability, diagram, part_text, write_part
from game.proof.validation import page_text
from physics.errors import InputError, MissingError, OutputError
from physics.intervals import CONTACT_DOUBT, wilson, with_contact_doubt
from physics.outcome import Prediction
from physics.score import BINS
from physics.validation.case import ENSEMBLE
from physics.validation.random_lines import random_scene
from physics.validation.reliability import WIDE, Compared, Forecast, Judged, Plan, Study
from physics.validation.suite import Report

pytest.importorskip("matplotlib")
from matplotlib.image import imread

SCENE = random_scene(1, 0, 2)


def judged(index: int, fell: int, shift: int = 0) -> Judged:
    """A line forecast to fall in `fell` of 20 runs, of which the other engine sees `shift` more."""
    prediction = Prediction(
        probability=fell / 20,
        interval=with_contact_doubt(fell, 20, 0.95),
        sampling=wilson(fell, 20, 0.95),
        confidence=0.95,
        samples=20,
        values=SCENE.line.values,
        tile_falls=(1.0, fell / 20),
        weakest_at=None,
        pushed=0,
        engine="bullet",
        seed=0,
        seconds=0.0,
    )
    own, other = (tuple(number < falls for number in range(20)) for falls in (fell, fell + shift))
    return Judged(Forecast(index, SCENE, prediction), other, Compared(own, other, other, other))


def made_up(shift: int = 0) -> Reliability:
    """Forecasts of 0.05, 0.15 and so on, which come true exactly, or are off by that many of 20 runs."""
    lines = tuple(judged(place, 2 * place + 1, shift if place < 9 else 0) for place in range(BINS))
    usual = Study(Plan(per_bin=1, truths=20, compared=1, runs=20), 30, lines)
    return Reliability(usual, replace(usual, plan=replace(usual.plan, gaps=WIDE)))


def test_perfect_forecasts_in_numbers() -> None:
    text = part_text(made_up())
    assert "Forecasts hold: the calibration error is 0.000" in text
    assert "| 200 pairs | measured |" in text
    assert re.search(r"\| Brier score \| 0\.16[78] \| 0\.16[78] \|", text)
    assert "| 0.4 to 0.5 | 20 | 0.450 | 0.450 | 0.26 to 0.66 |" in text
    assert "10 random lines of 2 to 8 tiles" in text and "Of 30 candidates" in text
    assert f"{CONTACT_DOUBT:g}, which is ± 0.19 (95 %) at a half" in " ".join(text.split())
    assert "| root mean square | 0.000 | 0.000 |" in text
    assert "| mean difference without bounce in either engine | +0.000 | +0.000 |" in text
    assert "./topple prove physics --docs docs" in text
    assert max(len(line) for line in text.splitlines()) <= 140


def test_wrong_forecasts_fail() -> None:
    found = made_up(shift=8)
    assert not found.passed
    text = part_text(found)
    assert "Forecasts fail: the calibration error is 0.315, but" in text
    assert "| 0.0 to 0.1 | 20 | 0.050 | 0.450 |" in text


def test_wide_gaps_are_only_reported() -> None:
    found = replace(made_up(), wide=made_up(shift=8).usual)
    assert found.passed


def test_the_diagram_has_the_bins_and_the_lines() -> None:
    figure = diagram(made_up(shift=2))
    left, right = figure.axes
    dots = [tuple(point) for line in left.lines for point in np.array(line.get_xydata()).round(3).tolist()]
    assert (0.25, 0.35) in dots
    single = [tuple(point) for each in right.collections for point in np.array(each.get_offsets()).round(3).tolist()]
    assert single.count((0.25, 0.35)) == 2


def test_the_part_takes_its_place_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "validation.md"
    before, after = "# Validation\n\nMine.\n\n", "\n\n## Notes\n\n<!-- notes -->\nKept.\n<!-- /notes -->\n"
    page.write_text(before + marked("\nold\n", RELIABILITY) + after, encoding="utf-8")
    for _ in range(2):
        write_part(tmp_path, made_up())
        text = page.read_text(encoding="utf-8")
        assert text.startswith(before) and text.endswith(after)
        assert part(text, RELIABILITY) == "\n" + part_text(made_up()) + "\n"
    assert {path.name for path in tmp_path.iterdir()} == {"validation.md", DIAGRAM}
    image = imread(tmp_path / DIAGRAM)[..., :3]
    assert min(image.shape[:2]) > 400 and image.std(axis=(0, 1)).min() > 0.03


def test_a_page_is_begun_where_there_is_none(tmp_path: Path) -> None:
    write_part(tmp_path, made_up())
    text = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert text.startswith("# Validation\n\n<!-- reliability -->\n## Reliability of the forecast\n")
    assert text.endswith("<!-- /reliability -->\n")


def test_validate_keeps_the_part() -> None:
    old = with_part(with_part("", "\nmine\n", NOTES), "\n" + part_text(made_up()) + "\n", RELIABILITY)
    new = page_text(Report("bullet", ENSEMBLE, (), 1.0), old)
    assert part(new, RELIABILITY) == part(old, RELIABILITY)
    assert part(new, NOTES) == "\nmine\n"
    assert new.index("## Reliability") < new.index("## Notes")
    assert page_text(Report("bullet", ENSEMBLE, (), 1.0), new) == new


def test_an_old_page_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "validation.md"
    page.write_bytes(b"\xff\xfe")
    with pytest.raises(OutputError, match=r"validation\.md cannot be read"):
        write_part(tmp_path, made_up())
    assert [path.name for path in tmp_path.iterdir()] == ["validation.md"]


def test_without_matplotlib_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingError, match="matplotlib"):
        write_part(tmp_path, made_up())
    assert list(tmp_path.iterdir()) == []


def test_plans_fill_every_tenth() -> None:
    usual, wide = prove.plans(400)
    assert usual.per_bin == 40 and usual.truths >= 5
    assert (wide.per_bin, wide.compared, wide.gaps) == (8, 8, WIDE)
    assert prove.plans(11)[0].per_bin == 2 and prove.plans(1)[1].per_bin == 1


def options(docs: Path | None) -> argparse.Namespace:
    return argparse.Namespace(area="physics", only="reliability", lines=10, docs=docs, workers=1)


@pytest.mark.parametrize(("shift", "code"), [(0, 0), (8, 1)])
def test_prove_says_and_writes_it(
    shift: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prove, "study", lambda plan, executor, progress: replace(made_up(shift).usual, plan=plan))
    assert prove.run(options(tmp_path)) == code
    printed = capsys.readouterr().out
    assert printed.startswith("## Reliability of the forecast") and "gaps of 0.5 to 1" in printed
    assert printed.strip() in (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert not (tmp_path / "agreement.md").exists()


def test_prove_refuses_before_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "study", None)
    with pytest.raises(InputError, match="There is no folder"):
        prove.run(options(tmp_path / "nowhere"))
    (tmp_path / "validation.md").mkdir()
    with pytest.raises(OutputError, match=r"validation\.md"):
        prove.run(options(tmp_path))
