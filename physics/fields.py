"""Reading a TOML file strictly: every value with its type and range, every refusal with file and line."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from physics.errors import SceneError, Word
from physics.harmless import harmless

MAX_BYTES = 4_000_000
MAX_KEY_PARTS = 16  # a.b.c has three; the parser's memory grows with their square
_RECORDING = re.compile(rb'\s*\{\s*"format"\s*:\s*"topple"')  # how a .topple file begins, and no TOML can
_QUOTED = re.compile(r""""(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?""")
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


@dataclass(frozen=True)
class Source:
    """A file as it was read: its name, its text and its values."""

    name: str
    text: str
    data: dict[str, Any]

    def where(self, table: str, number: int, key: str | None) -> str:
        """file:line of a key in the number-th table of that name; the file alone where the line is not found."""
        wanted = table if key is None else _joined(table, key)
        current, seen, near = "", 0, None
        for count, line in enumerate(self.text.split("\n"), start=1):
            words = line.strip()
            if words.startswith("["):
                path = current = _unquoted(words.lstrip("[").partition("]")[0])
                seen += current == table
            elif "=" in words and not words.startswith("#"):
                path = _joined(current, _unquoted(words.partition("=")[0]))
            else:
                continue
            if seen not in (0, number + 1):
                continue
            if path == wanted or (wanted and path.startswith(wanted + ".")):
                return f"{self.name}:{count}"
            if near is None and path == table:
                near = count
        return self.name if near is None else f"{self.name}:{near}"


def _joined(table: str, key: str) -> str:
    return f"{table}.{key}" if table else key


