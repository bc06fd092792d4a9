"""How far a known tile leans, by the edges in a picture.

One picture of an unknown tile could be of many leans. After a push value, stance and old place of each are known: only
the lean is looked for then, and a foot that slid a little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from physics.outcome import Fate
from physics.tiles import TileSet
from vision.camera.mat import MatView
from vision.reader.boxes import Shape, corners_of, shapes_of
from vision.reader.candidates import FREE, Candidates, places_seen
from vision.reader.choose import Choice
from vision.reader.edges import places_on, refine, worth_of
from vision.reader.final_fit import polish, visible_places
from vision.reader.reader import tiles_of
from vision.reader.reading import ReadTile
from vision.reader.straightened import Part, part_around


@dataclass(frozen=True, slots=True)
class LeanSearch:
    """In which poses a known tile is tried after a push."""

    max_lean: float = 35.0  # degrees of lean that are tried: tiles that lean further lie on others
    steps: int = 24  # leans that are tried, an even number so that none is 0: only leaning boxes may lean otherwise
    slides: tuple[float, ...] = (-2.5, 2.5)  # mm along its yaw by which the foot is tried elsewhere
    coarse_reaches: tuple[float, ...] = (5.0, 4.0, 3.0)  # px within which edges pull the boxes at first
    fine_reaches: tuple[float, ...] = (2.5, 2.0, 1.5)  # px likewise, of the boxes that are kept
    kept: int = 8  # boxes that are looked at more closely
    # mm, mm, rad, rad: how well the old pose tells the new one
    prior: tuple[float, float, float, float] = (4.0, 4.0, 0.1, 1.0)


LEAN_SEARCH = LeanSearch()


@dataclass(frozen=True, slots=True)
class LeanBelief:
    """When a lean that was found is believed, and how well it is known."""

    min_score: float = 0.7  # mean score of its edges from which on a box is believed to be there
    min_seen: float = 0.35  # share of its edges that nothing may hide
    max_slide: float = 12.0  # mm from its old place at which it is another matter than a lean
    min_sigmas: float = 3.0  # times its error that a lean must be to be one
    # of what speaks against a box that counts at edges between two of its faces: they may look alike
    inner_share: float = 0.1
    foot_error: float = 1.0  # mm by which the shadow under a foot may hide where it is, however sharp the edges are
    odds_rate: float = 0.1  # how fast one lean becomes likelier than another with what speaks for it


LEAN_BELIEF = LeanBelief()


Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]


def lean_of(
    picture: Image, view: MatView, tile: ReadTile, tile_set: TileSet, others: Sequence[ReadTile] = ()
) -> ReadTile | None:
    """The tile as it stands or leans now, about where it stood; None where no lean fits: it lies flat or is gone.

    `tile` is how it stood before, `others` are tiles around it that may hide it. It is LEANING up to its tipping angle
    and FALLEN beyond; STANDING where its lean is no more than the error of measuring it.
    """
    shapes = shapes_of(tile_set)
    beside = _boxes(shapes, others)
    starts = _starts(shapes, tile)
    part = part_around(picture, view, corners_of(starts.poses, starts.sizes).reshape(-1, 3))
    tried = _fitted(part, starts, beside, LEAN_SEARCH.coarse_reaches)
    worth, _ = _worth(part, tried, beside)
    best_first = np.argsort(-worth, kind="stable")
    tried = _fitted(part, tried.only(best_first[: LEAN_SEARCH.kept]), beside, LEAN_SEARCH.fine_reaches)
    worth, means = _worth(part, tried, beside)
    best = int(np.argmax(worth))
    if means[best] < LEAN_BELIEF.min_score:
        return None
    fit = polish(part, _among(part, tried.only([best]), beside))[0]
    slid = math.hypot(fit.pose[0] - tile.x, fit.pose[1] - tile.y)
    if fit.seen < LEAN_BELIEF.min_seen or slid > LEAN_BELIEF.max_slide:
        return None
    found = tiles_of([replace(fit, confidence=tile.confidence)], view)[0]
    # Leans that fit almost as well are doubts about this one.
    odds = np.exp(LEAN_BELIEF.odds_rate * (worth - worth[best]))
    apart = np.degrees(tried.poses[:, 3] - tried.poses[best, 3])
    height = 1e3 * tile_set[tile.value].standing_height(tile.stance)
    doubt = math.hypot(
        found.lean_sigma,
        math.sqrt(float((odds * apart**2).sum() / odds.sum())),
        math.degrees(LEAN_BELIEF.foot_error / height),
    )
    limit = math.degrees(tile_set[tile.value].tipping_angle(tile.stance))
    state = Fate.FALLEN if abs(found.lean) > limit else Fate.LEANING
    state = state if abs(found.lean) > LEAN_BELIEF.min_sigmas * doubt else Fate.STANDING
    return replace(found, state=state, lean_sigma=doubt)


def _boxes(shapes: list[Shape], tiles: Sequence[ReadTile]) -> Candidates:
    """The tiles' boxes as they were read."""
    index = {(shape.value, shape.stance): k for k, shape in enumerate(shapes)}
    poses = [(tile.x, tile.y, math.radians(tile.yaw), math.radians(tile.lean)) for tile in tiles]
    which = np.array([index[tile.value, tile.stance.value] for tile in tiles], np.intp)
    return Candidates(shapes, which, np.array(poses).reshape(-1, 4), np.zeros(len(tiles)))


