"""Sheets over a screen, without a window: rules that can be read to their end, and the ways out of a match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import ImageFont

from game import words
from game.games.evaluation.window.controller import Controller
from game.match.history import Setup
from game.pictures.theme import TEXT_SIZES
from game.ui.screens.base import Desk
from game.ui.screens.over import Over
from game.ui.screens.sheets import Menu, Rules
from game.ui.toolkit.widgets import Action
from game.words import LANGUAGES
from physics.errors import InputError

FONT = ImageFont.truetype("DejaVuSans.ttf", 100)


@cache
def long(word: str) -> float:
    return FONT.getlength(f"{word} ") * 0.75 / 100


class Letters:
    """Measures words as the window's painter does, nearly."""

    def measured(self, text: str, size: float, *, bold: bool = False, wrap: float = 0.0) -> tuple[float, float]:
        lines, used = 1, 0.0
        for word in text.split():
            if used + long(word) * size > wrap:
                lines, used = lines + 1, 0.0
            used += long(word) * size
        return wrap, lines * size * 1.2


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    words.use("en")
    yield
    words.use("en")


@pytest.fixture
def desk() -> Desk:
    found = Desk(cast(Any, Letters()), width=960.0, height=640.0)
    found.over(Menu(found))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("keys", [("down",), ("pagedown",), ("wheel",)])
def test_the_rules_are_read_to_their_end(desk: Desk, language: str, keys: tuple[str, ...]) -> None:
    desk.set_language(language)
    desk.text_size = len(TEXT_SIZES) - 1
    rules = Rules(desk)
    seen: set[str] = set()
    for _step in range(30):
        seen |= rules.texts()
        for key in keys:
            rules.wheel(0, 0, -1.0) if key == "wheel" else rules.key(key)
    buttons = {widget.name: widget.enabled for widget in rules.widgets()}
    assert buttons == {"up": True, "down": False, "close": True}
    assert len(seen) >= 13 and any("22" in text for text in seen) and any("F11" in text for text in seen)
    rules.key("home")
    assert len(rules.texts()) < len(seen)


def test_back_from_the_rules(desk: Desk) -> None:
    for key in ("escape", "f1", "enter", "space"):
        desk.over(Rules(desk))
        desk.top.key(key)
        assert isinstance(desk.top, Menu)


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[Controller]:
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="hand")
    with ThreadPoolExecutor(1) as pool:
        controller = Controller.begin(tmp_path / "match.topple", setup, pool)
        controller.session.play(0, "stand 8 at 30 0 yaw 0 upright last")
        for seat, move in ((1, "call"), (0, "vote success"), (1, "vote failure"), (0, "push")):
            controller.session.play(seat, move)
        controller.go_on()
        assert controller.found(True)
        yield controller
        controller.close()


def refuse(_given: object) -> None:
    raise InputError("{file} is a folder, not a file.", file="matches")


def test_the_ways_on_after_a_match(desk: Desk, ended: Controller, tmp_path: Path) -> None:
    went: list[str] = []

    def to(name: str) -> Callable[..., None]:
        return lambda *_given: went.append(name)

    over = Over(desk, ended, tmp_path, to("again"), to("start"), to("replay"))
    for key, widget in (("enter", "again"), ("r", "replay"), ("escape", "start")):
        over.acted(Action(widget))
        assert over.key(key)
        assert went == [widget, widget]
        went.clear()
    assert [widget.name for widget in over.widgets()] == ["again", "replay", "season", "start"]
    (tmp_path / "damaged.topple").write_text("{")
    over.key("s")
    assert [(each.name, each.wins, each.score) for each in over.season or ()] == [("Ann", 1, 1.0), ("Bob", 0, 0.0)]
    over.key("s")
    assert over.season is None


def test_what_cannot_be_done_after_a_match_is_said(desk: Desk, ended: Controller, tmp_path: Path) -> None:
    over = Over(desk, ended, tmp_path, refuse, lambda: None, refuse)
    over.key("enter")
    assert over.error is not None
    over.key("s")
    assert over.error is None
