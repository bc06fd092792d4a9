"""calibrate material: friction from tilt tests, friction and restitution from recorded falls, each with its spread."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from calibration.material import (
    ANGLE_ERROR,
    RUNS,
    Estimate,
    Fall,
    Material,
    Trial,
    friction_of,
    material_of,
    read_fall,
    timed_fall,
)
from calibration.store import save
from game.commands.options import MAX_DRAW_SEED, engine_option, json_option, number, whole
from game.words import _, figures, named
from game.workers.progress import Progress, bar
from physics.engine import engine
from physics.engines import default_engine
from physics.errors import InputError
from physics.scene import read_line_file

RATE = 30.0  # pictures per second of a usual camera
KIND = "material"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of calibrate material."""
    angle = number(0.1, 80)
    tests = (
        ("--table-slid", _("angles at which a tile slid on the tilted table, degrees")),
        ("--table-tipped", _("angles at which a tile tipped over on the table instead, degrees")),
        ("--tile-slid", _("angles at which a tile slid on another tile, degrees")),
        ("--tile-tipped", _("angles at which a tile tipped over on another instead, degrees")),
    )
    for name, text in tests:
        parser.add_argument(name, type=angle, nargs="+", default=[], metavar="DEG", help=text)
    parser.add_argument(
        "--angle-error",
        type=number(0, 10),
        default=ANGLE_ERROR,
        metavar="DEG",
        help=_("standard error of the angles (default 0.5)"),
    )
    parser.add_argument(
        "--falls", type=Path, nargs="+", default=[], metavar=_("FILE"), help=_("recorded falls (.topple)")
    )
    parser.add_argument("--line", type=Path, metavar=_("LINE"), help=_("the line file of a fall timed by hand"))
    parser.add_argument(
        "--times",
        type=number(-1e6, 1e6),
        nargs="+",
        metavar="S",
        help=_("when each tile of that line fell, in its order, seconds"),
    )
    parser.add_argument(
        "--rate",
        type=number(1, 100_000),
        default=RATE,
        metavar="FPS",
        help=_("pictures per second of the recorded falls, which limits how exact their times are (default 30)"),
    )
    parser.add_argument(
        "--runs",
        type=whole(60, 100_000),
        default=RUNS,
        metavar="N",
        help=_("how many falls are simulated for each one (default 192)"),
    )
    parser.add_argument(
        "--seed", type=whole(0, MAX_DRAW_SEED), default=0, metavar="N", help=_("same seed, same answer (default 0)")
    )
    parser.add_argument(
        "--name", default="tiles", metavar=_("NAME"), help=_("the name under which the result is kept (tiles)")
    )
    engine_option(parser, both=False)
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Tells what the measurements say, and keeps it."""
    falls = _falls(options)
    table, tile = _tilted(options, "table"), _tilted(options, "tile")
    if not falls and table is None and tile is None:
        raise InputError("Nothing was measured: give angles of tilt tests, or recorded falls.")
    found = Material(tile_friction=tile, friction=table)
    if falls:
        with Progress() as progress:

            def tell(done: int, total: int) -> None:
                progress.show(
                    _("{bar} {done} of {total} simulated falls").format(bar=bar(done / total), done=done, total=total)
                )

            found = material_of(
                falls,
                engine(options.engine or default_engine()),
                known=found,
                runs=options.runs,
                seed=options.seed,
                progress=tell,
            )
    path = save(KIND, options.name, "", _values(found))
    print(json.dumps(_contract(found, path)) if options.json else in_words(found, path))
    return 0


def _falls(options: argparse.Namespace) -> list[Fall]:
    time_error = 1 / options.rate / math.sqrt(12)
    falls = [read_fall(path, time_error) for path in options.falls]
    if (options.line is None) != (options.times is None):
        raise InputError("A fall timed by hand needs both --line and --times.")
    if options.line is not None:
        falls.append(timed_fall(read_line_file(options.line)[0], options.times, time_error))
    return falls


def _tilted(options: argparse.Namespace, what: str) -> Estimate | None:
    slid, tipped = (getattr(options, f"{what}_{how}") for how in ("slid", "tipped"))
    trials = [Trial(math.radians(angle), True) for angle in slid]
    trials += [Trial(math.radians(angle), False) for angle in tipped]
    return friction_of(trials, math.radians(options.angle_error)) if trials else None


def _named(found: Material) -> dict[str, Estimate | None]:
    return {"friction": found.friction, "tile_friction": found.tile_friction, "restitution": found.restitution}


def _values(found: Material) -> dict[str, float]:
    """What is kept: each number with the ends of its spread; a bound that is open is left out."""
    values: dict[str, float] = {}
    for name, estimate in _named(found).items():
        if estimate is not None:
            ends = {"": estimate.value, "_low": estimate.low, "_high": estimate.high}
            values |= {name + end: round(value, 5) for end, value in ends.items() if math.isfinite(value)}
    return values


def _contract(found: Material, path: Path) -> dict[str, object]:
    estimates = {
        name: None
        if estimate is None
        else {
            "value": round(estimate.value, 5),
            "low": round(estimate.low, 5),
            "high": round(estimate.high, 5) if math.isfinite(estimate.high) else None,
            "told": estimate.is_informative,
        }
        for name, estimate in _named(found).items()
    }
    return {**estimates, "confidence": 0.95, "file": str(path)}


def in_words(found: Material, path: Path) -> str:
    """The materials as people read them, and as a line file wants them."""
    names = {
        "friction": _("Friction of tile on table"),
        "tile_friction": _("Friction of tile on tile"),
        "restitution": _("Restitution"),
    }
    lines, for_line_file = [], []
    for name, estimate in _named(found).items():
        if estimate is None:
            continue
        low, high = figures(f"{estimate.low:.2f}"), figures(f"{estimate.high:.2f}")
        if math.isinf(estimate.high):
            lines.append(_("{name}: at least {low}; the tile tipped before it slid.").format(name=names[name], low=low))
        elif not estimate.is_informative:
            lines.append(
                _("{name}: somewhere from {low} to {high}; the falls say hardly anything about it.").format(
                    name=names[name], low=low, high=high
                )
            )
        else:
            for_line_file.append(f"{name} = {estimate.value:.3f}")
            lines.append(
                _("{name}: {value} (from {low} to {high} with 95 %).").format(
                    name=names[name], value=figures(f"{estimate.value:.3f}"), low=low, high=high
                )
            )
    if for_line_file:
        lines += ["", _("For a line file:"), "[table]", *for_line_file]
        known = [
            each.relative for each in (found.friction, found.tile_friction) if each is not None and each.is_informative
        ]
        noise = [relative for relative in known if math.isfinite(relative)]
        if noise:
            lines += ["[noise]", f"friction = {min(1.0, max(noise)):.2f}"]
    return "\n".join([*lines, "", _("Kept in {file}").format(file=named(path))])
