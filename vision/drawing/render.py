"""Pictures of tiles on a table at any moment, painted without a display: a lit view in perspective, with shadows."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from physics.line import Standing
from vision.drawing.film_camera import VIEW, Array, Camera, Size, Vector, corners_of, rotations
from vision.opencv import require_cv2
from vision.polygons import SUBPIXEL_BITS, fill_polygon, fixed_point

with contextlib.suppress(ImportError):  # said by require_cv2 when a picture is wanted
    import cv2


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How a moment is painted."""

    fine: int = 2  # pixels drawn for each one shown, in both directions
    sky: float = 0.56  # light from above, from below, and the lamp's, as shares of what shows a colour as it is
    ground: float = 0.44
    lamp: float = 0.70
    wood_side: int = 1024  # texels of the wood pattern
    shadow_side: int = 1024  # texels of the largest shadow map
    lit_side: int = 72  # texels at most for the light on a face
    level: int = 180  # of 255: light that shows a colour as it is


RENDERING = RenderSettings()


NEARER_BY = np.float32(1 + 1e-4)
INKED = (250, 244, 226)
FLOOR = (62, 51, 46)
PAINTS = ((233, 178, 66), (128, 160, 82), (38, 138, 132), (48, 104, 170), (110, 80, 156), (190, 60, 80), (226, 116, 60))

Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]

# For each face its normal and what is up on it, in the box's own directions: depth, breadth, height.
NORMALS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], dtype=float)
UPS = np.array([(0, 0, 1)] * 4 + [(1, 0, 0)] * 2, dtype=float)
RIGHTS = np.cross(UPS, NORMALS)
# Corners of each face seen from outside: top left, top right, bottom right, bottom left.
FACES = np.stack([NORMALS + UPS - RIGHTS, NORMALS + UPS + RIGHTS, NORMALS - UPS + RIGHTS, NORMALS - UPS - RIGHTS], 1)


def tile_colours(values: Sequence[int]) -> list[Colour]:
    """A paint for each tile: by its value, or along the row where all values are the same."""
    kinds = sorted(set(values))
    ranks = range(len(values)) if len(kinds) == 1 else [kinds.index(value) for value in values]
    shares = np.array(ranks) / max(1, max(ranks, default=0)) * (len(PAINTS) - 1)
    mixed = np.stack([np.interp(shares, np.arange(len(PAINTS)), channel) for channel in zip(*PAINTS, strict=True)], 1)
    return [(int(red), int(green), int(blue)) for red, green, blue in mixed.round()]


