"""How light falls on drawn things: lamps of some size, the sky around, shadows on the table and on tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.drawing.appearance import Appearance
from vision.drawing.blocks import Block, Hand
from vision.drawing.film_camera import SIGNS
from vision.polygons import SUBPIXEL_BITS, fixed_point


@dataclass(frozen=True, slots=True)
class LightSampling:
    """How finely light and shadows are worked out."""

    reach: float = 800.0  # mm of table around the middle that is lit
    ground: float = 1.0  # mm per texel of the table and of its shadows
    rays: int = 14  # points of a lamp from which shadows are cast
    face_rays: int = 6  # likewise for shadows on tiles
    slants: int = 12  # directions from which the surroundings shine


LIGHT_SAMPLING = LightSampling()


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


def _lamp_points(place: Sequence[float], size: float, count: int) -> Array:
    """Points spread over a lamp that faces the table."""
    k = np.arange(count)
    radius, angle = np.sqrt((k + 0.5) / count) * size / 2, k * 2.399963
    found: Array = np.array(place) + np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count)])
    return found


def _arriving(points: Array, normal: Array, appearance: Appearance) -> list[Array]:
    """For each lamp the light on a surface at these points (…, 3), before shadows: (…, 3)."""
    found = []
    for lamp in appearance.lamps:
        way = np.array(lamp.place) - points
        far = np.linalg.norm(way, axis=-1)
        straight = float(np.linalg.norm(lamp.place))
        strength = np.maximum(0.0, way @ normal / far) * (straight / far) ** 2
        found.append(strength[..., None] * np.array(lamp.light))
    return found


def _shade(points: Array, corners: Sequence[Array], plane: tuple[Array, Array, Array], size: tuple[int, int]) -> Floats:
    """How much of a lamp's points is hidden at each texel of a plane: origin, and its texel steps across and down."""
    origin, across, down = plane
    normal = np.cross(across, down)
    normal = normal / np.linalg.norm(normal)
    basis = np.linalg.pinv(np.column_stack([across, down]))
    dark = np.zeros((size[1], size[0]), np.uint16)
    one = np.empty(dark.shape, np.uint8)
    for point in points:
        above = (point - origin) @ normal
        one.fill(0)
        for block in corners:
            heights = (block - origin) @ normal
            if abs(above) < 1e-6 or (heights * np.sign(above)).max() < 0.05:
                continue
            lifted = np.clip(heights * np.sign(above), 0.0, 0.97 * abs(above)) * np.sign(above)
            moved = block + (lifted - heights)[:, None] * normal
            share = lifted / (above - lifted)
            feet = moved + share[:, None] * (moved - point)
            spots = (feet - origin) @ basis.T
            hull = cv2.convexHull(fixed_point(np.clip(spots, -4000, 8000)))
            cv2.fillConvexPoly(one, hull, 1, shift=SUBPIXEL_BITS)
        dark += one
    return np.asarray(dark / np.float32(len(points)), np.float32)


def ground_light(blocks: Sequence[Block], hands: Sequence[Hand], appearance: Appearance) -> Floats:
    """The light on the table by texel, (n, n, 3)."""
    reach, texel = LIGHT_SAMPLING.reach, LIGHT_SAMPLING.ground
    side = int(2 * reach / texel)
    coarse = np.linspace(-reach, reach, 41)
    x, y = np.meshgrid(coarse, coarse[::-1])
    points = np.stack([x, y, np.zeros_like(x)], axis=-1)
    plane = (np.array([-reach, reach, 0.0]), np.array([texel, 0, 0]), np.array([0, -texel, 0.0]))
    corners = [block.corners for block in blocks]
    for hand in hands:
        tip, elbow = np.array(hand.tip), np.array(hand.elbow)
        corners.append(np.concatenate([p + SIGNS * hand.thick / 2 for p in (tip, elbow)]))
    total = np.empty((side, side, 3), np.float32)
    total[:] = appearance.ambient
    sky: Floats = np.zeros((side, side), np.float32)
    for around in np.arange(LIGHT_SAMPLING.slants) * math.tau / LIGHT_SAMPLING.slants:
        for up, weight in ((25, 0.35), (55, 0.65)):
            far = 5e4
            point = far * np.array(
                [
                    math.cos(math.radians(up)) * math.cos(around),
                    math.cos(math.radians(up)) * math.sin(around),
                    math.sin(math.radians(up)),
                ]
            )
            sky += np.float32(weight) * _shade(point[None], corners, plane, (side, side))
    sky = np.asarray(cv2.GaussianBlur(sky, (0, 0), 2.5), np.float32) / np.float32(LIGHT_SAMPLING.slants)
    total *= (1 - np.float32(0.85) * sky)[..., None]
    for lamp, arriving in zip(appearance.lamps, _arriving(points, np.array([0, 0, 1.0]), appearance), strict=True):
        shade = _shade(_lamp_points(lamp.place, lamp.size, LIGHT_SAMPLING.rays), corners, plane, (side, side))
        # As wide as the steps between the lamp's points are for something as high as a tile.
        blur = max(0.4, 0.12 * lamp.size / float(np.linalg.norm(lamp.place)) * 40 / texel)
        shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), blur), np.float32)
        smooth = cv2.resize(arriving.astype(np.float32), (side, side), interpolation=cv2.INTER_CUBIC)
        total += smooth * (1 - shade)[..., None]
    return total


def face_light(
    quad: Array, normal: Array, texels: tuple[int, int], blocks: Sequence[Block], index: int, appearance: Appearance
) -> Array:
    """The light on a rectangle of a block, per texel, (high, wide, 3)."""
    wide, high = texels
    u, v = np.meshgrid((np.arange(wide) + 0.5) / wide, (np.arange(high) + 0.5) / high)
    points = quad[0] + u[..., None] * (quad[1] - quad[0]) + v[..., None] * (quad[3] - quad[0])
    # The mat below throws light back on what looks sideways; near the foot less of the sky arrives.
    bounce = 0.30 * (1 - normal[2]) * (0.6 + 0.4 * np.exp(-np.maximum(points[..., 2], 0) / 25))
    sky = (0.5 + 0.5 * normal[2]) * (0.75 + 0.25 * (1 - np.exp(-np.maximum(points[..., 2], 0) / 15)))
    light = (sky + bounce)[..., None] * np.array(appearance.ambient)
    plane = (quad[0] + normal * 0.05, (quad[1] - quad[0]) / wide, (quad[3] - quad[0]) / high)
    near = [
        other.corners
        for number, other in enumerate(blocks)
        if number != index and math.dist(other.centre, quad.mean(axis=0)) < 160
    ]
    for lamp, arriving in zip(appearance.lamps, _arriving(points, normal, appearance), strict=True):
        light = light + 0.25 * (1 - normal[2]) * np.array(lamp.light) * 0.35
        if arriving.max() <= 0:
            continue
        if near:
            shade = _shade(_lamp_points(lamp.place, lamp.size, LIGHT_SAMPLING.face_rays), near, plane, texels)
            arriving = arriving * (1 - cv2.GaussianBlur(shade, (0, 0), 1.0))[..., None]
        light = light + arriving
    return np.asarray(light)
