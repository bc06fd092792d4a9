"""row: a line file without typing coordinates, laid along a shape."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from game.commands.forecast_options import add_forecast_options, check_picture
from game.commands.options import number, whole, write_line_file
from game.pictures.row import draw_row
from game.words import _, named
from game.words import number as written
from physics.errors import InputError
from physics.files import check_ending, check_writable
from physics.line import MAX_TILES, Line
from physics.scene import Noise, Scene, line_file_text
from physics.shapes import (
    CURVED,
    SHAPES,
    Gap,
    arc_row,
    chosen_values,
    growing_row,
    random_row,
    s_row,
    spiral_row,
    straight_row,
    usual_pitch,
    usual_radius,
)
from physics.tiles import Stance, TileSet, load_set

USUAL_COUNT = 10
USUAL_GAP = Gap(0.4, is_share=True)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of row."""
    parser.add_argument("shape", choices=SHAPES, help=_("the shape of the row"))
    parser.add_argument("--out", type=Path, metavar=_("FILE"), help=_("write the line file there (.toml)"))
    parser.add_argument(
        "--number",
        type=whole(1, MAX_TILES),
        metavar="N",
        help=_("how many tiles (10, or all if there are fewer)"),
    )
    parser.add_argument(
        "--gap",
        type=_gap,
        metavar="G",
        default=USUAL_GAP,
        help=_("free air at the nearest point: mm, or a share of the lower tile's height (40%%)"),
    )
    parser.add_argument(
        "--set", default="evaluation", metavar=_("SET"), help=_("the tiles: a set's name or file (evaluation)")
    )
    parser.add_argument(
        "--values", type=_values, metavar="V", help=_("which tiles, in order, such as 3,5,8-11 (the lowest first)")
    )
    parser.add_argument("--step", type=whole(1, 1000), metavar="N", help=_("only every N-th size of the set (1)"))
    parser.add_argument(
        "--stance",
        choices=tuple(stance.value for stance in Stance),
        help=_("how the tiles stand (upright; in a random row mixed)"),
    )
    parser.add_argument(
        "--radius",
        type=number(1, 40_000),
        metavar="R",
        help=_("the radius of an arc or s, or of the start of a spiral, mm"),
    )
    parser.add_argument(
        "--pitch", type=number(1, 40_000), metavar="P", help=_("how far apart the turns of a spiral are, mm")
    )
    parser.add_argument("--predict", action="store_true", help=_("say at once how likely it is to fall"))
    add_forecast_options(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the row, or prints it where nothing else is asked for; 0, or 2 when it cannot stand."""
    _check_together(options)
    check_picture(options)
    if options.out is not None:
        check_ending(options.out, (".toml",))
        check_writable(options.out)
    scene, noise = Scene(laid_row(options, load_set(options.set))), Noise()
    if options.out is not None:
        write_line_file(options.out, scene, noise, options.set)
        print(_("Written: {file}").format(file=named(options.out)), file=sys.stderr if options.json else sys.stdout)
    elif not options.predict:
        print(line_file_text(scene, noise, options.set), end="")
    if options.predict:
        from game.commands.forecast import Subject, forecast

        name = options.shape if options.out is None else options.out.name
        return forecast(Subject(name, scene, noise), options)
    if options.picture is not None:
        draw_row(scene.line, options.picture)
    return 0


def laid_row(options: argparse.Namespace, tile_set: TileSet) -> Line:
    """The row that the options ask for; SceneError when it cannot stand."""
    there = sum(MAX_TILES if copies is None else copies for copies in tile_set.copies[:: options.step or 1])
    count = options.number or min(USUAL_COUNT, there)
    gap: Gap = options.gap
    stance = None if options.stance is None else Stance(options.stance)
    if options.shape == "random":
        return random_row(tile_set, count, gap, options.seed, stance, options.values or ())
    values = options.values or chosen_values(tile_set, count, options.step or 1)
    pieces = [(value, stance or Stance.UPRIGHT) for value in values]
    if options.shape == "straight":
        return straight_row(tile_set, pieces, gap)
    if options.shape == "growing":
        return growing_row(tile_set, pieces, gap)
    radius = options.radius / 1e3 if options.radius else usual_radius(tile_set, pieces, gap, options.shape)
    if options.shape == "arc":
        return arc_row(tile_set, pieces, gap, radius)
    if options.shape == "s":
        return s_row(tile_set, pieces, gap, radius)
    pitch = options.pitch / 1e3 if options.pitch else usual_pitch(tile_set, pieces)
    return spiral_row(tile_set, pieces, gap, radius, pitch)


def _check_together(options: argparse.Namespace) -> None:
    """InputError when something was asked for that would change nothing."""
    shape = options.shape
    useless = (
        ("--radius", options.radius is not None and shape not in CURVED, shape),
        ("--pitch", options.pitch is not None and shape != "spiral", shape),
        ("--step", options.step is not None and shape == "random", shape),
        ("--step", options.step is not None and options.values is not None, "--values"),
        ("--number", options.number is not None and options.values is not None, "--values"),
    )
    for option, is_useless, other in useless:
        if is_useless:
            raise InputError("{option} does not go with {other}: leave one of them out.", option=option, other=other)
    if options.json and not options.predict:
        raise InputError("--json prints a forecast: give --predict as well.")


def _gap(text: str) -> Gap:
    """Reads a gap in mm, or with a percent sign as a share of a height."""
    is_share = text.strip().endswith("%")
    low, high = (1.0, 300.0) if is_share else (0.1, 2000.0)
    try:
        amount = float(text.strip().removesuffix("%").replace(",", "."))
    except ValueError:
        amount = math.nan
    if not low <= amount <= high:
        raise argparse.ArgumentTypeError(
            _(
                "{value} is not a gap: it must be from {least} to 2000 mm, or from 1% to 300% of the lower tile's "
                "height"
            ).format(value=text, least=written(0.1))
        )
    return Gap(amount / 100 if is_share else amount / 1e3, is_share)


def _values(text: str) -> tuple[int, ...]:
    """Reads values such as 3,5,8-11."""
    values: list[int] = []
    try:
        for part in text.split(","):
            first, ranged, last = part.partition("-")
            begin = int(first)
            end = int(last) if ranged else begin
            if max(abs(begin), abs(end)) > 999_999 or abs(end - begin) >= MAX_TILES:
                raise ValueError
            values += range(begin, end + 1) if begin <= end else range(begin, end - 1, -1)
    except ValueError:
        values = []
    if not 1 <= len(values) <= MAX_TILES:
        raise argparse.ArgumentTypeError(
            _("{value} is not a list of at most {count} tiles, such as 3,5,8-11").format(
                value=text, count=written(MAX_TILES)
            )
        )
    return tuple(values)
