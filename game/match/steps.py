"""What a match is at, and the steps that are open to it: pure, by its history. A session logs what comes back."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from game.core import TABLE, RuleError, Seat
from game.match.history import SIMULATED, AppliedMove, Effect, MatchHistory
from game.match.judge import reported_data
from game.match.tabletop import Tabletop
from physics.outcome import Outcome
from physics.scene import Scene


@dataclass(frozen=True, slots=True)
class Step:
    """An entry that the log is to get: see `game.match.history` for the kinds and their data."""

    kind: str
    data: Mapping[str, Any]
    effect: Effect | None = None  # of a move, so that the rules are asked once


class Status(enum.Enum):
    """What a match is at."""

    WAITING = "waiting"  # for somebody's move
    SETTLING = "settling"  # hands are at the table, or something moves on it
    DISAGREE = "disagree"  # the table shows another row than the game has
    ARMED = "armed"  # the row is to be pushed
    FALLING = "falling"  # it was pushed; the judge is at work, or the players are asked what fell
    SCORED = "scored"  # a push was just scored, or the match is over


class Sight(enum.Enum):
    """What a camera makes of the table before the push."""

    AGREES = "agrees"
    MOVING = "moving"
    DIFFERS = "differs"


# What it is at


def status_of(history: MatchHistory, sight: Sight) -> Status:
    """What a match is at whose table is seen so."""
    tabletop = history.tabletop
    if is_over(history):
        return Status.SCORED
    if tabletop is None:
        return Status.WAITING
    if is_falling(history):
        return Status.FALLING
    if sight is not Sight.AGREES:
        return Status.SETTLING if sight is Sight.MOVING else Status.DISAGREE
    if is_push_due(history):
        return Status.ARMED
    is_scored = bool(history.moves) and tabletop.is_finding(history.moves[-1].move)
    return Status.SCORED if is_scored else Status.WAITING


def is_over(history: MatchHistory) -> bool:
    """Whether the match has ended."""
    return history.game.result(history.state) is not None


def is_falling(history: MatchHistory) -> bool:
    """Whether the row was pushed and the game waits for what fell."""
    return history.tabletop is not None and history.tabletop.is_falling(history.state)


def is_push_due(history: MatchHistory) -> bool:
    """Whether all is decided but the push."""
    return history.tabletop is not None and history.tabletop.is_armed(history.state)


def row_to_push(history: MatchHistory, sight: Sight) -> Scene:
    """The row that is to be pushed now; RuleError when none is, or when the table differs from the game."""
    scene = history.scene
    if scene is None or not is_push_due(history):
        raise RuleError("There is no row to push now.")
    _check_sight(sight)
    return scene


# Moves


def check_table(history: MatchHistory, sight: Sight, move: Any) -> None:
    """RuleError when the table is not one for this move, or shows that it must wait, whatever the rules say."""
    tabletop = history.tabletop
    if tabletop is not None and tabletop.is_accident(move) and history.setup.table == SIMULATED:
        raise RuleError("Accidents are declared at real tables; at the simulated one the program finds them.")
    if tabletop is not None and tabletop.is_push(move):
        _check_sight(sight)


def _check_sight(sight: Sight) -> None:
    if sight is Sight.DIFFERS:
        raise RuleError("The table and the game disagree: set the tiles right or correct the game before the push.")


def moved(history: MatchHistory, seat: Seat, move: Any, by: Seat | None = None) -> Step:
    """A move, `by` somebody else if not by the seat itself; RuleError when the rules refuse it."""
    effect = history.effect(seat, move)
    speaker = {} if by is None or by == seat else {"by": by}
    return Step("move", {"seat": seat, "move": history.game.write(move), **speaker}, effect)


def pushed(history: MatchHistory) -> Step:
    """The push that is due, whosever it is; only where `is_push_due`."""
    tabletop, game = _tabletop_of(history), history.game
    moves = ((seat, move) for seat in game.to_act(history.state) for move in game.moves(history.state, seat))
    return moved(history, *next((seat, move) for seat, move in moves if tabletop.is_push(move)))


def found(history: MatchHistory, outcome: Outcome, data: Mapping[str, Any]) -> tuple[Step, Step]:
    """What a judge found of the pushed row, with the table's move that follows from it."""
    move = _tabletop_of(history).finding(history.state, outcome)
    return Step("outcome", {**data, "move": history.game.write(move)}), moved(history, TABLE, move)


