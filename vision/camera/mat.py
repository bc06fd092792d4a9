"""Finds the mat in a picture: its markers to a tenth of a pixel, and from them where the camera is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Marker, Mat
from calibration.lens import Lens
from physics.errors import Number
from vision.camera.files import LARGEST, PictureError, what_is_wrong
from vision.camera.pose import Sight, straightened

FEWEST = 2  # markers from which a pose is made; with a lens one may do
VAGUE = 2.0  # mm by which things in the middle of the mat may be off, by one marker alone
RIVAL = 16.0  # squares of a corner's error by which another pose may fit worse and be as good
APART = math.radians(2)  # rad by which it is another
ACROSS = 4.0  # px on either side of a marker's edge that are looked at
PROFILE = 17  # samples over them
ALONG = 24  # places along each edge
CORNER_ERROR = 0.06  # px: corners are never believed to be better
USUAL_FIELD = math.radians(58)  # rad, webcams' width of view where nothing is known
HOPELESS = 30.0  # times the least error with which a first guess of the camera's place is not followed
# Of an unknown lens: the logarithm of its focal length, its first distortions, its middle by the picture's width.
LENS_DOUBT = (0.25, 0.08, 0.05, 0.012, 0.012)
BLACK_RIM, WHITE_RIM = 5 / 6, 7 / 6  # of a marker's size: in the middle of its black rim, and on the paper around it
PALE, PLAIN = 100, 250  # grey levels: of black that is too bright, and of white that holds nothing any more
DOUBTFUL, CLEARED = 0.4, 0.3  # px of error from which on an edge may be hidden, and what share is left without it
SPARE = 6  # measurements that must be left over when an edge is left out
WORST = 3.0  # px of reprojection error beyond which lens and mat do not belong together

__all__ = ["MatView", "PictureError", "find_markers", "find_mat", "linear_light"]

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class MatView:
    """Where the camera is, how well that is known, and which markers were seen."""

    sight: Sight
    error: float  # px, root mean square over the markers' corners
    doubt: Array  # covariance of the turn (rad), the place (mm) and, where it was estimated, of the lens (LENS_DOUBT)
    seen: tuple[int, ...]
    estimated: bool  # whether the lens was estimated from the mat

    @property
    def lens_doubt(self) -> Array | None:
        """Covariance of the lens as LENS_DOUBT has it; None where it was given."""
        return self.doubt[6:, 6:] if self.estimated else None

    @property
    def eye_doubt(self) -> float:
        """How far the camera may well be from where it was found, mm."""
        turn, place = (np.trace(self.doubt[part, part]) for part in (slice(0, 3), slice(3, 6)))
        return math.sqrt(place) + math.sqrt(turn) * float(np.linalg.norm(self.sight.place))

    def place_doubt(self, points: Array) -> Array:
        """Covariance (n, 2, 2) of where pixels that show these points (n, 3) would be put at their height, mm²."""
        points = np.asarray(points, float)
        sight = self.sight if self.estimated else self.sight.straight()
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
    shrink = LARGEST / max(size)
    if shrink < 1:
        small = (max(1, round(size[0] * shrink)), max(1, round(size[1] * shrink)))
        looked_at = np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.uint8)
        seen = find_mat(looked_at, None if lens is None else lens.scaled(*small), mat)
        sight = replace(seen.sight, lens=seen.sight.lens.scaled(*size))
        return replace(seen, sight=sight, error=seen.error * size[0] / small[0])
    found = find_markers(image, mat)
    if not found:
        if len(find_markers(np.ascontiguousarray(image[:, ::-1]), mat)) >= FEWEST:
            raise PictureError("The picture is mirrored: switch that off in the camera's settings.")
        raise what_is_wrong(image)
    if lens is None and len(found) < FEWEST:
        raise PictureError(
            "Only marker {marker} of the mat is in the picture; at least two must be seen, or one through a lens that "
            "is calibrated (calibrate camera).",
            marker=next(iter(found)).id,
        )
    if _is_washed_out(image, list(found.values())):
        raise PictureError("The picture is over-exposed: even the markers' black is bright, and tiles are plain white.")
    points = np.concatenate([marker.corners for marker in found])
    pixels = np.concatenate(list(found.values()))
    view = _fitted(points, pixels, lens, size, tuple(marker.id for marker in found))
    if view.error > DOUBTFUL:
        view = _without_hidden_edge(view, points, pixels, lens)
    if view.error > WORST:
        raise PictureError(
            "The markers are {error} px from where lens and table file put them; allowed are {limit} px.",
            error=Number(f"{view.error:.1f}"),
            limit=Number(f"{WORST:g}"),
        )
    if len(found) < FEWEST and math.sqrt(np.trace(view.place_doubt(np.zeros((1, 3)))[0]) / 2) > VAGUE:
        raise PictureError(
            "Only marker {marker} of the mat is in the picture, too small to say where the camera is; at least two "
            "must be seen.",
            marker=next(iter(found)).id,
        )
    return view


def find_markers(image: npt.NDArray[np.uint8], mat: Mat = MAT) -> dict[Marker, Array]:
    """The markers of the mat that are seen, each with its corners (4, 2) in px."""
    grey = np.ascontiguousarray(image[..., 1]) if image.ndim == 3 else image
    detector = cv2.aruco.ArucoDetector(
        cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary)), cv2.aruco.DetectorParameters()
    )
    corners, ids, _ = detector.detectMarkers(grey)
    known = {marker.id: marker for marker in mat.markers}
    found: dict[Marker, Array] = {}
    for quad, number in zip(corners, [] if ids is None else [int(one) for one in np.ravel(ids)], strict=True):
        marker = known.get(number)
        if marker is None:
            continue
        corner = np.asarray(quad, float).reshape(4, 2)
        if marker not in found or _area(found[marker]) < _area(corner):
            found[marker] = corner
    light = linear_light(grey)
    cells = detector.getDictionary().markerSize + 2
    return {marker: _sharpened(light, quad, cells) for marker, quad in sorted(found.items(), key=lambda m: m[0].id)}


def _is_washed_out(image: npt.NDArray[np.uint8], quads: Sequence[Array]) -> bool:
    """Whether the paper around the markers is plain white, and their black as bright as wood should be."""
    grey = image[..., 1] if image.ndim == 3 else image
    shares = np.linspace(0.15, 0.85, 8)[:, None, None]
    levels = []
    for quad in quads:
        sides = (quad + shares * (np.roll(quad, -1, axis=0) - quad)).reshape(-1, 2)
        middle = quad.mean(axis=0)
        for scale in (BLACK_RIM, WHITE_RIM):
            x, y = np.round(middle + scale * (sides - middle)).astype(int).T
            seen = grey[y.clip(0, grey.shape[0] - 1), x.clip(0, grey.shape[1] - 1)]
            levels.append(float(np.median(seen)))
    black, white = np.median(np.reshape(levels, (-1, 2)), axis=0)
    return bool(black > PALE and white >= PLAIN)


def _area(quad: Array) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def linear_light(image: npt.NDArray[np.uint8]) -> Floats:
    """Grey levels as amounts of light, 0 to 1: blur mixes light, so edges lie where half the light is."""
    levels = np.arange(256) / 255
    curve = np.where(levels < 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return np.asarray(cv2.LUT(image, curve), np.float32)


def _sharpened(light: Floats, quad: Array, cells: int) -> Array:
    """The corners where lines fitted to the four edges cross, each edge where half the light is."""
    ends = np.roll(quad, -1, axis=0)
    lengths = np.linalg.norm(ends - quad, axis=1)
    way = (ends - quad) / np.maximum(lengths, 1e-9)[:, None]
    outward = np.stack([way[:, 1], -way[:, 0]], axis=1)
    inward = ((quad.mean(axis=0) - quad) * outward).sum(axis=1) > 0
    outward[inward] = -outward[inward]
    shares = np.linspace(0.08, 0.92, ALONG)
    base = quad[:, None] + shares[:, None] * (ends - quad)[:, None]
    offsets = np.linspace(-1, 1, PROFILE) * np.minimum(ACROSS, 0.6 * lengths / cells)[:, None]
    spots = (base[:, :, None] + offsets[:, None, :, None] * outward[:, None, None]).astype(np.float32)
    x, y = spots.reshape(4 * ALONG, PROFILE, 2).transpose(2, 0, 1)
    seen = cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.asarray(seen, float).reshape(4, ALONG, PROFILE)
    dark, bright = np.median(profile[..., :3], axis=2), np.median(profile[..., -3:], axis=2)
    contrast = np.median(bright - dark, axis=1)
    usable = bright - dark > 0.3 * np.maximum(1e-6, contrast)[:, None]
    if (usable.sum(axis=1) < ALONG // 3).any() or (contrast <= 0.005).any():
        return quad
    half = (dark + bright) / 2
    above = profile >= half[..., None]
    # The last place, from outside in, where the light is below half.
    last_dark = np.clip(PROFILE - 1 - np.argmax(~above[..., ::-1], axis=2), 0, PROFILE - 2)[..., None]
    low, high = (np.take_along_axis(profile, last_dark + k, axis=2)[..., 0] for k in (0, 1))
    share = np.clip((half - low) / np.maximum(high - low, 1e-9), 0, 1)
    at = np.take_along_axis(offsets, last_dark[..., 0], axis=1) + share * (offsets[:, 1] - offsets[:, 0])[:, None]
    found = base + at[..., None] * outward[:, None]
    lines = [_line(points[used]) for points, used in zip(found, usable, strict=True)]
    corners = np.array([np.cross(lines[k - 1], lines[k]) for k in range(4)])
    crossings = corners[:, :2] / corners[:, 2:]
    if not np.isfinite(crossings).all() or np.abs(crossings - quad).max() > 3 * ACROSS:
        return quad
    return np.asarray(crossings)


def _line(points: Array) -> Array:
    """The line a x + b y + c = 0 through points, those far off left out."""
    kept = np.ones(len(points), bool)
    line = np.zeros(3)
    for _ in range(3):
        middle = points[kept].mean(axis=0)
        away = points[kept] - middle
        normal = np.linalg.eigh(away.T @ away)[1][:, 0]
        line = np.array([*normal, -normal @ middle])
        off = np.abs(points @ normal + line[2])
        kept = off <= max(0.15, 2.5 * float(np.median(off)))
    return line


def _fitted(points: Array, pixels: Array, lens: Lens | None, size: tuple[int, int], seen: tuple[int, ...]) -> MatView:
    estimated = lens is None
    if lens is None:
        focal = size[0] / 2 / math.tan(USUAL_FIELD / 2)
        lens = Lens(*size, focal, focal, (size[0] - 1) / 2, (size[1] - 1) / 2)
    bare = straightened(pixels, lens) if lens.bent else pixels
    starts = _starts(points, bare, lens, estimated)
    found = sorted((_refined(start, points, bare, estimated) for start in starts), key=lambda one: one[0])
    if not found or (len(seen) < FEWEST and _is_rivalled(found)):
        raise PictureError("The markers of the mat do not show where the camera is.")
    _, sight, normal = found[0]
    residual = sight.project(points) - bare
    error = float(np.sqrt(np.mean(np.sum(residual**2, axis=1))))
    free = max(1, residual.size - len(normal))
    sigma = math.sqrt(max(CORNER_ERROR**2, float(np.sum(residual**2)) / free))
    doubt = np.linalg.inv(normal / sigma**2 + _prior_weight(estimated))
    whole = sight if estimated else replace(sight, lens=replace(sight.lens, dist=lens.dist))
    return MatView(whole, error, np.asarray(doubt, float), seen, estimated)


def _without_hidden_edge(view: MatView, points: Array, pixels: Array, lens: Lens | None) -> MatView:
    """The view without the corners of one edge, when all others fit far better: something stands before that edge."""
    if 2 * (len(points) - 2) < len(view.doubt) + SPARE:
        return view
    best, size = view, (view.sight.lens.width, view.sight.lens.height)
    for first in range(len(points)):
        gone = [first, first + 1 if first % 4 < 3 else first - 3]
        left = [np.delete(places, gone, axis=0) for places in (points, pixels)]
        try:
            other = _fitted(left[0], left[1], lens, size, view.seen)
        except PictureError:
            continue
        if other.error < min(best.error, CLEARED * view.error):
            best = other
    return best


def _is_rivalled(found: list[tuple[float, Sight, Array]]) -> bool:
    """Whether the camera may as well be elsewhere: a small square far away looks the same from two sides."""
    least, best, _ = found[0]
    return any(
        cost < least + RIVAL * CORNER_ERROR**2 and np.trace(best.rotation.T @ other.rotation) < 1 + 2 * math.cos(APART)
        for cost, other, _ in found[1:]
    )


def _prior_weight(estimated: bool) -> Array:
    return np.diag([0.0] * 6 + ([1 / doubt**2 for doubt in LENS_DOUBT] if estimated else []))


def _starts(points: Array, bare: Array, lens: Lens, estimated: bool) -> list[Sight]:
    straight = lens.straight()
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
    return [sight for error, sight in found if error <= HOPELESS * max(least, CORNER_ERROR)]


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
    prior = _prior_weight(estimated) * CORNER_ERROR**2
    count = len(prior)
    focal = math.log(sight.lens.width / 2 / math.tan(USUAL_FIELD / 2))

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
    damping = 1e-3
    normal = np.eye(count)
    for _ in range(40):
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
            done = cost - new < 1e-9 * cost
            sight, cost, residual, damping = moved, new, new_residual, damping / 5
            if done:
                break
        else:
            damping *= 6
            if damping > 1e8:
                break
    return cost, sight, normal
