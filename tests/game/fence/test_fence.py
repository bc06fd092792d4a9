"""Another game at the real table: followed by a camera, pushed by a hand or by a rig, and shown where there is none."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from game import catalogue
from game.cli import main
from game.core import RuleError
from game.match.background import Tools
from game.match.history import Setup
from game.match.ports import RigStage
from game.match.rig_control import begin_push, follow
from game.match.session import Session, new_match
from game.match.steps import Status
from game.match.turns import tell_sight
from game.table.follow import SpokenCommands, TableMatch
from game.table.news import News
from game.table.rig import PushRig
from game.table.synthetic import SyntheticTable
from game.text.lines import LineInput
from physics.line import Placement
from tests.game.fence.rules import FIRST, SET, Lies, Post, Shove, Slip
from tests.game.fence.table import HANDS
from tests.game.played import Never
from tests.game.table.painted_table import PaintedTable, fallen, tile_at
from tests.hardware.simulated.loose_rig import LooseRig
from vision.camera.frames import CameraFrame, Ended, Item

POSTS = [Placement(value, 0.02 * (value - 1), 0.001 * (value % 2 - 1)) for value in (1, 2, 3, 4)]


@pytest.fixture(autouse=True)
def _fence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "GAMES", {**catalogue.GAMES, "fence": "tests.game.fence"})


@pytest.fixture
def table() -> Iterator[PaintedTable]:
    made = PaintedTable((tile_at(FIRST),), tile_set=SET)
    yield made
    made.camera.close()


@pytest.fixture
def session(table: PaintedTable, tmp_path: Path) -> Iterator[Session]:
    setup = Setup("fence", ("Ann", "Ben"), 1, {}, table="camera")
    with new_match(tmp_path / "m.topple", setup, Tools(executor=Never(), judge=table.camera)) as made:
        yield made


def film(table: PaintedTable, session: Session, frames: Iterable[CameraFrame]) -> None:
    for frame in frames:
        table.camera.eye.take(frame)
        table.camera.act(session)
        tell_sight(session, table.camera.snapshot())


def build(table: PaintedTable, session: Session, count: int = 4) -> None:
    film(table, session, table.calm())
    for post in POSTS[1:count]:
        film(table, session, table.hand(*table.tiles, tile_at(post)))
    assert [tile.value for tile in session.state.row] == [1, 2, 3, 4][:count]


def test_hands_play_it_and_the_camera_judges(table: PaintedTable, session: Session) -> None:
    build(table, session)
    assert session.status is Status.ARMED
    film(table, session, table.hand(*map(fallen, table.tiles)))
    session.settle()
    moves = [made.move for made in session.history.moves]
    assert [type(move) for move in moves] == [Post, Post, Post, Shove, Lies] and moves[-1] == Lies(True)
    assert session.result is not None and session.result.winners == (0,)


def test_a_fence_that_is_knocked_over_is_an_accident(table: PaintedTable, session: Session) -> None:
    build(table, session, 3)
    film(table, session, table.hand(*map(fallen, table.tiles)))
    assert session.history.moves[-1].move == Slip(0)
    assert session.result is not None and session.result.winners == (1,)


def test_its_own_rules_refuse_a_place(table: PaintedTable, session: Session) -> None:
    film(table, session, table.calm())
    with pytest.raises(RuleError, match="allowed is 10 to 32"):
        film(table, session, table.hand(*table.tiles, tile_at(replace(POSTS[1], x=0.06))))
    assert [each.kind for each in table.camera.snapshot().differences] == ["extra"]


def test_a_tile_is_corrected(table: PaintedTable, session: Session) -> None:
    build(table, session, 2)
    table.camera.drag(session, 2, (0.0, 0.01))
    assert session.state.row[-1].y < POSTS[1].y - 0.002


def test_a_rig_pushes_it(table: PaintedTable, session: Session) -> None:
    build(table, session)
    place = LooseRig()
    rig = PushRig(place.open_rig, countdown=0.1)
    try:
        rig.find()
        begin_push(session, rig)
        while follow(session, rig).stage is not RigStage.READY:
            pass
    finally:
        rig.close()
    assert place.port.taps == 1 and session.status is Status.FALLING


class Given:
    """Gives what it has, then ends."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items

    def poll(self, wait: float) -> Item | None:
        return next(self._items, Ended())


def test_watch_tells_of_it(table: PaintedTable, session: Session) -> None:
    def items() -> Iterator[Item]:
        yield from table.calm()
        for post in POSTS[1:]:
            yield from table.hand(*table.tiles, tile_at(post))
        yield from table.hand(*map(fallen, table.tiles))

    told: list[str] = []
    said = SpokenCommands(LineInput(io.StringIO("")), waits=True)
    TableMatch(table.camera, News(as_json=True, out=told.append), session, said).run(Given(items()))  # type: ignore[arg-type]
    lines = [json.loads(line) for line in told]
    assert [line["kind"] for line in lines if line["event"] == "game"] == ["stood"] * 3 + ["pushed", "over"]
    assert lines[-1]["event"] == "result" and lines[-1]["winners"] == [0]


def test_a_synthetic_table_shows_it() -> None:
    taken = next(SyntheticTable(HANDS, in_game=True).pictures())
    assert isinstance(taken, tuple)
    still = SyntheticTable(HANDS, in_game=True)
    still.stand_row()
    *_before, row = (each for each in islice(still.pictures(), 8) if isinstance(each, tuple))
    assert np.abs(row[1].astype(float) - taken[1]).mean() > 1  # three posts more, or the hand that brings them


def test_a_rig_is_no_reason_to_refuse_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.commands.choosing.GAMES", catalogue.GAMES)
    assert main(["play", "--text", "--game", "fence", "--rig", "emulated", "--players", "Ann,Ben"]) == 2
    assert "cannot be played by people in a terminal" in capsys.readouterr().err
