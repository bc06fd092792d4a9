"""What people can be called, when they type it and when a log says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.match.history import setup_in
from game.match.log import Log, read_log
from game.match.players import check_name, check_names
from game.match.reading import read_match
from physics.errors import InputError, SceneError
from tests.game.played import setup

GOOD = ("Ann", "Ганна-Марія", "7", "Zoë B.", "שרה", "Ann 👩🏽‍🚀", "Nguye\u0302\u0303n", "a" * 40)
BAD = {
    "\u0301" * 40: "invisible characters, or too many marks",
    "A" + "\u0336" * 39: "too many marks on one letter",
    "An\u200bn": "invisible",
    "\u202eAnn": "invisible",
    "Ann\x1b[2J": "invisible",
    "Ann\udcff": "invisible",
    "Ann\u3164": "invisible",
    "A\N{NO-BREAK SPACE}": "invisible",
    "…!": "a letter or a digit",
    "👍": "a letter or a digit",
    " ": "1 to 40 letters on one line",
    "Ann\nBob": "1 to 40 letters on one line",
    "a" * 41: "1 to 40 letters on one line",
}


@pytest.mark.parametrize("name", GOOD)
def test_names_of_people(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(("name", "reason"), BAD.items())
def test_names_that_hide_something(name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as typed:
        check_names(["Bob", name])
    assert str(typed.value).isprintable()


@pytest.mark.parametrize("name", ["\u0301" * 40, "An\u200bn", "…!"])
def test_a_log_with_such_a_name_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "match.topple"
    Log.create(path, setup(names=("Ann", name), engine="bullet").header()).close()
    with pytest.raises(SceneError, match="cannot be used") as refused:
        setup_in(read_log(path).header, f"{path}:1")
    assert str(refused.value).startswith(f"{path}:1: The name ")


@pytest.mark.parametrize(
    ("names", "reason"), [(("A", "a"), "The name 'A' is given to two players"), (("bot:god", "B"), "There is no bot")]
)
def test_a_log_with_players_that_nobody_can_choose_is_refused(
    tmp_path: Path, names: tuple[str, ...], reason: str
) -> None:
    path = tmp_path / "match.topple"
    Log.create(path, setup(names=names, engine="bullet").header()).close()
    with pytest.raises(SceneError) as refused:
        read_match(path)
    assert str(refused.value).startswith(f"{path}:1: {reason}")
