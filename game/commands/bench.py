"""bench: how fast it is, as ratios measured in one go."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from game.commands.options import workers_option
from game.pool import LocalPool, default_workers
from game.progress import Progress
from game.words import _
from physics.errors import InputError, MissingError
from physics.files import whole_file

PARTS = ("runs", "answers", "draws", "long", "start", "games")
CLEAR_LINE = Path("examples") / "eleven.toml"
ROOT = Path(__file__).resolve().parents[2]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of bench."""
    parser.add_argument(
        "parts", nargs="*", metavar=_("PART"), help=_("only these parts: {parts} (all)").format(parts=", ".join(PARTS))
    )
    parser.add_argument("--docs", type=Path, metavar=_("FOLDER"), help=_("write speed.md there"))
    workers_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what was measured, in Markdown; nothing here can fail but to run."""
    for part in options.parts:
        if part not in PARTS:
            raise InputError("There is no part {name}; there are {known}.", name=part, known=", ".join(PARTS))
    if options.docs is not None:
        if options.parts:
            raise InputError("--docs writes the page of all parts; leave out the names of single ones.")
        if not options.docs.is_dir():
            raise InputError("There is no folder {folder}.", folder=options.docs)
    text = page(options.parts or PARTS, options.workers)
    if options.docs is not None:
        with whole_file(options.docs / "speed.md") as beside:
            beside.write_text(text, encoding="utf-8")
    print(text)
    return 0


def page(parts: tuple[str, ...], workers: int | None) -> str:
    """The parts as one page, English only. MissingError where topple was installed without its sources."""
    if not (ROOT / "benchmarks").is_dir():
        raise MissingError("The benchmarks are part of topple's sources and not installed here.")
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks import answers, draws, game_speed, runs

    lines = [
        "# Speed",
        "",
        f"Ratios of one go on {default_workers()} cores, by",
        "",
        "    ./topple bench --docs docs",
        "",
    ]
    with LocalPool(workers or default_workers()) as executor, Progress() as progress:
        say = progress.show
        cores = 1.0
        if "runs" in parts or "answers" in parts:
            found, cores = runs.report_runs(say)
            lines += found
        if "answers" in parts:
            lines += answers.report(executor, cores, say)
        if "draws" in parts:
            lines += draws.report(executor, say)
        if "long" in parts:
            lines += runs.report_growth(say)
        if "start" in parts:
            lines += runs.report_start(say, ROOT / CLEAR_LINE)
        if "games" in parts:
            lines += game_speed.report(say)
    return "\n".join(lines)
