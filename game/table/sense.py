"""What the hand did at a real table, as a move of the game, or in what the table differs from it. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from game.core import TABLE, RuleError, Seat
from game.match.ports import Difference
from game.table.axes import TableFrame
from game.table.hands import Row, TableHands
from physics.line import Placement
from physics.outcome import Fate
from vision.reader.reading import ReadTile
from vision.watching.settle import Kind, TileChange, changes_between

SURE = 0.7  # confidence below which a tile that was placed is not taken for a move
NEARBY = 15.0  # mm within which a tile that was set down for a move of the game is the one that was meant
SLACK = 3.0  # times its error that a tile may stand elsewhere than it was read, to be where the rules allow it


@dataclass(frozen=True, slots=True)
class Sense:
    """What the table means to the game."""

    move: Any = None  # what the hand did
    seat: Seat = TABLE  # whose move it is
    corrects: bool = False  # the move says better what the last placement said
    differences: tuple[Difference, ...] = ()
    refused: RuleError | None = None  # why what the hand did is no move


def sense(
    hands: TableHands,
    state: Any,
    frame: TableFrame,
    tiles: Sequence[ReadTile],
    *,
    by_hand: bool,
    unseen: Any = None,
) -> Sense:
    """What the tiles that are seen on a calm table mean.

    `by_hand`: the player whose turn it is places tiles with their own hands. `unseen`: the last placement, where it
    was made in the game and the tile has not been seen on the table since.
    """
    expected = [frame.on_mat(tile) for tile in hands.row(state)]
    values = {tile.value for tile in expected}
    # Tiles of the supply may lie about.
    there = [tile for tile in tiles if tile.state is not Fate.FALLEN or tile.value in values]
    changes = changes_between(expected, there)
    if any(change.kind is Kind.FALLEN for change in changes):
        found = hands.fallen(state)
        return Sense() if found is None else Sense(found[1], found[0])
    differs = Sense(differences=tuple(_difference(change) for change in changes))
    if len(changes) != 1:
        return differs
    change = changes[0]
    is_moved = change.kind is Kind.MOVED
    if unseen is not None and is_moved and change.value == _placement(hands, unseen).value:
        return _meant(hands, state, frame, change, unseen, differs)
    if not (by_hand and change.kind in (Kind.PLACED, Kind.MOVED) and hands.may_place(state, lifted=is_moved)):
        return differs
    tile = change.after
    assert tile is not None
    if tile.confidence < SURE or tile.state is not Fate.STANDING:
        return differs
    try:
        move = hands.placed(state, frame.in_game(tile), SLACK * math.hypot(*tile.sigma[:2]) / 1e3)
    except RuleError as error:
        return replace(differs, refused=error)
    return Sense(move, hands.placer(state))


def _placement(hands: TableHands, move: Any) -> Placement:
    place = hands.placement(move)
    assert place is not None
    return place


def _meant(hands: TableHands, state: Any, frame: TableFrame, change: TileChange, unseen: Any, differs: Sense) -> Sense:
    """A tile that was set down for a move made in the game stands where it stands: the game is told."""
    before, after = change.before, change.after
    assert before is not None and after is not None
    is_near = math.hypot(after.x - before.x, after.y - before.y) <= NEARBY and after.stance is before.stance
    if not is_near or after.state is Fate.FALLEN:
        return differs
    own = frame.in_game(after)
    better = replace(own, yaw=_alike(own.yaw, _placement(hands, unseen).yaw))
    return replace(differs, move=hands.elsewhere(unseen, better), seat=hands.placer(state), corrects=True)


def _alike(yaw: float, other: float) -> float:
    """The same turn of a tile, which has no front, as near to the other as can be."""
    return other + math.remainder(yaw - other, math.pi)


def _difference(change: TileChange) -> Difference:
    """The change as people are told it."""
    before, after = change.before, change.after
    if after is None or change.kind is Kind.FALLEN:
        return Difference("missing", change.value)
    if before is None:
        return Difference("extra", change.value if after.confidence >= SURE else None)
    if before.stance is not after.stance:
        return Difference("stance", change.value)
    far = math.hypot(after.x - before.x, after.y - before.y)
    turned = abs(math.remainder(after.yaw - before.yaw, 180.0))
    # Whichever is the plainer to see.
    return Difference("turned", change.value, turned) if turned > 2.5 * far else Difference("moved", change.value, far)


def not_cleared(row: Row, standing: Sequence[ReadTile]) -> tuple[Difference, ...]:
    """What a table lacks for a round to begin with that row; nothing while everything lies about."""
    wanted = {tile.value for tile in row}
    seen = {tile.value for tile in standing}
    extra = tuple(Difference("extra", tile.value) for tile in standing if tile.value not in wanted)
    if not standing or wanted <= seen:
        return extra
    return (*(Difference("missing", value) for value in sorted(wanted - seen)), *extra)
