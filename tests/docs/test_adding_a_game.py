"""The page on adding a game: its example makes a game that can be played, and it names all that a game may bring."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from game import catalogue
from game.bots.arena import play_match
from game.catalogue import GameKit
from game.core import Game
from game.text.game_text import title_of

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-game.md").read_text(encoding="utf-8")


def test_the_example_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rules and words are those of the small game in the tests, which has no package under game/games."""
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    package = ModuleType("game.games.lanterns")
    exec(example.replace("game.games.lanterns", "tests.game.lanterns"), package.__dict__)
    monkeypatch.setitem(sys.modules, "game.games.lanterns", package)
    [(name, place)] = re.findall(r'the line `"(\w+)": "([\w.]+)"`', PAGE)
    monkeypatch.setattr(catalogue, "GAMES", {**catalogue.GAMES, name: place})
    assert title_of(name) == "Lanterns"
    assert play_match(name, ("weak", "weak"), 1, {}).moves


def test_all_parts_of_a_kit_are_named() -> None:
    told = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    needed = re.findall(r"(\w+)=", re.findall(r"GameKit\((.*?)\)", PAGE)[0])
    assert {*needed, *told} == {part.name for part in dataclasses.fields(GameKit)}


def test_all_that_rules_must_have_is_named() -> None:
    rules = PAGE.partition("## The rules")[2].partition("\n## ")[0]
    needed = {name for name in vars(Game) if name[0] != "_"} - {"name", "seats"}
    assert needed <= set(re.findall(r"`([a-z_]+)`", rules))
