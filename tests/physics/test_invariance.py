"""What must not matter: where the scene lies, how it is turned, its mirror image, the density; and the scale law."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.engine import SINGLE_STEP, Settings, engine
from physics.line import Line, Placement, chain
from physics.predict import Precision, predict
from physics.scene import Finger, Noise, Scene
from physics.tiles import Stance, Tile, TileSet, load_set

EVALUATION = load_set("evaluation")


def bent(values: list[int], gap: float) -> Scene:
    joints = [
        (value, gap, 0.15 * (-1) ** index, Stance.SIDE if index == 3 else Stance.UPRIGHT)
        for index, value in enumerate(values)
    ]
    return Scene(chain(EVALUATION, joints), push=Finger(end="first"))


CLEAR = {
    "falls": bent([5, 6, 7, 4, 6 + 2], 0.018),
    "stands": bent([2, 3, 9, 4, 5], 0.012),
}
DOUBTFUL = Scene(chain(EVALUATION, [(3, 0.0, 0.0, Stance.UPRIGHT), (6, 0.0137, 0.05, Stance.UPRIGHT)]))


def moved(scene: Scene, x: float, y: float, turn: float, mirrored: bool) -> Scene:
    def place(placement: Placement) -> Placement:
        px, py, yaw = placement.x, -placement.y if mirrored else placement.y, placement.yaw
        yaw = -yaw if mirrored else yaw
        cos, sin = math.cos(turn), math.sin(turn)
        return replace(placement, x=x + px * cos - py * sin, y=y + px * sin + py * cos, yaw=yaw + turn)

    return scene.with_placements(tuple(place(placement) for placement in scene.line.placements))


def resized(scene: Scene, scale: float, density: float) -> Scene:
    tiles = tuple(
        Tile(t.value, t.width * scale, t.thickness * scale, t.height * scale, t.mass * density * scale**3)
        for t in EVALUATION.tiles
    )
    placements = tuple(replace(p, x=p.x * scale, y=p.y * scale) for p in scene.line.placements)
    return replace(scene, line=Line(TileSet("resized", tiles, EVALUATION.copies), placements))


def verdict(scene: Scene) -> tuple[bool, ...]:
    return engine("bullet").run([scene], Settings(step=SINGLE_STEP))[0].fallen


@pytest.mark.parametrize("name", CLEAR)
def test_the_clear_scenes_are_clear(name: str) -> None:
    assert predict(CLEAR[name], Noise()).verdict == name


@given(
    name=st.sampled_from(sorted(CLEAR)),
    x=st.floats(-0.5, 0.5),
    y=st.floats(-0.5, 0.5),
    turn=st.floats(-math.pi, math.pi),
    mirrored=st.booleans(),
    density=st.sampled_from([0.3, 1.0, 4.0]),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_place_turn_mirror_and_density_leave_clear_verdicts(
    name: str, x: float, y: float, turn: float, mirrored: bool, density: float
) -> None:
    scene = CLEAR[name]
    assert all(verdict(moved(resized(scene, 1.0, density), x, y, turn, mirrored))) == all(verdict(scene))


@given(name=st.sampled_from(sorted(CLEAR)), scale=st.floats(0.5, 6.0))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_scale_leaves_clear_verdicts(name: str, scale: float) -> None:
    assert all(verdict(resized(CLEAR[name], scale, 1.0))) == all(verdict(CLEAR[name]))


@cache
def doubtful_probability() -> tuple[float, tuple[float, float]]:
    prediction = predict(DOUBTFUL, Noise(), seed=3, precision=Precision(width=0.05))
    return prediction.probability, prediction.sampling


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda scene: moved(scene, 0.3, -0.2, 0.0, False), id="moved"),
        pytest.param(lambda scene: moved(scene, 0.0, 0.0, 2.0, False), id="turned"),
        pytest.param(lambda scene: moved(scene, 0.0, 0.0, 0.0, True), id="mirrored"),
        pytest.param(lambda scene: resized(scene, 1.0, 3.0), id="denser"),
    ],
)
def test_doubtful_probabilities_stay_within_their_interval(change: object) -> None:
    """Two samples of one probability: their intervals, each of 95 %, meet."""
    assert callable(change)
    probability, (low, high) = doubtful_probability()
    assert 0.15 < probability < 0.85
    other = predict(change(DOUBTFUL), Noise(), seed=4, precision=Precision(width=0.05))
    assert other.sampling[0] <= high and other.sampling[1] >= low


@pytest.mark.slow
def test_scale_law_for_doubtful_lines() -> None:
    """Three times the size with three times the position noise is the same question."""
    _, (low, high) = doubtful_probability()
    large = predict(resized(DOUBTFUL, 3.0, 1.0), replace(Noise(), position=2.1e-3), seed=5, precision=Precision(0.05))
    assert large.sampling[0] <= high and large.sampling[1] >= low
