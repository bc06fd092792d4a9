"""One match in one terminal, in this process: undo, hints, clumsy hands, and a judge that fails."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.bots.seats import Bots
from game.match import forecasts
from game.match.background import Tools
from game.match.history import Setup
from game.match.judge import Simulated
from game.match.session import Session, new_match
from game.text.player import Leave, TextMatch
from game.text.terminal import Terminal
from physics.errors import EngineError
from physics.scene import Scene
from tests.game.played import Here, made_up_forecast

Say = Callable[..., str]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Say]:
    """Plays a script and returns what was said."""
    words.use("en")
    monkeypatch.setattr(forecasts, "forecast_of", made_up_forecast)
    sessions: list[Session] = []

    def play(*script: str, **changes: Any) -> str:
        setup = Setup(**{"game": "evaluation", "names": ("Ann", "Bob"), "seed": 7, "options": {"rounds": 1}, **changes})
        sessions.append(new_match(tmp_path / f"{len(sessions)}.topple", setup, Tools(executor=Here())))
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in script)))
        out = io.StringIO()
        with contextlib.suppress(Leave, EOFError):
            TextMatch(sessions[-1], Terminal(out), Bots(sessions[-1].setup)).play()
        return out.getvalue()

    yield play
    for session in sessions:
        session.close()


def test_undo_takes_back_what_bots_did_since(table: Say) -> None:
    names = ("Ann", "bot:weak")
    calls = "Weak bot calls" in table("stand 7", "quit", names=names)
    told = table("stand 7", "undo", "stand 7 gap 12", "quit", names=names)
    if calls:  # then the votes are open
        assert "cannot be taken back" in told
    else:
        assert told.count("takes the last move back") >= 2
        assert "12 mm from the 6" in told
    assert "Nobody has a move to take back." in table("undo", "quit", names=names)


def test_undo_of_a_call_and_of_a_vote(table: Say) -> None:
    told = table("stand 7", "call", "undo", "pass", "quit", table="hand")
    assert "Bob takes the last move back.\nBob, do you call" in told and "Bob does not call." in told
    names = ("Ann", "Bob", "Cem")
    told = table("stand 7", "call", "failure", "undo", "success", "success", "quit", names=names, table="hand")
    assert "Bob takes the last move back." in told
    assert "Success: Ann, Bob and Cem. Failure: –." in told
    assert "All voted for success: no push, the round goes on." in told
    late = table("stand 7", "call", "failure", "failure", "undo", "quit", names=names, table="hand")
    assert "The move cannot be taken back: somebody has learnt from it." in late


def test_hints_only_where_they_are_allowed(table: Say) -> None:
    script = ("hint", "stand 7", "hint", "undo", "quit")
    assert "There are no hints in this match" in table(*script, table="hand")
    told = table(*script, table="hand", hints=True)
    assert "There is no forecast yet" in told
    assert (
        "Forecast: could go either way, 50 % that all of it falls (25 to 75 %). Weakest gap: between 6 and 7." in told
    )
    assert "The move cannot be taken back: somebody has learnt from it." in told
    assert told.count("Forecast: ") == 1  # asked for: nothing was pushed


def test_the_gap_is_the_free_air_however_a_tile_is_turned(table: Say) -> None:
    told = table("help", "stand 8 gap 20 turn 40 side", "quit", table="hand")
    assert "the gap is the free air at the nearest point, however a tile is turned" in told
    assert "nearer to each other than the gap" not in told
    assert "20 mm from the 6, turned 40° from it" in told


def test_the_forecast_of_a_push_that_fails_says_so(table: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(scene: Scene, seed: int, engine: str) -> dict[str, Any]:
        return {**made_up_forecast(scene, seed, engine, 0.0), "weakest_at": None}

    monkeypatch.setattr(forecasts, "forecast_of", stuck)
    told = table("stand 7", "hint", "quit", table="hand", hints=True)
    assert "0 % that all of it falls (0 to 25 %). The push does not topple tile 6 itself." in told


def test_clumsy_hands(table: Say) -> None:
    told = table("stand 7 gap 6", "pass", "stand 8 gap -4", "quit", clumsy=True)
    assert "Clumsy hands: Bob touches the row.\nIt falls: " in told
    assert "Bob knocked the row over by accident; every other player takes one chip. Chips: Ann: 1, Bob: 0." in told
    assert "Accidents are declared at real tables" in table("stand 7", "accident Ann", "quit")


def test_people_are_asked_when_the_judge_fails(table: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Simulated, scene: Any) -> Any:
        raise EngineError("The simulation broke down.")

    monkeypatch.setattr(Simulated, "judge", broken)
    told = table("stand 7", "call", "failure", "push", "fell")
    assert "The simulation broke down.\nAnn, what happened on the table?" in told
    assert "The whole row fell." in told and "Ann wins!" in told


def test_rules_look_and_empty_lines(table: Say) -> None:
    told = table("rules", "", "look", "quit", table="hand")
    assert "will the growing row fall?" in told
    for measured in ("the angle between the new tile and its neighbour", "from the line between its middle"):
        assert measured in told
    assert told.count("stand 7: as usual") == 1
    assert told.count("Round 1 of 1. Chips: Ann: 0, Bob: 0.") == 2
