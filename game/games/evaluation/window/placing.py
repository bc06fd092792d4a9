"""Placing a tile by hand in Evaluation Domino: from where the hand is, or from keys, to a placement and its legality.

Snapped, a tile takes the nearest guided place: at an end of the row, the gap in whole millimetres and the turn in
steps of 5°, or between two neighbours. Set free, it stands exactly where the hand is. Whether the rules take it is
asked of the rules themselves, so that a refusal is theirs, word for word. All of it is values and pure functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from game.core import Chance, RuleError
from game.games.evaluation.moves import End, Spot, Stand
from game.games.evaluation.numbers import NUMBERS, Limits
from game.games.evaluation.placements import TILES, Row, at_end, between, free_air, gaps_between, stood
from game.games.evaluation.rules import GAME
from game.games.evaluation.state import State, row_scene
from game.games.evaluation.text.moves import USUAL_GAP
from game.games.evaluation.window.spots import (
    LIMITS,
    apart_from,
    beside,
    gap_within,
    has_room,
    index_of,
    is_lifted,
    rest_of,
    spots_of,
)
from physics.line import Placement
from physics.scene import Scene
from physics.tiles import Stance

TURN_STEP = math.radians(5)
BIAS = 0.4e-3  # m that the hand must lead farther to the side for a step of the turn, so that it does not jitter
SLACK = 8e-3  # m that a snapped tile may be farther from the hand than the nearest place, where that one is refused
TURNS = tuple(LIMITS.turn_max * step / 9 for step in range(-9, 10))


@dataclass(frozen=True, slots=True)
class Aim:
    """What a hand holds and where it is."""

    value: int
    stance: Stance
    x: float  # m on the table
    y: float  # m
    free: bool = False  # exactly here, rather than at the nearest guided place
    turn: float | None = None  # rad, snapped to an end: the chosen turn of the row; None: as the hand leads it
    yaw: float = 0.0  # rad, set free: how the tile is turned
    limits: Limits = NUMBERS.limits  # of the rules that are played


@dataclass(frozen=True, slots=True)
class Guide:
    """A guided place: the gap is the free air to the neighbour at an end, or to the first of the two neighbours."""

    spot: Spot
    gap: float  # m
    turn: float = 0.0  # rad, of the row from one tile to the next; at an end only


@dataclass(frozen=True, slots=True)
class Proposal:
    """A placement that is being thought of: what to draw, what to say of it, and whether the rules take it."""

    row: Row  # on the table, with the tile that is to be lifted
    aim: Aim
    stand: Stand  # the move, legal or not
    guide: Guide | None  # None: set free
    gaps: tuple[float, ...]  # mm of free air to its neighbours, in their order along the row
    turn: float  # degrees from the tile before it, or at the first end to the tile after it
    refusal: RuleError | None  # why it is not legal

    @property
    def move(self) -> Stand | None:
        """The move to make; None when it is not legal."""
        return self.stand if self.refusal is None else None

    @property
    def ghost(self) -> Placement:
        """The tile to draw."""
        return self.stand.placement

    @property
    def lifted(self) -> bool:
        """Whether the tile is taken out of the row."""
        return self.stand.lifted

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The values of the tiles it would stand beside, as many as there are gaps."""
        return tuple(tile.value for tile in beside(rest_of(self.row, self.aim.value), self.stand.spot))


def aimed(row: Row, aim: Aim) -> Proposal:
    """What the hand would do with the tile; a tile of the row is lifted first. SceneError when there is no such tile.

    Snapped to an end it follows the hand; where the nearest place is refused, one beside it is taken if that is legal.
    """
    if aim.free:
        return _set_free(row, aim)
    rest = rest_of(row, aim.value)
    led = [_guides(rest, aim, spot) for spot in spots_of(row, aim.value)]
    first, others = min(((next(guides), guides) for guides in led), key=lambda found: found[0][0])
    best: Proposal | None = None
    for apart, guide in chain((first,), others):
        if apart > first[0] + SLACK:
            continue
        proposal = _guided(row, aim, guide)
        if proposal.refusal is None:
            return proposal
        best = best or proposal
    assert best is not None
    return best


