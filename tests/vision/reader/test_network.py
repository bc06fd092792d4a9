"""The network, what it was taught, and how its votes become tiles."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from calibration.board import MAT
from physics.tiles import load_set
from tests.vision.reader.perfect_network import pictured, taught
from vision.drawing.scenes import random_setup
from vision.reader.boxes import shapes_of
from vision.reader.network import (
    GROUND,
    KINDS,
    MIRRORED,
    NETWORK_INPUT,
    OTHER,
    SECOND_LOOK,
    SIDE,
    TOP,
    UNMIRRORED,
    Mirroring,
    _busy,
    _seen,
    network_answer,
    shown_of,
    turned_back,
)
from vision.reader.pose_search import RoughEvidence, candidates_of, edge_maps, with_expected
from vision.reader.proposals import guesses_of, votes_of
from vision.reader.straightened import Frame
from vision.training.labels import labels
from vision.training.tables import Lesson, block_of

EVALUATION = load_set("evaluation")


@pytest.fixture(scope="module")
def table() -> tuple[Frame, Lesson]:
    return pictured(random_setup(404, 2, size=(960, 720), count=9))


def feet_off(found: npt.NDArray[np.float64], task: Lesson) -> npt.NDArray[np.float64]:
    """For each true tile how far the nearest found foot is, mm."""
    away = np.linalg.norm(found[:, None, :2] - task.poses[None, :, :2], axis=-1)
    return np.asarray(away.min(axis=0))


def test_perfect_votes_give_the_tiles_back(table: tuple[Frame, Lesson]) -> None:
    frame, task = table
    truth = taught(frame, task)
    guesses = guesses_of(votes_of(truth), MAT)
    assert len(guesses.tiles) == len(task.poses)
    found = np.array([(guess.x, guess.y, guess.yaw) for guess in guesses.tiles])
    assert feet_off(found, task).max() < 0.3
    nearest = np.linalg.norm(found[:, None, :2] - task.poses[None, :, :2], axis=-1).argmin(axis=1)
    turned = [abs(math.remainder(a - b, math.pi)) for a, b in zip(found[:, 2], task.poses[nearest, 2], strict=True)]
    assert max(turned) < math.radians(0.5)
    evidence = RoughEvidence(truth, guesses, edge_maps(frame.edges, truth), frame.eye)
    every = list(range(len(guesses.tiles)))
    pool, owners = candidates_of(evidence, guesses, every, shapes_of(EVALUATION))
    for number, true in enumerate(nearest.tolist()):
        own = np.flatnonzero(owners == number)
        right = own[(pool.sizes[own] == task.sizes[true]).all(axis=1)]
        assert len(right)
        assert np.linalg.norm(pool.poses[right[0], :2] - task.poses[true, :2]) < 3.0


@pytest.mark.parametrize("mirroring", [Mirroring(*way) for way in product((False, True), repeat=3)])
def test_what_is_said_of_a_mirrored_picture_is_turned_back(table: tuple[Frame, Lesson], mirroring: Mirroring) -> None:
    truth = taught(*table)
    kinds, votes = turned_back(truth.kinds, truth.votes, mirroring)
    high, wide = votes.shape[1:]

    def back(row: float, column: float) -> tuple[float, float]:
        row, column = (column, row) if mirroring.diagonal else (row, column)
        return (high - 1 - row if mirroring.down else row), (wide - 1 - column if mirroring.across else column)

    row, column = map(int, np.argwhere(truth.votes[0] > 0.5)[0])
    said = truth.votes[:, row, column]
    there = back(row, column)
    found = votes[:, int(there[0]), int(there[1])]
    foot = back(row + NETWORK_INPUT.vote_unit * said[1], column + NETWORK_INPUT.vote_unit * said[0])
    assert (
        there[0] + NETWORK_INPUT.vote_unit * found[1],
        there[1] + NETWORK_INPUT.vote_unit * found[0],
    ) == pytest.approx(foot, abs=1e-3)
    # So is the way along its breadth, from the foot on.
    turn, turned = (math.atan2(vote[3], vote[2]) / 2 for vote in (said, found))
    end = back(
        row + NETWORK_INPUT.vote_unit * said[1] + math.sin(turn),
        column + NETWORK_INPUT.vote_unit * said[0] + math.cos(turn),
    )
    way = math.atan2(end[0] - foot[0], end[1] - foot[1])
    assert math.remainder(way - turned, math.pi) == pytest.approx(0, abs=1e-3)
    assert found[4:].tolist() == said[4:].tolist()
    row, column = map(int, np.argwhere(truth.kinds[TOP] > 0.5)[0])
    high, wide = kinds.shape[1:]
    there = back(row, column)
    assert kinds[:, int(there[0]), int(there[1])].tolist() == truth.kinds[:, row, column].tolist()


@pytest.mark.parametrize("mirroring", MIRRORED)
def test_the_eye_says_nearly_the_same_of_a_mirrored_picture(table: tuple[Frame, Lesson], mirroring: Mirroring) -> None:
    frame, task = table
    is_tile = taught(frame, task).tile > 0.5
    shown, _ = shown_of(frame)
    high, wide = (side // NETWORK_INPUT.size_multiple * NETWORK_INPUT.size_multiple for side in shown.shape[1:])
    planes, on_tile = shown[:, :high, :wide], is_tile[:high, :wide]
    (kinds, votes), (other, others) = _seen(planes, UNMIRRORED), _seen(planes, mirroring)
    assert (kinds.argmax(axis=0) == other.argmax(axis=0))[on_tile].mean() > 0.8
    off = NETWORK_INPUT.vote_unit * np.hypot(*(votes - others)[:2])[on_tile[::2, ::2]]
    assert np.median(off) < 1.0


def test_only_where_tiles_may_be_is_looked_at_again() -> None:
    kinds = np.full((KINDS, 100, 200), -9.0, np.float32)
    kinds[GROUND] = 9.0
    assert _busy(kinds, (112, 208)) is None
    kinds[SIDE, 70:72, 20] = 9.0
    assert _busy(kinds, (112, 208)) is None
    kinds[SIDE, 70:73, 120:123] = 9.0
    rows, columns = _busy(kinds, (112, 208)) or (slice(0), slice(0))
    for side, (least, most), end in ((rows, (70, 72), 112), (columns, (120, 122), 208)):
        assert side.start % NETWORK_INPUT.size_multiple == side.stop % NETWORK_INPUT.size_multiple == 0
        assert least - SECOND_LOOK.margin - NETWORK_INPUT.size_multiple < side.start <= least - SECOND_LOOK.margin
        assert (
            most + SECOND_LOOK.margin
            < side.stop
            <= min(end, most + 1 + SECOND_LOOK.margin + NETWORK_INPUT.size_multiple)
            or side.stop == end
        )
    assert (columns.stop - columns.start) < 100


def test_the_eye_tells_tiles_from_their_shadows(table: tuple[Frame, Lesson]) -> None:
    frame, task = table
    truth, said = taught(frame, task), network_answer(frame)
    assert said.kinds.shape == truth.kinds.shape and np.allclose(said.kinds.sum(axis=0), 1, atol=1e-4)
    is_tile, says_tile = truth.tile > 0.5, said.tile > 0.5
    both = (is_tile & says_tile).sum() / (is_tile | says_tile).sum()
    assert both > 0.85
    found = np.array([(guess.x, guess.y) for guess in guesses_of(votes_of(said), MAT).tiles])
    assert np.median(feet_off(found, task)) < 2.0


def test_what_lies_and_hands_are_no_tiles(table: tuple[Frame, Lesson]) -> None:
    frame, task = table
    _, matrix = shown_of(frame)
    size = (frame.light.shape[1] // 2, frame.light.shape[0] // 2)
    flat = np.array([*task.poses[0, :3], math.pi / 2])
    fallen = Lesson(task.poses[1:], task.sizes[1:], (block_of(flat, task.sizes[0]),), (), task.sight, task.appearance)
    kinds, owner, tiles = labels(fallen, matrix, size)
    assert (kinds == OTHER).any() and len(tiles) == len(task.poses) - 1
    assert (kinds != GROUND).sum() > (owner >= 0).sum()
    assert owner.max() < len(tiles)


def test_an_expected_tile_is_looked_for_where_nothing_was_guessed(table: tuple[Frame, Lesson]) -> None:
    from physics.outcome import Fate
    from physics.tiles import Stance
    from vision.reader.reading import ReadTile

    frame, task = table
    truth = taught(frame, task)
    guesses = guesses_of(votes_of(truth), MAT)
    away = ReadTile(3, -180.0, -30.0, 20.0, Stance.SIDE, Fate.STANDING, (0.1, 0.1, 0.1), 0.9)
    guesses = with_expected(guesses, [away], EVALUATION)
    evidence, last = RoughEvidence(truth, guesses, edge_maps(frame.edges, truth), frame.eye), len(guesses.tiles) - 1
    pool, owners = candidates_of(evidence, guesses, [last], shapes_of(EVALUATION), [away])
    own = np.flatnonzero(owners == last)
    assert 3 in pool.values[own] and np.allclose(pool.poses[own, :2], (-180, -30), atol=14.0)
