from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.ui.toolkit.scroll import Scroll


def test_all_is_shown_where_there_is_room() -> None:
    assert Scroll(5).shown([10, 10, 10], 40, 5) == range(3)
    assert Scroll(5).shown([], 40, 5) == range(0)


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ((), range(2)),
        (("down",), range(1, 3)),
        (("pagedown",), range(2, 4)),
        (("end",), range(3, 5)),
        (("end", "up"), range(2, 4)),
        (("end", "home"), range(2)),
        (("up", "pageup"), range(2)),
    ],
)
def test_keys_go_through_the_list(keys: tuple[str, ...], shown: range) -> None:
    scroll = Scroll()
    for key in keys:
        assert scroll.key(key, len(scroll.shown([10] * 5, 25, 5)))
        scroll.shown([10] * 5, 25, 5)
    assert scroll.shown([10] * 5, 25, 5) == shown
    assert not scroll.key("x", 2)


def test_the_wheel_goes_down_towards_the_person() -> None:
    scroll = Scroll()
    scroll.wheel(-1.0)
    scroll.wheel(-0.3)
    assert scroll.first == 2
    scroll.wheel(5.0)
    assert scroll.first == 0


@given(st.lists(st.floats(1, 50), min_size=1, max_size=20), st.floats(20, 200), st.integers(0, 40))
def test_something_is_shown_and_nothing_is_lost(heights: list[float], room: float, first: int) -> None:
    scroll = Scroll(first)
    seen = scroll.shown(heights, room, 3)
    assert len(seen) and seen.stop <= len(heights)
    assert len(seen) == 1 or sum(heights[number] + 3 for number in seen) - 3 <= room + 1e-6
    if first >= len(heights):
        assert seen.stop == len(heights)  # the end is reached
