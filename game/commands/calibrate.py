"""calibrate: what a real table, its camera and its tiles are like, measured; one module for each part."""

from __future__ import annotations

import argparse
from importlib import import_module

from game.commands import general_options
from game.commands.examples import examples_of
from game.words import N_, _

PARTS = {
    "camera": N_("the lens, from views of the printed board"),
    "table": N_("where the camera is over the mat, and its errors in mm"),
    "material": N_("friction and restitution, from tilt tests and recorded falls"),
    "rig": N_("what the rig's strokes and angles mean at this table"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the parts, each with its own arguments."""
    parts = parser.add_subparsers(dest="part", metavar=_("PART"), required=True)
    for name, text in PARTS.items():
        part = parts.add_parser(name, help=_(text), description=_(text), formatter_class=parser.formatter_class)
        part.epilog = examples_of(f"calibrate {name}")
        general_options(part)
        import_module(f"game.commands.calibrate_{name}").add_options(part)


def run(options: argparse.Namespace) -> int:
    """Runs the part that was named."""
    code: int = import_module(f"game.commands.calibrate_{options.part}").run(options)
    return code
