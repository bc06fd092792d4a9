"""Paints flat things over the table: rounded rectangles, signs and words. Shapes go to the card in one call per layer.

Words are kept from frame to frame and only moved; those that are no longer shown are dropped.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import arcade
from arcade.gl import BufferDescription
from pyglet.graphics import Batch

from game.ui.layout import Rect
from game.ui.look import FONTS, Colour

KINDS = {"rect": 0, "circle": 1, "square": 2, "triangle": 3, "diamond": 4, "star": 5, "tick": 6, "cross": 7}
POINTS = 0.75  # of a pixel's height, as fonts are measured
LEAST_SHRINK = 0.62  # letters are made smaller down to this before words are cut
KEPT_FRAMES = 90
INSTANCE = 64  # bytes of one shape

VERTEX = """
#version 330
in vec2 in_corner;
in vec4 in_box;      // centre, half size
in vec4 in_fill;
in vec4 in_border;
in vec4 in_form;     // radius, border, kind, softness
uniform vec2 size;
out vec2 at;
flat out vec2 half_size;
flat out vec4 fill;
flat out vec4 border;
flat out vec4 form;
void main() {
    float room = 2.0 + in_form.w;
    at = in_corner * (in_box.zw + room);
    half_size = in_box.zw;
    fill = in_fill; border = in_border; form = in_form;
    vec2 place = (in_box.xy + at) / size * 2.0 - 1.0;
    gl_Position = vec4(place, 0.0, 1.0);
}
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
void main() {
    float r = min(half_size.x, half_size.y); int kind = int(form.z + 0.5); float d;
    vec2 p = at;
    if (kind == 1) { float squeeze = half_size.x / max(half_size.y, 0.01);
        d = (length(p / vec2(max(squeeze, 0.02), 1.0)) - half_size.y) * min(1.0, squeeze); }
    else if (kind == 2) d = box(p, half_size * 0.84, r * 0.12);
    else if (kind == 3) d = triangle(p, r * 0.98);
    else if (kind == 4) d = (abs(p.x) + abs(p.y) - r * 1.05) * 0.7071;
    else if (kind == 5) d = star(p, r * 1.08);
    else if (kind == 6) d = min(bar(p, vec2(-0.62, 0.02) * r, vec2(-0.15, -0.5) * r, r * 0.17),
                                bar(p, vec2(-0.15, -0.5) * r, vec2(0.66, 0.52) * r, r * 0.17));
    else if (kind == 7) d = min(bar(p, vec2(-0.52) * r, vec2(0.52) * r, r * 0.17),
                                bar(p, vec2(-0.52, 0.52) * r, vec2(0.52, -0.52) * r, r * 0.17));
    else d = box(p, half_size, min(form.x, r));
    float soft = max(form.w, 0.75);
    float cover = form.w > 0.0 ? 1.0 - smoothstep(-soft, soft, d) : clamp(0.5 - d, 0.0, 1.0);
    float edge = form.y > 0.0 ? clamp(0.5 + d + form.y, 0.0, 1.0) : 0.0;
    colour = mix(fill, border, edge * border.a);
    colour.a = mix(fill.a, max(fill.a, border.a), edge) * cover;
    if (colour.a <= 0.002) discard;
}
"""

CLEAR: Colour = (0, 0, 0, 0)


@dataclass(slots=True)
class _Kept:
    """Words that were made once."""

    text: arcade.Text
    layer: int
    seen: int  # the last frame that showed them
    shown: bool = True


class Painter:
    """Everything flat that a frame shows."""

    def __init__(self, window: arcade.Window) -> None:
        self._window = window
        self._ctx = window.ctx
        self._program = self._ctx.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
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
        self._shapes = array("f")
        self._words: dict[tuple[Any, ...], _Kept] = {}
        self._sizes: dict[tuple[Any, ...], tuple[float, float]] = {}
        self._layer = 0
        self._batches: list[Batch] = []
        self._frame = 0
        self._layers: list[bytes] = []
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
        self._shapes = array("f")
        if self._frame % KEPT_FRAMES == 0:
            for key, kept in list(self._words.items()):
                if kept.seen < self._frame - KEPT_FRAMES:
                    kept.text.label.delete()
                    del self._words[key]

    # Shapes

    def rect(self, rect: Rect, fill: Colour, radius: float = 0.0, border: Colour = CLEAR, width: float = 0.0) -> None:
        """A rectangle with round corners, perhaps with a line along its edge."""
        x, y = rect.middle
        self._add(x, y, rect.width / 2, rect.height / 2, fill, border, radius, width, 0, 0.0)

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
        self._shapes.extend((x, y, half_width, half_height))
        self._shapes.extend(part / 255 for part in fill)
        self._shapes.extend(part / 255 for part in border)
        self._shapes.extend((radius, width, kind, soft))

    # Words

    def measured(self, text: str, size: float, *, bold: bool = False, wrap: float = 0.0) -> tuple[float, float]:
        """Width and height that the words take, broken into lines of at most `wrap` pixels if it is given."""
        key = (text, round(size, 1), bold, round(wrap))
        if key not in self._sizes:
            if len(self._sizes) > 4000:
                self._sizes.clear()
            made = self._made(text, size, (255, 255, 255, 255), bold, wrap, "left", None)
            self._sizes[key] = (made.content_width, made.content_height)
            made.label.delete()
        return self._sizes[key]

    def fitted(
        self, text: str, rect: Rect, size: float, *, bold: bool = False, wrap: bool = False
    ) -> tuple[str, float]:
        """The words as they fit there, and their size: made smaller if need be, and at last cut."""
        if not text or rect.width < 2 or rect.height < 2:
            return "", size
        least = size * LEAST_SHRINK
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
        text, size = self.fitted(text, rect, size, bold=bold, wrap=wrap)
        if not text:
            return
        width, height = self.measured(text, size, bold=bold, wrap=rect.width if wrap else 0.0)
        y = {"top": rect.top, "center": rect.y + (rect.height + height) / 2, "bottom": rect.y + height}[across]
        x = rect.x
        if not wrap:
            x += {"left": 0.0, "center": (rect.width - width) / 2, "right": rect.width - width}[align]
        wide = round(rect.width) if wrap else 0
        key = (text, round(size, 1), colour, bold, wide, align if wrap else "", round(x), round(y), self._layer)
        kept = self._words.get(key)
        if kept is None:
            made = self._made(text, size, colour, bold, wide, align if wrap else "left", self._batch())
            made.x, made.y = round(x), round(y)
            kept = self._words[key] = _Kept(made, self._layer, self._frame)
        kept.seen = self._frame

    def _made(
        self, text: str, size: float, colour: Colour, bold: bool, wrap: float, align: str, batch: Batch | None
    ) -> arcade.Text:
        return arcade.Text(
            text,
            0,
            0,
            colour,
            round(size, 1) * POINTS,
            width=max(1, int(wrap)) if wrap else None,
            align=align,
            font_name=FONTS,
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
        self._layers.append(self._shapes.tobytes())
        self._shapes = array("f")
        self._layer += 1

    def is_new(self) -> bool:
        """Whether this frame differs from the one that was drawn last. Ask once, when all layers are closed."""
        shown = {key for key, kept in self._words.items() if kept.seen == self._frame}
        now = (self.width, self.height, tuple(self._layers), frozenset(shown))
        is_new, self._drawn = now != self._drawn, now
        return is_new

    def draw(self) -> None:
        """Draws all layers, the first one lowest."""
        for kept in self._words.values():
            is_shown = kept.seen == self._frame
            if is_shown != kept.shown:
                kept.text.label.visible = kept.shown = is_shown
        for number, data in enumerate(self._layers):
            if data:
                if len(data) > self._buffer.size:
                    self._buffer.orphan(size=len(data) * 2)
                self._buffer.write(data)
                self._ctx.enable_only(self._ctx.BLEND)
                self._ctx.blend_func = self._ctx.BLEND_DEFAULT
                self._program["size"] = self._window.width, self._window.height
                self._geometry.render(self._program, instances=len(data) // INSTANCE)
            if number < len(self._batches):
                self._batches[number].draw()
