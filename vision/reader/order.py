"""The order of a row that was only seen: the shortest way through all tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from physics.line import Standing, distance


@dataclass(frozen=True, slots=True)
class RowOrder:
    """What it costs to go from one tile to the next."""

    max_exact: int = 12  # tiles up to which every order is weighed: time doubles with each
    turn_cost: float = 0.1  # of the larger breadth: what it costs to enter a tile by its narrow side
    length_cost: float = 0.25  # of the distance between the two middles, beside the gap between the tiles


ROW_ORDER = RowOrder()


Array = npt.NDArray[np.float64]


def row_order(boxes: Sequence[Standing], values: Sequence[int]) -> tuple[int, ...]:
    """Indexes along the row, from the end with the lower value."""
    count = len(boxes)
    if count < 2:
        return tuple(range(count))
    costs = np.array([[_step(a, b) if a is not b else 0.0 for b in boxes] for a in boxes])
    order = _shortest(costs) if count <= ROW_ORDER.max_exact else _short(costs)
    if values[order[-1]] < values[order[0]]:
        order = order[::-1]
    return tuple(order)


def _step(a: Standing, b: Standing) -> float:
    """What it costs to go from one tile to the next: the air between them, and leaving or entering sideways."""
    way = np.array([b.x - a.x, b.y - a.y])
    length = max(float(np.hypot(*way)), 1e-9)
    aside = sum(abs(float(way @ (-np.sin(box.yaw), np.cos(box.yaw)))) / length for box in (a, b))
    turning = ROW_ORDER.turn_cost * max(a.breadth, b.breadth) * aside
    return distance(a, b) + ROW_ORDER.length_cost * length + turning


def _shortest(costs: Array) -> list[int]:
    """The shortest path through all, any ends: for every set of tiles the best path that ends at each of them."""
    count = len(costs)
    best = np.full((1 << count, count), np.inf)
    before = np.full((1 << count, count), -1)
    best[1 << np.arange(count), np.arange(count)] = 0.0
    sizes = np.array([members.bit_count() for members in range(1 << count)])
    for size in range(1, count):
        sets = np.flatnonzero(sizes == size)
        for following in range(count):
            free = sets[(sets >> following & 1) == 0]
            totals = best[free] + costs[:, following]
            last = np.argmin(totals, axis=1)
            grown = free | 1 << following
            best[grown, following] = totals[np.arange(len(free)), last]
            before[grown, following] = last
    members, last = (1 << count) - 1, int(np.argmin(best[-1]))
    order = []
    while last >= 0:
        order.append(last)
        members, last = members ^ 1 << last, int(before[members, last])
    return order


def _short(costs: Array) -> list[int]:
    """A short path through many: the nearest each time, then pieces turned round as long as that helps."""
    count = len(costs)
    start = int(np.argmax(costs.sum(axis=1)))
    order, left = [start], set(range(count)) - {start}
    while left:
        order.append(min(left, key=lambda other: float(costs[order[-1], other])))
        left.discard(order[-1])
    better = True
    while better:
        better = False
        for i in range(count - 1):
            for j in range(i + 1, count):
                turned = order[:i] + order[i : j + 1][::-1] + order[j + 1 :]
                if _length(costs, turned) < _length(costs, order) - 1e-12:
                    order, better = turned, True
    return order


def _length(costs: Array, order: list[int]) -> float:
    return float(costs[order[:-1], order[1:]].sum())
