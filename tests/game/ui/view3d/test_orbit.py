import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from game.film.boxes import Ray, TileBox, box_of, hit, meets
from game.ui.view3d.orbit import HIGHEST, LARGEST, LOWEST, SMALLEST, Glide, Orbit, eased
from physics.line import Standing
from physics.pose import leaning_pose

SIZE = (1280.0, 800.0)

orbits = st.builds(
    Orbit,
    st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.just(0.0)),
    st.floats(0.3, 3.0),
    st.floats(-math.pi, math.pi),
    st.floats(LOWEST, HIGHEST),
)
places = st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.0, 0.1))


@given(orbits, st.floats(0, SIZE[0]), st.floats(0, SIZE[1]))
def test_what_lies_under_the_pointer_is_seen_there(orbit: Orbit, x: float, y: float) -> None:
    point = orbit.table_point(x, y, SIZE)
    if point is None or math.dist(point, orbit.target[:2]) > 20:
        return
    seen = orbit.project((*point, 0.0), SIZE)
    assert seen == pytest.approx((x, y), abs=1e-3)


@given(orbits, places)
def test_a_ray_goes_through_what_is_seen(orbit: Orbit, place: tuple[float, float, float]) -> None:
    seen = orbit.project(place, SIZE)
    if seen is None:
        return
    ray = orbit.ray(*seen, SIZE)
    away = [a - b for a, b in zip(place, ray.start, strict=True)]
    along = sum(a * w for a, w in zip(away, ray.way, strict=True))
    aside = math.dist(away, [along * w for w in ray.way])
    assert along > 0
    assert aside < 1e-6 * max(1.0, along)


@given(orbits, places)
def test_matrices_agree_with_project(orbit: Orbit, place: tuple[float, float, float]) -> None:
    seen = orbit.project(place, SIZE)
    if seen is None:
        return
    x, y, _z, w = orbit.projection(SIZE[0] / SIZE[1]) @ orbit.view() @ [*place, 1.0]
    assert w > 0
    assert ((x / w + 1) / 2 * SIZE[0], (y / w + 1) / 2 * SIZE[1]) == pytest.approx(seen, abs=1e-3)


@given(orbits, st.lists(places, min_size=1, max_size=8))
def test_many_points_are_seen_where_each_of_them_is(orbit: Orbit, points: list[tuple[float, float, float]]) -> None:
    for point, seen in zip(points, orbit.project_all(np.array(points), SIZE).tolist(), strict=True):
        alone = orbit.project(point, SIZE)
        if alone is None:
            assert all(map(math.isnan, seen))
        else:
            assert seen == pytest.approx(alone, rel=1e-6, abs=1e-3)


@given(orbits, st.lists(places, min_size=1, max_size=30), st.floats(0.5, 3.0))
@example(Orbit((0.0, 0.0, 0.0), 1.0, 1.0, 0.1875), [(0.0, 0.25, 0.0), (-0.25, -0.25, 0.0)], 1.0)
def test_fitted_points_are_all_in_view(orbit: Orbit, points: list[tuple[float, float, float]], aspect: float) -> None:
    fitted = orbit.fit(points, aspect)
    assert (fitted.azimuth, fitted.elevation) == (orbit.azimuth, orbit.elevation)
    for point in points:
        seen = fitted.project(point, (aspect, 1.0))
        assert seen is not None
        assert -1e-6 <= seen[0] <= aspect + 1e-6
        assert -1e-6 <= seen[1] <= 1 + 1e-6


def test_a_row_of_any_length_fills_the_view() -> None:
    for length in (0.3, 1.0, 4.0):
        fitted = Orbit().plan().fit([(-length / 2, 0, 0), (length / 2, 0, 0)], 1.6, room=0.9)
        ends = [fitted.project((x, 0, 0), SIZE) for x in (-length / 2, length / 2)]
        assert [end[0] for end in ends if end] == pytest.approx([64, 1216])


