"""How many random matches of each game the rules play in a minute on one core, without physics."""

from __future__ import annotations

import time
from collections.abc import Callable

from game.catalogue import GAMES, game_named
from game.core import AnyGame, random_match, read_options


def games_per_minute(game: AnyGame, seconds: float) -> tuple[float, float]:
    """Matches per minute of processor time, and moves in a match."""
    matches = moves = 0
    allowed = game.seats_with(read_options(game, {}))
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        seats = allowed[matches % len(allowed)]
        moves += len(random_match(game, seats, {}, seed=matches)[1])
        matches += 1
    return 60 * matches / spent, moves / matches


def report(say: Callable[[str], None], seconds: float = 5.0) -> list[str]:
    """All games as Markdown."""
    rows = []
    for name in GAMES:
        say(f"random matches of {name}")
        speed, length = games_per_minute(game_named(name), seconds)
        rows.append(f"| {name} | {speed:,.0f} | {length:.0f} |")
    return [
        "## Rules",
        "",
        "Random matches without physics on one core:",
        "",
        "| game | matches a minute | moves in a match |",
        "| --- | --- | --- |",
        *rows,
        "",
    ]
