"""The terminal, or the pipe, that a match is played in: what is said, asked, and asked in secret."""

from __future__ import annotations

import contextlib
import getpass
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TextIO, cast

from game.text.lines import LineInput
from game.workers.progress import Progress
from physics.harmless import harmless

COLUMN = 14  # where explanations begin
LOOK = 0.1  # s between two looks at what happens while somebody is asked
WIDEST = 80  # columns; longer lines are hard to read


class Overtaken(Exception):
    """Something has happened that makes the question another one."""


class Terminal:
    """Where people read and type.

    Plain is for screen readers, pipes and simple terminals: sentences only, one to a line, nothing drawn or rewritten.
    """

    def __init__(self, out: TextIO | None = None, *, plain: bool | None = None, lines: LineInput | None = None) -> None:
        """`lines`: what is typed, where a question may be overtaken by what happens."""
        self._out = sys.stdout if out is None else out
        self._lines = lines
        self._typed = sys.stdin is not None and sys.stdin.isatty()  # it is None where it was closed
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no words either
        is_screen = self._out.isatty() and os.environ.get("TERM") != "dumb"
        self.plain = not is_screen if plain is None else plain
        self.width = min(WIDEST, max(20, shutil.get_terminal_size((WIDEST, 24)).columns - 1))
        if self._typed and self._out is sys.stdout and lines is None:
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

    def wipe(self) -> None:
        """Nothing of what was said can be read any more, not by scrolling back either, where this is a screen."""
        if self._out.isatty() and os.environ.get("TERM") != "dumb":
            print("\033[2J\033[3J\033[H", end="", file=self._out, flush=True)

    def ask(self, question: str, *, secret: bool = False, overtaken: Callable[[], bool] = lambda: False) -> str:
        """What is typed, which a secret question never shows; EOFError when there is no more.

        `overtaken` is asked now and then where lines are given: Overtaken once it says so.
        """
        if self._lines is not None:
            return self._ask_between(question, self._lines, overtaken, secret=secret)
        if not self._typed:
            self.say(f"{question}:")
            return _line()
        if secret:
            return self._ask_unseen(f"{question}: ")
        if self._out is sys.stdout and "readline" in sys.modules:
            return input(f"{harmless(question)}: ")  # which goes by every stream of ours
        print(f"{question}: ", end="", file=self._out, flush=True)
        return _line()

    def _ask_between(self, question: str, lines: LineInput, overtaken: Callable[[], bool], *, secret: bool) -> str:
        is_screen = self._typed and not self.plain
        print(f"{question}:", end=" " if is_screen else "\n", file=self._out, flush=True)
        with _unseen() if secret and self._typed and sys.platform != "win32" else contextlib.nullcontext():
            try:
                while (line := lines.poll(LOOK)) is None:
                    if lines.is_over:
                        raise EOFError
                    if overtaken():
                        raise Overtaken
            finally:
                if is_screen and (secret or line is None):
                    print(file=self._out, flush=True)
        return line

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
