"""Which of the candidates are the tiles: the set of boxes that together explain the picture best.

Each tile of the set is used at most as often as there are copies, no two stand in one another, and what one hides of
another is neither asked for nor counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

import cv2
import numpy as np
import numpy.typing as npt

from physics.tiles import TileSet
from vision.boxes import corners_of, feet_overlap, hidden, seen_at
from vision.edges import REACH, EdgePlaces, measure, places_on, refine, scores_of
from vision.frame import Coarse, Frame
from vision.search import Candidates

PER_PIXEL = 0.05  # what a pixel says for a box that covers it when it is surely no mat
OPEN = 0.5  # evidence at which a pixel says nothing
AGAINST = 2.7  # how much more a pixel says against a box
BARE = 4.8  # what it says against when it is surely mat
SAME_EDGE = 2.0  # px within which two boxes claim one edge
SAME_WAY = 0.94  # cosine between the edges' directions then
RIM = 1.0  # coarse px along a box's outline that are not asked
FAINT = 0.4  # of its score that an edge keeps when it is hardly more than noise
SLACK = 1.2  # mm that footprints may overlap: they are measured
AIR = 1.5  # mm between two tiles that stand apart, at least
TOUCHING = 30.0  # what it costs that two do not
LEAST_GAIN = 30.0  # below which a box is not worth believing, where a px shows USUAL mm
USUAL = 0.55
WEAK = -0.1  # mean score per observation below which a candidate is dropped
MOST = 260  # candidates looked at
ROUNDS = 3
SOLID = 1.15  # mean score per observation of a box that is surely right
TRUSTS = (1.0, 0.3)  # how much covered pixels count beside edges where tiles are picked one by one
TRIED = 4  # candidates weighed in full before one is added
TWIN, TWIN_TURN = 3.0, 0.15  # mm and rad within which two candidates of one shape are the same tile
RIVALS = 8  # candidates tried in the place of a chosen one
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


def places_seen(places: EdgePlaces, pool: Candidates, taken: Candidates, eye: Array) -> Mask:
    """Which places on the edges of the pool's boxes are not hidden by taken ones that stand beside them."""
    visible = np.ones(places.points.shape[:3], bool)
    for pose, size in zip(taken.poses, taken.sizes, strict=True):
        beside = np.flatnonzero(~feet_overlap(pose, size, pool.poses, pool.sizes, SLACK))
        visible[beside] &= ~hidden(places.points[beside], eye, pose, size)
    return visible


def weigh(
    frame: Frame,
    coarse: Coarse,
    candidates: Candidates,
    tile_set: TileSet,
    taken: Candidates | None = None,
    most: int = MOST,
    again: bool = True,
) -> Evidence:
    """Looks at the edges and at the pixels of every candidate; hopeless ones are dropped.

    What `taken` boxes hide is not held against a candidate when the most promising are picked.
    """
    places = places_on(candidates.poses, candidates.sizes, frame.matrix, frame.eye)
    worth, weights = worth_of(frame, places)
    open_worth = _pixel_worth(frame, coarse)
    kept = _promising(coarse, candidates, worth, weights, open_worth, most)
    if taken is not None:
        visible = places_seen(places, candidates, taken, frame.eye).reshape(worth.shape)
        left = open_worth.copy()
        for covered in covered_by(coarse, taken, RIM):
            left[covered] = 0
        # By turns those that show best by themselves and those that show best beside the taken.
        beside = _promising(coarse, candidates, worth * visible, weights * visible, left, most)
        both = [k for pair in zip_longest(kept.tolist(), beside.tolist()) for k in pair if k is not None]
        kept = np.array(list(dict.fromkeys(both))[:most], np.intp)
    if again and len(kept):
        moved = candidates.only(kept)
        moved = moved.moved(refine(moved.poses, moved.sizes, frame.edges, frame.matrix, frame.eye, (2.0, 1.5)))
        return weigh(frame, coarse, moved, tile_set, taken, most, again=False)
    chosen = candidates.only(kept)
    count = len(candidates.which)
    points = places.points.reshape(count, -1, 3)[kept]
    normals = np.broadcast_to(places.normals[:, :, None], places.pixels.shape).reshape(count, -1, 2)[kept]
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
        open_worth,
        frame.eye,
        copies_of(tile_set),
        LEAST_GAIN * min(1.3, max(0.4, math.sqrt(USUAL / frame.grain))),
    )


