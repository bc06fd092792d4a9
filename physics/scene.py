"""A scene: a line on a table and the push that sets it going; line files in and out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from physics.errors import Number, SceneError
from physics.fields import Fields, read_toml
from physics.line import MAX_DISTANCE, MAX_TILES, Line, Placement, Standing
from physics.tile_theory import GRAVITY
from physics.tiles import MAX_VALUE, Stance, load_set
from physics.toml_text import Table as Entries
from physics.toml_text import Value, toml_text

ENDS = ("auto", "first", "last")
MIN_TILE_FRICTION = 1e-4  # of one tile, for engines that multiply the frictions of two: none at all would slip on all

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Table:
    """What the tiles stand on."""

    friction: float = 0.5  # tile on table
    tile_friction: float = 0.25  # tile on tile
    restitution: float = 0.2
    tilt: tuple[float, float] = (0.0, 0.0)  # rad, about x, then about y
    size: tuple[float, float] | None = None  # m; None: no edge

    @property
    def friction_of_a_tile(self) -> float:
        """What each tile has in engines that multiply the frictions of two that touch; never none at all."""
        return max(math.sqrt(self.tile_friction), MIN_TILE_FRICTION)

    @property
    def gravity(self) -> Vector:
        """Gravity as the tilted table feels it, m/s²."""
        about_x, about_y = self.tilt
        return GRAVITY * np.array(
            [
                math.sin(about_y),
                -math.cos(about_y) * math.sin(about_x),
                -math.cos(about_y) * math.cos(about_x),
            ]
        )


@dataclass(frozen=True, slots=True)
class Finger:
    """The light touch: the end tile is tilted slowly just past its tipping angle and let go at rest."""

    margin: float = math.radians(0.5)  # rad past the tipping angle
    end: str = "auto"


@dataclass(frozen=True, slots=True)
class Tap:
    """The rig's arm: a short blow on the rear face of the end tile."""

    impulse: float  # N·s
    height: float  # m above the table
    end: str = "auto"


@dataclass(frozen=True, slots=True)
class Tilt:
    """The table itself is tilted slowly towards the far end of the row until something falls."""

    rate: float = math.radians(2)  # rad/s
    limit: float = math.radians(20)  # rad
    end: str = "auto"


@dataclass(frozen=True, slots=True)
class Spin:
    """The end tile starts upright, turning about its lower edge: how the laws of falling rows are stated."""

    rate: float  # rad/s
    end: str = "auto"


@dataclass(frozen=True, slots=True)
class Press:
    """A steady horizontal force on the rear face of the end tile, to find what tips it and what slides it."""

    force: float  # N
    height: float  # m above the table
    end: str = "auto"


Push = Finger | Tap | Tilt | Spin | Press


@dataclass(frozen=True, slots=True)
class Noise:
    """How well a scene is known: standard deviations. The default is what the table camera can promise."""

    position: float = 0.7e-3  # m, in x and in y
    yaw: float = math.radians(1.0)  # rad
    friction: float = 0.1  # relative, tile on table and tile on tile each
    restitution: float = 0.2  # relative
    push: float = 0.2  # relative
    places: tuple[tuple[float, float, float], ...] = ()  # of each tile's x, y (m) and yaw (rad), where they differ

    def of_tiles(self, count: int) -> tuple[tuple[float, float, float], ...]:
        """How well x and y (m) and yaw (rad) of each of so many tiles are known."""
        return self.places or ((self.position, self.position, self.yaw),) * count


