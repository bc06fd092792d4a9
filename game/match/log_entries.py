"""What each kind of entry of a match's log looks like: keys, types and ranges, read as strictly as they are written.

Whether the rules allow what an entry says is another question: see `game.match.reading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from game.core import TABLE
from game.match.log import Entry
from game.match.ports import DIFFERENCES, RigStage
from game.match.steps import Sight
from physics.fields import Fields, Source
from physics.harmless import harmless
from physics.line import MAX_TILES
from physics.outcome import OutcomeSource, verdict_of
from physics.predict import CONFIDENCES
from physics.run_file import are_fates, are_frames, check_fall, flag, is_list, is_number, is_whole, require, word
from physics.tiles import MAX_VALUE

MAX_LETTERS = 400  # of a move
MAX_WORDS = 4000  # letters of what people are told, such as what is wrong with a rig
MAX_NUMBER = 1e9  # a time or a count beyond it is nobody's
_KEY = re.compile(r"[0-9a-f]{16}")


def check_entry(entry: Entry, seats: int, where: str) -> None:
    """SceneError with the key when the entry is none that a match of so many seats writes.

    Kinds that are not known are passed over.
    """
    check = _CHECKS.get(entry.kind)
    if check is not None:
        fields = Fields(Source(where, "", dict(entry.data)))
        check(fields, seats)
        fields.close()


def _move(fields: Fields, seats: int) -> None:
    seat = fields.whole("seat", low=TABLE, high=seats - 1)
    _text(fields, "move", MAX_LETTERS)
    if fields.has("by"):
        by = fields.whole("by", low=0, high=seats - 1)
        if seat != TABLE:
            raise fields.refusal(
                "by", "{where}: by is {value}, but another player can speak only for the table.", value=by
            )


def _undo(fields: Fields, seats: int) -> None:
    fields.whole("seat", low=0, high=seats - 1)
    fields.whole("of", low=1, high=int(MAX_NUMBER))


def _correction(fields: Fields, seats: int) -> None:
    _undo(fields, seats)
    _text(fields, "move", MAX_LETTERS)


def _forecast(fields: Fields, _seats: int) -> None:
    _scene(fields)
    if fields.has("failed"):
        reason = fields.value("failed")  # nobody is shown it
        require(fields, "failed", reason, isinstance(reason, str))
        return
    values: Any = fields.value("values")
    is_row = isinstance(values, list) and 2 <= len(values) <= MAX_TILES
    require(fields, "values", values, is_row and all(is_whole(each, 0, MAX_VALUE) for each in values))
    interval = _interval(fields, "interval", 0, 1)
    low, high = _interval(fields, "sampling", *interval)  # doubt about contacts only widens it
    probability = fields.number("probability", low=low, high=high)
    fields.number("confidence", low=CONFIDENCES[0], high=CONFIDENCES[1])
    fields.choice("verdict", None, (verdict_of(interval),))
    fields.whole("samples", low=1, high=int(MAX_NUMBER))
    fields.numbers("tile_falls", count=len(values), low=probability, high=1)  # it falls with all, or alone
    weakest = fields.value("weakest_at")
    require(fields, "weakest_at", weakest, weakest is None or is_whole(weakest, 0, len(values) - 2))
    fields.whole("pushed", low=0, high=len(values) - 1)
    word(fields, "engine")
    fields.value("seed")  # nobody is shown it


def _interval(fields: Fields, key: str, low: float, high: float) -> tuple[float, float]:
    bounds = fields.pair(key, None, low=low, high=high)
    require(fields, key, list(bounds), bounds[0] <= bounds[1])
    return bounds


def _outcome(fields: Fields, seats: int) -> None:
    _fall(fields)
    _text(fields, "move", MAX_LETTERS)
    if fields.has("by"):
        fields.whole("by", low=0, high=seats - 1)


def _knocked(fields: Fields, seats: int) -> None:
    fields.whole("seat", low=0, high=seats - 1)
    _fall(fields)


def _fall(fields: Fields) -> None:
    """A fall with its motion, as `game.match.judge.outcome_data` writes it."""
    _scene(fields)
    fields.choice("judge", None, tuple(source.value for source in OutcomeSource))
    count = len(check_fall(fields))
    fates = fields.value("fates")
    require(fields, "fates", fates, fates is None or are_fates(fates, count))
    ended = fields.number("ended", low=0, high=MAX_NUMBER)
    times: Any = fields.value("fell_at")
    is_timed = is_list(times, count) and all(each is None or is_number(each, 0, ended) for each in times)
    require(fields, "fell_at", times, is_timed)
    flag(fields, "all_fell")
    flag(fields, "settled")
    frames = fields.value("frames")
    require(fields, "frames", frames, are_frames(frames, count))


def _sight(fields: Fields, _seats: int) -> None:
    fields.choice("sight", None, tuple(sight.value for sight in Sight))
    for each in fields.tables("differences"):
        each.choice("kind", None, DIFFERENCES)
        value = each.value("value")
        require(each, "value", value, value is None or is_whole(value, 0, MAX_VALUE))
        each.number("by", low=0, high=MAX_NUMBER)
        each.close()


def _rig(fields: Fields, _seats: int) -> None:
    fields.choice("stage", None, tuple(stage.value for stage in RigStage))
    _text(fields, "trouble", MAX_WORDS)
    link: Any = fields.value("link") if fields.has("link") else {}
    is_count = isinstance(link, dict) and all(each is None or is_number(each, 0, MAX_NUMBER) for each in link.values())
    require(fields, "link", link, is_count)


def _site(fields: Fields, _seats: int) -> None:
    fields.pair("tilt", None, low=-90, high=90)
    flag(fields, "tapped")


def _result(fields: Fields, seats: int) -> None:
    fields.numbers("scores", count=seats, low=-MAX_NUMBER, high=MAX_NUMBER)
    winners: Any = fields.value("winners")
    is_seats = isinstance(winners, list) and all(is_whole(each, 0, seats - 1) for each in winners)
    require(fields, "winners", winners, is_seats and len(set(winners)) == len(winners))


_CHECKS: Mapping[str, Callable[[Fields, int], None]] = MappingProxyType(
    {
        "move": _move,
        "undo": _undo,
        "correction": _correction,
        "forecast": _forecast,
        "outcome": _outcome,
        "knocked": _knocked,
        "sight": _sight,
        "rig": _rig,
        "site": _site,
        "result": _result,
    }
)


def _scene(fields: Fields) -> None:
    value = fields.value("scene")
    require(fields, "scene", value, isinstance(value, str) and _KEY.fullmatch(value) is not None)


def _text(fields: Fields, key: str, most: int) -> None:
    """A text of at most so many letters, all of them seen."""
    value: Any = fields.value(key)
    is_text = isinstance(value, str) and len(value) <= most and harmless(value) == value
    require(fields, key, value, is_text)
