"""A replay in the real window of a game that has no film of its own: what all may see, in words, and a time line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.game.lanterns.match import played
from tests.game.ui.person import Person, State, tidy


def shown(state: State) -> str:
    return " ".join(state["texts"])


@pytest.mark.usefixtures("lanterns")
def test_a_game_of_hidden_hands_is_replayed(display: str, tmp_path: Path) -> None:
    log = tmp_path / "match.topple"
    values = played(log)
    with Person(display, tmp_path, "replay", str(log), lanterns=True) as person:
        state = person.at("Replay")
        tidy(state)
        assert "plan" not in state["widgets"] and "The moon shows" in shown(state)
        person.key("space")
        person.until(lambda state: not state["playing"])
        person.key("Home")
        person.until(lambda state: state["t"] == 0 and "Lit: none." in shown(state))
        person.click("on")
        state = person.until(lambda state: "Ann has bid." in shown(state))
        assert "Bob has bid." not in shown(state) and " 5" not in shown(state)
        person.changes(lambda state: state["t"], "period")
        person.until(lambda state: "The bids: 5, 9." in shown(state))
        person.key("End")
        state = person.until(lambda state: f"Lit: {values[0]}, {values[1]}." in shown(state))
        assert "The match is over." in shown(state) and not state["cut"]
        person.key("F1")
        person.until(lambda state: state["screen"] == "Rules" and "Lanterns" in state["texts"])
        person.key("Escape")
        person.at("Replay")
        person.key("F2")
        state = person.until(lambda state: state["language"] == "uk")
        tidy(state)
        person.key("space")  # from the beginning again
        person.until(lambda state: state["playing"] and 0 < state["t"] < 5)
        person.key("plus")
        person.key("Escape")
        assert person.gone() == 0
