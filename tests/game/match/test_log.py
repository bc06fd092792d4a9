"""The file of a match: on the disk first, torn ends repaired, everything else that is wrong refused with its line."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game.match import log as log_module
from game.match.log import Log, Recording, read_log
from physics.errors import InputError, OutputError, SceneError, ToppleError
from physics.record import read_record

HEADER = {"game": "evaluation", "seats": ["Олена", "Bob"], "seed": 7}
EVENTS: list[tuple[float, str, dict[str, Any]]] = [
    (0.5, "move", {"seat": 0, "move": "stand 7 at 26.5 0 yaw 0 upright last"}),
    (1.25, "move", {"seat": 1, "move": "call"}),
    (1.5, "said", {"text": "доміно}]\n\u2028", "nested": {"sum": "00000000"}}),
    (2.0, "empty", {}),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.topple"
    with Log.create(path, HEADER) as log:
        log.append(*EVENTS[:2])
        log.append(*EVENTS[2:])
    return path


def told(recording: Recording) -> list[tuple[float, str, dict[str, Any]]]:
    return [(entry.t, entry.kind, dict(entry.data)) for entry in recording.entries]


def test_what_is_written_is_read(path: Path) -> None:
    recording = read_log(path)
    assert recording.header == {"format": "topple", "version": 1, "kind": "match", **HEADER}
    assert told(recording) == EVENTS
    assert [entry.number for entry in recording.entries] == [1, 2, 3, 4]
    assert (recording.size, recording.torn) == (path.stat().st_size, 0)


def test_it_is_a_topple_file_as_all_are(path: Path) -> None:
    record = read_record(path)
    assert record.header["kind"] == "match"
    assert [(t, kind) for t, kind, _data in record.events] == [(t, kind) for t, kind, _data in EVENTS]
    lines = path.read_bytes().splitlines()
    assert all(json.loads(line) for line in lines) and len(lines) == 5


def test_it_can_be_gone_on_with(path: Path) -> None:
    log, recording = Log.open(path)
    with log:
        assert told(recording) == EVENTS
        (entry,) = log.append((3.0, "move", {"seat": 0, "move": "push"}))
    assert entry.number == 5
    assert told(read_log(path)) == [*EVENTS, (3.0, "move", {"seat": 0, "move": "push"})]


def test_every_torn_last_line_is_repaired(path: Path) -> None:
    raw = path.read_bytes()
    start = raw.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(start, len(raw) + 1):
        path.write_bytes(raw[:end])
        kept = EVENTS if end >= len(raw) - 1 else EVENTS[:-1]  # without its newline the line is whole
        assert told(read_log(path)) == kept
        assert path.read_bytes() == raw[:end]  # reading repairs nothing
        log, recording = Log.open(path)
        with log:
            assert told(recording) == kept and log.torn == (0 if len(kept) == 4 else end - start)
            log.append((9.0, "on", {}))
        assert told(read_log(path)) == [*kept, (9.0, "on", {})]


def test_a_last_line_whose_newline_was_changed_is_kept(path: Path) -> None:
    """It is whole, so somebody was shown what it says: no line is ever written without its newline."""
    raw = path.read_bytes()
    for byte in (0, ord("]"), ord("}"), ord('"'), ord("x"), 0x8A, 0xFF):
        path.write_bytes(raw[:-1] + bytes([byte]))
        assert told(read_log(path)) == EVENTS
        log, recording = Log.open(path)
        with log:
            assert told(recording) == EVENTS
            log.append((9.0, "on", {}))
        assert told(read_log(path)) == [*EVENTS, (9.0, "on", {})]
        assert path.read_bytes().startswith(raw)


def test_a_header_whose_newline_was_changed_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.topple"
    Log.create(path, HEADER).close()
    raw = path.read_bytes()
    path.write_bytes(raw[:-1] + b"?")
    Log.open(path)[0].close()
    assert path.read_bytes() == raw


def test_a_tail_of_zeros_is_torn(path: Path) -> None:
    path.write_bytes(path.read_bytes() + bytes(4096))
    log, recording = Log.open(path)
    log.close()
    assert told(recording) == EVENTS and log.torn == 4096


def test_a_damaged_middle_is_refused_with_its_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    changed = lines[1].replace(b"26.5", b"27.5")
    for number, damaged in (
        (2, [lines[0], changed, *lines[2:]]),
        (2, [lines[0], *lines[2:]]),
        (3, [*lines[:2], lines[1], *lines[2:]]),
        (3, [*lines[:2], lines[3], lines[2], lines[4]]),
        (4, [*lines[:3], b"\n", *lines[3:]]),
        (1, [lines[0].replace(b"Bob", b"Rob"), *lines[1:]]),
        (5, [*lines[:4], lines[4].replace(b"empty", b"emptx")]),  # whole with its newline, so not torn
    ):
        path.write_bytes(b"".join(damaged))
        for reader in (read_log, Log.open):
            with pytest.raises(SceneError, match=f"match.topple:{number}: this line is damaged"):
                reader(path)


def test_damage_anywhere_is_found(path: Path) -> None:
    raw = path.read_bytes()
    generator = random.Random(1)
    for _ in range(1200):
        where = generator.randrange(len(raw) - 1)
        byte = generator.randrange(256)
        damaged = raw[:where] + bytes([byte]) + raw[where + 1 :]
        path.write_bytes(damaged)
        line = raw.count(b"\n", 0, where) + 1
        if byte == raw[where]:
            assert told(read_log(path)) == EVENTS
            continue
        with pytest.raises(SceneError) as caught:
            read_log(path)
        # A new newline makes of one line two, and a lost one of two lines one; both are damaged.
        assert f":{line}: " in str(caught.value) or "is not a match" in str(caught.value)


def test_wild_files_give_sentences(path: Path) -> None:
    raw = path.read_bytes()
    generator = random.Random(2)
    for _ in range(500):
        parts = [raw[slice(*sorted(generator.sample(range(len(raw)), 2)))] for _ in range(3)]
        path.write_bytes(generator.choice([b"", raw[:130], raw]) + b"".join(parts) + generator.choice([b"", b"\n"]))
        try:
            log, recording = Log.open(path)
        except ToppleError as error:
            assert str(error)
        else:
            log.close()
            assert told(recording) == EVENTS[: len(recording.entries)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '{"format": "topple", "version": 2, "kind": "match"}\n',
            "the file has version 2; this topple reads version 1",
        ),
        ('{"format": "topple", "version": "1"}\n', "the file has version '1'; this topple reads version 1"),
        ('{"format": "topple", "version": 1, "kind": "run"}\n', "is not a match; its kind is 'run'"),
        ('{"format": "other"}\n', "1: this is not a topple file"),
        ("", "1: this line is damaged"),
        ('{"format": "topp', "1: this line is damaged"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "other.topple"
    path.write_text(text)
    for reader in (read_log, Log.open):
        with pytest.raises(SceneError, match=sentence):
            reader(path)
    assert path.read_text() == text


def test_files_that_are_there_or_cannot_be(tmp_path: Path, path: Path) -> None:
    with pytest.raises(OutputError, match="is already there"):
        Log.create(path, HEADER)
    Log.create(path, HEADER, replace=True).close()
    assert read_log(path).entries == ()
    for wrong, sentence in (
        (tmp_path / "match.txt", "has the ending '.txt'"),
        (tmp_path / "nowhere" / "match.topple", "there is no folder"),
        (Path("/proc/match.topple"), "cannot be written"),
    ):
        with pytest.raises(OutputError, match=sentence):
            Log.create(wrong, HEADER)
    with pytest.raises(SceneError, match="There is no file"):
        Log.open(tmp_path / "lost.topple")
    (tmp_path / "folder.topple").mkdir()
    with pytest.raises(OutputError, match="cannot be written: Is a directory"):
        Log.open(tmp_path / "folder.topple")


def test_only_one_plays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "PATIENCE", 0.1)
    log, _recording = Log.open(path)
    for again in (Log.open, lambda path: Log.create(path, HEADER, replace=True)):
        with pytest.raises(InputError, match="is being played by another process"):
            again(path)
    told(read_log(path))  # reading is free
    log.close()
    log.close()
    Log.open(path)[0].close()


def test_workers_that_inherited_the_file_do_not_keep_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "PATIENCE", 0.1)
    log, _recording = Log.open(path)
    worker = os.fork()
    if worker == 0:
        signal.pause()
        os._exit(0)
    try:
        log.close()
        Log.open(path)[0].close()
    finally:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)


# A disk that does not take it


def failing(monkeypatch: pytest.MonkeyPatch, name: str, room: int) -> None:
    """The system call takes that many bytes and then finds the disk full."""
    real: Callable[..., int] = os.write
    left = [room]

    def call(descriptor: int, data: bytes = b"") -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken, left[0] = data[: left[0]], 0
        return real(descriptor, taken)

    monkeypatch.setattr(os, name, call)


@pytest.mark.parametrize(("name", "room"), [("write", 0), ("write", 20), ("fsync", 0)])
def test_a_full_disk_is_one_sentence_and_leaves_no_half_line(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str, room: int
) -> None:
    before = path.read_bytes()
    log, _recording = Log.open(path)
    with log:
        with monkeypatch.context() as broken:
            failing(broken, name, room)
            with pytest.raises(OutputError, match=r"match.topple cannot be written: No space left on device\."):
                log.append((3.0, "move", {"seat": 0, "move": "x" * 200}))
        assert path.read_bytes() == before
        (entry,) = log.append((4.0, "move", {"seat": 0, "move": "push"}))
        assert entry.number == 5
    assert told(read_log(path))[-1] == (4.0, "move", {"seat": 0, "move": "push"})


def test_half_a_line_that_cannot_be_removed_is_removed_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, _recording = Log.open(path)
    with log:
        with monkeypatch.context() as broken:
            failing(broken, "write", 20)
            broken.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
            with pytest.raises(OutputError):
                log.append((3.0, "move", {"seat": 0, "move": "x" * 200}))
        assert read_log(path).torn == 20
        log.append((4.0, "on", {}))
    assert told(read_log(path)) == [*EVENTS, (4.0, "on", {})]


def test_a_real_limit_of_the_file_size(path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from game.match.log import Log; from physics.errors import OutputError\n"
        "log, _ = Log.open(Path(sys.argv[1]))\n"
        "try:\n    [log.append((9.0 + k, 'move', {'text': 'x' * 100})) for k in range(1000)]\n"
        "except OutputError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )
    assert done.stderr == "" and done.stdout == f"{path} cannot be written: File too large.\n"
    recording = read_log(path)
    assert recording.torn == 0 and 4500 < recording.size <= 5000 and len(recording.entries) > 20
