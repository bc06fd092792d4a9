"""The page about how often bots of each strength win."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from game.bots.arena import Standings
from game.proof.page import write_text

PAGE = "bots.md"
ASKED = 0.7  # share of decided matches that the strong bot wins of the weak one


def write_page(folder: Path, found: Sequence[Standings], seconds: float) -> None:
    """Writes bots.md into the folder, whole or not at all; OutputError when it cannot be written."""
    write_text(folder / PAGE, page_text(found, seconds))


def is_enough(found: Sequence[Standings]) -> bool:
    """Whether the stronger of any two wins more, and the strong one as often of the weak one as asked."""
    pairs = {standings.matches[0].bots: standings for standings in found}
    shares = {bots: standings.share(bots[0]) for bots, standings in pairs.items() if len(bots) == 2}
    return shares["strong", "weak"] >= ASKED and all(share > 0.5 for share in shares.values())


def page_text(found: Sequence[Standings], seconds: float) -> str:
    """The standings in Markdown, English only: for each strength, how many of the decided matches it won."""
    lines = [
        "# Bots",
        "",
        "A bot sees what its seat may see, and nothing else. It misjudges every gap and yaw by its own error as long",
        "as the tiles stand; a cheap model then sorts out rows that surely fall or stand, and only doubtful ones are",
        "simulated. It places what it expects to fall but what looks doubtful, calls when that pays, and votes by the",
        "chips it expects. The same seed plays the same match: bots count runs, never seconds.",
        "",
        "Matches of Evaluation Domino over three rounds; the seats change from match to match, and every seating meets",
        "the same seeds. A match is decided when one seat wins alone. Written by",
        "",
        "    ./topple prove game --docs docs",
        "",
        "| match | matches | decided | bot | won | share | 95 % interval | moves | runs |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for standings in found:
        matches, count = standings.matches, len(standings.matches)
        moves = sum(len(match.moves) for match in matches) / count
        runs = sum(sum(match.runs) for match in matches) / count
        for strength in dict.fromkeys(matches[0].bots):
            low, high = standings.interval(strength)
            lines.append(
                f"| {', '.join(matches[0].bots)} | {count} | {standings.decided} | {strength} | "
                f"{standings.wins(strength)} | {standings.share(strength):.3f} | {low:.3f} to {high:.3f} | "
                f"{moves:.0f} | {runs:.0f} |"
            )
    total = sum(len(standings.matches) for standings in found)
    verdict = "holds" if is_enough(found) else "**fails**"
    return "\n".join(
        [
            *lines,
            "",
            f"Asked: strong wins at least {ASKED:.0%} of those decided against weak, normal lies between: {verdict}.",
            f"Moves and runs are means of a match; a match took {seconds / total:.1f} s of all cores.",
            "",
        ]
    )
