"""The state of an Evaluation Domino match, and what is said of it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from game.core import Chance, Seat
from game.games.evaluation.moves import End
from game.games.evaluation.numbers import NUMBERS, Limits
from game.games.evaluation.placements import Row
from game.words import N_
from physics.line import Line
from physics.scene import Finger, Scene


class Phase(enum.Enum):
    """What the game waits for."""

    BUILD = "build"  # a placement
    CALL = "call"  # a call, or a pass of everybody else
    VOTE = "vote"  # everybody's vote
    PUSH = "push"  # the push of the player who placed
    FALL = "fall"  # what the table shows
    OVER = "over"


REFUSALS: Mapping[Phase, str] = MappingProxyType(
    {
        Phase.BUILD: N_("A tile is to be placed now."),
        Phase.CALL: N_("Now is the time to call or to pass."),
        Phase.VOTE: N_("Now is the time to vote."),
        Phase.PUSH: N_("The row is to be pushed now."),
        Phase.FALL: N_("The row was pushed; what counts now is what fell."),
        Phase.OVER: N_("The match is over."),
    }
)
"""What a move of another phase is told."""

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "stood": N_(
            "Seat {seat} stands the tile {value} ({stance}); free air to its neighbours: {gap} mm; row: {row}."
        ),
        "moved": N_("Seat {seat} moves the tile {value} ({stance}); free air to its neighbour: {gap} mm; row: {row}."),
        "passed": N_("Seat {seat} does not call."),
        "called": N_("Seat {seat} calls: domino!"),
        "forced": N_("The row must be pushed now; seat {seat} counts as the caller."),
        "voted": N_("Seat {seat} has voted."),
        "vote": N_("Your vote, seat {seat}: {vote}."),
        "revealed": N_("The votes: {votes}."),
        "agreed": N_("All voted for success: no push, the round goes on."),
        "pushed": N_("Seat {seat} pushes the tile {value} at the {end} end."),
        "fell": N_("The whole row fell."),
        "held": N_("The row did not fall; standing: {standing}."),
        "scored": N_("Chips gained: {gained}. Chips: {chips}."),
        "accident": N_(
            "Seat {seat} knocked the row over by accident; every other player takes one chip. Chips: {chips}."
        ),
        "round": N_("Round {round} begins; seat {seat} starts."),
        "extra": N_("A tie: one more round decides between the seats {contenders}."),
        "turn": N_("Seat {seat} is to place a tile."),
        "over": N_("The match is over. Chips: {chips}. Winners: {winners}."),
    }
)


@dataclass(frozen=True, slots=True)
class State:
    """A match at one moment."""

    chance: Chance
    rounds: int
    chips: tuple[int, ...]  # by seat
    active: Seat  # who is to place, or has just placed
    row: Row
    phase: Phase = Phase.BUILD
    round: int = 1
    relocations: int = 0  # in this round
    passed: frozenset[Seat] = frozenset()
    caller: Seat | None = None
    forced: bool = False  # the row is pushed whatever the votes
    votes: tuple[bool | None, ...] = ()  # by seat, True for success; empty outside of a judgement
    contenders: tuple[Seat, ...] = ()  # who can still win, in the extra round
    limits: Limits = NUMBERS.limits  # of placing; those of the version of the rules that is played

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.chips))

    @property
    def supply(self) -> tuple[int, ...]:
        """The values that do not stand in the row."""
        used = {tile.value for tile in self.row}
        return tuple(tile.value for tile in NUMBERS.tiles.tiles if tile.value not in used)

    @property
    def movable(self) -> tuple[int, ...]:
        """The values that the next placement may be made with: the supply, or the inner tiles when it is empty."""
        return self.supply or tuple(tile.value for tile in self.row[1:-1])

    @property
    def push_end(self) -> End:
        """The end that is pushed: of the two end tiles the one of lower value."""
        return End.LAST if self.row[-1].value < self.row[0].value else End.FIRST

    def after(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return (seat + 1) % len(self.chips)


def row_scene(state: State) -> Scene:
    """The row as it stands, with the light push at its end of lower value: what a judge or a forecast looks at."""
    push = Finger(NUMBERS.push_margin, state.push_end.value)
    return Scene(Line(NUMBERS.tiles, state.row), NUMBERS.table, push)
