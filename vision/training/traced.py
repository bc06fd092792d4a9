"""Tables to learn from as a path tracer sees them: light goes around corners, tiles shine, shadows are true."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import mitsuba as mi
import numpy as np
import numpy.typing as npt

from calibration.board import MAT
from vision.camera.pose import Sight
from vision.drawing.appearance import Appearance, Colour, Lamp
from vision.drawing.blocks import Block
from vision.drawing.film_camera import rotations
from vision.drawing.patterns import cloth, printed, wood
from vision.drawing.photograph import developed


@dataclass(frozen=True, slots=True)
class Tracing:
    """How tables are path-traced."""

    samples: tuple[int, ...] = (16, 25)  # rays per pixel
    bounces: int = 4  # of each
    table: float = 1500.0  # mm to the edge of the table
    below: float = 0.2  # mm from the mat down to the table
    texels: int = 96  # of a tile's texture


TRACING = Tracing()


@dataclass(frozen=True, slots=True)
class TracedShares:
    """How often a table has what."""

    sun: float = 0.25  # lamps that are as far as the sun
    window: float = 0.25  # lamps that are rectangular
    round: float = 0.5  # square rods that are round instead
    plain_mat: float = 0.4  # mats with nothing but their markers
    shaded: float = 0.25  # tables on which something out of view throws its shadow
    apart: float = 0.6  # rad from the camera to it


TRACED_SHARES = TracedShares()


Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]

mi.set_variant("llvm_ad_rgb")


def traced(blocks: Sequence[Block], sight: Sight, appearance: Appearance, rng: np.random.Generator) -> Image:
    """The picture of these blocks, RGB; the lens must be straight and its axis in the middle of the picture."""
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": TRACING.bounces},
        "sensor": _sensor(sight, int(rng.choice(TRACING.samples))),
        "sky": {"type": "constant", "radiance": _colour(appearance.ambient)},
        "table": _table(appearance, rng),
        "mat": _mat(appearance, rng),
    }
    for index, lamp in enumerate(appearance.lamps):
        scene |= _lamp(f"lamp{index}", lamp, rng)
        if rng.random() < TRACED_SHARES.shaded:
            scene |= _shade(f"shade{index}", lamp, sight.eye, rng)
    kind = _surface(rng)
    for index, block in enumerate(blocks):
        colour = appearance.tiles[index % len(appearance.tiles)]
        scene[f"block{index}"] = _block(block, kind | {_colour_of(kind): _skin(colour, appearance, rng)}, rng)
    for index in range(appearance.clutter):
        scene |= _clutter(f"clutter{index}", rng)
    light = np.array(mi.render(mi.load_dict(scene), seed=int(rng.integers(2**31))), np.float32)
    cv2.GaussianBlur(light, (0, 0), appearance.blur, dst=light)
    return developed(light, appearance, rng)


def _sensor(sight: Sight, samples: int) -> dict[str, Any]:
    lens = sight.lens
    world = np.eye(4)
    # The tracer's cameras have x to the left and y up.
    world[:3, :3] = sight.rotation.T @ np.diag([-1.0, -1.0, 1.0])
    world[:3, 3] = sight.eye
    film = {"type": "hdrfilm", "width": lens.width, "height": lens.height, "pixel_format": "rgb"}
    return {
        "type": "perspective",
        "fov": math.degrees(2 * math.atan(lens.width / 2 / lens.fx)),
        "to_world": mi.ScalarTransform4f(world.tolist()),
        "film": film | {"rfilter": {"type": "box"}},
        "sampler": {"type": "multijitter", "sample_count": samples},
    }


def _colour(values: Sequence[float] | Array) -> dict[str, Any]:
    return {"type": "rgb", "value": [float(value) for value in values]}


def _texture(pixels: Floats | Array) -> dict[str, Any]:
    return {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(np.clip(pixels, 0, 1), np.float32)), "raw": True}


def _table(appearance: Appearance, rng: np.random.Generator) -> dict[str, Any]:
    kind = cloth if appearance.cloth else wood
    pattern = np.rot90(kind(int(rng.integers(4))), int(rng.integers(4)))
    tint = np.array(appearance.table, np.float32)
    skin = _texture((1 + appearance.grain * pattern)[..., None] * tint)
    spread = mi.ScalarTransform4f().translate([0, 0, -TRACING.below]).scale([TRACING.table, TRACING.table, 1])
    return {"type": "rectangle", "to_world": spread, "bsdf": {"type": "diffuse", "reflectance": skin}}


def _mat(appearance: Appearance, rng: np.random.Generator) -> dict[str, Any]:
    sheet = printed(MAT)
    if rng.random() < TRACED_SHARES.plain_mat:
        sheet = _without_ruler(sheet)
    paper = np.array(appearance.paper, np.float32)
    # The tracer's pictures have their first row at the lower edge.
    white = (sheet[::-1] / np.float32(255))[..., None]
    skin = _texture(paper * np.float32(appearance.ink) + white * paper * (1 - appearance.ink))
    spread = mi.ScalarTransform4f().scale([MAT.size[0] / 2, MAT.size[1] / 2, 1])
    return {"type": "rectangle", "to_world": spread, "bsdf": {"type": "diffuse", "reflectance": skin}}


def _without_ruler(sheet: Image) -> Image:
    """White but for the dark squares, which are all that stays when thin lines are closed."""
    bold = cv2.morphologyEx(sheet, cv2.MORPH_CLOSE, np.ones((13, 13), np.uint8))
    near = cv2.erode(bold, np.ones((25, 25), np.uint8)) < 128
    return np.asarray(np.where(near, sheet, 255), np.uint8)


def _lamp(name: str, lamp: Lamp, rng: np.random.Generator) -> dict[str, Any]:
    place, light = np.array(lamp.place), np.array(lamp.light)
    far, radius = float(np.linalg.norm(place)), max(4.0, lamp.size / 2)
    draw = rng.random()
    if draw < TRACED_SHARES.sun:
        return {name: {"type": "directional", "direction": (-place).tolist(), "irradiance": _colour(math.pi * light)}}
    if draw < TRACED_SHARES.sun + TRACED_SHARES.window:
        wide = float(rng.uniform(0.5, 2.0))
        sides = radius * math.sqrt(math.pi) / 2 * np.array([wide, 1 / wide])
        facing = mi.ScalarTransform4f().look_at(origin=place.tolist(), target=[0, 0, 0], up=[0, 0.1, 1])
        shape = {"type": "rectangle", "to_world": facing @ mi.ScalarTransform4f().scale([*sides.tolist(), 1])}
    else:
        shape = {"type": "sphere", "center": place.tolist(), "radius": radius}
    shine = _colour(light * (far / radius) ** 2)
    return {name: shape | {"emitter": {"type": "area", "radiance": shine}}}


def _shade(name: str, lamp: Lamp, eye: Array, rng: np.random.Generator) -> dict[str, Any]:
    """A board between the lamp and the mat, where the camera does not see it."""
    place = np.array(lamp.place)
    if place @ eye > math.cos(TRACED_SHARES.apart) * np.linalg.norm(place) * np.linalg.norm(eye):
        return {}
    spot = place * float(rng.uniform(0.35, 0.6)) + rng.uniform(-90, 90, 3)
    if spot[2] < 150:
        return {}
    turn = mi.ScalarTransform4f().rotate([*rng.normal(size=3)], float(rng.uniform(0, 90)))
    sides = mi.ScalarTransform4f().scale(rng.uniform((5, 30, 1), (60, 120, 2)).tolist())
    board = {"type": "cube", "to_world": mi.ScalarTransform4f().translate(spot.tolist()) @ turn @ sides}
    return {name: board | {"bsdf": {"type": "diffuse", "reflectance": _colour([0.3, 0.3, 0.3])}}}


def _surface(rng: np.random.Generator) -> dict[str, Any]:
    """How the tiles of a table throw light back: dull, satin or polished."""
    draw = rng.random()
    if draw < 0.45:
        return {"type": "diffuse"}
    if draw < 0.85:
        return {"type": "roughplastic", "alpha": float(rng.choice([0.08, 0.15, 0.3]))}
    return {"type": "plastic"}


def _colour_of(kind: dict[str, Any]) -> str:
    """What the tracer calls the colour of such a surface."""
    return "reflectance" if kind["type"] == "diffuse" else "diffuse_reflectance"


def _skin(colour: Colour, appearance: Appearance, rng: np.random.Generator) -> dict[str, Any]:
    left, top = rng.integers(0, 512 - TRACING.texels, 2)
    grain = wood(int(rng.integers(4)))[top : top + TRACING.texels, left : left + TRACING.texels]
    tone = 1 + float(rng.normal(0, 0.02))
    skin = np.clip(1 + appearance.tile_grain * grain, 0.3, 1.7)[..., None] * np.array(colour) * tone
    return _texture(skin)


def _block(block: Block, bsdf: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = rotations(np.array(block.quaternion)), block.centre
    size = np.array(block.size)
    where = mi.ScalarTransform4f(place.tolist())
    long = int(np.argmax(size))
    others = np.delete(size, long)
    if size[long] > 4 * others.max() and np.ptp(others) < 1e-6 and rng.random() < TRACED_SHARES.round:
        ends = np.zeros((2, 3))
        ends[:, long] = (-size[long] / 2, size[long] / 2)
        first, second = (ends @ place[:3, :3].T + place[:3, 3]).tolist()
        dull = {"type": "twosided", "nested": bsdf}
        return {"type": "cylinder", "p0": first, "p1": second, "radius": float(others[0]) / 2, "bsdf": dull}
    return {"type": "cube", "to_world": where @ mi.ScalarTransform4f().scale((size / 2).tolist()), "bsdf": bsdf}


def _clutter(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Something that stands on the table beside the mat: it throws its shadow and its colour on it."""
    around, size = float(rng.uniform(0, math.tau)), rng.uniform((10, 10, 2), (60, 60, 90))
    reach = np.array(MAT.size) / 2 + float(np.hypot(*size[:2])) + rng.uniform(5, 120, 2)
    spot = reach * [math.cos(around), math.sin(around)] / max(abs(math.cos(around)), abs(math.sin(around)))
    turn = mi.ScalarTransform4f().rotate([0, 0, 1], float(rng.uniform(0, 90)))
    where = mi.ScalarTransform4f().translate([*spot.tolist(), float(size[2])]) @ turn
    box = {"type": "cube", "to_world": where @ mi.ScalarTransform4f().scale(size.tolist())}
    return {name: box | {"bsdf": {"type": "diffuse", "reflectance": _colour(rng.uniform(0.03, 0.7, 3).tolist())}}}
