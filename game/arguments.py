"""What the command line takes: all commands, and the options of the one that is called."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from game import words
from game.commands import HELPS, general_options, load
from game.commands.examples import examples_of
from game.diagnostics import note_wrong_use
from game.words import _
from physics.harmless import harmless

if TYPE_CHECKING:
    from game.config import Config

EVERY = "*"
"""In place of a command's name: all of them."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command in one sentence instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        note_wrong_use(message)
        self.exit(
            2,
            _("{program}: {message} (see {program} --help).").format(program=self.prog, message=harmless(message))
            + "\n",
        )


class _Lines(argparse.HelpFormatter):
    """Keeps the lines of the examples as they are; argparse would make one paragraph of them."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def parser(called: str, config: Config | None = None, typed: Sequence[str] = ()) -> argparse.ArgumentParser:
    """All commands, and the options of the one that is called, or of EVERY one, with the defaults of a configuration.

    SceneError when that holds a value which an option cannot have. What is `typed` decides which defaults make sense.
    """
    top = _Parser(prog="topple", description=_("Will this line of tiles fall?"), formatter_class=_Lines)
    top.epilog = examples_of("")
    general_options(top, is_first=True)
    commands = top.add_subparsers(dest="command", metavar=_("COMMAND"), required=True, parser_class=_Parser)
    for name, text in HELPS.items():
        sub = commands.add_parser(name, help=_(text), description=_(text), formatter_class=_Lines)
        general_options(sub)
        if called in (name, EVERY):
            load(name).add_options(sub)
            sub.epilog = examples_of(name)
            if config is not None:
                config.apply(name, sub, typed)
    top.add_argument("--version", action=_Version, nargs=0, help=_("show program's version number and exit"))
    return top


def called(arguments: Sequence[str]) -> str:
    """The command among the arguments, "" when there is none: options of all commands may come before it."""
    befores = ("", *arguments)
    names = (name for before, name in zip(befores, arguments, strict=False) if before != "--lang" and name[:1] != "-")
    return next(names, "")


def language(arguments: Sequence[str]) -> str | None:
    """The language named among the arguments, known before they are read, for their help is in it, too."""
    for index, argument in reversed(list(enumerate(arguments))):
        name, _equals, value = argument.partition("=")
        wanted = value or "".join(arguments[index + 1 : index + 2])
        if name == "--lang" and wanted in words.LANGUAGES:
            return wanted
    return None


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes a tenth of a start."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        from importlib import metadata

        print(f"topple {metadata.version('topple')}")
        parser.exit()
