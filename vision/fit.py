"""The last fit of chosen boxes: together, each where the others let it be seen, with its errors and its confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.boxes import Shape
from vision.choose import Chooser, Evidence, covered_by, places_seen
from vision.edges import REACH, SAMPLES, measure, places_on, refine, slopes_of
from vision.frame import Coarse, Frame
from vision.search import Candidates

FREE = (0, 1, 2)
ALIKE = 11.0  # px along an edge over which errors are alike, as measured on pictures with known truth
TURNED = 1.3  # how much larger the error of the yaw is than the edges alone say
SURE = 0.12  # how fast confidence grows with what speaks for a box and against all others
EVEN = 8.0  # of that, where it is as likely wrong as right
SHARPEST = 0.10  # px, the least error an edge is believed to have

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fit:
    """One box in its final place."""

    shape: Shape
    pose: Array  # (4,)
    doubt: Array  # covariance of x, y (mm) and yaw (rad)
    confidence: float
    seen: float  # share of its edges that nothing hides
    covered: npt.NDArray[np.intp]  # coarse pixels


def visible_places(frame: Frame, pool: Candidates, taken: Candidates) -> Mask:
    """Which places on the edges of the pool's boxes are not hidden by taken ones that stand beside them."""
    return places_seen(places_on(pool.poses, pool.sizes, frame.matrix, frame.eye), pool, taken, frame.eye)


def polish(frame: Frame, coarse: Coarse, evidence: Evidence, chooser: Chooser, chosen: list[int]) -> list[Fit]:
    """The chosen boxes fitted together once more."""
    if not chosen:
        return []
    confidences = [1 / (1 + math.exp(-SURE * (max(-100.0, chooser.margin(chosen, index)) - EVEN))) for index in chosen]
    boxes = evidence.candidates.only(np.array(chosen, np.intp))
    for reaches in ((2.5, 2.0), (1.5, 1.5)):
        visible = visible_places(frame, boxes, boxes)
        boxes = boxes.moved(
            refine(boxes.poses, boxes.sizes, frame.edges, frame.matrix, frame.eye, reaches, FREE, visible)
        )
    return fits_of(frame, coarse, boxes, confidences)


def fits_of(frame: Frame, coarse: Coarse, boxes: Candidates, confidences: list[float]) -> list[Fit]:
    """Boxes with the errors of their poses, from how sharply and how evenly their edges lie on the picture's."""
    visible = visible_places(frame, boxes, boxes)
    places = places_on(boxes.poses, boxes.sizes, frame.matrix, frame.eye)
    off, _ = measure(frame.edges, places, REACH)
    slopes = slopes_of(boxes.poses, boxes.sizes, frame.matrix, FREE, places)
    weights = np.broadcast_to(places.weights[..., None], off.shape) * visible
    good = ~np.isnan(off) & (np.abs(off) < 1.5) & (weights > 0)
    loads = np.where(weights > 0, places.lengths[..., None] / SAMPLES / ALIKE, 0.0)
    covered = covered_by(coarse, boxes)
    found = []
    for k, index in enumerate(boxes.which.tolist()):
        used = good[k]
        # Observations closer together than ALIKE share their error.
        load = loads[k][used]
        residual = off[k][used]
        count = float(load.sum())
        spread = math.sqrt(SHARPEST**2 + float((load * residual**2).sum()) / max(count, 1.0))
        lines = slopes[k][used]
        normal = (lines * load[:, None]).T @ lines / spread**2 + np.diag([1 / 25, 1 / 25, 1 / 0.1])
        scale = np.diag([1.0, 1.0, TURNED])
        doubt = scale @ np.linalg.inv(normal) @ scale
        whole = float(places.weights[k].sum()) * SAMPLES
        seen = float(weights[k].sum()) / max(whole, 1e-9)
        found.append(Fit(boxes.shapes[index], boxes.poses[k], doubt, confidences[k], seen, covered[k]))
    return found
