"""Refusals of values and keys in line files: a SceneError of one sentence, with the line where the mistake is."""

from __future__ import annotations

from pathlib import Path

import pytest

from physics.fields import Fields, Source, read_toml
from physics.scene import read_line_file
from tests.physics.line_files import GOOD, changed, refusal


def test_the_good_file_is_good(line_file: Path) -> None:
    line_file.write_text(GOOD)
    scene, _ = read_line_file(line_file)
    assert scene.line.values == (6, 7)


# One value wrong: the line, the key, the value and what is allowed


@pytest.mark.parametrize(
    ("literal", "shown"),
    [
        ("true", "true"),
        ("false", "false"),
        ("nan", "nan"),
        ("+nan", "nan"),
        ("inf", "inf"),
        ("-inf", "-inf"),
        ("1e400", "inf"),
        ("1" + "0" * 400, "100000000000000000000000000000000000000…"),
        ("-" + "9" * 4000, "-99999999999999999999999999999999999999…"),
        ("0x" + "f" * 4000, "…"),
        ("-0.001", "-0.001"),
        ("10.001", "10.001"),
        ('"0.5"', "'0.5'"),
        ('"a\\nb\\u0007"', "'a\\nb\\x07'"),
        ("[0.5]", "[0.5]"),
        ("{}", "{}"),
        ("{a = 1}", "{'a': 1}"),
        ("1979-05-27", "datetime.date(1979, 5, 27)"),
        ("07:32:00", "datetime.time(7, 32)"),
        ("[" * 200 + "]" * 200, "[" * 39 + "…"),
    ],
)
def test_wrong_number(line_file: Path, literal: str, shown: str) -> None:
    message = refusal(line_file, changed("friction = 0.5", f"friction = {literal}"))
    assert message == f":3: table.friction is {shown}, but must be a number from 0 to 10."


@pytest.mark.parametrize("literal", ["true", "6.0", "nan", '"6"', "-1", "1000000", "1" + "0" * 400, "[6]", "{}"])
def test_wrong_whole_number(line_file: Path, literal: str) -> None:
    message = refusal(line_file, changed("value = 7", f"value = {literal}"))
    assert message.startswith(":18: tile.value is ")
    assert message.endswith(", but must be a whole number from 0 to 999999.")


@pytest.mark.parametrize("literal", ["0.0", "[]", "[0.0]", "[0.0, 1.0, 2.0]", '"00"', "{}", "true"])
def test_wrong_pair(line_file: Path, literal: str) -> None:
    message = refusal(line_file, changed("[0.0, 1.5]", literal))
    assert message.startswith(":4: table.tilt is ")
    assert message.endswith(", but must be two numbers in brackets.")


@pytest.mark.parametrize("literal", ["[0.0, 46]", "[nan, 0]", "[0, true]", '["a", 0]', "[[0], 0]"])
def test_wrong_number_in_a_pair(line_file: Path, literal: str) -> None:
    message = refusal(line_file, changed("[0.0, 1.5]", literal))
    assert message.startswith(":4: table.tilt is ")
    assert message.endswith(", but must be a number from -45 to 45 °.")


@pytest.mark.parametrize("literal", ['"Tap"', '""', "1", "true", "nan", '["tap"]', "{}"])
def test_wrong_choice(line_file: Path, literal: str) -> None:
    message = refusal(line_file, changed('kind = "tap"', f"kind = {literal}"))
    assert message.startswith(":7: push.kind is ")
    assert message.endswith(", but must be one of finger, tap, tilt.")


@pytest.mark.parametrize("literal", ["6", '""', '"  "', "true", "[]", "{}"])
def test_wrong_text(line_file: Path, literal: str) -> None:
    message = refusal(line_file, changed('"evaluation"', literal))
    assert message.startswith(":1: set is ")
    assert message.endswith(", but must be a text.")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (changed("x = 25.0", "x = 1e7"), ":19: tile.x is 10000000.0, but must be a number from -100000 to 100000 mm."),
        (changed("yaw = 5.0", "yaw = -3601"), ":21: tile.yaw is -3601, but must be a number from -3600 to 3600 °."),
        (changed('"upright"', '"flat"'), ":22: tile.stance is 'flat', but must be one of upright, side."),
        (changed('"first"', '"left"'), ":8: push.end is 'left', but must be one of auto, first, last."),
        (changed("= 0.4", "= -1"), ":9: push.impulse is -1, but must be a number from 0 to 100000 mN·s."),
        (changed("[1200.0", "[0"), ":5: table.size is 0, but must be a number from 10 to 80000 mm."),
        (changed("position = 0.7", "yaw = 50"), ":12: noise.yaw is 50, but must be a number from 0 to 45 °."),
    ],
)
def test_each_limit_with_its_unit(line_file: Path, content: str, message: str) -> None:
    assert refusal(line_file, content) == message