@dataclass(frozen=True)
class Scene:
    """Line + table + push."""

    line: Line
    table: Table = field(default_factory=Table)
    push: Push = field(default_factory=Finger)

    @property
    def pushed(self) -> int:
        """Index of the tile that is pushed: of the two ends the one with the lower value, unless an end is named."""
        values = self.line.values
        if self.push.end == "auto":
            return len(values) - 1 if values[-1] < values[0] else 0
        return 0 if self.push.end == "first" else len(values) - 1

    @property
    def push_order(self) -> tuple[int, ...]:
        """The row's indexes from the pushed end on."""
        order = tuple(range(len(self.line)))
        return order if self.pushed == 0 else order[::-1]

    @property
    def push_yaw(self) -> float:
        """The way the pushed tile's face looks towards the rest of the row, rad."""
        tile = self.line.placements[self.pushed]
        if len(self.line) == 1:
            return tile.yaw
        other = self.line.placements[self.push_order[1]]
        ahead = (other.x - tile.x) * math.cos(tile.yaw) + (other.y - tile.y) * math.sin(tile.yaw)
        return tile.yaw if ahead >= 0 else tile.yaw + math.pi

    def release_lean(self, box: Standing) -> float:
        """Lean at which the finger lets go of that tile, rad: past the balance that the table's tilt leaves."""
        if not isinstance(self.push, Finger):
            return 0.0
        gravity = self.table.gravity
        ahead = gravity[0] * math.cos(self.push_yaw) + gravity[1] * math.sin(self.push_yaw)
        downhill = math.atan2(ahead, -gravity[2])
        return max(0.0, box.tipping_angle - downhill + self.push.margin)

    def with_placements(self, placements: tuple[Placement, ...]) -> Scene:
        """The same scene with its tiles moved."""
        return replace(self, line=replace(self.line, placements=placements))

    def check(self) -> None:
        """SceneError with the gravest problem of the line, or of the push, if there is one."""
        self._check_count()
        for problem in self.line.problems(self.table.size):
            raise problem.error()
        self._check_push()

    def check_runnable(self) -> None:
        """SceneError with what keeps an engine from running it: a row that branches or closes can be run."""
        self._check_count()
        if self.line.overlaps():
            raise next(problem.error() for problem in self.line.problems() if problem.kind in ("too many", "overlap"))
        self._check_push()

    def _check_count(self) -> None:
        if len(self.line) == 0:
            raise SceneError("The line has no tile; it needs at least one [[tile]].")
        if len(self.line) > MAX_TILES:
            raise SceneError(
                "The line has {count} tiles; allowed are at most {limit}.", count=len(self.line), limit=MAX_TILES
            )

    def _check_push(self) -> None:
        height = self.line.standing()[self.pushed].height
        if isinstance(self.push, Tap | Press) and self.push.height > height:
            raise SceneError(
                "The push at {given} mm goes over the end tile {value}, which is {height} mm high.",
                given=Number(f"{self.push.height * 1e3:g}"),
                value=self.line.values[self.pushed],
                height=Number(f"{height * 1e3:g}"),
            )


def read_line_file(path: Path) -> tuple[Scene, Noise]:
    """The scene of a line file and how well its numbers are known; SceneError with file and line when wrong."""
    source = read_toml(path)
    top = Fields(source)
    set_name = top.text("set")
    table = _read_table(top.inner("table"))
    push = _read_push(top.inner("push"))
    noise = _read_noise(top.inner("noise"))
    entries = top.tables("tile")
    top.close()
    if len(entries) > MAX_TILES:
        raise SceneError(
            "{file}: the line has {count} tiles; allowed are at most {limit}.",
            file=source.name,
            count=len(entries),
            limit=MAX_TILES,
        )
    try:
        tile_set = load_set(set_name, beside=path.parent)
    except SceneError as error:
        raise SceneError("{where}: {reason}", where=source.where("", 0, "set"), reason=error) from None
    sigmas = [_read_sigma(entry) for entry in entries]
    placements = tuple(_read_placement(entry) for entry in entries)
    if any(sigma is not None for sigma in sigmas):
        same = (noise.position, noise.position, noise.yaw)
        noise = replace(noise, places=tuple(same if sigma is None else sigma for sigma in sigmas))
    scene = Scene(Line(tile_set, placements), table, push)
    try:
        scene.check()
    except SceneError as error:
        raise SceneError("{where}: {reason}", where=source.name, reason=error) from None
    return scene, noise


def _read_table(table: Fields) -> Table:
    default = Table()
    flat = math.degrees(default.tilt[0]), math.degrees(default.tilt[1])
    tilt = table.pair("tilt", flat, low=-45, high=45, unit="°")
    size = table.pair("size", None, low=10, high=80_000, unit="mm") if table.has("size") else None
    found = Table(
        friction=table.number("friction", default.friction, low=0, high=10),
        tile_friction=table.number("tile_friction", default.tile_friction, low=0, high=10),
        restitution=table.number("restitution", default.restitution, low=0, high=1),
        tilt=(math.radians(tilt[0]), math.radians(tilt[1])),
        size=default.size if size is None else (size[0] / 1e3, size[1] / 1e3),
    )
    table.close()
    return found


