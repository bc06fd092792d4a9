"""A camera and a rig at one table: the rig taps the row once, and the camera says what fell."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from game import words
from game.core import TABLE, RuleError
from game.games.evaluation.hands import HANDS
from game.games.evaluation.moves import Call, FallReport, Push, Vote
from game.games.evaluation.window.placing import first_proposal
from game.match.background import Tools
from game.match.history import Setup, checked_setup
from game.match.judge import Simulated
from game.match.ports import Settle
from game.match.rig_control import begin_push, follow
from game.match.session import Session, new_match
from game.match.steps import Status
from game.match.turns import tell_sight
from game.table.camera import TableCamera
from game.table.rig import PushRig
from game.table.source import CameraTable
from physics.engines import default_engine
from physics.errors import InputError, ToppleError
from physics.outcome import Fate
from physics.scene import Tap
from tests.game.played import Never
from tests.game.table.built_rows import START
from tests.game.table.painted_table import PaintedTable, fallen, tile_at
from tests.game.table.test_camera import begin, film
from tests.hardware.simulated.loose_rig import LooseRig
from vision.camera.frames import Lost

PATIENCE = 600.0  # s; only so that a hung test ends
SOON = 0.1  # s of countdown
SIZE = (640, 480)  # px of a picture that is painted quickly and can still be read


@pytest.fixture(autouse=True)
def english() -> None:
    words.use("en")


@pytest.fixture
def place() -> LooseRig:
    return LooseRig()


@pytest.fixture
def rig(place: LooseRig) -> Iterator[PushRig]:
    made = PushRig(place.open_rig, countdown=SOON)
    made.find()
    yield made
    made.close()


def match_with(camera: TableCamera, path: Path) -> Session:
    setup = checked_setup(Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="camera"))
    return new_match(path, setup, Tools(executor=Never(), judge=camera))


def until(session: Session, camera: TableCamera, rig: PushRig, is_so: Callable[[], object]) -> None:
    """Frame after frame, as the window has it."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, (session.status, camera.snapshot())
        camera.act(session)
        tell_sight(session, camera.snapshot())
        follow(session, rig)
        session.poll()
        time.sleep(0.02)


def stages(session: Session) -> list[str]:
    return [entry.data["stage"] for entry in session.entries if entry.kind == "rig"]


@pytest.mark.slow
def test_a_round_that_a_rig_pushes_and_a_camera_judges(
    place: LooseRig, rig: PushRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.table.synthetic.SIZE", SIZE)
    monkeypatch.setattr("game.table.synthetic.MOMENTS", 2)
    camera = CameraTable("synthetic", hands=HANDS, in_game=True).begin()
    with match_with(camera, tmp_path / "m.topple") as session:
        try:
            until(session, camera, rig, lambda: camera.eye.view.is_calm)
            session.play(0, first_proposal(session.state.row, 7).stand)
            until(session, camera, rig, lambda: {tile.value for tile in camera.eye.view.tiles} == {6, 7})
            session.play(1, Call())
            session.play(0, Vote(True))
            session.play(1, Vote(False))
            until(session, camera, rig, lambda: session.status is Status.ARMED)
            begin_push(session, rig)
            until(session, camera, rig, lambda: session.status is Status.FALLING)
            scene = session.history.scene
            assert scene is not None and isinstance(scene.push, Tap) and not session.asks_people
            until(session, camera, rig, lambda: session.result is not None)
        finally:
            camera.close()
    (outcome,) = (entry.data for entry in session.entries if entry.kind == "outcome")
    truth = Simulated(default_engine()).judge(scene)
    assert truth.fates == (Fate.FALLEN, Fate.FALLEN)
    assert outcome["judge"] == "camera" and outcome["fates"] == [fate.value for fate in truth.fates]
    assert session.history.moves[-1].move == FallReport(True)
    assert session.result is not None and session.result.winners == (0,)
    assert session.state.chips[0] > session.state.chips[1]
    pushes = [made.seat for made in session.history.moves if isinstance(made.move, Push)]
    assert place.port.taps == 1 and pushes == [0]
    assert stages(session)[:4] == ["counting", "pushing", "done", "ready"]


def to_tap(table: PaintedTable, session: Session, rig: PushRig) -> None:
    """One calls, one believes it; the rig begins to push."""
    begin(table, session)
    session.play(0, Call())
    session.play(1, Vote(True))
    session.play(0, Vote(False))
    film(table, session, table.calm(0.3))
    begin_push(session, rig)


def test_a_camera_that_goes_away_after_the_tap(place: LooseRig, rig: PushRig, tmp_path: Path) -> None:
    table = PaintedTable((tile_at(START.row[0]),))
    camera = table.camera
    with match_with(camera, tmp_path / "m.topple") as session:
        to_tap(table, session, rig)
        until(session, camera, rig, lambda: session.status is Status.FALLING)
        camera.eye.take(Lost(InputError("Camera 0 gives no pictures any more: is it still plugged in?")))
        with pytest.raises(ToppleError, match="does not see the table any more: please say what fell"):
            session.settle()
        sight = camera.snapshot()
        assert sight.settle is Settle.LOST and "still plugged in" in sight.trouble and session.asks_people
        session.play(TABLE, FallReport(True), by=0)
        assert session.state.chips == (0, 1) and place.port.taps == 1
    camera.close()


def test_a_row_that_falls_as_the_rig_taps_is_pushed_once(place: LooseRig, rig: PushRig, tmp_path: Path) -> None:
    """The camera may see the fall before the rig has told that it tapped."""
    table = PaintedTable((tile_at(START.row[0]),))
    with match_with(table.camera, tmp_path / "m.topple") as session:
        to_tap(table, session, rig)
        film(table, session, table.hand(*map(fallen, table.tiles)))
        session.settle()
        until(session, table.camera, rig, lambda: not follow(session, rig).can_stop)
        assert session.state.chips == (0, 1) and place.port.taps <= 1
        assert [made.seat for made in session.history.moves if isinstance(made.move, Push)] == [1]
        with pytest.raises(RuleError):
            begin_push(session, rig)
    table.camera.close()
