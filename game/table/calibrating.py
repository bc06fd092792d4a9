"""A camera that is being calibrated: its pictures looked at in a thread, first for the lens, then for the mat.

Nobody waits for it: `snapshot` is what is known now.
"""

from __future__ import annotations

import contextlib
import enum
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from calibration.camera import MIN_VIEWS, CameraFit, Collection, draw_board, find_board, fit_camera
from calibration.files import keep_lens, keep_table, kept_lens
from calibration.guide import Advice, Next, advice, turn_of
from calibration.lens import Lens
from calibration.table import TableFit, draw_errors, fit_table
from game.match.ports import Pixels
from physics.errors import InputError, ToppleError
from vision.camera.frames import Back, CameraFrame, Ended, Frames, Lost
from vision.camera.markers import find_markers
from vision.camera.mat import find_mat
from vision.camera.sources import Skipped, Source

POLL = 0.1  # s


class Measured(enum.Enum):
    """What is measured."""

    LENS = "lens"
    TABLE = "table"


@dataclass(frozen=True)
class Progress:
    """How far it is; `number` is another one with every picture."""

    stage: Measured = Measured.LENS
    number: int = 0
    picture: Pixels | None = None  # with what was found drawn over
    collection: Collection = field(default_factory=Collection)
    advice: Advice = field(default_factory=lambda: Advice(Next.SHOW))
    turn: float = 0.0  # degrees by which the views' slants differ
    fit: CameraFit | None = None  # the lens by the views so far
    table: TableFit | None = None  # where the camera is, by the last picture
    lens: Lens | None = None  # that the table was measured with
    is_guessed: bool = False  # whether that was only estimated from the mat
    refusal: ToppleError | None = None  # why there is no fit
    trouble: ToppleError | None = None  # why there is no picture
    is_over: bool = False  # there are no more pictures


class Calibrating:
    """See the module. `device`: the camera that results are kept for; `folder`: where, None: the user's."""

    def __init__(self, source: Source, device: str | None = None, folder: Path | None = None) -> None:
        self.device = device or source.name
        self._source, self._folder = source, folder
        self._lock = threading.Lock()
        self._state = Progress()
        self.kept: dict[Measured, Path] = {}  # the files
        self.kept_fit: CameraFit | None = None
        self._known: Lens | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"calibration of {self.device}", daemon=True)
        self._thread.start()

    def snapshot(self) -> Progress:
        """What is known now; never waits."""
        return self._state

    def wait(self, seconds: float) -> None:
        """Waits so long for the first picture; InputError with the reason when there comes none at all."""
        deadline = time.monotonic() + seconds
        while self._state.picture is None and time.monotonic() < deadline:
            if self._state.is_over and self._state.trouble is not None:
                raise self._state.trouble
            time.sleep(POLL / 4)

    def close(self) -> None:
        """Lets the camera go."""
        self._stop.set()

    def again(self) -> None:
        """Begins the lens from nothing."""
        with self._lock:
            self._state = Progress(number=self._state.number, picture=self._state.picture)

    def to_table(self) -> None:
        """Goes on with the mat."""
        with self._lock:
            self._state = Progress(Measured.TABLE, self._state.number, self._state.picture)

    def keep(self) -> Path:
        """Keeps what was measured, and returns the file; OutputError when it cannot be written."""
        state = self._state
        if state.stage is Measured.LENS:
            assert state.fit is not None
            path = keep_lens(self.device, state.fit, self._folder)
            self.kept_fit, self._known = state.fit, state.fit.lens
        else:
            assert state.table is not None and state.lens is not None
            path = keep_table(self.device, (state.lens.width, state.lens.height), state.table, self._folder)
        self.kept[state.stage] = path
        return path

    # In the thread

    def _run(self) -> None:
        with Frames(self._source) as frames:
            while not self._stop.is_set():
                try:
                    item = frames.poll(POLL)
                except InputError as error:
                    self._tell(self._state, trouble=error, is_over=True)
                    return
                if isinstance(item, Ended):
                    self._tell(self._state, is_over=True)
                    return
                if isinstance(item, Lost | Skipped):
                    self._tell(self._state, trouble=item.reason)
                elif isinstance(item, Back):
                    self._tell(self._state, trouble=None)
                elif isinstance(item, CameraFrame):
                    before = self._state
                    look = self._lens_in if before.stage is Measured.LENS else self._table_in
                    self._put(before, look(before, item.picture))

    def _tell(self, before: Progress, **changes: object) -> None:
        self._put(before, replace(before, **changes))  # type: ignore[arg-type]

    def _put(self, before: Progress, after: Progress) -> None:
        """The new state, unless somebody has begun something else meanwhile."""
        with self._lock:
            if self._state is before:
                self._state = replace(after, number=before.number + 1)

    def _lens_in(self, before: Progress, picture: Pixels) -> Progress:
        view = find_board(picture)
        now = replace(before, picture=picture, trouble=None)
        if view is None:
            return replace(now, advice=advice(before.collection, None))
        try:
            collection = before.collection.with_view(view)
        except InputError as error:
            return replace(now, refusal=error)
        is_new = collection is not before.collection
        now = replace(now, picture=draw_board(picture, view, is_kept=is_new), collection=collection)
        if is_new:
            now = replace(now, turn=turn_of(collection.views))
        if is_new and len(collection.views) >= MIN_VIEWS:
            try:
                now = replace(now, fit=fit_camera(collection), refusal=None)
            except InputError as error:
                now = replace(now, fit=None, refusal=error)
        return replace(now, advice=advice(collection, view))

    def _table_in(self, before: Progress, picture: Pixels) -> Progress:
        now = replace(before, picture=picture, trouble=None)
        try:
            given = self._lens((picture.shape[1], picture.shape[0]))
            view = find_mat(picture, given)
            lens = view.sight.lens
            fit = fit_table(find_markers(picture), lens, guessed=given is None, lens_doubt=view.lens_doubt)
        except InputError as error:
            return replace(now, table=None, refusal=error)
        drawn = draw_errors(picture, lens, fit)
        return replace(now, picture=drawn, table=fit, lens=lens, is_guessed=given is None, refusal=None)

    def _lens(self, size: tuple[int, int]) -> Lens | None:
        """The lens that was measured now or before; None: it is estimated from the mat."""
        if self._known is None:
            with contextlib.suppress(InputError):
                self._known = kept_lens(self.device, size, self._folder)[0]
        fits = self._known is not None and (self._known.width, self._known.height) == size
        return self._known if fits else None
