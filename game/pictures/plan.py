"""The plan view of a line: every tile where it stands, coloured by its chance to fall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game.pictures.canvas import (
    ENDINGS,
    INK,
    MARGIN,
    MAX_SCALE,
    PAPER,
    SOFT_INK,
    Colour,
    Label,
    Words,
    draw_label,
    folded,
    new_figure,
    require_matplotlib,
    save_figure,
    write,
)
from game.text.report import forecast_word, percent, stance_words, why_not_surer, with_capital
from game.words import _, number
from physics.files import check_ending
from physics.line import Point, Standing, overlap
from physics.outcome import Prediction
from physics.scene import Scene, Tap, Tilt
from physics.tiles import Stance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_LABELS = 60  # tiles; in a longer line only those that matter have theirs

# Everything is laid out in points, so that letters and tiles are kept clear of one another before a line is drawn.
PADDING = 24.0  # between the table's rim and what lies on it
MIN_SIZE = (530.0, 150.0)  # of the table
FOOTER = 48.0
REACHES = (7, 11, 16, 22, 30, 40, 52, 66, 84, 106, 134, 170, 216, 272)  # from a tile to its label
SLIDES = (0, -9, 9, -18, 18, -30, 30, -44, 44, -62, 62, -84, 84, -112, 112, -150, 150)  # along the row
CLEAR = 2.5  # kept free around every label
EXIT = 24.0  # kept free beside one end of a tile that waits for its label
ATTEMPTS = 10  # at finding room for all labels
WIDE_GAP = 16.0  # has room for an arrow from face to face

WOOD, FLOOR, RIM, GLOW = "#f3e2c4", "#e0cba8", "#d9bf94", "#ffb300"
# Orange against blue with sand between: told apart with every kind of colour vision.
CHANCES = ["#b83a0b", "#e9873f", "#f8edcf", "#5f9fd0", "#11508f"]


def draw_plan(scene: Scene, prediction: Prediction, path: Path) -> None:
    """Draws the line from above, tiles to scale, and says what the prediction says of it.

    PNG, SVG or PDF by the file's ending. OutputError when the file cannot be written or has another ending,
    MissingError when matplotlib is not installed.
    """
    check_ending(path, ENDINGS)
    save_figure(plan_figure(scene, prediction), path)


def plan_figure(scene: Scene, prediction: Prediction) -> Figure:
    """The picture that draw_plan writes; MissingError when matplotlib is not installed."""
    require_matplotlib()
    return _Plan(scene, prediction).figure()


@dataclass(frozen=True)
class _Way:
    """A way that a label may go: from a point, in a direction; the dearer, the more reluctantly."""

    start: Point
    yaw: float
    price: float = 0.0


class _Plan:
    """The picture while it is laid out and drawn; lengths in points, the table's origin at (0, 0)."""

    def __init__(self, scene: Scene, prediction: Prediction) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        self.scene, self.prediction = scene, prediction
        self.colours = LinearSegmentedColormap.from_list("chance", CHANCES)
        boxes = scene.line.standing()
        self.scale = _scale(boxes)
        self.tiles = tuple(_scaled(box, 1e3 * self.scale) for box in boxes)
        self.arrow = self._arrow()
        self.gap = self._gap()
        self.taken: list[Standing] = [*self.tiles, self.arrow, *self.gap]
        self.labels = [*self._push_label(), *self._gap_label(), *self._tile_labels()]

    # Laying out

    def _arrow(self) -> Standing:
        """The push as a box behind the pushed tile; shorter where the row curls back to it."""
        tile, yaw = self.tiles[self.scene.pushed], self.scene.push_yaw
        others = [other for other in self.tiles if other is not tile]
        for length in (46.0, 34.0, 24.0, 16.0):
            middle = _moved((tile.x, tile.y), yaw, -(tile.depth / 2 + 5 + length / 2))
            arrow = _box(middle, length, 20.0, yaw)
            if not _hits(arrow, others):
                break
        return arrow

    def _gap(self) -> list[Standing]:
        """The air of the weakest gap, if there is one, as a box from face to face."""
        at = self.prediction.weakest_at
        if at is None:
            return []
        one, other = self.tiles[at], self.tiles[at + 1]
        yaw = math.atan2(other.y - one.y, other.x - one.x)
        rear = _moved((one.x, one.y), yaw, one.depth / 2)
        front = _moved((other.x, other.y), yaw, -other.depth / 2)
        return [_box(((rear[0] + front[0]) / 2, (rear[1] + front[1]) / 2), math.dist(rear, front), 22.0, yaw)]

    def _tile_labels(self) -> Iterable[Label]:
        """The tiles' labels. Where some find no room, all are laid out anew, those first."""
        last, at = len(self.tiles) - 1, self.prediction.weakest_at
        order = list(range(last + 1))
        if last >= MAX_LABELS:
            order = sorted({0, last} if at is None else {0, at, at + 1, last})
        before = taken = self.taken
        most: dict[int, Label] = {}
        for _attempt in range(ATTEMPTS if last < MAX_LABELS else 1):
            self.taken = list(before)
            found = self._labelled(order)
            if len(found) > len(most):
                most, taken = found, self.taken
            missed = [index for index in order if index not in found]
            if not missed:
                break
            order = missed + [index for index in order if index in found]
        self.taken = taken
        return most.values()

    def _labelled(self, order: Sequence[int]) -> dict[int, Label]:
        """Labels laid out in that order of the tiles, as far as there is room."""
        found: dict[int, Label] = {}
        side: float | None = None
        for index in order:
            tile, share = self.tiles[index], self.prediction.tile_falls[index]
            lines = [Words(str(self.prediction.values[index]), 11.5, bold=True), Words(_share(share), 8.0)]
            if self.scene.line.placements[index].stance is Stance.SIDE:
                lines.append(Words(stance_words(Stance.SIDE), 7.0, colour=SOFT_INK))
            inward = self._inward(index)
            ways = []
            for yaw in (tile.yaw + math.pi / 2, tile.yaw - math.pi / 2):
                # Outside of bends; and where the last label went, the first one above the row, or right of it.
                price = 8.0 if inward is not None and math.cos(yaw - inward) > 0 else 0.0
                if math.cos(yaw - (math.radians(80) if side is None else side)) < 0:
                    price += 6.0 if side is None else 10.0
                ways.append(_Way(_moved((tile.x, tile.y), yaw, tile.breadth / 2), yaw, price))
            waiting = [self.tiles[near] for near in order if 0 < abs(near - index) < 5 and near not in found]
            label = self._placed(lines, ways, self._colour(share, 0.25), [tile, *self.gap], waiting)
            if label is not None:
                found[index] = label
                side = math.atan2(label.card.y - tile.y, label.card.x - tile.x)
        return found

    def _inward(self, index: int) -> float | None:
        """Where the inside of the row's bend lies; None where it goes straight on."""
        if len(self.tiles) < 3:
            return None
        index = min(max(index, 1), len(self.tiles) - 2)
        before, tile, after = self.tiles[index - 1 : index + 2]
        x, y = (before.x + after.x) / 2 - tile.x, (before.y + after.y) / 2 - tile.y
        slight = 0.02 * math.hypot(after.x - before.x, after.y - before.y)
        return math.atan2(y, x) if math.hypot(x, y) > slight else None

    def _gap_label(self) -> Iterator[Label]:
        at = self.prediction.weakest_at
        if at is None:
            return
        gap = self.gap[0]
        width = _("{width} mm").format(width=number(self.scene.line.gaps()[at] * 1e3, 1))
        lines = [Words(_("weakest gap"), 8.0, colour=SOFT_INK), Words(width, 10.0, bold=True)]
        yaws = (gap.yaw + math.pi / 2, gap.yaw - math.pi / 2)
        rim = 0.0 if gap.depth > WIDE_GAP else gap.breadth / 2
        ways = [_Way(_moved((gap.x, gap.y), yaw, rim), yaw) for yaw in yaws]
        label = self._placed(lines, ways, GLOW, [*self.tiles[at : at + 2], gap])
        if label is not None:
            yield label

    def _push_label(self) -> Iterator[Label]:
        push, arrow = self.scene.push, self.arrow
        text = (
            _("tap here") if isinstance(push, Tap) else _("table tilts") if isinstance(push, Tilt) else _("push here")
        )
        middle, half = (arrow.x, arrow.y), arrow.depth / 2
        ways = [_Way(_moved(middle, arrow.yaw, -half), arrow.yaw + math.pi)]
        ways += [_Way(middle, arrow.yaw + turn, 14.0) for turn in (math.pi / 2, -math.pi / 2)]
        label = self._placed([Words(text, 8.5)], ways, None, [arrow])
        if label is not None:
            yield label

    def _placed(
        self,
        lines: Sequence[Words],
        ways: Sequence[_Way],
        rim: Colour | None,
        own: Sequence[Standing],
        waiting: Sequence[Standing] = (),
    ) -> Label | None:
        """The label on its cheapest free spot, which is taken from then on; None when there is none.

        Its leader may cross what is its own. If it can, it leaves tiles that wait for their label a way out to it.
        """
        width = max(words.width for words in lines) + 14
        height = sum(words.size * 1.22 for words in lines) + 6
        others = [box for box in self.taken if not any(box is mine for mine in own)]
        waiting = [tile for tile in waiting if _has_exit(tile, others)]
        chosen: tuple[Point, Point] | None = None
        for start, middle in _spots(ways, width, height):
            leader, around = _leader(start, middle), _box(middle, width + 2 * CLEAR, height + 2 * CLEAR)
            if _hits(around, self.taken) or _hits(leader, others):
                continue
            chosen = chosen or (start, middle)
            if all(_has_exit(tile, [around, leader, *others]) for tile in waiting):
                chosen = start, middle
                break
        if chosen is None:
            return None
        card = _box(chosen[1], width, height)
        self.taken += [card, _leader(*chosen)]
        return Label(tuple(lines), card, chosen[0], rim)

    def _colour(self, share: float, shade: float = 0.0) -> Colour:
        """The colour of a chance, darkened by some ink."""
        from matplotlib.colors import to_rgb

        mixed = zip(self.colours(float(share)), to_rgb(INK), strict=False)
        red, green, blue = ((1 - shade) * part + shade * ink for part, ink in mixed)
        return red, green, blue

    # Drawing

    def figure(self) -> Figure:
        """Header, table and footer, one above the other, as large as what is on them needs."""
        low_x, low_y, high_x, high_y = _bounds(self.taken)
        inner = max(MIN_SIZE[0], high_x - low_x + 2 * PADDING)
        depth = max(MIN_SIZE[1], high_y - low_y + 2 * PADDING)
        header = header_words(self.prediction, inner)
        above = header_height(header)
        width, height = inner + 2 * MARGIN, depth + 2 * MARGIN + above + FOOTER
        # The table's origin stays (0, 0): the picture is moved over it rather than everything on it.
        left, floor = (low_x + high_x - width) / 2, (low_y + high_y - depth) / 2
        bottom = floor - FOOTER - MARGIN
        figure = new_figure(width, height)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(left, left + width), ylim=(bottom, bottom + height))
        axes.set(autoscale_on=False)
        axes.set_axis_off()
        self._draw_table(axes, left + MARGIN, floor, inner, depth)
        self._draw_weakest_gap(axes)
        self._draw_tiles(axes)
        self._draw_arrow(axes)
        for label in self.labels:
            draw_label(axes, label)
        draw_header(axes, header, left + MARGIN, floor + depth + above - 7)
        self._draw_footer(axes, left + MARGIN, floor - 14, inner)
        return figure

    def _draw_table(self, axes: Axes, x: float, y: float, width: float, height: float) -> None:
        from matplotlib.patches import FancyBboxPatch, Rectangle

        size = self.scene.table.size
        ground = FancyBboxPatch((x, y), width, height, "round,pad=0,rounding_size=14")
        ground.set(facecolor=WOOD if size is None else FLOOR, edgecolor=RIM, linewidth=1.2)
        axes.add_patch(ground)
        if size is not None:
            wide, deep = (length * 1e3 * self.scale for length in size)
            table = Rectangle((-wide / 2, -deep / 2), wide, deep, facecolor=WOOD, edgecolor=INK, linewidth=1.5)
            axes.add_patch(table)
            table.set_clip_path(ground)

    def _draw_weakest_gap(self, axes: Axes) -> None:
        from matplotlib.patches import Circle, FancyArrowPatch

        for gap in self.gap:
            ends = [_moved((gap.x, gap.y), gap.yaw, way * gap.depth / 2) for way in (-1, 1)]
            for width in range(4, 36, 2):
                axes.plot(*zip(*ends, strict=True), color=GLOW, alpha=0.1, linewidth=width, solid_capstyle="round")
            if gap.depth > WIDE_GAP:
                arrow = FancyArrowPatch(*ends, arrowstyle="<|-|>,head_width=3,head_length=5", shrinkA=0, shrinkB=0)
                arrow.set(color=INK, linewidth=1.2, zorder=3)
                axes.add_patch(arrow)
                continue
            # Above the tiles, and dark beneath, to be seen where they stand close.
            for colour, line in ((INK, 3.6), (GLOW, 2.2)):
                ring = Circle((gap.x, gap.y), gap.breadth / 2, fill=False, edgecolor=colour, linewidth=line, zorder=6)
                axes.add_patch(ring)

    def _draw_tiles(self, axes: Axes) -> None:
        from matplotlib.collections import PathCollection
        from matplotlib.patches import BoxStyle
        from matplotlib.transforms import Affine2D

        shapes, shadows, sides = [], [], []
        for tile, placement in zip(self.tiles, self.scene.line.placements, strict=True):
            rounded = BoxStyle.Round(pad=0, rounding_size=0.16 * min(tile.depth, tile.breadth))
            outline = rounded(-tile.depth / 2, -tile.breadth / 2, tile.depth, tile.breadth, 1)
            shapes.append(Affine2D().rotate(tile.yaw).translate(tile.x, tile.y).transform_path(outline))
            shadow = min(3.0, 0.35 * tile.depth)
            shadows.append(Affine2D().translate(shadow, -shadow).transform_path(shapes[-1]))
            if placement.stance is Stance.SIDE:
                sides.append(shapes[-1])
        shares, depths = self.prediction.tile_falls, [tile.depth for tile in self.tiles]
        faces = [self._colour(share) for share in shares]
        # Tiles of a few pixels would drown in dark outlines.
        shades = [min(1.0, 0.15 + depth / 6) for depth in depths]
        edges = [self._colour(share, shade) for share, shade in zip(shares, shades, strict=True)]
        widths = [min(0.9, 0.4 + depth / 10) if depth > 1 else 1.4 for depth in depths]
        axes.add_collection(PathCollection(shadows, facecolors=INK, alpha=0.22, linewidths=0, zorder=2))
        axes.add_collection(PathCollection(shapes, facecolors=faces, edgecolors=edges, linewidths=widths, zorder=4))
        axes.add_collection(PathCollection(sides, facecolors="none", edgecolors=INK, hatch="////", zorder=5))

    def _draw_arrow(self, axes: Axes) -> None:
        from matplotlib.patches import FancyArrow

        arrow = self.arrow
        tail = _moved((arrow.x, arrow.y), arrow.yaw, -arrow.depth / 2)
        dx, dy = arrow.depth * math.cos(arrow.yaw), arrow.depth * math.sin(arrow.yaw)
        shape = FancyArrow(*tail, dx, dy, width=8, head_width=20, head_length=15, length_includes_head=True)
        shape.set(facecolor=INK, edgecolor=PAPER, linewidth=1.0, zorder=6)
        axes.add_patch(shape)

    def _draw_footer(self, axes: Axes, x: float, top: float, width: float) -> None:
        """A scale bar on the left, the colours on the right, what the stripes mean between them."""
        from matplotlib.patches import Rectangle

        length = _round_length(130 / self.scale)
        half = length * self.scale / 2
        for begin, colour in ((x, INK), (x + half, PAPER)):
            axes.add_patch(Rectangle((begin, top - 21), half, 6, facecolor=colour, edgecolor=INK, linewidth=0.9))
        write(axes, Words(_("{width} mm").format(width=number(length)), 9.0), x + half, top - 31)
        if any(placement.stance is Stance.SIDE for placement in self.scene.line.placements):
            begin = x + 2 * half + 26
            axes.add_patch(Rectangle((begin, top - 26), 9, 16, facecolor=PAPER, edgecolor=INK, hatch="////"))
            write(axes, Words(stance_words(Stance.SIDE), 9.0), begin + 15, top - 18, "left")
        left, right = x + width - 150, x + width
        shades = [[share / 255 for share in range(256)]]
        axes.imshow(shades, cmap=self.colours, extent=(left, right, top - 22, top - 13), interpolation="bilinear")
        axes.add_patch(Rectangle((left, top - 22), 150, 9, fill=False, edgecolor=INK, linewidth=0.9))
        write(axes, Words(_("chance to fall"), 9.0), right, top - 5, "right")
        for share, align in ((0.0, "left"), (0.5, "center"), (1.0, "right")):
            write(axes, Words(_share(share), 8.0), left + share * 150, top - 31, align)


