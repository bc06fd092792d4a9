"""A game without standing tiles at a real table: neither a camera nor a rig is of use to it, and it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import catalogue, words
from game.cli import main
from game.match.history import Setup
from game.match.session import new_match


@pytest.fixture(autouse=True)
def _lanterns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "GAMES", {**catalogue.GAMES, "lanterns": "tests.game.lanterns"})
    # The choices of --game are those that the program is shipped with.
    monkeypatch.setattr("game.commands.choosing.GAMES", catalogue.GAMES)
    words.use("en")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "m.topple"
    new_match(path, Setup("lanterns", ("Ann", "Bob"), 5, {})).close()
    return path


CAMERA = "A camera cannot follow the game lanterns: play it without one.\n"
RIG = "A rig pushes standing tiles, and the game lanterns has none: leave out --rig.\n"


@pytest.mark.parametrize("way", [["--text"], []])
@pytest.mark.parametrize(("given", "said"), [(["--source", "synthetic"], CAMERA), (["--rig", "emulated"], RIG)])
def test_play_refuses_it(way: list[str], given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", *way, "--game", "lanterns", *given]) == 2
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(("given", "said"), [(["--source", "synthetic"], CAMERA), (["--rig", "emulated"], RIG)])
def test_a_match_that_goes_on_refuses_it(
    given: list[str], said: str, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--text", "--resume", str(kept), *given]) == 2
    assert capsys.readouterr().err == said


def test_watch_refuses_it(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["--resume", str(kept)], ["--game", "lanterns"]):
        assert main(["watch", "--headless", "--source", "synthetic", *given]) == 2
        assert capsys.readouterr().err == CAMERA
