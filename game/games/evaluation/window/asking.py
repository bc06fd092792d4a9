"""What is asked of whom at the screen of a match, in words and in buttons."""

from __future__ import annotations

from dataclasses import dataclass

from game.core import Seat
from game.games.evaluation.window.match_paint import in_pieces
from game.games.evaluation.window.model import Act, Screen
from game.games.evaluation.window.witness import Witness
from game.match.ports import RigState
from game.pictures.theme import Sizes
from game.text.names import listed
from game.text.story import rig_words
from game.ui.toolkit.layout import DockPlaces
from game.ui.toolkit.widgets import Button, Widget
from game.words import _


@dataclass(frozen=True, slots=True)
class Called:
    """A button: that person calls."""

    seat: Seat


def question(shown: Screen, witness: Witness) -> str:
    """What is asked of whom; nothing while nobody is asked."""
    is_person = shown.asked is not None and shown.asked in shown.people
    name = shown.names[shown.asked or 0]
    if witness.is_open:
        return witness.question(shown.names, shown.asked)
    if shown.act is Act.BUILD and is_person:
        asks = _("{name}, move a tile") if shown.is_lifting else _("{name}, stand a tile")
        return asks.format(name=name)
    if shown.act is Act.CALL and shown.callers:
        names = listed([shown.names[seat] for seat in shown.callers])
        return _("{name}, do you call “Domino!”?").format(name=names)
    if shown.act is Act.ARMED and is_person:
        return _("{name}, push the row").format(name=name) if shown.rig is None else rig_question(shown.rig, name)
    return ""


def rig_question(rig: RigState, name: str) -> str:
    """What is asked where a rig is to push, after what it has to tell; nothing while it is at it."""
    if rig.can_stop:
        return ""
    asks = _("{name}, let the rig push the row, or push it by hand").format(name=name)
    return " ".join((*rig_words(rig), asks))


def call_buttons(dock: DockPlaces, sizes: Sizes, shown: Screen) -> list[Widget]:
    """A large one for everybody who may call, each with a key of its own, and one for who does not."""
    callers, names = shown.callers, shown.names
    rooms = dock.wide.shares([*(1.3 for _caller in callers), 1.0], sizes.gap)
    is_one = len(callers) == 1
    found: list[Widget] = []
    for seat, room in zip(callers, rooms, strict=False):
        label = _("Domino!") if is_one else _("{name}: Domino!").format(name=in_pieces(names[seat]))
        found.append(Button(f"call{seat}", room, label, key=str(seat + 1), seat=seat, value=Called(seat)))
    label = _("I do not call") if is_one else _("Nobody calls")
    return [*found, Button("pass", rooms[-1], label, key=_("Space"))]


def real_tools(shown: Screen, witness: Witness) -> list[tuple[str, str, str]]:
    """What can be done at a real table only: name, words, key."""
    found = []
    if shown.can_slip:
        found.append(("slip", _("Accident"), "X"))
    if shown.finding is not None and shown.act is Act.SCORED and not witness.is_open:
        found.append(("correct", _("Correct"), "K"))
    if shown.real is not None and shown.real.sight is not None:
        found.append(("camera", _("Camera"), "C"))
    return found


def push_buttons(dock: DockPlaces, sizes: Sizes, shown: Screen) -> list[Widget]:
    """The push: one button, or one for the rig and one for the hand."""
    if shown.rig is None:
        room = dock.wide.centred(440 * sizes.unit, dock.wide.height)
        return [Button("push", room, _("Push the row"), "main", "Enter")]
    room = dock.wide.centred(min(dock.wide.width, 900 * sizes.unit), dock.wide.height)
    rig, hand = room.shares([1.5, 1.0], sizes.gap)
    return [
        Button("push", rig, _("Let the rig push"), "main", "Enter"),
        Button("pushhand", hand, _("Pushed by hand"), key="B"),
    ]
