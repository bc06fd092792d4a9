"""One look through a camera: wait until a row stands still on the table, and read it."""

from __future__ import annotations

from collections.abc import Callable

from game.table.photo import Photo
from game.table.source import CameraTable
from physics.errors import InputError
from physics.outcome import Fate
from vision.camera.frames import CameraFrame, Ended

LOOK = 0.1  # s between two looks
ROW = 2  # tiles that must stand before it is called a row


def calm_row(table: CameraTable, tell: Callable[[InputError], None]) -> Photo:
    """The first row that stands still and was read twice alike; the camera is let go then.

    `tell` hears once why a picture cannot be read. InputError when there are no pictures, or they end before that.
    """
    eye, told = table.camera.eye, ""
    try:
        while True:
            item = table.frames.poll(LOOK)
            if item is not None:
                eye.take(item)
            view = eye.view
            if view.trouble is not None and str(view.trouble) != told:
                told = str(view.trouble)
                tell(view.trouble)
            if view.seen is not None and view.picture is not None and isinstance(item, CameraFrame) and view.is_calm:
                photo = Photo(table.source.name, view.picture, view.seen.reading, view.seen.view.sight, eye.tile_set)
                if sum(tile.state is Fate.STANDING for tile in view.tiles) >= ROW:
                    return photo
            if isinstance(item, Ended):
                raise InputError(
                    "{source}: the pictures ended before a row of two tiles or more stood still.",
                    source=table.source.name,
                )
    finally:
        table.camera.close()
        table.frames.close()
