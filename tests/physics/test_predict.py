"""Predictions: the same for the same seed whatever the workers, as sure as asked, and right about the weak gap."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from physics.errors import InputError, SceneError
from physics.line import Line, Placement, chain, straight
from physics.outcome import Prediction
from physics.predict import (
    MIN_RUNS,
    ROUND,
    Precision,
    predict,
    run_draws,
    runs_of_draws,
    tile_falls,
    weak_gap,
    weakest_at,
)
from physics.scene import Finger, Noise, Scene
from physics.surrogate import Surrogate
from physics.tiles import Stance, load_set

EVALUATION = load_set("evaluation")
CLEAR = Scene(straight(EVALUATION, [5, 6, 7], 0.020))
DOUBTFUL = Scene(straight(EVALUATION, [3, 6], 0.0137))


def timeless(prediction: Prediction) -> Prediction:
    return replace(prediction, seconds=0.0)


def test_the_same_seed_gives_the_same_answer_whatever_the_workers() -> None:
    alone = predict(DOUBTFUL, Noise(), seed=7, precision=Precision(width=0.1))
    for workers in (2, 3):
        with ProcessPoolExecutor(workers) as pool:
            spread = predict(DOUBTFUL, Noise(), seed=7, precision=Precision(width=0.1), executor=pool)
        assert timeless(spread) == timeless(alone)


class ManyWorkers(ThreadPoolExecutor):
    workers = 20


def test_the_number_of_chunks_under_way_changes_nothing() -> None:
    with ManyWorkers(1) as pool:  # a single thread, since an engine is for one at a time
        spread = predict(DOUBTFUL, Noise(), seed=7, precision=Precision(width=0.1), executor=pool)
    assert timeless(spread) == timeless(predict(DOUBTFUL, Noise(), seed=7, precision=Precision(width=0.1)))


class Stubborn(Executor):
    """Never does anything, and whoever waits for it is interrupted."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        class Interrupted(Future[Any]):
            def result(self, timeout: float | None = None) -> Any:
                raise KeyboardInterrupt

        self.futures.append(Interrupted())
        return self.futures[-1]


def test_an_interrupted_prediction_cancels_everything_under_way() -> None:
    executor = Stubborn()
    with pytest.raises(KeyboardInterrupt):
        predict(DOUBTFUL, Noise(), executor=executor)
    assert executor.futures and all(future.cancelled() for future in executor.futures)


