"""read: which tiles stand where in a picture of the table, and how sure that is."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.options import json_option
from game.report import fate_words, percent, stance_words
from game.words import _, number, plural
from physics.files import check_ending, check_writable
from physics.tiles import load_set

if TYPE_CHECKING:
    from vision.reading import Reading, ReadTile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of read."""
    parser.add_argument("image", type=Path, metavar=_("IMAGE"), help=_("a picture of the table with the mat in it"))
    parser.add_argument(
        "--camera",
        type=Path,
        metavar=_("FILE"),
        help=_("the camera file (without one the focal length is estimated from the mat)"),
    )
    parser.add_argument(
        "--table", type=Path, metavar=_("FILE"), help=_("a table file, for other markers than the mat's")
    )
    parser.add_argument(
        "--set", default="evaluation", metavar=_("SET"), help=_("the tiles that may be there (default evaluation)")
    )
    parser.add_argument(
        "--picture", type=Path, metavar=_("FILE"), help=_("draw the boxes that were found over the picture (.png)")
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the reading; 0 whatever stands there, 2 when the table cannot be found."""
    from vision.render import require_cv2

    require_cv2()
    if options.picture is not None:
        check_ending(options.picture, (".png",))
        check_writable(options.picture)
    from calibration.board import MAT
    from calibration.files import check_size, read_lens, read_mat
    from vision.mat import find_mat
    from vision.picture import load_picture
    from vision.reader import read_picture

    tile_set = load_set(options.set)
    lens = read_lens(options.camera) if options.camera is not None else None
    mat = read_mat(options.table) if options.table is not None else MAT
    image = load_picture(options.image)
    if lens is not None:
        check_size(lens, (image.shape[1], image.shape[0]))
    view = find_mat(image, lens, mat)
    reading = read_picture(image, lens, mat, tile_set=tile_set, view=view)
    if options.picture is not None:
        from calibration.table import write_picture
        from vision.overlay import draw_reading

        write_picture(options.picture, draw_reading(image, reading, view.sight, tile_set))
    print(json.dumps(reading.as_json()) if options.json else in_words(reading))
    return 0


def in_words(reading: Reading) -> str:
    """The reading as people read it: a line for each tile along the row."""
    if not reading.tiles:
        lines = [_("No tile was found on the mat.")]
    else:
        lines = [plural("{count} tile, along the row:", "{count} tiles, along the row:", len(reading.tiles))]
        lines += [_tile_words(tile) for tile in reading.tiles]
    for one in reading.unexplained:
        lines.append(
            _("Something at x {x}, y {y} mm is no tile of the set ({area} mm²).").format(
                x=f"{one.x:.0f}", y=f"{one.y:.0f}", area=f"{one.area:.0f}"
            )
        )
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
