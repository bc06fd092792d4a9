"""A fall as files hold it, read as strictly as it was written: runs of their own, and the falls in a match's log.

What it says need not be true, but it can be: whoever shows it need not doubt a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from physics.errors import Number, SceneError
from physics.fields import Fields, Source, shown
from physics.line import MAX_TILES
from physics.outcome import Fate
from physics.record import Record, record_in
from physics.tiles import MAX_VALUE, Stance

RUN = "run"
LONGEST = 1e9  # s: thirty years
FARTHEST = 1e7  # mm; tiles fall on beside the table for as long as a run lasts
MAX_TURNED = 1e5  # degrees
LARGEST = 1e4  # mm, of a tile
UNEVEN = 1e-3  # by so much the length of a turn's four numbers may be off: they are rounded
_WORD = re.compile(r"[a-z][a-z0-9+_-]{0,30}")


def run_in(raw: bytes, path: Path) -> Record:
    """The run in a file, from its bytes; SceneError with file, line and reason if it is none or a value cannot be."""
    record = record_in(raw, path)
    header = {key: value for key, value in record.header.items() if key not in ("format", "version")}
    fields = Fields(Source(f"{path}:1", "", header))
    fields.choice("kind", None, (RUN,))
    values = check_fall(fields)
    fields.close()
    before, is_begun = 0.0, False
    for number, (t, kind, data) in enumerate(record.events, start=2):
        where = f"{path}:{number}"
        check_time(t, before, where)
        is_begun = is_begun or kind == "frame"
        if kind == "moved" and not is_begun:
            raise SceneError("{where}: tiles moved before there was a frame with all of them.", where=where)
        _check_event(Fields(Source(where, "", {kind: data})), kind, values)
        before = t
    return record


def check_time(t: float, before: float, where: str) -> None:
    """SceneError when an event cannot be of that time, s, after one of the time before."""
    if not before <= t <= LONGEST:
        raise SceneError(
            "{where}: the time is {t} s, but must be from {before} s, the time of the line before, to {most} s.",
            where=where,
            t=shown(t),
            before=Number(f"{before:g}"),
            most=f"{LONGEST:.0f}",
        )


def _check_event(fields: Fields, kind: str, values: Sequence[int]) -> None:
    if kind == "frame":
        frame = fields.value("frame")
        require(fields, "frame", frame, are_frames([[0.0, frame]], len(values)))
    elif kind == "moved":
        moved = fields.value("moved")
        require(fields, "moved", moved, _are_moves(moved, len(values)))
    elif kind == "fell":
        fell = fields.inner("fell")
        tile = fell.whole("tile", low=0, high=len(values) - 1)
        value = fell.value("value")
        require(fell, "value", value, value == values[tile])
        fell.close()
    elif kind == "outcome":
        outcome = fields.inner("outcome")
        fates: Any = outcome.value("fates")
        require(outcome, "fates", fates, are_fates(fates, len(values)))
        flag(outcome, "settled")
        all_fell = flag(outcome, "all_fell")
        require(outcome, "all_fell", all_fell, all_fell == all(fate == Fate.FALLEN.value for fate in fates))
        outcome.close()


# What runs and the falls of a match have in common


def check_fall(fields: Fields) -> tuple[int, ...]:
    """The values of the tiles that stood; SceneError when they, their table or what pushes them cannot be."""
    word(fields, "engine")
    fields.text("set")
    fields.number("step", low=0, high=1)
    tiles = fields.tables("tiles")
    if not 1 <= len(tiles) <= MAX_TILES:
        raise fields.refusal(
            "tiles", "{where}: {count} tiles; allowed are 1 to {most}.", count=len(tiles), most=MAX_TILES
        )
    values = tuple(map(_tile, tiles))
    table, push = fields.inner("table"), fields.inner("push")
    size: Any = table.value("size")
    is_size = is_list(size, 2) and all(is_number(each, 0, FARTHEST) for each in size)
    require(table, "size", size, size is None or is_size)
    word(push, "kind")
    push.whole("tile", low=0, high=len(tiles) - 1)
    push.number("yaw", low=-MAX_TURNED, high=MAX_TURNED)
    table.close()
    push.close()
    return values


def _tile(tile: Fields) -> int:
    value = tile.whole("value", low=0, high=MAX_VALUE)
    for key in ("x", "y"):
        tile.number(key, low=-FARTHEST, high=FARTHEST)
    tile.number("yaw", low=-MAX_TURNED, high=MAX_TURNED)
    tile.choice("stance", None, tuple(stance.value for stance in Stance))
    for key in ("depth", "breadth", "height"):
        tile.number(key, low=0, high=LARGEST)
    tile.close()
    return value


def are_fates(fates: Any, count: int) -> bool:
    """Whether they say of so many tiles what became of them."""
    words = [fate.value for fate in Fate]
    return is_list(fates, count) and all(each in words for each in fates)


def are_frames(frames: Any, count: int) -> bool:
    """Whether they are moments in order, each with seven finite numbers a tile, the last four a turn."""
    if not isinstance(frames, list) or not all(is_list(frame, 2) for frame in frames):
        return False
    if not frames:
        return True
    try:
        times, poses = np.array([frame[0] for frame in frames]), np.array([frame[1] for frame in frames])
    except ValueError:  # as many numbers in one moment as not in another
        return False
    if times.dtype.kind not in "if" or poses.dtype.kind not in "if" or poses.shape != (len(frames), count, 7):
        return False
    lengths = np.linalg.norm(poses[:, :, 3:], axis=2)
    return bool(
        np.all(np.diff(times) >= 0)
        and times[0] >= 0
        and times[-1] <= LONGEST
        and np.all(np.abs(poses[:, :, :3]) <= FARTHEST)
        and np.all(np.abs(lengths - 1) <= UNEVEN)
    )


def _are_moves(moves: Any, count: int) -> bool:
    """Whether they are poses of some of so many tiles, each after the tile's index and none twice."""
    if not isinstance(moves, list) or not all(is_list(move, 8) for move in moves):
        return False
    tiles = [move[0] for move in moves]
    if not all(is_whole(tile, 0, count - 1) for tile in tiles) or len(set(tiles)) < len(tiles):
        return False
    return not moves or are_frames([[0.0, [move[1:] for move in moves]]], len(moves))


# Single values


def require(fields: Fields, key: str, value: object, good: bool) -> None:
    """SceneError with the key when its value is not good."""
    if not good:
        named = f"{fields.table}.{key}" if fields.table else key
        raise fields.refusal(key, "{where}: {key} cannot be {value}.", key=named, value=shown(value))


def flag(fields: Fields, key: str) -> bool:
    """Yes or no; SceneError when it is neither."""
    value = fields.value(key)
    require(fields, key, value, isinstance(value, bool))
    return bool(value)


def word(fields: Fields, key: str) -> None:
    """A name that the program itself gives, such as an engine's; SceneError when it is none."""
    value = fields.value(key)
    require(fields, key, value, isinstance(value, str) and _WORD.fullmatch(value) is not None)


def is_list(value: Any, length: int) -> bool:
    """Whether it is a list of that length."""
    return isinstance(value, list) and len(value) == length


def is_whole(value: Any, low: int, high: int) -> bool:
    """Whether it is a whole number within the range."""
    return type(value) is int and low <= value <= high


def is_number(value: Any, low: float, high: float) -> bool:
    """Whether it is a number within the range."""
    return type(value) in (int, float) and low <= value <= high
