"""The page about how engines agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from game.proof.page import write_text
from physics.validation.agreement import ENOUGH, REFERENCE, Agreement

PAGE = "agreement.md"


def write_page(folder: Path, lines: int, fell: float, found: Sequence[Agreement]) -> None:
    """Writes agreement.md into the folder, whole or not at all; OutputError when it cannot be written."""
    write_text(folder / PAGE, page_text(lines, fell, found))


def is_enough(found: Agreement) -> bool:
    """Whether the verdicts agree as often as asked; the side view is only reported."""
    return found.verdicts >= ENOUGH.get(found.way, 0.0)


def page_text(lines: int, fell: float, found: Sequence[Agreement]) -> str:
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
            f"{lines} random lines of the eleven Evaluation Domino tiles: half of them curved, a quarter of the tiles",
            "on their side, places and yaws untidy by 1 mm and 2°, each run once exactly as it stands. Written by",
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
