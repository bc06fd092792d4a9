"""Rows of Evaluation Domino as they are built in a round, for tests of the real table."""

from __future__ import annotations

from game.games.evaluation.moves import End, Stand
from game.games.evaluation.placements import at_end
from game.games.evaluation.rules import Evaluation
from game.games.evaluation.state import State
from physics.tiles import Stance
from tests.game.table.painted_table import tile_at

GAME = Evaluation()
START = GAME.start(2, {"rounds": 1}, 1)


def after(state: State, *moves: tuple[int, object]) -> State:
    for seat, move in moves:
        state = GAME.apply(state, seat, GAME.read(move) if isinstance(move, str) else move)[0]  # type: ignore[arg-type]
    return state


def stand(state: State, value: int, end: End = End.LAST, gap: float = 0.015, turn: float = 0.0) -> Stand:
    return at_end(state.row, value, Stance.UPRIGHT, end, gap, turn)


EIGHT = stand(START, 8)
TWO = after(START, (0, EIGHT), (1, "pass"))  # Ben is to place
FIVE = stand(TWO, 5, End.FIRST)
THREE = after(TWO, (1, FIVE))  # Ann may call
ARMED = after(THREE, (0, "call"), (1, "vote success"), (0, "vote failure"))


def seen(state: State) -> list[object]:
    return [tile_at(place) for place in state.row]