def first_proposal(row: Row, value: int, stance: Stance = Stance.UPRIGHT, limits: Limits = NUMBERS.limits) -> Proposal:
    """Where placing by keys begins: the usual gap at the right end, or the first end and turn that are legal.

    The right end with the rules' reason when there is none. SceneError when there is no such tile.
    """
    aim = Aim(value, stance, 0.0, 0.0, limits=limits)
    tries = (
        _here(_guided(row, aim, Guide(end, USUAL_GAP / 1e3, turn)))
        for turn in sorted(TURNS, key=abs)
        for end in (End.LAST, End.FIRST)
    )
    usual = next(tries)
    if usual.refusal is None:
        return usual
    return next((proposal for proposal in tries if proposal.refusal is None), usual)


# Steps: keys and the wheel


@dataclass(frozen=True, slots=True)
class NextSpot:
    """On to the next place where there is room: the ends and between neighbours, round and round."""

    by: int = 1  # -1: back


@dataclass(frozen=True, slots=True)
class Gap:
    """A larger gap, or a smaller one; between two neighbours it is the one to the left of them."""

    by: float  # m


@dataclass(frozen=True, slots=True)
class Turn:
    """Turned on, anticlockwise seen from above."""

    by: float = TURN_STEP  # rad


@dataclass(frozen=True, slots=True)
class Flip:
    """From upright to its side, or back."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Moved on the table, which sets it free."""

    dx: float  # m
    dy: float  # m


@dataclass(frozen=True, slots=True)
class Loosen:
    """Set free where it is, or, when it is free, snapped to the nearest place."""


Step = NextSpot | Gap | Turn | Flip | Shift | Loosen


def stepped(proposal: Proposal, step: Step) -> Proposal:
    """The proposal after one step; the same one where the step leads nowhere, such as a gap beyond its limit."""
    if isinstance(step, NextSpot):
        return _next_spot(proposal, step.by)
    if isinstance(step, Shift):
        aim = _loose(proposal)
        return _set_free(proposal.row, replace(aim, x=aim.x + step.dx, y=aim.y + step.dy))
    if proposal.guide is None:
        return _stepped_free(proposal, step)
    return _stepped_guided(proposal, proposal.guide, step)


def _stepped_free(proposal: Proposal, step: Gap | Turn | Flip | Loosen) -> Proposal:
    row, aim = proposal.row, proposal.aim
    match step:
        case Flip():
            return _set_free(row, _flipped(aim))
        case Loosen():
            return _here(aimed(row, replace(aim, free=False, turn=None)))
        case Gap(by):
            way = _way(proposal)
            return _set_free(row, replace(aim, x=aim.x + by * math.cos(way), y=aim.y + by * math.sin(way)))
        case Turn(by):
            return _set_free(row, replace(aim, yaw=math.remainder(aim.yaw + by, math.tau)))


def _stepped_guided(proposal: Proposal, guide: Guide, step: Gap | Turn | Flip | Loosen) -> Proposal:
    row, aim = proposal.row, proposal.aim
    match step:
        case Flip():
            return _here(_guided(row, _flipped(aim), guide))
        case Loosen():
            return _set_free(row, _loose(proposal))
        case Gap(by):
            gap = gap_within(rest_of(row, aim.value), aim.value, aim.stance, guide.spot, guide.gap + by)
            return _here(_guided(row, aim, replace(guide, gap=gap)))
        case Turn(by):
            if not isinstance(guide.spot, End):
                return proposal  # between two neighbours a guided tile stands across their air
            turn = max(-LIMITS.turn_max, min(LIMITS.turn_max, guide.turn + by))
            return _here(_guided(row, aim, replace(guide, turn=turn)))


