"""The benchmarks run, and compare like with like; how fast they are is for `topple bench` to say."""

from __future__ import annotations

import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import benchmarks.draws
from benchmarks import answers, draws, game_speed, lines, reading, runs, window
from benchmarks.plain_script import plain_fallen
from game.cli import main
from game.commands.bench import spliced
from physics.line import straight
from physics.scene import Scene
from physics.tiles import load_set

EVALUATION = load_set("evaluation")


def silent(text: str) -> None:
    assert text


def test_the_plain_script_knows_clear_rows() -> None:
    assert plain_fallen(Scene(straight(EVALUATION, [5, 6, 7, 8], 0.020))) == (True,) * 4
    assert plain_fallen(Scene(straight(EVALUATION, [2, 11], 0.012))) == (True, False)


def test_all_ways_run_the_same_draws() -> None:
    scene = lines.scenes(lines.CLEAR[:2])[1]
    found = {way: answers.run_way(way, scene, 2) for way in answers.WAYS}
    assert {tuple(falls) for falls, _ in found.values()} == {(True, True)}
    assert all(cost > 0 for _, cost in found.values())


def test_plain_runs_for_five_hundredths() -> None:
    assert answers.plain_runs(0.5) in (384, 400)
    assert answers.plain_runs(0.2) < 260


def test_answers_are_told_as_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "DOUBTFUL", lines.CLEAR[:1])
    monkeypatch.setattr(answers, "CLEAR", lines.CLEAR[1:2])
    with ProcessPoolExecutor(2) as pool:
        text = "\n".join(answers.report(pool, 1.8, silent, draws=2))
    assert "| topple, all cores |" in text and "| 1.0 |" in text
    assert text.count("plain script, one core") == 2


def test_ways_to_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmarks.draws, "POINTS", 32)
    with ProcessPoolExecutor(2) as pool:
        text = "\n".join(draws.report(pool, silent, lines=1, repeats=2))
    assert "| quasi-random |" in text and "| model |" in text


def test_long_lines_and_stepping() -> None:
    assert runs.long_line(11)[2]
    assert "| 11 |" in "\n".join(runs.report_growth(silent, (11,)))


def test_games_are_played() -> None:
    assert "| evaluation |" in "\n".join(game_speed.report(silent, 0.1))


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("Xvfb") or shutil.which("apt-get")), reason="Xvfb comes with Debian's packages")
def test_frames_are_compared_with_and_without_a_forecast() -> None:
    with window.virtual_screen() as screen:
        found = window.measured(screen, frames=2, rounds=1, runs=4)
    assert found.first > 0 and found.runs == 4 * len(window.DOINGS) and found.disturbed == 0
    assert list(found.frames) == list(window.DOINGS)
    for frames in found.frames.values():
        assert len(frames.alone) == 2 and frames.beside and min(frames.alone + frames.beside) > 0


def test_frames_are_told_as_a_ratio() -> None:
    frames = window.Frames((0.010, 0.010, 0.010), (0.010, 0.015, 0.015))
    assert frames.ratio == pytest.approx(1.5)
    text = "\n".join(window.section(window.Measured(2.0, {"turning": frames}, 40, 0, "software"), 2.0))
    assert "| the eye | 10.0 | 10.0 | 15.0 | 15.0 | 1.50 |" in text and "40 runs)" in text


@pytest.mark.slow
def test_readings_are_compared_with_plain_markers() -> None:
    found = reading.cost_of(1, frames=1)
    assert found.first > found.markers > 0 and found.live > 0 and found.tiles >= 5


def test_readings_are_told_as_ratios() -> None:
    text = "\n".join(reading.section([reading.Cost(5, 1.5, 0.05, 0.02, 0.01), reading.Cost(9, 2.5, 0.05, 0.02, 0.01)]))
    assert "| live frame, row known | 50 | 20.0 | 5.0 | ≥ 10 a second: holds |" in text
    assert "5 to 9 tiles" in text and "≤ 2 s: **fails**" in text


def test_a_part_takes_the_place_of_the_old_one() -> None:
    before = "# Speed\n\nold\n\n## Runs\n\none\n\n## Start\n\ntwo\n"
    assert spliced(before, "# Speed\n\nnew\n\n## Runs\n\nthree\n") == (
        "# Speed\n\nnew\n\n## Runs\n\nthree\n\n## Start\n\ntwo\n"
    )
    assert spliced(before, "# Speed\n\nold\n\n## Window\n\nmore\n") == before + "\n## Window\n\nmore\n"
    assert spliced("", before) == before


@pytest.mark.parametrize("arguments", [["nonsense"], ["runs", "--docs", "."], ["--docs", "nowhere"]])
def test_bad_use_is_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_lines_are_there() -> None:
    assert len(set(lines.DOUBTFUL)) == len(set(lines.CLEAR)) == 25
    assert (Path(__file__).parents[3] / "examples" / "eleven.toml").is_file()
