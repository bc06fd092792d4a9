"""Laws of rows: blows, and the collective model that simulations, plots and lessons are held to.

In the collective model (Shaw 1978, van Leeuwen 2010) a tile once struck is leaned on by all those behind it and
blows are plastic, so that the lean of the front tile decides the rest. Feet do not slip. SI units; leans in radians
from the vertical. It does not cover a tall tile that reaches over its neighbour to the one after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from physics.quadrature import INTEGRAL, NODES, WEIGHTS
from physics.tile_theory import (
    GRAVITY,
    Profile,
    fall_rate,
    require_friction,
    require_positive,
    tipping_angle,
    toppling_rate,
)

_Array = npt.NDArray[np.float64]

_NEGLIGIBLE = 1e-10  # share of the front tile's torque below which the tiles further back are left out


# One tile strikes another


def reach(striker: Profile, struck: Profile) -> float:
    """The gap below which the striker pushes the struck tile forward, contact without friction, m.

    That is the striker's height, unless the other is so short and stout that the striker's face presses its
    rear top edge down rather than forward.
    """
    pressed_from = struck.height**2 / struck.thickness
    on_edge_until = math.sqrt(max(0.0, striker.height**2 - struck.height**2))
    return pressed_from if pressed_from < on_edge_until else striker.height


def strike_lean(striker: Profile, struck: Profile, gap: float) -> float:
    """Lean of the striker when it meets an upright tile, rad.

    Its corner meets the other's face, or its face the rear top edge of a shorter tile.
    Raises ValueError unless the gap is above 0 and below the striker's height.
    """
    require_positive(gap=gap)
    if gap >= striker.height:
        raise ValueError(f"a tile of height {striker.height} does not reach over a gap of {gap}")
    meets_face = math.hypot(gap, struck.height) >= striker.height
    return math.asin(gap / striker.height) if meets_face else math.atan2(gap, struck.height)


def strike_rate(
    striker: Profile,
    struck: Profile,
    gap: float,
    start: float,
    gravity: float = GRAVITY,
) -> float:
    """Angular rate of a striker, let go at rest at a lean, when it meets an upright tile, rad/s; 0 if never.

    Raises ValueError if the gap is out of reach or the start beyond the strike.
    """
    return fall_rate(striker, start, strike_lean(striker, struck, gap), gravity=gravity)


@dataclass(frozen=True)
class Blow:
    """One tile striking another, which the blow alone topples if its rate is above its `toppling_rate`."""

    lean: float  # rad, of the striker
    striker_arm: float  # m, of the normal force about the striker's edge
    struck_arm: float  # m, about the struck tile's edge; below 0 it is pressed down
    striker_rate: float  # rad/s, after the blow
    struck_rate: float  # rad/s, after the blow


def blow(
    striker: Profile,
    struck: Profile,
    gap: float,
    rate: float,
    friction: float = 0.0,
    restitution: float = 0.0,
) -> Blow:
    """What a striker of a given angular rate, rad/s, does to an upright tile.

    Raises ValueError if the gap is out of reach, the friction below 0 or the restitution outside 0 to 1.
    """
    require_friction(friction)
    if not 0 <= restitution <= 1:
        raise ValueError(f"restitution must be between 0 and 1, not {restitution}")
    lean = strike_lean(striker, struck, gap)
    contact = _Contact(striker, struck, gap)
    touch = contact.touch(np.zeros(1), contact.edge_until > 0, friction)
    striker_arm, brace = float(touch.arm[0]), float(touch.brace[0])
    struck_arm = striker_arm * float(touch.ratio[0])
    push = max(0.0, float(touch.push[0]))  # pressed down or locked by friction, it stands like a wall
    yielding = striker_arm * brace / striker.inertia + struck_arm * push / struck.inertia
    impulse = (1 + restitution) * rate * striker_arm / yielding
    striker_rate = rate - impulse * brace / striker.inertia
    return Blow(lean, striker_arm, struck_arm, striker_rate, impulse * push / struck.inertia)


# Tiles leaning on one another


@dataclass(frozen=True)
class _Touch:
    """A contact at several leans of the tile ahead. Arms in m, about the edges the tiles turn about."""

    lean: _Array  # rad, of the tile behind
    ratio: _Array  # its rate per rate of the tile ahead: also the normal force's arm ahead over that behind
    bend: _Array  # derivative of the ratio by the lean of the tile ahead, 1/rad
    arm: _Array  # of the normal force, on the tile behind
    push: _Array  # of the force with friction, on the tile ahead
    brace: _Array  # and on the tile behind


class _Contact:
    """A tile leaning on the next: its corner on the other's face, or its face on the other's rear top edge.

    As the tile ahead falls, the contact goes from the edge to the face, if at all, and is lost after that.
    """

    def __init__(self, behind: Profile, ahead: Profile, gap: float) -> None:
        self.behind, self.ahead = behind, ahead
        pitch = self.pitch = gap + ahead.thickness  # m, between the edges the two turn about
        # On the edge while that is nearer to the turning edge behind than the corner behind is.
        near = (pitch**2 + ahead.diagonal**2 - behind.height**2) / (2 * pitch * ahead.diagonal)
        self.edge_until = tipping_angle(ahead) - math.asin(_clip(near, -1.0))  # rad, lean ahead
        # Lost once the corner has slid down to the foot of the face, or at once if it presses the edge down.
        foot = (pitch**2 + ahead.thickness**2 - behind.height**2) / (2 * pitch * ahead.thickness)
        pressed = self.edge_until > 0 and gap * ahead.thickness >= ahead.height**2
        self.lost_from = 0.0 if pressed else math.acos(_clip(foot, 0.0))  # rad, lean ahead

    def lean_behind(self, lean: _Array, on_edge: bool) -> _Array:
        """Lean of the tile behind, rad."""
        if on_edge:
            return np.arctan2(*self._edge(lean))
        return lean + np.arcsin((self.pitch * np.cos(lean) - self.ahead.thickness) / self.behind.height)

    def _edge(self, lean: _Array) -> tuple[_Array, _Array]:
        """Rear top edge of the tile ahead, seen from the turning edge behind: forward and up, m."""
        sine, cosine = np.sin(lean), np.cos(lean)
        thickness, height = self.ahead.thickness, self.ahead.height
        return self.pitch - thickness * cosine + height * sine, thickness * sine + height * cosine

    def touch(self, lean: _Array, on_edge: bool, friction: float) -> _Touch:
        """The contact sliding, as it always does: the corner down the face, or the edge up the face."""
        behind = self.lean_behind(lean, on_edge)
        if on_edge:
            across, along = self.pitch * np.sin(behind), self.pitch * np.cos(behind)
            arm = np.hypot(*self._edge(lean))
            ahead, bend, brace = arm - across, along * (2 * across - arm) / arm**2, arm
            return _Touch(behind, ahead / arm, bend, arm, ahead - friction * along, brace)
        across, along = self.pitch * np.sin(lean), self.pitch * np.cos(lean)
        sine, cosine = np.sin(behind - lean), np.cos(behind - lean)
        arm = self.behind.height * cosine
        ahead, bend = arm - across, (across**2 * sine / (arm * cosine) - along) / arm
        brace = arm + friction * self.behind.height * sine
        return _Touch(behind, ahead / arm, bend, arm, ahead - friction * self.ahead.thickness, brace)


def _clip(value: float, low: float) -> float:
    return min(1.0, max(low, value))


@dataclass(frozen=True)
class Row:
    """Tiles standing in a row, in the order of their fall. Raises ValueError for impossible numbers."""

    tiles: tuple[Profile, ...]
    gaps: tuple[float, ...]  # m, face to face: one fewer than tiles
    friction: float = 0.0  # tile on tile
    gravity: float = GRAVITY  # m/s²

    def __post_init__(self) -> None:
        if not self.tiles or len(self.gaps) != len(self.tiles) - 1:
            raise ValueError(f"{len(self.tiles)} tiles cannot have {len(self.gaps)} gaps")
        for gap in self.gaps:
            require_positive(gap=gap)
        require_friction(self.friction)
        require_positive(gravity=self.gravity)

    @cached_property
    def _contacts(self) -> tuple[_Contact, ...]:
        return tuple(map(_Contact, self.tiles[:-1], self.tiles[1:], self.gaps))


@dataclass(frozen=True)
class Train:
    """A front tile and those leaning on one another behind it, front first."""

    leans: _Array  # rad
    rates: _Array  # angular rate per rate of the front tile
    bends: _Array  # derivative of the rates by the lean of the front tile, 1/rad
    weights: _Array  # torque that reaches the front tile per torque on this one


def train(row: Row, front: int, lean: float) -> Train:
    """The tiles that lean on one another behind a front tile, given by index and lean.

    Tiles that have slid down to the table, and those too far back to matter, are left out.
    Raises ValueError unless the front is in the row and 0 ≤ lean < 90°.
    """
    if not (0 <= front < len(row.tiles) and 0 <= lean < math.pi / 2):
        raise ValueError(f"no tile {front} leaning {lean} rad in a row of {len(row.tiles)}")
    found = _train(row, front, _modes(row, front, lean), np.array([lean]))
    return Train(found.leans[:, 0], found.rates[:, 0], found.bends[:, 0], found.weights[:, 0])


def _modes(row: Row, front: int, lean: float) -> tuple[bool, ...]:
    """For each contact of the train, front first, whether it is on the edge of the tile ahead."""
    modes, leans = [], np.array([lean])
    for contact in reversed(row._contacts[:front]):
        if leans[0] >= contact.lost_from:
            break
        modes.append(bool(leans[0] < contact.edge_until))
        leans = contact.lean_behind(leans, modes[-1])
    return tuple(modes)


def _train(row: Row, front: int, modes: tuple[bool, ...], leans: _Array) -> Train:
    """`train` for several leans at once (second axis), between which the contacts do not change."""
    found = [(leans, np.ones_like(leans), np.zeros_like(leans), np.ones_like(leans))]
    least = _NEGLIGIBLE * row.tiles[front].mass * row.tiles[front].height
    for contact, on_edge in zip(reversed(row._contacts[:front]), modes, strict=False):
        lean, rate, bend, weight = found[-1]
        touch = contact.touch(lean, on_edge, row.friction)
        weight = weight * touch.push / touch.brace
        found.append((touch.lean, touch.ratio * rate, touch.ratio * bend + touch.bend * rate**2, weight))
        if contact.behind.mass * contact.behind.height * np.max(np.abs(weight)) < least:
            break
    return Train(*(np.array(column) for column in zip(*found, strict=True)))


@dataclass(frozen=True)
class _Stretch:
    """Part of the front tile's way, u = 0 to 1, with lasting contacts; x = rate²: dx/du = pull − drag · x."""

    width: float  # rad
    gain: float  # x just after over x just before the begin
    pull: _Array
    drag: _Array
    slope: _Array  # x = slope · x at the begin + offset
    offset: _Array
    rates: _Array  # of the train at the end

    def follow(self, before: float) -> tuple[float, float]:
        """x at the end and the time, from x before the begin; 0 and infinity if the train stops underway."""
        x = self.slope * self.gain * before + self.offset
        change = self.pull - self.drag * x
        # Between two nodes x may dip below both: the bottom of the parabola with the slopes found there.
        dips = (change[:-1] < 0) & (change[1:] > 0)
        curve = np.where(dips, change[1:] - change[:-1], math.inf)
        bottom = x[:-1] - np.diff(NODES) * change[:-1] ** 2 / (2 * curve)
        if min(x.min(), bottom.min()) <= 0:
            return 0.0, math.inf
        return float(x[-1]), self.width * float(WEIGHTS @ (1 / np.sqrt(x)))


