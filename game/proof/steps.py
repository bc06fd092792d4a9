"""The page about steps, engines and laws of blows: what each does to the probability of a doubtful line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from game.proof.page import STEPS, write_text
from physics.validation.steps import ASKED_BIAS, ASKED_RMS, DOUBTFUL, PILOT, Found, Way


def write_page(folder: Path, draws: int, found: Sequence[Found]) -> None:
    """Writes steps.md into the folder, whole or not at all; OutputError when it cannot be written."""
    write_text(folder / STEPS, page_text(draws, found))


def is_enough(found: Found) -> bool:
    """Whether forecasts are as near to the strict reference as asked; rows in the plane are only reported.

    A bias may be beyond what is asked by as much as the number of draws makes by chance.
    """
    if found.kind.is_straightened:
        return True
    by_chance = 2 * found.noise(Way.FORECAST) / len(found.lines) ** 0.5
    return found.rms(Way.FORECAST) <= ASKED_RMS and abs(found.bias(Way.FORECAST)) <= ASKED_BIAS + by_chance


def page_text(draws: int, found: Sequence[Found]) -> str:
    """The comparison in Markdown, English only."""
    return "\n".join(
        [
            "# Steps, engines and laws of blows",
            "",
            f"Random lines that are doubtful: of {PILOT} runs of the forecast from {DOUBTFUL[0]:.0%} to "
            f"{DOUBTFUL[1]:.0%} fell.",
            f"Every way runs the same {draws} draws of each line. *rms* is how far a line's probability is from that",
            "by the first way of its table, as a root mean square without what so few draws add to it; that part",
            "is *noise*. *Cost* is CPU time as a multiple of steps of 2 ms throughout. Written by",
            "",
            "    ./topple prove physics --only steps --docs docs",
            "",
            f"Asked of forecasts in space: rms at most {ASKED_RMS}, bias at most {ASKED_BIAS}.",
            "",
            *(line for each in found for line in _section(each)),
            "The planar model knows no engine: Moreau's time stepping with exact Coulomb friction",
            "([the cases it meets](validation.md)). Newton's law and stiff springs give the same back when two free",
            "tiles meet, and share a blow differently where the struck tile stands on its foot. Which of them real",
            "tiles follow is not known, so what lies between the two is a doubt that finer steps do not remove.",
            "",
        ]
    )


def _section(found: Found) -> list[str]:
    rows = [
        f"| {way.value} | {found.rms(way):.3f} | {found.noise(way):.3f} | {found.bias(way):+.3f} "
        f"| {found.cost(way):.1f} |"
        for way in found.kind.ways
    ]
    verdict = "" if found.kind.is_straightened else f" {'Holds' if is_enough(found) else '**Fails**'}."
    return [
        f"## {len(found.lines)} lines of {found.kind.name}",
        "",
        "| | rms of p | noise | bias | cost |",
        "| --- | --- | --- | --- | --- |",
        *rows,
        "",
        f"Against: {found.kind.ways[0].value}.{verdict}",
        "",
    ]
