"""The terminal, or the pipe, that a match is played in: what is said, asked, and asked in secret."""

from __future__ import annotations

import contextlib
import getpass
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TextIO, cast

from game.progress import Progress

COLUMN = 14  # where explanations begin
WIDEST = 80  # columns; longer lines are hard to read


class Terminal:
    """Where people read and type.

    Plain is for screen readers, pipes and simple terminals: sentences only, one to a line, nothing drawn or rewritten.
    """

    def __init__(self, out: TextIO | None = None, *, plain: bool | None = None) -> None:
        self._out = sys.stdout if out is None else out
        self._typed = sys.stdin is not None and sys.stdin.isatty()  # it is None where it was closed
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no words either
        is_screen = self._out.isatty() and os.environ.get("TERM") != "dumb"
        self.plain = not is_screen if plain is None else plain
        self.width = min(WIDEST, max(20, shutil.get_terminal_size((WIDEST, 24)).columns - 1))
        if self._typed and self._out is sys.stdout:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  (gives `input` its keys)

    @property
    def blocks(self) -> bool:
        """Whether block elements can be printed."""
        try:
            "█▄─►◄".encode(self._out.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def say(self, text: str = "") -> None:
        """The text, broken into lines where it is read by eye."""
        if not self.plain:
            text = textwrap.fill(text, self.width, break_long_words=False, break_on_hyphens=False)
        print(text, file=self._out, flush=True)

    def explain(self, word: str, words: str) -> None:
        """What the word, or a longer saying, is good for."""
        if self.plain:
            self.say(f"{word}: {words}.")
            return
        is_short = len(word) < COLUMN - 3
        if not is_short:
            print(f"  {word}", file=self._out)
        first = f"  {word}".ljust(COLUMN) if is_short else " " * COLUMN
        print(textwrap.fill(words, self.width, initial_indent=first, subsequent_indent=" " * COLUMN), file=self._out)

    def show(self, lines: list[str]) -> None:
        """The lines as they are."""
        print("\n".join(lines), file=self._out, flush=True)

    def ask(self, question: str, *, secret: bool = False) -> str:
        """What is typed, which a secret question never shows; EOFError when there is no more."""
        if not self._typed:
            self.say(f"{question}:")
            return _line()
        if secret:
            return self._ask_unseen(f"{question}: ")
        if self._out is sys.stdout and "readline" in sys.modules:
            return input(f"{question}: ")
        print(f"{question}: ", end="", file=self._out, flush=True)
        return _line()

    def _ask_unseen(self, prompt: str) -> str:
        if sys.platform == "win32":
            return getpass.getpass(prompt)
        with _unseen():
            print(prompt, end="", file=self._out, flush=True)
            try:
                return _line()
            finally:
                print(file=self._out, flush=True)

    def progress(self) -> Progress:
        """Tells how long work goes on: a line that changes, or, where that is a nuisance, a line now and then."""
        return Progress(cast(TextIO, _Lines()) if self.plain else None)


class _Lines:
    """The error stream for those to whom a line that is rewritten means nothing."""

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def _line() -> str:
    text = "" if sys.stdin is None else sys.stdin.readline()
    if not text:
        raise EOFError
    return text.rstrip("\r\n")


@contextlib.contextmanager
def _unseen() -> Iterator[None]:
    """What is typed meanwhile is not shown, nor is what was typed before taken for it."""
    import termios

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    silent = list(before)
    silent[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
