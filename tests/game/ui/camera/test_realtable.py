"""The place of the real table: what a camera and a rig tell is shown, logged and told, and nothing of it waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import words
from game.games.evaluation.moves import Call, Vote
from game.games.evaluation.window.asking import push_buttons, question
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.match_paint import dock_of
from game.games.evaluation.window.model import Act
from game.games.evaluation.window.placing import first_proposal
from game.games.evaluation.window.witness import Witness
from game.match.history import Setup, setup_in
from game.match.log import read_log
from game.match.ports import Difference, RigStage, RigState, SeenTile, Settle, TableSight
from game.match.publish import published
from game.match.reading import replayed
from game.match.steps import Status
from game.pictures.theme import TEXT_SIZES, WARM, sizes_for
from game.text.story import Story, difference_words
from game.ui.camera.picture import composed, fitted
from game.ui.camera.realtable import must_stop, settle_words
from game.ui.teller import TROUBLE
from game.ui.toolkit.layout import Rect, match_places
from game.ui.watches import Watches
from physics.scene import Push
from tests.game.games.evaluation.window.test_controller import FRAME
from tests.game.played import Never

PICTURE = np.full((48, 64, 3), 90, np.uint8)
SIZES = sizes_for(1280, 800, 1.0)
TILE = SeenTile(6, ((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)))


class Camera:
    """Sees what it is told to."""

    def __init__(self) -> None:
        self.sight = TableSight(1, PICTURE, (TILE,))

    def snapshot(self) -> TableSight:
        return self.sight

    def sees(self, settle: Settle = Settle.STILL, *differences: Difference) -> None:
        self.sight = replace(self.sight, number=self.sight.number + 1, settle=settle, differences=differences)


class Rig:
    """Is at what it is told to."""

    def __init__(self) -> None:
        self.state = RigState(RigStage.READY)
        self.stops = 0
        self.pushes: list[Push] = []

    def snapshot(self) -> RigState:
        return self.state

    def stop(self) -> None:
        self.stops += 1
        self.state = RigState(RigStage.STOPPED)

    def begin(self, push: Push) -> None:
        self.pushes.append(push)
        self.state = RigState(RigStage.COUNTING, 3.0)

    def again(self) -> None:
        self.state = RigState(RigStage.READY)


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def match(camera: Camera, rig: Rig, tmp_path: Path) -> Iterator[Controller]:
    words.use("en")
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="hand")
    controller = Controller.begin(tmp_path / "m.topple", setup, Never(), watches=Watches(camera, rig))
    yield controller
    controller.close()


def frame(controller: Controller) -> list[str]:
    return [line for happening in controller.update(FRAME) for line in happening.sentences]


def kinds(controller: Controller) -> list[str]:
    return [entry.kind for entry in read_log(controller.session.path).entries]


def to_push(controller: Controller) -> None:
    assert controller.place(first_proposal(controller.screen().row, 7))
    assert controller.call(1) and controller.vote(1, False)
    while controller.screen().asked != 0:
        controller.update(FRAME)
        controller.go_on()


def test_without_watches_there_is_nothing_to_show(tmp_path: Path) -> None:
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1}, table="hand")
    controller = Controller.begin(tmp_path / "m.topple", setup, Never())
    controller.update(FRAME)
    assert controller.screen().real is None and not must_stop(None)
    controller.stop_rig()
    controller.close()


def test_the_table_and_the_game_disagree(match: Controller, camera: Camera) -> None:
    assert frame(match) == [] and match.screen().status is Status.WAITING
    assert kinds(match) == []  # as long as all is well there is nothing to log
    to_push(match)
    camera.sees(Settle.HANDS)
    frame(match)
    assert match.screen().status is Status.SETTLING
    camera.sees(Settle.STILL, Difference("moved", 7, 6.2), Difference("missing", 6))
    assert frame(match) == [
        "The table and the game disagree.",
        "The tile 7 stands 6 mm away from its place.",
        "The tile 6 is not seen in the row.",
    ]
    screen = match.screen()
    assert screen.status is Status.DISAGREE and screen.real is not None and screen.real.sight is camera.sight
    assert not match.push()
    assert [each.kind for each in match.update(FRAME)] == [TROUBLE]
    before = len(kinds(match))
    for _ in range(5):  # the same again is not logged again
        frame(match)
    assert len(kinds(match)) == before
    camera.sees(Settle.MOVING)
    assert frame(match) == []
    camera.sees()
    assert frame(match) == ["The table and the game agree again."]
    assert match.screen().status is Status.ARMED and match.push()


def test_the_rig_counts_and_is_stopped(match: Controller, rig: Rig) -> None:
    to_push(match)
    frame(match)
    assert match.push() and len(rig.pushes) == 1
    assert frame(match) == ["The rig is about to push the row: hands away from the table."]
    assert must_stop(match.screen().real)
    rig.state = RigState(RigStage.COUNTING, 1.1)
    assert frame(match) == []
    match.stop_rig()
    assert rig.stops == 1 and frame(match) == ["The rig was stopped."] and not must_stop(match.screen().real)
    assert match.screen().asked == 0 and match.screen().status is Status.ARMED
    rig.state = RigState(RigStage.FAULT, trouble="no power")
    assert frame(match) == ["The rig cannot push: no power"]
    shown = match.screen()
    assert question(shown, Witness()).startswith("The rig cannot push: no power")
    names = [each.name for each in push_buttons(dock_of(match_places(1280, 800, SIZES, 2), SIZES), SIZES, shown)]
    assert names == ["push", "pushhand"]
    assert match.push_by_hand() and match.screen().act is Act.WITNESS
    assert frame(match) == ["Ann pushes the tile 6 at the left end.", "The rig is ready again."]


def test_what_the_rig_has_pushed_is_pushed(match: Controller, rig: Rig) -> None:
    to_push(match)
    match.push()
    frame(match)
    rig.state = RigState(RigStage.DONE)
    assert frame(match) == ["Ann pushes the tile 6 at the left end."]
    assert match.screen().act is Act.WITNESS and rig.state.stage is RigStage.READY


def test_leaving_in_the_countdown_stops_the_rig(match: Controller, rig: Rig) -> None:
    to_push(match)
    match.push()
    frame(match)
    match.close()
    assert rig.stops == 1


def test_a_person_lets_the_rig_push_for_a_bot(rig: Rig, tmp_path: Path) -> None:
    setup = Setup("evaluation", ("bot:weak", "Bob"), 7, {"rounds": 1}, table="hand")
    controller = Controller.begin(tmp_path / "m.topple", setup, Never(), watches=Watches(rig=rig))
    session = controller.session
    session.play(0, first_proposal(controller.screen().row, 7).stand)
    session.play(1, Call())
    session.play(0, Vote(True))
    session.play(1, Vote(False))
    while controller.screen().act is not Act.ARMED:
        controller.update(FRAME)
        controller.go_on()
    for _ in range(5):
        controller.update(1.0)
    assert controller.screen().asked == 1 and controller.push() and len(rig.pushes) == 1
    controller.close()


def test_at_a_simulated_table_there_is_no_rig(rig: Rig, tmp_path: Path) -> None:
    setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1})
    controller = Controller.begin(tmp_path / "m.topple", setup, Never(), watches=Watches(rig=rig))
    controller.update(FRAME)
    assert controller.screen().rig is None
    controller.close()


def test_the_log_holds_it_and_tells_it_again(match: Controller, camera: Camera, rig: Rig) -> None:
    camera.sees(Settle.STILL, Difference("extra"))
    said = frame(match)
    camera.sees()
    rig.state = RigState(RigStage.COUNTING, 3.0)
    said += frame(match)
    assert kinds(match) == ["sight", "sight", "rig"]
    recording = read_log(match.session.path)
    setup = setup_in(recording.header, "header")
    replayed(setup, recording.entries, "log")
    told = [text for _t, text in Story(setup).tell(published(setup, recording.entries, None))]
    assert told == said and len(told) == 4


@pytest.mark.parametrize("kind", ["missing", "extra", "moved", "turned", "stance"])
def test_every_difference_has_words(kind: str) -> None:
    for language in ("en", "uk", "ru"):
        words.use(language)
        said = difference_words(Difference(kind, 8, 12.0))
        assert "8" in said and "{" not in said
    words.use("en")
    assert len({settle_words(settle) for settle in Settle}) == len(Settle)


def test_tiles_are_drawn_over_the_picture() -> None:
    sight = TableSight(1, PICTURE, (TILE, replace(TILE, value=8, is_sure=False)))
    made = np.asarray(composed(sight, WARM))
    assert made.shape == PICTURE.shape
    assert (made[12, 30] != 90).any() and (made[2, 2] == 90).all()
    assert (PICTURE == 90).all()  # the camera's own picture stays as it is
    large = TableSight(2, np.zeros((2000, 4000, 3), np.uint8))
    assert composed(large, WARM).width < 2000


@given(st.floats(50, 2000), st.floats(50, 2000))
def test_the_picture_fits_its_room(width: float, height: float) -> None:
    room = Rect(10, 20, width, height)
    place = fitted(TableSight(1, PICTURE), room)
    assert place.inside(room) and place.width / place.height == pytest.approx(64 / 48)


@pytest.mark.parametrize("size", [(960, 640), (1280, 800), (2560, 1440)])
@pytest.mark.parametrize("letters", TEXT_SIZES)
def test_the_camera_has_room_beside_the_table(size: tuple[int, int], letters: float) -> None:
    sizes = sizes_for(*size, letters)
    places = match_places(*size, sizes, 5, tools=5, coached=True, camera=True)
    assert not places.camera.overlaps(places.view) and not places.camera.overlaps(places.coach)
    assert not any(tool.overlaps(places.camera) for tool in places.tools)
    assert places.camera.width > 0.3 * size[0] and places.view.width > 0.5 * size[0]
    assert places.aside.inside(places.view)