def _stretches(row: Row, front: int, start: float, end: float, rates: _Array) -> Iterator[_Stretch]:
    """The front tile's way from one lean to another; `rates` are the train's just before the start."""
    turns = _turns(lambda lean: _modes(row, front, lean), start, end)
    for low, high in pairwise((start, *turns, end)):
        found = _train(row, front, _modes(row, front, (low + high) / 2), low + (high - low) * NODES)
        tiles = row.tiles[front::-1][: len(found.leans)]
        loads = found.weights * np.array([[tile.inertia] for tile in tiles])
        forward = np.array([[tile.mass * tile.height] for tile in tiles]) * np.sin(found.leans)
        backward = np.array([[tile.mass * tile.thickness] for tile in tiles]) * np.cos(found.leans)
        inert = np.sum(loads * found.rates, axis=0)
        if inert.min() <= 0:
            inert = np.full_like(inert, math.inf)  # locked by friction: nothing moves this train
        pull = (high - low) * row.gravity * np.sum(found.weights * (forward - backward), axis=0) / inert
        drag = (high - low) * 2 * np.sum(loads * found.bends, axis=0) / inert
        slope = np.exp(-INTEGRAL @ drag)
        # A new front tile, or a contact that jumps from the edge to the face, shares out the motion as a
        # plastic blow does. Strictly such a contact opens for a moment; the rates after it differ by < 0.1 %.
        both = min(len(rates), len(tiles))
        kept = max(0.0, float(loads[:both, 0] @ rates[:both] / inert[0]))
        rates = found.rates[:, -1]
        yield _Stretch(high - low, kept**2, pull, drag, slope, slope * (INTEGRAL @ (pull / slope)), rates)


