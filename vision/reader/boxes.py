"""Many boxes at once: how tiles lie and stand, where their corners and edges are seen, and what hides what.

A pose is x, y (mm, middle of the foot), yaw and lean (rad). A leaning box is turned about the lower edge on the side
it leans to: towards its yaw where the lean is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from physics.tiles import TileSet

UPRIGHT, SIDE, FLAT = "upright", "side", "flat"
MIN_HIDING_DISTANCE = 0.3  # mm that something must be in front of a point to hide it

Array = npt.NDArray[Any]  # of either precision: the first search needs speed, the last fit all digits
Mask = npt.NDArray[np.bool_]

SIGNS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 1.0)])
# Faces: axis and sign; edges: their two corners and the two faces that meet there.
FACES = [(axis, sign) for axis in range(3) for sign in (0, 1)]


def _edges() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    ends, faces = [], []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for one in (0, 1):
            for two in (0, 1):
                low = [0, 0, 0]
                low[others[0]], low[others[1]] = one, two
                high = list(low)
                high[axis] = 1
                ends.append([4 * low[0] + 2 * low[1] + low[2], 4 * high[0] + 2 * high[1] + high[2]])
                faces.append([2 * others[0] + one, 2 * others[1] + two])
    return np.array(ends), np.array(faces)


EDGES, EDGE_FACES = _edges()
# Corners of each face, around it.
FACE_CORNERS = np.array([[k for k in range(8) if (k >> (2 - axis) & 1) == sign] for axis, sign in FACES])[
    :, [0, 1, 3, 2]
]
TOP_CORNERS = FACE_CORNERS[FACES.index((2, 1))]


def lengths_of(sizes: Array) -> Array:
    """How long each of the EDGES of boxes is, (n, 12) mm."""
    return np.repeat(sizes, 4, axis=1)


@dataclass(frozen=True, slots=True)
class Shape:
    """A tile in one stance: its box's extents in mm along its yaw, across it, and up."""

    value: int
    stance: str  # upright, side or flat
    depth: float
    breadth: float
    height: float

    @property
    def size(self) -> tuple[float, float, float]:
        """Depth, breadth and height."""
        return self.depth, self.breadth, self.height


def shapes_of(tile_set: TileSet, stances: tuple[str, ...] = (UPRIGHT, SIDE)) -> list[Shape]:
    """Every tile of the set in each of these stances."""
    found = []
    for tile in tile_set.tiles:
        width, thick, high = tile.width * 1e3, tile.thickness * 1e3, tile.height * 1e3
        sizes = {UPRIGHT: (thick, width, high), SIDE: (thick, high, width), FLAT: (width, high, thick)}
        found += [Shape(tile.value, stance, *sizes[stance]) for stance in stances]
    return found


def corners_of(poses: Array, sizes: Array) -> Array:
    """The corners (n, 8, 3) of boxes in these poses (n, 4) with these sizes (n, 3)."""
    x, y, yaw, lean = (poses[:, k, None] for k in range(4))
    depth, breadth, height = (sizes[:, k, None] for k in range(3))
    a, b, z = SIGNS[:, 0] * depth / 2, SIGNS[:, 1] * breadth / 2, SIGNS[:, 2] * height
    hinge = np.where(lean < 0, -depth / 2, depth / 2)
    cos, sin = np.cos(lean), np.sin(lean)
    along = hinge + (a - hinge) * cos + z * sin
    up = -(a - hinge) * sin + z * cos
    c, s = np.cos(yaw), np.sin(yaw)
    return np.stack([x + along * c - b * s, y + along * s + b * c, up], axis=-1)


def frames_of(poses: Array, sizes: Array) -> tuple[Array, Array]:
    """Each box's own axes as rows (n, 3, 3) and its centre (n, 3)."""
    yaw, lean = poses[:, 2], poses[:, 3]
    c, s, cl, sl = np.cos(yaw), np.sin(yaw), np.cos(lean), np.sin(lean)
    zero = np.zeros_like(c)
    axes = np.stack(
        [
            np.stack([c * cl, s * cl, -sl], axis=-1),
            np.stack([-s, c, zero], axis=-1),
            np.stack([c * sl, s * sl, cl], axis=-1),
        ],
        axis=1,
    )
    hinge = np.where(lean < 0, -sizes[:, 0], sizes[:, 0]) / 2
    along, up = hinge * (1 - cl) + sizes[:, 2] / 2 * sl, hinge * sl + sizes[:, 2] / 2 * cl
    return axes, np.stack([poses[:, 0] + along * c, poses[:, 1] + along * s, up], axis=-1)


