"""Fence: two players stand four posts in a row, in turn; whoever stands the last one pushes.

Who pushes wins when the whole fence falls, the other one when it does not. Who knocks it over by accident loses.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from game.core import TABLE, Event, Result, RuleError, Seat, Value, check_seats, check_turn, read_options, read_version
from physics.line import Line, Placement
from physics.tiles import Tile, TileSet

VALUES = (1, 2, 3, 4)
SET = TileSet("posts", tuple(Tile(value, 0.02, 0.007, 0.036 + 0.004 * value, 0.006) for value in VALUES), (1,) * 4)
FIRST = Placement(1, 0.0, 0.0)
MIN_APART, MAX_APART = 0.010, 0.032  # m from the middle of one post to that of the next


@dataclass(frozen=True, slots=True)
class Post:
    """A post is stood."""

    place: Placement


@dataclass(frozen=True, slots=True)
class Shove:
    """The fence is pushed."""


@dataclass(frozen=True, slots=True)
class Lies:
    """What became of it."""

    whole: bool


@dataclass(frozen=True, slots=True)
class Slip:
    """That seat has knocked it over."""

    seat: Seat


Move = Post | Shove | Lies | Slip


@dataclass(frozen=True, slots=True)
class State:
    """A match at one moment."""

    row: tuple[Placement, ...] = (FIRST,)
    active: Seat = 0
    is_pushed: bool = False
    winner: Seat | None = None

    @property
    def is_built(self) -> bool:
        """Whether all posts stand."""
        return len(self.row) == len(VALUES)

    @property
    def line(self) -> Line:
        """The fence."""
        return Line(SET, self.row)


class Fence:
    """The rules; see `game.core.Game` for what each method promises."""

    name = "fence"
    seats = range(2, 3)
    options = ()
    versions = range(1, 2)
    sentences: Mapping[str, str] = {
        "stood": "Seat {seat} stands the post {value}.",
        "pushed": "Seat {seat} pushes.",
        "over": "Seat {winner} wins.",
    }

    def seats_with(self, options: Mapping[str, Value]) -> range:
        """Always two."""
        return self.seats

    def start(self, seats: int, options: Mapping[str, Value], seed: int, version: int | None = None) -> State:
        """The first post stands; chance says who begins."""
        read_version(self, version)
        check_seats(self, seats, read_options(self, options))
        return State(active=(seed + 1) % 2)

    def to_act(self, state: State) -> frozenset[Seat]:
        """The player to move, or the table after the push."""
        if state.winner is not None:
            return frozenset()
        return frozenset({TABLE if state.is_pushed else state.active})

    must_act = to_act

    def turn(self, state: State) -> Seat | None:
        """Who stands or pushes."""
        return state.active

    def moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """The next post straight ahead; the push; both ways that it can end."""
        if seat not in self.to_act(state):
            return ()
        if seat == TABLE:
            return Lies(True), Lies(False)
        last = state.row[-1]
        return (Shove(),) if state.is_built else (Post(Placement(last.value + 1, last.x + 0.02, last.y)),)

    def lists_all(self, state: State, seat: Seat) -> bool:
        """Places are too many."""
        return state.is_built

    def sample(self, state: State, seat: Seat, generator: random.Random) -> Move:
        """A post anywhere ahead, or one of the listed moves."""
        if state.is_built or seat == TABLE:
            return generator.choice(self.moves(state, seat))
        last = state.row[-1]
        return Post(Placement(last.value + 1, last.x + generator.uniform(1.1 * MIN_APART, 0.9 * MAX_APART), last.y))

    def check(self, state: State, seat: Seat, move: Move) -> None:
        """RuleError with the condition that the move breaks."""
        if isinstance(move, Slip) and not state.is_pushed and state.winner is None:
            return
        check_turn(self.to_act(state), seat)
        if isinstance(move, Lies) is not state.is_pushed or isinstance(move, Shove) is not (
            state.is_built and not state.is_pushed
        ):
            raise RuleError("That is no move now.")
        if isinstance(move, Post):
            last, place = state.row[-1], move.place
            far = ((place.x - last.x) ** 2 + (place.y - last.y) ** 2) ** 0.5
            if place.value != last.value + 1:
                raise RuleError("The next post is {value}.", value=last.value + 1)
            if not MIN_APART <= far <= MAX_APART:
                raise RuleError("The posts are {far} mm apart; allowed is 10 to 32.", far=round(far * 1e3, 1))

    def apply(self, state: State, seat: Seat, move: Move) -> tuple[State, tuple[Event, ...]]:
        """The state after the move and what happened."""
        self.check(state, seat, move)
        match move:
            case Post(place):
                after = replace(state, row=(*state.row, place))
                after = after if after.is_built else replace(after, active=1 - state.active)
                return after, (Event("stood", {"seat": seat, "value": place.value}),)
            case Shove():
                return replace(state, is_pushed=True), (Event("pushed", {"seat": seat}),)
            case Lies(whole):
                winner = state.active if whole else 1 - state.active
            case Slip(clumsy):
                winner = 1 - clumsy
        return replace(state, winner=winner), (Event("over", {"winner": winner}),)

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Everything: nothing is hidden."""
        return {"row": [tile.value for tile in state.row], "active": state.active, "winner": state.winner}

    def result(self, state: State) -> Result | None:
        """One point for the winner."""
        if state.winner is None:
            return None
        return Result((float(state.winner == 0), float(state.winner == 1)), (state.winner,))

    def write(self, move: Move) -> str:
        """The move as one line."""
        match move:
            case Post(place):
                return f"post {place.value} {place.x!r} {place.y!r} {place.yaw!r}"
            case Shove():
                return "shove"
            case Lies(whole):
                return f"lies {'whole' if whole else 'not'}"
            case Slip(seat):
                return f"slip {seat}"

    def read(self, text: str) -> Move:
        """The move that is meant; RuleError when the text is none."""
        match text.lower().split():
            case ["post", value, x, y, yaw]:
                return Post(Placement(int(value), float(x), float(y), float(yaw)))
            case ["shove"]:
                return Shove()
            case ["lies", "whole" | "not" as how]:
                return Lies(how == "whole")
            case ["slip", "0" | "1" as seat]:
                return Slip(int(seat))
        raise RuleError("{text} is no move.", text=repr(text[:40]))

    def alternatives(self, state: State, seat: Seat | None, generator: random.Random) -> State:
        """Nothing is hidden."""
        return state


GAME = Fence()
