"""Matches for tests: how one is set up and played on, and workers that do all at once or nothing."""

from __future__ import annotations

import random
import threading
from concurrent.futures import Executor, Future
from typing import Any

from game.games.evaluation.moves import End, Stand, Vote
from game.games.evaluation.placements import at_end
from game.match.background import Tools
from game.match.forecasts import forecast_data
from game.match.history import LoggedEntry, Setup
from game.match.session import Session, resume_match
from game.match.steps import Status
from physics.errors import ToppleError
from physics.outcome import Prediction
from physics.scene import Scene
from physics.tiles import Stance

NAMES = ("Ann", "Bob", "Cem")


class Here(Executor):
    """Does everything at once in this process, one thing at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
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


def made_up_forecast(scene: Scene, seed: int, engine: str, probability: float = 0.5) -> dict[str, Any]:
    """A forecast that costs nothing, in place of many runs."""
    values, about = scene.line.values, (max(0.0, probability - 0.25), min(1.0, probability + 0.25))
    falls = (probability,) * len(values)
    made = Prediction(probability, about, about, 0.95, 16, values, falls, 0, scene.pushed, engine, seed, 0.0)
    return forecast_data(scene, made)


def setup(**changes: Any) -> Setup:
    return Setup(**{"game": "evaluation", "names": NAMES, "seed": 7, "options": {"rounds": 1}, **changes})


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


def kinds(told: tuple[LoggedEntry, ...]) -> list[str]:
    return [each.entry.kind for each in told]


def random_play(session: Session, generator: random.Random, moves: int = 10_000) -> None:
    for _ in range(moves):
        session.settle()
        if not session.to_act:
            return
        seat = generator.choice(sorted(session.to_act))
        offered = session.game.moves(session.state, seat)
        session.play(seat, offered[0] if generator.random() < 0.4 else generator.choice(offered))


def again(session: Session, tools: Tools | None = None) -> Session:
    session.close()
    return resume_match(session.path, tools or Tools(executor=Here()))
