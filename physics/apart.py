"""How far a box must be moved along a way so that there is so much free air between it and another one."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physics.line import Point, Standing

EDGE = 1e-9  # of an edge's length that its ends reach farther, so that no rounding falls between an edge and its corner


def shift_to_air(fixed: Standing, moving: Standing, yaw: float, air: float) -> float:
    """How far `moving` must be shifted along that yaw (rad) to stand `air` from `fixed` at their nearest point, m.

    Of the two such places the farther one. The air is at least 0, and on its way the box must come that near.
    """
    way = math.cos(yaw), math.sin(yaw)
    one, other = fixed.corners, moving.corners
    # Wherever the nearest points are, they are a corner and a corner, or a corner and an edge that it faces. Each pair
    # is that near no farther along the way than the whole boxes are, and one of the pairs just as far.
    return max(
        *_corner_to_corner(one, other, way, air),
        *_corner_to_edge(one, other, way, air),
        *_corner_to_edge(other, one, (-way[0], -way[1]), air),
    )


def _corner_to_corner(still: tuple[Point, ...], moved: tuple[Point, ...], way: Point, air: float) -> Iterator[float]:
    for ax, ay in still:
        for bx, by in moved:
            x, y = bx - ax, by - ay
            aside = x * way[1] - y * way[0]
            if abs(aside) <= air:
                yield math.sqrt(air**2 - aside**2) - x * way[0] - y * way[1]


def _corner_to_edge(still: tuple[Point, ...], moved: tuple[Point, ...], way: Point, air: float) -> Iterator[float]:
    """Where corners that are moved leave the edges that stand still behind them by the air."""
    for (ax, ay), (bx, by) in zip(still, still[1:] + still[:1], strict=True):
        length = math.hypot(bx - ax, by - ay)
        along_x, along_y = (bx - ax) / length, (by - ay) / length
        leaving = along_y * way[0] - along_x * way[1]
        if leaving <= EDGE:
            continue  # it is met from behind, or never left
        for px, py in moved:
            x, y = px - ax, py - ay
            shift = (air - along_y * x + along_x * y) / leaving
            foot = (x + shift * way[0]) * along_x + (y + shift * way[1]) * along_y
            if -EDGE * length <= foot <= (1 + EDGE) * length:
                yield shift
