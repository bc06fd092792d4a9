"""The eye over the table: orbits, zooms, looks straight down, and knows what lies under the pointer.

Places on the screen are pixels from the lower left corner of the view, as Arcade counts them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from game.film.boxes import Ray
from physics.pose import Vector

FIELD = math.radians(28)  # rad from the lower to the upper edge of the view: a long lens keeps tiles in proportion
PLAN_FIELD = math.radians(7)  # rad, straight from above: nearly a drawing, with little of the tiles' sides
SMALLEST, LARGEST = 0.06, 6.0  # m of the table from the lower to the upper edge of the view
LOWEST, HIGHEST = math.radians(8), math.radians(90)  # rad above the table
DRAG_TURN = math.radians(0.35)  # rad per pixel
WHEEL_STEP = 0.88  # distance after one notch of the wheel, as a share of the one before
ROOM = 0.84  # share of the view that fitted points may fill
MIN_SPAN = 0.10  # m that a fitted view shows at least, so that a lone tile is not a wall
PLAYER = -math.radians(113)  # rad, azimuth of the person at the table: a little aside, where faces are seen
UPRIGHT = -math.pi / 2  # rad, azimuth of a plan with x to the right
NARROWING = math.radians(58)  # rad above the table, from which on the view becomes a plan
LEAN_BACK = math.radians(34)  # rad above the table, where that person's eyes are

Array = npt.NDArray[np.float64]
Size = tuple[float, float]  # width and height, pixels


@dataclass(frozen=True, slots=True)
class Orbit:
    """From where the table is looked at."""

    target: Vector = (0.0, 0.0, 0.0)  # m, what is in the middle of the view
    distance: float = 0.9  # m from there to the eye
    azimuth: float = PLAYER  # rad anticlockwise from +x, where the eye is seen from the target
    elevation: float = LEAN_BACK  # rad above the table

    @property
    def field(self) -> float:
        """Angle from the lower to the upper edge of the view, rad: it narrows towards the plan, so that it is one."""
        share = min(1.0, max(0.0, (self.elevation - NARROWING) / (HIGHEST - NARROWING)))
        return FIELD + (PLAN_FIELD - FIELD) * share * share * (3 - 2 * share)

    @property
    def span(self) -> float:
        """What the view shows at the target from its lower to its upper edge, m."""
        return 2 * self.distance * math.tan(self.field / 2)

    @property
    def axes(self) -> tuple[Vector, Vector, Vector]:
        """Unit vectors: to the right of the view, to its top, and back to the eye. Defined straight down, too."""
        cos_a, sin_a = math.cos(self.azimuth), math.sin(self.azimuth)
        cos_e, sin_e = math.cos(self.elevation), math.sin(self.elevation)
        return (-sin_a, cos_a, 0.0), (-sin_e * cos_a, -sin_e * sin_a, cos_e), (cos_e * cos_a, cos_e * sin_a, sin_e)

    @property
    def eye(self) -> Vector:
        """Where the eye is, m."""
        x, y, z = (at + self.distance * back for at, back in zip(self.target, self.axes[2], strict=True))
        return x, y, z

    @property
    def is_plan(self) -> bool:
        """Whether it looks straight down."""
        return self.elevation >= HIGHEST - 1e-6

    def dragged(self, dx: float, dy: float) -> Orbit:
        """Turned about the target as a drag by that many pixels asks for."""
        elevation = min(HIGHEST, max(LOWEST, self.elevation - dy * DRAG_TURN))
        azimuth = math.remainder(self.azimuth - dx * DRAG_TURN, math.tau)
        return replace(self, azimuth=azimuth, elevation=elevation)._showing(self.span)

    def zoomed(self, notches: float) -> Orbit:
        """Nearer by notches of the wheel (negative: farther), within the limits."""
        return self._showing(self.span * WHEEL_STEP**notches)

    def panned(self, dx: float, dy: float, size: Size) -> Orbit:
        """Moved along the table so that what was under the pointer goes with it, about the middle of the view."""
        scale = self.span / size[1]
        right = self.axes[0]
        away = -right[1], right[0]
        steep = max(math.sin(self.elevation), 0.2)
        x, y = (at - scale * (dx * r + dy / steep * a) for at, r, a in zip(self.target, right, away, strict=False))
        return replace(self, target=(x, y, self.target[2]))

    def plan(self) -> Orbit:
        """The same part of the table straight from above, with x to the right and y upwards."""
        return replace(self, azimuth=UPRIGHT, elevation=HIGHEST)._showing(self.span)

    def at(self, place: Vector, span: float) -> Orbit:
        """Looking the same way at that place, with so much of the table in view, m."""
        return replace(self, target=place)._showing(span)

    def _showing(self, span: float) -> Orbit:
        """From as far away as that span (m) takes, within the limits."""
        return replace(self, distance=min(LARGEST, max(SMALLEST, span)) / (2 * math.tan(self.field / 2)))

    def fit(self, points: Iterable[Vector] | Array, aspect: float, room: float = ROOM) -> Orbit:
        """Looking the same way, but so that all the points are seen; without points it stays as it is.

        `aspect` is the width of the view over its height, `room` the share of it that the points may fill.
        """
        places = points if isinstance(points, np.ndarray) else np.array(list(points), dtype=float).reshape(-1, 3)
        if not len(places):
            return self
        right, up, back = (np.array(axis) for axis in self.axes)
        seen = places @ np.stack([right, up, -back]).T
        high = math.tan(self.field / 2) * room
        eye = np.zeros(3)
        away = math.inf
        for axis, slope in ((0, high * aspect), (1, high)):
            # The pyramid of vision that just holds all points: each pair of opposite sides touches one.
            above = float((seen[:, axis] - slope * seen[:, 2]).max())
            below = float((-seen[:, axis] - slope * seen[:, 2]).max())
            eye[axis] = (above - below) / 2
            away = min(away, -(above + below) / (2 * slope))
        least = MIN_SPAN / (2 * high)
        # Points one behind another touch all sides at the nearest of them: the eye keeps away from it.
        away = min(away, float(seen[:, 2].min()) - least / 2)
        eye[2] = away
        middle = float(seen[:, 2].min() + seen[:, 2].max()) / 2
        distance = max(middle - away, least)
        target = eye[0] * right + eye[1] * up - middle * back
        x, y, z = (float(value) for value in target)
        return replace(self, target=(x, y, z))._showing(2 * distance * math.tan(self.field / 2))

    def view(self) -> Array:
        """The matrix (4, 4) from places on the table to places before the eye, for columns."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -matrix[:3, :3] @ self.eye
        return matrix

    def projection(self, aspect: float) -> Array:
        """The matrix (4, 4) from before the eye to the view's cube, as OpenGL has it, for columns."""
        near, far = 0.05 * self.distance, self.distance + 16.0
        cot = 1 / math.tan(self.field / 2)
        return np.array(
            [
                [cot / aspect, 0, 0, 0],
                [0, cot, 0, 0],
                [0, 0, (near + far) / (near - far), 2 * near * far / (near - far)],
                [0, 0, -1, 0],
            ]
        )

    def project(self, point: Vector, size: Size) -> tuple[float, float] | None:
        """Where a point of space is seen, pixels; None when it lies behind the eye."""
        offset = [at - eye for at, eye in zip(point, self.eye, strict=True)]
        across, up, back = (sum(a * o for a, o in zip(axis, offset, strict=True)) for axis in self.axes)
        if back > -1e-6:
            return None
        focal = size[1] / 2 / math.tan(self.field / 2)
        return size[0] / 2 - focal * across / back, size[1] / 2 - focal * up / back

    def project_all(self, points: Array, size: Size) -> Array:
        """Where many points of space (…, 3) are seen, pixels (…, 2); not a number where one lies behind the eye."""
        before = (points - np.array(self.eye)) @ np.array(self.axes).T
        back = np.where(before[..., 2:] > -1e-6, np.nan, before[..., 2:])
        focal = size[1] / 2 / math.tan(self.field / 2)
        return np.asarray(np.array(size) / 2 - focal * before[..., :2] / back)

    def ray(self, x: float, y: float, size: Size) -> Ray:
        """The line of sight through a place on the screen."""
        focal = size[1] / 2 / math.tan(self.field / 2)
        right, up, back = self.axes
        ahead = [
            (x - size[0] / 2) * r + (y - size[1] / 2) * u - focal * b for r, u, b in zip(right, up, back, strict=True)
        ]
        length = math.hypot(*ahead)
        return Ray(self.eye, (ahead[0] / length, ahead[1] / length, ahead[2] / length))

    def table_point(self, x: float, y: float, size: Size, height: float = 0.0) -> tuple[float, float] | None:
        """The point of the table, or of a plane that high (m), under a place on the screen; None above the horizon."""
        ray = self.ray(x, y, size)
        if ray.way[2] > -1e-6:
            return None
        along = (height - ray.start[2]) / ray.way[2]
        if along < 0:
            return None
        return ray.start[0] + along * ray.way[0], ray.start[1] + along * ray.way[1]