def _flipped(aim: Aim) -> Aim:
    return replace(aim, stance=Stance.SIDE if aim.stance is Stance.UPRIGHT else Stance.UPRIGHT)


def _next_spot(proposal: Proposal, by: int) -> Proposal:
    row, value, stance = proposal.row, proposal.aim.value, proposal.aim.stance
    rest = rest_of(row, value)
    here = proposal.stand.spot
    spots = [
        spot
        for spot in spots_of(row, value)
        if isinstance(spot, End) or has_room(rest, value, proposal.aim.stance, spot) or spot == here
    ]
    at = spots.index(here) if here in spots else 0
    spot = spots[(at + by) % len(spots)]
    if isinstance(spot, End):
        was = proposal.guide
        guide = was if was is not None and isinstance(was.spot, End) else Guide(End.LAST, USUAL_GAP / 1e3)
        return _here(_guided(row, replace(proposal.aim, free=False), replace(guide, spot=spot)))
    middle = gap_within(rest, value, stance, spot, sum(gaps_between(rest, index_of(rest, spot), value, stance)) / 2)
    return _here(_guided(row, replace(proposal.aim, free=False), Guide(spot, middle)))


def _here(proposal: Proposal) -> Proposal:
    """The proposal with the hand where the tile stands, so that a further step begins there."""
    ghost, guide = proposal.ghost, proposal.guide
    turn = None if guide is None else guide.turn
    return replace(proposal, aim=replace(proposal.aim, x=ghost.x, y=ghost.y, yaw=ghost.yaw, turn=turn))


def _loose(proposal: Proposal) -> Aim:
    """The hand that holds the tile just as it is proposed, but free."""
    ghost = proposal.ghost
    return replace(proposal.aim, x=ghost.x, y=ghost.y, yaw=ghost.yaw, free=True)


def _way(proposal: Proposal) -> float:
    """The way in which the gap of a free tile grows, rad: away from its neighbour, or from the first of the two."""
    before = beside(rest_of(proposal.row, proposal.aim.value), proposal.stand.spot)[0]
    return math.atan2(proposal.ghost.y - before.y, proposal.ghost.x - before.x)


# Guided places


def _guides(rest: Row, aim: Aim, spot: Spot) -> Iterator[tuple[float, Guide]]:
    """Guided places at that spot with their distance from the hand (m), first what the hand leads to."""
    if isinstance(spot, End):
        turns = TURNS if aim.turn is None else (max(-LIMITS.turn_max, min(LIMITS.turn_max, aim.turn)),)
        ways = [_way_out(rest, aim, spot, turn) for turn in turns]
        for _aside, turn, there in sorted(ways, key=lambda way: way[0]):
            yield _led(rest, aim, spot, turn, there)
        return
    index = index_of(rest, spot)
    start = between(rest, index, aim.value, aim.stance, 0.0).placement
    cos, sin = math.cos(start.yaw), math.sin(start.yaw)
    along = max((aim.x - start.x) * cos + (aim.y - start.y) * sin, 0.0)
    there = replace(start, x=start.x + along * cos, y=start.y + along * sin)
    gap = gap_within(rest, aim.value, aim.stance, spot, free_air(rest[index], there))
    found = between(rest, index, aim.value, aim.stance, gap).placement
    yield math.hypot(aim.x - found.x, aim.y - found.y), Guide(spot, gap)


