"""The hand of who places a tile: what it holds, where, and what mouse and keys do to that. Nothing is drawn here."""

from __future__ import annotations

from dataclasses import replace

from game.games.evaluation.moves import End, Stand
from game.games.evaluation.numbers import NUMBERS, Limits
from game.games.evaluation.placements import Row
from game.games.evaluation.window.placing import (
    Aim,
    Flip,
    Gap,
    Loosen,
    NextSpot,
    Proposal,
    Shift,
    Step,
    Turn,
    aimed,
    first_proposal,
    stepped,
)
from physics.tiles import Stance

MILLIMETRE = 1e-3
KEYS: dict[str, Step] = {
    "a": NextSpot(-1),
    "d": NextSpot(1),
    "up": Turn(),
    "down": Turn(-Turn().by),
    "w": Turn(),
    "s": Turn(-Turn().by),
    "f": Flip(),
    "g": Loosen(),
}
VALUE_KEYS = {**{str(value): value for value in range(1, 10)}, "0": 10, "-": 11}


class Hand:
    """Holds at most one tile over the row."""

    def __init__(self) -> None:
        self.proposal: Proposal | None = None
        self.by_mouse = False  # the tile follows the mouse
        self.stance = Stance.UPRIGHT
        self.free = False

    @property
    def value(self) -> int | None:
        """The tile in the hand."""
        return None if self.proposal is None else self.proposal.aim.value

    def drop(self) -> None:
        """Nothing is held any more."""
        self.proposal, self.by_mouse, self.free = None, False, False

    def take(self, row: Row, value: int, limits: Limits = NUMBERS.limits, *, by_mouse: bool = False) -> None:
        """Takes that tile of the supply, or out of the row."""
        self.stance = Stance.UPRIGHT
        self.free = False
        self.by_mouse = by_mouse
        self.proposal = first_proposal(row, value, self.stance, limits)

    def lead(self, point: tuple[float, float] | None) -> None:
        """The mouse is over that point of the table (m)."""
        if self.proposal is None or point is None or not self.by_mouse:
            return
        aim = replace(self.proposal.aim, x=point[0], y=point[1], free=self.free, stance=self.stance)
        self.proposal = aimed(self.proposal.row, aim)

    def turn(self, notches: float) -> None:
        """The wheel turns the tile."""
        if self.proposal is None:
            return
        was = self.proposal
        self.proposal = stepped(was, Turn(Turn().by * (1 if notches > 0 else -1)))
        if self.by_mouse and not self.free:
            # The hand stays where the mouse is; the chosen turn is kept from now on.
            guide = self.proposal.guide
            aim = replace(was.aim, turn=None if guide is None else guide.turn)
            self.proposal = aimed(was.row, aim)

    def key(self, key: str) -> bool:
        """What the key does to the tile; whether it means anything."""
        proposal = self.proposal
        if proposal is None:
            return False
        step = KEYS.get(key)
        if key in ("left", "right", "ctrl+left", "ctrl+right"):
            sign = 1 if key.endswith("right") else -1
            size = (5 if key.startswith("ctrl") else 1) * MILLIMETRE * sign
            step = Shift(size, 0.0) if self.free else Gap(-size if proposal.stand.spot is End.FIRST else size)
        elif key in ("up", "down") and self.free:
            step = Shift(0.0, MILLIMETRE if key == "up" else -MILLIMETRE)
        if step is None:
            return False
        self.by_mouse = False
        self.proposal = stepped(proposal, step)
        self.stance = self.proposal.aim.stance
        self.free = self.proposal.guide is None
        return True

    def flip(self) -> None:
        """From upright to its side or back."""
        self._stepped(Flip())

    def loosen(self) -> None:
        """Set free, or snapped again."""
        self._stepped(Loosen())

    def next_spot(self, by: int = 1) -> None:
        """On to the next place of the row."""
        self.by_mouse = False
        self._stepped(NextSpot(by))

    def _stepped(self, step: Flip | Loosen | NextSpot) -> None:
        if self.proposal is not None:
            keep = self.by_mouse
            self.proposal = stepped(self.proposal, step)
            self.stance = self.proposal.aim.stance
            self.free = self.proposal.guide is None
            self.by_mouse = keep

    @property
    def move(self) -> Stand | None:
        """The move that setting the tile down would be; None when it is not legal or nothing is held."""
        return None if self.proposal is None else self.proposal.move

    def aim(self) -> Aim | None:
        """What the hand does."""
        return None if self.proposal is None else self.proposal.aim
