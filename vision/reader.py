"""Reads a picture of the table: which tiles stand where, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.lens import Lens
from physics.line import Standing
from physics.outcome import Fate
from physics.tiles import Stance, TileSet
from vision.boxes import Shape, shapes_of
from vision.choose import Chooser, Evidence, weigh
from vision.edges import refine
from vision.fit import Fit, polish, visible_places
from vision.frame import Coarse, Frame, coarse_of, prepare
from vision.mat import MatView, find_mat
from vision.order import row_order
from vision.picture import LARGEST, PictureError, check_size
from vision.reading import Reading, ReadTile, Unexplained
from vision.search import Candidates, depths_of, joined, search

HIGHEST = 90.0  # mm above the mat that are kept of the picture, at least
LEFT_OVER = 14.0  # mm² of something on the mat that is too little to look for a tile
WORTH_TELLING = 40.0  # mm² of something unexplained that people are told about
AROUND = 30.0  # mm around what is unexplained where the foot of its tile may be
ALIKE = 0.27  # of the logarithm of two sizes that may be taken for one another
TURNS = (-0.2, -0.1, 0.1, 0.2)  # rad by which chosen boxes are turned to see whether they fit better
BELIEVED = (0.25, 0.8)  # confidence below which a box is not called a tile: wholly seen, and hardly seen
UNSEEN = 1.25  # what confidence and the share of its edges that is seen must sum up to between
SMALLEST_SHARE = 0.2  # of a box's edges that must be seen

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
    highest = max([HIGHEST, *(1e3 * tile.height for tile in tile_set.tiles)])
    frame = prepare(image, found, mat, highest)
    coarse = coarse_of(frame)
    fits = _known(frame, coarse, tile_set, prior) if prior else None
    if fits is None:
        fits = _all(frame, coarse, tile_set, mat)
    kept = [
        fit
        for fit in fits
        if fit.seen >= SMALLEST_SHARE and fit.confidence >= min(max(BELIEVED[0], UNSEEN - fit.seen), BELIEVED[1])
    ]
    tiles = _told(kept, found)
    left = _left_over(frame, coarse, kept)
    return Reading(tiles, _regions(frame, coarse, left, WORTH_TELLING), found.error, found.estimated)


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
    if wide > LARGEST or high > LARGEST:
        share = LARGEST / max(wide, high)
        wide, high = round(wide * share), round(high * share)
        image = np.asarray(cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
    if lens is not None and (lens.width, lens.height) != (wide, high):
        lens = lens.scaled(wide, high)
    return image, lens


def _all(frame: Frame, coarse: Coarse, tile_set: TileSet, mat: Mat) -> list[Fit]:
    """Looks everywhere for every tile."""
    shapes = shapes_of(tile_set)
    pool = search(coarse, frame.eye, shapes, mat)
    if not len(pool.which):
        return []
    pool = pool.moved(refine(pool.poses, pool.sizes, frame.edges, frame.matrix, frame.eye, (3.0, 2.0)))
    evidence = weigh(frame, coarse, pool, tile_set)
    chooser = Chooser(evidence)
    chosen = chooser.best()
    for first in (True, False):
        taken = chooser.solid(chosen) if first else chosen
        more = _more(frame, coarse, evidence, chosen, taken, mat)
        if not len(more.which):
            break
        own = evidence.candidates.only(np.array(chosen, np.intp))
        boxes = evidence.candidates.only(np.array(taken, np.intp))
        pool = joined([own, more, evidence.candidates])
        evidence = weigh(frame, coarse, pool, tile_set, boxes, again=first)
        chooser = Chooser(evidence)
        chosen = chooser.improve(chooser.best())
    return polish(frame, coarse, evidence, chooser, chosen)


def _more(
    frame: Frame, coarse: Coarse, evidence: Evidence, chosen: list[int], taken: list[int], mat: Mat
) -> Candidates:
    """Other candidates that show once some are taken: half hidden ones, and other sizes at the chosen ones' places."""
    boxes = evidence.candidates.only(np.array(taken, np.intp))
    shapes = evidence.candidates.shapes
    parts = [_rivals(evidence.candidates.only(np.array(chosen, np.intp)))]
    left = _left_over_mask(frame, coarse, evidence, taken)
    copies = Counter(boxes.values.tolist())
    left_shapes = [shape for shape in shapes if copies[shape.value] < evidence.copies[shape.value]]
    if left.any() and left_shapes:
        reach = max(3, round(AROUND / _coarse_grain(frame, coarse)))
        near = cv2.dilate(left.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1,) * 2)) > 0
        depths = depths_of(coarse, frame.eye, boxes)
        parts.append(search(coarse, frame.eye, left_shapes, mat, depths, near, left, 2).among(shapes))
    pool = joined(parts)
    if not len(pool.which):
        return pool
    visible = visible_places(frame, pool, boxes)
    moved = refine(pool.poses, pool.sizes, frame.edges, frame.matrix, frame.eye, (4.0, 3.0, 2.0), visible=visible)
    return pool.moved(moved)


