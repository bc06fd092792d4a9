"""season: forecasts against outcomes, and players, over any number of logs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from game.commands.choosing import chosen_matches
from game.commands.options import json_option
from game.match.season import Season, is_run, season_of
from game.text.report import percent
from game.words import _, named, number, plural
from game.workers.progress import bar


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of season."""
    words = _("logs of matches (.topple); without any, choose from a list")
    parser.add_argument("files", type=Path, nargs="*", metavar=_("FILE"), help=words)
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the season; 1 when no log has a push with a forecast, or, of games without any, an end."""
    files = []
    for path in options.files or chosen_matches("./topple season"):
        if is_run(path):
            print(_("{file} is a run, not a match; it is passed over.").format(file=named(path)), file=sys.stderr)
        else:
            files.append(path)
    season = season_of(files)
    print(json.dumps(as_json(season)) if options.json else in_words(season))
    return 0 if (season.pairs if season.has_tiles else season.finished) else 1


def as_json(season: Season) -> dict[str, Any]:
    """The season as other programs read it."""
    return {
        "files": season.files,
        "finished": season.finished,
        "pushes": len(season.pushes),
        "forecasts": len(season.pairs),
        "brier": season.brier,
        "calibration_error": season.calibration_error,
        "by_chance": season.by_chance,
        "bins": [
            {
                "low": each.low,
                "high": each.high,
                "pushes": each.pairs,
                "forecast": each.forecast,
                "fell": each.share,
                "interval": list(each.interval),
            }
            for each in season.bins
        ],
        "players": [
            {"game": each.game, "name": each.name, "matches": each.matches, "wins": each.wins, "score": each.score}
            for each in season.standings
        ],
        "rows": [
            {"file": push.file, "values": list(push.values), "forecast": push.forecast, "fell": push.fell}
            for push in season.pushes
        ],
    }


def in_words(season: Season) -> str:
    """The season for people: what it rests on, the reliability of the forecasts, the players."""
    counts = [plural("{count} log", "{count} logs", season.files)]
    if season.has_tiles:
        counts += [
            plural("{count} push", "{count} pushes", len(season.pushes)),
            plural("{count} of them with a forecast", "{count} of them with a forecast", len(season.pairs)),
        ]
    lines = [", ".join(counts), *(_scored(season) if season.has_tiles else ())]
    for game, standings in groupby(season.standings, key=lambda each: each.game):
        rows = [(each.name, f"{each.matches}", f"{each.wins}", number(each.score)) for each in standings]
        lines += ["", f"{game}:", *_table((_("player"), _("matches"), _("wins"), _("score")), rows)]
    return "\n".join(lines)


def _scored(season: Season) -> list[str]:
    """How well the forecasts came true."""
    if season.brier is None or season.calibration_error is None or season.by_chance is None:
        return ["", _("There is no forecast to score.")]
    return [
        "",
        *_reliability(season),
        "",
        _("Brier score: {score} (0 is best, 0.25 is what tossing a coin gets).").format(score=number(season.brier, 3)),
        _("Forecasts and falls are {error} apart; as many perfect forecasts would be {chance} apart.").format(
            error=number(season.calibration_error, 3), chance=number(season.by_chance, 3)
        ),
    ]


def _reliability(season: Season) -> list[str]:
    heads = (_("forecast"), _("pushes"), _("fell"))
    rows = [
        (
            f"{number(each.low, 1)}–{number(each.high, 1)}",
            f"{each.pairs}",
            f"{bar(each.share)} {percent(each.share):>5}",
        )
        for each in season.bins
    ]
    return _table(heads, rows)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The first column to the left, the others to the right."""
    wide = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    lines = []
    for first, *others in (heads, *rows):
        cells = [f"{cell:>{width}}" for cell, width in zip(others, wide[1:], strict=True)]
        lines.append("  " + "  ".join([f"{first:<{wide[0]}}", *cells]))
    return lines
