"""A match of Evaluation Domino in a window: `screen` is what to show now, and its intents are those of this game.

Some moments are shown before the match goes on: the countdown, a fall, the score. The window ends each of these with
`go_on`; until then nobody moves, and nothing is said of what comes after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any, cast

from game.core import RuleError, Seat
from game.games.evaluation.moves import Call, FallReport, Pass, Push, Stand, Vote
from game.games.evaluation.state import REFUSALS, Phase, State
from game.games.evaluation.window.finding import finding_in
from game.games.evaluation.window.model import Act, Cue, Screen
from game.games.evaluation.window.placing import Proposal, scene_of
from game.games.evaluation.window.teller import EvaluationTeller
from game.match.history import SIMULATED, LoggedEntry
from game.match.session import Session
from game.match.turns import Ask, Awaiting
from game.ui.live_forecast import Hints
from game.ui.match_control import BOT_TIME, MatchControl
from game.ui.teller import Happening
from game.ui.watches import NOBODY, Watches
from physics.errors import ToppleError

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


class Controller(MatchControl):
    """One match of Evaluation Domino at one screen; see the module."""

    def __init__(
        self, session: Session, executor: Executor, *, bot_time: float = BOT_TIME, watches: Watches = NOBODY
    ) -> None:
        self._cues = EvaluationTeller(session)
        super().__init__(session, executor, bot_time=bot_time, watches=watches, teller=self._cues)
        self._hints = Hints(executor, session.setup.engine, session.setup.seed)
        self._has_hints = session.setup.hints
        self._hinted: Proposal | None = None
        self._passing: set[Seat] = set()  # people who do not call this time, asked or not yet

    def update(self, dt: float) -> tuple[Happening, ...]:
        """As for every game; live forecasts go on too."""
        self._hints.update(dt)
        return super().update(dt)

    def screen(self) -> Screen:
        """What to show now; made anew every time, so ask once a frame."""
        session, cue = self.session, self._cues.cue
        if cue is not None:
            return self._screen(cue.act, cue.before, None, cue)
        ask = None if session.result is not None else self.ask()
        act = Act.OVER if ask is None else Act.WITNESS if ask.what is Awaiting.WITNESS else ACTS[session.state.phase]
        return self._screen(act, session.state, ask, None)

    def _screen(self, act: Act, state: State, ask: Ask | None, cue: Cue | None) -> Screen:
        session = self.session
        view = session.game.view(state, None)
        asked = None if ask is None or ask.what in (Awaiting.JUDGE, Awaiting.FORCED) else ask.seat
        thinking = self.thinking if ask is not None and ask.what is Awaiting.BOT else None
        score = cue.score if cue else None
        return Screen(
            act=act,
            status=session.status,
            names=self.names,
            people=self.people,
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
            voter=asked if act is Act.VOTE and asked in self.people else None,
            voted=tuple(seat for seat, vote in enumerate(state.votes) if vote is not None),
            votes=cue.votes if cue else tuple(cast("list[str | None]", view["votes"])),
            thinking=thinking[0] if thinking else None,
            thinking_share=thinking[1] if thinking else 0.0,
            playback=cue.playback if cue else None,
            score=score,
            forecast=session.history.forecasts.get(cue.scene) if cue else self._open_forecast(),
            hint=self._hints.hint if self._has_hints else None,
            has_hints=self._has_hints,
            is_stuck=self.is_stuck and cue is None,
            lines=self.lines,
            result=None if cue else session.result,
            can_slip=cue is None and session.setup.table != SIMULATED and act in SLIPS,
            finding=finding_in(session),
            real=self.real,
            limits=state.limits,
        )

    # What people do

    def place(self, what: Proposal | Stand) -> bool:
        """The person whose turn it is places a tile. With clumsy hands a refused one may become an accident later."""
        stand = what.stand if isinstance(what, Proposal) else what
        return self._do(lambda: self._place(stand))

    def call(self, seat: Seat) -> bool:
        """That person calls, at any time while calls are asked for."""
        return self.act(seat, Call())

    def nobody_calls(self) -> bool:
        """None of the people who are still asked calls; each pass is made known when the seats before have spoken."""
        return self._do(self._pass_all)

    def vote(self, seat: Seat, success: bool) -> bool:
        """That person's secret vote."""
        return self.act(seat, Vote(success))

    def push(self) -> bool:
        """The person who has placed pushes the row, or has the rig push it."""
        return self.act(self.session.state.active, Push())

    def found(self, fell: bool, standing: tuple[int, ...] = (), by: Seat | None = None) -> bool:
        """People say what fell, at a table of their own or where the judge could not tell."""
        return self.act(self._witness() if by is None else by, FallReport(fell, standing))

    def correct(self, fell: bool, standing: tuple[int, ...] = ()) -> bool:
        """Says better what fell at the last push; its score is shown anew. Possible while it is shown, too."""
        finding, cue = finding_in(self.session), self._cues.cue
        if finding is None or self._is_closed or (cue is not None and cue.act is not Act.SCORED):
            return False
        try:
            self.session.correct(self._speaker(), finding.number, FallReport(fell, standing))
        except ToppleError as error:
            self._cues.trouble(error)
            return False
        if cue is not None:
            self._cues.go_on()
        return True

    def set_hints(self, on: bool) -> bool:
        """Shows live forecasts or not; refused in a match without hints."""
        if on and not self.session.setup.hints:
            self._cues.trouble(RuleError("There are no hints in this match; begin one with --hints to have them."))
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

    def close(self) -> None:
        """As for every game; live forecasts end too."""
        self._hints.close()
        super().close()

    # Inside

    def _place(self, stand: Stand) -> None:
        self._play(self.session.state.active, stand)
        self.hint_for(None)

    def _pass_all(self) -> None:
        """Passes for all who may still call, as far as it is their turn; the others' passes are kept until it is."""
        state: State = self.session.state
        if state.phase is not Phase.CALL:
            raise RuleError(REFUSALS[state.phase])
        self._passing |= set(self._callers())
        while self._passes_now():
            pass

    def _passes_now(self) -> bool:
        """Makes the next pass that was said already; False when there is none."""
        if self.session.state.phase is not Phase.CALL:
            return False
        ask = self.ask()
        if ask.what is not Awaiting.PERSON or ask.seat not in self._passing:
            return False
        self.session.play(ask.seat, Pass())
        return True

    def _undo(self) -> None:
        super()._undo()
        self._passing.clear()

    def _move_by_itself(self, ask: Ask) -> None:
        super()._move_by_itself(ask)
        if ask.what is Awaiting.PERSON:
            self._passes_now()

    def _hear(self, told: LoggedEntry) -> None:
        if self.session.state.phase is not Phase.CALL:
            self._passing.clear()
        super()._hear(told)

    def _callers(self) -> tuple[Seat, ...]:
        """The people who may still call and have not said that they do not, clockwise from the placer's left."""
        after = self.session.state.active + 1
        seats = (self.session.to_act & set(self.people)) - self._passing
        return tuple(sorted(seats, key=lambda seat: (seat < after, seat)))

    def _open_forecast(self) -> Mapping[str, Any] | None:
        return self.session.forecast() if self._has_hints else None
