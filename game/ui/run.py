"""Opens the window: for a match, or for a log. The only door from the commands into this package."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game.match.history import Setup
from game.ui.watches import NOBODY, Watches
from game.workers.pool import LocalPool, match_workers
from physics.errors import MissingError

if TYPE_CHECKING:
    from game.table.calibrating import Calibrating
    from game.ui.window import GameWindow

SWITCH = 5e-5  # s that a thread may keep others from running Python


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for when the window was opened; None: as it was last time."""

    setup: Setup | None = None  # begin this match at once
    resume: Path | None = None  # or go on with this one
    path: Path | None = None  # where a new match is kept
    folder: Path | None = None  # where choices and matches are; None: the user's
    language: str = ""
    seed: int | None = None
    watches: Watches = NOBODY  # what watches a real table
    uses_rig: bool = False  # the rig among them is to push; False: it is there for who chooses it


def play(wanted: Wanted, workers: int | None = None, size: tuple[int, int] | None = None) -> int:
    """Plays in the window until it is closed; 0. MissingError without a display, InputError for a wrong match."""
    with opened(wanted, workers, size) as (window, _pool):
        window.run()
    return 0


@contextlib.contextmanager
def opened(
    wanted: Wanted, workers: int | None = None, size: tuple[int, int] | None = None
) -> Iterator[tuple[GameWindow, LocalPool]]:
    """The window with its first screen, not yet running, and the workers of its matches; errors as `play`."""
    # Workers first: they begin while the window opens, and without a copy of what belongs to it.
    with (
        match_workers(workers, at_once=True) as pool,
        ThreadPoolExecutor(1) as endings,  # the workers wait for it
        new_window(size) as window,
    ):
        from game.ui.app import App

        App(window, pool, wanted, endings=endings).open()
        with _smooth():
            yield window, pool


def replay(path: Path, language: str = "", size: tuple[int, int] | None = None) -> int:
    """Shows the log in the window until it is closed; 0. MissingError without a display, SceneError for a bad log."""
    from game.film.film import film_of

    film = film_of(path)  # before the window: a bad file is said in the terminal
    with new_window(size) as window:
        from game.ui.app import show_film

        show_film(window, film, language)
        with _smooth():
            window.run()
    return 0


def calibrate(begin: Callable[[], Calibrating], language: str = "", size: tuple[int, int] | None = None) -> Calibrating:
    """Leads through the calibration that `begin` begins until the window is closed, and returns it.

    MissingError without a display, before anything has begun; what `begin` raises.
    """
    with new_window(size) as window:
        from game.ui.app import show_calibration

        work = begin()
        show_calibration(window, work, language)
        with _smooth():
            window.run()
    return work


@contextlib.contextmanager
def _smooth() -> Iterator[None]:
    """Python keeps out of the way of the frames: what is there now is never looked through for garbage again, and a
    thread that thinks does not keep the one that draws waiting."""
    before = sys.getswitchinterval()
    gc.freeze()
    sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        gc.unfreeze()


@contextlib.contextmanager
def new_window(size: tuple[int, int] | None) -> Iterator[GameWindow]:
    """The window without a screen; closed at the end. MissingError where it cannot be opened."""
    try:
        import pyglet

        from game.ui.view3d import materials as wood

        wood.begun()  # beside all that is loaded now
        pyglet.options.debug_gl = False  # else every call to the card is followed by a question whether it went well
        from game.ui.window import USUAL_SIZE, GameWindow
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("arcade", "pyglet", "PIL"):
            raise
        raise MissingError(
            "The window needs {package}, which is not installed (extra {extra}); --text does it in the terminal.",
            package="arcade",
            extra="ui",
        ) from None
    except Exception as error:  # a machine without a display fails while Arcade is imported
        raise _no_display(error) from None
    try:
        window = GameWindow(size or USUAL_SIZE)
    except Exception as error:
        raise _no_display(error) from None
    try:
        yield window
    finally:
        for screen in reversed(window.desk.stack):
            screen.closed()
        window.desk.stack.clear()
        with contextlib.suppress(Exception):  # it may be closed already
            window.close()


def _no_display(error: Exception) -> Exception:
    """What to say of it; the error itself when it is not about displays."""
    module = type(error).__module__
    if module.startswith(("pyglet", "arcade")):
        return MissingError(
            "There is no display to open a window on: --text does it in the terminal, "
            "and a fall can be watched in a browser as the film that {command} makes.",
            command="./topple simulate LINE --out fall.mp4",
        )
    return error
