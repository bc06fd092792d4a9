"""The lens from views of a printed chessboard with markers: which views to keep, the fit, and its refusals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lens import Lens
from physics.errors import InputError, Number, Word

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]

MIN_CORNERS = 12  # of the board in a view that counts
MIN_VIEWS = 8
ENOUGH_VIEWS = 15  # with which one may stop
MAX_VIEWS = 40  # more make the fit slow and no better
MAX_BLUR = 2.5, 0.002  # px, and of the picture's width where that is more: standard deviation of the blur of edges
DIFFERENT = 0.05  # of the picture's diagonal by which the board's corners move from one kept view to another
GRID = 3  # regions of the picture, across and down
REGION_CORNERS = 20  # seen in a region that is covered
MIN_TURN = 18.0  # degrees between the two views that look at the board most differently
MAX_ERROR = 0.0008  # of the picture's width: reprojection error that is still a fit
MAX_FOCAL_DOUBT = 0.01  # relative standard error of the focal length
OUTLIER = 3.0  # times the median error of the views
SEEN_COLOUR, KEPT_COLOUR = (255, 176, 60), (60, 220, 150)  # red green blue, of the board in a picture
FOCAL_RANGE = (0.3, 6.0)  # of the picture's width: from a wide-angle lens to a long one


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard whose white squares hold markers; mm."""

    columns: int = 9
    rows: int = 6
    square: float = 30.0
    marker: float = 22.0
    dictionary: str = "DICT_5X5_100"  # not the table's: mat and board may be in one picture

    @property
    def outline(self) -> Array:
        """The corners of the whole board (4, 2), mm from its upper left one."""
        width, height = self.columns * self.square, self.rows * self.square
        return np.array([(0, 0), (width, 0), (width, height), (0, height)], float)


BOARD = Board()


@dataclass(frozen=True)
class View:
    """The board as one picture shows it."""

    ids: npt.NDArray[np.int32]  # (n,) of the inner corners that are seen
    corners: Array  # (n, 2) px
    points: Array  # (n, 2) mm on the board
    outline: Array  # (4, 2) px, where the board's corners are or would be
    blur: float  # px
    size: tuple[int, int]  # px, of the picture


REGIONS = (
    Word("upper left"), Word("upper middle"), Word("upper right"),
    Word("middle left"), Word("middle"), Word("middle right"),
    Word("lower left"), Word("lower middle"), Word("lower right"),
)  # fmt: skip


@dataclass(frozen=True)
class CameraFit:
    """A lens and how far to trust it."""

    lens: Lens
    error: float  # px, root mean square of the reprojection
    focal_doubt: float  # relative standard error of the focal length
    views: int  # used
    turn: float  # degrees between the two most different views of the board
    lacking: tuple[Word, ...]  # regions of the picture with too few corners


@cache
def dictionary(name: str) -> cv2.aruco.Dictionary:
    """The markers of that name."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


@cache
def _detector(board: Board) -> cv2.aruco.CharucoDetector:
    found = cv2.aruco.CharucoBoard(
        (board.columns, board.rows), board.square, board.marker, dictionary(board.dictionary)
    )
    return cv2.aruco.CharucoDetector(found)


def find_board(picture: Image, board: Board = BOARD) -> View | None:
    """The board in a picture (grey, or RGB); None when too little of it is seen."""
    grey = picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)
    corners, ids, _markers, _marker_ids = _detector(board).detectBoard(grey)
    if corners is None or ids is None or len(np.ravel(ids)) < MIN_CORNERS:
        return None
    numbers = np.ravel(ids).astype(np.int32)
    across = board.columns - 1
    points = np.stack([numbers % across + 1.0, numbers // across + 1.0], axis=1) * board.square
    pixels = np.asarray(corners, float).reshape(-1, 2)
    if np.linalg.matrix_rank(points - points.mean(axis=0), tol=1e-6) < 2:
        return None
    found: Any = cv2.findHomography(points, pixels)
    flat = found[0]
    if flat is None:
        return None
    outline = cv2.perspectiveTransform(board.outline[None], flat)[0]
    size = (grey.shape[1], grey.shape[0])
    return View(numbers, pixels, points, np.asarray(outline, float), _blur(grey, pixels), size)


def _blur(grey: Image, corners: Array) -> float:
    """How far edges around the corners are smeared, px: the contrast over the steepest slope of an edge."""
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int) + 1
    left, top = np.maximum(low, 0)
    part = grey[top : high[1], left : high[0]].astype(np.float32)
    if min(part.shape) < 8:
        return math.inf
    across, down = cv2.Sobel(part, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(part, cv2.CV_32F, 0, 1, scale=1 / 8)
    steepest = float(np.percentile(np.hypot(across, down), 99))
    dark, bright = np.percentile(part, (10, 90))
    return float(bright - dark) / (steepest * math.sqrt(math.tau)) if steepest > 0 else math.inf


def is_sharp(view: View) -> bool:
    """Whether the view is sharp enough to be kept."""
    return view.blur <= max(MAX_BLUR[0], MAX_BLUR[1] * view.size[0])


def draw_board(picture: Image, view: View, *, is_kept: bool) -> Image:
    """The picture (RGB) with the board's outline and corners over it, in another colour when the view was kept."""
    shown = picture.copy() if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)
    unit = max(1, round(shown.shape[1] / 640))
    colour = KEPT_COLOUR if is_kept else SEEN_COLOUR
    outline = np.round(view.outline).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(shown, [outline], True, colour, 2 * unit, cv2.LINE_AA)
    for x, y in np.round(view.corners).astype(int).tolist():
        cv2.circle(shown, (x, y), 2 * unit, colour, -1, cv2.LINE_AA)
    return shown


