"""Footprints, gaps and chains by hand and against other libraries; the problems of a row, and no false ones."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear

from physics.errors import SceneError
from physics.line import (
    CLEARANCE,
    MAX_PROBLEMS,
    Line,
    Placement,
    Standing,
    chain,
    close_pairs,
    distance,
    face_gap,
    next_placement,
    overlap,
    straight,
)
from physics.tiles import Stance, Tile, TileSet, equal_tiles, load_set

EVALUATION = load_set("evaluation")
CLASSIC = load_set("classic")
UP, SIDE = Stance.UPRIGHT, Stance.SIDE
QUARTER = math.pi / 2

lengths = st.floats(1e-3, 0.1)
coordinates = st.floats(-0.08, 0.08)
angles = st.floats(-10, 10)
boxes = st.builds(
    Standing, coordinates, coordinates, angles, lengths, lengths, height=st.just(0.05), mass=st.just(0.01)
)


def box(x: float, y: float, yaw: float = 0.0, depth: float = 0.01, breadth: float = 0.03) -> Standing:
    return Standing(x, y, yaw, depth, breadth, 0.05, 0.01)


def mm(values: Sequence[float]) -> list[float]:
    return [value * 1e3 for value in values]


# Footprints


def test_footprint_by_hand() -> None:
    assert np.allclose(mm(np.ravel(box(0.1, 0.2).corners).tolist()), [95, 185, 105, 185, 105, 215, 95, 215])
    assert np.allclose(mm(np.ravel(box(0, 0, QUARTER).corners).tolist()), [15, -5, 15, 5, -15, 5, -15, -5])
    assert box(0, 0, 0.3, 0.03, 0.04).reach == pytest.approx(0.025)
    assert math.tan(box(0, 0).tipping_angle) == pytest.approx(0.01 / 0.05)


@settings(deadline=None)
@given(boxes)
def test_footprint_goes_anticlockwise_round_its_area(a: Standing) -> None:
    x, y = np.array(a.corners).T
    area = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    assert area == pytest.approx(a.depth * a.breadth, rel=1e-6)
    assert float(np.hypot(x - a.x, y - a.y).max()) == pytest.approx(a.reach)


@pytest.mark.parametrize(("stance", "breadth", "height"), [(UP, 25, 50), (SIDE, 50, 25)])
def test_box_of_a_placement(stance: Stance, breadth: float, height: float) -> None:
    (found,) = Line(EVALUATION, (Placement(6, 0.1, -0.2, 0.3, stance),)).standing()
    assert [found.x, found.y, found.yaw, found.mass] == pytest.approx([0.1, -0.2, 0.3, 5.25e-3])
    assert mm([found.depth, found.breadth, found.height]) == pytest.approx([6, breadth, height])


def common_area(a: Standing, b: Standing) -> float:
    """Area that two footprints share, m², from OpenCV."""

    def rectangle(c: Standing) -> tuple[tuple[float, float], tuple[float, float], float]:
        return (c.x * 1e3, c.y * 1e3), (c.depth * 1e3, c.breadth * 1e3), math.degrees(math.remainder(c.yaw, math.pi))

    kind, polygon = cv2.rotatedRectangleIntersection(rectangle(a), rectangle(b))
    if kind == cv2.INTERSECT_NONE:
        return 0.0
    return float(cv2.contourArea(cv2.convexHull(polygon))) * 1e-6


def least_distance(a: Standing, b: Standing) -> float:
    """Distance of two footprints, m, as bounded least squares over one point in each."""
    sides = []
    for c in (a, b):
        cos, sin = math.cos(c.yaw), math.sin(c.yaw)
        sides.append(np.array([[cos * c.depth, -sin * c.breadth], [sin * c.depth, cos * c.breadth]]))
    found = lsq_linear(
        np.hstack([sides[0], -sides[1]]), np.array([b.x - a.x, b.y - a.y]), (-0.5, 0.5), method="bvls", tol=1e-14
    )
    return math.sqrt(2 * found.cost)


def growth_to_meet(a: Standing, b: Standing) -> float:
    """How much every side must grow for the footprints to share a point, m; negative where they already do."""
    rows, limits = [], []
    for c in (a, b):
        for turn, half in ((0.0, c.depth / 2), (QUARTER, c.breadth / 2)):
            side = np.array([math.cos(c.yaw + turn), math.sin(c.yaw + turn)])
            for sign in (1, -1):
                rows.append([*(sign * side * 1e3), -1])
                limits.append(1e3 * (half + sign * float(side @ [c.x, c.y])))
    found = linprog([0, 0, 1], rows, limits, bounds=(None, None))
    assert found.success
    return float(found.x[2]) / 1e3


@settings(max_examples=150, deadline=None)
@given(boxes, boxes)
def test_overlap_as_a_linear_programme_sees_it(a: Standing, b: Standing) -> None:
    growth = growth_to_meet(a, b)
    assume(abs(growth) > 1e-6)
    assert overlap(a, b) is (growth < 0)
    assert overlap(b, a) is (growth < 0)


@settings(max_examples=150, deadline=None)
@given(boxes, boxes)
def test_face_gap_is_a_bound_and_tells_overlaps(a: Standing, b: Standing) -> None:
    assert face_gap(a, b) <= distance(a, b) + 1e-12
    assert face_gap(a, b) == pytest.approx(face_gap(b, a), abs=1e-12)
    if abs(face_gap(a, b)) > 1e-8:
        assert overlap(a, b) is (face_gap(a, b) < 0)


def test_overlap_as_opencv_sees_it() -> None:
    """Pairs in general position only: OpenCV counts in single precision and stumbles over edges on one line."""
    generator = np.random.default_rng(3)
    seen = {True: 0, False: 0}
    for _ in range(1000):
        low, high = (-0.05, -0.05, -9, 2e-3, 2e-3), (0.05, 0.05, 9, 0.08, 0.08)
        a, b = (box(*generator.uniform(low, high).tolist()) for _ in range(2))
        area = common_area(a, b)
        if 0 < area < 1e-7:
            continue
        assert overlap(a, b) is (area > 0)
        assert (distance(a, b) == 0) is (area > 0)
        seen[area > 0] += 1
    assert min(seen.values()) > 200


@settings(max_examples=150, deadline=None)
@given(boxes, boxes)
def test_distance_as_least_squares_sees_it(a: Standing, b: Standing) -> None:
    assert distance(a, b) == pytest.approx(least_distance(a, b), abs=1e-7)
    assert distance(a, b) == pytest.approx(distance(b, a), abs=1e-12)
    if distance(a, b) > 1e-8:
        assert not overlap(a, b)


@settings(deadline=None)
@given(boxes, boxes, coordinates, coordinates, angles)
def test_distance_does_not_change_when_all_is_moved(a: Standing, b: Standing, x: float, y: float, turn: float) -> None:
    def moved(c: Standing) -> Standing:
        cos, sin = math.cos(turn), math.sin(turn)
        return replace(c, x=x + c.x * cos - c.y * sin, y=y + c.x * sin + c.y * cos, yaw=c.yaw + turn + math.pi)

    assert distance(moved(a), moved(b)) == pytest.approx(distance(a, b), abs=1e-9)


@pytest.mark.parametrize(
    ("other", "apart", "one_in_another"),
    [
        (box(0, 0), 0, True),
        (box(0.0099, 0), 0, True),
        (box(0.01, 0), 0, False),  # face to face
        (box(0.01, 0.03), 0, False),  # corner to corner
        (box(0.012, 0), 2e-3, False),
        (box(0.013, 0.034), 5e-3, False),  # 3, 4, 5
        (box(0.02, 0, QUARTER), 0, False),  # edge to face
        (box(0, 0, QUARTER), 0, True),  # a cross: no corner in the other
        (box(0, 0, 0.1, 0.001, 0.001), 0, True),  # one inside the other
        (box(0, 0.5, math.pi / 4, 0.01, 0.01), 0.5 - 0.015 - 0.01 / math.sqrt(2), False),
    ],
)
def test_two_boxes_by_hand(other: Standing, apart: float, one_in_another: bool) -> None:
    assert overlap(box(0, 0), other) is one_in_another
    assert distance(box(0, 0), other) == pytest.approx(apart, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            Standing,
            st.floats(-0.3, 0.3),
            st.floats(-0.3, 0.3),
            angles,
            st.floats(1e-4, 0.3),
            st.floats(1e-4, 0.3),
            height=st.just(0.05),
            mass=st.just(0.01),
        ),
        max_size=12,
    ),
    st.sampled_from([0.0, CLEARANCE, 0.1]),
)
def test_close_pairs_miss_none(some: list[Standing], margin: float) -> None:
    found = list(close_pairs(some, margin))
    assert len(found) == len(set(found))
    assert all(i < j for i, j in found)
    for i, j in combinations(range(len(some)), 2):
        if distance(some[i], some[j]) < margin or overlap(some[i], some[j]):
            assert (i, j) in found


def test_close_pairs_of_a_long_row_are_few() -> None:
    row = straight(CLASSIC, [1] * 500, 0.02).standing()
    assert len(list(close_pairs(row, CLEARANCE))) <= 2 * 500


# Chains


@settings(deadline=None)
@given(st.lists(st.integers(1, 11), min_size=2, max_size=6), st.floats(0, 0.1), st.lists(st.booleans(), min_size=6))
def test_straight_gap_is_free_air(values: list[int], gap: float, on_side: list[bool]) -> None:
    joints = [(value, gap, 0.0, SIDE if side else UP) for value, side in zip(values, on_side, strict=False)]
    line = chain(EVALUATION, joints, Placement(1, 0.1, 0.2, 0.7))
    assert line.gaps() == pytest.approx([gap] * (len(values) - 1), abs=1e-12)
    assert line.turns() == pytest.approx([0] * (len(values) - 1), abs=1e-12)
    assert line.values == tuple(values)


def test_straight_row_by_hand() -> None:
    line = straight(EVALUATION, [6, 8, 1], 0.010)
    assert mm([place.x for place in line.placements]) == pytest.approx([0, 16.75, 32.25])
    assert [place.y for place in line.placements] == [0, 0, 0]
    assert line.tile(1) == EVALUATION[8]
    assert len(line) == 3


def test_insertion_leaves_the_rest_of_the_gap() -> None:
    """6 and 8 stand 15 mm apart; a 5 put in at 4 mm from the 6 leaves 5.5 mm to the 8."""
    six, eight = straight(EVALUATION, [6, 8], 0.015).placements
    five = next_placement(EVALUATION, six, 5, 0.004, 0.0, UP)
    assert mm(Line(EVALUATION, (six, five, eight)).gaps()) == pytest.approx([4, 5.5])


def test_quarter_turn_by_hand() -> None:
    """Half the gap along the old heading, half along the new one."""
    line = chain(EVALUATION, [(4, 0, 0, UP), (6, 0.040, QUARTER, UP), (11, 0.030, -QUARTER, SIDE)])
    second, third = line.placements[1:]
    assert mm([second.x, second.y]) == pytest.approx([2.5 + 20, 20 + 3])
    assert mm([third.x, third.y]) == pytest.approx([22.5 + 15 + 5, 23 + 3 + 15])
    assert [place.yaw for place in line.placements] == pytest.approx([0, QUARTER, 0])
    assert line.turns() == pytest.approx([QUARTER, -QUARTER])
    assert [place.stance for place in line.placements] == [UP, UP, SIDE]
    # 4 covers |x| ≤ 2.5, |y| ≤ 10; 6 covers 10 ≤ x ≤ 35, 20 ≤ y ≤ 26: corner to corner.
    assert mm(line.gaps())[0] == pytest.approx(math.hypot(7.5, 10))


@settings(deadline=None)
@given(st.integers(1, 11), st.integers(1, 11), st.floats(0, 0.1), st.floats(-1.5, 1.5), angles)
def test_turn_formula(first: int, second: int, gap: float, turn: float, yaw: float) -> None:
    a, b = chain(EVALUATION, [(first, 0, 0, UP), (second, gap, turn, UP)], Placement(0, 0.3, -0.4, yaw)).placements
    back = (EVALUATION[first].thickness + gap) / 2
    front = (EVALUATION[second].thickness + gap) / 2
    corner = np.array([a.x + back * math.cos(a.yaw), a.y + back * math.sin(a.yaw)])
    to_b = np.array([b.x, b.y]) - corner
    assert (a.x, a.y, a.yaw) == (0.3, -0.4, yaw)
    assert b.yaw == pytest.approx(yaw + turn)
    assert np.hypot(*to_b) == pytest.approx(front)
    assert to_b == pytest.approx(front * np.array([math.cos(b.yaw), math.sin(b.yaw)]), abs=1e-12)


@settings(deadline=None)
@given(st.lists(angles, min_size=2, max_size=6))
def test_turns_of_tiles_without_a_front(yaws: list[float]) -> None:
    line = Line(CLASSIC, tuple(Placement(1, 0.1 * i, 0, yaw) for i, yaw in enumerate(yaws)))
    for index, turn in enumerate(line.turns()):
        assert abs(turn) <= QUARTER + 1e-12
        assert math.sin(turn - (yaws[index + 1] - yaws[index])) == pytest.approx(0, abs=1e-9)


def test_chain_refuses_unknown_values() -> None:
    for values in ([12], [12, 3], [3, 12]):
        with pytest.raises(SceneError, match=r"^The set evaluation has no tile 12; it has 1–11\.$"):
            straight(EVALUATION, values, 0.02)


def test_empty_line() -> None:
    line = Line(CLASSIC, ())
    assert (len(line), line.values, line.gaps(), line.turns(), line.problems(), line.overlaps()) == (
        *(0, (), (), ()),
        *([], False),
    )


# Problems


def kinds(line: Line, size: tuple[float, float] | None = None) -> list[str]:
    return [problem.kind for problem in line.problems(size)]


def placed(*places: tuple[float, float, float], tile_set: TileSet = CLASSIC, value: int = 1) -> Line:
    """Tiles of one value at x, y in mm and yaw in degrees."""
    return Line(tile_set, tuple(Placement(value, x / 1e3, y / 1e3, math.radians(yaw)) for x, y, yaw in places))


def ring(tiles: int, radius: float) -> Line:
    """Classic tiles evenly round a circle, mm."""
    turns = np.arange(tiles) * 360 / tiles
    return placed(
        *((radius * math.cos(math.radians(t)), radius * math.sin(math.radians(t)), t + 90) for t in turns.tolist())
    )


def hairpin(free: float, gap: float, tiles: int = 6) -> Line:
    """Two parallel legs with that much air between their sides, and one tile across their ends; mm."""
    tile = CLASSIC[1]
    thickness, width = tile.thickness * 1e3, tile.width * 1e3
    out = [(i * (thickness + gap), 0.0, 0.0) for i in range(tiles)]
    across = width + free
    bend = (out[-1][0] + thickness / 2 + gap + width / 2, across / 2, 90.0)
    back = [(x, across, 180.0) for x, _, _ in reversed(out)]
    return placed(*out, bend, *back)


def test_unknown_values() -> None:
    line = Line(EVALUATION, (Placement(6, 0, 0), Placement(12, 0, 0), Placement(0, 0.02, 0)))
    assert kinds(line) == ["unknown value"] * 2
    assert [str(problem) for problem in line.problems()] == [
        "Tile 2 has the value 12; the set evaluation has 1–11.",
        "Tile 3 has the value 0; the set evaluation has 1–11.",
    ]


def test_too_many() -> None:
    line = straight(EVALUATION, [6, 7, 6, 7, 6], 0.02)
    assert [str(problem) for problem in line.problems()] == [
        "The tile 6 is used 3 times; the set evaluation has 1.",
        "The tile 7 is used 2 times; the set evaluation has 1.",
    ]
    assert kinds(straight(CLASSIC, [1] * 300, 0.02)) == []


def test_overlap_problem() -> None:
    (problem,) = straight(EVALUATION, [6, 7], -0.001).problems()
    assert problem.kind == "overlap"
    assert str(problem) == "Tiles 6 and 7 overlap."
    assert str(problem.error()) == str(problem)
    assert straight(EVALUATION, [6, 7], -0.001).overlaps()
    assert not straight(EVALUATION, [6, 7], 0.001).overlaps()


def test_overlap_of_tiles_far_apart_in_the_row() -> None:
    line = placed((0, 0, 0), (30, 0, 0), (60, 0, 0), (90, 0, 0), (30, 10, 0))
    assert [str(problem) for problem in line.problems() if problem.kind == "overlap"] == [
        "Tiles 1 (number 2 in the row) and 1 (number 5 in the row) overlap."
    ]


def test_off_the_table() -> None:
    line = straight(CLASSIC, [1, 1, 1], 0.02)
    assert kinds(line, (0.2, 0.1)) == []
    assert [str(problem) for problem in line.problems((0.1, 0.1))] == [
        "Tile 1 (number 3 in the row) stands over the edge of the table, which is 100 × 100 mm."
    ]
    assert kinds(line, (0.2, 0.02)) == ["off the table"] * 3
    assert kinds(line) == []


@pytest.mark.parametrize("yaw", [0, 180, -180, 540, 3600])
@pytest.mark.parametrize("depth", [3.5, 7, 7.5, 9.1])
def test_flush_with_the_edge_is_on_the_table(yaw: float, depth: float) -> None:
    tiles = TileSet("one", (Tile(1, 0.024, depth / 1e3, 0.048, 0.01),), (None,))
    assert kinds(placed((50 - depth / 2, 38, yaw), tile_set=tiles), (0.1, 0.1)) == []
    assert kinds(placed((50 - depth / 2, 38.001, yaw), tile_set=tiles), (0.1, 0.1)) == ["off the table"]


def test_corner_over_the_edge() -> None:
    assert kinds(placed((0, 0, 45)), (0.0222, 0.0222)) == ["off the table"]
    assert kinds(placed((0, 0, 45)), (0.0224, 0.0224)) == []  # (7.5 + 24) / √2 = 22.27


def test_branch() -> None:
    """A leg that runs with its end into the side of the row."""
    row = [(i * 25.0, 0.0, 0.0) for i in range(6)]
    away = [(150.0, 10.0, 45.0), (160, 35, 90), (150, 60, 135), (125, 70, 180), (100, 60, 225), (83, 36, 270)]
    assert kinds(placed(*row, *away)) == []
    line = placed(*row, *away, (75, 19, 270))
    assert [str(problem) for problem in line.problems()] == [
        "The row branches: tiles 1 (number 4 in the row) and 1 (number 13 in the row) are not neighbours but stand "
        "3.2 mm apart."
    ]


@pytest.mark.parametrize("gap", [1, 3, 10, 20])
def test_legs_too_near_make_a_branch(gap: float) -> None:
    assert "branch" in kinds(hairpin(4.9, gap))


def test_touching_legs_make_a_branch() -> None:
    assert set(kinds(hairpin(0, 10))) == {"branch", "ring"}


@pytest.mark.parametrize(("tiles", "radius"), [(12, 60), (16, 80), (7, 60), (40, 150), (8, 150)])
def test_ring(tiles: int, radius: float) -> None:
    (problem,) = ring(tiles, radius).problems()
    assert problem.kind == "ring"
    assert f"tiles 1 (number 1 in the row) and 1 (number {tiles} in the row), stand " in str(problem)


@settings(deadline=None)
@given(st.integers(7, 30), st.floats(50, 200), st.integers(0, 29), st.booleans(), angles)
def test_ring_wherever_it_starts(tiles: int, radius: float, start: int, back: bool, turn: float) -> None:
    assume(2 * math.pi * (radius - 12) / tiles > 8)
    start %= tiles
    places = ring(tiles, radius).placements
    places = places[start:] + places[:start]
    turned = [replace(p, x=round(p.x, 5), y=round(p.y, 5), yaw=p.yaw + math.pi * (i % 2)) for i, p in enumerate(places)]
    assert kinds(Line(CLASSIC, tuple(reversed(turned) if back else turned))) == ["ring"]


def test_ring_that_lacks_tiles_is_none() -> None:
    places = ring(16, 80).placements
    assert kinds(Line(CLASSIC, places[:15])) == []
    assert kinds(Line(CLASSIC, places[:9])) == []


def test_ring_whose_ends_touch() -> None:
    """Twelve tiles with some air, and the last one right behind the first."""
    places = list(ring(12, 60).placements)
    last = next_placement(CLASSIC, replace(places[0], yaw=places[0].yaw + math.pi), 1, 0.0, 0.0, UP)
    line = Line(CLASSIC, (*places[:11], last))
    assert distance(line.standing()[0], line.standing()[-1]) == pytest.approx(0, abs=1e-12)
    assert kinds(line) == ["ring"]


def test_ring_with_tight_gaps_and_wider_ends() -> None:
    """Ends nearer than the clearance close a ring even where the other gaps are smaller still."""
    arc = np.linspace(0, 2 * math.pi - 12e-3 / 0.08, 55)
    line = placed(*((80 * math.cos(t), 80 * math.sin(t), math.degrees(t) + 90) for t in arc.tolist()))
    assert max(line.gaps()) < distance(line.standing()[0], line.standing()[-1]) < CLEARANCE
    assert kinds(line) == ["ring"]


def test_gravest_first() -> None:
    places = [Placement(6, 0, 0), Placement(7, 0.003, 0), Placement(6, 0.5, 0)]
    assert kinds(Line(EVALUATION, tuple(places)), (0.2, 0.2)) == ["too many", "overlap", "off the table"]


def test_a_heap_is_refused_quickly() -> None:
    """2,000 tiles in one place have two million pairs."""
    started = time.process_time()
    found = Line(CLASSIC, (Placement(1, 0, 0),) * 2000).problems()
    assert time.process_time() - started < 2
    assert len(found) == MAX_PROBLEMS
    assert {problem.kind for problem in found} == {"overlap"}


# Rows that are none of these


@pytest.mark.parametrize("gap", [0, 1e-6, 0.1e-3, 0.5e-3, 1e-3, 3e-3, 0.02, 0.09, 1.0])
@pytest.mark.parametrize("yaw", [0, 0.3, QUARTER, 2, math.pi, 100])
def test_straight_rows_are_good(gap: float, yaw: float) -> None:
    thin = equal_tiles(height=0.01, width=0.005, thickness=0.1e-3)
    for tile_set, values in ((CLASSIC, [1] * 30), (thin, [1] * 30), (EVALUATION, [3, 9, 6, 1, 2, 4, 5, 7, 8, 10, 11])):
        line = chain(tile_set, [(value, gap, 0.0, UP) for value in values], Placement(1, 0.01, -0.02, yaw))
        assert kinds(line) == []
        assert kinds(Line(tile_set, line.placements[:3])) == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 13), st.sampled_from([0.0, 1e-4, 1e-3, 0.05])), min_size=3, max_size=6))
def test_straight_rows_of_unlike_gaps_are_good(joints: list[tuple[int, float]]) -> None:
    tiles = replace(load_set("whitehead"), copies=(None,) * 13)
    assert kinds(chain(tiles, [(value, gap, 0.0, UP) for value, gap in joints])) == []


@pytest.mark.parametrize("gap", [1, 3, 10, 20])
@pytest.mark.parametrize("tiles", [2, 3, 6, 20])
def test_hairpins_are_good(gap: float, tiles: int) -> None:
    line = hairpin(8, gap, tiles)
    assert kinds(line) == []
    assert kinds(Line(CLASSIC, line.placements[1:])) == []
    assert kinds(Line(CLASSIC, line.placements[:-1])) == []


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 6])
def test_quarter_turns_are_good(turns: int) -> None:
    """A row that turns by a right angle at once or in some steps, to either side, and goes on."""
    for side in (1, -1):
        joints = [(1, 0.03, 0.0, UP)] * 3 + [(1, 0.03, side * QUARTER / turns, UP)] * turns + [(1, 0.03, 0.0, UP)] * 3
        assert kinds(chain(CLASSIC, joints)) == []


def test_zigzag_spiral_and_broad_tiles_are_good() -> None:
    zigzag = [(1, 0.03, (-1) ** i * math.radians(60), SIDE if i % 2 else UP) for i in range(20)]
    assert kinds(chain(CLASSIC, zigzag)) == []
    spiral = [(1, 0.015, 0.35 / (1 + 0.09 * i), UP) for i in range(60)]
    assert kinds(chain(CLASSIC, spiral)) == []
    curve = [(1, 0.02, math.radians(15), SIDE) for _ in range(9)]
    assert kinds(chain(CLASSIC, curve)) == []


def test_tight_curve_is_good() -> None:
    """Small gaps on the inner side bring the next but one within the clearance."""
    line = chain(replace(EVALUATION, copies=(None,) * 11), [(1, 0.003, math.radians(20), UP)] * 8)
    inner = distance(line.standing()[0], line.standing()[2])
    assert inner < CLEARANCE
    assert kinds(line) == []


def test_one_and_two_tiles_are_good() -> None:
    assert kinds(placed((0, 0, 0))) == []
    assert kinds(placed((0, 0, 0), (7.5, 0, 0))) == []
    assert kinds(placed((0, 0, 0), (0, 24, 180))) == []


def by_hand(line: Line) -> set[tuple[int, int]]:
    """All pairs that overlap, pair by pair."""
    standing = line.standing()
    return {(i, j) for i, j in combinations(range(len(line)), 2) if overlap(standing[i], standing[j])}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80), st.integers(0, 360)), min_size=2, max_size=8))
def test_all_overlaps_are_named(places: list[tuple[int, int, int]]) -> None:
    line = placed(*places)
    said = [str(problem) for problem in line.problems() if problem.kind == "overlap"]
    named = {tuple(int(place) - 1 for place in re.findall(r"number (\d+)", sentence)) for sentence in said}
    assert named == by_hand(line)
    assert line.overlaps() is bool(named)
