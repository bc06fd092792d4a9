"""Which tile stands at each guessed place: candidates are fitted to the picture, and the best of them chosen together.

What one box hides of another is neither asked for nor counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from physics.tiles import TileSet
from vision.reader.boxes import Shape, feet_overlap
from vision.reader.candidates import OVERLAP, Candidates, joined, places_roughly_seen, settled
from vision.reader.edges import EDGE_SAMPLING, EdgePlaces, places_on, worth_of
from vision.reader.pose_search import RoughEvidence, around, ranked
from vision.reader.proposals import Votes
from vision.reader.scene_score import EXPLANATION, Picture, Search
from vision.reader.straightened import Part


@dataclass(frozen=True, slots=True)
class ChoiceReaches:
    """Within how many px edges pull boxes, step by step."""

    bold: tuple[float, ...] = (5.0, 4.0, 3.0)  # new boxes go two ways: pulled from farther away,
    careful: tuple[float, ...] = (2.5, 2.0)  # and from close by only
    again: tuple[float, ...] = (3.0, 2.0)  # when what hides a box has changed
    last: tuple[tuple[float, ...], ...] = ((3.0, 2.0), (2.0, 1.5))  # at last, when boxes are chosen


CHOICE_REACHES = ChoiceReaches()


@dataclass(frozen=True, slots=True)
class ChoiceLimits:
    """How many boxes are compared: each costs time, and too few lose the right one."""

    samples: int = 6  # places looked at on each edge while boxes are only moved
    well_fitted: float = 0.9  # mean score of its edges from which on a box is taken for well fitted
    shapes: int = 6  # of a guess that is not, which are tried nearby
    tried: int = 40  # boxes of them
    kept: int = 12  # candidates of each guess that are looked at more closely
    per_shape: int = 2  # of these of one shape
    same_pose: tuple[float, float] = (1.0, 0.04)  # mm and rad within which two of them are the same
    room: float = 5.0  # mm within which there is no room for another tile


CHOICE_LIMITS = ChoiceLimits()


LAST_OF_ALL = 1e5  # by which what is not wanted comes later

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
Label = Callable[[Array, Array], int | None]


@dataclass(frozen=True)
class Choice:
    """The boxes that were chosen, one per guess that is believed."""

    boxes: Candidates
    confidences: Array  # (n,)
    worths: Array  # (n,) how much more of the picture is explained with each than without
    means: Array  # (n,) scores of their edges

    @classmethod
    def nothing(cls, shapes: list[Shape]) -> Choice:
        """No box at all."""
        none = np.zeros(0, np.intp)
        return cls.given(Candidates(shapes, none, np.zeros((0, 4)), np.zeros(0)), np.zeros(0))

    @classmethod
    def given(cls, boxes: Candidates, confidences: Array) -> Choice:
        """Boxes that are known and were not compared with others."""
        return cls(boxes, confidences, *np.zeros((2, len(confidences))))


@dataclass(frozen=True)
class Pool:
    """Boxes that may be chosen, whose guess each is, and which are of guesses of which one was chosen before."""

    boxes: Candidates
    owners: Indexes
    known: Mask
    chosen: Mask  # those boxes themselves that were chosen before

    @classmethod
    def nothing(cls, shapes: list[Shape]) -> Pool:
        """No box at all."""
        return cls.of(Choice.nothing(shapes).boxes, np.zeros(0, np.intp))

    @classmethod
    def of(cls, boxes: Candidates, owners: Indexes, known: bool = False, chosen: bool = False) -> Pool:
        """All of them of guesses that are known, or none; all of them chosen before, or none."""
        return cls(boxes, owners, np.full(len(owners), known), np.full(len(owners), chosen))

    def only(self, some: Indexes | Mask) -> Pool:
        """Some of them."""
        return Pool(self.boxes.only(some), self.owners[some], self.known[some], self.chosen[some])

    def beside(self, other: Pool) -> Pool:
        """These and others of the same shapes."""
        return Pool(
            joined([self.boxes, other.boxes]),
            np.concatenate([self.owners, other.owners]),
            np.concatenate([self.known, other.known]),
            np.concatenate([self.chosen, other.chosen]),
        )

    def taken(self) -> tuple[Candidates, Candidates]:
        """What may hide other boxes: the first of each guess; and those of known ones alone, where there are any."""
        first = np.unique(self.owners, return_index=True)[1]
        known, every = first[self.known[first]], self.boxes.only(first)
        return every, self.boxes.only(known) if len(known) else every


@dataclass(frozen=True)
class Table:
    """What boxes are held against: the picture's edges, its pixels and votes, and which tiles there are."""

    part: Part
    evidence: RoughEvidence
    votes: Votes
    copies: dict[int, int | None]

    def _places(self, boxes: Candidates, samples: int = EDGE_SAMPLING.samples) -> EdgePlaces:
        return places_on(boxes.poses, boxes.sizes, self.part.matrix, self.part.eye, samples)

    def _visible(self, places: EdgePlaces, boxes: Candidates, taken: Candidates) -> Mask:
        """Which places on the boxes' edges the taken ones do not hide."""
        return places_roughly_seen(places, boxes, taken, self.part.eye, self.evidence.matrix, self.evidence.size)

    def moved(
        self, boxes: Candidates, taken: Candidates, reaches: tuple[float, ...], samples: int = CHOICE_LIMITS.samples
    ) -> Candidates:
        """The boxes moved to the picture's edges, where the taken ones let theirs be seen."""
        visible = self._visible(self._places(boxes, samples), boxes, taken)
        return boxes.moved(settled(self.part, boxes, reaches, visible))

    def scores(self, pool: Pool, *taken: Candidates) -> tuple[Array, Array]:
        """What edges, pixels and size say for each box; and the mean score of its edges.

        Beside the taken ones; where these are several sets, beside that one which leaves most for the box.
        """
        boxes = pool.boxes
        if not len(pool.owners):
            return np.zeros(0), np.zeros(0)
        places = self._places(boxes)
        worth, weights = worth_of(self.part.edges, places)
        edges, means = [], []
        for some in taken:
            visible = self._visible(places, boxes, some).reshape(worth.shape)
            edges.append((worth * visible).sum(axis=1))
            means.append(edges[-1] / np.maximum((weights * visible).sum(axis=1), 1e-6))
        pixels = EXPLANATION.per_pixel * self.evidence.of_pixels(boxes.poses, boxes.sizes, pool.owners)
        rest = pixels - EXPLANATION.size_cost * boxes.off**2
        return np.max(edges, axis=0) + rest, np.max(means, axis=0)


