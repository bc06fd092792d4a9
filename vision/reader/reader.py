"""Reads a picture of the table: which tiles stand where, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.lens import Lens
from physics.line import Standing
from physics.outcome import Fate
from physics.tiles import Stance, TileSet
from vision.camera.mat import MatView, find_mat
from vision.camera.picture_files import PICTURE_LIMITS, PictureError, check_size
from vision.reader.boxes import Shape, shapes_of
from vision.reader.candidates import Candidates, covered_by, shares_seen
from vision.reader.choose import CHOICE_LIMITS, Choice, Pool, Table, choose, copies_of
from vision.reader.final_fit import Fit, polish
from vision.reader.network import GROUND, NETWORK_INPUT, NetworkAnswer, network_answer
from vision.reader.order import row_order
from vision.reader.pose_search import SEARCH_STEPS, RoughEvidence, candidates_of, edge_maps, scanned, with_expected
from vision.reader.proposals import VOTE_COUNTING, guesses_of, revised, votes_of
from vision.reader.reading import Reading, ReadTile, Unexplained
from vision.reader.straightened import Frame, prepare
from vision.reader.tags import read_top


@dataclass(frozen=True, slots=True)
class ReadingRounds:
    """How often guesses are made again, and what is looked at."""

    # mm above the mat that are kept of the picture, at least: the set's tallest tile and room above it
    max_height: float = 90.0
    rounds: int = 3  # of guessing, at most: what the first leaves over may be tiles that were not guessed
    moved: float = 2.0  # mm by which a box is elsewhere, so that another round may find more
    rim: float = 2.0  # px around a tile that belong to it
    min_unexplained: float = 40.0  # mm² of something unexplained that people hear of: less is a speck


READING_ROUNDS = ReadingRounds()


@dataclass(frozen=True, slots=True)
class TileBelief:
    """What must speak for a box to be called a tile, chosen by drawn pictures (docs/vision.md)."""

    min_confidence: float = 0.5  # below which a box is not called a tile
    min_edges: float = 0.2  # share of a box's edges that must be seen
    min_share: float = 0.27  # of a box that must be seen
    half_seen: float = 0.5  # share of a box from which on it is one that is well seen
    min_worth: float = 8.0  # what must speak for a box that is well seen
    min_worth_hidden: float = 33.0  # and for one that is not; set by 240 drawn pictures
    per_score: float = 12.0  # what the mean score of its edges counts beside what it is worth
    clear_worth: float = 75.0  # from which on there is a tile, even if it may be another one or its edges hardly show


TILE_BELIEF = TileBelief()


Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]


def read_picture(
    image: Image,
    lens: Lens | None = None,
    mat: Mat = MAT,
    *,
    tile_set: TileSet,
    prior: Sequence[ReadTile] | None = None,
    view: MatView | None = None,
) -> Reading:
    """The tiles in a picture (height, width, 3; RGB). PictureError when the mat cannot be found in it.

    Without a lens its focal length is estimated from the mat. `prior` are tiles as they were last seen or as a game
    knows them: they are looked for there first. `view` is where the camera is, when that is known already.
    """
    width = image.shape[1]
    image, lens = _small_enough(image, lens)
    if view is not None and image.shape[1] != width:
        sight = replace(view.sight, lens=view.sight.lens.scaled(image.shape[1], image.shape[0]))
        view = replace(view, sight=sight)
    found = view or find_mat(image, lens, mat)
    highest = max([READING_ROUNDS.max_height, *(1e3 * tile.height for tile in tile_set.tiles)])
    frame = prepare(image, found, mat, highest)
    answer = network_answer(frame)
    expected = [tile for tile in prior or () if tile.state is Fate.STANDING]
    votes = votes_of(answer)
    guesses = with_expected(guesses_of(votes, mat), expected, tile_set)

    def label(pose: Array, size: Array) -> int | None:
        tag = read_top(image, found.sight, pose, size, tile_set)
        return None if tag is None else tag.value

    edges, shapes = edge_maps(frame.edges, answer), shapes_of(tile_set)
    choice, known, is_new = Choice.nothing(shapes), Pool.nothing(shapes), True
    for number in range(READING_ROUNDS.rounds):
        evidence = RoughEvidence(answer, guesses, edges, frame.eye)
        # What is left over was tried in vain as long as nothing has changed since.
        left = range(len(choice.means), len(guesses.tiles)) if is_new else ()
        again = [*np.flatnonzero(choice.means < CHOICE_LIMITS.well_fitted).tolist(), *left]
        most = SEARCH_STEPS.later if number else SEARCH_STEPS.first
        pool = known.beside(Pool.of(*candidates_of(evidence, guesses, again, shapes, expected, most)))
        pool = pool.beside(Pool.of(*scanned(evidence, guesses, left if number else (), shapes, choice.boxes)))
        last, before = number + 1 == READING_ROUNDS.rounds or not again, choice.boxes
        choice, known = choose(Table(frame, evidence, votes, copies_of(tile_set)), pool, label, last)
        if last:
            break
        is_new = not choice.boxes.same_as(before, READING_ROUNDS.moved)
        guesses = with_expected(revised(votes, mat, choice.boxes, answer, frame.eye), expected, tile_set)
    fits = polish(frame, choice)
    kept = _believed(fits, frame, answer, expected)
    return Reading(in_row_order(kept, found), _left_over(frame, answer, kept), found.error, found.estimated)


def _is_same(fit: Fit, tile: ReadTile) -> bool:
    """Whether a box is where a tile was last seen, and of its shape."""
    away = math.hypot(tile.x - fit.pose[0], tile.y - fit.pose[1])
    return (tile.value, tile.stance.value) == (fit.shape.value, fit.shape.stance) and away < VOTE_COUNTING.own_distance


def _believed(fits: list[Fit], frame: Frame, answer: NetworkAnswer, expected: Sequence[ReadTile]) -> list[Fit]:
    """The boxes that are called tiles, the nearest first: those that are not called so hide none."""
    size, kept = (answer.tile.shape[1], answer.tile.shape[0]), list[Fit]()
    for fit in sorted(fits, key=lambda fit: math.hypot(*(fit.pose[:2] - frame.eye[:2]))):
        share = float(shares_seen(_boxes([*kept, fit]), frame.eye, answer.matrix, size)[-1])
        if _is_tile(fit, share, any(_is_same(fit, tile) for tile in expected)):
            kept.append(fit)
    return kept


def _is_tile(fit: Fit, share: float, is_expected: bool) -> bool:
    """Whether enough speaks for a box, of which such a share is seen, to call it a tile: of one hardly seen, more."""
    if fit.seen < TILE_BELIEF.min_edges or (share < TILE_BELIEF.min_share and not is_expected):
        return False
    needed = TILE_BELIEF.min_worth if share >= TILE_BELIEF.half_seen else TILE_BELIEF.min_worth_hidden
    if is_expected:
        needed = 0.0
    is_clear = fit.confidence >= TILE_BELIEF.min_confidence or fit.worth >= TILE_BELIEF.clear_worth
    return is_clear and fit.worth + TILE_BELIEF.per_score * fit.score >= needed


def _boxes(fits: list[Fit]) -> Candidates:
    poses = np.array([fit.pose for fit in fits]).reshape(-1, 4)
    return Candidates([fit.shape for fit in fits], np.arange(len(fits)), poses, np.zeros(len(fits)))


def _small_enough(image: Image, lens: Lens | None) -> tuple[Image, Lens | None]:
    """The picture and its lens in a size that is read in good time; PictureError when they do not fit together."""
    check_size(image, "The picture")
    if image.ndim == 2:
        image = np.repeat(image[..., None], 3, axis=2)
    high, wide = image.shape[:2]
    if lens is not None and abs(wide * lens.height - high * lens.width) > 2 * max(wide, lens.width):
        raise PictureError(
            "The picture is {width} × {height} px, the camera file is for {lens_width} × {lens_height}.",
            width=wide,
            height=high,
            lens_width=lens.width,
            lens_height=lens.height,
        )
    if wide > PICTURE_LIMITS.max_side or high > PICTURE_LIMITS.max_side:
        share = PICTURE_LIMITS.max_side / max(wide, high)
        wide, high = round(wide * share), round(high * share)
        image = np.asarray(cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
    if lens is not None and (lens.width, lens.height) != (wide, high):
        lens = lens.scaled(wide, high)
    return image, lens


def _left_over(frame: Frame, answer: NetworkAnswer, fits: list[Fit]) -> tuple[Unexplained, ...]:
    """What is on the mat and no tile that was read."""
    high, wide = answer.tile.shape
    known = cv2.resize(frame.surface.known.astype(np.uint8), (wide, high), interpolation=cv2.INTER_NEAREST)
    left = ((answer.kinds[GROUND] < 0.5) & (known > 0)).astype(np.uint8)
    for covered in covered_by(answer.matrix, (wide, high), _boxes(fits), -READING_ROUNDS.rim):
        left.ravel()[covered] = 0
    left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    count, _, stats, centres = cv2.connectedComponentsWithStats(left)
    back = np.linalg.inv(answer.matrix[:, [0, 1, 3]])
    found = []
    for k in range(1, count):
        area = float(stats[k, cv2.CC_STAT_AREA]) * NETWORK_INPUT.pixel_size**2
        if area >= READING_ROUNDS.min_unexplained:
            x, y, w = back @ np.array([*centres[k], 1.0])
            found.append(Unexplained(float(x / w), float(y / w), area))
    return tuple(sorted(found, key=lambda one: -one.area))


def in_row_order(fits: list[Fit], view: MatView) -> tuple[ReadTile, ...]:
    """The fits as tiles in the order of their row, with the errors of the camera's place added."""
    tiles = tiles_of(fits, view)
    boxes = [
        _standing(fit.shape, tile.x, tile.y, math.radians(tile.yaw)) for fit, tile in zip(fits, tiles, strict=True)
    ]
    return tuple(tiles[k] for k in row_order(boxes, [tile.value for tile in tiles]))