def test_another_seed_gives_other_runs() -> None:
    def falls(seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        return run_draws(DOUBTFUL, Noise(), seed, tuple(range(24)), "bullet")

    assert (falls(1) != falls(2)).any()
    assert (falls(1) == falls(1)).all()


def test_a_clear_line_is_known_after_the_least_number_of_runs() -> None:
    prediction = predict(CLEAR, Noise())
    assert prediction.samples == MIN_RUNS
    assert prediction.verdict == "falls"
    assert prediction.probability == 1.0
    assert prediction.weakest_at is None and prediction.weakest_gap is None


def test_a_doubtful_line_runs_until_it_is_as_sure_as_asked() -> None:
    prediction = predict(DOUBTFUL, Noise(), precision=Precision(width=0.08))
    low, high = prediction.sampling
    assert 0.15 < prediction.probability < 0.85
    assert prediction.samples % ROUND == 0
    assert high - low <= 0.16 or prediction.verdict != "unsure"
    before = runs_of_draws(DOUBTFUL, Noise(), 0, tuple(range(prediction.samples - ROUND)), "bullet")
    share = Surrogate(DOUBTFUL, Noise()).share(np.asarray(before.falls.all(axis=1)), before.normals)
    assert not Precision(width=0.08).reached(share)  # it did not go on for longer than it had to
    assert prediction.interval[0] < low and prediction.interval[1] > high


def test_no_tile_falls_more_seldom_than_all_of_them() -> None:
    falls = np.array([[True, True, True]] * 5 + [[True, False, False]] * 3 + [[True, True, False]] * 2)
    assert tile_falls(falls, 0.5) == pytest.approx(falls.mean(axis=0))
    assert tile_falls(falls, 0.6) == pytest.approx((1.0, 0.76, 0.6))
    assert tile_falls(falls[:5], 1.0) == (1.0, 1.0, 1.0)


def test_without_noise_every_run_is_the_same() -> None:
    exact = Noise(position=0.0, yaw=0.0, friction=0.0, restitution=0.0, push=0.0)
    assert predict(DOUBTFUL, exact).probability in (0.0, 1.0)


def test_the_weakest_gap_is_where_the_fall_ends() -> None:
    joints = [(value, 0.020, 0.0, Stance.UPRIGHT) for value in (4, 5, 6)]
    line = chain(EVALUATION, [*joints, (7, 0.062, 0.0, Stance.UPRIGHT), (8, 0.020, 0.0, Stance.UPRIGHT)])
    prediction = predict(Scene(line), Noise())
    assert prediction.probability == 0.0
    assert prediction.weakest_at == 2 and prediction.weakest_gap == (6, 7)
    assert prediction.tile_falls[:3] == (1.0, 1.0, 1.0) and prediction.tile_falls[3:] == (0.0, 0.0)


def test_the_weakest_gap_is_told_in_file_order_when_the_last_tile_is_pushed() -> None:
    joints = [(value, 0.020, 0.0, Stance.UPRIGHT) for value in (8, 7)]
    line = chain(EVALUATION, [*joints, (6, 0.062, 0.0, Stance.UPRIGHT), (5, 0.020, 0.0, Stance.UPRIGHT)])
    prediction = predict(Scene(line), Noise())
    assert prediction.pushed == 3
    assert prediction.weakest_at == 1 and prediction.weakest_gap == (7, 6)


def test_no_gap_is_weak_when_the_pushed_tile_itself_stays_up() -> None:
    scene = Scene(straight(EVALUATION, [5, 6], 0.02))
    assert weakest_at(scene, np.zeros((4, 2), dtype=np.bool_)) is None


def test_the_gap_on_which_a_line_hangs() -> None:
    """Tiles 4, 5, 6 of 40, 45 and 50 mm, 20 mm apart; pushed at the 4, the 5 falls across the second gap."""
    scene = Scene(straight(EVALUATION, [4, 5, 6], 0.020))
    some = np.array([[True, True, True], [True, True, False]])
    assert weak_gap(scene, some) == pytest.approx(20 / 45)
    backwards = Scene(straight(EVALUATION, [6, 5, 4], 0.020))
    assert weak_gap(backwards, some[:, ::-1]) == pytest.approx(20 / 45)
    for unanimous in (some[:1], some[1:]):
        assert weak_gap(scene, unanimous) is None


def test_the_interval_holds_what_many_more_runs_say() -> None:
    short = predict(DOUBTFUL, Noise(), seed=1, precision=Precision(width=0.1))
    falls = run_draws(DOUBTFUL, Noise(), 99, tuple(range(400)), "bullet")
    low, high = short.interval
    assert low <= falls.all(axis=1).mean() <= high


def test_progress_is_told_after_every_round() -> None:
    told: list[int] = []
    predict(CLEAR, Noise(), progress=lambda runs, sampling: told.append(runs))
    assert told == list(range(ROUND, MIN_RUNS + 1, ROUND))


def test_tiles_in_one_another_are_refused() -> None:
    line = Line(EVALUATION, (Placement(5, 0.0, 0.0), Placement(6, 0.002, 0.0)))
    with pytest.raises(SceneError, match="overlap"):
        predict(Scene(line), Noise())


@pytest.mark.parametrize("precision", [{"width": 0.0}, {"width": float("nan")}, {"confidence": 1.0}])
def test_precision_makes_sense(precision: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must be a number"):
        replace(Precision(), **precision)  # type: ignore[arg-type]


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(InputError, match="'jelly'"):
        predict(CLEAR, Noise(), engine_name="jelly")


def test_a_single_tile_falls() -> None:
    assert predict(Scene(Line(EVALUATION, (Placement(6, 0, 0),)), push=Finger()), Noise()).probability == 1.0