def _unquoted(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def read_toml(path: Path) -> Source:
    """The file's text and values; SceneError when it cannot be opened, is no text or no TOML."""
    name = printable(str(path), 4096)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SceneError("There is no file {file}.", file=name) from None
    except IsADirectoryError:
        raise SceneError("{file} is a folder, not a file.", file=name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SceneError("{file} cannot be read: {reason}.", file=name, reason=reason) from None
    if _RECORDING.match(raw):
        raise SceneError("{file} is a match or a run; ./topple replay reads it.", file=name)
    if len(raw) > MAX_BYTES:
        raise SceneError("{file} is larger than {limit} MB, the most a file may have.", file=name, limit=4)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SceneError("{where}: this is not UTF-8 text.", where=f"{name}:{line}") from None
    bare = _QUOTED.sub("_", text)
    long_key = _LONG_KEY.search(bare)
    if long_key:
        line = bare.count("\n", 0, long_key.start()) + 1
        raise SceneError("{where}: a key has more than {limit} parts.", where=f"{name}:{line}", limit=MAX_KEY_PARTS)
    try:
        return Source(name, text, tomllib.loads(text.replace("\r\n", "\n")))
    except tomllib.TOMLDecodeError as error:
        reason, _, position = str(error).rpartition(" (at ")
        found = re.search(r"line (\d+)", position)
        where = f"{name}:{found.group(1) if found else text.count(chr(10)) + 1}"
        raise SceneError("{where}: broken TOML: {reason}.", where=where, reason=printable(reason, 200)) from None
    except (RecursionError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise SceneError("{where}: broken TOML: {reason}.", where=name, reason=reason) from None


class Fields:
    """One table of a file, read key by key; what is left over at the end was not known."""

    def __init__(self, source: Source, data: dict[str, Any] | None = None, table: str = "", index: int = 0) -> None:
        self.source = source
        self.table = table
        self.index = index
        self._left = dict(source.data if data is None else data)
        self._known: dict[str, None] = {}

    def refusal(self, at: str | None, sentence: str, /, **fields: object) -> SceneError:
        """A SceneError that points to that key."""
        return SceneError(sentence, where=self.source.where(self.table, self.index, at), **fields)

    def _take(self, key: str, default: Any) -> Any:
        self._known[key] = None
        if key in self._left:
            return self._left.pop(key)
        if default is None:
            raise self.refusal(None, "{where}: {key} is missing.", key=self._named(key))
        return default

    def _named(self, key: str) -> str:
        return _joined(self.table, printable(key, 40))

    def number(self, key: str, default: float | None = None, *, low: float, high: float, unit: str = "") -> float:
        """A finite number within the range."""
        value = self._take(key, default)
        return self._in_range(key, value, low, high, unit)

    def whole(self, key: str, default: int | None = None, *, low: int, high: int) -> int:
        """A whole number within the range."""
        value = self._take(key, default)
        if not _is_whole(value, low, high):
            raise self.refusal(
                key,
                "{where}: {key} is {value}, but must be a whole number from {low} to {high}.",
                key=self._named(key),
                value=shown(value),
                low=low,
                high=high,
            )
        return int(value)

    def whole_or_any(self, key: str, default: int | None = None, *, low: int, high: int) -> int | None:
        """A whole number within the range, or None for the word any."""
        value = self._take(key, default)
        if value == "any":
            return None
        if not _is_whole(value, low, high):
            raise self.refusal(
                key,
                '{where}: {key} is {value}, but must be a whole number from {low} to {high}, or "any".',
                key=self._named(key),
                value=shown(value),
                low=low,
                high=high,
            )
        return int(value)

    def pair(
        self, key: str, default: tuple[float, float] | None, *, low: float, high: float, unit: str = ""
    ) -> tuple[float, float]:
        """Two finite numbers within the range."""
        value = self._take(key, list(default) if default else None)
        if not isinstance(value, list) or len(value) != 2:
            raise self.refusal(
                key,
                "{where}: {key} is {value}, but must be two numbers in brackets.",
                key=self._named(key),
                value=shown(value),
            )
        first, second = (self._in_range(key, item, low, high, unit) for item in value)
        return first, second

    def numbers(self, key: str, *, count: int, low: float, high: float) -> tuple[float, ...]:
        """As many finite numbers as that, within the range."""
        value = self._take(key, None)
        if not isinstance(value, list) or len(value) != count:
            raise self.refusal(
                key,
                "{where}: {key} is {value}, but must be {count} numbers in brackets.",
                key=self._named(key),
                value=shown(value),
                count=count,
            )
        return tuple(self._in_range(key, item, low, high, "") for item in value)

    def choice(self, key: str, default: str | None, allowed: tuple[str, ...]) -> str:
        """One of the allowed words."""
        value = self._take(key, default)
        if value not in allowed:
            raise self.refusal(
                key,
                "{where}: {key} is {value}, but must be one of {allowed}.",
                key=self._named(key),
                value=shown(value),
                allowed=", ".join(allowed),
            )
        return str(value)

    def text(self, key: str, default: str | None = None) -> str:
        """Some words."""
        value = self._take(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.refusal(
                key,
                "{where}: {key} is {value}, but must be a text.",
                key=self._named(key),
                value=shown(value),
            )
        return value

    def value(self, key: str) -> object:
        """The value as it stands there, whatever it is."""
        return self._take(key, None)

    def has(self, key: str) -> bool:
        """Whether that key is given."""
        self._known[key] = None
        return key in self._left

    def inner(self, key: str) -> Fields:
        """The table of that name; an empty one when it is not given."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            raise self.refusal(
                key, "{where}: {key} is {value}, but must be a table [{key}].", key=key, value=shown(value)
            )
        return Fields(self.source, value, key)

    def tables(self, key: str) -> list[Fields]:
        """The list of tables of that name; empty when there is none."""
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.refusal(
                key, "{where}: {key} is {value}, but must be tables [[{key}]].", key=key, value=shown(value)
            )
        return [Fields(self.source, item, key, index) for index, item in enumerate(value)]

    def close(self) -> None:
        """Refuses what nobody asked for."""
        for key in self._left:
            raise self.refusal(
                key,
                "{where}: {key} is not known here; known are {known}.",
                key=self._named(key),
                known=", ".join(self._known),
            )

    def _in_range(self, key: str, value: Any, low: float, high: float, unit: str) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not (math.isfinite(value) if isinstance(value, float) else True) or not low <= value <= high:
            named, given = self._named(key), shown(value)
            limits = {"low": f"{low:.10g}", "high": f"{high:.10g}"}
            if not unit:
                raise self.refusal(
                    key,
                    "{where}: {key} is {value}, but must be a number from {low} to {high}.",
                    key=named,
                    value=given,
                    **limits,
                )
            raise self.refusal(
                key,
                "{where}: {key} is {value}, but must be a number from {low} to {high} {unit}.",
                key=named,
                value=given,
                unit=Word(unit),
                **limits,
            )
        return float(value)


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def shown(value: object) -> str:
    """A value from a file as a sentence quotes it, shortened where it is long."""
    try:
        words = f"{value!r}" if not isinstance(value, bool) else str(value).lower()
    except (ValueError, RecursionError):  # an integer of thousands of digits, tables a thousand deep
        return "…"
    return _shortened(harmless(words), 40)


def printable(name: str, most: int) -> str:
    """A name as a sentence may hold it: on one line, made harmless, of at most that many letters."""
    return _shortened(harmless(name) or "''", most)


def _shortened(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
