"""What changed between two views: there and back for any values, and small for what matches do."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.match.changes import changes, merged

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab", max_size=2)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=1), inner),
    max_leaves=9,
)


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(VALUES, VALUES)
def test_there_and_back(old: Any, new: Any) -> None:
    before = copy.deepcopy((old, new))
    made = changes(old, new)
    sent = json.loads(json.dumps(made))
    assert text(merged(old, sent)) == text(new) == text(merged(old, made))
    assert text(before) == text((old, new))
    assert len(text(made)) <= len(text({"is": new}))
    assert (not made) is (text(old) == text(new))


@given(st.lists(SCALARS, max_size=6), st.lists(SCALARS, max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_lists_that_lose_and_win_in_the_middle(old: list[Any], more: list[Any], at: int, out: int) -> None:
    new = [*old[:at], *more, *old[at + out :]]
    assert text(merged(old, changes(old, new))) == text(new)


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ({"a": 1, "b": [2]}, {"a": 1, "b": [2]}, {}),
        (1, True, {"is": True}),
        (1, 1.0, {"is": 1.0}),
        ({"word": "as before" * 9, "a": 1}, {"word": "as before" * 9, "a": None}, {"keys": {"a": {"is": None}}}),
        ({"word": "as before" * 9, "a": 1}, {"word": "as before" * 9}, {"gone": ["a"]}),
        (["tile" * 9] * 3, ["tile" * 9] * 4, {"at": 3, "in": ["tile" * 9]}),
        (["one" * 9, "two" * 9], ["two" * 9], {"at": 0, "out": 1}),
        ([["x" * 40, 1], 2], [["x" * 40, 3], 2], {"items": {"0": {"items": {"1": {"is": 3}}}}}),
    ],
)
def test_what_is_said(old: Any, new: Any, made: dict[str, Any]) -> None:
    assert text(changes(old, new)) == text(made)
