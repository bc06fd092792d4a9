"""A camera over the table, joined to a match: it is shown, it judges, and what hands do becomes moves.

Pictures are taken in by a thread of its own (`start`), or one by one by whoever feeds the eye. Everything that concerns
the match is done by `act`, in the thread that the session belongs to; `judge` waits in the session's background.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from game.core import RuleError
from game.games.evaluation.hands import Sense, fates_of, sense
from game.games.evaluation.moves import Accident, FallReport, Stand
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row
from game.games.evaluation.state import Phase, State
from game.match.history import LoggedEntry
from game.match.players import strength_of
from game.match.ports import Difference, SeenTile, Settle, TableSight
from game.match.session import Session
from game.table.axes import TableFrame, fitted
from game.table.eye import Reader, TableEye, View
from game.words import say
from physics.errors import InputError, Number
from physics.outcome import Fate, Outcome
from physics.scene import Scene
from vision.camera.frames import Ended, Frames, awaited
from vision.reader.reading import ReadTile
from vision.reader.seen import outline
from vision.watching import settle
from vision.watching.falls import Fall, fall_of

GAME = "evaluation"
LOOK = 0.2  # s between two looks whether all is over
LONGEST_PUSH = 60.0  # s to wait for a push, and for the row to come to rest
KEPT = 4.0  # mm: a tile that is read no farther from where it was corrected is still meant
SETTLES = {
    settle.Phase.SETTLED: Settle.STILL,
    settle.Phase.SETTLING: Settle.MOVING,
    settle.Phase.MOVING: Settle.MOVING,
    settle.Phase.HAND: Settle.HANDS,
}


Shows = Callable[[Row, Scene | None], None]
"""Has a table show this row, and how it falls where it was pushed."""


class TableCamera:
    """A `TableWatch`, a `Judge`, and the hands of the players; see the module."""

    def __init__(self, reader: Reader, *, is_live: bool = True, shows: Shows | None = None) -> None:
        """`is_live`: the camera does not wait while a picture is read. `shows`: a table that shows the match itself."""
        self._readers = ThreadPoolExecutor(1, "table reader") if is_live else None
        self.eye = TableEye(reader, self._readers)
        self._shows = shows
        self.speed: float | None = None  # m/s, of the last fall's wave
        self._stop = threading.Event()
        self._asked = threading.Event()  # the judge waits for the table
        self._awaited = 0  # times that it must have been calm before
        self._frames: Frames | None = None
        self._thread: threading.Thread | None = None
        self._frame: TableFrame | None = None
        self._ends = -1  # rounds and accidents before this one
        self._known: set[int] = set()  # tiles of the row that were seen in their places
        self._corrections: dict[int, tuple[ReadTile, ReadTile]] = {}  # as read, and as people say
        self._differences: tuple[Difference, ...] = ()
        self._done: object = None  # what was last looked at
        self._refused: object = None  # the refusal that was told last
        self._sight = TableSight(0, None, settle=Settle.LOST)

    @property
    def name(self) -> str:
        """What the log calls the judge."""
        return "camera"

    # The camera

    def start(self, frames: Frames) -> None:
        """Takes in the pictures in a thread of its own, until `close`."""
        self._frames = frames
        self._thread = threading.Thread(target=self._run, name="table camera", daemon=True)
        self._thread.start()
        awaited(self._thread, self._stop)

    def _run(self) -> None:
        assert self._frames is not None
        while not self._stop.is_set():
            try:
                item = self._frames.poll(LOOK)
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
        if self._thread is not None:
            self._thread.join(5.0)
        if self._frames is not None:
            self._frames.close()
        if self._readers is not None:
            self._readers.shutdown(wait=False, cancel_futures=True)

    def snapshot(self) -> TableSight:
        """What is seen now; never waits."""
        view = self.eye.view
        if (view.number, self._differences) != (self._sight.number, self._sight.differences):
            self._sight = self._seen(view)
        return self._sight

    def _seen(self, view: View) -> TableSight:
        is_blind = view.is_lost or view.picture is None or view.trouble is not None
        tiles: tuple[SeenTile, ...] = ()
        if view.seen is not None and view.is_calm:
            sight = view.seen.view.sight
            tiles = tuple(
                SeenTile(tile.value, outline(tile, NUMBERS.tiles, sight), tile.confidence >= 0.7) for tile in self.tiles
            )
        state = Settle.LOST if is_blind else SETTLES[view.phase]
        trouble = "" if view.trouble is None else say(view.trouble)
        return TableSight(view.number, view.picture, tiles, state, self._differences, trouble)

    # The match

    def act(self, session: Session) -> tuple[LoggedEntry, ...]:
        """Tells the match what the hands did since; never waits. RuleError, once, for what the rules refuse."""
        if session.setup.game != GAME or session.result is not None:
            self._differences = ()
            return ()
        state: State = session.state
        self._follow(session, state)
        view = self.eye.view
        key = view.seen, view.is_calm, state, len(self._corrections)
        if not view.is_calm or state.phase is Phase.FALL:
            self._differences = () if state.phase is Phase.FALL else self._differences
            return ()
        if key == self._done:
            return ()
        told = self._read(session, state, self.corrected(view.tiles))
        self._done = key
        return told

    def _follow(self, session: Session, state: State) -> None:
        """Begins anew with every round, and films from the votes to the fall."""
        ends = sum(isinstance(made.move, FallReport | Accident) for made in session.history.made)
        if ends != self._ends:
            self._ends, self._frame = ends, None
            self._known.clear()
            self._corrections.clear()
        films = state.phase in (Phase.PUSH, Phase.FALL)
        if films and not self.eye.is_filming:
            self.eye.film.clear()
        self.eye.is_filming = self.eye.expects_fall = films
        if self._shows is not None:
            self._shows(state.row, session.history.scene if state.phase is Phase.FALL else None)
        self.eye.prior = self._prior(state)

    def _prior(self, state: State) -> tuple[ReadTile, ...] | None:
        """Where the row is expected; None where that is not known, or the row was pushed."""
        if self._frame is None or state.phase is Phase.FALL:
            return None
        places = (self._frame.on_mat(tile) for tile in state.row)
        return tuple(
            ReadTile(at.value, at.x, at.y, at.yaw, at.stance, Fate.STANDING, (1.0, 1.0, 1.0), 1.0) for at in places
        )

    def _read(self, session: Session, state: State, tiles: tuple[ReadTile, ...]) -> tuple[LoggedEntry, ...]:
        """Tells the match what these tiles mean."""
        standing = [tile for tile in tiles if tile.state is not Fate.FALLEN]
        if self._frame is None:
            if len(state.row) == 1 and [tile.value for tile in standing] != [state.row[0].value]:
                self._differences = _not_cleared(state, standing)
                return ()
            self._frame = fitted(state.row, standing)
            if self._frame is None:
                missing = {tile.value for tile in state.row} - {tile.value for tile in standing}
                self._differences = tuple(Difference("missing", value) for value in sorted(missing))
                return ()
        last = next((made.move for made in reversed(session.history.made) if isinstance(made.move, Stand)), None)
        unseen = last if last is not None and last.placement.value not in self._known else None
        by_hand = strength_of(session.setup.names[state.active]) is None
        found = sense(state, self._frame, tiles, by_hand=by_hand, unseen=unseen)
        # A table that shows the match itself will show what it does not show yet.
        self._differences = found.differences if self._shows is None or unseen is None else ()
        if found.refused is not None:
            return self._refuse(found.refused)
        if found.move is None:
            if not found.differences:
                self._known = {tile.value for tile in state.row}
                self._frame = fitted(state.row, standing) or self._frame
                self._refused = None
            return ()
        return self._play(session, found)

    def _play(self, session: Session, found: Sense) -> tuple[LoggedEntry, ...]:
        try:
            if found.corrects:
                number = next(made.number for made in reversed(session.history.made) if isinstance(made.move, Stand))
                return session.correct(found.seat, number, found.move)
            return session.play(found.seat, found.move)
        except RuleError as error:
            return self._refuse(error)

    def _refuse(self, error: RuleError) -> tuple[LoggedEntry, ...]:
        """Raises what the rules say, unless it was said of this very table."""
        said = str(error)
        if said != self._refused:
            self._refused = said
            raise error
        return ()

    # What people say

    def correct(self, session: Session | None, value: int, x: float, y: float) -> tuple[LoggedEntry, ...]:
        """A person says that the tile stands at that point of the mat, mm, instead of where it was read.

        RuleError when there is no such tile, or when it cannot have stood there.
        """
        read, shown = self._read_as(value)
        return self._correct(session, read, shown, replace(shown, x=x, y=y))

    def rename(self, session: Session | None, value: int, other: int) -> tuple[LoggedEntry, ...]:
        """A person says that the tile is another one than was read.

        RuleError when it cannot be that one, SceneError when the set has no such tile.
        """
        _ = self.eye.tile_set[other]
        if other != value and any(tile.value == other for tile in self.tiles):
            raise RuleError("The tile {value} is seen elsewhere on the table.", value=other)
        read, shown = self._read_as(value)
        return self._correct(session, read, shown, replace(shown, value=other))

    def drag(self, session: Session | None, value: int, by: tuple[float, float]) -> tuple[LoggedEntry, ...]:
        """As `correct`, by shares of the picture's width and height."""
        seen = self.eye.view.seen
        _read, tile = self._read_as(value)
        assert seen is not None  # for the tile is in it
        sight = seen.view.sight
        spot = sight.project(np.array([[tile.x, tile.y, 0.0]]))
        moved = spot + np.array(by) * (sight.lens.width, sight.lens.height)
        x, y = sight.to_plane(moved)[0].tolist()
        return self.correct(session, value, x, y)

    @property
    def tiles(self) -> tuple[ReadTile, ...]:
        """The tiles of the last reading that counted, as people say that they stand."""
        return self.corrected(self.eye.view.tiles)

    def _read_as(self, value: int) -> tuple[ReadTile, ReadTile]:
        """The tile that people see under that value: as it was read, and as they say that it stands."""
        read = self.eye.view.tiles
        for tile, shown in zip(read, self.corrected(read), strict=True):
            if shown.value == value:
                return tile, shown
        raise RuleError("The tile {value} is not seen on the table.", value=value)

    def _correct(
        self, session: Session | None, read: ReadTile, shown: ReadTile, better: ReadTile
    ) -> tuple[LoggedEntry, ...]:
        """Keeps what people say of a tile, and corrects the move that set it down."""
        told: tuple[LoggedEntry, ...] = ()
        if session is not None:
            if self._frame is None:
                raise RuleError("The tile {value} is not seen on the table.", value=shown.value)
            made = next((m for m in reversed(session.history.made) if isinstance(m.move, Stand)), None)
            if made is not None and made.move.placement.value == shown.value:
                own = self._frame.in_game(better)
                place = replace(made.move.placement, value=better.value, x=own.x, y=own.y)
                told = session.correct(session.state.active, made.number, replace(made.move, placement=place))
        self._corrections[read.value] = read, better
        return told

    def corrected(self, tiles: Sequence[ReadTile]) -> tuple[ReadTile, ...]:
        """The tiles as people say that they stand, as long as they are read where they were."""
        found = []
        for tile in tiles:
            read, better = self._corrections.get(tile.value, (tile, tile))
            is_same = (tile.x - read.x) ** 2 + (tile.y - read.y) ** 2 <= KEPT**2 and tile.state is read.state
            found.append(better if is_same and better is not read else tile)
        return tuple(found)

    # The judge

    def judge(self, scene: Scene) -> Outcome:
        """What became of the row, once everything rests. InputError when that cannot be told, or nothing moves."""
        begun = self.eye.view
        fallen = {tile.value for tile in begun.tiles if tile.state is Fate.FALLEN}
        # Where tiles lie already it was pushed before anybody said so.
        self._awaited = calms = begun.calms - (begun.is_calm and not fallen.isdisjoint(scene.line.values))
        self._asked.set()
        try:
            return self._outcome(scene, self._rested(calms))
        finally:
            self._asked.clear()

    def _rested(self, calms: int) -> View:
        """The table when it has come to rest once more; InputError when it does not, or is not seen."""
        # By the pictures' own clock: a film may be slow to read.
        deadline = self.eye.view.time + LONGEST_PUSH
        while True:
            view = self.eye.wait(lambda view: view.calms > calms and view.is_calm, LOOK)
            if view.is_calm and view.calms > calms:
                return view
            if view.is_lost or view.is_over or self._stop.is_set():
                raise InputError("The camera does not see the table any more: please say what fell.")
            if view.time > deadline:
                raise InputError(
                    "Nothing has come to rest on the table for {seconds} s: please say what fell.",
                    seconds=Number(f"{LONGEST_PUSH:g}"),
                )

    def is_due(self) -> bool:
        """Whether the judge who was asked has what is needed: for whoever feeds the eye, and wants no picture to come
        between."""
        self._asked.wait(1.0)
        view = self.eye.view
        return self._asked.is_set() and ((view.is_calm and view.calms > self._awaited) or view.is_over)

    def _outcome(self, scene: Scene, view: View) -> Outcome:
        fates = fates_of(scene.line, view.tiles)
        fall = Fall((None,) * len(fates), None)
        if self._frame is not None and view.seen is not None:
            places = [self._frame.on_mat(tile) for tile in scene.line.placements]
            down = [fate is Fate.FALLEN for fate in fates]
            sight = view.seen.view.sight
            fall = fall_of(self.eye.film, places, down, scene.line.tile_set, sight, scene.push_order)
        self.speed, fell_at = fall.speed, fall.fell_at
        ended = max((at for at in fell_at if at is not None), default=0.0)
        return Outcome(fates, fell_at, ended, True, "camera", 0.0)


def _not_cleared(state: State, standing: Sequence[ReadTile]) -> tuple[Difference, ...]:
    """What a table lacks for a round to begin; nothing while everything lies about."""
    start = state.row[0].value
    extra = tuple(Difference("extra", tile.value) for tile in standing if tile.value != start)
    if not standing or any(tile.value == start for tile in standing):
        return extra
    return (Difference("missing", start), *extra)
