"""calibrate camera: the lens from views of the printed board, live, from a video or from a folder."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.options import json_option, number
from game.progress import Progress, bar
from game.words import _, plural, say
from physics.files import check_ending, check_writable

if TYPE_CHECKING:
    from calibration.camera import CameraFit, Collection
    from vision.sources import Source

EVERY = 0.2  # s of a film between two pictures that are looked at
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
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Fits the lens, keeps it and tells how good it is."""
    from vision.render import require_cv2
    from vision.sources import source_of

    require_cv2()
    if options.out is not None:
        check_ending(options.out, (".toml",))
        check_writable(options.out)
    source = source_of(options.source)
    with Progress() as progress:
        collection = collect(source, options.seconds, progress)
    from calibration.camera import fit_camera
    from calibration.files import keep_lens, write_lens

    fit = fit_camera(collection)
    kept = keep_lens(options.device or source.name, fit)
    if options.out is not None:
        write_lens(options.out, fit)
    print(json.dumps(_contract(fit, options.out or kept)) if options.json else in_words(fit, options.out or kept))
    return 0


def collect(source: Source, seconds: float, progress: Progress) -> Collection:
    """Sharp and different views of the board; a live source is watched until there are enough, or so long."""
    from calibration.camera import ENOUGH_VIEWS, Collection, find_board
    from vision.frames import Frame, Frames, Lost
    from vision.sources import Skipped

    found, last, until = Collection(), -math.inf, time.monotonic() + seconds
    with Frames(source) as frames:
        for item in frames:
            if isinstance(item, Lost | Skipped):
                print(say(item.reason), file=sys.stderr)
            if source.is_live and time.monotonic() > until:
                break
            # The pictures of a folder were chosen by somebody; those of a film are nearly the same one after another.
            if not isinstance(item, Frame) or (item.time - last < EVERY and _is_film(source)):
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
    from vision.sources import VideoSource

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
    """The lens as people read it."""
    lens = fit.lens
    field = 2 * math.degrees(math.atan(lens.width / 2 / lens.fx))
    lines = [
        _(
            "Focal length {focal} px (± {doubt} %), field of view {field}°, for pictures of {width} × {height} px."
        ).format(
            focal=f"{lens.fx:.1f}",
            doubt=f"{fit.focal_doubt * 100:.2f}",
            field=f"{field:.0f}",
            width=lens.width,
            height=lens.height,
        ),
        _("Reprojection error {error} px over {views}.").format(
            error=f"{fit.error:.2f}", views=plural("{count} view", "{count} views", fit.views)
        ),
    ]
    if fit.lacking:
        lines.append(
            _("Few or no views in these regions, where the lens is known less well: {regions}.").format(
                regions=", ".join(_(name) for name in fit.lacking)
            )
        )
    lines.append(_("Kept in {file}").format(file=path))
    return "\n".join(lines)
