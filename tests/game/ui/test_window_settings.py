"""The real window in other languages and sizes, seen from other sides, closed and killed in the middle of a match."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from game.match.log import read_log
from tests.game.ui.person import SCREEN, Person, State, tidy

pytestmark = pytest.mark.slow

KEY_NAMES = {"Enter", "Esc", "Space"}


def asks(state: State) -> bool:
    """Whether a person has something to do, and nothing moves."""
    return state.get("act") in ("build", "call") and state["asked"] in state["people"] and bool(state["still"])


def begin(person: Person) -> State:
    """A match of a person and a bot, begun as it is proposed."""
    person.at("Start")
    person.key("Return")
    return person.until(asks)


def stand(person: Person, value: str, *keys: str) -> State:
    """A tile by keys."""
    person.changes(lambda state: state["held"], value)
    for key in keys:
        person.changes(lambda state: state["ghost"], key)
    return person.changes(lambda state: state["row"], "Return")


def standing(state: State) -> dict[str, Any]:
    """What is to be the same after a match was left and gone on with."""
    return {name: state[name] for name in ("row", "supply", "chips", "moves", "act", "asked", "names")}


def latin(state: State) -> set[str]:
    """The words in Latin letters that are on the screen, names and keys aside."""
    words = {word for text in state["texts"] for word in re.findall(r"[A-Za-z]{3,}", text)}
    return words - KEY_NAMES - {word for name in state["names"] for word in name.split()}


def test_language_letters_contrast_and_size_in_the_middle_of_a_match(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path) as person:
        begin(person)
        stand(person, "8")
        state = person.until(asks)
        assert len(state["row"]) > 1 and latin(state)
        row = state["row"]
        for language in ("uk", "ru"):
            state = person.changes(lambda state: state["language"], "F2")
            assert state["language"] == language
            assert latin(state) == set()
        person.changes(lambda state: state["language"], "F2")
        for size in ((1600, 1000), (960, 640)):
            tidy(person.resize(*size))
        for letters in (1, 2, 3):
            tidy(person.changes(lambda state: state["letters"], "F5"))
            assert person.state["letters"] == letters
        while person.state["letters"] > 0:
            person.changes(lambda state: state["letters"], "F4")
        person.changes(lambda state: state["contrast"], "F3")
        for key, screen in (("F1", "Rules"), ("F10", "Menu")):
            person.key(key)
            tidy(person.at(screen))
            person.key("Escape")
            person.at("Match")
        assert person.state["row"] == row
        # The whole screen and back.
        full_screen(person, True, SCREEN)
        full_screen(person, False, (960, 640))
    # The next time it is as it was left.
    with Person(display, tmp_path, language="") as person:
        state = person.at("Start")
        assert (state["contrast"], state["letters"], state["language"]) == (True, 0, "en")


def full_screen(person: Person, is_full: bool, size: tuple[int, int]) -> None:
    """F11; the key is let go when the window, which is made anew, is there."""
    person.do("keydown", "F11")
    tidy(person.until(lambda state: state["fullscreen"] == is_full and state["size"] == list(size)))
    person.do("keyup", "F11")


def test_the_eye_is_led_by_wheel_and_mouse(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path) as person:
        state = begin(person)
        x, y = state["size"][0] // 2, state["size"][1] // 3
        person.do("mousemove", x, y, "click", 4)
        nearer = person.until(lambda found: found["eye"][0] < state["eye"][0])
        person.do("click", 5)
        person.until(lambda found: found["eye"][0] > nearer["eye"][0])
        was = person.state["eye"]
        person.do("mousedown", 1, "mousemove", x + 60, y + 10, "mouseup", 1)
        person.until(lambda found: found["eye"][1] != was[1])
        person.click("plan")
        above = person.until(lambda found: found["still"] and found["eye"][2] > 1.5)
        person.click("whole")
        person.until(lambda found: found["still"])
        # In the hand a tile is turned by the wheel instead.
        person.do("mousemove", *above["tray"]["8"], "click", 1)
        person.until(lambda found: found["held"] == 8)
        person.do("mousemove", *person.state["end"])
        person.until(lambda found: found["legal"])
        turn, eye = person.state["ghost"]["turn"], person.state["eye"]
        person.do("click", 5)
        assert person.until(lambda found: found["ghost"]["turn"] == turn - 5)["eye"] == eye
        # Taken back to the tray it is in no hand any more.
        person.do("mousemove", *above["tray"]["3"], "click", 1)
        person.until(lambda found: found["held"] is None and found["row"] == [6])


def test_a_match_goes_on_after_the_window_was_closed_or_killed(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path) as person:
        begin(person)
        stand(person, "8", "ctrl+Right", "Up")
        left = standing(person.until(asks))
        assert person.close() == 0
    entries = told(person.log)
    with Person(display, tmp_path) as person:
        state = person.at("Start")
        assert "kept0" in state["widgets"]
        tidy(state)
        person.click("kept0")
        assert standing(person.until(asks)) == left
        assert told(person.log) == entries
        person.changes(lambda state: state["act"], "space")
        supply = person.until(lambda state: asks(state) and state["act"] == "build")["supply"]
        row = stand(person, str(max(value for value in supply if value < 10)), "a")["row"]
        person.killed()  # while the bot thinks about it
    entries = told(person.log)
    assert len(entries) > left["moves"]
    with Person(display, tmp_path) as person:
        person.at("Start")
        person.key("c")
        assert person.at("Match")["row"] == row
        assert told(person.log)[: len(entries)] == entries


def told(log: Path) -> list[tuple[str, Any]]:
    return [(entry.kind, entry.data) for entry in read_log(log).entries if entry.kind != "forecast"]
