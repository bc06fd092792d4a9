"""Pictures of the printed board through known lenses, and how well the lenses are found again from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import BOARD, Collection, find_board, fit_camera
from calibration.lens import Lens
from calibration.sheet import A4, board_sheet, picture
from vision.drawing.scenes import random_lens

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Pose = tuple[Array, Array]
"""The board's turn, and where its middle is before the camera, mm."""


@dataclass(frozen=True, slots=True)
class BoardStudy:
    """How the printed board is photographed."""

    pixels: float = 4.0  # px per mm of the sheet
    sizes: tuple[tuple[int, int], ...] = ((640, 480), (1280, 720), (1280, 960), (1920, 1080))  # px, by turns
    views: int = 14  # of each lens
    tilt: float = 40.0  # degrees, at most
    surround: int = 90  # grey level around the sheet
    max_focal_error: float = 0.005  # relative: what is asked of a lens that is found
    max_error: float = 0.3  # px of reprojection, likewise


BOARD_STUDY = BoardStudy()


@dataclass(frozen=True)
class LensFound:
    """A known lens and what was found of it."""

    size: tuple[int, int]
    views: int
    focal_error: float  # relative, the larger of the two focal lengths'
    error: float  # px of reprojection

    @property
    def held(self) -> bool:
        """Whether it was found as well as asked."""
        return self.focal_error <= BOARD_STUDY.max_focal_error and self.error <= BOARD_STUDY.max_error


def find_again(seed: int) -> LensFound:
    """Photographs the board through a seeded lens, and fits one to the pictures; InputError when that is refused."""
    rng = np.random.default_rng([seed, 6])
    lens = random_lens(rng, BOARD_STUDY.sizes[seed % len(BOARD_STUDY.sizes)], bent=True)
    noise = float(rng.uniform(2, 6))
    found = Collection()
    for _ in range(BOARD_STUDY.views):
        view = find_board(board_seen(random_pose(rng, BOARD_STUDY.tilt, lens), rng, lens=lens, noise=noise))
        found = found if view is None else found.with_view(view)
    fit = fit_camera(found)
    off = max(abs(fit.lens.fx / lens.fx - 1), abs(fit.lens.fy / lens.fy - 1))
    return LensFound((lens.width, lens.height), fit.views, off, fit.error)


def random_pose(rng: np.random.Generator, tilt: float, lens: Lens) -> Pose:
    """Somewhere in the picture, slanted by up to that many degrees."""
    about = rng.uniform(0, math.tau)
    slant = math.radians(rng.uniform(0.6, 1.0) * tilt)
    away = rng.uniform(330, 520)
    roll, across, down = rng.uniform(-0.5, 0.5), rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3)
    return board_pose(lens, (across, down), away, slant, about, roll)


def board_pose(lens: Lens, at: tuple[float, float], away: float, slant: float, about: float, roll: float = 0.0) -> Pose:
    """The board with its middle so many widths and heights of the picture from the picture's middle, mm and rad."""
    axis = np.array([math.cos(about), math.sin(about), 0.0]) * slant
    turn = cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(np.array([0.0, 0.0, roll]))[0]
    aside = np.array([at[0] * lens.width / lens.fx, at[1] * lens.height / lens.fy])
    return np.asarray(turn, float), np.array([*(aside * away), away])


def board_seen(at: Pose, rng: np.random.Generator, *, lens: Lens, blur: float = 0.8, noise: float = 3.0) -> Image:
    """The sheet in a picture (grey): blurred by so many px, and with noise of that many grey levels."""
    turn, place = at
    middle = np.array([BOARD.columns, BOARD.rows]) * BOARD.square / 2
    origin = place - turn @ np.array([*middle, 0.0])  # the board's upper left corner
    onto = _rays(lens) @ np.linalg.inv(np.column_stack([turn[:, 0], turn[:, 1], origin])).T.astype(np.float32)
    left, top = (A4[0] - 2 * middle[0]) / 2, (A4[1] - 2 * middle[1]) / 2 - 4
    spots = (onto[..., :2] / onto[..., 2:] + np.array((left, top), np.float32)) * BOARD_STUDY.pixels - np.float32(0.5)
    shown = cv2.remap(
        _sheet(), spots[..., 0], spots[..., 1], cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT, borderValue=BOARD_STUDY.surround,
    )  # fmt: skip
    soft = cv2.GaussianBlur(shown, (0, 0), blur).astype(np.float32) if blur else shown.astype(np.float32)
    dull = 30 + 0.7 * soft
    return np.asarray(np.clip(dull + noise * rng.standard_normal(dull.shape, np.float32), 0, 255), np.uint8)


@lru_cache(maxsize=2)
def _rays(lens: Lens) -> npt.NDArray[np.float32]:
    """The way each pixel looks, (height, width, 3), its third part 1."""
    grid = np.stack(np.meshgrid(np.arange(lens.width), np.arange(lens.height)), axis=-1).astype(float)
    flat = cv2.undistortPoints(grid.reshape(-1, 1, 2), lens.matrix, np.array(lens.dist))
    ways = np.asarray(flat, float).reshape(lens.height, lens.width, 2)
    return np.concatenate([ways, np.ones((lens.height, lens.width, 1))], axis=2).astype(np.float32)


@lru_cache(maxsize=1)
def _sheet() -> Image:
    return np.asarray(cv2.GaussianBlur(picture(board_sheet(), BOARD_STUDY.pixels), (0, 0), 1.0), np.uint8)
