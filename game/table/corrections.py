"""What people say of a tile that was read wrong: `7 is 8`, or `8 at -12.5 30` in mm on the mat.

For a picture it is said once; before a camera it holds as long as the tile is read where it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from game.core import RuleError
from physics.errors import InputError
from physics.fields import shown
from physics.tiles import TileSet
from vision.reader.reading import ReadTile

NUMBER = r"[+-]?\d{1,6}(?:\.\d{0,6}|,\d{1,6})?"  # with a point or a comma
KEPT = 4.0  # mm: a tile that is read no farther from where it was corrected is still meant
FORM = re.compile(
    rf"(?P<value>\d{{1,6}})\s+(?:at\s+(?P<x>{NUMBER})[\s,]+(?P<y>{NUMBER})|is\s+(?P<other>\d{{1,6}}))", re.ASCII
)


@dataclass(frozen=True)
class Correction:
    """The tile that was read as that value is another one, or stands elsewhere."""

    value: int
    other: int | None = None
    place: tuple[float, float] | None = None  # mm on the mat


def correction_in(line: str) -> Correction | None:
    """What the line says; None when it is no correction."""
    found = FORM.fullmatch(line.strip())
    if found is None:
        return None
    if found["other"] is not None:
        return Correction(int(found["value"]), other=int(found["other"]))
    return Correction(int(found["value"]), place=(_number(found["x"]), _number(found["y"])))


def no_correction(line: str) -> InputError:
    """Says how a correction is written."""
    return InputError("{line} is not a correction; write 8 at -12.5 30 (mm on the mat) or 7 is 8.", line=shown(line))


def corrected(tiles: Sequence[ReadTile], correction: Correction, tile_set: TileSet) -> tuple[ReadTile, ...]:
    """The tiles as they stand then; of several with that value the one nearest to the place, or least sure.

    RuleError when there is no such tile or the other one is elsewhere, SceneError when the set has no such tile.
    """
    place, value, other = correction.place, correction.value, correction.other
    same = [tile for tile in tiles if tile.value == value]
    if not same:
        raise RuleError("The tile {value} is not seen on the table.", value=value)
    if place is not None:
        read = min(same, key=lambda tile: math.dist((tile.x, tile.y), place))
        better = replace(read, x=place[0], y=place[1], confidence=1.0)
    else:
        assert other is not None
        copies = tile_set.copies_of(other)
        if other != value and copies is not None and sum(tile.value == other for tile in tiles) >= copies:
            raise RuleError("The tile {value} is seen elsewhere on the table.", value=other)
        read = min(same, key=lambda tile: tile.confidence)
        better = replace(read, value=other, confidence=1.0)
    return tuple(better if tile is read else tile for tile in tiles)


class Corrections:
    """What people have said of the tiles on a watched table."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[ReadTile, ReadTile]] = {}  # as read, and as people say

    def __len__(self) -> int:
        return len(self._said)

    def clear(self) -> None:
        """Forgets them: other tiles stand there."""
        self._said.clear()

    def keep(self, read: ReadTile, better: ReadTile) -> None:
        """The tile that is read so stands so."""
        self._said[read.value] = read, better

    def applied(self, tiles: Sequence[ReadTile]) -> tuple[ReadTile, ...]:
        """The tiles as people say that they stand, as long as they are read where they were."""
        found = []
        for tile in tiles:
            read, better = self._said.get(tile.value, (tile, tile))
            is_same = (tile.x - read.x) ** 2 + (tile.y - read.y) ** 2 <= KEPT**2 and tile.state is read.state
            found.append(better if is_same and better is not read else tile)
        return tuple(found)

    def known_as(self, value: int, tiles: Sequence[ReadTile]) -> tuple[ReadTile, ReadTile]:
        """The tile that people see under that value: as it is read, and as they say that it stands.

        RuleError when there is none.
        """
        for tile, shown_tile in zip(tiles, self.applied(tiles), strict=True):
            if shown_tile.value == value:
                return tile, shown_tile
        raise RuleError("The tile {value} is not seen on the table.", value=value)


def _number(text: str) -> float:
    return float(text.replace(",", "."))
