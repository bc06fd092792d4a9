"""Logs that contradict the rules, or themselves: refused with line and reason, whatever their sums say."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from game.core import TABLE, RuleError
from game.film.film import film_of
from game.match import history as match_module
from game.match.background import Tools
from game.match.forecasts import forecast_data
from game.match.history import MAX_APPLIED, MatchHistory, checked_setup
from game.match.log import Log, read_log
from game.match.publish import published
from game.match.reading import read_match
from game.match.session import Session
from game.match.steps import Step, pushed, reported
from game.match.tabletop import scene_key
from game.text.retold import retold
from physics.errors import SceneError, ToppleError
from physics.predict import summed_up
from physics.surrogate import Share, plain
from tests.game.played import Here, Never, again, made_up_forecast, random_play, setup, stand, to_push

Entry = tuple[float, str, dict[str, Any]]
KEY = "0123456789abcdef"
PLACED = "stand 7 at 20 0 yaw 0 upright last"


def written(path: Path, header: dict[str, Any], entries: Sequence[Entry]) -> Path:
    """A file of those entries with sums that are right."""
    path.unlink(missing_ok=True)
    with Log.create(path, header) as log:
        log.append(*entries)
    return path


def entries_of(session: Session) -> list[Entry]:
    session.close()
    return [(entry.t, entry.kind, json.loads(json.dumps(entry.data))) for entry in read_log(session.path).entries]


def refused(session: Session, *forged: tuple[str, dict[str, Any]]) -> str:
    """Why the session's log is refused with those entries behind it."""
    session.close()
    before = len(read_log(session.path).entries)
    with Log.open(session.path)[0] as log:
        log.append(*((1e3, kind, data) for kind, data in forged))
    with pytest.raises(SceneError) as error:
        read_match(session.path)
    where, _, reason = str(error.value).partition(": ")
    assert where == f"{session.path}:{before + len(forged) + 1}"
    return reason


def fallen(begin: Any, **changes: Any) -> tuple[Session, list[Entry]]:
    """A match of one round after its push, whose last two entries are the fall and what the table says of it."""
    session = begin(Tools(executor=Never() if changes else Here()), **{"options": {"rounds": 3}, **changes})
    to_push(session)
    session.play(0, "push")
    session.settle()
    if changes:
        session.play(TABLE, "fell", by=1)
    entries = [entry for entry in entries_of(session) if entry[1] != "forecast"]
    return session, entries[: [kind for _t, kind, _data in entries].index("outcome") + 2]


# Results


