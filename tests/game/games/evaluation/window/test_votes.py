"""Votes by everybody's own keys, and in turn; nothing is shown of what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

from game import words
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.model import Act
from game.games.evaluation.window.votes import OWN_KEYS, Ballot, may_vote
from game.match.history import Setup

NAMES = ("Ann", "Bob", "Eve", "Oleh", "Ira")


@pytest.fixture
def executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def voting(tmp_path: Path, executor: Executor) -> Iterator[Controller]:
    words.use("en")
    setup = Setup("evaluation", NAMES, 7, {"rounds": 1}, table="hand")
    controller = Controller.begin(tmp_path / "match.topple", setup, executor, bot_time=0.0)
    controller.session.play(0, "stand 8 at 30 0 yaw 0 upright last")
    controller.session.play(1, "call")
    yield controller
    controller.close()


def press(controller: Controller, ballot: Ballot, *keys: str) -> None:
    for key in keys:
        shown = controller.screen()
        ballot.update(0.01, shown, None)
        ballot.key(key, shown, controller)
        controller.update(0.01)
    ballot.update(0.01, controller.screen(), None)


def test_every_seat_has_two_keys_of_its_own() -> None:
    assert len({key for pair in OWN_KEYS for key in pair}) == 10


def test_anybody_votes_at_any_time(voting: Controller) -> None:
    ballot = Ballot()
    assert may_vote(voting.screen()) == (1, 2, 3, 4)
    press(voting, ballot, "0", "5")
    shown = voting.screen()
    assert shown.voted == (2, 4) and shown.votes == (None,) * 5 and shown.voter == 1
    press(voting, ballot, "enter")
    assert ballot.is_ready
    press(voting, ballot, "8")  # while Bob's ballot is open
    assert ballot.is_ready and voting.screen().voter == 1
    press(voting, ballot, "3")
    voting.update(0.01)  # who has placed has no choice: that vote is made without a question
    assert voting.screen().act is Act.COUNTDOWN
    assert voting.screen().votes == ("success", "success", "success", "failure", "failure")


def test_who_has_voted_or_placed_has_no_other_vote(voting: Controller) -> None:
    ballot = Ballot()
    press(voting, ballot, "1", "2", "6", "5", "6")
    assert voting.screen().voted == (2,)
    assert not any("cannot" in line for line in voting.screen().lines)
    press(voting, ballot, "enter", "s", "7", "enter", "s")
    voting.update(0.01)
    assert voting.screen().votes == ("success", "success", "failure", "success", "success")


def test_who_voted_by_own_keys_is_not_asked(voting: Controller) -> None:
    ballot = Ballot()
    press(voting, ballot, "4")
    assert voting.screen().voter == 2 and not ballot.is_ready