def _turns(state: Callable[[float], object], low: float, high: float) -> Iterator[float]:
    """Where a state that never comes back changes, in order."""
    intervals = [(low, high, state(low), state(high))]
    while intervals:
        low, high, before, after = intervals.pop()
        if before == after:
            continue
        middle = (low + high) / 2
        if high - low < 1e-10:
            yield middle
            continue
        between = state(middle)
        intervals += [(middle, high, between, after), (low, middle, before, between)]


def advance(row: Row, front: int, start: float, end: float, rate: float) -> float:
    """Angular rate of a front tile (by index) at a lean, after setting out from another at a rate, rad/s.

    Its train goes with it. 0 if they stop on the way. Raises ValueError unless the front is in the row,
    0 ≤ start < end ≤ 90° and the rate at the start above 0.
    """
    if not (0 <= start < end <= math.pi / 2 and rate > 0):
        raise ValueError(f"cannot advance from a lean of {start} to {end} rad at a rate of {rate} rad/s")
    x = rate**2
    for stretch in _stretches(row, front, start, end, train(row, front, start).rates):
        x, _ = stretch.follow(x)
    return math.sqrt(x)


@dataclass(frozen=True)
class RowFall:
    """How a row fell: to its end, or up to the tile at which it stopped."""

    stopped_at: int | None  # index of the first tile that does not go over; None if all fall
    blow_rates: tuple[float, ...]  # rad/s, of each striker just before its blow
    blow_steps: tuple[float, ...]  # s, from each blow to the next


