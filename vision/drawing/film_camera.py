"""From where a run is looked at: cameras, chosen so that the whole fall is seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from physics.line import Standing
from physics.scene import Scene
from physics.trajectory import Trajectory, leans_of


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """From where falls are shown."""

    field: float = math.radians(26)  # rad, vertical field of view: a long lens keeps tiles in proportion
    pitch: float = math.radians(33)  # rad, how far the camera looks down
    aside: float = math.radians(52)  # rad between the row's way back and the camera
    # rad likewise, on the far side: shadows then fall where the camera sees them
    light_aside: float = math.radians(-26)
    light_up: float = math.radians(47)  # rad above the table
    room: float = 0.90  # share of the picture that the tiles may fill
    min_tile: float = 0.045  # share of the picture's height; where tiles would be smaller, the camera follows the fall
    followed: float = 5.0  # tile heights around the front of the fall that a following camera shows
    moments: int = 24  # of a fall that are to be in the picture
    smoothing: float = 0.5  # s over which a following camera smooths its way
    min_lean: float = math.radians(4)  # rad of lean with which a tile counts as reached by the fall


VIEW = ViewSettings()


Array = npt.NDArray[np.float64]
Vector = tuple[float, float, float]
Size = tuple[int, int]  # width and height, pixels

SIGNS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True, slots=True)
class Camera:
    """From where a picture is taken, and in which light."""

    eye: Vector  # where it is, m
    yaw: float  # rad, the way it looks, anticlockwise from +x
    pitch: float  # rad below level
    light: Vector  # unit vector towards the lamp
    grain: float  # m, after which the wood of the table repeats itself
    field: float = VIEW.field  # rad, from the lower to the upper edge of the picture

    def axes(self) -> Array:
        """Its own directions as rows: right, down, forward."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        forward = np.array([math.cos(self.pitch) * cos, math.cos(self.pitch) * sin, -math.sin(self.pitch)])
        right = np.array([sin, -cos, 0.0])
        return np.stack([right, np.cross(forward, right), forward])

    def focal(self, size: Size) -> float:
        """Focal length in pixels of a picture of that size."""
        return size[1] / 2 / math.tan(self.field / 2)

    def project(self, points: Array, size: Size) -> Array:
        """Where points (…, 3) are seen: x and y in pixels from the upper left corner, and how far away they are, m."""
        right, down, away = np.moveaxis((points - self.eye) @ self.axes().T, -1, 0)
        near = np.maximum(away, 1e-6)
        focal = self.focal(size)
        return np.stack([size[0] / 2 + focal * right / near, size[1] / 2 + focal * down / near, away], axis=-1)

    def table_to_picture(self, size: Size, height: float = 0.0) -> Array:
        """The homography from x, y of the table, or of a plane that high, to pixels."""
        focal = self.focal(size)
        lens = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1]])
        axes = self.axes()
        return lens @ np.column_stack([axes[:, 0], axes[:, 1], axes @ (np.array([0.0, 0.0, height]) - self.eye)])


def rotations(quaternions: Array) -> Array:
    """Rotation matrices (…, 3, 3) of quaternions x y z w (…, 4)."""
    x, y, z, w = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def corners_of(boxes: Sequence[Standing], places: Array, quaternions: Array) -> Array:
    """The eight corners of each box, (…, tiles, 8, 3), m."""
    halves = np.array([(box.depth, box.breadth, box.height) for box in boxes]) / 2
    corners: Array = places[..., None, :] + np.einsum(
        "...tij,tcj->...tci", rotations(quaternions), SIGNS * halves[:, None]
    )
    return corners


def camera_for(scene: Scene, motion: Trajectory, size: Size) -> Camera:
    """A camera that has the whole run in its picture, from behind the push and aside, so that values are seen."""
    boxes = scene.line.standing()
    some = np.unique(np.linspace(0, len(motion.times) - 1, VIEW.moments).astype(int))
    points = corners_of(boxes, *motion.at(some)).reshape(-1, 3)
    return camera_around(points, _heading(scene), max(box.height for box in boxes), size)


