"""Tables to learn from: more than rows of the set, so that nothing of one set, light or camera is learnt by heart."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from physics.tiles import Tile, TileSet, load_set
from vision.camera.pose import Sight, looking_at
from vision.drawing.appearance import KINDS, Appearance, Colour, Lamp, from_hsv, random_appearance
from vision.drawing.blocks import Block, Hand
from vision.drawing.scenes import random_lens, random_table
from vision.reader.boxes import corners_of, feet_overlap


@dataclass(frozen=True, slots=True)
class Cameras:
    """From where the tables are photographed."""

    sizes: tuple[tuple[int, int], ...] = ((640, 480), (960, 720), (1280, 720), (1280, 960))  # px
    size_shares: tuple[float, ...] = (0.2, 0.5, 0.2, 0.1)
    distances: tuple[float, float] = (430.0, 1020.0)  # mm
    steepest: float = 57.0  # degrees off vertical
    slanting: float = 0.7  # power of a share of it: steep views, where tiles hide one another, come more often


CAMERAS = Cameras()


@dataclass(frozen=True, slots=True)
class TableShares:
    """How often a table has what."""

    counts: tuple[int, ...] = (2, 4, 6, 7, 8, 9, 10, 10, 11, 11, 11)  # tiles of a row, each as likely
    rows: float = 0.85  # a row at all
    own_set: float = 0.75  # one of the evaluation set
    lying: float = 0.25  # tiles that fell
    leaning: float = 0.2  # tiles that lean
    bulky: float = 0.06  # boxes
    hands: float = 0.06  # a hand
    rods: float = 0.12  # pens or the like on the mat
    flat: float = 0.1  # slips of paper or coins
    harsh: float = 0.6  # a hard light
    tint: float = 0.15  # how far its tints differ, as a logarithm


TABLE_SHARES = TableShares()


Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Lesson:
    """A table to photograph and what is to be learnt from it: the standing tiles' poses and sizes."""

    poses: Array  # (n, 4)
    sizes: Array  # (n, 3)
    others: tuple[Block, ...]  # what is no standing tile
    hands: tuple[Hand, ...]
    sight: Sight
    appearance: Appearance


def lesson(rng: np.random.Generator) -> Lesson:
    """A random table before a random camera."""
    appearance = _appearance(rng)
    size = CAMERAS.sizes[int(rng.choice(len(CAMERAS.sizes), p=CAMERAS.size_shares))]
    sight = looking_at(
        random_lens(rng, size, True),
        (float(rng.normal(0, 20)), float(rng.normal(0, 20))),
        float(rng.uniform(*CAMERAS.distances)),
        math.radians(CAMERAS.steepest * float(rng.random()) ** CAMERAS.slanting),
        float(rng.uniform(0, math.tau)),
        float(rng.uniform(-0.3, 0.3)),
    )
    poses, sizes, tile_set = _standing(rng)
    others = _others(rng, poses, sizes, tile_set)
    if len(poses) and rng.random() < TABLE_SHARES.leaning:
        leaning = rng.random(len(poses)) < 0.4
        poses[leaning, 3] = (rng.choice([-1, 1], len(poses)) * rng.uniform(0.02, 0.35, len(poses)))[leaning]
    return Lesson(poses, sizes, others, _hands(rng), sight, appearance)


def block_of(pose: Array, size: Array) -> Block:
    """The box of that pose and size."""
    middle = corners_of(pose[None], size[None])[0].mean(axis=0)
    yaw, lean = pose[2] / 2, pose[3] / 2
    turn = (
        -math.sin(yaw) * math.sin(lean),
        math.cos(yaw) * math.sin(lean),
        math.sin(yaw) * math.cos(lean),
        math.cos(yaw) * math.cos(lean),
    )
    x, y, z = middle.tolist()
    depth, breadth, height = size.tolist()
    return Block((depth, breadth, height), (x, y, z), turn)