def test_without_points_nothing_is_fitted() -> None:
    assert Orbit().fit([], 1.6) == Orbit()


def test_the_plan_has_x_to_the_right_and_y_up() -> None:
    plan = Orbit(azimuth=1.0).plan()
    assert plan.is_plan
    middle, right, up = (plan.project(place, SIZE) for place in ((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)))
    assert middle and right and up
    assert right[0] > middle[0] and right[1] == pytest.approx(middle[1])
    assert up[1] > middle[1] and up[0] == pytest.approx(middle[0])
    assert plan.span == pytest.approx(Orbit(azimuth=1.0).span)


def test_drags_and_wheel_stay_within_limits() -> None:
    orbit = Orbit()
    assert orbit.dragged(0, 1e4).elevation == LOWEST
    assert orbit.dragged(0, -1e4).is_plan
    assert orbit.zoomed(200).span == pytest.approx(SMALLEST)
    assert orbit.zoomed(-200).span == pytest.approx(LARGEST)
    assert orbit.zoomed(1).distance < orbit.distance


def test_a_pan_in_the_plan_takes_the_table_along() -> None:
    plan = Orbit().plan()
    under = plan.table_point(300, 200, SIZE)
    assert plan.panned(40, -25, SIZE).table_point(340, 175, SIZE) == pytest.approx(under)


@given(orbits, orbits, st.floats(0, 1, exclude_max=True))
def test_the_way_between_orbits(a: Orbit, b: Orbit, share: float) -> None:
    assert eased(a, b, 0) == a
    assert eased(a, b, 1) == b
    between = eased(a, b, share)
    low, high = sorted((a.elevation, b.elevation))
    assert low - 1e-9 <= between.elevation <= high + 1e-9
    assert abs(between.azimuth - a.azimuth) <= math.pi + 1e-9


def test_a_glide_arrives() -> None:
    glide = Glide(Orbit(), Orbit().plan(), begun=10.0, seconds=0.5)
    assert glide.at(9.0) == glide.start
    assert glide.start.elevation < glide.at(10.2).elevation < HIGHEST
    assert glide.at(11.0) == glide.end
    assert glide.is_over(10.6) and not glide.is_over(10.4)


def row() -> list[TileBox]:
    return [box_of(Standing(0.05 * k, 0.0, 0.4, 0.007, 0.03, 0.06, 0.01), k) for k in range(5)]


@given(orbits, st.integers(0, 4))
def test_the_tile_under_the_pointer_is_hit(orbit: Orbit, index: int) -> None:
    boxes = row()
    alone = boxes[index]
    seen = orbit.project(alone.position, SIZE)
    if seen is None:
        return
    ray = orbit.ray(*seen, SIZE)
    assert hit([alone], ray) == 0
    found = hit(boxes, ray)
    assert found is not None
    own, first = meets(alone, ray), meets(boxes[found], ray)
    assert own is not None and first is not None
    assert first <= own


def test_rays_pass_by() -> None:
    assert hit(row(), Ray((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))) is None
    assert hit(row(), Ray((1.0, 0.0, 0.03), (1.0, 0.0, 0.0))) is None
    assert hit([], Ray((0.0, 0.0, 1.0), (0.0, 0.0, -1.0))) is None


def test_a_leaning_tile_is_hit_where_it_leans_to() -> None:
    standing = Standing(0.0, 0.0, 0.0, 0.01, 0.04, 0.08, 0.01)
    leaning = box_of(standing, 1, pose=leaning_pose(standing, 0.0, math.radians(80)))
    down = Ray((0.06, 0.0, 1.0), (0.0, 0.0, -1.0))
    assert hit([box_of(standing, 1)], down) is None
    assert hit([leaning], down) == 0
    assert len(leaning.corners()) == 8
    assert min(corner[2] for corner in leaning.corners()) == pytest.approx(0.0, abs=1e-9)
    assert replace(leaning, value=2).value == 2
