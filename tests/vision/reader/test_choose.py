"""Which boxes are held against one another before the picture is explained."""

from __future__ import annotations

import math

import numpy as np

from physics.tiles import load_set
from vision.reader.boxes import shapes_of
from vision.reader.candidates import Candidates
from vision.reader.choose import Pool, _apart, _kept

SHAPES = shapes_of(load_set("evaluation"))


def boxes(*given: tuple[int, float, float]) -> Candidates:
    """Boxes of these shapes, at x (mm) and turned so far (rad)."""
    poses = np.array([(x, 0.0, yaw, 0.0) for _, x, yaw in given])
    return Candidates(SHAPES, np.array([shape for shape, _, _ in given], np.intp), poses, np.zeros(len(given)))


def test_what_is_known_hides_others_and_what_is_not_does_so_only_beside_it() -> None:
    known = Pool.of(boxes((0, 0.0, 0.0), (1, 0.1, 0.0)), np.array([0, 0]), True)
    new = Pool.of(boxes((2, 50.0, 0.0), (3, 50.1, 0.0)), np.array([1, 1]))
    every, sure = known.beside(new).taken()
    assert every.which.tolist() == [0, 2]
    assert sure.which.tolist() == [0]


def test_at_first_the_likeliest_of_each_guess_stands_for_it() -> None:
    every, sure = Pool.of(boxes((2, 50.0, 0.0), (3, 50.1, 0.0), (4, 90.0, 0.0)), np.array([0, 0, 1])).taken()
    assert every is sure
    assert every.which.tolist() == [2, 4]


def test_of_one_shape_two_are_kept_that_differ() -> None:
    """Half a millimetre is nothing, two are another place, and 5° another turn; the third place is one too many."""
    given = boxes((0, 0.0, 0.0), (0, 0.5, 0.0), (0, 2.0, 0.0), (0, 4.0, 0.0), (1, 0.0, 0.0), (1, 0.0, math.radians(5)))
    scores = np.array([9.0, 8.0, 7.0, 6.0, 5.0, 4.0])
    found = _apart(Pool.of(given, np.zeros(6, np.intp)), scores)
    assert [index for index in range(6) if found[index] == scores[index]] == [0, 2, 4, 5]
    assert max(found[1], found[3]) < min(found[[0, 2, 4, 5]])  # what is left out comes last, whatever its score
    of_another_guess = _apart(Pool.of(given, np.array([0, 1, 0, 0, 0, 0], np.intp)), scores)
    assert of_another_guess[1] == scores[1]


def test_what_was_chosen_is_known_next_time_and_comes_first() -> None:
    pool = Pool.of(boxes((0, 0.0, 0.0), (1, 0.1, 0.0), (2, 50.0, 0.0), (3, 90.0, 0.0)), np.array([0, 0, 1, 2]))
    kept = _kept(pool, np.array([1, 3]))
    assert kept.boxes.which.tolist() == [1, 3, 0]
    assert kept.owners.tolist() == [0, 1, 0]
    assert kept.known.all()
    assert kept.chosen.tolist() == [True, True, False]


def test_boxes_are_the_same_wherever_they_come_in_their_order() -> None:
    one = boxes((0, 0.0, 0.0), (5, 30.0, 0.0), (5, 60.0, 0.0))
    assert one.same_as(boxes((5, 60.5, 0.0), (0, 0.0, 0.0), (5, 30.0, 0.0)), 1.0)
    assert not one.same_as(boxes((5, 62.0, 0.0), (0, 0.0, 0.0), (5, 30.0, 0.0)), 1.0)
    assert not one.same_as(boxes((0, 60.0, 0.0), (0, 0.0, 0.0), (5, 30.0, 0.0)), 1.0)
    assert not one.same_as(boxes((0, 0.0, 0.0)), 1.0)
