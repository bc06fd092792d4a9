"""Pictures as a table camera takes them: any boxes on the mat through any lens, lit, shadowed, blurred and noisy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.stickers import HALVES, sticker
from vision.camera.pose import Sight
from vision.drawing.appearance import Appearance
from vision.drawing.blocks import Block, Hand
from vision.drawing.lighting import LIGHT_SAMPLING, face_light, ground_light
from vision.drawing.patterns import SHEET_TEXEL, cloth, printed, wood
from vision.polygons import fill_polygon


@dataclass(frozen=True, slots=True)
class Drawing:
    """How finely pictures are drawn."""

    fine: int = 2  # pixels drawn for each one shown, in both directions
    paper: float = 0.05  # mm that a sticker is thick
    margin: float = 0.08  # of the picture, drawn around it where the lens bends


DRAWING = Drawing()


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]

# Faces of a box by the signs of their corners, in the order of a box's axes: normal axis, its sign.
FACES = tuple((axis, sign) for axis in range(3) for sign in (-1.0, 1.0))


@dataclass(frozen=True)
class Shot:
    """A picture (height, width, 3; RGB) and how much of each block can be seen in it."""

    image: Image
    seen: tuple[float, ...]


def photograph(
    blocks: Sequence[Block],
    sight: Sight,
    appearance: Appearance,
    seed: int,
    hands: Sequence[Hand] = (),
    mat: Mat | None = MAT,
    tags: Sequence[int | None] = (),
) -> Shot:
    """The picture of these blocks; the same seed gives the same picture. No mat: the bare table.

    `tags` are the values on the stickers on the blocks' tops, block by block; None, or no more of them: no sticker.
    """
    rng = np.random.default_rng(seed)
    lens, fine = sight.lens, DRAWING.fine
    pad = (round(lens.width * DRAWING.margin), round(lens.height * DRAWING.margin)) if lens.is_distorted else (0, 0)
    wide, high = (lens.width + 2 * pad[0]) * fine, (lens.height + 2 * pad[1]) * fine
    shift = np.array([[fine, 0, fine * (pad[0] + 0.5) - 0.5], [0, fine, fine * (pad[1] + 0.5) - 0.5], [0, 0, 1.0]])
    matrix = shift @ sight.matrix
    ground = np.column_stack([matrix[:, 0], matrix[:, 1], matrix[:, 3]])
    light = ground_light(blocks, hands, appearance)
    canvas = _Canvas(
        light=_ground(ground, light, appearance, mat, (wide, high), rng),
        nearness=np.zeros((high, wide), np.float32),
        owner=np.full((high, wide), -1, np.int16),
        blocks=blocks,
        eye=sight.eye,
        matrix=matrix,
        appearance=appearance,
    )
    for index in range(len(blocks)):
        for axis, sign in FACES:
            canvas.paint_face(index, axis, sign, rng)
        if index < len(tags) and (tag := tags[index]) is not None:
            canvas.paint_sticker(index, tag)
    for hand in hands:
        canvas.paint_hand(hand)
    shares = canvas.shares_seen()
    cv2.GaussianBlur(canvas.light, (0, 0), appearance.blur * fine, dst=canvas.light)
    final = _through_lens(canvas.light, sight, pad)
    return Shot(developed(final, appearance, rng), shares)


def _through_lens(picture: Floats, sight: Sight, pad: tuple[int, int]) -> Floats:
    lens = sight.lens
    if not lens.is_distorted:
        return np.asarray(cv2.resize(picture, (lens.width, lens.height), interpolation=cv2.INTER_AREA), np.float32)
    step = 8
    columns, rows = np.arange(0, lens.width + step, step), np.arange(0, lens.height + step, step)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).astype(float)
    bare = cv2.undistortPoints(grid.reshape(-1, 1, 2), lens.matrix, np.array(lens.dist), P=lens.matrix)
    bare = DRAWING.fine * (bare.reshape(*grid.shape) + pad + 0.5) - 0.5
    across, down = (
        _stretched(np.asarray(bare[..., k], np.float32), step)[: lens.height, : lens.width] for k in range(2)
    )
    return np.asarray(cv2.remap(picture, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _stretched(coarse: Floats, step: int) -> Floats:
    """Linear between the given points, which stay where they are."""
    rows = np.arange((coarse.shape[0] - 1) * step + 1, dtype=np.float32) / step
    columns = np.arange((coarse.shape[1] - 1) * step + 1, dtype=np.float32) / step
    across, down = np.meshgrid(columns, rows)
    return np.asarray(cv2.remap(coarse, across, down, cv2.INTER_LINEAR), np.float32)


def developed(linear: Floats, appearance: Appearance, rng: np.random.Generator) -> Image:
    """Exposure, vignette, tone curve, noise and JPEG."""
    high, wide = linear.shape[:2]
    rows, columns = np.ogrid[-1 : 1 : high * 1j, -1 : 1 : wide * 1j]
    gain = appearance.exposure * (1 - appearance.vignette * (rows**2 + columns**2) / 2)
    levels = np.clip(linear * gain[..., None].astype(np.float32), 0, 1)
    table = np.arange(4096) / 4095.0
    curve = np.where(table < 0.0031308, 12.92 * table, 1.055 * table ** (1 / 2.4) - 0.055) * 255
    shown = curve.astype(np.float32)[(levels * 4095).astype(np.int32)]
    if appearance.noise:
        noise = np.empty(shown.shape, np.float32)
        cv2.setRNGSeed(int(rng.integers(2**31)))
        cv2.randn(noise, np.zeros(3), np.full(3, appearance.noise))
        shown = shown + noise
    image = np.asarray(np.clip(np.round(shown), 0, 255), np.uint8)
    _, packed = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, appearance.quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR_RGB), np.uint8)


def _ground(
    to_picture: Array,
    light: Floats,
    appearance: Appearance,
    mat: Mat | None,
    size: tuple[int, int],
    rng: np.random.Generator,
) -> Floats:
    """Table, clutter and mat, lit."""
    side = light.shape[0]
    reach, texel = LIGHT_SAMPLING.reach, LIGHT_SAMPLING.ground
    texels = np.array([[texel, 0, -reach + texel / 2], [0, -texel, reach - texel / 2], [0, 0, 1.0]])
    turn = int(rng.integers(4))
    pattern = np.rot90(cloth(int(rng.integers(4))) if appearance.cloth else wood(int(rng.integers(4))), turn)
    spread = cv2.resize(np.ascontiguousarray(pattern), (side, side), interpolation=cv2.INTER_LINEAR)
    table = np.clip(1 + appearance.grain * spread, 0.2, 2)[..., None] * np.array(appearance.table, np.float32)
    table = np.asarray(table, np.float32)
    for _ in range(appearance.clutter):
        _clutter(table, rng)
    lit = table * light
    picture = cv2.warpPerspective(lit, to_picture @ texels, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    if mat is None:
        return np.asarray(picture, np.float32)
    sheet = printed(mat)
    high, wide = sheet.shape
    ink = np.array(appearance.paper, np.float32) * appearance.ink
    paper = ink + (sheet / np.float32(255))[..., None] * (np.array(appearance.paper, np.float32) - ink)
    first_x, first_y = -mat.size[0] / 2 + SHEET_TEXEL / 2, mat.size[1] / 2 - SHEET_TEXEL / 2
    sheet_texels = np.array([[SHEET_TEXEL, 0, first_x], [0, -SHEET_TEXEL, first_y], [0, 0, 1.0]])
    to_ground = np.linalg.inv(texels) @ sheet_texels
    corner = to_ground @ np.array([[0, wide], [0, high], [1, 1.0]])
    (left, right), (top, bottom) = ([int(one) for one in corner[k]] for k in range(2))
    shine = light[top - 2 : bottom + 3, left - 2 : right + 3]
    move = np.array([[1, 0, 2 - left], [0, 1, 2 - top]]) @ to_ground
    paper *= cv2.warpAffine(shine, np.asarray(move), (wide, high), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    part = cv2.warpPerspective(
        paper, to_picture @ sheet_texels, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    rim = np.array([(a * mat.size[0] / 2, b * mat.size[1] / 2, 1) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    spots = rim @ to_picture.T
    mask = np.zeros((size[1], size[0]), np.uint8)
    fill_polygon(mask, spots[:, :2] / spots[:, 2:], 1)
    cv2.copyTo(part, mask, picture)
    return np.asarray(picture, np.float32)


def _clutter(table: Floats, rng: np.random.Generator) -> None:
    """Something flat on the table, outside the mat: a pen, a card, a coaster."""
    for _ in range(20):
        x, y = rng.uniform(-420, 420, 2)
        radius = rng.uniform(15, 60)
        if abs(x) < 220 + radius and abs(y) < 160 + radius:
            continue
        colour = tuple(float(c) for c in rng.uniform(0.02, 0.7, 3))
        reach, texel = LIGHT_SAMPLING.reach, LIGHT_SAMPLING.ground
        spot = ((x + reach) / texel, (reach - y) / texel)
        if rng.random() < 0.4:
            cv2.circle(table, (int(spot[0]), int(spot[1])), int(radius / 2), colour, -1, cv2.LINE_AA)
        else:
            box = cv2.boxPoints((spot, (2 * radius, radius * float(rng.uniform(0.1, 0.9))), float(rng.uniform(0, 180))))
            cv2.fillConvexPoly(table, np.round(box).astype(np.int32), colour, cv2.LINE_AA)
        return


@dataclass(frozen=True)
class _Canvas:
    """A picture while things are painted on it, finely and in linear light."""

    light: Floats  # (height, width, 3)
    nearness: Floats  # (height, width) the inverse of how far away what is painted there is, 0 for the table
    owner: npt.NDArray[np.int16]  # (height, width) index of the block that is painted there, -1 table, -2 a hand
    blocks: Sequence[Block]
    eye: Array  # where the camera is, mm
    matrix: Array  # (3, 4) from points of space to pixels
    appearance: Appearance

    def paint_face(self, index: int, axis: int, sign: float, rng: np.random.Generator) -> None:
        """Paints one face of a block where it is the nearest."""
        block = self.blocks[index]
        turn, size = block.turn, np.array(block.size)
        normal = sign * turn[:, axis]
        middle = np.array(block.centre) + normal * size[axis] / 2
        crop = rng.integers(0, 200, 2)
        tone = float(rng.normal(0, 0.02))
        if normal @ (self.eye - middle) <= 0:
            return
        first, second = [k for k in range(3) if k != axis]
        if size[first] > size[second]:
            first, second = second, first  # the grain runs along the longer side
        across, down = turn[:, first] * size[first], turn[:, second] * size[second]
        corner = middle - across / 2 - down / 2
        quad = np.array([corner, corner + across, corner + across + down, corner + down])
        texels = 48, max(48, min(144, int(48 * size[second] / size[first])))
        colour = np.array(self.appearance.tiles[index % len(self.appearance.tiles)]) * (1 + tone)
        albedo = _face_albedo(quad, texels, colour, crop, index, self.appearance)
        light = face_light(quad, normal, texels, self.blocks, index, self.appearance)
        self._cover(index, quad, np.asarray(np.clip(albedo, 0, 1) * light, np.float32))

    def paint_sticker(self, index: int, value: int) -> None:
        """Paints the sticker of a value on the middle of a block's top, as wide as that is narrow."""
        block, appearance = self.blocks[index], self.appearance
        turn, side = block.turn, min(block.size[:2])
        middle = np.array(block.centre) + turn[:, 2] * (block.size[2] / 2 + DRAWING.paper)
        if turn[:, 2] @ (self.eye - middle) <= 0:
            return
        # From the upper left on, as the sticker's rows go.
        quad = middle + side / 2 * (np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)]) @ turn[:, :2].T)
        near = (self.matrix @ np.append(middle, 1.0))[2]
        # About as many texels as pixels are drawn, each of them a mean: else fine cells would show sharper than they
        # are.
        texels = int(np.clip(side * np.linalg.norm(self.matrix[0, :3]) / max(near, 1.0), HALVES, 16 * HALVES))
        fine = np.kron(sticker(value), np.ones((16, 16), np.uint8)).astype(np.float32) / np.float32(255)
        white = cv2.resize(fine, (texels, texels), interpolation=cv2.INTER_AREA)[..., None]
        albedo = np.array(appearance.paper) * (appearance.ink + (1 - appearance.ink) * white)
        light = face_light(quad, turn[:, 2], (texels, texels), self.blocks, index, appearance)
        self._cover(index, quad, np.asarray(albedo * light, np.float32))

    def paint_hand(self, hand: Hand) -> None:
        """Paints a rounded limb from the fingertip to the elbow, growing thicker, before everything."""
        appearance = self.appearance
        lamps = sum(np.array(lamp.light) for lamp in appearance.lamps)
        skin = np.array([0.62, 0.38, 0.28]) * (np.array(appearance.ambient) + lamps)
        mask = np.zeros(self.owner.shape, np.uint8)
        lit = np.zeros(self.owner.shape, np.float32)
        for x, y, radius in hand.discs(self.matrix):
            cv2.circle(mask, (int(x), int(y)), int(radius), 1, -1)
            cv2.circle(lit, (int(x) - int(radius / 4), int(y) - int(radius / 4)), int(radius * 0.7), 1.0, -1)
        lit = np.asarray(cv2.GaussianBlur(lit, (0, 0), 12), np.float32)
        drawn = mask > 0
        self.light[drawn] = ((0.45 + 0.55 * lit)[..., None] * skin.astype(np.float32))[drawn]
        self.owner[drawn] = -2
        self.nearness[drawn] = 1.0

    def shares_seen(self) -> tuple[float, ...]:
        """For each block the seen part of its outline's area; what is outside the picture is not seen."""
        counts = np.bincount((self.owner[self.owner >= 0]).ravel(), minlength=len(self.blocks))
        found = []
        for count, block in zip(counts.tolist(), self.blocks, strict=True):
            seen = block.corners @ self.matrix[:, :3].T + self.matrix[:, 3]
            hull = cv2.convexHull((seen[:, :2] / seen[:, 2:]).astype(np.float32))
            found.append(min(1.0, count / max(1.0, float(cv2.contourArea(hull)))))
        return tuple(found)

    def _cover(self, index: int, quad: Array, skin: Floats) -> None:
        """Lays a lit skin over a rectangle in space where that is the nearest."""
        seen = quad @ self.matrix[:, :3].T + self.matrix[:, 3]
        if (seen[:, 2] < 1).any():
            return
        spots = seen[:, :2] / seen[:, 2:]
        high, wide = self.owner.shape
        low = np.clip(np.floor(spots.min(axis=0)).astype(int) - 1, 0, [wide, high])
        end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 2, 0, [wide, high])
        if (end <= low).any():
            return
        matrix = _quad_matrix((skin.shape[1], skin.shape[0]), spots - low)
        size = (int(end[0] - low[0]), int(end[1] - low[1]))
        painted = cv2.warpPerspective(skin, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros(size[::-1], np.uint8)
        fill_polygon(mask, spots - low, 1)
        # Over a plane the inverse of the distance is linear in the picture.
        plane = np.linalg.solve(np.column_stack([spots[:3] - low, np.ones(3)]), 1 / seen[:3, 2])
        rows, columns = np.ogrid[: size[1], : size[0]]
        nearness = (plane[0] * columns + plane[1] * rows + plane[2]).astype(np.float32)
        window = (slice(low[1], end[1]), slice(low[0], end[0]))
        drawn = (mask > 0) & (nearness > self.nearness[window] * np.float32(1 + 1e-5))
        self.light[window][drawn] = painted[drawn]
        self.nearness[window][drawn] = nearness[drawn]
        self.owner[window][drawn] = index


def _face_albedo(
    quad: Array, texels: tuple[int, int], colour: Array, crop: npt.NDArray[np.int64], index: int, appearance: Appearance
) -> Array:
    """The colour of a face by texel: its paint, grain, worn edges and the figure printed on it."""
    wide, high = texels
    u, v = np.meshgrid((np.arange(wide) + 0.5) / wide, (np.arange(high) + 0.5) / high)
    grain = wood(3)[crop[0] : crop[0] + 2 * high : 2, crop[1] : crop[1] + 2 * wide : 2]
    albedo: Array = np.clip(1 + appearance.tile_grain * grain, 0.3, 1.7)[..., None] * colour
    if appearance.worn:
        lengths = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])
        edge = np.minimum(np.minimum(u, 1 - u) * lengths[0], np.minimum(v, 1 - v) * lengths[1])
        albedo = albedo * (1 + appearance.worn * np.exp(-((edge / 0.5) ** 2)))[..., None]
    if appearance.marks:
        albedo = albedo * (1 + appearance.marks * _figure(str(index % 11 + 1), texels))[..., None]
    return albedo


def _figure(text: str, texels: tuple[int, int]) -> Floats:
    """A number as large as a face of that many texels, upright along the longer side: 1 on its lines."""
    wide, high = texels
    (across, down), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 3)
    scale = 0.7 * min(wide / across, high / down)
    corner = (round((wide - scale * across) / 2), round((high + scale * down) / 2))
    ink = np.zeros((high, wide), np.uint8)
    cv2.putText(ink, text, corner, cv2.FONT_HERSHEY_SIMPLEX, scale, 255, max(1, round(3 * scale)), cv2.LINE_AA)
    return np.asarray(ink / np.float32(255), np.float32)


def _quad_matrix(texels: tuple[int, int], spots: Array) -> Array:
    wide, high = texels
    flat = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32) - np.float32(0.5)
    return np.asarray(cv2.getPerspectiveTransform(flat, spots.astype(np.float32)), float)
