"""Which tile stands at each guessed place: the sizes that explain edges and pixels best, each tile used once.

What one box hides of another is neither asked for nor counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from physics.tiles import TileSet
from vision.boxes import Shape, feet_overlap
from vision.candidates import SLACK, Candidates, joined, places_seen, settled
from vision.edges import REACH, EdgePlaces, measure, places_on, scores_of
from vision.frame import Part
from vision.tries import Cover, around, ranked

BOLD, CAREFUL = (5.0, 4.0, 3.0), (2.5, 2.0)  # px within which edges pull boxes at first: each box goes both ways
REACHES = ((3.0, 2.0), (2.0, 1.5))  # px within which they do then, round by round
WELL = 0.9  # mean score of its edges from which on a box is taken for well fitted
SHAPES, TRIED = 6, 40  # of a guess that is not: shapes and boxes that are tried nearby
LEFT = 12  # candidates of each guess that are looked at more closely
LABELLED = 0  # the round after which boxes lie well enough for what is written on them to be read
FAINT = 0.4  # of its score that an edge keeps when it is hardly more than noise
PER_PIXEL = 0.12  # what a pixel says beside an edge's observation, by the logarithm of its odds
SIZE = 0.5  # what the square of a doubt about the size costs
BARRED = -1e4  # what speaks for a tile when another's value is written on it, or when it cannot be there
POOR_EDGES = 0.15  # mean score of a box's edges below which it is not believed
POOR_PIXELS = 0.4  # mean of its pixels' odds, likewise
FEWEST_PIXELS = 20.0  # that a box must show
LEAST = 35.0  # what a box must be worth to be believed
SURE = 0.25  # how fast confidence grows with what speaks for one tile and against others

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Choice:
    """The boxes that were chosen, one per guess that is believed."""

    boxes: Candidates
    scores: Array  # (n,) what speaks for each
    confidences: Array  # (n,)

    @classmethod
    def nothing(cls, shapes: list[Shape]) -> Choice:
        """No box at all."""
        none = np.zeros(0, np.intp)
        return cls(Candidates(shapes, none, np.zeros((0, 4)), np.zeros(0)), np.zeros(0), np.zeros(0))


def choose(
    part: Part,
    cover: Cover,
    pool: Candidates,
    owners: Indexes,
    tile_set: TileSet,
    label: Callable[[Array, Array], int | None],
    thorough: bool,
) -> Choice:
    """Fits every candidate to the picture's edges and picks at most one for each guess.

    When `thorough`, guesses with no good box yet are tried in more places, and all boxes are fitted more closely.
    `label` says which value is written on the top of a box of that pose and size; None: nothing can be read there.
    """
    copies = copies_of(tile_set)
    # At first the likeliest size of each guess stands for it.
    chosen = np.unique(owners, return_index=True)[1]
    ways = [_moved(part, pool, chosen, reaches) for reaches in ((BOLD, CAREFUL) if thorough else (BOLD,))]
    pool, owners = joined(ways), np.tile(owners, len(ways))
    if thorough:
        scores, means = scores_of_pool(part, cover, pool, owners, chosen)
        found, whose = _elsewhere(cover, pool, owners, scores, means)
        moved = _moved(part, found, chosen, (*BOLD, *CAREFUL), pool)
        pool, owners = joined([pool, moved]), np.concatenate([owners, whose])
    scores, _ = scores_of_pool(part, cover, pool, owners, chosen)
    chosen = _picked(scores, pool, owners, copies)
    # Hopeless ones cost time.
    left = np.union1d(chosen, ranked(owners, _best_twice(pool, owners, scores), LEFT))
    pool, owners, scores, chosen = pool.only(left), owners[left], scores[left], np.searchsorted(left, chosen)
    barred = np.zeros(len(owners))
    for number, reaches in enumerate(REACHES if thorough else ()):
        pool = _moved(part, pool, chosen, reaches)
        scores = scores_of_pool(part, cover, pool, owners, chosen)[0] + barred
        chosen = _picked(scores, pool, owners, copies)
        for k in chosen.tolist() if number == LABELLED else ():
            value = label(pool.poses[k], pool.sizes[k])
            if value is not None:
                barred[(owners == owners[k]) & (pool.values != value)] = BARRED
    confidences = _confidences(scores, pool, owners, chosen, copies)
    return Choice(pool.only(chosen), scores[chosen], confidences)


def _elsewhere(
    cover: Cover, pool: Candidates, owners: Indexes, scores: Array, means: Array
) -> tuple[Candidates, Indexes]:
    """Boxes in more places for guesses whose best one has edges that hardly show: of the likeliest shapes."""
    best: list[int] = []
    for guess in np.unique(owners).tolist():
        own = np.flatnonzero(owners == guess)
        own = own[np.argsort(-scores[own], kind="stable")]
        if means[own[0]] < WELL:
            first = np.unique(pool.which[own], return_index=True)[1]
            best += own[np.sort(first)[:SHAPES]].tolist()
    return around(cover, pool.only(best), owners[np.array(best, np.intp)], TRIED)


def _best_twice(pool: Candidates, owners: Indexes, scores: Array) -> Array:
    """The scores, so that of each guess's boxes of one shape all but the best two come last."""
    order = np.lexsort((-scores, pool.which, owners))
    key = owners[order] * len(pool.shapes) + pool.which[order]
    later = np.arange(len(order)) - np.searchsorted(key, key) >= 2
    found = scores.copy()
    found[order[later]] += 10 * BARRED
    return found


