"""replay: a log in a window, told in words, or written as a film."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from game.commands.choosing import LIST, chosen_match
from game.text.retold import retold
from game.words import _, named
from game.workers.progress import Progress, painting
from physics.errors import InputError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of replay."""
    words = _("the log of a match or a run (.topple); without one, choose from a list")
    parser.add_argument("file", type=Path, nargs="?", default=LIST, metavar=_("FILE"), help=words)
    parser.add_argument("--text", action="store_true", help=_("tell it in the terminal instead of a window"))
    parser.add_argument(
        "--out",
        type=Path,
        metavar=_("FILE"),
        help=_(
            "write it as a film instead, with sounds as .mp4 or without them as .gif, or six of its moments as .png; "
            "it needs no window"
        ),
    )


def run(options: argparse.Namespace) -> int:
    """Shows, tells or films the log; 0 whatever is in it. MissingError where there is no display."""
    if options.text and options.out is not None:
        raise InputError("--text tells the log and --out films it: leave one of them out.")
    file = options.file
    if file == LIST:
        wish = " --text" if options.text else "" if options.out is None else f" --out {shlex.quote(str(options.out))}"
        file = chosen_match(f"./topple replay{wish}")
    if options.out is not None:
        return _write(file, options.out)
    if options.text:
        for line in retold(file):
            print(line)
        return 0
    from game.ui import run as window

    return window.replay(file, options.lang or "")


def _write(file: Path, out: Path) -> int:
    from game.film.export import check_film, export_film
    from game.film.film import film_of

    check_film(out)
    with Progress() as progress:
        export_film(out, film_of(file), painting(progress))
    print(_("Written to {file}.").format(file=named(out)))
    return 0