@dataclass(frozen=True)
class Collection:
    """Views worth keeping: sharp, and each different from the others."""

    views: tuple[View, ...] = ()

    def with_view(self, view: View) -> Collection:
        """The collection with the view, in the place of one like it if it is sharper; else as it is.

        InputError when the picture has another size than those before.
        """
        if self.views and view.size != self.views[0].size:
            raise InputError(
                "The views have different sizes, {first} and {second} px; a lens is fitted for one.",
                first="×".join(map(str, self.views[0].size)),
                second="×".join(map(str, view.size)),
            )
        if not is_sharp(view):
            return self
        limit = DIFFERENT * math.hypot(*view.size)
        apart = [float(np.linalg.norm(view.outline - other.outline, axis=1).mean()) for other in self.views]
        near = [index for index, distance in enumerate(apart) if distance < limit]
        if not near:
            return Collection((*self.views, view)) if len(self.views) < MAX_VIEWS else self
        if len(near) > 1 or self.views[near[0]].blur <= 1.05 * view.blur:
            return self
        return Collection((*self.views[: near[0]], view, *self.views[near[0] + 1 :]))

    def coverage(self) -> npt.NDArray[np.int_]:
        """How many corners of the board were seen in each region of the picture (rows, columns)."""
        counts = np.zeros((GRID, GRID), int)
        for view in self.views:
            cells = np.floor(view.corners / view.size * GRID).astype(int).clip(0, GRID - 1)
            np.add.at(counts, (cells[:, 1], cells[:, 0]), 1)
        return counts

    def lacking(self) -> tuple[Word, ...]:
        """The regions of the picture in which too few corners were seen; all of them when there is no view."""
        if not self.views:
            return REGIONS
        counts = self.coverage()
        return tuple(name for name, count in zip(REGIONS, counts.ravel(), strict=True) if count < REGION_CORNERS)


def fit_camera(collection: Collection) -> CameraFit:
    """The lens that explains the views; InputError with the reason when they do not determine one."""
    views = collection.views
    if len(views) < MIN_VIEWS:
        raise InputError(
            "The lens needs {least} sharp and different views of the board; there are {count}.",
            least=MIN_VIEWS,
            count=len(views),
        )
    found = _fitted(views)
    median = float(np.median(found.errors))
    good = [view for view, error in zip(views, found.errors, strict=True) if error <= max(OUTLIER * median, 0.1)]
    if MIN_VIEWS <= len(good) < len(views):
        found = _fitted(good)
    fit = replace(found.fit, lacking=Collection(tuple(good)).lacking())
    _check(fit)
    return fit


@dataclass(frozen=True)
class _Fitted:
    fit: CameraFit
    errors: Array  # px, of each view


def _fitted(views: Sequence[View]) -> _Fitted:
    """OpenCV's fit; k3 stays 0, for it trades off against k2."""
    width, height = views[0].size
    points = [np.column_stack([view.points, np.zeros(len(view.points))]).astype(np.float32) for view in views]
    pixels = [view.corners.astype(np.float32) for view in views]
    no_lens = InputError("No lens explains these views: show the whole board, flat, from other sides.")
    try:
        rms, matrix, dist, turns, _moves, spread, _poses, errors = cv2.calibrateCameraExtended(
            points, pixels, (width, height), np.eye(3), np.zeros(5), flags=cv2.CALIB_FIX_K3
        )
    except cv2.error:
        raise no_lens from None
    numbers = [*np.ravel(matrix), *np.ravel(dist), rms]
    doubt = float(np.ravel(spread)[0]) / max(float(matrix[0, 0]), 1e-9)
    low, high = (share * width for share in FOCAL_RANGE)
    if not all(map(math.isfinite, numbers)) or not (low < matrix[0, 0] < high and low < matrix[1, 1] < high):
        raise no_lens
    lens = Lens(
        width,
        height,
        float(matrix[0, 0]),
        float(matrix[1, 1]),
        float(matrix[0, 2]),
        float(matrix[1, 2]),
        tuple(map(float, np.ravel(dist)[:5])),
    )
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    turn = math.degrees(math.acos(float(np.clip((normals @ normals.T).min(), -1, 1))))
    return _Fitted(CameraFit(lens, float(rms), doubt, len(views), turn, ()), np.ravel(errors))


def _check(fit: CameraFit) -> None:
    """InputError with the reason when the fit is not to be trusted."""
    if fit.turn < MIN_TURN:
        raise InputError(
            "All views show the board at nearly the same slant ({turn}° apart, {least}° are needed): "
            "tilt the board or the camera, or the focal length cannot be told from the distance.",
            turn=Number(f"{fit.turn:.0f}"),
            least=Number(f"{MIN_TURN:.0f}"),
        )
    limit = MAX_ERROR * fit.lens.width
    if fit.error > limit:
        raise InputError(
            "The fit misses the board's corners by {error} px, and at most {limit} px are allowed: "
            "the sheet may not be flat, or the camera changed its focus in between.",
            error=Number(f"{fit.error:.2f}"),
            limit=Number(f"{limit:.2f}"),
        )
    if not fit.focal_doubt <= MAX_FOCAL_DOUBT:
        raise InputError(
            "The views leave the focal length open by {doubt} %, and at most {limit} % are allowed: "
            "show the board nearer, more tilted and in the corners of the picture.",
            doubt=Number(f"{fit.focal_doubt * 100:.1f}"),
            limit=Number(f"{MAX_FOCAL_DOUBT * 100:g}"),
        )