def _promising(
    coarse: Coarse, candidates: Candidates, worth: Array, weights: Array, pixels: Array, most: int
) -> Indexes:
    """The best by their edges and pixels, one of each place."""
    total = worth.sum(axis=1)
    mean = total / np.maximum(weights.sum(axis=1), 1e-6)
    good = np.flatnonzero(mean > WEAK)
    good = _without_twins(candidates, good[np.argsort(-(total * (0.5 + mean))[good])])[: 2 * most]
    gain = np.array([pixels[covered].sum() for covered in covered_by(coarse, candidates.only(good), RIM)])
    total = (total * (0.5 + mean))[good] + np.maximum(gain, -MOST_HIDDEN)
    return good[np.argsort(-total)][:most]


def _pixel_worth(frame: Frame, coarse: Coarse) -> Array:
    """What each coarse pixel says for a box that covers it; nothing where the mat is not."""
    e = coarse.evidence
    found = np.where(e > OPEN, (e - OPEN) / (1 - OPEN), np.maximum(-BARE, AGAINST * (e - OPEN) / OPEN))
    pixels = (frame.light.shape[0] / coarse.bare.shape[0]) ** 2
    return np.where(coarse.known, PER_PIXEL * pixels * found, 0.0).ravel().astype(float)


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
        self._touching: dict[int, Mask] = {}
        self._claims: dict[int, Mask] = {}
        self._pixels = evidence.pixel_worth.copy()
        self._all_free = np.ones(evidence.worth.shape[1], bool)
        spots = evidence.pixels
        used = (evidence.weights > 0)[..., None]
        low = np.where(used, spots, np.inf).min(axis=1, initial=np.inf)
        high = np.where(used, spots, -np.inf).max(axis=1, initial=-np.inf)
        apart = (low[:, None] > high + SAME_EDGE) | (high[:, None] < low - SAME_EDGE)
        self._touch = ~apart.any(axis=2)

    def near(self, index: int) -> Indexes:
        """Candidates whose outlines may touch that one's in the picture."""
        return np.flatnonzero(self._touch[index])

    def clash(self, index: int) -> Mask:
        """Which candidates stand in the way of that one."""
        if not self._clash_known[index]:
            poses, sizes = self.e.candidates.poses, self.e.sizes
            self._clash[index] = feet_overlap(poses[index], sizes[index], poses, sizes, SLACK)
            self._clash[index, index] = True
            self._clash_known[index] = True
        found: Mask = self._clash[index]
        return found

    def touching(self, index: int) -> Mask:
        """Which candidates stand so close to that one that both may be parts of one larger tile."""
        if index not in self._touching:
            poses, sizes = self.e.candidates.poses, self.e.sizes
            self._touching[index] = feet_overlap(poses[index], sizes[index], poses, sizes, -AIR)
            self._touching[index][index] = False
        return self._touching[index]

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
        open_pixels = self._pixels
        for index in chosen:
            worth, free, sharers = self.e.worth[index], self._all_free, None
            total -= TOUCHING / 2 * int(self.touching(index)[chosen].sum())
            for other in chosen:
                if other != index and self._touch[index, other]:
                    free = free & ~self.hides(other)[index]
                    claimed = self.claims(other)[index]
                    sharers = 1.0 + claimed if sharers is None else sharers + claimed
            if sharers is not None:
                worth = np.where(worth > 0, worth / sharers, worth)
            covered = self.e.covered[index]
            total += float(worth @ free) + float(open_pixels[covered].sum()) - self.e.least
            open_pixels[covered] = 0
        for index in chosen:
            covered = self.e.covered[index]
            open_pixels[covered] = self.e.pixel_worth[covered]
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

    def grow(
        self,
        chosen: list[int],
        among: Indexes | None = None,
        most: int = 100,
        current: float | None = None,
        trust: float = 1.0,
    ) -> list[int]:
        """Adds the most telling candidates, of all or of some, one by one as long as that helps.

        Pixels count by `trust` beside edges when the next one is picked.
        """
        chosen = list(chosen)
        pool = np.arange(len(self.e.values)) if among is None else among
        view = _Open(self, pool, trust)
        current = self.value_of(chosen) if current is None else current
        fresh = chosen
        while True:
            for index in fresh:
                view.take(index)
            self._spend(chosen, view.possible)
            if len(chosen) >= most or not view.possible[pool].any():
                return chosen
            gains = view.gains()
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

    def best(self) -> list[int]:
        """The best set that growing finds, be it led by edges or by what is covered."""
        return max((self.grow([], trust=trust) for trust in TRUSTS), key=self.value_of)

    def rivals(self, rest: list[int], index: int, most: int) -> list[int]:
        """What could stand in the place of that one beside the rest: the most telling place of each shape."""
        pool = np.flatnonzero(self.clash(index) & ~self.twins(index))
        view = _Open(self, pool)
        for other in rest:
            view.take(other)
        # Those that only one of the rest forbids are tried in its place as well.
        view.possible[:] = True
        gains = view.gains()
        found: list[int] = []
        left = np.ones(len(pool), bool)
        for k in np.argsort(-gains):
            if left[k] and gains[k] > 0:
                found.append(int(pool[k]))
                left &= self.e.candidates.which[pool] != self.e.candidates.which[pool[k]]
                if len(found) == most:
                    break
        return found

    def twins(self, index: int) -> Mask:
        """Candidates of the same shape at nearly the same place, itself among them."""
        poses = self.e.candidates.poses
        off = poses - poses[index]
        turn = np.abs(np.remainder(off[:, 2] + np.pi / 2, np.pi) - np.pi / 2)
        same = self.e.candidates.which == self.e.candidates.which[index]
        return np.asarray(same & (np.hypot(off[:, 0], off[:, 1]) < TWIN) & (turn < TWIN_TURN))

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
                    if value > current - self._bearable(chosen, start):
                        start = self.grow(start, self._around(chosen, start, index), len(start) + 2, value)
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
        for rival in self.rivals(rest, index, RIVALS):
            yield self.with_room(rest, rival)

    def _around(self, chosen: list[int], start: list[int], index: int) -> Indexes:
        """Candidates where something was taken out, without the twins of that one."""
        gone = [other for other in chosen if other not in start]
        return np.flatnonzero(self._touch[gone].any(axis=0) & ~self.twins(index))

    def _bearable(self, chosen: list[int], start: list[int]) -> float:
        """How much worse a set may be before it is filled up again."""
        return NEARLY * (2 * len(set(chosen) - set(start)) - 1)

    def margin(self, chosen: list[int], index: int) -> float:
        """How much worse the picture is explained by the best set without that one."""
        whole = self.value_of(chosen)
        best = -np.inf
        for start in self._starts(chosen, index):
            value = self.value_of(start)
            if value > whole - self._bearable(chosen, start):
                value = self.value_of(self.grow(start, self._around(chosen, start, index), len(start) + 1, value))
            best = max(best, value)
        return whole - best

    def with_room(self, rest: list[int], rival: int) -> list[int]:
        """The rest and that one, without those that stand in its way or need the same tile."""
        clash = self.clash(rival)
        value = int(self.e.values[rival])
        single = self.e.copies.get(value, 0) <= 1
        return [o for o in rest if not clash[o] and not (single and self.e.values[o] == value)] + [rival]


