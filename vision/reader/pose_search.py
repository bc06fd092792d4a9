"""Guesses made better by the picture's kinds of pixels: each is tried in many places, turns and sizes at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from physics.tiles import TileSet
from vision.reader.boxes import (
    EDGES,
    FACE_CORNERS,
    FACES,
    Shape,
    corners_of,
    edges_seen,
    faces_seen,
    feet_overlap,
    seen_at,
)
from vision.reader.candidates import OVERLAP, Candidates, joined
from vision.reader.edges import EdgeMap
from vision.reader.network import GROUND, OTHER, SIDE, TOP, NetworkAnswer
from vision.reader.proposals import VOTE_COUNTING, Guess, Guesses, Top
from vision.reader.reading import ReadTile

ROUGH = np.array(list(product((-4.0, 0.0, 4.0), (-4.0, 0.0, 4.0), (-0.15, 0.0, 0.15))))  # mm, mm, rad from a guess
FINE = np.array(list(product(*2 * [(-2.7, -1.3, 0.0, 1.3, 2.7)], (-0.07, 0.0, 0.07))))
WIDE = np.array(list(product(*2 * [(-5.0, -2.5, 0.0, 2.5, 5.0)], (-0.16, -0.08, 0.0, 0.08, 0.16))))
STAGES = (ROUGH, ROUGH, FINE)  # where each shape is tried
FAR = np.array(list(product(*2 * [np.arange(-9.0, 10.0, 3.0)], (-0.12, 0.0, 0.12))))  # and where nothing is believed


@dataclass(frozen=True, slots=True)
class PixelEvidence:
    """What the network's answer at one pixel says for a box."""

    confusion: float = 0.25  # how far a top may look like a side, and a side like a top
    # By how much the network's odds of a tile are too high: it was taught to miss none. Set by 240 drawn pictures.
    bias: float = 0.5
    max_log_odds: float = 3.0  # that a pixel says at most
    hiding_cost: float = 2.0  # what speaks against a box where a farther one is seen


PIXEL_EVIDENCE = PixelEvidence()


@dataclass(frozen=True, slots=True)
class RoughEdges:
    """How edges are weighed before boxes are fitted to them."""

    weight: float = 12.0  # what an edge says, in pixels
    directions: int = 8  # of edges, over half a turn
    min_across: float = 0.6  # share of a slope that must be across an edge
    faint: float = 0.4  # strength, 0 to 1, of an edge that is hardly more than noise
    chance: float = 0.35  # strength that is found anywhere, on the mean
    min_length: float = 3.0  # px of an edge that says anything


ROUGH_EDGES = RoughEdges()


@dataclass(frozen=True, slots=True)
class ShapeDoubts:
    """What it costs a candidate to differ from what the network guessed."""

    size_sigma: float = 0.15  # of the logarithm of a guessed size
    hidden_factor: float = 2.5  # how much less it means that a top is narrower than a tile than that it is broader
    max_doubt: float = 4.0  # doubts about a size beyond which it costs no more
    size_cost: float = 4.0  # px, of the square of a doubt about the size
    pose_sigma: tuple[float, float, float] = (3.0, 3.0, 0.1)  # mm, mm and rad by which a guess is usually off
    pose_cost: float = 8.0  # px, of the square of such a doubt


SHAPE_DOUBTS = ShapeDoubts()


@dataclass(frozen=True, slots=True)
class SearchSteps:
    """How many shapes of each guess are tried, and how many stay."""

    scanned: int = 8  # shapes that are kept where nothing is believed
    first: tuple[int, ...] = (8, 6, 5)  # kept after each stage of the search: of all guesses
    later: tuple[int, ...] = (18, 14, 12)  # likewise of what is left over, where the size guessed says less
    same_pose: tuple[float, float] = (2.5, 0.08)  # mm and rad within which two poses are the same


SEARCH_STEPS = SearchSteps()


