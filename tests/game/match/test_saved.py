"""Where people's matches are kept, and how one of them is chosen when a command is given no file."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.cli import main
from game.match.background import Tools
from game.match.history import Setup
from game.match.log import read_log
from game.match.saved import begun, kept_matches, matches_folder
from tests.game.played import Never

MOVES = ((0, "stand 8 at 30 0 yaw 0 upright last"), (1, "call"), (1, "vote failure"), (0, "vote success"), (0, "push"))
ROUND = ("--option", "rounds=1")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Where matches are kept, in a data folder of the test's own; another folder is the current one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TOPPLE_LANG", "en")
    monkeypatch.setenv("LANGUAGE", "")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    words.use("en")
    yield matches_folder()
    words.use("en")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Calls topple in this process: exit code, output, errors. What is typed at a terminal, or comes from a pipe."""

    def call(*arguments: object, typed: str | None = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed or ""))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: typed is not None, raising=False)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: typed is not None, raising=False)
        try:
            code = main([*map(str, arguments)])
        except SystemExit as end:
            code = int(str(end.code))
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def keep(folder: Path, name: str, ago: float, moves: int, last: str = "stood 8") -> Path:
    """A match of Ann and another that was left so many seconds ago after so many moves; the sixth ends it."""
    setup = Setup("evaluation", ("Ann", name), 3, {"rounds": 1}, table="hand")
    with begun(setup, None, Tools(executor=Never()), folder) as session:
        for seat, move in (*MOVES, (-1, last))[:moves]:
            session.play(seat, move, by=max(seat, 0))
    left = time.time() - ago
    os.utime(session.path, (left, left))
    return session.path


@pytest.fixture
def three(folder: Path) -> list[Path]:
    """An old one that is over, one that was left, a new one that is over; and files that are no matches to offer."""
    found = [keep(folder, "Bob", 3000, 6), keep(folder, "Cem", 2000, 1), keep(folder, "Dan", 1000, 6, "fell")]
    keep(folder, "Eve", 0, 0)  # nothing has happened in it
    (folder / "damaged.topple").write_text("{")
    return found


def test_the_newest_comes_first(three: list[Path]) -> None:
    kept = kept_matches(matches_folder())
    assert [each.path for each in kept] == three[::-1]
    assert [(each.history.setup.names[1], each.is_over) for each in kept] == [
        ("Dan", True),
        ("Cem", False),
        ("Bob", True),
    ]
    assert [path.name for path in three] == ["match.topple", "match-2.topple", "match-3.topple"]


def test_people_s_matches_are_kept_in_the_data_folder(folder: Path, said: Callable[..., Any]) -> None:
    options = ("play", "--text", "--players", "Ann,Bob", "--table", "hand")
    for name in ("match.topple", "match-2.topple"):
        code, _out, err = said(*options)
        assert code == 0 and f"The match is kept in {folder / name}; go on with: " in err
    assert [path.name for path in sorted(folder.iterdir())] == ["match-2.topple", "match.topple"]
    assert not list(Path().iterdir())
    code, _out, err = said(*options, "--log", "here.topple")
    assert code == 0 and "The match is kept in here.topple" in err and Path("here.topple").exists()


def test_bots_that_are_watched_play_there_and_those_of_a_program_here(folder: Path, said: Callable[..., Any]) -> None:
    bots = ("play", "--players", "bot:weak,bot:weak", "--seed", "2", *ROUND)
    assert said(*bots, "--text")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["match.topple"] and not list(Path().iterdir())
    code, out, _err = said(*bots, "--json")
    assert (code, json.loads(out)["log"]) == (0, "match.topple")
    assert Path("match.topple").exists() and len(list(folder.iterdir())) == 1


def test_json_of_a_match_with_people_names_the_whole_path(folder: Path, said: Callable[..., Any]) -> None:
    path = keep(folder, "Bob", 100, 6)
    code, out, _err = said("play", "--json", "--resume", path)
    assert (code, json.loads(out)["log"]) == (0, str(path))


def test_without_a_terminal_matches_are_listed_and_one_sentence_says_how(
    three: list[Path], said: Callable[..., Any]
) -> None:
    code, out, err = said("replay", "--text")
    lines = err.splitlines()
    assert (code, out, len(lines)) == (2, "", 5)
    assert lines[0] == f"Matches in {matches_folder()}:"
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(three[2].stat().st_mtime))
    assert lines[1] == f"  1  {date}  over        Ann and Dan  match-3.topple"
    assert lines[2].endswith("  unfinished  Ann and Cem  match-2.topple")
    assert lines[4] == f"Say which one, as in: ./topple replay --text {three[2]}"
    code, out, err = said("play", "--text", "--resume")
    assert (code, out, len(err.splitlines())) == (2, "", 3)
    assert err.endswith(f"Say which one, as in: ./topple play --text --resume {three[1]}\n")
    assert said("season")[0] == 2 and "./topple season " in said("season")[2]
    assert said("watch", "--headless", "--resume")[0] == 2


def test_at_a_terminal_one_is_chosen_by_number(three: list[Path], said: Callable[..., Any]) -> None:
    code, out, err = said("replay", "--text", typed="7\nx\n2\n")
    assert code == 0 and "a match between Ann and Cem." in out
    assert err.count("Which one? (its number; Enter: 1)") == 3
    assert "a match between Ann and Dan." in said("replay", "--text", typed="\n")[1]
    code, out, _err = said("play", "--text", "--resume", typed="1\nquit\n")
    assert code == 0 and f"--resume {three[1]}" in out and "6 upright, gap " in out
    assert said("replay", "--text", typed="")[::2][0] == 2


def test_a_season_of_some_or_all(three: list[Path], said: Callable[..., Any]) -> None:
    assert json.loads(said("season", "--json", typed="\n")[1])["files"] == 3
    assert json.loads(said("season", "--json", typed="3, 1\n")[1])["files"] == 2


def test_where_there_are_none_it_is_one_sentence(folder: Path, said: Callable[..., Any]) -> None:
    assert said("replay") == (2, "", f"There is no match in {folder} yet; name a file.\n")
    keep(folder, "Bob", 0, 6)
    assert said("play", "--resume") == (2, "", f"There is no unfinished match in {folder}; name the file of one.\n")
    assert read_log(folder / "match.topple").entries
