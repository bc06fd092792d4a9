"""The row as the table in the window shows it: its tiles, and what is painted on the table beside them."""

from __future__ import annotations

import math

from game.film.boxes import TileBox, Tint, box_of
from game.games.evaluation.placements import Row, box
from game.ui.view3d.table3d import Mark
from physics.line import Placement

PUSH_MARK = (0.93, 0.69, 0.29, 0.9)
GAP_MARK = (1.0, 1.0, 1.0, 0.55)
WEAK_MARK = (0.95, 0.35, 0.05, 0.9)


def row_boxes(row: Row, tints: dict[int, Tint] | None = None) -> list[TileBox]:
    """The tiles as they stand, some of them standing out by their values."""
    return [box_of(box(tile), tile.value, (tints or {}).get(tile.value, Tint.NONE)) for tile in row]


def push_mark(row: Row, end: str) -> Mark | None:
    """An arrow's shaft on the table before the tile that would be pushed; None for a lone tile."""
    if len(row) < 2:
        return None
    tile, other = (row[0], row[1]) if end == "first" else (row[-1], row[-2])
    away = math.atan2(tile.y - other.y, tile.x - other.x)
    near = box(tile).depth / 2 + 0.004
    start = (tile.x + (near + 0.016) * math.cos(away), tile.y + (near + 0.016) * math.sin(away))
    stop = (tile.x + near * math.cos(away), tile.y + near * math.sin(away))
    return Mark(start, stop, PUSH_MARK, 0.004)


def gap_mark(one: Placement, other: Placement, *, weak: bool = False) -> Mark:
    """The air between two tiles, painted on the table."""
    heading = math.atan2(other.y - one.y, other.x - one.x)
    half, other_half = box(one).depth / 2, box(other).depth / 2
    start = one.x + half * math.cos(heading), one.y + half * math.sin(heading)
    end = other.x - other_half * math.cos(heading), other.y - other_half * math.sin(heading)
    return Mark(start, end, WEAK_MARK if weak else GAP_MARK, 0.006 if weak else 0.0025)
