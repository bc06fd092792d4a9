"""Which of the candidates are the tiles: the set of boxes that together explain the picture best.

Each tile of the set is used at most as often as there are copies, no two stand in one another, and what one hides of
another is neither asked for nor counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from physics.tiles import TileSet
from vision.boxes import corners_of, feet_overlap, hidden, seen_at
from vision.edges import REACH, EdgePlaces, measure, places_on, refine, scores_of
from vision.frame import Coarse, Frame
from vision.search import Candidates

PER_PIXEL = 0.03  # what a pixel says for a box that covers it when it is surely no mat
OPEN = 0.5  # evidence at which a pixel says nothing
AGAINST = 4.5  # how much more a pixel says against a box
BARE = 8.0  # what it says against when it is surely mat
SAME_EDGE = 2.0  # px within which two boxes claim one edge
SAME_WAY = 0.94  # cosine between the edges' directions then
RIM = 1.0  # coarse px along a box's outline that are not asked
FAINT = 0.4  # of its score that an edge keeps when it is hardly more than noise
SLACK = 1.2  # mm that footprints may overlap: they are measured
LEAST_GAIN = 30.0  # below which a box is not worth believing, where a px shows USUAL mm
USUAL = 0.55
WEAK = -0.1  # mean score per observation below which a candidate is dropped
MOST = 240  # candidates looked at
ROUNDS = 3
SOLID = 1.15  # mean score per observation of a box that is surely right
TRIED = 4  # candidates weighed in full before one is added
RIVALS = 6  # candidates tried in the place of a chosen one
NEARLY = 60.0  # how much worse a change may be at first, before the set is filled up again
MOST_HIDDEN = 60.0  # edges may speak that much against a box before its pixels are looked at

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Indexes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Evidence:
    """What the picture says of each candidate."""

    candidates: Candidates
    sizes: Array
    values: Indexes
    points: Array  # (n, k, 3) places on edges, mm
    pixels: Array  # (n, k, 2) where they are seen
    normals: Array  # (n, k, 2)
    worth: Array  # (n, k) what each place says if it is not hidden
    weights: Array  # (n, k) observations at each place
    covered: list[Indexes]  # coarse pixels under each outline
    pixel_worth: Array  # (pixels,) what a coarse pixel says when covered
    eye: Array
    copies: dict[int, int]
    least: float  # what a box must be worth


def weigh(
    frame: Frame, coarse: Coarse, candidates: Candidates, tile_set: TileSet, most: int = MOST, again: bool = True
) -> Evidence:
    """Looks at the edges and at the pixels of every candidate; hopeless ones are dropped."""
    places = places_on(candidates.poses, candidates.sizes, frame.matrix, frame.eye)
    worth, weights = worth_of(frame, places)
    total = worth.sum(axis=1)
    mean = total / np.maximum(weights.sum(axis=1), 1e-6)
    good = np.flatnonzero(mean > WEAK)
    good = good[np.argsort(-(total * (0.5 + mean))[good])]
    kept = _without_twins(candidates, good)[:most]
    if again and len(kept):
        moved = candidates.only(kept)
        moved = moved.moved(refine(moved.poses, moved.sizes, frame.edges, frame.matrix, frame.eye, (2.0, 1.5)))
        return weigh(frame, coarse, moved, tile_set, most, again=False)
    chosen = candidates.only(kept)
    count = len(candidates.which)
    points = places.points.reshape(count, -1, 3)[kept]
    normals = np.broadcast_to(places.normals[:, :, None], places.pixels.shape).reshape(count, -1, 2)[kept]
    pixels = (frame.light.shape[0] / coarse.bare.shape[0]) ** 2
    open_worth = pixel_worth(coarse)
    return Evidence(
        chosen,
        chosen.sizes,
        chosen.values,
        points,
        places.pixels.reshape(count, -1, 2)[kept],
        normals,
        worth[kept],
        weights[kept],
        covered_by(coarse, chosen, RIM),
        (PER_PIXEL * pixels * open_worth).ravel().astype(float),
        frame.eye,
        copies_of(tile_set),
        LEAST_GAIN * min(1.3, max(0.4, math.sqrt(USUAL / frame.grain))),
    )


def pixel_worth(coarse: Coarse) -> npt.NDArray[np.float32]:
    """What each coarse pixel says for a box that covers it, -BARE to 1; nothing where the mat is not."""
    e = coarse.evidence
    found = np.where(e > OPEN, (e - OPEN) / (1 - OPEN), np.maximum(-BARE, AGAINST * (e - OPEN) / OPEN))
    return np.asarray(np.where(coarse.known, found, 0.0), np.float32)


def copies_of(tile_set: TileSet) -> dict[int, int]:
    """How many tiles of each value there are; many where there is no limit."""
    return {
        tile.value: copies if copies is not None else 10**6
        for tile, copies in zip(tile_set.tiles, tile_set.copies, strict=True)
    }


def worth_of(frame: Frame, places: EdgePlaces) -> tuple[Array, Array]:
    """What each place on the boxes' edges says for its box, and how much it counts, (n, places)."""
    off, slopes = measure(frame.edges, places, REACH)
    weights = np.broadcast_to(places.weights[..., None], off.shape).reshape(len(off), -1)
    high, wide = frame.edges.xx.shape
    x, y = places.pixels[..., 0], places.pixels[..., 1]
    inside = ((x > REACH + 2) & (y > REACH + 2) & (x < wide - REACH - 3) & (y < high - REACH - 3)).reshape(len(off), -1)
    weights = weights * inside
    scores = scores_of(off)
    # Faint edges are found anywhere, in the grain of wood and at the rims of shadows.
    strength = np.clip(FAINT + 0.25 * np.log2(np.maximum(slopes, 1e-9) / frame.edges.least), FAINT, 1.0)
    scores = np.where(scores < 0, scores * places.clear[..., None], scores * strength)
    return scores.reshape(len(off), -1) * weights, weights


