"""Which of the kept matches is meant, where a command was given no file: a list, and a number that is typed."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from game.catalogue import GAMES
from game.commands.options import GAME
from game.match.log import read_log
from game.match.saved import SavedMatch, kept_matches, matches_folder
from game.text.names import listed, shown_names
from game.words import _, named
from physics.errors import InputError
from physics.harmless import harmless

LIST = Path()
"""In place of a file that was not named."""


def resume_option(parser: argparse.ArgumentParser) -> None:
    """--resume, LIST where no file is named."""
    words = _("go on with a match from its file, or choose one from a list")
    parser.add_argument("--resume", type=Path, nargs="?", const=LIST, metavar=_("FILE"), help=words)


def chosen_match(command: str, *, unfinished: bool = False) -> Path:
    """The match that somebody chooses for that command; InputError without matches, or without a terminal."""
    return _chosen(command, _there(unfinished=unfinished), many=False)[0]


def game_option(parser: argparse.ArgumentParser) -> None:
    """--game."""
    parser.add_argument("--game", choices=tuple(GAMES), help=_("which game (evaluation)"))


def chosen_game(options: argparse.Namespace) -> str:
    """The game that is to be played; SceneError when the file of a match that goes on is damaged."""
    if options.resume is not None:
        return str(read_log(options.resume).header.get("game"))
    return options.game or GAME


def chosen_matches(command: str) -> list[Path]:
    """As `chosen_match`, but as many as one likes."""
    return _chosen(command, _there(unfinished=False), many=True)


def _there(*, unfinished: bool) -> tuple[SavedMatch, ...]:
    folder = matches_folder()
    found = tuple(each for each in kept_matches(folder) if not (unfinished and each.is_over))
    if not found and unfinished:
        raise InputError("There is no unfinished match in {folder}; name the file of one.", folder=str(folder))
    if not found:
        raise InputError("There is no match in {folder} yet; name a file.", folder=str(folder))
    return found


def _chosen(command: str, there: Sequence[SavedMatch], *, many: bool) -> list[Path]:
    """What is typed, of the list; Enter alone means the newest or, where many may be chosen, all."""
    _say(_("Matches in {folder}:").format(folder=named(there[0].path.parent)))
    for line in _rows(there):
        _say(line)
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError("Say which one, as in: {command}", command=f"{command} {shlex.quote(str(there[0].path))}")
    question = _("Which ones? (numbers; Enter: all)") if many else _("Which one? (its number; Enter: 1)")
    while True:
        print(f"{question} ", end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
        if not typed:
            raise InputError("No match was chosen.")
        numbers = typed.replace(",", " ").split() or [str(at + 1) for at in range(len(there) if many else 1)]
        if all(each.isdecimal() and 1 <= int(each) <= len(there) for each in numbers) and (many or len(numbers) == 1):
            return [there[int(each) - 1].path for each in numbers]


def _rows(there: Sequence[SavedMatch]) -> list[str]:
    """The matches by number: when, how far, who, which file."""
    states = [_("over") if each.is_over else _("unfinished") for each in there]
    wide = max(map(len, states))
    return [
        f"{number:>3}  {time.strftime('%Y-%m-%d %H:%M', time.localtime(each.left))}  {state:<{wide}}  "
        f"{listed(shown_names(each.history.setup.names))}  {harmless(each.path.name)}"
        for number, (each, state) in enumerate(zip(there, states, strict=True), start=1)
    ]


def _say(text: str) -> None:
    """Where errors go: what the command prints may be another program's."""
    print(text, file=sys.stderr)
