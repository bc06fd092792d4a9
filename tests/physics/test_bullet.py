"""The PyBullet engine: known rows, every push, both stances, tilted and small tables, repeatability."""

from __future__ import annotations

import hashlib
import math
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from physics import tile_theory
from physics.engine import SINGLE_STEP, Settings, engine
from physics.line import Line, Placement, chain, straight
from physics.outcome import Fate, Outcome
from physics.predict import predict
from physics.scene import Finger, Noise, Push, Scene, Table, Tap, Tilt
from physics.tiles import Stance, equal_tiles, load_set

EVALUATION = load_set("evaluation")
CLASSIC = load_set("classic")
FIRST = Finger(end="first")


def run(line: Line, push: Push = FIRST, table: Table | None = None, step: float = SINGLE_STEP) -> Outcome:
    scene = Scene(line, table or Table(), push)
    return engine("bullet").run([scene], Settings(step=step, record=0.01, to_rest=True))[0]


def test_a_tile_out_of_reach_stays_up() -> None:
    outcome = run(straight(EVALUATION, [1, 2], 0.030), Finger())
    assert outcome.fates == (Fate.FALLEN, Fate.STANDING)
    assert outcome.fell_at[1] is None


@pytest.mark.parametrize("values", [[6, 7], [5, 6, 7, 8]])
def test_rows_of_the_must_fall_band_fall(values: list[int]) -> None:
    outcome = run(straight(EVALUATION, values, 0.020), Finger())
    assert outcome.all_fell and outcome.settled
    times = [time for time in outcome.fell_at if time is not None]
    assert times == sorted(times)


def test_a_tile_much_too_big_stands() -> None:
    assert run(straight(EVALUATION, [2, 11], 0.012), Finger()).fates[1] is not Fate.FALLEN


def test_the_push_starts_at_the_end_with_the_lower_value() -> None:
    outcome = run(straight(EVALUATION, [9, 6, 7], 0.020), Finger())
    assert outcome.fell_at[2] == 0.0  # released past its tipping angle
    assert outcome.fates[2] is Fate.FALLEN


def test_a_finger_that_meets_resistance_tilts_the_tile_slowly_to_its_release() -> None:
    """At 3 mm the tile touches its neighbour at 3.4°, long before it tips at 6.8°: the finger has to push on."""
    line = straight(EVALUATION, [6, 7], 0.003)
    outcome = run(line)
    assert outcome.trajectory is not None
    leans = outcome.trajectory.leans()[:, 0]
    release = Scene(line, push=FIRST).release_lean(line.standing()[0])
    assert leans[0] == pytest.approx(math.asin(3 / 50), abs=math.radians(0.5))
    assert leans.max() >= release - math.radians(0.05)
    slow = outcome.trajectory.times[leans >= release - math.radians(0.05)][0]
    assert slow > 0.1  # s: tilted, not thrown


def test_a_tightly_packed_row_does_not_start_by_itself() -> None:
    """Below a gap of 0.15 h (thickness over height 0.125) a gently released tile comes to lean on the next one."""
    outcome = run(straight(EVALUATION, [4, 5, 6, 7, 8], 0.005))
    assert sum(outcome.fallen) <= 1


def test_a_tap_topples_from_its_threshold_on() -> None:
    tile = EVALUATION[6]
    line = Line(EVALUATION, (Placement(6, 0.0, 0.0),))
    rough = Table(friction=10.0, restitution=0.0)
    least = tile.mass * tile_theory.toppling_impulse(tile_theory.Profile(tile.height, tile.thickness), 0.045)
    assert not run(line, Tap(0.97 * least, 0.045), rough).all_fell
    assert run(line, Tap(1.03 * least, 0.045), rough).all_fell


def test_a_tilting_table_topples_the_most_slender_tile_first() -> None:
    outcome = run(straight(EVALUATION, [6, 4], 0.050), Tilt(rate=math.radians(1), end="first"))
    slender = min(math.degrees(EVALUATION[value].tipping_angle(Stance.UPRIGHT)) for value in (6, 4))
    assert outcome.all_fell
    assert math.degrees(outcome.tilted) == pytest.approx(slender, abs=0.4)


def test_a_tilting_table_stops_at_its_limit() -> None:
    outcome = run(straight(EVALUATION, [6, 7], 0.020), Tilt(rate=math.radians(4), limit=math.radians(4), end="first"))
    assert outcome.fates == (Fate.STANDING, Fate.STANDING)
    assert math.degrees(outcome.tilted) == pytest.approx(4.0)


def test_tiles_lean_apart_from_standing_ones() -> None:
    """A released tile that its neighbour stops counts by its own lean, whatever the neighbour does."""
    outcome = run(straight(EVALUATION, [6, 11], 0.004))
    assert outcome.fates[1] in (Fate.STANDING, Fate.LEANING)


def test_a_slope_helps_a_row_down_and_hinders_it_up() -> None:
    """3 stands before 6, which it cannot topple on the level at 10 mm."""
    line = straight(EVALUATION, [3, 6], 0.010)
    assert not run(line).all_fell
    assert run(line, table=Table(tilt=(0.0, math.radians(4)))).all_fell
    assert not run(line, table=Table(tilt=(0.0, math.radians(-4)))).all_fell


def test_nothing_moves_on_a_slightly_tilted_table_but_the_pushed_tile() -> None:
    outcome = run(straight(EVALUATION, [1, 2], 0.035), table=Table(tilt=(math.radians(3), math.radians(2))))
    assert outcome.trajectory is not None
    moved = abs(outcome.trajectory.positions[-1, 1] - outcome.trajectory.positions[0, 1]).max()
    assert moved < 1e-4
    assert outcome.fates == (Fate.FALLEN, Fate.STANDING)


