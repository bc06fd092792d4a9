"""Films of a simulated table: still pictures, hands that come and go over them, falls; as a real video file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lens import Lens
from physics.errors import OutputError
from physics.line import Line
from physics.trajectory import Trajectory
from vision.camera.pose import Sight, looking_at
from vision.drawing.appearance import Appearance, Lamp
from vision.drawing.blocks import Block
from vision.drawing.photograph import photograph
from vision.drawing.scenes import USUAL_TABLE


@dataclass(frozen=True, slots=True)
class Film:
    """How films are made."""

    rate: float = 12.0  # pictures per second
    noise: float = 1.2  # grey levels
    noises: int = 5  # kinds of it that follow one another
    hand: float = 0.5  # s that a hand takes to come, and to go
    codec: str = "MJPG"  # each picture on its own, so that none is smeared by others
    skin: tuple[int, int, int] = (196, 150, 122)  # red, green, blue of a hand


FILM = Film()


Image = npt.NDArray[np.uint8]

PLAIN_TABLE = Appearance(
    "plain",
    table=(0.22, 0.13, 0.08),
    grain=0.2,
    cloth=False,
    tiles=((0.62, 0.36, 0.14), (0.58, 0.34, 0.13), (0.66, 0.39, 0.16)),
    tile_grain=0.06,
    worn=0.0,
    lamps=(Lamp((400.0, 500.0, 1500.0), 700.0, (0.36, 0.36, 0.35)),),
    ambient=(0.55, 0.55, 0.56),
    noise=0.0,
    clutter=1,
)
"""A table by a window on a dull day."""


def usual_sight(size: tuple[int, int] = (960, 720), distance: float = 500.0, off: float = 25.0) -> Sight:
    """A webcam over the mat: distance in mm, angle off vertical in degrees."""
    focal = size[0] / 2 / math.tan(USUAL_TABLE.field / 2)
    lens = Lens(*size, focal, focal, (size[0] - 1) / 2, (size[1] - 1) / 2)
    return looking_at(lens, (0.0, 0.0), distance, math.radians(off), math.radians(-90), 0.0)


def moment(line: Line, motion: Trajectory, index: int, turn: float, place: tuple[float, float]) -> list[Block]:
    """The tiles at one moment of a run as blocks, the run's axes turned (rad) and moved (mm) on the mat."""
    cos, sin = math.cos(turn), math.sin(turn)
    found = []
    for box, centre, way in zip(
        line.standing(), motion.positions[index].tolist(), motion.quaternions[index].tolist(), strict=True
    ):
        x, y, z = (1e3 * each for each in centre)
        spot = (place[0] + cos * x - sin * y, place[1] + sin * x + cos * y, z)
        found.append(Block((box.depth * 1e3, box.breadth * 1e3, box.height * 1e3), spot, _turned(way, turn)))
    return found


def _turned(way: Sequence[float], turn: float) -> tuple[float, float, float, float]:
    """A quaternion x y z w turned about the vertical."""
    x, y, z, w = way
    s, c = math.sin(turn / 2), math.cos(turn / 2)
    return (c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z)


@dataclass
class Footage:
    """A film while it is made."""

    sight: Sight
    appearance: Appearance = PLAIN_TABLE
    seed: int = 0
    frames: list[Image] = field(default_factory=list)
    stills: dict[tuple[Block, ...], Image] = field(default_factory=dict)  # pictures that were made, to be used again

    def still(self, blocks: Sequence[Block]) -> Image:
        """The picture of these blocks."""
        key = tuple(blocks)
        if key not in self.stills:
            self.stills[key] = photograph(blocks, self.sight, self.appearance, self.seed).image
        return self.stills[key]

    def hold(self, picture: Image, seconds: float) -> None:
        """Nothing moves for a while."""
        self.frames += [picture] * max(1, round(seconds * FILM.rate))

    def hand(self, before: Image, after: Image | Sequence[Image], at: tuple[float, float]) -> None:
        """A hand comes to that point of the mat (mm), does what makes the picture another, and goes.

        Several pictures after: they follow one another while the hand is drawn back.
        """
        self.frames += hand_frames(before, [after] if isinstance(after, np.ndarray) else after, at, self.sight)

    def write(self, path: Path) -> None:
        """Writes the video file; OutputError when that is not possible."""
        size = (self.sight.lens.width, self.sight.lens.height)
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*FILM.codec), FILM.rate, size)
        if not writer.isOpened():
            raise OutputError("{file} cannot be written.", file=str(path))
        cv2.setRNGSeed(self.seed + 1)
        noises = np.empty((FILM.noises, size[1], size[0], 3), np.int16)
        cv2.randn(noises.reshape(FILM.noises * size[1], size[0], 3), np.zeros(3), np.full(3, FILM.noise))
        try:
            for number, picture in enumerate(self.frames):
                noisy = np.clip(picture + noises[number % FILM.noises], 0, 255).astype(np.uint8)
                writer.write(cv2.cvtColor(noisy, cv2.COLOR_RGB2BGR))
        finally:
            writer.release()


def hand_frames(before: Image, after: Iterable[Image], at: tuple[float, float], sight: Sight) -> Iterator[Image]:
    """A hand comes to that point of the mat (mm), and goes while the pictures after follow one another."""
    spot = sight.project(np.array([[*at, 45.0]]))[0]
    count = max(2, round(FILM.hand * FILM.rate))
    for step in range(count):
        yield _with_hand(before, spot, (step + 1) / count)
    picture, step = before, 0
    for step, picture in enumerate(after, 1):
        yield _with_hand(picture, spot, 1 - step / count) if step < count else picture
    for late in range(step + 1, count + 1):
        yield _with_hand(picture, spot, 1 - late / count) if late < count else picture


def _with_hand(picture: Image, spot: npt.NDArray[np.float64], share: float) -> Image:
    """The picture with an arm from its lower edge that has come that share of the way to the spot."""
    high, wide = picture.shape[:2]
    start = np.array([spot[0] + 0.12 * wide, high * 1.15])
    tip = start + share * (spot - start)
    shown = picture.copy()
    thick = max(4, wide // 11)
    ends = [tuple(int(v) for v in point) for point in (start, tip + np.array([0.0, 0.04 * high]))]
    cv2.line(shown, ends[0], ends[1], FILM.skin, thick, cv2.LINE_AA)
    cv2.line(shown, ends[1], (int(tip[0]), int(tip[1])), FILM.skin, thick // 2, cv2.LINE_AA)
    return shown
