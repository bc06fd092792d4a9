"""prove: what is too long for the tests, measured in full and written down."""

from __future__ import annotations

import argparse
from pathlib import Path

from game.commands.options import whole, workers_option
from game.pool import worker_pool
from game.progress import Progress, bar
from game.words import _
from physics.agreement import ENOUGH, REFERENCE, Agreement, compare
from physics.errors import InputError
from physics.files import whole_file

LINES, SEED = 300, 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of prove."""
    parser.add_argument("area", choices=("physics",), help=_("what to prove"))
    parser.add_argument(
        "--lines", type=whole(1, 100_000), metavar="N", default=LINES, help=_("how many random lines (default 300)")
    )
    parser.add_argument("--docs", type=Path, metavar=_("FOLDER"), help=_("write agreement.md there"))
    workers_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the agreement of the engines; 1 when it is not enough."""
    if options.docs is not None and not options.docs.is_dir():
        raise InputError("There is no folder {folder}.", folder=options.docs)
    with worker_pool(options.workers) as executor, Progress() as progress:
        fell, found = compare(
            SEED,
            options.lines,
            executor,
            lambda done, total: progress.show(
                _("{bar} comparing engines").format(bar=bar(done / total)),
            ),
        )
    text = page(options.lines, fell, found)
    if options.docs is not None:
        with whole_file(options.docs / "agreement.md") as beside:
            beside.write_text(text, encoding="utf-8")
    print(text)
    return 0 if all(is_enough(each) for each in found) else 1


def is_enough(found: Agreement) -> bool:
    """Whether the verdicts agree as often as asked; the side view is only reported."""
    return found.verdicts >= ENOUGH.get(found.way, 0.0)


def page(lines: int, fell: float, found: tuple[Agreement, ...]) -> str:
    """The comparison in Markdown, English only."""
    rows = [
        f"| {each.way.label} | {each.verdicts:.1%} | {each.sets:.1%} | {each.straight:.1%} | {each.curved:.1%} | "
        + (f"≥ {ENOUGH[each.way]:.0%}: {'holds' if is_enough(each) else '**fails**'}" if each.way in ENOUGH else "–")
        + " |"
        for each in found
    ]
    return "\n".join(
        [
            "# How engines agree",
            "",
            f"{lines} random lines of the eleven Evaluation Domino tiles: half of them curved, a quarter of the",
            "tiles on their side, places and yaws untidy by 1 mm and 2°, each run once exactly as it stands. By",
            "",
            "    ./topple prove physics --docs docs",
            "",
            f"Compared with {REFERENCE.label}, the step of predictions, by which {fell:.1%} of the lines fall:",
            "",
            "| | same verdict | same set of fallen tiles | verdict, straight | verdict, curved | asked |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
            "*flat* is the two-dimensional side view of the unrolled line: a preview, not a judge.",
            "",
        ]
    )
