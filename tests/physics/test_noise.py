"""Draws of a scene: repeatable, free of overlap, and spread as the noise says."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, norm, truncnorm

import physics.noise
from physics.errors import SceneError
from physics.line import Line, Placement, chain, straight
from physics.noise import MATERIAL_DRAWS, draw, perturbed
from physics.scene import Finger, Noise, Press, Push, Scene, Spin, Table, Tap, Tilt
from physics.tiles import Stance, load_set

EVALUATION = load_set("evaluation")
CLASSIC = load_set("classic")
STILL = Noise(0, 0, 0, 0, 0)
PUSHES: tuple[Push, ...] = (Finger(0.02), Tap(1e-3, 0.02), Tilt(), Spin(2.0), Press(0.3, 0.02))
CURVE = Scene(chain(EVALUATION, [(value, 0.06, 0.3, Stance.UPRIGHT) for value in (9, 6, 4, 11, 7)]))


def strength(push: Push) -> float:
    return float(astuple(push)[0])


def test_same_seed_and_index_same_draw() -> None:
    alone = draw(CURVE, Noise(), 7, 3)
    for index in (0, 5, 4, 3, 2):
        after_others = draw(CURVE, Noise(), 7, index)
        assert (after_others == alone) is (index == 3)
    assert draw(CURVE, Noise(), 8, 3) != alone
    assert draw(CURVE, Noise(), 3, 7) != alone


def test_no_draw_comes_twice() -> None:
    places = {draw(CURVE, Noise(), seed, index).line.placements[0].x for seed in range(20) for index in range(20)}
    assert len(places) == 400


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**63), st.integers(0, 10**9), st.floats(0, 1.5e-3), st.floats(-0.1, 0.1))
def test_draws_never_overlap(seed: int, index: int, gap: float, turn: float) -> None:
    line = chain(EVALUATION, [(value, gap + 0.002, turn, Stance.UPRIGHT) for value in (3, 1, 4, 2)])
    assert not draw(Scene(line), Noise(), seed, index).line.overlaps()


# Spread


RUNS = 600
SPREAD = Noise(position=0.5e-3, yaw=math.radians(2), friction=0.1, restitution=0.2, push=0.3)


@pytest.fixture(scope="module")
def moves() -> npt.NDArray[np.float64]:
    """x, y and yaw of each tile, then the materials and the push, in units of their noise: (runs, 5 · 3 + 4)."""
    found = []
    for index in range(RUNS):
        drawn = draw(CURVE, SPREAD, 11, index)
        row = [
            (getattr(after, name) - getattr(before, name)) / sigma
            for before, after in zip(CURVE.line.placements, drawn.line.placements, strict=True)
            for name, sigma in (("x", SPREAD.position), ("y", SPREAD.position), ("yaw", SPREAD.yaw))
        ]
        for name, sigma in (("friction", 0.1), ("tile_friction", 0.1), ("restitution", 0.2)):
            row.append(math.log(getattr(drawn.table, name) / getattr(CURVE.table, name)) / sigma)
        row.append(math.log(strength(drawn.push) / strength(CURVE.push)) / SPREAD.push)
        found.append(row)
    return np.array(found)


def test_spread_is_normal(moves: npt.NDArray[np.float64]) -> None:
    assert moves.shape == (RUNS, 5 * 3 + MATERIAL_DRAWS)
    for column in moves.T:
        assert abs(column.mean()) < 4.5 / math.sqrt(RUNS)
        assert abs(column.std() - 1) < 4.5 / math.sqrt(2 * RUNS)
        assert kstest(column, norm.cdf).pvalue > 1e-4
    assert kstest(moves[:, :15].ravel(), norm.cdf).pvalue > 1e-3


def test_all_moves_are_independent(moves: npt.NDArray[np.float64]) -> None:
    mixed = np.corrcoef(moves.T) - np.eye(moves.shape[1])
    assert np.abs(mixed).max() < 5 / math.sqrt(RUNS)
    following = [np.corrcoef(column[:-1], column[1:])[0, 1] for column in moves.T]
    assert np.abs(following).max() < 5 / math.sqrt(RUNS)


def test_near_tiles_follow_the_normal_that_is_left() -> None:
    """Two tiles 0.5 mm apart: their gap is the normal distribution cut off at zero."""
    scene = Scene(straight(CLASSIC, [1, 1], 0.5e-3))
    sigma = 0.7e-3 * math.sqrt(2)
    gaps = [draw(scene, replace(STILL, position=0.7e-3), 5, index).line.gaps()[0] for index in range(RUNS)]
    expected = truncnorm(-0.5e-3 / sigma, np.inf, 0.5e-3, sigma)
    assert min(gaps) >= 0
    assert kstest(gaps, expected.cdf).pvalue > 1e-3


# One draw by hand


def test_moves_by_hand() -> None:
    scene = Scene(straight(EVALUATION, [5, 4], 0.03), Table(0.5, 0.25, 0.2, size=(1, 1)), Tap(2e-3, 0.02))
    normals = np.array([1.0, -2.0, 3.0, 0.0, 1.0, 0.0, 1.0, -1.0, 2.0, -1.0])
    drawn = perturbed(scene, Noise(1e-3, 0.01, 0.1, 0.2, 0.3), normals)
    first, second = drawn.line.placements
    assert (first.value, second.value) == (5, 4)
    assert (first.x, first.y, first.yaw) == pytest.approx((1e-3, -2e-3, 0.03))
    assert (second.x, second.y, second.yaw) == pytest.approx((scene.line.placements[1].x, 1e-3, 0))
    assert drawn.table.friction == pytest.approx(0.5 * math.exp(0.1))
    assert drawn.table.tile_friction == pytest.approx(0.25 * math.exp(-0.1))
    assert drawn.table.restitution == pytest.approx(0.2 * math.exp(0.4))
    assert (drawn.table.tilt, drawn.table.size) == ((0.0, 0.0), (1, 1))
    assert isinstance(drawn.push, Tap)
    assert drawn.push.impulse == pytest.approx(2e-3 * math.exp(-0.3))
    assert (drawn.push.height, drawn.push.end) == (0.02, "last")


@pytest.mark.parametrize("push", PUSHES)
def test_no_noise_gives_the_scene_itself(push: Push) -> None:
    scene = replace(CURVE, push=push)
    assert draw(scene, STILL, 5, 5) == replace(scene, push=replace(push, end="last"))


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("end", ["auto", "first", "last"])
def test_push_stays_at_its_end(push: Push, end: str) -> None:
    scene = replace(CURVE, push=replace(push, end=end))
    strengths = set()
    for index in range(30):
        drawn = draw(scene, Noise(push=0.2), 2, index)
        assert drawn.pushed == scene.pushed
        assert drawn.push_order == scene.push_order
        assert abs(math.remainder(drawn.push_yaw - scene.push_yaw, math.tau)) < 0.2
        assert type(drawn.push) is type(push)
        assert astuple(drawn.push)[1:-1] == astuple(push)[1:-1]
        strengths.add(strength(drawn.push))
    assert len(strengths) == 30
    assert all(strength(push) / 3 < found < strength(push) * 3 for found in strengths)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 10), st.floats(0, 10), st.floats(0, 1))
def test_materials_stay_possible(seed: int, friction: float, tile_friction: float, restitution: float) -> None:
    scene = replace(CURVE, table=Table(friction, tile_friction, restitution))
    table = draw(scene, Noise(friction=1, restitution=1, push=1), seed, 0).table
    assert 0 <= table.restitution <= 1
    for before, after in ((friction, table.friction), (tile_friction, table.tile_friction)):
        assert math.isfinite(after)
        assert (after > 0) if before > 1e-300 else after >= 0


def test_a_frictionless_table_stays_one() -> None:
    table = draw(replace(CURVE, table=Table(0, 0, 0)), Noise(friction=1, restitution=1), 1, 1).table
    assert (table.friction, table.tile_friction, table.restitution) == (0, 0, 0)


# Tiles too close


def test_tiles_too_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(physics.noise, "REDRAWS", 300)
    with pytest.raises(SceneError) as refused:
        draw(Scene(straight(CLASSIC, [1] * 12, 0.0)), Noise(), 1, 1)
    assert str(refused.value) == (
        "The tiles stand too close for a position noise of 0.7 mm: of 300 draws none was free of overlap."
    )


def test_touching_tiles_without_noise_are_drawn() -> None:
    scene = Scene(straight(CLASSIC, [1] * 12, 0.0), push=Finger(end="first"))
    assert draw(scene, STILL, 1, 1) == scene


def test_one_tile() -> None:
    scene = Scene(Line(CLASSIC, (Placement(1, 0, 0),)))
    assert draw(scene, Noise(), 1, 1).line.placements[0].x != 0


# Each tile known as well as it was read


def test_places_known_alike_change_no_number() -> None:
    noise = Noise()
    same = replace(noise, places=((noise.position, noise.position, noise.yaw),) * len(CURVE.line))
    for index in range(5):
        assert draw(CURVE, noise, 7, index) == draw(CURVE, same, 7, index)


def test_each_tile_is_spread_as_it_is_known() -> None:
    places = ((1e-3, 0.2e-3, 0.01), (0.0, 0.0, 0.0), *((0.1e-3, 0.1e-3, 0.02),) * 3)
    noise = Noise(places=places)
    drawn = [draw(CURVE, noise, 3, index).line.placements for index in range(RUNS)]
    for tile, (x, y, yaw) in enumerate(places):
        middle = CURVE.line.placements[tile]
        offs = [(one[tile].x - middle.x, one[tile].y - middle.y, one[tile].yaw - middle.yaw) for one in drawn]
        assert np.std(offs, axis=0) == pytest.approx((x, y, yaw), rel=0.12)


def test_overlaps_are_found_for_tiles_known_differently() -> None:
    line = straight(EVALUATION, (3, 4, 5, 6), 0.001)
    noise = Noise(places=((0.0, 0.0, 0.0), (1e-3, 1e-3, 0.05), (0.0, 0.0, 0.0), (0.1e-3, 0.1e-3, 0.0)))
    found = physics.noise.overlaps_of(Scene(line), noise)
    drawn = np.random.default_rng(0).standard_normal((physics.noise.PROPOSALS, 3 * 4 + MATERIAL_DRAWS))
    every = [row for row in drawn if perturbed(Scene(line), noise, row).line.overlaps()]
    assert len(found.normals) == len(every) > 0
