"""Line files read and written, which end is pushed and which way, the finger's release, tilted tables."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from physics.errors import SceneError
from physics.line import MAX_TILES, Line, Placement, chain, straight
from physics.pose import leaning_pose
from physics.scene import (
    Finger,
    Noise,
    Press,
    Push,
    Scene,
    Spin,
    Table,
    Tap,
    Tilt,
    line_file_text,
    read_line_file,
)
from physics.tile_theory import GRAVITY
from physics.tiles import Stance, load_set

EVALUATION = load_set("evaluation")
CLASSIC = load_set("classic")
UP = Stance.UPRIGHT

FULL = """\
set = "evaluation"          # tile set by name, or a path
[table]                     # optional; friction = tile-table, tile_friction = tile-tile
friction = 0.6
tile_friction = 0.3
restitution = 0.25
tilt = [1.0, -2.0]          # degrees about x and about y
size = [1200.0, 800.0]      # mm
[push]
kind = "finger"             # finger | tap | tilt
end = "last"                # auto | first | last
margin = 0.75               # degrees past the tipping angle
[noise]
position = 0.4              # mm
yaw = 2.0                   # degrees
friction = 0.15
restitution = 0.3
push = 0.05
[[tile]]
value = 6
x = -10.0                   # mm
y = 2.5
yaw = 10.0                  # degrees
stance = "upright"
[[tile]]
value = 7
x = 20
y = 4
yaw = -170
stance = "side"
"""


@pytest.fixture
def line_file(tmp_path: Path) -> Path:
    return tmp_path / "row.toml"


def read(path: Path, text: str) -> tuple[Scene, Noise]:
    path.write_text(text)
    return read_line_file(path)


# Reading


def test_every_key(line_file: Path) -> None:
    scene, noise = read(line_file, FULL)
    degree = math.radians(1)
    assert scene.line.tile_set == EVALUATION
    assert scene.line.placements == (
        Placement(6, -0.010, 0.0025, math.radians(10), Stance.UPRIGHT),
        Placement(7, 0.020, 0.004, math.radians(-170), Stance.SIDE),
    )
    assert scene.table == Table(0.6, 0.3, 0.25, (degree, -2 * degree), (1.2, 0.8))
    assert scene.push == Finger(math.radians(0.75), "last")
    assert noise == Noise(0.4e-3, 2 * degree, 0.15, 0.3, 0.05)


def test_defaults(line_file: Path) -> None:
    scene, noise = read(line_file, 'set = "classic"\n[[tile]]\nvalue = 1\nx = 3\ny = 4\n')
    assert scene.line.placements == (Placement(1, 0.003, 0.004, 0.0, Stance.UPRIGHT),)
    assert scene.table == Table(friction=0.5, tile_friction=0.25, restitution=0.2, tilt=(0, 0), size=None)
    assert scene.push == Finger(math.radians(0.5), "auto")
    assert astuple(noise)[:5] == pytest.approx((0.7e-3, math.radians(1), 0.1, 0.2, 0.2)) and noise.places == ()
    assert scene == Scene(scene.line) and noise == Noise()


@pytest.mark.parametrize(
    ("keys", "push"),
    [
        ("", Finger()),
        ('end = "first"', Finger(end="first")),
        ('kind = "finger"\nmargin = 2', Finger(math.radians(2))),
        ('kind = "tap"\nimpulse = 0.4\nheight = 40', Tap(0.4e-3, 0.040)),
        ('kind = "tap"\nimpulse = 0\nheight = 48\nend = "last"', Tap(0, 0.048, "last")),
        ('kind = "tilt"', Tilt(math.radians(2), math.radians(20))),
        ('kind = "tilt"\nrate = 5\nlimit = 30\nend = "first"', Tilt(math.radians(5), math.radians(30), "first")),
    ],
)
def test_pushes(line_file: Path, keys: str, push: Push) -> None:
    scene, _ = read(line_file, f'set = "classic"\n[push]\n{keys}\n[[tile]]\nvalue = 1\nx = 3\ny = 4\n')
    assert type(scene.push) is type(push)
    assert scene.push.end == push.end
    assert astuple(scene.push)[:-1] == pytest.approx(astuple(push)[:-1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FULL.replace("value = 7", "value = 6"), ": The tile 6 is used 2 times; the set evaluation has 1."),
        (FULL.replace("value = 7", "value = 12"), ": Tile 2 has the value 12; the set evaluation has 1–11."),
        (FULL.replace("x = 20", "x = -9"), ": Tiles 6 and 7 overlap."),
        (
            FULL.replace("x = 20", "x = 599"),
            ": Tile 7 stands over the edge of the table, which is 1200 × 800 mm.",
        ),
        (
            FULL.replace('"finger"', '"tap"').replace("margin = 0.75", "impulse = 1\nheight = 28.5"),
            ": The push at 28.5 mm goes over the end tile 7, which is 28 mm high.",
        ),
        (
            FULL.replace('"evaluation"', '"domino"'),
            ":1: There is no tile set 'domino'; "
            "allowed is classic, evaluation, whitehead, or the path of a .toml file.",
        ),
        (FULL.replace('"evaluation"', '"x/y.toml"'), ":1: There is no file {folder}/x/y.toml."),
    ],
)
def test_scenes_that_cannot_be(line_file: Path, text: str, message: str) -> None:
    with pytest.raises(SceneError) as refused:
        read(line_file, text)
    assert str(refused.value) == str(line_file) + message.format(folder=line_file.parent)


def test_a_gap_of_90_mm_is_a_scene(line_file: Path) -> None:
    scene, _ = read(line_file, FULL.replace("x = 20", "x = 90"))
    assert scene.line.gaps()[0] == pytest.approx(0.092, abs=3e-3)


def test_too_many_tiles(line_file: Path) -> None:
    started = time.process_time()
    with pytest.raises(SceneError) as refused:
        read(line_file, 'set = "classic"\n' + "[[tile]]\nvalue = 1\nx = 0\ny = 0\n" * 10_000)
    assert time.process_time() - started < 3
    assert str(refused.value) == f"{line_file}: the line has 10000 tiles; allowed are at most 5000."


def test_as_many_tiles_as_allowed(line_file: Path) -> None:
    tiles = "".join(f"[[tile]]\nvalue = 1\nx = {i * 20}\ny = 0\n" for i in range(MAX_TILES))
    started = time.process_time()
    assert len(read(line_file, 'set = "classic"\n' + tiles)[0].line) == MAX_TILES
    assert time.process_time() - started < 5


def test_check_counts_tiles_too() -> None:
    with pytest.raises(SceneError, match=r"^The line has 5001 tiles; allowed are at most 5000\.$"):
        Scene(Line(CLASSIC, (Placement(1, 0, 0),) * 5001)).check()
    with pytest.raises(SceneError, match=r"^The line has no tile; it needs at least one \[\[tile\]\]\.$"):
        Scene(Line(CLASSIC, ())).check()


@pytest.mark.parametrize("push", [Tap(1e-3, 0.0401), Press(1.0, 0.0401)])
def test_push_over_the_end_tile(push: Push) -> None:
    line = straight(EVALUATION, [5, 6, 4], 0.02)
    Scene(line, push=replace(push, end="first")).check()
    for end in ("last", "auto"):
        with pytest.raises(SceneError) as refused:
            Scene(line, push=replace(push, end=end)).check()
        assert str(refused.value) == "The push at 40.1 mm goes over the end tile 4, which is 40 mm high."


# Writing and reading again


positive = st.floats(0, 1)
degrees = st.floats(-45, 45).map(math.radians)
ends = st.sampled_from(["auto", "first", "last"])
pushes = st.one_of(
    st.builds(Finger, st.floats(0, 45).map(math.radians), ends),
    st.builds(Tap, st.floats(0, 100), st.floats(0, 0.028), ends),
    st.builds(Tilt, st.floats(0.1, 90).map(math.radians), st.floats(0, 60).map(math.radians), ends),
)
tables = st.builds(
    Table,
    st.floats(0, 10),
    st.floats(0, 10),
    positive,
    st.tuples(degrees, degrees),
    st.none() | st.tuples(st.floats(30, 80), st.floats(30, 80)),
)
noises = st.builds(Noise, st.floats(0, 0.1), st.floats(0, 45).map(math.radians), positive, positive, positive)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    values = draw(st.permutations(range(1, 12)))[: draw(st.integers(1, 11))]
    joints = [(value, draw(st.floats(0.05, 0.2)), draw(st.floats(-0.15, 0.15)), UP) for value in values]
    start = Placement(1, draw(st.floats(-5, 5)), draw(st.floats(-5, 5)), draw(st.floats(-9, 9)))
    return chain(EVALUATION, joints, start)


def flat(value: object) -> Iterator[object]:
    """What is in nested tuples, one after the other."""
    if isinstance(value, tuple):
        for item in value:
            yield from flat(item)
    else:
        yield value


def facts(scene: Scene, noise: Noise) -> list[object]:
    placements = tuple(astuple(place) for place in scene.line.placements)
    return list(flat((astuple(scene.table), type(scene.push), astuple(scene.push), astuple(noise), placements)))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines(), tables, pushes, noises)
def test_there_and_back(line_file: Path, line: Line, table: Table, push: Push, noise: Noise) -> None:
    scene = Scene(line, table, push)
    again, noise_again = read(line_file, line_file_text(scene, noise, "evaluation"))
    assert again.line.tile_set == line.tile_set
    for before, after in zip(facts(scene, noise), facts(again, noise_again), strict=True):
        if isinstance(before, float):
            assert after == pytest.approx(before, abs=1e-9, rel=1e-12)
        else:
            assert after == before


def test_a_tile_may_be_known_better_than_the_others(line_file: Path) -> None:
    scene, noise = read(line_file, FULL.replace("value = 7", "value = 7\nsigma = [0.2, 0.3, 1.5]"))
    same = (noise.position, noise.position, noise.yaw)
    assert noise.places == (same,) * (len(scene.line) - 1) + (pytest.approx((0.2e-3, 0.3e-3, math.radians(1.5))),)
    again = read(line_file, line_file_text(scene, noise, "evaluation"))[1]
    assert np.array(again.places) == pytest.approx(np.array(noise.places))
    for wrong, said in (
        ("[0.2, 0.3]", "must be 3 numbers in brackets"),
        ("[-1, 0, 0]", "must be a number from 0 to 45"),
    ):
        with pytest.raises(SceneError, match=said):
            read(line_file, FULL.replace("value = 7", f"value = 7\nsigma = {wrong}"))


def test_written_twice_is_the_same_text(line_file: Path) -> None:
    text = line_file_text(*read(line_file, FULL), "evaluation")
    assert line_file_text(*read(line_file, text), "evaluation") == text


@pytest.mark.parametrize("push", [Spin(1.0), Press(1.0, 0.01)])
def test_pushes_that_files_do_not_know(push: Push) -> None:
    scene = Scene(straight(CLASSIC, [1], 0), push=push)
    with pytest.raises(SceneError, match=f"^A line file has no push {type(push).__name__}\\.$"):
        line_file_text(scene, Noise(), "classic")


# Which end, which way


@pytest.mark.parametrize(
    ("values", "end", "pushed"),
    [
        ((9, 6, 4, 11, 7), "auto", 4),
        ((7, 11, 4, 6, 9), "auto", 0),
        ((9, 6, 4, 11, 7), "first", 0),
        ((7, 11, 4, 6, 9), "last", 4),
        ((5, 1), "auto", 1),
        ((1, 5), "auto", 0),
        ((5,), "auto", 0),
        ((5,), "last", 0),
    ],
)
def test_pushed_end(values: tuple[int, ...], end: str, pushed: int) -> None:
    scene = Scene(straight(EVALUATION, values, 0.03), push=Finger(end=end))
    assert scene.pushed == pushed
    assert scene.push_order[0] == pushed
    assert sorted(scene.push_order) == list(range(len(values)))
    assert all(abs(b - a) == 1 for a, b in zip(scene.push_order, scene.push_order[1:], strict=False))


def test_towards_the_eleven() -> None:
    """Values 9, 6, 4, 11, 7 along +x: the 7 is pushed towards the 11, that is along −x."""
    scene = Scene(straight(EVALUATION, (9, 6, 4, 11, 7), 0.03))
    assert scene.line.values[scene.pushed] == 7
    assert scene.line.values[scene.push_order[1]] == 11
    assert math.cos(scene.push_yaw) == pytest.approx(-1)


def test_equal_ends_are_pushed_at_the_first() -> None:
    assert Scene(straight(CLASSIC, [1, 1, 1], 0.02)).pushed == 0


@settings(deadline=None)
@given(
    st.floats(-10, 10),
    st.lists(st.floats(-0.7, 0.7), min_size=1, max_size=5),
    st.lists(st.integers(-2, 2), min_size=6, max_size=6),
    st.sampled_from(["first", "last"]),
    st.booleans(),
)
def test_push_goes_into_the_row(yaw: float, turns: list[float], halves: list[int], end: str, back: bool) -> None:
    """On curves, in both orders, whatever side the tiles' yaws look to."""
    row = chain(CLASSIC, [(1, 0.03, turn, UP) for turn in (0.0, *turns)], Placement(1, 0.1, 0.2, yaw)).placements
    ahead = row[0].yaw if (end == "first") != back else row[-1].yaw + math.pi
    turned = tuple(replace(place, yaw=place.yaw + math.pi * half) for place, half in zip(row, halves, strict=False))
    scene = Scene(Line(CLASSIC, turned[::-1] if back else turned), push=Finger(end=end))
    assert math.remainder(scene.push_yaw - ahead, math.tau) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("end", ["first", "last"])
