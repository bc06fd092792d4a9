"""What the program says and hears through: signs a console lacks are drawn with those it has, a full disk is told."""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata
from typing import Any

from physics.errors import OutputError

NEAREST = "nearest"
"""The name under which `encode` finds the error handler."""

SIGNS = str.maketrans(
    {
        **dict.fromkeys("█▄●■▸", "#"),
        **dict.fromkeys("░○□", "."),
        **dict.fromkeys("─‐‑‒–—−", "-"),
        **dict.fromkeys("│┃", "|"),
        **dict.fromkeys("├└┌┐┘┤┬┴┼", "+"),
        **dict.fromkeys("►▶", ">"),
        **dict.fromkeys("◄◀", "<"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’ʼ", "'"),
        **dict.fromkeys("µμ", "u"),
        **dict.fromkeys("·∙", "*"),
        "←": "<-",
        "→": "->",
        "↑": "^",
        "↓": "v",
        "↔": "<->",
        "×": "x",
        "±": "+/-",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "≈": "~",
        "√": "sqrt",
        "✓": "+",
        "✗": "x",
        "␣": "_",
        "⁄": "/",
        "α": "alpha",
        "π": "pi",
        "σ": "sigma",
        "φ": "phi",
        "ω": "omega",
        "ø": "o",
        "ß": "ss",
    }
)


class Unwritable(Exception):
    """Nobody can be told anything more on stdout; what says why is its `reason`.

    No ToppleError, for whoever handles those goes on and asks again.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.reason = OutputError(
            "What this command prints cannot be written: {reason}.", reason=error.strerror or str(error)
        )


class _Stdout(io.TextIOWrapper):
    """Raises Unwritable where the system refuses what is printed, once; BrokenPipeError when its reader has left."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise self._end(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._end(error) from None

    def _end(self, error: OSError) -> Exception:
        _to_nowhere(self)
        return error if isinstance(error, BrokenPipeError) else Unwritable(error)


class _Stderr(io.TextIOWrapper):
    """Says what can be said: there is nobody to tell that it could not."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            _to_nowhere(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _to_nowhere(self)


def _to_nowhere(stream: io.TextIOWrapper) -> None:
    """What is still to be written, also by Python at the end, is lost without a word."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def take_over() -> None:
    """Makes the streams of this process ours; those that came closed are there afterwards, too."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is the closed one's. Taken, or the next file opened would get what is printed;
            # for reading only, so that printing is refused as the closed one would.
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _again(sys.stdout, 1, _Stdout)
    sys.stderr = _again(sys.stderr, 2, _Stderr)


def _again(stream: Any, number: int, kind: type[io.TextIOWrapper]) -> io.TextIOWrapper:
    """The stream of that number as one of our kind."""
    if stream is None:
        return kind(io.FileIO(number, "w", closefd=False), encoding="utf-8", write_through=True)
    details = {
        "encoding": stream.encoding,
        "errors": stream.errors,
        "line_buffering": stream.line_buffering,
        "write_through": stream.write_through,
    }
    return kind(stream.detach(), **details)


def say_the_nearest(stream: object) -> None:
    """From now on the stream writes what its encoding lacks as the nearest it has."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=NEAREST)


def can_show(text: str) -> bool:
    """Whether both streams have every sign of the text as it is."""
    try:
        for stream in (sys.stdout, sys.stderr):
            text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def losses() -> int:
    """How often a stream of this process had nothing nearer than a question mark for what was written."""
    return _losses


def nearest(text: str, encoding: str = "ascii", before: str = "") -> str:
    """The text in signs of that encoding: bars as # and ., arrows as ->, letters without their marks, else as ?."""
    said = ""
    for sign in text:
        if sign == "°":
            plain = " deg" if (before + said)[-1:].isdigit() else "deg"
        else:
            plain = sign.translate(SIGNS)
            if plain == sign:
                plain = "".join(
                    part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part)
                ).translate(SIGNS)
        said += plain.encode(encoding, "replace").decode(encoding) if plain else ""
    return said


_losses = 0


def _handler(error: UnicodeError) -> tuple[str, int]:
    global _losses
    if not isinstance(error, UnicodeEncodeError):
        raise error
    said = nearest(error.object[error.start : error.end], error.encoding, error.object[: error.start])
    _losses += said.count("?")  # none of what is handed over here is a question mark itself
    return said, error.end


codecs.register_error(NEAREST, _handler)
