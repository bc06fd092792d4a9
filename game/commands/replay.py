"""replay: a log in a window, or told in words."""

from __future__ import annotations

import argparse
from pathlib import Path

from game.text.retold import retold
from game.words import _


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of replay."""
    parser.add_argument("file", type=Path, metavar=_("FILE"), help=_("the log of a match or a run (.topple)"))
    parser.add_argument("--text", action="store_true", help=_("tell it in the terminal instead of a window"))


def run(options: argparse.Namespace) -> int:
    """Shows or tells the log; 0 whatever is in it. MissingError where there is no display."""
    if options.text:
        for line in retold(options.file):
            print(line)
        return 0
    from game.ui import run as window

    return window.replay(options.file, options.lang or "")