def choose(table: Table, pool: Pool, label: Label, last: bool) -> tuple[Choice, Pool]:
    """Fits candidates to the picture's edges and picks at most one for each guess; and what may be chosen next time.

    These are the candidates of the guesses that were picked, whose guess each is counted as the picked boxes are.
    At `last` guesses with no good box are tried in more places, and all boxes are fitted more closely. `label` says
    which value is written on the top of a box of that pose and size; None: nothing can be read there.
    """
    if not len(pool.owners):
        return Choice.nothing(pool.boxes.shapes), pool
    # At first the likeliest box of each guess stands for it.
    pool = _fitted(table, pool)
    every, sure = pool.taken()
    taken = (every,) if sure is every else (every, sure)
    scores, means = table.scores(pool, *taken)
    if last:
        found, whose = _elsewhere(table.evidence, pool, scores, means)
        more = Pool.of(table.moved(found, sure, (*CHOICE_REACHES.bold, *CHOICE_REACHES.careful)), whose)
        pool, added = pool.beside(more), table.scores(more, *taken)
        scores, means = np.concatenate([scores, added[0]]), np.concatenate([means, added[1]])
    # Hopeless ones cost time.
    left = ranked(pool.owners, _apart(pool, np.where(pool.chosen, scores + LAST_OF_ALL, scores)), CHOICE_LIMITS.kept)
    pool, scores, means = pool.only(left), scores[left], means[left]
    search = _search(table, pool, scores)
    chosen = search.best(_picked(scores, pool, table.copies), np.flatnonzero(pool.chosen))
    if last:
        before = Pool.of(pool.boxes.only(chosen), pool.owners[chosen], chosen=True)
        for reaches in CHOICE_REACHES.last:
            pool = Pool.of(table.moved(pool.boxes, pool.boxes.only(chosen), reaches), pool.owners)
        count, pool = len(pool.owners), pool.beside(before)
        free = ~_mislabelled(pool, chosen, label)
        scores, means = table.scores(pool, pool.boxes.only(chosen))
        number = np.cumsum(free) - 1
        starts = [number[some[free[some]]] for some in (chosen, np.arange(count, len(free)))]
        pool, scores, means = pool.only(free), scores[free], means[free]
        search = _search(table, pool, scores)
        chosen = search.best(*starts)
    picked = pool.boxes.only(chosen)
    return Choice(picked, search.confidences(chosen), search.worths(chosen), means[chosen]), _kept(pool, chosen)


def _fitted(table: Table, pool: Pool) -> Pool:
    """The pool with all its boxes fitted; those that are new go two ways, and what is not known yet hides none.

    Those that were chosen before also stay where they are, so that nothing is lost that was found.
    """
    every, sure = pool.taken()
    kept, old, new = pool.only(pool.chosen), pool.only(pool.known), pool.only(~pool.known)
    old = kept.beside(Pool.of(table.moved(old.boxes, every, CHOICE_REACHES.again), old.owners, True))
    for reaches in (CHOICE_REACHES.bold, CHOICE_REACHES.careful):
        old = old.beside(Pool.of(table.moved(new.boxes, sure, reaches), new.owners))
    return old


def _search(table: Table, pool: Pool, scores: Array) -> Search:
    picture = Picture(table.part, table.evidence, table.votes, pool.boxes)
    return Search(picture, pool.boxes, pool.owners, scores, table.copies)


