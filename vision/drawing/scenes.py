"""Seeded tables to photograph: rows as people build them on the mat, and cameras as they stand around it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from calibration.lens import Lens
from physics.line import Line, Placement, chain
from physics.scene import Scene
from physics.tiles import Stance, TileSet, load_set
from vision.camera.pose import Sight, looking_at
from vision.drawing.appearance import KINDS, Appearance, random_appearance


@dataclass(frozen=True, slots=True)
class UsualTable:
    """Tables as people build them, before a webcam."""

    field: float = math.radians(52)  # rad from the left to the right edge of a webcam's picture
    size: tuple[int, int] = (1280, 960)  # px of its picture
    distance: float = 700.0  # mm from it to the middle of the mat
    max_off: float = 50.0  # degrees off vertical
    room: tuple[float, float] = (175.0, 118.0)  # mm from the middle, where tiles may stand
    corners: tuple[float, float] = (150.0, 88.0)  # mm: beyond both of them are the markers
    min_gap: float = 5.0  # mm between two tiles
    side_share: float = 0.25  # of tiles that stand on their side


USUAL_TABLE = UsualTable()


@dataclass(frozen=True)
class Setup:
    """One picture to take: the row, the camera and the light."""

    scene: Scene
    sight: Sight
    appearance: Appearance
    seed: int


def random_setup(
    seed: int,
    index: int,
    *,
    size: tuple[int, int] = USUAL_TABLE.size,
    distance: float = USUAL_TABLE.distance,
    off: tuple[float, float] = (0.0, USUAL_TABLE.max_off),
    kind: str | None = None,
    count: int | None = None,
    bent: bool = True,
) -> Setup:
    """The index-th table of that seed; the distance in mm, the angle off vertical in degrees."""
    rng = np.random.default_rng([seed, index])
    appearance = random_appearance(kind or KINDS[index % len(KINDS)], rng)
    lens = random_lens(rng, size, bent)
    sight = looking_at(
        lens,
        (float(rng.normal(0, 8)), float(rng.normal(0, 8))),
        distance,
        math.radians(rng.uniform(*off)),
        float(rng.uniform(0, math.tau)),
        float(rng.uniform(-0.1, 0.1)),
    )
    scene = random_table(rng, count or int(rng.integers(5, 12)))
    return Setup(scene, sight, appearance, int(rng.integers(2**31)))


def random_lens(rng: np.random.Generator, size: tuple[int, int], bent: bool) -> Lens:
    """A webcam's lens."""
    focal = size[0] / 2 / math.tan(USUAL_TABLE.field / 2) * float(rng.uniform(0.95, 1.1))
    dist = (float(rng.uniform(-0.12, 0.05)), float(rng.uniform(-0.05, 0.05)), *rng.normal(0, 5e-4, 2).tolist(), 0.0)
    return Lens(
        *size,
        focal,
        focal,
        (size[0] - 1) / 2 + float(rng.normal(0, 6)),
        (size[1] - 1) / 2 + float(rng.normal(0, 6)),
        dist if bent else (0.0,) * 5,
    )


def random_table(rng: np.random.Generator, count: int, tile_set: TileSet | None = None) -> Scene:
    """A row of that many tiles on the mat, straight or curved, gaps from the least one on; the markers stay free."""
    tiles = tile_set or load_set("evaluation")
    while True:
        values = [int(value) for value in rng.permutation([tile.value for tile in tiles.tiles])[:count]]
        bend = float(rng.uniform(-0.25, 0.25)) if rng.random() < 0.6 else 0.0
        joints, before = [], math.inf
        for value in values:
            stance = Stance.SIDE if rng.random() < USUAL_TABLE.side_share else Stance.UPRIGHT
            height = tiles[value].standing_height(stance)
            widest = max(USUAL_TABLE.min_gap * 1.2, 0.45e3 * min(before, height))
            gap = float(rng.uniform(USUAL_TABLE.min_gap, widest)) / 1e3
            joints.append((value, gap, bend + float(rng.normal(0, 0.05)), stance))
            before = height
        line = chain(tiles, joints, Placement(values[0], 0, 0, float(rng.uniform(0, math.tau))))
        moved = _moved(line, rng)
        if moved is not None and not moved.problems():
            return Scene(moved)


def _moved(line: Line, rng: np.random.Generator) -> Line | None:
    """The row moved to a random place of the mat where it fits, clear of the markers; None when it fits nowhere."""
    corners = np.array([box.corners for box in line.standing()]).reshape(-1, 2) * 1e3
    low, high = corners.min(axis=0), corners.max(axis=0)
    room = np.array(USUAL_TABLE.room)
    if (high - low > 2 * room).any():
        return None
    for _ in range(10):
        shift = rng.uniform(-room - low, room - high)
        if not (np.abs(corners + shift) > USUAL_TABLE.corners).all(axis=1).any():
            moved = (replace(p, x=p.x + float(shift[0]) / 1e3, y=p.y + float(shift[1]) / 1e3) for p in line.placements)
            return replace(line, placements=tuple(moved))
    return None
