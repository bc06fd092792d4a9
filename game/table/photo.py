"""A picture of a table as something that can be forecast: what was read, what is doubtful, how well it is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.board import MAT
from calibration.files import check_size, read_lens, read_mat
from game.match.ports import Pixels
from game.table.corrections import corrected, correction_in, no_correction
from game.text.report import fate_words, percent
from game.words import _, number
from physics.errors import SceneError
from physics.outcome import Fate
from physics.scene import Noise, Scene
from physics.tiles import TileSet
from vision.camera.mat import find_mat
from vision.camera.picture_files import load_picture
from vision.camera.pose import Sight
from vision.reader.order import row_order
from vision.reader.reading import Reading, ReadTile

SURE = 0.9  # confidence below which people are told that a tile is doubtful


@dataclass(frozen=True)
class Photo:
    """A table in a picture."""

    name: str
    picture: Pixels
    reading: Reading
    sight: Sight
    tile_set: TileSet

    @property
    def standing(self) -> tuple[ReadTile, ...]:
        """The tiles of the row, in order."""
        return tuple(tile for tile in self.reading.tiles if tile.state is Fate.STANDING)

    def scene(self) -> tuple[Scene, Noise]:
        """The row as a scene, known as well as it was read; SceneError when nothing stands or it is no row."""
        if not self.standing:
            raise SceneError("{file}: no standing tile was found on the mat.", file=self.name)
        scene = Scene(self.reading.line(self.tile_set))
        try:
            scene.check()
        except SceneError as error:
            raise SceneError("{where}: {reason}", where=self.name, reason=error) from None
        places = tuple((x / 1e3, y / 1e3, math.radians(yaw)) for x, y, yaw in (tile.sigma for tile in self.standing))
        return scene, Noise(places=places)

    def corrected(self, lines: Sequence[str]) -> Photo:
        """As people say that it is, by lines such as `7 is 8`; InputError when one is no correction or cannot be."""
        if not lines:
            return self
        tiles: Sequence[ReadTile] = self.reading.tiles
        for line in lines:
            correction = correction_in(line)
            if correction is None:
                raise no_correction(line)
            tiles = corrected(tiles, correction, self.tile_set)
        every = replace(self.reading, tiles=tuple(replace(tile, state=Fate.STANDING) for tile in tiles))
        order = row_order(every.line(self.tile_set).standing(), every.order)
        return replace(self, reading=replace(self.reading, tiles=tuple(tiles[index] for index in order)))


def read_photo(path: Path, camera: Path | None, markers: Path | None, tile_set: TileSet) -> Photo:
    """What stands in that picture. InputError when a file cannot be read or the mat is not in the picture."""
    from vision.reader.reader import read_picture

    lens = read_lens(camera) if camera is not None else None
    mat = read_mat(markers) if markers is not None else MAT
    picture = load_picture(path)
    if lens is not None:
        check_size(lens, (picture.shape[1], picture.shape[0]))
    view = find_mat(picture, lens, mat)
    reading = read_picture(picture, lens, mat, tile_set=tile_set, view=view)
    return Photo(path.name, picture, reading, view.sight, tile_set)


def doubts(photo: Photo) -> list[str]:
    """What people should know before they believe a forecast of that picture, a sentence each."""
    found = []
    for tile in photo.reading.tiles:
        if tile.state is not Fate.STANDING:
            found.append(
                _("Tile {value} is left out of the row: {state}.").format(
                    value=tile.value, state=fate_words(tile.state)
                )
            )
        elif tile.confidence < SURE:
            found.append(
                _(
                    "Tile {value} at x {x}, y {y} mm is doubtful ({sure}). If it is another one, say which: "
                    '--correct "{value} is {other}".'
                ).format(
                    value=tile.value,
                    x=number(tile.x, 0),
                    y=number(tile.y, 0),
                    sure=percent(tile.confidence),
                    other=_like(photo, tile),
                )
            )
    for one in photo.reading.unexplained:
        found.append(
            _("Something at x {x}, y {y} mm is not a tile of the set ({area} mm²).").format(
                x=number(one.x, 0), y=number(one.y, 0), area=number(one.area, 0)
            )
        )
    return found


def _like(photo: Photo, tile: ReadTile) -> int:
    """The tile most like it that is not on the table, as an example."""
    height = photo.tile_set[tile.value].height
    seen = {other.value for other in photo.reading.tiles}
    free = [kind for kind in photo.tile_set.tiles if kind.value not in seen]
    return min(free, key=lambda kind: abs(kind.height - height)).value if free else tile.value
