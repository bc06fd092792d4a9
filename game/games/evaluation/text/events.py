"""What happens in Evaluation Domino as sentences, with the players' names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from game.games.evaluation.text.row import MIN_TURN, number, row_in, stance_word, turns_of
from game.text.names import listed
from game.words import N_, _

Data = Mapping[str, Any]

PLAIN: Mapping[str, str] = {
    "passed": N_("{name} does not call."),
    "called": N_("{name} calls: “Domino!”"),
    "forced": N_("The row must be pushed now, whatever the votes; {name} counts as the caller."),
    "voted": N_("{name} has voted."),
    "agreed": N_("All voted for success: no push, the round goes on."),
    "fell": N_("The whole row fell."),
}
"""The sentences that need a name at most."""


def sentence(kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
    """What to say of the event, nothing when it goes without saying; the view is what is known after it.

    LookupError when it is no such event.
    """
    name = names[data["seat"]] if "seat" in data else ""
    if kind in PLAIN:
        return _(PLAIN[kind]).format(name=name)
    match kind:
        case "turn" | "vote":
            return ""  # the next question or placement says whose turn it is; who has voted knows the vote
        case "stood" | "moved":
            return _placed(kind, name, data, view)
        case "revealed":
            return _revealed(data["votes"], names)
        case "pushed" if data["end"] == "first":
            return _("{name} pushes the tile {value} at the left end.").format(name=name, value=data["value"])
        case "pushed":
            return _("{name} pushes the tile {value} at the right end.").format(name=name, value=data["value"])
        case "held" if data["standing"]:
            return _("The row did not fall; still standing: {values}.").format(values=listed(data["standing"]))
        case "held":
            return _("The row did not fall.")
        case "scored":
            return _scored(data, names)
        case "accident":
            return _("{name} knocked the row over by accident; every other player takes one chip. {chips}").format(
                name=name, chips=chips_words(data["chips"], names)
            )
        case "round":
            return _("Round {round} begins; {name} starts.").format(round=data["round"], name=name)
        case "extra":
            tied = listed([names[seat] for seat in data["contenders"]])
            return _("A tie: one more round decides between {names}.").format(names=tied)
        case "over":
            return _over(data, names)
    raise KeyError(kind)


def chips_words(chips: Sequence[int], names: Sequence[str]) -> str:
    """Who has how many chips."""
    shares = ", ".join(f"{name}: {count}" for name, count in zip(names, chips, strict=True))
    return _("Chips: {shares}.").format(shares=shares)


def _placed(kind: str, name: str, data: Data, view: Data) -> str:
    row, place, gaps = data["row"], data["place"], [number(gap) for gap in data["gap"]]
    said = {"name": name, "value": data["value"], "stance": stance_word(data["stance"])}
    if 0 < place < len(row) - 1:
        return _(
            "{name} stands the tile {value} {stance} between {one} and {other}, {gap} mm and {far} mm from them."
        ).format(**said, one=row[place - 1], other=row[place + 1], gap=gaps[0], far=gaps[1])
    is_left = place == 0
    sentences = {
        ("stood", True): _(
            "{name} stands the tile {value} {stance} at the left end, {gap} mm from the {other}{turned}."
        ),
        ("stood", False): _(
            "{name} stands the tile {value} {stance} at the right end, {gap} mm from the {other}{turned}."
        ),
        ("moved", True): _(
            "{name} moves the tile {value} {stance} to the left end, {gap} mm from the {other}{turned}."
        ),
        ("moved", False): _(
            "{name} moves the tile {value} {stance} to the right end, {gap} mm from the {other}{turned}."
        ),
    }
    other = row[1 if is_left else -2]
    return sentences[kind, is_left].format(**said, gap=gaps[0], other=other, turned=_turned(is_left, data, view))


def _turned(is_left: bool, data: Data, view: Data) -> str:
    """How the new end tile is turned, if it is and still stands there."""
    if [tile["value"] for tile in view["row"]] != data["row"]:
        return ""
    turn = turns_of(row_in(view))[0 if is_left else -1]
    return _(", turned {turn}° from it").format(turn=number(turn)) if abs(turn) >= MIN_TURN else ""


def _revealed(votes: Sequence[str], names: Sequence[str]) -> str:
    sides = {
        side: listed([name for name, vote in zip(names, votes, strict=True) if vote == side]) or "–"
        for side in ("success", "failure")
    }
    return _("One, two, three, domino! Success: {success}. Failure: {failure}.").format(**sides)


def _scored(data: Data, names: Sequence[str]) -> str:
    """Who takes how many chips; why, when anybody does."""
    winners = [f"{name} +{gain}" for name, gain in zip(names, data["gained"], strict=True) if gain]
    if not winners:
        gained = _("Nobody takes a chip.")
    else:
        gained = _("Each of those who were right takes a chip for every vote of the other side: {gains}.").format(
            gains=", ".join(winners)
        )
    return f"{gained} {chips_words(data['chips'], names)}"


def _over(data: Data, names: Sequence[str]) -> str:
    winners = [names[seat] for seat in data["winners"]]
    chips = chips_words(data["chips"], names)
    if len(winners) == 1:
        return _("The match is over. {chips} {name} wins!").format(chips=chips, name=winners[0])
    return _("The match is over. {chips} {names} share the victory!").format(chips=chips, names=listed(winners))
