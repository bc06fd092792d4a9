"""Evaluation Domino: will the growing row fall? Players stand tiles, call, vote in secret, and push.

A round goes build → call → (vote → push → fall): after every placement the others are asked for a call, all at once,
and the first one to call is the caller. Everybody votes in secret; a single vote for failure and the row is pushed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from game.core import (
    TABLE,
    Chance,
    Event,
    Option,
    Result,
    RuleError,
    Seat,
    Value,
    check_seats,
    check_turn,
    read_options,
    read_version,
)
from game.games.evaluation import moves as texts
from game.games.evaluation.choices import first_place, offers
from game.games.evaluation.moves import Accident, Call, End, FallReport, Move, Pass, Push, Stand, Vote
from game.games.evaluation.numbers import MAX_ROUNDS, NUMBERS, VERSIONS, limits_of
from game.games.evaluation.placements import Row, free_air, stood, without
from game.games.evaluation.state import REFUSALS, SENTENCES, Phase, State
from game.words import N_
from physics.line import Placement
from physics.tiles import spell_values


class Evaluation:
    """The rules; see `game.core.Game` for what each method promises."""

    name = "evaluation"
    seats = NUMBERS.seats
    options = (
        Option("rounds", NUMBERS.rounds, N_("how many rounds are played"), low=1, high=MAX_ROUNDS, title=N_("Rounds")),
        Option("first", 0, N_("the seat that begins, from 0"), low=0, high=NUMBERS.seats[-1] - 1, is_rare=True),
    )
    versions = VERSIONS
    sentences = SENTENCES

    def seats_with(self, options: Mapping[str, Value]) -> range:
        """Every number, whatever the options; `start` sees to it that the first seat is one of them."""
        return self.seats

    def start(self, seats: int, options: Mapping[str, Value], seed: int, version: int | None = None) -> State:
        """The tile 6 stands in the middle and the first player is to place; InputError when something is wrong."""
        limits = limits_of(read_version(self, version))
        chosen = read_options(self, options)
        check_seats(self, seats, chosen)
        first = replace(self.options[1], high=seats - 1).read(chosen["first"])
        return State(Chance(seed), int(chosen["rounds"]), (0,) * seats, int(first), _fresh_row(), limits=limits)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Several seats at once while calls are asked for and while votes are cast."""
        match state.phase:
            case Phase.BUILD | Phase.PUSH:
                return frozenset({state.active})
            case Phase.CALL:
                return frozenset(state.seats) - state.passed - {state.active}
            case Phase.VOTE:
                return frozenset(seat for seat in state.seats if state.votes[seat] is None)
            case Phase.FALL:
                return frozenset({TABLE})
        return frozenset()

    def must_act(self, state: State) -> frozenset[Seat]:
        """All of them: who does not call says so."""
        return self.to_act(state)

    def turn(self, state: State) -> Seat | None:
        """The player who places and pushes; while all others speak, the one to the left of that player."""
        match state.phase:
            case Phase.CALL | Phase.VOTE:
                return state.after(state.active)
            case Phase.OVER:
                return None
        return state.active

    def moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Some guided placements drawn from the state's chance; otherwise every move but accidents."""
        if seat not in self.to_act(state):
            return ()
        match state.phase:
            case Phase.BUILD:
                generator, lifted = state.chance.generator(), not state.supply
                return offers(state.row, state.movable, generator, lifted=lifted, limits=state.limits)
            case Phase.CALL:
                return (Pass(), Call())
            case Phase.VOTE:
                return (Vote(True),) if seat == state.active else (Vote(True), Vote(False))
            case Phase.PUSH:
                return (Push(),)
        values = [tile.value for tile in state.row]
        if state.push_end is End.LAST:
            values.reverse()
        return (FallReport(True), *(FallReport(False, tuple(values[reach:])) for reach in range(1, len(values))))

    def lists_all(self, state: State, seat: Seat) -> bool:
        """Calls, votes and the push; of placements and of what may have fallen there are too many."""
        return state.phase not in (Phase.BUILD, Phase.FALL)

    def sample(self, state: State, seat: Seat, generator: random.Random) -> Move:
        """A guided placement drawn anew, or one of the moves."""
        if state.phase is Phase.BUILD:
            return generator.choice(offers(state.row, state.movable, generator, lifted=not state.supply))
        return generator.choice(self.moves(state, seat))

    def check(self, state: State, seat: Seat, move: Move) -> None:
        """RuleError with the condition that the move breaks."""
        _checked(self, state, seat, move)

    def apply(self, state: State, seat: Seat, move: Move) -> tuple[State, tuple[Event, ...]]:
        """The state after the move and what happened; RuleError for what `check` refuses."""
        row = _checked(self, state, seat, move)
        match move:
            case Stand():
                return _stand(state, seat, move, row)
            case Pass():
                return _pass(state, seat)
            case Call():
                return _judge(state, seat, Event("called", {"seat": seat}), forced=False)
            case Vote():
                return _vote(state, seat, move)
            case Push():
                pushed = state.row[0 if state.push_end is End.FIRST else -1].value
                data = {"seat": seat, "value": pushed, "end": state.push_end.value}
                return replace(state, phase=Phase.FALL), (Event("pushed", data),)
            case FallReport():
                return _score(state, move)
            case Accident():
                return _accident(state, move.seat)

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Everything but the seed and, until all have voted, the votes of the others."""
        result = self.result(state)
        open_votes = state.phase in (Phase.PUSH, Phase.FALL)
        return {
            "game": self.name,
            "phase": state.phase.value,
            "round": state.round,
            "rounds": state.rounds,
            "contenders": list(state.contenders),
            "active": state.active,
            "to_act": sorted(self.to_act(state)),
            "caller": state.caller,
            "forced": state.forced,
            "passed": sorted(state.passed),
            "voted": [other for other, vote in enumerate(state.votes) if vote is not None],
            "votes": [
                _side(vote) if vote is not None and (open_votes or other == seat) else None
                for other, vote in enumerate(state.votes)
            ],
            "chips": list(state.chips),
            "row": [_told_place(tile) for tile in state.row],
            "push_end": state.push_end.value,
            "supply": list(state.supply),
            "movable": list(state.movable),
            "relocations": state.relocations,
            "winners": None if result is None else list(result.winners),
        }

    def result(self, state: State) -> Result | None:
        """Chips and winners once the last round is over."""
        if state.phase is not Phase.OVER:
            return None
        return Result(state.chips, _leaders(state.chips, state.contenders or tuple(state.seats)))

    def write(self, move: Move) -> str:
        """The move as one line."""
        return texts.write(move)

    def read(self, text: str) -> Move:
        """The move that is meant; RuleError when the text is none."""
        return texts.read(text)

    def alternatives(self, state: State, seat: Seat | None, generator: random.Random) -> State:
        """Other votes of the others; a player who has just placed can only have voted for success."""
        if state.phase is not Phase.VOTE:
            return state
        return replace(
            state,
            votes=tuple(
                vote if vote is None or other in (seat, state.active) else generator.random() < 0.5
                for other, vote in enumerate(state.votes)
            ),
        )


# What is allowed


def _checked(game: Evaluation, state: State, seat: Seat, move: Move) -> Row:
    """The row after the move; RuleError when it is not allowed."""
    if isinstance(move, Accident):
        _check_accident(state, seat, move)
        return _fresh_row()
    if state.phase is Phase.CALL and seat == state.active and isinstance(move, Call | Pass):
        raise RuleError("Seat {seat} has just placed a tile: the call is for the other players.", seat=seat)
    check_turn(game.to_act(state), seat)
    fitting: dict[Phase, type[Move] | tuple[type[Move], ...]] = {
        Phase.BUILD: Stand,
        Phase.CALL: (Pass, Call),
        Phase.VOTE: Vote,
        Phase.PUSH: Push,
        Phase.FALL: FallReport,
    }
    if not isinstance(move, fitting[state.phase]):
        raise RuleError(REFUSALS[state.phase])
    match move:
        case Stand():
            return _check_stand(state, move)
        case Vote(False) if seat == state.active:
            raise RuleError("Seat {seat} has just placed a tile and must vote for success.", seat=seat)
        case FallReport():
            _check_found(state, move)
    return state.row


def _check_stand(state: State, move: Stand) -> Row:
    value = move.placement.value
    if value not in state.movable or move.lifted is bool(state.supply):
        values = spell_values(list(state.movable))
        if state.supply:
            raise RuleError("The tile {value} is not in the supply; there are {values}.", value=value, values=values)
        raise RuleError(
            "The supply is empty: an inner tile must be moved to an end. The inner tiles are {values}.", values=values
        )
    if move.lifted and not isinstance(move.spot, End):
        raise RuleError("The supply is empty: a tile of the row can be moved to one of its two ends only.")
    return stood(without(state.row, value) if move.lifted else state.row, move, state.limits)


def _check_found(state: State, move: FallReport) -> None:
    values = [tile.value for tile in state.row]
    if move.fell and move.standing:
        raise RuleError("The row cannot have fallen while tiles stand.")
    for value in move.standing:
        if value not in values:
            raise RuleError("The tile {value} is not in the row {row}.", value=value, row=", ".join(map(str, values)))


def _check_accident(state: State, seat: Seat, move: Accident) -> None:
    if state.phase is Phase.OVER:
        raise RuleError(REFUSALS[Phase.OVER])
    if seat != TABLE:
        _check_seat(state, seat)
    _check_seat(state, move.seat)
    if state.phase in (Phase.PUSH, Phase.FALL):
        raise RuleError("The votes are revealed: whatever falls now belongs to the push and is not an accident.")


def _check_seat(state: State, seat: Seat) -> None:
    if seat not in state.seats:
        raise RuleError(
            "There is no seat {seat}; the seats are {low} to {high}.", seat=seat, low=0, high=state.seats[-1]
        )


# What happens

Step = tuple[State, tuple[Event, ...]]


def _stand(state: State, seat: Seat, move: Stand, row: Row) -> Step:
    value = move.placement.value
    index = next(place for place, tile in enumerate(row) if tile.value == value)
    neighbours = [row[other] for other in (index - 1, index + 1) if 0 <= other < len(row)]
    data = {
        "seat": seat,
        **_told_place(row[index]),
        "place": index,
        "gap": [round(free_air(row[index], other) * 1e3, 1) for other in neighbours],
        "row": [tile.value for tile in row],
    }
    event = Event("moved" if move.lifted else "stood", data)
    relocations = state.relocations + move.lifted
    built = replace(state, row=row, relocations=relocations, chance=state.chance.next(), phase=Phase.CALL)
    if relocations >= NUMBERS.most_relocations:
        return _force(built, (event,))
    return built, (event,)


def _pass(state: State, seat: Seat) -> Step:
    passed = replace(state, passed=state.passed | {seat})
    event = Event("passed", {"seat": seat})
    if len(passed.passed) < len(state.chips) - 1:
        return passed, (event,)
    return _next_turn(passed, (event,))


def _next_turn(state: State, events: tuple[Event, ...]) -> Step:
    """The next player clockwise is to place, or, without a place left, counts as the caller."""
    state = replace(state, phase=Phase.CALL, passed=frozenset(), caller=None, votes=())
    if first_place(state.row, state.movable, lifted=not state.supply, limits=state.limits) is None:
        return _force(state, events)
    active = state.after(state.active)
    return replace(state, phase=Phase.BUILD, active=active), (*events, Event("turn", {"seat": active}))


def _force(state: State, events: tuple[Event, ...]) -> Step:
    caller = state.after(state.active)
    judged, forced = _judge(state, caller, Event("forced", {"seat": caller}), forced=True)
    return judged, (*events, *forced)


def _judge(state: State, caller: Seat, event: Event, *, forced: bool) -> Step:
    votes = (None,) * len(state.chips)
    return replace(state, phase=Phase.VOTE, caller=caller, forced=forced, votes=votes, passed=frozenset()), (event,)


def _vote(state: State, seat: Seat, move: Vote) -> Step:
    votes = (*state.votes[:seat], move.success, *state.votes[seat + 1 :])
    state = replace(state, votes=votes)
    events: tuple[Event, ...] = (
        Event("voted", {"seat": seat}),
        Event("vote", {"seat": seat, "vote": _side(move.success)}, to=frozenset({seat})),
    )
    if None in votes:
        return state, events
    events = (*events, Event("revealed", {"votes": [_side(bool(vote)) for vote in votes]}, reveals=True))
    if all(votes) and not state.forced:
        return _next_turn(state, (*events, Event("agreed", {})))
    return replace(state, phase=Phase.PUSH), events


def _score(state: State, move: FallReport) -> Step:
    """Those who were right take as many chips as there are others; then the round is over."""
    others = sum(vote is not move.fell for vote in state.votes)
    gained = [others if vote is move.fell else 0 for vote in state.votes]
    chips = tuple(had + more for had, more in zip(state.chips, gained, strict=True))
    seen = (
        Event("fell", {}, reveals=True) if move.fell else Event("held", {"standing": list(move.standing)}, reveals=True)
    )
    events = (seen, Event("scored", {"gained": gained, "chips": list(chips)}))
    state = replace(state, chips=chips)
    leaders = _leaders(chips, tuple(state.seats))
    if state.round < state.rounds:
        return _begin(state, state.round + 1, state.active, events)
    if state.round == state.rounds and len(leaders) > 1:
        extra = Event("extra", {"contenders": list(leaders)})
        return _begin(replace(state, contenders=leaders), state.round + 1, state.active, (*events, extra))
    winners = _leaders(chips, state.contenders or tuple(state.seats))
    over = Event("over", {"chips": list(chips), "winners": list(winners)})
    return replace(state, phase=Phase.OVER), (*events, over)


def _accident(state: State, clumsy: Seat) -> Step:
    chips = tuple(had + (seat != clumsy) for seat, had in enumerate(state.chips))
    event = Event("accident", {"seat": clumsy, "chips": list(chips)})
    return _begin(replace(state, chips=chips), state.round, clumsy, (event,))


def _begin(state: State, number: int, starter: Seat, events: tuple[Event, ...]) -> Step:
    begun = State(
        state.chance.next(),
        state.rounds,
        state.chips,
        starter,
        _fresh_row(),
        round=number,
        contenders=state.contenders,
        limits=state.limits,
    )
    return begun, (*events, Event("round", {"round": number, "seat": starter}))


def _leaders(chips: tuple[int, ...], among: tuple[Seat, ...]) -> tuple[Seat, ...]:
    most = max(chips[seat] for seat in among)
    return tuple(seat for seat in among if chips[seat] == most)


def _fresh_row() -> Row:
    return (Placement(NUMBERS.start_tile, 0.0, 0.0),)


def _side(success: bool) -> str:
    return "success" if success else "failure"


def _told_place(tile: Placement) -> dict[str, object]:
    """A tile as files and screens name it, mm and degrees."""
    return {
        "value": tile.value,
        "x": round(tile.x * 1e3, 6),
        "y": round(tile.y * 1e3, 6),
        "yaw": round(math.degrees(tile.yaw), 6),
        "stance": tile.stance.value,
    }


GAME = Evaluation()
