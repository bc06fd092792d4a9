"""A row that falls at a watched table without a match: what became of it, when, and how fast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from game.table.camera import TableCamera
from game.table.fates import fate_of
from physics.errors import InputError
from physics.outcome import Fate
from physics.tiles import TileSet
from vision.reader.order import row_order
from vision.reader.reading import ReadTile
from vision.reader.seen_table import SeenTable
from vision.watching.fall_times import Fall, FallFilm, fall_of, tipping_angle


@dataclass(frozen=True)
class RowFall:
    """What a camera saw of a row that fell, from the end that fell first on."""

    tiles: tuple[ReadTile, ...]  # as they stood
    fates: tuple[Fate | None, ...]  # None: it cannot be told
    fall: Fall


class FallWatch:
    """Remembers the row as it last stood. Films all the time: nobody says when somebody is about to push."""

    def __init__(self, camera: TableCamera) -> None:
        self._camera, self._eye = camera, camera.eye
        self._stood: SeenTable | None = None
        self._calms = 0
        self._eye.is_filming = True

    def look(self) -> RowFall | None:
        """What fell since, once the table rests; None when nothing did, or it was told already."""
        view = self._eye.view
        if not view.is_calm or view.seen is None or view.calms == self._calms:
            return None
        self._calms = view.calms
        stood, self._stood = self._stood, None
        if all(tile.state is Fate.STANDING for tile in view.tiles):
            self._stood = view.seen
        if stood is None or self._stood is not None or len(stood.reading.tiles) < 2:  # one tile is no row
            self._eye.film.clear()
            return None
        said = self._camera.corrected(stood.reading.tiles)
        return row_fall(stood, said, view.tiles, self._eye.tile_set, self._eye.film)


def row_fall(
    stood: SeenTable, said: tuple[ReadTile, ...], now: Sequence[ReadTile], tile_set: TileSet, film: FallFilm
) -> RowFall:
    """What became of tiles that stood like that, by a reading after it and the film in between.

    `said`: the same tiles as people say that they stood.
    """
    line = replace(stood.reading, tiles=said).line(tile_set)
    along = row_order(line.standing(), [tile.value for tile in said])
    tiles = tuple(said[k] for k in along)
    read = {tile.value: tile for tile in now}
    fates = [
        _fate(read.get(stood.reading.tiles[k].value), tipping_angle(tile, tile_set))
        for k, tile in zip(along, tiles, strict=True)
    ]
    down = [fate is Fate.FALLEN for fate in fates]
    order = list(range(len(tiles)))
    sight = stood.view.sight
    fall = fall_of(film, tiles, down, tile_set, sight, order)
    first, last = (_at(fall.fell_at[index]) for index in (0, -1))
    if last < first:  # it was pushed at the other end
        tiles, fates, down = tiles[::-1], fates[::-1], down[::-1]
        fall = fall_of(film, tiles, down, tile_set, sight, order)
    return RowFall(tiles, tuple(fates), fall)


def _at(time: float | None) -> float:
    return math.inf if time is None else time


def _fate(tile: ReadTile | None, tipping: float) -> Fate | None:
    """Whether it fell, by its lean against its tipping angle, rad; None when it is not seen or may be either."""
    try:
        return None if tile is None else fate_of(tile, math.degrees(tipping))
    except InputError:
        return None
