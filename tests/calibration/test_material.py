"""Materials: simulated tilt tests and falls give their own frictions back, within the spread that is stated."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration import material as module
from calibration.material import (
    FRICTION,
    PLACES,
    RESTITUTION,
    TILE_FRICTION,
    Estimate,
    Fall,
    Material,
    Model,
    Trial,
    friction_of,
    material_of,
    model_of,
    read_fall,
    timed_fall,
)
from physics.engine import Settings, engine
from physics.errors import InputError, SceneError
from physics.line import straight
from physics.noise import draw
from physics.record import write_run
from physics.scene import Finger, Scene, Table, Tilt
from physics.tiles import equal_tiles, load_set

BULLET = engine("bullet")
LYING = equal_tiles(height=0.0055, width=0.022, thickness=0.045)  # a tile on its broad face: it slides and never tips
ROW = Scene(
    straight(equal_tiles(height=0.048, width=0.024, thickness=0.0075), [1] * 9, 0.018), push=Finger(end="first")
)
RUNS = 72


def slides_at(friction: float, scene: Scene) -> float:
    """The slope at which a simulated tile begins to slide as the table tilts, rad."""
    start, push = math.atan(0.8 * friction), Tilt(rate=math.radians(8), limit=math.radians(20))
    tilting = replace(scene, table=Table(friction=friction, tilt=(0.0, start)), push=push)
    outcome = BULLET.run([tilting], Settings(record=4e-3, time_limit=1.5))[0]
    assert outcome.trajectory is not None
    way = outcome.trajectory.positions[:, 0, 0] - outcome.trajectory.positions[0, 0, 0]
    # On a steadily steeper slope the way grows with the third power of the time: two marks tell when it began.
    first, second = (float(np.interp(mark, way, outcome.trajectory.times)) for mark in (2e-4, 16e-4))
    return start + push.rate * (2 * first - second)


def test_simulated_tilt_tests_give_their_friction_back() -> None:
    """Three trials each, with a telephone that is off by half a degree and a friction that scatters by 6 %."""
    rng = np.random.default_rng(6)
    scene = Scene(straight(LYING, [1], 0.02))
    hits = 0
    for friction in rng.uniform(0.2, 0.6, 10):
        off = rng.normal(0, math.radians(0.5))
        trials = [
            Trial(slides_at(friction * math.exp(rng.normal(0, 0.06)), scene) + off, slid=True) for _trial in range(3)
        ]
        found = friction_of(trials)
        assert found.high - found.low < 0.35 * found.value
        hits += found.low <= friction <= found.high
    assert hits >= 9


def test_a_tile_that_tips_gives_a_lower_bound_alone() -> None:
    found = friction_of([Trial(math.radians(angle), slid=False) for angle in (7.0, 7.3)], math.radians(0.5))
    assert found.low == pytest.approx(math.tan(math.radians(7.3 - 0.98)), rel=1e-3)
    assert math.isinf(found.high)


def test_a_single_trial_is_trusted_less_than_many() -> None:
    one = friction_of([Trial(0.4, True)])
    many = friction_of([Trial(0.4 + offset, True) for offset in (-0.01, 0.0, 0.01, 0.005, -0.005)])
    assert one.value == pytest.approx(math.tan(0.4))
    assert one.high - one.low > 1.5 * (many.high - many.low)


def test_trials_that_contradict_one_another_are_refused() -> None:
    with pytest.raises(InputError, match="contradict"):
        friction_of([Trial(0.15, True), Trial(0.16, True), Trial(0.5, False)])
    with pytest.raises(InputError, match="at least one"):
        friction_of([])


def recorded(scene: Scene, materials: tuple[float, float, float], seed: int, rate: float) -> Fall:
    """A simulated fall as a camera of that many pictures per second gives it: places and times are not exact."""
    tile_friction, friction, restitution = materials
    table = replace(scene.table, tile_friction=tile_friction, friction=friction, restitution=restitution)
    outcome = BULLET.run([draw(replace(scene, table=table), PLACES, seed, 0)], Settings(step=1e-3, record=4e-3))[0]
    phase = np.random.default_rng(seed).random()
    times = [None if time is None else (math.floor(time * rate + phase) + 0.5) / rate for time in outcome.fell_at]
    return timed_fall(scene, times, 1 / rate / math.sqrt(12))


@pytest.fixture(scope="module")
def model() -> Model:
    """One model serves all falls of the row: it depends on where the tiles stand alone."""
    return model_of(recorded(ROW, (0.25, 0.5, 0.2), 1, 120.0), BULLET, RUNS)


@pytest.fixture
def shared(model: Model, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Material]:
    monkeypatch.setattr(module, "model_of", lambda *_given: model)
    return material_of


def test_filmed_falls_give_their_friction_back(shared: Callable[..., Material]) -> None:
    rng = np.random.default_rng(8)
    inside = np.zeros(3)
    widths = []
    for seed in range(10):
        truth = (rng.uniform(0.12, 0.5), rng.uniform(0.25, 0.8), rng.uniform(0.0, 0.5))
        found = shared([recorded(ROW, truth, 100 + seed, 120.0)], BULLET)
        estimates = (found.tile_friction, found.friction, found.restitution)
        for k, (estimate, true) in enumerate(zip(estimates, truth, strict=True)):
            assert estimate is not None
            inside[k] += estimate.low <= true <= estimate.high
        assert found.tile_friction is not None and found.tile_friction.is_informative
        widths.append(found.tile_friction.high - found.tile_friction.low)
    assert (inside >= 9).all()
    assert np.median(widths) < 0.25 * (TILE_FRICTION[1] - TILE_FRICTION[0])


def test_a_fall_does_not_pretend_to_tell_restitution_or_the_tables_friction(shared: Callable[..., Material]) -> None:
    found = shared([recorded(ROW, (0.25, 0.5, 0.2), 5, 120.0)], BULLET)
    assert found.restitution is not None and not found.restitution.is_informative
    assert found.restitution.high - found.restitution.low > 0.6 * (RESTITUTION[1] - RESTITUTION[0])
    assert found.friction is not None and not found.friction.is_informative
    assert found.friction.high - found.friction.low > 0.5 * (FRICTION[1] - FRICTION[0])


def test_several_falls_tell_more_than_one_and_a_tilt_test_is_kept(shared: Callable[..., Material]) -> None:
    falls = [recorded(ROW, (0.25, 0.5, 0.2), seed, 60.0) for seed in range(40, 44)]
    one, four = shared(falls[:1], BULLET), shared(falls, BULLET)
    assert one.tile_friction is not None and four.tile_friction is not None
    width = one.tile_friction.high - one.tile_friction.low
    assert four.tile_friction.high - four.tile_friction.low < 0.8 * width
    known = Material(friction=Estimate(0.5, 0.45, 0.55))
    tilted = shared(falls, BULLET, known=known).friction
    assert tilted is not None and 0.42 < tilted.low < tilted.value < tilted.high < 0.58


def test_a_recorded_run_is_read_back(tmp_path: Path) -> None:
    scene = Scene(straight(load_set("evaluation"), [5, 6, 7, 8, 9, 10], 0.02))
    outcome = BULLET.run([scene], Settings(step=1e-3, record=0.01))[0]
    write_run(tmp_path / "fall.topple", scene, outcome)
    fall = read_fall(tmp_path / "fall.topple", 0.005)
    assert fall.scene.line.values == scene.line.values and fall.scene.pushed == scene.pushed
    assert fall.fell_at == pytest.approx(outcome.fell_at, abs=1e-5)


def test_what_is_no_fall_is_refused(tmp_path: Path) -> None:
    match = tmp_path / "match.topple"
    match.write_text(json.dumps({"format": "topple", "version": 1, "kind": "match"}) + "\n")
    with pytest.raises(SceneError, match="its kind is 'match'"):
        read_fall(match, 0.01)
    match.write_text(json.dumps({"format": "topple", "version": 1, "kind": "run", "tiles": 3}) + "\n")
    with pytest.raises(SceneError, match="damaged"):
        read_fall(match, 0.01)
    with pytest.raises(InputError, match="9 tiles, but there are 2 times"):
        timed_fall(ROW, [0.0, 0.1], 0.01)
    with pytest.raises(InputError, match="Too few tiles fell one after the other: 3;"):
        timed_fall(ROW, [0.0, 0.1, 0.2] + [None] * 6, 0.01)
    with pytest.raises(InputError, match="at least one recorded fall"):
        material_of([], BULLET)
