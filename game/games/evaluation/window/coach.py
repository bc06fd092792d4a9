"""What a newcomer is told in the first round: one short note for each new thing, and no more after it was seen."""

from __future__ import annotations

from game.games.evaluation.window.model import Act, Screen
from game.words import N_, _

NOTES = {
    "take": N_(
        "Take a tile from the tray: drag it to the row, or press its number. It snaps beside the last tile, and may "
        "also stand at the other end or between two tiles."
    ),
    "hold": N_(
        "The wheel or the arrows up and down turn it, left and right change the gap, F lays it on its side, A and D go "
        "to another place. A click or Enter stands it."
    ),
    "lift": N_(
        "All tiles stand in the row. From now on an inner one is moved to an end: drag it out of the row or the tray, "
        "or press its number."
    ),
    "call": N_(
        "Would the row fall if it were pushed? Whoever doubts it calls “Domino!”. If nobody does, the next player "
        "builds on."
    ),
    "vote": N_(
        "Success: every tile falls. Failure: at least one stays. The player who has just placed must choose success. "
        "If you are right, you take a chip for every vote of the other side."
    ),
    "armed": N_("Somebody doubts it, so the row is pushed, at the end whose tile has the lower value."),
    "falling": N_("Watch the wave. Space stops it, the slider goes back and forth, dragging the table turns the eye."),
    "witness": N_("Look at your table and tap every tile that still stands, here or in the row; then say it."),
    "scored": N_("Now the forecast is shown, too: how likely this row was to fall, and where it was weakest."),
}
"""What is said, by the moment it is said at."""


def controls() -> list[str]:
    """What mouse and keys do at the screen of a match, a paragraph each."""
    vote = _(
        "Vote: in turn, everybody else looking away; or each with two keys of their own: 1 and 2 for the first "
        "player, 3 and 4 for the second, up to 9 and 0. The first of them is success."
    )
    take, hold, fall = (_(NOTES[name]) for name in ("take", "hold", "falling"))
    return [take, hold, vote, fall]


def moment(shown: Screen, is_holding: bool) -> str | None:
    """Which note fits now; None when none does."""
    match shown.act:
        case Act.BUILD if shown.asked in shown.people:
            return "hold" if is_holding else "lift" if shown.is_lifting else "take"
        case Act.CALL if shown.callers:
            return "call"
        case Act.VOTE if shown.voter is not None:
            return "vote"
        case Act.ARMED if shown.asked in shown.people:
            return "armed"
        case Act.FALLING if shown.playback is not None:
            return "falling"
        case Act.WITNESS:
            return "witness"
        case Act.SCORED if shown.forecast is not None:
            return "scored"
    return None


class Coach:
    """Shows each note until its moment is over; silent once it was sent away or the first round is over."""

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self._seen: set[str] = set()
        self._now: str | None = None

    def update(self, shown: Screen, is_holding: bool) -> None:
        """Looks what is going on."""
        if not self.on:
            return
        if shown.round > 1 and shown.act is Act.BUILD:
            self.on = False
        now = moment(shown, is_holding)
        if now != self._now and self._now is not None:
            self._seen.add(self._now)
        self._now = now

    def stop(self) -> None:
        """No more notes are wanted."""
        self.on = False

    @property
    def note(self) -> str | None:
        """What to say now."""
        if not self.on or self._now is None:
            return None
        # Taking and holding a tile is said again while the first tiles are placed; the rest once.
        if self._now in self._seen and self._now not in ("take", "hold"):
            return None
        return _(NOTES[self._now])
