"""read: which tiles stand where in a picture of the table, and how sure that is."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.options import (
    camera_option,
    correct_option,
    json_option,
    markers_option,
    set_option,
    write_line_file,
)
from game.text.report import fate_words, percent, stance_words
from game.words import _, named, number, plural
from physics.files import check_ending, check_writable
from physics.tiles import load_set

if TYPE_CHECKING:
    from vision.reader.reading import Reading, ReadTile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of read."""
    parser.add_argument("image", type=Path, metavar=_("IMAGE"), help=_("a picture of the table with the mat in it"))
    camera_option(parser)
    markers_option(parser, "--table")
    set_option(parser)
    correct_option(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar=_("FILE"),
        help=_("write the standing tiles as a line file, with their errors (.toml)"),
    )
    parser.add_argument(
        "--picture", type=Path, metavar=_("FILE"), help=_("draw the boxes that were found over the picture (.png)")
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the reading; 0 whatever stands there, 2 when the table cannot be found."""
    from vision.opencv import require_cv2

    require_cv2()
    if options.picture is not None:
        check_ending(options.picture, (".png",))
        check_writable(options.picture)
    if options.out is not None:
        check_ending(options.out, (".toml",))
        check_writable(options.out)
    from game.table.photo import doubts, read_photo

    name = options.set or "evaluation"
    photo = read_photo(options.image, options.camera, options.table, load_set(name)).corrected(options.correct)
    if options.out is not None:
        write_line_file(options.out, *photo.scene(), name)
    if options.picture is not None:
        from calibration.table import write_picture
        from vision.reader.overlay import draw_reading

        write_picture(options.picture, draw_reading(photo.picture, photo.reading, photo.sight, photo.tile_set))
    if options.json:
        print(json.dumps(photo.reading.as_json()))
        return 0
    print("\n".join([in_words(photo.reading), *doubts(photo)]))
    if options.out is not None:
        print(_("Written: {file}").format(file=named(options.out)))
    return 0


def in_words(reading: Reading) -> str:
    """The reading as people read it: a line for each tile along the row."""
    if not reading.tiles:
        lines = [_("No tile was found on the mat.")]
    else:
        lines = [plural("{count} tile, along the row:", "{count} tiles, along the row:", len(reading.tiles))]
        lines += [_tile_words(tile) for tile in reading.tiles]
    lines.append(_("The markers fit to {error} px.").format(error=number(reading.camera_error_px, 2)))
    if reading.focal_estimated:
        lines.append(
            _("The focal length is only estimated from the mat: `./topple calibrate camera` makes this better.")
        )
    return "\n".join(lines)


def _tile_words(tile: ReadTile) -> str:
    return _("{value:>4}  x {x} ± {dx}, y {y} ± {dy} mm, turned {yaw}° ± {turn}°, {stance}, {state}, {sure}").format(
        value=tile.value,
        x=number(tile.x, 1),
        y=number(tile.y, 1),
        yaw=number(tile.yaw, 1),
        dx=number(tile.sigma[0], 1),
        dy=number(tile.sigma[1], 1),
        turn=number(tile.sigma[2], 1),
        stance=stance_words(tile.stance),
        state=fate_words(tile.state),
        sure=percent(tile.confidence),
    )
