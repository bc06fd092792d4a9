"""What became of tiles that stood there before: two pictures of the same table compared, place by place.

A tile that stands hides the mat behind it. Where the mat shows through the upper part of its place, it does not stand
there any more; where nothing has changed, it does. Whatever the heap looks like that a fall leaves, this can be seen.
Where something has changed the tile may lean: then its lean is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lens import Lens
from physics.outcome import Fate
from physics.tiles import TileSet
from vision.camera.mat import MatView
from vision.camera.pose import Sight
from vision.reader.lean import LEAN_SEARCH, lean_of
from vision.reader.reading import ReadTile
from vision.reader.seen_table import SeenTable, box_corners


@dataclass(frozen=True, slots=True)
class MatColour:
    """How the bare mat is distinguished from all else in a small picture."""

    width: int = 560  # px of the pictures that are compared
    step: float = 5.0  # mm between two points of the mat from which its light is learnt
    reach: tuple[float, float] = (150.0, 90.0)  # mm from the middle where it is learnt: the markers are beyond
    margin: tuple[float, float] = (40.0, 45.0)  # mm beyond that which still show the mat, between the markers
    unit: float = 200.0  # mm: about half the mat's length, so that the powers of a place are of one size
    min_points: int = 60  # of the mat that must show for its light to be learnt anew
    tint: float = 0.075  # by how much the mat's colour may seem to be another
    min_light: float = 0.62  # of its light, in shadows
    max_light: float = 1.12  # of its light, at most
    same_place: float = 0.25  # px of a small picture by which the corners of what is compared may be apart


MAT_COLOUR = MatColour()


@dataclass(frozen=True, slots=True)
class PlaceRules:
    """When the place of a tile has changed."""

    upper_share: float = 0.5  # of a tile's height, from which on its upper part is looked at
    stays: float = 0.3  # of the contrast to the mat that a place may change and still hold its tile
    same: float = 0.1  # likewise, and be called the same
    max_new: int = 12  # px of a small picture that may look otherwise by chance
    min_pixels: int = 6  # px of an upper part below which it says nothing
    # of the upper part of a place in which the mat must show to be sure that nothing stands there
    min_bare: float = 0.25
    min_hidden: float = 0.6  # of a place that must not look like the mat while the tile stands there
    margin: int = 5  # px, side of the square around each pixel of a place that belongs to it as well


PLACE_RULES = PlaceRules()


@dataclass(frozen=True, slots=True)
class FallRules:
    """What became of tiles that stood there before."""

    max_nudge: float = 6.0  # mm that a tile may be read elsewhere while nothing has changed
    near: float = 25.0  # mm within which a tile that is read to stand may be the one that stood there
    lying_share: float = 0.25  # of its broad face that must lie about for a tile that has gone to have fallen
    lying_margin: float = 30.0  # mm beyond its height that a tile may slide as it falls
    min_fallen: int = 2  # tiles: nobody takes or moves so many with one push
    # Degrees, one of which must hide the mat for a tile to lean.
    leans: tuple[float, ...] = tuple(np.linspace(-LEAN_SEARCH.max_lean, LEAN_SEARCH.max_lean, 11).tolist())
    min_confidence: float = 0.7  # from which on a tile that stands elsewhere is believed


FALL_RULES = FallRules()


# The corners of what is compared of the mat, mm.
CORNERS = np.array([(x, y, 0.0) for x, y in product(*((-reach, reach) for reach in MAT_COLOUR.reach))])

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class SmallPicture:
    """A small picture of a table, and what in it looks like the bare mat."""

    sight: Sight  # by which the mat was found
    light: Floats
    bare: Mask
    on_mat: Mask  # where the mat is, its markers left out

    @cached_property
    def mat_light(self) -> Floats:
        """What the bare mat looks like, (3,)."""
        return np.asarray(np.median(self.light[self.bare & self.on_mat], axis=0), np.float32)


def small_picture(picture: Image, sight: Sight) -> SmallPicture:
    """The picture made small, its mat distinguished from all else."""
    height = max(2, round(MAT_COLOUR.width * picture.shape[0] / picture.shape[1]))
    small = cv2.resize(picture, (MAT_COLOUR.width, height), interpolation=cv2.INTER_AREA)
    light = cv2.GaussianBlur(small, (0, 0), 0.7).astype(np.float32)
    scale = sight.lens.width / MAT_COLOUR.width
    powers, on_mat = _ground(sight.lens, sight.rotation.tobytes(), sight.place.tobytes(), height)
    paper = powers @ _paper(light, sight, scale).astype(np.float32)
    colours = cv2.split(light / np.maximum(paper, np.float32(1)))
    level = sum(colours[1:], colours[0]) / np.float32(3)
    least, most = np.minimum.reduce(colours), np.maximum.reduce(colours)
    bare = (
        (least > (1 - MAT_COLOUR.tint) * level)
        & (most < (1 + MAT_COLOUR.tint) * level)
        & (level > MAT_COLOUR.min_light)
        & (level < MAT_COLOUR.max_light)
    )
    return SmallPicture(sight, light, np.asarray(bare), on_mat)


class ComparedPicture:
    """A picture that is compared with others: made small once, as long as the mat lies in the same place in it."""

    def __init__(self, picture: Image) -> None:
        self.picture = picture
        self._small: list[SmallPicture] = []

    def small(self, sight: Sight) -> SmallPicture:
        """The picture made small, by that sight or by one that puts the mat in the same place."""
        found = next((each for each in self._small if _is_same_place(each.sight, sight)), None)
        if found is None:
            found = small_picture(self.picture, sight)
            self._small.append(found)
        return found


def _is_same_place(one: Sight, other: Sight) -> bool:
    """Whether both put the mat in the same place in small pictures."""
    if one is other:
        return True
    if (one.lens.width, one.lens.height) != (other.lens.width, other.lens.height):
        return False
    apart = np.linalg.norm(one.project(CORNERS) - other.project(CORNERS), axis=1)
    return float(apart.max()) * MAT_COLOUR.width / one.lens.width < MAT_COLOUR.same_place


@lru_cache(maxsize=4)
def _ground(lens: Lens, rotation: bytes, place: bytes, height: int) -> tuple[Floats, Mask]:
    """For each pixel of a small picture what the mat's light is made of there, and whether it shows the mat."""
    sight = Sight(lens, np.frombuffer(rotation).reshape(3, 3), np.frombuffer(place))
    across, down = np.meshgrid(np.arange(MAT_COLOUR.width), np.arange(height))
    pixels = (np.stack([across, down], axis=-1) + 0.5) * (lens.width / MAT_COLOUR.width) - 0.5
    points = sight.to_plane(np.asarray(pixels, float).reshape(-1, 2)).reshape(height, MAT_COLOUR.width, 2)
    x, y = points[..., 0], points[..., 1]
    (wide, long), (more_wide, more_long) = MAT_COLOUR.reach, MAT_COLOUR.margin
    on_mat = (np.abs(x) < wide + more_wide) & (np.abs(y) < long + more_long)
    on_mat &= ~((np.abs(x) > wide) & (np.abs(y) > long))
    return _powers(x / MAT_COLOUR.unit, y / MAT_COLOUR.unit).astype(np.float32), np.asarray(on_mat)


