"""Where the camera is, found by the mat's markers in a picture; and how well that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.lens import Lens
from physics.errors import Number
from vision.camera.markers import find_markers, is_washed_out
from vision.camera.picture_files import PICTURE_LIMITS, PictureError, what_is_wrong
from vision.camera.pose import Sight, straightened


@dataclass(frozen=True, slots=True)
class PoseTrust:
    """When the camera's place is believed."""

    min_markers: int = 2  # from which a pose is made; with a lens one may do
    max_error_alone: float = 2.0  # mm by which things in the middle of the mat may be off, by one marker alone
    rival_cost: float = 16.0  # squares of a corner's error by which another pose may fit worse and be as good
    rival_turn: float = math.radians(2)  # rad by which it is another
    max_start_error: float = 30.0  # times the least error with which a first guess of the place is not followed
    doubtful_error: float = 0.4  # px from which on an edge of a marker may be hidden
    cleared_share: float = 0.3  # of that error that is left without the hidden edge
    spare: int = 6  # measurements that must be left over when an edge is left out
    max_error: float = 3.0  # px of reprojection error beyond which lens and mat do not belong together
    corner_error: float = 0.06  # px: corners are never believed to be better


POSE_TRUST = PoseTrust()


@dataclass(frozen=True, slots=True)
class PoseFitting:
    """How the camera's place is fitted to the markers, by Levenberg and Marquardt."""

    max_rounds: int = 40
    min_gain: float = 1e-9  # share of the cost: a round that gains less is the last
    damping: float = 1e-3  # at first
    calmer: float = 5.0  # by which it is divided after a good step
    stiffer: float = 6.0  # by which it is multiplied after a bad one
    max_damping: float = 1e8  # from which on no step helps


POSE_FITTING = PoseFitting()


@dataclass(frozen=True, slots=True)
class UnknownLens:
    """What is taken for likely of a lens that is estimated from the mat."""

    field: float = math.radians(58)  # rad, webcams' width of view
    # The errors of what is usual: the logarithm of the focal length, the first distortions, the middle by the width.
    sigmas: tuple[float, ...] = (0.25, 0.08, 0.05, 0.012, 0.012)


UNKNOWN_LENS = UnknownLens()


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class MatView:
    """Where the camera is, how well that is known, and which markers were seen."""

    sight: Sight
    error: float  # px, root mean square over the markers' corners
    doubt: Array  # covariance of the turn (rad), the place (mm) and, where it was estimated, of the lens (as `sigmas`)
    seen: tuple[int, ...]
    estimated: bool  # whether the lens was estimated from the mat

    @property
    def lens_doubt(self) -> Array | None:
        """Covariance of the lens as UNKNOWN_LENS.sigmas has it; None where it was given."""
        return self.doubt[6:, 6:] if self.estimated else None

    @property
    def eye_doubt(self) -> float:
        """How far the camera may well be from where it was found, mm."""
        turn, place = (np.trace(self.doubt[part, part]) for part in (slice(0, 3), slice(3, 6)))
        return math.sqrt(place) + math.sqrt(turn) * float(np.linalg.norm(self.sight.place))

    def place_doubt(self, points: Array) -> Array:
        """Covariance (n, 2, 2) of where pixels that show these points (n, 3) would be put at their height, mm²."""
        points = np.asarray(points, float)
        sight = self.sight if self.estimated else self.sight.undistorted()
        pixels = sight.project(points)
        columns = []
        for k in range(len(self.doubt)):
            step = 1e-2 if k in (3, 4, 5) else 1e-5
            moved = _moved(sight, np.eye(len(self.doubt))[k] * step)
            columns.append((moved.to_plane(pixels, points[:, 2]) - points[:, :2]) / step)
        slopes = np.stack(columns, axis=-1)
        found: Array = np.einsum("nik,kl,njl->nij", slopes, self.doubt, slopes)
        return found


