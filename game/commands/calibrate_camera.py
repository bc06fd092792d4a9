"""calibrate camera: the lens from views of the printed board, live, from a video or from a folder."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.options import json_option, number
from game.words import _, complain, named, plural
from game.workers.progress import Progress, bar
from physics.errors import InputError, MissingError
from physics.files import check_ending, check_writable

if TYPE_CHECKING:
    from calibration.camera import CameraFit, Collection
    from vision.camera.sources import Source

EVERY = 0.2  # s of a film between two pictures that are looked at
FIRST = 8.0  # s to wait for the first picture
SECONDS = 180.0  # s that a live camera is watched at most


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of calibrate camera."""
    parser.add_argument(
        "source", metavar=_("SOURCE"), help=_("a camera's number, a video, a folder of pictures or an MJPEG address")
    )
    parser.add_argument("--out", type=Path, metavar=_("FILE"), help=_("write a camera file as well (.toml)"))
    parser.add_argument(
        "--device", metavar=_("NAME"), help=_("the camera that the calibration is kept for (the source)")
    )
    parser.add_argument(
        "--seconds",
        type=number(1, 3600),
        default=SECONDS,
        metavar="S",
        help=_("how long a live camera is watched at most (default 180)"),
    )
    parser.add_argument(
        "--headless", action="store_true", help=_("watch a live camera from the terminal too, without a window")
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Fits the lens, keeps it and tells how good it is."""
    from vision.camera.sources import source_of
    from vision.opencv import require_cv2

    require_cv2()
    if options.out is not None:
        check_ending(options.out, (".toml",))
        check_writable(options.out)
    source = source_of(options.source)
    if source.is_live and not options.headless and not options.json:
        with contextlib.suppress(MissingError):  # without a display it goes on in the terminal
            return _guided(options, source)
    with Progress() as progress:
        collection = collect(source, options.seconds, progress)
    from calibration.camera import fit_camera
    from calibration.files import keep_lens, write_lens
    from game.table.calibration_words import lacking_words

    try:
        fit = fit_camera(collection)
    except InputError:
        print(*lacking_words(collection.lacking()), sep="\n", file=sys.stderr)
        raise
    kept = keep_lens(options.device or source.name, fit)
    if options.out is not None:
        write_lens(options.out, fit)
    print(json.dumps(_contract(fit, options.out or kept)) if options.json else in_words(fit, options.out or kept))
    return 0


def _guided(options: argparse.Namespace, source: Source) -> int:
    """Leads people through it in the window, and tells what was kept; 1 when that is nothing.

    MissingError without a display, InputError when there comes no picture.
    """
    from calibration.files import write_lens
    from game.table.calibrating import Calibrating, Measured
    from game.ui.run import calibrate

    def begin() -> Calibrating:
        work = Calibrating(source, options.device)
        work.wait(FIRST)
        return work

    work = calibrate(begin, options.lang or "")
    if work.kept_fit is not None:
        if options.out is not None:
            write_lens(options.out, work.kept_fit)
        print(in_words(work.kept_fit, options.out or work.kept[Measured.LENS]))
    if Measured.TABLE in work.kept:
        print(_("Kept in {file}").format(file=named(work.kept[Measured.TABLE])))
    if not work.kept:
        print(_("Nothing was kept."))
    return 0 if work.kept else 1


def collect(source: Source, seconds: float, progress: Progress) -> Collection:
    """Sharp and different views of the board; a live source is watched until there are enough, or so long."""
    from calibration.camera import ENOUGH_VIEWS, Collection, find_board
    from vision.camera.frames import CameraFrame, Frames, Lost
    from vision.camera.sources import Skipped

    found, last, until = Collection(), -math.inf, time.monotonic() + seconds
    with Frames(source) as frames:
        for item in frames:
            if isinstance(item, Lost | Skipped):
                complain(item.reason)
            if source.is_live and time.monotonic() > until:
                break
            # The pictures of a folder were chosen by somebody; those of a film are nearly the same one after another.
            if not isinstance(item, CameraFrame) or (item.time - last < EVERY and _is_film(source)):
                continue
            last = item.time
            view = find_board(item.picture)
            if view is not None:
                found = found.with_view(view)
            lacking = found.lacking()
            if source.is_live and len(found.views) >= ENOUGH_VIEWS and not lacking:
                break
            progress.show(_still_wanted(found, ENOUGH_VIEWS))
    return found


def _is_film(source: Source) -> bool:
    from vision.camera.sources import VideoSource

    return source.is_live or isinstance(source, VideoSource)


def _still_wanted(found: Collection, enough: int) -> str:
    """How far one is, and where the board should go next."""
    views = plural("{count} view", "{count} views", len(found.views))
    lacking = found.lacking()
    share = bar(len(found.views) / enough)
    if not lacking:
        return _("{bar} {views}: tilt the board this way and that").format(bar=share, views=views)
    return _("{bar} {views}; not yet seen: {regions}").format(
        bar=share, views=views, regions=", ".join(_(name) for name in lacking[:3])
    )


def _contract(fit: CameraFit, path: Path) -> dict[str, object]:
    lens = fit.lens
    return {
        "width": lens.width,
        "height": lens.height,
        "fx": lens.fx,
        "fy": lens.fy,
        "cx": lens.cx,
        "cy": lens.cy,
        "dist": list(lens.dist),
        "error_px": fit.error,
        "focal_error": fit.focal_doubt,
        "views": fit.views,
        "lacking": list(fit.lacking),
        "file": str(path),
    }


def in_words(fit: CameraFit, path: Path) -> str:
    """The lens as people read it, and where it is kept."""
    from game.table.calibration_words import lens_words

    return "\n".join([*lens_words(fit), _("Kept in {file}").format(file=named(path))])