ALONG = np.array((0.1, 0.3, 0.5, 0.7, 0.9), np.float32)  # looked at along an edge
PLACES = (0.02, 0.15, 0.38, 0.62, 0.85, 0.98)  # looked at along a face, as shares of its sides: its rim tells most
LOADS = (0.085, 0.18, 0.235, 0.235, 0.18, 0.085)  # what share of the face each stands for
U, V = np.array(list(product(PLACES, repeat=2))).T
CORNER_SHARES = np.stack([(1 - U) * (1 - V), U * (1 - V), U * V, (1 - U) * V], axis=-1).astype(np.float32)
WEIGHTS = np.outer(LOADS, LOADS).ravel().astype(np.float32)

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


class RoughEvidence:
    """What a picture says for boxes before they are fitted: by the pixels they cover, and roughly by their edges."""

    def __init__(self, answer: NetworkAnswer, guesses: Guesses, edges: Floats, eye: Array) -> None:
        kinds = answer.kinds
        nothing = kinds[GROUND] + kinds[OTHER]
        tops = kinds[TOP] + PIXEL_EVIDENCE.confusion * kinds[SIDE]
        sides = kinds[SIDE] + PIXEL_EVIDENCE.confusion * kinds[TOP]
        planes = [np.log((one + 1e-4) / (nothing + 1e-4)) - PIXEL_EVIDENCE.bias for one in (sides, tops)]
        limit = PIXEL_EVIDENCE.max_log_odds
        self.odds = np.clip(np.stack(planes), -limit, limit).reshape(2, -1).astype(np.float32)
        high, wide = nothing.shape
        self._owner = guesses.owner_of_pixels((wide, high))
        self._farther = guesses.farther(eye)
        self.size, self.matrix, self._eye = (wide, high), answer.matrix, eye
        self._edges = edges

    def of_pixels(self, poses: Array, sizes: Array, owners: Indexes) -> Array:
        """For each box the sum over the pixels of its faces, of the logarithms of the odds that they show it.

        Those that vote for a nearer guess may hide it and are left out; those that vote for a farther one speak
        against it.
        """
        return self._of_pixels(*self._seen(poses, sizes), owners)

    def of_pixels_and_edges(self, poses: Array, sizes: Array, owners: Indexes) -> Array:
        """The same, and how well the boxes' edges show, roughly, where no other guess is seen."""
        spots, faces = self._seen(poses, sizes)
        return self._of_pixels(spots, faces, owners) + ROUGH_EDGES.weight * self._of_edges(spots, faces, owners)

    def _seen(self, poses: Array, sizes: Array) -> tuple[Floats, Mask]:
        """Where the boxes' corners are seen, and which of their faces."""
        spots = seen_at(self.matrix, corners_of(poses, sizes)).astype(np.float32)
        return spots, faces_seen(poses, sizes, self._eye)

    def _of_pixels(self, spots: Floats, faces: Mask, owners: Indexes) -> Array:
        found = np.zeros(len(spots))
        for face, (axis, _) in enumerate(FACES):
            used = np.flatnonzero(faces[:, face])
            quad = spots[used][:, FACE_CORNERS[face]]
            index, inside = self._pixels(CORNER_SHARES @ quad)
            odds = np.where(inside, self.odds[int(axis == 2)][index], 0)
            whose, mine = self._owner[index], owners[used, None]
            others = (odds > 0) & (whose >= 0) & (whose != mine)
            odds = np.where(others, np.where(self._farther[mine, whose], -PIXEL_EVIDENCE.hiding_cost, 0), odds)
            one, two = quad[:, 2] - quad[:, 0], quad[:, 3] - quad[:, 1]
            area = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / 2
            found[used] += area * (odds @ WEIGHTS)
        return found

    def _of_edges(self, spots: Floats, faces: Mask, owners: Indexes) -> Array:
        seen, _ = edges_seen(faces)
        pixels = self.size[0] * self.size[1]
        found = np.zeros(len(spots), np.float32)
        for edge, (one, two) in enumerate(EDGES):
            used = np.flatnonzero(seen[:, edge])
            start, end = spots[used, one], spots[used, two]
            way = end - start
            length = np.hypot(way[:, 0], way[:, 1])
            angle = np.arctan2(way[:, 0], -way[:, 1]) * (ROUGH_EDGES.directions / np.pi)
            turn = np.rint(angle).astype(np.int32) % ROUGH_EDGES.directions
            index, inside = self._pixels(start[:, None] + ALONG[:, None] * way[:, None])
            whose = self._owner[index]
            free = inside & ((whose < 0) | (whose == owners[used, None]))
            strength = self._edges[turn[:, None] * pixels + index]
            weight = np.sqrt(length) * (length > ROUGH_EDGES.min_length)
            found[used] += weight * ((strength - ROUGH_EDGES.chance) * free).mean(axis=1)
        return found.astype(float)

    def _pixels(self, places: Floats) -> tuple[npt.NDArray[np.int32], Mask]:
        wide, high = self.size
        x, y = np.rint(places[..., 0]).astype(np.int32), np.rint(places[..., 1]).astype(np.int32)
        inside = (x >= 0) & (y >= 0) & (x < wide) & (y < high)
        return np.where(inside, y * wide + x, 0), inside


