"""Cases of whole rows: where they start and stop, how fast they run: V12–V20, V22–V24."""

from __future__ import annotations

import math
from itertools import pairwise

from physics import theory, tile_theory
from physics.errors import Word
from physics.line import Line, chain, straight
from physics.scene import Finger, Scene, Spin, Table
from physics.tile_theory import GRAVITY
from physics.tiles import Stance, Tile, TileSet, growing_tiles, load_set
from physics.validation.case import NO_SLIP, REFERENCE, Bench, Case, Check, Label, reference_set, relative, verdict

H, D = REFERENCE.height, REFERENCE.thickness
SHAPE = D / H
GENTLE = Finger(math.radians(0.05), end="first")  # at rest just past α: exactly at α the fall would take for ever
BRISK = 2 * tile_theory.toppling_rate(tile_theory.Profile(H, D))  # rad/s, starts any row that can run
SPEED_TILES = 40
SPEED_FROM, SPEED_TO = 20, 35  # tiles between which the wave runs steadily, clear of both ends
SPEED_GAPS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def no_slip(friction: float) -> Table:
    """A table on which no foot slips, tiles of that friction, no bounce."""
    return Table(friction=NO_SLIP, tile_friction=friction, restitution=0.0)


def speed(bench: Bench, tiles: TileSet, gap: float, table: Table, rate: float) -> float:
    """Speed of the wave in the middle of a row of equal tiles, m/s; NaN when the row does not fall."""
    line = straight(tiles, [1] * SPEED_TILES, gap)
    outcome = bench.run(Scene(line, table, Spin(rate, end="first")), record=1e-3)
    start, end = outcome.fell_at[SPEED_FROM], outcome.fell_at[SPEED_TO]
    if start is None or end is None:
        return math.nan
    return (SPEED_TO - SPEED_FROM) * (gap + tiles[1].thickness) / (end - start)


def smallest_gap(bench: Bench) -> list[float]:
    """V12: the smallest s/h at which a gently released row falls, for each friction."""

    def limit(friction: float) -> float:
        def scene(gap: float) -> Scene:
            return Scene(straight(reference_set(), [1] * 5, gap * H), no_slip(friction), GENTLE)

        return bench.threshold(scene, 0.20, 0.28, 5e-4)

    return [limit(friction) for friction in (0.0, 0.2)]


STEP_GAPS = (0.3, 0.5, 0.7, 0.9)


def largest_step(bench: Bench) -> list[float]:
    """V13: the largest r for which a gently released tile topples one r times its size, for each gap."""

    def limit(gap: float, about: float) -> float:
        def scene(factor: float) -> Scene:
            tiles = growing_tiles(REFERENCE, factor, 2)
            return Scene(straight(tiles, [1, 2], gap * H), no_slip(0.0), GENTLE)

        return bench.threshold(scene, about - 0.12, about + 0.12, 1e-3)

    return [limit(gap, theory.largest_step(gap, SHAPE, 0.0)) for gap in STEP_GAPS]


def row_speeds(bench: Bench) -> list[float]:
    """V14: V/√(gh) for each gap."""
    unit = math.sqrt(GRAVITY * H)
    return [speed(bench, reference_set(), gap * H, no_slip(0.2), BRISK) / unit for gap in SPEED_GAPS]


SCALES = (0.5, 4.0)
SIDES = (0.22, 0.26)  # s/h on either side of V12's limit


def scale_law(bench: Bench) -> list[float]:
    """V15: speed over √k at k times the size, against k = 1, and the verdicts just below and above V12's gap."""

    def scaled(k: float) -> float:
        return speed(bench, reference_set(k), 0.5 * H * k, no_slip(0.2), BRISK / math.sqrt(k)) / math.sqrt(k)

    def falls(k: float, gap: float) -> float:
        line = straight(reference_set(k), [1] * 5, gap * H * k)
        return float(bench.falls(Scene(line, no_slip(0.2), GENTLE)))

    whole = scaled(1.0)
    found = [scaled(k) / whole for k in SCALES]
    return found + [falls(k, gap) for k in SCALES for gap in SIDES]


def mass_and_width(bench: Bench) -> list[float]:
    """V16: speed with another density and another width, against the reference."""

    def run(tiles: TileSet) -> float:
        return speed(bench, tiles, 0.5 * H, no_slip(0.2), BRISK)

    whole = run(reference_set())
    return [run(reference_set(density=2500.0)) / whole, run(reference_set(width=2.0)) / whole]


