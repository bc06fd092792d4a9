"""First guesses: the network's votes are gathered into tiles, each with the sizes that it may have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Mat
from vision.polygons import fill_polygon
from vision.reader.boxes import TOP_CORNERS, corners_of, seen_at
from vision.reader.candidates import Candidates, covered_by
from vision.reader.network import CELLS, NETWORK_INPUT, TOP, NetworkAnswer


@dataclass(frozen=True, slots=True)
class VoteCounting:
    """How the cells' votes become guessed tiles."""

    min_tile: float = 0.35  # how likely a cell must show a tile to be asked
    cell: float = 1.0  # mm between places where votes are counted
    blur: float = 2.2  # mm over which votes are taken for the same
    min_votes: float = 2.0  # votes that make a tile at first
    min_votes_left: float = 4.0  # votes that make one of those that are left over
    own_distance: float = 7.0  # mm from a place within which votes are its own
    other_distance: float = 8.0  # mm from a box's foot beyond which votes are for another tile
    mat_margin: float = 30.0  # mm beyond the mat where feet are still looked for
    behind: float = 3.0  # mm by which a tile must be farther to be behind another
    rim: float = 0.7  # cells around a box that may still be its own


VOTE_COUNTING = VoteCounting()


@dataclass(frozen=True, slots=True)
class TopRules:
    """When pixels that show tops together are the top of a tile."""

    min_area: int = 8  # px of a top that is believed
    min_votes: float = 1.0  # votes from a top that make a tile of it
    sure: float = 0.6  # how likely a cell must show a top to be believed
    maybe: float = 0.4  # how likely a pixel must show a top to be asked about, where no box has its own
    usual_height: float = 40.0  # mm, of a tile of which only the top is seen: about the middle of the set's
    margin: float = 1.0  # cells around a top where tops may show


TOP_RULES = TopRules()


BROAD_BASE, HIGH_BASE = 30.0, 50.0  # mm that the network's logarithms of sizes are shares of

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Top:
    """The top of a tile as it is seen, in px of the network's answer."""

    x: float  # its middle
    y: float
    turn: float  # the way of its longer side, rad
    length: float  # of that side


@dataclass(frozen=True)
class Guess:
    """A tile as the network's votes have it."""

    x: float  # mm, middle of the foot
    y: float
    yaw: float  # rad
    breadth: float  # logarithms of mm; NaN: only its top is known
    height: float
    top: Top | None = None

    @property
    def is_top(self) -> bool:
        """Whether only its top is known."""
        return bool(np.isnan(self.breadth))


@dataclass(frozen=True)
class Guesses:
    """All tiles that the network's votes make, and which cell votes for which of them."""

    tiles: list[Guess]
    owner: npt.NDArray[np.intp]  # (height / 2, width / 2) index of the guess, -1 for none

    def owner_of_pixels(self, size: tuple[int, int]) -> npt.NDArray[np.intp]:
        """The owner of each pixel of a picture of that width and height, in one row."""
        whole = np.repeat(np.repeat(self.owner, 2, axis=0), 2, axis=1)
        return whole[: size[1], : size[0]].ravel()

    def farther(self, eye: Array) -> npt.NDArray[np.bool_]:
        """For each guess (rows) and each owner, -1 last: whether that owner stands farther from the camera."""
        away = np.array([np.hypot(guess.x - eye[0], guess.y - eye[1]) for guess in self.tiles])
        farther = away[None, :] > away[:, None] + VOTE_COUNTING.behind
        farther[[guess.is_top for guess in self.tiles]] = False  # what is beside a bare top may be its own sides
        return np.column_stack([farther, np.zeros(len(away), bool)])