def render(
    boxes: Sequence[Standing],
    values: Sequence[int],
    places: Array,
    quaternions: Array,
    camera: Camera,
    size: Size,
    table: tuple[float, float] | None = None,
    colours: Sequence[Colour] | None = None,
) -> Image:
    """One moment as a picture (height, width, 3), RGB. MissingError without OpenCV.

    The boxes give the sizes, `places` (tiles, 3) and `quaternions` (tiles, 4) where they are; `table` is the table's
    size (m), None for one without an edge; `colours` are the tiles', None for those of `tile_colours`.
    """
    require_cv2()
    ground, depth = _empty_table(camera, size, table)
    all_corners = corners_of(boxes, places, quaternions)
    seen = camera.project(all_corners, size)
    room = 0.5 * max(size)  # shadows reach into the picture from a little outside
    kept = np.all(seen >= [-room, -room, 1e-3], axis=2) & np.all(seen[..., :2] <= np.add(size, room), axis=2)
    near = np.any(kept, axis=1) & np.all(seen[..., 2] > 1e-3, axis=1)
    drawn = np.flatnonzero(near)
    picture = ground.copy()
    if not len(drawn):
        return picture
    _shade_table(picture, all_corners[drawn], camera)
    # Only where tiles are seen is the picture drawn finely.
    low = np.clip(np.floor(seen[drawn, :, :2].min(axis=(0, 1))).astype(int) - 1, 0, np.subtract(size, 1))
    high = np.clip(np.ceil(seen[drawn, :, :2].max(axis=(0, 1))).astype(int) + 1, low + 1, size)
    where = slice(low[1], high[1]), slice(low[0], high[0])
    fine = RENDERING.fine
    canvas = cv2.resize(picture[where], None, fx=fine, fy=fine, interpolation=cv2.INTER_NEAREST)
    buffer = np.zeros(canvas.shape[:2], np.float32)
    if depth is not None:
        buffer[:] = depth[low[1] * fine : high[1] * fine, low[0] * fine : high[0] * fine]
    halves = np.array([(box.depth, box.breadth, box.height) for box in boxes]) / 2
    turns = rotations(quaternions)
    faces = places[:, None, None] + np.einsum("tij,tfcj->tfci", turns, FACES * halves[:, None, None])
    normals = np.einsum("tij,fj->tfi", turns, NORMALS)
    lamp = _Lamp(camera.light, faces[drawn], normals[drawn])
    shown = camera.project(faces, size)
    shown[..., :2] = (shown[..., :2] - low) * fine - 0.5
    towards = np.einsum("tfi,tfi->tf", np.asarray(camera.eye) - faces.mean(axis=2), normals)
    colours = tile_colours(values) if colours is None else colours
    owner = np.zeros(buffer.shape, np.uint16)  # by which tile a pixel is painted, counted from 1
    unit = float(np.median(halves[drawn, 2]))
    for tile in drawn.tolist():
        for face in sorted(np.flatnonzero(towards[tile] > 0), key=lambda face: -towards[tile, face]):
            spot = shown[tile, face]
            found = _covered(spot[:, :2], 1 / spot[:, 2], buffer.shape)
            if found is None:
                continue
            part, inside, nearness = found
            inside &= np.asarray(cv2.compare(nearness, buffer[part] * NEARER_BY, cv2.CMP_GT), np.uint8)
            # Faces of one box never hide each other; left to rounding, their common edge would be a row of dots.
            inside *= owner[part] != tile + 1
            if not inside.any():
                continue
            value = values[tile] if face < 2 else None
            skin = _skin(value, colours[tile], *_texels(spot[:, :2], halves[tile], int(face)))
            skin = _lit(skin, faces[tile, face], normals[tile, face], lamp, unit)
            corners = (spot[:, :2] - (part[1].start, part[0].start)).astype(np.float32)
            painted = cv2.warpPerspective(
                skin,
                cv2.getPerspectiveTransform(_rectangle(skin), corners),
                inside.shape[::-1],
                flags=cv2.INTER_NEAREST,  # the mean of the fine pixels smooths enough
                borderMode=cv2.BORDER_REPLICATE,
            )
            cv2.copyTo(painted, inside, canvas[part])
            cv2.copyTo(nearness, inside, buffer[part])
            np.copyto(owner[part], np.uint16(tile + 1), where=inside > 0)
    picture[where] = cv2.resize(canvas, None, fx=1 / fine, fy=1 / fine, interpolation=cv2.INTER_AREA)
    return picture


def _covered(corners: Array, values: Array, shape: tuple[int, ...]) -> tuple[tuple[slice, slice], Image, Floats] | None:
    """The part of an image a quadrilateral lies in, a mask of what it covers, and a value linear over it; or None."""
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, shape[1::-1])
    along, across = corners[1] - corners[0], corners[3] - corners[0]
    area = float(along[0] * across[1] - along[1] * across[0])
    if (high <= low).any() or abs(area) < 0.5:
        return None
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    fill_polygon(mask, corners - low, 255)
    first, second = values[1] - values[0], values[3] - values[0]
    by_x = (first * across[1] - second * along[1]) / area
    by_y = (second * along[0] - first * across[0]) / area
    xs = (values[0] + by_x * (np.arange(low[0], high[0]) - corners[0, 0])).astype(np.float32)
    ys = (by_y * (np.arange(low[1], high[1]) - corners[0, 1])).astype(np.float32)
    return (slice(low[1], high[1]), slice(low[0], high[0])), mask, xs[None, :] + ys[:, None]