def _mislabelled(pool: Pool, chosen: Indexes, label: Label) -> Mask:
    """Which boxes are of another value than is written on the top of the chosen one of their guess or place."""
    found = np.zeros(len(pool.owners), bool)
    for k in chosen.tolist():
        value = label(pool.boxes.poses[k], pool.boxes.sizes[k])
        if value is not None:
            away = np.hypot(*(pool.boxes.poses - pool.boxes.poses[k])[:, :2].T)
            found |= ((pool.owners == pool.owners[k]) | (away < CHOICE_LIMITS.room)) & (pool.boxes.values != value)
    return found


def _kept(pool: Pool, chosen: Indexes) -> Pool:
    """The candidates of the chosen boxes' guesses, which get the chosen boxes' numbers; these come first."""
    number = np.full(pool.owners.max(initial=-1) + 1, -1, np.intp)
    number[pool.owners[chosen]] = np.arange(len(chosen))
    owners = number[pool.owners]
    rest = np.setdiff1d(np.flatnonzero(owners >= 0), chosen)
    order = np.concatenate([chosen, rest]).astype(np.intp)
    return Pool(pool.boxes.only(order), owners[order], np.ones(len(order), bool), np.arange(len(order)) < len(chosen))


def _elsewhere(evidence: RoughEvidence, pool: Pool, scores: Array, means: Array) -> tuple[Candidates, Indexes]:
    """Boxes in more places for guesses whose best one has edges that hardly show: of the likeliest shapes."""
    best: list[int] = []
    for guess in np.unique(pool.owners).tolist():
        own = np.flatnonzero(pool.owners == guess)
        own = own[np.argsort(-scores[own], kind="stable")]
        if means[own[0]] < CHOICE_LIMITS.well_fitted:
            first = np.unique(pool.boxes.which[own], return_index=True)[1]
            best += own[np.sort(first)[: CHOICE_LIMITS.shapes]].tolist()
    index = np.array(best, np.intp)
    return around(evidence, pool.boxes.only(index), pool.owners[index], CHOICE_LIMITS.tried)


def _apart(pool: Pool, scores: Array) -> Array:
    """The scores, so that of each guess's boxes of one shape all but the best two that are not the same come last."""
    keys, found = (pool.owners * len(pool.boxes.shapes) + pool.boxes.which).tolist(), scores.copy()
    poses = pool.boxes.poses[:, :3].tolist()
    kept: dict[int, list[list[float]]] = {}
    same_place, same_turn = CHOICE_LIMITS.same_pose
    for k in np.argsort(-scores, kind="stable").tolist():
        own, (x, y, yaw) = kept.setdefault(keys[k], []), poses[k]
        is_same = any(math.hypot(one[0] - x, one[1] - y) < same_place and abs(one[2] - yaw) < same_turn for one in own)
        if len(own) < CHOICE_LIMITS.per_shape and not is_same:
            own.append(poses[k])
        else:
            found[k] -= LAST_OF_ALL
    return found


def copies_of(tile_set: TileSet) -> dict[int, int | None]:
    """How many tiles of each value there are; None where there is no limit."""
    return {tile.value: copies for tile, copies in zip(tile_set.tiles, tile_set.copies, strict=True)}


def _picked(scores: Array, pool: Pool, copies: dict[int, int | None]) -> Indexes:
    """The best candidate of each guess, each tile at most as often as there are copies, none in another's place."""
    gone: set[int] = set()
    while True:
        chosen = _assigned(scores, pool, copies, gone)
        clash = _clash(scores, pool.boxes, chosen)
        if clash is None:
            return chosen
        gone.add(int(pool.owners[clash]))


def _assigned(scores: Array, pool: Pool, copies: dict[int, int | None], gone: set[int]) -> Indexes:
    guesses = [g for g in np.unique(pool.owners).tolist() if g not in gone]
    slots = [value for value, count in copies.items() for _ in range(min(count or len(guesses), len(guesses)))]
    gains = np.zeros((len(guesses), len(slots) + len(guesses)))
    gains[:, : len(slots)] = -LAST_OF_ALL
    best = np.zeros((len(guesses), len(slots)), np.intp)
    values, columns_of = pool.boxes.values, np.array(slots)
    for row, guess in enumerate(guesses):
        for k in np.flatnonzero(pool.owners == guess).tolist():
            for column in np.flatnonzero(columns_of == values[k]).tolist():
                gain = scores[k] - EXPLANATION.box_cost
                if gain > gains[row, column]:
                    gains[row, column], best[row, column] = gain, k
    rows, columns = linear_sum_assignment(-gains)
    return np.array([best[r, c] for r, c in zip(rows, columns, strict=True) if c < len(slots)], np.intp)


def _clash(scores: Array, boxes: Candidates, chosen: Indexes) -> int | None:
    """The weaker of two chosen boxes that stand in one another, the weakest of all first."""
    chosen = chosen[np.argsort(scores[chosen])]
    some, own = boxes.only(chosen), scores[chosen]
    weaker = feet_overlap(some.poses, some.sizes, some.poses, some.sizes, OVERLAP.slack) & (own >= own[:, None])
    np.fill_diagonal(weaker, False)
    clashes = chosen[weaker.any(axis=1)]
    return int(clashes[0]) if len(clashes) else None