def _moved(
    part: Part, pool: Candidates, chosen: Indexes, reaches: tuple[float, ...], among: Candidates | None = None
) -> Candidates:
    """The candidates moved to the picture's edges, where the chosen ones (of these or of others) let theirs be seen."""
    taken = (among or pool).only(chosen)
    visible = places_seen(places_on(pool.poses, pool.sizes, part.matrix, part.eye), pool, taken, part.eye)
    return pool.moved(settled(part, pool, reaches, visible))


def scores_of_pool(part: Part, cover: Cover, pool: Candidates, owners: Indexes, chosen: Indexes) -> tuple[Array, Array]:
    """What edges, pixels and size say for each candidate beside the chosen ones; and the mean score of its edges."""
    taken = pool.only(chosen)
    places = places_on(pool.poses, pool.sizes, part.matrix, part.eye)
    worth, weights = worth_of(part, places)
    visible = places_seen(places, pool, taken, part.eye).reshape(worth.shape)
    told, own, asked = cover.told(pool.poses, pool.sizes, owners)
    edges = (worth * visible).sum(axis=1)
    means = edges / np.maximum((weights * visible).sum(axis=1), 1e-6)
    empty = (asked < FEWEST_PIXELS) | (own < POOR_PIXELS * asked)
    found = edges + PER_PIXEL * told - SIZE * pool.off**2
    return np.where((means < POOR_EDGES) | empty, found + BARRED, found), means


def copies_of(tile_set: TileSet) -> dict[int, int | None]:
    """How many tiles of each value there are; None where there is no limit."""
    return {tile.value: copies for tile, copies in zip(tile_set.tiles, tile_set.copies, strict=True)}


def _picked(scores: Array, pool: Candidates, owners: Indexes, copies: dict[int, int | None]) -> Indexes:
    """The best candidate of each guess, each tile at most as often as there are copies, none in another's place."""
    gone: set[int] = set()
    while True:
        chosen = _assigned(scores, pool, owners, copies, gone)
        clash = _clash(scores, pool, chosen)
        if clash is None:
            return chosen
        gone.add(int(owners[clash]))


def _assigned(
    scores: Array, pool: Candidates, owners: Indexes, copies: dict[int, int | None], gone: set[int]
) -> Indexes:
    guesses = [g for g in np.unique(owners).tolist() if g not in gone]
    slots = [value for value, count in copies.items() for _ in range(min(count or len(guesses), len(guesses)))]
    gains = np.zeros((len(guesses), len(slots) + len(guesses)))
    gains[:, : len(slots)] = -1e6
    best = np.zeros((len(guesses), len(slots)), np.intp)
    values, columns_of = pool.values, np.array(slots)
    for row, guess in enumerate(guesses):
        for k in np.flatnonzero(owners == guess).tolist():
            for column in np.flatnonzero(columns_of == values[k]).tolist():
                if scores[k] - LEAST > gains[row, column]:
                    gains[row, column], best[row, column] = scores[k] - LEAST, k
    rows, columns = linear_sum_assignment(-gains)
    return np.array([best[r, c] for r, c in zip(rows, columns, strict=True) if c < len(slots)], np.intp)


def _clash(scores: Array, pool: Candidates, chosen: Indexes) -> int | None:
    """The weaker of two chosen boxes that stand in one another, the weakest of all first."""
    for k in chosen[np.argsort(scores[chosen])].tolist():
        rest = chosen[chosen != k]
        boxes = pool.only(rest)
        overlap = feet_overlap(pool.poses[k], pool.sizes[k], boxes.poses, boxes.sizes, SLACK)
        if len(rest) and (overlap & (scores[rest] >= scores[k])).any():
            return int(k)
    return None


def _confidences(
    scores: Array, pool: Candidates, owners: Indexes, chosen: Indexes, copies: dict[int, int | None]
) -> Array:
    """How sure each choice is: against the other sizes that its guess may have, and against there being no tile."""
    used = pool.values[chosen].tolist()
    spent = {value for value in used if copies[value] is not None and used.count(value) >= (copies[value] or 0)}
    found = []
    for k in chosen.tolist():
        against = {-1: LEAST}
        for j in np.flatnonzero((owners == owners[k]) & (pool.which != pool.which[k])).tolist():
            if pool.values[j] not in spent or pool.values[j] == pool.values[k]:
                shape = int(pool.which[j])
                against[shape] = max(against.get(shape, -np.inf), float(scores[j]))
        odds = SURE * (np.array(list(against.values())) - scores[k])
        found.append(1 / (1 + np.exp(np.clip(odds, -50, 50)).sum()))
    return np.array(found)


def worth_of(part: Part, places: EdgePlaces) -> tuple[Array, Array]:
    """What each place on the boxes' edges says for its box, and how much it counts, (n, places)."""
    off, slopes = measure(part.edges, places, REACH)
    weights = np.broadcast_to(places.weights[..., None], off.shape).reshape(len(off), -1)
    high, wide = part.edges.xx.shape
    x, y = places.pixels[..., 0], places.pixels[..., 1]
    inside = ((x > REACH + 2) & (y > REACH + 2) & (x < wide - REACH - 3) & (y < high - REACH - 3)).reshape(len(off), -1)
    weights = weights * inside
    scores = scores_of(off)
    # Faint edges are found anywhere, in the grain of wood and at the rims of shadows.
    strength = np.clip(FAINT + 0.25 * np.log2(np.maximum(slopes, 1e-9) / part.edges.least), FAINT, 1.0)
    scores = np.where(scores < 0, scores * places.clear[..., None], scores * strength)
    return scores.reshape(len(off), -1) * weights, weights
