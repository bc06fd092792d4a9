"""The whole picture explained at once: which boxes together say best what every pixel, vote and edge shows.

A box that stands behind another is asked only where it is seen, and what two boxes cover counts for the nearer one.
So a box that nothing needs is worth nothing, and a small tile before a large one is worth its top and its votes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.polygons import SUBPIXEL_BITS, fixed_point
from vision.reader.boxes import TOP_CORNERS, corners_of, feet_overlap, seen_at
from vision.reader.candidates import OVERLAP, Candidates
from vision.reader.edges import places_on, worth_of
from vision.reader.pose_search import RoughEvidence
from vision.reader.proposals import Votes
from vision.reader.straightened import Part


@dataclass(frozen=True, slots=True)
class ExplanationScore:
    """What each part of a picture says for a set of boxes, in an edge's logarithms of odds."""

    per_pixel: float = 0.35  # what a pixel says, by the logarithm of its odds; set by 240 drawn pictures
    per_vote: float = 1.0  # what a vote says against the box that it is on when it is for another place
    vote_distance: float = 12.0  # mm from a box's foot where a vote is wholly for another
    size_cost: float = 0.5  # of the square of a doubt about the size
    box_cost: float = 16.0  # what a box must be worth to be believed
    min_gap: float = 1.0  # mm between two tiles below which it costs: nobody puts them so close
    gap_cost: float = 24.0  # what each such pair costs


EXPLANATION = ExplanationScore()


@dataclass(frozen=True, slots=True)
class SceneSearch:
    """How the best set of boxes is looked for."""

    min_gain: float = 0.5  # by which an explanation must be better to be another
    max_steps: int = 25  # changes one after another
    shapes: int = 5  # of each guess that its confidence depends on
    twins: int = 3  # boxes instead of one beside which others are tried
    twin_distance: float = 25.0  # mm within which these are
    hiding_margin: float = 1.0  # px around a box where others may hide it
    replacements: int = 2  # other boxes that are tried for a guess whose tile another takes
    confidence_rate: float = 0.25  # how fast confidence grows with what speaks for one tile and against others


SCENE_SEARCH = SceneSearch()


SIDES, TOPS, NOTHING = range(3)

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Indexes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class _Box:
    """What one box of a pool claims of the picture."""

    cost: float
    pixels: Indexes  # that it covers
    pixel_scores: Floats  # (pixels,) what each says for it, less what a vote there says against it
    edges: Indexes  # pixels of places on its edges
    worth: Array  # (edges,) what each says for it


class Picture:
    """What a picture shows at every pixel, vote and edge, as far as the boxes of a pool can explain it."""

    def __init__(self, part: Part, evidence: RoughEvidence, votes: Votes, pool: Candidates) -> None:
        wide, high = evidence.size
        pixels, odds = wide * high, evidence.odds.ravel()
        places = places_on(pool.poses, pool.sizes, part.matrix, part.eye)
        worth, _ = worth_of(part.edges, places)
        spots = np.rint(seen_at(evidence.matrix, places.points)).astype(np.intp).reshape(len(worth), -1, 2)
        x, y = np.clip(spots[..., 0], 0, wide - 1), np.clip(spots[..., 1], 0, high - 1)
        edges = y * wide + x
        rows, columns = np.minimum(2 * votes.rows, high - 1), np.minimum(2 * votes.columns, wide - 1)
        vote_at = np.full(pixels, -1, np.intp)
        vote_at[rows * wide + columns] = np.arange(len(rows))
        self._boxes: list[_Box] = []
        for k, (where, shown) in enumerate(_painted(evidence, pool)):
            pixel_scores = EXPLANATION.per_pixel * odds[shown * pixels + where]
            telling = worth[k] != 0
            voting = np.flatnonzero(vote_at[where] >= 0)
            voters = vote_at[where[voting]]
            off = np.linalg.norm(votes.places[voters] - pool.poses[k, :2], axis=1) / EXPLANATION.vote_distance
            pixel_scores[voting] -= (EXPLANATION.per_vote * votes.weights[voters] * np.minimum(off, 1.0)).astype(
                np.float32
            )
            cost = EXPLANATION.box_cost + EXPLANATION.size_cost * float(pool.off[k]) ** 2
            self._boxes.append(_Box(cost, where, pixel_scores, edges[k][telling], worth[k][telling]))
        self._hiders = _hiders(part, evidence, pool)
        self._hidden = np.zeros(pixels, bool)
        self._known: dict[tuple[int, frozenset[int]], float] = {}

    def worth(self, chosen: Collection[int]) -> float:
        """How much better these boxes explain the picture than an empty table."""
        every = frozenset(chosen)
        return sum(self._total(k, self._hiders[k] & every) for k in every)

    def gain(self, chosen: frozenset[int], found: frozenset[int]) -> float:
        """By how much a change makes it better. Only what is exchanged or hidden by it has a say in that."""
        changed = chosen ^ found

        def pixel_scores(some: frozenset[int]) -> float:
            return sum(
                self._total(k, self._hiders[k] & some)
                for k in some
                if k in changed or not changed.isdisjoint(self._hiders[k])
            )

        return pixel_scores(found) - pixel_scores(chosen)

    def _total(self, k: int, hiders: frozenset[int]) -> float:
        """What a box is worth where these do not hide it."""
        found = self._known.get((k, hiders))
        if found is None:
            box, hidden = self._boxes[k], self._hidden
            for nearer in hiders:
                hidden[self._boxes[nearer].pixels] = True
            found = float(box.pixel_scores @ ~hidden[box.pixels]) + float(box.worth @ ~hidden[box.edges]) - box.cost
            for nearer in hiders:
                hidden[self._boxes[nearer].pixels] = False
            self._known[k, hiders] = found
        return found


