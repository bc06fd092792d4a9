"""Paints flat things over the table: rounded rectangles, signs and words. Shapes go to the card many at a time.

Words are kept from frame to frame and only moved; those that are no longer shown are dropped.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import arcade
from arcade.gl import BufferDescription
from pyglet import font
from pyglet.graphics import Batch

from game.pictures.theme import EVEN_FONTS, FONTS, Colour
from game.ui.toolkit.layout import Rect
from physics.harmless import harmless

KINDS = {"rect": 0, "circle": 1, "square": 2, "triangle": 3, "diamond": 4, "star": 5, "tick": 6, "cross": 7}
POINTS = 0.75  # of a pixel's height, as fonts are measured
MIN_SHRINK = 0.62  # letters are made smaller down to this before words are cut
KEPT_FRAMES = 90
PLAIN = -1  # a rectangle with sharp corners and no line
INSTANCE = 64  # bytes of one shape

VERTEX = """
#version 330
in vec2 in_corner;
in vec4 in_box;      // centre, half size
in vec4 in_fill;
in vec4 in_border;
in vec4 in_form;     // radius, border, kind (below 0: plain to its very edge), softness
uniform vec2 size;
out vec2 at;
flat out vec2 half_size;
flat out vec4 fill;
flat out vec4 border;
flat out vec4 form;
void main() {
    float room = in_form.z < 0.0 ? 0.0 : 2.0 + in_form.w;
    at = in_corner * (in_box.zw + room);
    half_size = in_box.zw;
    fill = in_fill; border = in_border; form = in_form;
    vec2 place = (in_box.xy + at) / size * 2.0 - 1.0;
    gl_Position = vec4(place, 0.0, 1.0);
}
"""
# A software renderer takes every branch for every pixel, and most pixels are plain: a program for each way to paint.
FILL = """
#version 330
flat in vec4 fill;
out vec4 colour;
void main() { colour = fill; }
"""
FRAGMENT = """
#version 330
in vec2 at;
flat in vec2 half_size;
flat in vec4 fill;
flat in vec4 border;
flat in vec4 form;
out vec4 colour;
float box(vec2 p, vec2 b, float r) {
    vec2 q = abs(p) - b + r; return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - r;
}
#ifdef SIGNS
float bar(vec2 p, vec2 a, vec2 b, float w) {
    vec2 d = b - a; float t = clamp(dot(p - a, d) / dot(d, d), 0.0, 1.0); return length(p - a - t * d) - w;
}
float triangle(vec2 p, float r) {
    const float k = 1.7320508; p.y += r * 0.18; p.x = abs(p.x) - r; p.y = p.y + r / k;
    if (p.x + k * p.y > 0.0) p = vec2(p.x - k * p.y, -k * p.x - p.y) / 2.0;
    p.x -= clamp(p.x, -2.0 * r, 0.0); return -length(p) * sign(p.y);
}
float star(vec2 p, float r) {
    const vec2 k1 = vec2(0.809016994, -0.587785252); const vec2 k2 = vec2(-k1.x, k1.y);
    p.x = abs(p.x); p -= 2.0 * max(dot(k1, p), 0.0) * k1; p -= 2.0 * max(dot(k2, p), 0.0) * k2;
    p.x = abs(p.x); p.y -= r;
    vec2 ba = 0.45 * vec2(-k1.y, k1.x) - vec2(0, 1); float h = clamp(dot(p, ba) / dot(ba, ba), 0.0, r);
    return length(p - ba * h) * sign(p.y * ba.x - p.x * ba.y);
}
float shape(vec2 p, float r, int kind) {
    if (kind == 1) { float squeeze = half_size.x / max(half_size.y, 0.01);
        return (length(p / vec2(max(squeeze, 0.02), 1.0)) - half_size.y) * min(1.0, squeeze); }
    if (kind == 2) return box(p, half_size * 0.84, r * 0.12);
    if (kind == 3) return triangle(p, r * 0.98);
    if (kind == 4) return (abs(p.x) + abs(p.y) - r * 1.05) * 0.7071;
    if (kind == 5) return star(p, r * 1.08);
    if (kind == 6) return min(bar(p, vec2(-0.62, 0.02) * r, vec2(-0.15, -0.5) * r, r * 0.17),
                              bar(p, vec2(-0.15, -0.5) * r, vec2(0.66, 0.52) * r, r * 0.17));
    return min(bar(p, vec2(-0.52) * r, vec2(0.52) * r, r * 0.17),
               bar(p, vec2(-0.52, 0.52) * r, vec2(0.52, -0.52) * r, r * 0.17));
}
#endif
void main() {
    float r = min(half_size.x, half_size.y);
#ifdef SIGNS
    float d = shape(at, r, int(form.z + 0.5));
#else
    float d = box(at, half_size, min(form.x, r));
#endif
    float soft = max(form.w, 0.75);
    float cover = clamp((soft - d) / (2.0 * soft), 0.0, 1.0);
    cover = form.w > 0.0 ? cover * cover * (3.0 - 2.0 * cover) : clamp(0.5 - d, 0.0, 1.0);
    float edge = form.y > 0.0 ? clamp(0.5 + d + form.y, 0.0, 1.0) : 0.0;
    colour = mix(fill, border, edge * border.a);
    colour.a = mix(fill.a, max(fill.a, border.a), edge) * cover;
}
"""
WAYS = {"fill": FILL, "box": FRAGMENT, "sign": FRAGMENT.replace("#version 330", "#version 330\n#define SIGNS")}

CLEAR: Colour = (0, 0, 0, 0)


@dataclass(slots=True)
class _Kept:
    """Words that were made once."""

    text: arcade.Text
    spot: tuple[int, int]  # of their upper left corner
    seen: int  # the last frame that showed them
    shown: bool = True


@dataclass(slots=True)
class _Run:
    """Shapes one after another that are painted the same way."""

    way: str
    numbers: array[float] = field(default_factory=lambda: array("f"))


class Painter:
    """Everything flat that a frame shows."""

    def __init__(self, window: arcade.Window) -> None:
        self._window = window
        self._ctx = window.ctx
        self._programs = {
            way: self._ctx.program(vertex_shader=VERTEX, fragment_shader=source) for way, source in WAYS.items()
        }
        corners = self._ctx.buffer(data=array("f", [-1, -1, 1, -1, -1, 1, 1, 1]).tobytes())
        self._buffer = self._ctx.buffer(reserve=64 * 64)
        self._geometry = self._ctx.geometry(
            [
                BufferDescription(corners, "2f", ["in_corner"]),
                BufferDescription(
                    self._buffer, "4f 4f 4f 4f", ["in_box", "in_fill", "in_border", "in_form"], instanced=True
                ),
            ],
            mode=self._ctx.TRIANGLE_STRIP,
        )
        self._shapes: list[_Run] = []  # of the layer that is being painted
        self._words: dict[tuple[Any, ...], list[_Kept]] = {}  # the same words may be shown in several places
        self._spots: list[tuple[Any, ...]] = []  # the words of this frame, and where
        self._sizes: dict[tuple[Any, ...], tuple[float, float]] = {}
        self._layer = 0
        self._batches: list[Batch] = []
        self._frame = 0
        self._layers: list[list[tuple[str, bytes]]] = []
        self._drawn: object = None

    @property
    def width(self) -> float:
        """Of the window."""
        return float(self._window.width)

    @property
    def height(self) -> float:
        """Of the window."""
        return float(self._window.height)

    def begin(self) -> None:
        """A frame begins."""
        self._frame += 1
        self._layer = 0
        self._layers = []
        self._shapes = []
        self._spots = []
        if self._frame % KEPT_FRAMES == 0:
            for key, made in list(self._words.items()):
                for kept in [kept for kept in made if kept.seen < self._frame - KEPT_FRAMES]:
                    kept.text.label.delete()
                    made.remove(kept)
                if not made:
                    del self._words[key]

    # Shapes

    def rect(self, rect: Rect, fill: Colour, radius: float = 0.0, border: Colour = CLEAR, width: float = 0.0) -> None:
        """A rectangle with round corners, perhaps with a line along its edge."""
        x, y = rect.middle
        kind = PLAIN if radius == 0 and width == 0 else KINDS["rect"]
        self._add(x, y, rect.width / 2, rect.height / 2, fill, border, radius, width, kind, 0.0)

    def shadow(self, rect: Rect, radius: float, soft: float, alpha: float = 0.45) -> None:
        """A soft shadow around and a little below a rectangle."""
        x, y = rect.middle
        dark = (0, 0, 0, round(255 * alpha))
        self._add(x, y - soft * 0.35, rect.width / 2, rect.height / 2, dark, CLEAR, radius + soft / 2, 0.0, 0, soft)

    def sign(
        self,
        kind: str,
        x: float,
        y: float,
        half: float,
        fill: Colour,
        border: Colour = CLEAR,
        width: float = 0.0,
        squeeze: float = 1.0,
    ) -> None:
        """A shape by its name around that point; squeezed sideways while it turns over."""
        self._add(x, y, half * squeeze, half, fill, border, 0.0, width, KINDS[kind], 0.0)

    def _add(self, x: float, y: float, half_width: float, half_height: float, fill: Colour, border: Colour,
             radius: float, width: float, kind: int, soft: float) -> None:  # fmt: skip
        way = "fill" if kind == PLAIN else "box" if kind == KINDS["rect"] else "sign"
        if not self._shapes or self._shapes[-1].way != way:
            self._shapes.append(_Run(way))
        numbers = self._shapes[-1].numbers
        numbers.extend((x, y, half_width, half_height))
        numbers.extend(part / 255 for part in fill)
        numbers.extend(part / 255 for part in border)
        numbers.extend((radius, width, kind, soft))

    # Words

    def measured(self, text: str, size: float, *, bold: bool = False, wrap: float = 0.0) -> tuple[float, float]:
        """Width and height that the words take, broken into lines of at most `wrap` pixels if it is given."""
        key = (text, round(size, 1), bold, round(wrap))
        if key not in self._sizes:
            if len(self._sizes) > 4000:
                self._sizes.clear()
            self._sizes[key] = self._wrapped(text, size, bold, wrap) if wrap else _in_a_line(text, size, bold)
        return self._sizes[key]

    def fitted(
        self, text: str, rect: Rect, size: float, *, bold: bool = False, wrap: bool = False
    ) -> tuple[str, float]:
        """The words as they fit there, and their size: made smaller if need be, and at last cut."""
        if not text or rect.width < 2 or rect.height < 2:
            return "", size
        least = size * MIN_SHRINK
        now = size
        while True:
            width, height = self.measured(text, now, bold=bold, wrap=rect.width if wrap else 0.0)
            if width <= rect.width + 0.5 and height <= rect.height * 1.12 + 2:
                return text, now
            if now <= least:
                break
            now = max(least, now * 0.95)
        words = text
        while len(words) > 1:
            words = words[: max(1, int(len(words) * 0.94) - (len(words) < 18))]
            width, height = self.measured(words + "…", now, bold=bold, wrap=rect.width if wrap else 0.0)
            if width <= rect.width + 0.5 and height <= rect.height * 1.12 + 2:
                break
        return words.rstrip() + "…", now

    def words(
        self,
        text: str,
        rect: Rect,
        size: float,
        colour: Colour,
        *,
        bold: bool = False,
        align: str = "left",
        across: str = "center",
        wrap: bool = False,
    ) -> None:
        """Words in the rectangle: `align` left, center or right; `across` top, center or bottom."""
        text, size = self.fitted(_shown(text), rect, size, bold=bold, wrap=wrap)
        if not text:
            return
        width, height = self.measured(text, size, bold=bold, wrap=rect.width if wrap else 0.0)
        y = {"top": rect.top, "center": rect.y + (rect.height + height) / 2, "bottom": rect.y + height}[across]
        x = rect.x
        if not wrap:
            x += {"left": 0.0, "center": (rect.width - width) / 2, "right": rect.width - width}[align]
        wide = round(rect.width) if wrap else 0
        key = (text, round(size, 1), colour, bold, wide, align if wrap else "", self._layer)
        side = align if wrap else "left"
        self._put(key, (round(x), round(y)), lambda: self._made(text, size, colour, bold, wide, side, self._batch()))

    def even_width(self, count: int, size: float) -> float:
        """The width that so many letters of one width take."""
        return count * _in_a_line("0", size, False, EVEN_FONTS)[0]

    def even(self, text: str, x: float, top: float, size: float, colour: Colour) -> None:
        """A line in letters of one width, from that place on."""
        text = _shown(text)
        if text.strip():
            key = (text, round(size, 1), colour, "even", self._layer)
            spot = round(x), round(top)
            self._put(key, spot, lambda: self._made(text, size, colour, False, 0, "left", self._batch(), EVEN_FONTS))

    def _put(self, key: tuple[Any, ...], spot: tuple[int, int], make: Callable[[], arcade.Text]) -> None:
        """Shows words there: the same ones of an earlier frame, moved if need be, or new ones."""
        self._spots.append((key, spot))
        free = [kept for kept in self._words.setdefault(key, []) if kept.seen < self._frame]
        kept = next((kept for kept in free if kept.spot == spot), free[0] if free else None)
        if kept is None:
            kept = _Kept(make(), (0, 0), self._frame)
            self._words[key].append(kept)
        if kept.spot != spot:
            kept.text.position = kept.spot = spot
        kept.seen = self._frame

    def _wrapped(self, text: str, size: float, bold: bool, wrap: float) -> tuple[float, float]:
        made = self._made(text, size, (255, 255, 255, 255), bold, wrap, "left", None)
        found = (made.content_width, made.content_height)
        made.label.delete()
        return found

    def _made(
        self,
        text: str,
        size: float,
        colour: Colour,
        bold: bool,
        wrap: float,
        align: str,
        batch: Batch | None,
        fonts: tuple[str, ...] = FONTS,
    ) -> arcade.Text:
        return arcade.Text(
            text,
            0,
            0,
            colour,
            round(size, 1) * POINTS,
            width=max(1, int(wrap)) if wrap else None,
            align=align,
            font_name=fonts,
            bold=bold,
            anchor_y="top",
            multiline=bool(wrap),
            batch=batch,
        )

    def _batch(self) -> Batch:
        while len(self._batches) <= self._layer:
            self._batches.append(Batch())
        return self._batches[self._layer]

    # Layers

    def layer(self) -> None:
        """Closes a layer; what comes now lies over it."""
        self._layers.append([(run.way, run.numbers.tobytes()) for run in self._shapes])
        self._shapes = []
        self._layer += 1

    def is_new(self) -> bool:
        """Whether this frame differs from the one that was drawn last. Ask once, when all layers are closed."""
        now = (self.width, self.height, self._layers, self._spots)
        is_new, self._drawn = now != self._drawn, now
        return is_new

    def draw(self) -> None:
        """Draws all layers, the first one lowest."""
        for made in self._words.values():
            for kept in made:
                is_shown = kept.seen == self._frame
                if is_shown != kept.shown:
                    kept.text.label.visible = kept.shown = is_shown
        ctx = self._ctx
        for number, runs in enumerate(self._layers):
            for way, data in runs:
                if len(data) > self._buffer.size:
                    self._buffer.orphan(size=len(data) * 2)
                self._buffer.write(data)
                ctx.enable_only(ctx.BLEND)
                ctx.blend_func = ctx.BLEND_DEFAULT
                self._programs[way]["size"] = self._window.width, self._window.height
                self._geometry.render(self._programs[way], instances=len(data) // INSTANCE)
            if number < len(self._batches):
                self._batches[number].draw()


@lru_cache(4000)
def _shown(text: str) -> str:
    """The words as they may be drawn: every frame asks for the same ones."""
    return harmless(text, "\n")


def _in_a_line(text: str, size: float, bold: bool, fonts: tuple[str, ...] = FONTS) -> tuple[float, float]:
    """Width and height of words in one line: a question to the font alone, much cheaper than making the words."""
    letters = font.load(fonts, round(size, 1) * POINTS, weight="bold" if bold else "normal")
    glyphs, _offsets = letters.get_glyphs(text)
    return float(sum(glyph.advance for glyph in glyphs)), float(letters.ascent - letters.descent)