REAL_GAPS = (D, 0.0254)


def real_row(bench: Bench) -> list[float]:
    """V17: speed of a real row, m/s, at a gap of one thickness and of one inch."""
    table = Table(friction=0.5, tile_friction=0.2, restitution=0.0)
    return [speed(bench, load_set("classic"), gap, table, BRISK) for gap in REAL_GAPS]


def whitehead(bench: Bench) -> list[float]:
    """V18: whether the thirteen growing tiles all fall."""
    tiles = load_set("whitehead")
    joints = [(1, 0.0, 0.0, Stance.UPRIGHT)]
    joints += [(tile.value + 1, 0.5 * tile.height, 0.0, Stance.UPRIGHT) for tile in tiles.tiles[:-1]]
    return [float(bench.falls(Scene(chain(tiles, joints), Table(), Finger(end="first"))))]


EIGHTH = Tile(1, width=0.012, thickness=0.003, height=0.024, mass=0.6e-3)


def growing_row(factor: float, count: int = 10) -> Scene:
    """A brisk growing row of d/h = 1/8, gaps half the smaller neighbour's height."""
    tiles = growing_tiles(EIGHTH, factor, count)
    joints = [(1, 0.0, 0.0, Stance.UPRIGHT)]
    joints += [(tile.value + 1, 0.5 * tile.height, 0.0, Stance.UPRIGHT) for tile in tiles.tiles[:-1]]
    rate = 1.2 * math.sqrt(GRAVITY / EIGHTH.height)
    return Scene(chain(tiles, joints), no_slip(0.2), Spin(rate, end="first"))


def growth_limit(bench: Bench) -> list[float]:
    """V19: the growth factor at which such a row stops, and the verdicts at 1.50 and 1.60."""
    limit = bench.threshold(growing_row, 1.50, 1.60, 1e-3)
    return [limit, float(bench.falls(growing_row(1.50))), float(bench.falls(growing_row(1.60)))]


def out_of_reach(bench: Bench) -> list[float]:
    """V20: whether a tile as tall, and a taller one, stays untouched at a gap of more than the first one's height."""
    found: list[float] = []
    for factor in (1.0, 1.5):
        line = straight(growing_tiles(REFERENCE, factor, 2), [1, 2], 1.05 * H)
        outcome = bench.run(Scene(line, no_slip(0.25), Finger(end="first")), record=0.01, to_rest=True)
        assert outcome.trajectory is not None
        places = outcome.trajectory.positions[:, 1, :2]
        moved = abs(places - places[0]).max()
        found.append(float(not outcome.fallen[1] and moved < 1e-6))
    return found


TREND = (0.05, 0.1, 0.2, 0.3, 0.5)


def friction_trend(bench: Bench) -> list[float]:
    """V22: whether the wave is slower the rougher the tiles."""
    speeds = [speed(bench, reference_set(), 0.4 * H, no_slip(friction), BRISK) for friction in TREND]
    return [float(all(fast > slow for fast, slow in pairwise(speeds)))]


def mixed_row() -> Line:
    """A curved row of mixed sizes, one tile on its side."""
    turns = [(6, 0.0, 0.0), (4, 0.016, 0.2), (7, 0.018, 0.25), (5, 0.02, 0.1), (9, 0.018, -0.3), (8, 0.022, -0.2)]
    joints = [(value, gap, turn, Stance.SIDE if value == 9 else Stance.UPRIGHT) for value, gap, turn in turns]
    return chain(load_set("evaluation"), joints)


def determinism(bench: Bench) -> list[float]:
    """V23: whether a run repeats bit for bit, also after others in the same world."""
    scene = Scene(mixed_row())
    first = bench.run(scene, record=0.01).trajectory
    bench.run(Scene(straight(load_set("classic"), [1] * 4, 0.02), Table(friction=0.3), Finger(end="first")))
    second = bench.run(scene, record=0.01).trajectory
    assert first is not None and second is not None
    same = first.positions.tobytes() == second.positions.tobytes()
    return [float(same and first.quaternions.tobytes() == second.quaternions.tobytes())]


