"""Hints are found by trying: applied, they help; where nothing is weak, there is none."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from physics.hint import WORTH_SAYING, Change, apply, suggest
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
