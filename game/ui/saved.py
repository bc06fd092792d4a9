"""What the window remembers from one time to the next: the last choices, and matches that can be gone on with.

The choices are a small JSON file with a version in the user's data folder. A file that is damaged, or of
another version, or holds something odd, counts as far as it makes sense; the rest is as by default.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from game.catalogue import GAMES, game_named
from game.core import Value, read_options
from game.match.history import HAND, SIMULATED
from game.match.players import check_name, strength_of
from game.match.saved import kept_matches
from game.pictures.theme import COLOURS
from game.text.names import shown_names
from game.words import LANGUAGES
from physics.errors import ToppleError
from physics.files import whole_file
from physics.folders import data_folder

NAME, VERSION = "choices.json", 1
GAME = "evaluation"
IN_WINDOW = frozenset({GAME})  # games that have a face in the window
TEXT_SIZES = (1.0, 1.25, 1.5, 2.0)


# What there is to choose from


def games_there() -> tuple[str, ...]:
    """The games that can be played in the window."""
    return tuple(name for name in GAMES if name in IN_WINDOW)


def tables_there() -> tuple[str, ...]:
    """The tables that can be played at: the simulated one, and one of the players' own, of which they tell."""
    return SIMULATED, HAND


# The last choices


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen last."""

    game: str = GAME
    players: tuple[str, ...] = ("", "bot:normal")  # an empty name: the window's word for a player
    colours: Mapping[str, str] = field(default_factory=dict)  # by what `colours.keys_of` calls a player
    options: Mapping[str, Value] = field(default_factory=dict)
    table: str = SIMULATED
    hints: bool = False
    clumsy: bool = False
    language: str = ""  # empty: that of the system
    sound: float = 0.7  # 0 to 1
    contrast: bool = False  # high
    text_size: float = 1.0  # times the usual


def remembered(folder: Path | None = None) -> Choices:
    """The last choices; the defaults for all that is not there or makes no sense. Never raises."""
    path = (folder or data_folder()) / NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Choices()
    if not isinstance(data, dict) or data.get("version") != VERSION:
        return Choices()
    good = {name: read(data[name]) for name, read in _READ.items() if name in data}
    return Choices(**{name: value for name, value in good.items() if value is not None})


def remember(choices: Choices, folder: Path | None = None) -> bool:
    """Keeps the choices for the next time; False when they cannot be written, which must not end a game."""
    path = (folder or data_folder()) / NAME
    data = {"version": VERSION, **asdict(choices)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as beside:
            beside.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except (OSError, ToppleError):
        return False
    return True


def _players(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or len(value) not in game_named(GAME).seats:
        return None
    for name in value:
        if not isinstance(name, str):
            return None
        try:
            if name:
                check_name(name)
            strength_of(name)
        except ToppleError:
            return None
    return tuple(value)


def _colours(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {name: colour for name, colour in value.items() if isinstance(colour, str) and colour in COLOURS}


def _options(value: Any) -> dict[str, Value] | None:
    if not isinstance(value, dict) or any(type(each) not in (int, str) for each in value.values()):
        return None
    try:
        read = read_options(game_named(GAME), value)
    except ToppleError:
        return None
    return {name: read[name] for name in value}


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _one_of(*allowed: object) -> Callable[[Any], Any]:
    return lambda value: value if type(value) in (str, int, float) and value in allowed else None


def _share(value: Any) -> float | None:
    return float(value) if type(value) in (int, float) and 0 <= value <= 1 else None


_READ: Mapping[str, Callable[[Any], Any]] = {
    "game": _one_of(*games_there()),
    "players": _players,
    "colours": _colours,
    "options": _options,
    "table": _one_of(*tables_there()),
    "hints": _flag,
    "clumsy": _flag,
    "language": _one_of("", *LANGUAGES),
    "sound": _share,
    "contrast": _flag,
    "text_size": _one_of(*TEXT_SIZES),
}


# Matches that can be gone on with


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that was left before its end."""

    path: Path
    players: tuple[str, ...]  # as the match names them
    chips: tuple[int, ...]
    round: int
    rounds: int
    left: float  # s since the epoch, when the file was last written

    @property
    def names(self) -> tuple[str, ...]:
        """The players as people call them, in the language in use."""
        return shown_names(self.players)


def unfinished(folder: Path) -> tuple[Unfinished, ...]:
    """The matches in that folder that are not over, the one left last first; files that are damaged are passed over.

    Reads whole files: not for every frame.
    """
    found = []
    for each in kept_matches(folder):
        setup, state = each.history.setup, each.history.state
        if setup.game in games_there() and not each.is_over:
            found.append(Unfinished(each.path, setup.names, state.chips, state.round, state.rounds, each.left))
    return tuple(found)
