"""What a camera makes of a table, picture by picture: when it is calm, what stands on it, what has happened.

One thread feeds it; anybody may look at `view`, which is another value after every picture.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from typing import Protocol

from game.match.ports import Pixels, Settle
from physics.errors import InputError
from physics.outcome import Fate
from physics.tiles import TileSet
from vision.camera.frames import Back, CameraFrame, Ended, Item, Lost
from vision.camera.sources import Skipped
from vision.reader.reading import ReadTile
from vision.reader.seen_table import SeenTable
from vision.watching.changes import ComparedPicture, Reference, fallen_row, is_unchanged, judged
from vision.watching.fall_times import FallFilm
from vision.watching.motion import MotionMeter
from vision.watching.settle import Kind, Phase, Seen, TableEvent, TableState, step

AGAIN = 0.4  # s between two readings of a calm table that could not be read
CHECK = 3.0  # s between two readings of a calm table that was read: a tile may have been moved unseen
MOVED = 8.0  # mm: a camera that is farther from where it was has been moved
HEAP = 0.12  # of the picture that fallen tiles may cover
MAX_EVENTS = 1000  # that wait to be taken
SETTLES = {
    Phase.SETTLED: Settle.STILL,
    Phase.SETTLING: Settle.MOVING,  # calm, but not read yet
    Phase.MOVING: Settle.MOVING,
    Phase.HAND: Settle.HANDS,
}
"""What goes on at the table, by how the pictures are read."""


class Reader(Protocol):
    """Reads pictures of the table."""

    @property
    def tile_set(self) -> TileSet:
        """The tiles that may be there."""

    def read(self, compared: ComparedPicture, prior: Sequence[ReadTile] | None = None) -> SeenTable:
        """The tiles in the picture; InputError when the table cannot be found in it."""


@dataclass(frozen=True)
class View:
    """The table as the camera has it."""

    number: int = 0  # another one with every picture
    time: float = 0.0  # s, of the picture
    picture: Pixels | None = None
    settle: Settle = Settle.MOVING  # LOST: no pictures come
    calms: int = 0  # how often the table has come to rest and been read
    seen: SeenTable | None = None  # the last reading that counted
    trouble: InputError | None = None  # why there is no picture, or why it cannot be read
    is_over: bool = False  # there will be no more pictures

    @property
    def is_calm(self) -> bool:
        """Whether the last reading is of the table as it is."""
        return self.settle is Settle.STILL and self.seen is not None

    @property
    def tiles(self) -> tuple[ReadTile, ...]:
        """The tiles of the last reading that counted."""
        return () if self.seen is None else self.seen.reading.tiles


@dataclass(frozen=True)
class _Reading:
    """A picture that is being read."""

    time: float  # s, of the picture
    compared: ComparedPicture
    future: Future[SeenTable]


class TableEye:
    """See the module. With an executor pictures are read beside the others: for a camera that does not wait."""

    def __init__(self, reader: Reader, executor: Executor | None = None) -> None:
        self._reader, self._executor = reader, executor
        self._meter = MotionMeter(HEAP)
        self._state = TableState()
        self._reading: _Reading | None = None
        self._read_at = -1e9  # s, of the last picture that was read
        self._moved_at = -1e9  # s, of the last picture in which something moved
        self._events: deque[TableEvent] = deque(maxlen=MAX_EVENTS)
        self._changed = threading.Condition()
        self._reference: Reference | None = None
        self.film = FallFilm()
        self.is_filming = False  # whether pictures are kept to tell when each tile fell
        self.expects_fall = False  # whether the row is to be pushed: a heap needs no reading then
        self.prior: tuple[ReadTile, ...] | None = None  # where tiles are expected
        self.view = View()

    @property
    def tile_set(self) -> TileSet:
        """The tiles that may be there."""
        return self._reader.tile_set

    def wait(self, ready: Callable[[View], bool], seconds: float) -> View:
        """The view once it is ready, or after that time, s; for other threads."""
        with self._changed:
            self._changed.wait_for(lambda: ready(self.view), seconds)
            return self.view

    def events(self) -> list[TableEvent]:
        """What has happened since they were last taken."""
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken

    def take(self, item: Item) -> None:
        """Takes the next thing that the source gave."""
        match item:
            case CameraFrame():
                view = self._frame(item)
            case Lost():
                self._state = replace(self._state, phase=Phase.MOVING, still_since=None)
                view = replace(self.view, number=self.view.number + 1, picture=None)
                view = replace(view, trouble=item.reason, settle=Settle.LOST)
            case Back():
                view = replace(self.view, settle=Settle.MOVING, trouble=None)
            case Skipped():
                view = replace(self.view, trouble=item.reason)
            case Ended():
                view = replace(self.view, is_over=True)
        with self._changed:
            self.view = view
            self._changed.notify_all()

    def fail(self, reason: InputError) -> None:
        """Says that there never were pictures, or that no more can be."""
        self.take(Lost(reason))
        self.take(Ended())

    def _frame(self, frame: CameraFrame) -> View:
        """One picture: what moves, and what is read where nothing does."""
        motion = self._meter.measure(frame.time, frame.picture)
        if self.is_filming:
            self.film.add(frame.time, frame.picture)
        before, view = self._state, self.view
        now = Seen(frame.time, motion.moving, motion.hand)
        self._state, events = step(before, now)
        if self._state.phase in (Phase.MOVING, Phase.HAND):
            self._moved_at = frame.time
        trouble = view.trouble if view.picture is not None else None
        seen = view.seen
        if self._wants_reading(frame.time):
            self._begin(frame)
        try:
            found = self._ready()
        except InputError as error:
            found, trouble = None, error
        except Exception as error:  # whatever a picture does to the reader, the game goes on
            found, trouble = None, InputError("The picture cannot be read: {reason}.", reason=str(error))
        if found is not None:
            trouble = None
            self._state, more = step(self._state, replace(now, tiles=found[0].reading.tiles))
            events = (*events, *more)
            seen = found[0] if self._state.phase is Phase.SETTLED else seen
        is_new = self._state.phase is Phase.SETTLED and (
            before.phase is not Phase.SETTLED or any(each.kind in CHANGES for each in events)
        )
        if is_new:
            self._meter.calm()
            assert found is not None  # for only a reading settles anything
            self._remember(*found)
        self._events.extend(events)
        return View(
            view.number + 1,
            frame.time,
            frame.picture,
            SETTLES[self._state.phase],
            view.calms + is_new,
            seen,
            trouble,
        )

    def _remember(self, seen: SeenTable, compared: ComparedPicture) -> None:
        """Keeps the table to compare with, unless tiles lie on it."""
        if all(tile.state is Fate.STANDING for tile in seen.reading.tiles):
            self._reference = Reference(seen, compared.small(seen.view.sight))

    def _wants_reading(self, time: float) -> bool:
        if self._reading is not None or self._state.phase not in (Phase.SETTLING, Phase.SETTLED):
            return False
        if time < self._read_at:  # a source that began anew
            self._read_at = -1e9
        if self._state.wants_reading:
            return self.view.trouble is None or time - self._read_at >= AGAIN
        return time - self._read_at >= CHECK

    def _begin(self, frame: CameraFrame) -> None:
        self._read_at = frame.time
        compared = ComparedPicture(frame.picture)
        if self._executor is not None:
            self._reading = _Reading(frame.time, compared, self._executor.submit(self._read, compared))
            return
        done: Future[SeenTable] = Future()
        self._reading = _Reading(frame.time, compared, done)
        try:
            done.set_result(self._read(compared))
        except Exception as error:
            done.set_exception(error)

    def _read(self, compared: ComparedPicture) -> SeenTable:
        """The tiles in the picture, by what is known of them already."""
        reference, tile_set = self._reference, self.tile_set
        if reference is not None and is_unchanged(reference, compared, tile_set):
            return reference.seen
        if reference is not None and self.expects_fall:
            fallen = fallen_row(reference, compared, tile_set)
            if fallen is not None:
                return fallen
        # A reading that waits for another to agree is the best guess. Where one failed nothing is taken for known.
        pending = self._state.pending
        prior = self.prior if pending is None else pending
        found = self._reader.read(compared, prior if self.view.trouble is None else None)
        if reference is None or _was_moved(reference.seen, found):
            return found
        return judged(reference, found, compared, tile_set)

    def _ready(self) -> tuple[SeenTable, ComparedPicture] | None:
        """A reading that is done and of a table that has been calm since, and its picture; its error."""
        reading = self._reading
        if reading is None or not reading.future.done():
            return None
        self._reading = None
        found = reading.future.result()
        return (found, reading.compared) if reading.time > self._moved_at else None


def _was_moved(one: SeenTable, other: SeenTable) -> bool:
    """Whether the camera is elsewhere."""
    a, b = one.view.sight, other.view.sight
    return float(abs(a.eye - b.eye).max()) > MOVED or (a.lens.width, a.lens.height) != (b.lens.width, b.lens.height)


CHANGES = (Kind.PLACED, Kind.MOVED, Kind.TAKEN, Kind.FALLEN)
"""What happens to tiles."""