class _Open:
    """What the candidates of a pool would add to boxes that are taken one by one."""

    def __init__(self, chooser: Chooser, pool: Indexes, trust: float = 1.0) -> None:
        e = chooser.e
        self.chooser, self.pool = chooser, pool
        self.worth = e.worth[pool]
        self.free = np.ones(self.worth.shape, bool)
        self.sharers = np.ones(self.worth.shape, np.float32)
        self.pixels = np.where(e.pixel_worth > 0, trust * e.pixel_worth, e.pixel_worth)
        self.possible = np.ones(len(e.values), bool)

    def take(self, index: int) -> None:
        """Counts that one among the taken."""
        chooser = self.chooser
        self.free &= ~chooser.hides(index)[self.pool]
        self.sharers += chooser.claims(index)[self.pool]
        self.pixels[chooser.e.covered[index]] = 0
        self.possible &= ~chooser.clash(index)

    def gains(self) -> Array:
        """What each of the pool would add, about; minus infinity where it cannot stand."""
        worth, sharers = self.worth, self.sharers
        gains = np.where(worth > 0, worth / sharers, worth * (sharers <= 1)).sum(axis=1, where=self.free)
        possible = self.possible[self.pool]
        for k in np.flatnonzero(possible & (gains > -MOST_HIDDEN)):
            gains[k] += self.pixels[self.chooser.e.covered[self.pool[k]]].sum()
        return np.where(possible, gains, -np.inf)