def edge_maps(edges: EdgeMap, answer: NetworkAnswer) -> Floats:
    """How strongly edges across each direction show around a pixel of the network's answer, 0 to 1, all in one row."""
    size = answer.tile.shape[1], answer.tile.shape[0]
    wide = max(1, round(edges.xx.shape[1] / size[0]))
    around, least, found = np.ones((wide + 2, wide + 2), np.uint8), edges.least**2, []
    whole = ROUGH_EDGES.min_across * (edges.xx + edges.yy)
    for turn in np.arange(ROUGH_EDGES.directions) * (np.pi / ROUGH_EDGES.directions):
        c, s = np.float32(np.cos(turn)), np.float32(np.sin(turn))
        square = c * c * edges.xx + 2 * c * s * edges.xy + s * s * edges.yy
        # Across the edge, not along it: most of the slope is in this direction.
        square[square <= whole] = 0
        found.append(cv2.resize(cv2.dilate(square, around), size, interpolation=cv2.INTER_NEAREST))
    squares = np.stack(found)
    strong = np.clip(ROUGH_EDGES.faint + 0.125 * np.log2(np.maximum(squares, least) / least), 0, 1)
    return np.where(squares > least, strong, 0).astype(np.float32).ravel()


def with_expected(guesses: Guesses, expected: Sequence[ReadTile], tile_set: TileSet) -> Guesses:
    """The guesses, and those of the expected tiles at whose places nothing was guessed."""
    found = list(guesses.tiles)
    for tile in expected:
        if all(math.hypot(tile.x - guess.x, tile.y - guess.y) >= VOTE_COUNTING.own_distance for guess in guesses.tiles):
            size, stance = tile_set[tile.value], tile.stance
            breadth, height = 1e3 * size.breadth(stance), 1e3 * size.standing_height(stance)
            found.append(Guess(tile.x, tile.y, math.radians(tile.yaw), math.log(breadth), math.log(height)))
    return Guesses(found, guesses.owner)


