"""The commands, one module each, imported when it is called for: start-up stays quick."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from game.words import LANGUAGES, N_, _

STOPPED = 130
"""The exit code that shells expect after Ctrl-C."""


class Command(NamedTuple):  # no dataclass: loading those takes a tenth of a start
    """What a command's module has."""

    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


HELPS = {
    "play": N_("play a match, with people and bots, or bots by themselves"),
    "replay": N_("replay the log of a match or a run"),
    "predict": N_("say how likely a line is to fall"),
    "row": N_("lay a row along a shape: a line file without typing coordinates"),
    "simulate": N_("run a line once, exactly as it stands, and write the motion to a file"),
    "rig": N_("tap, tilt, stop or watch the rig at the table"),
    "calibrate": N_("measure a camera, a table, the tiles or a rig"),
    "validate": N_("measure the simulation against closed forms and published laws"),
    "prove": N_("measure in full what the tests measure in part"),
    "bench": N_("measure how fast topple is"),
    "season": N_("score the forecasts of any number of matches, and their players"),
    "read": N_("say which tiles stand where in a picture of the table"),
    "watch": N_("watch a table with a camera: what happens on it, and a match that follows it"),
    "mat": N_("write the table's mat and the board for the lens, to be printed"),
    "doctor": N_("say what is installed, what is missing and what does not work without it"),
    "completion": N_("print a script with which a shell completes these commands"),
    "test": N_("check style, types and layers and run all tests of this checkout"),
}


def load(name: str) -> Command:
    """The command of that name."""
    module = import_module(f"game.commands.{name}")
    return Command(module.add_options, module.run)


def general_options(parser: argparse.ArgumentParser, *, is_first: bool = False) -> None:
    """Adds the options of every command: the first parser has their defaults, or one behind it would undo them."""
    language, verbose = (None, False) if is_first else (argparse.SUPPRESS, argparse.SUPPRESS)
    parser.add_argument("--lang", choices=LANGUAGES, default=language, help=_("language of what is printed"))
    parser.add_argument(
        "--verbose", action="store_true", default=verbose, help=_("also print what goes into the diagnostic log")
    )