def _random_set(rng: np.random.Generator) -> TileSet:
    wide, thick = rng.uniform(0.4, 0.75), rng.uniform(0.09, 0.28)
    tiles = (
        Tile(k + 1, h * wide / 1e3, max(3.0, h * thick) / 1e3, h / 1e3, 1e-3)
        for k, h in enumerate(np.sort(rng.uniform(22, 90, 11)).tolist())
    )
    return TileSet("random", tuple(tiles), (1,) * 11)


def _standing(rng: np.random.Generator) -> tuple[Array, Array, TileSet]:
    """Poses and sizes of standing tiles: a row, or some here and there, or both."""
    draw = rng.random()
    tile_set = load_set("evaluation") if draw < TABLE_SHARES.own_set else _random_set(rng)
    count = int(rng.choice(TABLE_SHARES.counts))
    poses, sizes = [], []
    if draw < TABLE_SHARES.rows:
        for box in random_table(rng, count, tile_set).line.standing():
            poses.append((1e3 * box.x, 1e3 * box.y, box.yaw, 0.0))
            sizes.append((1e3 * box.depth, 1e3 * box.breadth, 1e3 * box.height))
    if draw >= TABLE_SHARES.rows:
        more = int(rng.integers(4, 12))
    else:
        more = int(rng.integers(0, 4)) if rng.random() < 0.3 else 0
    for _ in range(4 * more):
        size, pose = _stance(rng, tile_set), _anywhere(rng, 185.0, 125.0)
        corner = abs(pose[0]) > 150 and abs(pose[1]) > 90
        if more and not corner and not _stands_in(pose, size, np.array(poses), np.array(sizes), 4.0):
            poses.append(pose)
            sizes.append(size)
            more -= 1
    return np.array(poses).reshape(-1, 4), np.array(sizes).reshape(-1, 3), tile_set


def _stance(rng: np.random.Generator, tile_set: TileSet) -> tuple[float, float, float]:
    tile = tile_set.tiles[rng.integers(len(tile_set.tiles))]
    wide, thick, high = 1e3 * tile.width, 1e3 * tile.thickness, 1e3 * tile.height
    return (thick, wide, high) if rng.random() < 0.6 else (thick, high, wide)


def _anywhere(rng: np.random.Generator, x: float, y: float) -> tuple[float, float, float, float]:
    return float(rng.uniform(-x, x)), float(rng.uniform(-y, y)), float(rng.uniform(0, math.tau)), 0.0


def _stands_in(pose: tuple[float, ...], size: tuple[float, ...], poses: Array, sizes: Array, room: float) -> bool:
    return bool(len(poses) and feet_overlap(np.array([pose]), np.array([size]), poses, sizes, -room).any())


def _others(rng: np.random.Generator, poses: Array, sizes: Array, tile_set: TileSet) -> tuple[Block, ...]:
    """Tiles that lie or lean far, and now and then something large."""
    found = []
    if rng.random() < TABLE_SHARES.lying:
        for _ in range(int(rng.integers(1, 7))):
            size, pose = _stance(rng, tile_set), _anywhere(rng, 170.0, 115.0)
            lean = math.pi / 2 if rng.random() < 0.6 else float(rng.uniform(0.35, 1.5))
            reach = size[2] * math.sin(lean)
            middle = (pose[0] + math.cos(pose[2]) * reach / 2, pose[1] + math.sin(pose[2]) * reach / 2, pose[2], 0.0)
            if not _stands_in(middle, (size[0] + reach, size[1], 1.0), poses, sizes, 2.0):
                found.append(block_of(np.array([*pose[:3], lean]), np.array(size)))
    if rng.random() < TABLE_SHARES.bulky:
        size, pose = tuple(rng.uniform((40, 40, 5), (80, 80, 100)).tolist()), _anywhere(rng, 150.0, 90.0)
        if not _stands_in(pose, size, poses, sizes, 2.0):
            found.append(block_of(np.array(pose), np.array(size)))
    for share, low, high in (
        (TABLE_SHARES.rods, (60, 3, 0), (180, 11, 0)),
        (TABLE_SHARES.flat, (12, 12, 0.3), (60, 60, 3.0)),
    ):
        for _ in range(int(rng.integers(1, 4)) if rng.random() < share else 0):
            long, wide, thick = rng.uniform(low, high).tolist()
            size, pose = (long, wide, thick or wide), _anywhere(rng, 185.0, 130.0)
            if not _stands_in(pose, size, poses, sizes, 1.0):
                found.append(block_of(np.array(pose), np.array(size)))
    return tuple(found)


