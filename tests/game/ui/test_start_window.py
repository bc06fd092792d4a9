"""The start in the real window where there are two games: one is chosen, its options change the seats, it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.match.log import read_log
from tests.game.ui.person import Person, State, tidy

pytestmark = pytest.mark.slow


def said(state: State, sentence: str) -> bool:
    return sentence in state["texts"]


def test_another_game_is_chosen_and_begun(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path, lanterns=True) as person:
        tidy(person.at("Start"))
        assert person.state["values"]["game"] == "evaluation" and "table" in person.state["widgets"]
        person.choose("game", "lanterns")
        state = person.until(lambda state: "mode" in state["widgets"])
        tidy(state)
        assert not {"table", "hints", "clumsy", "guided", "kind3"} & set(state["widgets"])
        # Options that are for four players alone.
        person.choose("mode", "teams")
        state = person.until(lambda state: said(state, "Number of players: 4. Bots added: 2."))
        assert [state["values"][f"kind{seat}"] for seat in range(4)] == ["person", "normal", "normal", "normal"]
        person.choose("kind3", "empty")
        refusal = "The number of players for these options is 4; chosen so far: 3."
        person.until(lambda state: said(state, refusal))
        person.click("start")
        tidy(person.until(lambda state: state["screen"] == "Start" and said(state, refusal)))
        person.choose("kind3", "weak")
        person.until(lambda state: not said(state, refusal))
        person.fewer("rounds", 1)
        state = person.changes(lambda state: state["language"], "F2")
        tidy(state)
        assert not state["cut"]
        for _language in range(2):
            state = person.changes(lambda state: state["language"], "F2")
        assert state["language"] == "en"
        person.click("start")
        person.at("PlainMatch")
        header = read_log(person.log).header
        assert (header["game"], header["options"]) == ("lanterns", {"mode": "teams", "rounds": 1})
        assert header["seats"] == ["Player", "bot:normal", "bot:normal", "bot:weak"]
    with Person(display, tmp_path, lanterns=True) as person:
        values = person.at("Start")["values"]
        assert (values["game"], values["mode"], values["rounds"]) == ("lanterns", "teams", 1)
        assert [values[f"kind{seat}"] for seat in range(4)] == ["person", "normal", "normal", "weak"]


def test_by_keys_alone(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path, lanterns=True) as person:
        person.at("Start")
        person.changes(lambda state: state["focus"], "Tab")
        person.focus("game")
        person.changes(lambda state: state["values"]["game"], "Right")
        person.focus("mode")
        state = person.changes(lambda state: state["values"]["mode"], "Right")
        assert "kind3" in state["widgets"]
        state = person.changes(lambda state: state["values"]["mode"], "Right")
        assert "kind3" not in state["widgets"] and state["focus"] == "mode"


def test_a_command_begins_it_at_once(display: str, tmp_path: Path) -> None:
    command = ("play", "--game", "lanterns", "--option", "mode=teams", "--players", "Ann,Bob,bot:weak,bot:weak")
    with Person(display, tmp_path, *command, "--seed", "5", lanterns=True) as person:
        tidy(person.at("PlainMatch"))
        header = read_log(person.log).header
        assert (header["game"], header["seed"], header["options"]["mode"]) == ("lanterns", 5, "teams")
        person.key("F1")
        person.until(lambda state: state["screen"] == "Rules" and "Lanterns" in state["texts"])
        person.key("Escape")
        person.at("PlainMatch")
        person.click("ready")
        person.click("move0")
        person.until(lambda state: said(state, "Ann has bid."))
    with Person(display, tmp_path, lanterns=True) as person:
        state = person.at("Start")
        assert "kept0" in state["widgets"]
        assert "Lanterns. Round 1 of 2. Points: Ann: 0, Bob: 0, Weak bot 1: 0, Weak bot 2: 0." in state["texts"]
        person.click("kept0")
        person.at("PlainMatch")
