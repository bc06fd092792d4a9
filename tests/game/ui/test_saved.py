"""What is remembered between two evenings, whatever became of the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.catalogue import GAMES
from game.core import TABLE
from game.games.evaluation.moves import FallReport
from game.match.history import Setup
from game.match.saved import NAME as MATCH
from game.match.saved import free_file, matches_folder
from game.match.session import new_match
from game.ui.saved import (
    NAME,
    VERSION,
    Choices,
    games_there,
    remember,
    remembered,
    tables_there,
    unfinished,
)
from physics.errors import OutputError

CHOSEN = Choices(
    players=("Олена", "bot:strong", ""),
    colours={"Олена": "pink", "#3": "sky"},
    options={"evaluation": {"rounds": 5}},
    table="hand",
    hints=True,
    language="uk",
    sound=0.25,
    contrast=True,
    text_size=1.5,
)


def test_choices_are_there_again(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    assert remembered(folder) == Choices()
    assert remember(CHOSEN, folder)
    assert remembered(folder) == CHOSEN


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "null", '{"version": 2, "sound": 0.1}', '{"sound": 0.1}', "[" * 100_000, "\ud800"],
)
def test_a_damaged_or_foreign_file_means_the_defaults(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert remembered(tmp_path) == Choices()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", ["Ann"]), ("players", ["Ann", 7]), ("players", ["Ann", "bot:genius"]), ("players", ["A", "x" * 99]),
        ("players", ["A", "\n"]), ("options", {"rounds": 99}), ("options", {"speed": 1}), ("options", {"rounds": None}),
        ("options", []), ("table", "moon"), ("hints", 1), ("clumsy", "yes"), ("language", "fr"), ("language", ["uk"]),
        ("game", "chess"), ("game", None), ("colours", ["sky"]), ("colours", {"Ann": "ultraviolet", "Bob": 7}),
        ("sound", 3), ("sound", True), ("contrast", None), ("text_size", 100), ("text_size", {}),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_as_by_default(tmp_path: Path, name: str, value: Any) -> None:
    remember(CHOSEN, tmp_path)
    data = json.loads((tmp_path / NAME).read_text(encoding="utf-8"))
    (tmp_path / NAME).write_text(json.dumps({**data, name: value, "unknown": 1}))
    found = remembered(tmp_path)
    assert getattr(found, name) == getattr(Choices(), name)
    assert data["version"] == VERSION and found.sound in (0.25, 0.7)


def test_there_is_a_game_and_a_table_to_choose() -> None:
    assert games_there() == tuple(GAMES) and tables_there() == ("simulated", "hand")


def test_where_nothing_can_be_written_nothing_breaks(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not remember(CHOSEN, tmp_path / "file")
    assert remembered(tmp_path / "file") == Choices()
    with pytest.raises(OutputError, match="cannot be written"):
        matches_folder(tmp_path / "file")


def test_matches_that_can_be_gone_on_with(tmp_path: Path) -> None:
    words.use("en")
    folder = matches_folder(tmp_path)
    assert unfinished(folder) == () and unfinished(tmp_path / "nowhere") == ()
    setup = Setup("evaluation", ("Ann", "bot:weak"), 7, {"rounds": 1}, table="hand")
    for moves in (0, 1, 5):
        path = free_file(folder / MATCH)
        with new_match(path, setup) as session:
            for seat, move in [
                (0, "stand 8 at 30 0 yaw 0 upright last"),
                (1, "call"),
                (0, "vote success"),
                (1, "vote failure"),
                (0, "push"),
            ][:moves]:
                session.play(seat, move)
            if moves == 5:
                session.play(TABLE, FallReport(True), by=0)
                assert session.result is not None
    (folder / "damaged.topple").write_text("{")
    (folder / "notes.txt").write_text("x")
    assert [path.name for path in sorted(folder.glob("match*"))] == ["match-2.topple", "match-3.topple", "match.topple"]
    (found,) = unfinished(folder)
    assert found.path.name == "match-2.topple" and found.names == ("Ann", "Weak bot")
    assert found.standing.endswith("Round 1 of 1. Chips: Ann: 0, Weak bot: 0.")  # after the title, of several games
    words.use("uk")
    assert found.names == ("Ann", "Слабкий бот")
    assert found.standing.endswith("Раунд 1 із 1. Фішки: Ann: 0, Слабкий бот: 0.")