@dataclass(frozen=True)
class Votes:
    """What every cell that shows a tile says of it."""

    rows: npt.NDArray[np.intp]  # (n,) of the cells
    columns: npt.NDArray[np.intp]
    places: Array  # (n, 2) mm, middle of the foot
    yaws: Array  # (n,) rad
    sizes: Array  # (n, 2) logarithms of breadth and height, mm
    weights: Array  # (n,)
    top_of: npt.NDArray[np.intp]  # (n,) index of the top that it shows, -1 for none
    tops: list[Top]
    matrix: Array  # (3, 4) from mat points to cells
    cells: tuple[int, int]  # across and down

    def only(self, some: npt.NDArray[np.bool_]) -> Votes:
        """Some of them."""
        return replace(
            self,
            rows=self.rows[some],
            columns=self.columns[some],
            places=self.places[some],
            yaws=self.yaws[some],
            sizes=self.sizes[some],
            weights=self.weights[some],
            top_of=self.top_of[some],
        )


def votes_of(answer: NetworkAnswer) -> Votes:
    """The votes of all cells that are likely to show a tile."""
    high, wide = answer.votes.shape[1:]
    likely = _by_cell(answer.tile, (wide, high))
    tops, labels = _tops(answer.kinds[TOP] > TOP_RULES.sure)
    rows, columns = np.nonzero(likely > VOTE_COUNTING.min_tile)
    said = answer.votes[:, rows, columns].astype(float)
    half = CELLS @ answer.matrix
    back = np.asarray(np.linalg.inv(half[:, [0, 1, 3]]), float)
    feet: Array = np.stack(
        [columns + NETWORK_INPUT.vote_unit * said[0], rows + NETWORK_INPUT.vote_unit * said[1]], axis=-1
    )
    turn = np.arctan2(said[3], said[2]) / 2
    along: Array = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    places, ends = _on_mat(back, feet), _on_mat(back, np.asarray(feet + along, float))
    way = ends - places
    yaws = np.arctan2(way[:, 1], way[:, 0]) - np.pi / 2
    weights = likely[rows, columns] * np.exp(-np.clip(said[6], -3, 1)) / 8
    sizes = said[4:6].T + np.log([BROAD_BASE, HIGH_BASE])
    down, across = np.minimum(2 * rows, labels.shape[0] - 1), np.minimum(2 * columns, labels.shape[1] - 1)
    return Votes(
        rows=rows,
        columns=columns,
        places=places,
        yaws=yaws,
        sizes=sizes,
        weights=weights,
        top_of=labels[down, across],
        tops=tops,
        matrix=half,
        cells=(wide, high),
    )