def test_push_on_a_row_that_comes_back(end: str) -> None:
    """Five sixths of a circle: the far end lies behind the pushed tile's face, the neighbour in front of it."""
    row = chain(CLASSIC, [(1, 0.03, math.radians(30), UP)] * 11)
    ahead = row.placements[0].yaw if end == "first" else row.placements[-1].yaw + math.pi
    assert Scene(row, push=Finger(end=end)).push_yaw == pytest.approx(ahead)


def test_single_tile_is_pushed_along_its_yaw() -> None:
    assert Scene(Line(CLASSIC, (Placement(1, 0, 0, 0.3),))).push_yaw == 0.3


def test_with_placements_keeps_the_rest() -> None:
    scene = Scene(straight(CLASSIC, [1, 1], 0.02), Table(0.3), Tap(1e-3, 0.02))
    moved = scene.with_placements((Placement(1, 1, 1),))
    assert (moved.table, moved.push, moved.line.tile_set) == (scene.table, scene.push, CLASSIC)
    assert moved.line.placements == (Placement(1, 1, 1),)
    assert len(scene.line) == 2


# Gravity and the finger's release


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_gravity_of_a_tilted_table(about_x: float, about_y: float) -> None:
    world = Rotation.from_euler("xy", [about_x, about_y])
    assert Table(tilt=(about_x, about_y)).gravity == pytest.approx(world.inv().apply([0, 0, -GRAVITY]), abs=1e-12)


