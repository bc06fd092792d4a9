"""A camera's picture in the window, with the tiles that were found in it drawn over."""

from __future__ import annotations

import math
from collections.abc import Sequence

import arcade
from arcade.gl import Geometry, Program, Texture2D, geometry
from PIL import Image, ImageDraw, ImageFont

from game.match.ports import TableSight
from game.pictures.theme import Palette
from game.ui.toolkit.layout import Rect

WIDEST = 1280  # pixels; a larger picture is made smaller before it goes to the card
VERTEX = """
#version 330
in vec2 in_vert;
in vec2 in_uv;
out vec2 uv;
void main() { uv = vec2(in_uv.x, 1.0 - in_uv.y); gl_Position = vec4(in_vert, 0.0, 1.0); }
"""
FRAGMENT = """
#version 330
uniform sampler2D picture;
in vec2 uv;
out vec4 colour;
void main() { colour = vec4(texture(picture, uv).rgb, 1.0); }
"""


class Picture:
    """Keeps the newest picture on the card; must be used where a window is."""

    def __init__(self) -> None:
        self._key: object = None
        self._texture: Texture2D | None = None
        self._program: Program | None = None
        self._quad: Geometry | None = None

    def draw(self, sight: TableSight, room: Rect, palette: Palette) -> None:
        """Draws the picture as large as it fits in the room; nothing when there is none."""
        if sight.picture is None:
            return
        ctx = arcade.get_window().ctx
        if self._program is None or self._quad is None:
            self._program = ctx.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
            self._quad = geometry.quad_2d_fs()
        if self._texture is None or self._key != (sight.number, sight.tiles, palette):
            made = composed(sight, palette)
            if self._texture is None or self._texture.size != made.size:
                self._texture = ctx.texture(made.size, components=3)
            self._texture.write(made.tobytes())
            self._key = sight.number, sight.tiles, palette
        place = fitted(sight, room)
        before = ctx.viewport
        ctx.viewport = round(place.x), round(place.y), max(1, round(place.width)), max(1, round(place.height))
        ctx.enable_only()
        self._texture.use(0)
        self._quad.render(self._program)
        ctx.viewport = before


def fitted(sight: TableSight, room: Rect) -> Rect:
    """Where the picture goes in the room: all of it, at the top."""
    if sight.picture is None:
        return room
    high, wide = sight.picture.shape[:2]
    scale = min(room.width / wide, room.height / high)
    width, height = wide * scale, high * scale
    return Rect(room.x + (room.width - width) / 2, room.top - height, width, height)


def composed(sight: TableSight, palette: Palette) -> Image.Image:
    """The picture with a line around every tile that was found, and its value."""
    assert sight.picture is not None
    made = Image.fromarray(sight.picture).convert("RGB")
    if made.width > WIDEST:
        made = made.resize((WIDEST, round(made.height * WIDEST / made.width)))
    pen = ImageDraw.Draw(made)
    line = max(2, made.width // 220)
    font = ImageFont.load_default(max(12, made.width // 26))
    for tile in sight.tiles:
        points = [(x * made.width, y * made.height) for x, y in tile.corners]
        colour = (palette.accent if tile.is_sure else palette.bad)[:3]
        pen.line([*points, points[0]], fill=colour, width=line, joint="curve")
        x, y = (sum(point[k] for point in points) / len(points) for k in (0, 1))
        words = str(tile.value) if tile.is_sure else f"{tile.value}?"
        pen.text((x, y), words, fill=colour, font=font, anchor="mm", stroke_width=line, stroke_fill=(20, 14, 10))
    return made


def tile_at(sight: TableSight, room: Rect, x: float, y: float) -> int | None:
    """The value of the tile in the picture at that point of the window, the nearest where several are; None: none."""
    place = fitted(sight, room)
    if sight.picture is None or not place.holds(x, y):
        return None
    across, down = (x - place.x) / place.width, (place.top - y) / place.height
    found = [tile for tile in sight.tiles if _holds(tile.corners, across, down)]
    return min(found, key=lambda tile: _far(tile.corners, across, down)).value if found else None


def _holds(corners: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Whether the point lies within the corners of a convex outline."""
    sides = [
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def _far(corners: Sequence[tuple[float, float]], x: float, y: float) -> float:
    count = len(corners)
    return math.dist((sum(a for a, _b in corners) / count, sum(b for _a, b in corners) / count), (x, y))