def _hands(rng: np.random.Generator) -> tuple[Hand, ...]:
    if rng.random() >= TABLE_SHARES.hands:
        return ()
    x, y, around = float(rng.uniform(-150, 150)), float(rng.uniform(-100, 100)), float(rng.uniform(0, math.tau))
    elbow = (x + 300 * math.cos(around), y + 300 * math.sin(around), 120.0)
    return (Hand((x, y, float(rng.uniform(15, 60))), elbow, float(rng.uniform(15, 40))),)


def _harsh(rng: np.random.Generator, lamp: Lamp) -> Lamp:
    """The lamp smaller, of another tint and often lower: its shadows are sharper and longer."""
    x, y, z = lamp.place
    lower = float(rng.uniform(0.45, 1.0))
    tint = np.exp(rng.normal(0, TABLE_SHARES.tint, 3))
    return Lamp((x, y, z * lower), lamp.size * float(rng.uniform(0.03, 0.6)), _tinted(lamp.light, tint))


def _dimmer(rng: np.random.Generator, ambient: Colour) -> Colour:
    """The light of the surroundings weaker and of another tint: what lamps do not reach is dark, and often bluish."""
    tint = np.exp(rng.normal(0, TABLE_SHARES.tint, 3)) * float(np.exp(rng.uniform(math.log(0.1), 0)))
    tint[2] *= float(rng.uniform(1.0, 1.6))
    return _tinted(ambient, tint)


def _tinted(colour: Colour, tint: Array) -> Colour:
    red, green, blue = (np.array(colour) * tint).tolist()
    return red, green, blue


def _appearance(rng: np.random.Generator) -> Appearance:
    """Any light, and tiles of any colour: grey, painted, pale, dark, printed."""
    appearance = random_appearance(KINDS[int(rng.integers(len(KINDS)))], rng)
    draw = rng.random()
    if draw < 0.12:
        greys = rng.uniform(0.03, 0.85, 3 if rng.random() < 0.5 else 1).tolist()
        appearance = replace(
            appearance, tiles=tuple(from_hsv(rng.random(), rng.uniform(0, 0.15), grey) for grey in greys)
        )
    elif draw < 0.3:
        count = int(rng.integers(1, 12))
        colours = (from_hsv(rng.random(), rng.uniform(0.1, 0.9), rng.uniform(0.05, 0.85)) for _ in range(count))
        appearance = replace(appearance, tiles=tuple(colours))
    elif draw < 0.45:
        hue = rng.uniform(0.03, 0.12)
        woods = (from_hsv(hue + 0.006 * rng.normal(), rng.uniform(0.15, 0.7), rng.uniform(0.1, 0.9)) for _ in range(11))
        appearance = replace(appearance, tiles=tuple(woods))
    elif draw < 0.57:
        level = rng.uniform(0.01, 0.07) if rng.random() < 0.6 else rng.uniform(0.6, 0.9)
        appearance = replace(appearance, tiles=(from_hsv(rng.random(), rng.uniform(0, 0.1), level),))
    if rng.random() < TABLE_SHARES.harsh:
        appearance = replace(
            appearance,
            lamps=tuple(_harsh(rng, lamp) for lamp in appearance.lamps),
            ambient=_dimmer(rng, appearance.ambient),
        )
    if rng.random() < 0.3:
        appearance = replace(appearance, marks=float(rng.uniform(-0.85, 1.5)))
    if rng.random() < 0.2:
        appearance = replace(appearance, noise=2 * appearance.noise, blur=1.5 * appearance.blur)
    return replace(appearance, exposure=appearance.exposure * float(rng.uniform(0.7, 1.25)))