# Keys and tables


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("colour = 1\n" + GOOD, ":1: colour is not known here; known are set, table, push, noise, tile."),
        (
            changed("friction = 0.5", "grip = 0.5"),
            ":3: table.grip is not known here; known are tilt, size, friction, tile_friction, restitution.",
        ),
        (
            changed("height = 30.0", "height = 30.0\nmargin = 1"),
            ":11: push.margin is not known here; known are kind, end, impulse, height.",
        ),
        (
            changed("yaw = 5.0", "angle = 5.0"),
            ":21: tile.angle is not known here; known are sigma, value, x, y, yaw, stance.",
        ),
        (GOOD + "[tile.more]\na = 1\n", ":23: tile.more is not known here; known are sigma, value, x, y, yaw, stance."),
        (GOOD + "[camera]\na = 1\n", ":23: camera is not known here; known are set, table, push, noise, tile."),
        (GOOD + "[[camera]]\n", ":23: camera is not known here; known are set, table, push, noise, tile."),
        (GOOD + "[camera.lens]\n", ":23: camera is not known here; known are set, table, push, noise, tile."),
        ("camera.lens = 1\n" + GOOD, ":1: camera is not known here; known are set, table, push, noise, tile."),
        (
            changed('kind = "tap"\n', "kind.of = 1\n"),
            ":7: push.kind is {'of': 1}, but must be one of finger, tap, tilt.",
        ),
    ],
)
def test_unknown_key(line_file: Path, content: str, message: str) -> None:
    assert refusal(line_file, content) == message


@pytest.mark.parametrize(
    ("key", "named"),
    [('""', "''"), ('"a.b"', "a.b"), ('"a\\u001b[31m\\n"', "a\\x1b[31m\\n"), ("k" * 100_000, "k" * 39 + "…")],
)
def test_odd_unknown_key(line_file: Path, key: str, named: str) -> None:
    message = refusal(line_file, f"{key} = 1\n{GOOD}").removeprefix(":1")
    assert message == f": {named} is not known here; known are set, table, push, noise, tile."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (changed('set = "evaluation"\n', ""), ": set is missing."),
        (changed("impulse = 0.4\n", ""), ":6: push.impulse is missing."),
        (changed("height = 30.0\n", ""), ":6: push.height is missing."),
        (changed("value = 6\n", ""), ":13: tile.value is missing."),
        (changed("value = 7\n", ""), ":17: tile.value is missing."),
        (changed("x = 25.0\n", ""), ":17: tile.x is missing."),
        (changed("y = 1.0\n", ""), ":17: tile.y is missing."),
        ('set = "classic"\npush.kind = "tap"\n', ":2: push.impulse is missing."),
        ("", ": set is missing."),
        ('set = "classic"\n', ": The line has no tile; it needs at least one [[tile]]."),
        ('set = "classic"\ntile = []\n', ": The line has no tile; it needs at least one [[tile]]."),
    ],
)
def test_missing_key(line_file: Path, content: str, message: str) -> None:
    assert refusal(line_file, content) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('set = "classic"\n\n[tile]\nvalue = 1\n', ":3: tile is {'value': 1}, but must be tables [[tile]]."),
        ('set = "classic"\ntile = 5\n', ":2: tile is 5, but must be tables [[tile]]."),
        ('set = "classic"\ntile = [{}, 5]\n', ":2: tile is [{}, 5], but must be tables [[tile]]."),
        ('set = "classic"\n[[push]]\nend = "last"\n', ":2: push is [{'end': 'last'}], but must be a table [push]."),
        ('set = "classic"\ntable = true\n', ":2: table is true, but must be a table [table]."),
        ('set = "classic"\nnoise = [1]\n', ":2: noise is [1], but must be a table [noise]."),
    ],
)
def test_wrong_kind_of_table(line_file: Path, content: str, message: str) -> None:
    assert refusal(line_file, content) == message


# Fields by themselves


def fields(text: str, tmp_path: Path) -> Fields:
    path = tmp_path / "some.toml"
    path.write_text(text)
    return Fields(read_toml(path))


def test_values_as_given(tmp_path: Path) -> None:
    top = fields('n = 3\nw = 4\np = [1, 2.5]\nc = "b"\nt = "words"\na = "any"\nb = 7\n[i]\n[[l]]\n[[l]]\n', tmp_path)
    assert top.number("n", low=0, high=3) == 3.0 and isinstance(top.number("gone", 1, low=0, high=3), float)
    assert top.whole("w", low=4, high=4) == 4
    assert top.pair("p", None, low=0, high=3) == (1.0, 2.5)
    assert top.choice("c", None, ("a", "b")) == "b"
    assert top.text("t") == "words"
    assert top.whole_or_any("a", low=1, high=9) is None
    assert top.whole_or_any("b", low=1, high=9) == 7
    assert top.inner("i").table == "i"
    assert [(table.table, table.index) for table in top.tables("l")] == [("l", 0), ("l", 1)]
    top.close()


def test_defaults(tmp_path: Path) -> None:
    top = fields("", tmp_path)
    assert top.number("n", 0.0, low=0, high=3) == 0.0
    assert top.whole("w", 0, low=0, high=4) == 0
    assert top.pair("p", (0.0, 0.0), low=0, high=3) == (0.0, 0.0)
    assert top.choice("c", "a", ("a", "b")) == "a"
    assert top.text("t", "words") == "words"
    assert not top.has("n")
    assert top.tables("l") == []
    top.inner("i").close()
    top.close()


def test_line_of_a_key_that_is_not_there() -> None:
    source = Source("f.toml", "a = 1\n[t]\nb = 1\n", {})
    assert source.where("", 0, None) == "f.toml"
    assert source.where("", 0, "z") == "f.toml"
    assert source.where("t", 0, "z") == "f.toml:2"
    assert source.where("u", 0, "z") == "f.toml"
