"""How a bot judges rows of Evaluation Domino: as it sees them, with the cheap model, then with runs where that doubts.

A bot's eye is not perfect. It sees every gap and every yaw a little wrong, always the same way as long as the tiles
stand there, and simulates what it sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from game.bots.bot import ProgressCallback, own_chance
from game.core import Seat
from game.games.evaluation.bot.model import Array, Rows, row_model, rows_of
from game.games.evaluation.bot.strengths import Skill
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import TILES, Row
from physics.engines import default_engine
from physics.errors import SceneError
from physics.line import Line, Placement
from physics.predict import Falls, run_draws
from physics.scene import Finger, Noise, Scene

SURE = 0.03  # of the cheap model, from 0 or 1: nearer it is not asked whether it is right
MODEL_WORTH = 1.0  # runs that the cheap model's word is worth
NOISE = Noise(position=0.3e-3, yaw=math.radians(0.5), friction=0.05, restitution=0.1, push=0.1)  # from run to run
LOOKS = 8  # of other players at a row
OTHERS = (0.15, math.radians(4))  # their gap and yaw errors, as a bot imagines them
SHRINK = (1.0, 0.5, 0.25, 0.0)  # of the eye's error, where tiles would stand in one another


def scene_of(row: Row) -> Scene:
    """The row with the light push at its end of lower value, as it is judged."""
    return Scene(Line(NUMBERS.tiles, row), NUMBERS.table, Finger(NUMBERS.push_margin))


class RowJudge:
    """The eye and the judgement of one bot in one match."""

    def __init__(
        self, skill: Skill, seed: int, seat: Seat, engine_name: str | None = None, executor: Executor | None = None
    ) -> None:
        self.runs = 0  # made so far
        self._skill, self._seed, self._seat = skill, seed, seat
        self._engine = engine_name
        self._executor = executor
        self._known: dict[tuple[int, Row], float] = {}
        self._errors: dict[tuple[int, ...], float] = {}

    def seen(self, row: Row, round_number: int, share: float = 1.0) -> Row:
        """The row as the bot sees it in that round: every gap and yaw a little wrong, or that share of it."""
        found: list[Placement] = []
        x = y = 0.0
        for index, tile in enumerate(row):
            if index:
                before = row[index - 1]
                shift = self._gap_shift(before, tile, round_number) * share
                way = math.atan2(tile.y - before.y, tile.x - before.x)
                x, y = x + shift * math.cos(way), y + shift * math.sin(way)
            turned = self._skill.yaw_error * self._error(round_number, *_place(tile)) * share
            found.append(replace(tile, x=tile.x + x, y=tile.y + y, yaw=tile.yaw + turned))
        return tuple(found)

    def glance(self, rows: Sequence[Row], round_number: int) -> Array:
        """What the cheap model forecasts of each row as it is seen; rows of equally many tiles."""
        return row_model().falls(rows_of([self.seen(row, round_number) for row in rows]))

    def falls(self, row: Row, round_number: int, thinking: ProgressCallback | None = None) -> float:
        """How likely the row is to fall: the cheap model's word where it is sure, else with runs as well."""
        key = round_number, row
        if key not in self._known:
            self._known[key] = self._judged(row, round_number, thinking)
        return self._known[key]

    def doubted(self, rows: Sequence[Row], round_number: int) -> Array:
        """The share of other players to whom each row, as this bot sees it, would look as if it did not fall."""
        arrays = rows_of([self.seen(row, round_number) for row in rows])
        generator = np.random.default_rng(0)  # the same eyes for all rows, so that they can be compared
        looks = [row_model().falls(misread(arrays, *OTHERS, generator)) < 0.5 for _ in range(LOOKS)]
        doubts: Array = (np.sum(looks, axis=0) + 0.25) / (LOOKS + 0.5)
        return doubts

    def _judged(self, row: Row, round_number: int, thinking: ProgressCallback | None) -> float:
        cheap = float(self.glance([row], round_number)[0])
        if not SURE < cheap < 1 - SURE:
            return cheap
        scene = self._scene(row, round_number)
        seed = own_chance(self._seed, self._seat, round_number, row).getrandbits(32)
        name = self._engine or default_engine()
        calls = [(scene, NOISE, seed, (index,), name) for index in range(self._skill.runs)]
        try:
            fell = sum(bool(falls.all()) for falls in _told(self._results(calls), len(calls), thinking))
        except SceneError:  # the tiles stand too close for the noise
            return cheap
        self.runs += len(calls)
        return (fell + MODEL_WORTH * cheap) / (len(calls) + MODEL_WORTH)

    def _results(self, calls: Sequence[tuple[Scene, Noise, int, tuple[int, ...], str]]) -> Iterable[Falls]:
        if self._executor is None:
            return (run_draws(*call) for call in calls)
        futures = [self._executor.submit(run_draws, *call) for call in calls]
        return (future.result() for future in futures)

    def _scene(self, row: Row, round_number: int) -> Scene:
        """The row as it is seen, so far as tiles can stand like that."""
        scenes = (scene_of(self.seen(row, round_number, share)) for share in SHRINK)
        return next((scene for scene in scenes if not scene.line.overlaps()), scene_of(row))

    def _gap_shift(self, before: Placement, tile: Placement, round_number: int) -> float:
        """How much farther from the tile before it this one seems to stand, m."""
        apart = math.hypot(tile.x - before.x, tile.y - before.y)
        gap = apart - (TILES[before.value].thickness + TILES[tile.value].thickness) / 2
        return max(gap, 0.0) * (
            math.exp(self._skill.gap_error * self._error(round_number, *_place(before), *_place(tile))) - 1
        )

    def _error(self, *key: int) -> float:
        """A standard normal number, always the same for the same tiles."""
        if key not in self._errors:
            self._errors[key] = own_chance(self._seed, self._seat, *key).gauss(0.0, 1.0)
        return self._errors[key]


def _place(tile: Placement) -> tuple[int, int, int]:
    """A tile by its place to a tenth of a millimetre: the same one when it is placed and when it is seen again."""
    return tile.value, round(tile.x * 1e4), round(tile.y * 1e4)


def _told(results: Iterable[Falls], count: int, thinking: ProgressCallback | None) -> Iterator[Falls]:
    for done, result in enumerate(results, start=1):
        if thinking is not None:
            thinking(done / count)
        yield result


def misread(rows: Rows, gap_error: float, yaw_error: float, generator: np.random.Generator) -> Rows:
    """The rows as somebody with that eye sees them, the same errors for all of them."""
    count = rows.x.shape[1]
    dx, dy = np.diff(rows.x), np.diff(rows.y)
    apart = np.hypot(dx, dy)
    gaps = np.maximum(apart - (rows.depth[:, :-1] + rows.depth[:, 1:]) / 2, 0.0)
    longer = gaps * (np.exp(gap_error * generator.standard_normal(count - 1)) - 1) / apart
    shift_x, shift_y = np.cumsum(dx * longer, axis=1), np.cumsum(dy * longer, axis=1)
    yaw = rows.yaw + yaw_error * generator.standard_normal(count)
    x, y = rows.x.copy(), rows.y.copy()
    x[:, 1:] += shift_x
    y[:, 1:] += shift_y
    return replace(rows, x=x, y=y, yaw=yaw)
