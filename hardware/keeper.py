"""A rig in the care of a thread: nobody waits for it, its heart beats, and it comes back when its cable does.

The game has something done and gets a future; it looks at `state` whenever it likes. One thread alone talks to the rig.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hardware.errors import RigError, RigLost, RigStopped
from hardware.exchange import LinkCounts
from hardware.protocol import Health
from hardware.rig import BEAT, Rig, tilt_in
from physics.errors import ToppleError

AGAIN = 0.5  # s between two tries to open a rig that is away
SENSE_EVERY = 4  # beats from one look at the sensors to the next

Result = TypeVar("Result")


@dataclass(frozen=True)
class KeeperState:
    """What is known of the rig now."""

    trouble: ToppleError | None  # why it cannot be opened now; None when it is there
    health: Health | None = None
    tilt: tuple[float, float] | None = None  # rad, as Table.tilt has it
    contacts: int = 0
    counts: LinkCounts | None = None  # since it was first there; None: it never was
    device: str = ""
    losses: int = 0  # how often it went away
    lost: ToppleError | None = None  # how it went away, as long as it is

    @property
    def is_there(self) -> bool:
        """Whether it can be asked for something."""
        return self.trouble is None


NOT_OPENED_YET = KeeperState(RigLost("The rig has not been found yet."))
"""Before it was looked for."""


@dataclass(frozen=True)
class _Job(Generic[Result]):
    action: Callable[[Rig], Result]
    future: Future[Result]
    is_stop: bool = False


class RigKeeper:
    """Keeps one rig. `open_rig` opens it, and opens it again after it was lost."""

    def __init__(self, open_rig: Callable[[], Rig]) -> None:
        self._open_rig = open_rig
        self._jobs: queue.Queue[_Job[Any] | None] = queue.Queue()
        self._halt = threading.Event()
        self._is_closing = threading.Event()
        self._state = NOT_OPENED_YET
        self._past: LinkCounts | None = None  # of the lines that were lost
        self._thread = threading.Thread(target=self._work, name="rig", daemon=True)
        self._thread.start()

    @property
    def state(self) -> KeeperState:
        """What is known of the rig, without asking it."""
        return self._state

    def do(self, action: Callable[[Rig], Result]) -> Future[Result]:
        """Does that with the rig as soon as it is free. The future holds what comes back, or the RigError."""
        future: Future[Result] = Future()
        self._jobs.put(_Job(action, future))
        return future

    def stop(self) -> Future[None]:
        """Breaks off whatever is under way, forgets whatever waits, and stops the rig."""
        self._halt.set()
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job.future.set_exception(_stopped())
        future: Future[None] = Future()
        self._jobs.put(_Job(lambda rig: rig.stop(), future, is_stop=True))
        return future

    def close(self) -> None:
        """Stops the rig and lets go of it; comes back when that is done."""
        self.stop()
        self._is_closing.set()
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while not self._is_closing.is_set():
            try:
                rig = self._open_rig()
            except ToppleError as error:
                self._away(error)
                self._refuse_jobs(AGAIN)
                continue
            try:
                rig.break_off_on(self._halt)
                self._keep(rig)
            except RigError as error:
                self._past = self._counted(rig)
                self._away(error)
            finally:
                with contextlib.suppress(RigLost):
                    rig.exchange.send_stop_no_reply()
                rig.close()
        self._refuse_jobs(0.0)

    def _keep(self, rig: Rig) -> None:
        beats = 0
        tilt, contacts = None, 0
        while not self._is_closing.is_set():
            try:
                if beats % SENSE_EVERY == 0:
                    senses = rig.senses()
                    tilt, contacts = tilt_in(senses, rig.settings), senses.contacts
                health = rig.health()
            except RigStopped:
                self._halt.clear()
                continue
            counts = self._counted(rig)
            self._state = KeeperState(None, health, tilt, contacts, counts, rig.device, self._state.losses)
            beats += 1
            with contextlib.suppress(queue.Empty):
                job = self._jobs.get(timeout=BEAT)
                self._carry_out(job, rig)

    def _carry_out(self, job: _Job[Any] | None, rig: Rig) -> None:
        if job is None or not job.future.set_running_or_notify_cancel():
            return
        if job.is_stop:
            self._halt.clear()  # it was for what was under way, which has ended
        try:
            job.future.set_result(job.action(rig))
        except RigStopped as error:
            self._halt.clear()
            job.future.set_exception(error)
        except RigLost as error:
            job.future.set_exception(error)
            raise
        except Exception as error:
            job.future.set_exception(error)

    def _counted(self, rig: Rig) -> LinkCounts:
        return rig.counts + (self._past or LinkCounts())

    def _away(self, error: ToppleError) -> None:
        was_there = self._state.is_there
        lost = error if was_there else self._state.lost
        self._state = KeeperState(error, counts=self._past, losses=self._state.losses + was_there, lost=lost)

    def _refuse_jobs(self, seconds: float) -> None:
        """Lets time pass while the rig is away: what is asked meanwhile fails at once."""
        self._halt.clear()
        trouble = self._state.trouble or NOT_OPENED_YET.trouble
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._jobs.get(timeout=seconds) if seconds else self._jobs.get_nowait()
                if job is None:
                    return
                if job.future.set_running_or_notify_cancel():
                    job.future.set_exception(trouble)


def _stopped() -> RigStopped:
    return RigStopped("The rig was stopped before it was done.")
