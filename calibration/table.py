"""How well a camera's place over the mat is known, in mm on the table: from one view, with a fitted lens or without.

The markers' corners, and the lens where it was only guessed, are drawn anew within their errors many times; each time
the camera's place is found again, and one looks how far points of the table move. Points above the table matter as
much: a tile is known by its top edges, and there a wrong focal length shows that the mat's plane hides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Marker, Mat
from calibration.lens import Lens
from physics.errors import InputError
from physics.files import check_ending, whole_file

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]

MIN_MARKERS = 2
DRAWS = 96
CORNER_ERROR = 0.15  # px of a marker's corner, at least
COLUMNS, ROWS = 7, 5  # of the map
HEIGHTS = (0.0, 50.0)  # mm above the mat: feet of tiles, and the top of a middling one
GOOD, POOR = 0.1, 1.0  # mm, drawn green and red: half a millimetre is what a forecast wants
REACH = 0.8  # of the mat's half width and depth that the map covers
# What is not known of a lens that was never fitted, as usual webcams differ, where the mat itself does not tell better:
# focal's logarithm, k1 and k2, and its middle by the picture's width.
GUESSED = np.diag([0.05, 0.06, 0.0, 0.012, 0.012]) ** 2


@dataclass(frozen=True)
class MarkerCheck:
    """Where one marker would be by the others alone: a check that owes nothing to assumed errors."""

    id: int
    off: float  # mm between that and where it is printed


@dataclass(frozen=True)
class ErrorMap:
    """Standard errors of where things on the table are put, mm."""

    xs: Array  # (columns,) mm
    ys: Array  # (rows,) mm, the far row first
    errors: Array  # (heights, rows, columns) mm

    @property
    def typical(self) -> tuple[float, ...]:
        """The middle error at each height."""
        return tuple(float(np.median(layer)) for layer in self.errors)


@dataclass(frozen=True)
class TableFit:
    """A camera over the mat."""

    rotation: Array  # (3, 3), X_camera = rotation · X_mat + place
    place: Array  # (3,) mm
    error: float  # px, root mean square over the markers' corners
    checks: tuple[MarkerCheck, ...]  # of each marker, where there are three or more
    map: ErrorMap
    map_fitted: ErrorMap | None  # what it would be with a fitted lens; None when this one is

    @property
    def eye(self) -> Array:
        """Where the camera is, mm."""
        found: Array = -self.rotation.T @ self.place
        return found

    @property
    def off_vertical(self) -> float:
        """Angle between the way it looks and straight down, degrees."""
        return math.degrees(math.acos(float(np.clip(-self.rotation[2, 2], -1, 1))))


def fit_table(
    found: Mapping[Marker, Array],
    lens: Lens,
    *,
    guessed: bool,
    lens_doubt: Array | None = None,
    mat: Mat = MAT,
    seed: int = 0,
) -> TableFit:
    """The camera's place by the markers' corners (4, 2) in px, and how well it puts things on the table.

    `guessed`: the lens was not fitted; `lens_doubt` is the covariance of what GUESSED has (None: GUESSED).
    InputError when there are too few markers, or when they cannot be seen like that.
    """
    if len(found) < MIN_MARKERS:
        raise InputError(
            "Too few markers of the mat are seen: {count}; the camera's place needs at least {least}.",
            count=len(found),
            least=MIN_MARKERS,
        )
    points = np.concatenate([marker.corners for marker in found])
    pixels = np.concatenate([np.asarray(corners, float) for corners in found.values()])
    rotation, place = _pose(points, pixels, lens)
    missed = _project(points, rotation, place, lens) - pixels
    error = float(np.sqrt((missed**2).sum(axis=1).mean()))
    rng = np.random.default_rng(seed)
    noise = max(CORNER_ERROR, error / math.sqrt(2))
    around = _Around(points, pixels, rotation, place, lens, noise)
    doubt = (GUESSED if lens_doubt is None else lens_doubt) if guessed else None
    return TableFit(
        rotation,
        place,
        error,
        _checks(found, lens),
        around.map(mat, rng, doubt),
        around.map(mat, rng, None) if guessed else None,
    )


def _pose(points: Array, pixels: Array, lens: Lens) -> tuple[Array, Array]:
    """The camera's place that fits best; of the two that a plane leaves open, the nearer fit above the table."""
    good, turns, places, errors = cv2.solvePnPGeneric(
        points, pixels, lens.matrix, np.array(lens.dist), flags=cv2.SOLVEPNP_IPPE
    )
    seen = []
    for turn, place, error in zip(turns, places, np.ravel(np.asarray(errors, float)), strict=True) if good else ():
        rotation, move = np.asarray(cv2.Rodrigues(turn)[0], float), np.asarray(place, float).ravel()
        if (-rotation.T @ move)[2] > 0:
            seen.append((float(error), turn, place))
    if not seen:
        raise InputError("The markers do not show where the camera is: is the mat printed mirrored or seen from below?")
    _error, turn, place = min(seen, key=lambda one: one[0])
    turn, place = cv2.solvePnPRefineLM(points, pixels, lens.matrix, np.array(lens.dist), turn, place)
    return np.asarray(cv2.Rodrigues(turn)[0], float), np.asarray(place, float).ravel()


