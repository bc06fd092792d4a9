"""Whole matches in the real window on a virtual screen, by mouse and by keys; the same matches in text mode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game.match.history import setup_in
from game.match.log import read_log
from game.match.reading import replayed
from tests.game.ui.person import Person, State, other, tidy
from tests.game.ui.same_match import assert_same, played_again

pytestmark = pytest.mark.slow


def asks(state: State) -> bool:
    """Whether a person has something to do; bots before them have spoken."""
    if state["screen"] != "Match":
        return bool(state["screen"] == "Over")
    person = state["asked"] in state["people"]
    match state["act"]:
        case "build":
            return person and bool(state["still"])
        case "call" | "vote" | "armed":
            return person
        case "falling" | "scored":
            return "on" in state["widgets"]
    return False


def moment(state: State) -> tuple[Any, ...]:
    """What changes when somebody has done something."""
    return state["screen"], state["act"], state["moves"], state["voter"], state["asked"], state["ready"]


def asks_keys(state: State) -> bool:
    """The same for who uses keys, which can hurry the countdown."""
    return asks(state) or state.get("act") == "countdown"


def play_on(
    person: Person,
    step: Callable[[Person, State], None],
    until: Callable[[State], object] = lambda state: False,
    asks: Callable[[State], bool] = asks,
) -> set[str]:
    """Until the match is over, or that is so: at every state that asks for a person the step is made. What was seen."""
    seen: set[str] = set()
    while True:
        state = person.until(asks)
        tidy(state)
        if state["screen"] == "Over" or until(state):
            return seen
        seen.add("covered" if state["act"] == "vote" and not state["ready"] else state["act"])
        before = moment(state)
        step(person, state)
        person.until(other(moment, before))


# By mouse


def drag(person: Person, value: int, place: list[int]) -> None:
    """A tile from the tray to a place on the table."""
    x, y = place
    person.do("mousemove", *person.state["tray"][str(value)], "mousedown", 1)
    person.until(lambda state: state["held"] == value)
    person.do("mousemove", x - 6, y, "mousemove", x, y)
    person.until(lambda state: state["legal"])
    person.do("mouseup", 1)


def by_mouse(person: Person, state: State) -> None:
    match state["act"]:
        case "build":
            drag(person, min(state["supply"]), state["end"])  # too small to push the others over
        case "call":
            person.click(f"call{state['asked']}" if len(state["row"]) > 2 else "pass")
        case "vote":
            person.click("success" if state["ready"] else "ready")
        case "armed":
            person.click("push")
        case _:
            person.click("on")


def test_a_match_of_two_people_and_a_bot_by_mouse(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path) as person:
        tidy(person.at("Start"))
        person.choose("kind1", "person")
        person.choose("kind2", "weak")
        person.fewer("rounds", 1)
        tidy(person.state)
        person.click("start")
        state = person.until(asks)
        assert state["people"] == [0, 1] and len(state["names"]) == 3
        # A tile that was set down is taken back, another one is turned and laid on its side while it is in the hand.
        drag(person, 7, state["end"])
        person.until(lambda state: state["act"] == "call" and state["row"] == [6, 7])
        person.click("undo")
        state = person.until(lambda state: state["act"] == "build" and state["row"] == [6] and asks(state))
        person.do("mousemove", *state["tray"]["8"], "click", 1)
        person.until(lambda state: state["held"] == 8)
        person.do("mousemove", *state["end"])
        person.until(lambda state: state["legal"] and state["ghost"]["turn"] == 0)
        person.do("click", 4)
        person.until(lambda state: state["ghost"]["turn"] == 5)
        person.do("click", 3)
        person.until(lambda state: state["ghost"]["stance"] == "side")
        person.do("click", 3)
        person.until(lambda state: state["ghost"]["stance"] == "upright" and state["legal"])
        person.do("click", 1)
        person.until(lambda state: state["row"] == [6, 8] and state["held"] is None)
        seen = play_on(person, by_mouse)
        assert seen >= {"build", "call", "covered", "vote", "armed", "falling", "scored"}
        after_the_match(person)
    assert_same(first_log(tmp_path), played_again(first_log(tmp_path), tmp_path / "text.topple"))


# By keys


def by_keys(person: Person, state: State) -> None:
    match state["act"]:
        case "build":
            person.key("e")
            person.until(lambda state: state["held"] is not None and state["legal"])
            person.key("Return")
        case "call":
            person.key(str(state["asked"] + 1))
        case "vote":
            person.key("s" if state["ready"] else "Return")
        case "countdown":
            person.key("Return")  # the tokens turn over at once
            person.until(lambda state: state["act"] != "countdown" or state["texts"].count("Success") > 1)
            person.key("Return")
        case _:
            person.key("Return")


def test_a_round_by_keys_alone(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path) as person:
        person.at("Start")
        person.changes(lambda state: state["focus"], "Tab")
        for name, key, value in (("kind1", "Left", "weak"), ("kind2", "Right", "person"), ("rounds", "Left", 1)):
            person.focus(name)
            while person.state["values"][name] != value:
                person.changes(lambda state: state["values"], key)
        person.changes(lambda state: state["focus"], "Escape")
        person.key("Return")
        person.until(asks)
        # Taken, turned, laid on its side and back, moved away, stood, and taken back.
        person.changes(lambda state: state["held"], "8")
        ghost = person.changes(lambda state: state["ghost"]["turn"], "Up")["ghost"]
        assert (ghost["spot"], ghost["turn"], ghost["stance"]) == ("last", 5, "upright")
        assert person.changes(lambda state: state["ghost"]["stance"], "f")["ghost"]["stance"] == "side"
        person.changes(lambda state: state["ghost"]["stance"], "f")
        person.changes(lambda state: state["ghost"]["turn"], "Down")
        assert person.changes(lambda state: state["ghost"]["gaps"], "ctrl+Right")["ghost"]["gaps"] == [25]
        person.changes(lambda state: state["row"], "Return")
        assert person.state["row"] == [6, 8]
        person.until(lambda state: state["act"] == "call" and state["asked"] == 2)
        person.changes(lambda state: state["row"], "z")
        person.until(lambda state: asks(state) and state["act"] == "build" and state["row"] == [6])
        person.changes(lambda state: state["held"], "8")
        while person.state["ghost"]["gaps"] != [40]:
            person.changes(lambda state: state["ghost"]["gaps"], "ctrl+Right")
        person.key("Return")
        person.until(lambda state: state["row"] == [6, 8])
        # The other person stands a tile between two others.
        play_on(
            person,
            lambda person, _state: person.key("space"),
            until=lambda state: state["asked"] == 2 and state["act"] == "build",
        )
        person.changes(lambda state: state["held"], "5")
        for _spot in range(len(person.state["row"]) + 1):
            if isinstance(person.state["ghost"]["spot"], list) and person.state["legal"]:
                break
            person.changes(lambda state: state["ghost"]["spot"], "d")
        between = person.state["ghost"]["spot"]
        assert isinstance(between, list)
        row = person.changes(lambda state: state["row"], "Return")["row"]
        assert row[row.index(between[0]) : row.index(between[1]) + 1] == [between[0], 5, between[1]]
        seen = play_on(person, by_keys, asks=asks_keys)
        assert seen >= {"call", "covered", "vote", "falling", "scored"}
        person.until(lambda state: state["owed"] == 0)
        person.changes(lambda state: state["texts"], "s")
        assert "The season" in person.state["texts"]
        person.key("Escape")
        person.at("Start")
    assert_same(first_log(tmp_path), played_again(first_log(tmp_path), tmp_path / "text.topple"))


# What they leave


def first_log(folder: Path) -> Path:
    return folder / "topple" / "matches" / "match.topple"


def after_the_match(person: Person) -> None:
    """The season, the film, and another match, in which a person calls; the log of the first is whole by then."""
    recording = read_log(person.log)
    assert len(recording.header["seats"]) == 3 and recording.header["seats"][2] == "bot:weak"
    history = replayed(setup_in(recording.header, "header"), recording.entries, "log")
    assert history.game.result(history.state) is not None
    person.until(lambda state: state["owed"] == 0)
    tidy(person.state)
    person.click("season")
    person.until(lambda state: "The season" in state["texts"])
    person.click("replay")
    tidy(person.at("Replay"))
    person.click("leave")
    person.at("Over")
    person.click("again")
    state = person.until(lambda state: state["screen"] == "Match" and asks(state))
    assert (state["row"], state["chips"]) == ([6], [0, 0, 0])
    drag(person, 9, state["end"])
    person.until(lambda state: state["act"] == "call" and state["asked"] == 1)
    person.click("call1")
    person.until(lambda state: state["act"] == "vote" and state["voter"] == 1)