def test_gravity_by_hand() -> None:
    assert Table().gravity == pytest.approx([0, 0, -9.81])
    # Turned about +x the far side (+y) rises, about +y the right side (+x) sinks.
    assert Table(tilt=(math.radians(30), 0)).gravity == pytest.approx([0, -4.905, -9.81 * math.sqrt(0.75)])
    assert Table(tilt=(0, math.radians(30))).gravity == pytest.approx([4.905, 0, -9.81 * math.sqrt(0.75)])


@pytest.mark.parametrize("stance", list(Stance))
def test_release_on_a_level_table(stance: Stance) -> None:
    scene = Scene(chain(EVALUATION, [(6, 0, 0, stance), (7, 0.02, 0, UP)]), push=Finger(math.radians(0.5)))
    tall = 50 if stance is UP else 25
    assert math.degrees(scene.release_lean(scene.line.standing()[0])) == pytest.approx(
        math.degrees(math.atan(6 / tall)) + 0.5
    )


@pytest.mark.parametrize(
    ("yaw", "tilt", "change"),
    [
        (0, (0, 3), -3),  # the row goes downhill
        (0, (0, -3), 3),
        (180, (0, 3), 3),
        (90, (-3, 0), -3),
        (90, (3, 0), 3),
        (0, (3, 0), 0),  # across the slope
    ],
)
def test_release_on_a_slope(yaw: float, tilt: tuple[float, float], change: float) -> None:
    line = chain(CLASSIC, [(1, 0.02, 0, UP)] * 2, Placement(1, 0, 0, math.radians(yaw)))
    table = Table(tilt=(math.radians(tilt[0]), math.radians(tilt[1])))
    lean = Scene(line, table, Finger(math.radians(1))).release_lean(line.standing()[0])
    assert math.degrees(lean) == pytest.approx(math.degrees(math.atan(7.5 / 48)) + change + 1)