def reported(history: MatchHistory, finding: Any, by: Seat | None) -> tuple[Step, Step]:
    """What people report of the pushed row, with the table's move; RuleError when the rules refuse that."""
    move = moved(history, TABLE, finding, by)
    scene = history.scene
    assert scene is not None
    speaker = {} if by is None else {"by": by}
    data = {**reported_data(scene, _tabletop_of(history).fell(finding)), "move": move.data["move"], **speaker}
    return Step("outcome", data), move


# Accidents


def touched(history: MatchHistory, seat: Seat, move: Any) -> Scene | None:
    """The row as clumsy hands set it going with a move that the rules refuse.

    None when the hands are not clumsy, the move is legal, or it touches nothing.
    """
    if not history.setup.clumsy or history.tabletop is None:
        return None
    scene = history.tabletop.knock(history.state, seat, move)
    if scene is None:  # as nearly always: then the rules need not be asked for this
        return None
    try:
        history.game.check(history.state, seat, move)
    except RuleError:
        return scene
    return None


def knocked_over(history: MatchHistory, seat: Seat, data: Mapping[str, Any]) -> tuple[Step, Step]:
    """What that seat's clumsy hand knocked over, with the table's move that says so."""
    accident = _tabletop_of(history).accident(seat)
    return Step("knocked", {"seat": seat, **data}), moved(history, TABLE, accident)


# Taken back, corrected


def taken_back(history: MatchHistory, seat: Seat) -> Step:
    """That seat's last move taken back; RuleError when somebody has learnt from it or moved because of it."""
    own = to_take_back(history, seat)
    history.check_undo(own.number)
    return Step("undo", {"seat": seat, "of": own.number})


def to_take_back(history: MatchHistory, seat: Seat) -> AppliedMove:
    """The move that this seat may take back if nobody has moved because of it; RuleError when there is none."""
    if is_over(history):
        raise RuleError("The match is over.")
    if is_falling(history):
        raise RuleError("The row was pushed; that cannot be taken back.")
    own = next((made for made in reversed(history.moves) if seat in (made.seat, made.by)), None)
    if own is None:
        raise RuleError("Seat {seat} has no move to take back.", seat=seat)
    check_nothing_learnt(history, own.number)
    return own


def check_nothing_learnt(history: MatchHistory, number: int) -> None:
    """RuleError when somebody has learnt something since before that move: from the table, or by a hint."""
    seen = max(history.forecast_numbers.values(), default=0) if history.setup.hints else 0
    later = history.moves_from(number)
    if seen > number or any(made.reveals or made.seat == TABLE for made in later):
        raise RuleError("The move cannot be taken back: somebody has learnt from it.")


def corrected(history: MatchHistory, seat: Seat, number: int, new: Any) -> Step:
    """The move of that number corrected: what fell, where a tile stands.

    RuleError when it is no such move, or when the later ones could not have been.
    """
    check_correction(history, number, new)
    history.check_correction(number, new)
    return Step("correction", {"seat": seat, "of": number, "move": history.game.write(new)})


def check_correction(history: MatchHistory, number: int, new: Any) -> None:
    """RuleError when the move of that number is none that the new one can correct, whatever came after it."""
    old = history.numbered(number)
    tabletop = history.tabletop
    if is_over(history):
        raise RuleError("The match is over.")
    if tabletop is None or history.setup.table == SIMULATED:
        raise RuleError("There is nothing to correct: the table is not a real one.")
    if old is None or not tabletop.is_correction(old.move, new):
        raise RuleError("Only what happened on the table can be corrected, by a move of the same kind.")
    last_push = next((made.number for made in reversed(history.moves) if tabletop.is_finding(made.move)), 0)
    if number < last_push and not tabletop.is_finding(old.move):
        raise RuleError("The row was pushed since; where its tiles stood cannot be corrected any more.")


def _tabletop_of(history: MatchHistory) -> Tabletop:
    """The tabletop of a game that has one, as every game has whose rows are pushed."""
    assert history.tabletop is not None
    return history.tabletop
