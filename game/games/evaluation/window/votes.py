"""The secret vote at one screen, in turn or by keys of one's own, and the countdown.

After the countdown all tokens are turned over together.
"""

from __future__ import annotations

from dataclasses import replace

from game.core import Seat
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.match_paint import paint_token
from game.games.evaluation.window.model import Act, Screen
from game.pictures.theme import SIGNS, Palette, Sizes
from game.ui.screens.base import Sounds
from game.ui.toolkit.layout import DockPlaces, MatchPlaces, Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Button, Widget
from game.words import _

BEAT = 0.55  # s for each word of the countdown
FLIP = 0.4  # s in which the tokens turn over
STAY = 1.1  # s that they are looked at
NAMES = ("ready", "success", "failure")
OWN_KEYS = (("1", "2"), ("3", "4"), ("5", "6"), ("7", "8"), ("9", "0"))
"""Of every seat: for success and for failure, at any time of the vote, so that nobody has to look away."""


class Ballot:
    """How far the vote at this screen is: who looks, and how far the countdown has come."""

    def __init__(self) -> None:
        self.voter: Seat | None = None
        self.is_ready = False  # the voter looks, the others look away
        self.count = 0.0  # s since the countdown began

    def update(self, seconds: float, shown: Screen, sounds: Sounds | None) -> None:
        """Time goes on; another voter begins with the screen covered."""
        if shown.act is not Act.VOTE or shown.voter != self.voter:
            self.voter = shown.voter if shown.act is Act.VOTE else None
            # A lone person has nobody to hide from.
            self.is_ready = len(shown.people) == 1
        before = self.count
        self.count = self.count + seconds if shown.act is Act.COUNTDOWN else 0.0
        if sounds is not None and shown.act is Act.COUNTDOWN:
            if before == 0.0 or int(before / BEAT) != int(self.count / BEAT) <= 3:
                sounds.tick()
            if before < 4 * BEAT <= self.count:
                sounds.flip()

    def turned(self) -> float:
        """How far the tokens are turned over, 0 to 1."""
        return min(1.0, max(0.0, (self.count - 4 * BEAT) / FLIP))

    def is_open(self, shown: Screen) -> bool:
        """Whether the votes are to be seen."""
        return shown.act in (Act.ARMED, Act.FALLING, Act.SCORED) or (
            shown.act is Act.COUNTDOWN and self.turned() >= 1.0
        )

    def is_counted(self, shown: Screen) -> bool:
        """Whether the countdown has been seen to its end."""
        return shown.act is Act.COUNTDOWN and self.count >= 4 * BEAT + FLIP + STAY

    def hurry(self) -> None:
        """Ends the countdown: who has seen the tokens may go on, who has not sees them at once."""
        self.count = 4 * BEAT + FLIP + STAY if self.turned() >= 1.0 else 4 * BEAT

    def acted(self, name: str, shown: Screen, controller: Controller) -> None:
        """A button of the ballot was pressed."""
        if name == "ready":
            self.is_ready = True
        elif shown.voter is not None and self.is_ready:
            self.is_ready = len(shown.people) == 1
            controller.vote(shown.voter, name == "success")

    def key(self, key: str, shown: Screen, controller: Controller) -> bool:
        """Everybody's own keys; Enter uncovers the ballot of whose turn it is; S and F, or left and right, vote."""
        for seat in may_vote(shown):
            if key in OWN_KEYS[seat]:
                controller.vote(seat, key == OWN_KEYS[seat][0])
                return True
        if shown.voter is None:
            return False
        if not self.is_ready and key in ("enter", "space"):
            self.is_ready = True
        elif self.is_ready and key in ("s", "left"):
            self.acted("success", shown, controller)
        elif self.is_ready and key in ("f", "right"):
            self.acted("failure", shown, controller)
        else:
            return False
        return True


def may_vote(shown: Screen) -> tuple[Seat, ...]:
    """The people who have a choice and have not made it yet, whoever is asked just now."""
    if shown.act is not Act.VOTE:
        return ()
    return tuple(seat for seat in shown.people if seat != shown.active and seat not in shown.voted)


def ballot_buttons(dock: DockPlaces, sizes: Sizes, shown: Screen, ballot: Ballot) -> list[Widget]:
    """I am ready; then the two sides of the token."""
    assert shown.voter is not None
    room = dock.wide.cut_right(dock.wide.width * 0.55)[0]
    if not ballot.is_ready:
        label = _("I am {name}").format(name=shown.names[shown.voter])
        return [Button("ready", room, label, key="Enter", seat=shown.voter)]
    good, bad = room.columns(2, sizes.gap * 1.5)
    return [
        Button("success", good, _("Success"), "good", "S", sign="tick"),
        Button("failure", bad, _("Failure"), "bad", "F", sign="cross"),
    ]


