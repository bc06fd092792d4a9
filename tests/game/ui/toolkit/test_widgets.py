from __future__ import annotations

import pytest

from game.ui.toolkit.layout import Rect
from game.ui.toolkit.widgets import Action, Button, Choice, Field, Focus, Slider, Stepper, Switch, Widget


def rect(row: int) -> Rect:
    return Rect(0, 100 * row, 90, 30)


WIDGETS: tuple[Widget, ...] = (
    Button("go", rect(0), "Go"),
    Button("off", rect(1), "Off", enabled=False),
    Choice("kind", rect(2), ("a", "b", "c"), ("A", "B", "C"), "a"),
    Switch("hints", rect(3), "Hints", False),
    Stepper("rounds", rect(4), "Rounds", 3, 1, 4),
    Field("name", rect(5), "Ann", most=5),
    Slider("film", rect(6), 0.5, 0.0, 1.0, 0.1),
)


@pytest.fixture
def focus() -> Focus:
    found = Focus()
    found.show(WIDGETS)
    return found


def click(focus: Focus, x: float, y: float) -> list[Action]:
    focus.pressed(x, y)
    return focus.released(x, y)


def test_tab_walks_through_what_is_enabled_and_around(focus: Focus) -> None:
    seen = []
    for _step in range(7):
        assert focus.key("tab") == []
        seen.append(focus.at)
    assert seen == ["go", "kind", "hints", "rounds", "name", "film", "go"]
    focus.key("shift+tab")
    assert focus.at == "film" and focus.by_keys


def test_keys_are_for_the_screen_when_the_keyboard_is_nowhere(focus: Focus) -> None:
    assert focus.key("enter") is None and focus.key("left") is None and focus.key("f") is None


def test_escape_leaves_the_widgets(focus: Focus) -> None:
    focus.key("tab")
    assert focus.key("escape") == [] and focus.at is None
    assert focus.key("escape") is None


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("go", "enter", None),
        ("go", "space", None),
        ("kind", "right", "b"),
        ("kind", "left", "c"),
        ("hints", "space", True),
        ("rounds", "right", 4),
        ("rounds", "left", 2),
        ("film", "right", 0.6),
        ("film", "home", 0.0),
        ("film", "end", 1.0),
    ],
)
def test_keys_use_the_widget(focus: Focus, name: str, key: str, value: object) -> None:
    focus.go(name, by_keys=True)
    assert focus.key(key) == [Action(name, value if not isinstance(value, float) else pytest.approx(value))]


def test_a_stepper_stays_in_its_range(focus: Focus) -> None:
    focus.show([Stepper("rounds", rect(4), "Rounds", 4, 1, 4)])
    focus.go("rounds")
    assert focus.key("right") == []


def test_letters_are_for_the_field_alone(focus: Focus) -> None:
    assert focus.typed("x") is None
    focus.go("name")
    assert focus.typed("я") == [Action("name", "Annя")]
    assert focus.typed("їz") == [Action("name", "Annяї")]  # five letters at most
    assert focus.typed("!") == []
    assert focus.key("f") == []  # not a command while a name is typed
    assert focus.key("backspace") == [Action("name", "Annя")]
    focus.key("home")
    assert focus.key("delete") == [Action("name", "nnя")]
    assert focus.typed("\r") == []


def test_clicks(focus: Focus) -> None:
    assert click(focus, 10, 10) == [Action("go")]
    assert click(focus, 10, 110) == []  # disabled
    assert click(focus, 40, 210) == [Action("kind", "b")]
    assert click(focus, 10, 310) == [Action("hints", True)]
    assert click(focus, 80, 410) == [Action("rounds", 4)]
    assert click(focus, 5, 410) == []


def test_a_press_that_is_let_go_elsewhere_is_no_click(focus: Focus) -> None:
    taken, actions = focus.pressed(10, 10)
    assert taken and not actions
    assert focus.released(10, 210) == []


def test_a_disabled_button_keeps_the_click_from_what_lies_under_it(focus: Focus) -> None:
    assert focus.pressed(10, 110) == (True, [])
    assert focus.pressed(500, 500) == (False, [])


def test_a_slider_follows_the_mouse(focus: Focus) -> None:
    _taken, actions = focus.pressed(45, 610)
    assert actions == [Action("film", pytest.approx(0.5))]
    assert focus.moved(500, 0) == [Action("film", 1.0)]
    focus.released(500, 0)
    assert focus.moved(45, 610) == []


def test_what_is_gone_loses_keyboard_and_mouse(focus: Focus) -> None:
    focus.go("name")
    focus.pressed(10, 10)
    focus.show([WIDGETS[2]])
    assert focus.at is None and focus.held is None and focus.over is None


def test_enter_is_for_the_screen_after_a_click(focus: Focus) -> None:
    """Who has chosen with the mouse and presses Enter means the button that says so."""
    click(focus, 40, 210)
    assert focus.at == "kind"
    assert focus.key("enter") is None and focus.key("space") is None
    assert focus.key("right") == [Action("kind", "b")]  # now it can be seen where the keyboard is
    assert focus.by_keys
    assert focus.key("enter") == [Action("kind", "b")]


def test_the_line_of_a_screen_sends_with_enter_and_leaves_escape_to_the_screen() -> None:
    focus = Focus()
    focus.show([Field("line", Rect(0, 0, 100, 20), "bid 5", sends="say"), Button("say", Rect(0, 30, 100, 20), "Say")])
    focus.go("line")
    assert focus.key("enter") == [Action("say")] and focus.at == "line"
    assert focus.key("escape") is None and focus.key("pagedown") is None
    assert focus.typed("0") == [Action("line", "bid 50")]


def test_a_button_says_what_is_chosen() -> None:
    focus = Focus()
    focus.show([Button("call1", Rect(0, 0, 100, 20), "Domino!", value=1)])
    focus.pressed(50, 10)
    assert focus.released(50, 10) == [Action("call1", 1)]
    focus.go("call1", by_keys=True)
    assert focus.key("enter") == [Action("call1", 1)]
