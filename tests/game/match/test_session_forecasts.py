"""Forecasts of a match: every row has its own, none is waited for, hints are for those who asked."""

from __future__ import annotations

import random
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from game.core import TABLE
from game.games.evaluation.moves import Vote
from game.match.background import Tools
from game.match.forecasts import Forecasts, forecast_of
from game.match.session import new_match, resume_match
from game.match.steps import Status
from game.match.tabletop import scene_key, tabletop_of
from physics.errors import EngineError
from tests.game.played import Here, Never, again, kinds, random_play, setup, stand, status_of, to_push


def test_every_placement_has_its_forecast_and_no_move_waits_for_it(begin: Any) -> None:
    never = Never()
    session = begin(Tools(executor=never), options={"rounds": 3})
    began = time.monotonic()
    for value, seat in ((7, 0), (8, 1), (9, 2)):
        session.play(seat, stand(session, value))
        for other in {0, 1, 2} - {seat}:
            session.play(other, "pass")
    assert time.monotonic() - began < 5 and session.poll() == () and session.busy
    assert [fn for fn, _future in never.asked] == [forecast_of]  # one at a time
    session.close()
    with resume_match(session.path, Tools(executor=Here())) as resumed:
        told = resumed.finish()
        assert kinds(told) == ["forecast"] * 3 and not resumed.busy
        values = [each.entry.data["values"] for each in told]
        assert sorted(values) == [[6, 7], [6, 7, 8], [6, 7, 8, 9]] and values[0] == [6, 7, 8, 9]  # the newest first
        assert resumed.finish() == ()


def test_a_pushed_row_has_its_own_forecast_even_when_the_push_comes_first(begin: Any) -> None:
    never = Never()
    session = begin(Tools(executor=never), table="hand", options={"rounds": 3})
    session.play(0, stand(session, 8))  # its forecast is under way for ever
    session.play(1, "pass")
    session.play(2, "pass")
    session.play(1, stand(session, 9))
    session.play(2, "call")
    for seat in range(3):
        session.play(seat, Vote(seat != 2))
    scene = session.history.scene
    session.play(1, "push")
    session.play(TABLE, "stood", by=0)
    session.play(1, stand(session, 3))
    resumed = again(session)
    told = resumed.finish(pushed_only=True)
    assert [each.entry.data["values"] for each in told] == [[6, 8, 9]] and resumed.busy  # before the newer one
    forecast = resumed.history.forecasts[scene_key(scene)]
    assert forecast["probability"] == forecast_of(scene, 7, resumed.setup.engine)["probability"]
    resumed.close()


def test_forecasts_are_the_same_for_the_same_seed(begin: Any) -> None:
    logs = []
    for _ in range(2):
        session = begin()
        random_play(session, random.Random(5), 6)
        session.finish()
        logs.append([(entry.kind, entry.data) for entry in session.entries])
    assert logs[0] == logs[1] and any(kind == "forecast" for kind, _data in logs[0])


def test_own_workers_do_it_in_the_background(tmp_path: Path) -> None:
    with new_match(tmp_path / "match.topple", setup(options={"rounds": 3})) as session:
        to_push(session)
        session.play(0, "push")
        session.settle()
        assert status_of(session) is Status.SCORED
        session.finish()
        assert [entry.kind for entry in session.entries].count("forecast") == 1


def test_a_forecast_that_fails_is_said_and_made_again_later(begin: Any) -> None:
    class Broken(Here):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(EngineError("No workers."))
            return future

    session = begin(Tools(executor=Broken()))
    session.play(0, stand(session, 7))
    (told,) = session.finish()
    assert told.entry.data["failed"] == "No workers." and session.forecast() is None
    resumed = again(session)
    assert "probability" in resumed.finish()[0].entry.data
    resumed.close()


def test_hints_are_for_those_who_asked(begin: Any) -> None:
    for hints in (False, True):
        session = begin(hints=hints)
        assert session.forecast() is None
        session.play(0, stand(session, 7))
        session.finish()
        found = session.forecast()
        assert (found is not None) is hints
        if found is not None:
            assert found["probability"] > 0.9 and found["verdict"] == "falls"


def test_each_row_is_asked_for_once() -> None:
    tabletop = tabletop_of("evaluation")
    assert tabletop is not None
    game = setup().rules
    start = game.start(2, {}, 0)
    state = game.apply(start, 0, game.moves(start, 0)[0])[0]
    scene = tabletop.scene(state)
    assert scene is not None and tabletop.scene(start) is None
    wanted, never = Forecasts(0, "bullet"), Never()
    wanted.want(scene)
    wanted.want(scene)
    assert wanted.begin(never) is not None and wanted.begin(never) is None
    wanted.taken()
    assert not wanted.pending and wanted.begin(never) is None
