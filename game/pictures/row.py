"""A small picture of a row from above: tiles to scale, their values, how long it is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from game.pictures.canvas import ENDINGS, INK, MARGIN, MAX_SCALE, SOFT_INK, Words, new_figure, save_figure, write
from game.words import _, number, plural
from physics.files import check_ending
from physics.line import Line
from physics.tiles import Stance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADER = 40.0  # pt
LETTERS = 13.0  # pt kept beside each tile for its value
SIZE = 640.0  # pt, the longer side of what is drawn
MAX_VALUES = 60  # tiles; in a longer row only the first and the last have their value written
WOOD, EDGE = "#e8cf9f", "#8a6a3c"


def draw_row(line: Line, path: Path) -> None:
    """Draws the row from above. OutputError when the file cannot be written or has another ending, MissingError when
    matplotlib is not installed.
    """
    check_ending(path, ENDINGS)
    save_figure(row_figure(line), path)


def row_figure(line: Line) -> Figure:
    """The picture that draw_row writes; MissingError when matplotlib is not installed."""
    corners = [corner for box in line.standing() for corner in box.corners]
    low_x, low_y = (min(corner[axis] for corner in corners) * 1e3 for axis in (0, 1))
    high_x, high_y = (max(corner[axis] for corner in corners) * 1e3 for axis in (0, 1))
    scale = min(MAX_SCALE, SIZE / max(high_x - low_x, high_y - low_y))
    edge = MARGIN + LETTERS
    width = max(300.0, (high_x - low_x) * scale + 2 * edge)
    height = (high_y - low_y) * scale + 2 * edge + HEADER
    left = (low_x + high_x) / 2 * scale - width / 2
    bottom = low_y * scale - edge
    figure = new_figure(width, height)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(left, left + width), ylim=(bottom, bottom + height))
    axes.set(autoscale_on=False)
    axes.set_axis_off()
    _draw_tiles(axes, line, scale * 1e3)
    write(axes, Words(_header(line, high_x - low_x, high_y - low_y), 11.0), left + width / 2, bottom + height - 24)
    return figure


def _header(line: Line, wide: float, deep: float) -> str:
    tiles = plural("{count} tile", "{count} tiles", len(line))
    size = _("{width} × {depth} mm").format(width=number(wide, 0), depth=number(deep, 0))
    return f"{tiles}, {size}"


def _draw_tiles(axes: Axes, line: Line, scale: float) -> None:
    from matplotlib.collections import PolyCollection

    boxes = line.standing()
    shapes = [[(x * scale, y * scale) for x, y in box.corners] for box in boxes]
    axes.add_collection(PolyCollection(shapes, facecolors=WOOD, edgecolors=EDGE, linewidths=0.9))
    on_side = [shape for shape, spot in zip(shapes, line.placements, strict=True) if spot.stance is Stance.SIDE]
    axes.add_collection(PolyCollection(on_side, facecolors="none", edgecolors=EDGE, hatch="////", linewidths=0.9))
    for index, box in enumerate(boxes):
        if len(boxes) > MAX_VALUES and index not in (0, len(boxes) - 1):
            continue
        away = box.breadth / 2 * scale + LETTERS * 0.6
        x, y = box.x * scale - away * math.sin(box.yaw), box.y * scale + away * math.cos(box.yaw)
        colour = INK if index == 0 else SOFT_INK
        write(axes, Words(str(line.values[index]), 9.0, bold=index == 0, colour=colour), x, y)