def _powers(x: Array, y: Array) -> Array:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


def _paper(light: Floats, sight: Sight, scale: float) -> Array:
    """How bright the bare mat is by place, for each colour: what most of it looks like."""
    x, y = np.meshgrid(*(np.arange(-reach, reach, MAT_COLOUR.step) for reach in MAT_COLOUR.reach))
    spots = (sight.project(np.stack([x, y, np.zeros_like(x)], axis=-1)) + 0.5) / scale - 0.5
    seen = cv2.remap(light, spots[..., 0].astype(np.float32), spots[..., 1].astype(np.float32), cv2.INTER_LINEAR)
    values = np.asarray(seen, float).reshape(-1, 3)
    powers = _powers(x.ravel() / MAT_COLOUR.unit, y.ravel() / MAT_COLOUR.unit)
    level = values.sum(axis=1)
    kept = np.abs(level / max(1.0, float(np.percentile(level, 65))) - 1) < 0.2
    shape = np.zeros((6, 3))
    for limit in (0.15, 0.1, 0.07, 0.07):
        if kept.sum() < MAT_COLOUR.min_points:
            break
        shape = np.linalg.lstsq(powers[kept], values[kept], rcond=None)[0]
        kept = (np.abs(values / np.maximum(powers @ shape, 1.0) - 1) < limit).all(axis=1)
    return shape


