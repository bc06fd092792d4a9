"""The page before a match where there is more than one game, by widgets that are not drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from game import words
from game.match.saved import NAME as MATCH
from game.match.saved import matches_folder
from game.match.session import new_match
from game.ui.match_settings import EMPTY, PERSON, MatchSettings, SeatSettings
from game.ui.saved import NAME, VERSION, Choices, games_there, remember, remembered, unfinished
from game.ui.screens.base import Desk
from game.ui.screens.sheets import Rules
from game.ui.screens.start import Start
from game.ui.toolkit.layout import start_places
from game.ui.toolkit.widgets import Action, Choice, Stepper
from game.words import say
from tests.game.lanterns.test_lanterns import setup

FOUR = MatchSettings(
    (SeatSettings(PERSON, "Ann"), SeatSettings(PERSON, "Bob"), SeatSettings("weak"), SeatSettings("strong"))
)


@pytest.fixture(autouse=True)
def english(lanterns: None) -> Iterator[None]:
    words.use("en")
    yield
    words.use("en")


@pytest.fixture
def begun() -> list[MatchSettings]:
    return []


@pytest.fixture
def desk() -> Desk:
    return Desk(cast(Any, None))


@pytest.fixture
def start(desk: Desk, begun: list[MatchSettings]) -> Start:
    return Start(desk, FOUR, list, begun.append, lambda path: None)


def named(start: Start, name: str) -> Any:
    return next(widget for widget in start.widgets() if widget.name == name)


def names(start: Start) -> set[str]:
    return {widget.name for widget in start.widgets()}


def said(start: Start) -> str:
    fitted = start.fitted
    return "" if fitted is None else fitted.words()


def test_a_game_shows_its_own_options_alone(start: Start) -> None:
    choice = named(start, "game")
    assert choice.values == games_there() and choice.labels == ("Evaluation Domino", "Lanterns")
    assert {"table", "hints", "clumsy", "guided", "rounds"} <= names(start) and "mode" not in names(start)
    start.acted(Action("game", "lanterns"))
    assert not {"table", "hints", "clumsy", "rig", "guided"} & names(start)
    mode, rounds = named(start, "mode"), named(start, "rounds")
    assert isinstance(mode, Choice) and (mode.labels, mode.value) == (("Alone", "Teams"), "alone")
    assert mode.tip == "Everyone alone, or two teams of two."
    assert isinstance(rounds, Stepper) and (rounds.value, rounds.low, rounds.high) == (2, 1, 4)


def test_who_is_left_out_is_said_and_comes_back(start: Start) -> None:
    start.acted(Action("game", "lanterns"))
    assert said(start) == "Number of players: 2–3. Left out: Strong bot."
    assert start.settings.players() == ("Ann", "Bob", "bot:weak") and "kind3" not in names(start)
    start.acted(Action("mode", "teams"))
    assert start.settings.players() == ("Ann", "Bob", "bot:weak", "bot:strong") and said(start) == ""
    start.acted(Action("rounds", 3))
    assert start.settings.chosen == {"mode": "teams", "rounds": 3} and "kind3" in names(start)


def test_bots_take_the_seats_that_must_not_be_empty(start: Start) -> None:
    start.acted(Action("kind1", EMPTY))
    start.acted(Action("kind2", EMPTY))
    start.acted(Action("game", "lanterns"))
    assert said(start) == "" and start.settings.taken == (0, 1)  # the seats that are left
    start.acted(Action("mode", "teams"))
    assert start.settings.players() == ("Ann", "bot:normal", "bot:normal", "bot:strong")
    assert said(start) == "Number of players: 4. Bots added: 2."
    words.use("uk")
    assert said(start) == "Кількість гравців: 4. Додано ботів: 2."
    start.acted(Action("mode", "alone"))
    assert start.settings.players() == ("Ann", "bot:strong")  # as people chose them


def test_colours_go_with_who_moves_up(start: Start) -> None:
    start.settings = replace(start.settings, colours=(4, 3, 2, 1, 0))
    start.acted(Action("kind1", EMPTY))
    start.acted(Action("game", "lanterns"))
    assert (start.settings.players(), start.settings.taken_colours()) == (("Ann", "bot:weak", "bot:strong"), (4, 2, 1))


def test_too_few_are_refused_in_a_sentence(start: Start, begun: list[MatchSettings]) -> None:
    start.acted(Action("game", "lanterns"))
    start.acted(Action("mode", "teams"))
    start.acted(Action("kind3", EMPTY))
    start.acted(Action("start"))
    assert not begun and start.error is not None
    assert say(start.error) == "The number of players for these options is 4; chosen so far: 3."
    start.acted(Action("kind3", PERSON))
    start.acted(Action("start"))
    assert begun[0].chosen == {"mode": "teams", "rounds": 2}


def test_the_rules_are_those_of_the_chosen_game(start: Start, desk: Desk) -> None:
    assert desk.game == "evaluation"
    start.acted(Action("game", "lanterns"))
    start.acted(Action("rules"))
    rules = desk.top
    assert isinstance(rules, Rules)
    first, heading, *controls = [item.text for item in rules.items()]
    assert first.startswith("Lanterns: bid in secret") and heading == "Mouse and keys"
    assert controls[0].startswith("A move is made by its button") and "F11" in controls[-1]


def test_options_of_every_game_are_remembered(start: Start, begun: list[MatchSettings], tmp_path: Path) -> None:
    start.acted(Action("rounds", 7))
    start.acted(Action("game", "lanterns"))
    start.acted(Action("rounds", 4))
    start.acted(Action("start"))
    remember(Choices(game=begun[0].game, players=begun[0].typed(), options=begun[0].options), tmp_path)
    found = remembered(tmp_path)
    assert found.game == "lanterns" and found.options == {"evaluation": {"rounds": 7}, "lanterns": {"rounds": 4}}
    start.acted(Action("game", "evaluation"))
    assert named(start, "rounds").value == 7


def test_the_first_files_have_options_of_their_only_game(tmp_path: Path) -> None:
    old = {"version": VERSION, "game": "evaluation", "players": ["", "bot:weak"], "options": {"rounds": 5}}
    (tmp_path / NAME).write_text(json.dumps(old))
    assert remembered(tmp_path).options == {"evaluation": {"rounds": 5}}
    new = {**old, "options": {"evaluation": {"rounds": 99}, "lanterns": {"mode": "teams"}, "chess": {"rounds": 1}}}
    (tmp_path / NAME).write_text(json.dumps(new))
    assert remembered(tmp_path).options == {"lanterns": {"mode": "teams"}}


def test_unfinished_matches_of_any_game(tmp_path: Path) -> None:
    with new_match(matches_folder(tmp_path) / MATCH, setup("Ann", "bot:weak")) as session:
        session.play(0, "bid 10")
    [found] = unfinished(matches_folder(tmp_path))
    assert found.standing == "Lanterns. Round 1 of 2. Points: Ann: 0, Weak bot: 0."
    assert "10" not in json.dumps(dict(found.view))  # the bid is secret


@pytest.mark.parametrize("size", [(960, 640), (1280, 720)])
def test_everything_has_room(desk: Desk, size: tuple[int, int]) -> None:
    places = start_places(*size, desk.sizes, seats=4, options=(True, True, *[False] * 5), several_games=True)
    assert len(places.options) == 7 and places.options[0].width > 2 * places.options[2].width
    assert all(room.y >= places.error.top for room in places.options)


def test_a_choice_without_room_shows_one_value_at_a_time(desk: Desk, start: Start) -> None:
    desk.width, desk.height = 960, 640
    start.acted(Action("game", "lanterns"))
    mode = replace(named(start, "mode"), folded=True)
    x, y = mode.rect.middle
    assert mode.at(x - 20, y) == mode.at(x + 20, y) == "teams"
    assert replace(mode, values=("a", "b", "c"), labels=("A", "B", "C"), value="c").at(x + 20, y) == "a"
