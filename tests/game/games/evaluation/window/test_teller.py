"""What was told changes its language with the window."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from game import words
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.model import Act
from game.match.history import Setup


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    words.use("en")
    yield
    words.use("en")


def test_sentences_and_bots_follow_the_language(tmp_path: Path) -> None:
    path = tmp_path / "match.topple"
    setup = Setup("evaluation", ("Ann", "Bob", "bot:weak"), 7, {"rounds": 1}, table="hand")
    with ThreadPoolExecutor(1) as pool:
        controller = Controller.begin(path, setup, pool, bot_time=9e9)
        controller.session.play(0, "stand 8 at 30 0 yaw 0 upright last")
        controller.update(0.01)
        assert not controller.vote(1, True)  # too early
        in_english = controller.screen()
        words.use("uk")
        in_ukrainian = controller.screen()
        words.use("en")
        assert controller.screen().lines == in_english.lines
        controller.close()
        words.use("uk")
        again = Controller.resume(path, pool, bot_time=9e9)
        assert again.screen().lines == in_ukrainian.lines[:-1]  # a refusal is not in the log
        again.close()
    assert in_english.names == ("Ann", "Bob", "Weak bot") and in_ukrainian.names == ("Ann", "Bob", "Слабкий бот")
    assert len(in_english.lines) == len(in_ukrainian.lines) >= 2
    assert not set(in_english.lines) & set(in_ukrainian.lines)


def test_the_score_follows_the_language(tmp_path: Path) -> None:
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="hand")
    with ThreadPoolExecutor(1) as pool:
        controller = Controller.begin(tmp_path / "match.topple", setup, pool)
        for seat, move in ((0, "stand 8 at 30 0 yaw 0 upright last"), (1, "call"), (0, "vote success")):
            controller.session.play(seat, move)
        controller.session.play(1, "vote failure")
        controller.go_on()
        controller.push()
        controller.found(False, (8,))
        score = controller.screen().score
        words.use("ru")
        after = controller.screen()
        assert after.act is Act.SCORED and score is not None and after.score is not None
        assert len(score.sentences) == len(after.score.sentences) > 0
        assert not set(score.sentences) & set(after.score.sentences)
        controller.close()