def _rivals(taken: Candidates) -> Candidates:
    """Tiles of nearly the same size at the same places, one end kept or the middle."""
    which, poses = [], []
    for index, pose in zip(taken.which.tolist(), taken.poses, strict=True):
        shape = taken.shapes[index]
        ranked = [
            other
            for other in range(len(taken.shapes))
            if other != index
            and taken.shapes[other].stance == shape.stance
            and abs(math.log(taken.shapes[other].height / shape.height)) < ALIKE
        ]
        across = np.array([-math.sin(pose[2]), math.cos(pose[2])])
        for turn in TURNS:
            for end in (-0.5, 0.0, 0.5):
                # Turned about one end or the middle.
                kept = pose[:2] + end * shape.breadth * across
                ahead = np.array([-math.sin(pose[2] + turn), math.cos(pose[2] + turn)])
                which.append(index)
                poses.append(np.array([*(kept - end * shape.breadth * ahead), pose[2] + turn, pose[3]]))
        for other in ranked:
            slack = (taken.shapes[other].breadth - shape.breadth) / 2
            for shift in (-slack, 0.0, slack):
                which.append(other)
                poses.append(np.array([*(pose[:2] + shift * across), pose[2], pose[3]]))
    return Candidates(taken.shapes, np.array(which, np.intp), np.array(poses).reshape(-1, 4), np.zeros(len(which)))


def _coarse_grain(frame: Frame, coarse: Coarse) -> float:
    """mm per coarse pixel in the middle of the mat."""
    return float(frame.grain * frame.light.shape[0] / coarse.bare.shape[0])


def _left_over_mask(frame: Frame, coarse: Coarse, evidence: Evidence, chosen: list[int]) -> npt.NDArray[np.bool_]:
    """Coarse pixels that are no mat and that no chosen box covers, specks left out."""
    left = (coarse.evidence > 0.5) & coarse.known
    flat = left.ravel()
    for index in chosen:
        flat[evidence.covered[index]] = False
    return _cleaned(left, LEFT_OVER / _coarse_grain(frame, coarse) ** 2)


def _left_over(frame: Frame, coarse: Coarse, fits: list[Fit]) -> npt.NDArray[np.bool_]:
    left = (coarse.evidence > 0.5) & coarse.known
    flat = left.ravel()
    for fit in fits:
        flat[fit.covered] = False
    return _cleaned(left, LEFT_OVER / _coarse_grain(frame, coarse) ** 2)


def _cleaned(left: npt.NDArray[np.bool_], least: float) -> npt.NDArray[np.bool_]:
    opened = cv2.morphologyEx(left.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    good = np.zeros(count, bool)
    good[1:] = stats[1:, cv2.CC_STAT_AREA] >= max(4.0, least)
    return np.asarray(good[labels])


def _regions(frame: Frame, coarse: Coarse, left: npt.NDArray[np.bool_], least: float) -> tuple[Unexplained, ...]:
    count, _, stats, centres = cv2.connectedComponentsWithStats(left.astype(np.uint8))
    back = np.linalg.inv(coarse.matrix[:, [0, 1, 3]])
    grain = _coarse_grain(frame, coarse)
    found = []
    for k in range(1, count):
        area = float(stats[k, cv2.CC_STAT_AREA]) * grain**2
        if area >= least:
            x, y, w = back @ np.array([*centres[k], 1.0])
            found.append(Unexplained(float(x / w), float(y / w), area))
    return tuple(sorted(found, key=lambda one: -one.area))


def _known(frame: Frame, coarse: Coarse, tile_set: TileSet, prior: Sequence[ReadTile]) -> list[Fit] | None:
    """Looks for known tiles where they were; None when something else is on the table too."""
    shapes = shapes_of(tile_set)
    index = {(shape.value, shape.stance): k for k, shape in enumerate(shapes)}
    which = np.array([index[tile.value, tile.stance.value] for tile in prior], np.intp)
    poses = np.array([(tile.x, tile.y, math.radians(tile.yaw), 0.0) for tile in prior]).reshape(-1, 4)
    pool = Candidates(shapes, which, poses, np.zeros(len(which)))
    visible = visible_places(frame, pool, pool)
    moved = refine(poses, pool.sizes, frame.edges, frame.matrix, frame.eye, (4.0, 2.5), visible=visible)
    evidence = weigh(frame, coarse, pool.moved(moved), tile_set)
    chooser = Chooser(evidence)
    chosen = chooser.grow([])
    if len(chosen) < len(prior) or _left_over_mask(frame, coarse, evidence, chosen).any():
        return None
    return polish(frame, coarse, evidence, chooser, chosen)


def _told(fits: list[Fit], view: MatView) -> tuple[ReadTile, ...]:
    """The fits as tiles in the order of their row."""
    if not fits:
        return ()
    places = view.place_doubt(np.array([fit.pose[:2] for fit in fits]))
    tiles, boxes = [], []
    for fit, place in zip(fits, places, strict=True):
        x, y, yaw, _ = fit.pose.tolist()
        yaw = math.remainder(yaw, math.pi)
        sigma = np.sqrt(np.diag(fit.doubt)[:2] + np.diag(place))
        tiles.append(
            ReadTile(
                fit.shape.value,
                x,
                y,
                math.degrees(yaw),
                Stance(fit.shape.stance),
                Fate.STANDING,
                (float(sigma[0]), float(sigma[1]), math.degrees(math.sqrt(fit.doubt[2, 2]))),
                fit.confidence,
                seen=fit.seen,
            )
        )
        boxes.append(_standing(fit.shape, x, y, yaw))
    order = row_order(boxes, [tile.value for tile in tiles])
    return tuple(tiles[k] for k in order)


def _standing(shape: Shape, x: float, y: float, yaw: float) -> Standing:
    return Standing(x / 1e3, y / 1e3, yaw, shape.depth / 1e3, shape.breadth / 1e3, shape.height / 1e3, 0.0)
