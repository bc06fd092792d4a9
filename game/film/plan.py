"""A log as a film for a file: which picture is shown when, for how long, what is written under it, and what is heard.

The same shots, pace and sounds as in the window, but nobody can stop a film to read: what came of a round stays until
it can be read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from game.film.film import Film, Telling
from game.sound.effects import Clacks
from game.sound.strikes import Strike
from game.sound.synthesis import Samples, track

LETTERS_PER_SECOND = 25.0  # that people read
AT_THE_END = 2.5  # s that the last picture stays


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the film. Equal frames look the same."""

    table: int  # the shot whose tiles are shown
    players: int  # the shot whose scores are shown
    moment: float | None  # s of the fall; None where tiles stand
    sentences_said: int  # how many sentences have been told


@dataclass(frozen=True)
class Cue:
    """Something to be heard."""

    time: float  # s of the film
    strikes: tuple[tuple[float, Strike], ...] = ()  # with how much later each is due, s; none: a tile is put down


@dataclass(frozen=True)
class Plan:
    """The whole film before anything is painted."""

    frames: tuple[tuple[Frame, int], ...]  # and how often each is shown in turn
    cues: tuple[Cue, ...]
    rate: int  # pictures per second

    @property
    def lasts(self) -> float:
        """How long it is, s."""
        return sum(count for _frame, count in self.frames) / self.rate


def captions(telling: Telling, sentences_said: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What has just been told, when so many sentences have been told, and before it the sentence that went before."""
    if not sentences_said:
        return (), ()
    first = bisect_left(telling.sentences, telling.sentences[sentences_said - 1][0], key=lambda each: each[0])
    sentences = [text for _time, text in telling.sentences]
    return tuple(sentences[first:sentences_said]), tuple(sentences[max(0, first - 1) : first])


def planned(film: Film, telling: Telling, rate: int) -> Plan:
    """The film at that many pictures per second."""
    frames: list[Frame] = []
    cues: list[Cue] = []
    t, before = 0.0, 0
    while True:
        at = film.index(t)
        if at != before:
            frames += _held(film, telling, frames[-1], at, rate)
        before = at
        frames.append(_frame(film, telling, at, t))
        if t >= film.lasts:
            break
        later = film.later(t, 1 / rate)
        now = len(frames) / rate
        heard = film.heard(t, later)
        cues += [Cue(now, heard)] if heard else []
        cues += [Cue(now)] if film.is_placed(t, later) else []
        t = later
    stays = max(AT_THE_END, _to_read(telling, frames[-1].sentences_said) - film.shots[-1].lasts)
    frames += [frames[-1]] * round(stays * rate)
    return Plan(tuple((frame, len(list(same))) for frame, same in groupby(frames)), tuple(cues), rate)


def _frame(film: Film, telling: Telling, at: int, t: float) -> Frame:
    shot = film.shots[at]
    moment = None if shot.playback is None else min(shot.moment(t), shot.playback.end)
    return Frame(at, at, moment, bisect_right(telling.sentences, t, key=lambda each: each[0]))


def _held(film: Film, telling: Telling, last: Frame, at: int, rate: int) -> list[Frame]:
    """What is shown longer before that shot begins, for people to read: how a row fell, and over it who scored."""
    shot, following = film.shots[last.table], film.shots[at]
    frames = []
    if shot.playback is not None:
        left = _to_read(telling, last.sentences_said) - (shot.ends - shot.tells)
        frames += [last] * round(max(0.0, left) * rate)
    if following.picture.gained:
        scored = _frame(film, telling, at, following.begins)
        left = _to_read(telling, scored.sentences_said) - following.lasts
        frames += [replace(scored, table=last.table, moment=last.moment)] * round(max(0.0, left) * rate)
    return frames


def _to_read(telling: Telling, sentences_said: int) -> float:
    """How long people read what has just been told, s."""
    return sum(map(len, captions(telling, sentences_said)[0])) / LETTERS_PER_SECOND


class _Tape:
    """Keeps every sound with its time, instead of playing it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sounds: list[tuple[float, Samples]] = []

    def play(self, samples: Samples) -> bool:
        """Keeps it."""
        self.sounds.append((self.now, samples))
        return True


def sounds(plan: Plan) -> Iterator[Samples]:
    """The sounds of the film as samples, second by second: those of the window."""
    tape = _Tape()
    clacks = Clacks(tape)
    for cue in plan.cues:
        tape.now = cue.time
        if cue.strikes:
            clacks.strikes(cue.strikes)
        else:
            clacks.place()
    return track(tape.sounds, plan.lasts)
