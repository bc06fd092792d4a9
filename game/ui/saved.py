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

from game import catalogue
from game.catalogue import game_named
from game.core import Value, read_options
from game.match.history import HAND, SIMULATED
from game.match.players import check_name, strength_of
from game.match.saved import kept_matches
from game.pictures.theme import COLOURS, TEXT_SIZES
from game.text.game_text import needed_text, text_of, title_of
from game.text.names import shown_names
from game.words import LANGUAGES
from physics.errors import ToppleError
from physics.files import whole_file
from physics.folders import data_folder

NAME, VERSION = "choices.json", 1


# What there is to choose from


def games_there() -> tuple[str, ...]:
    """The games that people can play."""
    return tuple(name for name in catalogue.GAMES if text_of(name) is not None)


def usual_game() -> str:
    """The game that is proposed to who has not chosen one."""
    return games_there()[0]


def tables_there() -> tuple[str, ...]:
    """The tables that can be played at: the simulated one, and one of the players' own, of which they tell."""
    return SIMULATED, HAND


# The last choices


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen last."""

    game: str = field(default_factory=usual_game)
    players: tuple[str, ...] = ("", "bot:normal")  # an empty name: the window's word for a player
    colours: Mapping[str, str] = field(default_factory=dict)  # by what `colours.keys_of` calls a player
    options: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)  # by game
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
    game = next((name for name in games_there() if name == data.get("game")), usual_game())
    good = {name: read(data[name], game) for name, read in _READ.items() if name in data}
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


def _game(value: Any, game: str) -> str | None:
    return game if value == game else None


def _players(value: Any, game: str) -> tuple[str, ...] | None:
    if not isinstance(value, list) or len(value) not in game_named(game).seats:
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


def _colours(value: Any, _game: str) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {name: colour for name, colour in value.items() if isinstance(colour, str) and colour in COLOURS}


def _options(value: Any, game: str) -> dict[str, dict[str, Value]] | None:
    """By game; the first files have those of their only game alone."""
    if not isinstance(value, dict):
        return None
    by_game = value if all(isinstance(each, dict) for each in value.values()) else {game: value}
    found = {name: _options_of(name, given) for name, given in by_game.items() if name in games_there()}
    return {name: given for name, given in found.items() if given}


def _options_of(game: str, given: Mapping[str, Any]) -> dict[str, Value]:
    """The options as they are read; none when one of them makes no sense."""
    if any(type(each) not in (int, str) for each in given.values()):
        return {}
    try:
        read = read_options(game_named(game), given)
    except ToppleError:
        return {}
    return {name: read[name] for name in given}


def _flag(value: Any, _game: str) -> bool | None:
    return value if isinstance(value, bool) else None


def _one_of(*allowed: object) -> Callable[[Any, str], Any]:
    return lambda value, _game: value if type(value) in (str, int, float) and value in allowed else None


def _share(value: Any, _game: str) -> float | None:
    return float(value) if type(value) in (int, float) and 0 <= value <= 1 else None


_READ: Mapping[str, Callable[[Any, str], Any]] = {
    "game": _game,
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
    """A match that was left before its end; its words are in the language in use."""

    path: Path
    game: str
    players: tuple[str, ...]  # as the match names them
    view: Mapping[str, Any]  # what all may know of it
    left: float  # s since the epoch, when the file was last written

    @property
    def names(self) -> tuple[str, ...]:
        """The players as people call them."""
        return shown_names(self.players)

    @property
    def standing(self) -> str:
        """How far it is, as the game says it; which game it is, where there are several."""
        said = needed_text(self.game).standing(self.view, self.names)
        return f"{title_of(self.game)}. {said}" if len(games_there()) > 1 else said


def unfinished(folder: Path) -> tuple[Unfinished, ...]:
    """The matches in that folder that are not over, the one left last first; files that are damaged are passed over.

    Reads whole files: not for every frame.
    """
    found = []
    for each in kept_matches(folder):
        setup, history = each.history.setup, each.history
        if setup.game in games_there() and not each.is_over:
            view = history.game.view(history.state, None)
            found.append(Unfinished(each.path, setup.game, setup.names, view, each.left))
    return tuple(found)
