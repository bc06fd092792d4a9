"""Leaning boxes against rotations from SciPy, touching boxes against a linear programme."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear
from scipy.spatial.transform import Rotation

from physics.line import Standing
from physics.pose import Pose, boxes_touch, leaning_pose, standing_pose
from physics.trajectory import Trajectory, leans_of

Array = npt.NDArray[np.float64]

BOX = Standing(0.1, -0.2, 0.4, depth=0.0075, breadth=0.024, height=0.048, mass=0.0085)

angles = st.floats(-10, 10)
lengths = st.floats(2e-3, 0.08)
near = st.floats(-0.06, 0.06)
standing = st.builds(Standing, near, near, angles, lengths, lengths, lengths, st.just(0.01))
quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: float(np.linalg.norm(q)) > 0.1)
poses = st.builds(
    lambda position, q: Pose(position, tuple((np.array(q) / np.linalg.norm(q)).tolist())),
    st.tuples(near, near, near),
    quaternions,
)


def halves(box: Standing) -> Array:
    return np.array([box.depth, box.breadth, box.height]) / 2


def corners(box: Standing, pose: Pose) -> Array:
    """The eight corners in space, turned by SciPy: (2, 2, 2, 3), by depth, breadth and height."""
    own = np.array(list(product((-1, 1), repeat=3))) * halves(box)
    return np.asarray(Rotation.from_quat(pose.quaternion).apply(own) + pose.position).reshape(2, 2, 2, 3)


@settings(deadline=None)
@given(poses)
def test_axes_as_scipy_turns_them(pose: Pose) -> None:
    assert pytest.approx(Rotation.from_quat(pose.quaternion).as_matrix(), abs=1e-12) == np.array(pose.axes()).T


@settings(deadline=None)
@given(standing)
def test_standing_pose(box: Standing) -> None:
    found = corners(box, standing_pose(box))
    assert found[:, :, 0, 2] == pytest.approx(np.zeros((2, 2)), abs=1e-15)
    assert found[:, :, 1, 2] == pytest.approx(np.full((2, 2), box.height))
    foot = [found[0, 0, 0], found[1, 0, 0], found[1, 1, 0], found[0, 1, 0]]
    assert np.array(foot)[:, :2] == pytest.approx(np.array(box.corners), abs=1e-12)


@settings(deadline=None)
@given(standing, st.floats(0, math.pi / 2), st.booleans())
def test_leaning_turns_about_the_edge_ahead(box: Standing, lean: float, backwards: bool) -> None:
    towards = box.yaw + math.pi * backwards
    found = corners(box, leaning_pose(box, towards, lean))
    ahead = 0 if backwards else 1
    foot = np.array(box.corners)
    edge = foot[[0, 3]] if backwards else foot[[1, 2]]
    # The edge stays where it was, on the table, and nothing sinks into the table.
    assert found[ahead, :, 0, :2] == pytest.approx(edge, abs=1e-12)
    assert found[ahead, :, 0, 2] == pytest.approx([0, 0], abs=1e-12)
    assert found[..., 2].min() > -1e-12
    # The other lower edge has risen by depth · sin(lean), the upper one ahead stands height · cos(lean) high.
    assert found[1 - ahead, :, 0, 2] == pytest.approx([box.depth * math.sin(lean)] * 2, abs=1e-12)
    assert found[ahead, :, 1, 2] == pytest.approx([box.height * math.cos(lean)] * 2, abs=1e-12)
    # And it has gone forward, not back.
    way = (found[ahead, :, 1, :2] - edge) @ [math.cos(towards), math.sin(towards)]
    assert way == pytest.approx([box.height * math.sin(lean)] * 2, abs=1e-12)


@settings(deadline=None)
@given(standing, st.floats(0, math.pi / 2), st.booleans())
def test_leaning_centre(box: Standing, lean: float, backwards: bool) -> None:
    """The centre goes round the edge at half the diagonal, highest at the tipping angle."""
    towards = box.yaw + math.pi * backwards
    x, y, z = leaning_pose(box, towards, lean).position
    radius = math.hypot(box.depth, box.height) / 2
    assert z == pytest.approx(radius * math.cos(lean - box.tipping_angle))
    forward = (x - box.x) * math.cos(towards) + (y - box.y) * math.sin(towards)
    assert forward == pytest.approx(box.depth / 2 + radius * math.sin(lean - box.tipping_angle), abs=1e-12)
    sideways = -(x - box.x) * math.sin(towards) + (y - box.y) * math.cos(towards)
    assert sideways == pytest.approx(0, abs=1e-12)
    assert z <= leaning_pose(box, towards, box.tipping_angle).position[2] + 1e-15


@settings(deadline=None)
@given(standing, st.floats(0, math.pi / 2), st.booleans())
def test_lean_is_read_back(box: Standing, lean: float, backwards: bool) -> None:
    pose = leaning_pose(box, box.yaw + math.pi * backwards, lean)
    assert np.linalg.norm(pose.quaternion) == pytest.approx(1)
    assert leans_of(np.array(pose.quaternion)) == pytest.approx(lean, abs=1e-12)


def test_no_lean_is_standing() -> None:
    pose, upright = leaning_pose(BOX, BOX.yaw + math.pi, 0.0), standing_pose(BOX)
    assert pose.position == pytest.approx(upright.position)
    assert pose.quaternion == pytest.approx(upright.quaternion)


# Leans


@settings(deadline=None)
@given(st.lists(quaternions, min_size=1, max_size=5))
def test_leans_of_any_turn(some: list[tuple[float, float, float, float]]) -> None:
    turned = np.array(some) / np.linalg.norm(some, axis=1, keepdims=True)
    up = Rotation.from_quat(turned).apply([0, 0, 1])
    expected = np.arctan2(np.hypot(up[:, 0], up[:, 1]), up[:, 2])
    assert leans_of(turned) == pytest.approx(expected, abs=1e-6)
    assert leans_of(-turned) == pytest.approx(leans_of(turned))


def test_leans_by_hand() -> None:
    half = math.sqrt(0.5)
    upright, on_its_face, upside_down = (
        [(0, 0, 0, 1), (0, 0, 1, 0)],
        [(half, 0, 0, half), (0, -half, 0, half)],
        (1, 0, 0, 0),
    )
    found = leans_of(np.array([upright, on_its_face, [upside_down] * 2]))
    assert np.degrees(found) == pytest.approx(np.array([[0, 0], [90, 90], [180, 180]]))
    # Rounding past a unit must not give nan; small leans keep their digits.
    assert leans_of(np.array([1.0 + 1e-12, 0, 0, 0])) == pytest.approx(math.pi)
    assert leans_of(np.array([0.5e-9, 0, 0, 1])) == pytest.approx(1e-9)


def test_leans_of_a_trajectory() -> None:
    turns = np.zeros((4, 3, 4))
    turns[..., 3] = 1
    motion = Trajectory.whole(np.arange(4.0), np.zeros((4, 3, 3)), turns, np.zeros((4, 3, 3)))
    assert motion.leans().shape == (4, 3)


# Touching


def farthest_touch(a: Standing, a_pose: Pose, b: Standing, b_pose: Pose, way: Array) -> float:
    """How far b, from a's centre on, can be moved that way before the two come apart, m: a linear programme."""
    rows, limits = [], []
    for box, pose, follows in ((a, a_pose, 0.0), (b, b_pose, 1.0)):
        sides = Rotation.from_quat(pose.quaternion).as_matrix().T
        for side, half in zip(sides, halves(box), strict=True):
            for sign in (1, -1):
                rows.append([*(sign * side), -sign * follows * float(side @ way)])
                limits.append(half)
    found = linprog([0, 0, 0, -1], np.array(rows) * 1e3, np.array(limits) * 1e3, bounds=(None, None))
    assert found.success
    return float(found.x[3])


