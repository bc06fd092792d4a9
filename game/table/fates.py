"""Whether a tile fell, by how it is read after the push."""

from __future__ import annotations

import math
from collections.abc import Sequence

from physics.errors import InputError, Number
from physics.line import Line
from physics.outcome import Fate
from vision.reader.reading import ReadTile

CERTAIN = 2.0  # times its error that a lean must be past the tipping angle, or short of it


def fates_of(line: Line, tiles: Sequence[ReadTile]) -> tuple[Fate, ...]:
    """What became of each tile of the line; InputError when that cannot be told of one of them."""
    seen = {tile.value: tile for tile in tiles}
    found = []
    for place, box in zip(line.placements, line.standing(), strict=True):
        tile = seen.get(place.value)
        if tile is None:
            raise InputError("The camera does not see the tile {value}: please say what fell.", value=place.value)
        found.append(fate_of(tile, math.degrees(box.tipping_angle)))
    return tuple(found)


def fate_of(tile: ReadTile, tipping: float) -> Fate:
    """Whether the tile fell, by its lean against its tipping angle, degrees; InputError when it may be either."""
    lean, doubt = abs(tile.lean), CERTAIN * tile.lean_sigma
    if tile.state is Fate.FALLEN and not lean:
        return Fate.FALLEN
    if tile.state is Fate.STANDING and not lean:
        return Fate.STANDING
    if lean - doubt > tipping:
        return Fate.FALLEN
    if lean + doubt <= tipping:
        return Fate.STANDING if tile.state is Fate.STANDING else Fate.LEANING
    raise InputError(
        "The tile {value} leans {lean}° ± {sigma}°, and falls from {limit}° on: please say whether it fell.",
        value=tile.value,
        lean=Number(f"{lean:.1f}"),
        sigma=Number(f"{tile.lean_sigma:.1f}"),
        limit=Number(f"{tipping:.1f}"),
    )