def test_a_result_before_the_end_is_refused(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    reason = refused(session, ("result", {"scores": [9, 0, 0], "winners": [0]}))
    assert reason == "The match is not over: it has no result yet."


@pytest.mark.usefixtures("quick")
def test_another_result_than_the_rules_give_is_refused(begin: Any, tmp_path: Path) -> None:
    session = begin()
    random_play(session, random.Random(3))
    session.finish()
    entries = entries_of(session)
    at = [kind for _t, kind, _data in entries].index("result")
    data = entries[at][2]
    for forged, reason in (
        ({**data, "scores": [score + 1 for score in data["scores"]]}, "scores is"),
        ({**data, "winners": [seat for seat in range(3) if seat not in data["winners"]]}, "winners is"),
        ({**data, "winners": [7]}, "winners cannot be"),
    ):
        path = written(tmp_path / "m.topple", session.setup.header(), [*entries[:at], (1e3, "result", forged)])
        with pytest.raises(SceneError, match=rf"m\.topple:{at + 2}: {reason}"):
            read_match(path)
    twice = written(tmp_path / "m.topple", session.setup.header(), [*entries, (1e3, "result", data)])
    with pytest.raises(SceneError, match="has its result already"):
        read_match(twice)


# Undo and corrections


def test_only_ones_own_last_move_is_taken_back(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    assert refused(session, ("undo", {"seat": 1, "of": 1})) == "Seat 1 has no move to take back."


def test_an_undo_of_another_move_than_the_last_is_refused(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")
    assert "of is 2, but according to the match it is 3" in refused(session, ("undo", {"seat": 2, "of": 2}))


def test_a_revealed_vote_is_not_taken_back(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    to_push(session)
    vote = session.history.moves[-1]
    reason = refused(session, ("undo", {"seat": vote.seat, "of": vote.number}))
    assert reason == "The move cannot be taken back: somebody has learnt from it."


def test_nothing_is_corrected_at_a_simulated_table(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    other = session.game.write(stand(session, 7, 0.03))
    assert "not a real one" in refused(session, ("correction", {"seat": 0, "of": 1, "move": other}))


# Falls


def test_what_fell_needs_its_fall(begin: Any, tmp_path: Path) -> None:
    session, entries = fallen(begin)
    *before, fall, found = entries
    header = session.setup.header()
    read_match(written(tmp_path / "m.topple", header, entries))
    for forged, reason in (
        ([*before, found], "It says what fell, but the fall itself is missing"),
        ([*before, fall, (1e3, "move", {"seat": TABLE, "move": "stood 7"})], "move is 'stood 7', but according to"),
        ([*before, (1e3, "outcome", {**fall[2], "move": "stood 7"})], "move is 'stood 7', but according to"),
        ([*before, (1e3, "outcome", {**fall[2], "scene": KEY})], "No such row was pushed"),
        ([*before[:-1], fall], "No such row was pushed"),
        ([*before, (1e3, "outcome", {**fall[2], "all_fell": not fall[2]["all_fell"]})], "all_fell is"),
    ):
        path = written(tmp_path / "m.topple", header, forged)
        with pytest.raises(SceneError, match=rf"m\.topple:{len(forged) + 1}: {reason}"):
            read_match(path)


def test_what_people_say_fell_is_said_by_who_said_the_fall(begin: Any, tmp_path: Path) -> None:
    session, entries = fallen(begin, table="hand")
    (t, kind, data) = entries[-1]
    read_match(written(tmp_path / "m.topple", session.setup.header(), entries))
    forged = [*entries[:-1], (t, kind, {**data, "by": 2})]
    with pytest.raises(SceneError, match="by is 2, but according to the match it is 1"):
        read_match(written(tmp_path / "m.topple", session.setup.header(), forged))


def test_a_tile_corrected_while_its_row_falls(begin: Any, tmp_path: Path) -> None:
    """A camera may find what fell of a row as it was pushed after a person has corrected how it stood."""
    session = begin(Tools(executor=Never()), table="hand")
    to_push(session)
    session.play(0, "push")
    as_pushed = reported(session.history, session.game.read("fell"), None)
    placed = session.history.moves[0]
    there = placed.move.placement
    session.correct(0, placed.number, replace(placed.move, placement=replace(there, x=there.x + 1e-3)))
    entries = [*entries_of(session), *((1e3, step.kind, dict(step.data)) for step in as_pushed)]
    history = read_match(written(tmp_path / "m.topple", session.setup.header(), entries)).history
    assert [history.game.write(made.move) for made in history.moves][-1] == "fell"


def test_an_accident_needs_a_clumsy_hand(begin: Any) -> None:
    session = begin(Tools(executor=Never()), clumsy=True)
    session.play(0, stand(session, 7))
    reason = refused(session, ("move", {"seat": TABLE, "move": "accident 1"}))
    assert reason == "No clumsy hand has knocked the row over."


# Forecasts


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_every_forecast_that_runs_can_give_is_read(begin: Any, tmp_path: Path, confidence: float) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    row = session.history.scene
    entries = entries_of(session)
    about = Share(0.5, 0)
    for runs in (32, 48, 400):
        falls = np.zeros((runs, len(row.line)), dtype=np.bool_)
        for fell in range(runs + 1):
            falls[:fell] = True
            falls[fell:, row.pushed] = True
            for about in (plain(np.asarray(falls.all(axis=1))), Share(fell / runs, runs * 1.7)):
                made = forecast_data(row, summed_up(row, falls, about, confidence, "bullet", 7, 0.0))
                entries.append((1e3, "forecast", made))
    assert about.probability == 1
    path = written(tmp_path / "m.topple", session.setup.header(), entries)
    assert read_match(path).history.forecasts[scene_key(row)]["probability"] == 1


def test_a_forecast_of_a_row_between_later_moves_that_were_corrected(begin: Any, tmp_path: Path) -> None:
    """A resumed match forecasts every row that stood, and by then another correction may have come."""
    session = begin(Tools(executor=Never()), table="hand")
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")
    session.play(1, stand(session, 8))
    first = session.history.moves[0]
    between = []
    for by in (1e-3, 2e-3):
        there = replace(first.move.placement, x=first.move.placement.x + by)
        session.correct(0, first.number, replace(first.move, placement=there))
        between.append(session.history.scene_before(session.history.moves[1]))
    forecasts = [(1e3, "forecast", made_up_forecast(row, 7, "bullet")) for row in between]
    path = written(tmp_path / "m.topple", session.setup.header(), [*entries_of(session), *forecasts])
    assert len(read_match(path).history.forecasts) == 2


# Values that cannot be


def test_values_that_no_match_writes(begin: Any, tmp_path: Path) -> None:
    session, entries = fallen(begin)
    *before, (t, kind, fall), _found = entries
    tile = fall["tiles"][0]
    row = read_match(written(tmp_path / "m.topple", session.setup.header(), before)).history.scene
    assert row is not None
    guess = made_up_forecast(row, 7, "bullet")
    ok = {"stage": "ready", "trouble": ""}
    wrong: list[tuple[str, dict[str, Any], str]] = [
        (kind, {**fall, "tiles": [tile] * 200_000}, "200000 tiles; allowed are 1 to 5000"),
        (kind, {**fall, "tiles": [{**tile, "value": "\x1b[31m"}, *fall["tiles"][1:]]}, "tiles.value is"),
        (kind, {**fall, "tiles": [{**tile, "x": 1e300}, *fall["tiles"][1:]]}, "tiles.x is 1e"),
        (kind, {**fall, "fates": ["fallen"]}, "fates cannot be"),
        (kind, {**fall, "frames": [[0.0, [[1] * 7]]]}, "frames cannot be"),
        (kind, {**fall, "frames": [[5.0, fall["frames"][0][1]], [4.0, fall["frames"][0][1]]]}, "frames cannot be"),
        (kind, {**fall, "fell_at": [-1.0, 0.0]}, "fell_at cannot be"),
        (kind, {**fall, "more": 1}, "more is not known here"),
        ("knocked", {**{key: fall[key] for key in fall if key != "move"}, "seat": -1}, "seat is -1"),
        ("forecast", {**guess, "probability": 7.5}, "probability is 7.5"),
        ("forecast", {**guess, "interval": [0.2, 1e308]}, "interval is 1e"),
        ("forecast", {**guess, "interval": [0.9, 0.2]}, "interval cannot be"),
        ("forecast", {**guess, "interval": [0.4, 0.45]}, "sampling is 0.25"),
        ("forecast", {**guess, "sampling": [0.6, 0.7]}, "probability is 0.5"),
        ("forecast", {**guess, "sampling": [0.2, 0.7]}, "sampling is 0.2"),
        ("forecast", {**guess, "verdict": "falls"}, "verdict is"),
        ("forecast", {**guess, "confidence": 0}, "confidence is 0"),
        ("forecast", {**guess, "confidence": 1.0}, "confidence is 1"),
        ("forecast", {**guess, "tile_falls": [0.5, 0.1]}, "tile_falls"),
        ("forecast", {**guess, "scene": KEY}, "No such row stood"),
        ("forecast", {"scene": KEY, "failed": "no memory"}, "No such row stood"),
        ("forecast", {**guess, "pushed": 1 - guess["pushed"]}, "pushed is"),
        ("forecast", {**guess, "values": ["\x07", 7]}, "values cannot be"),
        ("forecast", {**guess, "values": [5, 6]}, r"values is \[5, 6\], but according to the match"),
        ("forecast", {**guess, "weakest_at": 1}, "weakest_at cannot be"),
        ("rig", {**ok, "stage": "counting"}, "The simulated table is level, and no rig pushes"),
        ("sight", {"sight": "agrees", "differences": []}, "No camera looks at the simulated table"),
        ("rig", {**ok, "trouble": "\x1b]0;x\x07"}, "trouble cannot be"),
        ("rig", {**ok, "trouble": "left\u202eright"}, "trouble cannot be"),
        ("rig", {**ok, "stage": "asleep"}, "stage is 'asleep'"),
        ("rig", {**ok, "link": {"sent": "x"}}, "link cannot be"),
        (
            "sight",
            {"sight": "differs", "differences": [{"kind": "moved", "value": "\x1b", "by": 1}]},
            "value cannot be",
        ),
        ("sight", {"sight": "differs", "differences": [{"kind": "gone", "value": 7, "by": 1}]}, "kind is"),
        ("site", {"tilt": [0.0, 91.0], "tapped": True}, "tilt is 91"),
        ("site", {"tilt": [0.0, 1.0], "tapped": True}, "The simulated table is level"),
        ("move", {"seat": 0, "move": "pass", "by": 1}, "by is 1, but another player can speak"),
        ("undo", {"seat": True, "of": 1}, "seat is true"),
    ]
    for kind, data, reason in wrong:
        path = written(tmp_path / "m.topple", session.setup.header(), [*before, (t, kind, data)])
        with pytest.raises(SceneError, match=rf"m\.topple:{len(before) + 2}: (differences\.)?{reason}"):
            read_match(path)


@pytest.mark.parametrize("t", [-1.0, 1e308, 10**400])
def test_times_that_cannot_be(tmp_path: Path, t: float) -> None:
    path = written(tmp_path / "m.topple", checked_setup(setup()).header(), [(t, "new", {})])
    with pytest.raises(SceneError, match=r"m\.topple:2: (the time is|this is not an event)"):
        read_match(path)


def test_time_never_goes_back(tmp_path: Path) -> None:
    path = written(tmp_path / "m.topple", checked_setup(setup()).header(), [(5.0, "new", {}), (4.0, "new", {})])
    with pytest.raises(SceneError, match=r"m\.topple:3: the time is 4\.0 s, but must be from 5 s"):
        read_match(path)


# How long it takes


def test_a_thousand_corrections_are_read_or_refused_at_once(tmp_path: Path) -> None:
    begun = checked_setup(setup(names=("Ann", "Bob"), table="hand", options={"rounds": 20}))
    history = MatchHistory(begun)
    path = tmp_path / "m.topple"
    with Log.create(path, begun.header()) as log:

        def write(*new: Step) -> int:
            entries = log.append(*((1.0, step.kind, dict(step.data)) for step in new))
            for entry in entries:
                history.take(entry)
            return entries[-1].number

        found = 0
        for _round in range(12):
            seat = history.state.active
            moves = (seat, PLACED), (1 - seat, "call"), (seat, "vote success"), (1 - seat, "vote failure")
            write(*(Step("move", {"seat": each, "move": text}) for each, text in moves))
            write(pushed(history))
            last = write(*reported(history, history.game.read("fell"), None))
            found = found or last
        count = len(history.moves)
        texts = ("fell", "stood 7")
        log.append(*((1.0, "correction", {"seat": 0, "of": found, "move": texts[k % 2]}) for k in range(1000)))
    begun_at = time.perf_counter()
    with pytest.raises(SceneError, match="A match has at most") as refusal:
        read_match(path)
    assert time.perf_counter() - begun_at < 10  # 69 s when nothing was refused; now a fraction of one
    line = int(str(refusal.value).removeprefix(f"{path}:").partition(":")[0])
    assert (line - count) * count > MAX_APPLIED * 0.8  # not before there was much to do


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("tell", [retold, film_of])
def test_no_move_is_made_twice_to_tell_a_match(begin: Any, tell: Any) -> None:
    session = begin()
    random_play(session, random.Random(4))
    session.finish()
    session.close()
    game = type(session.game)
    with patch.object(game, "apply", autospec=True, side_effect=game.apply) as applied:
        tell(session.path)
    assert applied.call_count == len(session.history.moves)


def test_a_match_that_is_too_long_to_be_read_is_not_written(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin(Tools(executor=Never()))
    monkeypatch.setattr(match_module, "MAX_APPLIED", 4)
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.undo(1)
    session.play(1, "pass")
    before = session.path.read_bytes()
    with pytest.raises(RuleError, match="A match has at most 4 moves"):
        session.play(2, "pass")
    assert session.path.read_bytes() == before
    assert again(session).state == session.state


# Whatever else a file may say


@pytest.mark.usefixtures("quick")
def test_no_changed_value_is_more_than_a_sentence(begin: Any, tmp_path: Path) -> None:
    """Values changed at random under sums that are right: a match or a refusal, and whatever is read can be told."""
    session = begin(clumsy=True)
    random_play(session, random.Random(6))
    session.finish()
    entries, header = entries_of(session), session.setup.header()
    generator = random.Random(8)
    strange: list[Any] = [None, -1, 0, 1, 1e300, 10**30, "x", "\x1b[2J", [], {}, True, 2.5, "fell", "pass"]
    told_of = 0
    for _try in range(400):
        changed = json.loads(json.dumps([header, *entries]))
        number = generator.randrange(len(changed))
        at: Any = changed[number]
        while isinstance(at, dict | list) and at:
            key = generator.choice(list(at) if isinstance(at, dict) else list(range(len(at))))
            if generator.random() < 0.3 or not isinstance(at[key], dict | list) or not at[key]:
                at[key] = generator.choice(strange)
                break
            at = at[key]
        path = tmp_path / "m.topple"
        try:
            written(path, changed[0], changed[1:])
        except (TypeError, OverflowError, ValueError):  # no time that can be written
            continue
        try:
            match = read_match(path)
            published(match.setup, match.recording.entries, None)
            retold(path)
            told_of += 1
        except ToppleError as error:
            assert "\n" not in str(error)
    assert 0 < told_of < 300
