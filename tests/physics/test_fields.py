"""Refusals of line files: always a SceneError of one sentence, with the line where the mistake is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from physics.errors import SceneError
from physics.fields import MAX_BYTES, MAX_KEY_PARTS, Fields, Source, read_toml
from physics.scene import read_line_file

GOOD = """\
set = "evaluation"
[table]
friction = 0.5
tilt = [0.0, 1.5]
size = [1200.0, 800.0]
[push]
kind = "tap"
end = "first"
impulse = 0.4
height = 30.0
[noise]
position = 0.7
[[tile]]
value = 6
x = 0.0
y = 0.0
[[tile]]
value = 7
x = 25.0
y = 1.0
yaw = 5.0
stance = "upright"
"""


def refusal(path: Path, content: str | bytes) -> str:
    """What read_line_file says of a file that it must refuse, after the file's name."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SceneError) as refused:
        read_line_file(path)
    message = str(refused.value)
    assert_is_a_sentence(message)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def assert_is_a_sentence(message: str) -> None:
    assert message.isprintable(), message
    assert message.endswith(".") and not message.endswith(".."), message
    assert len(message) < 600, message


@pytest.fixture
def line_file(tmp_path: Path) -> Path:
    return tmp_path / "row.toml"


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


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
        (changed("x = 25.0", "x = 1e7"), ":19: tile.x is 10000000.0, but must be a number from -40000 to 40000 mm."),
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
            ":21: tile.angle is not known here; known are value, x, y, yaw, stance.",
        ),
        (GOOD + "[tile.more]\na = 1\n", ":23: tile.more is not known here; known are value, x, y, yaw, stance."),
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
    [('""', "''"), ('"a.b"', "a.b"), ('"a\\u001b[31m\\n"', "'a\\x1b[31m\\n'"), ("k" * 100_000, "k" * 39 + "…")],
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


# Ways of writing that must not shift the line


FRICTION = "table.friction is true, but must be a number from 0 to 10."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(changed("friction = 0.5", "\tfriction\t=\ttrue"), ":3: " + FRICTION, id="tabs"),
        pytest.param(changed("friction = 0.5", '"friction" = true'), ":3: " + FRICTION, id="quoted key"),
        pytest.param(changed("friction = 0.5", "'friction'=true"), ":3: " + FRICTION, id="single quotes"),
        pytest.param(
            changed("[table]\nfriction = 0.5", "[ 'table' ]\nfriction = true"), ":3: " + FRICTION, id="quoted header"
        ),
        pytest.param(
            changed("[table]\nfriction = 0.5", "[table] # [push]\n# friction = 1\nfriction = true # = 1"),
            ":4: " + FRICTION,
            id="comments",
        ),
        pytest.param(
            changed("[table]", "# next line\u2028, \x85and vertical\u2029\n[table]").replace("= 0.5", "= true"),
            ":4: " + FRICTION,
            id="odd line ends in a comment",
        ),
        pytest.param('set = "classic"\n\ntable = {tilt = [0, 0], friction = true}\n', ":3: " + FRICTION, id="inline"),
        pytest.param('set = "classic"\n\ntable.friction = true\n', ":3: " + FRICTION, id="dotted"),
        pytest.param('set = "classic"\n\ntable . "friction" = true\n', ":3: " + FRICTION, id="dotted with quotes"),
        pytest.param(
            'set = "classic"\n\ntile = [\n{value = 1, x = 0, y = 0},\n{value = 1, x = true, y = 0}]\n',
            ":3: tile.x is true, but must be a number from -40000 to 40000 mm.",
            id="inline list of tables",
        ),
        pytest.param(
            changed("[0.0, 1.5]", "[\n  0.0,\n  true, # odd\n]"),
            ":4: table.tilt is true, but must be a number from -45 to 45 °.",
            id="array over several lines",
        ),
        pytest.param(
            changed("[table]\nfriction = 0.5", "[noise.more]\nfriction = 1\n[table]\nfriction = true"),
            ":5: " + FRICTION,
            id="the same key in another table",
        ),
    ],
)
def test_line_is_found(line_file: Path, content: str, message: str) -> None:
    assert refusal(line_file, content) == message


