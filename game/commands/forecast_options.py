"""What may be asked of a forecast, and whether its picture can be written; light, for every help names it."""

from __future__ import annotations

import argparse
from pathlib import Path

from game.commands.options import (
    MAX_DRAW_SEED,
    cluster_option,
    engine_option,
    json_option,
    number,
    whole,
    workers_option,
)
from game.pictures.canvas import ENDINGS
from game.words import _
from physics.files import check_ending, check_writable


def add_forecast_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that may be asked of a forecast, whatever it is of."""
    json_option(parser)
    parser.add_argument("--picture", type=Path, metavar=_("FILE"), help=_("draw the plan view (.png, .svg or .pdf)"))
    parser.add_argument(
        "--seed", type=whole(0, MAX_DRAW_SEED), metavar="N", default=0, help=_("same seed, same answer (default 0)")
    )
    parser.add_argument(
        "--width",
        type=number(0.005, 0.5),
        metavar="W",
        default=0.05,
        help=_("stop when the runs alone tell the probability to ± this much (default 0.05)"),
    )
    parser.add_argument(
        "--confidence",
        type=number(0.5, 0.999),
        metavar="C",
        default=0.95,
        help=_("the confidence of the intervals (default 0.95)"),
    )
    parser.add_argument(
        "--hint",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=_(
            "search longer for a change that would help (default: no longer than the forecast took, and not for --json)"
        ),
    )
    engine_option(parser)
    workers_option(parser)
    cluster_option(parser)


def check_picture(options: argparse.Namespace, endings: tuple[str, ...] = ENDINGS) -> None:
    """OutputError when the picture that is asked for could not be written; to be called before anything long."""
    if options.picture is not None:
        check_ending(options.picture, endings)
        check_writable(options.picture)
