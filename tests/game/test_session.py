"""Matches under way: rules, judge, forecasts and log together; killed and resumed; what each may see."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from game import forecasts
from game.background import Tools
from game.core import TABLE, RuleError, replay
from game.forecasts import Forecasts, foretell
from game.judge import Simulated
from game.log import Log, read_log
from game.match import Course, Setup, Told, checked_setup, replayed, setup_in
from game.publish import Publisher, public_header, published
from game.rules.evaluation_geometry import at_end
from game.rules.evaluation_moves import Accident, Call, End, Found, Pass, Push, Stand, Vote
from game.session import Session, Sight, Status, new_match, resume_match
from game.stage import scene_key, stage_of
from physics.errors import EngineError, InputError, OutputError, SceneError, ToppleError
from physics.line import Placement
from physics.outcome import Fate, Outcome
from physics.scene import Scene
from physics.tiles import Stance

KILLER = Path(__file__).parent / "kill_match.py"
NAMES = ("Ann", "Bob", "Cem")


class Here(Executor):
    """Does everything at once in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except ToppleError as error:
            future.set_exception(error)
        return future


class Never(Executor):
    """Takes everything and does none of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Future[Any]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked.append((fn, Future()))
        return self.asked[-1][1]


def setup(**changes: Any) -> Setup:
    return Setup(**{"game": "evaluation", "names": NAMES, "seed": 7, "options": {"rounds": 1}, **changes})


@pytest.fixture
def begin(tmp_path: Path) -> Any:
    """Begins a match; all that were begun are closed."""
    open_ones: list[Session] = []

    def new(tools: Tools | None = None, **changes: Any) -> Session:
        path = tmp_path / f"match-{len(open_ones)}.topple"
        open_ones.append(new_match(path, setup(**changes), tools or Tools(executor=Here())))
        return open_ones[-1]

    yield new
    for session in open_ones:
        session.close()


def stand(session: Session, value: int, gap: float = 0.02) -> Stand:
    return at_end(session.state.row, value, Stance.UPRIGHT, End.LAST, gap, 0.0)


def to_votes(session: Session, value: int = 7, gap: float = 0.02) -> None:
    session.play(0, stand(session, value, gap))
    session.play(1, "call")


def to_push(session: Session, value: int = 7, gap: float = 0.02) -> None:
    """Seat 0 places, seat 1 calls, seat 2 doubts; the row is to be pushed."""
    to_votes(session, value, gap)
    session.play(0, Vote(True))
    session.play(1, Vote(True))
    session.play(2, Vote(False))


def status_of(session: Session) -> Status:
    return session.status


def kinds(told: tuple[Told, ...]) -> list[str]:
    return [each.entry.kind for each in told]


def random_play(session: Session, generator: random.Random, moves: int = 10_000) -> None:
    for _ in range(moves):
        session.settle()
        if not session.to_act:
            return
        seat = generator.choice(sorted(session.to_act))
        offered = session.game.moves(session.state, seat)
        session.play(seat, offered[0] if generator.random() < 0.4 else generator.choice(offered))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forecasts that cost nothing."""
    monkeypatch.setattr(forecasts, "foretell", lambda scene, *_: {"scene": scene_key(scene), "probability": 0.5})


def again(session: Session, tools: Tools | None = None) -> Session:
    session.close()
    return resume_match(session.path, tools or Tools(executor=Here()))


# The six states


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
    scene = session.course.scene
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
    with pytest.raises(RuleError, match="not for people to say"):
        session.play(TABLE, "fell", by=1)
    with pytest.raises(RuleError, match="cannot be taken back"):
        session.undo(0)


class Camera:
    """Stands for the camera in the tests of the port."""

    name = "camera"

    def __init__(self) -> None:
        self.goes = threading.Event()
        self.error: ToppleError | None = None

    def judge(self, scene: Scene) -> Outcome:
        assert self.goes.wait(20)
        if self.error is not None:
            raise self.error
        fates = (Fate.FALLEN, *(Fate.STANDING for _ in scene.line.values[1:]))
        return Outcome(fates, (0.1, *(None for _ in fates[1:])), 1.5, True, "camera", 0.0)


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
    session.play(TABLE, Found(True), by=2)
    assert status_of(session) is Status.SCORED