def _hiders(part: Part, evidence: RoughEvidence, pool: Candidates) -> list[frozenset[int]]:
    """For each box those that are nearer to the camera and seen where it is, or close by."""
    away = np.hypot(*(pool.poses[:, :2] - part.eye[:2]).T)
    seen = seen_at(evidence.matrix, corners_of(pool.poses, pool.sizes))
    low, end = seen.min(axis=1) - SCENE_SEARCH.hiding_margin, seen.max(axis=1) + SCENE_SEARCH.hiding_margin
    beside = ((low < end[:, None]) & (low[:, None] < end)).all(axis=2)
    return [frozenset(np.flatnonzero(row).tolist()) for row in beside & (away < away[:, None])]


def _painted(evidence: RoughEvidence, pool: Candidates) -> Iterator[tuple[Indexes, Indexes]]:
    """For each box the pixels that it covers, and whether each shows its sides or its top."""
    wide, high = evidence.size
    for spots in seen_at(evidence.matrix, corners_of(pool.poses, pool.sizes)):
        low = np.clip(np.floor(spots.min(axis=0)).astype(int), 0, [wide - 1, high - 1])
        end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 1, low + 1, [wide, high])
        mask = np.full((end[1] - low[1], end[0] - low[0]), NOTHING, np.uint8)
        points = fixed_point(spots - low)
        cv2.fillConvexPoly(mask, cv2.convexHull(points), SIDES, shift=SUBPIXEL_BITS)
        cv2.fillConvexPoly(mask, points[TOP_CORNERS], TOPS, shift=SUBPIXEL_BITS)
        rows, columns = np.nonzero(mask != NOTHING)
        yield (rows + low[1]) * wide + columns + low[0], mask[rows, columns].astype(np.intp)


