"""A match of lanterns for tests of what comes after it."""

from __future__ import annotations

from pathlib import Path

from game.match.history import Setup
from game.match.session import new_match


def played(path: Path, rounds: int = 1) -> list[int]:
    """Ann bids 5, Bob 9, and they light the first they may, to the end; the values in order."""
    lit = []
    with new_match(path, Setup("lanterns", ("Ann", "Bob"), 5, {"rounds": rounds})) as session:
        while session.result is None:
            seat = min(session.game.must_act(session.state))
            if None in session.state.bids:
                session.play(seat, f"bid {5 + 4 * seat}")
                continue
            first = session.game.moves(session.state, seat)[0]
            lit.append(first.value)
            session.play(seat, first)
    return lit