class _Lamp:
    """How far the lamp's light comes: for every ray the place nearest to the lamp that it meets."""

    def __init__(self, light: Vector, faces: Array, normals: Array) -> None:
        self.light = np.asarray(light)
        aside = np.cross(self.light, (0.0, 0.0, 1.0))
        aside /= np.linalg.norm(aside)
        axes = np.stack([aside, np.cross(self.light, aside), self.light])
        seen = faces @ axes.T
        self._low = seen[..., :2].min(axis=(0, 1, 2))
        span = seen[..., :2].max(axis=(0, 1, 2)) - self._low
        self.texel = float(span.max()) / (RENDERING.shadow_side - 8)
        self._axes = axes
        self._nearest = np.full((int(span[1] / self.texel) + 8, int(span[0] / self.texel) + 8), -1e9, np.float32)
        for tile, face in np.argwhere(normals @ self.light > 0):
            spot = self.coordinates(faces[tile, face])
            found = _covered(spot[:, :2], spot[:, 2], self._nearest.shape)
            if found is not None:
                part, inside, height = found
                higher = cv2.compare(height, self._nearest[part], cv2.CMP_GT)
                cv2.copyTo(height, cv2.bitwise_and(inside, higher), self._nearest[part])

    def coordinates(self, points: Array) -> Array:
        """Texels of the map in x and y, and how far towards the lamp (m)."""
        seen: Array = points @ self._axes.T
        seen[..., :2] = (seen[..., :2] - self._low) / self.texel + 4
        return seen

    def reaches(self, corners: Array, normal: Array, shape: tuple[int, int]) -> Floats:
        """What share of the light comes to each texel of a face."""
        spot = self.coordinates(corners)
        high, wide = shape
        across, down = (spot[1] - spot[0]) / wide, (spot[3] - spot[0]) / high
        start = spot[0] + (across + down) / 2
        to_map = np.column_stack([across[:2], down[:2], start[:2]])
        nearest = cv2.warpAffine(
            self._nearest,
            to_map,
            (wide, high),
            flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=-1e9,
        )
        own = start[2] + across[2] * np.arange(wide)[None, :] + down[2] * np.arange(high)[:, None]
        facing = max(0.05, float(normal @ self.light))
        slack = self.texel * (1.5 + 1.5 * math.sqrt(1 - min(1.0, facing) ** 2) / facing)
        free = (nearest < own + slack).astype(np.float32)
        blur = max(0.6, 0.04 * max(shape))
        return np.asarray(cv2.GaussianBlur(free, (0, 0), blur, borderType=cv2.BORDER_REPLICATE), np.float32)


def _lit(skin: Image, corners: Array, normal: Array, lamp: _Lamp, unit: float) -> Image:
    """A face's picture in the light that falls on it; near the table less of it comes."""
    coarse = min(1.0, RENDERING.lit_side / max(skin.shape))  # light changes slowly, so it is worked out on few places
    high, wide = max(2, round(skin.shape[0] * coarse)), max(2, round(skin.shape[1] * coarse))
    heights = corners[0, 2] + np.linspace(0, 1, wide)[None, :] * (corners[1, 2] - corners[0, 2])
    heights = heights + np.linspace(0, 1, high)[:, None] * (corners[3, 2] - corners[0, 2])
    open_sky = 1 - 0.38 * np.exp(-np.maximum(heights, 0) / (0.35 * unit))
    up = (1 + float(normal[2])) / 2
    light = (RENDERING.sky * up + RENDERING.ground * (1 - up)) * open_sky
    facing = float(normal @ lamp.light)
    if facing > 0:
        light = light + RENDERING.lamp * facing * lamp.reaches(corners, normal, (high, wide))
    levels = np.asarray(np.minimum(255, light * RENDERING.level), np.uint8)
    levels = np.asarray(cv2.resize(levels, skin.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(cv2.multiply(skin, cv2.merge([levels] * 3), scale=1 / RENDERING.level), np.uint8)


def _shade_table(picture: Image, corners: Array, camera: Camera) -> None:
    """Darkens the table in a picture where tiles keep light from it: the lamp is wide, and the sky is wider."""
    azimuth = math.atan2(camera.light[1], camera.light[0])
    # Which way light comes, how far it goes to the side on its way down, and how much of the darkness is its lack.
    slant = 1 / math.tan(VIEW.light_up)
    rays = [(azimuth + 0.13 * math.cos(k), slant * (1 + 0.13 * math.sin(k)), 17) for k in np.arange(8) * math.tau / 8]
    rays += [(azimuth + k * math.tau / 6, 0.7, 10) for k in range(6)] + [(azimuth + 2, 0.2, 14), (azimuth - 2, 0.2, 14)]
    ways = np.array([(math.cos(angle) * slope, math.sin(angle) * slope) for angle, slope, _ in rays])
    above = corners[corners[..., 2].max(axis=1) > 0]
    if not len(above):
        return
    feet = above[None, ..., :2] - ways[:, None, None] * np.maximum(above[None, ..., 2:], 0.0)
    low, high = feet.min(axis=(0, 1, 2)), feet.max(axis=(0, 1, 2))
    texel = float((high - low).max()) / (RENDERING.shadow_side - 16)
    spots = fixed_point((feet - low) / texel + 8)
    wide, tall = ((high - low) / texel + 17).astype(int)
    dark, one = np.zeros((tall, wide), np.uint8), np.empty((tall, wide), np.uint8)
    for (_angle, _slope, weight), layer in zip(rays, spots, strict=True):
        one.fill(0)
        for spot in layer:
            cv2.fillConvexPoly(one, cv2.convexHull(spot), weight, shift=SUBPIXEL_BITS)
        cv2.add(dark, one, dst=dark)
    dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), 3.0), np.uint8)
    size = picture.shape[1], picture.shape[0]
    rim = np.array([(x, y, 0.0) for x in (low[0], high[0]) for y in (low[1], high[1])])
    seen = camera.project(rim, size)
    first, end = np.zeros(2, int), np.array(size)
    if (seen[:, 2] > 0).all():
        first = np.clip(seen[:, :2].min(axis=0).astype(int) - 4, 0, end - 1)
        end = np.clip(seen[:, :2].max(axis=0).astype(int) + 4, first + 1, end)
    to_table = np.array([[texel, 0, low[0] - 8 * texel], [0, texel, low[1] - 8 * texel], [0, 0, 1]])
    to_part = np.array([[1, 0, -0.5 - first[0]], [0, 1, -0.5 - first[1]], [0, 0, 1]])
    to_picture = to_part @ camera.table_to_picture(size) @ to_table
    dark = np.asarray(cv2.warpPerspective(dark, to_picture, (end - first).tolist(), flags=cv2.INTER_LINEAR), np.uint8)
    # A shadow is a little blue beside the warm light.
    shares = np.arange(256)[:, None] / 255 * np.array([0.76, 0.73, 0.68])
    dimmed = cv2.LUT(cv2.merge([dark] * 3), np.round(255 * (1 - shares)).astype(np.uint8)[:, None])
    part = picture[first[1] : end[1], first[0] : end[0]]
    part[:] = cv2.multiply(part, dimmed, scale=1 / 255)


