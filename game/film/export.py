"""A match, or a run from its file, as a film for a file, made without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from game.film.film import Film
from game.film.plan import Plan, planned, sounds
from game.pictures.export import FILM_RATE, FILM_SIZE, GIF_RATE, Tell
from game.pictures.video import FILM_ENDINGS, Image, require_film, write_gif, write_mp4
from game.sound.synthesis import RATE
from physics.files import check_ending, check_writable, whole_file

if TYPE_CHECKING:
    from game.film.picture import Painter

GIF_SIZE = (640, 360)  # words are to be read in it
TASTES = 12  # pictures that the colours of a .gif are taken from


def check_film(path: Path) -> None:
    """Refuses before any work: OutputError for another ending or a place where nothing can be written.

    MissingError when a package is missing.
    """
    check_ending(path, FILM_ENDINGS)
    check_writable(path)
    require_film(path.suffix.lower())


def export_film(path: Path, film: Film, tell: Tell) -> None:
    """Writes the film by the path's ending, whole or not at all, in the language in use; `tell` may raise to end it.

    OutputError when it cannot be written, MissingError when a package is missing.
    """
    check_film(path)
    from game.film.picture import Painter  # needs OpenCV, which is there by now

    telling = film.tell()
    is_gif = path.suffix.lower() == ".gif"
    size, rate = (GIF_SIZE, GIF_RATE) if is_gif else (FILM_SIZE, FILM_RATE)
    plan, painter = planned(film, telling, rate), Painter(film, telling, size)
    with whole_file(path) as beside:
        if not is_gif:
            write_mp4(beside, path, _painted(plan, painter, tell), size, rate, (RATE, sounds(plan)))
            return
        frames = plan.frames
        some = [painter.paint(frames[k * (len(frames) - 1) // (TASTES - 1)][0]) for k in range(TASTES)]
        some.append(painter.swatch())
        pictures = (picture for picture, _count in _painted(plan, painter, tell))
        write_gif(beside, some, pictures, [count * 1000 // rate for _frame, count in frames])


def _painted(plan: Plan, painter: Painter, tell: Tell) -> Iterator[tuple[Image, int]]:
    """Each picture of the film and how often it is shown, painted when it is asked for."""
    for done, (frame, count) in enumerate(plan.frames, 1):
        yield painter.paint(frame), count
        tell(done, len(plan.frames))
