"""Who has the screen in a plain match, without a window: what is covered, for whom it opens, when it closes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game import catalogue, words
from game.core import RuleError
from game.match.history import Setup
from game.text.game_text import needed_text
from game.ui.floor import Asked, Floor
from game.ui.match_control import MatchControl
from game.ui.screens.over import victory
from physics.errors import ToppleError
from tests.game.lanterns.rules import Bid, Echo
from tests.game.played import Here

FRAME = 1 / 60
Begin = Callable[..., tuple[MatchControl, Floor]]


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Begin]:
    """A match of lanterns and who has its screen; closed in the end."""
    words.use("en")
    monkeypatch.setattr(catalogue, "GAMES", {**catalogue.GAMES, "lanterns": "tests.game.lanterns"})
    made: list[MatchControl] = []

    def new(*names: str, seed: int = 5, **options: Any) -> tuple[MatchControl, Floor]:
        setup = Setup("lanterns", names, seed, {"rounds": 1, **options})
        made.append(MatchControl.begin(tmp_path / f"{len(made)}.topple", setup, Here(), bot_time=0.0))
        floor = Floor(made[-1], needed_text("lanterns"))
        floor.update()
        return made[-1], floor

    yield new
    for control in made:
        control.close()


def asked_of(floor: Floor, seat: int) -> Asked:
    """What that seat is asked, which must be the one that has the screen."""
    floor.update()
    asked = floor.asked()
    assert asked is not None and asked.seat == seat
    return asked


def curtain(floor: Floor) -> tuple[bool, bool]:
    """Whether something is covered, and whether something is shown that can be covered."""
    return floor.is_covered, floor.can_cover


def test_it_is_covered_until_its_owner_looks_and_after_every_move(begin: Begin) -> None:
    control, floor = begin("Ann", "Bob")
    assert curtain(floor) == (True, False)
    floor.uncover()
    assert curtain(floor) == (False, True)
    floor.cover()
    assert curtain(floor) == (True, False)
    floor.uncover()
    assert control.act(0, Bid(5))
    asked = asked_of(floor, 1)
    assert floor.is_covered and not asked.lists_all
    assert control.undo()
    asked_of(floor, 0)
    assert floor.is_covered


def test_own_news_are_read_once(begin: Begin) -> None:
    control, floor = begin("Ann", "Bob")
    for seat, bid in ((0, 900), (1, 5)):
        asked_of(floor, seat)
        floor.uncover()
        assert control.act(seat, Bid(bid))
    assert "Your bid: 900." in asked_of(floor, 0).private
    assert "Your bid: 5." not in asked_of(floor, 0).private  # which is Bob's
    floor.uncover()
    assert "Your bid: 900." in asked_of(floor, 0).private
    floor.cover()
    assert "Your bid: 900." not in asked_of(floor, 0).private


def test_a_refusal_goes_to_whom_it_is_for(begin: Begin) -> None:
    control, _floor = begin("Ann", "Bob")
    refused: list[ToppleError] = []
    assert not control.act(0, Bid(5000), refused.append)
    assert isinstance(refused[0], RuleError) and not control.update(FRAME) and not control.lines


def test_who_may_speak_is_offered_whatever_that_seat_holds(begin: Begin) -> None:
    control, floor = begin("Ann", "Bob", "Cem", seed=1)
    for seat, bid in ((0, 900), (1, 800), (2, 1)):
        assert control.act(seat, Bid(bid))
    assert not floor.speakers
    assert control.act(0, control.session.game.moves(control.session.state, 0)[0])
    asked_of(floor, 1)
    assert list(floor.speakers) == [2]
    floor.uncover()
    floor.speak(2)
    asked = asked_of(floor, 2)
    assert floor.is_covered and floor.speaks_up and not floor.speakers
    assert [move for move, _words in asked.moves] in ([], [Echo()])
    floor.hand_back()
    asked_of(floor, 1)
    assert floor.is_covered


def test_who_plays_alone_sees_the_own_hand_all_the_time(begin: Begin) -> None:
    control, floor = begin("bot:weak", "Ann")
    control.is_waiting = True
    for _frame in range(20):
        control.update(FRAME)
    asked = asked_of(floor, 1)
    assert not asked.is_asked and not asked.moves and asked.private and not floor.is_covered
    assert not control.session.history.moves  # everything waits
    control.is_waiting = False
    while not control.session.history.moves:
        control.update(FRAME)
    assert asked_of(floor, 1).is_asked and not floor.is_covered


def test_nobody_has_the_screen_where_only_bots_play(begin: Begin) -> None:
    control, floor = begin("bot:weak", "bot:weak")
    while control.session.result is None:
        control.update(FRAME)
        floor.update()
        assert floor.asked() is None and floor.speakers == ()
    assert any("The match is over." in line for line in control.lines)


def test_every_way_to_win_is_told() -> None:
    words.use("en")
    names = ("Ann", "Bob", "Cem", "Dan")
    assert victory((), names) == "Nobody wins."
    assert victory((1,), names) == "Bob wins!"
    assert victory((0, 2), names) == "Ann and Cem share the victory!"
