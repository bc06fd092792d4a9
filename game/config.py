"""A person's own defaults, from a file: TOML with a table for each command. What is typed wins over them."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.words import LANGUAGES, _
from physics.errors import SceneError
from physics.fields import Fields, Source, printable, read_toml, shown
from physics.harmless import harmless

GENERAL = "general"
KEYS: dict[str, tuple[str, ...]] = {
    GENERAL: ("lang", "engine", "workers"),
    "play": ("players", "text", "plain", "workers"),
    "replay": ("text",),
    "predict": ("engine", "workers", "width", "confidence", "hint"),
    "row": ("engine", "workers", "width", "confidence", "hint", "set"),
    "simulate": ("engine",),
    "validate": ("engine", "workers"),
    "read": ("set",),
    "watch": ("headless", "rounds"),
    "mat": ("set",),
    "rig": ("port", "countdown"),
}
"""What may stand in which table: options of that command; those of the general one hold for all that have them.

None of them may make a command need more packages than the launcher sees in what is typed.
"""
OF_THE_MATCH = "players"
"""What a match that is gone on with has of its own."""


@dataclass(frozen=True)
class Config:
    """A configuration file that was read, its tables and keys known, its values not yet looked at."""

    source: Source

    def language(self) -> str | None:
        """The language it names, if any; SceneError when topple does not speak it."""
        fields = Fields(self.source).inner(GENERAL)
        return fields.choice("lang", None, LANGUAGES) if fields.has("lang") else None

    def apply(self, command: str, parser: argparse.ArgumentParser, typed: Sequence[str] = ()) -> None:
        """Makes its values the defaults of a command, and says so in its help; SceneError for one it cannot have."""
        actions = {action.dest: action for action in parser._actions}
        found: dict[str, Any] = {}
        resumes = any(len(word) > 4 and "--resume".startswith(word.partition("=")[0]) for word in typed)
        for table in (GENERAL, command):
            for key in KEYS.get(table, ()):
                value = self.source.data.get(table, {}).get(key)
                if value is None or key not in actions or key not in KEYS.get(command, ()):
                    continue
                if resumes and key == OF_THE_MATCH:
                    continue
                found[key] = self._read(table, actions[key], value)
        for key, value in found.items():
            if isinstance(actions[key], argparse._StoreTrueAction) and value:
                words = _("not as your configuration file says")
                parser.add_argument(f"--no-{key}", dest=key, action="store_false", help=words)
        parser.set_defaults(**found)
        if found:
            says = ", ".join(f"{key} = {_written(value)}" for key, value in found.items())
            yours = _("Your own defaults, from {file}: {defaults}.").format(file=self.source.name, defaults=says)
            parser.epilog = f"{yours}\n\n{parser.epilog or ''}".rstrip()

    def _read(self, table: str, action: argparse.Action, value: Any) -> Any:
        """The value as the option would have it."""
        fields = Fields(self.source, self.source.data[table], table)
        key = action.dest
        if action.nargs == 0:  # a flag
            if not isinstance(value, bool):
                raise fields.refusal(
                    key,
                    "{where}: {key} is {value}, but must be true or false.",
                    key=f"{table}.{key}",
                    value=shown(value),
                )
            return value
        if action.choices is not None:
            return fields.choice(key, None, tuple(action.choices))
        if not callable(action.type):
            return fields.text(key)
        try:
            return action.type(value if isinstance(value, str) else repr(value))
        except (argparse.ArgumentTypeError, ValueError) as error:
            reason = f"{table}.{key}: {printable(str(error), 200)}."
            raise fields.refusal(key, "{where}: {reason}", reason=reason) from None


def read_config(path: Path) -> Config:
    """What the file says; SceneError when it cannot be read or names what nobody knows."""
    source = read_toml(path)
    _check_names(source, "", source.data, KEYS)
    for table, keys in KEYS.items():
        inner = source.data.get(table, {})
        if not isinstance(inner, dict):
            Fields(source).inner(table)  # which refuses it
        _check_names(source, table, inner, keys)
    return Config(source)


def _check_names(source: Source, table: str, names: Iterable[str], known: Iterable[str]) -> None:
    """SceneError for the first name that is not known, with the one that may have been meant."""
    strange = next((name for name in names if name not in known), None)
    if strange is None:
        return
    fields = {
        "where": source.where(table, 0, strange),
        "key": f"{table}.{printable(strange, 40)}" if table else printable(strange, 40),
        "known": ", ".join(known),
    }
    near = difflib.get_close_matches(strange, list(known), 1)
    if near:
        raise SceneError("{where}: {key} is not known here, but {near} is; known are {known}.", near=near[0], **fields)
    raise SceneError("{where}: {key} is not known here; known are {known}.", **fields)


def _written(value: object) -> str:
    """The value as such a file has it, its quotes left out."""
    return str(value).lower() if isinstance(value, bool) else harmless(str(value))
