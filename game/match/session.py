"""A match under way: the rules, the judge and the forecasts joined, and every step of it in the log first.

A session belongs to one thread. Nothing it does waits for a forecast or for the judge: what they find comes in with
`poll`, and `wake` is called (from any thread) when there is something to poll.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from game.core import TABLE, AnyGame, Result, RuleError, Seat
from game.match import steps
from game.match.background import Background, Judged, Tools
from game.match.background import knocked as knocked_row
from game.match.history import CAMERA, SIMULATED, LoggedEntry, MatchHistory, Setup, checked_setup, setup_in
from game.match.log import Entry, Log
from game.match.ports import Difference, RigStage, RigState
from game.match.reading import replayed
from game.match.site import Site
from game.match.steps import Sight, Status, Step
from game.match.tabletop import scene_key
from physics.errors import InputError, OutputError, ToppleError
from physics.scene import Scene

MAX_WAIT = 0.5  # s between two looks while waiting, so that Ctrl-C is heard


def new_match(path: Path, setup: Setup, tools: Tools | None = None, *, replace_file: bool = False) -> Session:
    """A match that begins, its header on the disk; InputError when the setup or the file is wrong."""
    setup = checked_setup(setup)
    history = MatchHistory(setup)
    _check_judge(setup, tools)
    return _begun(Log.create(path, setup.header(), replace=replace_file), history, tools or Tools(), ())


def resume_match(path: Path, tools: Tools | None = None) -> Session:
    """The match in the file where it was left, a torn last line cut off and what a crash left undone made good.

    SceneError with the line when the file is damaged, InputError when another process plays it.
    """
    log, recording = Log.open(path)
    try:
        setup = setup_in(recording.header, f"{path}:1")
        _check_judge(setup, tools)
        history = replayed(setup, recording.entries, str(path))
    except BaseException:
        log.close()
        raise
    return _begun(log, history, tools or Tools(), recording.entries)


def _begun(log: Log, history: MatchHistory, tools: Tools, entries: tuple[Entry, ...]) -> Session:
    session = Session(log, history, entries, Background(history.setup, tools), tools.clock)
    try:
        session.begin()
    except BaseException:
        session.close()
        raise
    return session


def _check_judge(setup: Setup, tools: Tools | None) -> None:
    if tools is not None and tools.judge is not None and setup.table != CAMERA:
        raise InputError(
            "A judge can be given for the table camera only, not for the table {table}.", table=setup.table
        )


class Session:
    """See the module; made by `new_match` and `resume_match`."""

    def __init__(
        self,
        log: Log,
        history: MatchHistory,
        entries: tuple[Entry, ...],
        background: Background,
        clock: Callable[[], float],
    ) -> None:
        self.log = log
        self.history = history
        self._entries = list(entries)
        self._background = background
        self._clock = clock
        self._begun = 0.0  # on that clock
        self._listeners: list[Callable[[LoggedEntry], None]] = []
        self._sight = Sight.AGREES
        self._differences: list[dict[str, Any]] = []
        self._rig = RigState(RigStage.READY)
        self._judge_failed = False

    def begin(self) -> None:
        """Makes good what a crash left undone, and starts what is due in the background; called once, before all else.

        OutputError when it cannot be logged.
        """
        self._begun = self._clock() - (self._entries[-1].t if self._entries else 0.0)
        for key in self.history.forecasts:
            self._background.forecasts.have(key)
        self._want_all()
        self._catch_up()
        self._work()

    # What there is to know

    @property
    def setup(self) -> Setup:
        """What was agreed on."""
        return self.history.setup

    @property
    def game(self) -> AnyGame:
        """The rules."""
        return self.history.game

    @property
    def path(self) -> Path:
        """The log's file."""
        return self.log.path

    @property
    def state(self) -> Any:
        """The rules' state. It holds what is hidden: show people `view`."""
        return self.history.state

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The log so far. It holds what is hidden: show people what `game.match.publish` makes of it."""
        return tuple(self._entries)

    @property
    def to_act(self) -> frozenset[Seat]:
        """The seats the game waits for, TABLE among them."""
        return self.game.to_act(self.state)

    @property
    def result(self) -> Result | None:
        """How it ended; None while it goes on."""
        return self.game.result(self.state)

    @property
    def status(self) -> Status:
        """What the match is at."""
        return steps.status_of(self.history, self._sight)

    @property
    def asks_people(self) -> bool:
        """Whether the row was pushed and a person has to say what fell."""
        return self.status is Status.FALLING and (self._background.judge is None or self._judge_failed)

    @property
    def busy(self) -> bool:
        """Whether anything is under way that `poll` will tell of."""
        return self._background.is_judging or self._background.forecasts.pending

    def view(self, seat: Seat | None) -> Mapping[str, object]:
        """What that seat may know (None: a spectator)."""
        return self.game.view(self.state, seat)

    def forecast(self) -> Mapping[str, Any] | None:
        """The forecast of the row on the table, for players who have hints; None without hints or while it is made."""
        scene = self.history.scene
        return self.history.forecasts.get(scene_key(scene)) if scene is not None and self.setup.hints else None

    def subscribe(self, listener: Callable[[LoggedEntry], None]) -> Callable[[], None]:
        """Calls the listener with every entry once it is on the disk; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What people do

    def play(
        self, seat: Seat, move: Any, *, by: Seat | None = None, knocked: Judged | None = None
    ) -> tuple[LoggedEntry, ...]:
        """Makes the move (a value or its text); returns what came of it, logged first.

        What fell is the move of TABLE, said `by` somebody, and only where `asks_people`. With clumsy hands a placement
        that is refused because it touches another tile may turn out to be an accident: a run says that, made here
        unless `knocked` is what came of the one that `knock` asks for. RuleError for a refused move, OutputError when
        it cannot be logged: then nothing has happened.
        """
        move = self._read(move)
        stage = self.history.tabletop
        if stage is not None and seat == TABLE and stage.is_finding(move):
            if self.status is Status.FALLING and not self.asks_people:
                raise RuleError("At this table people do not say what fell.")
            return self._write(*steps.reported(self.history, move, by))
        steps.check_table(self.history, self._sight, move)
        try:
            step = steps.moved(self.history, seat, move, by)
        except RuleError:
            accident = self._knocked(seat, move, knocked)
            if accident is None:
                raise
            return accident
        return self._write(step)

    def knock(self, seat: Seat, move: Any) -> Callable[[], Judged] | None:
        """The run that says whether this move of clumsy hands knocks the row over: for a worker, then for `play`.

        None where `play` needs no run: the hands are not clumsy, the move is legal, or it touches nothing.
        """
        scene, simulated = steps.touched(self.history, seat, move), self._background.simulated
        return None if scene is None or simulated is None else partial(knocked_row, simulated, scene)

    def declare_accident(self, by: Seat, clumsy: Seat) -> tuple[LoggedEntry, ...]:
        """Somebody says that a seat knocked the row over; RuleError when the rules know no accident now."""
        if self.history.tabletop is None:
            raise RuleError("This game knows no accidents.")
        return self.play(by, self.history.tabletop.accident(clumsy))

    def undo(self, seat: Seat) -> tuple[LoggedEntry, ...]:
        """Takes back that seat's last move; RuleError when somebody has learnt from it or moved because of it."""
        return self._write(steps.taken_back(self.history, seat))

    def correct(self, seat: Seat, number: int, move: Any) -> tuple[LoggedEntry, ...]:
        """Corrects what the move of that number said of a real table: what fell, where a tile stands.

        The moves after it stay. RuleError when it is no such move, or when the later ones could not have been.
        """
        return self._write(steps.corrected(self.history, seat, number, self._read(move)))

    def look(self, sight: Sight, differences: Sequence[Difference] = ()) -> tuple[LoggedEntry, ...]:
        """What the camera makes of the table, logged when it is something else than before.

        The row is not pushed while the table differs from the game.
        """
        found = [each.data() for each in differences]
        if self.setup.table == SIMULATED or (sight, found) == (self._sight, self._differences):
            return ()
        logged = self._write(Step("sight", {"sight": sight.value, "differences": found}))
        self._sight, self._differences = sight, found  # only now: what cannot be logged is tried again
        return logged

    def rig_at(self, state: RigState) -> tuple[LoggedEntry, ...]:
        """What the push rig is at and how the table stands, logged when that is something else than before.

        What it pushed was pushed: the move is made with it, whatever a camera sees by now.
        """
        logged: tuple[LoggedEntry, ...] = ()
        if self.setup.table == SIMULATED:
            return logged
        if state.tilt is not None:
            logged = self._stands(Site(state.tilt, is_tapped=True))
        if (state.stage, state.trouble) != (self._rig.stage, self._rig.trouble):
            new = [Step("rig", {"stage": state.stage.value, "trouble": state.trouble})]
            if state.stage is RigStage.DONE and self.is_push_due:
                new.append(steps.pushed(self.history))
            logged += self._write(*new)
        self._rig = state  # only now: what cannot be logged is tried again
        return logged

    @property
    def is_push_due(self) -> bool:
        """Whether all is decided but the push."""
        return steps.is_push_due(self.history)

    def row_to_push(self) -> Scene:
        """The row that a rig is to push now; RuleError when none is."""
        return steps.row_to_push(self.history, self._sight)

    def push_by_hand(self) -> tuple[LoggedEntry, ...]:
        """The push that is due, made by a hand though there is a rig; RuleError when none is due."""
        self.row_to_push()
        return self._stands(Site(self.history.site.tilt)) + self._write(steps.pushed(self.history))

    # What comes by itself

    def poll(self) -> tuple[LoggedEntry, ...]:
        """What the judge and the forecasts have found since, logged; never waits.

        ToppleError when the judge could not judge: `retry` asks it again, or people say what fell. OutputError when it
        cannot be logged: it stays there for the next time.
        """
        logged = self._write_result()  # that could not be written before
        data = self._background.forecasts.ready()
        if data is not None:
            logged += self._write(Step("forecast", data))
            self._background.forecasts.taken()
        judged = self._background.judged()
        if judged is not None:
            logged += self._judged(judged)
        self._work()
        return logged

    def wait(self, seconds: float | None = None) -> tuple[LoggedEntry, ...]:
        """As `poll`, once there is something, nothing is under way, or the time is over."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            logged = self.poll()
            left = MAX_WAIT if deadline is None else min(MAX_WAIT, deadline - time.monotonic())
            futures = self._background.futures
            if logged or not futures or left <= 0:
                return logged
            wait(futures, left, FIRST_COMPLETED)

    def settle(self) -> tuple[LoggedEntry, ...]:
        """Waits until the judge has spoken; at once where nobody judges or people have to."""
        logged: tuple[LoggedEntry, ...] = ()
        while self._background.is_judging:
            logged += self.wait()
        return logged

    def finish(self, *, pushed_only: bool = False) -> tuple[LoggedEntry, ...]:
        """Waits until every row, or every pushed row, has its forecast and every push its outcome.

        Call it at the end of a match: what is missing then is made when the match is resumed.
        """
        logged: tuple[LoggedEntry, ...] = ()
        forecasts = self._background.forecasts
        while self._background.is_judging or (forecasts.has_urgent if pushed_only else forecasts.pending):
            logged += self.wait()
        return logged

    def retry(self) -> None:
        """Asks the judge again after it could not judge."""
        self._judge_failed = False
        self._work()

    def close(self) -> None:
        """Ends the session; the match can be resumed. Forecasts that are not ready are made then."""
        if self._rig.link is not None:
            link, self._rig = dict(self._rig.link), RigState(self._rig.stage)
            with contextlib.suppress(OutputError):  # nobody is kept from leaving for that
                self._write(Step("rig", {"stage": self._rig.stage.value, "trouble": "", "link": link}))
        self.log.close()
        self._background.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Inside

    def _read(self, move: Any) -> Any:
        return self.game.read(move) if isinstance(move, str) else move

    def _write(self, *new: Step) -> tuple[LoggedEntry, ...]:
        """Logs the steps, then takes them in and tells the listeners."""
        self.history.check_room(sum(step.kind in ("move", "site") for step in new))
        t = self._clock() - self._begun
        last = self._entries[-1].t if self._entries else 0.0
        entries = self.log.append(*((max(t, last), step.kind, step.data) for step in new))
        logged = []
        for entry, step in zip(entries, new, strict=True):
            self._entries.append(entry)
            logged.append(self.history.take(entry, step.effect))
        if self.status is not Status.FALLING:
            self._judge_failed = False
        self._want()
        self._work()
        for each in logged:
            for listener in tuple(self._listeners):
                listener(each)
        return (*logged, *self._write_result())

    def _write_result(self) -> tuple[LoggedEntry, ...]:
        result = self.result
        if result is None or self.history.has_result:
            return ()
        return self._write(Step("result", {"scores": list(result.scores), "winners": list(result.winners)}))

    def _judged(self, future: Future[Judged]) -> tuple[LoggedEntry, ...]:
        try:
            outcome, data = future.result()
        except ToppleError:
            self._judge_failed = True
            raise
        try:
            return self._write(*steps.found(self.history, outcome, data))
        except OutputError:
            if self.status is Status.FALLING:
                self._background.put_back(future)
            raise

    def _knocked(self, seat: Seat, move: Any, judged: Judged | None) -> tuple[LoggedEntry, ...] | None:
        """An accident, where clumsy hands make one of a refused placement; None when nothing falls."""
        scene, simulated = steps.touched(self.history, seat, move), self._background.simulated
        if scene is None or simulated is None:
            return None
        outcome, data = judged or knocked_row(simulated, scene)
        if not any(outcome.fallen):
            return None
        return self._write(*steps.knocked_over(self.history, seat, data))

    def _stands(self, site: Site) -> tuple[LoggedEntry, ...]:
        """From now on the table stands so; a row that falls already is judged as it stood."""
        site = site.after(self.history.site)
        if self.status is Status.FALLING or site == self.history.site:
            return ()
        return self._write(Step("site", site.data()))

    def _catch_up(self) -> None:
        """Makes good what was logged in part when the process was killed."""
        if steps.is_falling(self.history):
            known = self.history.known_outcome()
            if known is not None:
                self._write(steps.moved(self.history, TABLE, self.game.read(known["move"]), known.get("by")))
        self._write_result()

    def _want(self) -> None:
        scene = self.history.scene
        if scene is not None:
            self._background.forecasts.want(scene, urgent=steps.is_falling(self.history))

    def _want_all(self) -> None:
        """Asks for the forecast of every row that stood in the match and has none."""
        stage = self.history.tabletop
        if stage is not None:
            for made in self.history.moves:
                scene = self.history.scene_before(made)
                if scene is not None:
                    self._background.forecasts.want(scene, urgent=stage.is_finding(made.move))
        self._want()

    def _work(self) -> None:
        """Starts what is to be done in the background."""
        scene = self.history.scene
        if scene is not None and self.status is Status.FALLING and not self._judge_failed:
            self._background.start_judging(scene)
        self._background.start_forecast()
