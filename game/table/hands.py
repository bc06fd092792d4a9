"""What a game with standing tiles says of its table, so that a camera can follow a match of it.

A camera sees tiles, a game knows moves. What comes between is here for every game: `game.table.sense`, `moves` and
`judging`. Where tiles stand is said in m and rad on the game's own axes, which a game chooses as it likes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from game.catalogue import kit_of
from game.core import Seat
from game.match.tabletop import tabletop_of
from physics.errors import InputError
from physics.line import Placement
from physics.scene import Scene
from physics.tiles import TileSet

Row = tuple[Placement, ...]
"""The tiles that stand on the table, in order."""


class TableHands(Protocol):
    """What is asked of such a game beside its tabletop; states and moves are the game's own."""

    @property
    def tiles(self) -> TileSet:
        """The tiles that may be on the table."""

    def row(self, state: Any) -> Row:
        """The tiles that stand there as the game has it; never none."""

    def placer(self, state: Any) -> Seat:
        """Whose hands are to place a tile or to push, or were the last to."""

    def may_place(self, state: Any, *, lifted: bool) -> bool:
        """Whether a tile may be placed now: one from beside the table, or one lifted out of the row."""

    def placed(self, state: Any, tile: Placement, slack: float) -> Any:
        """The placer's move that stood the tile there; RuleError when the rules allow none.

        `slack`, m: a tile that breaks a rule by less stands where it does not.
        """

    def fallen(self, state: Any) -> tuple[Seat, Any] | None:
        """The move that has tiles of the row fall now, and whose it is: a push that was due, or an accident.

        None when the game has it already.
        """

    def placement(self, move: Any) -> Placement | None:
        """Where the move stood a tile; None when it is another move."""

    def elsewhere(self, move: Any, tile: Placement) -> Any:
        """The move that stood a tile, when that is this tile, there."""

    # A table that is painted, for those who have none

    def rows(self, generator: random.Random, fits: Callable[[Placement], bool]) -> Iterator[Row]:
        """A row from the one that a round begins with on, one tile more each time, every tile where it fits."""

    def pushed(self, row: Row) -> Scene:
        """The row with the push that it gets in the game."""


def hands_of(game: str) -> TableHands | None:
    """What that game says of its table, imported when first asked for; None when no camera can follow it."""
    hands = kit_of(game).hands
    return None if hands is None else hands()


def needed_hands(game: str) -> TableHands:
    """The same; InputError when no camera can follow that game."""
    hands = hands_of(game)
    if hands is None:
        raise InputError("A camera cannot follow the game {game}: play it without one.", game=game)
    return hands


def check_rig(game: str) -> None:
    """InputError when a rig has nothing to push in that game."""
    if tabletop_of(game) is None:
        raise InputError("A rig pushes standing tiles, and the game {game} has none: leave out --rig.", game=game)
