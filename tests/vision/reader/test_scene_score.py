"""Which boxes together explain a picture best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from calibration.board import MAT
from physics.tiles import load_set
from tests.vision.reader.perfect_network import pictured, taught
from vision.drawing.scenes import random_setup
from vision.reader.boxes import shapes_of
from vision.reader.candidates import Candidates, joined
from vision.reader.choose import copies_of
from vision.reader.pose_search import RoughEvidence, edge_maps
from vision.reader.proposals import Votes, guesses_of, votes_of
from vision.reader.scene_score import EXPLANATION, SCENE_SEARCH, Picture, Search
from vision.reader.straightened import Part

EVALUATION = load_set("evaluation")
SHAPES = shapes_of(EVALUATION)


@dataclass(frozen=True)
class Posed:
    """A row whose true boxes come first in the pool, each followed by rivals of its guess."""

    part: Part
    evidence: RoughEvidence
    votes: Votes
    picture: Picture
    pool: Candidates
    owners: np.ndarray[tuple[int], np.dtype[np.intp]]
    true: int  # how many of them are true, the first ones

    def search(self) -> Search:
        scores = np.where(np.arange(len(self.owners)) < self.true, 100.0, 50.0)
        return Search(self.picture, self.pool, self.owners, scores, copies_of(EVALUATION))


@pytest.fixture(scope="module")
def posed() -> Posed:
    frame, task = pictured(random_setup(404, 2, size=(960, 720), count=9))
    answer = taught(frame, task)
    votes = votes_of(answer)
    evidence = RoughEvidence(answer, guesses_of(votes, MAT), edge_maps(frame.edges, answer), frame.eye)
    sizes = np.array([shape.size for shape in SHAPES])
    which = np.array([int(np.abs(sizes - size).sum(axis=1).argmin()) for size in task.sizes], np.intp)
    count, none = len(which), np.zeros(len(which))
    true = Candidates(SHAPES, which, task.poses, none)
    # The tile that is a size larger, or smaller, in the same place, and one that is nowhere.
    other = Candidates(SHAPES, np.where(which + 2 < len(SHAPES), which + 2, which - 2), task.poses, none)
    empty = true.moved(np.array([(-150.0, 0.0, 0.0, 0.0)] * count))
    pool = joined([true, other, empty])
    picture = Picture(frame, evidence, votes, pool)
    return Posed(frame, evidence, votes, picture, pool, np.tile(np.arange(count), 3), count)


def test_the_true_row_is_found_from_nothing(posed: Posed) -> None:
    assert posed.search().best(np.zeros(0, np.intp)).tolist() == list(range(posed.true))


def test_wrong_sizes_are_exchanged(posed: Posed) -> None:
    wrong = np.arange(posed.true)
    wrong[3] += posed.true
    assert posed.search().best(wrong[wrong != 5]).tolist() == list(range(posed.true))


def test_of_two_beginnings_the_better_one_is_gone_on_from(posed: Posed) -> None:
    search, wrong = posed.search(), np.arange(posed.true) + 2 * posed.true
    assert posed.picture.worth(wrong[:1]) < 0
    assert search.best(wrong[:1], np.arange(posed.true)).tolist() == list(range(posed.true))


def test_a_box_that_looked_worse_alone_is_found_in_the_end(posed: Posed) -> None:
    # Of each guess and shape one box comes first; the true one of this guess does not.
    count = len(posed.owners)
    pool = joined([posed.pool, posed.pool.only([4])])
    pool.poses[4, 0] += 4.0
    owners = np.append(posed.owners, posed.owners[4])
    scores = np.where(np.arange(count + 1) < posed.true, 100.0, 50.0)
    search = Search(Picture(posed.part, posed.evidence, posed.votes, pool), pool, owners, scores, copies_of(EVALUATION))
    assert search.best(np.zeros(0, np.intp)).tolist() == [*(k for k in range(posed.true) if k != 4), count]


@pytest.mark.parametrize(("share", "cost"), [(0.5, EXPLANATION.gap_cost), (2.0, 0.0)])
def test_boxes_that_all_but_touch_cost(posed: Posed, share: float, cost: float) -> None:
    apart = share * EXPLANATION.min_gap
    size = SHAPES[0].size
    beside = np.array([(0.0, 0.0, 0.0, 0.0), (size[0] + apart, 0.0, 0.0, 0.0)])
    pool = Candidates(SHAPES, np.array([0, 0], np.intp), beside, np.zeros(2))
    picture = Picture(posed.part, posed.evidence, posed.votes, pool)
    search = Search(picture, pool, np.arange(2), np.zeros(2), copies_of(EVALUATION))
    one, both = frozenset({0}), frozenset({0, 1})
    assert picture.gain(one, both) - search._gain(one, both) == pytest.approx(cost)


def test_two_boxes_are_found_instead_of_one_in_their_place(posed: Posed) -> None:
    # A box that none of the two may stand beside; each of them alone explains less than it.
    shape = posed.pool.which[0]
    gap = np.hypot(*(posed.pool.poses[1] - posed.pool.poses[0])[:2])
    pool = joined([posed.pool.only([0, 1]), posed.pool.only([0])])
    pool.poses[2, :2] = posed.pool.poses[:2, :2].mean(axis=0)
    pool.poses[2, 2] += np.pi / 2
    assert gap < SCENE_SEARCH.twin_distance and shape == pool.which[2]
    search = Search(
        Picture(posed.part, posed.evidence, posed.votes, pool), pool, np.arange(3), np.zeros(3), copies_of(EVALUATION)
    )
    assert search._clash[2, :2].all()
    assert frozenset({0, 1}) in set(search._twins(frozenset({2})))


def test_what_a_change_brings_is_the_same_near_by_and_on_the_whole(posed: Posed) -> None:
    every = frozenset(range(posed.true))
    for k in range(posed.true):
        for found in (every - {k}, every - {k} | {k + posed.true}):
            whole = posed.picture.worth(found) - posed.picture.worth(every)
            assert posed.picture.gain(every, found) == pytest.approx(whole, abs=1e-6)
            assert whole < 0


def test_a_box_where_nothing_is_seen_costs(posed: Posed) -> None:
    assert posed.picture.worth([2 * posed.true]) < 0 == posed.picture.worth([])


def test_a_box_is_worth_what_is_lost_without_it(posed: Posed) -> None:
    chosen = np.arange(posed.true)
    lost = [posed.picture.worth(chosen) - posed.picture.worth(chosen[chosen != k]) for k in chosen]
    assert posed.search().worths(chosen) == pytest.approx(lost, abs=1e-6)
    assert min(lost) > 0


def test_confidence_falls_where_another_size_would_do(posed: Posed) -> None:
    chosen = np.arange(posed.true)
    sure = posed.search().confidences(chosen)
    assert sure.min() > 0.9
    chosen[3] += posed.true
    assert posed.search().confidences(chosen)[3] < 0.1
