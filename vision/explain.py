"""The whole picture explained at once: which boxes together say best what every pixel, vote and edge shows.

A box that stands behind another is asked only where it is seen, and what two boxes cover counts for the nearer one.
So a box that nothing needs is worth nothing, and a small tile before a large one is worth its top and its votes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.boxes import FACE_CORNERS, FACES, corners_of, feet_overlap, seen_at
from vision.candidates import SLACK, Candidates
from vision.edges import places_on, worth_of
from vision.frame import Part
from vision.proposals import Votes
from vision.tries import Cover

PER_PIXEL = 0.25  # what a pixel says beside an edge's observation, by the logarithm of its odds
PER_VOTE = 1.0  # what a vote says against the box that it is on when it is for another place
OTHER_PLACE = 12.0  # mm from a box's foot where a vote is wholly for another
SIZE = 0.5  # what the square of a doubt about the size costs
LEAST = 16.0  # what a box must be worth to be believed
EPSILON = 0.5  # by which an explanation must be better to be another
MOST_STEPS = 25
LIVE = 5  # shapes of each guess that are tried
CLOSE = 1.0  # px around a box where others are beside it
INSTEAD = 2  # other boxes that are tried for a guess whose tile another takes
SURE = 0.25  # how fast confidence grows with what speaks for one tile and against others
TOP_CORNERS = FACE_CORNERS[FACES.index((2, 1))]
SIDES, TOPS, NOTHING = range(3)

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Box:
    """What one box of a pool claims of the picture."""

    away: float  # mm from the eye, along the table
    cost: float
    pixels: Indexes  # that it covers
    told: Floats  # (pixels,) what each says for it
    votes: Indexes  # pixels with votes on it
    against: Array  # (votes,) what each says against it
    edges: Indexes  # pixels of places on its edges
    worth: Array  # (edges,) what each says for it

    def total(self, owner: Indexes, k: int, nearer: Mask) -> float:
        """What it is worth where nothing hides it; `nearer` says of each owner, -1 last, whether it hides this one."""
        seen = float(self.told[owner[self.pixels] == k].sum()) - float(self.against[owner[self.votes] == k].sum())
        return seen + float(self.worth[~nearer[owner[self.edges]]].sum()) - self.cost


class Picture:
    """What a picture shows at every pixel, vote and edge, as far as the boxes of a pool can explain it."""

    def __init__(self, part: Part, cover: Cover, votes: Votes, pool: Candidates) -> None:
        wide, high = cover.size
        pixels, odds = wide * high, cover.odds.ravel()
        self._owner = np.full(pixels, -1, np.intp)
        away = np.hypot(*(pool.poses[:, :2] - part.eye[:2]).T)
        self._nearer = np.append(away, np.inf) < away[:, None]
        places = places_on(pool.poses, pool.sizes, part.matrix, part.eye)
        worth, _ = worth_of(part.edges, places)
        spots = np.rint(seen_at(cover.matrix, places.points)).astype(np.intp).reshape(len(away), -1, 2)
        x, y = np.clip(spots[..., 0], 0, wide - 1), np.clip(spots[..., 1], 0, high - 1)
        edges = y * wide + x
        rows, columns = np.minimum(2 * votes.rows, high - 1), np.minimum(2 * votes.columns, wide - 1)
        cells, index_of = rows * wide + columns, np.full(pixels, -1, np.intp)
        index_of[cells] = np.arange(len(cells))
        self._boxes: list[_Box] = []
        for k, (where, shown) in enumerate(_painted(cover, pool)):
            voters = index_of[where]
            voters = voters[voters >= 0]
            off = np.linalg.norm(votes.places[voters] - pool.poses[k, :2], axis=1) / OTHER_PLACE
            against = PER_VOTE * votes.weights[voters] * np.minimum(off, 1.0)
            cost = LEAST + SIZE * float(pool.off[k]) ** 2
            told, telling = PER_PIXEL * odds[shown * pixels + where], worth[k] != 0
            box = _Box(float(away[k]), cost, where, told, cells[voters], against, edges[k][telling], worth[k][telling])
            self._boxes.append(box)
        seen = seen_at(cover.matrix, corners_of(pool.poses, pool.sizes))
        self._low, self._end = seen.min(axis=1) - CLOSE, seen.max(axis=1) + CLOSE

    def beside(self, boxes: frozenset[int]) -> Mask:
        """Which boxes are seen where one of these is, or close by: (n,)."""
        found = np.zeros(len(self._boxes), bool)
        for k in boxes:
            found |= ((self._low < self._end[k]) & (self._low[k] < self._end)).all(axis=1)
        return found

    def worth(self, chosen: Collection[int]) -> float:
        """How much better these boxes explain the picture than an empty table."""
        boxes, owner = self._boxes, self._owner
        for k in sorted(chosen, key=lambda k: -boxes[k].away):  # nearer ones over farther ones
            owner[boxes[k].pixels] = k
        found = sum(boxes[k].total(owner, k, self._nearer[k]) for k in chosen)
        for k in chosen:
            owner[boxes[k].pixels] = -1
        return found


def _painted(cover: Cover, pool: Candidates) -> Iterator[tuple[Indexes, Indexes]]:
    """For each box the pixels that it covers, and whether each shows its sides or its top."""
    wide, high = cover.size
    for spots in seen_at(cover.matrix, corners_of(pool.poses, pool.sizes)):
        low = np.clip(np.floor(spots.min(axis=0)).astype(int), 0, [wide - 1, high - 1])
        end = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 1, low + 1, [wide, high])
        mask = np.full((end[1] - low[1], end[0] - low[0]), NOTHING, np.uint8)
        points = np.round((spots - low) * 16).astype(np.int32)
        cv2.fillConvexPoly(mask, cv2.convexHull(points), SIDES, shift=4)
        cv2.fillConvexPoly(mask, points[TOP_CORNERS], TOPS, shift=4)
        rows, columns = np.nonzero(mask != NOTHING)
        yield (rows + low[1]) * wide + columns + low[0], mask[rows, columns].astype(np.intp)


class Search:
    """Looks for the boxes that explain a picture best, one change after another."""

    def __init__(
        self, picture: Picture, pool: Candidates, owners: Indexes, scores: Array, copies: dict[int, int | None]
    ) -> None:
        self._picture, self._pool, self._owners, self._values = picture, pool, owners, pool.values
        self._copies = copies
        self._clash = feet_overlap(pool.poses, pool.sizes, pool.poses, pool.sizes, SLACK)  # which stand in which
        order = np.argsort(-scores, kind="stable")
        first = np.unique((owners * len(pool.shapes) + pool.which)[order], return_index=True)[1]
        best = order[np.sort(first)]  # of each guess and shape
        self._of_guess = {g: best[owners[best] == g][:LIVE].tolist() for g in np.unique(owners).tolist()}
        self._live = [k for some in self._of_guess.values() for k in some]
        self._known: dict[frozenset[int], float] = {}
        self._beside: dict[frozenset[int], Mask] = {}

    def best(self, start: Indexes) -> Indexes:
        """From these boxes on, as long as a change makes it better."""
        chosen = frozenset(start.tolist())
        for _ in range(MOST_STEPS):
            best, most = chosen, EPSILON
            for found in self._changes(chosen):
                gain = self._gain(chosen, found)
                if gain > most:
                    best, most = found, gain
            if best == chosen:
                break
            chosen = best
        return np.array(sorted(chosen), np.intp)

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
            found.append(1 / (1 + np.exp(np.clip(SURE * against, -50, 50)).sum()))
        return np.array(found)

    def _gain(self, chosen: frozenset[int], found: frozenset[int]) -> float:
        """By how much a change makes it better. Only boxes beside those that are exchanged have a say in that."""
        changed = chosen ^ found
        if changed not in self._beside:
            self._beside[changed] = self._picture.beside(changed)
        near = self._beside[changed]
        return self._worth(frozenset(k for k in found if near[k])) - self._worth(
            frozenset(k for k in chosen if near[k])
        )

    def _worth(self, chosen: frozenset[int]) -> float:
        if chosen not in self._known:
            self._known[chosen] = self._picture.worth(chosen)
        return self._known[chosen]

    def _changes(self, chosen: frozenset[int]) -> Iterator[frozenset[int]]:
        """One box less, or another one instead of those that leave no room for it."""
        for k in chosen:
            yield chosen - {k}
        for k in self._live:
            if k not in chosen:
                yield from self._with(chosen, k)

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
        for k in instead[:INSTEAD]:
            yield left | {new, k}

    def _robbed(self, chosen: frozenset[int], new: int) -> int | None:
        """Which box must give its tile to a new one: the first of that value when all its copies are used."""
        same = [k for k in sorted(chosen) if self._values[k] == self._values[new]]
        most = self._copies[int(self._values[new])]
        return same[0] if most is not None and len(same) >= most else None

    def _fits(self, chosen: frozenset[int], new: int) -> bool:
        return self._robbed(chosen, new) is None and not any(self._clash[new, k] for k in chosen)
