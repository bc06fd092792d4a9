"""A rig that pushes in a match: counted down, tapped, stopped, lost and found again, and how it is told and kept."""

from __future__ import annotations

import io
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.cli import main
from game.core import TABLE
from game.games.evaluation.moves import Call, FallReport, Vote
from game.games.evaluation.window.placing import first_proposal
from game.match.background import Tools
from game.match.history import Setup
from game.match.log import read_log
from game.match.ports import Difference, RigStage, RigState
from game.match.publish import published
from game.match.rig_control import begin_push, follow, push_by_hand
from game.match.session import Session, new_match, resume_match
from game.match.site import Site, light_tap
from game.match.steps import Sight, Status
from game.match.tabletop import scene_key
from game.table.rig import PushRig
from game.text.rig_push import RigPush
from game.text.story import Story
from game.text.terminal import Terminal
from hardware.errors import PortError
from hardware.link import SerialPort
from hardware.rig import Rig
from hardware.simulated.emulated import TABLE_TILT, EmulatedPort, emulated_map
from hardware.simulated.simavr import ARM, Built, Simulator, build
from physics.errors import InputError, ToppleError
from physics.scene import Finger, Scene, Tap
from tests.game.played import Never
from tests.hardware.simulated.loose_rig import LooseRig

PATIENCE = 30.0  # s; only so that a hung test ends
SOON = 0.1  # s of countdown where somebody waits for its end
NEVER = 1e6


@pytest.fixture
def place() -> LooseRig:
    return LooseRig()


@pytest.fixture
def rigs(place: LooseRig) -> Iterator[Callable[..., PushRig]]:
    """Makes rigs that have been found."""
    made: list[PushRig] = []

    def rig(countdown: float = SOON, **more: Any) -> PushRig:
        made.append(PushRig(place.open_rig, countdown=countdown, **more))
        made[-1].find()
        return made[-1]

    yield rig
    for each in made:
        each.close()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    words.use("en")
    session = armed(tmp_path / "m.topple")
    yield session
    session.close()


def armed(path: Path) -> Session:
    """A match at a table of one's own whose row is to be pushed."""
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="hand")
    session = new_match(path, setup, Tools(executor=Never()))
    proposal = first_proposal(session.state.row, 7)
    session.play(0, proposal.stand)
    session.play(1, Call())
    session.play(0, Vote(True))
    session.play(1, Vote(False))
    assert session.status is Status.ARMED
    return session