@settings(deadline=None)
@given(st.floats(-10, 10), st.floats(-0.12, 0.12), st.floats(-0.12, 0.12), st.sampled_from(["first", "last"]))
def test_release_without_margin_is_the_balance(yaw: float, about_x: float, about_y: float, end: str) -> None:
    """The weight then has no moment about the lower edge."""
    tiles = load_set("evaluation")
    line = chain(
        tiles, [(2, 0, 0, Stance.SIDE), (5, 0.04, 0.3, UP), (3, 0.04, 0.3, Stance.SIDE)], Placement(2, 0, 0, yaw)
    )
    scene = Scene(line, Table(tilt=(about_x, about_y)), Finger(0.0, end))
    box = line.standing()[scene.pushed]
    lean = scene.release_lean(box)
    assert 0 < lean < math.pi / 2
    towards = np.array([math.cos(scene.push_yaw), math.sin(scene.push_yaw), 0])
    edge = np.array([box.x, box.y, 0]) + towards * box.depth / 2
    arm = np.array(leaning_pose(box, scene.push_yaw, lean).position) - edge
    moment = np.cross(arm, scene.table.gravity) @ np.cross([0, 0, 1], towards)
    assert moment == pytest.approx(0, abs=1e-12)


def test_release_where_nothing_holds_the_tile() -> None:
    """On a slope steeper than the tipping angle the tile falls as it stands."""
    line = straight(CLASSIC, [1, 1], 0.02)
    scene = Scene(line, Table(tilt=(0, math.radians(12))))
    assert scene.release_lean(line.standing()[0]) == 0


@pytest.mark.parametrize("push", [Tap(1e-3, 0.02), Tilt(), Spin(3.0), Press(0.1, 0.02)])
def test_only_the_finger_leans(push: Push) -> None:
    line = straight(CLASSIC, [1, 1], 0.02)
    assert Scene(line, push=push).release_lean(line.standing()[0]) == 0
