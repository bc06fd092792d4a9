"""Tiles and the sets they come from."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from physics.errors import SceneError
from physics.fields import Fields, read_toml, shown

MAX_COPIES = 100_000
MAX_VALUE = 999_999


class Stance(enum.Enum):
    """How a tile stands: on its end, or on its long edge. A tile lying flat does not stand."""

    UPRIGHT = "upright"
    SIDE = "side"


@dataclass(frozen=True, slots=True)
class Tile:
    """One piece of a set."""

    value: int
    width: float  # m, the short side of the broad face
    thickness: float  # m
    height: float  # m, the long side of the broad face
    mass: float  # kg

    def standing_height(self, stance: Stance) -> float:
        """Height above the table, m."""
        return self.height if stance is Stance.UPRIGHT else self.width

    def breadth(self, stance: Stance) -> float:
        """Extent along the table and across the row, m."""
        return self.width if stance is Stance.UPRIGHT else self.height

    def tipping_angle(self, stance: Stance) -> float:
        """Lean at which the tile balances on its edge, rad."""
        return math.atan2(self.thickness, self.standing_height(stance))


@dataclass(frozen=True, slots=True)
class TileSet:
    """The tiles one may build with, and how many there are of each (None: as many as you like)."""

    name: str
    tiles: tuple[Tile, ...]
    copies: tuple[int | None, ...]

    def __contains__(self, value: int) -> bool:
        return any(tile.value == value for tile in self.tiles)

    def __getitem__(self, value: int) -> Tile:
        """The tile of that value; SceneError when the set has none."""
        for tile in self.tiles:
            if tile.value == value:
                return tile
        raise SceneError(
            "The set {set} has no tile {value}; it has {values}.",
            set=self.name,
            value=value,
            values=spell_values([tile.value for tile in self.tiles]),
        )

    def copies_of(self, value: int) -> int | None:
        """How many tiles of that value there are; None: as many as you like. SceneError when unknown."""
        return self.copies[self.tiles.index(self[value])]


def equal_tiles(
    *, height: float, width: float, thickness: float, density: float = 700.0, name: str = "equal"
) -> TileSet:
    """A set of any number of one tile of value 1; metres and kg/m³."""
    tile = Tile(1, width, thickness, height, density * height * width * thickness)
    return TileSet(name, (tile,), (None,))


def growing_tiles(first: Tile, factor: float, count: int, name: str = "growing") -> TileSet:
    """A set of one tile per size: every dimension grows by the factor from one value to the next."""
    tiles = tuple(
        Tile(
            i + 1,
            first.width * factor**i,
            first.thickness * factor**i,
            first.height * factor**i,
            first.mass * factor ** (3 * i),
        )
        for i in range(count)
    )
    return TileSet(name, tiles, (1,) * count)


def set_names() -> list[str]:
    """The names of the sets that come with topple."""
    folder = resources.files("physics") / "sets"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def load_set(name: str, beside: Path | None = None) -> TileSet:
    """The tile set of that name, or read from that path (relative to `beside`); SceneError when it is wrong."""
    if name in set_names():
        with resources.as_file(resources.files("physics") / "sets" / f"{name}.toml") as path:
            return _read_set(path)
    if name.endswith(".toml"):
        return _read_set((beside or Path()) / name)
    raise SceneError(
        "There is no tile set {set}; allowed is {names}, or the path of a .toml file.",
        set=shown(name),
        names=", ".join(set_names()),
    )


def _read_set(path: Path) -> TileSet:
    top = Fields(read_toml(path))
    name = top.text("name", default=path.stem)
    tiles: list[Tile] = []
    values: set[int] = set()
    copies: list[int | None] = []
    for entry in top.tables("tile"):
        tile = Tile(
            value=entry.whole("value", low=0, high=MAX_VALUE),
            width=entry.number("width", low=1, high=2_000, unit="mm") / 1e3,
            thickness=entry.number("thickness", low=1, high=2_000, unit="mm") / 1e3,
            height=entry.number("height", low=1, high=2_000, unit="mm") / 1e3,
            mass=entry.number("mass", low=1e-4, high=1_000_000, unit="g") / 1e3,
        )
        if tile.value in values:
            raise entry.refusal("value", "{where}: the tile {value} is in the set twice.", value=tile.value)
        values.add(tile.value)
        copies.append(entry.whole_or_any("copies", 1, low=1, high=MAX_COPIES))
        entry.close()
        tiles.append(tile)
    top.close()
    if not tiles:
        raise SceneError("{file}: the set has no tile; it needs at least one [[tile]].", file=str(path))
    return TileSet(name, tuple(tiles), tuple(copies))


def spell_values(values: list[int]) -> str:
    """Values as people write them: 1–11, or 1, 4, 9."""
    if len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]}–{values[-1]}"
    shown = ", ".join(map(str, values[:12]))
    return shown if len(values) <= 12 else shown + ", …"
