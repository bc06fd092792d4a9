"""Games of it as one match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from game.core import Event, Result, Seat, Value
from tests.game import lanterns
from tests.game.lanterns.rules import Lanterns, Move, State, begun

SERIES = 2  # won games that decide it


class LanternSeries(Lanterns):
    """Games until somebody has won two: one match, one state."""

    name = "lantern series"
    seats = range(2, 4)
    options = Lanterns.options[1:]
    sentences: Mapping[str, str] = {
        **Lanterns.sentences,
        "over": "The game is over. Points: {points}. Winners: {winners}.",
        "dealt": "Another game is dealt. Won so far: {won}.",
    }

    def seats_with(self, options: Mapping[str, Value]) -> range:
        """Two or three."""
        return self.seats

    def apply(self, state: State, seat: Seat, move: Move) -> tuple[State, tuple[Event, ...]]:
        """The move that ends a game deals the next one, too, until the series is decided."""
        state, events = super().apply(state, seat, move)
        ended = Lanterns.result(self, state)
        if ended is None:
            return state, events
        won = tuple(games + (seat in ended.winners) for seat, games in enumerate(state.won))
        if max(won) >= SERIES:
            return replace(state, won=won), events
        following = begun(state.open_chance, state.hidden_chance, len(won), state.rounds, teams=state.teams)
        return replace(following, won=won), (*events, Event("dealt", {"won": list(won)}))

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """What has been won besides."""
        return {**super().view(state, seat), "won": list(state.won)}

    def result(self, state: State) -> Result | None:
        """The games won."""
        if not state.over:
            return None
        return Result(state.won, tuple(seat for seat in state.seats if state.won[seat] >= SERIES))


SERIES_GAME = LanternSeries()
KIT = replace(lanterns.KIT, rules=SERIES_GAME)