def test_touching_as_a_linear_programme_sees_it() -> None:
    """A hair nearer than the farthest touch they touch, a hair farther they do not."""
    generator = np.random.default_rng(4)
    for _ in range(200):
        sizes = generator.uniform(2e-3, 0.08, (2, 3)).tolist()
        a, b = (replace(BOX, depth=depth, breadth=breadth, height=height) for depth, breadth, height in sizes)
        way = generator.standard_normal(3)
        way /= np.linalg.norm(way)
        turns = [tuple(Rotation.random(rng=generator).as_quat().tolist()) for _ in range(2)]
        a_pose = Pose((0.3, -0.2, 0.1), turns[0])
        farthest = farthest_touch(a, a_pose, b, Pose((0, 0, 0), turns[1]), way)
        for apart, touches in ((0.0, True), (farthest - 1e-6, True), (farthest + 1e-6, False), (2 * farthest, False)):
            b_pose = Pose(tuple((a_pose.position + apart * way).tolist()), turns[1])
            assert boxes_touch(a, a_pose, b, b_pose, 0.0) is touches
            assert boxes_touch(b, b_pose, a, a_pose, 0.0) is touches


def gap_between(a: Standing, a_pose: Pose, b: Standing, b_pose: Pose) -> float:
    """Shortest distance between two boxes, m, as bounded least squares."""
    sides = [
        Rotation.from_quat(pose.quaternion).as_matrix() * 2 * halves(box) for box, pose in ((a, a_pose), (b, b_pose))
    ]
    between = np.subtract(b_pose.position, a_pose.position)
    return math.sqrt(2 * lsq_linear(np.hstack([sides[0], -sides[1]]), between, (-0.5, 0.5), method="bvls").cost)


