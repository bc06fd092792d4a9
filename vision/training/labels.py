"""Pictures with what is to be said of them: each pixel's kind, each cell's tile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT
from calibration.lens import Lens
from vision.camera.mat import MatView
from vision.drawing.blocks import Hand
from vision.drawing.photograph import photograph
from vision.polygons import fill_polygon
from vision.reader.boxes import FACE_CORNERS, FACES, corners_of
from vision.reader.network import CELLS, OTHER, SIDE, TOP, shown_of
from vision.reader.proposals import BROAD_BASE, HIGH_BASE
from vision.reader.reader import READING_ROUNDS
from vision.reader.straightened import prepare
from vision.training.tables import Lesson, block_of, lesson

WIDEST = 720  # px of a path-traced picture, each of which costs; the network is shown no more

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Example:
    """What the network is shown and what it should answer."""

    shown: npt.NDArray[np.float16] | Floats  # (6, height, width); thousands of them are kept at once
    kinds: npt.NDArray[np.uint8]  # (height, width)
    owner: npt.NDArray[np.int8]  # (height / 2, width / 2) index of the tile, -1 for none
    tiles: Floats  # (n, 5): foot in cells across and down, angle of the breadth, logarithms of breadth and height

    def save(self, path: Path) -> None:
        """Writes it to a .npz file."""
        np.savez(path, shown=self.shown.astype(np.float16), kinds=self.kinds, owner=self.owner, tiles=self.tiles)


def load_example(path: Path) -> Example:
    """Reads it back."""
    with np.load(path) as parts:
        return Example(parts["shown"], parts["kinds"], parts["owner"], parts["tiles"])


def example(seed: int, index: int, is_traced: bool = False) -> Example:
    """The index-th example of a seed, drawn or path-traced."""
    rng = np.random.default_rng([seed, index])
    task = lesson(rng)
    if is_traced:
        task = replace(task, hands=(), sight=replace(task.sight, lens=centred(task.sight.lens)))
    picture = photograph_of(task, rng, is_traced)
    frame = prepare(picture, MatView(task.sight, 0.1, np.eye(6), (), False), MAT, READING_ROUNDS.max_height)
    shown, matrix = shown_of(frame)
    return Example(shown, *labels(task, matrix, (shown.shape[2], shown.shape[1])))


def photograph_of(task: Lesson, rng: np.random.Generator, is_traced: bool) -> Image:
    """The picture of a lesson's table."""
    blocks = [block_of(pose, size) for pose, size in zip(task.poses, task.sizes, strict=True)] + list(task.others)
    mixed = [blocks[k] for k in rng.permutation(len(blocks)).tolist()]
    if not is_traced:
        return photograph(mixed, task.sight, task.appearance, int(rng.integers(2**31)), task.hands).image
    from vision.training.traced import traced  # starts a compiler, which drawn examples do not need

    return traced(mixed, task.sight, task.appearance, rng)


def centred(lens: Lens) -> Lens:
    """The lens without distortion, looking through the middle of a picture of at most WIDEST px."""
    share = min(1.0, WIDEST / lens.width)
    wide, high = round(lens.width * share), round(lens.height * share)
    return Lens(wide, high, lens.fx * share, lens.fx * share, (wide - 1) / 2, (high - 1) / 2)


def labels(
    task: Lesson, matrix: Array, size: tuple[int, int]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8], Floats]:
    """Kinds, owners and tiles as an Example has them, for a picture of that width and height."""
    wide, high = size
    half = CELLS @ matrix
    boxes = [*corners_of(task.poses, task.sizes), *(block.corners for block in task.others)]
    count = len(task.poses)
    kinds, _ = _painted(boxes, count, matrix, size)
    _, owner = _painted(boxes, count, half, ((wide + 1) // 2, (high + 1) // 2))
    _cover(kinds, task.hands, matrix, OTHER)
    _cover(owner, task.hands, half, -1)
    return kinds, owner.astype(np.int8), _tiles(task, half)


def _tiles(task: Lesson, half: Array) -> Floats:
    rows = []
    for pose, size in zip(task.poses, task.sizes, strict=True):
        across = 2.0 * np.array([-math.sin(pose[2]), math.cos(pose[2]), 0.0])
        foot = np.array([pose[0], pose[1], 0.0])
        seen = np.array([foot - across, foot + across]) @ half[:, :3].T + half[:, 3]
        one, two = seen[:, :2] / seen[:, 2:]
        way = two - one
        middle = (one + two) / 2
        turn = math.atan2(way[1], way[0])
        rows.append((*middle, turn, math.log(size[1] / BROAD_BASE), math.log(size[2] / HIGH_BASE)))
    return np.array(rows, np.float32).reshape(-1, 5)


def _painted(
    boxes: Sequence[Array], standing: int, matrix: Array, size: tuple[int, int]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]:
    """Which kind and whose each pixel is: the nearest face's. The first so many boxes are standing tiles."""
    wide, high = size
    depth = np.full((high, wide), np.inf, np.float32)
    kinds, owner = np.zeros((high, wide), np.uint8), np.full((high, wide), -1, np.int16)
    eye = -np.linalg.solve(matrix[:, :3], matrix[:, 3])
    for index, corners in enumerate(boxes):
        seen = corners @ matrix[:, :3].T + matrix[:, 3]
        for face, four in enumerate(FACE_CORNERS):
            middle, quad = corners[four].mean(axis=0), seen[four]
            if (middle - corners.mean(axis=0)) @ (eye - middle) <= 0 or (quad[:, 2] <= 0).any():
                continue
            spots = quad[:, :2] / quad[:, 2:]
            low = np.clip(np.floor(spots.min(axis=0)).astype(int), 0, [wide, high])
            end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 1, 0, [wide, high])
            if (end <= low).any():
                continue
            mask = np.zeros((end[1] - low[1], end[0] - low[0]), np.uint8)
            fill_polygon(mask, spots - low, 1)
            plane = np.linalg.lstsq(np.column_stack([spots - low, np.ones(4)]), 1 / quad[:, 2])[0]
            rows, columns = np.ogrid[: mask.shape[0], : mask.shape[1]]
            away = 1 / np.maximum(plane[0] * columns + plane[1] * rows + plane[2], 1e-9)
            window = (slice(low[1], end[1]), slice(low[0], end[0]))
            nearest = (mask > 0) & (away < depth[window])
            depth[window][nearest] = away[nearest]
            is_tile, is_top = index < standing, FACES[face] == (2, 1)
            owner[window][nearest] = index if is_tile else -1
            kinds[window][nearest] = (TOP if is_top else SIDE) if is_tile else OTHER
    return kinds, owner


def _cover(
    plane: npt.NDArray[np.uint8] | npt.NDArray[np.int16], hands: Sequence[Hand], matrix: Array, value: int
) -> None:
    """Puts hands before everything."""
    for hand in hands:
        for x, y, radius in hand.discs(matrix):
            cv2.circle(plane, (int(x), int(y)), int(radius), value, -1)
