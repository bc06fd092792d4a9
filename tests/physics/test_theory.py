"""The laws against tabulated numbers, against limits worked out by hand, and against slower methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad, solve_ivp

from physics import theory, tile_theory
from physics.theory import Row
from physics.tile_theory import GRAVITY, Profile

R = Profile(0.048, 0.0075, 0.0085)
R_ALPHA = tile_theory.tipping_angle(R)
R_THICKNESS = 0.15625  # over its height
DEGREE = math.radians(1)


# One tile


@pytest.mark.parametrize(
    ("tile", "alpha", "barrier", "rate", "to_one", "rate_at_one", "to_flat", "kept"),
    [
        (R, 8.8807, 0.006067, 2.6948, 263.62, 14.269, 294.89, 0.96425),
        (Profile(0.060, 0.012), 11.3099, 0.009902, 3.0562, 292.44, 12.112, 328.81, 0.94231),
    ],
)
def test_one_tile_as_tabulated(
    tile: Profile,
    alpha: float,
    barrier: float,
    rate: float,
    to_one: float,
    rate_at_one: float,
    to_flat: float,
    kept: float,
) -> None:
    tipping = tile_theory.tipping_angle(tile)
    assert math.degrees(tipping) == pytest.approx(alpha, abs=5e-5)
    weight = tile.mass * GRAVITY
    assert tile_theory.energy_barrier(tile) / (weight * tile.height) == pytest.approx(barrier, abs=5e-7)
    assert tile_theory.toppling_rate(tile) == pytest.approx(rate, abs=5e-5)
    assert tile_theory.fall_time(tile, tipping + DEGREE, 1.0) * 1e3 == pytest.approx(to_one, abs=5e-3)
    assert tile_theory.fall_rate(tile, tipping + DEGREE, 1.0) == pytest.approx(rate_at_one, abs=5e-4)
    assert tile_theory.fall_time(tile, tipping + DEGREE, math.pi / 2) * 1e3 == pytest.approx(to_flat, abs=5e-3)
    assert tile_theory.rocking_loss(tile) == pytest.approx(kept, abs=5e-6)


def test_least_tap() -> None:
    assert tile_theory.toppling_impulse(R, 0.95 * R.height) == pytest.approx(0.04649, abs=5e-6)
    assert tile_theory.toppling_impulse(R, 0.683 * R.height) == pytest.approx(0.06467, abs=5e-6)


def test_the_least_rate_is_the_border_between_falling_and_falling_back() -> None:
    rate = tile_theory.toppling_rate(R)
    assert tile_theory.fall_rate(R, 0.0, 1.0, rate * 1.0001) > 0
    assert tile_theory.fall_rate(R, 0.0, 1.0, rate * 0.9999) == 0
    assert tile_theory.fall_rate(R, 0.0, R_ALPHA / 2, rate * 0.9999) > 0


def test_table_tilted_until_it_slides_or_tips() -> None:
    assert math.degrees(tile_theory.sliding_angle(0.1)) == pytest.approx(5.711, abs=5e-4)
    assert tile_theory.sliding_angle(0.1) < R_ALPHA < tile_theory.sliding_angle(0.5)


def test_a_high_push_tips_and_a_low_push_slides() -> None:
    weight = R.mass * GRAVITY
    high = tile_theory.slow_push(R, R.height, 0.3)
    low = tile_theory.slow_push(R, R.height / 5, 0.3)
    assert high.tips
    assert high.force == pytest.approx(weight * R.thickness / (2 * R.height))
    assert not low.tips
    assert low.force == pytest.approx(0.3 * weight)


@pytest.mark.parametrize("past", [1e-6, 0.01, DEGREE, 0.5])
@pytest.mark.parametrize("end", [0.9, math.pi / 2])
def test_fall_time_against_quadrature(past: float, end: float) -> None:
    start = R_ALPHA + past

    def integrand(root: float) -> float:
        # The end counts as root² past the start, so that the start is no singularity.
        return 2 * root / tile_theory.fall_rate(R, start, min(end, start + root**2)) if root else 0.0

    oracle, _ = quad(integrand, 0.0, math.sqrt(end - start), limit=400, points=[math.sqrt(past)])
    assert tile_theory.fall_time(R, start, end) == pytest.approx(oracle, rel=1e-7)


def test_fall_from_the_balance_never_begins() -> None:
    assert tile_theory.fall_time(R, R_ALPHA, 1.0) == math.inf
    assert tile_theory.fall_time(R, 1.0, 1.0) == 0


def test_rocking() -> None:
    assert tile_theory.rocking_quarter(R, R_ALPHA / 2) * 1e3 == pytest.approx(75.72, abs=5e-3)
    assert tile_theory.housner_quarter(R, R_ALPHA / 2) * 1e3 == pytest.approx(75.67, abs=5e-3)
    peaks = [peak / R_ALPHA for peak in tile_theory.rocking_peaks(R, R_ALPHA / 2, 3)]
    assert peaks == pytest.approx([0.4499, 0.4070, 0.3698], abs=5e-5)


def test_housner_is_exact_for_slender_tiles() -> None:
    slender = Profile(1.0, 0.001)
    peak = 0.7 * tile_theory.tipping_angle(slender)
    linear = tile_theory.housner_quarter(slender, peak)
    assert tile_theory.rocking_quarter(slender, peak) == pytest.approx(linear, rel=1e-6)


def test_a_stout_tile_does_not_rock_on() -> None:
    assert tile_theory.rocking_peaks(Profile(1.0, 2.0), 0.1, 2) == (0.0, 0.0)


# One tile strikes another


@pytest.mark.parametrize(
    ("gap", "lean", "rate", "time"),
    [(0.3, 17.46, 2.585, 163.1), (0.5, 30.0, 6.372, 215.2), (0.7, 44.43, 10.621, 245.5)],
)
def test_strike_as_tabulated(gap: float, lean: float, rate: float, time: float) -> None:
    found = theory.strike_lean(R, R, gap * R.height)
    assert math.degrees(found) == pytest.approx(lean, abs=5e-3)
    assert theory.strike_rate(R, R, gap * R.height, R_ALPHA + DEGREE) == pytest.approx(rate, abs=5e-4)
    assert tile_theory.fall_time(R, R_ALPHA + DEGREE, found) * 1e3 == pytest.approx(time, abs=0.05)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_equal_tiles_share_a_blow(restitution: float) -> None:
    found = theory.blow(R, R, R.height / 2, 2.0, restitution=restitution)
    assert found.striker_arm == pytest.approx(found.struck_arm) == pytest.approx(math.sqrt(0.75) * R.height)
    assert found.striker_rate == pytest.approx(1 - restitution)
    assert found.struck_rate == pytest.approx(1 + restitution)


def test_tall_tile_meets_the_edge_of_a_short_one() -> None:
    tall, short, gap = Profile(0.08, 0.01), Profile(0.04, 0.01), 0.02
    found = theory.blow(tall, short, gap, 1.0)
    assert found.lean == pytest.approx(math.atan(0.5))
    assert found.striker_arm == pytest.approx(math.hypot(0.04, 0.02))
    assert found.struck_arm == pytest.approx(0.04 * math.cos(found.lean) - 0.01 * math.sin(found.lean))
    assert found.struck_rate * found.struck_arm == pytest.approx(found.striker_rate * found.striker_arm)


def test_blow_is_continuous_between_face_and_edge() -> None:
    striker, struck = Profile(0.05, 0.01), Profile(0.04, 0.01)
    below, above = (theory.blow(striker, struck, gap, 1.0).lean for gap in (0.03 - 1e-9, 0.03 + 1e-9))
    assert below == pytest.approx(above, abs=1e-6)


def test_reach() -> None:
    stout = Profile(0.02, 0.02)
    assert theory.reach(R, R) == R.height
    assert theory.reach(Profile(0.08, 0.01), stout) == pytest.approx(0.02)
    assert theory.blow(Profile(0.08, 0.01), stout, 0.0199, 1.0).struck_rate > 0
    pressed = theory.blow(Profile(0.08, 0.01), stout, 0.0201, 1.0)
    assert pressed.struck_rate == 0
    assert pressed.striker_rate == pytest.approx(0)
    with pytest.raises(ValueError, match="does not reach"):
        theory.strike_lean(R, R, R.height)


# Tiles leaning on one another

MIXED = Row(
    tiles=(
        Profile(0.05, 0.008, 9.0),
        Profile(0.04, 0.007, 8.0),
        Profile(0.07, 0.006, 7.0),
        Profile(0.05, 0.009, 9.0),
    ),
    gaps=(0.02, 0.015, 0.03),
    friction=0.25,
)
SMOOTH = Row(MIXED.tiles, MIXED.gaps)


@pytest.mark.parametrize("lean", [0.0, 0.1, 0.2])
def test_leaning_tiles_touch(lean: float) -> None:
    leans = theory.train(MIXED, 3, lean).leans[::-1]
    assert len(leans) == 4
    kinds = set()
    for index, (behind, ahead) in enumerate(pairwise(MIXED.tiles)):
        pitch = MIXED.gaps[index] + ahead.thickness
        back, fore = _axes(leans[index]), _axes(leans[index + 1])
        corner = behind.height * back[1] - (pitch, 0)
        edge = ahead.height * fore[1] - ahead.thickness * fore[0] + (pitch, 0)
        on_face = corner @ fore[1] <= ahead.height
        kinds.add(bool(on_face))
        gap = -ahead.thickness - corner @ fore[0] if on_face else edge @ back[0]
        assert gap == pytest.approx(0, abs=1e-15)
    assert kinds == {True, False}


def _axes(lean: float) -> tuple[np.ndarray, np.ndarray]:
    """Directions across and along a leaning tile."""
    return np.array([math.cos(lean), -math.sin(lean)]), np.array([math.sin(lean), math.cos(lean)])


def test_rates_and_bends_are_derivatives() -> None:
    low, middle, high = (theory.train(MIXED, 3, 0.2 + step) for step in (-1e-5, 0.0, 1e-5))
    assert middle.rates == pytest.approx((high.leans - low.leans) / 2e-5, abs=1e-8)
    assert middle.bends == pytest.approx((high.rates - low.rates) / 2e-5, abs=1e-7)


def test_without_friction_virtual_work_gives_the_weights() -> None:
    found = theory.train(SMOOTH, 3, 0.2)
    assert found.weights == pytest.approx(found.rates)
    assert np.all(theory.train(MIXED, 3, 0.2).weights[1:] < found.weights[1:])


def _energy(row: Row, front: int, lean: float, rate: float) -> float:
    found = theory.train(row, front, lean)
    total = 0.0
    for tile, tile_lean, tile_rate in zip(row.tiles[front::-1], found.leans, found.rates, strict=True):
        centre = (tile.height * math.cos(tile_lean) + tile.thickness * math.sin(tile_lean)) / 2
        total += tile.mass * row.gravity * centre + tile.inertia * (tile_rate * rate) ** 2 / 2
    return total


def test_energy_stays_between_blows_without_friction() -> None:
    start, end = 0.02, 0.15
    rate = theory.advance(SMOOTH, 3, start, end, 6.0)
    assert _energy(SMOOTH, 3, end, rate) == pytest.approx(_energy(SMOOTH, 3, start, 6.0), rel=1e-12)
    assert theory.advance(MIXED, 3, start, end, 6.0) < rate


def test_one_tile_alone_advances_as_it_falls() -> None:
    row = Row((R, R), (0.02,))
    alone = tile_theory.fall_rate(R, 0.1, 1.2, 4.0)
    assert theory.advance(row, 0, 0.1, 1.2, 4.0) == pytest.approx(alone, rel=1e-12)


def test_advance_against_a_stepping_integrator() -> None:
    row, end = Row((R,) * 5, (0.042,) * 4, 0.3), 0.9

    def change(lean: float, x: np.ndarray) -> list[float]:
        found = theory.train(row, 4, lean)
        inertia = found.weights * R.inertia
        levers = (R.height * np.sin(found.leans) - R.thickness * np.cos(found.leans)) / 2
        torque = R.mass * GRAVITY * (found.weights @ levers)
        return [2 * (torque - x[0] * (inertia @ found.bends)) / (inertia @ found.rates)]

    # On the way tiles at the back slide down and are left out.
    assert len(theory.train(row, 4, 0.01).leans) > len(theory.train(row, 4, end).leans)
    oracle = solve_ivp(change, (0.0, end), [81.0], rtol=1e-9, max_step=0.01)
    assert theory.advance(row, 4, 0.0, end, 9.0) ** 2 == pytest.approx(oracle.y[0, -1], rel=1e-5)


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("struck", [R, R.scaled(1.4), R.scaled(0.6), Profile(0.03, 0.012, 0.02)])
def test_a_blow_in_the_row_is_the_blow_of_two_tiles(struck: Profile, friction: float) -> None:
    gap = 0.4 * R.height
    found = theory.blow(R, struck, gap, 5.0, friction)
    together = theory.train(Row((R, struck), (gap,), friction), 1, 0.0)
    loads = together.weights * [struck.inertia, R.inertia]
    front = loads[1] * 5.0 / (loads @ together.rates)
    assert [found.struck_rate, found.striker_rate] == pytest.approx(front * together.rates)


def _stepped_row(row: Row, start: float, rate: float, dt: float) -> tuple[list[float], list[float]]:
    """Rates of the strikers just before each blow, and times between blows, by time steps without trains.

    Each tile turns by itself. Contacts push but never pull, may open and close, and slide with friction.
    """
    tiles, contacts = row.tiles, len(row.gaps)
    leans, rates = [start, *[0.0] * contacts], [rate, *[0.0] * contacts]
    strikers: list[float] = []
    times: list[float] = []
    time = 0.0
    while len(strikers) < contacts:
        moving = len(strikers) + 1
        for i, tile in enumerate(tiles[:moving]):
            lever = tile.height * math.sin(leans[i]) - tile.thickness * math.cos(leans[i])
            rates[i] += dt * tile.mass * row.gravity / 2 * lever / tile.inertia
        striker = rates[moving - 1]
        touching = [(i, *_contact(row, leans[i], leans[i + 1], i)) for i in range(moving)]
        impulses = [0.0] * contacts
        for _ in range(20):
            for i, gap, back, fore, brace, push in touching:
                closing = back * rates[i] - fore * rates[i + 1] - gap / dt
                give = back * brace / tiles[i].inertia + fore * push / tiles[i + 1].inertia
                more = max(-impulses[i], closing / give)
                impulses[i] += more
                rates[i] -= more * brace / tiles[i].inertia
                rates[i + 1] += more * push / tiles[i + 1].inertia
        if rates[moving] > 0:
            strikers.append(striker)
            times.append(time)
        leans = [lean + dt * rate for lean, rate in zip(leans, rates, strict=True)]
        time += dt
    return strikers, [after - before for before, after in pairwise(times)]


def _contact(row: Row, lean: float, lean_ahead: float, i: int) -> tuple[float, float, float, float, float]:
    """Distance of two tiles, then arms behind and ahead: of the normal force, of the force with friction."""
    behind, ahead = row.tiles[i], row.tiles[i + 1]
    pitch = row.gaps[i] + ahead.thickness
    back, fore = (math.cos(lean), -math.sin(lean)), (math.cos(lean_ahead), -math.sin(lean_ahead))
    x, z = -behind.height * back[1], behind.height * back[0]
    normal = fore
    distance = -ahead.thickness - (x - pitch) * fore[0] - z * fore[1]
    if z * fore[0] - (x - pitch) * fore[1] > ahead.height:
        x = pitch - ahead.height * fore[1] - ahead.thickness * fore[0]
        z = ahead.height * fore[0] - ahead.thickness * fore[1]
        normal = back
        distance = x * back[0] + z * back[1]

    def arms(force: tuple[float, float]) -> tuple[float, float]:
        return z * force[0] - x * force[1], z * force[0] - (x - pitch) * force[1]

    along = (-normal[1], normal[0])
    (lever, lever_ahead), (slip, slip_ahead) = arms(normal), arms(along)
    # Speed of the tile behind along the contact, past the one ahead, while neither gives way.
    way = math.copysign(row.friction, slip - slip_ahead * lever / lever_ahead)
    return distance, lever, lever_ahead, lever + way * slip, lever_ahead + way * slip_ahead


@pytest.mark.parametrize(
    "row",
    [
        Row((R, R, R), (0.02, 0.02), 0.2),
        Row((R, R.scaled(1.2), R.scaled(1.5), R), (0.02, 0.03, 0.02), 0.1),
        # From the edge of the second tile to its face before it strikes the third.
        Row((Profile(0.055, 0.009, 1.2), R, R.scaled(1.2)), (0.02, 0.03)),
        Row(MIXED.tiles, MIXED.gaps, 0.1),
    ],
)
def test_rows_against_time_steps(row: Row) -> None:
    start = tile_theory.tipping_angle(row.tiles[0]) + DEGREE
    found = theory.row_fall(row, start)
    rates, times = _stepped_row(row, start, 0.0, dt=1e-4)
    assert found.stopped_at is None
    assert found.blow_rates == pytest.approx(rates, rel=3e-3)
    assert found.blow_steps == pytest.approx(times, rel=3e-3)


def test_row_stops_where_it_must() -> None:
    assert theory.row_fall(Row((R, R), (0.048,))).stopped_at == 1
    assert theory.row_fall(Row((R, R), (0.02,)), 0.0, 0.999 * tile_theory.toppling_rate(R)).stopped_at == 0
    assert theory.row_fall(Row((R, R), (0.02,)), 0.0, 1.001 * tile_theory.toppling_rate(R)).stopped_at is None
    assert theory.row_fall(Row((R,), ())).stopped_at is None
    # The face of a tall tile presses a stout one down; friction on its edge does the same sooner.
    tall, stout = Profile(0.1, 0.01, 100.0), Profile(0.03, 0.03, 0.01)
    assert theory.row_fall(Row((tall, stout), (0.031,))).stopped_at == 1
    assert theory.row_fall(Row((tall, stout), (0.02,))).stopped_at is None
    assert theory.row_fall(Row((tall, stout), (0.02,), 1.5)).stopped_at == 1


sizes = st.tuples(st.floats(0.02, 0.1), st.floats(0.08, 0.4), st.floats(0.2, 5.0))


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(sizes, min_size=2, max_size=5),
    gaps=st.lists(st.floats(0.1, 0.9), min_size=4, max_size=4),
    friction=st.floats(0.0, 0.5),
    scale=st.floats(0.1, 10.0),
    density=st.floats(0.1, 10.0),
)
def test_scale_and_density_do_not_matter(
    sizes: list[tuple[float, float, float]],
    gaps: list[float],
    friction: float,
    scale: float,
    density: float,
) -> None:
    tiles = [Profile(height, slenderness * height, mass) for height, slenderness, mass in sizes]
    spaces = [gap * tile.height for gap, tile in zip(gaps, tiles[:-1], strict=False)]
    larger = [Profile(t.height * scale, t.thickness * scale, t.mass * density) for t in tiles]
    rate = 2 * tile_theory.toppling_rate(tiles[0])
    small = theory.row_fall(Row(tuple(tiles), tuple(spaces), friction), 0.0, rate)
    row = Row(tuple(larger), tuple(space * scale for space in spaces), friction)
    root = math.sqrt(scale)
    large = theory.row_fall(row, 0.0, rate / root)
    assert large.stopped_at == small.stopped_at
    assert [rate * root for rate in large.blow_rates] == pytest.approx(small.blow_rates, rel=1e-6)
    assert [step / root for step in large.blow_steps] == pytest.approx(small.blow_steps, rel=1e-6)


# Laws of rows. The tables were made by another implementation and are as exact as their digits, unless said.

FRICTIONS = (0.0, 0.1, 0.2, 0.3, 0.5)
SPEEDS = {  # by gap over height
    0.10: (2.261, 1.872, 1.584, 1.360, 1.032),
    0.15: (2.077, 1.761, 1.519, 1.328, 1.042),
    0.20: (1.968, 1.688, 1.472, 1.299, 1.038),
    0.30: (1.838, 1.594, 1.404, 1.251, 1.020),
    0.40: (1.757, 1.528, 1.351, 1.210, 0.995),
    0.50: (1.694, 1.471, 1.301, 1.166, 0.964),
    0.60: (1.641, 1.416, 1.248, 1.118, 0.924),
    0.70: (1.595, 1.357, 1.188, 1.059, 0.872),
    0.80: (1.554, 1.286, 1.108, 0.978, 0.797),
}


@pytest.mark.parametrize("gap", SPEEDS)
def test_row_speed_as_tabulated(gap: float) -> None:
    found = [theory.row_speed(gap, R_THICKNESS, friction) for friction in FRICTIONS]
    assert found == pytest.approx(SPEEDS[gap], abs=6e-4)
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(("gap", "friction", "speed"), [(0.2, 0.0, 1.970), (0.5, 0.2, 1.308)])
def test_row_speed_as_in_a_public_implementation(gap: float, friction: float, speed: float) -> None:
    assert theory.row_speed(gap, 0.15, friction) == pytest.approx(speed, abs=1.5e-3)


@pytest.mark.parametrize("gap", [R.thickness, 0.0254])
@pytest.mark.parametrize("friction", [0.1, 0.2])
def test_real_rows_run_at_about_a_metre_a_second(gap: float, friction: float) -> None:
    speed = theory.row_speed(gap / R.height, R_THICKNESS, friction) * math.sqrt(GRAVITY * R.height)
    assert 0.85 < speed < 1.25


def test_a_long_row_settles_to_the_row_speed() -> None:
    gap = 0.3 * R.height
    steps = theory.row_fall(Row((R,) * 60, (gap,) * 59, 0.2)).blow_steps
    speed = (gap + R.thickness) / steps[-1] / math.sqrt(GRAVITY * R.height)
    assert speed == pytest.approx(theory.row_speed(0.3, R_THICKNESS, 0.2), rel=1e-6)


def test_speed_of_thin_tiles_depends_on_the_gap_alone() -> None:
    thin, thinner = (theory.row_speed(0.4, thickness, 0.2) for thickness in (1e-4, 1e-6))
    assert thin == pytest.approx(thinner, rel=1e-3)


def test_no_wave_runs_in_a_row_too_close_or_too_wide() -> None:
    assert theory.row_speed(0.005, R_THICKNESS, 0.0) == 0
    assert theory.row_speed(1.0, R_THICKNESS, 0.0) == 0
    assert theory.growth_limit(0.005, R_THICKNESS, 0.0) == 0


@pytest.mark.parametrize(
    ("thickness", "friction", "limits"),
    [
        (0.125, 0.0, (1.441, 1.609, 1.740, 1.857)),
        (0.125, 0.2, (1.408, 1.551, 1.643, 1.670)),
        (0.125, 0.4, (1.377, 1.498, 1.562, 1.535)),
        (R_THICKNESS, 0.0, (1.363, 1.518, 1.637, 1.748)),
        (R_THICKNESS, 0.2, (1.330, 1.459, 1.541, 1.562)),
        (R_THICKNESS, 0.4, (1.297, 1.406, 1.461, 1.430)),
    ],
)
def test_growth_limit_as_tabulated(thickness: float, friction: float, limits: tuple[float, ...]) -> None:
    found = [theory.growth_limit(gap, thickness, friction) for gap in (0.3, 0.5, 0.7, 0.9)]
    assert found == pytest.approx(limits, abs=2.5e-3)  # the table was made in steps of 0.002


@pytest.mark.parametrize("growth", [1.50, 1.545, 1.56, 1.60])
def test_growing_row_obeys_the_limit(growth: float) -> None:
    tiles = tuple(Profile(0.01, 0.00125).scaled(growth**i) for i in range(10))
    row = Row(tiles, tuple(tile.height / 2 for tile in tiles[:-1]), 0.2)
    found = theory.row_fall(row, 0.0, 1.2 * math.sqrt(GRAVITY / 0.01))
    assert (found.stopped_at is None) == (growth < theory.growth_limit(0.5, 0.125, 0.2))


@pytest.mark.parametrize(("gap", "growth"), [(0.3, 1.735), (0.4, 2.70), (0.5, 3.61)])
def test_height_alone_may_grow_much_more(gap: float, growth: float) -> None:
    def falls(factor: float) -> bool:
        heights = [factor**i for i in range(4)]
        row = Row(tuple(Profile(h, R_THICKNESS, h) for h in heights), tuple(gap * h for h in heights[:-1]))
        return theory.row_fall(row).stopped_at is None

    assert falls(growth * 0.99)
    assert not falls(growth * 1.01)


@pytest.mark.parametrize(
    ("thickness", "gaps"),
    [
        (0.1, (0.149, 0.152, 0.154)),
        (0.125, (0.186, 0.190, 0.194)),
        (R_THICKNESS, (0.2307, 0.2371, 0.244)),
        (0.2, (0.292, 0.303, 0.315)),
        (0.25, (0.361, 0.378, 0.398)),
        (0.3, (0.426, 0.451, 0.483)),
    ],
)
def test_smallest_gap_as_tabulated(thickness: float, gaps: tuple[float, ...]) -> None:
    found = [theory.smallest_gap(thickness, friction) for friction in (0.0, 0.2, 0.4)]
    assert found == pytest.approx(gaps, abs=6e-4)


def test_smallest_gap_of_thin_tiles() -> None:
    # At small leans two tiles move as one: in units of 3g / 2h, rate² is ((s − d)/h)² / 4 after the blow and
    # ((2d − s)/h)² / 4 less where it is slowest. That leaves nothing at s = 1.5 d.
    assert theory.smallest_gap(0.001, 0.0) / 0.001 == pytest.approx(1.5, abs=2e-3)


def test_stout_tiles_do_not_start_at_any_gap() -> None:
    assert theory.smallest_gap(1.0, 0.2) == math.inf


@pytest.mark.parametrize(
    ("friction", "sizes", "tolerance"),
    [
        (0.0, (1.169, 1.438, 1.610, 1.745), 6e-4),
        (0.2, (1.141, 1.384, 1.516, 1.560), 3e-3),  # of a rigid-body engine on a rough table
    ],
)
def test_largest_step_as_tabulated(friction: float, sizes: tuple[float, ...], tolerance: float) -> None:
    found = [theory.largest_step(gap, R_THICKNESS, friction) for gap in (0.3, 0.5, 0.7, 0.9)]
    assert found == pytest.approx(sizes, abs=tolerance)


def test_largest_step_is_the_same_size_at_the_smallest_gap() -> None:
    border = theory.smallest_gap(R_THICKNESS, 0.2)
    assert theory.largest_step(border, R_THICKNESS, 0.2) == pytest.approx(1.0, abs=1e-4)
    assert 0.8 < theory.largest_step(0.9 * border, R_THICKNESS, 0.2) < 1.0
    assert theory.largest_step(0.15, R_THICKNESS, 0.2) == 0  # touches before it tips
    assert theory.largest_step(1.0, R_THICKNESS, 0.2) == 0


@pytest.mark.parametrize(
    ("restitution", "speeds"),
    [
        (0.0, (0.0, 0.265, 0.412, 0.533)),
        (0.6, (0.415, 0.685, 0.909, 1.114)),
        (0.9, (1.009, 1.549, 2.013, 2.443)),
    ],
)
def test_neighbours_only_as_tabulated(restitution: float, speeds: tuple[float, ...]) -> None:
    found = [theory.neighbours_only_speed(gap, R_THICKNESS, restitution) for gap in (0.4, 0.5, 0.6, 0.7)]
    assert found == pytest.approx(speeds, abs=6e-4)


def test_neighbours_only_stops_rows_that_run() -> None:
    # Plastic blows keep a quarter: the wave runs if a third of the energy won outweighs the barrier.
    least = math.sin(R_ALPHA + math.acos(4 * math.cos(R_ALPHA) - 3))
    assert theory.neighbours_only_speed(least * 0.999, R_THICKNESS, 0.0) == 0
    assert theory.neighbours_only_speed(least * 1.001, R_THICKNESS, 0.0) > 0
    assert theory.neighbours_only_speed(1.0, R_THICKNESS, 0.0) == 0
    assert theory.row_speed(least / 2, R_THICKNESS, 0.0) > 1.5


IMPOSSIBLE: dict[str, Callable[[], object]] = {
    "flat tile": lambda: Profile(0.0, 0.01),
    "endless tile": lambda: Profile(math.inf, 0.01),
    "push above the tile": lambda: tile_theory.toppling_impulse(R, 0.05),
    "push at the foot": lambda: tile_theory.slow_push(R, 0.0, 0.3),
    "negative friction": lambda: tile_theory.sliding_angle(-0.1),
    "fall upwards": lambda: tile_theory.fall_rate(R, 1.0, 0.5),
    "fall from below the tipping angle": lambda: tile_theory.fall_time(R, 0.1, 1.0),
    "rocking past the tipping angle": lambda: tile_theory.rocking_quarter(R, 0.2),
    "blow too lively": lambda: theory.blow(R, R, 0.01, 1.0, restitution=1.1),
    "touching tiles": lambda: theory.strike_lean(R, R, 0.0),
    "gap missing": lambda: Row((R, R), ()),
    "no such front": lambda: theory.train(Row((R,), ()), 1, 0.1),
    "standing still": lambda: theory.advance(Row((R,), ()), 0, 0.0, 0.1, 0.0),
    "start beyond the strike": lambda: theory.row_fall(Row((R, R), (0.01,)), 0.5),
    "no gap": lambda: theory.row_speed(0.0, 0.1, 0.2),
    "growth with negative friction": lambda: theory.growth_limit(0.3, 0.1, -0.2),
    "no thickness": lambda: theory.smallest_gap(0.0, 0.2),
    "elastic for ever": lambda: theory.neighbours_only_speed(0.5, 0.1, 1.0),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_numbers_are_refused(case: str) -> None:
    with pytest.raises(ValueError, match=r"not|cannot|no tile"):
        IMPOSSIBLE[case]()
