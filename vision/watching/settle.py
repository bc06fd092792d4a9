"""When a reading of the table counts, and what happened between one that did and the next.

Pure: a state and what is seen go in, a new state and events come out. Pictures, clocks and readers are elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from physics.outcome import Fate
from vision.reader.reading import ReadTile


@dataclass(frozen=True, slots=True)
class SettleRules:
    """When the table is calm, and what counts as a change."""

    max_moving: float = 0.0002  # share of the picture: more than this moves
    calm: float = 0.4  # s without motion and without a hand before the table is read
    # S after which what came in from the edge and does not stir is no hand: the light or the camera changed.
    ghost: float = 3.0
    agreeing: int = 2  # readings in a row that must say the same before a change counts
    min_shift: float = 2.5  # mm: a tile that is farther from where it was has moved
    min_turn: float = 6.0  # degrees likewise
    sigmas: float = 3.0  # times its own error, where that is more


SETTLE_RULES = SettleRules()


class Kind(Enum):
    """What happened."""

    PLACED = "placed"
    MOVED = "moved"
    TAKEN = "taken"
    FALLEN = "fallen"
    HAND_IN = "hand in view"
    HAND_OUT = "hand out of view"


@dataclass(frozen=True, slots=True)
class TileChange:
    """One tile that is not as it was, or not as it should be."""

    kind: Kind  # PLACED: there and not expected; TAKEN: expected and not there; MOVED; FALLEN
    before: ReadTile | None
    after: ReadTile | None

    @property
    def value(self) -> int:
        """Which tile."""
        tile = self.after or self.before
        assert tile is not None
        return tile.value


@dataclass(frozen=True, slots=True)
class TableEvent:
    """Something that happened on the table."""

    time: float  # s
    kind: Kind
    change: TileChange | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What one picture says; the reading is there only where one was made."""

    time: float  # s
    moving: float  # share of the picture that moves
    hand: bool = False
    tiles: tuple[ReadTile, ...] | None = None  # a reading of this picture


class Phase(Enum):
    """What the table is doing, as far as reading it goes."""

    MOVING = "moving"
    HAND = "hand in view"
    SETTLING = "settling"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class TableState:
    """What is known of the table so far."""

    tiles: tuple[ReadTile, ...] | None = None  # the last reading that counted; None before the first
    phase: Phase = Phase.MOVING
    still_since: float | None = None  # s: no motion since
    pending: tuple[ReadTile, ...] | None = None  # a reading that waits for another to agree
    agreeing: int = 0

    @property
    def wants_reading(self) -> bool:
        """Whether the table is calm and has not been read since it became so."""
        return self.phase is Phase.SETTLING


def step(state: TableState, seen: Seen) -> tuple[TableState, tuple[TableEvent, ...]]:
    """The state after one picture, and what happened."""
    events: list[TableEvent] = []
    if seen.moving > SETTLE_RULES.max_moving:
        still_since = None
    else:
        still_since = seen.time if state.still_since is None else state.still_since
    # A hand is never quite still for long; what is, came with the light or with a push at the camera.
    is_ghost = seen.hand and still_since is not None and seen.time - still_since >= SETTLE_RULES.ghost
    is_hand = seen.hand and not is_ghost
    was_hand = state.phase is Phase.HAND
    if is_hand and not was_hand:
        events.append(TableEvent(seen.time, Kind.HAND_IN))
    if was_hand and not is_hand:
        events.append(TableEvent(seen.time, Kind.HAND_OUT))
        if not is_ghost and still_since is not None:  # the hand itself may have kept still
            still_since = seen.time
    state = replace(state, still_since=still_since)
    if is_hand or still_since is None:
        phase = Phase.HAND if is_hand else Phase.MOVING
        return replace(state, phase=phase, pending=None, agreeing=0), tuple(events)
    if seen.time - still_since < SETTLE_RULES.calm:
        return replace(state, phase=Phase.MOVING, pending=None, agreeing=0), tuple(events)
    if state.phase is not Phase.SETTLED:
        state = replace(state, phase=Phase.SETTLING)
    if seen.tiles is not None:
        state, changes = _read(state, seen.time, seen.tiles)
        events += changes
    return state, tuple(events)


def _read(state: TableState, time: float, tiles: tuple[ReadTile, ...]) -> tuple[TableState, list[TableEvent]]:
    """A reading of a calm table: counts at once when nothing changed, else when another says the same."""
    if state.tiles is not None and not changes_between(state.tiles, tiles):
        return replace(state, tiles=tiles, phase=Phase.SETTLED, pending=None, agreeing=0), []
    agrees = state.pending is not None and not changes_between(state.pending, tiles)
    agreeing = state.agreeing + 1 if agrees else 1
    if agreeing < SETTLE_RULES.agreeing:
        return replace(state, phase=Phase.SETTLING, pending=tiles, agreeing=agreeing), []
    changes = changes_between(state.tiles or (), tiles)
    settled = replace(state, tiles=tiles, phase=Phase.SETTLED, pending=None, agreeing=0)
    return settled, [TableEvent(time, change.kind, change) for change in changes]


def changes_between(before: Sequence[ReadTile], after: Sequence[ReadTile]) -> tuple[TileChange, ...]:
    """What changed, tile by tile: taken, fallen and moved ones in the order before, then the placed ones."""
    pairs, gone, new = _matched(before, after)
    found = [TileChange(Kind.TAKEN, tile, None) for tile in gone]
    for old, now in pairs:
        if now.state is Fate.FALLEN and old.state is not Fate.FALLEN:
            found.append(TileChange(Kind.FALLEN, old, now))
        elif _moved(old, now):
            found.append(TileChange(Kind.MOVED, old, now))
    return (*found, *(TileChange(Kind.PLACED, None, tile) for tile in new))


def _matched(
    before: Sequence[ReadTile], after: Sequence[ReadTile]
) -> tuple[list[tuple[ReadTile, ReadTile]], list[ReadTile], list[ReadTile]]:
    """Tiles of the same value, the nearest first: pairs, those without a partner now, those without one before."""
    near = sorted(
        (math.hypot(old.x - now.x, old.y - now.y), i, j)
        for i, old in enumerate(before)
        for j, now in enumerate(after)
        if old.value == now.value
    )
    partner: dict[int, int] = {}
    for _distance, i, j in near:
        if i not in partner and j not in partner.values():
            partner[i] = j
    pairs = [(before[i], after[j]) for i, j in sorted(partner.items())]
    gone = [tile for i, tile in enumerate(before) if i not in partner]
    new = [tile for j, tile in enumerate(after) if j not in partner.values()]
    return pairs, gone, new


def _moved(old: ReadTile, now: ReadTile) -> bool:
    """Whether a tile stands elsewhere than before, by more than its error explains."""
    if old.state is Fate.FALLEN and now.state is Fate.FALLEN:
        return False  # where a fallen tile lies is nobody's concern
    if (old.state is Fate.FALLEN) != (now.state is Fate.FALLEN) or old.stance is not now.stance:
        return True
    error = [SETTLE_RULES.sigmas * math.hypot(a, b) for a, b in zip(old.sigma, now.sigma, strict=True)]
    turned = abs(math.remainder(now.yaw - old.yaw, 180.0))  # a tile turned by half a turn looks the same
    shifted = math.hypot(now.x - old.x, now.y - old.y)
    has_shifted = shifted > max(SETTLE_RULES.min_shift, math.hypot(error[0], error[1]))
    has_turned = turned > max(SETTLE_RULES.min_turn, error[2])
    return has_shifted or has_turned
