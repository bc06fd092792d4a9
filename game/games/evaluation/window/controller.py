"""A match in a window: people's intents and bots' choices joined with the session, without a frame ever waiting.

All of it belongs to the window's thread. Call `update` once a frame: it polls the session, lets bots think in threads
of their own and plays what they chose, and returns what has happened. `screen` is what to show now. What needs a run
(judging, forecasts, bots, hints, clumsy hands) goes through the executor, which must have processes of its own.

Some moments are shown before the match goes on: the countdown, a fall, the score. The window ends each of these with
`go_on`; until then nobody moves, and nothing is said of what comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from typing import Any, cast

from game.bots.seats import Bots
from game.core import TABLE, RuleError, Seat
from game.games.evaluation.moves import Call, FallReport, Pass, Push, Stand, Vote
from game.games.evaluation.state import REFUSALS, Phase, State
from game.games.evaluation.window.finding import finding_in
from game.games.evaluation.window.model import Act, Cue, Happening, Screen
from game.games.evaluation.window.placing import Proposal, scene_of
from game.games.evaluation.window.teller import Teller
from game.match.background import Judged, Tools
from game.match.history import SIMULATED, LoggedEntry, Setup
from game.match.rig_control import begin_push, push_by_hand
from game.match.session import Session, new_match, resume_match
from game.match.turns import Ask, Awaiting, forced_move, next_ask, people_of, rematch, undo_last, witness
from game.text.game_text import needed_text, secrecy
from game.text.names import shown_names
from game.ui.live_forecast import Hints
from game.ui.thinking import Thought
from game.ui.watches import NOBODY, RealTable, Watches, seen, table_in, watched
from physics.errors import OutputError, ToppleError

BOT_TIME = 0.6  # s that a bot takes at least, so that people can follow
ACTS = {
    Phase.BUILD: Act.BUILD,
    Phase.CALL: Act.CALL,
    Phase.VOTE: Act.VOTE,
    Phase.PUSH: Act.ARMED,
    Phase.FALL: Act.FALLING,
    Phase.OVER: Act.OVER,
}
SLIPS = (Act.BUILD, Act.CALL, Act.VOTE)
"""When a row can be knocked over by accident: before the votes are open."""


def begin(
    path: Path, setup: Setup, executor: Executor, *, bot_time: float = BOT_TIME, watches: Watches = NOBODY
) -> Controller:
    """A new match in that file; InputError when the setup or the file is wrong."""
    tools = Tools(executor=executor, judge=watches.judge(setup.table))
    return Controller(new_match(path, setup, tools), executor, bot_time=bot_time, watches=watches)


def resume(path: Path, executor: Executor, *, bot_time: float = BOT_TIME, watches: Watches = NOBODY) -> Controller:
    """The match in the file where it was left; SceneError when it is damaged, InputError when somebody plays it."""
    tools = Tools(executor=executor, judge=watches.judge(table_in(path)) if watches.hands is not None else None)
    return Controller(resume_match(path, tools), executor, bot_time=bot_time, watches=watches)


class Controller:
    """One match of Evaluation Domino at one screen; see the module.

    Intents return whether they were taken. A refusal comes as a happening of the kind `trouble`, with its sentence.
    """

    def __init__(
        self, session: Session, executor: Executor, *, bot_time: float = BOT_TIME, watches: Watches = NOBODY
    ) -> None:
        self.session = session
        self._executor = executor
        self._bot_time = bot_time
        self._watches = watches.at(session.setup.table)
        self._real: RealTable | None = None
        self._bots = Bots(session.setup, executor)
        self._is_secret = secrecy(needed_text(session.setup.game), shown_names(session.setup.names))
        self._teller = Teller(session)
        self._people = people_of(session.setup, self._bots)
        self._hints = Hints(executor, session.setup.engine, session.setup.seed)
        self._has_hints = session.setup.hints
        self._hinted: Proposal | None = None
        self._thought: Thought | None = None
        self._thought_for = 0.0  # s since the bot was asked
        self._knock: tuple[Seat, Stand, Future[Judged]] | None = None
        self._passing: set[Seat] = set()  # people who do not call this time, asked or not yet
        self._is_stuck = False
        self._is_unwritten = False  # the log took no more: nothing comes by itself until somebody tries again
        self._is_closed = False
        session.subscribe(self._hear)

    # The frame

    def update(self, dt: float) -> tuple[Happening, ...]:
        """One frame of that many seconds: what has happened and may be told. Never waits for a run or a bot."""
        if self._is_closed:
            return ()
        if not self._is_unwritten:
            self._look_on()
        self._hints.update(dt)
        if self._knock is not None:
            self._end_knock()
        elif self.session.result is None and not self._is_stuck:
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
            self._real = watched(self._watches, self.session)
        except OutputError as error:  # it waits until somebody says that there is room again
            self.stop_rig()
            self._real = seen(self._watches)
            self._is_unwritten = True
            self._stick(error)
        except ToppleError as error:
            self._teller.trouble(error)

    def go_on(self) -> None:
        """What was shown has been seen: the countdown, the fall or the score."""
        self._teller.go_on()

    def screen(self) -> Screen:
        """What to show now; made anew every time, so ask once a frame."""
        session, beat = self.session, self._teller.beat
        if beat is not None:
            return self._screen(beat.act, beat.before, None, beat)
        ask = None if session.result is not None else self._ask()
        act = Act.OVER if ask is None else Act.WITNESS if ask.what is Awaiting.WITNESS else ACTS[session.state.phase]
        return self._screen(act, session.state, ask, None)

    def _screen(self, act: Act, state: State, ask: Ask | None, beat: Cue | None) -> Screen:
        session = self.session
        view = session.game.view(state, None)
        asked = None if ask is None or ask.what in (Awaiting.JUDGE, Awaiting.FORCED) else ask.seat
        thought = self._thought if ask is not None and ask.what is Awaiting.BOT else None
        score = beat.score if beat else None
        return Screen(
            act=act,
            status=session.status,
            names=self._teller.names,
            people=self._people,
            asked=asked,
            active=state.active,
            row=state.row,
            supply=state.supply,
            movable=state.movable,
            push_end=state.push_end.value,
            chips=score.chips if score else state.chips,
            round=state.round,
            rounds=state.rounds,
            contenders=state.contenders,
            callers=self._callers() if act is Act.CALL else (),
            caller=state.caller,
            is_forced=state.forced,
            voter=asked if act is Act.VOTE and asked in self._people else None,
            voted=tuple(seat for seat, vote in enumerate(state.votes) if vote is not None),
            votes=beat.votes if beat else tuple(cast("list[str | None]", view["votes"])),
            thinking=thought.seat if thought else None,
            thinking_share=thought.share if thought else 0.0,
            playback=beat.playback if beat else None,
            score=score,
            forecast=session.history.forecasts.get(beat.scene) if beat else self._open_forecast(),
            hint=self._hints.hint if self._has_hints else None,
            has_hints=self._has_hints,
            is_stuck=self._is_stuck and beat is None,
            lines=self._teller.lines,
            result=None if beat else session.result,
            can_slip=beat is None and session.setup.table != SIMULATED and act in SLIPS,
            finding=finding_in(session),
            real=self._real,
            limits=state.limits,
        )

    # What people do

    def place(self, what: Proposal | Stand) -> bool:
        """The person whose turn it is places a tile. With clumsy hands a refused one may become an accident later."""
        stand = what.stand if isinstance(what, Proposal) else what
        return self._do(lambda: self._place(stand))

    def call(self, seat: Seat) -> bool:
        """That person calls, at any time while calls are asked for."""
        return self._do(lambda: self._play(seat, Call()))

    def pass_call(self, seat: Seat) -> bool:
        """That person does not call; it is made known when the seats before have spoken."""
        return self._do(lambda: self._pass([seat]))

    def nobody_calls(self) -> bool:
        """None of the people who are still asked calls."""
        return self._do(lambda: self._pass(self._callers()))

    def vote(self, seat: Seat, success: bool) -> bool:
        """That person's secret vote."""
        return self._do(lambda: self._play(seat, Vote(success)))

    def push(self) -> bool:
        """The person who has placed pushes the row, or has the rig push it."""
        rig = self._watches.rig
        if rig is not None:
            return self._do(lambda: begin_push(self.session, rig))
        return self._do(lambda: self._play(self.session.state.active, Push()))

    def push_by_hand(self) -> bool:
        """People push the row themselves though there is a rig."""
        rig = self._watches.rig
        return rig is not None and self._do(lambda: push_by_hand(self.session, rig))

    def found(self, fell: bool, standing: tuple[int, ...] = (), by: Seat | None = None) -> bool:
        """People say what fell, at a table of their own or where the judge could not tell."""
        who = witness(self.session, self._bots) if by is None else by
        return self._do(lambda: self.session.play(TABLE, FallReport(fell, standing), by=who))

    def accident(self, clumsy: Seat, by: Seat | None = None) -> bool:
        """Somebody says that a seat knocked the row over, at a table of their own."""
        return self._do(lambda: self.session.declare_accident(self._speaker() if by is None else by, clumsy))

    def correct(self, fell: bool, standing: tuple[int, ...] = ()) -> bool:
        """Says better what fell at the last push; its score is shown anew. Possible while it is shown, too."""
        finding, beat = finding_in(self.session), self._teller.beat
        if finding is None or self._is_closed or (beat is not None and beat.act is not Act.SCORED):
            return False
        try:
            self.session.correct(self._speaker(), finding.number, FallReport(fell, standing))
        except ToppleError as error:
            self._teller.trouble(error)
            return False
        if beat is not None:
            self._teller.go_on()
        return True

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

    def set_hints(self, on: bool) -> bool:
        """Shows live forecasts or not; refused in a match without hints."""
        if on and not self.session.setup.hints:
            self._teller.trouble(RuleError("There are no hints in this match; begin one with --hints to have them."))
            return False
        self._has_hints = on
        if not on:
            self.hint_for(None)
        return True

    def hint_for(self, proposal: Proposal | None) -> None:
        """The row that is being thought of; `Screen.hint` comes to tell of the newest one. None: of none."""
        if proposal is not self._hinted:
            self._hinted = proposal
            scene = scene_of(proposal) if proposal is not None and self._has_hints else None
            self._hints.want(None if scene is None else self.session.history.site.placed(scene))

    def retry(self) -> None:
        """Tries again what went wrong."""
        self._is_stuck = self._is_unwritten = False
        self.session.retry()

    def again(self, path: Path) -> Controller:
        """Another match of the same players, in that file."""
        return begin(path, rematch(self.session.setup), self._executor, bot_time=self._bot_time, watches=self._watches)

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
        if self._real is not None and self._real.rig is not None and self._real.rig.can_stop:
            self.stop_rig()
        self._drop_thought()
        self._hints.close()
        if self._knock is not None:
            self._knock[2].cancel()
            self._knock = None
        self.session.close()

    # Inside: moves

    def _see_hands(self) -> None:
        """Moves that were made at the table itself."""
        if self._watches.hands is not None and self._knock is None and not self._teller.is_held:
            self._watches.hands.act(self.session)

    def _do(self, act: Callable[[], object]) -> bool:
        """Whether it was taken; nothing is while something is shown that has not been seen."""
        if self._is_closed or self._teller.is_held or self._knock is not None:
            return False
        try:
            act()
        except ToppleError as error:
            self._teller.trouble(error)
            return False
        self._is_stuck = self._is_unwritten = False
        return True

    def _play(self, seat: Seat, move: Any) -> None:
        if seat in self._bots:
            raise RuleError("{name} is a bot and moves by itself.", name=self._teller.names[seat])
        self.session.play(seat, move)

    def _place(self, stand: Stand) -> None:
        seat = self.session.state.active
        run = None if seat in self._bots else self.session.knock(seat, stand)
        if run is None:
            self._play(seat, stand)
        else:
            self._knock = seat, stand, self._executor.submit(run)
        self.hint_for(None)

    def _end_knock(self) -> None:
        """What came of a clumsy hand, once it is known."""
        assert self._knock is not None
        seat, stand, future = self._knock
        if not future.done():
            return
        self._knock = None
        try:
            self.session.play(seat, stand, knocked=future.result())
        except ToppleError as error:
            self._teller.trouble(error)

    def _pass(self, seats: Iterable[Seat]) -> None:
        """Passes for these people as far as it is their turn; the others' passes are kept until it is."""
        state: State = self.session.state
        if state.phase is not Phase.CALL:
            raise RuleError(REFUSALS[state.phase])
        self._passing |= set(seats) & set(self._callers())
        while self._passes_now():
            pass

    def _passes_now(self) -> bool:
        """Makes the next pass that was said already; False when there is none."""
        if self.session.state.phase is not Phase.CALL:
            return False
        ask = self._ask()
        if ask.what is not Awaiting.PERSON or ask.seat not in self._passing:
            return False
        self.session.play(ask.seat, Pass())
        return True

    def _undo(self) -> None:
        undo_last(self.session, self._bots, self._is_secret)
        self._passing.clear()

    # Inside: what goes by itself

    def _step(self, dt: float) -> None:
        """One move at most that needs no person now."""
        ask = self._ask()
        if ask.what is Awaiting.BOT:
            self._let_think(ask.seat, dt)
            return
        self._drop_thought()
        if self._teller.is_held:
            return
        try:
            if ask.what is Awaiting.FORCED:
                self.session.play(ask.seat, forced_move(self.session, ask.seat))
            else:
                self._passes_now()
        except ToppleError as error:
            self._stick(error)

    def _let_think(self, seat: Seat, dt: float) -> None:
        """The bot thinks even while something is shown; it moves afterwards."""
        about = seat, len(self.session.history.made), self.session.state
        if self._thought is None or self._thought.about != about:
            self._drop_thought()
            self._thought = Thought(seat, about, self._bots.choice(self.session, seat))
            self._thought_for = 0.0
            return
        self._thought_for += dt
        if self._teller.is_held or not self._thought.is_done or self._thought_for < self._bot_time:
            return
        thought, self._thought = self._thought, None
        try:
            move = thought.move()
            if move is None:
                self._bots.decline(self.session, seat)
            else:
                self.session.play(seat, move)
        except ToppleError as error:
            self._stick(error)
        except CancelledError:
            self._is_stuck = True

    def _drop_thought(self) -> None:
        if self._thought is not None:
            self._thought.stop()
            self._thought = None

    def _stick(self, error: ToppleError) -> None:
        self._is_stuck = True
        self._teller.trouble(error)

    # Inside: what there is

    def _hear(self, told: LoggedEntry) -> None:
        if self.session.state.phase is not Phase.CALL:
            self._passing.clear()
        self._teller.hear(told)

    def _ask(self) -> Ask:
        return next_ask(self.session, self._bots, self._is_secret, has_rig=self._watches.rig is not None)

    def _speaker(self) -> Seat:
        """The person who is asked now, or the first one."""
        seat = TABLE if self.session.result is not None else self._ask().seat
        return seat if seat in self._people else (*self._people, 0)[0]

    def _callers(self) -> tuple[Seat, ...]:
        """The people who may still call and have not said that they do not, clockwise from the placer's left."""
        after = self.session.state.active + 1
        seats = (self.session.to_act & set(self._people)) - self._passing
        return tuple(sorted(seats, key=lambda seat: (seat < after, seat)))

    def _open_forecast(self) -> Mapping[str, Any] | None:
        return self.session.forecast() if self._has_hints else None
