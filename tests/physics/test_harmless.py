"""Text from outside, before it is printed: what people write stays as it is, what moves a cursor is written out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physics.harmless import harmless


@pytest.mark.parametrize(
    "text",
    [
        "match-2.topple",
        "їжак, щи́т, ёлка",
        "Nguyễn " + unicodedata.normalize("NFD", "Nguyễn"),
        "שָׁלוֹם and مرحبا",
        "👩🏽‍🚀 👨‍👩‍👧 🏳️‍🌈",
        "می‌خواهم",  # a joiner that Persian is written with
        "क्‍ष",
        "69\N{NO-BREAK SPACE}%",
        "C:\\Users\\Ann",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("one\r\ntwo\t\x7f", r"one\r\ntwo\t\x7f"),
        ("\x9b31m", r"\x9b31m"),  # the same as ESC [ to some terminals
        ("gpj.\u202eexe", r"gpj.\u202eexe"),
        ("\u2066\u2069\u200e\u061c", r"\u2066\u2069\u200e\u061c"),
        ("A\u200bn\u00adn\ufeff", r"A\u200bn\xadn\ufeff"),
        ("An\u200dn", r"An\u200dn"),  # nothing to join
        ("one\u2028two\u2029", r"one\u2028two\u2029"),
        (b"lost\xff.toml".decode(errors="surrogateescape"), r"lost\udcff.toml"),
        ("🏴\U000e0067\U000e007f", r"🏴\U000e0067\U000e007f"),
        ("Z" + "\u0336" * 40 + "a", "Z" + "\u0336" * 4 + "…a"),
    ],
)
def test_what_is_not_seen_is_written_out(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_layout_is_kept_where_it_is_asked_for() -> None:
    assert harmless("one\n\ttwo\r\x1b", "\n\t") == "one\n\ttwo" + r"\r\x1b"


@given(st.text(st.characters(codec=None)))
def test_twice_is_as_good_as_once(text: str) -> None:
    once = harmless(text)
    assert harmless(once) == once
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in once)
