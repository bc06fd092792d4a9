"""Evaluation Domino in a terminal: what is asked, shown and explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from game.core import Seat
from game.games.evaluation.moves import Move
from game.games.evaluation.text.events import chips_words, sentence
from game.games.evaluation.text.moves import fitting_verbs, read_move
from game.games.evaluation.text.row import BLOCKS, LETTERS, drawn, row_in, row_words, supply_words
from game.games.evaluation.text.vocabulary import meaning_of, spelt
from game.text.game_text import Question
from game.text.names import listed
from game.text.vocabulary import GENERAL
from game.words import _

Data = Mapping[str, Any]


class EvaluationText:
    """See `game.text.game_text.GameText` for what each method promises."""

    def title(self) -> str:
        """The game's name for people."""
        return _("Evaluation Domino")

    def event(self, kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
        """What to say of an event."""
        return sentence(kind, data, view, names)

    def public(self, view: Data, width: int, *, blocks: bool) -> list[str]:
        """The row from the side, from above where it bends, and the supply."""
        return [*drawn(view, width, BLOCKS if blocks else LETTERS), "", supply_words(view)]

    def public_words(self, view: Data) -> str:
        """The row and the supply."""
        return f"{row_words(view)} {supply_words(view)}"

    def standing(self, view: Data, names: Sequence[str]) -> str:
        """The round and the chips."""
        if view["contenders"]:
            tied = listed([names[seat] for seat in view["contenders"]])
            begun = _("The extra round, between {names}.").format(names=tied)
        else:
            begun = _("Round {round} of {rounds}.").format(round=view["round"], rounds=view["rounds"])
        return f"{begun} {chips_words(view['chips'], names)}"

    def private(self, view: Data, seat: Seat) -> list[str]:
        """Nothing: only votes are hidden, and who casts one knows it."""
        return []

    def question(self, view: Data, seat: Seat, names: Sequence[str]) -> Question:
        """What that seat is asked now; votes are secret."""
        notes = _(
            "Left is the first end of the row, right the last. Lengths are millimetres, turns degrees: a turn "
            "above 0 bends the end of the row away from you, below 0 towards you; the gap is the free air at "
            "the nearest point, however a tile is turned. Words may be cut short."
        )
        return Question(_asked(view, names[seat]), tuple(_examples(view)), notes, is_secret=view["phase"] == "vote")

    def parse(self, text: str, view: Data, names: Sequence[str]) -> Move:
        """The move that is meant; InputError when the text is none."""
        fitting = fitting_verbs(view["phase"], not view["supply"])
        return read_move(text, row_in(view), view["movable"], names, fitting)

    def fits(self, text: str, view: Data) -> bool:
        """Whether it begins like a move of this moment."""
        first = (text.split() or [""])[0]
        fitting = fitting_verbs(view["phase"], not view["supply"])
        return meaning_of(first, (*fitting, *GENERAL)) in fitting or meaning_of(first, fitting) is not None

    def rules(self) -> list[str]:
        """The rules in short."""
        return [
            _("Evaluation Domino, for 2 to 5 players: will the growing row fall?"),
            _(
                "The tile 6 stands in the middle. The players take turns to stand one tile of the supply in the row: "
                "at its left or right end or between two neighbours, upright or on its side. The row may bend but "
                "neither branch nor close."
            ),
            _(
                "The gap is the free air between two tiles at their nearest point: 3 to 40 mm at an end, 3 mm or more "
                "to each of two neighbours. Tiles that are not neighbours stay 5 mm apart."
            ),
            _(
                "The turn is the angle between the new tile and its neighbour. A tile that is stood at an end by gap "
                "and turn may be turned by up to 45°."
            ),
            _(
                "A tile may also be set freely where it is clear where in the row it stands: past its neighbour’s "
                "middle where the row goes on, not too far to the side, and not with both neighbours on the same side "
                "of it. Then the limit is not on the turn but on another angle: the tile may be turned at most 60° "
                "from the line between its middle and its neighbour’s, and so more than 45° from that neighbour."
            ),
            _("When the supply is empty, a tile from inside the row is moved to one of its ends instead."),
            _(
                "After every tile the others may call “Domino!”. Then all vote in secret: success (every tile falls) "
                "or failure (at least one stays). The player who has just placed must vote for success. If all vote "
                "for success nothing is pushed and the round goes on."
            ),
            _(
                "Otherwise the player who has placed pushes the row lightly at the end whose tile has the lower value. "
                "If it falls, everybody who voted for success takes a chip for every vote for failure; if not, "
                "everybody who voted for failure takes a chip for every vote for success."
            ),
            _(
                "After 22 moved tiles in one round, or when no tile can be placed any more, the row is pushed whatever "
                "the votes are."
            ),
            _(
                "A player who knocks the row over by accident gives every other player a chip, and the round begins "
                "anew. Three rounds are played unless agreed otherwise; most chips win. A tie is decided by one more "
                "round."
            ),
        ]


def _asked(view: Data, name: str) -> str:
    match view["phase"]:
        case "build" if view["supply"]:
            return _("{name}, stand a tile").format(name=name)
        case "build":
            return _("{name}, move a tile").format(name=name)
        case "call":
            return _("{name}, do you call “Domino!”? ({call} or {no})").format(
                name=name, call=spelt("call"), no=spelt("pass")
            )
        case "vote":
            return _("{name}, your vote while the others look away ({success} or {failure})").format(
                name=name, success=spelt("success"), failure=spelt("failure")
            )
        case "push":
            return _("{name}, push the row ({push})").format(name=name, push=spelt("push"))
        case "fall":
            return _("{name}, what happened on the table? ({fell}, or {stood} and the values that stand)").format(
                name=name, fell=spelt("fell"), stood=spelt("stood")
            )
    return name


def _examples(view: Data) -> list[tuple[str, str]]:
    """What can be answered now, and what it means."""
    words = {meaning: spelt(meaning) for meaning in _SHOWN}
    match view["phase"]:
        case "build" if view["supply"]:
            return [
                (
                    "{stand} 8 {right} {gap} 20 {turn} 10 {upright}".format(**words),
                    _("the tile 8 at the right end, 20 mm of air to its neighbour, turned by 10° from it, upright"),
                ),
                ("{stand} 5 {left} {side}".format(**words), _("the tile 5 at the left end, on its side")),
                ("{stand} 7".format(**words), _("as usual: right end, gap 20, turn 0, upright")),
                (
                    "{insert} 5 {between} 6 8 {gap} 4".format(**words),
                    _("between the tiles 6 and 8, 4 mm of air to the 6; without a gap in the middle"),
                ),
            ]
        case "build":
            return [
                (
                    "{move} 9 {left} {gap} 20".format(**words),
                    _("the tile 9 out of the row to its left end, 20 mm from its new neighbour"),
                )
            ]
        case "call":
            return [
                (words["call"], _("call “Domino!”: all vote whether the row falls")),
                (words["pass"], _("no call; the game goes on")),
            ]
        case "vote":
            return [
                (words["success"], _("you say that every tile falls")),
                (words["failure"], _("you say that at least one tile stays")),
            ]
        case "push":
            return [(words["push"], _("a light touch at the end with the lower value"))]
        case "fall":
            return [
                (words["fell"], _("every tile fell")),
                ("{stood} 4 9".format(**words), _("the tiles 4 and 9 did not fall")),
            ]
    return []


_SHOWN = (
    "stand", "insert", "move", "call", "pass", "success", "failure", "push", "fell", "stood",
    "left", "right", "upright", "side", "gap", "turn", "between",
)  # fmt: skip

TEXT = EvaluationText()