def _read_push(table: Fields) -> Push:
    kind = table.choice("kind", "finger", ("finger", "tap", "tilt"))
    end = table.choice("end", Finger().end, ENDS)
    push: Push
    if kind == "finger":
        push = Finger(_read_angle(table, "margin", Finger().margin, low=0, high=45, unit="°"), end)
    elif kind == "tap":
        impulse = table.number("impulse", low=0, high=100_000, unit="mN·s") / 1e3
        push = Tap(impulse, table.number("height", low=0, high=10_000, unit="mm") / 1e3, end)
    else:
        rate = _read_angle(table, "rate", Tilt().rate, low=0.1, high=90, unit="°/s")
        push = Tilt(rate, _read_angle(table, "limit", Tilt().limit, low=0, high=60, unit="°"), end)
    table.close()
    return push


def _read_angle(fields: Fields, key: str, default: float, *, low: float, high: float, unit: str) -> float:
    """An angle or a rate in degrees, in radians."""
    return math.radians(fields.number(key, math.degrees(default), low=low, high=high, unit=unit))


def _read_noise(table: Fields) -> Noise:
    default = Noise()
    found = Noise(
        position=table.number("position", default.position * 1e3, low=0, high=100, unit="mm") / 1e3,
        yaw=_read_angle(table, "yaw", default.yaw, low=0, high=45, unit="°"),
        friction=table.number("friction", default.friction, low=0, high=1),
        restitution=table.number("restitution", default.restitution, low=0, high=1),
        push=table.number("push", default.push, low=0, high=1),
    )
    table.close()
    return found


def _read_sigma(entry: Fields) -> tuple[float, float, float] | None:
    """How well this tile's place is known; None where it is known as well as the others."""
    if not entry.has("sigma"):
        return None
    x, y, yaw = entry.numbers("sigma", count=3, low=0, high=45)
    return x / 1e3, y / 1e3, math.radians(yaw)


def _read_placement(entry: Fields) -> Placement:
    placement = Placement(
        value=entry.whole("value", low=0, high=MAX_VALUE),
        x=entry.number("x", low=-1e3 * MAX_DISTANCE, high=1e3 * MAX_DISTANCE, unit="mm") / 1e3,
        y=entry.number("y", low=-1e3 * MAX_DISTANCE, high=1e3 * MAX_DISTANCE, unit="mm") / 1e3,
        yaw=_read_angle(entry, "yaw", 0.0, low=-3600, high=3600, unit="°"),
        stance=Stance(entry.choice("stance", "upright", tuple(stance.value for stance in Stance))),
    )
    entry.close()
    return placement


def line_file_text(scene: Scene, noise: Noise, set_name: str) -> str:
    """The scene as the text of a line file, which reads back to the same scene.

    SceneError when the push is one that files do not know (they know finger, tap and tilt).
    """
    noise_at_large = {
        "position": _milli(noise.position),
        "yaw": _degrees(noise.yaw),
        "friction": noise.friction,
        "restitution": noise.restitution,
        "push": noise.push,
    }
    return toml_text(
        {
            "set": set_name,
            "table": _table_entries(scene.table),
            "push": _push_entries(scene.push),
            "noise": noise_at_large,
            "tile": [
                _tile_entries(placement, noise.places[index] if noise.places else None)
                for index, placement in enumerate(scene.line.placements)
            ],
        }
    )


def _table_entries(table: Table) -> Entries:
    entries: dict[str, Value] = {
        "friction": table.friction,
        "tile_friction": table.tile_friction,
        "restitution": table.restitution,
        "tilt": [_degrees(angle) for angle in table.tilt],
    }
    if table.size is not None:
        entries["size"] = [_milli(side) for side in table.size]
    return entries


def _push_entries(push: Push) -> Entries:
    match push:
        case Finger():
            return {"kind": "finger", "margin": _degrees(push.margin), "end": push.end}
        case Tap():
            return {"kind": "tap", "impulse": _milli(push.impulse), "height": _milli(push.height), "end": push.end}
        case Tilt():
            return {"kind": "tilt", "rate": _degrees(push.rate), "limit": _degrees(push.limit), "end": push.end}
        case _:
            raise SceneError("A line file has no push {kind}.", kind=type(push).__name__)


def _tile_entries(placement: Placement, sigma: tuple[float, float, float] | None) -> Entries:
    entries: dict[str, Value] = {
        "value": placement.value,
        "x": _milli(placement.x),
        "y": _milli(placement.y),
        "yaw": _degrees(placement.yaw),
        "stance": placement.stance.value,
    }
    if sigma is not None:
        entries["sigma"] = [_milli(sigma[0]), _milli(sigma[1]), _degrees(sigma[2])]
    return entries


def _milli(value: float) -> float:
    return round(float(value) * 1e3, 9)


def _degrees(value: float) -> float:
    return round(math.degrees(value), 9)