def _tops(likely: Mask) -> tuple[list[Top], npt.NDArray[np.intp]]:
    """The tops that pixels show together, and which of them each pixel belongs to, -1 for none."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(likely.astype(np.uint8), connectivity=4)
    number = np.full(count, -1, np.intp)
    found: list[Top] = []
    for k in range(1, count):
        if stats[k, cv2.CC_STAT_AREA] >= TOP_RULES.min_area:
            left, upper = stats[k, cv2.CC_STAT_LEFT], stats[k, cv2.CC_STAT_TOP]
            part = labels[upper : upper + stats[k, cv2.CC_STAT_HEIGHT], left : left + stats[k, cv2.CC_STAT_WIDTH]] == k
            m = cv2.moments(part.astype(np.uint8), binaryImage=True)
            wide, skew, high = (m[name] / m["m00"] for name in ("mu20", "mu11", "mu02"))
            turn = 0.5 * math.atan2(2 * skew, wide - high)
            longest = (wide + high) / 2 + math.hypot((wide - high) / 2, skew)  # the variance along it
            number[k] = len(found)
            middle = left + m["m10"] / m["m00"], upper + m["m01"] / m["m00"]
            found.append(Top(*middle, turn, math.sqrt(12 * longest)))
    return found, number[labels]


def _by_cell(plane: Floats, size: tuple[int, int]) -> Floats:
    wide, high = size
    whole = np.pad(plane, ((0, 2 * high - plane.shape[0]), (0, 2 * wide - plane.shape[1])), mode="edge")
    return np.asarray(cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA), np.float32)


def _on_mat(back: Array, pixels: Array) -> Array:
    seen = np.column_stack([pixels, np.ones(len(pixels))]) @ back.T
    found: Array = seen[:, :2] / seen[:, 2:]
    return found


def guesses_of(votes: Votes, mat: Mat, fewest: float = VOTE_COUNTING.min_votes) -> Guesses:
    """Votes for the same foot together, at least so many."""
    peaks = _peaks(votes, mat, fewest)
    owner = np.full(votes.cells[::-1], -1, np.intp)
    found: list[Guess] = []
    if not len(peaks):
        return Guesses(found, owner)
    away = np.linalg.norm(votes.places[:, None] - peaks[None], axis=-1)
    nearest = away.argmin(axis=1)
    for k in range(len(peaks)):
        own = votes.only((nearest == k) & (away[:, k] < VOTE_COUNTING.own_distance))
        if own.weights.sum() < fewest:
            continue
        for some, top in _by_top(own):
            owner[some.rows, some.columns] = len(found)
            x, y = (_middle(some.places[:, axis], some.weights) for axis in (0, 1))
            double = np.arctan2(some.weights @ np.sin(2 * some.yaws), some.weights @ np.cos(2 * some.yaws))
            found.append(Guess(x, y, float(double / 2), *_size(some), top))
    return Guesses(found, owner)


def _by_top(votes: Votes) -> Iterator[tuple[Votes, Top | None]]:
    """Votes for one place; by the tops that show there when these are several, since a tile has but one."""
    loads = np.bincount(votes.top_of + 1, votes.weights, minlength=len(votes.tops) + 1)[1:]
    shown = [k for k in np.argsort(-loads).tolist() if loads[k] >= TOP_RULES.min_votes]
    others = np.isin(votes.top_of, shown[1:])
    yield votes.only(~others), votes.tops[shown[0]] if shown else None
    for k in shown[1:]:
        yield votes.only(votes.top_of == k), votes.tops[k]


def revised(votes: Votes, mat: Mat, boxes: Candidates, answer: NetworkAnswer, eye: Array) -> Guesses:
    """The guesses once boxes were fitted: what a box covers is its own, and what none covers may be another tile.

    So may be a top that shows where a box has its sides: one stands before it.
    """
    owner = np.full(votes.cells[::-1], -1, np.intp)
    away = np.hypot(boxes.poses[:, 0] - eye[0], boxes.poses[:, 1] - eye[1])
    covered = covered_by(votes.matrix, votes.cells, boxes, -VOTE_COUNTING.rim)
    on_top = np.zeros(owner.shape, bool)
    for k in np.argsort(-away).tolist():  # nearer ones over farther ones
        owner.ravel()[covered[k]] = k
        on_top.ravel()[covered[k]] = False
        _fill_top(on_top, votes.matrix, boxes.only([k]))
    whose = owner[votes.rows, votes.columns]
    whose = np.where((votes.top_of >= 0) & ~on_top[votes.rows, votes.columns], -1, whose)
    whose = np.where(_elsewhere(votes, whose, boxes), -1, whose)
    likely = np.full_like(owner, -1)
    likely[votes.rows, votes.columns] = whose
    left = guesses_of(votes.only(whose < 0), mat, VOTE_COUNTING.min_votes_left)
    tiles = []
    for k, pose in enumerate(boxes.poses):
        own = votes.only(whose == k)
        size = _size(own) if len(own.rows) else tuple(np.log(boxes.sizes[k, 1:]).tolist())
        tiles.append(Guess(float(pose[0]), float(pose[1]), float(pose[2]), *size))
    found = Guesses([*tiles, *left.tiles], np.where(left.owner >= 0, left.owner + len(tiles), likely))
    return _with_bare_tops(found, mat, boxes, answer, eye)


def _with_bare_tops(guesses: Guesses, mat: Mat, boxes: Candidates, answer: NetworkAnswer, eye: Array) -> Guesses:
    """The guesses, and one for each top over the mat that is no box's; how large the tile is, is not guessed."""
    matrix, (high, wide) = answer.matrix, answer.tile.shape
    on_top = np.zeros((high, wide), bool)
    covered = covered_by(matrix, (wide, high), boxes)
    for k in np.argsort(-np.hypot(*(boxes.poses[:, :2] - eye[:2]).T)).tolist():  # nearer ones over farther ones
        on_top.ravel()[covered[k]] = False
        _fill_top(on_top, matrix, boxes.only([k]))
    tops, labels = _tops((answer.kinds[TOP] > TOP_RULES.maybe) & ~on_top)
    back = np.asarray(
        np.linalg.inv(np.column_stack([matrix[:, :2], matrix[:, 3] + TOP_RULES.usual_height * matrix[:, 2]])), float
    )
    owner, tiles = guesses.owner.copy(), list(guesses.tiles)
    rows, columns = owner.shape
    cells = labels[: 2 * rows : 2, : 2 * columns : 2]
    for number, top in enumerate(tops):
        ends = np.array([(top.x, top.y), (top.x + math.cos(top.turn), top.y + math.sin(top.turn))])
        one, two = _on_mat(back, ends)
        if (np.abs(one) > np.array(mat.size) / 2).any():
            continue
        owner[: cells.shape[0], : cells.shape[1]][cells == number] = len(tiles)
        yaw = math.atan2(two[1] - one[1], two[0] - one[0]) - math.pi / 2
        tiles.append(Guess(float(one[0]), float(one[1]), yaw, math.nan, math.nan, top))
    return Guesses(tiles, owner)


