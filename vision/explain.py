"""The whole picture explained at once: which boxes together say best what every pixel, vote and edge shows.

A box that stands behind another is asked only where it is seen, and what two boxes cover counts for the nearer one.
So a box that nothing needs is worth nothing, and a small tile before a large one is worth its top and its votes.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from vision.boxes import FACE_CORNERS, FACES, corners_of, feet_overlap, seen_at
from vision.candidates import SLACK, Candidates
from vision.edges import places_on, worth_of
from vision.frame import Part
from vision.proposals import Votes
from vision.tries import Cover

PER_PIXEL = 0.12  # what a pixel says beside an edge's observation, by the logarithm of its odds
PER_VOTE = 1.0  # what a vote says against the box that it is on when it is for another place
OTHER_PLACE = 12.0  # mm from a box's foot where a vote is wholly for another
SIZE = 0.5  # what the square of a doubt about the size costs
LEAST = 35.0  # what a box must be worth to be believed
EPSILON = 0.5  # by which an explanation must be better to be another
MOST_STEPS = 25
LIVE = 5  # shapes of each guess that are tried
INSTEAD = 2  # other boxes that are tried for a guess whose tile another takes
SURE = 0.25  # how fast confidence grows with what speaks for one tile and against others
TOP_CORNERS = FACE_CORNERS[FACES.index((2, 1))]
SIDES, TOPS, NOTHING = range(3)

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


class Picture:
    """What a picture shows at every pixel, vote and edge, as far as the boxes of a pool can explain it."""

    def __init__(self, part: Part, cover: Cover, votes: Votes, pool: Candidates) -> None:
        wide, high = cover.size
        self._pixels = wide * high
        self._odds = np.concatenate([cover.odds, np.zeros((1, self._pixels), np.float32)]).ravel()
        self._painted = list(_painted(cover, pool))
        self._any = np.unique(np.concatenate([where for where, _ in self._painted]))
        self._shown = np.full(self._pixels, NOTHING, np.intp)
        self._owner = np.full(self._pixels, -1, np.intp)
        self._feet = pool.poses[:, :2]
        self._away = np.hypot(*(self._feet - part.eye[:2]).T)
        self._own_cost = LEAST + SIZE * pool.off**2
        places = places_on(pool.poses, pool.sizes, part.matrix, part.eye)
        self._worth, _ = worth_of(part.edges, places)
        spots = np.rint(seen_at(cover.matrix, places.points)).astype(np.intp).reshape(len(self._feet), -1, 2)
        x, y = np.clip(spots[..., 0], 0, wide - 1), np.clip(spots[..., 1], 0, high - 1)
        self._edges = y * wide + x
        rows, columns = np.minimum(2 * votes.rows, high - 1), np.minimum(2 * votes.columns, wide - 1)
        self._votes, self._places, self._loads = rows * wide + columns, votes.places, votes.weights

    def worth(self, chosen: list[int]) -> float:
        """How much better these boxes explain the picture than an empty table."""
        if not chosen:
            return 0.0
        index = np.array(sorted(chosen, key=lambda k: -self._away[k]))
        self._owner[self._any], self._shown[self._any] = -1, NOTHING
        for k in index.tolist():  # nearer ones over farther ones
            where, shown = self._painted[k]
            self._owner[where], self._shown[where] = k, shown
        found = PER_PIXEL * float(self._odds[self._shown[self._any] * self._pixels + self._any].sum())
        whose = self._owner[self._votes]
        on = np.flatnonzero(whose >= 0)
        off = np.linalg.norm(self._places[on] - self._feet[whose[on]], axis=1) / OTHER_PLACE
        found -= PER_VOTE * float(self._loads[on] @ np.minimum(off, 1.0))
        before = self._owner[self._edges[index]]
        hidden = (before >= 0) & (self._away[before] < self._away[index][:, None])
        found += float(self._worth[index][~hidden].sum())
        return found - float(self._own_cost[index].sum())


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
        self._clashes: dict[int, Mask] = {}
        order = np.argsort(-scores, kind="stable")
        first = np.unique((owners * len(pool.shapes) + pool.which)[order], return_index=True)[1]
        best = order[np.sort(first)]  # of each guess and shape
        self._of_guess = {g: best[owners[best] == g][:LIVE].tolist() for g in np.unique(owners).tolist()}
        self._live = [k for some in self._of_guess.values() for k in some]
        self._known: dict[frozenset[int], float] = {}

    def best(self, start: Indexes) -> Indexes:
        """From these boxes on, as long as a change makes it better."""
        chosen = frozenset(start.tolist())
        for _ in range(MOST_STEPS):
            worth = self._worth(chosen)
            found = max(self._changes(chosen), key=self._worth, default=chosen)
            if self._worth(found) < worth + EPSILON:
                break
            chosen = found
        return np.array(sorted(chosen), np.intp)

    def confidences(self, chosen: Indexes) -> Array:
        """How sure each is: against the other shapes that its guess may have, and against there being no tile."""
        every, which = frozenset(chosen.tolist()), self._pool.which
        whole, found = self._worth(every), []
        for k in chosen.tolist():
            left = every - {k}
            others = [j for j in self._of_guess[int(self._owners[k])] if which[j] != which[k] and self._fits(left, j)]
            against = np.array([self._worth(left), *(self._worth(left | {j}) for j in others)])
            found.append(1 / (1 + np.exp(np.clip(SURE * (against - whole), -50, 50)).sum()))
        return np.array(found)

    def _worth(self, chosen: frozenset[int]) -> float:
        if chosen not in self._known:
            self._known[chosen] = self._picture.worth(list(chosen))
        return self._known[chosen]

    def _changes(self, chosen: frozenset[int]) -> Iterator[frozenset[int]]:
        """One box less, or another one instead of those that leave no room for it."""
        for k in chosen:
            yield chosen - {k}
        for k in self._live:
            if k not in chosen:
                yield from self._with(chosen, k)

    def _with(self, chosen: frozenset[int], new: int) -> Iterator[frozenset[int]]:
        gone = {k for k in chosen if self._owners[k] == self._owners[new] or self._clash(new)[k]}
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

    def _clash(self, k: int) -> Mask:
        """Which boxes stand in that one."""
        if k not in self._clashes:
            pool = self._pool
            self._clashes[k] = feet_overlap(pool.poses[k], pool.sizes[k], pool.poses, pool.sizes, SLACK)
        return self._clashes[k]

    def _robbed(self, chosen: frozenset[int], new: int) -> int | None:
        """Which box must give its tile to a new one: the first of that value when all its copies are used."""
        same = [k for k in sorted(chosen) if self._values[k] == self._values[new]]
        most = self._copies[int(self._values[new])]
        return same[0] if most is not None and len(same) >= most else None

    def _fits(self, chosen: frozenset[int], new: int) -> bool:
        return self._robbed(chosen, new) is None and not any(self._clash(new)[k] for k in chosen)
