"""Games that are played with standing tiles: how the rules' state becomes a scene, and a fall becomes a move."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

from game.catalogue import kit_of
from game.core import Seat
from physics.outcome import Outcome
from physics.scene import Scene


class Tabletop(Protocol):
    """What a session asks of such a game; states and moves are the game's own."""

    def scene(self, state: Any) -> Scene | None:
        """The row as it stands with its push; None when there is nothing to forecast."""

    def is_armed(self, state: Any) -> bool:
        """Whether all is decided but the push."""

    def is_falling(self, state: Any) -> bool:
        """Whether the row was pushed and the game waits for what fell."""

    def finding(self, state: Any, outcome: Outcome) -> Any:
        """The table's move that says what fell."""

    def is_finding(self, move: Any) -> bool:
        """Whether the move says what fell."""

    def is_push(self, move: Any) -> bool:
        """Whether the move sets the row going."""

    def fell(self, finding: Any) -> bool:
        """Whether the whole row fell, as the finding says."""

    def accident(self, seat: Seat) -> Any:
        """The move that says that this seat knocked the row over."""

    def is_accident(self, move: Any) -> bool:
        """Whether the move says that."""

    def is_correction(self, old: Any, new: Any) -> bool:
        """Whether the new move corrects what the old one said of the table, and decides nothing else."""

    def knock(self, state: Any, seat: Seat, move: Any) -> Scene | None:
        """What a clumsy hand sets going when the move would stand a tile where another is; None when it does not."""


def tabletop_of(game: str) -> Tabletop | None:
    """How that game's tiles stand and fall, imported when first asked for; None when it has no standing tiles."""
    tabletop = kit_of(game).tabletop
    return None if tabletop is None else tabletop()


def scene_key(scene: Scene) -> str:
    """A short name that only this very scene has: what a forecast and an outcome are matched by."""
    exact = repr((scene.line.tile_set.name, scene.line.placements, scene.table, scene.push))
    return hashlib.sha256(exact.encode()).hexdigest()[:16]
