"""A match, or a run from its file, as a film or as a sheet of pictures, made without a window."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from game.film.film import Film
from game.film.plan import Frame, Plan, planned, sounds
from game.pictures.export import FILM_RATE, FILM_SIZE, GIF_RATE, Tell
from game.pictures.theme import WARM
from game.pictures.video import FILM_ENDINGS, Image, require_film, write_gif, write_mp4
from game.sound.synthesis import RATE
from physics.files import check_ending, check_writable, whole_file

if TYPE_CHECKING:
    from game.film.picture import Painter

GIF_SIZE = (640, 360)  # words are to be read in it
TASTES = 12  # pictures that the colours of a .gif are taken from
ENDINGS = (*FILM_ENDINGS, ".png")
MOMENTS, COLUMNS, BORDER = 6, 2, 8  # of a sheet; px


def check_film(path: Path) -> None:
    """Refuses before any work: OutputError for another ending or a place where nothing can be written.

    MissingError when a package is missing.
    """
    check_ending(path, ENDINGS)
    check_writable(path)
    require_film(path.suffix.lower())


def export_film(path: Path, film: Film, tell: Tell) -> None:
    """Writes the film by the path's ending, whole or not at all, in the language in use; `tell` may raise to end it.

    OutputError when it cannot be written, MissingError when a package is missing.
    """
    check_film(path)
    from game.film.picture import Painter  # needs OpenCV, which is there by now

    telling = film.tell()
    ending = path.suffix.lower()
    size, rate = (FILM_SIZE, FILM_RATE) if ending == ".mp4" else (GIF_SIZE, GIF_RATE)
    plan, painter = planned(film, telling, rate), Painter(film, telling, size)
    with whole_file(path) as beside:
        if ending == ".mp4":
            write_mp4(beside, path, _painted(plan, painter, tell), size, rate, (RATE, sounds(plan)))
            return
        if ending == ".png":
            plan = replace(plan, frames=tuple((frame, 1) for frame in sheet_frames(plan)))
            _write_sheet(beside, [picture for picture, _count in _painted(plan, painter, tell)])
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


def sheet_frames(plan: Plan) -> list[Frame]:
    """The pictures of a sheet: the end of every stretch of the film, or moments of it where there are few of them.

    Where there are too many they are a choice at even distances, the first and the last among them.
    """
    frames = [frame for frame, _count in plan.frames]
    ends = [frame for frame, after in pairwise(frames) if frame.table != after.table] + frames[-1:]
    some = ends if len(ends) >= MOMENTS else frames
    count = min(MOMENTS, len(some))
    return [some[round(k * (len(some) - 1) / max(1, count - 1))] for k in range(count)]


def _write_sheet(beside: Path, pictures: Sequence[Image]) -> None:
    """The pictures side by side, read like lines of a text. What PIL raises when it cannot be written."""
    from PIL import Image as images

    high, wide, _colours = pictures[0].shape
    rows = math.ceil(len(pictures) / COLUMNS)
    columns = min(COLUMNS, len(pictures))
    sheet = images.new("RGB", (columns * (wide + BORDER) + BORDER, rows * (high + BORDER) + BORDER), WARM.line[:3])
    for index, picture in enumerate(pictures):
        row, column = divmod(index, COLUMNS)
        sheet.paste(images.fromarray(picture), (BORDER + column * (wide + BORDER), BORDER + row * (high + BORDER)))
    sheet.save(beside, format="PNG", optimize=True)
