"""A rig that pushes in a match: counts down, pushes, and tells what it is at. Nobody waits for it.

A thread looks after the rig (`hardware.keeper`); this is what the match sees of it. It is opened when it is first
looked at, and belongs to one thread like the session.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from game.match.ports import RigStage, RigState
from game.words import say
from hardware.errors import PortError, RigLost, RigRefused, RigStopped
from hardware.keeper import NOT_OPENED_YET, KeeperState, RigKeeper
from hardware.link import find_ports, has_pyserial
from hardware.opening import open_rig
from hardware.protocol import Ability
from hardware.rig import Rig
from physics.errors import ToppleError
from physics.scene import Push, Tap

AUTO = "auto"
COUNTDOWN = 3.0  # s
LOOK = 0.02  # s between two looks whether it was found
LATE = 2.0  # s after its time at which a push is made at most
LEVELS = 8  # readings of the level that are averaged


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why the rig does not push."""

    words: str
    until: int | None = None  # over when the rig was lost so often and is there again; None: with the next push


class PushRig:
    """A `RigWatch`; see the module."""

    def __init__(
        self,
        open_rig: Callable[[], Rig],
        *,
        countdown: float = COUNTDOWN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`open_rig` opens the rig, and opens it again after it was lost."""
        self._open_rig, self._countdown, self._clock = open_rig, countdown, clock
        self._keeper: RigKeeper | None = None
        self._stage = RigStage.READY
        self._fault: _Fault | None = None
        self._ends = 0.0  # when the countdown does
        self._push: Push | None = None
        self._under_way: Future[None] | None = None  # whether it can push, then that it has
        self._levels: deque[tuple[float, float]] = deque(maxlen=LEVELS)

    def find(self) -> None:
        """Waits until it has been looked for once; the ToppleError that says why it is not there."""
        while self._kept().state is NOT_OPENED_YET:
            time.sleep(LOOK)
        trouble = self._kept().state.trouble
        if trouble is not None:
            raise trouble

    # What it is at

    def snapshot(self) -> RigState:
        """What it is at; never waits."""
        kept = self._kept().state
        self._step(kept)
        stage, words = self._stage, ""
        if self._fault is not None:
            stage, words = RigStage.FAULT, self._fault.words
        left = max(0.0, self._ends - self._clock()) if stage is RigStage.COUNTING else 0.0
        link = None if kept.counts is None else kept.counts.as_json()
        return RigState(stage, left, words, self._level(kept), link)

    def _step(self, kept: KeeperState) -> None:
        under_way = self._under_way
        is_away = not kept.is_there and kept is not NOT_OPENED_YET
        if is_away and self._fault is None and self._stage is not RigStage.PUSHING:
            trouble = kept.lost or kept.trouble
            assert trouble is not None
            self._fail(trouble, kept)
        elif self._fault is not None and self._fault.until is not None:
            if kept.is_there and kept.losses >= self._fault.until:
                self._fault = None
        elif under_way is not None and under_way.done() and under_way.exception() is not None:
            self._give_up(under_way, kept)
        elif self._stage is RigStage.COUNTING and self._clock() >= self._ends:
            self._stage = RigStage.PUSHING
            assert self._push is not None
            self._under_way = self._kept().do(partial(_pushed, self._push, self._clock, self._ends + LATE))
        elif self._stage is RigStage.PUSHING and under_way is not None and under_way.done():
            self._stage, self._under_way = RigStage.DONE, None

    def _give_up(self, under_way: Future[None], kept: KeeperState) -> None:
        error = under_way.exception()
        self._under_way = None
        if isinstance(error, RigStopped):
            self._stage = RigStage.STOPPED
        elif isinstance(error, ToppleError):
            self._fail(error, kept)
        elif error is not None:
            raise error

    def _fail(self, error: ToppleError, kept: KeeperState) -> None:
        """It does not push; where it is lost only until it is there again."""
        is_lost = isinstance(error, RigLost | PortError) or not kept.is_there
        until = kept.losses + kept.is_there if is_lost else None
        self._stage, self._under_way, self._fault = RigStage.READY, None, _Fault(say(error), until)

    def _level(self, kept: KeeperState) -> tuple[float, float] | None:
        """How the table stands, of the last readings at rest; None while the rig is away."""
        if kept.tilt is None:
            return None
        if self._stage is not RigStage.PUSHING and not (self._levels and self._levels[-1] is kept.tilt):
            self._levels.append(kept.tilt)
        count = len(self._levels)
        return (sum(x for x, _y in self._levels) / count, sum(y for _x, y in self._levels) / count) if count else None

    # What people do

    def begin(self, push: Push) -> None:
        """Counts down to that push; ToppleError when the rig is away."""
        kept = self._kept()
        trouble = kept.state.trouble
        if trouble is not None:
            raise trouble
        if self._stage in (RigStage.COUNTING, RigStage.PUSHING):
            return
        self._fault, self._push = None, push
        self._stage, self._ends = RigStage.COUNTING, self._clock() + self._countdown
        self._under_way = kept.do(partial(_check, push))

    def stop(self) -> None:
        """Stops every movement at once; nothing is pushed after it."""
        if self._keeper is not None:
            self._keeper.stop()
        if self._stage in (RigStage.COUNTING, RigStage.PUSHING):
            self._stage, self._under_way = RigStage.STOPPED, None

    def again(self) -> None:
        """What it did, or why it did not, has been taken note of."""
        if self._stage in (RigStage.DONE, RigStage.STOPPED):
            self._stage = RigStage.READY
        if self._fault is not None and self._fault.until is None:
            self._fault = None

    def close(self) -> None:
        """Stops the rig and lets go of it."""
        if self._keeper is not None:
            self._keeper.close()

    def _kept(self) -> RigKeeper:
        """Who keeps the rig, and looks for it from when it is first asked for."""
        if self._keeper is None:
            self._keeper = RigKeeper(self._open_rig)
        return self._keeper


# Done by the keeper's thread, which is told all that it needs


def _check(push: Push, rig: Rig) -> None:
    """InputError when the rig cannot push so."""
    if isinstance(push, Tap):
        rig.stroke_for(push.impulse)


def _pushed(push: Push, clock: Callable[[], float], latest: float, rig: Rig) -> None:
    """Pushes; RigRefused when it is too late for it, or when the arm felt no tile."""
    if clock() > latest:
        raise RigRefused("The rig was not ready when the countdown ended, so nothing was pushed.")
    tapped = rig.carry_out(push)
    if tapped is not None and not tapped.touched and Ability.CONTACT in rig.abilities:
        raise RigRefused(
            "The arm has moved, but felt no tile. If the row was pushed all the same, continue as after a push by "
            "hand; if not, set the arm nearer to the tile and push again."
        )


def push_rig(name: str) -> PushRig:
    """The rig at that port; `auto` is the first that is found, `emulated` one in software. It is not opened yet."""
    if name == AUTO:
        return PushRig(open_rig)
    return PushRig(lambda: open_rig(name))


def is_rig_near() -> bool:
    """Whether something is plugged in that may be a rig; it is not opened, which would reset it."""
    return has_pyserial() and any(port.is_likely for port in find_ports())
