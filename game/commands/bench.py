"""bench: how fast it is, as ratios measured in one go."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from game.commands.options import workers_option
from game.words import _
from game.workers.pool import LocalPool, default_workers
from game.workers.progress import Progress
from physics.errors import InputError, MissingError
from physics.files import whole_file

PARTS = ("runs", "answers", "draws", "long", "start", "games", "window", "reading")
PAGE = "speed.md"
CLEAR_LINE = Path("examples") / "eleven.toml"
ROOT = Path(__file__).resolve().parents[2]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of bench."""
    parser.add_argument(
        "parts", nargs="*", metavar=_("PART"), help=_("only these parts: {parts} (all)").format(parts=", ".join(PARTS))
    )
    parser.add_argument(
        "--docs", type=Path, metavar=_("FOLDER"), help=_("write speed.md there, or only these parts of it")
    )
    workers_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what was measured, in Markdown; nothing here can fail but to run."""
    for part in options.parts:
        if part not in PARTS:
            raise InputError("There is no part {name}; there are {known}.", name=part, known=", ".join(PARTS))
    if options.docs is not None and not options.docs.is_dir():
        raise InputError("There is no folder {folder}.", folder=options.docs)
    before = ""
    if options.docs is not None and options.parts:
        path = options.docs / PAGE
        if not path.is_file():
            raise InputError("There is no {file} to put single parts into; leave out their names.", file=path)
        before = path.read_text(encoding="utf-8")
    text = page(options.parts or PARTS, options.workers)
    if options.docs is not None:
        with whole_file(options.docs / PAGE) as beside:
            beside.write_text(spliced(before, text), encoding="utf-8")
    print(text)
    return 0


def spliced(before: str, text: str) -> str:
    """The page that there was with the parts of another one in place of its own, or after them."""
    return "".join((_sections(before) | _sections(text)).values()).rstrip("\n") + "\n"


def _sections(text: str) -> dict[str, str]:
    """A page cut at its headings, by them; what comes before the first has none."""
    found = {}
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        found[part.partition("\n")[0] if part.startswith("## ") else ""] = part.rstrip("\n") + "\n\n"
    return {heading: part for heading, part in found.items() if part.strip()}


def page(parts: tuple[str, ...], workers: int | None) -> str:
    """The parts as one page, English only. MissingError without topple's sources, or what a part needs."""
    if not (ROOT / "benchmarks").is_dir():
        raise MissingError("The benchmarks are part of topple's sources and not installed here.")
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from benchmarks import answers, draws, game_speed, reading, runs, window

    lacking = window.missing() if "window" in parts else None
    if lacking is not None:  # said before all that takes minutes
        raise MissingError("The window is measured with {package}, which is not installed here.", package=lacking)
    lacking = reading.missing() if "reading" in parts else None
    if lacking is not None:
        raise MissingError("Readings are measured with {package}, which is not installed here.", package=lacking)
    lines = [
        "# Speed",
        "",
        f"Ratios, those of each part from one go, on {default_workers()} cores, by",
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
        if "window" in parts:
            lines += window.report(say)
        if "reading" in parts:
            lines += reading.report(say)
    return "\n".join(lines)
