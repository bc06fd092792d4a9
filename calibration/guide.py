"""What to do next with the board before a camera, so that the lens can be told from its views."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import ENOUGH_VIEWS, GRID, REGION_CORNERS, Collection, View, is_sharp

Array = npt.NDArray[np.float64]

GUESSED_FOCAL = 0.9  # of the picture's width: slants need not be known well to ask for other ones
WANTED_TURN = 30.0  # degrees between the two views that look at the board most differently
NEAR, FAR = 0.22, 0.5  # share of the picture that the board takes: at least once as much, at least once less


class Next(enum.Enum):
    """What is wanted next."""

    SHOW = "show"  # the board is not seen
    STILL = "still"  # it is seen, but blurred
    MOVE = "move"  # into another region of the picture
    TILT = "tilt"
    NEARER = "nearer"
    FARTHER = "farther"
    MORE = "more"  # simply more views
    ENOUGH = "enough"


@dataclass(frozen=True)
class Advice:
    """What is wanted next, and where: regions count from the upper left one, row by row."""

    next: Next
    region: int | None = None


def advice(collection: Collection, now: View | None) -> Advice:
    """What to do with the board, by the views there are and the one that is seen now."""
    lacking = [index for index, count in enumerate(collection.coverage().ravel()) if count < REGION_CORNERS]
    enough = len(collection.views) >= ENOUGH_VIEWS
    sizes = [share_of(view) for view in collection.views]
    wanted = Next.ENOUGH
    if lacking:
        wanted = Next.MOVE
    elif turn_of(collection.views) < WANTED_TURN:
        wanted = Next.TILT
    elif max(sizes) < NEAR:
        wanted = Next.NEARER
    elif min(sizes) > FAR:
        wanted = Next.FARTHER
    elif not enough:
        wanted = Next.MORE
    if wanted is not Next.ENOUGH and now is None:
        return Advice(Next.SHOW)
    if wanted is not Next.ENOUGH and now is not None and not is_sharp(now):
        return Advice(Next.STILL)
    return Advice(wanted, _nearest(lacking, now) if wanted is Next.MOVE else None)


def turn_of(views: Sequence[View]) -> float:
    """Degrees between the two views that look at the board most differently, about; 0 without views."""
    if not views:
        return 0.0
    normals = np.array([_normal(view) for view in views])
    return math.degrees(math.acos(float(np.clip((normals @ normals.T).min(), -1, 1))))


def share_of(view: View) -> float:
    """The share of the picture that the board takes."""
    return abs(float(cv2.contourArea(view.outline.astype(np.float32)))) / (view.size[0] * view.size[1])


def _normal(view: View) -> Array:
    """The way the board looks, by a usual lens."""
    width, height = view.size
    focal = GUESSED_FOCAL * width
    matrix = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    points = np.column_stack([view.points, np.zeros(len(view.points))])
    good, turn, _place = cv2.solvePnP(points, view.corners, matrix, np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
    return np.asarray(cv2.Rodrigues(turn)[0], float)[:, 2] if good else np.array([0.0, 0.0, 1.0])


def _nearest(lacking: Sequence[int], now: View | None) -> int:
    """Of the regions that lack views the one nearest to the board: the shortest way comes first."""
    if now is None:
        return lacking[0]
    middle = now.corners.mean(axis=0) / now.size * GRID - 0.5
    return min(lacking, key=lambda index: math.dist(middle, (index % GRID, index // GRID)))
