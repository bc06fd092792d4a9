"""simulate: what is said of one run, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from game import cli, words
from game.text.report import outcome_words, span_words
from physics.line import straight
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.scene import Scene
from physics.tiles import load_set

SCENE = Scene(straight(load_set("evaluation"), [3, 4, 5, 6, 7], 0.012))


def fallen(*times: float | None) -> Outcome:
    """A run in which the tiles fell at these times."""
    fates = tuple(Fate.STANDING if time is None else Fate.FALLEN for time in times)
    return Outcome(fates, times, ended=2.0, settled=True, source=OutcomeSource.SIMULATED, engine="bullet", step=1e-3)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ((0.0, 0.25, 0.3, 0.35, 0.4), "The first tile, 3, fell after 0.00 s, the last, 7, 0.40 s later. The wave went"),
        ((0.0, 0.25, None, None, None), "the last, 4, 0.25 s later. Too few tiles fell one after another"),
        ((0.5, None, None, None, None), "Only the tile 3 fell, after 0.50 s."),
        ((None,) * 5, "No tile fell."),
    ],
)
def test_the_fall_is_told(times: tuple[float | None, ...], said: str) -> None:
    assert said in span_words(SCENE, fallen(*times))
    assert said in outcome_words("line.toml", SCENE, fallen(*times))


def test_numbers_are_written_as_in_the_language() -> None:
    words.use("uk")
    try:
        assert "0,25" in span_words(SCENE, fallen(0.0, 0.25, None, None, None))
    finally:
        words.use("en")


def test_json_has_the_fall_in_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = tmp_path / "line.toml"
    tile = "[[tile]]\nvalue = {value}\nx = {x}\ny = 0\n"
    for gap, fell in ((15, 4), (300, 1)):
        line.write_text('set = "evaluation"\n' + "".join(tile.format(value=v, x=v * gap) for v in (3, 4, 5, 6)))
        assert cli.main(["simulate", str(line), "--out", str(tmp_path / "run.csv"), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        times = [each["fell_at"] for each in answer["tiles"] if each["fell_at"] is not None]
        assert len(times) == fell
        assert (answer["first_fell"], answer["last_fell"]) == (times[0], times[-1])
        assert answer["fall_took"] == pytest.approx(times[-1] - times[0], abs=1e-6)
        assert answer["wave_speed"] is None if fell == 1 else 0.1 < answer["wave_speed"] < 2