def row_fall(row: Row, start: float | None = None, rate: float = 0.0) -> RowFall:
    """The fall of a row whose first tile sets out from a lean at a rate, by default at rest where it tips.

    A tile that reaches no other counts as fallen once it is past every tipping angle in the row.
    Raises ValueError if the first tile starts beyond its strike, or backwards.
    """
    start = tipping_angle(row.tiles[0]) if start is None else start
    beyond = max(map(tipping_angle, row.tiles))
    x, rates = 0.0, np.zeros(0)
    blow_rates: list[float] = []
    blow_steps: list[float] = []
    stopped_at = None
    for front, tile in enumerate(row.tiles):
        reaches = front < len(row.gaps) and row.gaps[front] < tile.height
        end = strike_lean(tile, row.tiles[front + 1], row.gaps[front]) if reaches else None
        if front == 0:
            x = fall_rate(tile, start, math.pi / 2 if end is None else end, rate, row.gravity) ** 2
            rates = np.ones(1)
        else:
            blow_rates.append(math.sqrt(x))
            step = 0.0
            before = np.concatenate(([0.0], rates))
            for stretch in _stretches(row, front, 0.0, beyond if end is None else end, before):
                x, took = stretch.follow(x)
                step, rates = step + took, stretch.rates
            if x > 0 and end is not None:
                blow_steps.append(step)
        if x == 0 or end is None:
            fallen = front if x == 0 else front + 1
            stopped_at = fallen if fallen < len(row.tiles) else None
            break
    return RowFall(stopped_at, tuple(blow_rates), tuple(blow_steps))


# Laws of rows


def row_speed(gap_over_height: float, thickness_over_height: float, friction: float) -> float:
    """Speed of the steady wave in a row of equal tiles, over √(g · height); 0 if no wave runs.

    Raises ValueError unless gap and thickness are above 0 and the friction at least 0.
    """
    step = _steady_step(gap_over_height, thickness_over_height, friction, growth=1.0)
    return (gap_over_height + thickness_over_height) / step


def growth_limit(gap_over_height: float, thickness_over_height: float, friction: float) -> float:
    """Largest factor by which each tile and gap may exceed the last for a wave to run on; 0 if below 1.

    The gap is counted in heights of the smaller tile.
    Raises ValueError unless gap and thickness are above 0 and the friction at least 0.
    """

    def runs(growth: float) -> bool:
        return _steady_step(gap_over_height, thickness_over_height, friction, growth) < math.inf

    return _largest(runs, least=1.0)


def smallest_gap(thickness_over_height: float, friction: float) -> float:
    """Smallest gap, over the height, at which a row of equal tiles falls when its first is gently let go.

    Infinite if there is none. In a closer row the first blow is too weak: only a push starts it.
    Raises ValueError unless the thickness is above 0 and the friction at least 0.
    """
    tile = Profile(1.0, thickness_over_height)

    def falls(gap: float) -> bool:
        return row_fall(Row((tile,) * 16, (gap,) * 15, friction, gravity=1.0)).stopped_at is None

    # At the first of these the tile let go already touches the next.
    gaps = [float(gap) for gap in np.linspace(math.sin(tipping_angle(tile)), 1.0, 40)[:-1]]
    for failing, holding in pairwise(gaps):
        if falls(holding):
            return _border(falls, failing, holding)
    return math.inf


