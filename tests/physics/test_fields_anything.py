"""Line files changed at random: read as a scene, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from physics.errors import SceneError
from physics.scene import read_line_file
from tests.physics.line_files import GOOD, assert_is_a_sentence

ODD_LITERALS = (
    *("nan", "-inf", "1e999", "1e-320", "0", "-0.0", "+5", "1_000", "9" * 400, "9" * 5000, "0x" + "f" * 5000),
    *("true", "false", "1979-05-27", "07:32:00", "[]", "[[]]", "[1, 2]", "[" * 500, "{}", "{a = 1}", ".", "=", "#"),
    *("''", '""', '"any"', '"side"', '"tilt"', '"first"', '"classic"', '"row.toml"', '"/"', '"\\u0000.toml"'),
)
Change = Callable[[bytes], bytes]


def flip(place: int, byte: int) -> Change:
    return lambda text: text[: place % len(text)] + bytes([byte]) + text[place % len(text) + 1 :] if text else text


def drop(number: int) -> Change:
    def change(text: bytes) -> bytes:
        lines = text.split(b"\n")
        del lines[number % len(lines)]
        return b"\n".join(lines)

    return change


def repeat(number: int, to: int) -> Change:
    def change(text: bytes) -> bytes:
        lines = text.split(b"\n")
        lines.insert(to % len(lines), lines[number % len(lines)])
        return b"\n".join(lines)

    return change


def put(number: int, literal: str) -> Change:
    def change(text: bytes) -> bytes:
        lines = text.split(b"\n")
        key, equals, _ = lines[number % len(lines)].partition(b"=")
        lines[number % len(lines)] = (key + equals + literal.encode()) if equals else lines[number % len(lines)]
        return b"\n".join(lines)

    return change


def cut(place: int) -> Change:
    return lambda text: text[: place % (len(text) + 1)]


places = st.integers(0, 10_000)
changes = st.one_of(
    st.builds(flip, places, st.integers(0, 255)),
    st.builds(drop, places),
    st.builds(repeat, places, places),
    st.builds(put, places, st.sampled_from(ODD_LITERALS)),
    st.builds(cut, places),
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(changes, min_size=1, max_size=4))
def test_a_scene_or_a_sentence(line_file: Path, some: list[Change]) -> None:
    text = GOOD.encode()
    for change in some:
        text = change(text)
    line_file.write_bytes(text)
    try:
        scene, _ = read_line_file(line_file)
    except SceneError as error:
        assert_is_a_sentence(str(error))
    else:
        scene.check()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=200), st.text(alphabet="a.[]{}=\"'\\\n#, 1et", max_size=60).map(str.encode)))
def test_no_file_is_read_into_anything_else(line_file: Path, content: bytes) -> None:
    line_file.write_bytes(content)
    with pytest.raises(SceneError) as refused:
        read_line_file(line_file)
    assert_is_a_sentence(str(refused.value))