def upper_part(
    tile: ReadTile, tile_set: TileSet, sight: Sight, shape: tuple[int, ...], share: float = PLACE_RULES.upper_share
) -> Mask:
    """Where in a small picture the upper part of a tile is that stands there, from that share of its height on."""
    return _upper_part(box_corners(tile, tile_set), sight, shape, share)


def _upper_part(corners: Array, sight: Sight, shape: tuple[int, ...], share: float = PLACE_RULES.upper_share) -> Mask:
    """Where in a small picture the upper part of a box with these corners is."""
    corners[:, 2] = np.maximum(corners[:, 2], share * float(corners[:, 2].max()))
    spots = (sight.project(corners) + 0.5) * (shape[1] / sight.lens.width) - 0.5
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(np.round(spots).astype(np.int32)), 1)
    return mask > 0


@dataclass(frozen=True)
class Reference:
    """The table when it was last calm and every tile on it stood."""

    seen: SeenTable
    small: SmallPicture


def judged(reference: Reference, found: SeenTable, compared: ComparedPicture, tile_set: TileSet) -> SeenTable:
    """The reading with what the two pictures show of the tiles that stood there before."""
    sight = reference.seen.view.sight
    now = compared.small(sight)
    then = reference.small
    read = {tile.value: tile for tile in found.reading.tiles}
    new = then.bare & ~now.bare & then.on_mat
    before = reference.seen.reading.tiles
    places = [_place(tile, read.pop(tile.value, None), tile_set, sight, then, now) for tile in before]
    judged_tiles: list[ReadTile] = []
    has_fallen = False
    for place, leans in zip(places, _leans(places, found.view, compared.picture, tile_set, now), strict=True):
        tile, own, fate = place.tile, place.own, place.fate
        if leans is not None and leans.state is not Fate.STANDING:
            judged_tiles.append(leans)
            has_fallen = True
        elif fate is Fate.STANDING:
            is_same = own is not None and own.state is Fate.STANDING and _far(own, tile) <= FALL_RULES.max_nudge
            judged_tiles.append(own if own is not None and is_same else tile)
        elif fate is None:
            judged_tiles += [] if own is None else [own]
        elif own is not None and own.state is not Fate.STANDING:
            judged_tiles.append(own)
            has_fallen = True
        elif own is not None and own.confidence >= FALL_RULES.min_confidence and not found.reading.unexplained:
            judged_tiles.append(own)
        elif leans is not None:
            judged_tiles.append(leans)
        elif _lies(tile, tile_set, sight, new):
            judged_tiles.append(replace(tile, state=Fate.FALLEN, sigma=(99.0, 99.0, 90.0), lean=0.0))
            has_fallen = True
    # What else is read in a heap of fallen tiles is read into it.
    others = [tile for tile in read.values() if not has_fallen or tile.state is Fate.FALLEN]
    return replace(found, reading=replace(found.reading, tiles=(*judged_tiles, *others)))


def fallen_row(reference: Reference, compared: ComparedPicture, tile_set: TileSet) -> SeenTable | None:
    """What became of a row that was to be pushed, by the pictures alone; None when not several of its tiles fell."""
    seen = reference.seen
    nothing = replace(seen, reading=replace(seen.reading, tiles=(), unexplained=()))
    found = judged(reference, nothing, compared, tile_set)
    fallen = [tile for tile in found.reading.tiles if tile.state is Fate.FALLEN]
    all_there = len(found.reading.tiles) == len(seen.reading.tiles)
    return found if all_there and len(fallen) >= FALL_RULES.min_fallen else None


def is_unchanged(reference: Reference, compared: ComparedPicture, tile_set: TileSet) -> bool:
    """Whether every tile stands as it stood and nothing else has come: then there is nothing to read."""
    sight = reference.seen.view.sight
    now, then = compared.small(sight), reference.small
    if now.bare.shape != then.bare.shape:
        return False
    new = (then.bare != now.bare) & then.on_mat
    found = cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    if int(found.sum()) > PLACE_RULES.max_new:
        return False
    for tile in reference.seen.reading.tiles:
        place = upper_part(tile, tile_set, sight, now.bare.shape)
        if place.sum() < PLACE_RULES.min_pixels or _change(place, then, now) > PLACE_RULES.same:
            return False
    return True


