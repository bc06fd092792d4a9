"""The trained eye: says for every spot of a picture whether it shows a tile, and where that tile's foot would be.

There are two of them, and the second sees the mirror image: they do not make the same mistakes. What they say is a
first guess for the fit, never the reading itself. They were taught by `python -m vision.training`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Frame

GRAIN = 1.1  # mm in the middle of the mat that a pixel of what it is shown stands for
DIMMEST, BRIGHTEST = 0.02, 4.0  # shares of the mat's light that it tells apart
GROUND, TOP, SIDE, OTHER = range(4)  # kinds of pixels: no tile, a tile's top, its sides, something else on the mat
KINDS = 4
PLANES, UP_ACROSS = 6, 4  # that it is shown; the one of them that says how far up is to the right
VOTE_ACROSS, VOTE_SINE, SURE = 0, 3, 6  # parts of a vote: the foot's place to the right, the turn's sine, its error
VOTE = 10.0  # cells that a vote of 1 means
LIFT = 20.0  # mm above the mat that tell where up is
ODDS = 16  # pixels that width and height are a multiple of
EYES = ("eye.onnx", "second_eye.onnx")

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Impression:
    """What the trained eye says of a picture, before anything is fitted."""

    kinds: Floats  # (KINDS, height, width) how likely each pixel shows each kind, one pixel per GRAIN
    votes: Floats  # (7, height / 2, width / 2) per cell: the foot's place, the tile's turn, size, how sure
    matrix: Array  # (3, 4) from mat points to pixels of `kinds`

    @property
    def tile(self) -> Floats:
        """How likely each pixel shows a standing tile."""
        return np.asarray(self.kinds[TOP] + self.kinds[SIDE], np.float32)


def impression_of(frame: Frame) -> Impression:
    """Shows a picture to the trained eyes, to one as it is and to the other mirrored."""
    shown, matrix = shown_of(frame)
    high, wide = shown.shape[1:]
    pad = ((0, 0), (0, -high % ODDS), (0, -wide % ODDS))
    padded = np.pad(shown, pad)
    plain, other = _answers(0, padded), mirrored(*_answers(1, _shown_mirrored(padded)))
    kinds = (plain[0] + other[0]) / 2
    kinds = np.exp(kinds - kinds.max(axis=0))
    kinds = kinds / kinds.sum(axis=0)
    # Of two votes the surer one: between two places there is none.
    votes = np.where(plain[1][SURE] <= other[1][SURE], plain[1], other[1])
    half = (slice(None), slice((high + 1) // 2), slice((wide + 1) // 2))
    return Impression(kinds[:, :high, :wide], votes[half], matrix)


def _answers(eye: int, planes: Floats) -> tuple[Floats, Floats]:
    """What one of the EYES says: the logarithms of the kinds' odds per pixel, and the votes per cell."""
    answer = _answer(eye, _folded(planes))
    return _unfolded(answer[: 4 * KINDS]), answer[4 * KINDS :]


def _shown_mirrored(planes: Floats) -> Floats:
    """What is shown, left and right exchanged."""
    found = planes[..., ::-1].copy()
    found[UP_ACROSS] = -found[UP_ACROSS]
    return found


def mirrored(kinds: Floats, votes: Floats) -> tuple[Floats, Floats]:
    """What is answered, left and right exchanged."""
    votes = votes[..., ::-1].copy()
    votes[[VOTE_ACROSS, VOTE_SINE]] = -votes[[VOTE_ACROSS, VOTE_SINE]]
    return kinds[..., ::-1], votes


def shown_of(frame: Frame) -> tuple[Floats, Array]:
    """What the trained eye is shown of a picture, (6, height, width), and the matrix from mat points to its pixels.

    The light as a share of the empty mat's (logarithms), where the mat is, and where up is.
    """
    high, wide = frame.light.shape[:2]
    scale = GRAIN * frame.close  # px of the picture per px
    size = (max(ODDS, round(wide / scale)), max(ODDS, round(high / scale)))
    way = cv2.INTER_AREA if scale > 1 else cv2.INTER_LINEAR
    shares = cv2.resize(frame.surface.shares, size, interpolation=way)
    known = cv2.resize(frame.surface.known.astype(np.float32), size, interpolation=way)
    across, down = size[0] / wide, size[1] / high
    small = np.array([[across, 0, across / 2 - 0.5], [0, down, down / 2 - 0.5], [0, 0, 1.0]])
    matrix = small @ frame.matrix
    light = np.log(np.clip(shares, DIMMEST, BRIGHTEST))
    planes = np.concatenate([light, known[..., None], _upwards(matrix, size)], axis=-1)
    return np.ascontiguousarray(planes.transpose(2, 0, 1), np.float32), matrix


def _upwards(matrix: Array, size: tuple[int, int]) -> Floats:
    """How many px a mm of height is at each pixel, across and down."""
    back = np.linalg.inv(matrix[:, [0, 1, 3]])
    step = 8
    x, y = np.meshgrid(np.arange(0, size[0] + step, step), np.arange(0, size[1] + step, step))
    feet = np.stack([x, y, np.ones_like(x)], axis=-1) @ back.T
    feet = feet[..., :2] / feet[..., 2:]
    lifted = np.concatenate([feet, np.full((*x.shape, 1), LIFT)], axis=-1) @ matrix[:, :3].T + matrix[:, 3]
    way = (lifted[..., :2] / lifted[..., 2:] - np.stack([x, y], axis=-1)) / LIFT
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
    """Nets of its own for each thread: they keep what they work on."""

    def __init__(self) -> None:
        files = [(resources.files("vision") / name).read_bytes() for name in EYES]
        self.nets = [cv2.dnn.readNetFromONNX(np.frombuffer(raw, np.uint8)) for raw in files]


@lru_cache(maxsize=1)
def _nets() -> _Nets:
    return _Nets()


def _answer(eye: int, planes: Floats) -> Floats:
    net = _nets().nets[eye]
    net.setInput(planes[None])
    return np.asarray(net.forward()[0], np.float32)
