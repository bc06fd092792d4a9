"""What the hand did at a real table, as a move of the game; and what became of a row that was pushed. Pure.

The row and the tiles that are seen go in on the mat's axes, mm and degrees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from game.core import TABLE, RuleError, Seat
from game.games.evaluation.moves import Accident, End, Move, Push, Spot, Stand
from game.games.evaluation.placements import Row, stood, without
from game.games.evaluation.state import Phase, State
from game.match.ports import Difference
from game.table.axes import TableFrame
from physics.errors import InputError, Number
from physics.line import Line, Placement
from physics.outcome import Fate
from vision.reader.reading import ReadTile
from vision.watching.settle import Difference as Change
from vision.watching.settle import Kind, differences

SURE = 0.7  # confidence below which a tile that was placed is not taken for a move
NEARBY = 15.0  # mm within which a tile that was set down for a move of the game is the one that was meant
SLACK = 3.0  # times its error that a tile may stand elsewhere than it was read, to be where the rules allow it
CERTAIN = 2.0  # times its error that a lean must be past the tipping angle, or short of it
SLIPS = (Phase.BUILD, Phase.CALL, Phase.VOTE)
"""When what falls is an accident."""


@dataclass(frozen=True, slots=True)
class Sense:
    """What the table means to the game."""

    move: Move | None = None  # what the hand did
    seat: Seat = TABLE  # whose move it is
    corrects: bool = False  # the move says better what the last placement said
    differences: tuple[Difference, ...] = ()
    refused: RuleError | None = None  # why what the hand did is no move


def sense(
    state: State, frame: TableFrame, tiles: Sequence[ReadTile], *, by_hand: bool, unseen: Stand | None = None
) -> Sense:
    """What the tiles that are seen on a calm table mean.

    `by_hand`: the player whose turn it is places tiles with their own hands. `unseen`: the last placement, where it
    was made in the game and the tile has not been seen on the table since.
    """
    expected = [frame.on_mat(tile) for tile in state.row]
    values = {tile.value for tile in expected}
    # Tiles of the supply may lie about.
    there = [tile for tile in tiles if tile.state is not Fate.FALLEN or tile.value in values]
    changes = differences(expected, there)
    if any(change.kind is Kind.FALLEN for change in changes):
        if state.phase in SLIPS:
            return Sense(Accident(state.active), TABLE)
        if state.phase is Phase.PUSH:
            return Sense(Push(), state.active)
        return Sense()
    if not changes or state.phase in (Phase.FALL, Phase.OVER):
        return Sense()
    told = _told(changes)
    if len(changes) > 1:
        return Sense(differences=told)
    change = changes[0]
    assert change.after is None or isinstance(change.after, ReadTile)
    if unseen is not None and change.kind is Kind.MOVED and change.value == unseen.placement.value:
        return _meant(state, frame, change, unseen, told)
    lifts = not state.supply and change.kind is Kind.MOVED
    if not (by_hand and state.phase is Phase.BUILD and (lifts or change.kind is Kind.PLACED)):
        return Sense(differences=told)
    assert change.after is not None
    if change.after.confidence < SURE or change.after.state is not Fate.STANDING:
        return Sense(differences=told)
    try:
        return Sense(placed(state, frame, change.after), state.active)
    except RuleError as error:
        return Sense(differences=told, refused=error)


def _meant(state: State, frame: TableFrame, change: Change, unseen: Stand, told: tuple[Difference, ...]) -> Sense:
    """A tile that was set down for a move made in the game stands where it stands: the game is told."""
    before, after = change.before, change.after
    assert before is not None and after is not None
    is_near = math.hypot(after.x - before.x, after.y - before.y) <= NEARBY and after.stance is before.stance
    if not is_near or after.state is Fate.FALLEN:
        return Sense(differences=told)
    own = frame.in_game(after)
    better = replace(unseen, placement=replace(own, yaw=_alike(own.yaw, unseen.placement.yaw)))
    return Sense(better, state.active, corrects=True, differences=told)


def _alike(yaw: float, other: float) -> float:
    """The same turn of a tile, which has no front, as near to the other as can be."""
    return other + math.remainder(yaw - other, math.pi)


def placed(state: State, frame: TableFrame, tile: ReadTile) -> Stand:
    """The move that stood the tile there; RuleError when the rules do not allow any such move.

    A tile that breaks a rule by less than its own error is taken to stand where it does not.
    """
    seen = frame.in_game(tile)
    lifted = not state.supply
    if seen.value not in state.movable:
        raise RuleError("The tile {value} is not among those that may be placed now.", value=seen.value)
    row = without(state.row, seen.value) if lifted else state.row
    spots = spots_of(row, seen, lifted=lifted)
    refusal: RuleError | None = None
    for share in (0.0, 0.34, -0.34, 0.67, -0.67, 1.0, -1.0):
        far = share * SLACK * math.hypot(tile.sigma[0], tile.sigma[1]) / 1e3
        near = replace(seen, x=seen.x + far * math.cos(seen.yaw), y=seen.y + far * math.sin(seen.yaw))
        for spot in spots:
            stand = Stand(near, spot, lifted)
            try:
                stood(row, stand, state.limits)
            except RuleError as error:
                refusal = refusal or error
            else:
                return stand
    assert refusal is not None
    raise refusal


def spots_of(row: Row, tile: Placement, *, lifted: bool) -> list[Spot]:
    """The places in the row that the tile may have been stood at, the nearest first."""
    found: list[tuple[float, Spot]] = [
        (_far(row[0], tile) if len(row) < 2 else _end_detour(row[0], row[1], tile), End.FIRST),
        (_far(row[-1], tile) if len(row) < 2 else _end_detour(row[-1], row[-2], tile), End.LAST),
    ]
    if len(row) == 1:
        ahead = (tile.x - row[0].x) * math.cos(row[0].yaw) + (tile.y - row[0].y) * math.sin(row[0].yaw)
        return [End.LAST, End.FIRST] if ahead >= 0 else [End.FIRST, End.LAST]
    if not lifted:
        found += [
            (_far(one, tile) + _far(tile, other) - _far(one, other), (one.value, other.value))
            for one, other in pairwise(row)
        ]
    return [spot for _detour, spot in sorted(found, key=lambda each: each[0])]


def _far(one: Placement, other: Placement) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def _end_detour(end: Placement, inner: Placement, tile: Placement) -> float:
    """How far the way from the tile over the end into the row is from the straight one, m."""
    return _far(tile, end) + _far(end, inner) - _far(tile, inner)


def _told(changes: Sequence[Change]) -> tuple[Difference, ...]:
    """The changes as people are told them."""
    return tuple(_difference(change) for change in changes)


def _difference(change: Change) -> Difference:
    before, after = change.before, change.after
    if after is None or change.kind is Kind.FALLEN:
        return Difference("missing", change.value)
    if before is None:
        is_sure = not isinstance(after, ReadTile) or after.confidence >= SURE
        return Difference("extra", change.value if is_sure else None)
    if before.stance is not after.stance:
        return Difference("stance", change.value)
    far = math.hypot(after.x - before.x, after.y - before.y)
    turned = abs(math.remainder(after.yaw - before.yaw, 180.0))
    # Whichever is the plainer to see.
    return Difference("turned", change.value, turned) if turned > 2.5 * far else Difference("moved", change.value, far)


# What fell


def fates_of(line: Line, tiles: Sequence[ReadTile]) -> tuple[Fate, ...]:
    """What became of each tile of the line; InputError when that cannot be told of one of them."""
    seen = {tile.value: tile for tile in tiles}
    found = []
    for place, box in zip(line.placements, line.standing(), strict=True):
        tile = seen.get(place.value)
        if tile is None:
            raise InputError("The camera does not see the tile {value}: please say what fell.", value=place.value)
        found.append(fate_of(tile, math.degrees(box.tipping_angle)))
    return tuple(found)


def fate_of(tile: ReadTile, tipping: float) -> Fate:
    """Whether the tile fell, by its lean against its tipping angle, degrees; InputError when it may be either."""
    lean, doubt = abs(tile.lean), CERTAIN * tile.lean_sigma
    if tile.state is Fate.FALLEN and not lean:
        return Fate.FALLEN
    if tile.state is Fate.STANDING and not lean:
        return Fate.STANDING
    if lean - doubt > tipping:
        return Fate.FALLEN
    if lean + doubt <= tipping:
        return Fate.STANDING if tile.state is Fate.STANDING else Fate.LEANING
    raise InputError(
        "The tile {value} leans {lean}° ± {sigma}°, and falls from {limit}° on: please say whether it fell.",
        value=tile.value,
        lean=Number(f"{lean:.1f}"),
        sigma=Number(f"{tile.lean_sigma:.1f}"),
        limit=Number(f"{tipping:.1f}"),
    )
