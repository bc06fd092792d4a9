"""A forecast laid over the picture that it was made of: every tile in the colour of its chance, and the weak gap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from game.pictures.canvas import (
    ENDINGS,
    INK,
    PAPER,
    SOFT_INK,
    Label,
    Words,
    draw_label,
    new_figure,
    require_matplotlib,
    save_figure,
)
from game.pictures.plan import CHANCES, GLOW, draw_header, header_height, header_words
from game.table.photo import SURE, Photo
from game.text.report import percent
from game.words import _, number
from physics.files import check_ending
from physics.line import Point, Standing, overlap
from physics.outcome import Prediction
from physics.scene import Scene
from vision.reader.boxes import FACE_CORNERS
from vision.reader.reading import ReadTile
from vision.reader.seen_table import box_corners, smallest_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 760.0  # pt, of the part of the photo that is shown, however many px it has
AROUND = 0.5  # of the row's longer side that is shown beside it
MIN_SHARE = 0.35  # of the photo's width that is shown
MARGIN = 20.0  # pt
RING = 13.0  # pt, around the weak gap
REACHES = (5, 12, 22, 34, 50, 70, 94, 122)  # pt, from a tile to its card
SLIDES = (0, -14, 14, -30, 30, -50, 50)  # pt, across that way
CLEAR = 2.0  # pt kept free around every card

Array = npt.NDArray[np.float64]


def draw_photo(photo: Photo, scene: Scene, prediction: Prediction, path: Path) -> None:
    """Draws the forecast over the photo that its scene was read from. OutputError when the file cannot be written or
    has another ending, MissingError when matplotlib is not installed.
    """
    check_ending(path, ENDINGS)
    save_figure(photo_figure(photo, scene, prediction), path)


def photo_figure(photo: Photo, scene: Scene, prediction: Prediction) -> Figure:
    """The picture that draw_photo writes; MissingError when matplotlib is not installed."""
    require_matplotlib()
    return _Overlay(photo, scene, prediction).figure()


class _Overlay:
    """The picture while it is laid out; points from the photo's lower left corner."""

    def __init__(self, photo: Photo, scene: Scene, prediction: Prediction) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        self.photo, self.scene, self.prediction = photo, scene, prediction
        self.colours = LinearSegmentedColormap.from_list("chance", CHANCES)
        self.corners = [box_corners(tile, photo.tile_set) for tile in photo.standing]
        self.part = _part_shown(photo, self.corners)
        left, top, right, bottom = self.part
        self.scale = WIDTH / (right - left)
        self.height = (bottom - top) * self.scale
        self.taken: list[Standing] = [_around(self._spots(corners)) for corners in self.corners]
        self.gap = self._gap()
        if self.gap is not None:
            self.taken.append(_card(self.gap, 2 * RING, 2 * RING))

    def figure(self) -> Figure:
        """The header above the photo, the tiles and their cards over it."""
        header = header_words(self.prediction, WIDTH)
        top = header_height(header)
        width, height = WIDTH + 2 * MARGIN, self.height + 2 * MARGIN + top
        figure = new_figure(width, height)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(-MARGIN, WIDTH + MARGIN), ylim=(-MARGIN, height - MARGIN))
        axes.set(autoscale_on=False)
        axes.set_axis_off()
        left, above, right, below = self.part
        shown = self.photo.picture[above:below, left:right]
        axes.imshow(shown, extent=(0, WIDTH, 0, self.height), interpolation="antialiased", aspect="auto")
        self._draw_tiles(axes)
        self._draw_gap(axes)
        for label in [*self._gap_label(), *self._tile_labels()]:
            draw_label(axes, label)
        draw_header(axes, header, 0.0, self.height + top - 4)
        return figure

    def _spots(self, points: Array) -> Array:
        """Where points of the mat, mm, are in the picture."""
        pixels = self.photo.sight.project(points)
        x, y = ((pixels + 0.5 - self.part[:2]) * self.scale).T
        return np.column_stack([x, self.height - y])

    def _gap(self) -> Point | None:
        """The middle of the weak gap's air, half as high as the lower of its tiles."""
        at = self.prediction.weakest_at
        if at is None:
            return None
        one, other = self.photo.standing[at : at + 2]
        boxes = self.scene.line.standing()[at : at + 2]
        yaw = math.atan2(other.y - one.y, other.x - one.x)
        ends = [
            np.array([tile.x, tile.y]) + way * box.depth / 2 * 1e3 * np.array([math.cos(yaw), math.sin(yaw)])
            for tile, box, way in zip((one, other), boxes, (1, -1), strict=True)
        ]
        middle = (ends[0] + ends[1]) / 2
        x, y = self._spots(np.array([[*middle, 250 * (boxes[0].height + boxes[1].height)]]))[0].tolist()
        return x, y

    def _draw_tiles(self, axes: Axes) -> None:
        """The faces that look towards the camera, tiles far from it first."""
        from matplotlib.patches import Polygon

        eye, shares = self.photo.sight.eye, self.prediction.tile_falls
        away = [-float(np.linalg.norm(corners.mean(axis=0) - eye)) for corners in self.corners]
        for index in np.argsort(away).tolist():
            corners, colour = self.corners[index], self.colours(float(shares[index]))
            middle = corners.mean(axis=0)
            for face in corners[FACE_CORNERS]:
                outward = face.mean(axis=0) - middle
                if outward @ (eye - face.mean(axis=0)) <= 0:
                    continue
                spots = self._spots(face)
                axes.add_patch(
                    Polygon(spots, facecolor=(*colour[:3], 0.5), edgecolor=PAPER, linewidth=2.4, joinstyle="round")
                )
                axes.add_patch(Polygon(spots, fill=False, edgecolor=colour, linewidth=1.3, joinstyle="round"))

    def _draw_gap(self, axes: Axes) -> None:
        from matplotlib.patches import Circle

        if self.gap is None:
            return
        for colour, line in ((INK, 4.6), (GLOW, 3.0)):
            axes.add_patch(Circle(self.gap, RING, fill=False, edgecolor=colour, linewidth=line, zorder=6))

    # Cards

    def _gap_label(self) -> Iterator[Label]:
        at = self.prediction.weakest_at
        if at is None or self.gap is None:
            return
        width = _("{width} mm").format(width=number(self.scene.line.gaps()[at] * 1e3, 1))
        lines = [Words(_("weakest gap"), 8.0, colour=SOFT_INK), Words(width, 10.0, bold=True)]
        row = self._spots(self.corners[at + 1]).mean(axis=0) - self._spots(self.corners[at]).mean(axis=0)
        across = math.atan2(row[1], row[0]) + math.pi / 2
        yield self._placed(lines, [(self.gap, across), (self.gap, across + math.pi)], RING, GLOW)

    def _tile_labels(self) -> Iterator[Label]:
        for index, (tile, corners) in enumerate(zip(self.photo.standing, self.corners, strict=True)):
            share = self.prediction.tile_falls[index]
            doubtful = "?" if tile.confidence < SURE else ""
            lines = [Words(f"{tile.value}{doubtful}", 11.0, bold=True), Words(percent(share), 8.0)]
            if index == self.prediction.pushed:
                lines.append(Words(_("push here"), 7.0, colour=SOFT_INK))
            yield self._placed(lines, self._ways(tile, corners), 0.0, self.colours(float(share))[:3])

    def _ways(self, tile: ReadTile, corners: Array) -> list[tuple[Point, float]]:
        """From both narrow ends of a tile away from it, upwards first."""
        yaw, spots = math.radians(tile.yaw), self._spots(corners)
        middle = corners.mean(axis=0)
        one, two = self._spots(np.array([middle, middle + np.array([-math.sin(yaw), math.cos(yaw), 0.0])]))
        found = []
        for sign in (1.0, -1.0):
            way = sign * (two - one) / max(float(np.linalg.norm(two - one)), 1e-6)
            x, y = (one + way * float(((spots - one) @ way).max())).tolist()
            found.append(((x, y), math.atan2(way[1], way[0])))
        return sorted(found, key=lambda found: -math.sin(found[1] - 0.2))

    def _placed(
        self,
        lines: Sequence[Words],
        ways: Sequence[tuple[Point, float]],
        start: float,
        rim: str | tuple[float, float, float],
    ) -> Label:
        """The label on the nearest free spot, which is taken from then on; on the first one where none is free."""
        width = max(words.width for words in lines) + 12
        height = sum(words.size * 1.22 for words in lines) + 5
        spots = []
        for rank, (point, yaw) in enumerate(ways):
            half = 0.5 / max(abs(math.cos(yaw)) / width, abs(math.sin(yaw)) / height)
            for reach in REACHES:
                for slide in SLIDES:
                    away = start + reach + half
                    x = point[0] + away * math.cos(yaw) - slide * math.sin(yaw)
                    y = point[1] + away * math.sin(yaw) + slide * math.cos(yaw)
                    spots.append((reach + abs(slide) + 8 * rank, point, self._inside((x, y), width, height)))
        spots.sort(key=lambda spot: spot[0])
        _price, point, middle = next((spot for spot in spots if self._is_free(spot[2], width, height)), spots[0])
        self.taken.append(_card(middle, width, height))
        return Label(tuple(lines), self.taken[-1], point, rim)

    def _inside(self, middle: Point, width: float, height: float) -> Point:
        """The nearest place on the photo for a card of that size."""
        x = min(max(middle[0], width / 2 + 2), WIDTH - width / 2 - 2)
        y = min(max(middle[1], height / 2 + 2), self.height - height / 2 - 2)
        return x, y

    def _is_free(self, middle: Point, width: float, height: float) -> bool:
        around = _card(middle, width + 2 * CLEAR, height + 2 * CLEAR)
        return not any(overlap(around, other) for other in self.taken)


def _part_shown(photo: Photo, corners: Sequence[Array]) -> tuple[int, int, int, int]:
    """The part of the photo with the row in it, px, shaped like the photo: left, top, right, bottom."""
    high, wide = photo.picture.shape[:2]
    spots = photo.sight.project(np.concatenate(corners))
    (left, top), (right, bottom) = spots.min(axis=0), spots.max(axis=0)
    beside = 2 * AROUND * max(right - left, bottom - top)
    share = min(1.0, max(MIN_SHARE, (right - left + beside) / wide, (bottom - top + beside) / high))
    size = round(share * wide), round(share * high)
    x = round(min(max((left + right - size[0]) / 2, 0), wide - size[0]))
    y = round(min(max((top + bottom - size[1]) / 2, 0), high - size[1]))
    return x, y, x + size[0], y + size[1]


def _card(middle: Point, width: float, height: float) -> Standing:
    return Standing(*middle, 0.0, width, height, 0.0, 0.0)


def _around(spots: Array) -> Standing:
    """The smallest box around points of the picture, turned as they lie."""
    x, y, wide, high, turn = smallest_box(spots)
    return Standing(x, y, turn, wide, high, 0.0, 0.0)
