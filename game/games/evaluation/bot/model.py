"""A cheap model of falling rows: whether each tile brings down the next, learnt from full simulations.

It judges about a thousand rows in the time of one simulation. Where it is nearly sure it is right; of rows built to
be doubtful it is wrong about one in six. So it sorts candidates and says which of them need a simulation.
`game.games.evaluation.bot.fit_model` makes its numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from game.games.evaluation.placements import Row, box

Array = npt.NDArray[np.float64]

MODEL_FILE = "row_model.json"
FAR = 2.0  # standing heights of free air: farther makes no difference
STEEPEST = 30.0  # log odds beyond which nothing changes any more
CARRY = 0.6  # what each tile passes on of the weight behind it
NONE = -3.0  # log ratio that stands for "there is no such tile"


@dataclass(frozen=True)
class Rows:
    """Many rows of equally many tiles, each from the end that is pushed; arrays (rows, tiles), SI units."""

    x: Array
    y: Array
    yaw: Array  # rad, along the fall
    depth: Array
    breadth: Array
    height: Array
    mass: Array


def rows_of(rows: Sequence[Row]) -> Rows:
    """The rows as arrays, each turned so that its pushed end, the one of lower value, comes first."""
    boxes, turned = [], []
    for row in rows:
        backwards = row[-1].value < row[0].value
        boxes.append([box(tile) for tile in (reversed(row) if backwards else row)])
        turned.append(np.pi if backwards else 0.0)
    found = np.array(
        [[(b.x, b.y, b.yaw, b.depth, b.breadth, b.height, b.mass) for b in line] for line in boxes], dtype=np.float64
    )
    x, y, yaw, depth, breadth, height, mass = np.moveaxis(found, 2, 0)
    return Rows(x, y, yaw + np.array(turned)[:, None], depth, breadth, height, mass)


def features(rows: Rows) -> Array:
    """What the model looks at: for each joint, from a tile to the next one to fall, (rows, joints, features)."""
    depth, breadth, height, mass = rows.depth, rows.breadth, rows.height, rows.mass
    dx, dy = np.diff(rows.x), np.diff(rows.y)
    cos, sin = np.cos(rows.yaw[:, :-1]), np.sin(rows.yaw[:, :-1])
    along, across = dx * cos + dy * sin, np.abs(dy * cos - dx * sin)
    turn = np.abs(np.diff(rows.yaw))
    turn = np.minimum(turn % np.pi, np.pi - turn % np.pi)
    lower, upper = height[:, :-1], height[:, 1:]
    middle_gap = np.hypot(dx, dy) - (depth[:, :-1] + depth[:, 1:]) / 2
    half_shadow = (depth[:, 1:] * np.cos(turn) + breadth[:, 1:] * np.sin(turn)) / 2
    shadow_gap = along - depth[:, :-1] / 2 - half_shadow
    step, weight = np.log(upper / lower), np.log(mass[:, 1:] / mass[:, :-1])
    nearness = np.clip(middle_gap / lower, 0.0, FAR)
    first = np.zeros_like(step)
    first[:, 0] = 1.0
    last = np.zeros_like(step)
    last[:, -1] = 1.0
    return np.stack(
        [
            nearness,
            np.clip(shadow_gap / lower, -0.5, FAR),
            step,
            weight,
            depth[:, 1:] / upper * 5,
            depth[:, :-1] / lower * 5,
            turn,
            np.clip(2 * across / (breadth[:, :-1] + breadth[:, 1:]), 0.0, FAR),
            np.arctan2(across, np.maximum(along, 1e-4)),
            first,
            last,
            _before(step, 0.0),
            _before(nearness, 0.0),
            _after(step, 0.0),
            _after(nearness, 0.0),
            _after(weight, 0.0),
            _carried(rows),
            *_reaching_over(rows),
        ],
        axis=2,
    )


def _before(joints: Array, none: float) -> Array:
    """The same of the joint before."""
    return np.concatenate([np.full((len(joints), 1), none), joints[:, :-1]], axis=1)


def _after(joints: Array, none: float) -> Array:
    """The same of the joint after."""
    return np.concatenate([joints[:, 1:], np.full((len(joints), 1), none)], axis=1)


def _carried(rows: Rows) -> Array:
    """Log of the falling weight behind each joint against the tile that is struck."""
    weight = rows.mass * rows.height
    behind, found = np.zeros(len(weight)), []
    for tile in range(weight.shape[1] - 1):
        behind = CARRY * behind + weight[:, tile]
        found.append(np.log(behind / weight[:, tile + 1]))
    return np.stack(found, axis=1)


def _reaching_over(rows: Rows) -> tuple[Array, Array]:
    """How far any earlier tile but the last reaches past the struck tile's near face, and the heaviest of those.

    In heights of the struck tile, and as a log of masses.
    """
    count = rows.x.shape[1]
    reach, heavy = np.full((len(rows.x), count - 1), -1.0), np.full((len(rows.x), count - 1), NONE)
    for struck in range(2, count):
        for tile in range(max(0, struck - 4), struck - 1):
            apart = np.hypot(rows.x[:, struck] - rows.x[:, tile], rows.y[:, struck] - rows.y[:, tile])
            free = apart - (rows.depth[:, struck] + rows.depth[:, tile]) / 2
            over = np.clip((rows.height[:, tile] - free) / rows.height[:, struck], -1.0, 1.5)
            reach[:, struck - 1] = np.maximum(reach[:, struck - 1], over)
            mass = np.where(over > 0, np.log(rows.mass[:, tile] / rows.mass[:, struck]), NONE)
            heavy[:, struck - 1] = np.maximum(heavy[:, struck - 1], np.maximum(mass, NONE))
    return reach, heavy


@dataclass(frozen=True)
class RowModel:
    """A small network over the features of a joint: one layer of tanh, then log odds that the next tile falls."""

    means: Array  # (features,)
    spreads: Array  # (features,)
    weights: Array  # (features, hidden)
    biases: Array  # (hidden,)
    out_weights: Array  # (hidden,)
    out_bias: float

    def joints(self, found: Array) -> Array:
        """Log odds for each joint that the fall goes on."""
        hidden = np.tanh((found - self.means) / self.spreads @ self.weights + self.biases)
        odds: Array = np.clip(hidden @ self.out_weights + self.out_bias, -STEEPEST, STEEPEST)
        return odds

    def falls(self, rows: Rows) -> Array:
        """The probability that each whole row falls, (rows,)."""
        odds = self.joints(features(rows))
        result: Array = np.exp(-np.logaddexp(0.0, -odds).sum(axis=1))
        return result

    def text(self) -> str:
        """The numbers as JSON, which `read_model` reads back."""
        numbers = {
            name: np.round(np.asarray(getattr(self, name)), 4).tolist()
            for name in ("means", "spreads", "weights", "biases", "out_weights", "out_bias")
        }
        return json.dumps(numbers, separators=(",", ":")).replace(',"', ',\n"') + "\n"


def read_model(text: str) -> RowModel:
    """The model in the text."""
    numbers = json.loads(text)
    arrays = {name: np.array(value, dtype=np.float64) for name, value in numbers.items() if name != "out_bias"}
    return RowModel(**arrays, out_bias=float(numbers["out_bias"]))


@cache
def row_model() -> RowModel:
    """The model that comes with the game."""
    return read_model((resources.files("game.games.evaluation.bot") / MODEL_FILE).read_text(encoding="utf-8"))