def camera_around(points: Array, heading: float, height: float, size: Size) -> Camera:
    """A camera that has the points (n, 3) in its picture; the fall goes the way `heading`, the tallest tile is so high.

    Points below the table do not count.
    """
    points = points[points[:, 2] > -0.2 * height]  # not what fell off the table
    # Of the two sides the one nearer to where the person sits, at -y.
    back = heading + math.pi
    side = 1.0 if math.sin(back + VIEW.aside) <= math.sin(back - VIEW.aside) else -1.0
    lamp = back + side * VIEW.light_aside
    up = VIEW.light_up
    light = (math.cos(up) * math.cos(lamp), math.cos(up) * math.sin(lamp), math.sin(up))
    camera = Camera((0.0, 0.0, 0.0), back + side * VIEW.aside + math.pi, VIEW.pitch, light, 1.0)
    axes = camera.axes()
    seen = points @ axes.T
    high = math.tan(VIEW.field / 2) * VIEW.room
    place = np.zeros(3)
    for axis, slope in ((0, high * size[0] / size[1]), (1, high)):
        # The pyramid of vision that just holds all points: each pair of opposite sides touches one.
        above = float((seen[:, axis] - slope * seen[:, 2]).max())
        below = float((-seen[:, axis] - slope * seen[:, 2]).max())
        place[axis] = (above - below) / 2
        place[2] = min(place[2], -(above + below) / (2 * slope)) if axis else -(above + below) / (2 * slope)
    away = float(np.median(seen[:, 2])) - place[2]
    eye = place @ axes
    return replace(camera, eye=(float(eye[0]), float(eye[1]), float(eye[2])), grain=_grain(away))


def _heading(scene: Scene) -> float:
    boxes = scene.line.standing()
    return heading_of(boxes[scene.pushed], boxes[scene.push_order[-1]], scene.push_yaw)


def heading_of(first: Standing, last: Standing, push_yaw: float) -> float:
    """The way the fall goes on the whole: from the pushed end to the other, or as the push goes in rows that return."""
    if math.hypot(last.x - first.x, last.y - first.y) < first.height + last.height:
        return push_yaw
    return math.atan2(last.y - first.y, last.x - first.x)


def camera_path(scene: Scene, motion: Trajectory, times: Array, size: Size) -> list[Camera]:
    """A camera for every one of the times: one that stands still or, for rows too long for that, follows the fall."""
    whole = camera_for(scene, motion, size)
    height = float(np.median([box.height for box in scene.line.standing()]))
    standing, _turns = motion.at(0)
    if not is_tiny(whole, standing, height, size):
        return [whole] * len(times)
    leaning = np.flatnonzero(leans_of(motion.kept[:, 3:7]) > VIEW.min_lean)  # of all poses that are kept, in order
    tiles, first = np.unique(np.searchsorted(motion.begins, leaning, side="right") - 1, return_index=True)
    begun = motion.firsts[tiles] + leaning[first] - motion.begins[tiles]
    order = np.argsort(begun, kind="stable")
    followed, starts = (tiles[order], motion.times[begun[order]]) if len(order) else ([0], motion.times[:1])
    finely = np.arange(motion.times[0], motion.times[-1] + VIEW.smoothing, VIEW.smoothing / 10)
    front = np.stack([np.interp(finely, starts, standing[followed, axis]) for axis in (0, 1)])
    return following(whole, height, finely, front, times)


def is_tiny(camera: Camera, places: Array, height: float, size: Size) -> bool:
    """Whether tiles so high at these places (tiles, 3) are too small in the camera's picture to see them fall."""
    away = camera.project(places, size)[:, 2]
    return height / (2 * math.tan(VIEW.field / 2) * float(np.median(away))) < VIEW.min_tile


def following(whole: Camera, height: float, finely: Array, front: Array, times: Array) -> list[Camera]:
    """A camera for each of the times that goes along with a fall, looking as the whole row's camera does.

    The front of the fall is at `front` (2, n) at the moments `finely`, a tenth of the smoothing time apart.
    """
    bell = np.exp(-0.5 * (np.arange(-30, 31) / 10) ** 2)
    ways = [np.convolve(np.pad(way, 30, mode="edge"), bell / bell.sum(), mode="valid") for way in front]
    distance = VIEW.followed * height / math.tan(VIEW.field / 2)
    back = distance * whole.axes()[2]
    return [
        replace(
            whole,
            eye=(float(x - back[0]), float(y - back[1]), float(height / 2 - back[2])),
            grain=_grain(distance),
        )
        for x, y in zip(*(np.interp(times, finely, way) for way in ways), strict=True)
    ]


def _grain(away: float) -> float:
    """How large the wood's pattern is, m: about as large as the picture, so that it is neither coarse nor a shimmer."""
    return 2.2 * away * math.tan(VIEW.field / 2)
