"""A match at a real table: what watches it, what the session is told of that, and what can be corrected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from game.match.history import CAMERA, SIMULATED
from game.match.judge import Judge
from game.match.log import read_log
from game.match.ports import RigState, RigWatch, TableSight, TableWatch
from game.match.rig_control import follow
from game.match.session import Session
from game.match.turns import tell_sight


class Hands(Judge, Protocol):
    """A camera that tells what hands do at the table, and judges what fell."""

    def act(self, session: Session) -> object:
        """Tells the match what the hands did since; never waits. RuleError, once, for what the rules refuse."""

    def drag(self, session: Session, value: int, by: tuple[float, float]) -> object:
        """A person says that the tile stands elsewhere in the picture, by these shares of its width and height."""


@dataclass(frozen=True, slots=True)
class Watches:
    """What watches a real table; None where there is none of it."""

    table: TableWatch | None = None
    rig: RigWatch | None = None
    hands: Hands | None = None

    def judge(self, table: str) -> Judge | None:
        """Who says what fell at a table of that kind, where it is not the session's own affair."""
        return self.at(table).hands

    def at(self, table: str) -> Watches:
        """What is left of it at a table of that kind.

        A camera that sees hands is of no use at another than its own; a rig has nothing to push at the simulated one.
        """
        left = self if self.hands is None or table == CAMERA else replace(self, table=None, hands=None)
        return left if table != SIMULATED else replace(left, rig=None)


NOBODY = Watches()


@dataclass(frozen=True, slots=True)
class RealTable:
    """What is known of the table itself: from a camera, from a push rig, or from both."""

    sight: TableSight | None  # None: there is no camera
    rig: RigState | None  # None: there is no rig


def watched(watches: Watches, session: Session) -> RealTable | None:
    """What is seen now; the session is told, so that it is in the log. None where nobody watches.

    OutputError when it cannot be logged.
    """
    if watches.table is None and watches.rig is None:
        return None
    sight = watches.table.snapshot() if watches.table is not None else None
    if sight is not None:
        tell_sight(session, sight)
    rig = follow(session, watches.rig) if watches.rig is not None else None
    return RealTable(sight, rig)


def seen(watches: Watches) -> RealTable | None:
    """The same without a word to the session."""
    if watches.table is None and watches.rig is None:
        return None
    sight = None if watches.table is None else watches.table.snapshot()
    return RealTable(sight, None if watches.rig is None else watches.rig.snapshot())


def table_in(path: Path) -> str:
    """The kind of table of the match in the file; SceneError when it is damaged."""
    return str(read_log(path).header.get("table", SIMULATED))