class Search:
    """Looks for the boxes that explain a picture best, one change after another."""

    def __init__(
        self, picture: Picture, pool: Candidates, owners: Indexes, scores: Array, copies: dict[int, int | None]
    ) -> None:
        self._picture, self._pool, self._owners, self._values = picture, pool, owners, pool.values
        self._copies = copies
        # Which boxes stand in which, and which all but touch.
        self._clash = feet_overlap(pool.poses, pool.sizes, pool.poses, pool.sizes, OVERLAP.slack)
        tight = feet_overlap(pool.poses, pool.sizes, pool.poses, pool.sizes, -EXPLANATION.min_gap)
        tight &= ~np.eye(len(owners), dtype=bool)
        self._tight = [frozenset(np.flatnonzero(row).tolist()) for row in tight]
        order = np.argsort(-scores, kind="stable")
        first = np.unique((owners * len(pool.shapes) + pool.which)[order], return_index=True)[1]
        best = order[np.sort(first)]  # of each guess and shape
        count = SCENE_SEARCH.shapes
        self._of_guess = {g: best[owners[best] == g][:count].tolist() for g in np.unique(owners).tolist()}

    def best(self, *starts: Indexes) -> Indexes:
        """From the best of these sets of boxes on, as long as a change makes it better."""
        chosen = max((frozenset(start.tolist()) for start in starts), key=self._worth)
        for _ in range(SCENE_SEARCH.max_steps):
            better = self._best_of(chosen, self._changes(chosen)) or self._best_of(chosen, self._twins(chosen))
            if better is None:
                break
            chosen = better
        return np.array(sorted(chosen), np.intp)

    def _best_of(self, chosen: frozenset[int], changes: Iterable[frozenset[int]]) -> frozenset[int] | None:
        """The best of these changes; None when none makes it better."""
        best, most = None, SCENE_SEARCH.min_gain
        for found in changes:
            gain = self._gain(chosen, found)
            if gain > most:
                best, most = found, gain
        return best

    def worths(self, chosen: Indexes) -> Array:
        """How much better the picture is explained with each than without it."""
        every = frozenset(chosen.tolist())
        return np.array([-self._gain(every, every - {k}) for k in chosen.tolist()])

    def confidences(self, chosen: Indexes) -> Array:
        """How sure each is: against the other shapes that its guess may have, and against there being no tile."""
        every, which, found = frozenset(chosen.tolist()), self._pool.which, []
        for k in chosen.tolist():
            left = every - {k}
            others = [j for j in self._of_guess[int(self._owners[k])] if which[j] != which[k] and self._fits(left, j)]
            against = np.array([self._gain(every, other) for other in (left, *(left | {j} for j in others))])
            found.append(1 / (1 + np.exp(np.clip(SCENE_SEARCH.confidence_rate * against, -50, 50)).sum()))
        return np.array(found)

    def _worth(self, chosen: frozenset[int]) -> float:
        return self._picture.worth(chosen) - EXPLANATION.gap_cost * self._crowded(chosen)

    def _gain(self, chosen: frozenset[int], found: frozenset[int]) -> float:
        """By how much a change makes it better."""
        more = self._crowded(found) - self._crowded(chosen)
        return self._picture.gain(chosen, found) - EXPLANATION.gap_cost * more

    def _crowded(self, chosen: frozenset[int]) -> float:
        """How many pairs of boxes all but touch."""
        return sum(len(self._tight[k] & chosen) for k in chosen) / 2

    def _changes(self, chosen: frozenset[int]) -> Iterator[frozenset[int]]:
        """One box less, or another one instead of those that leave no room for it."""
        for k in chosen:
            yield chosen - {k}
        for k in range(len(self._owners)):
            if k not in chosen:
                yield from self._with(chosen, k)

    def _twins(self, chosen: frozenset[int]) -> Iterator[frozenset[int]]:
        """Two boxes instead of one that takes the room of one of them at least."""
        for k in chosen:
            left, away = chosen - {k}, np.hypot(*(self._pool.poses - self._pool.poses[k])[:, :2].T)
            beside = np.flatnonzero(away < SCENE_SEARCH.twin_distance).tolist()
            near = [j for j in beside if j != k and self._fits(left, j)]
            rivals = [j for j in near if self._clash[k, j] or self._owners[j] == self._owners[k]]
            rivals.sort(key=lambda j: -self._gain(left, left | {j}))
            for one in rivals[: SCENE_SEARCH.twins]:
                for two in near:
                    if self._owners[two] != self._owners[one] and self._fits(left | {one}, two):
                        yield left | {one, two}

    def _with(self, chosen: frozenset[int], new: int) -> Iterator[frozenset[int]]:
        gone = {k for k in chosen if self._owners[k] == self._owners[new] or self._clash[new, k]}
        left = chosen - gone
        robbed = self._robbed(left, new)
        if robbed is None:
            yield left | {new}
            return
        left = left - {robbed}
        yield left | {new}
        instead = [k for k in self._of_guess[int(self._owners[robbed])] if self._fits(left | {new}, k)]
        for k in instead[: SCENE_SEARCH.replacements]:
            yield left | {new, k}

    def _robbed(self, chosen: frozenset[int], new: int) -> int | None:
        """Which box must give its tile to a new one: the first of that value when all its copies are used."""
        same = [k for k in sorted(chosen) if self._values[k] == self._values[new]]
        most = self._copies[int(self._values[new])]
        return same[0] if most is not None and len(same) >= most else None

    def _fits(self, chosen: frozenset[int], new: int) -> bool:
        return self._robbed(chosen, new) is None and not any(self._clash[new, k] for k in chosen)
