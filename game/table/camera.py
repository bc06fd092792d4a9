"""A camera over the table: its pictures taken in, what people are shown of them, and its two services to a match.

Pictures are taken in by a thread of its own (`start`), or one by one by whoever feeds the eye. The services go one way
each: `act` tells a session, in the session's thread, what hands did (`game.table.moves`); a session asks `judge`, in
its background, what fell (`game.table.judging`). Both look at the eye alone.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from game.match.history import LoggedEntry
from game.match.ports import SeenTile, Settle, TableSight
from game.match.session import Session
from game.table.corrections import Corrections
from game.table.eye import Reader, TableEye, View
from game.table.judging import LOOK, CameraJudge
from game.table.moves import Shows, TableMoves
from game.table.sense import SURE
from game.words import say
from physics.errors import InputError
from physics.outcome import Outcome
from physics.scene import Scene
from vision.camera.frames import Ended, Frames, awaited
from vision.reader.reading import ReadTile
from vision.reader.seen_table import outline


class TableCamera:
    """A `TableWatch`, a `Judge`, and the hands of the players; see the module."""

    def __init__(self, reader: Reader, *, is_live: bool = True, shows: Shows | None = None) -> None:
        """`is_live`: the camera does not wait while a picture is read. `shows`: a table that shows the match itself."""
        self._readers = ThreadPoolExecutor(1, "table reader") if is_live else None
        self.eye = TableEye(reader, self._readers)
        self._corrections = Corrections()
        self._moves = TableMoves(self.eye, self._corrections, shows)
        self._judge = CameraJudge(self.eye, lambda: self._moves.frame)
        self._stop = threading.Event()
        self._frames: Frames | None = None
        self._thread: threading.Thread | None = None
        self._sight = TableSight(0, None, settle=Settle.LOST)

    # Its pictures

    def start(self, frames: Frames) -> None:
        """Takes in the pictures in a thread of its own, until `close`."""
        self._frames = frames
        self._thread = threading.Thread(target=self._run, args=(frames,), name="table camera", daemon=True)
        self._thread.start()
        awaited(self._thread, self._stop)

    def _run(self, frames: Frames) -> None:
        while not self._stop.is_set():
            try:
                item = frames.poll(LOOK)
            except InputError as reason:
                self.eye.fail(reason)
                return
            if item is not None:
                self.eye.take(item)
            if isinstance(item, Ended):
                return

    def close(self) -> None:
        """Lets the camera go; a judge who still waits gives up."""
        self._stop.set()
        self._judge.close()
        if self._thread is not None:
            self._thread.join(5.0)
        if self._frames is not None:
            self._frames.close()
        if self._readers is not None:
            self._readers.shutdown(wait=False, cancel_futures=True)

    # What people see

    def snapshot(self) -> TableSight:
        """What is seen now; never waits."""
        view, differences = self.eye.view, self._moves.differences
        if (view.number, differences) != (self._sight.number, self._sight.differences):
            self._sight = self._seen(view)
        return self._sight

    def _seen(self, view: View) -> TableSight:
        is_blind = view.picture is None or view.trouble is not None
        tiles: tuple[SeenTile, ...] = ()
        if view.seen is not None and view.is_calm:
            sight, tile_set = view.seen.view.sight, self.eye.tile_set
            tiles = tuple(
                SeenTile(tile.value, outline(tile, tile_set, sight), tile.confidence >= SURE) for tile in self.tiles
            )
        state = Settle.LOST if is_blind else view.settle
        trouble = "" if view.trouble is None else say(view.trouble)
        return TableSight(view.number, view.picture, tiles, state, self._moves.differences, trouble)

    @property
    def tiles(self) -> tuple[ReadTile, ...]:
        """The tiles of the last reading that counted, as people say that they stand."""
        return self.corrected(self.eye.view.tiles)

    def corrected(self, tiles: Sequence[ReadTile]) -> tuple[ReadTile, ...]:
        """These tiles as people say that they stand, as long as they are read where they were."""
        return self._corrections.applied(tiles)

    # What hands do and people say: for a session, in its thread

    def act(self, session: Session) -> tuple[LoggedEntry, ...]:
        """See `TableMoves.act`."""
        return self._moves.act(session)

    def correct(self, session: Session | None, value: int, x: float, y: float) -> tuple[LoggedEntry, ...]:
        """See `TableMoves.correct`."""
        return self._moves.correct(session, value, x, y)

    def rename(self, session: Session | None, value: int, other: int) -> tuple[LoggedEntry, ...]:
        """See `TableMoves.rename`."""
        return self._moves.rename(session, value, other)

    def drag(self, session: Session | None, value: int, by: tuple[float, float]) -> tuple[LoggedEntry, ...]:
        """See `TableMoves.drag`."""
        return self._moves.drag(session, value, by)

    # What fell: asked by a session, in its background

    @property
    def speed(self) -> float | None:
        """Of the last fall's wave, m/s; None where it is not known."""
        return self._judge.speed

    def judge(self, scene: Scene) -> Outcome:
        """See `CameraJudge.judge`."""
        return self._judge.judge(scene)

    def is_due(self) -> bool:
        """See `CameraJudge.is_due`."""
        return self._judge.is_due()
