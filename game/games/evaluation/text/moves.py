"""Moves of Evaluation Domino as people say them: `stand 8 right gap 20 turn 10 upright`.

The gap is the free air to the neighbour at the nearest point, the turn the angle between the two tiles. What is left
out is as usual: at the right end, 20 mm of air, no turn, upright; between two tiles in the middle of the air. The
written form of the log is understood as well: `stand 8 at 31.25 0 yaw 0 upright last`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from game.core import RuleError
from game.games.evaluation import moves as written
from game.games.evaluation.moves import Accident, Call, End, FallReport, Move, Pass, Push, Stand, Vote, radians_in
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import TURN_TOLERANCE, Row, at_end, between, gaps_between, without
from game.games.evaluation.text.vocabulary import meaning_of, spellings, spelt
from game.text.names import seat_named
from game.words import number, plain
from physics.fields import shown
from physics.tiles import Stance

USUAL_GAP = 20.0  # mm
VERBS = ("stand", "insert", "move", "call", "pass", "vote", "push", "fell", "stood", "accident", "success", "failure")
PLACES = ("left", "right", "upright", "side", "gap", "turn", "between")
_PLAIN: Mapping[str, Move] = {"call": Call(), "pass": Pass(), "push": Push(), "fell": FallReport(True)}
_NUMBER = re.compile(r"([-+]?\d{1,6}(?:[.,]\d{0,6})?)(?:mm|мм|°|deg)?")


def read_move(
    text: str, row: Row, movable: Sequence[int], names: Sequence[str], fitting: Sequence[str] = VERBS
) -> Move:
    """The move that is meant at that row, of whose tiles these may be placed; InputError when the text is none.

    `fitting` are the verbs that make sense now: an abbreviation means one of them if it can.
    """
    words = _split(text)
    if "at" in words and "yaw" in words:
        return written.read(text)
    verb = meaning_of(words[0], fitting) or meaning_of(words[0], VERBS)
    match verb:
        case "stand" | "insert" | "move":
            return _stand(_details(verb, words[1:]), row, movable)
        case "vote" if len(words) == 2 and meaning_of(words[1], ("success", "failure")):
            return Vote(meaning_of(words[1], ("success", "failure")) == "success")
        case "success" | "failure" if len(words) == 1:
            return Vote(verb == "success")
        case "call" | "pass" | "push" | "fell" if len(words) == 1:
            return _PLAIN[verb]
        case "stood":
            return FallReport(False, tuple(_value(word) for word in words[1:] if word not in spellings("filler")))
        case "accident":
            return Accident(seat_named(text.split(maxsplit=1)[1] if len(words) > 1 else "", names))
    raise RuleError(
        "{text} is not a move; {help} lists what can be said.", text=shown(text.strip()), help=spelt("help")
    )


def _split(text: str) -> list[str]:
    """The words of the text; a decimal comma stays, another one is a space."""
    return re.sub(r"(?<!\d),|,(?!\d)|;", " ", plain(text)).split() or [""]


@dataclass(slots=True)
class _Details:
    """What was said of a placement; None where nothing was."""

    verb: str
    value: int | None = None
    end: End | None = None
    stance: Stance = Stance.UPRIGHT
    gap: str | None = None
    turn: str = "0"
    neighbours: list[int] = field(default_factory=list)


def _details(verb: str, words: Sequence[str]) -> _Details:
    found = _Details(verb)
    wanted = ""  # what the next number is
    for word in words:
        if number := _NUMBER.fullmatch(word):
            _take(found, wanted, number[1].replace(",", "."), word)
            wanted = "between" if wanted == "between" and len(found.neighbours) == 1 else ""
            continue
        if word in spellings("filler"):
            continue
        meaning = meaning_of(word, PLACES)
        if meaning is None:
            raise RuleError(
                "{text} is not understood in a placement; words for it are {words}.",
                text=shown(word),
                words=", ".join(map(spelt, PLACES)),
            )
        if wanted:
            break
        match meaning:
            case "left" | "right":
                found.end = End.FIRST if meaning == "left" else End.LAST
            case "upright" | "side":
                found.stance = Stance(meaning)
            case _:
                wanted = meaning
    if wanted:
        raise RuleError("A number is missing after {word}.", word=shown(spelt(wanted)))
    return found


def _take(found: _Details, wanted: str, number: str, word: str) -> None:
    match wanted:
        case "gap":
            found.gap = number
        case "turn":
            found.turn = number
        case "between":
            found.neighbours.append(_value(word))
        case _ if found.value is None:
            found.value = _value(word)
        case _:
            raise RuleError(
                "It is not clear what the number {number} is; write {gap} or {turn} before it.",
                number=shown(word),
                gap=spelt("gap"),
                turn=spelt("turn"),
            )


def _value(word: str) -> int:
    if not (word.isdecimal() and len(word) <= 6):
        raise RuleError("{text} is not the value of a tile; values are whole numbers.", text=shown(word))
    return int(word)


def _stand(said: _Details, row: Row, movable: Sequence[int]) -> Stand:
    """The placement, legal or not."""
    if said.value is None:
        raise RuleError("Which tile? Write its value after {verb}.", verb=shown(spelt(said.verb)))
    if said.verb == "insert" and len(said.neighbours) < 2:
        raise RuleError("Between which tiles? Write {word} and the values of two neighbours.", word=spelt("between"))
    if said.neighbours and said.end is not None:
        raise RuleError("A tile stands either at an end or between two others, not both.")
    if said.value not in movable:
        return _elsewhere(said, row)
    lifted = said.verb == "move"
    row = without(row, said.value) if lifted else row
    if said.neighbours:
        return _inserted(said, row, lifted)
    gap, turn = float(said.gap or USUAL_GAP), radians_in(said.turn)
    if abs(turn) > NUMBERS.limits.turn_max + TURN_TOLERANCE:
        raise RuleError(
            "A turn of {turn}° is too much: stood by gap and turn, a tile may be turned by at most {limit}° from its "
            "neighbour. A tile that is set freely has another limit: {free}° from the line between the two middles.",
            turn=number(float(said.turn)),
            limit=number(round(math.degrees(NUMBERS.limits.turn_max), 9)),
            free=number(round(math.degrees(NUMBERS.limits.free_turn_max), 9)),
        )
    return at_end(row, said.value, said.stance, said.end or End.LAST, gap / 1e3, turn, lifted=lifted)


def _inserted(said: _Details, row: Row, lifted: bool) -> Stand:
    assert said.value is not None
    first, second = said.neighbours
    values = [tile.value for tile in row]
    index = next((i for i in range(len(row) - 1) if {first, second} == {values[i], values[i + 1]}), None)
    if index is None:
        raise RuleError(
            "The tiles {first} and {second} are not neighbours; the row is {row}.",
            first=first,
            second=second,
            row=", ".join(map(str, values)),
        )
    if said.gap is None:
        found = between(row, index, said.value, said.stance, sum(gaps_between(row, index, said.value, said.stance)) / 2)
    else:
        gap = float(said.gap) / 1e3
        found = between(row, index, said.value, said.stance, gap, to_second=values[index] != first)
    return Stand(found.placement, found.spot, lifted)


def _elsewhere(said: _Details, row: Row) -> Stand:
    """A tile that may not be placed, somewhere: the rules say why it may not."""
    tile = at_end(row, row[0].value, said.stance, End.LAST, USUAL_GAP / 1e3, 0.0).placement
    assert said.value is not None
    return Stand(replace(tile, value=said.value), End.LAST, lifted=said.verb == "move")


def fitting_verbs(phase: str, movable_only: bool) -> tuple[str, ...]:
    """The verbs of that phase, the usual one first."""
    found: dict[str, tuple[str, ...]] = {
        "build": ("move",) if movable_only else ("stand", "insert"),
        "call": ("call", "pass"),
        "vote": ("success", "failure", "vote"),
        "push": ("push",),
        "fall": ("fell", "stood"),
    }
    return found.get(phase, ())
