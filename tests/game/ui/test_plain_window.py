"""A game that brings rules and words alone in the real window: by buttons and by what is typed, hidden and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from game.match.reading import read_match
from game.ui.screens.over import victory
from tests.game.lanterns.rules import GAME, Bid, Light
from tests.game.ui.person import Person, State, tidy

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("lanterns")]

BIDS = (900, 800, 1)


def sits_down(display: str, folder: Path, *names: str, seed: int = 5, **options: Any) -> Person:
    setup = {"game": "lanterns", "names": names, "seed": seed, "options": {"rounds": 1, **options}}
    return Person(display, folder, lanterns=True, setup=setup)


def asks(state: State) -> bool:
    """Whether somebody has something to do."""
    return state["screen"] == "Over" or (state["screen"] == "PlainMatch" and state["asked"] is not None)


def shown(state: State) -> str:
    """Everything that can be read."""
    return "\n".join([*state["texts"], *state["labels"].values()])


def choices(state: State) -> list[str]:
    """The words of the buttons for moves."""
    return [label for name, label in state["labels"].items() if name.startswith("move")]


def assert_nothing_hidden(state: State) -> None:
    assert state["covered"] and not choices(state) and "line" not in state["labels"], state
    assert not any(word in shown(state) for word in ("Your lanterns", "Your bid", "You draw")), state


def next_asked(person: Person, before: list[int]) -> State:
    """Until the match has gone on and somebody is asked."""
    state = person.until(lambda state: asks(state) and state.get("moves") != before)
    tidy(state)
    return state


def to_the_end(person: Person, step: Any) -> State:
    """At every state that asks for somebody the screen is uncovered and the step is made."""
    state = person.until(asks)
    while state["screen"] != "Over":
        assert_nothing_hidden(state)
        person.click("ready")
        state = person.until(lambda state: not state["covered"] and "line" in state["labels"])
        tidy(state)
        assert "Your lanterns" in shown(state) and not state["cut"], state
        before = state["moves"]
        step(person, state)
        state = next_asked(person, before)
    return state


def by_buttons(person: Person, state: State) -> None:
    person.click("move0")


def assert_told(state: State) -> None:
    """The last screen says who has won, as the log has it."""
    match = read_match(Path(state["log"]))
    result = match.history.game.result(match.history.state)
    assert result is not None
    assert victory(result.winners, match.setup.names) in state["texts"]


def test_two_people_and_a_bot_play_by_buttons(display: str, tmp_path: Path) -> None:
    with sits_down(display, tmp_path, "Ann", "Bob", "bot:weak") as person:
        state = to_the_end(person, by_buttons)
        tidy(state)
        names = [name.replace("bot:weak", "Weak bot") for name in read_match(Path(state["log"])).setup.names]
        result = GAME.result(read_match(Path(state["log"])).history.state)
        assert result is not None and victory(result.winners, names) in state["texts"]
        person.click("season")
        person.until(lambda state: "The season" in state["texts"] and "points" in state["texts"])
        person.click("again")
        state = person.until(lambda state: state["screen"] == "PlainMatch" and state["asked"] is not None)
        assert_nothing_hidden(state)
        assert state["moves"] == [] and "Ann has bid." not in shown(state)
        assert person.close() == 0


def test_typed_lines_refusals_undo_and_a_match_that_is_left(display: str, tmp_path: Path) -> None:
    with sits_down(display, tmp_path, "Ann", "Bob") as person:
        state = person.until(asks)
        assert_nothing_hidden(state)
        person.key("Return")
        state = person.until(lambda state: state["focus"] == "line")
        assert "Moves that have no button can be typed." in state["texts"]
        say(person, "bid 12345")
        person.until(lambda state: "The bid is 12345; allowed is 0 to 999." in state["texts"])
        person.key(*["BackSpace"] * 9)
        say(person, "nonsense")
        person.until(lambda state: any("is not a move" in text for text in state["texts"]))
        person.key(*["BackSpace"] * 8)
        say(person, "bid 777")
        state = person.until(lambda state: state["asked"] == 1)
        assert_nothing_hidden(state)
        assert "777" not in shown(state) and "nonsense" not in shown(state) and "Ann has bid." in state["texts"]
        person.click("undo")
        state = person.until(lambda state: state["asked"] == 0)
        assert_nothing_hidden(state)
        person.key("Return")
        person.until(lambda state: state["focus"] == "line")
        say(person, "bid 1")
        person.until(lambda state: state["asked"] == 1)
        log = Path(person.state["log"])
        assert person.close() == 0
    with Person(display, tmp_path, lanterns=True, resume=str(log)) as person:
        state = person.until(asks)
        assert_nothing_hidden(state)
        assert state["asked"] == 1 and "Ann takes the last move back." in state["texts"]
        person.key("Return")
        person.until(lambda state: state["focus"] == "line")
        before = person.state["moves"]
        say(person, "bid 900")
        next_asked(person, before)
        state = to_the_end(person, by_typing)
        assert_told(state)
        assert person.close() == 0
    assert [made.seat for made in read_match(log).history.moves] == [0, 1, 1, 0]


def by_typing(person: Person, state: State) -> None:
    say(person, choices(state)[-1])


def say(person: Person, text: str) -> None:
    """Typed into the line, and Enter."""
    person.until(lambda state: state["focus"] == "line")
    person.do("type", "--delay", 20, text)
    person.until(lambda state: state["labels"].get("line") == text)
    person.key("Return")


def test_somebody_speaks_out_of_turn_behind_the_curtain(display: str, tmp_path: Path) -> None:
    """Ann lights what Cem holds as well; Bob is asked, and neither may see what Cem could say."""
    seed = next(seed for seed in range(60) if common(seed))
    value = min(common(seed))
    with sits_down(display, tmp_path, "Ann", "Bob", "Cem", seed=seed) as person:
        for bid in BIDS:
            person.until(lambda state: asks(state) and state["covered"])
            person.key("Return")
            person.until(lambda state: state["focus"] == "line")
            before = person.state["moves"]
            say(person, f"bid {bid}")
            person.until(lambda state, before=before: state["moves"] != before)  # type: ignore[misc]
        person.until(lambda state: state["asked"] == 0 and state["covered"])
        person.key("Return")
        person.until(lambda state: state["focus"] == "line")
        say(person, f"light {value}")
        state = person.until(lambda state: state["asked"] == 1)
        assert_nothing_hidden(state)
        tidy(state)
        assert "speak2" in state["widgets"] and "speak0" not in state["widgets"]
        person.click("speak2")
        state = person.until(lambda state: state["asked"] == 2)
        assert_nothing_hidden(state)
        person.click("back")
        assert_nothing_hidden(person.until(lambda state: state["asked"] == 1))
        person.click("speak2")
        person.until(lambda state: state["asked"] == 2)
        person.click("ready")
        state = person.until(lambda state: not state["covered"])
        tidy(state)
        assert choices(state) == ["Echo"]
        person.click("move0")
        state = person.until(lambda state: f"Cem echoes {value}." in state["texts"])
        assert_nothing_hidden(person.until(lambda state: state["asked"] == 1))
        assert_told(to_the_end(person, by_buttons))


def common(seed: int) -> set[int]:
    """What Ann may light first and Cem holds as well."""
    state = GAME.start(3, {"rounds": 1}, seed)
    for seat, bid in enumerate(BIDS):
        state, _events = GAME.apply(state, seat, Bid(bid))
    return {move.value for move in GAME.moves(state, 0) if isinstance(move, Light)} & set(state.hands[2])


def test_teams_and_one_person_who_hides_from_nobody(display: str, tmp_path: Path) -> None:
    names = ("Ann", "bot:weak", "bot:normal", "bot:strong")
    with sits_down(display, tmp_path, *names, seed=3, mode="teams") as person:
        while (state := person.until(asks))["screen"] != "Over":
            assert not state["covered"] and "Your lanterns" in shown(state)
            person.click("move0")
            person.until(lambda now, before=state["moves"]: now.get("moves") != before)  # type: ignore[misc]
        match = read_match(Path(state["log"]))
        result = GAME.result(match.history.state)
        assert result is not None and set(result.winners) in ({0, 2}, {1, 3}, set())
        seated = ("Ann", "Weak bot", "Normal bot", "Strong bot")
        assert victory(result.winners, seated) in state["texts"]
