"""The tiles of the game on their ledge, which stand for it before a match."""

from __future__ import annotations

from game.games.evaluation.placements import TILES
from game.games.evaluation.window.match_paint import paint_tray, tile_places
from game.pictures.theme import Palette, Sizes
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import Painter


def paint_emblem(painter: Painter, palette: Palette, sizes: Sizes, room: Rect) -> None:
    """All tiles side by side, as large as they fit."""
    tiles = tile_places(room, [tile.value for tile in TILES.tiles], sizes)
    left, right = min(each.x for each in tiles.values()), max(each.right for each in tiles.values())
    ledge = Rect(left - sizes.gap, room.y, right - left + 2 * sizes.gap, room.height)
    paint_tray(painter, palette, sizes, ledge, tiles, None, None, enabled=True)
