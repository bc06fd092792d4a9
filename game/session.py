"""A match under way: the rules, the judge and the forecasts joined, and every step of it in the log first.

A session belongs to one thread. Nothing it does waits for a forecast or for the judge: what they find comes in with
`poll`, and `wake` is called (from any thread) when there is something to poll.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from game.background import Background, Judged, Tools
from game.background import knocked as knocked_row
from game.core import TABLE, AnyGame, Result, RuleError, Seat
from game.judge import outcome_data
from game.log import Entry, Log
from game.match import CAMERA, SIMULATED, Course, Made, Setup, Told, checked_setup, replayed, setup_in
from game.stage import Stage, scene_key
from game.watch import Difference, RigStage, RigState
from physics.errors import InputError, ToppleError
from physics.outcome import Fate, Outcome

LONGEST_WAIT = 0.5  # s between two looks while waiting, so that Ctrl-C is heard


class Status(enum.Enum):
    """What a match is at."""

    WAITING = "waiting"  # for somebody's move
    SETTLING = "settling"  # hands are at the table, or something moves on it
    DISAGREE = "disagree"  # the table shows another row than the game has
    ARMED = "armed"  # the row is to be pushed
    FALLING = "falling"  # it was pushed; the judge is at work, or the players are asked what fell
    SCORED = "scored"  # a push was just scored, or the match is over


class Sight(enum.Enum):
    """What a camera makes of the table before the push."""

    AGREES = "agrees"
    MOVING = "moving"
    DIFFERS = "differs"


def new_match(path: Path, setup: Setup, tools: Tools | None = None, *, replace_file: bool = False) -> Session:
    """A match that begins, its header on the disk; InputError when the setup or the file is wrong."""
    setup = checked_setup(setup)
    course = Course(setup)
    _check_judge(setup, tools)
    return Session(Log.create(path, setup.header(), replace=replace_file), course, tools or Tools(), ())


def resume_match(path: Path, tools: Tools | None = None) -> Session:
    """The match in the file where it was left, a torn last line cut off and what a crash left undone made good.

    SceneError with the line when the file is damaged, InputError when another process plays it.
    """
    log, recording = Log.open(path)
    try:
        setup = setup_in(recording.header, f"{path}:1")
        _check_judge(setup, tools)
        course = replayed(setup, recording.entries, str(path))
        return Session(log, course, tools or Tools(), recording.entries)
    except BaseException:
        log.close()
        raise


def _check_judge(setup: Setup, tools: Tools | None) -> None:
    if tools is not None and tools.judge is not None and setup.table != CAMERA:
        raise InputError("A judge of one's own is for the table camera, not for the table {table}.", table=setup.table)


class Session:
    """See the module; made by `new_match` and `resume_match`."""

    def __init__(self, log: Log, course: Course, tools: Tools, entries: tuple[Entry, ...]) -> None:
        self.log = log
        self.course = course
        self._tools = tools
        self._entries = list(entries)
        self._listeners: list[Callable[[Told], None]] = []
        self._begun = tools.clock() - (entries[-1].t if entries else 0.0)
        self._sight = Sight.AGREES
        self._differences: list[dict[str, Any]] = []
        self._rig = RigStage.READY
        self._judge_failed = False
        self._background = Background(course.setup, tools)
        for key in course.forecasts:
            self._background.forecasts.have(key)
        self._want_all()
        self._catch_up()
        self._work()

    # What there is to know

    @property
    def setup(self) -> Setup:
        """What was agreed on."""
        return self.course.setup

    @property
    def game(self) -> AnyGame:
        """The rules."""
        return self.course.game

    @property
    def path(self) -> Path:
        """The log's file."""
        return self.log.path

    @property
    def state(self) -> Any:
        """The rules' state. It holds what is hidden: show people `view`."""
        return self.course.state

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The log so far. It holds what is hidden: show people what `game.publish` makes of it."""
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
        stage, state = self.course.stage, self.state
        if self.result is not None:
            return Status.SCORED
        if stage is None:
            return Status.WAITING
        if stage.is_falling(state):
            return Status.FALLING
        if self._sight is not Sight.AGREES:
            return Status.SETTLING if self._sight is Sight.MOVING else Status.DISAGREE
        if stage.is_armed(state):
            return Status.ARMED
        is_scored = bool(self.course.made) and stage.is_finding(self.course.made[-1].move)
        return Status.SCORED if is_scored else Status.WAITING

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
        scene = self.course.scene
        return self.course.forecasts.get(scene_key(scene)) if scene is not None and self.setup.hints else None

    def subscribe(self, listener: Callable[[Told], None]) -> Callable[[], None]:
        """Calls the listener with every entry once it is on the disk; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What people do

    def play(self, seat: Seat, move: Any, *, by: Seat | None = None, knocked: Judged | None = None) -> tuple[Told, ...]:
        """Makes the move (a value or its text) and tells what came of it, logged first.

        What fell is the move of TABLE, said `by` somebody, and only where `asks_people`. With clumsy hands a placement
        that is refused because it touches another tile may turn out to be an accident: a run says that, made here
        unless `knocked` is what came of the one that `knock` asks for. RuleError for a refused move, OutputError when
        it cannot be logged: then nothing has happened.
        """
        made = self.game.read(move) if isinstance(move, str) else move
        stage = self.course.stage
        if stage is not None and seat == TABLE and stage.is_finding(made):
            if self.status is Status.FALLING and not self.asks_people:
                raise RuleError("What fell is not for people to say at this table.")
            return self._said(stage, made, by)
        if stage is not None and stage.is_accident(made) and self.setup.table == SIMULATED:
            raise RuleError("Accidents are declared at real tables; the simulated one tells its own.")
        if stage is not None and stage.is_push(made) and self._sight is Sight.DIFFERS:
            raise RuleError("The table and the game disagree: set the tiles right or correct the game before the push.")
        try:
            self.game.check(self.state, seat, made)
        except RuleError:
            accident = self._knocked(seat, made, knocked)
            if accident is None:
                raise
            return accident
        return self._write(self._move_event(seat, made, by))

    def knock(self, seat: Seat, move: Any) -> Callable[[], Judged] | None:
        """The run that says whether this move of clumsy hands knocks the row over: for a worker, then for `play`.

        None where `play` needs no run: the hands are not clumsy, the move is legal, or it touches nothing.
        """
        stage, simulated = self.course.stage, self._background.simulated
        if not self.setup.clumsy or stage is None or simulated is None:
            return None
        try:
            self.game.check(self.state, seat, move)
        except RuleError:
            scene = stage.knock(self.state, seat, move)
            return None if scene is None else partial(knocked_row, simulated, scene)
        return None

    def declare_accident(self, by: Seat, clumsy: Seat) -> tuple[Told, ...]:
        """Somebody says that a seat knocked the row over; RuleError when the rules know no accident now."""
        if self.course.stage is None:
            raise RuleError("This game knows no accidents.")
        return self.play(by, self.course.stage.accident(clumsy))

    def undo(self, seat: Seat) -> tuple[Told, ...]:
        """Takes back that seat's last move; RuleError when somebody has learnt from it or moved because of it."""
        if self.result is not None:
            raise RuleError("The match is over.")
        if self.status is Status.FALLING:
            raise RuleError("The row was pushed; that cannot be taken back.")
        own = next((made for made in reversed(self.course.made) if seat in (made.seat, made.by)), None)
        if own is None:
            raise RuleError("Seat {seat} has no move to take back.", seat=seat)
        if self._is_learnt(own):
            raise RuleError("The move cannot be taken back: somebody has learnt from it.")
        self.course.without(own.number)
        return self._write(("undo", {"seat": seat, "of": own.number}))

    def correct(self, seat: Seat, number: int, move: Any) -> tuple[Told, ...]:
        """Says better what the move of that number said of a real table: what fell, where a tile stands.

        The moves after it stay. RuleError when it is no such move, or when the later ones could not have been.
        """
        new = self.game.read(move) if isinstance(move, str) else move
        old = next((made for made in self.course.made if made.number == number), None)
        stage = self.course.stage
        if self.result is not None:
            raise RuleError("The match is over.")
        if stage is None or self.setup.table == SIMULATED:
            raise RuleError("There is nothing to correct: the table is not a real one.")
        if old is None or not stage.is_correction(old.move, new):
            raise RuleError("Only what happened on the table can be corrected, by a move of the same kind.")
        pushed = max((made.number for made in self.course.made if stage.is_finding(made.move)), default=0)
        if number < pushed and not stage.is_finding(old.move):
            raise RuleError("The row was pushed since; where its tiles stood cannot be corrected any more.")
        self.course.corrected(number, new)
        return self._write(("correction", {"seat": seat, "of": number, "move": self.game.write(new)}))

    def look(self, sight: Sight, differences: Sequence[Difference] = ()) -> tuple[Told, ...]:
        """What the camera makes of the table, logged when it is something else than before.

        The row is not pushed while the table differs from the game.
        """
        told = [each.data() for each in differences]
        if (sight, told) == (self._sight, self._differences):
            return ()
        self._sight, self._differences = sight, told
        return self._write(("sight", {"sight": sight.value, "differences": told}))

    def rig_at(self, state: RigState) -> tuple[Told, ...]:
        """What the push rig is at, logged when that is something else than before."""
        if state.stage is self._rig:
            return ()
        self._rig = state.stage
        return self._write(("rig", {"stage": state.stage.value, "trouble": state.trouble}))

    # What comes by itself

    def poll(self) -> tuple[Told, ...]:
        """What the judge and the forecasts have found since, logged; never waits.

        ToppleError when the judge could not judge: `retry` asks it again, or people say what fell.
        """
        told: tuple[Told, ...] = ()
        data = self._background.forecasts.ready()
        if data is not None:
            told += self._write(("forecast", data))
            self._background.forecasts.taken()
        judged = self._background.judged()
        if judged is not None:
            told += self._judged(judged)
        self._work()
        return told

    def wait(self, seconds: float | None = None) -> tuple[Told, ...]:
        """As `poll`, once there is something, nothing is under way, or the time is over."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            told = self.poll()
            left = LONGEST_WAIT if deadline is None else min(LONGEST_WAIT, deadline - time.monotonic())
            futures = self._background.futures
            if told or not futures or left <= 0:
                return told
            wait(futures, left, FIRST_COMPLETED)

    def settle(self) -> tuple[Told, ...]:
        """Waits until the judge has spoken; at once where nobody judges or people have to."""
        told: tuple[Told, ...] = ()
        while self._background.is_judging:
            told += self.wait()
        return told

    def finish(self, *, pushed_only: bool = False) -> tuple[Told, ...]:
        """Waits until every row, or every pushed row, has its forecast and every push its outcome.

        Call it at the end of a match: what is missing then is made when the match is resumed.
        """
        told: tuple[Told, ...] = ()
        forecasts = self._background.forecasts
        while self._background.is_judging or (forecasts.has_urgent if pushed_only else forecasts.pending):
            told += self.wait()
        return told

    def retry(self) -> None:
        """Asks the judge again after it could not judge."""
        self._judge_failed = False
        self._work()

    def close(self) -> None:
        """Ends the session; the match can be resumed. Forecasts that are not ready are made then."""
        self.log.close()
        self._background.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Inside

    def _write(self, *events: tuple[str, Mapping[str, Any]]) -> tuple[Told, ...]:
        """Logs the events, then takes them in and tells them."""
        t = self._tools.clock() - self._begun
        last = self._entries[-1].t if self._entries else 0.0
        entries = self.log.append(*((max(t, last), kind, data) for kind, data in events))
        told = []
        for entry in entries:
            self._entries.append(entry)
            told.append(self.course.take(entry))
        if self.status is not Status.FALLING:
            self._judge_failed = False
        self._want()
        self._work()
        for each in told:
            for listener in tuple(self._listeners):
                listener(each)
        return (*told, *self._write_result())

    def _write_result(self) -> tuple[Told, ...]:
        result = self.result
        if result is None or self.course.has_result:
            return ()
        return self._write(("result", {"scores": list(result.scores), "winners": list(result.winners)}))

    def _move_event(self, seat: Seat, move: Any, by: Seat | None = None) -> tuple[str, dict[str, Any]]:
        said = {} if by is None or by == seat else {"by": by}
        return "move", {"seat": seat, "move": self.game.write(move), **said}

    def _judged(self, future: Future[Judged]) -> tuple[Told, ...]:
        stage = self.course.stage
        assert stage is not None
        try:
            outcome, data = future.result()
        except ToppleError:
            self._judge_failed = True
            raise
        move = stage.finding(self.state, outcome)
        return self._write(("outcome", {**data, "move": self.game.write(move)}), self._move_event(TABLE, move))

    def _said(self, stage: Stage, finding: Any, by: Seat | None) -> tuple[Told, ...]:
        """What people say that fell."""
        self.game.check(self.state, TABLE, finding)
        scene = self.course.scene
        assert scene is not None
        fell = stage.fell(finding)
        fate = Fate.FALLEN if fell else Fate.STANDING
        outcome = Outcome((fate,) * len(scene.line), (None,) * len(scene.line), 0.0, True, "hand", 0.0)
        data = outcome_data(scene, outcome, "hand")
        if not fell:
            data["fates"] = None  # people say which tiles stand, if they say that much: it is in the move
        text = self.game.write(finding)
        said = {"move": text} if by is None else {"move": text, "by": by}
        return self._write(("outcome", {**data, **said}), self._move_event(TABLE, finding, by))

    def _knocked(self, seat: Seat, move: Any, judged: Judged | None) -> tuple[Told, ...] | None:
        """An accident, where clumsy hands make one of a refused placement; None when nothing falls."""
        stage, simulated = self.course.stage, self._background.simulated
        if not self.setup.clumsy or stage is None or simulated is None:
            return None
        scene = stage.knock(self.state, seat, move)
        if scene is None:
            return None
        outcome, data = judged or knocked_row(simulated, scene)
        if not any(outcome.fallen):
            return None
        return self._write(("knocked", {"seat": seat, **data}), self._move_event(TABLE, stage.accident(seat)))

    def _is_learnt(self, move: Made) -> bool:
        later = [made for made in self.course.made if made.number >= move.number]
        seen = max(self.course.forecast_numbers.values(), default=0) if self.setup.hints else 0
        return any(made.reveals for made in later) or seen > move.number

    def _catch_up(self) -> None:
        """Makes good what was logged in part when the process was killed."""
        stage = self.course.stage
        if stage is not None and stage.is_falling(self.state):
            known = self.course.known_outcome()
            if known is not None:
                self._write(self._move_event(TABLE, self.game.read(known["move"]), known.get("by")))
        self._write_result()

    def _want(self) -> None:
        scene, stage = self.course.scene, self.course.stage
        if scene is not None and stage is not None:
            self._background.forecasts.want(scene, urgent=stage.is_falling(self.state))

    def _want_all(self) -> None:
        """Asks for the forecast of every row that stood in the match and has none."""
        stage = self.course.stage
        if stage is not None:
            for made in self.course.made:
                scene = stage.scene(made.before)
                if scene is not None:
                    self._background.forecasts.want(scene, urgent=stage.is_finding(made.move))
        self._want()

    def _work(self) -> None:
        """Starts what is to be done in the background."""
        scene = self.course.scene
        if scene is not None and self.status is Status.FALLING and not self._judge_failed:
            self._background.start_judging(scene)
        self._background.start_forecast()
