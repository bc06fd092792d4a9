"""Forecasts in words: the word first, never against the number or the verdict, and why it is not surer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.text.report import (
    WIDE,
    chance_words,
    forecast_headline,
    forecast_in_short,
    forecast_word,
    hint_words,
    percent,
    percents,
    prediction_words,
    why_not_surer,
)
from physics.hint import Change, Hint
from physics.intervals import CONTACT_DOUBT, WIDE_DOUBT, wilson, with_contact_doubt
from physics.line import straight
from physics.outcome import Prediction
from physics.scene import Scene
from physics.tiles import load_set

SCENE = Scene(straight(load_set("evaluation"), [4, 5, 6], 0.0155))


def predicted(fell: int, samples: int, doubt: float = CONTACT_DOUBT) -> Prediction:
    """What a forecast says when that many runs fell."""
    return Prediction(
        probability=fell / samples,
        interval=with_contact_doubt(fell, samples, 0.95, doubt),
        sampling=wilson(fell, samples, 0.95),
        confidence=0.95,
        samples=samples,
        values=SCENE.line.values,
        tile_falls=(1.0, 1.0, fell / samples),
        weakest_at=1,
        pushed=0,
        engine="bullet",
        seed=0,
        seconds=1.5,
    )


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0 %"), (0.004, "<1 %"), (0.005, "<1 %"), (0.285, "28 %"), (0.995, ">99 %"), (1, "100 %")]
)
def test_shares(share: float, said: str) -> None:
    assert percent(share) == said


@pytest.mark.parametrize(
    ("interval", "said"),
    [((0.1, 0.99), "10 to 99 %"), ((0.001, 0.2), "<1 to 20 %"), ((0.9, 0.999), "90 to >99 %"), ((0, 0), "0 %")],
)
def test_ranges(interval: tuple[float, float], said: str) -> None:
    assert percents(interval) == said


@pytest.mark.parametrize("doubt", [0.0, CONTACT_DOUBT, WIDE_DOUBT])
@pytest.mark.parametrize("samples", [4, 24, 32, 400])
def test_the_word_contradicts_neither_the_number_nor_the_verdict(samples: int, doubt: float) -> None:
    for fell in range(samples + 1):
        prediction = predicted(fell, samples, doubt)
        word = forecast_word(prediction.probability, prediction.interval)
        if prediction.verdict == "unsure":
            assert word.startswith("probably") or word == "could go either way"
        else:
            assert word.endswith("falls" if prediction.verdict == "falls" else "does not fall completely")
        if word.endswith("falls"):
            assert prediction.probability > 0.5
        if word.endswith("completely"):
            assert prediction.probability < 0.5
        assert (word in ("falls", "does not fall completely")) <= (fell in (0, samples))


@pytest.mark.parametrize(
    ("fell", "samples", "doubt", "said"),
    [
        (32, 32, CONTACT_DOUBT, "Falls: 100 %."),
        (392, 400, CONTACT_DOUBT, "Almost certainly falls: 98 %."),
        (69, 100, WIDE_DOUBT, "Probably falls: 69 %."),
        (91, 100, WIDE_DOUBT, "Probably falls: 91 %."),
        (50, 100, CONTACT_DOUBT, "Could go either way: 50 % that all of it falls."),
        (20, 100, CONTACT_DOUBT, "Probably does not fall completely: 20 % that all of it falls."),
        (0, 32, CONTACT_DOUBT, "Does not fall completely: 0 % that all of it falls."),
    ],
)
def test_first_the_word_then_the_number(fell: int, samples: int, doubt: float, said: str) -> None:
    assert forecast_headline(predicted(fell, samples, doubt)) == said


def test_in_short_it_is_the_same_word() -> None:
    assert forecast_in_short(0.69, (0.1, 0.99)) == "probably falls, 69 % (10 to 99 %)"
    assert forecast_in_short(0.2, (0.1, 0.4)) == (
        "probably does not fall completely, 20 % that all of it falls (10 to 40 %)"
    )
    assert forecast_in_short(0.0, (0.0, 0.1)) == "does not fall completely, 0 % that all of it falls (0 to 10 %)"

    assert [chance_words(share) for share in (0.0, 0.5, 0.7)] == [
        "0 % that all of it falls",
        "50 % that all of it falls",
        "70 %",
    ]


def test_a_push_that_does_not_topple_its_tile_is_told() -> None:
    """Otherwise nothing would say why the row does not fall: no run ends at a gap."""
    stuck = replace(predicted(0, 32), tile_falls=(0.0, 0.0, 0.0), weakest_at=None)
    assert "The push does not topple tile 4 itself." in prediction_words("line.toml", SCENE, stuck).splitlines()
    at_times = replace(predicted(8, 32), tile_falls=(0.25, 0.25, 0.25), weakest_at=None)
    assert "The push does not always topple tile 4 itself." in prediction_words("line.toml", SCENE, at_times)
    for falls in (predicted(0, 32), replace(predicted(32, 32), weakest_at=None)):
        assert "The push" not in prediction_words("line.toml", SCENE, falls)


def test_why_it_is_not_surer() -> None:
    doubtful = replace(predicted(69, 100), sampling=(0.6, 0.74), interval=(0.1, 0.99))
    assert why_not_surer(doubtful) == (
        "The runs alone say 60 to 74 %; with what is not known about how tiles bounce and slip, it is 10 to 99 %."
    )
    assert why_not_surer(predicted(32, 32)) == (
        "All 32 runs say so, and no more were needed. "
        "So few runs leave 89 to 100 %; with what is not known about how tiles bounce and slip, 84 to 100 %."
    )


def test_everything_fits_a_terminal() -> None:
    for prediction in (predicted(69, 100), predicted(0, 32)):
        lines = prediction_words("line.toml", SCENE, prediction).splitlines()
        assert all(len(line) <= WIDE for line in lines)
        assert not [line for line in lines if line.lstrip().startswith("%")]
    assert "Weakest gap: between 5 and 6 (15.5 mm of air)." in lines


@pytest.mark.parametrize(
    ("change", "action"),
    [
        (Change(gap_at=0, shift=0.002), "move 5 and all after it 2 mm away from 4"),
        (Change(gap_at=0, shift=-0.013), "move 5 and all after it 13 mm closer to 4"),
        (Change(gap_at=1, shift=0.002), "move 6 2 mm away from 5"),
        (Change(gap_at=1, shift=-0.003), "move 6 3 mm closer to 5"),
        (Change(turned=1), "stand 5 on its side"),
    ],
)
def test_a_hint_is_something_to_do(change: Change, action: str) -> None:
    assert hint_words(Hint(change, 0.96, (0.85, 0.999), 48), SCENE) == f"Hint: {action} for 96 % (85 to >99 %)."
