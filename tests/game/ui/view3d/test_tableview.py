"""The eye over a row of hundreds of tiles: it goes close to the wave, and what is out of sight is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from game.film.boxes import TileBox, fall_boxes
from game.film.playback import Playback
from game.ui.toolkit.layout import Rect
from game.ui.view3d.tableview import CLOSE, MANY, TableView
from physics.line import Placement
from physics.trajectory import Trajectory

SIZE = (0.0075, 0.024, 0.048)
PITCH = 0.0275


def row(count: int) -> Playback:
    """Tiles that fall one after the other, a second for a metre, without moving from where they stand."""
    places = np.array([(PITCH * tile, 0.0, SIZE[2] / 2) for tile in range(count)])
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    fell_at = tuple(PITCH * tile for tile in range(count))
    times = np.array([0.0, fell_at[-1] + 1.0])
    motion = Trajectory.whole(times, np.stack([places] * 2), np.stack([turns] * 2))
    tiles = tuple(Placement(1, PITCH * tile, 0.0) for tile in range(count))
    return Playback(motion, tiles, (SIZE,) * count, fell_at, 0)


class Table:
    """Keeps the tiles that it was to draw."""

    def __init__(self) -> None:
        self.drawn: list[TileBox] = []

    def draw(self, _viewport: object, _orbit: object, tiles: list[TileBox], **_more: Any) -> None:
        self.drawn = list(tiles)


def followed(playback: Playback, until: float) -> tuple[TableView, list[TileBox]]:
    table: Any = Table()
    view = TableView(table)
    view.room = Rect(0, 0, 1280, 600)
    view.show(fall_boxes(playback, 0.0), 0.0)
    for frame in range(round(until * 60)):
        view.follow(playback, frame / 60, 1 / 60)
        view.update(1 / 60)
    view.draw(fall_boxes(playback, until), (), contrast=False)
    return view, table.drawn


def test_a_long_row_is_seen_from_close_by_where_it_falls() -> None:
    view, drawn = followed(row(600), 8.0)
    assert view.orbit.span == pytest.approx(CLOSE * SIZE[2], rel=0.1)
    assert view.orbit.target[0] == pytest.approx(8.0, abs=0.6)
    assert 20 < len(drawn) < 200
    assert all(abs(tile.position[0] - 8.0) < 4.0 for tile in drawn)
    seen = [tile for tile in fall_boxes(row(600), 8.0) if view.seen(tile.position) is not None]
    assert set(seen) <= set(drawn), "whatever is in view is drawn"


def test_a_short_row_is_seen_as_a_whole() -> None:
    playback = row(20)
    view, drawn = followed(playback, 0.4)
    assert len(drawn) == 20 < MANY
    assert all(view.seen(tile.position) is not None for tile in drawn)