def find_mat(image: npt.NDArray[np.uint8], lens: Lens | None, mat: Mat = MAT) -> MatView:
    """Where the camera is. PictureError when there are too few markers or when they do not fit the lens.

    Without a lens it is estimated from the mat: its focal length, its distortion and its middle. A picture that is
    larger than is of use is looked at in a smaller size.
    """
    size = (image.shape[1], image.shape[0])
    shrink = PICTURE_LIMITS.max_side / max(size)
    if shrink < 1:
        small = (max(1, round(size[0] * shrink)), max(1, round(size[1] * shrink)))
        looked_at = np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.uint8)
        seen = find_mat(looked_at, None if lens is None else lens.scaled(*small), mat)
        sight = replace(seen.sight, lens=seen.sight.lens.scaled(*size))
        return replace(seen, sight=sight, error=seen.error * size[0] / small[0])
    found = find_markers(image, mat)
    if not found:
        if len(find_markers(np.ascontiguousarray(image[:, ::-1]), mat)) >= POSE_TRUST.min_markers:
            raise PictureError("The picture is mirrored: switch that off in the camera's settings.")
        raise what_is_wrong(image)
    if lens is None and len(found) < POSE_TRUST.min_markers:
        raise PictureError(
            "Only marker {marker} of the mat is in the picture; at least two must be seen, or one through a lens that "
            "is calibrated (calibrate camera).",
            marker=next(iter(found)).id,
        )
    if is_washed_out(image, list(found.values())):
        raise PictureError("The picture is over-exposed: even the markers' black is bright, and tiles are plain white.")
    points = np.concatenate([marker.corners for marker in found])
    pixels = np.concatenate(list(found.values()))
    view = _fitted(points, pixels, lens, size, tuple(marker.id for marker in found))
    if view.error > POSE_TRUST.doubtful_error:
        view = _without_hidden_edge(view, points, pixels, lens)
    if view.error > POSE_TRUST.max_error:
        raise PictureError(
            "The markers are {error} px from where lens and table file put them; allowed are {limit} px.",
            error=Number(f"{view.error:.1f}"),
            limit=Number(f"{POSE_TRUST.max_error:g}"),
        )
    if len(found) < POSE_TRUST.min_markers and _error_in_the_middle(view) > POSE_TRUST.max_error_alone:
        raise PictureError(
            "Only marker {marker} of the mat is in the picture, too small to say where the camera is; at least two "
            "must be seen.",
            marker=next(iter(found)).id,
        )
    return view


def _fitted(points: Array, pixels: Array, lens: Lens | None, size: tuple[int, int], seen: tuple[int, ...]) -> MatView:
    estimated = lens is None
    if lens is None:
        focal = size[0] / 2 / math.tan(UNKNOWN_LENS.field / 2)
        lens = Lens(*size, focal, focal, (size[0] - 1) / 2, (size[1] - 1) / 2)
    bare = straightened(pixels, lens) if lens.is_distorted else pixels
    starts = _starts(points, bare, lens, estimated)
    found = sorted((_refined(start, points, bare, estimated) for start in starts), key=lambda one: one[0])
    if not found or (len(seen) < POSE_TRUST.min_markers and _is_rivalled(found)):
        raise PictureError("The markers of the mat do not show where the camera is.")
    _, sight, normal = found[0]
    residual = sight.project(points) - bare
    error = float(np.sqrt(np.mean(np.sum(residual**2, axis=1))))
    free = max(1, residual.size - len(normal))
    sigma = math.sqrt(max(POSE_TRUST.corner_error**2, float(np.sum(residual**2)) / free))
    doubt = np.linalg.inv(normal / sigma**2 + _prior_weight(estimated))
    whole = sight if estimated else replace(sight, lens=replace(sight.lens, dist=lens.dist))
    return MatView(whole, error, np.asarray(doubt, float), seen, estimated)


def _error_in_the_middle(view: MatView) -> float:
    """By how much a thing in the middle of the mat may be off, mm."""
    return math.sqrt(np.trace(view.place_doubt(np.zeros((1, 3)))[0]) / 2)


def _without_hidden_edge(view: MatView, points: Array, pixels: Array, lens: Lens | None) -> MatView:
    """The view without the corners of one edge, when all others fit far better: something stands before that edge."""
    if 2 * (len(points) - 2) < len(view.doubt) + POSE_TRUST.spare:
        return view
    best, size = view, (view.sight.lens.width, view.sight.lens.height)
    for first in range(len(points)):
        gone = [first, first + 1 if first % 4 < 3 else first - 3]
        left = [np.delete(places, gone, axis=0) for places in (points, pixels)]
        try:
            other = _fitted(left[0], left[1], lens, size, view.seen)
        except PictureError:
            continue
        if other.error < min(best.error, POSE_TRUST.cleared_share * view.error):
            best = other
    return best


