"""What is published of a match: what each may see, and nothing hidden."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from game.match.background import Tools
from game.match.history import LoggedEntry, MatchHistory
from game.match.publish import Public, Publisher, joined, public_header, published, view_after
from tests.game.played import NAMES, Never, random_play, stand, to_votes


def last_view(events: Sequence[Public]) -> Mapping[str, Any]:
    """What is known at the end of that stream."""
    view: Mapping[str, Any] = {}
    for _t, kind, data in events:
        if kind == "step":
            view = view_after(view, data)
    return view


def test_the_published_stream_shows_nothing_hidden(begin: Any) -> None:
    session = begin(options={"rounds": 2}, seed=987654321)
    assert "seed" not in public_header(session.setup) and public_header(session.setup)["seats"] == list(NAMES)
    to_votes(session)
    session.finish()  # the forecast is in the log
    session.play(2, "vote failure")
    streams = {seat: published(session.setup, session.entries, seat) for seat in (None, 0, 1, 2)}
    for seat, stream in streams.items():
        text = json.dumps(stream)
        assert "forecast" not in text and "probability" not in text and "987654321" not in text
        assert ("failure" in text) is (seat == 2)
    assert len(streams[None]) == len(streams[0]) == 4 and [len(event) for event in streams[None]] == [3] * 4
    session.play(0, "vote success")
    session.play(1, "vote success")
    assert "failure" in json.dumps(published(session.setup, session.entries, None))
    session.play(0, "push")
    assert "forecast" not in [kind for _t, kind, _data in published(session.setup, session.entries, None)]
    session.finish()
    stream = published(session.setup, session.entries, None)
    assert [kind for _t, kind, _data in stream][-3:] == ["forecast", "outcome", "step"]
    assert "987654321" not in json.dumps(stream)
    while session.result is None:
        random_play(session, random.Random(1))
    final = published(session.setup, session.entries, None)
    assert final[-1][1] in ("result", "forecast")
    assert [data["seed"] for _t, kind, data in final if kind == "result"] == [987654321]


@pytest.mark.usefixtures("quick")
def test_the_published_stream_only_grows_and_each_step_tells_all(begin: Any) -> None:
    session = begin(options={"rounds": 2})
    live = {seat: Publisher(session.setup, seat) for seat in (None, 0, 1, 2)}
    views = {seat: [session.view(seat)] for seat in live}
    history = MatchHistory(session.setup)

    def listen(told: LoggedEntry) -> None:
        history.take(told.entry)
        for publisher in live.values():
            before = list(publisher.events)
            fresh = publisher.feed(told.entry)
            views[publisher.seat] += [history.game.view(history.state, publisher.seat)] * len(fresh)
            assert publisher.events == [*before, *fresh]

    session.subscribe(listen)
    random_play(session, random.Random(8))
    session.finish()
    for seat, publisher in live.items():
        assert publisher.events == published(session.setup, session.entries, seat)
        assert last_view(json.loads(json.dumps(publisher.events))) == session.view(seat)
        for number, now in enumerate(views[seat]):
            assert last_view(publisher.events[: number + 1]) == now
            late = joined(publisher.events, number)
            assert late[0][1] == "step" and "view" in late[0][2] and last_view(late) == session.view(seat)
            assert late[1:] == publisher.events[max(1, number) :]


def test_with_hints_forecasts_are_published_at_once(begin: Any) -> None:
    session = begin(hints=True)
    session.play(0, stand(session, 7))
    session.finish()
    stream = published(session.setup, session.entries, 1)
    assert stream[-1][1] == "forecast" and "seed" not in stream[-1][2]


def test_an_undone_vote_stays_secret(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    to_votes(session)
    session.play(2, "vote failure")
    session.undo(2)
    for seat in (None, 0, 1):
        stream = published(session.setup, session.entries, seat)
        assert "failure" not in json.dumps(stream) and stream[-1][2]["undo"] == {"seat": 2}


@pytest.mark.usefixtures("quick")
def test_a_step_carries_only_what_changed(begin: Any) -> None:
    session = begin(options={"rounds": 2})
    random_play(session, random.Random(8))
    steps = [data for _t, kind, data in published(session.setup, session.entries, None) if kind == "step"]
    assert "view" in steps[0] and all("view" not in step for step in steps[1:])
    whole = len(json.dumps(session.view(None))) * len(steps)
    assert sum(len(json.dumps(step.get("changes", {}))) for step in steps) < whole / 3
