"""What was last said of a pushed row at a real table, and whether it can still be corrected."""

from __future__ import annotations

from dataclasses import dataclass

from game.games.evaluation.moves import FallReport
from game.games.evaluation.placements import Row
from game.match.history import SIMULATED
from game.match.session import Session


@dataclass(frozen=True, slots=True)
class Finding:
    """What was last said of a pushed row at a real table, which can be corrected."""

    number: int  # of the move
    row: Row
    push_end: str  # first or last
    standing: tuple[int, ...]  # values that did not fall, as far as they were told
    fell: bool  # all of it


def finding_in(session: Session) -> Finding | None:
    """What people or a camera last said of a pushed row; None where that cannot be corrected (any more)."""
    if session.setup.table == SIMULATED or session.result is not None:
        return None
    last = next((made for made in reversed(session.history.moves) if isinstance(made.move, FallReport)), None)
    if last is None:
        return None
    return Finding(
        last.number, last.before.row, last.before.push_end.value, tuple(last.move.standing), bool(last.move.fell)
    )
