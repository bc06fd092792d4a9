"""The pictures of a source as they come, read in a thread of its own: nobody waits for a camera longer than they like.

A source that falls silent is left to itself and opened anew.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from physics.errors import InputError, Number
from vision.camera.sources import Image, Skipped, Source, Taken


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """How long pictures are waited for."""

    silence: float = 4.0  # s without a picture after which a source counts as lost
    retry: float = 1.0  # s between two attempts to open a lost source
    read_ahead: int = 2  # pictures of a file that are read in advance
    close: float = 2.0  # s that a source is given to end
    # s that Python waits at its own end for OpenCV, at work in another thread: it would abort otherwise
    leave: float = 15.0


FRAME_TIMES = FrameTimes()


@dataclass(frozen=True)
class CameraFrame:
    """One picture and when it was taken."""

    number: int  # from 0
    time: float  # s: within a file, or since a live source was first opened
    picture: Image  # (height, width, 3), RGB


@dataclass(frozen=True)
class Lost:
    """The source gives no pictures any more; it is tried again."""

    reason: InputError


@dataclass(frozen=True)
class Back:
    """The source gives pictures again."""


@dataclass(frozen=True)
class Ended:
    """There are no more pictures."""


Item = CameraFrame | Lost | Back | Skipped | Ended


class Frames:
    """The pictures of a source, read in the background.

    `poll` never waits longer than asked. Iterating waits for each picture in turn and ends with the source. Before the
    first picture a failure is raised; later a live source is reported Lost, tried again, and reported Back.
    """

    def __init__(
        self, source: Source, *, patience: float = FRAME_TIMES.silence, retry: float = FRAME_TIMES.retry
    ) -> None:
        self.source = source
        self._patience = patience
        self._retry = retry
        self._count = 0
        self._began: float | None = None  # monotonic, of a live source's first picture
        self._lost = False
        self._wait_until = 0.0  # monotonic, before which a lost source is left alone
        self._ended = False
        self._worker: _Worker | None = None
        self._heard = time.monotonic()

    def __enter__(self) -> Frames:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets the source go; a camera that is stuck closes itself when it wakes up."""
        self._ended = True
        if self._worker is not None:
            self._worker.stop()
            self._worker.join(FRAME_TIMES.close)
            self._worker = None

    def __iter__(self) -> Iterator[CameraFrame | Lost | Back | Skipped]:
        """Everything that comes, until the source ends; InputError when it never gave a picture or a file breaks."""
        while True:
            item = self.poll(self._patience)
            if isinstance(item, Ended):
                return
            if item is not None:
                yield item

    def poll(self, wait: float) -> Item | None:
        """The next thing that comes within that time, s, or None; Ended for good at the end.

        InputError when the source never gave a picture, or is a file that breaks.
        """
        deadline = time.monotonic() + wait
        while not self._ended:
            now = time.monotonic()
            if self._worker is None:
                if now < self._wait_until:
                    if self._wait_until > deadline:
                        time.sleep(max(0.0, deadline - now))
                        return None
                    time.sleep(self._wait_until - now)
                self._worker = _Worker(self.source)
                self._heard = time.monotonic()
            silent_from = self._heard + self._patience
            item = self._worker.take(min(deadline, silent_from) - time.monotonic())
            if item is None:
                if self.source.is_live and time.monotonic() >= silent_from:
                    silence = InputError(
                        "The source {source} has given no picture for {seconds} s.",
                        source=self.source.name,
                        seconds=Number(f"{self._patience:g}"),
                    )
                    lost = self._failed(silence)
                    if lost is not None:
                        return lost
                elif time.monotonic() >= deadline:
                    return None
                continue
            self._heard = time.monotonic()
            found = self._taken(item)
            if found is not None:
                return found
        return Ended()

    def _taken(self, item: Taken | InputError | Ended) -> Item | None:
        """What an item of the worker means to the one who polls; None when it means nothing new."""
        if isinstance(item, Skipped):
            return item
        if isinstance(item, Ended):
            if self.source.is_live:
                return self._failed(
                    InputError("The source {source} gives no pictures any more.", source=self.source.name)
                )
            self.close()
            return Ended()
        if isinstance(item, InputError):
            return self._failed(item)
        if self._lost:
            # The picture itself is let go: a live source has the next one soon.
            self._lost = False
            return Back()
        moment, picture = item
        if self.source.is_live:
            self._began = moment if self._began is None else self._began
            moment -= self._began
        self._count += 1
        return CameraFrame(self._count - 1, moment, picture)

    def _failed(self, reason: InputError) -> Lost | None:
        """Gives the worker up and plans the next attempt; None when the loss was reported already."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
        if not self.source.is_live or self._count == 0:
            self._ended = True
            raise reason
        self._wait_until = time.monotonic() + self._retry
        if self._lost:
            return None
        self._lost = True
        return Lost(reason)


_at_work: list[tuple[threading.Thread, threading.Event]] = []


def awaited(thread: threading.Thread, stop: threading.Event) -> None:
    """Has Python stop that thread and wait for it before it leaves, however it comes to that."""
    _at_work[:] = [each for each in _at_work if each[0].is_alive()]
    _at_work.append((thread, stop))


@atexit.register
def _leave() -> None:
    for _thread, stop in _at_work:
        stop.set()
    deadline = time.monotonic() + FRAME_TIMES.leave
    with contextlib.suppress(KeyboardInterrupt):
        for thread, _stop in _at_work:
            thread.join(max(0.0, deadline - time.monotonic()))


@dataclass
class _Worker:
    """One attempt at reading a source, in a thread of its own; forgotten when it gets stuck."""

    source: Source
    _items: queue.Queue[Taken | InputError | Ended] = field(init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._items = queue.Queue(1 if self.source.is_live else FRAME_TIMES.read_ahead)
        self._thread = threading.Thread(target=self._read, name=f"frames of {self.source.name}", daemon=True)
        self._thread.start()
        awaited(self._thread, self._stop)

    def take(self, wait: float) -> Taken | InputError | Ended | None:
        """The next item within that time, s."""
        try:
            return self._items.get(timeout=max(0.0, wait)) if wait > 0 else self._items.get_nowait()
        except queue.Empty:
            return None

    def stop(self) -> None:
        """Ends it at its next picture."""
        self._stop.set()

    def join(self, seconds: float) -> None:
        """Waits until it has ended, at most so long."""
        self._thread.join(seconds)

    def _read(self) -> None:
        last: InputError | Ended = Ended()
        try:
            with contextlib.closing(_generator(self.source.pictures())) as pictures:
                for item in pictures:
                    if self._stop.is_set():
                        return
                    self._give(item)
                    if self._stop.is_set():
                        return
        except InputError as error:
            last = error
        except Exception as error:  # a driver may raise anything; the game goes on
            last = InputError("The source {source} broke off: {reason}.", source=self.source.name, reason=str(error))
        self._give(last)

    def _give(self, item: Taken | InputError | Ended) -> None:
        """Hands an item over: of a live source the newest picture counts, of a file every one.

        That a source has ended takes no picture's place: one that has given a picture is lost, not missing.
        """
        is_newest = self.source.is_live and not isinstance(item, InputError | Ended)
        while not self._stop.is_set():
            try:
                self._items.put(item, timeout=0.0 if is_newest else 0.1)
                return
            except queue.Full:
                if is_newest:
                    with contextlib.suppress(queue.Empty):
                        self._items.get_nowait()


def _generator(pictures: Iterator[Taken]) -> Any:
    """Any iterator as one that can be closed."""
    return pictures if hasattr(pictures, "close") else (item for item in pictures)