def until(session: Session, rig: PushRig, is_so: Callable[[RigState], object]) -> RigState:
    """Frame after frame, until that is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so(state := follow(session, rig)):
        assert time.monotonic() < deadline, state
        time.sleep(0.005)
    return state


def entries(session: Session, kind: str) -> list[Any]:
    return [entry.data for entry in read_log(session.path).entries if entry.kind == kind]


def told(session: Session) -> list[str]:
    log = read_log(session.path).entries
    return [text for _t, text in Story(session.setup).tell(published(session.setup, log, None))]


def pushed_scene(session: Session) -> Scene:
    scene = session.history.scene
    assert scene is not None
    return scene


# A push


def test_it_counts_down_and_taps_and_the_match_goes_on(
    place: LooseRig, rigs: Callable[..., PushRig], session: Session
) -> None:
    rig = rigs()
    begin_push(session, rig)
    state = rig.snapshot()
    assert state.stage is RigStage.COUNTING and 0 < state.left <= SOON and place.port.taps == 0
    until(session, rig, lambda state: session.status is Status.FALLING)
    assert place.port.taps == 1 and session.asks_people
    session.play(TABLE, FallReport(True), by=0)
    assert follow(session, rig).stage is RigStage.READY and session.result is not None
    session.close()
    stages = [data["stage"] for data in entries(session, "rig")]
    assert stages == ["counting", "pushing", "done", "ready", "ready"]
    assert entries(session, "site")[0]["tilt"] == pytest.approx(TABLE_TILT, abs=0.02)
    link = entries(session, "rig")[-1]["link"]
    assert link["sent"] >= 3 and link["bad_frames"] == 0 and 0 < link["round_trip_ms"] < 1000 and link["resent"] >= 0
    assert "The rig is about to push the row: hands away from the table." in told(session)


def test_the_tap_is_the_scenes_own(place: LooseRig, rigs: Callable[..., PushRig], session: Session) -> None:
    rig = rigs()
    begin_push(session, rig)
    push = pushed_scene(session).push
    assert isinstance(push, Tap)
    until(session, rig, lambda state: session.status is Status.FALLING)
    assert emulated_map().impulse_of(place.port.rig.stroke) == pytest.approx(push.impulse, abs=2e-6)


def test_stop_in_the_countdown(place: LooseRig, rigs: Callable[..., PushRig], session: Session) -> None:
    rig = rigs(countdown=NEVER)
    begin_push(session, rig)
    follow(session, rig)
    rig.stop()
    assert follow(session, rig).stage is RigStage.STOPPED and session.status is Status.ARMED
    begin_push(session, rig)  # it can be asked for again
    assert follow(session, rig).stage is RigStage.COUNTING
    push_by_hand(session, rig)  # or be made by hand
    assert session.asks_people and isinstance(pushed_scene(session).push, Finger)
    session.play(TABLE, FallReport(True), by=0)
    assert follow(session, rig).stage is RigStage.READY and place.port.taps == 0
    assert [data["tapped"] for data in entries(session, "site")] == [True, False, True]
    assert "The rig was stopped." in told(session)


def test_a_cable_pulled_in_the_countdown(place: LooseRig, rigs: Callable[..., PushRig], session: Session) -> None:
    rig = rigs(countdown=0.3)
    begin_push(session, rig)
    place.is_plugged = False
    state = until(session, rig, lambda state: state.stage is RigStage.FAULT)
    assert "cable" in state.trouble and state.link is not None
    with pytest.raises(ToppleError):
        begin_push(session, rig)
    place.is_plugged = True
    until(session, rig, lambda state: state.stage is RigStage.READY)
    assert session.status is Status.ARMED and place.port.taps == 0
    said = told(session)
    assert said[-2:] == [f"The rig cannot push: {state.trouble}", "The rig is ready again."]
    begin_push(session, rig)
    until(session, rig, lambda state: session.status is Status.FALLING)
    assert place.port.taps == 1


def test_an_arm_that_feels_nothing_has_not_pushed(
    place: LooseRig, rigs: Callable[..., PushRig], session: Session
) -> None:
    place.port.has_tile = False
    rig = rigs()
    begin_push(session, rig)
    state = until(session, rig, lambda state: state.stage is RigStage.FAULT)
    assert "felt no tile" in state.trouble and session.status is Status.ARMED and place.port.taps == 1
    place.port.has_tile = True
    begin_push(session, rig)
    until(session, rig, lambda state: session.status is Status.FALLING)


def test_what_the_rig_cannot_is_said_before_the_countdown_is_over(
    place: LooseRig, rigs: Callable[..., PushRig], session: Session
) -> None:
    place.is_calibrated = False
    rig = rigs(countdown=NEVER)
    begin_push(session, rig)
    state = until(session, rig, lambda state: state.stage is RigStage.FAULT)
    assert "not calibrated" in state.trouble and place.port.taps == 0


def test_a_late_rig_does_not_push(place: LooseRig, rigs: Callable[..., PushRig], session: Session) -> None:
    moments = [0.0]
    rig = rigs(clock=lambda: moments[0])
    begin_push(session, rig)
    moments[0] = 5.0
    state = until(session, rig, lambda state: state.stage is RigStage.FAULT)
    assert "countdown ended" in state.trouble and place.port.taps == 0


def test_a_row_that_differs_is_not_pushed(place: LooseRig, rigs: Callable[..., PushRig], session: Session) -> None:
    rig = rigs(countdown=NEVER)
    begin_push(session, rig)
    session.look(Sight.DIFFERS, (Difference("moved", 7, 9.0),))
    assert follow(session, rig).stage is RigStage.STOPPED
    with pytest.raises(ToppleError, match="disagree"):
        begin_push(session, rig)
    with pytest.raises(ToppleError, match="disagree"):
        push_by_hand(session, rig)


def test_a_rig_that_is_not_there_is_one_sentence() -> None:
    def opened() -> Rig:
        raise PortError("There is no rig.")

    rig = PushRig(opened)
    with pytest.raises(PortError, match="no rig"):
        rig.find()
    rig.close()


def test_a_rig_is_not_touched_before_it_is_looked_at() -> None:
    found: list[Rig] = []

    def opened() -> Rig:
        found.append(Rig(EmulatedPort()))
        return found[-1]

    rig = PushRig(opened)
    rig.stop()
    rig.close()
    assert not found


# The table


def test_the_level_goes_into_the_scene_and_is_reported(session: Session) -> None:
    level = tuple(math.radians(angle) for angle in (0.3, -0.6))
    state = RigState(RigStage.READY, tilt=(level[0], level[1]))
    session.rig_at(state)
    assert pushed_scene(session).table.tilt == pytest.approx(level)
    assert told(session)[-1] == "The table is out of level by 0.7°."
    session.rig_at(RigState(RigStage.READY, tilt=(level[0] + math.radians(0.1), level[1])))
    assert len(entries(session, "site")) == 1  # that is the sensor's noise
    session.push_by_hand()
    assert pushed_scene(session).table.tilt == pytest.approx(level)
    assert sum("out of level" in text for text in told(session)) == 1  # once, though what pushes is another now


def test_a_forecast_finds_its_row_though_the_table_was_moved(session: Session, tmp_path: Path) -> None:
    session.rig_at(RigState(RigStage.READY, tilt=(0.0, 0.02)))
    key = scene_key(pushed_scene(session))
    session.push_by_hand()
    hand = scene_key(pushed_scene(session))
    session.rig_at(RigState(RigStage.READY, tilt=(0.0, 0.0)))
    assert scene_key(pushed_scene(session)) == hand != key  # the row falls: it is judged as it stood
    session.play(TABLE, FallReport(True), by=0)
    session.rig_at(RigState(RigStage.READY, tilt=(0.0, 0.0)))
    session.close()
    resumed = resume_match(session.path, Tools(executor=Never()))
    row = resumed.history.scene_before(resumed.history.moves[-1])
    assert row is not None and scene_key(row) == hand and resumed.history.site == Site(is_tapped=True)
    resumed.close()


def test_a_light_tap_is_stronger_for_a_heavier_tile(session: Session) -> None:
    scene = pushed_scene(session)
    placed = Site(is_tapped=True).placed(scene)
    assert Site().placed(scene) is scene and placed.table == scene.table and placed.push == light_tap(scene)
    other = Scene(scene.line, scene.table, Finger(end="last" if scene.pushed == 0 else "first"))
    assert light_tap(other).impulse > light_tap(scene).impulse > 0
    assert light_tap(scene).height == pytest.approx(scene.line.standing()[scene.pushed].height * 2 / 3)


# In the terminal


def test_ctrl_c_stops_the_countdown(place: LooseRig, rigs: Callable[..., PushRig], session: Session) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    out = io.StringIO()
    RigPush(session, Terminal(out), rigs(countdown=NEVER), interrupt).push()
    assert told(session)[-1] == "The rig was stopped." and session.status is Status.ARMED and place.port.taps == 0


def test_a_match_in_the_terminal_with_a_rig_in_software(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPPLE_LANG", "en")
    monkeypatch.setattr("game.table.rig.PushRig.__init__.__kwdefaults__", {"countdown": SOON, "clock": time.monotonic})
    script = "stand 7\ncall\nfailure\nhelp\npush\nstood 7\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(script))
    options = ("--players", "Ann,Bob", "--rig", "emulated", "--seed", "7", "--option", "rounds=1", "--log", "m.topple")
    assert main(["play", "--text", *options]) == 0
    said = capsys.readouterr().out
    assert "Ann, let the rig push the row (push), or push it by hand and say so (hand):" in said
    assert "1 … (Ctrl-C stops)" in said and "Ann pushes the tile" in said
    log = read_log(tmp_path / "m.topple")
    assert log.header["table"] == "hand" and log.entries[-1].data["link"]["sent"] > 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rig", "emulated", "--table", "simulated"), "A rig pushes real tiles"),
        (("--rig", "/dev/none"), "There is no port /dev/none"),
    ],
)
def test_a_wrong_rig_is_refused(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPPLE_LANG", "en")
    assert main(["play", "--text", *options]) == InputError.exit_code
    assert said in capsys.readouterr().err


# The firmware itself


@pytest.fixture(scope="module")
def built() -> Built:
    return build()


def test_the_firmware_taps_and_a_pulled_cable_is_waited_for(built: Built, session: Session, tmp_path: Path) -> None:
    link = tmp_path / "rig"

    def opened() -> Rig:
        rig = Rig(SerialPort(str(link)))
        rig.map = emulated_map()
        return rig

    with Simulator(built, free=True, link=link) as simulator:
        rig = PushRig(opened, countdown=SOON)
        try:
            rig.find()
            simulator.unplug()
            until(session, rig, lambda state: state.stage is RigStage.FAULT)
            simulator.plug()
            until(session, rig, lambda state: state.stage is RigStage.READY)
            simulator.pulses()
            strokes: list[float] = []
            deadline = time.monotonic() + PATIENCE
            while (state := follow(session, rig)).stage is not RigStage.DONE:
                assert time.monotonic() < deadline, state
                if not state.can_stop:  # for the first time; or the machine was too slow for a tap
                    simulator.set_contact(False)
                    begin_push(session, rig)
                    push = pushed_scene(session).push
                found = [pulse.width * 1e6 for pulse in simulator.pulses() if pulse.channel == ARM]
                strokes += [width - 1000 for width in found if width > 1001]
                if strokes:
                    simulator.set_contact(True)  # the tile
            assert isinstance(push, Tap)
            assert strokes == pytest.approx([emulated_map().stroke_for(push.impulse)] * len(strokes), abs=1.0)
            assert session.asks_people
            session.play(TABLE, FallReport(True), by=0)
            assert session.result is not None
        finally:
            rig.close()