def largest_step(gap_over_height: float, thickness_over_height: float, friction: float) -> float:
    """Largest size of a second tile of the same shape, over the first, that the first topples, gently let go.

    The gap is counted in heights of the first. 0 if it topples none.
    Raises ValueError unless gap and thickness are above 0 and the friction at least 0.
    """
    tile = Profile(1.0, thickness_over_height)
    require_positive(gap_over_height=gap_over_height)
    require_friction(friction)
    if not math.sin(tipping_angle(tile)) < gap_over_height < 1:
        return 0.0

    def falls(size: float) -> bool:
        pair = Row((tile, tile.scaled(size)), (gap_over_height,), friction, gravity=1.0)
        return row_fall(pair).stopped_at is None

    return _largest(falls, least=0.05)


def neighbours_only_speed(gap_over_height: float, thickness_over_height: float, restitution: float) -> float:
    """Speed over √(g · height) of a wave in which every tile falls alone, or 0: the model that loses contact.

    It forgets that the tiles behind go on pushing, and so stops close rows that really run. A simulation that
    agrees with it rather than with `row_speed` is wrong.
    Raises ValueError unless gap and thickness are above 0 and 0 ≤ restitution < 1.
    """
    tile = Profile(1.0, thickness_over_height)
    require_positive(gap_over_height=gap_over_height)
    if not 0 <= restitution < 1:
        raise ValueError(f"restitution must be at least 0 and below 1, not {restitution}")
    if gap_over_height >= 1:
        return 0.0
    end, tipping = math.asin(gap_over_height), tipping_angle(tile)
    kept = ((1 + restitution) / 2) ** 2  # share of rate² handed on in a blow
    gain = 3 / tile.diagonal * (math.cos(tipping) - math.cos(end - tipping))  # rate² won up to the strike
    start = math.sqrt(max(0.0, kept * gain / (1 - kept)))
    if start <= toppling_rate(tile, gravity=1.0):
        return 0.0
    time = 0.0
    # The tile is slowest where it tips; the nodes gather at the ends of an interval.
    for low, high in pairwise((0.0, tipping, end)):
        leans = low + (high - low) * NODES
        rates = [fall_rate(tile, 0.0, lean, start, gravity=1.0) for lean in leans.tolist()]
        time += (high - low) * float(WEIGHTS @ (1 / np.array(rates)))
    return (gap_over_height + thickness_over_height) / time


def _steady_step(gap: float, thickness: float, friction: float, growth: float) -> float:
    """Time between blows of a steady wave, in √(height / g) of the front tile; infinite if none runs.

    Every tile and gap is `growth` times the last, so that each step repeats the last on a larger scale.
    """
    require_positive(gap_over_height=gap, thickness_over_height=thickness)
    require_friction(friction)
    if gap >= 1:
        return math.inf
    # Far back the tiles lie parallel: from each to the next the torque that counts falls by this exponent.
    fading = math.sqrt(gap * (gap + 2 * thickness)) + 4 * math.log(growth)
    count = 3 + min(1000, math.ceil(-math.log(_NEGLIGIBLE) / fading))
    tiles = tuple(Profile(1.0, thickness).scaled(growth**-behind) for behind in reversed(range(count)))
    row = Row(tiles, tuple(gap * tile.height for tile in tiles[:-1]), friction, gravity=1.0)
    end = math.asin(gap)
    before = np.concatenate(([0.0], train(row, count - 2, end).rates))
    stretches = list(_stretches(row, count - 1, 0.0, end, before))
    slope, offset = 1.0, 0.0
    for stretch in stretches:
        factor = float(stretch.slope[-1]) * stretch.gain
        slope, offset = factor * slope, factor * offset + float(stretch.offset[-1])
    # At the end x is slope · (x at the end of the last step) + offset; steady means that x · height repeats.
    x, step = growth * offset / (1 - growth * slope), 0.0
    for stretch in stretches:
        x, took = stretch.follow(x)
        step += took
    return step


def _largest(holds: Callable[[float], bool], least: float) -> float:
    """The size up to which something holds, sought up or down from 1; 0 if that is below the least."""
    holding = failing = 1.0
    if holds(1.0):
        while holds(failing := holding * 1.25):
            holding = failing
    else:
        while not holds(holding):
            holding, failing = holding * 0.95, holding
            if holding < least:
                return 0.0
    return _border(holds, failing, holding)


def _border(holds: Callable[[float], bool], failing: float, holding: float) -> float:
    while abs(failing - holding) > 1e-6:
        middle = (failing + holding) / 2
        failing, holding = (failing, middle) if holds(middle) else (middle, holding)
    return holding