def _way_out(rest: Row, aim: Aim, end: End, turn: float) -> tuple[float, float, Placement]:
    """How far the hand is aside of where that turn leads (m), which is what chooses the turn; the turn itself.

    Then the tile on the way of that turn, where the hand is nearest to it.
    """
    old, sign = (rest[-1], 1) if end is End.LAST else (rest[0], -1)
    out = old.yaw if end is End.LAST else old.yaw + math.pi
    new = out + sign * turn
    half, next_half = TILES[old.value].thickness / 2, TILES[aim.value].thickness / 2
    # The way out is walked half along the old heading and half along the new one.
    way_x, way_y = (math.cos(out) + math.cos(new)) / 2, (math.sin(out) + math.sin(new)) / 2
    x = aim.x - old.x - half * math.cos(out) - next_half * math.cos(new)
    y = aim.y - old.y - half * math.sin(out) - next_half * math.sin(new)
    length = math.hypot(way_x, way_y)
    along = max((x * way_x + y * way_y) / length**2, 0.0)
    there = Placement(aim.value, aim.x - x + along * way_x, aim.y - y + along * way_y, new, aim.stance)
    return abs(x * way_y - y * way_x) / length + BIAS * abs(turn) / TURN_STEP, turn, there


def _led(rest: Row, aim: Aim, end: End, turn: float, there: Placement) -> tuple[float, Guide]:
    """The gap at that end, with that turn, that brings the tile nearest to the hand; before it how far away, m."""
    gap = gap_within(rest, aim.value, aim.stance, end, free_air(rest[-1 if end is End.LAST else 0], there))
    found = at_end(rest, aim.value, aim.stance, end, gap, turn).placement
    return math.hypot(aim.x - found.x, aim.y - found.y), Guide(end, gap, turn)


def _guided(row: Row, aim: Aim, guide: Guide) -> Proposal:
    rest, lifted = rest_of(row, aim.value), is_lifted(row, aim.value)
    if isinstance(guide.spot, End):
        stand = at_end(rest, aim.value, aim.stance, guide.spot, guide.gap, guide.turn, lifted=lifted)
    else:
        stand = between(rest, index_of(rest, guide.spot), aim.value, aim.stance, guide.gap)
    return _proposal(row, aim, stand, guide)


# Free places


def _set_free(row: Row, aim: Aim) -> Proposal:
    """The tile where the hand is, at the nearest spot that the rules take it at, or else at the nearest one."""
    rest, lifted = rest_of(row, aim.value), is_lifted(row, aim.value)
    tile = Placement(aim.value, aim.x, aim.y, aim.yaw, aim.stance)
    spots = sorted(spots_of(row, aim.value), key=lambda spot: apart_from(rest, spot, tile))
    found: Iterator[Proposal] = (_proposal(row, aim, Stand(tile, spot, lifted), None) for spot in spots)
    nearest = next(found)
    if nearest.refusal is None:
        return nearest
    return next((proposal for proposal in found if proposal.refusal is None), nearest)


# What is said of a placement


def _proposal(row: Row, aim: Aim, stand: Stand, guide: Guide | None) -> Proposal:
    others = beside(rest_of(row, aim.value), stand.spot)
    gaps = tuple(free_air(stand.placement, tile) * 1e3 for tile in others)
    turn = math.remainder(stand.placement.yaw - others[0].yaw, math.pi)  # a tile has no front
    if stand.spot is End.FIRST:
        turn = -turn
    return Proposal(row, aim, stand, guide, gaps, math.degrees(turn), _refusal(row, stand, aim.limits))


def _refusal(row: Row, stand: Stand, limits: Limits) -> RuleError | None:
    """Why the rules do not take it from whoever is to place a tile in this row; None when they do."""
    try:
        GAME.check(_state(row, limits), 0, stand)
    except RuleError as error:
        return error
    return None


def _state(row: Row, limits: Limits) -> State:
    """A match in which seat 0 is to place a tile in that row."""
    return State(Chance(0), 1, (0, 0), 0, row, limits=limits)


def scene_of(proposal: Proposal) -> Scene | None:
    """The row as it would stand, with its push: what a forecast looks at. None when the proposal is not legal."""
    move = proposal.move
    if move is None:
        return None
    limits = proposal.aim.limits
    return row_scene(_state(stood(rest_of(proposal.row, proposal.aim.value), move, limits), limits))
