"""Small help with the graphics card: shaders from files, pictures, numbers, shapes, copies."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt
from arcade.gl import Buffer, BufferDescription, Context, Framebuffer, Geometry, Program, Texture2D
from pyglet import gl

from game.pictures import lighting

INCLUDES = ("light", "turned", "handed")

Floats = npt.NDArray[np.float32]
Pixels = npt.NDArray[np.uint8]


def program(
    ctx: Context, vertex: str, fragment: str | None = None, defines: Mapping[str, int] | None = None
) -> Program:
    """The shaders of those names; `#include` puts in what several of them share."""
    folder = resources.files("game.ui.view3d") / "shaders"
    words = "".join(f"#define {name} {value}\n" for name, value in (defines or {}).items())

    def source(name: str) -> str:
        text = (folder / name).read_text("utf-8").replace("#version 330\n", f"#version 330\n{words}")
        for part in INCLUDES:
            text = text.replace(f"#include {part}\n", (folder / f"{part}.glsl").read_text("utf-8"))
        return text

    return ctx.program(
        vertex_shader=source(f"{vertex}.vert.glsl"), fragment_shader=source(f"{fragment or vertex}.frag.glsl")
    )


def give(to: Program, values: Mapping[str, object]) -> None:
    """Sets what of these values the program uses."""
    for name, value in values.items():
        to.set_uniform_safe(name, value)


def picture(ctx: Context, pixels: Pixels, *, mipmaps: bool = True, repeat: bool = True) -> Texture2D:
    """A texture; with smaller copies of itself where it may be seen from afar, so that it does not shimmer."""
    high, wide = pixels.shape[:2]
    parts = 1 if pixels.ndim == 2 else pixels.shape[2]
    texture = ctx.texture((wide, high), components=parts, data=np.ascontiguousarray(pixels).tobytes())
    wrap = ctx.REPEAT if repeat else ctx.CLAMP_TO_EDGE
    texture.wrap_x = texture.wrap_y = wrap
    if mipmaps:
        texture.filter = gl.GL_LINEAR_MIPMAP_NEAREST, gl.GL_LINEAR
        texture.build_mipmaps()
    else:
        texture.filter = gl.GL_LINEAR, gl.GL_LINEAR
    return texture


def buffer(ctx: Context, numbers: Sequence[float] | Floats) -> Buffer:
    """Numbers on the card."""
    return ctx.buffer(data=np.asarray(numbers, np.float32).tobytes())


def square(ctx: Context, name: str, *more: BufferDescription) -> Geometry:
    """A square from -1 to 1."""
    corners = BufferDescription(buffer(ctx, [-1, -1, 1, -1, -1, 1, 1, 1]), "2f", [name])
    return ctx.geometry([corners, *more], mode=ctx.TRIANGLE_STRIP)


def mesh(ctx: Context, cells: int, name: str) -> Geometry:
    """A square from -1 to 1 cut into cells."""
    ways = np.linspace(-1, 1, cells + 1)
    spots = np.stack(np.meshgrid(ways, ways), axis=-1).reshape(-1, 2)
    first = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)[None, :]).ravel()
    corners = [first, first + 1, first + cells + 2, first, first + cells + 2, first + cells + 1]
    return ctx.geometry(
        [BufferDescription(buffer(ctx, np.asarray(spots, np.float32)), "2f", [name])],
        index_buffer=ctx.buffer(data=np.stack(corners, axis=1).astype(np.uint32).tobytes()),
        mode=ctx.TRIANGLES,
    )


def cube() -> tuple[list[Floats], Floats]:
    """A cube of side 1: its broad faces, sides and ends as corners with normals, and its edges.

    An edge has its two ends, the normals of the two faces that meet there, and six corners of a seam along it.
    """
    signs = [np.array([k & 1, k >> 1 & 1, k >> 2 & 1]) - 0.5 for k in range(8)]
    normals = [np.mean([signs[k] for k in face], axis=0) * 2 for face in lighting.FACES]
    faces = [
        [np.concatenate([signs[face[k]], normal]) for k in (0, 1, 2, 0, 2, 3)]
        for face, normal in zip(lighting.FACES, normals, strict=True)
    ]
    kinds = [np.array(faces[k] + faces[k + 1], np.float32) for k in (0, 2, 4)]
    edges = []
    for a in range(8):
        for b in (a ^ 1, a ^ 2, a ^ 4):
            if a < b:
                one, other = (n for f, n in zip(lighting.FACES, normals, strict=True) if a in f and b in f)
                for where in ((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)):
                    edges.append(np.concatenate([signs[a], signs[b], one, other, where]))
    return kinds, np.array(edges, np.float32)


def copy(source: Framebuffer, to: Framebuffer, corner: tuple[int, int], size: tuple[int, int]) -> None:
    """Copies a picture of that size to where its lower left corner is wanted; `to` is in use afterwards."""
    wide, high = size
    read: Any = source
    write: Any = to
    gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, read.glo)
    gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, write.glo)
    x, y = corner
    gl.glScissor(x, y, wide, high)
    gl.glBlitFramebuffer(0, 0, wide, high, x, y, x + wide, y + high, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
    to.use(force=True)


def clear_depth() -> None:
    """Makes everything far away in the framebuffer in use."""
    gl.glClear(gl.GL_DEPTH_BUFFER_BIT)


def clear_colour(colour: tuple[int, int, int, int], size: tuple[int, int]) -> None:
    """Fills the framebuffer in use from its lower left corner, that far; nothing but its colours is touched."""
    gl.glScissor(0, 0, *size)
    gl.glClearColor(*(part / 255 for part in colour))
    gl.glClear(gl.GL_COLOR_BUFFER_BIT)


@contextlib.contextmanager
def darkest() -> Iterator[None]:
    """Of all that is drawn over one another here, the largest numbers are kept."""
    gl.glBlendEquation(gl.GL_MAX)
    try:
        yield
    finally:
        gl.glBlendEquation(gl.GL_FUNC_ADD)
