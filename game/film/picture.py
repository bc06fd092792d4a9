"""One picture of a film: the players with their scores above the table, and what is told under it.

Where no tiles are on the table, what all may see is written there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from game.film.boxes import TileBox, fall_boxes
from game.film.film import Film, Telling
from game.film.plan import Frame, captions
from game.pictures.player_colours import colours_of
from game.pictures.theme import WARM
from game.pictures.theme import Colour as Tone
from game.words import _
from physics.line import Standing
from vision.drawing.film_camera import VIEW, Camera, Size, camera_around, corners_of, following, heading_of, is_tiny
from vision.drawing.letters import even_width, shortened, width_of, wrapped, write, write_even
from vision.drawing.render import Colour, render, tile_colours

LETTERS = 32  # lines of letters that fill the height of a picture
MIN_LETTERS = 13  # px
SMALLEST = 0.7  # of their size, in which many words are written
LINES = 5  # under the table
EVEN_LETTERS = 1.2  # times their size: letters of one width in the place of tiles
EVEN_LINE = 1.17  # line height in such letters: full blocks one above the other meet
SWATCH = 150  # px of each colour, so that it counts among all that is seen
LINE = 1.3  # line height, in letters

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]


class Painter:
    """Paints the pictures of one film; `size` is theirs, px."""

    def __init__(self, film: Film, telling: Telling, size: Size) -> None:
        self._film, self._telling, self._size = film, telling, size
        self._letter = max(MIN_LETTERS, size[1] // LETTERS)
        self._head = round(2.9 * self._letter)
        self._foot = round((LINES * LINE + 0.7) * self._letter)
        self._room = (size[0], size[1] - self._head - self._foot)
        values = sorted({box.value for shot in film.shots for box in shot.boxes})
        self._paints = dict(zip(values, tile_colours(values), strict=True))
        self._tones = [_opaque(WARM.colours[colour]) for colour in colours_of(film.names)]
        self._cameras: dict[int, Camera] = {}
        self._fronts: dict[int, tuple[Array, Array]] = {}  # where the fall is, by the shot
        self._strips = lru_cache(maxsize=8)(self._strips_of)
        self._written = lru_cache(maxsize=2)(self._written_of)

    def paint(self, frame: Frame) -> Image:
        """The picture (height, width, 3), RGB."""
        head, foot = self._strips(frame.table, frame.players, frame.sentences_said, self._is_slow(frame))
        return np.concatenate([head, self._table(frame), foot])

    def swatch(self) -> Image:
        """The players' colours by themselves, for who chooses a few colours for the whole film."""
        tones = np.array([self._tones or [_opaque(WARM.chip)]], np.uint8)
        return tones.repeat(SWATCH, axis=0).repeat(SWATCH, axis=1)

    # The table

    def _table(self, frame: Frame) -> Image:
        boxes = self._boxes(frame)
        if not boxes:
            return self._written(frame.table)
        places, turns = _poses(boxes)
        values = [box.value for box in boxes]
        paints = [self._paints[value] for value in values]
        camera = self._camera(frame)
        return render(_standings(boxes), values, places, turns, camera, self._room, self._film.table, paints)

    def _boxes(self, frame: Frame) -> tuple[TileBox, ...]:
        shot = self._film.shots[frame.table]
        if shot.playback is None or frame.moment is None:
            return shot.boxes
        return fall_boxes(shot.playback, frame.moment)

    def _is_slow(self, frame: Frame) -> bool:
        playback = self._film.shots[frame.table].playback
        return playback is not None and frame.moment is not None and playback.pace(frame.moment) < 1

    def _camera(self, frame: Frame) -> Camera:
        """It stands still for a round; along a row too long for that it goes with the fall."""
        shot = self._film.shots[frame.table]
        number = shot.picture.round
        if number not in self._cameras:
            self._cameras[number] = self._camera_of(number)
        whole = self._cameras[number]
        if shot.playback is None or frame.moment is None:
            return whole
        height = float(np.median([box.size[2] for box in shot.boxes]))
        if not is_tiny(whole, _poses(shot.boxes)[0], height, self._room):
            return whole
        if frame.table not in self._fronts:
            finely = np.arange(shot.playback.start, shot.playback.end + VIEW.smoothing, VIEW.smoothing / 10)
            self._fronts[frame.table] = finely, np.array([shot.playback.front(t) for t in finely.tolist()]).T
        return following(whole, height, *self._fronts[frame.table], np.array([frame.moment]))[0]

    def _camera_of(self, number: int) -> Camera:
        """A camera that sees all of a round: every tile as it stands and as it falls."""
        shots = [shot for shot in self._film.shots if shot.picture.round == number]
        rows = [shot.boxes for shot in shots]
        for shot in shots:
            if shot.playback is not None:
                times = np.linspace(shot.playback.start, shot.playback.end, VIEW.moments)
                rows += [fall_boxes(shot.playback, t) for t in times.tolist()]
        rows = [row for row in rows if row]
        points = np.concatenate([corners_of(_standings(row), *_poses(row)).reshape(-1, 3) for row in rows])
        standing = [shot for shot in shots if shot.boxes]
        fall = next((shot for shot in reversed(standing) if shot.playback is not None), standing[-1])
        ends = _standings(fall.boxes)
        if fall.playback is not None and fall.playback.pushed == len(ends) - 1:
            ends.reverse()
        near = ends[min(1, len(ends) - 1)]
        push_yaw = ends[0].yaw if near is ends[0] else math.atan2(near.y - ends[0].y, near.x - ends[0].x)
        heading = heading_of(ends[0], ends[-1], push_yaw)
        return camera_around(points, heading, max(box.height for box in ends), self._room)

    def _written_of(self, table: int) -> Image:
        """What all may see, in place of tiles: how far the match is, and under it what it shows of itself."""
        wide, high = self._room
        picture = np.empty((high, wide, 3), np.uint8)
        picture[:] = _opaque(WARM.panel)
        look, shot, letter = self._film.look, self._film.shots[table], self._letter
        if look is None:
            return picture
        public, room = look.public(shot.view), wide - 2 * letter
        head, step = wrapped(public.standing, letter, room), round(LINE * letter)
        height = high - step * (len(head) + 1)
        put: Callable[[Image, str, int, int, int, Colour], None]
        even = even_size(public.lines, letter, room, height - letter)
        if even is None:
            size, lines = fitted((public.words,), letter, room, height)
            put, apart, widest = write, LINE, max(width_of(line, size) for line in lines)
        else:
            size, lines = even, list(public.lines)
            put, apart, widest = write_even, EVEN_LINE, even_width(max(map(len, lines), default=0), size)
        below = round(apart * size)
        baseline = max(0, (height - below * len(lines)) // 2) + letter
        for line in head:
            write(picture, line, (wide - width_of(line, letter)) // 2, baseline, letter, _opaque(WARM.soft))
            baseline += step
        baseline += step
        for line in lines:
            put(picture, line, (wide - widest) // 2, baseline, size, _opaque(WARM.ink))
            baseline += below
        return picture

    # Words

    def _strips_of(self, table: int, players: int, sentences_said: int, is_slow: bool) -> tuple[Image, Image]:
        """What is above the table, and what is under it."""
        return self._above(table, players, is_slow), self._under(sentences_said)

    def _above(self, table: int, players: int, is_slow: bool) -> Image:
        strip = _ground(self._size[0], self._head)
        shot, row, letter = self._film.shots[players], self._film.shots[table], self._letter
        upper, lower, gap = round(1.25 * letter), round(2.5 * letter), round(0.6 * letter)
        beside_it = [_("slow motion")] if is_slow else [""]
        heading = "" if self._film.look is None else self._film.look.heading(row.view)
        if heading:
            beside_it.insert(0, heading)
        widest = self._size[0] // 6
        beside = max(width_of(each, fitting(each, letter, widest)) for each in (*beside_it, _("slow motion"))) + 2 * gap
        for words, baseline in zip(beside_it, (upper, lower), strict=False):
            size = fitting(words, letter, widest)
            write(strip, words, self._size[0] - gap - width_of(words, size), baseline, size, _opaque(WARM.soft))
        names, bar = self._telling.names, max(3, letter // 4)
        room = (self._size[0] - beside) // max(1, len(names))
        if not names:
            title = shortened(self._telling.title, letter, room - 2 * gap)
            write(strip, title, gap, upper, letter, _opaque(WARM.ink), bold=True)
        # All names alike: as large as the longest one can be.
        inside = room - 2 * gap - bar
        size = min((fitting(name, letter, inside) for name in names), default=letter)
        for seat, name in enumerate(names):
            left = seat * room + gap // 2
            strip[round(0.4 * letter) : lower + 2, left : left + bar] = self._tones[seat]
            left += bar + gap
            scores, gained = shot.picture.scores, shot.picture.gained
            baseline = upper if scores else (upper + lower) // 2
            write(strip, shortened(name, size, inside), left, baseline, size, _opaque(WARM.ink))
            score = str(scores[seat]) if seat < len(scores) else ""
            write(strip, score, left, lower, letter, _opaque(WARM.chip), bold=True)
            if seat < len(gained) and gained[seat]:
                after = left + width_of(score, letter, bold=True) + gap
                write(strip, f"+{gained[seat]}", after, lower, letter, _opaque(WARM.soft))
        return strip

    def _under(self, sentences_said: int) -> Image:
        strip = _ground(self._size[0], self._foot)
        new, old = captions(self._telling, sentences_said)
        room = self._size[0] - 2 * round(0.8 * self._letter)
        letter, lines = fitted(new, self._letter, room, self._foot)
        before = [line for words in old for line in wrapped(words, letter, room)]
        step = round(LINE * letter)
        baseline = round(1.4 * letter)
        if len(new) == 1 and (len(before) + len(lines)) * step + 0.7 * letter <= self._foot:
            for line in before:
                write(strip, line, round(0.8 * self._letter), baseline, letter, _opaque(WARM.soft))
                baseline += step
        for line in lines:
            write(strip, line, round(0.8 * self._letter), baseline, letter, _opaque(WARM.ink))
            baseline += step
        return strip


def fitted(sentences: tuple[str, ...], letter: int, room: int, height: int) -> tuple[int, list[str]]:
    """How large the sentences are written to have their place, px, and their lines.

    Where even the smallest letters are too large, the last line says with … that there is more.
    """
    size = letter
    while True:
        lines = [line for words in sentences for line in wrapped(words, size, room)]
        fits = int((height / size - 0.7) / LINE)
        if len(lines) <= fits:
            return size, lines
        if size <= max(MIN_LETTERS - 2, SMALLEST * letter):
            return size, [*lines[: fits - 1], shortened(lines[fits - 1] + " …", size, room)]
        size -= 1


def even_size(lines: Sequence[str], letter: int, room: int, height: int) -> int | None:
    """How large lines in letters of one width are written to have their place, px; None where none is small enough."""
    most = max(map(len, lines), default=0)
    sizes = range(round(EVEN_LETTERS * letter), MIN_LETTERS - 4, -1)
    fitting_sizes = (each for each in sizes if even_width(most, each) <= room)
    return next((each for each in fitting_sizes if len(lines) * round(EVEN_LINE * each) <= height), None)


def fitting(words: str, letter: int, room: int) -> int:
    """How large the words are written to fit into the room, px; they need not, where the smallest letters do not."""
    smallest = min(letter, max(MIN_LETTERS - 3, round(SMALLEST * letter)))
    return next((size for size in range(letter, smallest, -1) if width_of(words, size) <= room), smallest)


def _ground(wide: int, high: int) -> Image:
    strip = np.empty((high, wide, 3), np.uint8)
    strip[:] = _opaque(WARM.table)
    return strip


def _opaque(tone: Tone) -> Colour:
    return tone[:3]


def _poses(boxes: tuple[TileBox, ...]) -> tuple[Array, Array]:
    return np.array([box.position for box in boxes]), np.array([box.quaternion for box in boxes])


def _standings(boxes: tuple[TileBox, ...]) -> list[Standing]:
    """The boxes as a camera takes them: where they are, and their sizes."""
    return [Standing(box.position[0], box.position[1], _yaw(box), *box.size, mass=0.0) for box in boxes]


def _yaw(box: TileBox) -> float:
    x, y, z, w = box.quaternion
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
