"""A match in a window without the window: intents in, happenings and screens out, and no frame that waits."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.bots.seats import Bots
from game.games.evaluation.moves import Call, End, FallReport, Pass, Push, Stand, Vote
from game.games.evaluation.placements import at_end
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.model import Act, Screen
from game.games.evaluation.window.placing import Aim, aimed, first_proposal
from game.match import forecasts
from game.match.background import Tools
from game.match.history import Setup
from game.match.judge import Simulated
from game.match.log import read_log
from game.match.session import new_match
from game.text.game_text import needed_text
from game.text.player import Leave, TextMatch
from game.text.terminal import Terminal
from game.ui.live_forecast import DWELL, RUNS
from game.ui.teller import TROUBLE
from physics.errors import EngineError
from physics.tiles import Stance
from tests.game.played import Here, Never, made_up_forecast

FRAME = 1 / 60
QUICK = 0.5  # s that a frame may take on a busy machine; what it must never wait for takes for ever


@pytest.fixture
def match(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Controller]]:
    """Begins a match of one round; all that were begun are closed."""
    words.use("en")
    monkeypatch.setattr(forecasts, "forecast_of", made_up_forecast)
    made: list[Controller] = []

    def new(*names: str, executor: Executor | None = None, **changes: Any) -> Controller:
        setup = Setup(**{"game": "evaluation", "names": names, "seed": 7, "options": {"rounds": 1}, **changes})
        path = tmp_path / f"{len(made)}.topple"
        made.append(Controller.begin(path, setup, executor or Here(), bot_time=0.0))
        return made[-1]

    yield new
    for controller in made:
        controller.close()


def until(controller: Controller, done: Callable[[Screen], bool], *, seen: bool = True) -> list[str]:
    """Frame after frame until the screen is so; what was said. What is shown in between counts as seen."""
    said: list[str] = []
    deadline = time.monotonic() + 20
    while not done(controller.screen()):
        assert time.monotonic() < deadline, controller.screen()
        for happening in controller.update(FRAME):
            said += happening.sentences
        screen = controller.screen()
        if seen and not done(screen) and (screen.playback or screen.act in (Act.COUNTDOWN, Act.SCORED)):
            controller.go_on()
        if screen.thinking is not None:
            time.sleep(0.002)
    return said


def is_asked(screen: Screen) -> bool:
    return screen.asked in screen.people


def act_on(controller: Controller, text: str) -> bool:
    """The intent that is meant by what would be typed in a terminal."""
    screen = controller.screen()
    assert screen.asked is not None
    move = needed_text("evaluation").parse(text, controller.session.view(None), screen.names)
    match move:
        case Stand():
            return controller.place(move)
        case Pass():
            return controller.act(screen.asked, move)
        case Call():
            return controller.call(screen.asked)
        case Vote(success):
            return controller.vote(screen.asked, success)
        case Push():
            return controller.push()
        case FallReport(fell, standing):
            return controller.found(fell, standing)
    raise AssertionError(text)


def entries_of(path: Path) -> list[tuple[str, Any]]:
    return [(entry.kind, entry.data) for entry in read_log(path).entries]


def in_text(path: Path, script: list[str], monkeypatch: pytest.MonkeyPatch, **setup: Any) -> str:
    """The same match in a terminal."""
    session = new_match(path, Setup(**{"game": "evaluation", "seed": 7, **setup}), Tools(executor=Here()))
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in script)))
    out = io.StringIO()
    with session, contextlib.suppress(Leave, EOFError):
        TextMatch(session, Terminal(out), Bots(session.setup)).play()
    return out.getvalue()


# The same match


@pytest.mark.parametrize(
    ("names", "script"),
    [
        (("Ann", "bot:weak", "Bob"), ["stand 8", "pass", "stand 4 left", "call", "failure", "pass", "push"]),
        (("bot:normal", "Ann"), ["pass", "stand 9 gap 30", "call", "failure", "success", "stand 11 turn 20"]),
    ],
)
def test_the_log_is_that_of_the_terminal(
    names: tuple[str, ...],
    script: list[str],
    match: Callable[..., Controller],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    controller = match(*names)
    typed: list[str] = []
    said: list[str] = []
    standard = {Act.BUILD: "stand", Act.CALL: "call", Act.VOTE: "failure", Act.ARMED: "push"}
    while True:
        said += until(controller, lambda screen: is_asked(screen) or screen.act is Act.OVER)
        said += [line for happening in controller.update(FRAME) for line in happening.sentences]
        screen = controller.screen()
        if screen.act is Act.OVER:
            break
        # What does not fit is left out; afterwards everybody calls and votes for failure.
        answer = next((line for line in script if line.split()[0] in _words(screen.act)), None)
        if answer is None:
            answer = f"stand {screen.movable[0]}" if screen.act is Act.BUILD else standard[screen.act]
        else:
            script.remove(answer)
        if act_on(controller, answer):
            typed.append(answer)
    text = in_text(tmp_path / "text.topple", [*typed, "quit"], monkeypatch, names=names, options={"rounds": 1})
    assert entries_of(controller.session.path) == entries_of(tmp_path / "text.topple")
    assert all(sentence in text for sentence in said) and len(said) > 5


def _words(act: Act) -> tuple[str, ...]:
    return {
        Act.BUILD: ("stand",), Act.CALL: ("pass", "call"), Act.VOTE: ("failure", "success"), Act.ARMED: ("push",)
    }.get(act, ())  # fmt: skip


def test_a_match_goes_on_where_it_was_left(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "bot:weak", executor=Here())
    until(controller, is_asked)
    assert controller.place(first_proposal(controller.screen().row, 7))
    controller.update(FRAME)
    controller.close()
    assert controller.update(FRAME) == () and not controller.push()
    again = Controller.resume(controller.session.path, Here(), bot_time=0.0)
    try:
        assert [tile.value for tile in again.screen().row] == [6, 7]
        assert again.screen().lines[0].startswith("Ann stands the tile 7 upright at the right end, 20 mm")
        assert again.update(0.0) == ()
        until(again, lambda screen: is_asked(screen) or screen.act is Act.OVER)
    finally:
        again.close()
    another = again.again(again.session.path.with_name("another.topple"))
    assert another.session.setup.seed > 2**64 and another.screen().act is Act.BUILD
    another.close()


# Nothing waits


def slowest(controller: Controller, frames: int = 100) -> float:
    """The longest of so many frames, s."""
    worst = 0.0
    for _ in range(frames):
        began = time.perf_counter()
        controller.update(FRAME)
        assert controller.screen() is not None
        worst = max(worst, time.perf_counter() - began)
    return worst


def test_a_bot_that_thinks_for_ever_stops_no_frame(match: Callable[..., Controller]) -> None:
    controller = match("bot:strong", "Ann", executor=Never())
    controller.update(FRAME)
    assert slowest(controller) < QUICK
    assert controller.screen().thinking == 0 and controller.screen().asked == 0
    assert not controller.place(first_proposal(controller.screen().row, 7))
    assert controller.update(FRAME)[0].sentences == ("Strong bot is a bot and moves by itself.",)
    began = time.perf_counter()
    controller.close()
    assert time.perf_counter() - began < QUICK


def test_a_run_that_takes_for_ever_stops_no_frame(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", executor=Never())
    controller.place(first_proposal(controller.screen().row, 7))
    controller.call(1)
    controller.vote(1, False)
    until(controller, lambda screen: screen.act is Act.ARMED)
    controller.push()
    assert slowest(controller) < QUICK
    screen = controller.screen()
    assert (screen.act, screen.playback, screen.asked, screen.forecast) == (Act.FALLING, None, None, None)


def test_an_idle_frame_costs_next_to_nothing(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", executor=Never())
    controller.place(first_proposal(controller.screen().row, 7))
    controller.update(FRAME)
    began = time.process_time()
    for _ in range(200):
        controller.update(FRAME)
    assert (time.process_time() - began) / 200 < 1e-3


# Calls and votes


def test_anybody_may_call_at_any_time(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "bot:strong", "Cem", executor=Never())
    controller.place(at_end(controller.screen().row, 8, Stance.UPRIGHT, End.LAST, 0.026, 0.0))
    controller.update(FRAME)
    screen = controller.screen()
    assert (screen.act, screen.callers, screen.asked) == (Act.CALL, (2,), 1)
    assert controller.call(2)
    screen = controller.screen()
    assert (screen.act, screen.caller) == (Act.VOTE, 2)
    assert not controller.call(0)


def test_passes_wait_for_the_seats_before_them(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", "bot:weak", "Cem")
    controller.place(at_end(controller.screen().row, 7, Stance.UPRIGHT, End.LAST, 0.02, 0.0))
    assert controller.screen().callers == (1, 3)
    assert controller.nobody_calls()
    assert controller.screen().callers == ()
    until(controller, lambda screen: screen.act is not Act.CALL)
    moves = [(data["seat"], data["move"]) for kind, data in entries_of(controller.session.path) if kind == "move"]
    assert moves[1] == (1, "pass") and moves[2][0] == 2
    if moves[2][1] == "pass":
        assert moves[3] == (3, "pass") and controller.screen().asked == 1
        # Said once, a pass is for that placement only.
        controller.place(first_proposal(controller.screen().row, 8))
        assert controller.screen().callers == (3, 0)
    assert not controller.nobody_calls() or controller.screen().act is Act.CALL


def test_votes_are_secret_and_shown_after_the_countdown(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", "Cem", table="hand")
    controller.place(first_proposal(controller.screen().row, 7))
    controller.act(1, Pass())
    controller.call(2)
    assert controller.screen().voter == 1
    assert controller.vote(1, False)
    screen = controller.screen()
    assert (screen.voter, screen.voted, screen.votes) == (2, (1,), (None, None, None))
    controller.vote(2, True)
    said = until(controller, lambda screen: screen.act is Act.COUNTDOWN)
    assert "Bob has voted." in said and not any("domino!" in line for line in said)
    assert controller.screen().votes == ("success", "failure", "success")
    assert not controller.push()  # the countdown is not over
    controller.go_on()
    assert controller.update(FRAME)[-1].events == ("voted", "revealed")
    assert controller.screen().act is Act.ARMED
    assert controller.screen().lines[-1].startswith("One, two, three, domino! Success: Ann and Cem. Failure: Bob.")


# The fall


def test_nothing_is_told_of_a_fall_before_it_was_seen(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob")
    controller.place(first_proposal(controller.screen().row, 7))
    controller.call(1)
    controller.vote(1, False)
    until(controller, lambda screen: screen.act is Act.ARMED)
    controller.update(FRAME)
    controller.push()
    said = until(controller, lambda screen: screen.playback is not None)
    assert said == ["Ann pushes the tile 6 at the left end."]
    screen = controller.screen()
    assert (screen.act, screen.chips, len(screen.row), screen.score) == (Act.FALLING, (0, 0), 2, None)
    assert screen.playback is not None and [tile.value for tile in screen.playback.tiles] == [6, 7]
    assert screen.forecast is not None and screen.forecast["probability"] == 0.5
    assert screen.playback.slow_at == screen.playback.reaches(0)
    for _ in range(5):
        assert controller.update(FRAME) == ()
    controller.go_on()
    told = [line for happening in controller.update(FRAME) for line in happening.sentences]
    assert told[0].startswith("It falls: 6 after 0.0") and told[1].startswith("Forecast: ") and "Ann wins!" in told[-1]
    score = controller.screen().score
    assert controller.screen().act is Act.SCORED and score is not None
    assert (score.gained, score.chips, score.fell, score.votes) == ((1, 0), (1, 0), True, ("success", "failure"))
    assert len(controller.screen().row) == 2
    controller.go_on()
    screen = controller.screen()
    assert screen.act is Act.OVER and screen.result is not None and screen.result.winners == (0,)


def test_a_table_of_ones_own(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", table="hand", options={"rounds": 2})
    controller.place(first_proposal(controller.screen().row, 7))
    assert controller.accident(0)
    screen = controller.screen()
    assert screen.act is Act.SCORED and screen.score is not None and screen.score.clumsy == 0
    assert (screen.score.gained, screen.chips) == ((0, 1), (0, 1))
    controller.go_on()
    controller.place(first_proposal(controller.screen().row, 8))
    controller.call(1)
    assert controller.undo()
    assert controller.screen().act is Act.CALL
    controller.call(1)
    controller.vote(1, False)
    until(controller, lambda screen: screen.act is Act.ARMED)
    assert not controller.found(True)  # not pushed yet
    controller.push()
    assert (controller.screen().act, controller.screen().asked) == (Act.WITNESS, 0)
    assert controller.found(False, (8,))
    screen = controller.screen()
    assert screen.act is Act.SCORED and screen.playback is None and screen.score is not None
    assert (screen.score.fell, screen.score.standing, screen.chips) == (False, (8,), (0, 2))
    controller.go_on()
    assert (controller.screen().round, controller.screen().act) == (2, Act.BUILD)


def test_what_fell_can_be_said_better(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", table="hand", options={"rounds": 3})
    assert controller.screen().can_slip and controller.screen().finding is None and not controller.correct(True)
    controller.place(first_proposal(controller.screen().row, 7))
    controller.call(1)
    controller.vote(1, False)
    until(controller, lambda screen: screen.act is Act.ARMED)
    assert not controller.screen().can_slip  # whatever falls now belongs to the push
    controller.push()
    controller.found(False, (7,))
    controller.update(FRAME)
    finding = controller.screen().finding
    assert finding is not None and (finding.fell, finding.standing, len(finding.row)) == (False, (7,), 2)
    # While the score is shown: it is shown anew.
    assert controller.correct(True)
    said = [line for happening in controller.update(FRAME) for line in happening.sentences]
    assert said[0] == "Ann corrects what was said about the table." and said[1] == "The whole row fell."
    screen = controller.screen()
    assert screen.act is Act.SCORED and screen.score is not None
    assert (screen.score.fell, screen.score.gained, screen.chips) == (True, (1, 0), (1, 0))
    controller.go_on()
    # In the next round, too; what was played since stays.
    controller.place(first_proposal(controller.screen().row, 8))
    row = controller.screen().row
    assert controller.correct(False, (6, 7))
    screen = controller.screen()
    assert screen.act is Act.SCORED and screen.score is not None and screen.score.standing == (6, 7)
    controller.go_on()
    assert controller.screen().row == row and controller.screen().chips == (0, 1)
    moves = [data["move"] for kind, data in entries_of(controller.session.path) if kind == "correction"]
    assert moves == ["fell", "stood 6 7"]


def test_people_are_asked_when_the_judge_fails(
    match: Callable[..., Controller], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Simulated, scene: Any) -> Any:
        raise EngineError("The simulation broke down.")

    monkeypatch.setattr(Simulated, "judge", broken)
    controller = match("Ann", "Bob")
    controller.place(first_proposal(controller.screen().row, 7))
    controller.call(1)
    controller.vote(1, False)
    until(controller, lambda screen: screen.act is Act.ARMED)
    controller.push()
    happenings = [*controller.update(FRAME), *controller.update(FRAME)]
    assert [each.sentences for each in happenings if each.kind == TROUBLE] == [("The simulation broke down.",)]
    assert controller.screen().act is Act.WITNESS
    assert controller.found(True)


def test_a_bot_whose_simulation_breaks_down_can_be_asked_again(
    match: Callable[..., Controller], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise EngineError("The simulation broke down.")

    controller = match("bot:weak", "Ann")
    with monkeypatch.context() as patched:
        patched.setattr("game.games.evaluation.bot.player.EvaluationBot.choose", broken)
        until(controller, lambda screen: screen.is_stuck)
    assert controller.screen().lines[-1] == "The simulation broke down." and controller.update(FRAME) == ()
    controller.retry()
    until(controller, is_asked)
    assert len(controller.screen().row) == 2


def test_on_a_full_disk_nothing_is_lost_and_it_is_tried_again(
    match: Callable[..., Controller], no_room: Callable[[], contextlib.AbstractContextManager[None]]
) -> None:
    controller = match("Ann", "Bob")
    controller.place(first_proposal(controller.screen().row, 7))
    with no_room():
        said = [line for _ in range(50) for each in controller.update(FRAME) for line in each.sentences]
        assert len([line for line in said if "No space left" in line]) == 1
        assert controller.screen().is_stuck and controller.screen().row[-1].value == 7
        controller.retry()
        assert len(controller.update(FRAME)) == 1 and controller.screen().is_stuck
        assert not controller.call(1) and len(controller.update(FRAME)) == 1
    controller.retry()
    assert all(each.kind != TROUBLE for each in controller.update(FRAME)) and not controller.screen().is_stuck
    assert "forecast" in [entry.kind for entry in controller.session.entries]
    assert controller.call(1)


def test_clumsy_hands(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", clumsy=True)
    controller.place(at_end(controller.screen().row, 7, Stance.UPRIGHT, End.LAST, 0.006, 0.0))
    controller.nobody_calls()
    row = controller.screen().row
    refused = aimed(row, Aim(8, Stance.UPRIGHT, row[-1].x + 0.2, 0.3, free=True))
    assert refused.move is None and not controller.place(refused)
    touching = at_end(row, 8, Stance.UPRIGHT, End.LAST, -0.004, 0.0)
    assert controller.place(touching)
    said = until(controller, lambda screen: screen.act is Act.FALLING)
    assert controller.screen().playback is not None and not any("Clumsy" in line for line in said)
    controller.go_on()
    said = [line for happening in controller.update(FRAME) for line in happening.sentences]
    assert said[0] == "Clumsy hands: Bob touches the row."
    score = controller.screen().score
    assert score is not None and score.clumsy == 1
    controller.go_on()
    assert (controller.screen().asked, controller.screen().chips) == (1, (1, 0))
    assert not controller.accident(0)  # at a simulated table nobody declares one


# Hints


def test_hints_of_what_is_being_thought_of(match: Callable[..., Controller]) -> None:
    controller = match("Ann", "Bob", hints=True)
    proposal = first_proposal(controller.screen().row, 7)
    controller.hint_for(proposal)
    controller.update(FRAME)
    assert controller.screen().hint is None  # the hand has not come to rest
    controller.update(DWELL)
    controller.update(FRAME)
    hint = controller.screen().hint
    assert hint is not None and (hint.runs, hint.is_final, hint.values) == (RUNS, True, (6, 7))
    assert hint.probability > 0.9
    controller.place(proposal)
    assert controller.screen().hint is None
    controller.update(FRAME)
    assert controller.screen().forecast is not None
    assert controller.set_hints(False) and controller.screen().forecast is None
    assert not match("Ann", "Bob").set_hints(True)


def test_the_newest_hint_wins(match: Callable[..., Controller]) -> None:
    never = Never()
    controller = match("Ann", "Bob", hints=True, executor=never)
    row = controller.screen().row
    controller.hint_for(first_proposal(row, 7))
    controller.update(DWELL)
    first = list(never.asked)
    assert first
    controller.hint_for(first_proposal(row, 8))
    assert all(future.cancelled() for _fn, future in first)
    controller.update(DWELL)
    assert len(never.asked) == 2 * len(first)
    controller.hint_for(aimed(row, Aim(8, Stance.UPRIGHT, 0.0, 0.2, free=True)))  # not legal: nothing to forecast
    assert all(future.cancelled() for _fn, future in never.asked)
    assert slowest(controller) < QUICK
