"""Hints are found by trying: applied, they help; where nothing is weak, there is none."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import pytest

from physics.hint import WORTH_SAYING, Change, apply, plan, suggest
from physics.intervals import wilson
from physics.line import chain, straight
from physics.predict import predict
from physics.scene import Noise, Scene
from physics.tiles import Stance, load_set

EVALUATION = load_set("evaluation")
TOO_TIGHT = Scene(straight(EVALUATION, [4, 5, 6, 7], 0.006))
TOO_WIDE = Scene(
    chain(EVALUATION, [(v, g, 0.0, Stance.UPRIGHT) for v, g in [(4, 0.0), (5, 0.018), (6, 0.046), (7, 0.02)]])
)


def test_a_good_line_gets_no_hint() -> None:
    scene = Scene(straight(EVALUATION, [5, 6, 7], 0.020))
    assert suggest(scene, Noise(), predict(scene, Noise())) is None


def test_a_gap_out_of_reach_is_to_be_made_smaller_and_that_helps() -> None:
    prediction = predict(TOO_WIDE, Noise())
    assert prediction.weakest_gap == (5, 6)
    hint = suggest(TOO_WIDE, Noise(), prediction)
    assert hint is not None
    assert hint.change.gap_at == 1 and hint.change.shift < 0
    helped = predict(apply(TOO_WIDE, hint.change), Noise(), seed=99)
    assert helped.probability > prediction.probability + WORTH_SAYING
    assert helped.interval[0] <= hint.probability <= helped.interval[1]


def test_a_tight_gap_is_to_be_made_wider() -> None:
    scene = Scene(
        chain(EVALUATION, [(v, g, 0.0, Stance.UPRIGHT) for v, g in [(4, 0.0), (5, 0.006), (6, 0.020), (7, 0.02)]])
    )
    hint = suggest(scene, Noise(), predict(scene, Noise()))
    assert hint is not None
    assert hint.change.gap_at == 0 and hint.change.shift > 0


def test_the_hint_does_not_depend_on_the_workers() -> None:
    prediction = predict(TOO_WIDE, Noise())
    with ProcessPoolExecutor(2) as pool:
        assert suggest(TOO_WIDE, Noise(), prediction, executor=pool) == suggest(TOO_WIDE, Noise(), prediction)


def test_changes_move_only_what_they_say() -> None:
    shifted = apply(TOO_TIGHT, Change(gap_at=1, shift=0.004)).line
    assert shifted.placements[:2] == TOO_TIGHT.line.placements[:2]
    assert [round(gap, 6) for gap in shifted.gaps()] == [0.006, 0.010, 0.006]
    turned = apply(TOO_TIGHT, Change(turned=2)).line
    assert [placement.stance for placement in turned.placements].count(Stance.SIDE) == 1
    assert turned.placements[2].stance is Stance.SIDE


def test_a_hint_knows_how_sure_it_is() -> None:
    prediction = predict(TOO_WIDE, Noise())
    hint = suggest(TOO_WIDE, Noise(), prediction)
    assert hint is not None
    assert hint.interval[0] < hint.probability <= hint.interval[1]
    assert hint.interval[1] - hint.interval[0] > wilson(48, 48, 0.95)[1] - wilson(48, 48, 0.95)[0]


@pytest.mark.parametrize("budget", [32, 80])
def test_a_hint_costs_no_more_runs_than_it_may(budget: int) -> None:
    seen: list[tuple[int, int]] = []
    prediction = predict(TOO_WIDE, Noise())
    hint = suggest(TOO_WIDE, Noise(), prediction, budget=budget, progress=lambda *at: seen.append(at))
    assert seen[-1][0] == seen[-1][1] <= budget
    assert hint is not None and hint.probability > 0.9
    assert hint == suggest(TOO_WIDE, Noise(), prediction, budget=budget)


@pytest.mark.parametrize("changes", [0, 1, 3, 10, 14])
@pytest.mark.parametrize("budget", [32, 48, 96, 200, 1000, None])
def test_a_search_never_spends_more_than_its_budget(changes: int, budget: int | None) -> None:
    search = plan(changes, budget)
    assert search.tried <= changes and search.promising <= search.tried
    assert search.first <= search.second
    assert budget is None or search.runs <= budget
    assert budget is None or changes < 4 or search.runs > budget / 2 or search == plan(changes, None)
