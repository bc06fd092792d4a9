"""Bots at the seats of a match under way, and matches that they play by themselves."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from game.bots.arena import next_seat
from game.bots.bot import Bot, ProgressCallback, make_bot, strength_of, turn_of
from game.core import TABLE, Seat
from game.match.history import Setup
from game.match.session import Session
from game.match.tabletop import scene_key


class Bots:
    """The bots of one match by their seats; made anew for a resumed one they choose the same."""

    def __init__(self, setup: Setup, executor: Executor | None = None) -> None:
        self._bots: dict[Seat, Bot] = {}
        for seat, player in enumerate(setup.names):
            strength = strength_of(player)
            if strength is not None:
                self._bots[seat] = make_bot(
                    setup.game, strength, setup.seed, seat, engine_name=setup.engine, executor=executor
                )

    def __contains__(self, seat: Seat) -> bool:
        return seat in self._bots

    def choose(self, session: Session, seat: Seat, thinking: ProgressCallback | None = None) -> Any:
        """The move of the bot at that seat; EngineError when a simulation breaks down."""
        return self.choice(session, seat)(thinking)

    def choice(self, session: Session, seat: Seat) -> Callable[[ProgressCallback | None], Any]:
        """What finds that move for the match as it is now: for another thread too, since it does not touch the session.

        One bot thinks of one thing at a time.
        """
        game, state, number, bot = session.game, session.state, len(session.history.made), self._bots[seat]
        return lambda thinking: bot.choose(turn_of(game, state, seat, number), thinking)


def acting_seat(session: Session) -> Seat:
    """Who is asked next where several may act."""
    return next_seat(session.game, session.state, session.to_act)


def self_play(session: Session, bots: Bots) -> dict[str, Any]:
    """Plays the match to its end and tells how it ended; every push has its forecast in the log then.

    EngineError when a row cannot be judged. The match then waits in its file.
    """
    pushed: set[str] = set()
    while session.result is None:
        seat = acting_seat(session)
        if seat == TABLE:
            scene = session.history.scene
            pushed |= set() if scene is None else {scene_key(scene)}
            session.wait()
            continue
        if not pushed <= session.history.forecasts.keys():
            session.poll()  # only then: forecasts of rows that nobody pushes would take the bots' time
        session.play(seat, bots.choose(session, seat))
    session.finish(pushed_only=True)
    return summary(session)


def summary(session: Session) -> dict[str, Any]:
    """How the match ended, for other programs."""
    result = session.result
    assert result is not None
    return {
        "game": session.game.name,
        "scores": list(result.scores),
        "winners": list(result.winners),
        "moves": len(session.history.made),
        "log": str(session.path),
    }
