"""A real table as it is watched: what a camera sees on it, what a push rig is at, and the ports they come through.

Whoever has a camera or a rig gives a match a `TableWatch` or a `RigWatch`; a match without them shows nothing of it.
A snapshot is asked for once a frame and must come at once.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from physics.scene import Push

Pixels = npt.NDArray[np.uint8]
"""A picture: rows, columns, red green blue."""


class Settle(enum.Enum):
    """What goes on at the table."""

    STILL = "still"
    MOVING = "moving"  # something moves
    HANDS = "hands"  # hands are in the picture
    LOST = "lost"  # the table is not seen


DIFFERENCES = ("missing", "extra", "moved", "turned", "stance")
"""In what a tile can differ."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which the table differs from the game."""

    kind: str  # one of DIFFERENCES
    value: int | None = None  # of the tile; None: of an extra one that cannot be told
    by: float = 0.0  # mm that it was moved, degrees that it was turned

    def data(self) -> dict[str, Any]:
        """As a log has it."""
        return {"kind": self.kind, "value": self.value, "by": round(self.by, 1)}


@dataclass(frozen=True, slots=True)
class SeenTile:
    """A tile in the picture."""

    value: int
    corners: tuple[tuple[float, float], ...]  # shares of width and height, from the upper left corner
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class TableSight:
    """What the camera sees; `number` is another one with every picture."""

    number: int
    picture: Pixels | None  # None: there is none now
    tiles: tuple[SeenTile, ...] = ()
    settle: Settle = Settle.STILL
    differences: tuple[Difference, ...] = ()
    trouble: str = ""  # why the table is not seen, in the reader's language


class RigStage(enum.Enum):
    """What a push rig is at."""

    READY = "ready"
    COUNTING = "counting"  # down to the push
    PUSHING = "pushing"
    DONE = "done"
    STOPPED = "stopped"  # by a person
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class RigState:
    """A push rig at a moment."""

    stage: RigStage
    left: float = 0.0  # s to the push while it counts
    trouble: str = ""  # what is wrong, in the reader's language
    tilt: tuple[float, float] | None = None  # rad, of the table, as Table.tilt has it; None: not known now
    link: Mapping[str, Any] | None = None  # what has happened on its line, as a log has it; None: nothing yet

    @property
    def can_stop(self) -> bool:
        """Whether it moves, or is about to."""
        return self.stage in (RigStage.COUNTING, RigStage.PUSHING)


class TableWatch(Protocol):
    """A camera over the table."""

    def snapshot(self) -> TableSight:
        """What it sees now; never waits."""


class RigWatch(Protocol):
    """A push rig."""

    def snapshot(self) -> RigState:
        """What it is at; never waits."""

    def stop(self) -> None:
        """Stops every movement at once."""

    def begin(self, push: Push) -> None:
        """Counts down to that push; ToppleError when it cannot. Never waits."""

    def again(self) -> None:
        """What it did, or why it did not, has been taken note of: it is ready for another push."""


def differences_in(data: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The differences that an entry of a log tells of; LookupError or TypeError when it is damaged."""
    return tuple(Difference(each["kind"], each["value"], float(each["by"])) for each in data["differences"])
