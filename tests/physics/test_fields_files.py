"""Line files that cannot be read, or are too large: refused in one sentence, and quickly."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from physics.fields import MAX_BYTES
from physics.scene import read_line_file
from tests.physics.line_files import FRICTION, GOOD, changed, refusal, refused_as


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
    assert refused_as(Path("\n.toml")) == r"There is no file \n.toml."


def test_file_name_that_is_no_utf_8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml"))
    path.write_text(changed("= 0.5", "= true"))
    message = refused_as(path)
    message.encode()  # must not fail: it is going to be printed
    assert message.endswith("\\udcff.toml:3: " + FRICTION)


@pytest.mark.parametrize("more", [b"", b'\n[0,"move",{}]' * 400_000])
def test_a_recording_is_none(line_file: Path, more: bytes) -> None:
    line_file.write_bytes(b'{"format":"topple","version":1,"kind":"match"}' + more)
    assert refused_as(line_file) == f"{line_file} is a match or a run; ./topple replay reads it."


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
    assert refused_as(Path("a\0b.toml")) == "a\\x00b.toml cannot be read: embedded null byte."
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
