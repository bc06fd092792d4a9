"""Evaluation Domino on a table: its rows as scenes, what fell as its moves, and what a clumsy hand does.

A tile set down where another stands pushes that one aside by as much as the two would overlap, and a little farther
before the hand is drawn back. The other tile leans so far and is let go: the simulation says what falls. A touch at
its narrow side turns it and topples nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain

from game.core import Seat
from game.games.evaluation.moves import Accident, FallReport, Move, Push, Stand
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row, box, without
from game.games.evaluation.state import Phase, State, row_scene
from physics.line import Line, Placement, Standing, face_gap, shadow_gap
from physics.outcome import Outcome
from physics.scene import Finger, Scene

TOUCHING = 0.5e-3  # m of air below which a hand cannot set a tile down without touching the other
FARTHER = 4e-3  # m that a hand which has touched a tile pushes on before it is drawn back


class EvaluationTabletop:
    """See `game.match.tabletop.Tabletop` for what each method promises."""

    def scene(self, state: State) -> Scene | None:
        """The row once it has two tiles; a lone tile is never pushed."""
        return row_scene(state) if len(state.row) > 1 else None

    def is_armed(self, state: State) -> bool:
        """After the votes, when one was for failure."""
        return state.phase is Phase.PUSH

    def is_falling(self, state: State) -> bool:
        """After the push."""
        return state.phase is Phase.FALL

    def finding(self, state: State, outcome: Outcome) -> Move:
        """All fell, or which tiles did not."""
        tiles = zip(state.row, outcome.fallen, strict=True)
        standing = tuple(tile.value for tile, fallen in tiles if not fallen)
        return FallReport(not standing, standing)

    def is_finding(self, move: Move) -> bool:
        """What the table showed after the push."""
        return isinstance(move, FallReport)

    def is_push(self, move: Move) -> bool:
        """The light touch."""
        return isinstance(move, Push)

    def fell(self, finding: Move) -> bool:
        """Whether all of it fell."""
        return isinstance(finding, FallReport) and finding.fell

    def accident(self, seat: Seat) -> Move:
        """The row was knocked over by that seat."""
        return Accident(seat)

    def is_accident(self, move: Move) -> bool:
        """Whether the move says that."""
        return isinstance(move, Accident)

    def is_correction(self, old: Move, new: Move) -> bool:
        """Another finding, another clumsy seat, or the same tile a little elsewhere."""
        match old, new:
            case (FallReport(), FallReport()) | (Accident(), Accident()):
                return True
            case Stand(), Stand():
                was, now = old.placement, new.placement
                return (was.value, was.stance, old.spot, old.lifted) == (now.value, now.stance, new.spot, new.lifted)
        return False

    def knock(self, state: State, seat: Seat, move: Move) -> Scene | None:
        """The row with the tile that is pushed aside as the one to be let go.

        None when the move is no placement of a tile that this seat may place now, or when it touches nothing.
        """
        if not isinstance(move, Stand) or state.phase is not Phase.BUILD or seat != state.active:
            return None
        if move.placement.value not in state.movable or move.lifted is bool(state.supply):
            return None
        row = without(state.row, move.placement.value) if move.lifted else state.row
        nearest = min(row, key=lambda tile: face_gap(box(move.placement), box(tile)))
        new, old = box(move.placement), box(nearest)
        if face_gap(new, old) > TOUCHING or _deep(new, old, old.yaw + math.pi / 2) < _deep(new, old, old.yaw):
            return None
        shove = max(0.0, _deep(new, old, old.yaw)) + FARTHER
        lean = math.atan2(shove, min(new.height, old.height))
        ahead = (old.x - new.x) * math.cos(old.yaw) + (old.y - new.y) * math.sin(old.yaw)
        away = old.yaw if ahead >= 0 else old.yaw + math.pi
        line = Line(NUMBERS.tiles, _in_order(row, nearest, away))
        return Scene(line, NUMBERS.table, Finger(lean - old.tipping_angle, "first"))


def _deep(one: Standing, other: Standing, yaw: float) -> float:
    """How far the two cover one another along that axis, m."""
    return -shadow_gap(one, other, yaw)


def _in_order(row: Row, nearest: Placement, away: float) -> Row:
    """The tile that is knocked first, then one that it leans to, then the others; alone when it leans to none."""
    cos, sin = math.cos(away), math.sin(away)
    ahead = [tile for tile in row if (tile.x - nearest.x) * cos + (tile.y - nearest.y) * sin > 0]
    if not ahead:
        return (replace(nearest, yaw=away),)
    second = min(ahead, key=lambda tile: math.hypot(tile.x - nearest.x, tile.y - nearest.y))
    return tuple(chain((nearest, second), (tile for tile in row if tile not in (nearest, second))))


TABLETOP = EvaluationTabletop()