def quarter_turn(bench: Bench) -> list[float]:
    """V24: whether ten tiles carry the fall through a quarter turn."""
    joints = [(1, 0.015, math.radians(9) if i >= 3 else 0.0, Stance.UPRIGHT) for i in range(16)]
    joints = [(v, gap, turn if i < 13 else 0.0, stance) for i, (v, gap, turn, stance) in enumerate(joints)]
    table = Table(friction=0.5, tile_friction=0.2, restitution=0.0)
    return [float(bench.falls(Scene(chain(load_set("classic"), joints), table, Finger(end="first"))))]


CASES = (
    Case(
        "V12",
        Word("Smallest gap of a self-running start"),
        Word("equal tiles, the first released at rest at α, no slip"),
        tuple(
            Check(Label("s/h, μ {friction}", friction=f"{mu:g}"), theory.smallest_gap(SHAPE, mu), 0.005)
            for mu in (0.0, 0.2)
        ),
        smallest_gap,
        ensemble_slack=2,
    ),
    Case(
        "V13",
        Word("Largest tile that a gently released one topples"),
        Word("second tile r times the first, smooth, no slip"),
        tuple(
            Check(Label("r at s/h {gap}", gap=gap), theory.largest_step(gap, SHAPE, 0.0), 0.03 if gap == 0.9 else 0.01)
            for gap in STEP_GAPS
        ),
        largest_step,
        ensemble_slack=2,
    ),
    Case(
        "V14",
        Word("Row speed"),
        Word("40 tiles, no slip, μ 0.2"),
        tuple(
            relative(
                Label("V/√(gh) at s/h {gap}", gap=gap), theory.row_speed(gap, SHAPE, 0.2), 0.03 if gap == 0.2 else 0.01
            )
            for gap in SPEED_GAPS
        ),
        row_speeds,
        step=0.5e-3,
    ),
    Case(
        "V15",
        Word("Scale law"),
        Word("the same row at k times the size"),
        (
            *(relative(Label("V/√k, k {scale}", scale=f"{k:g}"), 1.0, 0.01) for k in SCALES),
            *(
                verdict(Label("k {scale}, falls at s/h {gap}", scale=f"{k:g}", gap=gap), gap > 0.24)
                for k in SCALES
                for gap in SIDES
            ),
        ),
        scale_law,
        step=1e-3,
    ),
    Case(
        "V16",
        Word("Mass and width do not matter"),
        Word("density × 2.5, width × 2"),
        (relative(Label("speed, other density"), 1.0, 0.01), relative(Label("speed, other width"), 1.0, 0.01)),
        mass_and_width,
        step=1e-3,
    ),
    Case(
        "V17",
        Word("A real row runs at about 1 m/s"),
        Word("classic tiles, μ 0.2, μ_f 0.5"),
        (Check(Label("gap one thickness"), 1.0, 0.2, "m/s"), Check(Label("gap one inch"), 1.0, 0.2, "m/s")),
        real_row,
        step=1e-3,
    ),
    Case(
        "V18",
        Word("Whitehead's growing row"),
        Word("13 tiles, each √2 times the last"),
        (verdict(Label("all fall")),),
        whitehead,
    ),
    Case(
        "V19",
        Word("Limit of growth"),
        Word("10 tiles, d/h 1/8, μ 0.2, s/h 0.5, brisk start"),
        (
            Check(Label("r"), theory.growth_limit(0.5, 1 / 8, 0.2), 0.02),
            verdict(Label("r {share} falls", share="1.50")),
            verdict(Label("r {share} falls", share="1.60"), False),
        ),
        growth_limit,
        step=0.5e-3,
        ensemble_slack=2,
    ),
    Case(
        "V20",
        Word("Out of reach"),
        Word("gap 1.05 h, no slip"),
        (verdict(Label("equal tile untouched")), verdict(Label("taller tile untouched"))),
        out_of_reach,
    ),
    Case(
        "V22",
        Word("Friction slows the wave"),
        Word("μ 0.05 to 0.5 at s/h 0.4"),
        (verdict(Label("slower each time")),),
        friction_trend,
        step=1e-3,
    ),
    Case("V23", Word("Determinism"), Word("curved mixed row, twice"), (verdict(Label("bit-identical")),), determinism),
    Case(
        "V24",
        Word("Quarter turn"),
        Word("10 turns of 9°, classic tiles"),
        (verdict(Label("falls")),),
        quarter_turn,
    ),
)
