"""The file of a match: a header line, then one event per line, on the disk before anybody sees what came of it.

Every line ends with a sum of itself and of all lines before it. So a line that was changed, lost or written twice is
known by its number, and a last line without its end is known to be torn: nobody was shown what it says, and it is cut
off when the match goes on. A last line that is whole but for the newline behind it is kept: somebody was shown it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any
from zlib import crc32

from physics.errors import InputError, OutputError, SceneError
from physics.fields import shown
from physics.files import check_ending, check_writable, whole_file
from physics.record import FORMAT, VERSION, event_in, header_in, read_bytes
from physics.run_file import check_time

ENDING = ".topple"
MATCH = "match"
PATIENCE = 2.0  # s: workers of a process that was killed hold its files until they notice
MAX_MARKS = 64  # places in a last line that may be its end: data of the program's own holds hardly one
_MARK = re.compile(rb'"sum":"[0-9a-f]{8}"}')
_SUM = re.compile(rb'(?P<comma>,?)"sum":"(?P<sum>[0-9a-f]{8})"}(?P<end>]?)\Z')


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a match as its file holds it."""

    number: int  # from 1; its line is the next one, after the header
    t: float  # s of play since the match began
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recording:
    """A file as it was read."""

    header: Mapping[str, Any]
    entries: tuple[Entry, ...]
    size: int  # bytes of whole lines
    sum: int  # of them all
    torn: int  # bytes after them, of a line that was never finished


def read_log(path: Path) -> Recording:
    """The match in the file, without a torn last line; nothing is written.

    SceneError with the line when a line is damaged or missing, or the file is none of a match or of another version.
    """
    return log_in(read_bytes(path), path)


def log_in(raw: bytes, path: Path) -> Recording:
    """The same of a file whose bytes are read already."""
    size = _whole_size(raw)
    lines = raw[:size].removesuffix(b"\n").split(b"\n") if size else [raw]
    header = header_in(lines[0], f"{path}:1")
    if header.get("kind") != MATCH:
        raise SceneError("{file} is not a match; its kind is {kind}.", file=str(path), kind=shown(header.get("kind")))
    total = _checked(lines[0], 0, f"{path}:1")
    header.pop("sum", None)
    entries: list[Entry] = []
    for number, line in enumerate(lines[1:], start=1):
        where = f"{path}:{number + 1}"
        total = _checked(line, total, where)
        t, kind, data = event_in(line, where)
        if not isinstance(data, dict):
            raise SceneError("{where}: this is not an event [t, kind, data].", where=where)
        before = entries[-1].t if entries else 0.0
        check_time(t, before, where)
        data.pop("sum", None)
        entries.append(Entry(number, t, kind, data))
    return Recording(header, tuple(entries), size, total, len(raw) - size)


def _whole_size(raw: bytes) -> int:
    """How many bytes at the beginning are whole lines, the last of them perhaps with another byte for its newline.

    What is written at once ends with a newline, so a line that was torn is never whole: one that is whole was shown.
    """
    start = raw.rfind(b"\n") + 1
    last = raw[start:]
    before = _SUM.search(raw[: max(start - 1, 0)])
    total = int(before["sum"], 16) if before else 0
    for end in (mark.end() for mark in islice(_MARK.finditer(last), MAX_MARKS)):
        for length in {end, end + last[end:].startswith(b"]")}:
            found = _SUM.search(last[:length])
            if found is not None and _sum_of(last[:length], found, total) == int(found["sum"], 16):
                return start + length
    return start


def _checked(line: bytes, before: int, where: str) -> int:
    found = _SUM.search(line)
    if found is None or _sum_of(line, found, before) != int(found["sum"], 16):
        raise SceneError("{where}: this line is damaged.", where=where)
    return int(found["sum"], 16)


def _sum_of(line: bytes, found: re.Match[bytes], before: int) -> int:
    return crc32(line[: found.start()] + found["end"], before)