def _elsewhere(votes: Votes, whose: npt.NDArray[np.intp], boxes: Candidates) -> Mask:
    """Which votes are for a foot that is not near their box's."""
    if not len(boxes.poses):
        return np.zeros(len(whose), bool)
    away = np.linalg.norm(votes.places - boxes.poses[whose, :2], axis=1)
    return np.asarray((whose >= 0) & (away > VOTE_COUNTING.other_distance))


def _fill_top(on_top: Mask, matrix: Array, box: Candidates) -> None:
    """Marks the cells of a box's top, and those around them."""
    spots = seen_at(matrix, corners_of(box.poses, box.sizes))[0][TOP_CORNERS]
    away = spots - spots.mean(axis=0)
    spots = spots + away * (TOP_RULES.margin / np.maximum(np.linalg.norm(away, axis=1), 1e-6))[:, None]
    mask = on_top.astype(np.uint8)
    fill_polygon(mask, spots, 1)
    on_top[:] = cv2.dilate(mask, np.ones((3, 3), np.uint8)) > 0


def _size(votes: Votes) -> tuple[float, float]:
    return _middle(votes.sizes[:, 0], votes.weights), _middle(votes.sizes[:, 1], votes.weights)


def _peaks(votes: Votes, mat: Mat, fewest: float) -> Array:
    """Where on the mat votes meet, mm."""
    places, weights = votes.places, votes.weights
    half = np.array(mat.size) / 2 + VOTE_COUNTING.mat_margin
    size = np.ceil(2 * half / VOTE_COUNTING.cell).astype(int)
    spots = np.floor((places + half) / VOTE_COUNTING.cell).astype(int)
    inside = ((spots >= 0) & (spots < size)).all(axis=1)
    heat = np.zeros((size[1], size[0]), np.float32)
    np.add.at(heat, (spots[inside, 1], spots[inside, 0]), weights[inside])
    heat = np.asarray(cv2.GaussianBlur(heat, (0, 0), VOTE_COUNTING.blur / VOTE_COUNTING.cell), np.float32)
    least = fewest / (8 * np.pi * (VOTE_COUNTING.blur / VOTE_COUNTING.cell) ** 2)
    rows, columns = np.nonzero((heat >= cv2.dilate(heat, np.ones((5, 5), np.uint8))) & (heat > least))
    found: Array = np.column_stack([columns, rows]) * VOTE_COUNTING.cell + VOTE_COUNTING.cell / 2 - half
    return found


def _middle(values: Array, weights: Array) -> float:
    """The weighted median."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(total, total[-1] / 2)]])
