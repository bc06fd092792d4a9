"""Boxes that are tried: what was guessed wrong by far is still found where there is room for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from physics.tiles import load_set
from tests.vision.reader.perfect_network import pictured, taught
from vision.drawing.scenes import random_setup
from vision.reader.boxes import feet_overlap, shapes_of
from vision.reader.candidates import OVERLAP, Candidates
from vision.reader.pose_search import SEARCH_STEPS, RoughEvidence, edge_maps, scanned
from vision.reader.proposals import Guess, Guesses

SHAPES = shapes_of(load_set("evaluation"))


@pytest.mark.parametrize("missing", [1, 2])
def test_a_tile_that_was_guessed_far_off_and_much_too_large_is_found_between_its_neighbours(missing: int) -> None:
    setup = random_setup(33, 38, size=(960, 720), off=(20.0, 30.0), count=4)
    frame, task = pictured(setup)
    answer = taught(frame, task)
    index = {(shape.value, shape.stance): k for k, shape in enumerate(SHAPES)}
    which = np.array([index[p.value, p.stance.value] for p in setup.scene.line.placements], np.intp)
    others = np.arange(len(which)) != missing
    taken = Candidates(SHAPES, which[others], task.poses[others], np.zeros(int(others.sum())))
    x, y, yaw, _ = task.poses[missing].tolist()
    guess = Guess(x + 6.0, y - 4.0, yaw + 0.1, math.log(75.0), math.log(90.0))
    nobody = np.full((answer.votes.shape[1], answer.votes.shape[2]), -1, np.intp)
    guesses = Guesses([guess], nobody)
    evidence = RoughEvidence(answer, guesses, edge_maps(frame.edges, answer), frame.eye)
    found, owners = scanned(evidence, guesses, [0], SHAPES, taken)
    assert (owners == 0).all() and len(np.unique(found.which)) == len(found.which) == SEARCH_STEPS.scanned
    assert not feet_overlap(found.poses, found.sizes, taken.poses, taken.sizes, OVERLAP.slack).any()
    right = found.poses[found.which == which[missing]]
    assert len(right) == 1 and math.hypot(*(right[0, :2] - (x, y))) < 4.0