def candidates_of(
    evidence: RoughEvidence,
    guesses: Guesses,
    which: list[int],
    shapes: list[Shape],
    expected: Sequence[ReadTile] = (),
    kept: tuple[int, ...] = SEARCH_STEPS.first,
) -> tuple[Candidates, Indexes]:
    """The likeliest boxes for some of the guesses, the best first; and whose guess each is.

    An expected tile is as likely as if its size had been guessed. `kept`: how many shapes of each guess are left after
    each of the STAGES.
    """
    if not which:
        return Candidates(shapes, np.zeros(0, np.intp), np.zeros((0, 4)), np.zeros(0)), np.zeros(0, np.intp)
    tiles = [guesses.tiles[k] for k in which]
    sizes = np.array([shape.size for shape in shapes])
    poses = np.array([(guess.x, guess.y, guess.yaw, 0.0) for guess in tiles])
    guessed = np.array([(guess.breadth, guess.height) for guess in tiles])
    bare = np.isnan(guessed).any(axis=1)
    differences = np.log(sizes[None, :, 1:]) - np.nan_to_num(guessed)[:, None]
    off = np.linalg.norm(differences / SHAPE_DOUBTS.size_sigma, axis=2)
    under = {k: _under_top(evidence.matrix, guess.top, sizes) for k, guess in enumerate(tiles) if guess.top is not None}
    for k in np.flatnonzero(bare).tolist():
        # A part of a top may be hidden, but no top is broader than its tile.
        broader = np.log(under[k][1] / sizes[:, 1])
        off[k] = np.where(broader > 0, broader, -broader / SHAPE_DOUBTS.hidden_factor) / SHAPE_DOUBTS.size_sigma
    for tile in expected:
        away = np.hypot(poses[:, 0] - tile.x, poses[:, 1] - tile.y)
        if away.min() < VOTE_COUNTING.own_distance:
            off[away.argmin(), [(one.value, one.stance) == (tile.value, tile.stance.value) for one in shapes]] = 0.0
    number, shape = (index.ravel() for index in np.indices(off.shape))
    # What is seen of a top says where the foot is, of each size elsewhere.
    tops, plain = np.isin(number, list(under)), ~bare[number]
    by_top = np.concatenate([np.zeros((0, 4)), *(poses_under for poses_under, _ in under.values())])
    start = np.concatenate([poses[number[plain]], by_top])
    home = np.concatenate([poses[number[plain]], np.where(bare[number[tops], None], by_top, poses[number[tops]])])
    number, shape = (np.concatenate([one[plain], one[tops]]) for one in (number, shape))
    doubt = np.minimum(off[number, shape], SHAPE_DOUBTS.max_doubt)
    for tries, most in zip(STAGES, kept, strict=True):
        scores, many = _tried(evidence, start, sizes[shape], np.array(which)[number], home, tries)
        start, best = _best(scores, many)
        worth = best - SHAPE_DOUBTS.size_cost * doubt**2
        worth[_later(number * len(shapes) + shape, worth)] = -np.inf
        rank = ranked(number, worth, most)
        number, shape = number[rank], shape[rank]
        doubt, start, home, scores, many = (one[rank] for one in (doubt, start, home, scores, many))
    # Where much is hidden the pixels may mislead: what was guessed, and what is second best, is kept as well.
    away = np.abs(many - start[:, None])
    same_place, same_turn = SEARCH_STEPS.same_pose
    scores[(np.hypot(away[..., 0], away[..., 1]) < same_place) & (away[..., 2] < same_turn)] = -np.inf
    second, _ = _best(scores, many)
    starts = [Candidates(shapes, shape, one, doubt) for one in (start, second, home)]
    return joined(starts), np.tile(np.array(which)[number], len(starts))


def scanned(
    evidence: RoughEvidence, guesses: Guesses, which: Sequence[int], shapes: list[Shape], taken: Candidates
) -> tuple[Candidates, Indexes]:
    """Boxes for guesses that are not to be believed, wherever the taken ones leave room nearby: the likeliest shapes.

    Votes that are left over are those of the network's mistakes: between two large tiles a small one's foot is guessed
    far off, and its size is anything. So neither counts here.
    """
    sizes, found = np.array([shape.size for shape in shapes]), []
    number, shape = np.repeat(np.arange(len(shapes)), len(FAR)), np.arange(len(shapes))
    for k in which:
        guess = guesses.tiles[k]
        many = np.tile(FAR, (len(shapes), 1)) + np.array([guess.x, guess.y, guess.yaw])
        poses = np.column_stack([many, np.zeros(len(many))])
        free = ~feet_overlap(poses, sizes[number], taken.poses, taken.sizes, OVERLAP.slack).any(axis=1)
        scores = np.full(len(poses), -np.inf)
        scores[free] = evidence.of_pixels_and_edges(poses[free], sizes[number[free]], np.full(int(free.sum()), k))
        best = scores.reshape(len(shapes), -1).argmax(axis=1) + shape * len(FAR)
        rank = np.argsort(-scores[best], kind="stable")[: SEARCH_STEPS.scanned]
        rank = rank[np.isfinite(scores[best[rank]])]
        found.append(Candidates(shapes, shape[rank], poses[best[rank]], np.full(len(rank), SHAPE_DOUBTS.max_doubt)))
    none = Candidates(shapes, np.zeros(0, np.intp), np.zeros((0, 4)), np.zeros(0))
    return joined([none, *found]), np.repeat(np.array(which, np.intp), [len(one.which) for one in found])


