"""A table painted flat for tests, and a reader that knows what is on it: quick, and right whatever the reader is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import cv2
import numpy as np

from game.games.evaluation.numbers import NUMBERS
from game.match.ports import Pixels
from game.table.axes import TableFrame
from game.table.camera import TableCamera
from physics.line import Placement
from physics.outcome import Fate
from physics.tiles import TileSet
from vision.camera.frames import CameraFrame
from vision.camera.mat import MatView
from vision.drawing.footage import hand_frames, usual_sight
from vision.reader.reading import Reading, ReadTile
from vision.reader.seen_table import SeenTable, outline
from vision.watching.changes import ComparedPicture

RATE = 12.0
PAPER, WOOD = (225, 224, 220), (178, 128, 70)
SIGHT = usual_sight((480, 360))
VIEW = MatView(SIGHT, 0.1, np.eye(6), (0, 1, 2, 3), False)
FRAME = TableFrame(-20.0, 5.0, 0.2)


def tile_at(place: Placement, state: Fate = Fate.STANDING, frame: TableFrame = FRAME) -> ReadTile:
    """A tile of the game as it is seen there."""
    at = frame.on_mat(place)
    return ReadTile(at.value, at.x, at.y, at.yaw, at.stance, state, (0.2, 0.2, 0.5), 0.99)


def fallen(tile: ReadTile, by: float = 22.0) -> ReadTile:
    """The tile flat beside its place."""
    return replace(tile, x=tile.x + by, state=Fate.FALLEN)


@dataclass
class PaintedTable:
    """What is on it, and its reader."""

    tiles: tuple[ReadTile, ...] = ()
    readings: int = 0
    trouble: Exception | None = None
    tile_set: TileSet = NUMBERS.tiles
    camera: TableCamera = field(init=False)
    _ticks: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.camera = TableCamera(self, is_live=False)

    def read(self, compared: ComparedPicture, prior: Sequence[ReadTile] | None = None) -> SeenTable:
        """The truth."""
        self.readings += 1
        if self.trouble is not None:
            raise self.trouble
        return SeenTable(Reading(self.tiles, (), 0.1), VIEW)

    def picture(self) -> Pixels:
        """The tiles from far to near, without light or shade."""
        painted = np.full((SIGHT.lens.height, SIGHT.lens.width, 3), PAPER, np.uint8)
        for tile in sorted(self.tiles, key=lambda tile: -tile.y):
            spots = np.array(outline(tile, self.tile_set, SIGHT)) * (SIGHT.lens.width, SIGHT.lens.height)
            cv2.fillConvexPoly(painted, np.round(spots).astype(np.int32), WOOD)
        return painted

    def frames(self, pictures: Iterable[Pixels]) -> Iterator[CameraFrame]:
        """These pictures, each at its time."""
        for picture in pictures:
            tick = next(self._ticks)
            yield CameraFrame(tick, tick / RATE, picture)

    def calm(self, seconds: float = 1.5) -> Iterator[CameraFrame]:
        """Nothing moves."""
        return self.frames([self.picture()] * round(seconds * RATE))

    def hand(self, *tiles: ReadTile, steps: Sequence[Sequence[ReadTile]] = ()) -> Iterator[CameraFrame]:
        """A hand comes and leaves these tiles behind, by these steps; then nothing moves for a moment."""
        before = self.picture()
        after = []
        for step in (*steps, tiles):
            self.tiles = tuple(step)
            after.append(self.picture())
        yield from self.frames(hand_frames(before, after, (0.0, 0.0), SIGHT))
        yield from self.calm()
