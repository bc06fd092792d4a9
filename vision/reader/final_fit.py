"""The last fit of chosen boxes: together, each where the others let it be seen, with its errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.reader.boxes import EDGES, Shape, lengths_of
from vision.reader.candidates import FREE, Candidates, places_seen, settled
from vision.reader.choose import Choice
from vision.reader.edges import EDGE_SAMPLING, EDGE_SCORING, measure, places_on, slopes_of, worth_of
from vision.reader.straightened import Part


@dataclass(frozen=True, slots=True)
class FinalFit:
    """The last fit and its stated errors, of which docs/vision.md counts how many hold."""

    # mm along an edge over which errors are alike, measured on pictures with known truth
    correlation_length: float = 7.5
    turn_factor: float = 1.3  # how much larger the error of yaw and lean is than the edges alone say
    passes: tuple[tuple[float, ...], ...] = ((2.5, 2.0), (1.5, 1.5))  # px within which edges pull boxes, step by step
    min_sigma: float = 0.10  # px, the least error an edge is believed to have
    max_residual: float = 1.5  # px beyond which an edge is another one's and says nothing about the error
    # mm², mm², rad², rad²: the variances of a pose before anything is seen, so that the errors stay finite.
    prior: tuple[float, float, float, float] = (25.0, 25.0, 0.1, 0.1)


FINAL_FIT = FinalFit()


Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fit:
    """One box in its final place."""

    shape: Shape
    pose: Array  # (4,)
    doubt: Array  # covariance of x, y (mm), yaw and lean (rad)
    confidence: float
    seen: float  # share of its edges that nothing hides
    score: float  # mean of what these say for it, as a logarithm of odds
    worth: float  # how much more of the picture is explained with it than without


def visible_places(part: Part, pool: Candidates, taken: Candidates) -> Mask:
    """Which places on the edges of the pool's boxes are not hidden by taken ones that stand beside them."""
    return places_seen(places_on(pool.poses, pool.sizes, part.matrix, part.eye), pool, taken, part.eye)


def polish(part: Part, choice: Choice, passes: tuple[tuple[float, ...], ...] = FINAL_FIT.passes) -> list[Fit]:
    """The chosen boxes fitted together once more, by steps of such reaches (px), with the errors of their poses.

    Errors come from how sharply and how evenly the boxes' edges lie on the picture's.
    """
    boxes = choice.boxes
    if not len(boxes.which):
        return []
    leaning = boxes.poses[:, 3] != 0
    visible = np.ones((len(boxes.which), len(EDGES), EDGE_SAMPLING.samples), bool)
    for reaches in passes:
        visible = visible_places(part, boxes, boxes)
        boxes = boxes.moved(settled(part, boxes, reaches, visible))
    places = places_on(boxes.poses, boxes.sizes, part.matrix, part.eye)
    off, _ = measure(part.edges, places, EDGE_SCORING.reach)
    slopes = slopes_of(boxes.poses, boxes.sizes, part.matrix, FREE, places)
    weights = np.broadcast_to(places.weights[..., None], off.shape) * visible
    good = ~np.isnan(off) & (np.abs(off) < FINAL_FIT.max_residual) & (weights > 0)
    worth, counts = worth_of(part.edges, places)
    shown = visible.reshape(worth.shape)
    scores = (worth * shown).sum(axis=1) / np.maximum((counts * shown).sum(axis=1), 1e-6)
    # An edge that is seen from its side is this many px a mm.
    scale = (places.lengths / lengths_of(boxes.sizes)).max(axis=1)[:, None, None]
    independent = places.lengths[..., None] / EDGE_SAMPLING.samples / (FINAL_FIT.correlation_length * scale)
    loads = np.where(weights > 0, independent, 0.0)
    found = []
    for k, index in enumerate(boxes.which.tolist()):
        used = good[k]
        # Observations closer together than the correlation length share their error.
        load = loads[k][used]
        residual = off[k][used]
        count = float(load.sum())
        spread = math.sqrt(FINAL_FIT.min_sigma**2 + float((load * residual**2).sum()) / max(count, 1.0))
        lines = slopes[k][used]
        # A box that does not lean has no lean to be found.
        *variances, lean_variance = FINAL_FIT.prior
        known = (*(1 / each for each in variances), 1 / lean_variance if leaning[k] else 1e12)
        normal = (lines * load[:, None]).T @ lines / spread**2 + np.diag(known)
        scale = np.diag([1.0, 1.0, FINAL_FIT.turn_factor, FINAL_FIT.turn_factor])
        doubt = scale @ np.linalg.inv(normal) @ scale
        whole = float(places.weights[k].sum()) * EDGE_SAMPLING.samples
        seen = float(weights[k].sum()) / max(whole, 1e-9)
        found.append(
            Fit(
                shape=boxes.shapes[index],
                pose=boxes.poses[k],
                doubt=doubt,
                confidence=float(choice.confidences[k]),
                seen=seen,
                score=float(scores[k]),
                worth=float(choice.worths[k]),
            )
        )
    return found
