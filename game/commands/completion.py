"""completion: a script that teaches a shell the commands, their options and what these take."""

from __future__ import annotations

import argparse
from pathlib import Path

from game.words import _

SHELLS = ("bash", "zsh", "tcsh", "fish")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of completion."""
    parser.add_argument("shell", choices=SHELLS, help=_("the shell that the script is for"))


def run(options: argparse.Namespace) -> int:
    """Prints the script; 0."""
    import shtab

    from game.arguments import EVERY, parser

    whole = parser(EVERY)
    _tell_files(whole, shtab.FILE, shtab.DIRECTORY)
    print(shtab.complete(whole, options.shell))
    return 0


def _tell_files(parser: argparse.ArgumentParser, files: object, folders: object) -> None:
    """Says of every argument that is a path whether shells shall offer files or folders."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _tell_files(inner, files, folders)
        elif action.type is Path:
            action.complete = folders if action.metavar == _("FOLDER") else files  # type: ignore[attr-defined]
