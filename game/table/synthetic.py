"""A simulated table seen by a simulated camera: to try everything without either.

With a match its tiles stand where the game has them, and fall as a run says when the row is pushed, by a hand or by a
rig that taps. Without one the table plays by itself: a row is built tile by tile, pushed, and cleared away.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from game.match.judge import Simulated
from game.table.axes import TableFrame
from game.table.hands import Row, TableHands
from physics.engines import default_engine
from physics.line import Line, Placement
from physics.scene import Scene, Tap
from vision.camera.sources import Image, Taken
from vision.drawing.blocks import Block, blocks_of
from vision.drawing.footage import FILM, Footage, hand_frames, moment, usual_sight

SIZE = (960, 720)
FRAME = TableFrame(-20.0, 5.0, math.radians(6))
SPARE = (-150.0, -120.0)  # mm: a hand that does nothing on the row goes here
PAUSE = 1.5  # s between two moves of a table that plays by itself
LONGEST_ROW = 6  # tiles of it
FARTHEST = (130.0, 80.0)  # mm from the mat's middle where its tiles stand
MOMENTS = 9  # of a fall that are painted, at most


@dataclass(frozen=True)
class Showing:
    """What the table is to show: a row, and how it falls where it was pushed."""

    row: Row
    pushed: Scene | None = None


class SyntheticTable:
    """See the module. `show` may be called by any thread; `pictures` runs in the source's own."""

    def __init__(self, hands: TableHands, seed: int = 0, *, in_game: bool) -> None:
        self._footage = Footage(usual_sight(SIZE), seed=seed)
        self._random = random.Random(seed)
        self._in_game = in_game
        self._hands = hands
        self._wanted = Showing(next(self._rows()) if in_game else ())

    def stand_row(self) -> None:
        """Has a whole row stand there, and stay."""
        *_shorter, row = self._rows()
        self.show(row, None)

    def show(self, row: Row, pushed: Scene | None) -> None:
        """The match has that row, which falls as that scene does where there is one."""
        self._wanted = Showing(row, pushed)

    def pictures(self) -> Iterator[Taken]:
        """The pictures with their times on the table's own clock, s; never ends."""
        shown = Showing(())
        blocks: list[Block] = []
        picture = self._footage.still(blocks)
        noise = np.random.default_rng(1)
        ticks, plan = itertools.count(), iter(()) if self._in_game else self._plan()
        pause = 0.0
        while True:
            if not self._in_game and pause >= PAUSE:
                self._wanted, pause = next(plan), 0.0
            wanted = self._wanted
            if wanted != shown:
                frames = self._between(picture, shown, wanted)
                shown, pause = wanted, 0.0
            else:
                frames = iter((picture,))
                pause += 1 / FILM.rate
                time.sleep(0.5 / FILM.rate)
            for picture in frames:
                yield next(ticks) / FILM.rate, _noisy(picture, noise)

    def _between(self, picture: Image, before: Showing, after: Showing) -> Iterator[Image]:
        """A hand makes the table another, or a rig that is not seen; each picture is painted when it is asked for."""
        if after.pushed is not None:
            fall = self._fall(after.pushed)
            if isinstance(after.pushed.push, Tap):
                return fall
            pushed = FRAME.on_mat(after.pushed.line.placements[after.pushed.pushed])
            return hand_frames(picture, fall, (pushed.x, pushed.y), self._footage.sight)
        now = self._footage.still(self._standing(after.row))
        new = [tile for tile in after.row if tile not in before.row]
        at = FRAME.on_mat(new[-1]) if new else None
        return hand_frames(picture, [now], SPARE if at is None else (at.x, at.y), self._footage.sight)

    def _standing(self, row: Row) -> list[Block]:
        places = tuple(FRAME.on_mat(tile).placement for tile in row)
        return blocks_of(Scene(Line(self._hands.tiles, places)))

    def _fall(self, scene: Scene) -> Iterator[Image]:
        outcome = Simulated(default_engine()).judge(scene)
        motion = outcome.trajectory
        assert motion is not None
        last = len(motion.times) - 1
        every = max(1, round(1 / FILM.rate / float(motion.times[1] - motion.times[0])))
        chosen = [*range(0, last, max(every, last // MOMENTS)), last]
        turn, place = FRAME.turn, (FRAME.x, FRAME.y)
        for index in chosen:
            yield self._footage.still(moment(scene.line, motion, index, turn, place))

    # By itself

    def _plan(self) -> Iterator[Showing]:
        while True:
            row: Row = ()
            for row in self._rows():
                yield Showing(row)
            yield Showing(row, self._hands.pushed(row))
            yield Showing(())

    def _rows(self) -> Iterator[Row]:
        """A row that grows tile by tile, as long as there is room on the mat."""
        return itertools.islice(self._hands.rows(self._random, _is_on_mat), LONGEST_ROW)


def _is_on_mat(tile: Placement) -> bool:
    at = FRAME.on_mat(tile)
    return abs(at.x) < FARTHEST[0] and abs(at.y) < FARTHEST[1]


def _noisy(picture: Image, generator: np.random.Generator) -> Image:
    """The picture as a camera gives it: never twice the same."""
    noise = generator.standard_normal(picture.shape, np.float32) * np.float32(FILM.noise)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)
