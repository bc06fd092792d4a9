"""The moves of Evaluation Domino and how they are written.

    stand 8 at 31.25 0 yaw 0 upright last          a tile of the supply at an end of the row (first or last)
    insert 5 at 9.75 0 yaw 0 side between 6 and 8  a tile of the supply between two neighbours
    move 9 at -40 2.5 yaw 10 upright first         an inner tile of the row to one of its ends
    pass, call                                     after another player's placement
    vote success, vote failure
    push                                           by the player who placed
    fell, stood, stood 4 9                         by the table: all fell; some stand; these stand
    accident 1                                     seat 1 knocked the row over, said by anybody

Lengths are millimetres and angles degrees. The written form is exact: reading it gives the same move to the last bit.
"""

from __future__ import annotations

import enum
import math
import re
from dataclasses import dataclass
from decimal import Context, Decimal

from game.core import RuleError
from physics.errors import Number
from physics.fields import shown
from physics.line import MAX_DISTANCE, Placement
from physics.tiles import Stance


class End(enum.Enum):
    """The two ends of a row."""

    FIRST = "first"
    LAST = "last"


Spot = End | tuple[int, int]
"""A tile's place in the row: an end, or between the two neighbours of these values."""


@dataclass(frozen=True, slots=True)
class Stand:
    """A tile is stood in the row: one of the supply, or an inner tile that was lifted out of the row."""

    placement: Placement
    spot: Spot
    lifted: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """No call from this seat."""


@dataclass(frozen=True, slots=True)
class Call:
    """'Domino!'"""


@dataclass(frozen=True, slots=True)
class Vote:
    """A side of the token, chosen in secret."""

    success: bool


@dataclass(frozen=True, slots=True)
class Push:
    """The light touch at the end of the row with the lower value."""


@dataclass(frozen=True, slots=True)
class FallReport:
    """What the table shows after the push."""

    fell: bool  # all of it
    standing: tuple[int, ...] = ()  # the values that did not fall, as far as they were told


@dataclass(frozen=True, slots=True)
class Accident:
    """The row was knocked over by mistake."""

    seat: int  # who did it


Move = Stand | Pass | Call | Vote | Push | FallReport | Accident

MAX_TURNED = 20 * math.pi  # rad
LONGEST_NUMBER = 30  # letters; tiny numbers beyond are written with an exponent

_EXACT = Context(prec=60)
_RADIAN = Decimal("0.0174532925199432957692369076848861271344287188854172546")  # rad in a degree
_NUMBER = r"([-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:e[-+]?\d{1,3})?)"
_PLACE = rf"(\d{{1,6}}) at {_NUMBER} {_NUMBER} yaw {_NUMBER} (upright|side)"
_FORMS = {
    "stand": re.compile(rf"(stand|move) {_PLACE} (first|last)"),
    "insert": re.compile(rf"insert {_PLACE} between (\d{{1,6}})(?: and)? (\d{{1,6}})"),
    "stood": re.compile(r"stood((?: \d{1,6}){0,99})"),
    "accident": re.compile(r"accident (\d{1,6})"),
}
_PLAIN: dict[str, Move] = {
    "pass": Pass(),
    "call": Call(),
    "push": Push(),
    "fell": FallReport(True),
    "vote success": Vote(True),
    "vote failure": Vote(False),
}


def write(move: Move) -> str:
    """The move as one line, which `read` turns back into the same move."""
    match move:
        case Stand(tile, End() as end, lifted):
            return f"{'move' if lifted else 'stand'} {_place_text(tile)} {end.value}"
        case Stand(tile, (before, after)):
            return f"insert {_place_text(tile)} between {before} and {after}"
        case FallReport(False, standing):
            return " ".join(["stood", *map(str, standing)])
        case Accident(seat):
            return f"accident {seat}"
    return next(text for text, plain in _PLAIN.items() if plain == move)


def read(text: str) -> Move:
    """The move that is meant, capitals and spaces aside; RuleError when the text is none."""
    words = " ".join(text.lower().replace("\N{MINUS SIGN}", "-").replace(",", " ").split())
    if words in _PLAIN:
        return _PLAIN[words]
    if found := _FORMS["stand"].fullmatch(words):
        verb, *place, end = found.groups()
        return Stand(_placement(place), End(end), lifted=verb == "move")
    if found := _FORMS["insert"].fullmatch(words):
        *place, before, after = found.groups()
        return Stand(_placement(place), (int(before), int(after)))
    if found := _FORMS["stood"].fullmatch(words):
        return FallReport(False, tuple(map(int, found[1].split())))
    if found := _FORMS["accident"].fullmatch(words):
        return Accident(int(found[1]))
    raise RuleError(
        "{text} is not a move; moves are written like {examples}.",
        text=shown(text),
        examples='"stand 8 at 31.25 0 yaw 0 upright last", "insert 5 at 9.75 0 yaw 0 side between 6 and 8", '
        '"move 9 at -40 2.5 yaw 10 upright first", "pass", "call", "vote success", "vote failure", "push", '
        '"fell", "stood 4 9", "accident 1"',
    )


def _place_text(tile: Placement) -> str:
    return f"{tile.value} at {_milli(tile.x)} {_milli(tile.y)} yaw {_degrees(tile.yaw)} {tile.stance.value}"


def _placement(words: list[str]) -> Placement:
    value, x, y, yaw, stance = words
    tile = Placement(int(value), _metres(x), _metres(y), radians_in(yaw), Stance(stance))
    for found, limit, unit_limit, given in (
        (tile.x, MAX_DISTANCE, MAX_DISTANCE * 1e3, x),
        (tile.y, MAX_DISTANCE, MAX_DISTANCE * 1e3, y),
        (tile.yaw, MAX_TURNED, math.degrees(MAX_TURNED), yaw),
    ):
        if abs(found) > limit:
            raise RuleError(
                "The number {given} is too large for a place on the table; allowed is at most {limit}.",
                given=shown(given),
                limit=Number(f"{unit_limit:g}"),
            )
    return tile


def _milli(metres: float) -> str:
    # The shortest decimal that means this float, its point moved: no digit is lost on the way there and back.
    return _decimal_text(_EXACT.multiply(Decimal(repr(float(metres))), Decimal(1000)))


def _metres(text: str) -> float:
    return float(_EXACT.divide(Decimal(text), Decimal(1000))) + 0.0


def _degrees(radians: float) -> str:
    exact = _EXACT.divide(Decimal(float(radians)), _RADIAN)
    for digits in range(1, 30):
        text = _decimal_text(Context(prec=digits).plus(exact))
        if radians_in(text) == radians:
            return text
    return _decimal_text(exact)


def radians_in(text: str) -> float:
    """The angle that so many degrees are, rounded once."""
    return float(_EXACT.multiply(Decimal(text), _RADIAN)) + 0.0


def _decimal_text(number: Decimal) -> str:
    text = f"{number:f}"
    if len(text) > LONGEST_NUMBER:
        return f"{number:e}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
