"""The plain screen of a match without a window: many moves, what is typed, and what scrolls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from game import catalogue, words
from game.match import forecasts
from game.match.history import Setup
from game.ui.match_control import MatchControl
from game.ui.match_window import Around
from game.ui.screens.base import Desk
from game.ui.screens.plain_match import PACE, PlainMatch
from game.ui.screens.sheets import Menu, Rules
from game.ui.toolkit.widgets import Action, Button, Field
from tests.game.played import Here, made_up_forecast
from tests.game.ui.test_sheets import Letters

FRAME = 1 / 60


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    words.use("en")
    monkeypatch.setattr(catalogue, "GAMES", {**catalogue.GAMES, "lanterns": "tests.game.lanterns"})
    return Desk(cast(Any, Letters()), width=960.0, height=640.0)


@pytest.fixture
def ended() -> list[str]:
    return []


def begin(desk: Desk, path: Path, setup: Setup, ended: list[str]) -> PlainMatch:
    """The screen of a new match, on the desk."""
    control = MatchControl.begin(path, setup, Here(), bot_time=0.0)
    nothing = cast(Any, None)
    around = Around(desk, nothing, nothing, guided=False, leave=lambda: ended.append("left"),
                    ended=lambda: ended.append("ended"), closed=control.close)  # fmt: skip
    desk.game = setup.game
    screen = PlainMatch(control, around)
    desk.show(screen)
    screen.update(FRAME)
    return screen


@pytest.fixture
def lanterns(desk: Desk, tmp_path: Path, ended: list[str]) -> Iterator[PlainMatch]:
    screen = begin(desk, tmp_path / "m.topple", Setup("lanterns", ("Ann", "bot:weak"), 5, {"rounds": 1}), ended)
    yield screen
    screen.closed()


def say(screen: PlainMatch, text: str) -> None:
    screen.acted(Action("line", text))
    screen.acted(Action("say"))
    screen.update(FRAME)


def line_of(screen: PlainMatch) -> str:
    return next(widget.text for widget in screen.widgets() if isinstance(widget, Field))


def refusal(screen: PlainMatch) -> str:
    return screen._refusal


def made(screen: PlainMatch) -> int:
    return len(screen.control.session.history.moves)


def test_more_moves_than_there_is_room_for(desk: Desk, tmp_path: Path, ended: list[str]) -> None:
    """A game with a window of its own can be played here, too; its placements are many and long."""
    screen = begin(desk, tmp_path / "m.topple", Setup("evaluation", ("Ann", "Bob"), 5, {}), ended)
    asked = screen.floor.asked()
    assert asked is not None and not screen.floor.is_covered

    def seen() -> list[str]:
        return [each.name for each in screen.widgets() if isinstance(each, Button) and each.name.startswith("move")]

    first, found = seen(), set(seen())
    assert "move0" in first and len(first) < len(asked.moves)
    for _page in asked.moves:
        screen.key("pagedown")
        found |= set(seen())
    assert found == {f"move{number}" for number in range(len(asked.moves))}
    places = screen._places()
    screen.wheel(*places.moves.middle, 100.0)
    assert seen() == first
    screen.wheel(*places.public.middle, -3.0)
    assert seen() == first
    last = next(each for each in screen.widgets() if isinstance(each, Button) and each.name == first[-1])
    screen.acted(Action(last.name, last.value))
    assert len(screen.control.session.history.moves) == 1
    screen.closed()


def test_the_line_keeps_what_was_refused_and_knows_a_few_commands(lanterns: PlainMatch, ended: list[str]) -> None:
    desk = lanterns.desk
    say(lanterns, "bid 1000")
    assert line_of(lanterns) == "bid 1000" and refusal(lanterns) == "The bid is 1000; allowed is 0 to 999."
    lanterns.acted(Action("line", "bid 100"))
    assert refusal(lanterns) == ""
    say(lanterns, "rules")
    assert isinstance(desk.top, Rules) and not line_of(lanterns)
    desk.back()
    say(lanterns, "quit")
    assert isinstance(desk.top, Menu)
    desk.top.acted(Action("leave"))
    assert ended == ["left"]
    say(lanterns, "bid 7")
    assert made(lanterns) == 1
    assert lanterns.key("ctrl+z")
    lanterns.update(FRAME)
    assert not line_of(lanterns) and not made(lanterns)
    say(lanterns, "undo")
    assert lanterns._trouble == "Nobody has a move to take back."
    say(lanterns, "")
    assert lanterns.key("escape") and isinstance(desk.top, Menu)


def test_to_the_end_against_a_bot(lanterns: PlainMatch, ended: list[str]) -> None:
    while not ended:
        asked = lanterns.floor.asked()
        if asked is not None and asked.is_asked:
            say(lanterns, asked.moves[0][1])
        else:
            lanterns.update(FRAME)
    assert ended == ["ended"] and lanterns.control.session.result is not None


def test_words_of_a_button_can_be_typed(lanterns: PlainMatch) -> None:
    asked = lanterns.floor.asked()
    assert asked is not None and all(words.startswith("Bid ") for _move, words in asked.moves)


@pytest.mark.parametrize("table", ["simulated", "hand"])
def test_a_row_falls_before_people_who_type(
    desk: Desk, tmp_path: Path, ended: list[str], table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fell is found by a run, or said by who has pushed; the votes are covered."""
    monkeypatch.setattr(forecasts, "forecast_of", made_up_forecast)
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table=table)
    screen = begin(desk, tmp_path / "m.topple", setup, ended)
    script = ["stand 8", "call", "failure", "push", *(["fell"] if table == "hand" else [])]
    covered: list[str] = []
    for text in script:
        for _frame in range(5):
            screen.update(FRAME)
        if screen.floor.is_covered:
            covered.append(text)
            screen.acted(Action("ready"))
        say(screen, text)
        assert not screen._refusal, (text, screen._refusal)
    while not ended:
        screen.update(FRAME)
    assert covered == ["failure"] and ended == ["ended"]
    assert [made.seat for made in screen.control.session.history.moves] == [0, 1, 1, 0, 0, -1]
    assert screen.control.lines[-1].startswith("The match is over.")
    screen.closed()


@pytest.mark.parametrize("seed", range(6))
def test_nobody_sees_whether_a_bot_could_speak(desk: Desk, tmp_path: Path, ended: list[str], seed: int) -> None:
    """Ann lights, the bot may echo, Bob is next: the screen shows the same, as long, whatever the bot holds."""
    setup = Setup("lanterns", ("Ann", "Bob", "bot:weak"), seed, {"rounds": 1})
    screen = begin(desk, tmp_path / "m.topple", setup, ended)
    control = screen.control
    control.bot_time = 1.0
    for seat, bid in ((0, "bid 900"), (1, "bid 800"), (2, "bid 0")):
        control.session.play(seat, bid)
    game, state = control.session.game, control.session.state
    control.session.play(0, game.moves(state, 0)[0])
    screen.update(FRAME)
    assert screen.floor.has_free_bots
    frames = 0
    while len(control.session.history.moves) == 4 and screen.floor.asked() is None:
        assert screen._thinker is None
        screen.update(FRAME)
        frames += 1
    assert abs(frames * FRAME - PACE * control.bot_time) < 0.2
    screen.closed()