@settings(max_examples=100, deadline=None)
@given(standing, poses, standing, poses, st.floats(0, 0.02))
def test_nearer_than_the_margin_is_never_missed(a: Standing, p: Pose, b: Standing, q: Pose, margin: float) -> None:
    if gap_between(a, p, b, q) < margin - 1e-6:
        assert boxes_touch(a, p, b, q, margin)
    if boxes_touch(a, p, b, q, margin):
        assert boxes_touch(a, p, b, q, margin + 1e-3)


def test_tile_leaning_onto_the_next() -> None:
    """Two classic tiles 20 mm apart: the first touches the second's face when sin(lean) = 20/48."""
    first = Standing(0, 0, 0, 0.0075, 0.024, 0.048, 0.0085)
    second = Standing(0.0275, 0, math.pi, 0.0075, 0.024, 0.048, 0.0085)
    contact = math.asin(20 / 48)
    for lean, touches in ((0.0, False), (contact - 1e-4, False), (contact + 1e-4, True)):
        pose = leaning_pose(first, 0.0, lean)
        assert boxes_touch(first, pose, second, standing_pose(second), 0.0) is touches
    just_before = leaning_pose(first, 0.0, contact - 0.01)
    assert boxes_touch(first, just_before, second, standing_pose(second), 0.5e-3)
    assert not boxes_touch(first, just_before, second, standing_pose(second), 0.4e-3)


def test_crossed_edges() -> None:
    """Two long bars that cross corner over corner: only an axis across both edges tells them apart."""
    bar = Standing(0, 0, 0, 0.2, 0.02, 0.02, 0.01)
    lower = Pose((0, 0, 0), tuple(Rotation.from_euler("x", 45, degrees=True).as_quat().tolist()))
    turn = Rotation.from_euler("z", 90, degrees=True) * Rotation.from_euler("x", 45, degrees=True)
    for height, touches in ((0.0284, False), (0.0282, True)):  # two half diagonals are 28.28 mm
        upper = Pose((0, 0, height), tuple(turn.as_quat().tolist()))
        assert boxes_touch(bar, lower, bar, upper, 0.0) is touches