def _project(points: Array, rotation: Array, place: Array, lens: Lens) -> Array:
    turn = cv2.Rodrigues(rotation)[0]
    found, _slopes = cv2.projectPoints(points, turn, place, lens.matrix, np.array(lens.dist))
    return np.asarray(found, float).reshape(-1, 2)


def _onto(pixels: Array, heights: Array, rotation: Array, place: Array, lens: Lens) -> Array:
    """Where on the table the points at these heights are that these pixels show, (n, 2) mm."""
    flat = cv2.undistortPoints(pixels.reshape(-1, 1, 2), lens.matrix, np.array(lens.dist))
    rays = np.column_stack([np.asarray(flat, float).reshape(-1, 2), np.ones(len(pixels))]) @ rotation
    eye = -rotation.T @ place
    share = (heights - eye[2]) / rays[:, 2]
    found: Array = eye[:2] + share[:, None] * rays[:, :2]
    return found


def _checks(found: Mapping[Marker, Array], lens: Lens) -> tuple[MarkerCheck, ...]:
    """Each marker against the place that the others give."""
    if len(found) < MIN_MARKERS + 1:
        return ()
    checks = []
    for left_out, corners in found.items():
        others = [marker for marker in found if marker is not left_out]
        rotation, place = _pose(
            np.concatenate([marker.corners for marker in others]),
            np.concatenate([np.asarray(found[marker], float) for marker in others]),
            lens,
        )
        there = _onto(np.asarray(corners, float), np.zeros(4), rotation, place, lens).mean(axis=0)
        checks.append(MarkerCheck(left_out.id, float(np.linalg.norm(there - (left_out.x, left_out.y)))))
    return tuple(checks)


@dataclass(frozen=True)
class _Around:
    """A pose and what it was made of, to be drawn again within the errors."""

    points: Array
    pixels: Array
    rotation: Array
    place: Array
    lens: Lens
    noise: float  # px

    def map(self, mat: Mat, rng: np.random.Generator, lens_doubt: Array | None) -> ErrorMap:
        xs = np.linspace(-1, 1, COLUMNS) * mat.size[0] / 2 * REACH
        ys = np.linspace(1, -1, ROWS) * mat.size[1] / 2 * REACH
        grid = np.array([(x, y, z) for z in HEIGHTS for y in ys for x in xs])
        seen = _project(grid, self.rotation, self.place, self.lens)
        total = np.zeros(len(grid))
        for _ in range(DRAWS):
            lens = self.lens if lens_doubt is None else self._lens(rng, lens_doubt)
            pixels = self.pixels + rng.normal(0, self.noise, self.pixels.shape)
            rotation, place = _pose(self.points, pixels, lens)
            moved = _onto(seen, grid[:, 2], rotation, place, lens) - grid[:, :2]
            total += (moved**2).sum(axis=1) / 2  # of x and of y alike
        errors = np.sqrt(total / DRAWS).reshape(len(HEIGHTS), ROWS, COLUMNS)
        return ErrorMap(xs, ys, errors)

    def _lens(self, rng: np.random.Generator, doubt: Array) -> Lens:
        lens = self.lens
        longer, one, two, right, down = rng.multivariate_normal(np.zeros(len(doubt)), doubt).tolist()
        scale, dist = math.exp(longer), (lens.dist[0] + one, lens.dist[1] + two, *lens.dist[2:])
        cx, cy = lens.cx + right * lens.width, lens.cy + down * lens.width
        return Lens(lens.width, lens.height, lens.fx * scale, lens.fy * scale, cx, cy, dist)


def draw_errors(picture: Image, lens: Lens, fit: TableFit) -> Image:
    """The picture (RGB) with the map over it: at each point the error in mm, green when it is good, red when poor."""
    shown = picture.copy()
    unit = max(1.0, shown.shape[1] / 1280)
    for row, y in enumerate(fit.map.ys):
        for column, x in enumerate(fit.map.xs):
            error = float(fit.map.errors[0, row, column])
            centre = _project(np.array([[x, y, 0.0]]), fit.rotation, fit.place, lens)[0]
            at = (round(float(centre[0])), round(float(centre[1])))
            share = float(np.clip((error - GOOD) / (POOR - GOOD), 0, 1))
            colour = (round(40 + 200 * share), round(170 - 110 * share), 60)
            cv2.circle(shown, at, round(5 * unit), colour, -1, cv2.LINE_AA)
            left, top = at[0] - round(21 * unit), at[1] - round(26 * unit)
            cv2.rectangle(shown, (left, top), (left + round(42 * unit), top + round(18 * unit)), (255, 255, 255), -1)
            spot = (left + round(3 * unit), top + round(14 * unit))
            cv2.putText(shown, f"{error:.2f}", spot, cv2.FONT_HERSHEY_SIMPLEX, 0.5 * unit, (30, 30, 30), 1, cv2.LINE_AA)
    return shown


def write_picture(path: Path, picture: Image) -> None:
    """Writes a picture (RGB) as a PNG; OutputError when it cannot be written."""
    check_ending(path, (".png",))
    good, coded = cv2.imencode(".png", np.ascontiguousarray(picture[..., ::-1]))
    assert good
    with whole_file(path) as beside:
        beside.write_bytes(coded.tobytes())
