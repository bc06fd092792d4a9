"""Bots against bots: whole matches in memory, judged by simulation, and how often each strength wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from game.bots.bot import Bot, make_bot, turn_of
from game.catalogue import game_named
from game.core import TABLE, AnyGame, Seat, Value, seats_in_turn
from game.match.judge import Simulated
from game.match.tabletop import tabletop_of
from physics.engines import default_engine
from physics.intervals import wilson

CONFIDENCE = 0.95

MatchProgress = Callable[[int, int], None]  # matches done, of all


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played to its end."""

    game: str
    bots: tuple[str, ...]  # strengths by seat
    seed: int
    scores: tuple[float, ...]
    winners: tuple[Seat, ...]
    moves: tuple[tuple[Seat, str], ...]
    runs: tuple[int, ...]  # full simulations that each bot made

    @property
    def winner(self) -> str | None:
        """The strength that won alone or as a team; None when nobody did, everybody, or several strengths together."""
        strengths = {self.bots[seat] for seat in self.winners}
        return strengths.pop() if len(strengths) == 1 and len(self.winners) < len(self.bots) else None


@dataclass(frozen=True, slots=True)
class Standings:
    """What many matches say of the strengths that played them."""

    matches: tuple[Played, ...]
    decided: int = field(init=False)  # matches that one strength won

    def __post_init__(self) -> None:
        object.__setattr__(self, "decided", sum(match.winner is not None for match in self.matches))

    def wins(self, strength: str) -> int:
        """The matches that a bot of that strength won alone."""
        return sum(match.winner == strength for match in self.matches)

    def share(self, strength: str) -> float:
        """The share of the decided matches that it won; half when none was decided."""
        return self.wins(strength) / self.decided if self.decided else 0.5

    def interval(self, strength: str, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Between what that share lies with that confidence (Wilson)."""
        return wilson(self.wins(strength), self.decided, confidence)


def play_match(
    game_name: str,
    bots: Sequence[str],
    seed: int,
    options: Mapping[str, Value] | None = None,
    *,
    engine_name: str | None = None,
    executor: Executor | None = None,
) -> Played:
    """A match between bots of these strengths, by seat; the same for the same seed, whatever the executor.

    InputError when there is no such game, strength or option, or when the game is not for that many; EngineError when
    a run breaks down.
    """
    game = game_named(game_name)
    state = game.start(len(bots), options or {}, seed)
    players = [
        make_bot(game.name, strength, seed, seat, engine_name=engine_name, executor=executor)
        for seat, strength in enumerate(bots)
    ]
    moves: list[tuple[Seat, str]] = []
    while game.to_act(state):
        seat, move = _next_move(game, state, players, len(moves), engine_name)
        state, _events = game.apply(state, seat, move)
        moves.append((seat, game.write(move)))
    result = game.result(state)
    assert result is not None
    runs = tuple(player.runs for player in players)
    return Played(game.name, tuple(bots), seed, result.scores, result.winners, tuple(moves), runs)


def _next_move(
    game: AnyGame, state: Any, players: Sequence[Bot], number: int, engine_name: str | None
) -> tuple[Seat, Any]:
    """The next move and whose it is: bots that need not move are asked first."""
    must = game.must_act(state)
    for seat in seats_in_turn(game, state, game.to_act(state) - must):
        turn = turn_of(game, state, seat, number)
        move = players[seat].choose(turn) if turn.moves else None
        if move is not None:
            return seat, move
    seat = seats_in_turn(game, state, must)[0]
    if seat == TABLE:
        return seat, _found(game, state, engine_name or default_engine())
    return seat, players[seat].choose(turn_of(game, state, seat, number))


def _found(game: AnyGame, state: Any, engine_name: str) -> Any:
    """The table's move: what one run of the row shows."""
    tabletop = tabletop_of(game.name)
    scene = None if tabletop is None else tabletop.scene(state)
    assert tabletop is not None and scene is not None
    return tabletop.finding(state, Simulated(engine_name).judge(scene))


def tournament(
    count: int,
    game_name: str,
    bots: Sequence[str],
    seed: int,
    options: Mapping[str, Value] | None = None,
    *,
    engine_name: str | None = None,
    executor: Executor | None = None,
    progress: MatchProgress | None = None,
) -> Standings:
    """That many matches between these strengths, who move on by one seat from match to match.

    The executor plays whole matches; the standings are the same without one.
    """
    play = partial(_nth_match, game_name, tuple(bots), seed, dict(options or {}), engine_name)
    found = map(play, range(count)) if executor is None else executor.map(play, range(count))
    matches = []
    for match in found:
        matches.append(match)
        if progress is not None:
            progress(len(matches), count)
    return Standings(tuple(matches))


def _nth_match(
    game_name: str, bots: tuple[str, ...], seed: int, options: dict[str, Value], engine_name: str | None, index: int
) -> Played:
    turn = index % len(bots)
    # Both seatings meet the same seeds.
    return play_match(game_name, bots[turn:] + bots[:turn], seed + index // len(bots), options, engine_name=engine_name)
