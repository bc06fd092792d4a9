"""What a window shows of a match: one frozen value for the moment.

Only what a spectator may know is in it, so that any number of people can look at one screen.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from game.core import Result, Seat
from game.film.playback import Playback
from game.games.evaluation.numbers import NUMBERS, Limits
from game.games.evaluation.placements import Row
from game.games.evaluation.state import State
from game.games.evaluation.window.finding import Finding
from game.match.ports import RigState
from game.match.steps import Status
from game.ui.live_forecast import Hint
from game.ui.teller import Happening
from game.ui.watches import RealTable


class Act(enum.Enum):
    """What the screen is at."""

    BUILD = "build"  # somebody places a tile
    CALL = "call"  # the others may call
    VOTE = "vote"  # secret votes, one after another
    COUNTDOWN = "countdown"  # one, two, three: the votes are about to be shown
    ARMED = "armed"  # the row is to be pushed
    FALLING = "falling"  # it falls; without a playback it is still being found out
    WITNESS = "witness"  # a person says what fell
    SCORED = "scored"  # what came of it
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Score:
    """Who took how many chips, and why."""

    gained: tuple[int, ...]  # by seat
    chips: tuple[int, ...]  # by seat, now
    fell: bool | None  # whether the whole row fell; None after an accident
    standing: tuple[int, ...]  # values that did not fall, as far as they are known
    votes: tuple[str | None, ...]  # by seat: success or failure; empty after an accident
    clumsy: Seat | None  # who knocked the row over
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cue:
    """Something that is shown before the match goes on; the window ends it with `go_on`."""

    act: Act  # COUNTDOWN, FALLING or SCORED
    before: State  # the match before it, which stays on the screen
    scene: str = ""  # the name of the row that was pushed: its forecast may be shown
    votes: tuple[str | None, ...] = ()
    playback: Playback | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything that a screen shows now."""

    act: Act
    status: Status  # of the session: settling and disagree are what a camera sees
    names: tuple[str, ...]  # by seat; the seat is the index of the colour too
    people: tuple[Seat, ...]
    asked: Seat | None  # who is to act; None: the table
    active: Seat  # who places, or has placed
    row: Row
    supply: tuple[int, ...]
    movable: tuple[int, ...]  # values that may be placed now; inner tiles when the supply is empty
    push_end: str  # first or last
    chips: tuple[int, ...]
    round: int
    rounds: int
    contenders: tuple[Seat, ...]  # in the extra round
    callers: tuple[Seat, ...]  # people who may still call, clockwise
    caller: Seat | None
    is_forced: bool  # the row is pushed whatever the votes
    voter: Seat | None  # the person whose secret vote it is
    voted: tuple[Seat, ...]
    votes: tuple[str | None, ...]  # once they are open
    thinking: Seat | None  # the bot that thinks
    thinking_share: float  # 0 to 1
    playback: Playback | None
    score: Score | None
    forecast: Mapping[str, Any] | None  # of the pushed row once it was pushed; with hints of the row on the table
    hint: Hint | None  # of the row that is being thought of
    has_hints: bool  # whether this match has any
    is_stuck: bool  # something went wrong; `retry` tries again
    lines: tuple[str, ...]  # the last sentences, the newest last
    result: Result | None
    can_slip: bool = False  # whether somebody may say now that the row was knocked over by accident
    finding: Finding | None = None  # what can be corrected
    real: RealTable | None = None  # None: nobody watches the table
    limits: Limits = NUMBERS.limits  # of placing, by the version of the rules that is played

    @property
    def rig(self) -> RigState | None:
        """What a push rig is at; None: there is none."""
        return None if self.real is None else self.real.rig

    @property
    def is_lifting(self) -> bool:
        """Whether an inner tile is moved, since the supply is empty."""
        return not self.supply


def score_in(
    events: Sequence[Mapping[str, Any]], votes: tuple[str | None, ...], sentences: tuple[str, ...]
) -> Score | None:
    """The score that a step's events tell of; None when they tell of none."""
    data = {event["kind"]: event["data"] for event in events}
    if "scored" in data:
        standing = tuple(data.get("held", {}).get("standing", ()))
        scored = data["scored"]
        return Score(tuple(scored["gained"]), tuple(scored["chips"]), "fell" in data, standing, votes, None, sentences)
    if "accident" in data:
        clumsy, chips = data["accident"]["seat"], tuple(data["accident"]["chips"])
        gained = tuple(int(seat != clumsy) for seat in range(len(chips)))
        return Score(gained, chips, None, (), (), clumsy, sentences)
    return None


def revealed_in(happening: Happening) -> tuple[str | None, ...] | None:
    """The votes that a happening shows; None when it shows none."""
    if happening.kind != "step":
        return None
    shown = (each["data"]["votes"] for each in happening.data["events"] if each["kind"] == "revealed")
    return next(map(tuple, shown), None)
