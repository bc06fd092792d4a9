"""Matches under way: what they are at, who says what fell, and what is refused."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from game.core import TABLE, RuleError
from game.games.evaluation import KIT
from game.games.evaluation.moves import Call, FallReport, Pass, Push, Vote
from game.match.background import Tools
from game.match.judge import Simulated
from game.match.session import new_match
from game.match.steps import Sight, Status
from game.match.tabletop import scene_key
from physics.errors import EngineError, InputError, ToppleError
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.scene import Scene
from tests.game.played import Here, Never, kinds, setup, stand, status_of, to_push, to_votes


def test_a_round_through_its_states(begin: Any) -> None:
    session = begin(options={"rounds": 2})
    assert status_of(session) is Status.WAITING and session.to_act == {0}
    to_votes(session)
    assert status_of(session) is Status.WAITING and session.to_act == {0, 1, 2}
    for seat in range(3):
        session.play(seat, "vote success" if seat < 2 else "vote failure")
    assert status_of(session) is Status.ARMED
    assert kinds(session.play(0, "push")) == ["move"]
    assert status_of(session) is Status.FALLING and session.to_act == {TABLE} and not session.asks_people
    told = session.settle()
    assert kinds(told)[-2:] == ["outcome", "move"]
    assert [event.kind for event in told[-1].events] == ["fell", "scored", "round"]  # golden scenario 8: 6, 7 falls
    assert status_of(session) is Status.SCORED and session.state.chips == (1, 1, 0)
    session.play(0, stand(session, 5))
    assert status_of(session) is Status.WAITING


def test_the_end(begin: Any) -> None:
    session = begin()
    to_push(session)
    session.play(0, "push")
    session.finish()
    to_push(session)  # a tie: one more round
    session.play(0, "push")
    told = session.finish()
    assert status_of(session) is Status.SCORED and session.result is not None and session.to_act == frozenset()
    assert kinds(told).count("result") == 1
    with pytest.raises(RuleError, match="The match is over"):
        session.play(0, "pass")
    with pytest.raises(RuleError, match="over"):
        session.undo(0)
    with pytest.raises(RuleError, match="over"):
        session.correct(0, 1, "fell")


def test_the_verdict_is_that_of_the_single_run(begin: Any) -> None:
    session = begin()
    to_push(session, value=2, gap=0.039)
    scene = session.history.scene
    assert scene is not None
    session.play(0, "push")
    session.finish()
    truth = Simulated(session.setup.engine).judge(scene)
    outcome = next(entry.data for entry in session.entries if entry.kind == "outcome")
    assert outcome["all_fell"] is truth.all_fell and outcome["scene"] == scene_key(scene)
    assert outcome["fates"] == [fate.value for fate in truth.fates] and outcome["judge"] == "simulated"
    assert truth.trajectory is not None and len(outcome["frames"]) == len(truth.trajectory.times)
    time_of, poses = outcome["frames"][-1]
    assert time_of == pytest.approx(truth.ended, abs=0.02) and len(poses) == 2 and len(poses[0]) == 7
    assert poses[1][0] == pytest.approx(truth.trajectory.positions[-1, 1, 0] * 1e3, abs=1e-3)


def test_people_say_what_fell_at_a_real_table(begin: Any) -> None:
    session = begin(table="hand")
    with pytest.raises(RuleError):
        session.play(TABLE, "fell", by=1)
    to_push(session)
    session.play(0, "push")
    assert status_of(session) is Status.FALLING and session.asks_people
    told = session.play(TABLE, "stood 7", by=1)
    assert kinds(told)[:2] == ["outcome", "move"]
    assert told[0].entry.data["judge"] == "hand" and told[0].entry.data["all_fell"] is False
    assert told[1].entry.data == {"seat": TABLE, "move": "stood 7", "by": 1}
    assert session.state.chips == (0, 0, 2)


def test_nobody_else_says_what_fell_at_a_simulated_table(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    to_push(session)
    session.play(0, "push")
    with pytest.raises(RuleError, match="people do not say"):
        session.play(TABLE, "fell", by=1)
    with pytest.raises(RuleError, match="cannot be taken back"):
        session.undo(0)


class Camera:
    """Stands for the camera in the tests of the port."""

    def __init__(self) -> None:
        self.goes = threading.Event()
        self.error: ToppleError | None = None

    def judge(self, scene: Scene) -> Outcome:
        assert self.goes.wait(20)
        if self.error is not None:
            raise self.error
        fates = (Fate.FALLEN, *(Fate.STANDING for _ in scene.line.values[1:]))
        return Outcome(fates, (0.1, *(None for _ in fates[1:])), 1.5, True, OutcomeSource.CAMERA)


def test_the_port_for_the_camera(begin: Any) -> None:
    camera, woken = Camera(), threading.Event()
    session = begin(Tools(Here(), camera, wake=woken.set), table="camera")
    session.look(Sight.MOVING)
    assert status_of(session) is Status.SETTLING
    to_push(session)
    session.look(Sight.DIFFERS)
    assert status_of(session) is Status.DISAGREE
    with pytest.raises(RuleError, match="disagree"):
        session.play(0, "push")
    session.look(Sight.AGREES)
    assert status_of(session) is Status.ARMED
    session.play(0, "push")
    session.poll()
    woken.clear()
    assert status_of(session) is Status.FALLING and not session.asks_people
    camera.goes.set()
    assert woken.wait(20)
    session.settle()
    assert status_of(session) is Status.SCORED and session.state.chips == (0, 0, 2)
    found = next(entry.data for entry in session.entries if entry.kind == "outcome")
    assert found["judge"] == "camera" and found["fates"] == ["fallen", "standing"] and found["move"] == "stood 7"


def test_a_judge_that_fails_gives_way_to_people(begin: Any) -> None:
    camera = Camera()
    camera.error = EngineError("The camera was unplugged.")
    camera.goes.set()
    session = begin(Tools(Here(), camera), table="camera")
    to_push(session)
    session.play(0, "push")
    with pytest.raises(EngineError, match="unplugged"):
        session.settle()
    assert status_of(session) is Status.FALLING and session.asks_people
    session.poll()  # it is not asked again by itself
    session.retry()
    with pytest.raises(EngineError, match="unplugged"):
        session.settle()
    session.play(TABLE, FallReport(True), by=2)
    assert status_of(session) is Status.SCORED


def test_setups_that_are_wrong(tmp_path: Path) -> None:
    for wrong, sentence in (
        ({"game": "chess"}, "no game 'chess'"),
        ({"names": ("Ann",)}, "is for 2 to 5 players, not for 1"),
        ({"names": ("Ann", "")}, "The name '' cannot be used"),
        ({"names": ("Ann", "B\nb")}, "cannot be used"),
        ({"seed": -1}, "The seed is -1"),
        ({"table": "kitchen"}, "The table is 'kitchen'"),
        ({"options": {"colour": 1}}, "no option 'colour'"),
        ({"table": "hand", "clumsy": True}, "Clumsy hands are for the simulated table"),
        ({"engine": "steam"}, "no engine 'steam'"),
    ):
        with pytest.raises(InputError, match=sentence):
            new_match(tmp_path / "m.topple", setup(**wrong))
    with pytest.raises(InputError, match="for the table camera"):
        new_match(tmp_path / "m.topple", setup(), Tools(judge=Camera()))
    assert not (tmp_path / "m.topple").exists()


def test_a_game_without_a_stage_needs_no_judge(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.games.evaluation.KIT", replace(KIT, tabletop=None))
    session = begin(Tools(executor=Never()))
    generator = random.Random(6)
    while session.to_act:
        assert session.status is Status.WAITING and not session.busy
        seat = generator.choice(sorted(session.to_act))
        session.play(seat, generator.choice(session.game.moves(session.state, seat)))
    assert session.status is Status.SCORED and session.entries[-1].kind == "result"
    assert session.finish() == () and session.forecast() is None
    with pytest.raises(RuleError, match="knows no accidents"):
        session.declare_accident(0, 1)


def test_refused_moves_leave_no_trace(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    before = session.path.read_bytes()
    for seat, move in (
        (0, Pass()),
        (0, Call()),
        (1, Push()),
        (0, Vote(True)),
        (0, "dance"),
        (TABLE, "fell"),
        (9, "pass"),
    ):
        with pytest.raises(RuleError):
            session.play(seat, move)
    with pytest.raises(RuleError):
        session.undo(1)
    assert session.path.read_bytes() == before
