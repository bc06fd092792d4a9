"""Seeded random lines of mixed tiles, as untidy as people build them: to compare engines and to score forecasts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physics.line import Line, Placement, chain
from physics.scene import Finger, Scene
from physics.shapes import LARGEST_STEP, SIDE_SHARE
from physics.tiles import Stance, TileSet, load_set

GAPS = (0.10, 0.50)  # of the lower neighbour's standing height
CURVED_SHARE = 0.5
CURVE = math.radians(14)  # rad of turn per joint of a curved line, at most
OFFSET = 1e-3  # m, standard deviation
YAW = math.radians(2)  # rad, standard deviation


def random_scene(
    seed: int, index: int, count: int = 11, set_name: str = "evaluation", gaps: tuple[float, float] = GAPS
) -> Scene:
    """The index-th line of that seed, pushed by a finger at its first tile; always a row without problems.

    The gaps are shares of the lower neighbour's standing height, from and to.
    """
    generator = np.random.default_rng([seed, index])
    tiles = load_set(set_name)
    while True:
        line = _drawn(generator, tiles, count, gaps)
        if not line.problems():
            return Scene(line, push=Finger(end="first"))


def _drawn(generator: np.random.Generator, tiles: TileSet, count: int, gaps: tuple[float, float]) -> Line:
    joints = _joints(generator, tiles, count, gaps)
    line = chain(tiles, joints)
    nudges = generator.normal(size=(len(line), 3)) * (OFFSET, OFFSET, YAW)
    nudged = [_nudged(placement, *nudge) for placement, nudge in zip(line.placements, nudges.tolist(), strict=True)]
    return Line(tiles, tuple(nudged))


def _joints(
    generator: np.random.Generator, tiles: TileSet, count: int, gaps: tuple[float, float]
) -> list[tuple[int, float, float, Stance]]:
    left = [int(value) for value in generator.permutation([tile.value for tile in tiles.tiles])]
    turn = float(generator.uniform(-CURVE, CURVE)) if generator.random() < CURVED_SHARE else 0.0
    joints: list[tuple[int, float, float, Stance]] = []
    before = math.inf
    while left and len(joints) < count:
        stance = Stance.SIDE if generator.random() < SIDE_SHARE else Stance.UPRIGHT
        fitting = [value for value in left if tiles[value].standing_height(stance) <= LARGEST_STEP * before]
        value = (fitting or left)[0]
        left.remove(value)
        height = tiles[value].standing_height(stance)
        gap = float(generator.uniform(*gaps)) * min(before, height)
        joints.append((value, gap, turn, stance))
        before = height
    return joints


def _nudged(placement: Placement, x: float, y: float, yaw: float) -> Placement:
    return replace(placement, x=placement.x + x, y=placement.y + y, yaw=placement.yaw + yaw)