# Geometry. Cards, leaders and the arrow are boxes like the tiles' own, so that one test keeps all of them apart.


def _box(middle: Point, depth: float, breadth: float, yaw: float = 0.0) -> Standing:
    return Standing(*middle, yaw, depth, breadth, 0.0, 0.0)


def _scaled(box: Standing, factor: float) -> Standing:
    return _box((box.x * factor, box.y * factor), box.depth * factor, box.breadth * factor, box.yaw)


def _leader(start: Point, end: Point) -> Standing:
    """The line between two points as a thin box."""
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    return _box(middle, math.dist(start, end), 1.0, math.atan2(end[1] - start[1], end[0] - start[0]))


def _moved(point: Point, yaw: float, distance: float) -> Point:
    return point[0] + distance * math.cos(yaw), point[1] + distance * math.sin(yaw)


def _bounds(boxes: Iterable[Standing]) -> tuple[float, float, float, float]:
    xs, ys = zip(*(corner for box in boxes for corner in box.corners), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _scale(boxes: Sequence[Standing]) -> float:
    """Points per millimetre: as large as a page that grows with the number of tiles has room for."""
    low_x, low_y, high_x, high_y = _bounds(boxes)
    wide, high = (high_x - low_x) * 1e3, (high_y - low_y) * 1e3
    room = min(1300.0, 520.0 + 26.0 * len(boxes)), min(900.0, 420.0 + 14.0 * len(boxes))
    return min(MAX_SCALE, max(room) / max(wide, high), min(room) / min(wide, high))


def _hits(box: Standing, others: Iterable[Standing]) -> bool:
    near = (other for other in others if math.hypot(other.x - box.x, other.y - box.y) < box.reach + other.reach)
    return any(overlap(box, other) for other in near)


def _has_exit(tile: Standing, others: Sequence[Standing]) -> bool:
    """Whether a leader gets away from one of the tile's ends."""
    away = (tile.breadth + EXIT) / 2 + 1
    exits = [_moved((tile.x, tile.y), tile.yaw + math.pi / 2, way * away) for way in (-1, 1)]
    return any(not _hits(_box(middle, 1.0, EXIT, tile.yaw), others) for middle in exits)


def _spots(ways: Sequence[_Way], width: float, height: float) -> list[tuple[Point, Point]]:
    """Where a card of that size may lie, cheapest first: the point its leader starts from, and its middle."""
    found = []
    for way in ways:
        half = 0.5 / max(abs(math.cos(way.yaw)) / width, abs(math.sin(way.yaw)) / height)  # from its middle to its rim
        for reach in REACHES:
            for slide in SLIDES:
                middle = _moved(_moved(way.start, way.yaw, reach + half), way.yaw + math.pi / 2, slide)
                found.append((way.price + reach + abs(slide), way.start, middle))
    return [(start, middle) for _price, start, middle in sorted(found)]


def _round_length(most: float) -> float:
    """The largest of 1, 2, 5, 10, 20 … that is not more."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most)


# Letters


def _share(share: float) -> str:
    """The share in percent, the sign kept close to its number."""
    return _close(percent(share))


def _close(text: str) -> str:
    """The text with every percent sign kept close to its number."""
    return text.replace(" %", "\u202f%")


def header_words(prediction: Prediction, width: float) -> list[Words]:
    """The chance in large letters, then it in a word and why it is not surer, folded to the width."""
    chance = Words(_share(prediction.probability), 34.0, bold=True)
    word = with_capital(forecast_word(prediction.probability, prediction.interval))
    what = _("The chance that every tile falls. {why}").format(why=why_not_surer(prediction))
    room = width - chance.width - 20
    verdict = folded(Words(word, 17.0, bold=True), room)
    return [chance, *verdict, *folded(Words(_close(what), 10.0, colour=SOFT_INK), room)]


def header_height(header: Sequence[Words]) -> float:
    """How high the header is with the room around it, pt."""
    return max(42.0, sum(words.size * 1.45 for words in header[1:])) + 14


def draw_header(axes: Axes, header: Sequence[Words], x: float, top: float) -> None:
    """Draws it from there to the right and down."""
    chance, *lines = header
    write(axes, chance, x, top - 24, "left")
    y = top
    for words in lines:
        write(axes, words, x + chance.width + 20, y - words.size * 0.72, "left")
        y -= words.size * 1.45
