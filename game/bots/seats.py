"""Bots at the seats of a match under way, and matches that they play by themselves."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from game.bots.bot import Bot, ProgressCallback, make_bot, turn_of
from game.core import Seat
from game.match.history import Setup
from game.match.players import strength_of
from game.match.session import Session
from game.match.tabletop import scene_key
from game.match.turns import Awaiting, next_ask


class Bots:
    """The bots of one match by their seats; made anew for a resumed one they choose the same."""

    def __init__(self, setup: Setup, executor: Executor | None = None) -> None:
        self._bots: dict[Seat, Bot] = {}
        self._declined: dict[Seat, int] = {}  # after how many moves
        for seat, player in enumerate(setup.names):
            strength = strength_of(player)
            if strength is not None:
                self._bots[seat] = make_bot(
                    setup.game, strength, setup.seed, seat, engine_name=setup.engine, executor=executor
                )

    def __contains__(self, seat: Seat) -> bool:
        return seat in self._bots

    def has_declined(self, seat: Seat, number: int) -> bool:
        """Whether that bot, which need not move, did not want to after so many moves."""
        return self._declined.get(seat) == number

    def choose(self, session: Session, seat: Seat, thinking: ProgressCallback | None = None) -> Any:
        """The move of the bot at that seat; None where it need not move and does not want to.

        EngineError when a simulation breaks down.
        """
        move = self.choice(session, seat)(thinking)
        if move is None:
            self.decline(session, seat)
        return move

    def choice(self, session: Session, seat: Seat) -> Callable[[ProgressCallback | None], Any]:
        """What finds that move for the match as it is now: for another thread too, since it does not touch the session.

        One bot thinks of one thing at a time. Where it finds None, `decline` has to be called.
        """
        game, state, number, bot = session.game, session.state, len(session.history.moves), self._bots[seat]
        return lambda thinking: bot.choose(turn_of(game, state, seat, number), thinking)

    def decline(self, session: Session, seat: Seat) -> None:
        """That bot does not want to move now; it is asked again when somebody has moved."""
        self._declined[seat] = len(session.history.moves)


def self_play(session: Session, bots: Bots) -> dict[str, Any]:
    """Plays the match to its end and tells how it ended; every push has its forecast in the log then.

    EngineError when a row cannot be judged. The match then waits in its file.
    """
    pushed: set[str] = set()
    while session.result is None:
        ask = next_ask(session, bots)
        if ask.what is Awaiting.JUDGE:
            scene = session.history.scene
            pushed |= set() if scene is None else {scene_key(scene)}
            session.wait()
            continue
        if not pushed <= session.history.forecasts.keys():
            session.poll()  # only then: forecasts of rows that nobody pushes would take the bots' time
        move = bots.choose(session, ask.seat)
        if move is not None:
            session.play(ask.seat, move)
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
        "moves": len(session.history.moves),
        "log": str(session.path),
    }
