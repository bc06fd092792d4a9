"""Opens the window: for a match, or for a log. The only door from the commands into this package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game.match import Setup
from game.pool import match_workers
from physics.errors import MissingError

if TYPE_CHECKING:
    from game.ui.window import GameWindow


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for when the window was opened; None: as it was last time."""

    setup: Setup | None = None  # begin this match at once
    resume: Path | None = None  # or go on with this one
    path: Path | None = None  # where a new match is kept
    folder: Path | None = None  # where choices and matches are; None: the user's
    language: str = ""
    seed: int | None = None


def play(wanted: Wanted, workers: int | None = None, size: tuple[int, int] | None = None) -> int:
    """Plays in the window until it is closed; 0. MissingError without a display, InputError for a wrong match."""
    with _window(size) as window, match_workers(workers) as pool:
        from game.ui.app import App

        app = App(window, pool, wanted)
        app.open()
        window.run()
    return 0


def replay(path: Path, language: str = "", size: tuple[int, int] | None = None) -> int:
    """Shows the log in the window until it is closed; 0. MissingError without a display, SceneError for a bad log."""
    from game.ui.film import film_of

    film = film_of(path)  # before the window: a bad file is said in the terminal
    with _window(size) as window:
        from game.ui.app import show_film

        show_film(window, film, language)
        window.run()
    return 0


@contextlib.contextmanager
def _window(size: tuple[int, int] | None) -> Iterator[GameWindow]:
    try:
        from game.ui.window import USUAL_SIZE, GameWindow
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("arcade", "pyglet", "PIL"):
            raise
        raise MissingError(
            "The window needs {package}, which is not installed (extra {extra}); in the terminal it goes with --text.",
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
        return MissingError("There is no display to open a window on; in the terminal it goes with --text.")
    return error
