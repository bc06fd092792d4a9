"""Forecasts against outcomes over many logs, with numbers made by hand; and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from game.commands.season import as_json, in_words
from game.games.evaluation.moves import FallReport
from game.match import steps
from game.match.history import MatchHistory, Setup, checked_setup
from game.match.log import Log
from game.match.season import season_of
from physics.errors import SceneError
from tests.game.played import made_up_forecast

COMMAND = [sys.executable, "-P", "-m", "game.cli", "season"]
STAND = "stand 7 at {x} 0 yaw 0 upright last"


def write_match(
    path: Path,
    rounds: Sequence[tuple[float | None, bool]],
    names: tuple[str, ...] = ("Ann", "Bob"),
    *,
    corrected: bool | None = None,
) -> Path:
    """A log in which each round is a row of two, with the forecast as given; seat 1 always doubts it."""
    setup = checked_setup(Setup("evaluation", names, 3, {"rounds": 3}, table="hand"))
    history = MatchHistory(setup)
    with Log.create(path, setup.header()) as log:

        def write(*new: steps.Step) -> None:
            for entry in log.append(*((1.0, step.kind, step.data) for step in new)):
                history.take(entry)

        for number, (forecast, fell) in enumerate(rounds):
            placed = STAND.format(x=20 + number)  # every row is another one
            votes = [(0, "vote success"), *((seat, "vote failure") for seat in range(1, len(names)))]
            write(
                *(steps.Step("move", {"seat": seat, "move": text}) for seat, text in [(0, placed), (1, "call"), *votes])
            )
            write(steps.pushed(history))
            scene = history.scene
            assert scene is not None
            if forecast is not None:
                write(steps.Step("forecast", made_up_forecast(scene, 3, "bullet", forecast)))
            write(*steps.reported(history, FallReport(fell, () if fell else (7,)), None))
        if corrected is not None:
            found = FallReport(corrected, () if corrected else (7,))
            write(steps.corrected(history, 0, history.moves[-1].number, found))
    return path


def season(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "TOPPLE_LANG": "en"},
        timeout=60,
        check=False,
    )


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    return [
        write_match(tmp_path / "one.topple", [(0.9, True), (0.8, True), (0.2, False)]),
        write_match(tmp_path / "two.topple", [(0.9, False), (None, True)]),
        write_match(tmp_path / "three.topple", [], ("Ann", "Cem", "Dan")),
    ]


def test_the_numbers_by_hand(logs: list[Path]) -> None:
    found = season_of([*logs, logs[0]])  # a file counts once
    assert found.files == 3 and found.finished == 1 and len(found.pushes) == 5
    assert found.pairs == [(0.9, True), (0.8, True), (0.2, False), (0.9, False)]
    assert found.brier == pytest.approx((0.01 + 0.04 + 0.04 + 0.81) / 4)
    assert found.calibration_error == pytest.approx((0.2 * 1 + 0.2 * 1 + 2 * 0.4) / 4)
    assert [(each.low, each.pairs, each.share) for each in found.bins] == [(0.2, 1, 0.0), (0.8, 1, 1.0), (0.9, 2, 0.5)]
    assert [push.values for push in found.pushes] == [(6, 7)] * 5


def test_players_by_name(logs: list[Path], tmp_path: Path) -> None:
    logs.append(write_match(tmp_path / "four.topple", [(0.5, False)] * 3, ("Ann", "Cem")))
    players = [(each.name, each.matches, each.wins, each.score) for each in season_of(logs).standings]
    # Seat 0 votes success: Ann has 2 chips of two falls, Bob 1; then Cem has all 3.
    assert players == [("Cem", 1, 1, 3.0), ("Ann", 2, 1, 2.0), ("Bob", 1, 0, 1.0)]


def test_a_correction_counts(tmp_path: Path) -> None:
    path = write_match(tmp_path / "m.topple", [(0.9, True)], corrected=False)
    assert season_of([path]).pairs == [(0.9, False)]


def test_no_forecast_no_score(tmp_path: Path) -> None:
    path = write_match(tmp_path / "m.topple", [(None, True)])
    found = season_of([path])
    assert (found.brier, found.calibration_error, found.by_chance, found.bins) == (None, None, None, ())
    assert "There is no forecast to score." in in_words(found)
    assert as_json(found)["brier"] is None
    done = season(path)
    assert (
        done.returncode == 1
        and done.stderr == ""
        and done.stdout.startswith("1 log, 1 push, 0 of them with a forecast\n")
    )


def test_a_damaged_log_is_named_with_its_line(logs: list[Path]) -> None:
    lines = logs[1].read_bytes().splitlines(keepends=True)
    logs[1].write_bytes(b"".join([*lines[:3], lines[3].replace(b"vote", b"note"), *lines[4:]]))
    with pytest.raises(SceneError, match=r"two\.topple:4: this line is damaged"):
        season_of(logs)
    done = season(*logs)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"{logs[1]}:4: this line is damaged.\n"


def test_a_torn_log_is_read_as_far_as_it_goes(logs: list[Path]) -> None:
    raw = logs[0].read_bytes()
    logs[0].write_bytes(raw[:-10])
    assert season_of(logs).finished == 0 and logs[0].read_bytes() == raw[:-10]


def test_a_run_among_the_logs_is_passed_over(logs: list[Path], tmp_path: Path) -> None:
    run = tmp_path / "run.topple"
    run.write_text('{"format": "topple", "version": 1, "kind": "run"}\n')
    done = season(*logs, run)
    assert (done.returncode, done.stdout) == (0, season(*logs).stdout)
    assert done.stderr == f"{run} is a run, not a match; it is passed over.\n"
    song = tmp_path / "song.topple"
    song.write_text('{"format": "topple", "version": 1, "kind": "song"}\n')
    assert season(*logs, song).stderr == f"{song} is not a match; its kind is 'song'.\n"


def test_the_command(logs: list[Path], tmp_path: Path) -> None:
    done = season(*logs)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[0] == "3 logs, 5 pushes, 4 of them with a forecast"
    assert "Brier score: 0.225 (0 is best, 0.25 is what tossing a coin gets)." in done.stdout
    assert ["Ann", "1", "1", "2"] in [line.split() for line in done.stdout.splitlines()]
    answer = json.loads(season(*logs, "--json").stdout)
    assert answer["brier"] == pytest.approx(0.225) and answer["forecasts"] == 4 and len(answer["rows"]) == 5
    assert answer["players"][0] == {"game": "evaluation", "name": "Ann", "matches": 1, "wins": 1, "score": 2.0}
    for wrong in ((), (tmp_path / "lost.topple",), (tmp_path,)):
        refused = season(*wrong)
        assert refused.returncode == 2 and refused.stdout == "" and len(refused.stderr.splitlines()) == 1