def test_windows_line_ends_and_byte_order_mark(line_file: Path) -> None:
    windows = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    line_file.write_bytes(windows)
    assert read_line_file(line_file)[0].line.values == (6, 7)
    assert refusal(line_file, windows.replace(b"= 0.5", b"= true")) == ":3: " + FRICTION
    assert refusal(line_file, windows.replace(b"y = 1.0", b"y = 1.0.0")).startswith(":20: broken TOML: ")
    assert refusal(line_file, windows.replace(b"set =", b"sets =")) == ": set is missing."


# Files that are no TOML


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (changed("friction = 0.5", "friction 0.5"), 3),
        (changed("friction = 0.5", "friction ="), 3),
        (changed("friction = 0.5", "friction = 0.5 0.5"), 3),
        (changed("friction = 0.5", "friction = 00.5"), 3),
        (changed("friction = 0.5", "friction = 0.5\nfriction = 0.5"), 4),
        (changed("friction = 0.5", "friction = 1979-13-27"), 3),
        (changed("[push]", "[table]"), 6),
        (changed("[push]", "[push"), 6),
        (changed("[push]", "[]"), 6),
        (changed('kind = "tap"', 'kind = "tap'), 7),
        (changed('kind = "tap"', 'kind = "\\q"'), 7),
        (changed('kind = "tap"', "set.a = 1\nkind.b = 1\nkind = 2"), 9),
        (changed("value = 7", "value = 7\rx = 1"), 18),
        (changed("value = 7", "value = \x007"), 18),
        (changed("value = 7", "value = 7 # \x00"), 18),
        (changed("value = 7", "value = 7 # \x1b"), 18),
        (GOOD + "a = [1,\n", 24),
        (GOOD + 'a = """x\n', 24),
        ('["x (at line 99, column 9)"]\n' * 2, 2),
        (f"a = {{{'k' * 10_000} = 1, {'k' * 10_000} = 2}}", 1),
    ],
)
def test_broken_toml(line_file: Path, content: str, line: int) -> None:
    assert refusal(line_file, content).startswith(f":{line}: broken TOML: ")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (GOOD.encode().replace(b"= 7", b"= \xff7"), 18),
        (GOOD.encode() + b"# caf\xe9\n", 23),
        (GOOD.encode("utf-16"), 1),
        (b"\x89PNG\r\n\x1a\n", 1),
        (GOOD.encode() + b"# \xed\xa0\x80", 23),
    ],
)
def test_no_utf_8(line_file: Path, content: bytes, line: int) -> None:
    assert refusal(line_file, content) == f":{line}: this is not UTF-8 text."


@pytest.mark.parametrize(
    "content",
    [
        "x = " + "[" * 10_000 + "]" * 10_000,
        "x = " + "[" * 10_000,
        "x = " + "{a = " * 10_000 + "1" + "}" * 10_000,
    ],
)
def test_nested_too_deep(line_file: Path, content: str) -> None:
    assert refusal(line_file, content) == ": broken TOML: nested too deep."


@pytest.mark.parametrize(
    "content",
    [
        "push" + ".a" * 100_000 + " = 1",
        "[push" + ' . "a"' * 100_000 + "]",
        "[[push" + ".'a b'" * 100_000 + "]]",
        "push = {a" + ".a" * 100_000 + " = 1}",
        "push" + '."\\""' * 100_000 + " = 1",
    ],
)
def test_key_of_too_many_parts(line_file: Path, content: str) -> None:
    """Python's parser would need gigabytes for one such line."""
    assert refusal(line_file, f'set = "classic"\n{content}\n') == f":2: a key has more than {MAX_KEY_PARTS} parts."


def test_tables_nested_by_long_keys(line_file: Path) -> None:
    """What the parser can read may still be too deep to be shown."""
    step = "a" + ".a" * (MAX_KEY_PARTS - 1)
    content = "push.kind = " + f"{{{step} = " * 150 + "1" + "}" * 150
    message = refusal(line_file, f'set = "classic"\n{content}\n')
    assert message == ":2: push.kind is …, but must be one of finger, tap, tilt."


