"""Long rows: only what moves takes part in a run, and what comes of it is what comes of it when all tiles do."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import pytest

from physics.engine import Settings, engine
from physics.line import Line, Placement, chain, straight
from physics.live_tiles import MIN_TILES, LiveTiles
from physics.noise import draw
from physics.outcome import Outcome
from physics.pose import Vector, standing_pose
from physics.scene import Finger, Noise, Scene, Table, Tap
from physics.tiles import Stance, load_set

CLASSIC = load_set("classic")
FIRST = Finger(end="first")
GAP = 0.020
UP = Stance.UPRIGHT


def bent(count: int, turns: Sequence[float]) -> Scene:
    """A row whose joints turn by so many degrees, over and over again."""
    joints = [(1, GAP, math.radians(turns[place % len(turns)]), UP) for place in range(count)]
    return Scene(chain(CLASSIC, joints), push=FIRST)


STRAIGHT, CURVED = bent(60, [0.0]), bent(60, [4.0])
# To and fro with bends of 30 mm radius: every leg passes a few millimetres from the one before.
SNAKE = bent(44, [*[0.0] * 4, *[60.0] * 3, *[0.0] * 4, *[-60.0] * 3])


def forked() -> Scene:
    """A row that parts into two."""
    stem = straight(CLASSIC, [1] * 9, GAP).placements
    pitch, end = stem[1].x - stem[0].x, stem[-1].x
    arms = [
        Placement(1, end + pitch * (0.9 + step * math.cos(yaw)), side * 0.014 + pitch * step * math.sin(yaw), yaw)
        for side in (-1, 1)
        for yaw in (side * math.radians(25),)
        for step in range(8)
    ]
    return Scene(Line(CLASSIC, (*stem, *arms)), push=FIRST)


def run(scene: Scene, settings: Settings | None = None) -> Outcome:
    return engine("bullet").run([scene], settings or Settings())[0]


def whole(scene: Scene) -> Outcome:
    return run(scene, Settings(whole=True))


def shifted(scene: Scene) -> Scene:
    """Every second tile a millionth of a millimetre aside."""
    places = scene.line.placements
    return scene.with_placements(tuple(replace(p, x=p.x + 1e-9 * (-1) ** i) for i, p in enumerate(places)))


def apart(one: Outcome, other: Outcome) -> float:
    """Root mean square of how far falls lie apart in time, s."""
    pairs = zip(one.fell_at, other.fell_at, strict=True)
    return math.sqrt(fmean((a - b) ** 2 for a, b in pairs if a is not None and b is not None))


def digest(outcome: Outcome) -> str:
    said = repr((outcome.fates, outcome.fell_at, outcome.ended)).encode()
    motion = outcome.trajectory
    return hashlib.sha256(said + (b"" if motion is None else motion.kept.tobytes())).hexdigest()


@pytest.mark.parametrize("scene", [STRAIGHT, CURVED], ids=["straight", "curved"])
def test_tiles_fall_when_they_do_in_a_whole_run(scene: Scene) -> None:
    """As near as to a whole run of tiles that stand a millionth of a millimetre elsewhere."""
    draws = [draw(scene, Noise(), 9, index) for index in range(2)]
    full = [whole(each) for each in draws]
    live = [run(each) for each in draws]
    moved = [whole(shifted(each)) for each in draws]
    assert [each.fallen for each in live] == [each.fallen for each in full]
    noise = fmean(apart(one, other) for one, other in zip(moved, full, strict=True))
    assert fmean(apart(one, other) for one, other in zip(live, full, strict=True)) <= 2 * noise


@pytest.mark.parametrize("scene", [SNAKE, forked()], ids=["snake", "fork"])
def test_rows_of_any_shape_fall_as_in_a_whole_run(scene: Scene) -> None:
    live, full = run(scene), whole(scene)
    assert sum(live.fallen) == pytest.approx(sum(full.fallen), abs=2)
    assert sum(live.fallen) > MIN_TILES


def test_a_wide_gap_ends_a_long_row() -> None:
    scene = Scene(chain(CLASSIC, [(1, 0.060 if place == 12 else GAP, 0.0, UP) for place in range(24)]), push=FIRST)
    outcome = run(scene, Settings(to_rest=True))
    assert outcome.fallen == (True,) * 12 + (False,) * 12 and outcome.settled


@pytest.mark.parametrize("settings", [Settings(), Settings(record=0.01)], ids=["plain", "recorded"])
def test_a_long_run_repeats_bit_for_bit_whatever_ran_before(settings: Settings) -> None:
    first = digest(run(SNAKE, settings))
    run(straight_of(7))
    run(CURVED)
    assert digest(run(SNAKE, settings)) == first


def test_a_short_run_does_not_notice_a_long_one_before_it() -> None:
    first = digest(run(straight_of(7)))
    run(STRAIGHT)
    assert digest(run(straight_of(7))) == first


def straight_of(count: int, x: float = 0.0, push: Finger | Tap = FIRST) -> Scene:
    places = straight(CLASSIC, [1] * count, GAP).placements
    return Scene(Line(CLASSIC, tuple(replace(place, x=place.x + x) for place in places)), push=push)


def test_a_hard_tap_overtakes_nothing() -> None:
    """The first tile is shot off at 4 m/s: what it can meet must be there when it comes."""
    push = Tap(CLASSIC[1].mass * 4.0, 0.040, end="first")
    live, full = run(straight_of(24, push=push)), whole(straight_of(24, push=push))
    assert live.all_fell and full.all_fell
    assert apart(live, full) < 0.02


def test_touching_tiles_are_struck_together() -> None:
    """Through tiles that touch a blow goes at once, faster than any tile moves."""
    places = [Placement(1, 0.0, 0.0), *(Placement(1, 0.03 + 0.0076 * place, 0.0) for place in range(24))]
    scene = Scene(Line(CLASSIC, tuple(places)), push=FIRST)
    assert run(scene).fallen == whole(scene).fallen


class Recorded:
    """A world that keeps a book of which tiles are in it."""

    def __init__(self) -> None:
        self.there: set[int] = set()

    def put_in(self, tile: int, *, fixed: bool) -> None:
        self.there.add(tile)

    def take_out(self, tile: int) -> None:
        self.there.remove(tile)

    def fix(self, tile: int) -> None:
        assert tile in self.there

    def let_go(self, tile: int, *, fixed: bool) -> None:
        assert tile in self.there

    def let_sleep(self, tile: int) -> None:
        assert tile in self.there


def test_near_is_by_distance_and_not_by_the_order_of_the_file() -> None:
    """Two rows side by side: what moves in one brings in its neighbours of both, and nothing far from them."""
    places = [Placement(1, 0.03 * place, 0.0) for place in range(40)]
    places += [Placement(1, 0.03 * place, 0.06) for place in range(40)]
    boxes = Line(CLASSIC, tuple(places)).standing()
    world = Recorded()
    poses = [standing_pose(box) for box in boxes]
    live = LiveTiles(boxes, poses, {20: 0.1}, 0.03, world)
    live.begin(0.0)
    assert {18, 19, 20, 21, 22, 59, 60, 61} <= world.there == set(live.tiles)
    assert not world.there & {0, 10, 30, 39, 40, 50, 70, 79}
    assert len(world.there) < 30
    leans: list[float] = [0.1 if tile == 20 else 0.0 for tile in live.tiles]
    there: list[Vector] = [poses[tile].position for tile in live.tiles]
    for look in range(1, 15):
        live.follow(0.03 * look, live.tiles, leans, there)
    assert 20 in live.tiles, "what does not lie is never made immovable"


def test_the_cost_of_a_tile_does_not_grow_with_the_length() -> None:
    """Counted in looks at tiles, which any machine takes the same number of."""

    def looks(count: int) -> float:
        seen = 0
        follow = LiveTiles.follow

        def counted(
            self: LiveTiles, time: float, tiles: Sequence[int], leans: Sequence[float], places: Sequence[Vector]
        ) -> None:
            nonlocal seen
            seen += len(tiles)
            follow(self, time, tiles, leans, places)

        LiveTiles.follow = counted  # type: ignore[method-assign]
        try:
            assert run(straight_of(count)).all_fell
        finally:
            LiveTiles.follow = follow  # type: ignore[method-assign]
        return seen / count

    assert looks(120) < 1.2 * looks(40)


@pytest.mark.parametrize("x", [0.0, 47.0, 49.6, -49.9, 90.0])
def test_the_table_is_below_the_row_wherever_it_stands(x: float) -> None:
    outcome = run(straight_of(MIN_TILES + 5, x), Settings(record=0.05))
    assert outcome.all_fell and outcome.settled
    assert outcome.trajectory is not None and outcome.trajectory.kept[:, 2].min() > 0.0
    short = run(straight_of(6, x), Settings(record=0.05))
    assert short.trajectory is not None and short.all_fell and short.trajectory.kept[:, 2].min() > 0.0


def test_a_long_row_on_a_tilted_table_falls_as_a_whole() -> None:
    scene = replace(straight_of(24), table=Table(tilt=(0.0, math.radians(2))))
    assert digest(run(scene)) == digest(whole(scene))
