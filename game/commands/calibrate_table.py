"""calibrate table: where the camera is over the mat, and how many mm its readings are off."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.options import json_option, number
from game.words import _, complain, figures
from physics.errors import InputError
from physics.files import check_ending, check_writable

if TYPE_CHECKING:
    from calibration.board import Mat
    from calibration.lens import Lens
    from calibration.table import ErrorMap, TableFit
    from vision.camera.frames import CameraFrame
    from vision.camera.mat import MatView

PATIENCE = 20.0  # s in which the mat must come into a live picture


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of calibrate table."""
    parser.add_argument(
        "source", metavar=_("SOURCE"), help=_("a picture of the mat, a camera's number, a video or an MJPEG address")
    )
    parser.add_argument(
        "--camera", type=Path, metavar=_("FILE"), help=_("the camera file (what was kept for this camera)")
    )
    parser.add_argument(
        "--table", type=Path, metavar=_("FILE"), help=_("a table file, for other markers than the mat's")
    )
    parser.add_argument(
        "--ruler",
        type=number(50, 200),
        metavar="MM",
        help=_("how long the printed ruler really is, if not 100 mm"),
    )
    parser.add_argument("--out", type=Path, metavar=_("FILE"), help=_("write the markers as a table file (.toml)"))
    parser.add_argument(
        "--device", metavar=_("NAME"), help=_("the camera that the result is kept for (a live source itself)")
    )
    parser.add_argument("--picture", type=Path, metavar=_("FILE"), help=_("draw the errors over the picture (.png)"))
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Tells where the camera is and how good its place is."""
    from vision.opencv import require_cv2

    require_cv2()
    for path, ending in ((options.out, ".toml"), (options.picture, ".png")):
        if path is not None:
            check_ending(path, (ending,))
            check_writable(path)
    from calibration.board import MAT
    from calibration.files import keep_table, read_mat, scaled_mat, write_mat
    from calibration.table import draw_errors, fit_table, write_picture
    from vision.camera.markers import find_markers
    from vision.camera.sources import source_of

    mat = read_mat(options.table) if options.table is not None else MAT
    if options.ruler is not None:
        mat = scaled_mat(mat, options.ruler / 100)
    frame, lens, view = _first_view(options, mat)
    used = view.sight.lens
    found = find_markers(frame.picture, mat)
    fit = fit_table(found, used, guessed=lens is None, lens_doubt=view.lens_doubt, mat=mat)
    device = options.device or (options.source if source_of(options.source).is_live else None)
    if device is not None:
        keep_table(device, (used.width, used.height), fit)
    if options.out is not None:
        write_mat(options.out, mat)
    if options.picture is not None:
        write_picture(options.picture, draw_errors(frame.picture, used, fit))
    print(json.dumps(_contract(fit, used, lens is None)) if options.json else in_words(fit, used, lens is None))
    return 0


def _first_view(options: argparse.Namespace, mat: Mat) -> tuple[CameraFrame, Lens | None, MatView]:
    """The first picture that shows the mat; InputError with the last reason when none does."""
    from calibration.files import check_size, kept_lens, read_lens
    from calibration.store import newest
    from vision.camera.frames import CameraFrame, Frames, Lost
    from vision.camera.mat import find_mat
    from vision.camera.sources import Skipped, source_of

    source = source_of(options.source)
    given = read_lens(options.camera) if options.camera is not None else None
    until = time.monotonic() + PATIENCE
    reason = InputError("{source} gave no picture.", source=source.name)
    with Frames(source) as frames:
        for item in frames:
            if isinstance(item, Lost | Skipped):
                complain(item.reason)
            if isinstance(item, CameraFrame):
                size = (item.picture.shape[1], item.picture.shape[0])
                lens = given
                device = options.device or source.name
                if lens is None and newest("camera", device) is not None:
                    lens = kept_lens(device, size)[0]
                if lens is not None:
                    check_size(lens, size)
                try:
                    return item, lens, find_mat(item.picture, lens, mat)
                except InputError as error:
                    reason = error
            if source.is_live and time.monotonic() > until:
                break
    raise reason


def _contract(fit: TableFit, lens: Lens, guessed: bool) -> dict[str, object]:
    return {
        "eye": [round(float(value), 2) for value in fit.eye],
        "off_vertical": round(fit.off_vertical, 2),
        "focal_px": round(lens.fx, 2),
        "focal_estimated": guessed,
        "camera_error_px": round(fit.error, 3),
        "markers": [{"id": check.id, "off": round(check.off, 3)} for check in fit.checks],
        "error_mm": _map(fit.map),
        "error_mm_with_lens": None if fit.map_fitted is None else _map(fit.map_fitted),
    }


def _map(found: ErrorMap) -> dict[str, object]:
    from calibration.table import HEIGHTS

    return {
        "x": [round(float(x), 1) for x in found.xs],
        "y": [round(float(y), 1) for y in found.ys],
        "heights": [
            {
                "height": height,
                "typical": round(typical, 3),
                "errors": [[round(float(e), 3) for e in row] for row in layer],
            }
            for height, typical, layer in zip(HEIGHTS, found.typical, found.errors, strict=True)
        ],
    }


def in_words(fit: TableFit, lens: Lens, guessed: bool) -> str:
    """Where the camera is, the map of errors, and what a missing lens costs."""
    from game.table.calibration_words import error_words, table_words

    lines = [*table_words(fit), "", _("Standard errors on the mat, mm:")]
    head = "y \\ x"
    lines.append(f"{head:>7} " + " ".join(f"{x:6.0f}" for x in fit.map.xs))
    for y, row in zip(fit.map.ys, fit.map.errors[0], strict=True):
        lines.append(f"{y:7.0f} " + " ".join(figures(f"{error:6.2f}") for error in row))
    return "\n".join([*lines, "", *error_words(fit, lens, guessed)])