def test_setups_that_are_wrong(tmp_path: Path) -> None:
    for wrong, sentence in (
        ({"game": "chess"}, "no game 'chess'"),
        ({"names": ("Ann",)}, "has 1 seats"),
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


# The log first


def test_everything_is_on_the_disk_before_it_is_told(begin: Any) -> None:
    session = begin()
    seen: list[Told] = []

    def listen(told: Told) -> None:
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
    moves = [(made.seat, session.game.write(made.move)) for made in session.course.made]
    half = tmp_path / "half.topple"
    near_falls = [at + near for at, line in enumerate(lines) if b'"outcome"' in line for near in range(-2, 5)]
    for count in sorted({*range(1, len(lines) + 1, 7), *near_falls, len(lines)} & set(range(1, len(lines) + 1))):
        half.write_bytes(b"".join(lines[:count]) + lines[count][:9] if count < len(lines) else b"".join(lines))
        with resume_match(half, Tools(executor=Here())) as resumed:
            made = [(made.seat, session.game.write(made.move)) for made in resumed.course.made]
            assert made == moves[: len(made)]
            assert resumed.state == replay(
                session.game, 3, {"rounds": 1}, 7, [(s, session.game.read(m)) for s, m in made]
            )
            for seat, text in moves[len(made) :]:
                resumed.settle()
                if len(resumed.course.made) < len(moves) and seat != TABLE:
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
        [sys.executable, KILLER, tmp_path / "match.topple", "100", "1"],
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
        "from game.session import new_match; from game.match import Setup\n"
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


# Undo and corrections


def test_undo_takes_back_ones_own_last_move(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    before = session.state
    session.play(0, stand(session, 7))
    told = session.undo(0)
    assert told[0].entry.data == {"seat": 0, "of": 1} and session.state == before
    with pytest.raises(RuleError, match="has no move to take back"):
        session.undo(0)
    session.play(0, stand(session, 8))
    session.play(1, "pass")
    with pytest.raises(RuleError, match="others have moved since"):
        session.undo(0)  # seat 1 has answered it
    session.undo(1)
    session.undo(0)
    assert session.state == before
    resumed = again(session, Tools(executor=Never()))
    assert resumed.state == before and len(resumed.entries) == 6
    resumed.close()


def test_a_secret_vote_may_be_changed_until_it_is_revealed(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    to_votes(session)
    session.play(2, "vote failure")
    session.play(1, "vote success")
    session.undo(2)  # the vote of seat 1 stays as it is
    assert session.state.votes == (None, True, None)
    session.play(2, "vote success")
    session.play(0, "vote success")
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(2)
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(0)


def test_what_would_change_the_moves_of_others_stays(begin: Any) -> None:
    session = begin(Tools(executor=Never()))
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")  # with it the turn goes on: seat 1 is to place
    with pytest.raises(RuleError, match="others have moved since"):
        session.undo(1)


def test_a_hint_that_was_seen_is_learnt(begin: Any) -> None:
    session = begin(hints=True)
    session.play(0, stand(session, 7))
    session.finish()
    with pytest.raises(RuleError, match="somebody has learnt"):
        session.undo(0)
    other = begin()
    other.play(0, stand(other, 7))
    other.finish()
    other.undo(0)  # nobody has seen that forecast


def test_corrections_of_a_real_table(begin: Any) -> None:
    session = begin(table="hand", options={"rounds": 3})
    to_push(session)
    session.play(0, "push")
    session.play(TABLE, "fell", by=0)
    assert session.state.chips == (1, 1, 0)
    number = session.course.made[-1].number
    session.play(0, stand(session, 9))
    session.correct(2, number, "stood 7")
    assert session.state.chips == (0, 0, 2) and session.state.row[-1].value == 9
    placed = session.course.made[-1]
    nearer = stand_again(placed.move, dx=-0.002)
    session.correct(1, placed.number, nearer)
    assert session.state.row[-1].x == nearer.placement.x
    for wrong in ("pass", "vote success", stand(session, 10), "stood 7"):
        with pytest.raises(RuleError, match="Only what happened on the table"):
            session.correct(1, placed.number, wrong)
    with pytest.raises(RuleError, match="The row was pushed since"):
        session.correct(1, session.course.made[0].number, stand_again(session.course.made[0].move, dx=0.001))
    with pytest.raises(RuleError, match="free air"):
        session.correct(1, placed.number, stand_again(nearer, dx=0.2))
    with pytest.raises(RuleError, match="Only what happened"):
        session.correct(1, 999, "fell")
    state = session.state
    resumed = again(session)
    assert resumed.state == state
    resumed.finish()
    assert resumed.course.scene is not None and scene_key(resumed.course.scene) in resumed.course.forecasts
    resumed.close()
    simulated = begin()
    simulated.play(0, stand(simulated, 7))
    with pytest.raises(RuleError, match="not a real one"):
        simulated.correct(0, 1, stand(simulated, 7))


def stand_again(move: Stand, dx: float) -> Stand:
    tile = move.placement
    return Stand(Placement(tile.value, tile.x + dx, tile.y, tile.yaw, tile.stance), move.spot, move.lifted)


# Forecasts


def test_every_placement_is_foretold_and_no_move_waits_for_it(begin: Any) -> None:
    never = Never()
    session = begin(Tools(executor=never), options={"rounds": 3})
    began = time.monotonic()
    for value, seat in ((7, 0), (8, 1), (9, 2)):
        session.play(seat, stand(session, value))
        for other in {0, 1, 2} - {seat}:
            session.play(other, "pass")
    assert time.monotonic() - began < 5 and session.poll() == () and session.busy
    assert [fn for fn, _future in never.asked] == [foretell]  # one at a time
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
    scene = session.course.scene
    session.play(1, "push")
    session.play(TABLE, "stood", by=0)
    session.play(1, stand(session, 3))
    resumed = again(session)
    told = resumed.finish(pushed_only=True)
    assert [each.entry.data["values"] for each in told] == [[6, 8, 9]] and resumed.busy  # before the newer one
    forecast = resumed.course.forecasts[scene_key(scene)]
    assert forecast["probability"] == foretell(scene, 7, resumed.setup.engine)["probability"]
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
    stage = stage_of("evaluation")
    assert stage is not None
    game = setup().rules
    start = game.start(2, {}, 0)
    state = game.apply(start, 0, game.moves(start, 0)[0])[0]
    scene = stage.scene(state)
    assert scene is not None and stage.scene(start) is None
    wanted, never = Forecasts(0, "bullet"), Never()
    wanted.want(scene)
    wanted.want(scene)
    assert wanted.begin(never) is not None and wanted.begin(never) is None
    wanted.taken()
    assert not wanted.pending and wanted.begin(never) is None


# Accidents


def test_clumsy_hands(begin: Any) -> None:
    onto = Stand(Placement(9, 0.004, 0.0), End.LAST)  # in the middle of the tile 6
    graze = Stand(Placement(9, 0.0065, 0.0), End.LAST)  # a shallow touch
    beside = Stand(Placement(9, 0.0, 0.0245), End.LAST)  # at its narrow side
    careful = begin()
    for move in (onto, graze, beside):
        with pytest.raises(RuleError):
            careful.play(0, move)
    assert careful.entries == ()
    session = begin(clumsy=True)
    for move in (graze, beside):
        with pytest.raises(RuleError):
            session.play(0, move)
    with pytest.raises(RuleError, match="Seat 1 cannot act now"):
        session.play(1, onto)
    with pytest.raises(RuleError, match="not in the supply"):
        session.play(0, Stand(Placement(6, 0.004, 0.0), End.LAST))
    told = session.play(0, onto)
    assert kinds(told) == ["knocked", "move"]
    assert told[1].entry.data == {"seat": TABLE, "move": "accident 0"}
    assert told[0].entry.data["seat"] == 0 and told[0].entry.data["frames"]
    assert session.state.chips == (0, 1, 1) and session.state.active == 0
    resumed = again(session)
    assert resumed.state.chips == (0, 1, 1)
    resumed.close()


def test_a_clumsy_hand_between_tiles_of_a_longer_row(begin: Any) -> None:
    session = begin(clumsy=True)
    session.play(0, stand(session, 7))
    session.play(1, "pass")
    session.play(2, "pass")
    middle = (session.state.row[0].x + session.state.row[1].x) / 2
    with pytest.raises(RuleError):
        session.play(1, Stand(Placement(8, middle, 0.3), (6, 7)))  # far off: no accident
    told = session.play(1, Stand(Placement(8, session.state.row[1].x - 0.004, 0.0), (6, 7)))
    assert kinds(told) == ["knocked", "move"] and session.state.chips == (1, 0, 1)


def test_anybody_declares_an_accident_at_a_real_table(begin: Any) -> None:
    session = begin(table="hand")
    session.play(0, stand(session, 7))
    told = session.declare_accident(by=2, clumsy=1)
    assert told[0].entry.data == {"seat": 2, "move": "accident 1"} and session.state.chips == (1, 0, 1)
    session.undo(2)  # it was none after all
    assert session.state.chips == (0, 0, 0) and len(session.state.row) == 2
    simulated = begin()
    simulated.play(0, stand(simulated, 7))
    for seat in (2, TABLE):
        with pytest.raises(RuleError, match="declared at real tables"):
            simulated.play(seat, Accident(1))


# Games without standing tiles


def test_a_game_without_a_stage_needs_no_judge(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.stage.STAGES", {})
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


# What is published


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

    def listen(told: Told) -> None:
        for publisher in live.values():
            before = list(publisher.events)
            fresh = publisher.feed(told.entry)
            assert publisher.events == [*before, *fresh]

    session.subscribe(listen)
    random_play(session, random.Random(8))
    session.finish()
    for seat, publisher in live.items():
        assert publisher.events == published(session.setup, session.entries, seat)
        views = [data["view"] for _t, kind, data in publisher.events if kind == "step"]
        assert views[-1] == session.view(seat)
        assert json.loads(json.dumps(publisher.events)) is not None


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
def test_a_log_read_again_is_the_match(begin: Any) -> None:
    session = begin()
    random_play(session, random.Random(9))
    session.finish()
    recording = read_log(session.path)
    course = replayed(setup_in(recording.header, "here:1"), recording.entries, "here")
    assert isinstance(course, Course) and course.state == session.state and course.made == session.course.made
    assert list(recording.entries) == list(session.entries)


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
