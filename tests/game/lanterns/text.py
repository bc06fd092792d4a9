"""Lanterns in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from game.core import Event, Seat, filled_in
from game.text.game_text import Question
from tests.game.lanterns.rules import GAME, MAX_BID, Move

Data = Mapping[str, Any]
VERBS = ("bid", "light", "echo")


class LanternsText:
    """See `game.text.game_text.GameText` for what each method promises."""

    def title(self) -> str:
        return "Lanterns"

    def event(self, kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
        shown = {**data, **({"winners": [names[seat] for seat in data["winners"]]} if "winners" in data else {})}
        said = filled_in(GAME.sentences[kind], Event(kind, shown))
        if "seat" not in data:
            return said
        return said.replace(f"Seat {data['seat']}", names[data["seat"]]).replace(f", seat {data['seat']}", "")

    def public(self, view: Data, width: int, *, blocks: bool) -> list[str]:
        return [self.public_words(view)[:width]]

    def public_words(self, view: Data) -> str:
        lit = ", ".join(str(value) for _seat, value in view["lit"]) or "none"
        return f"The moon shows {view['moon']}. Lit: {lit}. In the deck: {view['deck']}."

    def private(self, view: Data, seat: Seat) -> list[str]:
        return [f"Your lanterns: {', '.join(map(str, view['hand']))}."]

    def standing(self, view: Data, names: Sequence[str]) -> str:
        points = ", ".join(f"{name}: {points}" for name, points in zip(names, view["points"], strict=True))
        return f"Round {view['round']} of {view['rounds']}. Points: {points}."

    def question(self, view: Data, seat: Seat, names: Sequence[str]) -> Question:
        if not view["order"]:
            bid = (("bid 10", f"a secret number from 0 to {MAX_BID}; the highest lights first"),)
            return Question(f"{names[seat]}, your bid while the others look away", bid, is_secret=True)
        if view["order"][0] == seat:
            return Question(f"{names[seat]}, light a lantern", (("light 3", "the lantern 3 from your hand"),))
        return Question(f"{names[seat]}, echo?", (("echo", "the same value as the lantern just lit"),))

    def parse(self, text: str, view: Data, names: Sequence[str]) -> Move:
        return GAME.read(text)

    def spelt(self, move: Move, view: Data, names: Sequence[str]) -> str:
        return GAME.write(move).capitalize()

    def fits(self, text: str, view: Data) -> bool:
        return text.split()[0].lower() in VERBS

    def rules(self) -> list[str]:
        return ["Lanterns: bid in secret, then light lanterns from brighter to brighter."]


TEXT = LanternsText()