def _line(value: Any, before: int) -> tuple[bytes, int]:
    """A header or an event as a line with its sum."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    end = text[text.rindex("}") + 1 :]
    body = text[: len(text) - len(end) - 1]
    total = crc32((body + end).encode(), before)
    comma = "" if body.endswith("{") else ","
    return f'{body}{comma}"sum":"{total:08x}"}}{end}\n'.encode(), total


class Log:
    """The file of a match that is played, held by this process alone."""

    def __init__(self, path: Path, descriptor: int, recording: Recording) -> None:
        self.path = path
        self.header = recording.header
        self.torn = recording.torn  # bytes that were cut off when it was opened
        self._descriptor = descriptor
        self._count = len(recording.entries)
        self._size = recording.size
        self._sum = recording.sum
        self._unclean = False

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any], *, replace: bool = False) -> Log:
        """A new file with its header on the disk; OutputError when it cannot be written or, unasked, is there."""
        check_ending(path, (ENDING,))
        check_writable(path)
        if path.exists():
            if not replace:
                raise OutputError("{file} is already there; name another file, or go on with it.", file=str(path))
            os.close(_opened(path))  # refused while somebody plays it
        line, _total = _line({"format": FORMAT, "version": VERSION, "kind": MATCH, **header}, 0)
        with whole_file(path) as beside, beside.open("wb") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)
        return cls.open(path)[0]

    @classmethod
    def open(cls, path: Path) -> tuple[Log, Recording]:
        """The file to go on with, a torn last line cut off, and what it holds.

        InputError when another process plays it, SceneError when it is damaged, OutputError when it is read-only.
        """
        descriptor = _opened(path)
        try:
            recording = read_log(path)
            log = cls(path, descriptor, recording)
            os.ftruncate(descriptor, recording.size)
            if not _ends_line(descriptor, recording.size):
                _write(descriptor, b"\n")
                log._size += 1
            os.fsync(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise _refusal(path, error) from None
        except BaseException:
            os.close(descriptor)
            raise
        return log, recording

    def append(self, *events: tuple[float, str, Mapping[str, Any]]) -> tuple[Entry, ...]:
        """Writes the events and comes back when they are on the disk; OutputError when they are not, none of them."""
        lines, total, entries = [], self._sum, []
        for offset, (t, kind, data) in enumerate(events, start=1):
            line, total = _line([round(t, 3), kind, data], total)
            lines.append(line)
            entries.append(Entry(self._count + offset, round(t, 3), kind, data))
        written = b"".join(lines)
        try:
            if self._unclean:
                os.ftruncate(self._descriptor, self._size)
            self._unclean = True  # half a line may be left: the next one must not be glued to it
            _write(self._descriptor, written)
            self._unclean = False
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise _refusal(self.path, error) from None
        self._count, self._size, self._sum = self._count + len(entries), self._size + len(written), total
        return tuple(entries)

    def close(self) -> None:
        """Lets go of the file; may be called twice."""
        if self._descriptor >= 0:
            _let_go(self._descriptor)
            os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _opened(path: Path) -> int:
    """The file, open for appending and held; InputError when another process holds it, SceneError without a file."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise SceneError("There is no file {file}.", file=str(path)) from None
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from None
    deadline = time.monotonic() + PATIENCE
    while not _held(descriptor):
        if time.monotonic() > deadline:
            os.close(descriptor)
            raise InputError("{file} is being played by another process.", file=str(path))
        time.sleep(0.02)
    return descriptor


def _held(descriptor: int) -> bool:
    """Whether this process holds the file now. The system lets go of it however the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, 2**40, os.SEEK_SET)  # far behind the end: others may read the lines
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a disk that knows no locks; better played unguarded than not at all
    return True


def _let_go(descriptor: int) -> None:
    """Frees the file even when worker processes have inherited it."""
    if sys.platform != "win32":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def _ends_line(descriptor: int, size: int) -> bool:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def _sync_folder(folder: Path) -> None:
    """Puts the file's name on the disk, where folders can be opened."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refusal(path: Path, error: OSError | ValueError) -> OutputError:
    reason = getattr(error, "strerror", None) or str(error)
    return OutputError("{file} cannot be written: {reason}.", file=str(path), reason=reason)
