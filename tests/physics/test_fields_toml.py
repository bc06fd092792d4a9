"""Ways to write a line file: the line of a mistake is found in all of them, and what is no TOML is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from physics.fields import MAX_KEY_PARTS
from physics.scene import read_line_file
from tests.physics.line_files import FRICTION, GOOD, changed, refusal

# Ways of writing that must not shift the line


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
            ":3: tile.x is true, but must be a number from -100000 to 100000 mm.",
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
