"""A window with what a table camera sees: its picture, the tiles in it, and what goes on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from game.match.ports import TableWatch
from game.ui.camera.tiledrag import Dragged
from game.ui.run import new_window

EVERY = 1 / 15  # s between two pictures that are shown
SIZE = (960, 800)


@contextlib.contextmanager
def watch_window(camera: TableWatch, dragged: Dragged) -> Iterator[Callable[[], bool]]:
    """What draws the newest picture and returns whether the window is still open; `dragged` hears of tiles that
    people drag to their places. MissingError without a display."""
    with new_window(SIZE) as window:
        from game.ui.camera.watching import Watching

        window.begin(Watching(window.desk, camera, dragged))
        last = 0.0

        def show() -> bool:
            nonlocal last
            now = time.monotonic()
            if now - last >= EVERY and window.desk.stack:
                window.switch_to()
                window.dispatch_events()
                if window.desk.stack:  # it was not closed by one of them
                    window.on_update(now - last)
                    window.on_draw()
                    window.flip()
                last = now
            return bool(window.desk.stack)

        yield show
