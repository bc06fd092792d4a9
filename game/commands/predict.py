"""predict: how likely is a line to fall, given as a file, in a picture, or before a camera?"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.forecast_options import add_forecast_options, check_picture
from game.commands.options import GAME, camera_option, correct_option, markers_option, set_option
from game.words import _, complain
from game.workers.progress import Progress
from physics.errors import InputError

if TYPE_CHECKING:
    from game.table.photo import Photo

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
SIGNS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")  # with which files of pictures begin


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of predict."""
    parser.add_argument(
        "line",
        type=Path,
        nargs="?",
        metavar=_("LINE"),
        help=_("a line file (TOML), see examples/, or a picture of the table with the mat in it"),
    )
    parser.add_argument(
        "--source",
        metavar=_("SOURCE"),
        help=_(
            "instead of a file: a camera's number, a video, an MJPEG address, or synthetic, once a row stands still"
        ),
    )
    camera_option(parser)
    markers_option(parser, "--markers")
    set_option(parser)
    correct_option(parser)
    add_forecast_options(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the prediction; 0 whatever it says."""
    if (options.line is None) == (options.source is None):
        raise InputError("Give either a line file or picture, or --source with a camera.")
    if options.source is None and not is_picture(options.line):
        _check_for_line(options)
        check_picture(options)
        from game.commands.forecast import Subject, forecast
        from physics.scene import read_line_file

        scene, noise = read_line_file(options.line)
        return forecast(Subject(options.line.name, scene, noise), options)
    check_picture(options)
    return _forecast_photo(_seen(options).corrected(options.correct), options)


def is_picture(path: Path) -> bool:
    """Whether the file is a picture, by its first bytes or else by its name."""
    try:
        with path.open("rb") as file:
            begin = file.read(12)
    except (OSError, ValueError):
        begin = b""
    is_webp = begin[:4] == b"RIFF" and begin[8:] == b"WEBP"
    return begin.startswith(SIGNS) or is_webp or path.suffix.lower() in PICTURES


def _check_for_line(options: argparse.Namespace) -> None:
    """InputError when something was asked for that only a picture has."""
    given = {
        "--camera": options.camera,
        "--markers": options.markers,
        "--set": options.set,
        "--correct": options.correct,
    }
    for option, value in given.items():
        if value:
            raise InputError("{option} is for pictures and cameras, not for a line file.", option=option)


def _seen(options: argparse.Namespace) -> Photo:
    """The table that is asked for; InputError when it cannot be seen."""
    from vision.opencv import require_cv2

    require_cv2()
    from game.table.calm_row import calm_row
    from game.table.hands import needed_hands
    from game.table.photo import read_photo
    from game.table.source import CameraTable
    from physics.tiles import load_set

    tiles = load_set(options.set or GAME)
    if options.source is None:
        return read_photo(options.line, options.camera, options.markers, tiles)
    if is_picture(Path(options.source)):
        return read_photo(Path(options.source), options.camera, options.markers, tiles)
    table = CameraTable(
        options.source,
        options.camera,
        options.markers,
        hands=needed_hands(GAME),
        in_game=False,
        stands=True,
        tiles=tiles,
        tell=complain,
    )
    with Progress() as progress:
        progress.show(_("Waiting for a row to stand still before the camera …"))
        return calm_row(table, complain)


def _forecast_photo(photo: Photo, options: argparse.Namespace) -> int:
    from game.commands.forecast import Subject, forecast
    from game.pictures.photo import draw_photo
    from game.table.photo import doubts

    scene, noise = photo.scene()
    if not options.json:
        print("\n".join([*doubts(photo), ""]), end="", flush=True)
    draw = partial(draw_photo, photo)
    return forecast(Subject(photo.name, scene, noise, draw, {"reading": photo.reading.as_json()}), options)
