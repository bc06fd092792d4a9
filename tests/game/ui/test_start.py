"""What is chosen before a match, by widgets that are not drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from game import words
from game.pictures.theme import COLOURS
from game.ui.match_settings import EMPTY, PERSON, MatchSettings, SeatSettings, check_settings
from game.ui.saved import Unfinished
from game.ui.screens.base import Desk
from game.ui.screens.start import Start
from game.ui.toolkit.widgets import Action, Choice, Field, Switch
from game.words import say
from physics.errors import InputError

KEPT = Unfinished(
    Path("a"), "evaluation", ("Ann", "bot:weak"), {"round": 2, "rounds": 3, "contenders": [], "chips": [1, 0]}, 0.0
)
TWO = MatchSettings((SeatSettings(PERSON), SeatSettings("normal")))


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    words.use("en")
    yield
    words.use("en")


@pytest.fixture
def begun() -> list[MatchSettings]:
    return []


@pytest.fixture
def start(begun: list[MatchSettings]) -> Start:
    found = Start(Desk(cast(Any, None)), TWO, lambda: [KEPT], begun.append, lambda key: None)
    found.focus.show(found.widgets())
    return found


def named(start: Start, name: str) -> Any:
    return next(widget for widget in start.widgets() if widget.name == name)


def keys(start: Start, *names: str) -> None:
    """As the window gives keys to a screen."""
    for name in names:
        start.focus.show(start.widgets())
        actions = start.focus.key(name)
        for action in actions or ():
            start.acted(action)
        if actions is None:
            start.key(name)
        start.update(0.01)


def walk_to(start: Start, name: str) -> None:
    for _step in range(60):
        if start.focus.at == name:
            return
        keys(start, "tab")
    raise AssertionError(f"{name} cannot be reached")


def test_everything_is_reached_by_keys(start: Start) -> None:
    for widget in start.widgets():
        if widget.enabled:
            walk_to(start, widget.name)


def test_a_colour_by_keys_alone(start: Start) -> None:
    walk_to(start, "sign0")
    keys(start, "enter")
    assert start.focus.at == "dye0"
    keys(start, "right")
    assert start.settings.taken_colours() == (1, 0)  # the bot had it
    keys(start, "right", "right")
    assert start.settings.taken_colours() == (3, 1)  # only the last choice counts: the bot has its own again
    keys(start, "tab")
    assert isinstance(named(start, "kind0"), Choice)


def test_a_colour_by_mouse(start: Start) -> None:
    start.acted(Action("sign1"))
    choice = named(start, "dye1")
    assert isinstance(choice, Choice) and choice.values == COLOURS
    x, y = choice.cells()[0].middle
    start.focus.show(start.widgets())
    start.focus.pressed(x, y)
    for action in start.focus.released(x, y):
        start.acted(action)
    assert start.settings.taken_colours() == (1, 0)
    start.acted(Action("sign1"))
    assert isinstance(named(start, "kind1"), Choice)


def test_empty_seats_have_no_sign_and_leave_no_gap(start: Start) -> None:
    settings = replace(
        start.settings,
        seats=(SeatSettings(PERSON), SeatSettings(EMPTY), SeatSettings("weak"), *start.settings.seats[3:]),
    )
    start.settings = settings
    assert [widget.name for widget in start.widgets() if widget.name.startswith("sign")] == ["sign0", "sign2"]
    assert settings.players() == ("Player", "bot:weak") and settings.taken_colours() == (0, 2)


def test_names_nobody_typed_follow_the_language(start: Start, begun: list[MatchSettings]) -> None:
    start.acted(Action("kind2", PERSON))
    start.acted(Action("name2", "  Олена "))
    assert start.settings.players() == ("Player 1", "bot:normal", "Олена")
    words.use("uk")
    assert start.settings.players() == ("Гравець 1", "bot:normal", "Олена")
    field = named(start, "name0")
    assert isinstance(field, Field) and (field.text, field.empty) == ("", "Гравець 1")
    assert named(start, "name1").empty == "Звичайний бот"
    assert KEPT.names == ("Ann", "Слабкий бот")
    assert KEPT.standing.endswith("Раунд 2 із 3. Фішки: Ann: 1, Слабкий бот: 0.")  # after the title, of several games
    start.key("enter")
    assert begun[0].typed() == ("", "bot:normal", "Олена")


def test_clumsy_hands_are_for_the_simulated_table(start: Start) -> None:
    start.acted(Action("clumsy", True))
    start.acted(Action("table", "hand"))
    switch = named(start, "clumsy")
    assert isinstance(switch, Switch) and not switch.on and not switch.enabled
    assert start.settings.table == "hand"
    start.acted(Action("table", "simulated"))
    assert named(start, "clumsy").on


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ([SeatSettings(PERSON)], "2 to 5 players; chosen so far: 1"),
        ([SeatSettings(PERSON, "Ann"), SeatSettings(PERSON, " ann")], "is given to two players"),
        ([SeatSettings(PERSON, "Player 2"), SeatSettings(PERSON)], "is given to two players"),
        ([SeatSettings(PERSON, "bot:strong"), SeatSettings("weak")], "'bot:strong' is for bots"),
    ],
)
def test_what_cannot_be_is_said_on_the_screen(
    start: Start, begun: list[MatchSettings], seats: list[SeatSettings], said: str
) -> None:
    start.settings = replace(start.settings, seats=(*seats, *(SeatSettings(EMPTY) for _seat in range(5 - len(seats)))))
    start.acted(Action("start"))
    assert not begun and start.error is not None and said in say(start.error)
    with pytest.raises(InputError):
        check_settings(start.settings)
    start.acted(Action("kind4", "weak"))
    assert start.error is None  # until it is tried again


def test_options_of_the_game(start: Start, begun: list[MatchSettings]) -> None:
    assert not any(widget.name == "first" for widget in start.widgets())
    stepper = named(start, "rounds")
    assert (stepper.label, stepper.value, stepper.low, stepper.high) == ("Rounds", 3, 1, 20)
    assert stepper.tip == "How many rounds are played."
    start.acted(Action("rounds", 5))
    start.acted(Action("start"))
    assert begun[0].chosen == {"rounds": 5, "first": 0}


@pytest.mark.parametrize("name", ["hints", "guided"])
def test_options(start: Start, name: str, begun: list[MatchSettings]) -> None:
    new = not getattr(start.settings, name)
    start.acted(Action(name, new))
    start.acted(Action("start"))
    assert getattr(begun[0], name) == new


def test_a_rig_is_listed_where_there_is_one(start: Start, begun: list[MatchSettings]) -> None:
    start.acted(Action("table", "hand"))
    assert not any(widget.name == "rig" for widget in start.widgets())
    start.settings = replace(start.settings, rig=False)
    assert not named(start, "rig").on
    start.acted(Action("rig", True))
    start.acted(Action("start"))
    assert begun[-1].rig is True
    start.acted(Action("table", "simulated"))
    assert not any(widget.name == "rig" for widget in start.widgets()) and named(start, "clumsy").enabled
