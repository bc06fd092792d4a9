"""The table in three dimensions inside an Arcade window: wood, tiles, soft shadows, marks.

It is painted in three steps, each only when something it shows has changed: the empty table, the tiles and their
shadows on it, and the copy into the window. A table at rest costs no more than that copy. A machine without a graphics
card paints fewer pixels while the eye moves, and never more than it has time for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import arcade
import numpy as np
from arcade.gl import BufferDescription, Context, Framebuffer, Geometry, Program, Texture2D
from pyglet import gl

from game.film.boxes import TileBox, Tint, frames_of
from game.pictures import lighting
from game.ui.view3d import gpu
from game.ui.view3d import materials as wood
from game.ui.view3d.orbit import Array, Orbit

DARK_SIDE, SHADOW_SIDE = 512, 1024  # texels: the shadows on the table, and the lamp's view of the tiles
SHADE_WEIGHTS = 1.0, 0.64  # how dark the table is where the lamp is hidden, and how much darker where the sky is
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software", "basic render")  # in the names of renderers without a card
ROUGH = 0.62  # share of the pixels in each direction that such a machine paints while the eye moves
MAX_PIXELS = 1_600_000, 420_000  # that it paints at all, at rest and while the eye moves
ENDLESS = 8.0  # m, half the side of a table without an edge, for an eye that looks at its middle
MIDDLE = 2.0  # m from it that count as the middle: farther out such a table goes along with the eye
TABLE_THICK = 0.035  # m
MESH = 48  # cells across the table's mesh
WOOD_REPEATS = 2.4  # of the boards' picture per metre
FELT_TEXEL = 0.0007  # m
GRID_LINES = 24  # on each side of the middle
LINE = 1.2  # pixels, width of a line of the grid
NUMBER_FONT = ":system:fonts/ttf/Liberation/Liberation_Serif_Bold.ttf"
BACKDROP, BACKDROP_PLAIN = (22, 16, 13), (0, 0, 0)
TABLE_SIDE, TABLE_SIDE_PLAIN = (0.16, 0.095, 0.055, 1.0), (0.25, 0.27, 0.30, 1.0)
TILE_FLOATS, MARK_FLOATS = 16, 10  # numbers for each on the card

Viewport = tuple[int, int, int, int]  # x, y, width, height, as Arcade counts them
Size = tuple[int, int]  # pixels


@dataclass(frozen=True, slots=True)
class Mark:
    """A strip painted on the table, with round ends; a dot where both ends are one place."""

    start: tuple[float, float]  # m
    end: tuple[float, float]
    colour: tuple[float, float, float, float]  # red, green, blue, alpha: 0 to 1
    width: float = 0.003  # m
    dash: float = 0.0  # m, length of dashes; 0: one stroke


@dataclass(frozen=True, slots=True)
class Look:
    """What the table is like."""

    size: tuple[float, float] | None = None  # m; None: without an edge
    felt: tuple[float, float] | None = None  # m, size of a cloth in the middle
    grid: float = 0.0  # m between faint lines, with a cross in the middle; 0: none
    high_contrast: bool = False


class _Pictures:
    """The table at one fineness: alone, and with everything on it, and what of it they show."""

    def __init__(self, ctx: Context, size: Size) -> None:
        self.size = size
        self.empty, self.full = (self._framebuffer(ctx, size) for _ in range(2))
        self.empty_of: object = None
        self.full_of: object = None

    @staticmethod
    def _framebuffer(ctx: Context, size: Size) -> Framebuffer:
        texture = ctx.texture(size, components=4, filter=(ctx.LINEAR, ctx.LINEAR))
        texture.wrap_x = texture.wrap_y = ctx.CLAMP_TO_EDGE
        return ctx.framebuffer(color_attachments=[texture], depth_attachment=ctx.depth_texture(size))


class Table3D:
    """Draws tiles on a table into a part of the window. It leaves Arcade's own drawing as it found it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        # Share of the pixels in each direction that are painted while the eye moves, and how many at most, at rest and
        # while it moves; None: all of them.
        self.detail = 1.0
        self.max_pixels: tuple[int, int] | None = None
        if any(name in str(ctx.info.RENDERER).lower() for name in SOFTWARE):
            self.detail, self.max_pixels = ROUGH, MAX_PIXELS
        self._programs: dict[str, Program] = {
            name: gpu.program(ctx, name) for name in ("table", "darken", "mark", "table_shadow", "depth", "spread")
        }
        for kind in range(3):
            self._programs[f"tile{kind}"] = gpu.program(ctx, "tile", "tile", {"FACE": kind})
        self._programs["feather"] = gpu.program(ctx, "feather", "tile", {"FACE": 1, "FEATHER": 1})
        self._wood = wood.begun()
        self._boards: list[Texture2D] = []  # ever coarser
        self._blank = gpu.picture(ctx, np.full((1, 1, 4), 255, np.uint8), mipmaps=False)
        self._cloth: tuple[tuple[float, float], Texture2D] | None = None
        self._grain = gpu.picture(ctx, wood.grain())
        self._values: tuple[int, ...] = ()
        self._numbers = self._blank
        self._cells = 1
        self._dark_map = ctx.texture((DARK_SIDE, DARK_SIDE), components=4, filter=(ctx.LINEAR, ctx.LINEAR))
        self._dark_map.wrap_x = self._dark_map.wrap_y = ctx.CLAMP_TO_EDGE
        self._dark_target = ctx.framebuffer(color_attachments=[self._dark_map])
        self._shadow_map = ctx.depth_texture((SHADOW_SIDE, SHADOW_SIDE))
        self._shadow_map.compare_func = None  # Arcade knows no samplers that compare; the shader does it
        self._shadow_map.filter = ctx.NEAREST, ctx.NEAREST
        unused = ctx.texture((SHADOW_SIDE, SHADOW_SIDE), components=1)  # Arcade asks for colours, too
        self._shadow_target = ctx.framebuffer(color_attachments=[unused], depth_attachment=self._shadow_map)
        self._tile_data = ctx.buffer(reserve=TILE_FLOATS * 4)
        self._mark_data = ctx.buffer(reserve=MARK_FLOATS * 4)
        self._shapes = self._make_shapes()
        self._pictures: dict[bool, _Pictures] = {}  # while the eye moves, and at rest
        self._lit_for: object = None
        self._area: lighting.Area = (0.0, 0.0, 0.0, 0.0)  # of the table in the map of shadows
        self._dark_part = 1.0, 1.0  # of that map in use
        self._to_shadow, self._texel = np.eye(4), 1e-3

    def draw(
        self,
        viewport: Viewport,
        orbit: Orbit,
        tiles: Sequence[TileBox],
        *,
        marks: Sequence[Mark] = (),
        look: Look | None = None,
        moving: bool = False,
    ) -> None:
        """Draws the table into that part of the framebuffer in use; the rest of it stays as it is.

        While the eye is moving it may be coarser.
        """
        if viewport[2] < 1 or viewport[3] < 1:
            return
        ctx, look = self._ctx, look or Look()
        into = ctx.active_framebuffer
        # The window counts in points, its pictures in pixels.
        ratio = ctx.window.get_pixel_ratio() if into is ctx.screen else 1.0
        x, y, wide, high = (round(side * ratio) for side in viewport)
        size = max(1, wide), max(1, high)
        fine = self._fineness(size, moving)
        wanted = orbit, tuple(tiles), tuple(marks), look
        flags, blend = set(ctx._flags), ctx.blend_func
        try:
            pictures = self._pictures.get(moving)
            if pictures is None or pictures.size != fine:
                pictures = self._pictures[moving] = _Pictures(ctx, fine)
            if wanted != pictures.full_of:
                pictures.full_of = None
                self._paint(pictures, *wanted, moving=moving)
                pictures.full_of = wanted
            self._show(pictures.full, into, (x, y), size)
        finally:
            into.use(force=True)
            ctx.enable_only(*flags)
            ctx.blend_func = blend

    def _show(self, picture: Framebuffer, into: Framebuffer, corner: Size, size: Size) -> None:
        if picture.size == size:
            gpu.copy(picture, into, corner, size)
            return
        # Where pixels are mixed, a shader is the faster way.
        into.use(force=True)
        self._ctx.enable_only()
        gl.glViewport(*corner, *size)
        gl.glScissor(*corner, *size)
        picture.color_attachments[0].use(0)
        self._shapes["spread"].render(self._programs["spread"])

    def _fineness(self, size: Size, moving: bool) -> Size:
        """How many of the pixels are painted."""
        share = self.detail if moving else 1.0
        if self.max_pixels is not None:
            share = min(share, math.sqrt(self.max_pixels[moving] / (size[0] * size[1])))
        return max(1, round(size[0] * share)), max(1, round(size[1] * share))

    def _paint(
        self,
        pictures: _Pictures,
        orbit: Orbit,
        tiles: tuple[TileBox, ...],
        marks: tuple[Mark, ...],
        look: Look,
        *,
        moving: bool,
    ) -> None:
        size = pictures.size
        self._know({tile.value for tile in tiles})
        solid = tuple(tile for tile in tiles if tile.tint is not Tint.GHOST)
        ghosts = tuple(tile for tile in tiles if tile.tint is Tint.GHOST)
        self._light(solid)
        seen = orbit.projection(size[0] / size[1]) @ orbit.view()
        common = {
            "seen": _columns(seen),
            "eye": orbit.eye,
            "lamp": lighting.LAMP,
            "plain": 1.0 if look.high_contrast else 0.0,
        }
        # A moving eye sees every empty table only once: it is not worth keeping.
        if not moving and (orbit, look) != pictures.empty_of:
            with pictures.empty.activate():
                self._draw_table(pictures.empty, orbit, look, size, common)
            pictures.empty_of = orbit, look
        with pictures.full.activate():
            gpu.clear_depth()
            if moving:
                self._draw_table(pictures.full, orbit, look, size, common)
            else:
                gpu.copy(pictures.empty, pictures.full, (0, 0), size)
            if look.size and any(tile.position[2] < 0 for tile in tiles):
                self._hide_below(look.size, common)
            if solid:
                self._draw_shade(common)
            self._draw_marks(pictures.full, marks, common)
            self._draw_tiles(pictures.full, solid, orbit, common)
            self._draw_tiles(pictures.full, ghosts, orbit, common)

    def _know(self, values: set[int]) -> None:
        """Makes the picture of numbers anew when there is one that it does not have."""
        if values <= set(self._values):
            return
        self._values = tuple(sorted(values | set(self._values)))
        pixels, self._cells = wood.numbers(self._values, Path(arcade.resources.resolve(NUMBER_FONT)))
        self._numbers = gpu.picture(self._ctx, pixels, repeat=False)

    def _light(self, tiles: tuple[TileBox, ...]) -> None:
        """Draws the shadows, when a tile has moved since the last time."""
        key = tuple((tile.size, tile.position, tile.quaternion) for tile in tiles)
        if key == self._lit_for or not tiles:
            return
        self._lit_for = key
        ctx = self._ctx
        centres, axes = frames_of(tiles)
        vertices, self._area = lighting.darkness(centres, axes)
        layers = ctx.geometry(
            [BufferDescription(ctx.buffer(data=vertices.tobytes()), "4f", ["in_spot"])],
            index_buffer=ctx.buffer(data=lighting.darkness_indices(len(tiles)).tobytes()),
            mode=ctx.TRIANGLES,
        )
        wide, high = (min(DARK_SIDE, math.ceil(side / lighting.DARK_TEXEL)) for side in self._area[2:])
        self._dark_part = wide / DARK_SIDE, high / DARK_SIDE
        with self._dark_target.activate():
            self._dark_target.viewport = 0, 0, wide, high
            ctx.enable_only(ctx.BLEND)
            gpu.clear_colour((0, 0, 0, 0), (wide, high))
            with gpu.darkest():
                layers.render(self._programs["table_shadow"])
        matrix, self._texel = lighting.lamp_view(centres[:, None] + lighting.CORNERS @ axes, SHADOW_SIDE)
        # From the cube of -1 to 1 to a picture of 0 to 1.
        self._to_shadow = np.diag([0.5, 0.5, 0.5, 1.0]) @ matrix
        self._to_shadow[:3, 3] += 0.5
        with self._shadow_target.activate():
            gpu.clear_depth()
            ctx.enable_only(ctx.DEPTH_TEST, ctx.CULL_FACE)
            self._upload(tiles)
            self._programs["depth"]["seen"] = _columns(matrix)
            for kind in range(3):
                self._shapes[f"tile{kind}"].render(self._programs["depth"], instances=len(tiles))

    def _draw_table(self, into: Framebuffer, orbit: Orbit, look: Look, size: Size, common: dict[str, Any]) -> None:
        ctx, plain = self._ctx, look.high_contrast
        gpu.clear_colour((*(BACKDROP_PLAIN if plain else BACKDROP), 255), size)
        if look.size is not None:
            gpu.clear_depth()
        ctx.blend_func = ctx.BLEND_DEFAULT
        table = self._programs["table"]
        pixel = orbit.span / size[1]  # m, in the middle of the view
        if look.size is not None:
            self._hide_below(look.size, common, TABLE_SIDE_PLAIN if plain else TABLE_SIDE)
        ctx.enable_only()
        gpu.give(
            table,
            common
            | {
                "pool": (*orbit.target[:2], 1.25 * orbit.span),
                "mesh": (*orbit.target[:2], 2 * ENDLESS),
                "half_size": tuple(side / 2 for side in look.size) if look.size else _endless(orbit),
                "grain": (WOOD_REPEATS, WOOD_REPEATS),
                "gloss": 1.0,
            },
        )
        if not self._boards:
            # Chosen by how near the table is: cheaper than a picture with smaller copies, and as calm.
            boards = wood.smaller_too(self._wood.result(), 4)
            self._boards = [gpu.picture(ctx, wood.opaque(pixels), mipmaps=False) for pixels in boards]
        coarse = pixel / math.sqrt(max(math.sin(orbit.elevation), 0.1)) * WOOD_REPEATS * self._boards[0].width
        level = min(len(self._boards) - 1, max(0, round(math.log2(max(coarse, 1e-6)))))
        (self._blank if plain else self._boards[level]).use(0)
        self._shapes["mesh"].render(table)
        if look.felt is not None and not plain:
            if self._cloth is None or self._cloth[0] != look.felt:
                self._cloth = look.felt, gpu.picture(ctx, wood.felt(look.felt, FELT_TEXEL))
            half = tuple(side / 2 for side in look.felt)
            gpu.give(table, {"half_size": half, "grain": (0.5 / half[0], 0.5 / half[1]), "gloss": 0.0})
            self._cloth[1].use(0)
            ctx.enable_only(ctx.BLEND)
            self._shapes["mesh"].render(table)
        if look.grid > 0:
            self._draw_marks(into, _grid(look.grid, LINE * pixel, plain), common)

    def _hide_below(
        self, size: tuple[float, float], common: dict[str, Any], colour: tuple[float, ...] | None = None
    ) -> None:
        """Draws the table as a slab, so that it hides what fell off it; without a colour it is not seen itself."""
        ctx, depth = self._ctx, self._programs["depth"]
        row = [0, 0, -TABLE_THICK / 2 - 2e-4, 0, 0, 0, 1, *size, TABLE_THICK, 0, 0, 0, 0, 0, 0]
        self._tile_data.orphan(TILE_FLOATS * 4)
        self._tile_data.write(np.array(row, np.float32).tobytes())
        gpu.give(depth, {**common, "paint": colour or (0.0, 0.0, 0.0, 0.0)})
        ctx.enable_only(ctx.DEPTH_TEST, ctx.CULL_FACE, ctx.BLEND)
        ctx.blend_func = ctx.BLEND_DEFAULT
        for kind in range(3):
            self._shapes[f"tile{kind}"].render(depth, instances=1)

    def _draw_shade(self, common: dict[str, Any]) -> None:
        ctx = self._ctx
        ctx.enable_only(ctx.BLEND)
        ctx.blend_func = ctx.ZERO, ctx.ONE_MINUS_SRC_COLOR
        gpu.give(
            self._programs["darken"], {**common, "area": self._area, "part": self._dark_part, "weights": SHADE_WEIGHTS}
        )
        self._dark_map.use(0)
        self._shapes["shade"].render(self._programs["darken"])
        ctx.blend_func = ctx.BLEND_DEFAULT

    def _draw_marks(self, into: Framebuffer, marks: Sequence[Mark], common: dict[str, Any]) -> None:
        if not marks:
            return
        rows = [(*mark.start, *mark.end, *mark.colour, mark.width / 2, mark.dash) for mark in marks]
        self._mark_data.orphan(len(rows) * MARK_FLOATS * 4)
        self._mark_data.write(np.array(rows, np.float32).tobytes())
        gpu.give(self._programs["mark"], common)
        self._ctx.enable_only(self._ctx.BLEND)
        self._shapes["mark"].render(self._programs["mark"], instances=len(marks))

    def _draw_tiles(self, into: Framebuffer, tiles: tuple[TileBox, ...], orbit: Orbit, common: dict[str, Any]) -> None:
        if not tiles:
            return
        ctx = self._ctx
        self._upload(tiles)
        right = orbit.axes[0]
        own = {
            "grain": 0,
            "numbers": 1,
            "shadow": 2,
            "to_shadow": _columns(self._to_shadow),
            "texel": self._texel,
            "side": float(SHADOW_SIDE),
            "cells": float(self._cells),
            "ahead": (-right[1], right[0], 0.0),
            "pixels": (float(into.width), float(into.height)),
        }
        for index, texture in enumerate((self._grain, self._numbers, self._shadow_map)):
            texture.use(index)
        ctx.enable_only(ctx.DEPTH_TEST, ctx.CULL_FACE, *((ctx.BLEND,) if tiles[0].tint is Tint.GHOST else ()))
        for name in ("tile0", "tile1", "tile2", "feather"):
            gpu.give(self._programs[name], common | own)
            if name == "feather":
                ctx.enable_only(ctx.DEPTH_TEST, ctx.BLEND)
                into.depth_mask = False
            self._shapes[name].render(self._programs[name], instances=len(tiles))
        into.depth_mask = True

    def _upload(self, tiles: Sequence[TileBox]) -> None:
        rows = np.empty((len(tiles), TILE_FLOATS), np.float32)
        for row, tile in zip(rows, tiles, strict=True):
            # An irrational step gives every value a piece of wood of its own.
            kind = self._values.index(tile.value), tile.tint.value, tile.value * 0.381966 % 1.0
            row[:] = (*tile.position, *tile.quaternion, *tile.size, *wood.tone_of(tile.value), *kind)
        self._tile_data.orphan(rows.nbytes)
        self._tile_data.write(rows.tobytes())

    def _make_shapes(self) -> dict[str, Geometry]:
        ctx = self._ctx
        names = ["in_centre", "in_turn", "in_size", "in_wood", "in_kind"]
        each = BufferDescription(self._tile_data, "3f 4f 3f 4f 2f", names, instanced=True)
        mark = BufferDescription(self._mark_data, "4f 4f 2f", ["in_ends", "in_colour", "in_shape"], instanced=True)
        kinds, edges = gpu.cube()
        names = ["in_start", "in_end", "in_one", "in_other", "in_where"]
        seams = BufferDescription(gpu.buffer(ctx, edges), "3f 3f 3f 3f 2f", names)
        shapes = {
            "mesh": gpu.mesh(ctx, MESH, "in_spot"),
            "shade": gpu.square(ctx, "in_spot"),
            "spread": gpu.square(ctx, "in_spot"),
            "mark": gpu.square(ctx, "in_where", mark),
            "feather": ctx.geometry([seams, each], mode=ctx.TRIANGLES),
        }
        for kind, corners in enumerate(kinds):
            faces = BufferDescription(gpu.buffer(ctx, corners), "3f 3f", ["in_corner", "in_normal"])
            shapes[f"tile{kind}"] = ctx.geometry([faces, each], mode=ctx.TRIANGLES)
        return shapes


def _columns(matrix: Array) -> list[float]:
    """A matrix as the card wants it: column after column."""
    return [float(value) for value in matrix.T.ravel()]


def _endless(orbit: Orbit) -> tuple[float, float]:
    """Half the sides of a table without an edge, m."""
    x, y = (ENDLESS + max(0.0, abs(at) - MIDDLE) for at in orbit.target[:2])
    return x, y


def _grid(step: float, width: float, plain: bool) -> list[Mark]:
    """Faint lines over the table and a cross in the middle."""
    far = GRID_LINES * step
    faint = (1.0, 1.0, 1.0, 0.16) if plain else (1.0, 0.88, 0.66, 0.13)
    strong = (1.0, 1.0, 1.0, 0.8) if plain else (1.0, 0.90, 0.70, 0.5)
    marks = []
    for k in range(-GRID_LINES, GRID_LINES + 1):
        at = k * step
        marks += [Mark((at, -far), (at, far), faint, width), Mark((-far, at), (far, at), faint, width)]
    arm = 0.2 * step
    return [*marks, Mark((-arm, 0.0), (arm, 0.0), strong, 2 * width), Mark((0.0, -arm), (0.0, arm), strong, 2 * width)]
