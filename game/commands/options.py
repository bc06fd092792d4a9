"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from game.words import _, figures
from game.workers.pool import MAX_WORKERS
from physics.engines import BOTH, ENGINES
from physics.files import whole_file

if TYPE_CHECKING:
    from physics.scene import Noise, Scene

GAME = "evaluation"
"""Where nobody says which game; also whose tiles are looked for where none is played."""
MAX_DRAW_SEED = 2**63 - 1  # of the draws of a forecast; a match takes longer ones


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


def camera_option(parser: argparse.ArgumentParser) -> None:
    """The lens of what is read from pictures."""
    parser.add_argument(
        "--camera",
        type=Path,
        metavar=_("FILE"),
        help=_("the camera file (without one the focal length is estimated from the mat)"),
    )


def markers_option(parser: argparse.ArgumentParser, name: str) -> None:
    """The markers around what is read from pictures."""
    parser.add_argument(name, type=Path, metavar=_("FILE"), help=_("a table file, for other markers than the mat's"))


def set_option(parser: argparse.ArgumentParser) -> None:
    """Which tiles a picture may show; None when nobody chose."""
    parser.add_argument("--set", metavar=_("SET"), help=_("the tiles that may be there (default evaluation)"))


def correct_option(parser: argparse.ArgumentParser) -> None:
    """What was read wrong."""
    parser.add_argument(
        "--correct",
        action="append",
        default=[],
        metavar=_("WORDS"),
        help=_('say what was read wrong, as often as needed: "7 is 8" or "8 at -12.5 30" (mm on the mat)'),
    )


def engine_option(parser: argparse.ArgumentParser, *, both: bool = True) -> None:
    """Which simulator; None when nobody chose."""
    choices = (*ENGINES, BOTH) if both else tuple(ENGINES)
    parser.add_argument("--engine", choices=choices, help=_("the simulator (bullet where there is one, else mujoco)"))


def workers_option(parser: argparse.ArgumentParser) -> None:
    """How many processes."""
    parser.add_argument(
        "--workers",
        type=whole(1, MAX_WORKERS),
        metavar="N",
        help=_("processes to spread the runs over (one per core)"),
    )


def cluster_option(parser: argparse.ArgumentParser) -> None:
    """Other machines instead of processes here."""
    parser.add_argument(
        "--cluster", metavar=_("ADDRESS"), help=_("run on a Dask cluster instead, such as tcp://host:8786")
    )


def write_line_file(out: Path, scene: Scene, noise: Noise, set_name: str) -> None:
    """Writes the scene as a line file that finds its set from where it is; OutputError when it cannot be written."""
    from physics.scene import line_file_text  # arrays take half of a start, and help needs none

    if set_name.endswith(".toml"):
        set_name = Path(os.path.relpath(set_name, out.parent)).as_posix()
    with whole_file(out) as beside:
        beside.write_text(line_file_text(scene, noise, set_name), encoding="utf-8")
