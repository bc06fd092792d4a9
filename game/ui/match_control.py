"""A match of any game in a window: people's intents and bots' choices joined with the session, no frame ever waiting.

All of it belongs to the window's thread. Call `update` once a frame: it polls the session, lets bots think in threads
of their own and plays what they chose, and returns what has happened. What needs a run (judging, forecasts, bots,
clumsy hands) goes through the executor, which must have processes of its own.

A game whose teller shows moments before the match goes on, such as a fall, builds on this: the window ends each of
these with `go_on`; until then nobody moves, and nothing is said of what comes after it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from typing import Any, Self

from game.bots.seats import Bots
from game.core import TABLE, RuleError, Seat
from game.match.background import Judged, Tools
from game.match.history import LoggedEntry, Setup
from game.match.rig_control import begin_push, push_by_hand
from game.match.session import Session, new_match, resume_match
from game.match.turns import Ask, Awaiting, forced_move, next_ask, people_of, rematch, undo_last, witness
from game.text.game_text import needed_text, secrecy
from game.text.names import shown_names
from game.ui.teller import Happening, Teller
from game.ui.thinking import Thought
from game.ui.watches import NOBODY, RealTable, Watches, seen, table_in, watched
from physics.errors import OutputError, ToppleError

BOT_TIME = 0.6  # s that a bot takes at least, so that people can follow
HISTORY = 300  # sentences that are kept where a game has no teller of its own


def resumed(path: Path, executor: Executor, watches: Watches = NOBODY) -> Session:
    """The match in the file where it was left; SceneError when it is damaged, InputError when somebody plays it."""
    judge = watches.judge(table_in(path)) if watches.hands is not None else None
    return resume_match(path, Tools(executor=executor, judge=judge))


class MatchControl:
    """One match at one screen; see the module.

    Intents return whether they were taken. A refusal comes as a happening of the kind `trouble`, with its sentence.
    """

    def __init__(
        self,
        session: Session,
        executor: Executor,
        *,
        bot_time: float = BOT_TIME,
        watches: Watches = NOBODY,
        teller: Teller[Any] | None = None,
    ) -> None:
        self.session = session
        self.bot_time = bot_time
        self.bots = Bots(session.setup, executor)
        self.people = people_of(session.setup, self.bots)
        self.real: RealTable | None = None  # what is known of the table itself
        self.is_stuck = False  # something went wrong; `retry` tries again
        self.is_waiting = False  # the window wants all that goes by itself to wait
        self._executor = executor
        self._watches = watches.at(session.setup.table)
        self._teller: Teller[Any] = Teller(session, HISTORY) if teller is None else teller
        self._is_secret = secrecy(needed_text(session.setup.game), shown_names(session.setup.names))
        self._thought: Thought | None = None
        self._thought_for = 0.0  # s since the bot was asked
        self._knock: tuple[Seat, Any, Future[Judged]] | None = None
        self._is_unwritten = False  # the log took no more: nothing comes by itself until somebody tries again
        self._is_closed = False
        session.subscribe(self._hear)

    @classmethod
    def begin(
        cls, path: Path, setup: Setup, executor: Executor, *, bot_time: float = BOT_TIME, watches: Watches = NOBODY
    ) -> Self:
        """A new match in that file; InputError when the setup or the file is wrong."""
        tools = Tools(executor=executor, judge=watches.judge(setup.table))
        return cls(new_match(path, setup, tools), executor, bot_time=bot_time, watches=watches)

    @classmethod
    def resume(cls, path: Path, executor: Executor, *, bot_time: float = BOT_TIME, watches: Watches = NOBODY) -> Self:
        """The match in the file where it was left; errors as `resumed`."""
        return cls(resumed(path, executor, watches), executor, bot_time=bot_time, watches=watches)

    # The frame

    def update(self, dt: float) -> tuple[Happening, ...]:
        """One frame of that many seconds: what has happened and may be told. Never waits for a run or a bot."""
        if self._is_closed:
            return ()
        if not self._is_unwritten:
            self._look_on()
        if self._knock is not None:
            self._end_knock()
        elif self.session.result is None and not self.is_stuck:
            self._step(dt)
        return self._teller.ready()

    def _look_on(self) -> None:
        """Takes in what came by itself."""
        try:
            try:
                self.session.poll()
            except OutputError:
                raise
            except ToppleError as error:  # the judge could not judge: from now on people are asked
                self._teller.trouble(error)
            self._see_hands()
            self.real = watched(self._watches, self.session)
        except OutputError as error:  # it waits until somebody says that there is room again
            self.stop_rig()
            self.real = seen(self._watches)
            self._is_unwritten = True
            self._stick(error)
        except ToppleError as error:
            self._teller.trouble(error)

    def go_on(self) -> None:
        """What was shown has been seen."""
        self._teller.go_on()

    # What there is to show

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat, in the language in use."""
        return self._teller.names

    @property
    def lines(self) -> tuple[str, ...]:
        """The last sentences of what all may know, in the language in use, the newest last."""
        return self._teller.lines

    @property
    def has_rig(self) -> bool:
        """Whether a rig is there to push."""
        return self._watches.rig is not None

    @property
    def thinking(self) -> tuple[Seat, float] | None:
        """The bot that thinks, and which share of its runs is done; None while none does."""
        return None if self._thought is None else (self._thought.seat, self._thought.share)

    def ask(self) -> Ask:
        """Who is asked now, and for what; the match must not be over."""
        return next_ask(self.session, self.bots, self._is_secret, has_rig=self.has_rig)

    # What people do

    def act(self, seat: Seat, move: Any, refused: Callable[[ToppleError], None] | None = None) -> bool:
        """That person's move, or what the person says fell; with clumsy hands it may become an accident later.

        `refused` is told why not, where that is not for everybody; without it all are.
        """
        return self._do(lambda: self._play(seat, move), refused)

    def push_by_hand(self) -> bool:
        """People push the row themselves though there is a rig."""
        rig = self._watches.rig
        return rig is not None and self._do(lambda: push_by_hand(self.session, rig))

    def accident(self, clumsy: Seat, by: Seat | None = None) -> bool:
        """Somebody says that a seat knocked the row over, at a table of their own."""
        return self._do(lambda: self.session.declare_accident(self._speaker() if by is None else by, clumsy))

    def drag_tile(self, value: int, by: tuple[float, float]) -> bool:
        """Says that a tile stands elsewhere in the camera's picture than it was read, by shares of its size."""
        hands = self._watches.hands
        return hands is not None and self._do(lambda: hands.drag(self.session, value, by))

    def stop_rig(self) -> None:
        """Stops the push rig at once, whatever is shown."""
        if self._watches.rig is not None:
            self._watches.rig.stop()

    def undo(self) -> bool:
        """Takes back the last choice of a person, and what bots did since."""
        return self._do(self._undo)

    def retry(self) -> None:
        """Tries again what went wrong."""
        self.is_stuck = self._is_unwritten = False
        self.session.retry()

    def again(self, path: Path) -> Self:
        """Another match of the same players, in that file."""
        setup = rematch(self.session.setup)
        return self.begin(path, setup, self._executor, bot_time=self.bot_time, watches=self._watches)

    @property
    def has_pending_forecast(self) -> bool:
        """Whether the match is over while the forecast of a pushed row is still being made: `finish` waits for it."""
        return not self._is_closed and self.session.result is not None and self.session.busy

    def finish(self) -> None:
        """As `close`, once every pushed row has its forecast in the log; not for the thread that draws."""
        self._is_closed = True
        try:
            self.session.finish(pushed_only=True)
        finally:
            self.close()

    def close(self) -> None:
        """Leaves the match, which is in its file after every move; may be called twice."""
        self._is_closed = True
        if self.real is not None and self.real.rig is not None and self.real.rig.can_stop:
            self.stop_rig()
        self._drop_thought()
        if self._knock is not None:
            self._knock[2].cancel()
            self._knock = None
        self.session.close()

    # Inside: moves

    def _see_hands(self) -> None:
        """Moves that were made at the table itself."""
        if self._watches.hands is not None and self._knock is None and not self._teller.is_held:
            self._watches.hands.act(self.session)

    def _do(self, act: Callable[[], object], refused: Callable[[ToppleError], None] | None = None) -> bool:
        """Whether it was taken; nothing is while something is shown that has not been seen."""
        if self._is_closed or self._teller.is_held or self._knock is not None:
            return False
        try:
            act()
        except ToppleError as error:
            (refused or self._teller.trouble)(error)
            return False
        self.is_stuck = self._is_unwritten = False
        return True

    def _play(self, seat: Seat, move: Any) -> None:
        session, rig = self.session, self._watches.rig
        tabletop = session.history.tabletop
        if tabletop is not None and tabletop.is_finding(move):
            session.play(TABLE, move, by=seat)
        elif rig is not None and tabletop is not None and tabletop.is_push(move):
            begin_push(session, rig)
        elif seat in self.bots:
            raise RuleError("{name} is a bot and moves by itself.", name=self.names[seat])
        elif (run := session.knock(seat, move)) is not None:
            self._knock = seat, move, self._executor.submit(run)
        else:
            session.play(seat, move)

    def _end_knock(self) -> None:
        """What came of a clumsy hand, once it is known."""
        assert self._knock is not None
        seat, move, future = self._knock
        if not future.done():
            return
        self._knock = None
        try:
            self.session.play(seat, move, knocked=future.result())
        except ToppleError as error:
            self._teller.trouble(error)

    def _undo(self) -> None:
        undo_last(self.session, self.bots, self._is_secret)

    # Inside: what goes by itself

    def _step(self, dt: float) -> None:
        """One move at most that needs no person now."""
        ask = self.ask()
        if ask.what is Awaiting.BOT:
            self._let_think(ask.seat, dt)
            return
        self._drop_thought()
        if self._teller.is_held or self.is_waiting:
            return
        try:
            self._move_by_itself(ask)
        except ToppleError as error:
            self._stick(error)

    def _move_by_itself(self, ask: Ask) -> None:
        """A move of a person that is made without a question, if that is what the match waits for."""
        if ask.what is Awaiting.FORCED:
            self.session.play(ask.seat, forced_move(self.session, ask.seat))

    def _let_think(self, seat: Seat, dt: float) -> None:
        """The bot thinks even while something is shown; it moves afterwards."""
        about = seat, len(self.session.history.moves), self.session.state
        if self._thought is None or self._thought.about != about:
            self._drop_thought()
            self._thought = Thought(seat, about, self.bots.choice(self.session, seat))
            self._thought_for = 0.0
            return
        self._thought_for += dt
        is_held = self._teller.is_held or self.is_waiting
        if is_held or not self._thought.is_done or self._thought_for < self.bot_time:
            return
        thought, self._thought = self._thought, None
        try:
            move = thought.move()
            if move is None:
                self.bots.decline(self.session, seat)
            else:
                self.session.play(seat, move)
        except ToppleError as error:
            self._stick(error)
        except CancelledError:
            self.is_stuck = True

    def _drop_thought(self) -> None:
        if self._thought is not None:
            self._thought.stop()
            self._thought = None

    def _stick(self, error: ToppleError) -> None:
        self.is_stuck = True
        self._teller.trouble(error)

    # Inside: what there is

    def _hear(self, told: LoggedEntry) -> None:
        self._teller.hear(told)

    def _speaker(self) -> Seat:
        """The person who is asked now, or the first one."""
        seat = TABLE if self.session.result is not None else self.ask().seat
        return seat if seat in self.people else (*self.people, 0)[0]

    def _witness(self) -> Seat:
        """Who says what fell."""
        return witness(self.session, self.bots)