def test_a_tile_over_the_edge_of_the_table_has_fallen() -> None:
    line = Line(EVALUATION, (Placement(6, 0.0075, 0.0), Placement(7, 0.034, 0.0)))
    outcome = run(line, table=Table(size=(0.08, 0.1)))
    assert outcome.all_fell and outcome.settled
    assert outcome.trajectory is not None
    assert outcome.trajectory.positions[-1, 1, 2] < 0  # it lies below the table's top


def test_a_tall_tile_reaches_over_a_short_one() -> None:
    """Tile 1 (28 mm) stands far before 9, but 11 (84 mm) comes down on both."""
    joints = [(11, 0.0, 0.0, Stance.UPRIGHT), (1, 0.020, 0.0, Stance.UPRIGHT), (8, 0.040, 0.0, Stance.UPRIGHT)]
    assert run(chain(EVALUATION, joints)).all_fell
    assert not run(straight(EVALUATION, [1, 8], 0.040)).all_fell


def test_a_tile_on_its_side_is_harder_to_topple() -> None:
    def falls(stance: Stance) -> bool:
        return run(chain(EVALUATION, [(5, 0.0, 0.0, Stance.UPRIGHT), (8, 0.020, 0.0, stance)])).all_fell

    assert falls(Stance.UPRIGHT)
    assert not falls(Stance.SIDE)


def test_a_side_tile_topples_its_equal() -> None:
    outcome = run(chain(CLASSIC, [(1, 0.012, 0.0, Stance.SIDE)] * 4))
    assert outcome.all_fell


def digest(outcome: Outcome) -> str:
    assert outcome.trajectory is not None
    motion = outcome.trajectory
    return hashlib.sha256(motion.positions.tobytes() + motion.quaternions.tobytes()).hexdigest()


def mixed() -> Scene:
    joints = [(4, 0.0, 0.0, Stance.UPRIGHT), (6, 0.016, 0.2, Stance.UPRIGHT), (5, 0.015, 0.3, Stance.SIDE)]
    joints += [(7, 0.018, -0.2, Stance.UPRIGHT), (9, 0.020, -0.3, Stance.UPRIGHT)]
    return Scene(chain(EVALUATION, joints), push=FIRST)


def run_mixed() -> str:
    return digest(engine("bullet").run([mixed()], Settings(record=0.01))[0])


def test_a_run_repeats_bit_for_bit_whatever_ran_before_and_in_another_process() -> None:
    first = run_mixed()
    run(straight(CLASSIC, [1] * 5, 0.015), table=Table(friction=0.3, size=(0.5, 0.5)))
    run(straight(EVALUATION, [6, 7], 0.003), Tilt(end="first"), step=5e-4)
    assert run_mixed() == first
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(run_mixed).result() == first


def test_a_batch_gives_what_single_runs_give() -> None:
    scenes = [mixed(), Scene(straight(EVALUATION, [5, 6, 7], 0.02)), replace(mixed(), table=Table(friction=0.3))]
    together = engine("bullet").run(scenes, Settings(record=0.02))
    apart = [engine("bullet").run([scene], Settings(record=0.02))[0] for scene in scenes]
    assert [digest(outcome) for outcome in together] == [digest(outcome) for outcome in apart]


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.slow
def test_two_thousand_runs_leave_nothing_behind() -> None:
    short = [Scene(straight(EVALUATION, [1, 2, 3], 0.03)), Scene(straight(EVALUATION, [2, 3], 0.032))]
    settings = Settings(time_limit=0.05)
    engine("bullet").run(short * 200, settings)
    before = resident_megabytes()
    engine("bullet").run(short * 1000, settings)
    assert resident_megabytes() - before < 4.0


def test_a_run_can_be_watched_and_ended() -> None:
    seen: list[tuple[float, int]] = []
    engine("bullet").run([mixed()], Settings(), lambda time, down: seen.append((time, down)))
    assert len(seen) > 10 and seen[-1][1] > 0
    assert [time for time, _ in seen] == sorted(time for time, _ in seen)


def test_a_recorded_run_hangs_on_nothing_that_ran_before() -> None:
    """Window and text mode have different histories; the same match must fall the same way in both, to the last bit."""
    side, upright = Stance.SIDE, Stance.UPRIGHT
    row = (Placement(6, 0.0, 0.0), Placement(2, 0.0211781527, 0.0, 0.0, side), Placement(8, 0.04675, 0.0, 0.0, upright))
    before = Scene(Line(EVALUATION, row), push=FIRST)
    line = Line(EVALUATION, (row[0], Placement(5, 0.01075, 0.0), *row[1:]))
    first = run(line)
    predict(before, Noise(), seed=4)
    again = run(line)
    assert first.trajectory is not None and again.trajectory is not None
    assert (first.trajectory.positions == again.trajectory.positions).all()


@pytest.mark.parametrize("height", [0.048, 0.192, 1.5])
def test_a_tile_that_begins_to_fall_slowly_is_not_at_rest(height: float) -> None:
    """Larger tiles fall more slowly, by the root of their size: none may be taken for one that stays as it is."""
    tiles = equal_tiles(height=height, width=height / 2, thickness=height * 0.156)
    scene = Scene(straight(tiles, [1, 1], 0.26 * height), push=Finger(math.radians(0.05), end="first"))
    assert engine("bullet").run([scene], Settings())[0].all_fell
