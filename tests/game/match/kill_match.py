"""Plays one match in process after process, each killed with SIGKILL at a random moment, and looks at what is left.

python -m tests.game.match.kill_match FILE KILLS SEED    prints what was found as JSON

A player says every entry that it was given on a pipe. What was said must be in the file, in order and once, and what
was in the file after one kill must be there, byte for byte, after the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from game.core import RuleError, replay
from game.match import forecasts
from game.match.background import Tools
from game.match.history import Setup
from game.match.judge import Simulated
from game.match.log import read_log
from game.match.session import Session, new_match, resume_match
from game.match.steps import Status
from game.match.tabletop import tabletop_of
from physics.engines import default_engine
from tests.game.played import made_up_forecast

SETUP = Setup("evaluation", ("Ann", "Bob", "Cem"), seed=5, options={"rounds": 20})
STEP = 0.01  # s, about what a move takes
START = 0.06  # s, about what it takes to resume


class Here(Executor):
    """Does everything at once in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def begin_or_resume(path: Path) -> Session:
    tools = Tools(executor=Here())
    return resume_match(path, tools) if path.exists() else new_match(path, SETUP, tools)


def play(path: Path, pipe: int, generator: random.Random) -> None:
    """A player's life: moves, undos, falls and forecasts until the match is over."""
    session = begin_or_resume(path)
    while session.result is None:
        told = session.poll()
        if not told and session.status is not Status.FALLING:
            seat = generator.choice(sorted(session.to_act))
            try:
                undoes = generator.random() < 0.1
                told = session.undo(seat) if undoes else session.play(seat, choice(session, seat, generator))
            except RuleError:
                continue
        for each in told:
            os.write(pipe, f"{each.entry.number} {each.entry.kind}\n".encode())
    os._exit(0)


def choice(session: Session, seat: int, generator: random.Random) -> Any:
    moves = session.game.moves(session.state, seat)
    return moves[0] if generator.random() < 0.5 else generator.choice(moves)  # the first is to pass: rows grow


def life(path: Path, generator: random.Random) -> tuple[list[str], bool]:
    """One process and its end: what it said, and whether it had to be killed."""
    reader, writer = os.pipe()
    seed = generator.random()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with contextlib.suppress(BaseException):
            play(path, writer, random.Random(seed))
        os._exit(3)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        # After some entries and a little while, or while it still reads the file: however slow the machine is.
        entries = generator.randrange(6)
        heard = b"".join(pipe.readline() for _ in range(entries))
        time.sleep(generator.uniform(0, STEP if entries else START))
        os.kill(child, signal.SIGKILL)
        _pid, status = os.waitpid(child, 0)
        said = (heard + pipe.read()).decode().splitlines()
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the player failed by itself"
    return said, os.WIFSIGNALED(status)


def main(path: Path, kills: int, seed: int) -> dict[str, Any]:
    forecasts.forecast_of = made_up_forecast
    rules, tabletop = SETUP.rules, tabletop_of("evaluation")
    assert tabletop is not None
    scene = tabletop.scene(_any_row(rules))
    assert scene is not None
    Simulated(default_engine()).judge(scene)  # imports the engine once, before any fork
    generator = random.Random(seed)
    killed = said_in_all = torn = unsaid = matches = 0
    before, first = b"", path
    while killed < kills:
        said, was_killed = life(path, generator)
        killed += was_killed
        said_in_all += len(said)
        if not path.exists():
            assert not said and not before
            continue
        recording = read_log(path)
        assert path.read_bytes().startswith(before), "what was there has changed"
        numbers = [f"{entry.number} {entry.kind}" for entry in recording.entries]
        old = before.count(b"\n") - 1 if before else 0
        fresh = numbers[old:]
        assert [text for text in fresh if text in set(said)] == said, "something said is lost, or twice"
        # A batch that nobody was told of yet, and what the next process made good before it played.
        assert len(fresh) - len(said) <= 6, (fresh, said)
        unsaid += len(fresh) - len(said)
        torn += recording.torn > 0
        before = path.read_bytes()[: recording.size]
        if not was_killed:
            _check_whole(path)
            matches, before = matches + 1, b""
            path = first.with_stem(f"{first.stem}-{matches}")
    _check_whole(path)
    return {
        "killed": killed,
        "said": said_in_all,
        "unsaid": unsaid,
        "torn": torn,
        "matches": matches,
        "last": str(path),
    }


def _any_row(rules: Any) -> Any:
    state = rules.start(2, {}, 0)
    return rules.apply(state, 0, rules.moves(state, 0)[0])[0]


def _check_whole(path: Path) -> None:
    """The log, resumed once more, is the match that its moves make."""
    if not path.exists():
        return
    with begin_or_resume(path) as session:
        moves = [(made.seat, made.move) for made in session.history.moves]
        assert replay(session.game, 3, SETUP.options, SETUP.seed, moves) == session.state
        undone = sum(entry.kind == "undo" for entry in session.entries)
        assert len(moves) == sum(entry.kind == "move" for entry in session.entries) - undone


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), *map(int, sys.argv[2:]))))
