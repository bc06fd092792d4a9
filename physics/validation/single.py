"""Cases of one tile, and of one tile striking another: V1–V8, V10, V11."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from physics import tile_theory
from physics.errors import Word
from physics.line import Line, Placement, straight
from physics.scene import Finger, Press, Push, Scene, Spin, Table, Tap, Tilt
from physics.tile_theory import GRAVITY
from physics.trajectory import Trajectory
from physics.validation.case import NO_SLIP, REFERENCE, Bench, Case, Check, Label, reference_set, relative, verdict

Array = npt.NDArray[np.float64]

H, D, M = REFERENCE.height, REFERENCE.thickness, REFERENCE.mass
SIDE_VIEW = tile_theory.Profile(H, D, M)
ALPHA = tile_theory.tipping_angle(SIDE_VIEW)
ROUGH = Table(friction=NO_SLIP, tile_friction=0.0, restitution=0.0)


def one_tile(push: Push, *, friction: float = NO_SLIP, tilt: float = 0.0) -> Scene:
    """A single reference tile on a table without bounce, tilted forwards by that much (rad)."""
    line = Line(reference_set(density=M / (H * D * REFERENCE.width)), (Placement(1, 0.0, 0.0),))
    return Scene(line, Table(friction=friction, tile_friction=0.0, restitution=0.0, tilt=(0.0, tilt)), push)


def recorded(bench: Bench, scene: Scene) -> Trajectory:
    """The motion, at every step."""
    trajectory = bench.run(scene, record=bench.step, to_rest=True).trajectory
    assert trajectory is not None
    return trajectory


def crossing(times: Array, values: Array, level: float) -> float:
    """The first time at which the values rise through the level; NaN when they never do."""
    above = np.flatnonzero(values >= level)
    if len(above) == 0 or above[0] == 0:
        return math.nan
    i = above[0]
    share = (level - values[i - 1]) / (values[i] - values[i - 1])
    return float(times[i - 1] + share * (times[i] - times[i - 1]))


def signed_lean(trajectory: Trajectory, tile: int = 0) -> Array:
    """Lean of a tile that looks along +x: positive forwards, rad."""
    lean: Array = 2 * np.arcsin(np.clip(trajectory.quaternions[:, tile, 1], -1.0, 1.0))
    return lean


def tipping_angle(bench: Bench) -> list[float]:
    """V1: the tilt at which the tile begins to tip, degrees."""
    start = math.radians(8.0)
    outcome = bench.run(one_tile(Tilt(math.radians(0.1), math.radians(2)), friction=0.5, tilt=start))
    return [math.degrees(start + outcome.tilted) if outcome.all_fell else math.nan]


def sliding_angle(bench: Bench) -> list[float]:
    """V2: the tilt at which the tile begins to slide, degrees, and whether it stayed upright."""
    start, rate = math.radians(5.0), math.radians(0.1)
    scene = one_tile(Tilt(rate, math.radians(1.2)), friction=0.1, tilt=start)
    trajectory = bench.run(scene, record=5e-3).trajectory
    assert trajectory is not None
    moved = crossing(trajectory.times, trajectory.positions[:, 0, 0], 1e-4)
    return [math.degrees(start + rate * moved), float(trajectory.leans().max() < math.radians(2))]


PRESS_HEIGHTS = (0.8 * H, 0.5 * H)


def tip_or_slide(bench: Bench) -> list[float]:
    """V3: the force that tips on a rough table and the one that slides on a smooth one, as shares of m g."""
    found: list[float] = []
    for height in PRESS_HEIGHTS:
        share = D / (2 * height)
        found.append(_least_share(partial(_tips, bench, height), share))
        found.append(_least_share(partial(_slides, bench, height, share / 2), share / 2))
    return found


def _tips(bench: Bench, height: float, share: float) -> bool:
    return bench.falls(one_tile(Press(share * M * GRAVITY, height), friction=0.5))


def _slides(bench: Bench, height: float, friction: float, share: float) -> bool:
    """Whether the foot gives way: it goes further than creep would, which grows with the force and no faster."""
    half, whole = (_pushed_along(bench, height, friction, part * share) for part in (0.5, 1.0))
    return whole > 5e-5 + 3 * max(0.0, half)


def _pushed_along(bench: Bench, height: float, friction: float, share: float) -> float:
    """How far the steady force moves the tile, m; nothing when it tips."""
    outcome = bench.run(one_tile(Press(share * M * GRAVITY, height), friction=friction), record=0.02)
    assert outcome.trajectory is not None
    places = outcome.trajectory.positions[:, 0, 0]
    return 0.0 if outcome.all_fell else float(places[-1] - places[0])


def _least_share(moves: Callable[[float], bool], about: float) -> float:
    low, high = 0.5 * about, 1.5 * about
    while high - low > 2e-3 * about:
        middle = (low + high) / 2
        low, high = (low, middle) if moves(middle) else (middle, high)
    return (low + high) / 2


def least_rate(bench: Bench) -> list[float]:
    """V4: the angular rate that just topples an upright tile, rad/s."""
    about = tile_theory.toppling_rate(SIDE_VIEW)
    return [bench.threshold(lambda rate: one_tile(Spin(rate)), 0.9 * about, 1.1 * about, 1e-3 * about)]


TAP_HEIGHTS = (0.95 * H, 2 * (H * H + D * D) / (3 * H))


def least_impulse(bench: Bench) -> list[float]:
    """V5: the impulse per mass that just topples an upright tile, m/s."""
    found: list[float] = []
    for height in TAP_HEIGHTS:
        about = tile_theory.toppling_impulse(SIDE_VIEW, height)

        def scene(speed: float, height: float = height) -> Scene:
            return one_tile(Tap(speed * M, height))

        found.append(bench.threshold(scene, 0.9 * about, 1.1 * about, 1e-3 * about))
    return found


def fall_time(bench: Bench) -> list[float]:
    """V6: time from rest at α + 1° to a lean of 1 rad, ms, and the rate there, rad/s."""
    trajectory = recorded(bench, one_tile(Finger(math.radians(1)), friction=1.0))
    moment = crossing(trajectory.times, trajectory.leans()[:, 0], 1.0)
    rate = np.interp(moment, trajectory.times, trajectory.rates[:, 0, 1])
    return [moment * 1e3, float(rate)]


STRIKE_GAPS = (0.3, 0.5, 0.7)


def _strike(bench: Bench, gap: float) -> tuple[float, float, float, float]:
    """Time of the blow (s), rate of the striking tile before it, and the rates of both just after it (rad/s)."""
    line = straight(reference_set(), [1, 1], gap * H)
    trajectory = recorded(bench, Scene(line, ROUGH, Finger(math.radians(1), end="first")))
    first, second = trajectory.rates[:, 0, 1], trajectory.rates[:, 1, 1]
    hit = int(np.flatnonzero(second > 0.1)[0])
    done = hit + int(np.argmax(second[hit:] >= first[hit:]))  # where contacts are springs, the blow takes a while
    return float(trajectory.times[hit]), float(first[hit - 1]), float(first[done]), float(second[done])


def strike_rate(bench: Bench) -> list[float]:
    """V7: rate just before the blow, rad/s, and its time, ms, for each gap."""
    strikes = [_strike(bench, gap) for gap in STRIKE_GAPS]
    return [number for moment, rate, _, _ in strikes for number in (rate, moment * 1e3)]


def plastic_blow(bench: Bench) -> list[float]:
    """V8: rates of both tiles just after the blow, as shares of the rate before."""
    strikes = [_strike(bench, gap) for gap in STRIKE_GAPS]
    return [number for _, rate, first, second in strikes for number in (first / rate, second / rate)]


def _rocking(bench: Bench, start: float) -> tuple[Array, Array]:
    """Times and leans of a tile released at that share of α."""
    trajectory = recorded(bench, one_tile(Finger((start - 1) * ALPHA)))
    return trajectory.times, signed_lean(trajectory)


def rocking_quarter(bench: Bench) -> list[float]:
    """V10: time from rest at α/2 until the tile stands, ms."""
    times, lean = _rocking(bench, 0.5)
    return [crossing(times, -lean, 0.0) * 1e3]


ROCKING_STARTS = (0.470, 0.476, 0.482, 0.488, 0.494, 0.500, 0.506, 0.512, 0.518, 0.524, 0.530)  # shares of α


def rocking_peaks(bench: Bench) -> list[float]:
    """V11: the first three peaks after release at α/2, as shares of α.

    Where within a step the foot lands decides a little of the loss; the mean over neighbouring starts does not.
    """
    shares = np.zeros(3)
    for start in ROCKING_STARTS:
        _, lean = _rocking(bench, start)
        landings = np.flatnonzero(np.diff(np.sign(lean)) != 0)
        peaks = [float(np.abs(lean[begin:end]).max()) for begin, end in pairwise(landings)]
        expected = tile_theory.rocking_peaks(SIDE_VIEW, start * ALPHA, 3)
        shares += np.array((peaks + [math.nan] * 3)[:3]) / expected
    expected = tile_theory.rocking_peaks(SIDE_VIEW, ALPHA / 2, 3)
    return [float(share) for share in shares / len(ROCKING_STARTS) * expected / ALPHA]


def _strike_checks() -> tuple[Check, ...]:
    found: list[Check] = []
    for gap in STRIKE_GAPS:
        start, end = ALPHA + math.radians(1), math.asin(gap)
        found.append(
            relative(Label("rate at s/h {gap}", gap=gap), tile_theory.fall_rate(SIDE_VIEW, start, end), 0.01, "rad/s")
        )
        found.append(
            relative(
                Label("time at s/h {gap}", gap=gap), tile_theory.fall_time(SIDE_VIEW, start, end) * 1e3, 0.01, "ms"
            )
        )
    return tuple(found)


def _press_checks() -> tuple[Check, ...]:
    found: list[Check] = []
    for height in PRESS_HEIGHTS:
        share = D / (2 * height)
        at = f"{height / H:.1f}"
        tips = Label("tips at {height} h, μ_f {friction}", height=at, friction=0.5)
        slides = Label("slides at {height} h, μ_f {friction}", height=at, friction=f"{share / 2:.3f}")
        found.append(relative(tips, share, 0.02, "m g"))
        found.append(relative(slides, share / 2, 0.02, "m g"))
    return tuple(found)


_FALL = (ALPHA + math.radians(1), 1.0)

CASES = (
    Case(
        "V1",
        Word("Tipping angle"),
        Word("table tilted slowly, μ_f 0.5"),
        (Check(Label("tips at"), math.degrees(ALPHA), 0.10, "°"),),
        tipping_angle,
    ),
    Case(
        "V2",
        Word("Sliding angle"),
        Word("table tilted slowly, μ_f 0.1"),
        (Check(Label("slides at"), math.degrees(math.atan(0.1)), 0.10, "°"), verdict(Label("does not tip"))),
        sliding_angle,
    ),
    Case("V3", Word("Tip or slide"), Word("steady force on the rear face"), _press_checks(), tip_or_slide, 1e-3),
    Case(
        "V4",
        Word("Least rate that topples"),
        Word("upright, no slip"),
        (relative(Label("rate"), tile_theory.toppling_rate(SIDE_VIEW), 0.02, "rad/s"),),
        least_rate,
        1e-3,
    ),
    Case(
        "V5",
        Word("Least impulse that topples"),
        Word("tap on an upright tile, no slip"),
        tuple(
            relative(
                Label("J/m at {height} h", height=f"{z / H:.3f}"),
                tile_theory.toppling_impulse(SIDE_VIEW, z),
                0.02,
                "m/s",
            )
            for z in TAP_HEIGHTS
        ),
        least_impulse,
        1e-3,
    ),
    Case(
        "V6",
        Word("Free fall"),
        Word("rest at α + 1°, μ_f 1, to a lean of 1 rad"),
        (
            relative(Label("time"), tile_theory.fall_time(SIDE_VIEW, *_FALL) * 1e3, 0.005, "ms"),
            relative(Label("rate"), tile_theory.fall_rate(SIDE_VIEW, *_FALL), 0.005, "rad/s"),
        ),
        fall_time,
    ),
    Case("V7", Word("Strike"), Word("rest at α + 1°, second tile at the gap"), _strike_checks(), strike_rate),
    Case(
        "V8",
        Word("Plastic blow"),
        Word("after V7's blow, smooth, no slip"),
        tuple(
            relative(Label("tile {number} at s/h {gap}", number=n, gap=gap), 0.5, 0.03, "ω")
            for gap in STRIKE_GAPS
            for n in (1, 2)
        ),
        plastic_blow,
    ),
    Case(
        "V10",
        Word("Rocking period"),
        Word("rest at α/2, first quarter"),
        (relative(Label("quarter"), tile_theory.rocking_quarter(SIDE_VIEW, ALPHA / 2) * 1e3, 0.01, "ms"),),
        rocking_quarter,
    ),
    Case(
        "V11",
        Word("Rocking loss"),
        Word("peaks after rest at α/2, mean of eleven starts"),
        tuple(
            relative(Label("peak {number}", number=n), peak / ALPHA, 0.01, "α")
            for n, peak in enumerate(tile_theory.rocking_peaks(SIDE_VIEW, ALPHA / 2, 3), start=1)
        ),
        rocking_peaks,
    ),
)
