"""simulate: one run of a line exactly as it stands, written to a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from game.commands.options import engine_option, json_option, line_argument
from game.pictures.export import ENDINGS, export_run, require_for
from game.text.report import outcome_words
from game.words import _, named, number
from game.workers.progress import Progress, bar, painting
from physics.engine import RECORD_STEP, SINGLE_STEP, Settings, engine
from physics.engines import default_engine
from physics.files import check_ending, check_writable
from physics.outcome import Outcome
from physics.record import write_run
from physics.scene import Scene, read_line_file
from physics.wave import fall_span, speed_of

RECORDS = (".topple", ".csv")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of simulate."""
    line_argument(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar=_("FILE"),
        help=_("where to write the run (.topple, .csv, .glb, .mp4, .gif or .png)"),
    )
    json_option(parser)
    engine_option(parser, both=False)


def run(options: argparse.Namespace) -> int:
    """Writes the run and tells it; 0 whatever happened to the row."""
    check_ending(options.out, RECORDS + ENDINGS)
    check_writable(options.out)
    is_record = options.out.suffix.lower() in RECORDS
    if not is_record:
        require_for(options.out)
    scene, _noise = read_line_file(options.line)
    settings = Settings(step=SINGLE_STEP, record=RECORD_STEP, to_rest=True)
    with Progress() as progress:

        def tell(time: float, down: int) -> None:
            progress.show(
                _("{bar} {down} of {count} tiles down after {time} s").format(
                    bar=bar(down / len(scene.line)), down=down, count=len(scene.line), time=number(time, 2)
                )
            )

        outcome = engine(options.engine or default_engine()).run([scene], settings, tell)[0]
        if is_record:
            write_run(options.out, scene, outcome)
        else:
            export_run(options.out, scene, outcome, painting(progress))
    if options.json:
        tiles = [
            {"value": value, "fate": fate.value, "fell_at": time}
            for value, fate, time in zip(scene.line.values, outcome.fates, outcome.fell_at, strict=True)
        ]
        print(
            json.dumps(
                {
                    "all_fell": outcome.all_fell,
                    "tiles": tiles,
                    "ended": round(outcome.ended, 6),
                    "settled": outcome.settled,
                    **_wave(scene, outcome),
                    "engine": outcome.engine,
                    "out": str(options.out),
                }
            )
        )
    else:
        print(outcome_words(options.line.name, scene, outcome))
        print(_("Written to {file}.").format(file=named(options.out)))
    return 0


def _wave(scene: Scene, outcome: Outcome) -> dict[str, float | None]:
    """When the fall began and ended and how long it took, s, and how fast it went, m/s; null where nothing can tell."""
    span, speed = fall_span(outcome), speed_of(scene, outcome)
    first, last = (None, None) if span is None else span
    return {
        "first_fell": first,
        "last_fell": last,
        "fall_took": None if first is None or last is None else round(last - first, 6),
        "wave_speed": None if speed is None else round(speed, 3),
    }
