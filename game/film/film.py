"""A log as a film: every moment of a match, or of one run, on one time line that can be gone along in both directions.

A log's own times are of no use for that: people think for minutes, and a row falls in a second. Each step is shown as
long as it takes to read, each fall as long as it took, and slower where it hung in the balance.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from game.film.boxes import TileBox, fall_boxes
from game.film.look import Data, Look, Picture, look_of
from game.film.playback import MAX_PLACE, SLOW_FOR, Playback, playback_in, playback_of
from game.match.history import MatchHistory, Setup
from game.match.log import Recording
from game.match.publish import Public, Publisher, view_after
from game.match.reading import opened_any, taken
from game.sound.strikes import Strike
from game.text.retold import run_ended, run_row
from game.text.story import Story
from game.words import _, language_in_use, named
from physics.errors import SceneError
from physics.record import Record, motion_in

STEP_TIME, LINE_TIME = 0.7, 0.7  # s that a step is shown, and more for each sentence
TEXT_TIME = 1.5  # s more where there are words to read in place of tiles
AFTER_FALL = 0.8  # s
DAMAGES = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)  # what a damaged log leads to

Sentences = tuple[tuple[float, str], ...]  # when each is said, s of the film


@dataclass(frozen=True, slots=True)
class Shot:
    """One stretch of the film: a moment of the match that stays, or a row that falls."""

    begins: float  # s
    lasts: float  # s
    picture: Picture  # with the tiles as they stand, or as the fall begins
    playback: Playback | None = None
    view: Data = field(default_factory=dict)  # what spectators know then; nothing of a run

    @property
    def boxes(self) -> tuple[TileBox, ...]:
        """The tiles of its picture."""
        return self.picture.boxes

    @property
    def ends(self) -> float:
        """When the next one begins, s."""
        return self.begins + self.lasts

    @property
    def tells(self) -> float:
        """When its sentences are said, s: at once, but of a fall only when it has been seen."""
        return self.begins if self.playback is None else self.begins + self.playback.duration

    def moment(self, t: float) -> float:
        """The moment of the fall at that time of the film."""
        assert self.playback is not None
        return self.playback.start + t - self.begins

    def time(self, moment: float) -> float:
        """The time of the film at that moment of the fall."""
        assert self.playback is not None
        return self.begins + moment - self.playback.start


@dataclass(frozen=True, slots=True)
class Telling:
    """What is said of a film, in one language."""

    title: str
    names: tuple[str, ...]  # of the players as people call them
    sentences: Sentences

    def lines(self, t: float) -> tuple[str, ...]:
        """The two sentences that were said last."""
        last = bisect_right(self.sentences, t, key=lambda each: each[0])
        return tuple(text for _time, text in self.sentences[max(0, last - 2) : last])


@dataclass(frozen=True, slots=True)
class Film:
    """All of it; `tell` says it in the language in use."""

    names: tuple[str, ...]  # of the players as the match has them; none for a run
    shots: tuple[Shot, ...]
    tell: Callable[[], Telling]
    look: Look | None = None  # of the match; None: a run
    table: tuple[float, float] | None = None  # m, its size where it has edges
    game: str = ""  # of the match; empty: a run

    @property
    def lasts(self) -> float:
        """How long it is, s."""
        return self.shots[-1].ends

    # Where something happens

    @property
    def pushes(self) -> tuple[float, ...]:
        """When a finger lets go of a row, or it is knocked, s."""
        return tuple(shot.time(0.0) for shot in self.shots if shot.playback is not None)

    @property
    def slow(self) -> tuple[tuple[float, float], ...]:
        """From when to when a fall is slow, s."""
        falls = ((shot, shot.playback.slow_at) for shot in self.shots if shot.playback is not None)
        return tuple((shot.time(at), shot.time(at + SLOW_FOR)) for shot, at in falls if at is not None)

    @property
    def scores(self) -> tuple[tuple[float, tuple[int, ...]], ...]:
        """When somebody scores, s, and what each seat gains."""
        return tuple((shot.begins, shot.picture.gained) for shot in self.shots if any(shot.picture.gained))

    @property
    def rounds(self) -> tuple[tuple[float, int], ...]:
        """When each round begins, s, and its number; none of a run, or of a match without marked rounds."""
        found: list[tuple[float, int]] = []
        for shot in self.shots:
            number = shot.picture.round
            if number and (not found or number != found[-1][1]):
                found.append((shot.begins, number))
        return tuple(found)

    @property
    def moments(self) -> tuple[float, ...]:
        """Every moment worth a stop, s: each step, each tile that falls, and the end."""
        found = {self.lasts}
        for shot in self.shots:
            found.add(shot.begins)
            if shot.playback is not None:
                found |= {t for t in map(shot.time, shot.playback.falls) if shot.begins < t < shot.ends}
        return tuple(sorted(found))

    def index(self, t: float) -> int:
        """The number of the shot at that time."""
        return max(0, bisect_right(self.shots, t, key=lambda shot: shot.begins) - 1)

    # Going along

    def later(self, t: float, seconds: float) -> float:
        """The time of the film so many seconds after that one: less goes by where a fall is slow. At most its end."""
        shot = self.shots[self.index(t)]
        if shot.playback is None:
            return min(self.lasts, t + seconds)
        moment = shot.moment(t)
        return min(self.lasts, t + shot.playback.later(moment, seconds) - moment)

    def heard(self, before: float, until: float) -> tuple[tuple[float, Strike], ...]:
        """The sounds after the one time and up to the other, and how long after the first each is due, s."""
        shot = self.shots[self.index(until)]
        return () if shot.playback is None else shot.playback.heard(shot.moment(before), shot.moment(until))

    def is_placed(self, before: float, until: float) -> bool:
        """Whether a tile is put down after the one time and up to the other."""
        was, now = self.index(before), self.index(until)
        return now != was and len(self.shots[now].boxes) == len(self.shots[was].boxes) + 1

    def boxes(self, t: float) -> tuple[TileBox, ...]:
        """The tiles at that time."""
        shot = self.shots[self.index(t)]
        return shot.boxes if shot.playback is None else fall_boxes(shot.playback, shot.moment(t))


def stepped(stops: tuple[float, ...], t: float, by: int) -> float:
    """The next of those times or, with a `by` below 0, the one before; the last or first when there is none."""
    at = bisect_right(stops, t + 1e-6) if by > 0 else bisect_left(stops, t - 1e-6) - 1
    return stops[min(len(stops) - 1, max(0, at))]


def film_of(path: Path) -> Film:
    """The film of that log; SceneError when it is damaged, or neither a match nor a run."""
    found = opened_any(path)
    return _run(found, path) if isinstance(found, Record) else _match(*found, path)


# Matches


def _match(recording: Recording, history: MatchHistory, path: Path) -> Film:
    setup = history.setup
    publisher = Publisher(setup, None, history, is_sent=False)
    for entry in taken(history, recording.entries, str(path)):
        publisher.add(entry)
    look = look_of(setup.game, setup.names)
    weak = {scene: data.get("weakest_at") for scene, data in history.forecasts.items()}
    try:
        story = _MatchStory(setup, publisher.events, look, weak)
    except (SceneError, *DAMAGES):
        raise SceneError("{where}: this line is damaged.", where=str(path)) from None
    return Film(setup.names, tuple(story.shots), story.tell, look, game=setup.game)


class _MatchStory:
    """A match told event by event, once for its shots and its sentences; once more for each other language."""

    def __init__(self, setup: Setup, events: list[Public], look: Look, weak: Mapping[str, int | None]) -> None:
        self._setup, self._events, self._look, self._weak = setup, events, look, weak
        self.shots: list[Shot] = []
        self._owners: list[int | None] = []  # by event: the shot that its sentences belong to
        story, said = Story(setup), []
        view: Data = {}
        for (_t, kind, data), words in story.tell_each(events):
            view = view_after(view, data) if kind == "step" else view
            shot = self._shot(kind, data, view, len(words))
            if shot is not None:
                self.shots.append(shot)
            self._owners.append(len(self.shots) - 1 if shot is not None or words else None)
            said.append(words)
        self._tellings = {language_in_use(): self._telling(story, said)}

    def tell(self) -> Telling:
        """What is said, in the language in use."""
        language = language_in_use()
        if language not in self._tellings:
            story = Story(self._setup)
            said = [words for _event, words in story.tell_each(self._events)]
            self._tellings[language] = self._telling(story, said)
        return self._tellings[language]

    def _telling(self, story: Story, said: list[tuple[str, ...]]) -> Telling:
        found: list[tuple[float, str]] = []
        for words, owner in zip(said, self._owners, strict=True):
            if owner is not None:
                found += [(self.shots[owner].tells, text) for text in words]
        # A forecast may come late, and is then told with what is shown: sentences stay in the order of their times.
        return Telling(", ".join(story.names), story.names, tuple(sorted(found, key=lambda each: each[0])))

    def _shot(self, kind: str, data: Data, view: Data, words: int) -> Shot | None:
        """What is to be seen of an event; None where that is nothing new."""
        before = self.shots[-1] if self.shots else Shot(0.0, 0.0, Picture())
        if kind == "step":
            fell = before.playback
            lying = () if fell is None else fall_boxes(fell, fell.end)
            picture = self._look.picture(view, data["events"], lying)
            lasts = STEP_TIME + LINE_TIME * words + (0.0 if picture.boxes else TEXT_TIME)
            return Shot(before.ends, lasts, picture, view=view)
        playback = playback_in(data) if kind in ("outcome", "knocked") else None
        if playback is None:
            return None
        if kind == "outcome":
            playback = playback.slowed(self._weak.get(data["scene"]))
        lasts = playback.duration + AFTER_FALL + LINE_TIME * words
        picture = replace(before.picture, boxes=fall_boxes(playback, playback.start), gained=())
        return Shot(before.ends, lasts, picture, playback, view)


# Runs


def _run(record: Record, path: Path) -> Film:
    try:
        header = record.header
        values = [tile["value"] for tile in header["tiles"]]
        fell: list[float | None] = [None] * len(values)
        for t, kind, data in record.events:
            if kind == "fell":
                fell[data["tile"]] = t
        motion = motion_in(record)
        if motion is None:
            raise ValueError
        playback = playback_of({**header, "fell_at": fell}, motion).slowed(None)
        table = _table_in(header)
        picture = Picture(fall_boxes(playback, playback.start))
        shot = Shot(0.0, playback.duration + AFTER_FALL, picture, playback)

        def tell() -> Telling:
            return _run_story(named(path.name), record, shot)

        tell()
    except (SceneError, *DAMAGES):
        raise SceneError("{file} is a damaged run.", file=str(path)) from None
    return Film((), (shot,), tell, table=table)


def _table_in(header: Mapping[str, Any]) -> tuple[float, float] | None:
    """The size of the table that a run stood on, m; None where it has no edges. ValueError for one that cannot be."""
    size = header["table"]["size"]
    if size is None:
        return None
    wide, deep = (float(side) / 1e3 for side in size)
    if not (0 < wide <= MAX_PLACE and 0 < deep <= MAX_PLACE):
        raise ValueError
    return wide, deep


def _run_story(title: str, record: Record, shot: Shot) -> Telling:
    values = [tile["value"] for tile in record.header["tiles"]]
    found = [(0.0, run_row(values))]
    for t, kind, data in record.events:
        if kind == "fell":
            found.append((shot.time(t), _("The tile {value} falls.").format(value=data["value"])))
        elif kind == "outcome":
            found.append((min(shot.time(t), shot.tells), run_ended(values, data)))
    return Telling(title, (), tuple(sorted(found, key=lambda each: each[0])))