def paint_ballot(
    painter: Painter, palette: Palette, sizes: Sizes, dock: DockPlaces, shown: Screen, ballot: Ballot
) -> None:
    """Whose vote it is, and what the two sides mean; the row stays in sight."""
    if shown.voter is None:
        others = _("The others vote in secret.")
        painter.words(f"{others} {_why_success(shown)}", dock.wide, sizes.body, palette.ink, wrap=True, align="center")
        return
    inner = dock.wide.cut_right(dock.wide.width * 0.55, sizes.gap * 2)[1]
    head, inner = inner.cut_top(sizes.large * 1.6)
    name = shown.names[shown.voter]
    if not ballot.is_ready:
        title, words = _("{name} votes").format(name=name), _("Everybody else looks away.")
        if len(may_vote(shown)) > 1:
            own = _("Or all vote at once, each with their own two keys under a hand.")
            words = f"{words} {own}"
    else:
        title = _("{name}, will the whole row fall?").format(name=name)
        words = _("Success: every tile falls. Failure: at least one stays.")
    half = sizes.large * 0.5
    painter.sign(SIGNS[shown.voter], head.x + half, head.middle[1], half, palette.players[shown.voter])
    painter.words(title, head.cut_left(half * 2, sizes.gap * 0.6)[1], sizes.large, palette.accent, bold=True)
    painter.words(f"{words} {_why_success(shown)}", inner, sizes.body, palette.ink, wrap=True)


def _why_success(shown: Screen) -> str:
    return _("{name} has just placed a tile and must vote for success.").format(name=shown.names[shown.active])


# How everybody votes


def voters_room(places: MatchPlaces, sizes: Sizes, players: int) -> Rect:
    """A strip over the lower edge of the table, beside the forecast where that comes so far down."""
    width = min(places.view.width - 2 * sizes.gap, players * 200 * sizes.unit)
    strip = Rect(places.view.x + sizes.gap, places.view.y + sizes.gap, width, 60 * sizes.unit)
    if not strip.overlaps(places.aside):
        return strip
    return replace(strip, width=min(width, places.aside.x - sizes.gap - strip.x))


def paint_voters(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, shown: Screen) -> None:
    """For every seat how it votes: keys of one's own, by itself, or without a choice; who has voted, never how."""
    paint_panel(painter, room, palette, sizes)
    waiting = may_vote(shown)
    for seat, cell in enumerate(room.inset(sizes.gap * 0.8, sizes.gap * 0.5).columns(len(shown.names), sizes.gap)):
        spot, rest = cell.cut_left(sizes.body * 1.3, sizes.gap * 0.5)
        painter.sign(SIGNS[seat], *spot.middle, spot.width * 0.42, palette.players[seat])
        name, way = rest.rows(2)
        painter.words(shown.names[seat], name, sizes.body, palette.ink, bold=seat == shown.voter)
        if seat in waiting:
            _paint_keys(painter, palette, sizes, way, OWN_KEYS[seat])
            continue
        if seat in shown.voted:
            token, way = way.cut_left(way.height, sizes.gap * 0.4)
            paint_token(painter, palette, *token.middle, token.height * 0.42, None)
        painter.words(_way(shown, seat), way, sizes.small, palette.soft)


def _way(shown: Screen, seat: Seat) -> str:
    if seat == shown.active:
        return _("placed: success only")
    if seat in shown.voted:
        return _("has voted")
    return _("votes by itself")


def _paint_keys(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, keys: tuple[str, str]) -> None:
    """The two keys, each with its side of the token."""
    high = min(room.height, sizes.body * 1.4, room.width / 5)
    for key, sign, colour in zip(keys, ("tick", "cross"), (palette.good, palette.bad), strict=True):
        cap, room = room.cut_left(high, sizes.gap * 0.4)
        cap = cap.centred(high, high)
        painter.rect(cap, palette.raised, sizes.radius * 0.5, palette.soft, 1.5)
        painter.words(key, cap, min(sizes.body, high * 0.7), palette.ink, bold=True, align="center")
        side, room = room.cut_left(high, sizes.gap)
        painter.sign("circle", *side.middle, high * 0.46, colour)
        painter.sign(sign, *side.middle, high * 0.32, palette.on_sign)


# The countdown


def paint_count(painter: Painter, palette: Palette, sizes: Sizes, view: Rect, shown: Screen, ballot: Ballot) -> None:
    """One, two, three, domino! Then all tokens turn over together."""
    words = (_("One …"), _("two …"), _("three …"), _("domino!"))
    panel = view.inset(sizes.gap).centred(
        min(view.width, (170 * len(shown.names) + 120) * sizes.unit), 320 * sizes.unit
    )
    paint_panel(painter, panel, palette, sizes)
    inner = panel.inset(sizes.gap * 1.5)
    head, inner = inner.cut_top(inner.height * 0.34)
    word = words[min(3, int(ballot.count / BEAT))]
    painter.words(word, head, sizes.title, palette.accent, bold=True, align="center")
    turned = ballot.turned()
    squeeze = abs(1 - 2 * turned)
    for seat, room in enumerate(inner.columns(len(shown.names), sizes.gap)):
        name, room = room.cut_bottom(sizes.body * 1.5, sizes.gap * 0.3)
        side, room = room.cut_bottom(sizes.body * 1.4, sizes.gap * 0.2)
        vote = shown.votes[seat] if turned > 0.5 and seat < len(shown.votes) else None
        half = min(room.width, room.height) * 0.45
        paint_token(painter, palette, *room.middle, half, vote, max(0.04, squeeze))
        if turned >= 1.0 and vote is not None:
            said = _("Success") if vote == "success" else _("Failure")
            painter.words(said, side, sizes.body, palette.ink, bold=True, align="center")
        mark = sizes.body * 0.5
        wide = min(name.width - 3 * mark, painter.measured(shown.names[seat], sizes.body)[0])
        x = name.middle[0] - wide / 2 - mark * 1.2
        painter.sign(SIGNS[seat], x, name.middle[1], mark, palette.players[seat])
        painter.words(shown.names[seat], Rect(x + mark * 1.6, name.y, wide + 2, name.height), sizes.body, palette.ink)
