"""Fence on a table: its rows as scenes, and what a camera sees there as its moves."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from game.core import TABLE, Seat
from game.table.hands import Row
from physics.line import Placement
from physics.outcome import Outcome
from physics.scene import Finger, Scene
from physics.tiles import TileSet
from tests.game.fence.rules import FIRST, GAME, SET, VALUES, Lies, Move, Post, Shove, Slip, State

PUSH = Finger(math.radians(0.5), "first")


class FenceTabletop:
    """See `game.match.tabletop.Tabletop` for what each method promises."""

    def scene(self, state: State) -> Scene | None:
        return Scene(state.line, push=PUSH) if len(state.row) > 1 else None

    def is_armed(self, state: State) -> bool:
        return state.is_built and not state.is_pushed

    def is_falling(self, state: State) -> bool:
        return state.is_pushed and state.winner is None

    def finding(self, state: State, outcome: Outcome) -> Move:
        return Lies(outcome.all_fell)

    def is_finding(self, move: Move) -> bool:
        return isinstance(move, Lies)

    def is_push(self, move: Move) -> bool:
        return isinstance(move, Shove)

    def fell(self, finding: Move) -> bool:
        return isinstance(finding, Lies) and finding.whole

    def accident(self, seat: Seat) -> Move:
        return Slip(seat)

    def is_accident(self, move: Move) -> bool:
        return isinstance(move, Slip)

    def is_correction(self, old: Move, new: Move) -> bool:
        if isinstance(old, Post) and isinstance(new, Post):
            return old.place.value == new.place.value
        return isinstance(old, Lies) and isinstance(new, Lies)

    def knock(self, state: State, seat: Seat, move: Move) -> Scene | None:
        return None


class FenceHands:
    """See `game.table.hands.TableHands` for what each method promises."""

    @property
    def tiles(self) -> TileSet:
        return SET

    def row(self, state: State) -> Row:
        return state.row

    def placer(self, state: State) -> Seat:
        return state.active

    def may_place(self, state: State, *, lifted: bool) -> bool:
        return not (lifted or state.is_built)

    def placed(self, state: State, tile: Placement, slack: float) -> Post:
        GAME.check(state, state.active, Post(tile))
        return Post(tile)

    def fallen(self, state: State) -> tuple[Seat, Move] | None:
        if state.is_pushed:
            return None
        return (state.active, Shove()) if state.is_built else (TABLE, Slip(state.active))

    def placement(self, move: Move) -> Placement | None:
        return move.place if isinstance(move, Post) else None

    def elsewhere(self, move: Move, tile: Placement) -> Post:
        return Post(tile)

    def rows(self, generator: random.Random, fits: Callable[[Placement], bool]) -> Iterator[Row]:
        row: Row = (FIRST,)
        for value in VALUES:
            place = replace(FIRST, value=value, x=0.02 * (value - 1))
            row = row if value == FIRST.value else (*row, place)
            if fits(place):
                yield row

    def pushed(self, row: Row) -> Scene:
        return Scene(replace(GAME.start(2, {}, 0), row=row).line, push=PUSH)


TABLETOP, HANDS = FenceTabletop(), FenceHands()