def _texels(spot: Array, halves: Array, face: int) -> Size:
    """How large to paint a face before it is turned into the picture: about as large as it appears there."""
    wide = max(math.dist(spot[0], spot[1]), math.dist(spot[3], spot[2]))
    high = max(math.dist(spot[0], spot[3]), math.dist(spot[1], spot[2]))
    width, height = np.abs(RIGHTS[face]) @ halves, np.abs(UPS[face]) @ halves
    # Steps of a quarter octave, so that few pictures of a face are needed while it falls.
    scale = 0.7 * max(wide / width, high / height)
    scale = 2 ** (math.ceil(4 * math.log2(scale)) / 4)
    return max(4, min(1024, round(width * scale))), max(4, min(1024, round(height * scale)))


def _rectangle(skin: Image) -> Floats:
    high, wide = skin.shape[:2]
    return np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32) - np.float32(0.5)


@lru_cache(maxsize=2048)
def _skin(value: int | None, colour: Colour, wide: int, high: int) -> Image:
    """A painted face with worn edges and, on the broad ones, its value."""
    rim = 0.05 * min(wide, high) if value is not None else 0.12 * min(wide, high)
    xs, ys = np.arange(wide) + 0.5, np.arange(high) + 0.5
    edge = np.minimum(np.minimum(xs, wide - xs)[None, :], np.minimum(ys, high - ys)[:, None])
    worn = np.exp(-((edge / max(rim, 0.8)) ** 2))[..., None]
    skin = np.array(colour) * (1 - 0.30 * worn) + 0.30 * worn * 255
    if value is not None:
        ink = _letters(str(value), wide, high)
        shade = np.asarray(np.roll(ink, max(1, round(0.012 * high)), axis=0), np.float64)
        skin = skin * (1 - 0.45 * shade[..., None])
        skin = skin * (1 - ink[..., None]) + np.array(INKED) * ink[..., None]
    return np.asarray(np.clip(skin, 0, 255), np.uint8)


