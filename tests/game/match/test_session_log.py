"""Matches on the disk: everything logged first, killed and resumed, damaged logs refused."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game.core import TABLE, replay
from game.games.evaluation.moves import Pass
from game.match.background import Background, Tools
from game.match.history import LoggedEntry, MatchHistory, checked_setup, setup_in
from game.match.judge import Simulated
from game.match.log import Log, read_log
from game.match.reading import replayed
from game.match.session import Session, resume_match
from game.match.steps import Status
from physics.errors import OutputError, SceneError
from tests.game.played import Here, Never, random_play, setup, stand, status_of, to_push

ROOT = Path(__file__).parents[3]


def test_everything_is_on_the_disk_before_it_is_told(begin: Any) -> None:
    session = begin()
    seen: list[LoggedEntry] = []

    def listen(told: LoggedEntry) -> None:
        seen.append(told)
        assert read_log(session.path).entries[-1].number >= told.entry.number

    end = session.subscribe(listen)
    to_push(session)
    session.play(0, "push")
    session.finish()
    assert [told.entry for told in seen] == list(session.entries)
    end()
    session.play(0, stand(session, 8))
    assert len(seen) < len(session.entries)


def test_a_session_writes_nothing_before_it_begins(begin: Any) -> None:
    session = begin(table="hand")
    to_push(session)
    session.play(0, "push")
    session.play(TABLE, "fell", by=0)
    session.close()
    lines = session.path.read_bytes().splitlines(keepends=True)
    session.path.write_bytes(b"".join(lines[:-1]))  # killed between the fall and the move that follows from it
    before = session.path.read_bytes()
    log, recording = Log.open(session.path)
    tools = Tools(executor=Never())
    history = replayed(session.setup, recording.entries, "here")
    background = Background(session.setup, tools)
    with Session(log, history, recording.entries, background, tools.clock) as resumed:
        assert session.path.read_bytes() == before and status_of(resumed) is Status.FALLING and not resumed.busy
        resumed.begin()
        assert status_of(resumed) is Status.SCORED
    assert len(session.path.read_bytes()) > len(before)


@pytest.mark.parametrize("is_text", [False, True])
def test_a_move_is_read_and_checked_once(begin: Any, monkeypatch: pytest.MonkeyPatch, is_text: bool) -> None:
    session = begin(Tools(executor=Never()))
    calls = Counter[str]()
    for name in ("check", "apply", "read", "write"):
        monkeypatch.setattr(type(session.game), name, counted(getattr(type(session.game), name), calls))
    move = stand(session, 7)
    session.play(0, session.game.write(move) if is_text else move)
    session.play(1, "pass" if is_text else Pass())
    assert calls == ({"apply": 2, "write": 3, "read": 2} if is_text else {"apply": 2, "write": 2})


def counted(method: Callable[..., Any], calls: Counter[str]) -> Callable[..., Any]:
    """The method, which counts its calls."""

    def call(*given: Any) -> Any:
        calls[method.__name__] += 1
        return method(*given)

    return call


def test_a_move_that_cannot_be_logged_has_not_happened(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin(Tools(executor=Never()))
    before = session.state
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OutputError, match="cannot be written: No space left on device"):
            session.play(0, stand(session, 7))
    assert session.state == before and session.entries == ()
    session.play(0, stand(session, 7))
    assert len(read_log(session.path).entries) == 1


def test_a_forecast_or_a_fall_that_cannot_be_logged_comes_later(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin()
    to_push(session)
    session.play(0, "push")
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        for _ in range(2):
            with pytest.raises(OutputError):
                session.finish()
    session.finish()
    assert status_of(session) is Status.SCORED
    assert [entry.kind for entry in session.entries].count("forecast") == 1
    assert [entry.kind for entry in session.entries].count("outcome") == 1


@pytest.mark.usefixtures("quick")
def test_resumed_at_any_line_it_goes_on_to_the_same_end(begin: Any, tmp_path: Path) -> None:
    session = begin()
    random_play(session, random.Random(3))
    session.finish()
    session.close()
    lines = session.path.read_bytes().splitlines(keepends=True)
    moves = [(made.seat, session.game.write(made.move)) for made in session.history.moves]
    half = tmp_path / "half.topple"
    near_falls = [at + near for at, line in enumerate(lines) if b'"outcome"' in line for near in range(-2, 5)]
    for count in sorted({*range(1, len(lines) + 1, 7), *near_falls, len(lines)} & set(range(1, len(lines) + 1))):
        half.write_bytes(b"".join(lines[:count]) + lines[count][:9] if count < len(lines) else b"".join(lines))
        with resume_match(half, Tools(executor=Here())) as resumed:
            made = [(made.seat, session.game.write(made.move)) for made in resumed.history.moves]
            assert made == moves[: len(made)]
            assert resumed.state == replay(
                session.game, 3, {"rounds": 1}, 7, [(s, session.game.read(m)) for s, m in made]
            )
            for seat, text in moves[len(made) :]:
                resumed.settle()
                if len(resumed.history.moves) < len(moves) and seat != TABLE:
                    resumed.play(seat, text)
            resumed.finish()
            assert resumed.state == session.state
            numbers = [entry.kind for entry in resumed.entries]
            assert numbers.count("result") == 1
            assert sorted(numbers) == sorted(entry.kind for entry in session.entries)


def test_a_logged_fall_is_never_simulated_again(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin(options={"rounds": 3})
    to_push(session)
    session.play(0, "push")
    session.settle()
    session.close()
    lines = session.path.read_bytes().splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if b'"outcome"' in line)
    session.path.write_bytes(b"".join(lines[: last + 1]))  # killed between the outcome and its move
    monkeypatch.setattr(Simulated, "judge", lambda *_: pytest.fail("simulated again"))
    with resume_match(session.path, Tools(executor=Never())) as resumed:
        assert status_of(resumed) is Status.SCORED and resumed.state.chips == (1, 1, 0)
        assert [entry.kind for entry in resumed.entries].count("outcome") == 1


def test_time_goes_on_where_it_stopped(begin: Any) -> None:
    now = [100.0]
    session = begin(Tools(executor=Never(), clock=lambda: now[0]))
    now[0] = 103.5
    session.play(0, stand(session, 7))
    session.close()
    now[0] = 9.0
    with resume_match(session.path, Tools(executor=Never(), clock=lambda: now[0])) as resumed:
        now[0] = 10.0
        resumed.play(1, "pass")
        now[0] = 2.0  # clocks go back
        resumed.play(2, "pass")
        assert [entry.t for entry in resumed.entries] == [3.5, 4.5, 4.5]


def test_a_hundred_kills(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.game.match.kill_match", tmp_path / "match.topple", "100", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["killed"] == 100 and found["said"] > 100


def test_killed_amid_forecasts_it_is_resumed_at_once(tmp_path: Path) -> None:
    """The workers that the killed process leaves behind must not keep its log."""
    path = tmp_path / "match.topple"
    script = (
        "import sys, time; from pathlib import Path\n"
        "from game.match.session import new_match; from game.match.history import Setup\n"
        "s = new_match(Path(sys.argv[1]), Setup('evaluation', ('a', 'b'), 1, {}))\n"
        "s.play(0, s.game.moves(s.state, 0)[0]); print('ready', flush=True); time.sleep(60)"
    )
    player = subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE, text=True)
    assert player.stdout is not None and player.stdout.readline() == "ready\n"
    player.send_signal(signal.SIGKILL)
    player.wait()
    player.stdout.close()
    with resume_match(path, Tools(executor=Here())) as session:
        session.finish()
        assert [entry.kind for entry in session.entries] == ["move", "forecast"]


def test_damaged_matches_are_refused_with_a_sentence(begin: Any) -> None:
    session = begin()
    to_push(session)
    session.play(0, "push")
    session.finish()
    session.close()
    raw, generator = session.path.read_bytes(), random.Random(4)
    for _ in range(150):
        where = generator.randrange(len(raw) - 1)
        session.path.write_bytes(raw[:where] + bytes([raw[where] ^ (1 << generator.randrange(8))]) + raw[where + 1 :])
        with pytest.raises(SceneError):
            resume_match(session.path, Tools(executor=Never()))


WRONG: list[tuple[str, Any]] = [
    ("move", {}),
    ("move", {"seat": 0}),
    ("move", {"seat": 0, "move": 5}),
    ("move", {"seat": 0, "move": "dance"}),
    ("move", {"seat": 0, "move": "push"}),
    ("move", {"seat": "x", "move": "push"}),
    ("move", {"seat": [], "move": "fell"}),
    ("undo", {}),
    ("undo", {"seat": 0, "of": 1}),
    ("undo", {"seat": 0, "of": {}}),
    ("correction", {"seat": 0, "of": 1, "move": "x"}),
    ("outcome", {"scene": "x"}),
    ("outcome", {"scene": [], "move": "fell"}),
    ("forecast", {}),
    ("forecast", {"scene": {}}),
]


@pytest.mark.parametrize(("kind", "data"), WRONG)
def test_whole_lines_that_say_nonsense_are_refused_with_their_line(tmp_path: Path, kind: str, data: Any) -> None:
    path = tmp_path / "match.topple"
    with Log.create(path, checked_setup(setup()).header()) as log:
        log.append((0.0, "new kinds of events are passed over", {}), (0.0, kind, data))
    with pytest.raises(SceneError, match=r"match.topple:3: "):
        resume_match(path)


@pytest.mark.parametrize(
    "change",
    [
        {"seats": "Ann"}, {"seats": [1, 2]}, {"seats": ["Ann"]}, {"game": "chess"}, {"game": None}, {"seed": "7"},
        {"seed": True}, {"options": []}, {"options": {"rounds": 99}}, {"options": {"rounds": [1]}}, {"hints": 1},
        {"table": "kitchen"}, {"engine": "steam"},
    ],
)  # fmt: skip
def test_headers_that_say_nonsense_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "match.topple"
    Log.create(path, {**checked_setup(setup()).header(), **change}).close()
    with pytest.raises(SceneError, match=r"match.topple:1: "):
        resume_match(path)


@pytest.mark.usefixtures("quick")
def test_a_log_read_again_is_the_match(begin: Any) -> None:
    session = begin()
    random_play(session, random.Random(9))
    session.finish()
    recording = read_log(session.path)
    history = replayed(setup_in(recording.header, "here:1"), recording.entries, "here")
    assert (
        isinstance(history, MatchHistory) and history.state == session.state and history.moves == session.history.moves
    )
    assert list(recording.entries) == list(session.entries)
