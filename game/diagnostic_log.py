"""The diagnostic log's file, which several processes may write to, and how its lines look."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from traceback import TracebackException
from typing import TextIO

from physics.harmless import harmless

MAX_BYTES = 1_000_000  # of one file
FILES = 3  # the newest and those before it
MAX_MESSAGE = 2_000  # letters
MAX_TRACEBACK = 12_000  # letters, of which the last ones count
AGAIN = 10.0  # s after which the same may be said again
STALE = 60.0  # s after which whoever was turning the files over has surely died
SECRET = re.compile(r"://[^/@\s]*@")  # a name and a password before a camera's address


@contextlib.contextmanager
def attached(log: logging.Logger, file: Path, *, to_stderr: bool) -> Iterator[None]:
    """The logger, Python's warnings and what ends a thread are written to that file, and to stderr where wished."""
    handlers: list[logging.Handler] = [FileLog(file)]
    if to_stderr:
        handlers.append(StderrLog())
    level, propagates = log.level, log.propagate
    warned, thread_ended = warnings.showwarning, threading.excepthook

    def on_warning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        log.warning("%s: %s (%s:%d)", category.__name__, message, filename, lineno)
        warned(message, category, filename, lineno, file, line)

    def on_thread_ended(what: threading.ExceptHookArgs) -> None:
        log.critical("a thread ended: %s", what.exc_value, exc_info=what.exc_value)
        thread_ended(what)

    for handler in handlers:
        handler.setFormatter(Lines())
        handler.addFilter(SaidOnce())
        log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate = False  # others would get the records as they are, not made harmless
    warnings.showwarning, threading.excepthook = on_warning, on_thread_ended
    try:
        yield
    finally:
        warnings.showwarning, threading.excepthook = warned, thread_ended
        log.setLevel(level)
        log.propagate = propagates
        for handler in handlers:
            log.removeHandler(handler)
            handler.close()


class Lines(logging.Formatter):
    """One line a record, a traceback below it set in: made harmless, without passwords, the home folder as ~."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as it stands in the file."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(record.created))
        message = _clean(record.getMessage())
        if len(message) > MAX_MESSAGE:
            message = message[:MAX_MESSAGE] + "…"
        lines = [f"{when} {record.process} {record.levelname} {record.name}: {message}"]
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and error.__traceback__ is not None:
            traceback = _whole_traceback(error)
            if len(traceback) > MAX_TRACEBACK:
                traceback = "…" + traceback[-MAX_TRACEBACK:]
            lines += [f"    {_clean(line)}" for line in traceback.splitlines()]
        return "\n".join(lines)


def _whole_traceback(error: BaseException) -> str:
    """Where the error came from, with those behind it that a sentence for people leaves out (`from None`)."""
    told = TracebackException.from_exception(error)
    inner: TracebackException | None = told
    while inner is not None:
        inner.__suppress_context__ = False
        inner = inner.__cause__ or inner.__context__
    return "".join(told.format())


def _clean(text: str) -> str:
    home = os.path.expanduser("~").rstrip(os.sep)  # noqa: PTH111 - without a home it stays as it is
    if home not in ("", "~"):
        text = text.replace(home + os.sep, "~" + os.sep)
    return harmless(SECRET.sub("://…@", text))


class SaidOnce(logging.Filter):
    """Leaves out what was said a moment ago: a camera may fail in the same way at every picture."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, float] = {}  # when, s

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record says something that was not said for a while."""
        now, text = record.created, record.getMessage()
        self._said = {before: when for before, when in self._said.items() if now - when < AGAIN}
        return self._said.setdefault(text, now) == now


class StderrLog(logging.Handler):
    """Writes to what stderr is at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        """Writes the record."""
        if sys.stderr is not None:
            print(self.format(record), file=sys.stderr, flush=True)


class FileLog(logging.Handler):
    """Adds to a file that is turned over when it is full. What cannot be written is not: no run fails for its log.

    The file is opened for each record and written to at once, at its end, so that processes do not hurt each other's
    lines and none holds on to a file that another turns over.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        super().__init__()
        self._path = path
        self._max_bytes = max_bytes

    def emit(self, record: logging.LogRecord) -> None:
        """Writes the record."""
        text = self.format(record) + "\n"
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._is_full():
                self._turn_over()
            with open(self._path, "ab", buffering=0) as file:  # noqa: PTH123 - a raw file: one write a record
                file.write(text.encode("utf-8", "backslashreplace"))

    def _is_full(self) -> bool:
        try:
            return self._path.stat().st_size >= self._max_bytes
        except FileNotFoundError:
            return False

    def _turn_over(self) -> None:
        """The full file becomes .1, that .2, and the oldest is gone; one process does it, the others write on."""
        turn = self._path.with_name(self._path.name + ".turn")
        try:
            os.close(os.open(turn, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            if time.time() - turn.stat().st_mtime > STALE:
                turn.unlink(missing_ok=True)
            return
        try:
            if self._is_full():
                names = [self._path, *(self._path.with_name(f"{self._path.name}.{n}") for n in range(1, FILES))]
                for older, newer in zip(names[:0:-1], names[-2::-1], strict=True):
                    if newer.exists():
                        newer.replace(older)
        finally:
            turn.unlink(missing_ok=True)