def _letters(text: str, wide: int, high: int) -> Floats:
    """How much of each pixel of a face a number covers, 0 to 1: as large as there is room, in the upper half."""
    font, size = cv2.FontFace("sans"), 160
    sheet = np.zeros((2 * size, size * (len(text) + 1)), np.uint8)
    cv2.putText(sheet, text, (size // 4, 3 * size // 2), (255, 255, 255), font, size, weight=700)
    rows, columns = np.flatnonzero(sheet.any(axis=1)), np.flatnonzero(sheet.any(axis=0))
    number = sheet[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = min(0.68 * wide / number.shape[1], min(0.62 * high, 0.72 * wide) / number.shape[0])
    shape = max(1, round(number.shape[1] * scale)), max(1, round(number.shape[0] * scale))
    number = np.asarray(cv2.resize(number, shape, interpolation=cv2.INTER_AREA), np.uint8)
    ink = np.zeros((high, wide), np.float32)
    left = (wide - shape[0]) // 2
    top = min((high - shape[1]) // 2, max(round(0.16 * wide), 1))
    ink[top : top + shape[1], left : left + shape[0]] = number / 255
    return ink


@lru_cache(maxsize=2)
def _empty_table(camera: Camera, size: Size, table: tuple[float, float] | None) -> tuple[Image, Floats | None]:
    """The table without tiles, and how near it is in the fine picture where it has edges to fall from."""
    x, y, hit = _table_places(camera, size, 0.0)
    # No finer than the picture can show, or the grain would shimmer.
    side = 2 ** min(10, max(6, math.floor(math.log2(1.1 * size[1]))))
    wood = cv2.resize(_wood(), (side, side), interpolation=cv2.INTER_AREA)
    across, down = (np.asarray(np.mod(place / camera.grain, 1.0) * side, np.float32) for place in (x, y))
    picture = cv2.remap(wood, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP).astype(np.float32)
    depth = None
    if table is not None:
        top = hit & (np.abs(x) <= table[0] / 2) & (np.abs(y) <= table[1] / 2)
        x, y, hit = _table_places(camera, size, -0.03 * max(table))
        rim = ~top & hit & (np.abs(x) <= table[0] / 2) & (np.abs(y) <= table[1] / 2)
        picture[rim] *= 0.5
        picture[~top & ~rim] = FLOOR
        fine = (size[0] * RENDERING.fine, size[1] * RENDERING.fine)
        nearness = np.linalg.inv(camera.table_to_picture(fine))[2]  # per pixel: 1 / distance
        rows, columns = np.indices(fine[::-1]) + 0.5
        depth = np.asarray(nearness[0] * columns + nearness[1] * rows + nearness[2], np.float32)
        covered = cv2.resize((top | rim).astype(np.uint8), fine, interpolation=cv2.INTER_NEAREST)
        depth[covered == 0] = 0.0
        depth *= np.float32(0.998)  # what lies on the table is seen
    rows, columns = np.indices(size[::-1])
    off_centre = ((columns / size[0] - 0.45) ** 2 + (rows / size[1] - 0.5) ** 2)[..., None]
    picture = picture * (1.07 - 0.62 * off_centre)
    return np.asarray(np.clip(picture, 0, 255), np.uint8), depth


def _table_places(camera: Camera, size: Size, height: float) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """For each pixel the x and y of a level plane seen there, m, and whether it is seen at all."""
    back = np.linalg.inv(camera.table_to_picture(size, height))
    rows, columns = np.indices(size[::-1]) + 0.5
    x, y, w = (back[k, 0] * columns + back[k, 1] * rows + back[k, 2] for k in range(3))
    hit = w > 1e-9
    w = np.where(hit, w, 1e-9)
    return x / w, y / w, hit


@lru_cache(maxsize=1)
def _wood() -> Image:
    """A square of boards that can be laid side by side with itself."""
    rng = np.random.default_rng(7)
    side = RENDERING.wood_side

    def noise(along: float, across: float) -> Array:
        """Smooth noise of mean 0 and deviation 1 that wraps around, stretched to those lengths in texels."""
        waves = [np.fft.fftfreq(side)[:, None] * across, np.fft.fftfreq(side)[None, :] * along]
        spectrum = np.fft.fft2(rng.standard_normal((side, side))) * np.exp(
            -2 * np.pi**2 * (waves[0] ** 2 + waves[1] ** 2)
        )
        found = np.fft.ifft2(spectrum).real
        return np.asarray(found / found.std())

    boards = 6
    rows = np.arange(side)[:, None]
    board = rows * boards // side
    # Each board is cut from another part of the tree.
    rings = noise(260, 26)
    rings = np.concatenate([np.roll(part, 170 * k, axis=1) for k, part in enumerate(np.split(rings, 4))])
    grain = np.sin(rings * 5.0 + rows * math.tau * 24 / side)
    fibre = noise(60, 1.2)
    tone = rng.uniform(-1, 1, boards)[board]
    bright = 1 + 0.035 * grain + 0.022 * fibre + 0.035 * tone + 0.03 * noise(300, 120)
    to_seam = np.abs((rows * boards / side + 0.5) % 1 - 0.5) * side / boards
    bright = bright * (1 - 0.36 * np.exp(-((to_seam / 2.4) ** 2)))
    colour = np.array([205.0, 158.0, 110.0]) + (grain * 0.5 + tone)[..., None] * np.array([-2.0, -4.0, -5.0])
    return np.asarray(np.clip(colour * bright[..., None], 0, 255), np.uint8)
