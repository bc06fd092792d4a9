"""Draws tables without a display and prints what was seen, as JSON: a process of its own, so that tests stay clean."""

import json
import math
import os
import sys
from dataclasses import replace
from typing import Any

os.environ["ARCADE_HEADLESS"] = "True"

import arcade
import numpy as np
import numpy.typing as npt

from game.film.boxes import TileBox, Tint, box_of
from game.pictures.lighting import LAMP
from game.sound.synthesis import clack
from game.ui.speaker import Speaker
from game.ui.view3d.orbit import Orbit
from game.ui.view3d.table3d import Look, Mark, Table3D
from game.ui.window import key_name
from physics.line import Standing

VIEW = (40, 30, 480, 300)  # within a window of 560 × 360
SIZE = (480.0, 300.0)

Pixels = npt.NDArray[np.int_]


def main() -> None:
    window = arcade.Window(560, 360, "test", antialiasing=False)
    table = Table3D(window.ctx)
    found_detail = table.detail
    table.max_pixels = None
    orbit = Orbit(distance=0.6, elevation=math.radians(50))
    tile = box_of(Standing(0.0, 0.0, math.radians(90), 0.01, 0.05, 0.08, 0.02), 2)

    def draw(tiles: list[TileBox], **more: Any) -> Pixels:
        window.clear(color=(1, 2, 250))
        table.draw(VIEW, more.pop("orbit", orbit), tiles, **more)
        pixels = np.asarray(arcade.get_image(0, 0, 560, 360).convert("RGB"), dtype=int)
        return pixels[::-1]  # rows from below, as Arcade counts

    def at(pixels: Pixels, place: tuple[float, float, float]) -> list[int]:
        x, y = orbit.project(place, SIZE) or (0.0, 0.0)
        x, y = round(x) + VIEW[0], round(y) + VIEW[1]
        return [int(value) for value in pixels[y - 1 : y + 2, x - 1 : x + 2].mean(axis=(0, 1))]

    empty, full = draw([]), draw([tile])
    outside = np.ones(full.shape[:2], bool)
    outside[VIEW[1] : VIEW[1] + VIEW[3], VIEW[0] : VIEW[0] + VIEW[2]] = False
    changed = np.abs(full - empty).sum(axis=2) > 30
    rows, columns = np.nonzero(changed)
    side = (-0.015, -0.005, 0.02)  # a bare part of the broad face
    high = 0.05  # of what keeps the lamp from the table there
    shadow = (-LAMP[0] / LAMP[2] * high, -LAMP[1] / LAMP[2] * high, 0.0)
    found: dict[str, Any] = {
        "renderer": window.ctx.info.RENDERER,
        "detail": found_detail,
        "outside": full[outside].reshape(-1, 3).max(axis=0).tolist()
        + full[outside].reshape(-1, 3).min(axis=0).tolist(),
        "changed": [int(columns.min()), int(columns.max()), int(rows.min()), int(rows.max())],
        "corners": [orbit.project(corner, SIZE) for corner in tile.corners()],
        "face": [at(empty, side), at(full, side)],
        "shadow": [at(empty, shadow), at(full, shadow)],
        "again": bool((draw([tile]) == full).all()),
    }
    table.detail = 0.5
    moved = replace(tile, position=(0.001, 0.0, 0.04))
    coarse, fine = draw([moved], moving=True), draw([moved])
    found["rested"] = [
        at(coarse, side),
        at(fine, side),
        bool((coarse == fine).all()),
        bool((draw([moved]) == fine).all()),
    ]
    table.max_pixels = 30_000, 10_000
    capped = draw([moved])
    table.max_pixels = None
    found["capped"] = [at(capped, side), bool((capped == fine).all()), _is_outside_clean(capped, outside)]
    window.get_pixel_ratio = lambda: 2.0
    window.clear(color=(1, 2, 250))
    table.draw(tuple(side // 2 for side in VIEW), orbit, [moved])  # type: ignore[arg-type]
    window.get_pixel_ratio = lambda: 1.0
    twice = np.asarray(arcade.get_image(0, 0, 560, 360).convert("RGB"), dtype=int)[::-1]
    found["doubled"] = bool((twice == fine).all())
    for tint in Tint:
        found[tint.name.lower()] = at(draw([replace(tile, tint=tint)]), side)
    mark = (0.1, -0.05)
    found["mark"] = at(draw([tile], marks=[Mark(mark, mark, (0.0, 1.0, 0.0, 1.0), 0.03)]), (*mark, 0.0))
    plain = draw([tile], look=Look(high_contrast=True))
    found["plain"] = [at(plain, side), at(plain, (-0.15, -0.05, 0.0))]
    edged = draw([tile], look=Look(size=(0.3, 0.2), felt=(0.2, 0.15), grid=0.02))
    found["felt"] = at(edged, (0.07, -0.05, 0.0))
    draw([tile, replace(tile, value=123, position=(0.1, 0.0, -0.3))], look=Look(size=(0.3, 0.2)), orbit=orbit.plan())
    # Arcade's own drawing afterwards: flat, in its own place, blended.
    before = window.ctx.blend_func, window.ctx.is_enabled(window.ctx.DEPTH_TEST), window.ctx.viewport
    draw([tile])
    assert before == (window.ctx.blend_func, window.ctx.is_enabled(window.ctx.DEPTH_TEST), window.ctx.viewport)
    arcade.draw_rect_filled(arcade.LBWH(0, 0, 20, 20), (200, 100, 50, 255))
    arcade.draw_rect_filled(arcade.LBWH(540, 340, 20, 20), (200, 100, 50, 128))
    pixels = np.asarray(arcade.get_image(0, 0, 560, 360).convert("RGB"), dtype=int)[::-1]
    found["flat"] = [pixels[10, 10].tolist(), pixels[350, 550].tolist(), pixels[30, 30].tolist()]
    found["keys"] = {
        "latin": [key_name(ord("v"), 0), key_name(ord("z"), arcade.key.MOD_CTRL)],
        "places": [key_name(code << 32, 0) for code in (55, 43, 52, 39, 41, 34, 59, 200)],
    }
    Speaker().play(clack(0.05, 0.5))
    json.dump(found, sys.stdout)


def _is_outside_clean(pixels: Pixels, outside: npt.NDArray[np.bool_]) -> bool:
    return bool((pixels[outside] == (1, 2, 250)).all())


main()