def tiles_of(fits: list[Fit], view: MatView) -> list[ReadTile]:
    """Each fit as a tile, with the error of the camera's place added."""
    if not fits:
        return []
    # A tile is measured by all that is seen of it, on the mean half way up.
    places = view.place_doubt(np.array([(*fit.pose[:2], fit.shape.height / 2) for fit in fits]))
    tiles = []
    for fit, place in zip(fits, places, strict=True):
        x, y, yaw, lean = fit.pose.tolist()
        turned = math.remainder(yaw, math.pi)
        # Half a turn makes forwards backwards.
        lean = lean if round((yaw - turned) / math.pi) % 2 == 0 else -lean
        sigma = np.sqrt(np.diag(fit.doubt) + np.concatenate([np.diag(place), (0.0, 0.0)]))
        tipping = math.atan2(fit.shape.depth, fit.shape.height)
        state = Fate.STANDING
        if lean:
            state = Fate.FALLEN if abs(lean) > tipping else Fate.LEANING
        tiles.append(
            ReadTile(
                value=fit.shape.value,
                x=x,
                y=y,
                yaw=math.degrees(turned),
                stance=Stance(fit.shape.stance),
                state=state,
                sigma=(float(sigma[0]), float(sigma[1]), math.degrees(sigma[2])),
                confidence=fit.confidence,
                lean=math.degrees(lean),
                lean_sigma=math.degrees(sigma[3]) if lean else 0.0,
                seen=fit.seen,
            )
        )
    return tiles


def _standing(shape: Shape, x: float, y: float, yaw: float) -> Standing:
    return Standing(x / 1e3, y / 1e3, yaw, shape.depth / 1e3, shape.breadth / 1e3, shape.height / 1e3, 0.0)