def around(evidence: RoughEvidence, boxes: Candidates, owners: Indexes, most: int) -> tuple[Candidates, Indexes]:
    """The boxes in other places and turns nearby: the likeliest of each guess, and whose guess each is."""
    scores, many = _tried(evidence, boxes.poses, boxes.sizes, owners, boxes.poses, WIDE)
    index, whose = np.repeat(np.arange(len(owners)), len(WIDE)), np.repeat(owners, len(WIDE))
    rank = ranked(whose, scores.ravel(), most)
    return boxes.only(index[rank]).moved(many.reshape(-1, 4)[rank]), whose[rank]


def _under_top(matrix: Array, top: Top, sizes: Array) -> tuple[Array, Array]:
    """The poses (n, 4) of boxes of these sizes (n, 3) whose top is where that one is seen, and how broad it is, mm."""
    found, breadths = np.zeros((len(sizes), 4)), np.zeros(len(sizes))
    pixels = np.array([(top.x, top.y, 1.0), (top.x + math.cos(top.turn), top.y + math.sin(top.turn), 1.0)])
    for k, height in enumerate(sizes[:, 2].tolist()):
        back = np.linalg.inv(np.column_stack([matrix[:, 0], matrix[:, 1], matrix[:, 3] + height * matrix[:, 2]]))
        seen = pixels @ back.T
        one, two = seen[:, :2] / seen[:, 2:]
        x, y = (two - one).tolist()
        found[k, :3] = (*one, math.atan2(y, x) - math.pi / 2)
        breadths[k] = top.length * math.hypot(x, y)
    return found, breadths


def _tried(
    evidence: RoughEvidence, start: Array, sizes: Array, owners: Indexes, guessed: Array, tries: Array
) -> tuple[Array, Array]:
    """What speaks for each box (n) in each place and turn (m) around its start, (n, m); and these poses, (n, m, 4)."""
    many = np.repeat(start, len(tries), axis=0)
    many[:, :3] += np.tile(tries, (len(start), 1))
    whose = np.repeat(owners, len(tries))
    away = (many - np.repeat(guessed, len(tries), axis=0))[:, :3] / SHAPE_DOUBTS.pose_sigma
    boxes = np.repeat(sizes, len(tries), axis=0)
    scores = evidence.of_pixels_and_edges(many, boxes, whose) - SHAPE_DOUBTS.pose_cost * (away**2).sum(axis=1)
    shape = (len(start), len(tries))
    return scores.reshape(shape), many.reshape(*shape, 4)


def _best(scores: Array, many: Array) -> tuple[Array, Array]:
    """Of each box the pose for which most speaks, and how much."""
    row, best = np.arange(len(scores)), scores.argmax(axis=1)
    return many[row, best], scores[row, best]


def _later(keys: Indexes, scores: Array) -> Indexes:
    """All but the best of each key."""
    order = np.lexsort((-scores, keys))
    found: Indexes = order[1:][keys[order][1:] == keys[order][:-1]]
    return found


def ranked(owners: Indexes, scores: Array, most: int) -> Indexes:
    """The best of each owner, best first, owner after owner."""
    order = np.lexsort((-scores, owners))
    start = np.searchsorted(owners[order], owners[order])
    found: Indexes = order[np.arange(len(order)) - start < most]
    return found