def _change(place: Mask, then: SmallPicture, now: SmallPicture) -> float:
    """How much a place has changed, as a share of how it stands out from the mat."""
    before, after = then.light[place], now.light[place]
    contrast = float(np.abs(before - then.mat_light).mean())
    return float(np.abs(after - before).mean()) / max(contrast, 1e-3)


def _far(one: ReadTile, other: ReadTile) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


@dataclass(frozen=True)
class _Place:
    """Where a tile stood, what is read of it now, and what the two pictures say."""

    tile: ReadTile
    own: ReadTile | None
    fate: Fate | None  # standing where it did, fallen (or taken); None: the pictures do not tell more than the reading
    has_changed: bool  # so that the tile may lean there


def _place(
    tile: ReadTile, own: ReadTile | None, tile_set: TileSet, sight: Sight, then: SmallPicture, now: SmallPicture
) -> _Place:
    """What the two pictures say of the place where the tile stood; `own` is what is read of it now."""
    upper = upper_part(tile, tile_set, sight, now.bare.shape)
    if upper.sum() < PLACE_RULES.min_pixels or (~then.bare[upper]).mean() < PLACE_RULES.min_hidden:
        return _Place(tile, own, None, False)
    whole = (
        cv2.dilate(
            upper_part(tile, tile_set, sight, now.bare.shape, 0.0).astype(np.uint8),
            np.ones((PLACE_RULES.margin,) * 2, np.uint8),
        )
        > 0
    )
    is_sure = own is not None and own.state is Fate.STANDING and own.confidence >= FALL_RULES.min_confidence
    stands_here = own is not None and is_sure and _far(own, tile) < FALL_RULES.near
    changed, changed_above = _change(np.asarray(whole), then, now), _change(upper, then, now)
    has_changed = max(changed, changed_above) >= PLACE_RULES.same and (not is_sure or stands_here)
    is_as_before = changed < PLACE_RULES.same if stands_here else changed_above < PLACE_RULES.stays
    if is_as_before:
        return _Place(tile, own, Fate.STANDING, has_changed)
    is_hidden = stands_here and now.bare[upper].mean() < PLACE_RULES.min_bare
    return _Place(tile, own, None if is_hidden else Fate.FALLEN, has_changed)


def _leans(
    places: Sequence[_Place], view: MatView, picture: Image, tile_set: TileSet, now: SmallPicture
) -> list[ReadTile | None]:
    """The tiles whose place has changed as they lean or stand there now; None where they do neither."""
    there = {k: place.tile for k, place in enumerate(places) if place.fate is Fate.STANDING}
    found: list[ReadTile | None] = []
    for k, place in enumerate(places):
        leans = None
        if place.has_changed and any(_hides(place.tile, lean, tile_set, view.sight, now) for lean in FALL_RULES.leans):
            beside = [tile for j, tile in there.items() if j != k]
            leans = lean_of(picture, view, place.tile, tile_set, beside)
        if leans is not None and not _hides(leans, leans.lean, tile_set, view.sight, now):
            leans = None
        if leans is not None:
            there[k] = leans
        found.append(leans)
    return found


def _hides(tile: ReadTile, lean: float, tile_set: TileSet, sight: Sight, now: SmallPicture) -> bool:
    """Whether the mat is hidden where the tile would be with that lean, degrees."""
    upper = _upper_part(box_corners(tile, tile_set, lean=math.radians(lean)), sight, now.bare.shape)
    return bool(upper.any() and (~now.bare[upper]).mean() >= PLACE_RULES.min_hidden)


def _lies(tile: ReadTile, tile_set: TileSet, sight: Sight, new: Mask) -> bool:
    """Whether enough lies around the tile's place that was not there before."""
    size = tile_set[tile.value]
    reach = 1e3 * size.height + FALL_RULES.lying_margin
    middle = sight.project(np.array([[tile.x, tile.y, 0.0], [tile.x + reach, tile.y, 0.0]]))
    scale = new.shape[1] / sight.lens.width
    radius = float(np.linalg.norm(middle[1] - middle[0])) * scale
    x, y = (middle[0] + 0.5) * scale - 0.5
    down, across = np.ogrid[: new.shape[0], : new.shape[1]]
    near = (across - x) ** 2 + (down - y) ** 2 < radius**2
    grain = (reach / radius) ** 2  # mm² of a pixel
    return bool((new & near).sum() * grain >= FALL_RULES.lying_share * 1e6 * size.height * size.width)
