"""What was measured of a camera, in words: for the terminal and for the window."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.camera import CameraFit
from calibration.lens import Lens
from calibration.table import ErrorMap, TableFit
from game.words import _, number, plural


def lens_words(fit: CameraFit) -> list[str]:
    """The lens as people read it, sentence by sentence."""
    lens = fit.lens
    field = 2 * math.degrees(math.atan(lens.width / 2 / lens.fx))
    lines = [
        _(
            "Focal length {focal} px (± {doubt} %), field of view {field}°, for pictures of {width} × {height} px."
        ).format(
            focal=number(lens.fx, 1),
            doubt=number(fit.focal_doubt * 100, 2),
            field=f"{field:.0f}",
            width=lens.width,
            height=lens.height,
        ),
        _("Reprojection error {error} px over {views}.").format(
            error=number(fit.error, 2), views=plural("{count} view", "{count} views", fit.views)
        ),
    ]
    return [*lines, *lacking_words(fit.lacking)]


def lacking_words(lacking: Sequence[str]) -> list[str]:
    """Which regions of the picture the board should still go to; nothing when it was everywhere."""
    if not lacking:
        return []
    sentence = _("Few or no views in these regions, where the lens is known less well: {regions}.")
    return [sentence.format(regions=", ".join(_(name) for name in lacking))]


def table_words(fit: TableFit) -> list[str]:
    """Where the camera is, and how well its place fits."""
    x, y, z = (float(value) for value in fit.eye)
    lines = [
        _("The camera is {up} mm above the mat, at x {x}, y {y} mm, and looks {off}° off vertical.").format(
            up=f"{z:.0f}", x=f"{x:.0f}", y=f"{y:.0f}", off=f"{fit.off_vertical:.0f}"
        ),
        _("The markers fit to {error} px.").format(error=number(fit.error, 2)),
    ]
    if fit.checks:
        worst = max(fit.checks, key=lambda check: check.off)
        lines.append(
            _("Judged by the others alone, marker {marker} would be {off} mm from its place, the most of all.").format(
                marker=worst.id, off=number(worst.off, 2)
            )
        )
    return lines


def error_words(fit: TableFit, lens: Lens, guessed: bool) -> list[str]:
    """How far off things on the table are put, and what a lens that is only estimated costs."""
    lines = [_heights(fit.map)]
    if guessed and fit.map_fitted is not None:
        lines.append(
            _(
                "The focal length, {focal} px, is only estimated from the mat. "
                "With a lens fitted by `./topple calibrate camera` it would be: {errors}"
            ).format(focal=f"{lens.fx:.0f}", errors=_heights(fit.map_fitted))
        )
    return lines


def _heights(found: ErrorMap) -> str:
    foot, top = found.typical
    return _("{foot} mm at the mat, {top} mm for the top of a tile 50 mm tall.").format(
        foot=number(foot, 2), top=number(top, 2)
    )
