"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from game.pool import MOST_WORKERS
from game.words import _, figures
from physics.engine import BOTH, ENGINES

MOST_SEED = 2**63 - 1


def number(low: float, high: float) -> Callable[[str], float]:
    """Reads a number within the range, with a point or a comma; argparse says the rest."""

    def read(text: str) -> float:
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                _("{value} is not a number from {low} to {high}").format(
                    value=text, low=figures(f"{low}"), high=figures(f"{high}")
                )
            )
        return value

    return read


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number within the range; argparse says the rest."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                _("{value} is not a whole number from {low} to {high}").format(value=text, low=low, high=high)
            )
        return value

    return read


def line_argument(parser: argparse.ArgumentParser) -> None:
    """The line file."""
    parser.add_argument("line", type=Path, metavar=_("LINE"), help=_("a line file (TOML), see examples/"))


def json_option(parser: argparse.ArgumentParser) -> None:
    """Machine-readable output."""
    parser.add_argument("--json", action="store_true", help=_("print the result as JSON"))


def engine_option(parser: argparse.ArgumentParser, *, both: bool = True) -> None:
    """Which simulator; None when nobody chose."""
    choices = (*ENGINES, BOTH) if both else tuple(ENGINES)
    parser.add_argument("--engine", choices=choices, help=_("the simulator (bullet where there is one, else mujoco)"))


def workers_option(parser: argparse.ArgumentParser) -> None:
    """How many processes."""
    parser.add_argument(
        "--workers",
        type=whole(1, MOST_WORKERS),
        metavar="N",
        help=_("processes to spread the runs over (one per core)"),
    )


def cluster_option(parser: argparse.ArgumentParser) -> None:
    """Other machines instead of processes here."""
    parser.add_argument(
        "--cluster", metavar=_("ADDRESS"), help=_("run on a Dask cluster instead, such as tcp://host:8786")
    )
