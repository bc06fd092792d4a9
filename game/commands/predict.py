"""predict: how likely is a line to fall?"""

from __future__ import annotations

import argparse

from game.commands.forecast import Subject, add_forecast_options, check_picture, forecast
from game.commands.options import line_argument
from physics.scene import read_line_file


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of predict."""
    line_argument(parser)
    add_forecast_options(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the prediction; 0 whatever it foretells."""
    check_picture(options)
    scene, noise = read_line_file(options.line)
    return forecast(Subject(options.line.name, scene, noise), options)
