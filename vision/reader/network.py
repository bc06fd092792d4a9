"""The network: says for every spot of a picture whether it shows a tile, and where that tile's foot would be.

It also looks at mirror images, and does not make the same mistakes each time. What it says is a first guess for the
fit, never the reading itself. It was taught by `python -m vision.training`.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.reader.straightened import Frame


@dataclass(frozen=True, slots=True)
class NetworkInput:
    """What the network is shown; a net taught with other values needs them too."""

    pixel_size: float = 1.1  # mm in the middle of the mat that a pixel of what it is shown stands for
    min_light: float = 0.02  # share of the empty mat's light below which all is the same to it
    max_light: float = 4.0  # share likewise, above which
    lift: float = 20.0  # mm above the mat between which and the mat is measured where up is
    size_multiple: int = 16  # px that width and height are a multiple of: the net halves them four times
    vote_unit: float = 10.0  # cells that a vote of 1 means


NETWORK_INPUT = NetworkInput()


@dataclass(frozen=True, slots=True)
class SecondLook:
    """Which part of a picture is shown to the network again, mirrored."""

    margin: int = 24  # px around all that may be tiles
    min_log_odds: float = -1.0  # logarithm of the odds from which on a pixel may show a tile
    speck: int = 3  # px, side of a square whose pixels must all do so


SECOND_LOOK = SecondLook()


GROUND, TOP, SIDE, OTHER = range(4)  # kinds of pixels: no tile, a tile's top, its sides, something else on the mat
KINDS = 4
CELLS = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1.0]])  # from a pixel to its cell, which is 2 × 2 of them
PLANES, UP = 6, slice(4, 6)  # that it is shown; those that say how far up is to the right, and down
FOOT, COSINE, SINE, SURE = slice(0, 2), 2, 3, 6  # of a vote: the foot's place, its turn, the logarithm of its error


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


class Mirroring(NamedTuple):
    """How a picture is mirrored: left and right exchanged or not, top and bottom, then rows and columns."""

    across: bool = False
    down: bool = False
    diagonal: bool = False


UNMIRRORED, *MIRRORED = (Mirroring(*way) for way in product((False, True), repeat=3))


@dataclass(frozen=True)
class NetworkAnswer:
    """What the network says of a picture, before anything is fitted."""

    kinds: Floats  # (KINDS, height, width) how likely each pixel shows each kind, one pixel per `pixel_size`
    votes: Floats  # (7, height / 2, width / 2) per cell: the foot's place, the tile's turn, size, how sure
    matrix: Array  # (3, 4) from mat points to pixels of `kinds`

    @property
    def tile(self) -> Floats:
        """How likely each pixel shows a standing tile."""
        return np.asarray(self.kinds[TOP] + self.kinds[SIDE], np.float32)


def network_answer(frame: Frame) -> NetworkAnswer:
    """The network's answer to a picture; where tiles may be, the mean of its answers to all mirror images."""
    shown, matrix = shown_of(frame)
    high, wide = shown.shape[1:]
    multiple = NETWORK_INPUT.size_multiple
    padded = np.pad(shown, ((0, 0), (0, -high % multiple), (0, -wide % multiple)))
    kinds, votes = _seen(padded, UNMIRRORED)
    part = _busy(kinds[:, :high, :wide], padded.shape[1:])
    if part is not None:
        down, across = part
        cells = slice(None), *(slice(side.start // 2, side.stop // 2) for side in part)
        answers = [
            (kinds[:, down, across], votes[cells]),
            *(_seen(padded[:, down, across], mirroring) for mirroring in MIRRORED),
        ]
        kinds[:, down, across] = np.mean([odds for odds, _ in answers], axis=0)
        every = np.stack([vote for _, vote in answers])
        weights = np.exp(-2 * every[:, SURE:])
        votes[cells] = (weights * every).sum(axis=0) / weights.sum(axis=0)
    kinds = np.exp(kinds - kinds.max(axis=0))
    kinds = kinds / kinds.sum(axis=0)
    return NetworkAnswer(kinds[:, :high, :wide], votes[:, : (high + 1) // 2, : (wide + 1) // 2], matrix)


def _busy(kinds: Floats, size: tuple[int, ...]) -> tuple[slice, slice] | None:
    """The rows and columns of a padded picture of that size where tiles may be seen; None: none is."""
    likely = (np.maximum(kinds[TOP], kinds[SIDE]) > kinds[GROUND] + SECOND_LOOK.min_log_odds).astype(np.uint8)
    rows, columns = np.nonzero(cv2.morphologyEx(likely, cv2.MORPH_OPEN, np.ones((SECOND_LOOK.speck,) * 2, np.uint8)))
    if not len(rows):
        return None
    sides = []
    multiple = NETWORK_INPUT.size_multiple
    for spots, length in zip((rows, columns), size, strict=True):
        first, behind = int(spots.min()) - SECOND_LOOK.margin, int(spots.max()) + 1 + SECOND_LOOK.margin
        start = max(0, first // multiple * multiple)
        end = math.ceil(behind / multiple) * multiple
        sides.append(slice(start, min(length, end)))
    return sides[0], sides[1]


def _seen(planes: Floats, mirroring: Mirroring) -> tuple[Floats, Floats]:
    """The logarithms of the kinds' odds per pixel, and the votes per cell: the answer to the picture so mirrored."""
    turned = _flipped(planes, mirroring)
    turned[UP] *= _signs(mirroring)
    if mirroring.diagonal:
        turned = turned.transpose(0, 2, 1).copy()
        turned[UP] = turned[UP][::-1].copy()
    answer = _run(_folded(turned))
    return turned_back(_unfolded(answer[: 4 * KINDS]), answer[4 * KINDS :], mirroring)


def turned_back(kinds: Floats, votes: Floats, mirroring: Mirroring) -> tuple[Floats, Floats]:
    """What is said of a picture that is looked at in that way, as if it were said of the picture itself."""
    if mirroring.diagonal:
        kinds, votes = kinds.transpose(0, 2, 1), votes.transpose(0, 2, 1).copy()
        votes[FOOT] = votes[FOOT][::-1].copy()
        votes[COSINE] *= -1
    votes = _flipped(votes, mirroring)
    votes[FOOT] *= _signs(mirroring)
    votes[SINE] *= _signs(mirroring).prod()
    return _flipped(kinds, mirroring), votes


def _flipped(planes: Floats, mirroring: Mirroring) -> Floats:
    return planes[:, :: -1 if mirroring.down else 1, :: -1 if mirroring.across else 1].copy()


def _signs(mirroring: Mirroring) -> Floats:
    """What becomes of ways to the right and down, (2, 1, 1)."""
    return np.array([-1 if mirroring.across else 1, -1 if mirroring.down else 1], np.float32)[:, None, None]


def shown_of(frame: Frame) -> tuple[Floats, Array]:
    """What the network is shown of a picture, (6, height, width), and the matrix from mat points to its pixels.

    The light as a share of the empty mat's (logarithms), where the mat is, and where up is.
    """
    high, wide = frame.light.shape[:2]
    scale = NETWORK_INPUT.pixel_size * frame.close  # px of the picture per px
    least = NETWORK_INPUT.size_multiple
    size = (max(least, round(wide / scale)), max(least, round(high / scale)))
    way = cv2.INTER_AREA if scale > 1 else cv2.INTER_LINEAR
    shares = cv2.resize(frame.surface.shares, size, interpolation=way)
    known = cv2.resize(frame.surface.known.astype(np.float32), size, interpolation=way)
    across, down = size[0] / wide, size[1] / high
    small = np.array([[across, 0, across / 2 - 0.5], [0, down, down / 2 - 0.5], [0, 0, 1.0]])
    matrix = small @ frame.matrix
    light = np.log(np.clip(shares, NETWORK_INPUT.min_light, NETWORK_INPUT.max_light))
    planes = np.concatenate([light, known[..., None], _upwards(matrix, size)], axis=-1)
    return np.ascontiguousarray(planes.transpose(2, 0, 1), np.float32), matrix


def _upwards(matrix: Array, size: tuple[int, int]) -> Floats:
    """How many px a mm of height is at each pixel, across and down."""
    back = np.linalg.inv(matrix[:, [0, 1, 3]])
    step = 8
    x, y = np.meshgrid(np.arange(0, size[0] + step, step), np.arange(0, size[1] + step, step))
    feet = np.stack([x, y, np.ones_like(x)], axis=-1) @ back.T
    feet = feet[..., :2] / feet[..., 2:]
    above = np.concatenate([feet, np.full((*x.shape, 1), NETWORK_INPUT.lift)], axis=-1)
    lifted = above @ matrix[:, :3].T + matrix[:, 3]
    way = (lifted[..., :2] / lifted[..., 2:] - np.stack([x, y], axis=-1)) / NETWORK_INPUT.lift
    across, down = np.meshgrid(np.arange(size[0]) / step, np.arange(size[1]) / step)
    return np.asarray(
        cv2.remap(way.astype(np.float32), across.astype(np.float32), down.astype(np.float32), cv2.INTER_LINEAR),
        np.float32,
    )


def _folded(planes: Floats) -> Floats:
    """Four pixels side by side made one with four times as many planes."""
    count, high, wide = planes.shape
    parts = planes.reshape(count, high // 2, 2, wide // 2, 2).transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(parts.reshape(4 * count, high // 2, wide // 2))


def _unfolded(planes: Floats) -> Floats:
    """The reverse."""
    count, high, wide = planes.shape[0] // 4, *planes.shape[1:]
    parts = planes.reshape(count, 2, 2, high, wide).transpose(0, 3, 1, 4, 2)
    return np.ascontiguousarray(parts.reshape(count, 2 * high, 2 * wide))


class _Nets(threading.local):
    """A net of its own for each thread: it keeps what it works on."""

    def __init__(self) -> None:
        raw = (resources.files("vision.reader") / "network.onnx").read_bytes()
        self.net = cv2.dnn.readNetFromONNX(np.frombuffer(raw, np.uint8))


@lru_cache(maxsize=1)
def _nets() -> _Nets:
    return _Nets()


def _run(planes: Floats) -> Floats:
    net = _nets().net
    net.setInput(planes[None])
    return np.asarray(net.forward()[0], np.float32)