def eased(a: Orbit, b: Orbit, share: float) -> Orbit:
    """The way from one orbit to another, slow at both ends; share from 0 to 1, the azimuth turns the short way."""
    t = min(1.0, max(0.0, share))
    t = t * t * t * (t * (6 * t - 15) + 10)
    if t in (0.0, 1.0):
        return b if t else a
    x, y, z = (one + (other - one) * t for one, other in zip(a.target, b.target, strict=True))
    way = Orbit(
        (x, y, z),
        azimuth=a.azimuth + math.remainder(b.azimuth - a.azimuth, math.tau) * t,
        elevation=a.elevation + (b.elevation - a.elevation) * t,
    )
    # In equal ratios: a zoom then looks even.
    return way._showing(a.span * (b.span / a.span) ** t)


@dataclass(frozen=True, slots=True)
class Glide:
    """A smooth way from one orbit to another."""

    start: Orbit
    end: Orbit
    begun: float  # s, on any clock
    seconds: float = 0.7

    def at(self, now: float) -> Orbit:
        """Where it is at that time of the same clock."""
        return eased(self.start, self.end, (now - self.begun) / self.seconds if self.seconds > 0 else 1.0)

    def is_over(self, now: float) -> bool:
        """Whether it has arrived."""
        return now >= self.begun + self.seconds
