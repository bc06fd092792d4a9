"""Matches on a disk that is full: said once in every way to play, and gone on with when there is room again."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game.bots.seats import Bots
from game.match.background import Tools
from game.match.history import Setup
from game.match.judge import Simulated
from game.match.ports import Difference, RigStage, RigState, Settle, TableSight
from game.match.reading import read_match
from game.match.rig_control import follow
from game.match.session import new_match
from game.match.steps import Sight
from game.table.follow import SpokenCommands, TableMatch
from game.table.news import News
from game.text.lines import LineInput
from game.text.player import TextMatch
from game.text.terminal import Terminal
from physics.errors import OutputError
from physics.scene import Scene
from tests.game.commands.test_watch import Given
from tests.game.conftest import Disk
from tests.game.played import Here, Never, to_push
from tests.game.table.built_rows import START
from tests.game.table.painted_table import PaintedTable, tile_at
from tests.game.ui.camera.test_realtable import Rig

COMMAND = [sys.executable, "-P", "-m", "game.cli"]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en", "PYTHONUTF8": "1"}
FULL = "cannot be written: No space left on device."
TO_THE_PUSH = ("stand 7", "call", "failure", "push")


def topple(*arguments: object, script: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input="".join(f"{line}\n" for line in script),
        capture_output=True,
        encoding="utf-8",
        env=ENGLISH,
        timeout=120,
        check=False,
    )


def begun(disk: Disk, *names: str) -> Path:
    path = disk.folder / "match.topple"
    new_match(path, Setup("evaluation", names, 3, {"rounds": 1})).close()
    return path


def is_over(path: Path) -> bool:
    return read_match(path).history.has_result


@pytest.mark.parametrize(
    ("names", "option", "script"),
    [
        (("bot:weak", "bot:weak"), "--text", ()),
        (("bot:weak", "bot:weak"), "--json", ()),
        (("Ann", "Bob"), "--text", TO_THE_PUSH),
    ],
)
def test_in_the_terminal(disk: Disk, names: tuple[str, ...], option: str, script: tuple[str, ...]) -> None:
    path = begun(disk, *names)
    disk.fill()
    done = topple("play", "--resume", path, option, script=script)
    told = [line for line in done.stderr.splitlines() if "thinking" not in line and not line.endswith("…")]
    assert done.returncode == 2
    assert told == [f"{path} {FULL} The match is kept in {path}; go on with: ./topple play --text --resume {path}"]
    assert len(done.stdout.splitlines()) < 40 and FULL not in done.stdout
    assert not is_over(path)
    disk.free()
    again = topple("play", "--resume", path, option)
    assert again.returncode == 0, again.stderr
    assert is_over(path)
    if option == "--json":
        assert json.loads(again.stdout)["log"] == str(path)


def test_a_match_that_cannot_begin(disk: Disk) -> None:
    disk.fill()
    path = disk.folder / "match.topple"
    done = topple("play", "--text", "--players", "bot:weak,bot:weak", "--log", path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert FULL in done.stderr and not path.exists()


# What comes by itself

Full = Callable[[], contextlib.AbstractContextManager[None]]
DIFFERS = TableSight(1, None, settle=Settle.STILL, differences=(Difference("missing", 6),))


class Hands:
    """A camera that sees another row than the game has."""

    def act(self, session: object) -> None:
        pass

    def snapshot(self) -> TableSight:
        return DIFFERS


def test_what_a_camera_sees_ends_a_match_in_the_terminal(
    begin: Any, no_room: Full, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begin(Tools(executor=Never()), table="camera")
    monkeypatch.setattr(sys, "stdin", None)
    read, write = os.pipe()
    with os.fdopen(read) as typed, os.fdopen(write, "w"):  # nobody types anything
        out = io.StringIO()
        match = TextMatch(session, Terminal(out, lines=LineInput(typed)), Bots(session.setup), Hands())
        with no_room(), pytest.raises(OutputError, match="No space left"):
            match.play()
    assert session.entries == () and "No space" not in out.getvalue()


def test_what_a_camera_sees_ends_a_watched_match(begin: Any, no_room: Full) -> None:
    session = begin(Tools(executor=Never()), table="camera", names=("Ann", "Bob"))
    session.play(0, "stand 7 at 20 0 yaw 0 upright last")
    table = PaintedTable((tile_at(START.row[0]),))
    told: list[str] = []
    said = SpokenCommands(LineInput(io.StringIO("1: call\n")), waits=True)
    with no_room(), pytest.raises(OutputError, match="No space left"):
        TableMatch(table.camera, News(as_json=True, out=told.append), session, said).run(Given(table.calm()))  # type: ignore[arg-type]
    table.camera.close()
    assert len(told) < 5 and session.state.caller is None


def test_what_could_not_be_logged_is_told_again(begin: Any, no_room: Full) -> None:
    session = begin(Tools(executor=Never()), table="hand")
    counting = RigState(RigStage.COUNTING, 2.0)
    with no_room():
        for _ in range(2):
            with pytest.raises(OutputError):
                session.look(Sight.DIFFERS, DIFFERS.differences)
            with pytest.raises(OutputError):
                session.rig_at(counting)
    session.look(Sight.DIFFERS, DIFFERS.differences)
    session.rig_at(counting)
    assert [entry.kind for entry in session.entries] == ["sight", "rig"]


def test_a_fall_that_could_not_be_logged_is_judged_once(
    begin: Any, no_room: Full, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[Scene] = []
    judge = Simulated.judge

    def counted(self: Simulated, scene: Scene) -> Any:
        judged.append(scene)
        return judge(self, scene)

    monkeypatch.setattr(Simulated, "judge", counted)
    session = begin(Tools(executor=Here()))
    to_push(session)
    session.finish()  # the forecast is there already
    session.play(0, "push")
    with no_room():
        for _ in range(3):
            with pytest.raises(OutputError):
                session.settle()
    session.finish()
    assert [entry.kind for entry in session.entries].count("outcome") == len(judged) == 1


def test_a_rig_does_not_push_what_cannot_be_logged(begin: Any, no_room: Full) -> None:
    session = begin(Tools(executor=Never()), table="hand")
    to_push(session)
    rig = Rig()
    rig.begin(session.row_to_push().push)
    with no_room(), pytest.raises(OutputError):
        follow(session, rig)
    assert rig.snapshot().stage is RigStage.STOPPED
