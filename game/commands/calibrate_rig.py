"""calibrate rig: what the rig's commands mean at this table."""

from __future__ import annotations

import argparse
import json
import math
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from calibration.rig import RigMap, TapSample, fit_rig, impulse_of_rate, rate_of_fall, save_map
from game.commands.options import json_option, number, whole
from game.commands.rig import port_option
from game.words import _, figures, named
from game.workers.progress import Progress, bar
from hardware.opening import open_rig
from hardware.rig import Rig
from hardware.simulated.emulated import EMULATED
from hardware.survey import (
    impulses_by_falls,
    impulses_by_sensor,
    set_level,
    survey_falls,
    survey_taps,
    survey_tilts,
)
from physics.errors import InputError
from physics.tile_theory import Profile
from physics.tiles import load_set

SET, TILE = "evaluation", 6
STROKES = (200, 700)  # µs, first and last
TAPS = 6


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of calibrate rig."""
    port_option(parser)
    json_option(parser)
    parser.add_argument(
        "--set", default=SET, metavar=_("SET"), help=_("the set of the tile that is tapped (%(default)s)")
    )
    parser.add_argument(
        "--tile", type=int, default=TILE, metavar=_("VALUE"), help=_("the tile that is tapped (%(default)s)")
    )
    parser.add_argument(
        "--height",
        type=number(1, 1000),
        metavar="MM",
        help=_("how high above the table the arm taps, in mm (two thirds of the tile)"),
    )
    parser.add_argument(
        "--taps", type=whole(4, 50), default=TAPS, metavar="N", help=_("how many strokes to try (%(default)s)")
    )
    parser.add_argument(
        "--sensitivity",
        type=number(1e-6, 1e6),
        metavar="MN·S",
        help=_(
            "the impulse at the vibration sensor's full scale, in mN·s, if it is known; then nobody is asked what fell"
        ),
    )
    parser.add_argument(
        "--video",
        action="append",
        default=[],
        metavar=_("STROKE=FILE"),
        help=_("a film of a tap with that stroke, from the side; give several, and no tap is made"),
    )
    parser.add_argument("--level", action="store_true", help=_("the plate is level now: store that in the rig first"))


def run(options: argparse.Namespace) -> int:
    """Calibrates and stores what was found; 1 when the rig did not take part."""
    tile, height = _tile(options)
    by_video = _by_video(options.video, tile, height)
    rig = open_rig(options.port)
    try:
        rig.home()
        _name(rig, options.level)
        with Progress() as progress:
            tilts = survey_tilts(
                rig, lambda done, total: progress.show(_("{bar} tilting").format(bar=bar(done / total)))
            )
        taps = by_video or _by_taps(rig, options, tile, height)
        found = fit_rig(taps, tilts)
        path = save_map(found, rig.device, rig.basis)
    finally:
        rig.close()
    print(json.dumps(_json(found, rig.device, path)) if options.json else map_words(found, rig.device, path))
    return 0


def _tile(options: argparse.Namespace) -> tuple[Profile, float]:
    """The tile from the side, and the height at which it is tapped, m."""
    tiles = load_set(options.set)
    found = next((tile for tile in tiles.tiles if tile.value == options.tile), None)
    if found is None:
        raise InputError("There is no tile {value} in the set {set}.", value=options.tile, set=options.set)
    profile = Profile(found.height, found.thickness, found.mass)
    height = options.height / 1e3 if options.height is not None else 2 * found.height / 3
    if height > found.height:
        raise InputError(
            "A tile of {height} mm cannot be tapped at {value} mm.", height=found.height * 1e3, value=options.height
        )
    return profile, height


def _name(rig: Rig, level: bool) -> None:
    """Gives a new rig a number of its own, by which its calibrations are known; and its level, if asked to."""
    if rig.settings.device == 0:
        rig.store(replace(rig.settings, device=1 + secrets.randbelow(0x7FFFFFFF)))
    if level:
        set_level(rig)


def _by_video(videos: Sequence[str], tile: Profile, height: float) -> list[TapSample]:
    if not videos:
        return []
    from calibration.tile_video import leans_in

    samples = []
    for video in videos:
        stroke, _equals, file = video.partition("=")
        if not stroke.isdecimal() or not file:
            raise InputError("--video takes STROKE=FILE, such as 300=tap.mp4, not {value}.", value=video)
        rate = rate_of_fall(tile, *leans_in(Path(file)))
        samples.append(TapSample(int(stroke), impulse_of_rate(tile, height, rate)))
    return samples


def _by_taps(rig: Rig, options: argparse.Namespace, tile: Profile, height: float) -> list[TapSample]:
    first, last = STROKES
    strokes = [round(first + index * (last - first) / (options.taps - 1)) for index in range(options.taps)]
    if options.sensitivity is not None:
        taps = survey_taps(rig, strokes, lambda stroke: _ask_to_stand(rig, stroke))
        return impulses_by_sensor(taps, options.sensitivity / 1e3)
    tried = survey_falls(rig, strokes, lambda stroke: _ask_to_stand(rig, stroke), _ask_whether_it_fell)
    return impulses_by_falls(tried, tile, height)


def _ask_to_stand(rig: Rig, stroke: int) -> None:
    if rig.port.name == EMULATED:
        return  # its tile stands up by itself
    _asked(
        _("Stand the tile before the arm, take your hand away and press Enter: a tap of {stroke} µs. ").format(
            stroke=stroke
        )
    )


def _ask_whether_it_fell() -> bool:
    yes, no = _("y"), _("n")
    while True:
        answer = _asked(_("Did it fall? [{yes}/{no}] ").format(yes=yes, no=no)).strip().lower()
        if answer[:1] in (yes, no):
            return answer[:1] == yes


def _asked(text: str) -> str:
    print(text, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise InputError("Nobody answers: calibrate at a terminal, or give --sensitivity or --video.")
    return line


def _json(found: RigMap, device: str, path: Path) -> dict[str, object]:
    return {
        "device": device,
        "file": str(path),
        "impulse": [impulse * 1e3 for impulse in found.impulses],
        "tap_rms": found.tap_rms * 1e3,
        "tilt_gain": found.gain,
        "tilt_rms": math.degrees(found.tilt_rms),
        "backlash": math.degrees(found.backlash),
        "taps": [
            {"stroke_us": tap.stroke, "impulse": tap.impulse * 1e3, "residual": residual * 1e3}
            for tap, residual in zip(found.taps, found.tap_residuals(), strict=True)
        ],
        "tilts": [
            {
                "command": math.degrees(tilt.command),
                "measured": math.degrees(tilt.measured),
                "residual": math.degrees(residual),
            }
            for tilt, residual in zip(found.tilts, found.tilt_residuals(), strict=True)
        ],
    }


def map_words(found: RigMap, device: str, path: Path) -> str:
    """The calibration with its residuals, as people read it."""
    low, high = (impulse * 1e3 for impulse in found.impulses)
    lines = [_("stroke µs   impulse mN·s   off by")]
    lines += [
        figures(f"{tap.stroke:9.0f}   {tap.impulse * 1e3:12.4f}   {residual * 1e3:+.4f}")
        for tap, residual in zip(found.taps, found.tap_residuals(), strict=True)
    ]
    lines += ["", _("asked °   measured °   off by")]
    lines += [
        figures(
            f"{math.degrees(tilt.command):+7.1f}   {math.degrees(tilt.measured):+10.2f}   {math.degrees(residual):+.3f}"
        )
        for tilt, residual in zip(found.tilts, found.tilt_residuals(), strict=True)
    ]
    lines += [
        "",
        _("Rig {device}: taps of {low} to {high} mN·s, off by {error}; tilts off by {tilt}°, play {play}°.").format(
            device=device,
            low=figures(f"{low:.3f}"),
            high=figures(f"{high:.3f}"),
            error=figures(f"{found.tap_rms * 1e3:.4f}"),
            tilt=figures(f"{math.degrees(found.tilt_rms):.3f}"),
            play=figures(f"{abs(math.degrees(found.backlash)):.3f}"),
        ),
        _("Stored in {file}.").format(file=named(path)),
    ]
    return "\n".join(lines)
