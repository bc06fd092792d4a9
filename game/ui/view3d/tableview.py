"""The part of the window that shows the table: the eye over it, what lies under the mouse, tiles and marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from game.film.boxes import TileBox, fall_boxes, frames_of, hit
from game.film.playback import Playback
from game.pictures.lighting import CORNERS
from game.ui.toolkit.layout import Rect
from game.ui.view3d.follow import Chase
from game.ui.view3d.orbit import Array, Glide, Orbit
from game.ui.view3d.table3d import Look, Mark, Table3D
from physics.pose import Vector

REST = 0.12  # s that the eye must rest before it sees everything finely
AFTER_WAVE = 0.25  # s that the eye stays where the wave has ended
KEY_TURN = 24.0  # pixels of a drag that a key stands for
GLIDE = 0.55  # s
ROOM_AROUND = 0.05  # m that are seen around the row: a tile has to go there
SMALLEST = 1 / 50  # of the view's height: where tiles would be smaller, the eye goes close to the wave
CLOSE = 14.0  # heights of the tallest tile that are in view then
MANY = 100  # tiles, from which on those out of sight are left out
BESIDE = 1.5  # how far from its middle something may lie beside the view, as a share of half of it, to be drawn
ROOM = 0.74  # share of the view for it: buttons and notes lie over its edges


class TableView:
    """The eye and what it sees. `room` is its place in the window."""

    def __init__(self, table: Table3D) -> None:
        self._table = table
        self.room = Rect(0, 0, 1, 1)
        self.orbit = Orbit()
        self._glide: Glide | None = None
        self._chase = Chase(self.orbit)
        self._chased: tuple[Playback, Array] | None = None  # the fall that is followed, and its row
        self._now = 0.0
        self._last_seen = self.orbit
        self._moved_at = -REST
        self.by_hand = False  # somebody has turned the eye: it is not led any more

    # The eye

    def update(self, seconds: float) -> None:
        """The eye goes on its way."""
        self._now += seconds
        if self._glide is not None:
            self.orbit = self._glide.at(self._now)
            if self._glide.is_over(self._now):
                self._glide = None
        if self.orbit != self._last_seen:
            self._last_seen, self._moved_at = self.orbit, self._now

    @property
    def is_moving(self) -> bool:
        """Whether the eye moves, or has only just come to rest: until then the table may be drawn more coarsely."""
        return self._glide is not None or self.orbit != self._last_seen or self._now - self._moved_at < REST

    def go(self, orbit: Orbit, seconds: float = GLIDE) -> None:
        """Leads the eye there."""
        if seconds <= 0:
            self.orbit, self._glide = orbit, None
        else:
            self._glide = Glide(self.orbit, orbit, self._now, seconds)

    def show(self, boxes: Sequence[TileBox], seconds: float = GLIDE) -> None:
        """Leads the eye to where all of these tiles, and room around them, are seen."""
        end = self._glide.end if self._glide is not None else self.orbit
        self.go(end.fit(_points(boxes), self._aspect, ROOM), seconds)

    def toggle_plan(self, boxes: Sequence[TileBox]) -> None:
        """Straight from above, or back to the chair, so that all of these tiles are seen."""
        end = self._glide.end if self._glide is not None else self.orbit
        turned = replace(end, elevation=Orbit().elevation, azimuth=Orbit().azimuth) if end.is_plan else end.plan()
        self.by_hand = False
        self.go(turned.fit(_points(boxes), self._aspect, ROOM))

    @property
    def is_plan(self) -> bool:
        """Whether it looks, or is about to look, straight down."""
        return (self._glide.end if self._glide is not None else self.orbit).is_plan

    def drag(self, dx: float, dy: float, *, pan: bool = False) -> None:
        """The eye is turned about the row, or moved along the table."""
        self._glide, self.by_hand = None, True
        self.orbit = self.orbit.panned(dx, dy, self._size) if pan else self.orbit.dragged(dx, dy)

    def zoom(self, notches: float) -> None:
        """Nearer or farther."""
        self._glide, self.by_hand = None, True
        self.orbit = self.orbit.zoomed(notches)

    def key(self, key: str, boxes: Sequence[TileBox]) -> bool:
        """Shift and arrows turn the eye, plus and minus zoom, V looks from above, H shows all; whether it was one."""
        turns = {"shift+left": (1, 0), "shift+right": (-1, 0), "shift+up": (0, -1), "shift+down": (0, 1)}
        if key in turns:
            self.drag(turns[key][0] * KEY_TURN, turns[key][1] * KEY_TURN)
        elif key in ("+", "-", "shift++", "pageup", "pagedown"):
            self.zoom(-1 if key in ("-", "pagedown") else 1)
        elif key == "v":
            self.toggle_plan(boxes)
        elif key == "h":
            self.by_hand = False
            self.show(boxes)
        else:
            return False
        return True

    def follow(self, playback: Playback, t: float, seconds: float) -> None:
        """The eye goes with the wave and then back to the whole row, unless somebody has turned it."""
        if self.by_hand or self._glide is not None:
            return
        if self._chased is None or self._chased[0] is not playback:
            self._chased = playback, np.array(_points(fall_boxes(playback, playback.start)))
        if self._chase.orbit != self.orbit:
            self._chase = Chase(self.orbit)
        home = self.orbit.fit(self._chased[1], self._aspect, ROOM)
        front = playback.front(t) if t < playback.passed + AFTER_WAVE else None
        tallest = max(height for _depth, _breadth, height in playback.sizes)
        if front is not None and tallest < SMALLEST * home.span:
            home, front = home.at((*front, tallest / 2), CLOSE * tallest), None
        self._chase = self._chase.after(home, front, seconds)
        self.orbit = self._chase.orbit

    # What is under the mouse

    def point(self, x: float, y: float) -> tuple[float, float] | None:
        """The point of the table under a point of the window, m; None above the horizon."""
        return self.orbit.table_point(x - self.room.x, y - self.room.y, self._size)

    def tile_at(self, x: float, y: float, boxes: Sequence[TileBox]) -> int | None:
        """The value of the tile under a point of the window; None when there is none."""
        found = hit(boxes, self.orbit.ray(x - self.room.x, y - self.room.y, self._size))
        return None if found is None else boxes[found].value

    def outlines(self, tiles: Sequence[TileBox]) -> list[Rect]:
        """The rectangles of the window in which these tiles are seen, as far as they are in the view."""
        if not tiles:
            return []
        centres, axes = frames_of(tiles)
        corners = self.orbit.project_all(centres[:, None] + CORNERS @ axes, self._size)
        room = self.room
        inside = np.asarray(((corners >= 0) & (corners <= (room.width, room.height))).all(axis=2))
        found = []
        for spots in (spots[is_in] for spots, is_in in zip(corners, inside, strict=True) if is_in.any()):
            (x, y), (right, top) = spots.min(axis=0).tolist(), spots.max(axis=0).tolist()
            found.append(Rect(room.x + x, room.y + y, right - x, top - y))
        return found

    def crowns(self, tiles: Sequence[TileBox]) -> list[tuple[int, tuple[float, float]]]:
        """The values of these tiles, and where in the window the upper end of each is seen; nearest last."""
        far = sorted(tiles, key=lambda tile: math.dist(tile.position, self.orbit.eye), reverse=True)
        if not far:
            return []
        centres, axes = frames_of(far)
        corners = centres[:, None] + CORNERS @ axes
        spots = self.orbit.project_all(corners, self._size) + np.array([self.room.x, self.room.y])
        heights = corners[:, :, 2]
        found = []
        for tile, seen, height in zip(far, spots, heights, strict=True):
            upper = seen[height >= height.max() - 1e-9]
            x, y = float(upper[:, 0].mean()), float(seen[:, 1].max())
            if self.room.holds(x, y):
                found.append((tile.value, (x, y)))
        return found

    def seen(self, point: Vector) -> tuple[float, float] | None:
        """Where in the window a point of space is seen; None when it is not in the view."""
        found = self.orbit.project(point, self._size)
        if found is None:
            return None
        x, y = found[0] + self.room.x, found[1] + self.room.y
        return (x, y) if self.room.holds(x, y) else None

    # Drawing

    def draw(self, tiles: Sequence[TileBox], marks: Sequence[Mark], *, contrast: bool) -> None:
        """The table with these tiles."""
        room = self.room
        viewport = round(room.x), round(room.y), round(room.width), round(room.height)
        look, shown = Look(high_contrast=contrast), self._in_sight(tiles)
        self._table.draw(viewport, self.orbit, shown, marks=marks, look=look, moving=self.is_moving)

    def _in_sight(self, tiles: Sequence[TileBox]) -> Sequence[TileBox]:
        """Of very many tiles those in view, or so near it that their shadows may be."""
        if len(tiles) < MANY:
            return tiles
        spots = self.orbit.project_all(np.array([tile.position for tile in tiles]), self._size)
        half = np.array(self._size) / 2
        is_near = (np.abs(spots - half) <= BESIDE * half).all(axis=1)  # not so for what lies behind the eye
        return [tiles[place] for place in np.flatnonzero(is_near).tolist()]

    @property
    def _size(self) -> tuple[float, float]:
        return self.room.width, self.room.height

    @property
    def _aspect(self) -> float:
        return self.room.width / max(1.0, self.room.height)


def _points(boxes: Sequence[TileBox]) -> list[Vector]:
    """Corners of what is to be seen: the tiles, and room for another one."""
    found: list[Vector] = []
    for each in boxes:
        found += each.corners()
        x, y, _z = each.position
        for dx in (-ROOM_AROUND, ROOM_AROUND):
            found += [(x + dx, y - ROOM_AROUND * 0.5, 0.0), (x + dx, y + ROOM_AROUND * 0.5, 0.0)]
    return found