def faces_seen(poses: Array, sizes: Array, eye: Array) -> Mask:
    """Which of the six FACES of each box face the camera, (n, 6)."""
    axes, centres = frames_of(poses, sizes)
    towards = np.einsum("nij,nj->ni", axes, eye - centres)
    seen = np.empty((len(poses), 6), bool)
    seen[:, 0::2] = towards < -sizes / 2
    seen[:, 1::2] = towards > sizes / 2
    return seen


def edges_seen(faces: Mask) -> tuple[Mask, Mask]:
    """For each of the EDGES whether it is seen at all, and whether it is part of the outline, (n, 12) each."""
    one, two = faces[:, EDGE_FACES[:, 0]], faces[:, EDGE_FACES[:, 1]]
    return one | two, one ^ two


def seen_at(matrix: Array, points: Array) -> Array:
    """Pixels (…, 2) of points (…, 3) by a 3 × 4 matrix."""
    # In one row: numpy multiplies stacks of small matrices slowly.
    seen = points.reshape(-1, 3) @ matrix[:, :3].T + matrix[:, 3]
    found: Array = (seen[:, :2] / seen[:, 2:]).reshape(*points.shape[:-1], 2)
    return found


def hidden(points: Array, eye: Array, pose: Array, size: Array) -> Mask:
    """Which of the points (…, 3) are hidden from the camera by that one box."""
    axes, centres = frames_of(pose[None], size[None])
    start = axes[0] @ (eye - centres[0])
    way = points @ axes[0].T - axes[0] @ centres[0] - start
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    first, second = (-size / 2 - start) / way, (size / 2 - start) / way
    enter = np.minimum(first, second).max(axis=-1)
    leave = np.maximum(first, second).min(axis=-1)
    length = np.linalg.norm(way, axis=-1)
    found: Mask = (enter < leave) & (enter < 1 - MIN_HIDING_DISTANCE / length) & (leave > 0)
    return found


def feet_overlap(poses: Array, sizes: Array, others: Array, other_sizes: Array, slack: float) -> Mask:
    """Whether footprints (seen from above, leaning ones as they lie) overlap others by more than a slack, (n, others).

    Two of them are apart when there is a gap along a side of one of them.
    """
    one, two = _feet(poses, sizes), _feet(others, other_sizes)
    apart = np.zeros((len(poses), len(others)), bool)
    x, y = two.x - one.x[:, None], two.y - one.y[:, None]
    cos = np.abs(one.cos[:, None] * two.cos + one.sin[:, None] * two.sin)
    sin = np.abs(one.cos[:, None] * two.sin - one.sin[:, None] * two.cos)
    for c, s, long, broad, other_long, other_broad in (
        (one.cos[:, None], one.sin[:, None], one.long[:, None], one.broad[:, None], two.long, two.broad),
        (two.cos, two.sin, two.long, two.broad, one.long[:, None], one.broad[:, None]),
    ):
        apart |= np.abs(x * c + y * s) - (long + other_long * cos + other_broad * sin) > -slack
        apart |= np.abs(y * c - x * s) - (broad + other_long * sin + other_broad * cos) > -slack
    return ~apart


@dataclass(frozen=True)
class _Feet:
    """Rectangles: their middles, the directions of their first sides, and half their sides."""

    x: Array
    y: Array
    cos: Array
    sin: Array
    long: Array
    broad: Array


def _feet(poses: Array, sizes: Array) -> _Feet:
    cos, sin, lean = np.cos(poses[:, 2]), np.sin(poses[:, 2]), np.abs(poses[:, 3])
    # From the lower edge that a leaning box is lifted off to the upper one on the side it leans to.
    long = (sizes[:, 0] * np.cos(lean) + sizes[:, 2] * np.sin(lean)) / 2
    middle = np.sign(poses[:, 3]) * (sizes[:, 0] / 2 + sizes[:, 2] * np.sin(lean) - long)
    return _Feet(poses[:, 0] + middle * cos, poses[:, 1] + middle * sin, cos, sin, long, sizes[:, 1] / 2)