def test_dots_in_comments_and_texts_are_no_key(line_file: Path) -> None:
    line_file.write_text("# " + "." * 1000 + " " + ". " * 100 + "\n" + GOOD + "# end." + " and so on." * 50)
    assert read_line_file(line_file)[0].line.values == (6, 7)


def test_integer_of_too_many_digits(line_file: Path) -> None:
    message = refusal(line_file, changed("value = 7", "value = " + "7" * 5000))
    assert message.startswith(": broken TOML: Exceeds the limit (4300 digits)")


# Files that cannot be read


def refused_as(path: Path) -> str:
    with pytest.raises(SceneError) as refused:
        read_line_file(path)
    message = str(refused.value)
    assert message.isprintable()
    return message


def test_size_limit(line_file: Path) -> None:
    line_file.write_bytes(GOOD.encode() + b"#" * (MAX_BYTES - len(GOOD)))
    assert read_line_file(line_file)[0].line.values == (6, 7)
    with line_file.open("ab") as file:
        file.write(b"#")
    assert refused_as(line_file) == f"{line_file} is larger than 4 MB, the most a file may have."


def test_endless_file() -> None:
    assert refused_as(Path("/dev/zero")) == "/dev/zero is larger than 4 MB, the most a file may have."


def test_no_file(tmp_path: Path) -> None:
    assert refused_as(tmp_path / "none.toml") == f"There is no file {tmp_path / 'none.toml'}."
    assert refused_as(Path("\n.toml")) == "There is no file '\\n.toml'."


def test_file_name_that_is_no_utf_8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml"))
    path.write_text(changed("= 0.5", "= true"))
    message = refused_as(path)
    message.encode()  # must not fail: it is going to be printed
    assert message.endswith("\\udcff.toml':3: " + FRICTION)


def test_folder(tmp_path: Path) -> None:
    assert refused_as(tmp_path) == f"{tmp_path} is a folder, not a file."


def test_file_used_as_a_folder(line_file: Path) -> None:
    line_file.write_text(GOOD)
    assert refused_as(line_file / "x.toml") == f"{line_file}/x.toml cannot be read: Not a directory."


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.toml").symlink_to(tmp_path / "b.toml")
    (tmp_path / "b.toml").symlink_to(tmp_path / "a.toml")
    assert refused_as(tmp_path / "a.toml").startswith(f"{tmp_path}/a.toml cannot be read: Too many levels of symbolic")


def test_odd_names() -> None:
    assert refused_as(Path("a\0b.toml")) == "'a\\x00b.toml' cannot be read: embedded null byte."
    assert refused_as(Path("n" * 300)) == "n" * 300 + " cannot be read: File name too long."
    assert len(refused_as(Path("n" * 100_000))) < 5_000


@contextmanager
def as_nobody() -> Iterator[None]:
    """As a user for whom permissions count; root may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_unreadable_file(line_file: Path) -> None:
    line_file.write_text(GOOD)
    line_file.chmod(0)
    with as_nobody():
        message = refused_as(line_file)
    assert message == f"{line_file} cannot be read: Permission denied."


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("a = 1\n" * 200_000, id="the same key again and again"),
        pytest.param("".join(f"k{i} = 1\n" for i in range(50_000)), id="many keys"),
        pytest.param("k" * 1_000_000 + " = 1\n", id="one long key"),
        pytest.param(" " * 1_000_000, id="blanks"),
        pytest.param("'" * 1_000_000, id="quotes"),
        pytest.param('"\\' * 500_000, id="quotes and backslashes"),
        pytest.param("a " * 500_000, id="words"),
        pytest.param("a." * 500_000, id="dots"),
        pytest.param("set = [" + "1," * 100_000 + "]\n", id="one long array"),
        pytest.param("[[tile]]\n" * 50_000, id="many tables"),
    ],
)
def test_large_files_are_refused_quickly(line_file: Path, content: str) -> None:
    started = time.process_time()
    refusal(line_file, content)
    assert time.process_time() - started < 5


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


# Anything at all


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