def _is_rivalled(found: list[tuple[float, Sight, Array]]) -> bool:
    """Whether the camera may as well be elsewhere: a small square far away looks the same from two sides."""
    least, best, _ = found[0]
    as_good = least + POSE_TRUST.rival_cost * POSE_TRUST.corner_error**2
    # The trace of a rotation is 1 + 2 cos of its angle.
    as_turned = 1 + 2 * math.cos(POSE_TRUST.rival_turn)
    return any(
        cost < as_good and np.trace(best.rotation.T @ other.rotation) < as_turned for cost, other, _ in found[1:]
    )


def _prior_weight(estimated: bool) -> Array:
    return np.diag([0.0] * 6 + ([1 / doubt**2 for doubt in UNKNOWN_LENS.sigmas] if estimated else []))


def _starts(points: Array, bare: Array, lens: Lens, estimated: bool) -> list[Sight]:
    straight = lens.undistorted()
    lenses = [straight]
    if estimated:
        lenses += [replace(straight, fx=straight.fx * k, fy=straight.fy * k) for k in (0.75, 1.4)]
    found: list[tuple[float, Sight]] = []
    for one in lenses:
        good, turns, places, errors = cv2.solvePnPGeneric(points, bare, one.matrix, None, flags=cv2.SOLVEPNP_IPPE)
        for turn, place, error in zip(turns, places, np.ravel(errors).tolist(), strict=True) if good else ():
            rotation, _ = cv2.Rodrigues(turn)
            sight = Sight(one, np.asarray(rotation, float), np.asarray(place, float).ravel())
            if sight.eye[2] > 0:
                found.append((error, sight))
    least = min((error for error, _ in found), default=0.0)
    limit = POSE_TRUST.max_start_error * max(least, POSE_TRUST.corner_error)
    return [sight for error, sight in found if error <= limit]


def _moved(sight: Sight, step: Array) -> Sight:
    turn, _ = cv2.Rodrigues(step[:3])
    lens = sight.lens
    if len(step) > 6:
        longer, (one, two, right, down) = math.exp(step[6]), step[7:].tolist()
        bend = (lens.dist[0] + one, lens.dist[1] + two, *lens.dist[2:])
        cx, cy = lens.cx + right * lens.width, lens.cy + down * lens.width
        lens = replace(lens, fx=lens.fx * longer, fy=lens.fy * longer, cx=cx, cy=cy, dist=bend)
    return Sight(lens, np.asarray(turn, float) @ sight.rotation, sight.place + step[3:6])


def _refined(sight: Sight, points: Array, bare: Array, estimated: bool) -> tuple[float, Sight, Array]:
    """Levenberg-Marquardt on turn, place and perhaps the lens: cost, result, normal matrix in px²."""
    prior = _prior_weight(estimated) * POSE_TRUST.corner_error**2
    count = len(prior)
    focal = math.log(sight.lens.width / 2 / math.tan(UNKNOWN_LENS.field / 2))

    def off(one: Sight) -> Array:
        """How far it is from what is usual."""
        lens = one.lens
        middle = (lens.cx - (lens.width - 1) / 2) / lens.width, (lens.cy - (lens.height - 1) / 2) / lens.width
        unusual = (math.log(lens.fx) - focal, *lens.dist[:2], *middle) if estimated else ()
        return np.array([*[0.0] * 6, *unusual])

    def cost_of(one: Sight) -> tuple[float, Array]:
        residual = (one.project(points) - bare).ravel()
        return float(residual @ residual + off(one) @ prior @ off(one)), residual

    cost, residual = cost_of(sight)
    damping = POSE_FITTING.damping
    normal = np.eye(count)
    for _ in range(POSE_FITTING.max_rounds):
        steps = np.array([1e-6] * 3 + [1e-3] * 3 + [1e-6] * (count - 6))
        slopes = np.stack(
            [
                ((_moved(sight, np.eye(count)[k] * steps[k]).project(points) - bare).ravel() - residual) / steps[k]
                for k in range(count)
            ],
            axis=1,
        )
        normal = slopes.T @ slopes
        down = -slopes.T @ residual - prior @ off(sight)
        whole = normal + prior
        step = np.linalg.solve(whole + damping * np.diag(np.diag(whole)), down)
        moved = _moved(sight, step)
        new, new_residual = cost_of(moved)
        if new < cost:
            is_done = cost - new < POSE_FITTING.min_gain * cost
            sight, cost, residual, damping = moved, new, new_residual, damping / POSE_FITTING.calmer
            if is_done:
                break
        else:
            damping *= POSE_FITTING.stiffer
            if damping > POSE_FITTING.max_damping:
                break
    return cost, sight, normal
