"""A line file that is good, and what is said of one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from physics.errors import SceneError
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
FRICTION = "table.friction is true, but must be a number from 0 to 10."


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


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def refused_as(path: Path) -> str:
    with pytest.raises(SceneError) as refused:
        read_line_file(path)
    message = str(refused.value)
    assert message.isprintable()
    return message
