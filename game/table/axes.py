"""Where the game's own axes lie on the mat: found from the tiles that both know, and used both ways."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from physics.line import Placement
from vision.reader.reading import ReadTile

MIN_SIGMA = (0.2, 0.3)  # mm, degrees: no reading is believed to be better
FIT_ROUNDS = 3

Pairs = Sequence[tuple[ReadTile, ReadTile]]
"""Tiles as the game has them, in mm and degrees on its own axes, and as they are seen."""


@dataclass(frozen=True, slots=True)
class TableFrame:
    """The game's origin on the mat and where its x axis looks there; mm and rad."""

    x: float
    y: float
    turn: float

    def on_mat(self, tile: Placement) -> ReadTile:
        """Where a tile of the game should be seen."""
        cos, sin = math.cos(self.turn), math.sin(self.turn)
        x, y = tile.x * 1e3, tile.y * 1e3
        yaw = math.degrees(math.remainder(tile.yaw + self.turn, math.pi))
        return ReadTile(tile.value, self.x + cos * x - sin * y, self.y + sin * x + cos * y, yaw, tile.stance)

    def in_game(self, tile: ReadTile) -> Placement:
        """The tile that is seen there as the game has it."""
        cos, sin = math.cos(self.turn), math.sin(self.turn)
        x, y = tile.x - self.x, tile.y - self.y
        yaw = math.remainder(math.radians(tile.yaw) - self.turn, math.pi)
        return Placement(tile.value, (cos * x + sin * y) / 1e3, (cos * y - sin * x) / 1e3, yaw, tile.stance)


GAME_AXES = TableFrame(0.0, 0.0, 0.0)
"""As if the game's axes were the mat's."""


def fitted(row: Sequence[Placement], tiles: Sequence[ReadTile]) -> TableFrame | None:
    """The axes by which these tiles stand on the mat as nearly as they can; None when one of the row is not seen.

    A lone tile tells them by where its broad face looks: of the two ways the one to the right.
    """
    seen = {tile.value: tile for tile in tiles}
    if not row or any(tile.value not in seen for tile in row):
        return None
    pairs = [(GAME_AXES.on_mat(tile), seen[tile.value]) for tile in row]
    weights = [1 / _spread(tile) ** 2 for _own, tile in pairs]
    turn = _turn(pairs, weights)
    for _round in range(FIT_ROUNDS):
        turn += _turn_step(pairs, weights, turn)
    cos, sin = math.cos(turn), math.sin(turn)
    total = sum(weights)
    x = sum(w * (t.x - (cos * own.x - sin * own.y)) for w, (own, t) in zip(weights, pairs, strict=True)) / total
    y = sum(w * (t.y - (sin * own.x + cos * own.y)) for w, (own, t) in zip(weights, pairs, strict=True)) / total
    return TableFrame(x, y, math.remainder(turn, math.tau))


def _spread(tile: ReadTile) -> float:
    return math.hypot(MIN_SIGMA[0], tile.sigma[0], tile.sigma[1])


def _middles(pairs: Pairs, weights: Sequence[float]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Where the tiles are around their own middle, in the game and on the mat, mm."""
    total = sum(weights)
    own = [(tile.x, tile.y) for tile, _seen in pairs]
    seen = [(tile.x, tile.y) for _own, tile in pairs]
    found = []
    for points in (own, seen):
        middle = [sum(w * point[k] for w, point in zip(weights, points, strict=True)) / total for k in (0, 1)]
        found.append([(x - middle[0], y - middle[1]) for x, y in points])
    return found[0], found[1]


def _turn(pairs: Pairs, weights: Sequence[float]) -> float:
    """Roughly: from where the tiles are or, where there is one alone, from where it looks."""
    own, seen = _middles(pairs, weights)
    across = sum(w * (a[0] * b[1] - a[1] * b[0]) for w, a, b in zip(weights, own, seen, strict=True))
    along = sum(w * (a[0] * b[0] + a[1] * b[1]) for w, a, b in zip(weights, own, seen, strict=True))
    if len(pairs) > 1 and math.hypot(across, along) > 0:
        return math.atan2(across, along)
    tile, found = pairs[0]
    return math.remainder(math.radians(found.yaw - tile.yaw), math.pi)


def _turn_step(pairs: Pairs, weights: Sequence[float], turn: float) -> float:
    """How much better another turn fits places and yaws together."""
    own, seen = _middles(pairs, weights)
    cos, sin = math.cos(turn), math.sin(turn)
    slope = weight = 0.0
    for w, (x, y), (u, v), (tile, found) in zip(weights, own, seen, pairs, strict=True):
        across = (-sin * x - cos * y, cos * x - sin * y)
        slope += w * (across[0] * (u - cos * x + sin * y) + across[1] * (v - sin * x - cos * y))
        weight += w * (x * x + y * y)
        sure = 1 / math.radians(math.hypot(MIN_SIGMA[1], found.sigma[2])) ** 2
        slope += sure * math.remainder(math.radians(found.yaw - tile.yaw) - turn, math.pi)
        weight += sure
    return slope / weight