def _without_twins(candidates: Candidates, order: Indexes) -> Indexes:
    """The first of those that are the same shape at the same place."""
    poses = candidates.poses[order]
    x, y = np.round(poses[:, 0] / 1.2).astype(int), np.round(poses[:, 1] / 1.2).astype(int)
    turn = np.round((poses[:, 2] % np.pi) / 0.06).astype(int) % 52
    keys = np.stack([candidates.which[order], x, y, turn], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    return order[np.sort(first)]


def covered_by(coarse: Coarse, candidates: Candidates, rim: float = 0.0) -> list[Indexes]:
    """The coarse pixels under each candidate's outline, a rim of so many left out."""
    spots = seen_at(coarse.matrix, corners_of(candidates.poses, candidates.sizes))
    high, wide = coarse.bare.shape
    found: list[Indexes] = []
    for spot in spots:
        hull = cv2.convexHull(spot.astype(np.float32)).reshape(-1, 2)
        middle = hull.mean(axis=0)
        # Pixels on the rim are half mat.
        hull = (
            hull
            + (middle - hull) * np.minimum(0.5, rim / np.maximum(np.linalg.norm(hull - middle, axis=1), 1e-6))[:, None]
        )
        low = np.clip(np.floor(hull.min(axis=0)).astype(int), 0, [wide - 1, high - 1])
        end = np.clip(np.ceil(hull.max(axis=0)).astype(int) + 1, low + 1, [wide, high])
        part = np.zeros((end[1] - low[1], end[0] - low[0]), np.uint8)
        cv2.fillConvexPoly(part, np.round((hull - low) * 16).astype(np.int32), 1, shift=4)
        rows, columns = np.nonzero(part)
        found.append((rows + low[1]) * wide + columns + low[0])
    return found


class Chooser:
    """Builds the best set step by step; what is known of each candidate is kept between steps."""

    def __init__(self, evidence: Evidence) -> None:
        self.e = evidence
        count = len(evidence.values)
        self._clash = np.zeros((count, count), bool)
        self._clash_known = np.zeros(count, bool)
        self._hides: dict[int, Mask] = {}
        self._claims: dict[int, Mask] = {}
        self._lengths = [len(covered) for covered in evidence.covered]
        spots = evidence.pixels
        used = (evidence.weights > 0)[..., None]
        self._low = np.where(used, spots, np.inf).min(axis=1, initial=np.inf)
        self._high = np.where(used, spots, -np.inf).max(axis=1, initial=-np.inf)

    def near(self, index: int) -> Indexes:
        """Candidates whose outlines may touch that one's in the picture."""
        apart = (self._low > self._high[index] + SAME_EDGE) | (self._high < self._low[index] - SAME_EDGE)
        return np.flatnonzero(~apart.any(axis=1))

    def clash(self, index: int) -> Mask:
        """Which candidates stand in the way of that one."""
        if not self._clash_known[index]:
            poses, sizes = self.e.candidates.poses, self.e.sizes
            self._clash[index] = feet_overlap(poses[index], sizes[index], poses, sizes, SLACK)
            self._clash[index, index] = True
            self._clash_known[index] = True
        found: Mask = self._clash[index]
        return found

    def hides(self, index: int) -> Mask:
        """Which places of all candidates that one hides, (n, k)."""
        if index not in self._hides:
            pose, size = self.e.candidates.poses[index], self.e.sizes[index]
            found = np.zeros(self.e.worth.shape, bool)
            near = self.near(index)
            found[near] = hidden(self.e.points[near], self.e.eye, pose, size)
            found[index] = False
            self._hides[index] = found
        return self._hides[index]

    def claims(self, index: int) -> Mask:
        """Which places of all candidates lie on an edge that belongs to that one as well, (n, k)."""
        if index not in self._claims:
            e = self.e
            used = e.weights[index] > 0
            spots, normals = e.pixels[index][used], e.normals[index][used]
            step = e.pixels.shape[1] // 12
            found = np.zeros(e.worth.shape, bool)
            near = self.near(index)
            places, ways = e.pixels[near], e.normals[near]
            claimed = np.zeros(places.shape[:2], bool)
            for first in range(0, len(spots), step):
                one, two, normal = spots[first], spots[min(first + step, len(spots)) - 1], normals[first]
                way = np.array([-normal[1], normal[0]])
                reach = np.sort([0.0, (two - one) @ way])
                off = places - one
                along = off @ way
                on = (np.abs(off @ normal) < SAME_EDGE) & (along > reach[0] - 4) & (along < reach[1] + 4)
                claimed |= on & (np.abs(ways @ normal) > SAME_WAY)
            found[near] = claimed
            self._claims[index] = found
        return self._claims[index]

    def value_of(self, chosen: Iterable[int]) -> float:
        """How well a set explains the picture: an edge that several boxes share counts once."""
        chosen = list(chosen)
        total = 0.0
        for index in chosen:
            free = np.ones(self.e.worth.shape[1], bool)
            sharers = np.ones(self.e.worth.shape[1])
            for other in chosen:
                if other != index:
                    free &= ~self.hides(other)[index]
                    sharers += self.claims(other)[index]
            worth = self.e.worth[index, free]
            total += float(np.where(worth > 0, worth / sharers[free], worth).sum()) - self.e.least
        if chosen:
            union = np.unique(np.concatenate([self.e.covered[index] for index in chosen]))
            total += float(self.e.pixel_worth[union].sum())
        return total

    def solid(self, chosen: list[int]) -> list[int]:
        """Those of the chosen whose edges show so well that hardly anything else can be there."""
        found = []
        for index in chosen:
            free = np.ones(self.e.worth.shape[1], bool)
            for other in chosen:
                if other != index:
                    free &= ~self.hides(other)[index]
            mean = self.e.worth[index, free].sum() / max(float(self.e.weights[index, free].sum()), 1e-6)
            if mean > SOLID:
                found.append(index)
        return found

    def grow(self, chosen: list[int], among: Indexes | None = None, most: int = 100) -> list[int]:
        """Adds the most telling candidates, of all or of some, one by one as long as that helps."""
        e = self.e
        chosen = list(chosen)
        pool = np.arange(len(e.values)) if among is None else among
        open_pixels = e.pixel_worth.copy()
        possible = np.ones(len(e.values), bool)
        free, sharers = np.ones((len(pool), e.worth.shape[1]), bool), np.ones((len(pool), e.worth.shape[1]))
        worth = e.worth[pool]
        current = self.value_of(chosen)
        fresh = chosen
        covered = [e.covered[index] for index in pool]
        while True:
            for index in fresh:
                free &= ~self.hides(index)[pool]
                sharers += self.claims(index)[pool]
                open_pixels[e.covered[index]] = 0
                possible &= ~self.clash(index)
            self._spend(chosen, possible)
            if len(chosen) >= most or not possible[pool].any():
                return chosen
            gains = np.where(worth > 0, worth / sharers, worth * (sharers <= 1)).sum(axis=1, where=free)
            for k in np.flatnonzero(possible[pool] & (gains > -MOST_HIDDEN)):
                gains[k] += open_pixels[covered[k]].sum()
            gains[~possible[pool]] = -np.inf
            best, best_value = -1, current
            for k in np.argsort(-gains)[:TRIED]:
                if gains[k] < self.e.least:
                    break
                value = self.value_of([*chosen, int(pool[k])])
                if value > best_value:
                    best, best_value = int(pool[k]), value
            if best < 0:
                return chosen
            chosen.append(best)
            current, fresh = best_value, [best]

    def _spend(self, chosen: list[int], possible: Mask) -> None:
        for value, used in Counter(int(self.e.values[index]) for index in chosen).items():
            if used >= self.e.copies.get(value, 0):
                possible &= self.e.values != value

    def improve(self, chosen: list[int]) -> list[int]:
        """Takes tiles out, puts others there, and fills up again, as long as that explains the picture better."""
        current = self.value_of(chosen)
        tried: set[frozenset[int]] = set()
        for _ in range(ROUNDS):
            better = False
            for index in list(chosen):
                if index not in chosen:
                    continue
                for start in self._starts(chosen, index):
                    key = frozenset(start)
                    if key in tried:
                        continue
                    tried.add(key)
                    value = self.value_of(start)
                    if value > current - NEARLY:
                        among = self.near(index)
                        start = self.grow(start, among[among != index], most=len(start) + 2)
                        value = self.value_of(start)
                    if value > current + 0.5:
                        chosen, current, better = start, value, True
                        break
            if not better:
                break
        return chosen

    def _starts(self, chosen: list[int], index: int) -> Iterable[list[int]]:
        """Sets to start from: one tile taken out, or another candidate forced into its place."""
        rest = [other for other in chosen if other != index]
        yield rest
        rivals = np.flatnonzero(self.clash(index))
        rivals = rivals[rivals != index]
        for rival in rivals[np.argsort(-self.e.worth[rivals].sum(axis=1))][:RIVALS].tolist():
            clash = self.clash(rival)
            value = int(self.e.values[rival])
            single = self.e.copies.get(value, 0) <= 1
            yield [o for o in rest if not clash[o] and not (single and self.e.values[o] == value)] + [rival]


def choose(evidence: Evidence, start: list[int] | None = None) -> list[int]:
    """Indexes of the candidates that are the tiles."""
    if not len(evidence.values):
        return []
    chooser = Chooser(evidence)
    return chooser.improve(chooser.grow(start or []))
