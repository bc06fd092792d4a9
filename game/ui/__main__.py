"""python -m game.ui: the window by itself, for trying it; `topple play` and `topple replay` open the same."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from game.match import Setup, checked_setup
from game.ui import run
from game.words import say, use, wanted_language
from physics.errors import ToppleError


def main() -> int:
    """Opens the window as the options say; the command's exit code."""
    parser = argparse.ArgumentParser(prog="python -m game.ui", description=__doc__)
    parser.add_argument("--players", help="begin at once: names, and bots as bot:weak, bot:normal, bot:strong")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hints", action="store_true")
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--folder", type=Path, help="where choices and matches are kept")
    parser.add_argument("--lang", default="")
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), help="such as 1280x800")
    options = parser.parse_args()
    use(options.lang or wanted_language())
    try:
        if options.replay is not None:
            return run.replay(options.replay, options.lang, options.size)
        setup = None
        if options.players:
            players = tuple(options.players.split(","))
            setup = checked_setup(
                Setup("evaluation", players, options.seed, {"rounds": options.rounds}, hints=options.hints)
            )
        wanted = run.Wanted(setup=setup, resume=options.resume, folder=options.folder, language=options.lang)
        return run.play(wanted, size=options.size)
    except ToppleError as error:
        print(say(error), file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