def _starts(shapes: list[Shape], tile: ReadTile) -> Candidates:
    """The tile in every lean that is tried, its foot where it was and a little before and behind that."""
    leans = np.radians(np.linspace(-LEAN_SEARCH.max_lean, LEAN_SEARCH.max_lean, LEAN_SEARCH.steps))
    lean, slide = (each.ravel() for each in np.meshgrid(leans, LEAN_SEARCH.slides))
    yaw = math.radians(tile.yaw)
    poses = np.stack(
        [tile.x + slide * math.cos(yaw), tile.y + slide * math.sin(yaw), np.full(lean.shape, yaw), lean], axis=1
    )
    one = _boxes(shapes, [tile])
    return Candidates(shapes, np.repeat(one.which, len(poses)), poses, np.zeros(len(poses)))


def _fitted(part: Part, boxes: Candidates, beside: Candidates, reaches: tuple[float, ...]) -> Candidates:
    """The boxes moved to the picture's edges, not far from where they are."""
    visible = visible_places(part, boxes, beside)
    held = np.tile(LEAN_SEARCH.prior, (len(boxes.which), 1))
    poses = refine(
        boxes.poses, boxes.sizes, part.edges, part.matrix, part.eye,
        reaches=reaches, free=FREE, visible=visible, prior=held,
    )  # fmt: skip
    return boxes.moved(poses)


def _worth(part: Part, boxes: Candidates, beside: Candidates) -> tuple[Array, Array]:
    """What the edges say for each box in all, and on average."""
    places = places_on(boxes.poses, boxes.sizes, part.matrix, part.eye)
    worth, weights = worth_of(part.edges, places)
    inner = np.repeat(~places.outline, worth.shape[1] // places.outline.shape[1], axis=1)
    worth = np.where(inner & (worth < 0), LEAN_BELIEF.inner_share * worth, worth)
    visible = places_seen(places, boxes, beside, part.eye).reshape(worth.shape)
    total: Array = (worth * visible).sum(axis=1)
    return total, total / np.maximum((weights * visible).sum(axis=1), 1e-6)


def _among(part: Part, box: Candidates, beside: Candidates) -> Choice:
    """The box, and those of the others that hide some of it."""
    hides = [not visible_places(part, box, beside.only([k])).all() for k in range(len(beside.which))]
    near = beside.only(np.array(hides, bool))
    which, poses = np.concatenate([box.which, near.which]), np.concatenate([box.poses, near.poses])
    count = len(which)
    return Choice.given(Candidates(box.shapes, which, poses, np.zeros(count)), np.ones(count))
